"""Places of the worlds of a demo in the picture: an action at a point of it means the same wherever a window has laid them out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from engine.sim.stage import Stage

__all__ = ["laid_out", "offsets_of"]


def offsets_of(stages: Sequence[Stage]) -> tuple[tuple[float, float], ...]:
    """Return where the stages lie in the picture, meters; () if all lie at (0, 0)."""
    offsets = tuple(stage.offset for stage in stages)
    return offsets if any(x or y for x, y in offsets) else ()


@contextlib.contextmanager
def laid_out(stages: Sequence[Stage], offsets: Sequence[tuple[float, float]] | None) -> Iterator[None]:
    """Put the stages for a while where they lay in the picture when something was done at a point of it; None leaves them.

    Stages without an offset lie at (0, 0).
    """
    moved = [(stage, stage.offset) for stage in stages] if offsets is not None else []
    places = (*(offsets or ()), *[(0.0, 0.0)] * len(moved))
    for (stage, _), offset in zip(moved, places, strict=False):
        stage.offset = offset
    try:
        yield
    finally:
        for stage, offset in moved:
            stage.offset = offset
