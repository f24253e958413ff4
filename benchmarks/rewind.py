"""What the past costs: going back in heaps of bodies, and the memory of ten minutes with a hand that pulls."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.measuring import Record, record
from engine.app.chronicle import Chronicle
from engine.app.history import History
from engine.app.registry import find_demo
from engine.box2d import memory

__all__ = ["run"]

_BACK = 600
_INTERVAL = 60
"""Steps between two keyframes: so many targets beside each other are all there are."""
_TARGETS = 30
_TEN_MINUTES = 36_000
_SLOWEST = 1800.0
"""Seconds for ten minutes of a demo, on however busy a machine."""


def run(quick: bool = False) -> list[Record]:
    """Time going back 600 steps at several numbers of bodies, in a history that plots listen to; then weigh ten minutes of two demos."""
    memory.load()
    records: list[Record] = []
    for count in (40,) if quick else (200, 500, 1_000):
        records += _going_back(count, 300 if quick else 900, 5 if quick else _TARGETS)
    steps = 600 if quick else _TEN_MINUTES
    for demo, values in (("simple_shapes", {"count": 40 if quick else 200}), ("ragdoll_pile", {})):
        records += _ten_minutes(demo, steps, values)
    return records


def _going_back(count: int, steps: int, n_targets: int) -> list[Record]:
    history = History(find_demo("simple_shapes")(1, {"count": count}))
    Chronicle(history)
    usual: list[float] = []
    keyframed: list[float] = []
    for _ in range(steps):
        started = time.thread_time()
        history.step()
        taken = time.thread_time() - started
        is_of_keyframe = history.now % _INTERVAL < 2  # packed in the step after it
        (keyframed if is_of_keyframe else usual).append(taken)
    back = min(_BACK, steps - 2 * _INTERVAL)
    walls: list[float] = []
    processor: list[float] = []
    for k in [1, *random.Random(1).sample(range(2, _INTERVAL), n_targets - 1)]:  # the first is the farthest from its keyframe
        history.seek(history.last)
        started, ran = time.perf_counter(), time.thread_time()
        history.seek(history.last - back - k)
        walls.append(time.perf_counter() - started)
        processor.append(time.thread_time() - ran)
    assert history.divergence is None
    half = len(usual) // 2  # the heap lies by then
    note = f"{count} bodies in a heap"
    each = f"{note}, {n_targets} targets, processor time"
    return [
        record(f"back {back} steps, {count} bodies", "ms", walls, note=f"{each} {1e3 * statistics.median(processor):.3g} ms"),
        record("  the slowest of them", "ms", [max(walls)], note=f"{each} {1e3 * max(processor):.3g} ms"),
        record("  a step with what is kept of it", "ms", usual[half:], note=f"{note}, processor time"),
        record("  two steps with a keyframe", "ms", [2.0 * statistics.fmean(keyframed[-8:])], note=f"{note}, processor time"),
    ]


def _ten_minutes(demo: str, steps: int, values: Mapping[str, float]) -> list[Record]:
    """Weigh a history in a process of its own, by what the operating system says of it."""
    given = [f"{name}={value}" for name, value in values.items()]
    command = [sys.executable, "-m", "benchmarks.history_memory", demo, str(steps), *given]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SLOWEST, check=True, cwd=Path(__file__).parents[1])
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    seconds = steps / 60.0
    note = f"{demo}, {seconds:.0f} s, {found['bodies']} bodies, {found['inputs']} inputs"
    rest = found["grown"] - found["chronicle"] - found["measured_keyframes"]
    keyframes = f"{found['keyframes']} of them, {found['own_count'] / 1e6:.3g} MB by the history's own count"

    def megabytes(name: str, n_bytes: float, more: str = note) -> Record:
        return record(name, "MB", [1.0], note=more, amount=n_bytes / 1e6)

    return [
        megabytes(f"memory of the past, {demo}", found["grown"] - found["chronicle"]),
        megabytes("  of it keyframes", found["measured_keyframes"], keyframes),
        megabytes("  of it inputs, hashes, digests", rest, f"{rest / steps:.0f} bytes a step"),
        megabytes("plots and log beside it", found["chronicle"], "the newest steps only, the sums of all"),
        megabytes("a minute in a file", found["file"] / (seconds / 60.0)),
        record(f"anywhere in {seconds:.0f} s, {demo}", "ms", found["seeks"], note=f"{len(found['seeks'])} targets, the clock's time"),
        record("  the slowest of them", "ms", [max(found["seeks"])], note="the clock's time"),
    ]
