"""The frame of a full window, off-screen: a step with the reading of its contacts, the check, the picture; and with every dock open.

python -m benchmarks.frame 36000 500     # so many frames of so many bodies with every dock open: ten minutes at 60 Hz
"""

from __future__ import annotations

import sys

from benchmarks.measuring import Record, record
from engine.app.warmup import referee_factory
from engine.app.window_timing import FRAME_PARTS, time_frames, time_window
from engine.sim.registry import find_demo

__all__ = ["run"]

_WHOLES = ("whole", "whole, 95 %", *FRAME_PARTS[1:], "drawing, 95 %", "processor, worst")
_MINUTE = 3_600
"""Frames of the window with everything open."""


def run(quick: bool = False) -> list[Record]:
    """Time the heap of simple shapes with the live check on, after it has settled; medians over the frames.

    First the demo alone; then half as many bodies in a window that keeps a history and has plots, log, step times, tools, inspector and
    arrows of impulses open. Its docks are drawn in turn, so that theirs are means.
    """
    records = []
    for count, frames, settle in ((200, 30, 30),) if quick else ((1_000, 240, 200),):
        demo = find_demo("simple_shapes")(1, {"count": count}, referee_factory())
        timing = time_frames(demo, frames, settle)
        note = f"{timing.bodies} bodies, {timing.contacts} contacts, medians over {timing.frames} frames of 1280 x 720"
        parts = (
            ("whole, processor", timing.frame),
            ("step", timing.step),
            ("of the step, Box2D with callbacks", timing.box2d),
            ("of the step, reading", timing.reading),
            ("check by our manifolds", timing.check),
            ("draw, processor", timing.draw),
        )
        records += [record(f"frame, {name}", "ms", [cost / 1e3], note=note) for name, cost in parts]
        half = find_demo("simple_shapes")(1, {"count": count // 2}, referee_factory())
        minute = frames if quick else _MINUTE
        costs = time_window(half, minute, settle)
        late = f"{costs.pop('late'):.2g} % of the frames take the processor more than 16.7 ms"
        note = f"{count // 2} bodies, everything open, {minute} frames of 1280 x 720; medians, docks (drawn in turn): means"
        names = sorted(costs, key=lambda name: (name not in _WHOLES, -costs[name]))
        words = {name: name if name in _WHOLES else f"of it {name}" for name in names}
        notes = {"processor, worst": late}
        records += [record(f"window, {words[name]}", "ms", [costs[name] / 1e3], note=notes.get(name, note)) for name in names]
    return records


def _print_long(frames: int, count: int) -> None:
    """Print what so many frames with every dock open take, milliseconds of processor time."""
    demo = find_demo("simple_shapes")(1, {"count": count}, referee_factory())
    costs = time_window(demo, frames, 200)
    print(f"{count} bodies, {frames:,} frames: median {costs['processor']:.2f} ms, worst {costs['processor, worst']:.1f}")
    print(f"above 16.7 ms: {costs['late']:.3g} %")


if __name__ == "__main__":
    _print_long(int(sys.argv[1]), int(sys.argv[2]))
