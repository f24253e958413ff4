import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import ClassVar

import pytest

from engine.app import compiling, warmup
from engine.app.compiling import ASKED, CHECK, EDGES, EVERYTHING, IMPACTS, RUNNING, Compilers, n_cores
from engine.app.warmup import RefereeWarmup
from engine.cli import doctor
from engine.common import jit
from tests.waiting import PATIENCE, until


class Stage:
    """Replaces the compiling processes: parts end when a test says so."""

    made: ClassVar = []

    def __init__(self, names, n_processes):
        self.names, self.n_processes = tuple(names), n_processes
        self.ended = ()
        self.is_over = self.is_closed = False
        Stage.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def wait(self, seconds):
        time.sleep(0.001)

    def close(self):
        self.is_over = self.is_closed = True

    def finish(self, *names):
        self.ended += names
        self.is_over = set(self.ended) >= set(self.names)


@pytest.fixture
def stages(monkeypatch):
    """The stages of a warm-up in an empty cache, in which parts take no time to load."""
    monkeypatch.setattr(Stage, "made", [])
    monkeypatch.setattr(warmup, "Compilers", Stage)
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup.jit, "is_compiling", lambda: True)
    monkeypatch.setattr(warmup.jit, "mark_cache_warm", lambda: None)
    monkeypatch.setattr(warmup.compiling, "run_part", lambda name: None)
    monkeypatch.setattr(warmup, "_warm_pairs", lambda: None)
    yield Stage.made
    jit.let_go(jit.EDGES)


def test_the_check_of_discs_and_polygons_comes_first(stages, monkeypatch):
    marked = []
    monkeypatch.setattr(warmup.jit, "mark_cache_warm", lambda: marked.append(True))
    monkeypatch.setattr(warmup.query, "is_warm", lambda: bool(marked))
    warming = RefereeWarmup()
    warming.start()
    stage = until(lambda: stages and stages[0])
    names = stage.names
    assert names == tuple(EVERYTHING) and stage.n_processes == n_cores()
    assert names[: 1 + len(CHECK)] == (IMPACTS, *CHECK) and names[: len(ASKED)] == tuple(ASKED)
    stage.finish(*list(CHECK)[1:], EDGES)
    assert warming.factory is None and not warming.wait(0.01)
    stage.finish(*list(CHECK)[:1])
    assert until(lambda: warming.factory) is not None
    until(lambda: not jit.is_held_back(jit.EDGES))
    assert not warming.is_complete
    stage.finish(*(name for name in ASKED if name not in (*CHECK, EDGES)))
    until(lambda: warming.is_complete)
    stage.finish(*(name for name in RUNNING if name not in ASKED))
    until(lambda: marked)
    assert not warming.wait(0.0)  # and goes on with the rest
    stage.finish(*(name for name in EVERYTHING if name not in RUNNING))
    assert warming.wait(PATIENCE) and warming.failure == "" and len(stages) == 1


def test_a_failure_is_reported_not_raised(stages, monkeypatch):
    def fail(name):
        raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.compiling, "run_part", fail)
    warming = RefereeWarmup()
    warming.start()
    until(lambda: stages and stages[0]).finish(*CHECK)
    assert warming.wait(PATIENCE)
    assert warming.factory is None and "no compiler here" in warming.failure and not warming.is_complete


def test_a_later_failure_does_not_block_the_check(stages, monkeypatch):
    def fail(name):
        if name == EDGES:
            raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.compiling, "run_part", fail)
    warming = RefereeWarmup()
    warming.start()
    until(lambda: stages and stages[0]).finish(*CHECK, EDGES)
    assert warming.wait(PATIENCE)
    assert warming.factory is not None and warming.is_complete and "no compiler here" in warming.failure
    assert not jit.is_held_back(jit.EDGES)


def test_closing_ends_the_other_processes(stages):
    warming = RefereeWarmup()
    warming.start()
    first = until(lambda: stages and stages[0])
    warming.close()
    assert warming.wait(PATIENCE) and warming.factory is None and first.is_closed and len(stages) == 1


def test_the_panel_says_that_checking_starts_soon(stages):
    warming = RefereeWarmup()
    assert warming.words == warmup.LOADING
    warming.start()
    until(lambda: "checking starts in a few seconds" in warming.words)
    assert warming.short == "compiling: 0 of 6"
    warming.close()
    assert warming.wait(PATIENCE)


_PARTS = """
import os
from engine.app import compiling
def run_part(name):
    if name == "fails":
        raise ValueError(name)
    if name == "dies":
        os._exit(1)
compiling.run_part = run_part
pass"""
"""Parts that take no time."""


def test_processes_divide_the_parts_and_report_progress(monkeypatch):
    monkeypatch.setattr(compiling, "_COMPILE", f"{_PARTS}; {compiling._COMPILE}")
    with Compilers(("one", "two", "three"), 2) as compilers:
        assert sorted(compilers.each_ended()) == ["one", "three", "two"]
        assert compilers.is_over and compilers.done == compilers.ended == ("one", "two", "three")


def test_a_failed_part_does_not_stop_the_others(monkeypatch):
    monkeypatch.setattr(compiling, "_COMPILE", f"{_PARTS}; {compiling._COMPILE}")
    with Compilers(("fails", "dies", "one", "never begun"), 2) as compilers:
        compilers.wait(PATIENCE)
        assert set(compilers.ended) == {"fails", "dies", "one", "never begun"}
        assert compilers.done == ("one",)


def test_all_but_the_first_two_parts_are_compiled_at_low_priority(monkeypatch, capfd):
    done = []
    monkeypatch.setattr(compiling.os, "nice", done.append, raising=False)
    monkeypatch.setattr(compiling.compile_notice, "wait_in_silence", lambda: None)
    monkeypatch.setattr(compiling, "run_part", done.append)
    compiling.compile_parts(["one", "two", "three"])
    assert done == ["one", "two", 5, "three"] and capfd.readouterr().out.splitlines() == ["done one", "done two", "done three"]


def test_an_early_exit_ends_the_processes(monkeypatch):
    monkeypatch.setattr(compiling, "_COMPILE", "import time; time.sleep(1e4)")
    with Compilers(("one", "two"), 2) as compilers:
        assert not compilers.is_over and compilers.done == ()
    assert compilers.is_over and compilers.done == ()


def test_compiled_functions_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    assert jit.n_in_cache() == 0
    for name in ("sat-1/__pycache__/a.nbi", "sat-1/__pycache__/a.1.nbc", "sat-1/__pycache__/a.2.nbc", "gjk-1/b.1.nbc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert jit.n_in_cache() == 3


def test_a_directory_removed_by_another_process_does_not_stop_the_count(tmp_path, monkeypatch):
    outdated, kept = tmp_path / "gjk-1", tmp_path / "sat-1"
    for directory in (outdated, kept):
        directory.mkdir()
        (directory / "a.1.nbc").touch()
    look = os.scandir

    def look_too_late(path):
        if path == str(outdated) or path == outdated:
            shutil.rmtree(outdated, ignore_errors=True)
        return look(path)

    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    monkeypatch.setattr(os, "scandir", look_too_late)
    assert jit.n_in_cache() == 1
    assert not outdated.exists()


def test_removed_machine_code_is_detected(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    monkeypatch.setattr(jit, "_writable_root", lambda: tmp_path)
    monkeypatch.setattr(jit, "_warm_stamp", lambda: tmp_path / "warm-1")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert jit.lost_code() == 0 and doctor._cache_words().startswith("cold")
    for name in ("sat-1/a.1.nbc", "gjk-1/b.1.nbc"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    jit.mark_cache_warm()
    assert jit.lost_code() == 0 and doctor._cache_words().startswith("warm: 2 functions compiled")
    (tmp_path / "gjk-1/b.1.nbc").unlink()
    assert jit.lost_code() == 1 and doctor._cache_words().startswith("incomplete: 1 module missing")


def test_closing_before_the_start_is_allowed():
    RefereeWarmup().close()


_FRAMES = """
import threading

import pygame
from numba.core.dispatcher import Dispatcher

from engine.sim.registry import find_demo
from engine.app.warmup import referee_factory
from engine.app.window import Window


def watched(self, *arguments, load=Dispatcher._compile_for_args, **named):
    if threading.current_thread() is threading.main_thread():
        print(self.py_func.__module__, self.py_func.__name__, arguments)
    return load(self, *arguments, **named)


factory = referee_factory()
Dispatcher._compile_for_args = watched
pygame.display.init()
surface = pygame.display.set_mode((1280, 720))
demos = tuple(find_demo(name) for name in ("workbench", "bridge", "ragdoll", "simple_shapes", "bullet"))
window = Window((1280, 720), demos)
window.use_referee(factory)
for at in range(len(demos)):
    window.navigator.start(at)
    for frame in range(70):  # past the steps after which worlds are built anew
        window.update(1 / 60)
        if frame % 7 == 0:
            window.show(surface)
    window.session.timeline.seek(30)
    window.show(surface)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba's compiler")
def test_no_frame_loads_a_kernel_after_warm_up(tmp_path):
    """A kernel called with another type, such as a read-only array or an integer in place of a float, would be compiled in a frame."""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, "-c", _FRAMES]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
