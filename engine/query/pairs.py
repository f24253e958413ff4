"""Queries about two shapes at rest.

World frame, meters, radians. Shapes are closed and solid, and include their radii and skins. All input is checked here, and the kernels are
loaded by the first query.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.events import traced
from engine.contracts import ContactSet, DistanceResult, Manifold, ManifoldPoint, PenetrationResult, Status
from engine.query._checking import check_pair

if TYPE_CHECKING:
    from engine.geometry import AnyShape, Transform
    from engine.narrowphase.rules import Rule

__all__ = ["contact_set", "distance", "manifold", "overlap", "penetration"]


def overlap(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> bool:
    """Return True if two shapes share a point, radii and skins included, by the separating axis test.

    Touching within rounding (`SAT_ROUNDING`) counts as overlap, and so does containment. See `engine.narrowphase._overlap_kernel`.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> overlap(Circle(1.0), Transform(), Circle(1.0), Transform((2.0, 0.0)))
    True
    """
    check_pair(a, xf_a, b, xf_b)
    batched, packing, _, scratch = _kernels()
    poses = scratch.pose_row(xf_a)[None], scratch.pose_row(xf_b)[None]
    return bool(batched.overlap_rows(packing.cached_pack(a, b), scratch.ONE_PAIR, *poses)[0])


def manifold(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact") -> Manifold:
    """Return the contact of two shapes: a unit normal from A to B and at most two points.

    Between two polygons, skins are square at the corners by either rule, because separations are measured along a face's normal: corner to
    corner, a contact begins up to sqrt 2 as far out as for `overlap`, `distance`, `penetration` and `contact_set`, whose skins are round.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters. Polygons and segments may carry skins.
    xf_a, xf_b : Transform
        World poses.
    rule : "exact" or "box2d"
        "exact" uses the true minimum-penetration axis over all edges of both polygons; if A's and B's are equal within rounding, it uses
        A's, and the first of equal edges. With a capsule or a segment, it is the axis of the rounded shapes, which can connect two corners.
        A segment with ghosts is a link of a chain: it only has the normals that do not belong to its neighbors, on the side of the other
        shape. "box2d" repeats the choice of Box2D 2.3.0, including segments with ghosts; it does not support capsules or pairs of segments.

    Returns
    -------
    Manifold
        Positions midway between the two surfaces, skins included; separations without the skins (a circle's and a capsule's
        radius is its surface). A point at positive separation appears only within the sum of the skins. No contact: no points, normal None.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid, the rule is neither "exact" nor "box2d", or it is "box2d" and Box2D does not collide the two.

    References
    ----------
    See the derivations in `engine.narrowphase._manifold_kernel`, `_core_manifold_kernel`, `_link_kernel` and `_edge_kernel`.

    Examples
    --------
    >>> from engine.geometry import Polygon, Transform
    >>> box = Polygon.box(0.5, 0.5)
    >>> contact = manifold(box, Transform(), box, Transform((0.25, 0.75)))
    >>> contact.normal, [(point.position, point.separation) for point in contact.points]
    ((0.0, 1.0), [((-0.25, 0.375), -0.25), ((0.5, 0.375), -0.25)])
    """
    check_pair(a, xf_a, b, xf_b)
    batched, packing, rules, scratch = _kernels()
    shapes, number = packing.cached_pack(a, b), scratch.ONE_PAIR
    pair = shapes, number, scratch.pose_row(xf_a)[None], scratch.pose_row(xf_b)[None], rules.check_rule(rule, shapes, number)
    rows = batched.manifold_rows(*pair)
    count = int(rows.count[0])
    if count == 0:
        return Manifold(None, ())
    numbers = zip(rows.points[0].tolist(), rows.names[0].tolist(), strict=True)
    points = tuple(ManifoldPoint((x, y), separation, name) for (x, y, separation), name in numbers)
    normal_x, normal_y = rows.axis[0, :2].tolist()
    return Manifold((normal_x, normal_y), points[:count])


@cache
def _kernels() -> tuple[Any, ...]:
    """Import on first use: import statements in each call would take as long as a kernel."""
    from engine.narrowphase import batched, packing, rules, scratch

    return batched, packing, rules, scratch


def distance(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> DistanceResult:
    """Return the gap between two shapes, radii and skins included, with the closest points, by GJK and, if necessary, EPA.

    Returns
    -------
    DistanceResult
        SEPARATED: `separation` > 0. TOUCHING: within rounding (`SAT_ROUNDING`) of 0. OVERLAPPING: if only the radii overlap, or the cores
        only touch, `separation` is exact, and normal and points are valid. If the cores overlap, normal and points are None and
        `separation` is minus both radii, an upper bound of the true one, which `penetration` returns. DEGENERATE: products of lengths
        exceed the range of float64; separation is NaN. OUT_OF_ITERATIONS: an upper bound.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid.

    References
    ----------
    See the derivation in `engine.narrowphase._gjk_kernel`.

    Examples
    --------
    >>> from engine.geometry import Capsule, Polygon, Transform
    >>> gap = distance(Polygon.box(0.5, 0.5), Transform(), Capsule((0, 0), (0, 2), 0.25), Transform((2.0, 0.0)))
    >>> gap.status.name, gap.separation, gap.normal
    ('SEPARATED', 1.25, (1.0, 0.0))
    """
    status, iterations, separation, a_x, a_y, b_x, b_y, nx, ny = _distance_numbers(False, a, xf_a, b, xf_b)
    if nx != nx:
        return DistanceResult(Status(status), separation, None, None, None, iterations)
    return DistanceResult(Status(status), separation, (a_x, a_y), (b_x, b_y), (nx, ny), iterations)


def penetration(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> PenetrationResult:
    """Return the shortest translation that separates two shapes, radii and skins included, by GJK and EPA.

    Returns
    -------
    PenetrationResult
        OVERLAPPING: moving B by ``depth * normal`` leaves the shapes touching, also where one contains the other; the depth is
        exact up to rounding. TOUCHING: the depth is within rounding of 0, never below. SEPARATED: depth 0, the rest None.
        DEGENERATE: depth NaN, the rest None. OUT_OF_ITERATIONS: the translation separates the shapes, but need not be the shortest.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid.

    References
    ----------
    See the derivation in `engine.narrowphase._epa_kernel`.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon, Transform
    >>> way = penetration(Polygon.box(2.0, 1.0), Transform(), Circle(0.25), Transform((0.5, 0.5)))
    >>> way.status.name, way.depth, way.normal, way.point_a, way.point_b
    ('OVERLAPPING', 0.75, (0.0, 1.0), (0.5, 1.0), (0.5, 0.25))
    """
    status, _, depth, a_x, a_y, b_x, b_y, nx, ny = _distance_numbers(True, a, xf_a, b, xf_b)
    if nx != nx:
        return PenetrationResult(Status(status), depth, None, None, None)
    return PenetrationResult(Status(status), depth, (nx, ny), (a_x, a_y), (b_x, b_y))


def _distance_numbers(
    is_penetration: bool, a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return status, iterations, separation or depth, both points and the normal, NaN where there is none."""
    check_pair(a, xf_a, b, xf_b)
    distance_one, n_corners, core_of = _distance_modules()
    side_a = *core_of(a), *xf_a.position, xf_a.cos, xf_a.sin
    side_b = *core_of(b), *xf_b.position, xf_b.cos, xf_b.sin
    numbers: tuple[int, int, float, float, float, float, float, float, float] = traced(distance_one)(
        is_penetration, side_a, side_b, np.zeros(n_corners, dtype=np.int64)
    )
    return numbers


@cache
def _distance_modules() -> tuple[Any, ...]:
    from engine.narrowphase._distance_kernel import distance_one
    from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE
    from engine.narrowphase.scratch import core_of

    return distance_one, TRIANGLE_SIZE, core_of


def contact_set(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> ContactSet:
    """Return the point or the segment where two shapes touch; skins are rounded at the corners, and ghosts do not count.

    Returns
    -------
    ContactSet
        TOUCHING (the gap is zero within `SAT_ROUNDING` times the input's scale): one point, or the two ends of a segment, and the
        unit normal from A to B. SEPARATED or OVERLAPPING: no points, normal None. Two shapes without area that coincide in part, such as
        segments on one line, touch; crossing segments overlap.

    Raises
    ------
    InvalidInputError
        A shape or pose is invalid.

    References
    ----------
    See the derivation in `engine.narrowphase._contact_set_kernel`.

    Examples
    --------
    >>> from engine.geometry import Polygon, Transform
    >>> box = Polygon.box(0.5, 0.5)
    >>> contact_set(box, Transform(), box, Transform((0.25, 1.0))).points
    ((0.5, 0.5), (-0.25, 0.5))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase.contact_set import contact_set_rows
    from engine.narrowphase.packing import cached_pack
    from engine.narrowphase.scratch import ONE_PAIR, pose_row

    rows = contact_set_rows(cached_pack(a, b), ONE_PAIR, pose_row(xf_a)[None], pose_row(xf_b)[None])
    status = Status(int(rows.status[0]))
    if status is not Status.TOUCHING:
        return ContactSet(status, None, ())
    nx, ny, x1, y1, x2, y2 = rows.contact[0].tolist()
    return ContactSet(status, (nx, ny), ((x1, y1), (x2, y2))[: int(rows.count[0])])
