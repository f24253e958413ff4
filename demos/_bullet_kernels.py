"""The kernels of the time line of `bullet`: distances and depths in bulk, which neither the live check nor a shot asks for.

To compile them takes a quarter of a minute. So where somebody is watching a second process does it, and a thread loads what it made.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.app.warmup import BackgroundLoad

__all__ = ["are_loaded", "load"]

_loaded = False


def are_loaded(in_background: bool) -> bool:
    """Tell whether they are there; begin to load them, in the background or here and now."""
    if not _loaded and in_background:
        return _begun().is_done
    if not _loaded:
        load()
    return _loaded


def load() -> None:
    """Load them, compiling what is not on disk yet."""
    global _loaded
    from engine.experiments.step_curve import MovingShape, step_curve, touches
    from engine.geometry import Circle, Polygon, Sweep, Transform
    from engine.world import FixtureSpec, accept

    still, across = Sweep(Transform(), Transform()), Sweep(Transform((-2.0, 0.1), 0.1), Transform((2.0, 0.1), 0.3))
    shapes: list[Any] = [accept(FixtureSpec(shape)).shape for shape in (Circle(0.1), Polygon.box(0.25, 0.125))]
    for one in shapes:
        for other in shapes:
            bullet, target = MovingShape(one, across), MovingShape(other, still)
            touches(bullet, [target])
            step_curve(bullet, [target])
    _loaded = True


@cache
def _begun() -> BackgroundLoad:
    from engine.app.warmup import BackgroundLoad

    return BackgroundLoad("from demos._bullet_kernels import load; load()", load)
