"""A script that waits for the compiler gets one notice on standard error, after two seconds; other programs get none."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.common import compile_notice
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def watch(monkeypatch):
    monkeypatch.setattr(compile_notice, "_silent", threading.Event())
    monkeypatch.setattr(compile_notice, "_PATIENCE", 0.02)
    return compile_notice._Watch()


def _told(watch):
    """Wait until the complete notice has been printed."""
    timer = watch._timer
    timer.join(PATIENCE)
    assert compile_notice._silent.is_set()


def test_the_notice_is_printed_once(watch, capsys):
    watch.start()
    _told(watch)
    watch.end()
    watch.start()
    watch.end()
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "this happens once" in err and "doctor --compile" in err


_SCRIPT = """
from engine.common import compile_notice
compile_notice._PATIENCE = 0.05
from engine import query
from engine.geometry import Circle, Transform
print(query.{question}(Circle(1.0), Transform(), Circle(1.0), Transform((1.0, 0.0))) is not None)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba's compiler")
def test_the_first_query_of_a_script_explains_its_delay(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _SCRIPT.format(question="overlap")]
    first, second = (
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True)
        for _ in range(2)
    )
    assert first.stdout == second.stdout == "True\n"
    assert first.stderr.count("\n") == 1 and "being compiled, once" in first.stderr
    assert second.stderr == ""
