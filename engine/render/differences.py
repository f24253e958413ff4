"""Draws the referee's differences: a ring at each, Box2D's normal and ours, and the reason and size as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts.agreement import REASONS, Difference
from engine.contracts.contact import StepContacts
from engine.contracts.pair_keys import pair_key, pair_keys
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color

__all__ = ["PlacedDifferences", "draw_differences", "length_words", "placed", "reason_color"]

_SAME_DIRECTION = 0.9998
"""Cosine of about one degree: arrows closer than that would hide each other."""
_MAX_ARROWS = 40
_MAX_LABELS = 8


@dataclass(frozen=True, slots=True)
class PlacedDifferences:
    """Differences and their positions on the bodies as drawn, float64 (k, 2), in the world frame."""

    differences: tuple[Difference, ...]
    positions: FloatArray

    def __len__(self) -> int:
        return len(self.differences)


def placed(differences: Sequence[Difference], contacts: StepContacts) -> PlacedDifferences:
    """Place each difference at its pair's first contact point, or at its own position if the pair has none."""
    own = _pairs(difference.position for difference in differences)
    if not differences or len(contacts) == 0:
        return PlacedDifferences(tuple(differences), own)
    keys = pair_keys(np.column_stack((contacts.fixture_a, contacts.fixture_b)))  # ascending, like the rows
    touching = np.array([pair_key(difference.fixture_a, difference.fixture_b) for difference in differences], dtype=np.int64)
    rows = np.minimum(np.searchsorted(keys, touching), len(keys) - 1)
    is_known = keys[rows] == touching
    return PlacedDifferences(tuple(differences), np.where(is_known[:, None], contacts.position[rows, 0], own))


def _pairs(vectors: Iterable[tuple[float, float] | None]) -> FloatArray:
    """Return vectors as float64 (n, 2), zero for None."""
    return np.array([vector or (0.0, 0.0) for vector in vectors], dtype=np.float64).reshape(-1, 2)


def draw_differences(canvas: Canvas, shown: PlacedDifferences, has_labels: bool) -> None:
    """Draw each difference at its place: Box2D's normal in the reason's color, and ours in green if it differs.

    Each has a ring, and the largest have arrows; with `has_labels`, the very largest have the reason and size as text if there is room.
    """
    if not len(shown):
        return
    differences = shown.differences
    is_unexplained = np.array([difference.reason == "unexplained" for difference in differences], dtype=np.bool_)
    canvas.points(shown.positions[~is_unexplained], palette.EXPLAINED, 7.0, ring=True)
    canvas.points(shown.positions[is_unexplained], palette.UNEXPLAINED, 7.0, ring=True)
    sizes = np.array([difference.size for difference in differences], dtype=np.float64)
    ranked = np.lexsort((-sizes, ~is_unexplained))[:_MAX_ARROWS]  # stable, like the sort by weight
    largest = [differences[k] for k in ranked.tolist()]
    at, box2d = shown.positions[ranked], _pairs(difference.box2d_normal for difference in largest)
    ours = _pairs(difference.ours_normal for difference in largest)
    for color, is_of_kind in ((palette.EXPLAINED, ~is_unexplained[ranked]), (palette.UNEXPLAINED, is_unexplained[ranked])):
        canvas.arrows(at[is_of_kind], box2d[is_of_kind], 30.0, color, 2.0)
    is_other = (ours * box2d).sum(axis=1) < _SAME_DIRECTION
    is_other &= ours.any(axis=1)
    canvas.arrows(at[is_other], ours[is_other], 20.0, palette.AGREE, 2.0)
    if not has_labels:
        return
    named = ranked[:_MAX_LABELS]
    pixels = canvas.camera.to_screen_array(shown.positions[named])
    canvas.keep_clear(pixels, 16.0)
    for k, (x, y) in zip(named.tolist(), pixels.tolist(), strict=True):
        reason = differences[k].reason
        words = f"{REASONS[reason].name}  {length_words(differences[k].size)}"
        canvas.label_last((x, y), words, reason_color(reason), 12.0, 12.0, True, True)


def length_words(meters: float) -> str:
    """Return the size of a difference with a readable unit.

    Examples
    --------
    >>> length_words(0.00312), length_words(4.2e-6), length_words(3e-9), length_words(1.5)
    ('3.12 mm', '4.2 µm', '< 0.1 µm', '1.50 m')
    """
    if meters >= 0.1:
        return f"{meters:.2f} m"
    if meters >= 1e-4:
        return f"{1e3 * meters:.2f} mm"
    return f"{1e6 * meters:.1f} µm" if meters >= 1e-7 else "< 0.1 µm"


def reason_color(reason: str) -> Color:
    """Return the color of a difference by its reason: explained or unexplained."""
    return palette.UNEXPLAINED if reason == "unexplained" else palette.EXPLAINED
