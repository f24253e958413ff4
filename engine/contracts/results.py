"""Results of queries. World frame, meters."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts.status import Status

__all__ = [
    "ContactSet",
    "DistanceResult",
    "Manifold",
    "ManifoldPoint",
    "PenetrationResult",
    "RayHit",
    "SweptContact",
    "TimeOfImpact",
]


@dataclass(frozen=True, slots=True)
class ManifoldPoint:
    """One contact point.

    `position` is midway between the two surfaces (skins included) along the normal; `separation` is the gap between the shapes without
    their skins, negative if they overlap; `feature_id` is Box2D's contact id, index A + index B << 8 + type A << 16 + type B << 24, with
    types 0 vertex and 1 face.
    """

    position: tuple[float, float]
    separation: float
    feature_id: int


@dataclass(frozen=True, slots=True)
class Manifold:
    """At most two points with one unit `normal` from A to B. Without contact, there are no points, and `normal` is None."""

    normal: tuple[float, float] | None
    points: tuple[ManifoldPoint, ...]


@dataclass(frozen=True, slots=True)
class SweptContact:
    """First and last time of contact of two translating shapes, seconds, and the unit normal from A to B at the first time.

    `status` is HIT, MISS, or OVERLAPPING (the shapes overlap from the start; `t_first` is 0 and `normal` None). On a MISS both times are
    infinite. `contact_set` is the intersection of the shapes at `t_first`, a point or a segment, and `point` is its midpoint. Unless
    `status` is HIT, `contact_set` is empty and `point` is None.
    """

    status: Status
    t_first: float
    t_last: float
    normal: tuple[float, float] | None
    point: tuple[float, float] | None
    contact_set: ContactSet


@dataclass(frozen=True, slots=True)
class DistanceResult:
    """Closest points of two shapes, radii and skins included, and the distance between them.

    SEPARATED: `separation` > 0, ``point_b = point_a + separation * normal``. TOUCHING: `separation` is 0 within rounding. OVERLAPPING:
    `separation` is 0 or negative; if only the radii overlap, it is exact and `normal` is valid; if the cores overlap, it is a bound,
    `normal` and the points are None, and `penetration` returns the depth. OUT_OF_ITERATIONS: `separation` is the best bound so far.
    """

    status: Status
    separation: float
    point_a: tuple[float, float] | None
    point_b: tuple[float, float] | None
    normal: tuple[float, float] | None
    iterations: int


@dataclass(frozen=True, slots=True)
class PenetrationResult:
    """Minimum translation that separates two shapes. Moving B by ``depth * normal`` leaves them touching.

    SEPARATED: depth 0, normal and points None. TOUCHING: depth 0 within rounding. OVERLAPPING: `point_a` is on A's surface and `point_b` on
    B's surface, with ``point_b = point_a - depth * normal``. If several directions are equally short, one of them is returned.
    """

    status: Status
    depth: float
    normal: tuple[float, float] | None
    point_a: tuple[float, float] | None
    point_b: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ContactSet:
    """Contact of two touching shapes, as one point or the two ends of a segment; empty unless `status` is TOUCHING.

    `normal` is the unit contact normal from A to B, or None without contact.
    """

    status: Status
    normal: tuple[float, float] | None
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class TimeOfImpact:
    """First contact of two moving shapes as a fraction of their sweeps, never later than the true first contact.

    HIT: `fraction` in [0, 1]. MISS: fraction 1 (or the given `t_max`). OVERLAPPING: the shapes overlap from the start, fraction 0.
    OUT_OF_ITERATIONS: `fraction` is a lower bound. `iterations` counts advancement steps.
    """

    status: Status
    fraction: float
    iterations: int


@dataclass(frozen=True, slots=True)
class RayHit:
    """First hit of a ray on a shape, with the `fraction` of the ray's translation and the point and outward unit normal at the hit.

    A ray that starts inside is a HIT at fraction 0 with normal None. On a MISS the fraction is infinite, and point and normal are None.
    """

    status: Status
    fraction: float
    point: tuple[float, float] | None
    normal: tuple[float, float] | None
