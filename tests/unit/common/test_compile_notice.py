"""Somebody who waits for the compiler gets notices on standard error, the first after two seconds; other processes get none."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engine.common import compile_notice
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]


def test_notices_name_the_function_and_count_ever_later(monkeypatch, capsys):
    monkeypatch.setattr(compile_notice, "_silent", threading.Event())
    monkeypatch.setattr(compile_notice, "_PATIENCE", 0.02)
    watch, lines = compile_notice._Watch(), []
    watch.start("sweep")
    watch.start("inner")
    watch.end()

    def printed():
        lines.extend(capsys.readouterr().err.splitlines())
        return len(lines) >= 3

    until(printed)
    watch.end()
    assert watch.n == 2
    assert lines[0].startswith("engine: compiling `sweep`; this happens once") and "doctor --compile" in lines[0]
    assert set(lines[1:]) == {"engine: compiling `sweep`, 1 functions so far"}


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
    assert first.stderr.startswith("engine: compiling `") and "happens once" in first.stderr
    assert second.stderr == ""
