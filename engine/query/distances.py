"""Distance and penetration of two shapes, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Transform
from engine.query._checking import check_pair

if TYPE_CHECKING:
    from engine.contracts import DistanceResult, PenetrationResult

__all__ = ["distance", "penetration", "warm"]


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> DistanceResult:
    """Return the gap between two shapes, radii and skins included, with the nearest points; see `engine.narrowphase.gjk.distance`.

    Where the cores overlap, `separation` is minus both radii, a bound, and normal and points are None: ask `penetration`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> found = distance(Circle(1.0), Transform(), Circle(1.0), Transform((5.0, 0.0)))
    >>> found.separation, found.point_a, found.point_b, found.normal
    (3.0, (1.0, 0.0), (4.0, 0.0), (1.0, 0.0))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import gjk

    return gjk.distance(a, xf_a, b, xf_b)


def penetration(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> PenetrationResult:
    """Return the shortest way apart of two shapes, radii and skins included; see `engine.narrowphase.epa.penetration`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> found = penetration(Circle(1.0), Transform(), Circle(1.0), Transform((1.5, 0.0)))
    >>> found.status.name, found.depth, found.normal
    ('OVERLAPPING', 0.5, (1.0, 0.0))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import epa

    return epa.penetration(a, xf_a, b, xf_b)


def warm() -> None:
    """Load the kernels behind these questions, the batched ones and those in lanes too, and that of the alternating projections."""
    from engine.narrowphase import alternating_projections, batched
    from engine.query import batch, batch_distances
    from engine.query.shape_batch import ShapeBatch

    shapes: tuple[AnyShape, ...] = (Polygon.box(0.5, 0.5), Circle(0.5), Capsule((0, 0), (1, 0), 0.1), Segment((0, 0), (1, 0)))
    here, there = Transform(), Transform((0.75, 0.1), 0.3)
    for b in shapes:
        distance(shapes[0], here, b, there)
        penetration(shapes[0], here, b, there)
        alternating_projections.distance(shapes[0], here, b, there)
    packed, pose = ShapeBatch(shapes), [(0.0, 0.0, 0.0)]
    batch_distances.distance(packed, [(0, 1)], pose, pose)
    batch_distances.penetration(packed, [(0, 1)], pose, pose)
    many = batched.LANES_FROM
    batch_distances.distance(packed, [(0, 1)] * many, pose * many, pose * many)
    batch.overlap(packed, [(0, 1)] * many, pose * many, pose * many)
