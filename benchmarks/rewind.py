"""Time going back in heaps of bodies. `benchmarks.history` measures the memory of the history."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.measuring import Record, record
from engine.app.time_series import TimeSeries
from engine.sim.history import History
from engine.sim.registry import find_demo
from engine.sim.state import compress_state, decode_state, encode_state
from engine.world import load_solver

__all__ = ["run"]

_BACK = 600
_TARGETS = 30
_ROUNDS = 7


def run(quick: bool = False) -> list[Record]:
    """Time going back 600 steps at several numbers of bodies, in a history that plots listen to."""
    load_solver().prepare()
    records: list[Record] = []
    for count in (40,) if quick else (200, 500, 1_000):
        records += _going_back(count, 300 if quick else 900, 5 if quick else _TARGETS)
    return records


def _going_back(count: int, steps: int, n_targets: int) -> list[Record]:
    history = History(find_demo("simple_shapes")(1, {"count": count}))
    TimeSeries(history)
    usual: list[float] = []
    keyframed: list[float] = []
    for _ in range(steps):
        started = time.thread_time()
        history.step()
        seconds = time.thread_time() - started
        (keyframed if history.demo.sim.is_keyframe else usual).append(seconds)
    interval = history.last - history.keyframes[-2]  # so many targets beside each other are all there are
    back = min(_BACK, steps - 2 * interval)
    walls: list[float] = []
    processor: list[float] = []
    n_targets = min(n_targets, interval - 1)
    for k in [1, *random.Random(1).sample(range(2, interval), n_targets - 1)]:  # the first is the farthest from its keyframe
        history.seek(history.last)
        started, ran = time.perf_counter(), time.thread_time()
        history.seek(history.last - back - k)
        walls.append(time.perf_counter() - started)
        processor.append(time.thread_time() - ran)
    assert history.divergence is None
    half = len(usual) // 2  # the heap lies by then
    note = f"{count} bodies in a heap, a keyframe every {interval} steps"
    each = f"{note}, {n_targets} targets, processor time"
    return [
        record(f"back {back} steps, {count} bodies", "ms", walls, note=f"{each} {1e3 * statistics.median(processor):.3g} ms"),
        record("  the slowest", "ms", [max(walls)], note=f"{each} {1e3 * max(processor):.3g} ms"),
        record("  a step, with the data kept for it", "ms", usual[half:], note=f"{note}, processor time"),
        record("  a step with a keyframe", "ms", keyframed[-8:], note=f"{note}, processor time"),
        *_states(history, note),
    ]


def _states(history: History[Any], note: str) -> list[Record]:
    """Time how a keyframe is encoded, compressed in the step after, and decoded."""
    demo = history.demo
    history.seek(history.keyframes[-1])
    content = encode_state(demo)
    packed = compress_state(content)
    calls = {
        f"  encoding it, {len(content) / 1e3:.0f} kB": lambda: encode_state(demo),
        f"  compressing it, {len(packed) / 1e3:.0f} kB": lambda: compress_state(content),
        "  decoding it": lambda: decode_state(demo, content),
    }
    return [record(name, "ms", [_seconds(call) for _ in range(_ROUNDS)], note=f"{note}, processor time") for name, call in calls.items()]


def _seconds(call: Callable[[], object]) -> float:
    started = time.thread_time()
    call()
    return time.thread_time() - started
