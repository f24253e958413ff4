"""Results of queries, world frame, metres."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts.status import Status

__all__ = ["Manifold", "ManifoldPoint", "SweptContact"]


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
    infinite. `point` is a point both shapes share at `t_first`, None unless HIT.
    """

    status: Status
    t_first: float
    t_last: float
    normal: tuple[float, float] | None
    point: tuple[float, float] | None
