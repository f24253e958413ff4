"""The frame of a full window, off-screen: a step with the reading of its contacts, the check, the picture."""

from __future__ import annotations

from benchmarks.measuring import Record, record
from engine.app.headless import time_frames
from engine.app.registry import find_demo
from engine.app.warmup import referee_factory

__all__ = ["run"]


def run(quick: bool = False) -> list[Record]:
    """Time the heap of simple shapes with the live check on, after it has settled; medians over the frames."""
    records = []
    for count, frames, settle in ((200, 30, 30),) if quick else ((1_000, 240, 200),):
        demo = find_demo("simple_shapes")(1, {"count": count}, referee_factory())
        timing = time_frames(demo, frames, settle)
        note = f"{timing.bodies} bodies, {timing.contacts} contacts, medians over {timing.frames} frames of 1280 x 720"
        parts = (
            ("whole", timing.frame),
            ("step", timing.step),
            ("of the step, Box2D with callbacks", timing.box2d),
            ("of the step, reading", timing.reading),
            ("check by our manifolds", timing.check),
            ("draw", timing.draw),
        )
        records += [record(f"frame, {name}", "ms", [cost / 1e3], note=note) for name, cost in parts]
    return records
