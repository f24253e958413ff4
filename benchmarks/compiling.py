"""Which functions the compiler spends its time on: ``python -m benchmarks.compiling [PARTS]``.

Each part of ``doctor --compile`` runs in this process, in an empty cache; Numba's events tell when each function begins and ends. The time
of a function is the processor's, without that of the functions that are compiled within it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any

from benchmarks.measuring import Record, record

__all__ = ["run"]

_SHOWN = 40


class _Watch:
    """Seconds and number of compilations by function."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.n: defaultdict[str, int] = defaultdict(int)
        self._open: list[list[float]] = []

    def begin(self) -> None:
        self._open.append([time.process_time(), 0.0])

    def end(self, name: str) -> None:
        began, inner = self._open.pop()
        spent = time.process_time() - began
        if self._open:
            self._open[-1][1] += spent
        self.seconds[name] += spent - inner
        self.n[name] += 1


def _watch() -> _Watch:
    from numba.core import event

    watch = _Watch()

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            watch.begin()

        def on_end(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            watch.end(f"{function.__module__}.{function.__qualname__}")

    event.register("numba:compile", Listener())
    return watch


def _measure(parts: tuple[str, ...]) -> tuple[_Watch, dict[str, tuple[float, int]]]:
    """Run the parts; return the functions, and the seconds and number of functions of each part."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        from engine.app.compiling import everything, run_part
        from engine.common import compile_notice

        compile_notice.wait_in_silence()
        watch, rows = _watch(), {}
        for part in parts or everything():
            seconds, n = sum(watch.seconds.values()), sum(watch.n.values())
            run_part(part)
            rows[part] = sum(watch.seconds.values()) - seconds, sum(watch.n.values()) - n
    return watch, rows


def run(quick: bool = False) -> list[Record]:
    """Measure all parts, or the live check only if `quick`."""
    _, rows = _measure(("the live check",) if quick else ())
    return [record(part, "s", [seconds], note=f"{n} functions") for part, (seconds, n) in rows.items()]


if __name__ == "__main__":
    watched, by_part = _measure(tuple(sys.argv[1:]))
    total = sum(watched.seconds.values())
    print(f"{total:.1f} s, {sum(watched.n.values())} compilations of {len(watched.n)} functions")
    for part, (seconds, n) in by_part.items():
        print(f"{seconds:6.1f} s {seconds / total:5.1%} {n:5} {part}")
    print()
    for name in sorted(watched.seconds, key=watched.seconds.__getitem__, reverse=True)[:_SHOWN]:
        print(f"{watched.seconds[name]:6.2f} s {watched.seconds[name] / total:5.1%} {watched.n[name]:5} {name}")
