import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.app import warmup
from engine.app.commands import doctor
from engine.app.warmup import RefereeWarmup
from engine.box2d import World
from engine.common import jit
from tests.waiting import PATIENCE, until


def test_it_ends_with_a_factory_and_stalls_nobody_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = tmp_path / "may_end"
    compiling = f"import os, time\nwhile not os.path.exists({str(may_end)!r}): time.sleep(0.01)"
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", compiling)
    monkeypatch.setattr(warmup, "referee_factory", lambda: lambda world: ("referee of", world))
    warming = RefereeWarmup()
    warming.start()
    assert warming.factory is None and not warming.wait(0.0)
    may_end.touch()
    assert warming.wait(PATIENCE)
    world = World()
    assert warming.factory is not None and warming.factory(world) == ("referee of", world)
    assert warming.failure == ""


def test_a_failure_is_said_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "raise SystemExit(1)")
    monkeypatch.setattr(warmup, "referee_factory", fail)
    warming = RefereeWarmup()
    warming.start()
    assert warming.wait(PATIENCE)
    assert warming.factory is None and "no compiler here" in warming.failure


def test_closing_ends_the_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_COMPILE", "import time; time.sleep(1e4)")
    warming = RefereeWarmup()
    warming.start()
    until(lambda: warming._compiler)
    warming.close()
    assert warming.wait(PATIENCE) and warming.factory is None


def test_it_tells_how_far_compiling_is(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter((0, 0, 7, 40))
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup, "_LOOK", 0.05)
    monkeypatch.setattr(warmup, "_COMPILE", "import time; time.sleep(1e4)")
    monkeypatch.setattr(warmup, "n_in_cache", lambda: next(counts, 41))
    warming = RefereeWarmup()
    assert warming.words == warmup.LOADING
    warming.start()
    until(lambda: "41 functions of about" in warming.words)
    assert "being compiled, once" in warming.words and warming.short.startswith("compiling: 41 of about")
    warming.close()
    assert warming.wait(PATIENCE)


def test_how_many_are_to_come_is_told_only_where_it_is_known() -> None:
    assert "12 functions of about" in warmup.compiling_words(0, 12, 3.0)[0]
    assert "12 functions, 3 s" in warmup.compiling_words(80, 92, 3.0)[0]
    assert warmup.compiling_words(0, 9999, 3.0)[1] == "compiling: 3 s"
    assert "0 functions" in warmup.compiling_words(80, 20, 3.0)[0]  # those of an older version were thrown away


def test_compiled_functions_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    assert jit.n_in_cache() == 0
    for name in ("sat-1/__pycache__/a.nbi", "sat-1/__pycache__/a.1.nbc", "sat-1/__pycache__/a.2.nbc", "gjk-1/b.1.nbc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert jit.n_in_cache() == 3


def test_machine_code_that_somebody_removed_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    monkeypatch.setattr(jit, "_writable_root", lambda: tmp_path)
    monkeypatch.setattr(jit, "_warm_stamp", lambda: tmp_path / "warm-1")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    assert jit.lost_code() == 0 and doctor._cache_words().startswith("cold")
    for name in ("sat-1/a.1.nbc", "gjk-1/b.1.nbc"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    jit.mark_cache_warm()
    assert jit.lost_code() == 0 and doctor._cache_words().startswith("warm: what a running world needs is compiled, 2 functions in all")
    (tmp_path / "gjk-1/b.1.nbc").unlink()
    assert jit.lost_code() == 1 and doctor._cache_words().startswith("torn: 1 module of it gone")


def test_closing_before_it_began_is_fine() -> None:
    RefereeWarmup().close()


_FRAMES = """
import threading

import pygame
from numba.core.dispatcher import Dispatcher

from engine.app.registry import find_demo
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
    window.start(at)
    for _ in range(125):  # past the steps after which worlds are built anew
        window.update(1 / 60)
        window.draw(surface)
    window.session.seek(30)
    window.draw(surface)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled without Numba's compiler")
def test_once_it_has_ended_no_frame_loads_a_kernel(tmp_path: Path) -> None:
    """A kernel called with another type, a read-only array or a whole number in place of a fraction, would be compiled in a frame."""
    environment = {**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy", "PYGAME_HIDE_SUPPORT_PROMPT": "1"}
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[3])
    command = [sys.executable, "-c", _FRAMES]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == ""
