"""Getting the live check ready without stalling the window.

Importing Numba and loading or compiling the kernels takes from half a second to a quarter of a minute, and compiling holds
the interpreter. So a second process compiles into the on-disk cache; when it has ended, a thread loads from there, and only
then are the worlds given their referees.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

from engine import query
from engine.app.stage import Referee, RefereeFactory
from engine.box2d import World

__all__ = ["RefereeWarmup", "referee_factory"]

_ROOT = Path(__file__).resolve().parents[2]
_COMPILE = (
    "import os; getattr(os, 'nice', int)(5); from engine.box2d import memory; memory.load(); from engine import query; query.warm_up()"
)
_LONGEST_COMPILE = 300.0
_SWITCH = 0.0005
"""Seconds a thread may keep the interpreter. Each call into pygame lets go of it, and with Python's 5 ms a frame of fifty
such calls would wait a quarter of a second for the thread that loads."""


def referee_factory() -> RefereeFactory:
    """Load and warm up the referee here and now; return what makes one for a world."""
    from engine.box2d import memory
    from engine.compare.live import LiveReferee

    memory.load()
    query.warm_up()

    def make(world: World) -> Referee:
        return LiveReferee(world)

    return make


class RefereeWarmup:
    """Warms up in the background; `factory` is None until it has ended.

    Attributes
    ----------
    factory : callable or None
    failure : str
        Why there is no check, empty while all is well.
    """

    def __init__(self) -> None:
        self.factory: RefereeFactory | None = None
        self.failure = ""
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
        before = sys.getswitchinterval()
        try:
            if not query.is_warm():
                self._compile_elsewhere()
            sys.setswitchinterval(_SWITCH)
            if not self._closed:
                self.factory = referee_factory()
        except Exception as error:  # whatever it is, the window goes on without the check, and says why
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            sys.setswitchinterval(before)

    def _compile_elsewhere(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
        command = [sys.executable, "-c", _COMPILE]
        quiet = subprocess.DEVNULL
        self._compiler = subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
        try:
            self._compiler.wait(_LONGEST_COMPILE)  # a failure shows when the thread loads the same
        except subprocess.TimeoutExpired:
            self._compiler.kill()
