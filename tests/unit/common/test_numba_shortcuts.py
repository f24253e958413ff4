"""That the shortcuts through Numba are taken, and that what is compiled by them computes the same."""

import os

import numpy as np
import pytest

from engine.common.jit import inlined_kernel, kernel

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba's compiler")


@inlined_kernel
def inner(values, factor):
    return factor * values.sum()


@inlined_kernel
def middle(values, factor):
    return inner(values, factor) + inner(values, 2)  # two forms of one function


@kernel
def outer(values):
    return middle(values, 0.5)


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
    assert not {"inner", "middle"} & set(made), made
    assert middle(values, 0.5) == 15.0  # as Python calls it: a kernel like any other
    assert "middle" in made


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
