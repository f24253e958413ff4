"""Prepares the live check without stalling the window.

Importing Numba and loading or compiling the kernels takes from half a second to a minute, and compiling blocks the interpreter. So other
processes compile into the on-disk cache, at low priority after their first two parts, and a thread loads the finished parts:

1. Distances, which the bullets' lanes of Box2D need, and the check of discs and polygons. Then worlds receive their referees.
   Until the next parts are loaded, pairs with edges are not checked.
2. Everything else that demos require (the bullets' lanes). Then the lanes receive their referees.
3. Everything else, in the order of likely use, which takes some minutes.
"""

from __future__ import annotations

import atexit
import subprocess
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from functools import cache
from time import perf_counter

from engine import query
from engine.app import compiling
from engine.app.compiling import ASKED, CHECK, EVERYTHING, IMPACTS, LONGEST, RUNNING, Compilers, n_cores
from engine.common import jit
from engine.common.switch_interval import short_turns
from engine.sim.background import in_background
from engine.sim.stage import RefereeFactory
from engine.world import World, WorldSettings

__all__ = ["LOADING", "RefereeWarmup", "is_loaded", "loading", "referee_factory"]

LOADING = "loading the compiled algorithms"
_COMPILING = "checking starts in a few seconds, once its algorithms are compiled (first time only)"
_LOOK = 0.1
"""Polling interval for finished parts, seconds."""


def referee_factory(names: Sequence[str] = tuple(RUNNING), one_loaded: Callable[[], object] = lambda: None) -> RefereeFactory:
    """Load the referee and everything that a demo can use, blocking; return the factory of referees.

    Kernels that are not on disk are compiled first, in as many processes as there are cores.

    Parameters
    ----------
    names : sequence of str
        The parts to load, including `RUNNING`.
    one_loaded : callable
        Called after each.
    """
    is_cold = not query.is_warm() and jit.is_compiling() and jit.can_keep()
    with Compilers(names, n_cores()) if is_cold else nullcontext() as compilers:
        for name in names if compilers is None else compilers.each_ended():
            compiling.run_part(name)
            one_loaded()
    jit.mark_cache_warm()
    return _checked_factory()


def _checked_factory() -> RefereeFactory:
    """Return the factory, after its referees have been tried."""
    from engine.compare.live.pairs import LivePairs
    from engine.compare.live.referee import LiveReferee

    _warm_pairs()

    def make(world: World) -> LiveReferee:
        return LiveReferee(world, LivePairs(world))

    return make


def _warm_pairs() -> None:
    """Run the pair check on a row of discs and one of sensors."""
    from engine.compare.live.pairs import LivePairs
    from engine.geometry import Circle
    from engine.world import BodySpec, FixtureSpec

    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for is_sensor in (False, True):
        for k in range(3):
            place = (0.5 * k, 4.0 * is_sensor)
            world.create_body(BodySpec((FixtureSpec(Circle(0.3), sensor=is_sensor),), position=place))
    check = LivePairs(world)
    for _ in range(2):
        check.check(world.step())


class RefereeWarmup:
    """Prepares the live check in the background.

    Attributes
    ----------
    factory : callable or None
        None until the check of discs and polygons is ready.
    is_complete : bool
        True if everything that a demo cannot run without is ready.
    failure : str
        The reason why there is no check, or why the rest is compiled in the frame that needs it; empty without a failure.
    words, short : str
        The present stage, in a sentence and in a few words.
    """

    def __init__(self) -> None:
        self.factory: RefereeFactory | None = None
        self.is_complete = False
        self.failure = ""
        self.words, self.short = LOADING, "loading algorithms"
        self._compilers: Compilers | None = None
        self._closed = False
        jit.hold_back(jit.MEMORY)  # worlds in the window do not need the memory reader
        self._thread = threading.Thread(target=self._run, name="referee warm-up", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait until everything is ready, or until a timeout; return True if it is ready."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop the other processes when the window closes."""
        self._closed = True
        jit.let_go(jit.MEMORY)
        if self._compilers is not None:
            self._compilers.close()

    def _run(self) -> None:
        try:
            if query.is_warm() or not jit.is_compiling():
                with short_turns():
                    self.factory = referee_factory()
            else:
                jit.hold_back(jit.EDGES)
                self._check_first()
        except Exception as error:  # the window continues without the check, and shows why
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            jit.let_go(jit.EDGES, jit.MEMORY)
            self.is_complete = self.factory is not None

    def _check_first(self) -> None:
        """Compile and load what the check of discs and polygons needs, then the rest, part by part."""
        self.words = _COMPILING
        loaded: set[str] = set()

        def load(parts: Collection[str]) -> None:
            for name in compilers.ended:
                if name in parts and name not in loaded and not self._closed:
                    loaded.add(name)
                    with short_turns():
                        self._load(name)

        def look() -> None:
            if self.factory is None:
                load({IMPACTS, *CHECK})
                if loaded.issuperset(CHECK):
                    self.words = LOADING
                    with short_turns():
                        self.factory = _checked_factory()
                return
            load(RUNNING)
            self.is_complete = self.is_complete or loaded.issuperset(ASKED)
            if loaded.issuperset(RUNNING) and not query.is_warm():
                jit.mark_cache_warm()

        with Compilers(tuple(EVERYTHING), n_cores()) as compilers:
            self._compilers = compilers
            n_ended, last = 0, perf_counter()
            while not (compilers.is_over or self._closed) and perf_counter() - last < LONGEST:
                look()
                self.short = f"compiling: {len(loaded)} of {len(ASKED)}"
                if len(compilers.ended) > n_ended:
                    n_ended, last = len(compilers.ended), perf_counter()
                compilers.wait(_LOOK)
            while not (self._closed or loaded.issuperset(RUNNING)):
                look()

    def _load(self, name: str) -> None:
        compiling.run_part(name)
        if name == compiling.EDGES:
            jit.let_go(jit.EDGES)


class BackgroundLoad:
    """Loads a part in the same way: a second process compiles it, then a thread loads it. `loading` starts it."""

    def __init__(self, part: str) -> None:
        self._part, self._began = part, perf_counter()
        self._compiler: subprocess.Popen[str] | None = None
        self._work = in_background(self._load, "kernels")
        atexit.register(self.close)

    @property
    def is_done(self) -> bool:
        """True if loading has ended, successfully or not."""
        return self._work.done()

    @property
    def failure(self) -> str:
        """Why the part could not be loaded; empty without a failure."""
        error = self._work.exception() if self._work.done() else None
        return "" if error is None else f"{type(error).__name__}: {error}"

    @property
    def seconds(self) -> float:
        """Seconds since loading began."""
        return perf_counter() - self._began

    def close(self) -> None:
        """Stop the second process."""
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.kill()
            self._compiler.wait()

    def _load(self) -> None:
        self._compiler = compiling.elsewhere("import sys; from engine.app.compiling import run_part; run_part(sys.argv[1])", self._part)
        self._compiler.wait(LONGEST)
        compiling.run_part(self._part)
        compiling.note_duration(self.seconds)


@cache
def loading(part: str) -> BackgroundLoad:
    """Start loading a part of `compiling.EVERYTHING` in the background, once per process, and return the load."""
    return BackgroundLoad(part)


def is_loaded(part: str, in_background: bool) -> bool:
    """Return True if a part is loaded; otherwise load it, in the background or blocking."""
    if part not in compiling.loaded and not in_background:
        compiling.run_part(part)
    return part in compiling.loaded or loading(part).is_done
