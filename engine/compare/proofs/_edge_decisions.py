"""A second implementation of Box2D 2.3.0's rules for edges that exposes every decision, as `_polygon_decisions` does for two polygons.

`engine.narrowphase._edge_kernel` explains the rules, with pictures. This file is independent of it, works in the world frame, and shares
no line with it. Decisions are made as late as possible, so that few are open: whether the normal of a polygon's edge lies within the limits
matters only if that edge is the best one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.common.tolerances import BOX2D_ABSOLUTE_TOLERANCE, BOX2D_ANGULAR_SLOP, BOX2D_EPSILON, BOX2D_RELATIVE_TOLERANCE
from engine.compare.proofs._polygon_decisions import (
    Bounds,
    Judge,
    Number,
    Outcome,
    Vector,
    WorldPolygon,
    clipped_points,
    cross,
    dot,
    minus,
    onto_face,
    root,
    unit,
)  # fmt: skip

__all__ = ["WorldEdge", "replay_edge_circle", "replay_edge_polygon"]


@dataclass(frozen=True, slots=True)
class WorldEdge:
    """Both ends and both neighbors, in the world frame, and the skin."""

    v1: Vector
    v2: Vector
    before: Vector | None
    after: Vector | None
    skin: Number


def replay_edge_circle(edge: WorldEdge, center: Vector, radius: Number, sign: int, bounds: Bounds, script: Sequence[int] = ()) -> Outcome:
    """Follow Box2D's rule for an edge and a circle once; `sign` is -1 if the circle is A."""
    judge, exact = Judge(bounds, script), type(radius)
    along = unit(edge.v1, edge.v2)
    end, neighbor, name = None, None, ""
    if not judge.is_positive("beyond the first end", dot(along, minus(center, edge.v1))):
        end, neighbor, name = edge.v1, edge.before, "in the first neighbor's region"
    elif not judge.is_positive("beyond the second end", dot(along, minus(edge.v2, center))):
        end, neighbor, name = edge.v2, edge.after, "in the second neighbor's region"
    reach = edge.skin + radius
    if end is None:
        normal = (-along[1], along[0])
        gap = dot(normal, minus(center, edge.v1))
        if not judge.is_positive("side of the edge", gap):
            normal, gap = (-normal[0], -normal[1]), -gap
        if judge.is_positive("within the skins", abs(gap) - reach):
            return judge.outcome()
        return judge.outcome((sign * normal[0], sign * normal[1]), (_point(center, normal, gap, edge.skin, radius),))
    away = minus(center, end)
    distance = root(dot(away, away))
    if judge.is_positive("within the skins", distance - reach):
        return judge.outcome()
    if neighbor is not None and judge.is_positive(name, dot(unit(end, neighbor), away)):
        return judge.outcome()
    if judge.is_positive("away from the end", distance - exact(BOX2D_EPSILON)):
        normal, gap = (away[0] / distance, away[1] / distance), distance
    else:
        normal, gap = (exact(sign), exact(0)), exact(0)
    amplification = 1.0 / max(float(distance), BOX2D_EPSILON)
    return judge.outcome((sign * normal[0], sign * normal[1]), (_point(center, normal, gap, edge.skin, radius),), amplification)


def replay_edge_polygon(edge: WorldEdge, poly: WorldPolygon, sign: int, bounds: Bounds, script: Sequence[int] = ()) -> Outcome:
    """Follow Box2D's rule for an edge and a polygon once; `sign` is -1 if the polygon is A."""
    judge, total = Judge(bounds, script), edge.skin + poly.skin
    exact = type(total)
    is_front, lower, upper = _facing(judge, edge, poly.centroid)
    along = unit(edge.v1, edge.v2)
    normal = (along[1], -along[0]) if is_front else (-along[1], along[0])

    on_edge = min(dot(normal, minus(vertex, edge.v1)) for vertex in poly.vertices)
    if judge.is_positive("early out on the edge", on_edge - total):
        return judge.outcome()
    outward = [(-nx, -ny) for nx, ny in poly.normals]
    gaps = [
        min(dot(out, minus(vertex, edge.v1)), dot(out, minus(vertex, edge.v2))) for out, vertex in zip(outward, poly.vertices, strict=True)
    ]
    if judge.is_positive("early out on the polygon", max(gaps) - total):
        return judge.outcome()
    chosen = _best_within_limits(judge, gaps, outward, normal, lower, upper)
    is_on_polygon = False
    if chosen is not None:
        preferred = exact(BOX2D_RELATIVE_TOLERANCE) * on_edge + exact(BOX2D_ABSOLUTE_TOLERANCE)
        is_on_polygon = judge.is_positive("face preference", gaps[chosen] - preferred, 2.0 * bounds.separation)

    if is_on_polygon and chosen is not None:
        n = poly.normals[chosen]
        corners = (poly.vertices[chosen], poly.vertices[(chosen + 1) % len(poly.vertices)])
        clipped = clipped_points(judge, corners, n, (edge.v1, edge.v2), float(dot(n, normal)), exact(0), poly.skin, edge.skin)
        return judge.outcome((-sign * n[0], -sign * n[1]), *clipped)
    corners = (edge.v1, edge.v2) if is_front else (edge.v2, edge.v1)
    return judge.outcome((sign * normal[0], sign * normal[1]), *onto_face(judge, corners, normal, poly, exact(0), edge.skin))


def _facing(judge: Judge, edge: WorldEdge, centroid: Vector) -> tuple[bool, Vector, Vector]:
    """Return True if the centroid is in front of the chain, and the limits of the contact's normal."""
    along, bounds = unit(edge.v1, edge.v2), judge.bounds
    normal, behind = (along[1], -along[0]), (-along[1], along[0])

    def is_in_front(of: str, start: Vector, direction: Vector) -> bool:
        to = minus(centroid, start)
        return judge.is_positive(of, direction[1] * to[0] - direction[0] * to[1], bounds.centroid)

    before = after = None
    is_ridge_before = is_ridge_after = False
    first = edge.v1 if edge.before is None else edge.before
    if edge.before is not None:
        before = unit(edge.before, edge.v1)
        is_ridge_before = judge.is_positive("ridge before", cross(before, along), bounds.direction)
    if edge.after is not None:
        after = unit(edge.v2, edge.after)
        is_ridge_after = judge.is_positive("ridge after", cross(along, after), bounds.direction)

    # a valley's neighbor demands that the centroid be in front of it too; a ridge's grants the front by itself
    is_front = is_in_front("in front of the edge", edge.v1, along)
    if is_front and before is not None and not is_ridge_before:
        is_front = is_in_front("in front of the previous edge", first, before)
    if is_front and after is not None and not is_ridge_after:
        is_front = is_in_front("in front of the next edge", edge.v2, after)
    if not is_front and before is not None and is_ridge_before:
        is_front = is_in_front("in front of the previous edge", first, before)
    if not is_front and after is not None and is_ridge_after:
        is_front = is_in_front("in front of the next edge", edge.v2, after)

    if is_front:
        lower = upper = normal
        if before is None:
            lower = behind
        elif is_ridge_before:
            lower = (before[1], -before[0])
        if after is None:
            upper = behind
        elif is_ridge_after:
            upper = (after[1], -after[0])
        return True, lower, upper
    lower = upper = behind
    if after is None:
        lower = normal
    elif not is_ridge_after:
        lower = (-after[1], after[0])
    if before is None:
        upper = normal
    elif not is_ridge_before:
        upper = (-before[1], before[0])
    return False, lower, upper


def _best_within_limits(
    judge: Judge, gaps: Sequence[Number], outward: Sequence[Vector], normal: Vector, lower: Vector, upper: Vector
) -> int | None:
    """Return the polygon's edge with the greatest gap among those whose normal lies within the limits; the judge breaks ties."""
    slop, bounds = type(normal[0])(BOX2D_ANGULAR_SLOP), judge.bounds

    def is_within(out: Vector) -> bool:
        across = cross(normal, out)  # positive: out lies left of the normal, on the upper limit's side
        rooms = [dot(minus(out, limit), normal) + slop for limit in (upper, lower)]
        if abs(across) <= bounds.direction and all(room > bounds.direction for room in rooms):
            return True  # whichever limit is asked
        is_left = judge.is_positive("which limit", across, bounds.direction)
        return judge.is_positive("within the limits", rooms[0 if is_left else 1], bounds.direction)

    best: list[int] = []
    for edge in sorted(range(len(gaps)), key=lambda at: (-gaps[at], at)):
        if best and gaps[best[0]] - gaps[edge] > 2.0 * bounds.separation:
            break
        if is_within(outward[edge]):
            best.append(edge)
    if not best:
        return None
    best.sort()
    return best[judge.extreme("best edge of the polygon", [gaps[edge] for edge in best], 2.0 * bounds.separation)]


def _point(center: Vector, normal: Vector, gap: Number, skin: Number, radius: Number) -> tuple[Number, Number, Number]:
    """Return the point midway between the edge's skin and the circle, and the separation without the skin."""
    lift = (skin - gap - radius) / 2
    return center[0] + lift * normal[0], center[1] + lift * normal[1], gap - radius
