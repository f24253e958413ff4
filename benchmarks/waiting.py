"""What a first user waits for, each in an empty cache of kernels: ``python -m benchmarks.waiting [ROWS]``.

Seconds are the clock's; beside them stands the processor time of the process and those that it started, which another program's load
changes little. Without ROWS, all but the tests and the continuous integration are measured.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measuring import Record, record

__all__ = ["ROWS", "run"]

_ROOT = Path(__file__).resolve().parent.parent
_MANIFOLD = """
from engine.query import manifold
from engine.geometry import Polygon, Transform
manifold(Polygon.box(0.5, 0.5), Transform(), Polygon.box(0.5, 0.5), Transform((0.9, 0.1), 0.3))
print("answered", flush=True)
"""
_STEP = """
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, World
world = World(solver="soft_step")
for k in range(3):
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), "dynamic" if k else "static", (0.0, 0.9 * k)))
world.step()
print("stepped", flush=True)
"""
_WINDOW = """
from engine.app.loop import open_window
from engine.sim.registry import find_demo
with open_window(find_demo("simple_shapes")) as loop:
    loop.turn()
    print("drawn", flush=True)
    while not loop.failure and not any(stage.total.compared for stage in loop.window.session.demo.stages):
        loop.turn()
    print("checked", loop.failure, flush=True)
"""
_IMPORT = "import engine.query; print('imported', flush=True)"


def _python(*arguments: str, marks: tuple[str, ...] = (), cache: str | None = None, what: str = "all") -> Iterator[Record]:
    """Yield the time of the first line of output that contains each of `marks`, and the time until the end."""
    with tempfile.TemporaryDirectory() as folder:
        hidden = ("DISPLAY", "WAYLAND_DISPLAY", "NUMBA_DISABLE_JIT")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment |= {"NUMBA_CACHE_DIR": cache or str(Path(folder, "cache")), "PYTHONPATH": str(_ROOT), "PYTHONUNBUFFERED": "1"}
        if "open_window" in arguments[-1]:
            environment["SDL_VIDEODRIVER"] = "dummy"
        began, left = time.perf_counter(), list(marks)
        process = subprocess.Popen(
            [sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert process.stdout is not None
        for line in process.stdout:
            if left and re.search(left[0], line):
                yield record(f"{arguments[0]}: {left.pop(0)}", "s", [time.perf_counter() - began])
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise RuntimeError(f"{what} ended with status {process.returncode}")
        note = f"processor time {used.ru_utime + used.ru_stime:.1f} s"
        yield record(what, "s", [time.perf_counter() - began], note=note)


_MAIN = str(_ROOT / "main.py")
ROWS: dict[str, Callable[[], Iterator[Record]]] = {
    "run": lambda: _python(_MAIN, "run", "simple_shapes", "--headless", "--steps", "60", what="a first checked run without a window"),
    "tour": lambda: _python(_MAIN, marks=(r"\.png",), what="README's first command, all demos"),
    "manifold": lambda: _python("-c", _MANIFOLD, what="import engine.query and a first manifold"),
    "step": lambda: _python("-c", _STEP, what="a first World.step of soft_step"),
    "window": lambda: _python("-c", _WINDOW, marks=("drawn", "checked"), what="a window with its first check"),
    "kernels": lambda: _python(_MAIN, "doctor", "--compile", what="all kernels"),
    "tests": lambda: _python("-m", "pytest", "-q", str(_ROOT / "tests"), "--rootdir", str(_ROOT), what="README's test command"),
    "ci": lambda: _python("-c", f"import subprocess; subprocess.run({str(_ROOT / '.ci' / 'run')!r}, cwd={str(_ROOT)!r})", what=".ci/run"),
}
"""Measurements by name."""


def run(quick: bool = False) -> list[Record]:
    """Measure what a first user waits for; `quick` only the import."""
    if quick:
        return list(_python("-c", _IMPORT, what="import engine.query"))
    return [made for name in ROWS if name not in ("tests", "ci") for made in ROWS[name]()]


if __name__ == "__main__":
    for row in sys.argv[1:] or [name for name in ROWS if name not in ("tests", "ci")]:
        for made in ROWS[row]():
            print(f"{row:9} {made.name:50} {made.ours:7.1f} s  {made.note}", flush=True)
