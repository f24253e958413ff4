"""Converts drawings, in meters, to bodies; a drawing that is too small or too tangled is rejected in one line."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.common.errors import InvalidShapeError, LabError
from engine.common.limits import MAX_POLYGON_VERTICES
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Polygon
from engine.geometry.predicates import turn_sign
from engine.world import BodySpec, FixtureSpec, accept
from engine.world.specs import BodyType

__all__ = ["MIN_SIZE", "PlacingError", "anchor_spec", "box_spec", "circle_spec", "crossings", "outline_spec"]

Point = tuple[float, float]

MIN_SIZE = 2.0 * BOX2D_POLYGON_SKIN
"""Minimum side or radius, physical meters. A polygon less than two skins wide is more skin than polygon."""

_MAY_BE_LOST = 0.02
"""Maximum share of a drawn outline's area that may be lost in pieces too small for Box2D."""
_SPECK_SHARE = 0.02
"""Share of the area below which a loop beside the main one is a slip of the hand where the line closes."""
_MAX_PIECES = 60


class PlacingError(LabError):
    """The drawn outline does not define a body."""


def box_spec(a: Point, b: Point, body_type: BodyType) -> BodySpec:
    """Return an axis-aligned box between two corners."""
    half = 0.5 * abs(b[0] - a[0]), 0.5 * abs(b[1] - a[1])
    if min(half) < 0.5 * MIN_SIZE:
        raise PlacingError(f"too small: drag from one corner of the box to the opposite one, at least {100.0 * MIN_SIZE:g} cm each way")
    middle = 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])
    return accept(BodySpec((FixtureSpec(Polygon.box(*half)),), body_type, middle))


def circle_spec(center: Point, rim: Point, body_type: BodyType) -> BodySpec:
    """Return a circle, given its center and a point on its rim."""
    radius = math.dist(center, rim)
    if radius < MIN_SIZE:
        raise PlacingError(f"too small: drag from the center of the circle to its rim, at least {100.0 * MIN_SIZE:g} cm")
    return accept(BodySpec((FixtureSpec(Circle(radius)),), body_type, center))


ANCHOR = "anchor"
"""Name of the body that joins another one to the ground."""


def anchor_spec(at: Point, radius: float) -> BodySpec:
    """Return a small static disc that collides with nothing: the ground anchor of a joint, which can be selected and deleted."""
    return BodySpec((FixtureSpec(Circle(radius), sensor=True, category=0, mask=0, name="anchor"),), "static", at, name=ANCHOR)


def outline_spec(points: Sequence[Point], body_type: BodyType, tolerance: float = 0.0) -> BodySpec:
    """Return the body with an outline through the points; a concave outline is cut into convex pieces.

    Parameters
    ----------
    points : sequence of pair
        Meters.
    tolerance : float
        Maximum deviation of the body's outline from the points, meters, for freehand lines. With 0 the outline must not cross itself.

    Raises
    ------
    LabError
        Fewer than three points, no area, too small, a line that crosses itself, or too many pieces.
    """
    ring = np.array(points, dtype=np.float64).reshape(-1, 2)
    size = ring.max(axis=0) - ring.min(axis=0) if len(ring) else np.zeros(2)
    if len(ring) < 3 or size.max() < MIN_SIZE or _spread(ring) < MIN_SIZE * size.max():
        raise PlacingError("too small or too thin: the outline must enclose an area")
    middle = ring.mean(axis=0)
    pieces: Sequence[Polygon | Circle]
    if tolerance == 0.0 and len(ring) <= MAX_POLYGON_VERTICES and _is_convex(ring):
        pieces, middle = _convex(ring)
    else:
        pieces, middle = _cut(ring - middle, middle, tolerance)
    return accept(BodySpec(tuple(FixtureSpec(piece) for piece in pieces), body_type, (float(middle[0]), float(middle[1]))))


def crossings(points: Sequence[Point], is_closed: bool) -> list[Point]:
    """Return where the lines through the points cross each other, without the corners that neighbors share.

    Examples
    --------
    >>> crossings([(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)], is_closed=False)
    [(1.0, 1.0)]
    """
    ring = np.array(points, dtype=np.float64).reshape(-1, 2)
    starts, ends = (ring, np.roll(ring, -1, axis=0)) if is_closed else (ring[:-1], ring[1:])
    n, found = len(starts), list[Point]()
    for k in range(n):
        first, last = k + 2, n - (is_closed and k == 0)
        a, b, c, d = starts[k], ends[k], starts[first:last], ends[first:last]
        along, others = b - a, d - c
        turn = along[0] * others[:, 1] - along[1] * others[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            s = ((c[:, 0] - a[0]) * others[:, 1] - (c[:, 1] - a[1]) * others[:, 0]) / turn
            t = ((c[:, 0] - a[0]) * along[1] - (c[:, 1] - a[1]) * along[0]) / turn
        meets = (turn != 0.0) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
        found += [(float(x), float(y)) for x, y in a + s[meets, None] * along]
    return found


def _spread(ring: np.ndarray) -> float:
    """Return twice the area of the largest triangle over the longest chord from the first point: nearly zero for a nearly straight line.

    The area of a self-intersecting ring is unknown before it is cut; this measure is not.
    """
    chord = ring - ring[0]
    far = ring[int(np.argmax(np.hypot(chord[:, 0], chord[:, 1])))]
    across = (far[0] - ring[0, 0]) * (ring[:, 1] - ring[0, 1]) - (far[1] - ring[0, 1]) * (ring[:, 0] - ring[0, 0])
    return float(np.abs(across).max())


def _is_convex(ring: np.ndarray) -> bool:
    """Return True if a ring always turns to the same side, and exactly once around."""
    n = len(ring)
    signs = [turn_sign(ring[k - 2], ring[k - 1], ring[k]) for k in range(n)]
    if min(signs) < 0 < max(signs) or not any(signs):
        return False
    edges = np.roll(ring, -1, axis=0) - ring
    headings = np.arctan2(edges[:, 1], edges[:, 0])
    turns = (np.roll(headings, -1) - headings + math.pi) % (2.0 * math.pi) - math.pi
    return abs(abs(float(turns.sum())) - 2.0 * math.pi) < 1.0


def _convex(ring: np.ndarray) -> tuple[list[Polygon], np.ndarray]:
    center = np.array(Polygon(ring - ring[0]).mass().centroid) + ring[0]
    return [Polygon(ring - center)], center


def _cut(ring: np.ndarray, middle: np.ndarray, tolerance: float) -> tuple[Sequence[Polygon | Circle], np.ndarray]:
    """Return the pieces relative to the outline's centroid, and the centroid. Libraries are loaded at the first such outline."""
    from engine.decompose import Outline, repaired, simplified
    from engine.decompose.decompose import decompose

    try:
        if tolerance > 0.0:
            repaired_outline = repaired([ring], "nonzero")
            largest = max(part.area for part in repaired_outline.parts)
            outline = Outline([part for part in repaired_outline.parts if part.area >= _SPECK_SHARE * largest])
            outline = simplified(outline, tolerance)
        else:
            outline = Outline.of_polygon(ring)
    except InvalidShapeError as error:
        if tolerance == 0.0:
            n = len(crossings(ring.tolist(), is_closed=True))
            where = "where it is marked" if n else "at a corner"
            raise PlacingError(f"the outline {'crosses' if n else 'touches'} itself {where}: Backspace removes the last corner") from None
        raise PlacingError(f"this outline cannot become a body: {error}") from None
    if outline.n_vertices > 4 * _MAX_PIECES:
        raise PlacingError(f"too ragged: the outline has {outline.n_vertices} corners; draw it larger or with fewer corners")
    shape = outline.as_shapely()
    centroid = np.array([shape.centroid.x, shape.centroid.y])
    decomposition = decompose(outline.translated(*(-centroid).tolist()), max_lost=_MAY_BE_LOST)
    if len(decomposition.pieces) > _MAX_PIECES:
        raise PlacingError(f"too ragged: the outline would become {len(decomposition.pieces)} pieces; draw it larger or with fewer corners")
    return decomposition.pieces, middle + centroid
