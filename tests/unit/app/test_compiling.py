"""One other process compiles for the window, in the order in which kernels are needed; no frame compiles any."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.app import compiling
from engine.app.compiling import CHECK, Compiler, is_ready, kernels_of
from engine.common import jit
from engine.sim.registry import find_demo
from tests.waiting import PATIENCE, until

_PARTS = """
import os, sys
from engine.app import compiling
def run_part(name):
    if name == "fails":
        raise ValueError("no compiler here")
    if name == "dies":
        os._exit(1)
    print("running", name, file=sys.stderr)
compiling.run_part = run_part
compiling.serve()
"""
"""Parts that take no time, in the other process."""


@pytest.fixture
def loaded(monkeypatch):
    """Return the list of parts that the window's thread has loaded."""
    names = []
    monkeypatch.setattr(compiling, "_SERVE", _PARTS)
    monkeypatch.setattr(compiling, "run_part", names.append)
    monkeypatch.setattr(compiling, "parts", lambda: (CHECK, "one", "two"))
    monkeypatch.setattr(jit, "is_compiling", lambda: True)
    return names


def test_without_a_window_everything_is_ready():
    assert is_ready(CHECK) and is_ready("solver soft_step")


def test_parts_are_loaded_in_turn_and_one_that_is_asked_for_next(loaded, monkeypatch):
    with Compiler() as compiler:
        assert not compiler.is_ready("three")
        until(lambda: is_ready("three") and is_ready(CHECK))
        assert set(loaded) >= {CHECK, "three"} and compiler.failure("three") == ""
    assert is_ready("four"), "the window is closed"


def test_nothing_more_is_compiled_ahead_if_the_first_part_was_on_disk(loaded):
    with Compiler() as compiler:
        until(lambda: is_ready(CHECK) and not compiler.doing)
        assert loaded == [CHECK]
        until(lambda: is_ready("two"))
        assert loaded == [CHECK, "two"]


@pytest.mark.parametrize(("part", "why"), [("fails", "ValueError: no compiler here"), ("dies", "the process that compiles has ended")])
def test_a_part_that_cannot_be_compiled_is_reported_and_waits_no_longer(part, why, loaded):
    with Compiler() as compiler:
        until(lambda: is_ready(part))
        assert compiler.failure(part) == why and part not in loaded


def test_the_process_ends_with_the_window(loaded):
    with Compiler() as compiler:
        until(lambda: is_ready(CHECK))
        process = compiler._process
    until(lambda: process.poll() is not None)


def test_the_process_ends_with_a_killed_window():
    """Its input ends, whatever it is compiling."""
    busy = "import time; from engine.app import compiling; compiling.run_part = lambda name: time.sleep(1e4); compiling.serve()"
    with subprocess.Popen([sys.executable, "-c", busy], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("one\n")
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def test_a_demo_waits_for_its_own_kernels_and_those_of_its_solver():
    assert kernels_of(find_demo("simple_shapes")()) == ()
    assert kernels_of(find_demo("bullet")(solver="soft_step")) == ("demo bullet", "solver soft_step")


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


_FRAMES = """
import sys
import threading

import pygame
from numba.core.dispatcher import Dispatcher

from engine.sim.registry import find_demo
from engine.app.compiling import CHECK, run_part
from engine.compare.live.referee import live_referee
from engine.app.window import Window


def watched(self, *arguments, load=Dispatcher._compile_for_args, **named):
    if threading.current_thread() is threading.main_thread():
        print(self.py_func.__module__, self.py_func.__name__)
    return load(self, *arguments, **named)


names = sys.argv[1:]
run_part(CHECK)
for name in names:
    if find_demo(name).needs_kernels:
        run_part(f"demo {name}")
Dispatcher._compile_for_args = watched
pygame.display.init()
surface = pygame.display.set_mode((1280, 720))
demos = tuple(map(find_demo, names))
window = Window((1280, 720), demos)
window.use_referee(live_referee)
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
@pytest.mark.parametrize(
    "demos", [("ragdoll_pile",), pytest.param(("workbench", "bridge", "ragdoll", "simple_shapes", "bullet"), marks=pytest.mark.slow)]
)
def test_no_frame_loads_a_kernel_after_its_part(demos, tmp_path):
    """A kernel called with another type, such as a read-only array or an integer in place of a float, would be compiled in a frame."""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, "-c", _FRAMES, *demos]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
