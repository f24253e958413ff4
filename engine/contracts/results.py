"""Results of queries, world frame, meters."""

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
    """One point of contact.

    `position` lies midway between the two surfaces (skins included) along the normal; `separation` is the gap between
    the shapes without their skins, negative when they overlap; `feature_id` is Box2D's key, index A + index B << 8 +
    type A << 16 + type B << 24, types 0 vertex and 1 face.
    """

    position: tuple[float, float]
    separation: float
    feature_id: int


@dataclass(frozen=True, slots=True)
class Manifold:
    """At most two points with one unit `normal` from A to B; no points, and normal None, when there is no contact."""

    normal: tuple[float, float] | None
    points: tuple[ManifoldPoint, ...]


@dataclass(frozen=True, slots=True)
class SweptContact:
    """First and last time of contact of two shapes that translate, seconds, and the unit normal from A to B at the first.

    `status` is HIT, MISS, or OVERLAPPING (from the start: `t_first` is 0 and `normal` None). On a MISS both times are
    infinite. `contact_set` is what the shapes share at `t_first`, a point or a segment, and `point` the middle of it; empty and None
    unless HIT.
    """

    status: Status
    t_first: float
    t_last: float
    normal: tuple[float, float] | None
    point: tuple[float, float] | None
    contact_set: ContactSet


@dataclass(frozen=True, slots=True)
class DistanceResult:
    """Nearest points of two shapes, radii and skins included, and the gap between them.

    SEPARATED: `separation` > 0, ``point_b = point_a + separation * normal``. TOUCHING: within rounding of 0. OVERLAPPING:
    `separation` is 0 or negative; where only the radii overlap it is exact and the normal stands, where the cores do it is a
    bound, `normal` and points are None, and `penetration` has the depth. OUT_OF_ITERATIONS: the best bound so far.
    """

    status: Status
    separation: float
    point_a: tuple[float, float] | None
    point_b: tuple[float, float] | None
    normal: tuple[float, float] | None
    iterations: int


@dataclass(frozen=True, slots=True)
class PenetrationResult:
    """The shortest way apart: moving B by ``depth * normal`` leaves the shapes touching.

    SEPARATED: depth 0, normal and points None. TOUCHING: depth 0 within rounding. OVERLAPPING: `point_a` on A's surface and
    `point_b` on B's, ``point_b = point_a - depth * normal``. Where several directions are equally short, one of them.
    """

    status: Status
    depth: float
    normal: tuple[float, float] | None
    point_a: tuple[float, float] | None
    point_b: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class ContactSet:
    """The contact of two touching shapes: one point, or the two ends of a segment; empty unless `status` is TOUCHING.

    `normal` is the unit normal from A to B of the contact, None where there is no contact.
    """

    status: Status
    normal: tuple[float, float] | None
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class TimeOfImpact:
    """The first touch of two moving shapes as a fraction of their sweeps, never after the true one.

    HIT: `fraction` in [0, 1]. MISS: fraction 1 (or the given `t_max`). OVERLAPPING: from the start, fraction 0.
    OUT_OF_ITERATIONS: `fraction` is a lower bound of the first touch. `iterations` counts steps of the advancement.
    """

    status: Status
    fraction: float
    iterations: int


@dataclass(frozen=True, slots=True)
class RayHit:
    """The first hit of a ray on a shape: `fraction` of its translation, the point and the outward unit normal there.

    A ray that starts inside is a HIT at 0 with normal None. On a MISS fraction is infinite, point and normal None.
    """

    status: Status
    fraction: float
    point: tuple[float, float] | None
    normal: tuple[float, float] | None
