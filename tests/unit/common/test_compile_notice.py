"""Somebody who waits for the compiler gets notices on standard error, the first after two seconds; other processes get none."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.common import compile_notice
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def watch(monkeypatch):
    monkeypatch.setattr(compile_notice, "_silent", threading.Event())
    monkeypatch.setattr(compile_notice, "_PATIENCE", 0.02)
    monkeypatch.setattr(compile_notice, "_PERIOD", 0.02)
    watch = compile_notice._Watch()
    monkeypatch.setattr(compile_notice, "_watch", watch)
    yield watch
    compile_notice.wait_in_silence()
    watch._changed.set()


def test_notices_name_the_function_and_count_ever_later(watch, capsys):
    lines = []
    watch.start("sweep")
    watch.start("inner")
    watch.end()

    def printed():
        lines.extend(capsys.readouterr().err.splitlines())
        return len(lines) >= 3

    until(printed)
    assert compile_notice.now().startswith("compiling `sweep`, 1 function so far, ")
    watch.end()
    assert watch.n == 2 and compile_notice.now() == ""
    assert all(line.startswith("engine: compiling `sweep`, 1 function so far, ") for line in lines)
    assert lines[0].endswith("`python -m engine doctor --compile` compiles all in advance.") and "compiled once" in lines[0]
    assert all(line.endswith(" s") for line in lines[1:])


def test_a_library_without_the_commands_is_advised_to_none(watch, capsys, monkeypatch):
    monkeypatch.setattr(compile_notice, "is_installed", lambda module: False)
    watch.start("sweep")
    said = []
    until(lambda: said.extend(capsys.readouterr().err.splitlines()) or said)
    watch.end()
    assert "compiled once" in said[0] and "doctor" not in said[0]


def test_a_notebook_shows_one_bar(watch, monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    display = SimpleNamespace(HTML=str, display=lambda html, display_id: shown.append(html) or handle)
    monkeypatch.setitem(sys.modules, "ipykernel", display)
    monkeypatch.setitem(sys.modules, "IPython", display)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    watch.start("<lambda>")
    until(lambda: len(shown) > 2)
    watch.end()
    until(lambda: shown[-1].startswith("1 functions compiled in "))
    assert shown[0].startswith("<progress></progress> compiling `&lt;lambda&gt;`, 0 functions so far")


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
    assert first.stderr.startswith("engine: compiling `") and "compiled once" in first.stderr
    assert second.stderr == ""
