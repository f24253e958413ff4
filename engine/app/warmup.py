"""Getting the live check ready without stalling the window.

Importing Numba and loading or compiling the kernels takes from half a second to a quarter of a minute, and compiling holds
the interpreter. So a second process compiles into the on-disk cache; when it has ended, a thread loads from there, and only
then are the worlds given their referees.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from engine import query
from engine.app.stage import Referee, RefereeFactory
from engine.app.turns import short_turns
from engine.box2d import World, WorldSettings
from engine.common.jit import n_in_cache

__all__ = ["LOADING", "BackgroundLoad", "RefereeWarmup", "compiling_words", "referee_factory"]

_ROOT = Path(__file__).resolve().parents[2]
_COMPILE = "import os; getattr(os, 'nice', int)(5); from engine.app.warmup import referee_factory; referee_factory()"
_LONGEST_COMPILE = 1800.0
"""Seconds: a minute where nothing else runs, ten on a busy machine. To give up sooner would be to compile here, and stall the window."""
LOADING = "the algorithms, which were compiled before, are being loaded"
_N_COMPILED = 210
"""Functions that `referee_factory` compiles into an empty cache. `NUMBA_CACHE_DIR=/tmp/empty python -c "from engine.app.warmup import
referee_factory; referee_factory(); from engine.common.jit import n_in_cache; print(n_in_cache())"` counts them; only roughly told, as
a kernel more or less changes it."""
_LOOK = 1.0
"""Seconds from one look at how far compiling is to the next."""


def referee_factory() -> RefereeFactory:
    """Load and warm up the referee here and now; return what makes one for a world."""
    from engine.box2d import memory
    from engine.compare.live.contacts import LiveReferee
    from engine.compare.live.pairs import LivePairs
    from engine.render.raster import load_raster

    load_raster()
    memory.load()
    query.warm_up()
    _warm_pairs()

    def make(world: World) -> Referee:
        return LiveReferee(world, LivePairs(world))

    return make


def _warm_pairs() -> None:
    """Let the pair check run on a row of discs and one of sensors, long enough for the forms that take many pairs at once."""
    from engine.box2d import BodySpec, FixtureSpec
    from engine.compare.live.pairs import LivePairs
    from engine.geometry import Circle
    from engine.narrowphase.batched import LANES_FROM

    world = World(WorldSettings(gravity=(0.0, 0.0)))
    for is_sensor in (False, True):
        for k in range(LANES_FROM + 2):
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
    >>> compiling_words(0, 60, 31.4)[1], compiling_words(70, 80, 31.4)[1]
    ('compiling: 60 of about 210', 'compiling: 31 s')
    """
    n_new = max(n_now - n_before, 0)
    of = f" of about {_N_COMPILED}" if n_before == 0 and n_new < _N_COMPILED else ""
    sentence = f"our algorithms are being compiled, once, for a minute or more: {n_new} functions{of}, {seconds:.0f} s"
    return sentence, f"compiling: {n_new}{of}" if of else f"compiling: {seconds:.0f} s"


class RefereeWarmup:
    """Warms up in the background; `factory` is None until it has ended.

    Attributes
    ----------
    factory : callable or None
    failure : str
        Why there is no check, empty while all is well.
    words, short : str
        What is being done now and how far it is, in a sentence and in a few words.
    """

    def __init__(self) -> None:
        self.factory: RefereeFactory | None = None
        self.failure = ""
        self.words, self.short = LOADING, "loading algorithms"
        self._compiler: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="referee warm-up", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; return whether it has come."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def close(self) -> None:
        """Stop the second process; the window is closing."""
        self._closed = True
        if self._compiler is not None and self._compiler.poll() is None:
            self._compiler.terminate()

    def _run(self) -> None:
        try:
            if not query.is_warm():
                self._compile_elsewhere()
            self.words, self.short = LOADING, "loading algorithms"
            if not self._closed:
                with short_turns():
                    self.factory = referee_factory()
        except Exception as error:  # whatever it is, the window goes on without the check, and says why
            self.failure = f"{type(error).__name__}: {error}"

    def _compile_elsewhere(self) -> None:
        began, n_before = perf_counter(), n_in_cache()
        self._compiler = _elsewhere(_COMPILE)
        while perf_counter() - began < _LONGEST_COMPILE:
            self.words, self.short = compiling_words(n_before, n_in_cache(), perf_counter() - began)
            try:
                self._compiler.wait(_LOOK)  # a failure shows when the thread loads the same
                return
            except subprocess.TimeoutExpired:
                pass
        self._compiler.kill()


class BackgroundLoad:
    """Loads a demo's own kernels in the same way: a second process compiles them, then a thread calls `load`.

    Parameters
    ----------
    statement : str
        Python for the second process, which compiles all that `load` needs.
    load : callable

    Attributes
    ----------
    failure : str
        Why they are not there, empty while all is well.
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
            self._compiler = _elsewhere(f"import os; getattr(os, 'nice', int)(5); {self._statement}")
            self._compiler.wait(_LONGEST_COMPILE)
            with short_turns():
                self._load()
        except Exception as error:  # whatever it is, the demo goes on without them, and says why
            self.failure = f"{type(error).__name__}: {error}"


def _elsewhere(statement: str) -> subprocess.Popen[bytes]:
    """Let a second Python run a statement, quietly."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
    quiet = subprocess.DEVNULL
    return subprocess.Popen([sys.executable, "-c", statement], env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
