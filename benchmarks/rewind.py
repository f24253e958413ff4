"""What the past costs: going back in a heap of bodies, and the memory of ten minutes of it."""

from __future__ import annotations

import tempfile
import time
import tracemalloc
from pathlib import Path

from benchmarks.measuring import Record, record
from engine.app.history import History
from engine.app.recordings import Recorder
from engine.app.registry import find_demo
from engine.box2d import memory

__all__ = ["run"]

_BACK = 600
_ROUNDS = 5
_TEN_MINUTES = 36_000
_HAND = 60
"""Steps of every hundred in which a hand pulls."""


def run(quick: bool = False) -> list[Record]:
    """Time going back 600 steps, to between two keyframes, at several numbers of bodies; then measure ten minutes of 200 bodies."""
    memory.load()
    records: list[Record] = []
    for count, steps in ((40, 300),) if quick else ((200, 1_300), (1_000, 1_300)):
        records += _going_back(count, steps)
    return records + _memory(40 if quick else 200, 300 if quick else _TEN_MINUTES)


def _history(count: int) -> History:
    return History(find_demo("simple_shapes")(1, {"count": count}))


def _going_back(count: int, steps: int) -> list[Record]:
    history = _history(count)
    stepping: list[float] = []
    for _ in range(steps):
        started = time.thread_time()
        history.step()
        stepping.append(time.thread_time() - started)
    back, forth = min(_BACK, steps // 2), steps - 13  # into the middle between keyframes
    taken: list[float] = []
    for k in range(_ROUNDS):
        history.seek(history.last)
        started = time.thread_time()
        history.seek(forth - back - 7 * k)
        taken.append(time.thread_time() - started)
    assert history.divergence is None
    n_bodies = sum(len(stage.world.body_ids) for stage in history.demo.stages)
    note = f"{n_bodies} bodies in a heap, {len(history.keyframes)} keyframes"
    return [
        record(f"back {back} steps, {count} bodies", "ms", taken, note=note),
        record(f"a step with what is kept of it, {count} bodies", "ms", sorted(stepping)[len(stepping) // 2 :][:1], note=note),
    ]


def _memory(count: int, steps: int) -> list[Record]:
    """Measure what Python has allocated for a history, all of it, while a hand pulls at bodies; and the file of the same."""
    history = _history(count)
    world = history.demo.stages[0].world
    for _ in range(120):
        history.step()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "heap.rec"
        recorder = Recorder(history, path)
        tracemalloc.start()
        try:
            for step in range(120, steps):
                if step % 100 == 0:
                    history.act("grab", world.state(world.body_ids[-1 - step % count]).position)
                elif step % 100 < _HAND:
                    history.act("drag", (0.05 * (step % 100), 4.0))
                elif step % 100 == _HAND:
                    history.act("release")
                history.step()
                recorder.update()
            allocated = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
        recorder.close()
        size = path.stat().st_size
    seconds = steps / 60
    kept = f"{len(history.keyframes)} keyframes of {history.n_bytes / 1e6:.1f} MB"
    note = f"{seconds:.0f} s of {count} bodies, {sum(map(len, history.inputs))} inputs, {kept}"
    return [
        record("memory of a history", "MB", [1.0], note=note, amount=allocated / 1e6),
        record("recording, a minute", "MB", [1.0], note=f"{count} bodies, {size / 1e6:.1f} MB in all", amount=size / 1e6 / (seconds / 60)),
    ]
