"""Getting the live check ready without stalling the window.

Importing Numba and loading or compiling the kernels takes from half a second to a minute, and compiling holds the interpreter. So
other processes compile into the on-disk cache, and a thread loads from there what is ready:

1. What the check of discs and polygons needs, at full priority, by as many processes as there are cores. Then worlds are given their
   referees. Until the next parts are there the forms that take many pairs at once are held back, for which the scalar ones answer
   with the same bits, and pairs with edges are not judged.
2. What else the demos ask that cannot do without (the bullets' lanes), by the same processes, at low priority. Then these are given
   their referees.
3. The forms for many pairs at once, and all the rest, in the order of likely use, by one process less: it takes a minute or two.
"""

from __future__ import annotations

import atexit
import subprocess
import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from time import perf_counter

from engine import query
from engine.app import compiling
from engine.app.compiling import ASKED, CHECK, EVERYTHING, LONGEST, RUNNING, Compilers, n_cores
from engine.common import jit
from engine.common.jit import n_in_cache
from engine.common.switch_interval import short_turns
from engine.sim.stage import RefereeFactory
from engine.world import World, WorldSettings

__all__ = ["LOADING", "BackgroundLoad", "RefereeWarmup", "compiling_words", "referee_factory"]

LOADING = "the algorithms, which were compiled before, are being loaded"
_N_COMPILED = 22
"""Functions that the first parts compile into an empty cache. `python main.py bench cold_start` counts them; only roughly told, as
a kernel more or less changes it."""
_LATER = "import os; getattr(os, 'nice', int)(5); from engine.common.jit import compile_in_turn; compile_in_turn()"
"""What a process does first that compiles what a demo asks for: it waits for a process that is compiling the same."""
_LOOK = 0.1
"""Seconds from one look at how far compiling is to the next."""


def referee_factory(names: Sequence[str] = tuple(RUNNING), one_loaded: Callable[[], object] = lambda: None) -> RefereeFactory:
    """Load and warm up the referee and all that a demo can ask, here and now; return what makes a referee for a world.

    What is not on disk yet is compiled first, in as many processes as there are cores.

    Parameters
    ----------
    names : sequence of str
        The parts that are loaded, `RUNNING` among them.
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
    """Return the factory, whose referees have been tried."""
    from engine.compare.live.pairs import LivePairs
    from engine.compare.live.referee import LiveReferee

    _warm_pairs()

    def make(world: World) -> LiveReferee:
        return LiveReferee(world, LivePairs(world))

    return make


def _warm_pairs() -> None:
    """Let the pair check run on a row of discs and one of sensors, long enough for the forms that take many pairs at once."""
    from engine.compare.live.pairs import LivePairs
    from engine.geometry import Circle
    from engine.narrowphase.packing import SIMD_FROM
    from engine.world import BodySpec, FixtureSpec

    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for is_sensor in (False, True):
        for k in range(SIMD_FROM + 2):
            place = (0.5 * k, 4.0 * is_sensor)
            world.create_body(BodySpec((FixtureSpec(Circle(0.3), sensor=is_sensor),), position=place))
    check = LivePairs(world)
    for _ in range(2):
        check.check(world.step())


def compiling_words(n_before: int, n_now: int, seconds: float) -> tuple[str, str]:
    """Return how far compiling is, in a sentence and in a few words.

    How many functions are still to come is known only where none was compiled before: others may have been, of which these need some.

    Examples
    --------
    >>> compiling_words(0, 7, 31.4)[1], compiling_words(70, 80, 31.4)[1]
    ('compiling: 7 of about 22', 'compiling: 31 s')
    """
    n_new = max(n_now - n_before, 0)
    of = f" of about {_N_COMPILED}" if n_before == 0 and n_new < _N_COMPILED else ""
    sentence = f"what the check needs is being compiled, once, for some seconds or more: {n_new} functions{of}, {seconds:.0f} s"
    return sentence, f"compiling: {n_new}{of}" if of else f"compiling: {seconds:.0f} s"


class RefereeWarmup:
    """Warms up in the background.

    Attributes
    ----------
    factory : callable or None
        None until the check of discs and polygons is there.
    is_complete : bool
        Whether all is there that a demo cannot do without; what many pairs are asked with may still be to come.
    failure : str
        Why there is no check, or why the rest is compiled in the frame that asks for it; empty while all is well.
    words, short : str
        What is being done now and how far it is, in a sentence and in a few words.
    """

    def __init__(self) -> None:
        self.factory: RefereeFactory | None = None
        self.is_complete = False
        self.failure = ""
        self.words, self.short = LOADING, "loading algorithms"
        self._compilers: Compilers | None = None
        self._closed = False
        jit.hold_back(jit.MEMORY)  # no world of the window waits for it
        self._thread = threading.Thread(target=self._run, name="referee warm-up", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of everything, at most so long; return whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop the other processes; the window is closing."""
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
                jit.hold_back(jit.LANES, jit.EDGES)
                self._check_first()
        except Exception as error:  # whatever it is, the window goes on without the check, and says why
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            jit.let_go(jit.LANES, jit.EDGES, jit.MEMORY)
            self.is_complete = self.factory is not None

    def _check_first(self) -> None:
        """Compile and load what the check of discs and polygons needs, and then the rest, part by part."""
        began, n_before = perf_counter(), n_in_cache()

        def tell() -> None:
            self.words, self.short = compiling_words(n_before, n_in_cache(), perf_counter() - began)

        loaded: set[str] = set()

        def load(wanted: Collection[str]) -> None:
            for name in compilers.ended:
                if name in wanted and name not in loaded and not self._closed:
                    loaded.add(name)
                    with short_turns():
                        self._load(name)

        def look() -> None:
            if self.factory is None:
                tell()
                load(CHECK)
                if loaded.issuperset(CHECK):
                    self.words, self.short = LOADING, "loading algorithms"
                    with short_turns():
                        self.factory = _checked_factory()
                return
            load(RUNNING)
            self.is_complete = self.is_complete or loaded.issuperset(ASKED)
            if loaded.issuperset(RUNNING) and jit.is_held_back(jit.LANES):
                with short_turns():
                    self._let_many_go()

        with Compilers(tuple(EVERYTHING), n_cores(), n_urgent=len(CHECK), n_by_all=len(ASKED)) as compilers:
            self._compilers = compilers
            n_ended, last = 0, began
            while not (compilers.is_over or self._closed) and perf_counter() - last < LONGEST:
                look()
                if len(compilers.ended) > n_ended:
                    n_ended, last = len(compilers.ended), perf_counter()
                compilers.wait(_LOOK)
            while not (self._closed or (self.is_complete and not jit.is_held_back(jit.LANES))):
                look()

    def _load(self, name: str) -> None:
        compiling.run_part(name)
        if name == compiling.EDGES:
            jit.let_go(jit.EDGES)

    def _let_many_go(self) -> None:
        jit.let_go(jit.LANES)
        _warm_pairs()
        jit.mark_cache_warm()


class BackgroundLoad:
    """Loads a demo's own kernels in the same way: a second process runs a Python statement, which compiles all that is
    needed, then a thread calls `load`.

    Why they are not there is told in `failure`, empty while all is well.
    """

    def __init__(self, statement: str, load: Callable[[], None]) -> None:
        self.failure = ""
        self._statement, self._load = statement, load
        self._compiler: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, name="kernels", daemon=True)
        atexit.register(self.close)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether it has ended, well or not."""
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop the second process."""
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.kill()
            self._compiler.wait()

    def _run(self) -> None:
        try:
            self._compiler = compiling.elsewhere(f"{_LATER}; {self._statement}")
            self._compiler.wait(LONGEST)
            with short_turns():
                self._load()
        except Exception as error:  # whatever it is, the demo goes on without them, and says why
            self.failure = f"{type(error).__name__}: {error}"
