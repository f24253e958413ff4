"""``python -m benchmarks.history_memory DEMO STEPS [NAME=VALUE ...]`` prints the memory of a history as JSON.

It runs in its own process because freed memory is seldom returned to the system. The resident set is read when the demo has
run for a while, and again at the end; then the parts are freed one by one, and it is read after each.
"""

from __future__ import annotations

import ctypes
import gc
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from engine.app.time_series import TimeSeries
from engine.sim.actions import Drag, Grab, Release
from engine.sim.history import History
from engine.sim.registry import find_demo
from engine.sim.replaying import record
from engine.world import load_solver

__all__ = ["resident_bytes"]

_BEFORE = 300
_HAND, _EVERY = 60, 100
"""Steps of every hundred in which a hand pulls."""
_SEEKS = 40


def resident_bytes() -> int:
    """Return the process's resident memory in bytes after collecting garbage and trimming the heap; 0 on systems other than Linux."""
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main(demo: str, steps: int, values: dict[str, float]) -> dict[str, Any]:
    """Run a demo while the pointer drags bodies, and measure the memory of its history."""
    load_solver().prepare()
    history = History(find_demo(demo)(1, values))
    for _ in range(_BEFORE):
        history.step()
    history.seek(_BEFORE // 2)  # so that all code has run once
    history.seek(_BEFORE)
    before = resident_bytes()
    chronicle = TimeSeries(history)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.rec"
        recorder = record(history, path)
        for step in range(_BEFORE, steps):
            pull(history, step)
            history.step()
            recorder.update()
        n_bodies = sum(len(stage.world.body_ids) for stage in history.demo.stages)
        after = resident_bytes()
        recorder.close()
        file_bytes = path.stat().st_size
    del recorder
    measured: dict[str, Any] = {"bodies": n_bodies, "steps": steps, "inputs": sum(map(len, history.inputs)), "file": file_bytes}
    measured |= {"keyframes": len(history.keyframes), "own_count": history.n_bytes, "seeks": seeks(history)}
    measured["grown"] = after - before
    history.watchers.clear()
    left = resident_bytes()
    del chronicle
    left, measured["chronicle"] = weighed(left)
    history._keyframes.cut(0)
    left, measured["measured_keyframes"] = weighed(left)
    assert history.divergence is None
    return measured


def weighed(before: int) -> tuple[int, int]:
    """Return what is in memory now, and how much less that is."""
    now = resident_bytes()
    return now, before - now


def pull(history: History, step: int) -> None:
    """Grip a body every hundred steps, pull it up and to the right for sixty, and let go."""
    world = history.demo.stages[0].world
    if step % _EVERY == 0:
        bodies = world.body_ids
        history.act(Grab(world.state(bodies[-1 - step // _EVERY % len(bodies)]).position))
    elif step % _EVERY < _HAND:
        history.act(Drag((0.05 * (step % _EVERY), 4.0)))
    elif step % _EVERY == _HAND:
        history.act(Release())


def seeks(history: History) -> list[float]:
    """Return the seconds that it takes to go to steps anywhere in the past, from anywhere."""
    chance, seconds = random.Random(1), []
    for _ in range(_SEEKS):
        step = chance.randint(0, history.last)
        started = time.perf_counter()
        history.seek(step)
        seconds.append(time.perf_counter() - started)
    return seconds


if __name__ == "__main__":
    changes = dict(word.split("=") for word in sys.argv[3:])
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), {name: float(value) for name, value in changes.items()})))
