"""The frame of a full window, off-screen: a step with the reading of its contacts, the check, the picture.

python -m benchmarks.frame [BODIES]
"""

from __future__ import annotations

import sys

from engine.app.headless import FrameTiming, time_frames
from engine.app.registry import find_demo
from engine.app.warmup import referee_factory

__all__ = ["run"]


def run(count: int = 1000, frames: int = 240, settle: int = 200) -> FrameTiming:
    """Time the heap of `count` simple shapes with the live check on, after `settle` steps; medians over `frames`."""
    demo = find_demo("simple_shapes")(1, {"count": count}, referee_factory())
    return time_frames(demo, frames, settle)


if __name__ == "__main__":
    timing = run(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    print(f"{timing.bodies} bodies, {timing.contacts} contacts, medians over {timing.frames} frames of 1280 x 720:")
    rows = (("step", timing.step), ("  of it Box2D with callbacks", timing.box2d), ("  of it reading", timing.reading))
    for name, cost in (*rows, ("check", timing.check), ("draw", timing.draw), ("frame", timing.frame)):
        print(f"  {name:<28} {cost:6.2f} ms")
