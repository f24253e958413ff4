import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import pytest

from engine.app import compiling, warmup
from engine.app.compiling import ASKED, CHECK, EDGES, EVERYTHING, RUNNING, Compilers, n_cores
from engine.app.warmup import RefereeWarmup
from engine.cli import doctor
from engine.common import jit
from tests.waiting import PATIENCE, until


class Stage:
    """Stands in for the processes that compile: parts are done when a test says so."""

    made: ClassVar[list["Stage"]] = []

    def __init__(self, names: Sequence[str], n_processes: int, is_urgent: bool = True) -> None:
        self.names, self.n_processes, self.is_urgent = tuple(names), n_processes, is_urgent
        self.done: tuple[str, ...] = ()
        self.is_over = self.is_closed = False
        Stage.made.append(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self, seconds: float) -> None:
        time.sleep(0.001)

    def close(self) -> None:
        self.is_over = self.is_closed = True

    def finish(self, *names: str) -> None:
        self.done += names or self.names
        self.is_over = set(self.done) >= set(self.names)


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Stage]]:
    """The stages of a warm-up in an empty cache, in which parts take no time to load."""
    monkeypatch.setattr(Stage, "made", [])
    monkeypatch.setattr(warmup, "Compilers", Stage)
    monkeypatch.setattr(warmup.query, "is_warm", lambda: False)
    monkeypatch.setattr(warmup.jit, "is_compiling", lambda: True)
    monkeypatch.setattr(warmup.jit, "mark_cache_warm", lambda: None)
    monkeypatch.setattr(warmup.compiling, "run_part", lambda name: None)
    monkeypatch.setattr(warmup, "_warm_pairs", lambda: None)
    yield Stage.made
    jit.let_go(jit.LANES, jit.EDGES)


def test_the_check_of_discs_and_polygons_comes_first(stages: list[Stage]) -> None:
    warming = RefereeWarmup()
    warming.start()
    first = until(lambda: stages and stages[0])
    assert first.names == tuple(CHECK) and first.is_urgent and first.n_processes == 2
    assert warming.factory is None and not warming.wait(0.0)
    first.finish()
    assert until(lambda: warming.factory) is not None
    second = until(lambda: stages[1:] and stages[1])
    assert second.names == tuple(name for name in ASKED if name not in CHECK) and not second.is_urgent
    assert second.n_processes == n_cores()
    assert not warming.is_complete and jit.is_held_back(jit.LANES) and jit.is_held_back(jit.EDGES)
    second.finish(EDGES)
    until(lambda: not jit.is_held_back(jit.EDGES))
    assert jit.is_held_back(jit.LANES) and not jit.has_wide_registers() and not warming.is_complete
    second.finish()
    until(lambda: warming.is_complete)
    third = until(lambda: stages[2:] and stages[2])
    assert third.names == tuple(name for name in EVERYTHING if name not in ASKED) and not third.is_urgent
    assert third.n_processes == max(n_cores() - 1, 1)
    assert jit.is_held_back(jit.LANES)  # no lane of a bullet waits for what is asked of many pairs
    third.finish(*(name for name in RUNNING if name not in ASKED))
    until(lambda: not jit.is_held_back(jit.LANES))
    assert not warming.wait(0.0)  # and goes on with the rest
    third.finish()
    assert warming.wait(PATIENCE) and warming.failure == ""


def test_a_failure_is_said_not_raised(stages: list[Stage], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.compiling, "run_part", fail)
    warming = RefereeWarmup()
    warming.start()
    until(lambda: stages and stages[0]).finish()
    assert warming.wait(PATIENCE)
    assert warming.factory is None and "no compiler here" in warming.failure and not warming.is_complete


def test_what_fails_later_leaves_the_check_and_holds_nothing_back(stages: list[Stage], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        if name == EDGES:
            raise ImportError("no compiler here")

    monkeypatch.setattr(warmup.compiling, "run_part", fail)
    warming = RefereeWarmup()
    warming.start()
    until(lambda: stages and stages[0]).finish()
    until(lambda: stages[1:] and stages[1]).finish(EDGES)
    assert warming.wait(PATIENCE)
    assert warming.factory is not None and warming.is_complete and "no compiler here" in warming.failure
    assert not jit.is_held_back(jit.LANES) and not jit.is_held_back(jit.EDGES)


def test_closing_ends_the_other_processes(stages: list[Stage]) -> None:
    warming = RefereeWarmup()
    warming.start()
    first = until(lambda: stages and stages[0])
    warming.close()
    assert warming.wait(PATIENCE) and warming.factory is None and first.is_closed and len(stages) == 1


def test_it_tells_how_far_compiling_is(stages: list[Stage], monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter((0, 0, 7, 10))
    monkeypatch.setattr(warmup, "n_in_cache", lambda: next(counts, 11))
    warming = RefereeWarmup()
    assert warming.words == warmup.LOADING
    warming.start()
    until(lambda: "11 functions of about" in warming.words)
    assert "being compiled, once" in warming.words and warming.short.startswith("compiling: 11 of about")
    warming.close()
    assert warming.wait(PATIENCE)


def test_processes_share_the_parts_and_say_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is done once, whoever does it, and the first ones first."""
    program = (
        "import sys, pathlib; from engine.app import compiling; "
        "compiling.run_part = lambda name: open(sys.argv[1] + '/' + name, 'a').write('x'); compiling.share(sys.argv[1], 0, sys.argv[3:])"
    )
    monkeypatch.setattr(compiling, "_SHARE", program)
    with Compilers(("one", "two", "three"), 2) as compilers:
        folder = Path(compilers._folder.name)
        until(lambda: compilers.is_over)
        assert compilers.done == ("one", "two", "three") and compilers.begun == ()
        assert [(folder / name).read_text() for name in compilers.names] == ["x", "x", "x"]
    assert not folder.exists()


def test_ending_before_it_is_over_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_SHARE", "import time; time.sleep(1e4)")
    with Compilers(("one", "two"), 2) as compilers:
        assert not compilers.is_over and compilers.done == ()
    assert compilers.is_over


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


def test_a_directory_that_another_process_removes_ends_no_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outdated, kept = tmp_path / "gjk-1", tmp_path / "sat-1"
    for directory in (outdated, kept):
        directory.mkdir()
        (directory / "a.1.nbc").touch()
    look = os.scandir

    def look_too_late(path: str | Path) -> Iterator[os.DirEntry[str]]:
        if path == str(outdated) or path == outdated:
            shutil.rmtree(outdated, ignore_errors=True)
        return look(path)

    monkeypatch.setattr(jit, "_root", lambda: tmp_path)
    monkeypatch.setattr(os, "scandir", look_too_late)
    assert jit.n_in_cache() == 1
    assert not outdated.exists()


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

from engine.demo.registry import find_demo
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
    for _ in range(125):  # past the steps after which worlds are built anew
        window.update(1 / 60)
        window.show(surface)
    window.session.timeline.seek(30)
    window.show(surface)
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
