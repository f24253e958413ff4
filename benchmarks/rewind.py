"""What going back in time costs, in heaps of bodies. `benchmarks.history` weighs the past."""

from __future__ import annotations

import random
import statistics
import time
from typing import Any

from benchmarks.measuring import Record, record
from engine.demo.registry import find_demo
from engine.demo.time_series import TimeSeries
from engine.history.capture import capture
from engine.history.compact import compacting
from engine.history.history import History
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
        taken = time.thread_time() - started
        (keyframed if history.demo.sim.is_keyframe else usual).append(taken)
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
        record("  the slowest of them", "ms", [max(walls)], note=f"{each} {1e3 * max(processor):.3g} ms"),
        record("  a step with what is kept of it", "ms", usual[half:], note=f"{note}, processor time"),
        record("  a step with a keyframe", "ms", keyframed[-8:], note=f"{note}, processor time"),
        *_packing(history, note),
    ]


def _packing(history: History[Any], note: str) -> list[Record]:
    """Time the slices in which a keyframe is packed, one in each of the steps after the next one was kept."""
    demo = history.demo
    history.seek(history.keyframes[-2])
    state = capture(demo)
    history.seek(history.keyframes[-1])
    after = capture(demo, state)
    rounds: list[list[float]] = []
    for _ in range(_ROUNDS):
        slices, packing, packed = [], compacting(state, after), None
        while packed is None:
            started = time.thread_time()
            packed = next(packing)
            slices.append(time.thread_time() - started)
        rounds.append(slices)
    each = [statistics.median(taken) for taken in zip(*rounds, strict=True)]
    note = f"{note}, {packed.n_bytes / 1e3:.3g} kB, {len(each)} slices, processor time"
    return [record("  packing it, the largest slice", "ms", [max(each)], note=note), record("  all slices", "ms", [sum(each)], note=note)]
