"""Offsets of a demo's worlds in the view, so that an action at a point has the same effect for any window layout."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from engine.sim.stage import Stage

__all__ = ["laid_out", "offsets_of"]


def offsets_of(stages: Sequence[Stage]) -> tuple[tuple[float, float], ...]:
    """Return the offsets of the stages in the view, meters; () if all are (0, 0)."""
    offsets = tuple(stage.offset for stage in stages)
    return offsets if any(x or y for x, y in offsets) else ()


@contextlib.contextmanager
def laid_out(stages: Sequence[Stage], offsets: Sequence[tuple[float, float]] | None) -> Iterator[None]:
    """Set the stages' offsets in the with block, and restore them afterwards; None leaves them unchanged.

    Missing offsets are (0, 0).
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
