"""That the shortcuts through Numba are taken, and that what is compiled by them computes the same."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.common.jit import allocating_kernel, borrowing_kernel, inlined_kernel, kernel

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba's compiler")


@inlined_kernel
def inner(values, factor):
    return factor * values.sum()


@inlined_kernel
def middle(values, factor):
    return inner(values, factor) + inner(values, 2)  # two forms of one function


@borrowing_kernel
def apart(values, factor):
    return middle(values, factor)


@kernel
def outer(values):
    return apart(values, 0.5) + max(values[0], 0.0)


@allocating_kernel
def told(values):
    print("sum", values.sum())
    return np.zeros(2) + values.sum()


@kernel
def telling(values):
    return told(values)


def test_what_is_written_out_in_others_is_not_turned_into_machine_code(monkeypatch):
    from llvmlite.binding import ExecutionEngine

    made = []
    add_module = ExecutionEngine.add_module

    def noted(engine, module):
        made.append(module.name)
        return add_module(engine, module)

    monkeypatch.setattr(ExecutionEngine, "add_module", noted)
    values = np.arange(4.0)
    # keeping on disk is not what is asked here, and would leave nothing to compile the second time
    assert kernel.__globals__["_compiled"](outer.py_func, is_kept=False)(values) == 15.0
    assert "outer" in made
    assert not {"inner", "middle", "apart"} & set(made), made
    assert not [name for name in made if name.startswith("ol_max")], made
    assert middle(values, 0.5) == 15.0  # as Python calls it: a kernel like any other
    assert "middle" in made


def test_what_was_linked_knows_its_environment(capfd):
    """What prints needs it, in the process that compiles too."""
    fresh = kernel.__globals__["_compiled"](telling.py_func, is_kept=False)
    assert fresh(np.arange(4.0)).tolist() == [6.0, 6.0]
    assert capfd.readouterr().out.split() == ["sum", "6.0"]


def test_why_other_templates_do_not_fit_is_not_put_into_words(monkeypatch):
    from numba.core.types.functions import _ResolutionFailures

    def two_sums(values):
        return np.hypot(values[0], values[1]) + np.hypot(values[2], values[3])

    failures = []
    monkeypatch.setattr(_ResolutionFailures, "add_error", lambda *arguments: failures.append(arguments))
    assert kernel.__globals__["_compiled"](two_sums, is_kept=False)(np.array([3.0, 4.0, 0.0, 1.0])) == 6.0
    assert failures == []


def test_what_does_not_fit_is_told_as_by_numba():
    from numba.core.errors import TypingError

    def mixed(values):
        return values + "text"

    with pytest.raises(TypingError, match="No implementation of function Function"):
        kernel.__globals__["_compiled"](mixed, is_kept=False)(np.arange(4.0))


def test_compiler_flags_are_compared_by_what_they_mean():
    from numba.core.compiler import Flags
    from numba.core.targetconfig import TargetConfig

    assert TargetConfig.__eq__.__module__ == "engine.common.numba_shortcuts"
    one, other = Flags(), Flags()
    assert one == other and hash(one) == hash(other)
    one.forceinline = True
    assert one != other
    other.forceinline = True
    assert one == other
    one.forceinline = other.forceinline = False
    assert one == Flags() == other  # set to the default, and not set
    assert one != "flags"


def test_another_numba_compiles_without_them():
    """In a process of its own, for Numba is patched once."""
    told = "import sys, numba, numpy as np; numba.__version__ = '0.70.0'; import tests.unit.common.test_numba_shortcuts as mine; "
    told += "made = mine.kernel.__globals__['_compiled'](mine.outer.py_func, is_kept=False)(np.arange(4.0)); "
    told += "print(made, 'engine.common.numba_shortcuts' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["15.0", "False"], done.stderr
