"""Where the worlds of a demo lie in the picture: an action at a point of it means the same wherever a window has laid them out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from engine.sim.stage import Stage

__all__ = ["AT_A_POINT", "laid_out", "offsets_of"]

AT_A_POINT = frozenset({"grab", "hold", "drag", "turn", "on_wheel", "drop"})
"""Actions at a point of the picture."""


def offsets_of(stages: Sequence[Stage], action: str) -> tuple[tuple[float, float], ...]:
    """Return where the stages lie in the picture, if an action is at a point of it and any lies elsewhere than at (0, 0)."""
    offsets = tuple(stage.offset for stage in stages) if action in AT_A_POINT else ()
    return offsets if any(x or y for x, y in offsets) else ()


@contextlib.contextmanager
def laid_out(stages: Sequence[Stage], offsets: Sequence[tuple[float, float]]) -> Iterator[None]:
    """Let the stages lie in the picture where they lay when something was done at a point of it; without offsets where they lie.

    Stages of which none is told lie at (0, 0): where a window has laid them out must make no difference.
    """
    moved = [(stage, stage.offset) for stage in stages] if offsets else []
    for (stage, _), offset in zip(moved, (*offsets, *[(0.0, 0.0)] * len(moved)), strict=False):
        stage.offset = offset
    try:
        yield
    finally:
        for stage, offset in moved:
            stage.offset = offset
