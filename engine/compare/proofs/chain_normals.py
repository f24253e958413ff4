"""Proof that at a link the chain has our normal but not Box2D's.

`engine.narrowphase._link_kernel` defines the normals of a link, with pictures: on each side those between its own and the
neighbor's across a ridge. Here they are angles in the world frame, and the side is found by cutting the whole outline; no code is shared.
"""

from __future__ import annotations

import math

from engine.compare import allowances
from engine.compare.proofs._polygon_decisions import Vector, cross, dot, minus
from engine.compare.proofs.placed import Explained, PosedRow
from engine.contracts.agreement import Verdict
from engine.geometry.kinds import SEGMENT

__all__ = ["explain_link"]


def explain_link(row: PosedRow, ours: Vector, box2d: Vector, excess: float) -> Explained:
    """Show that the chain has our normal from A to B but not Box2D's, either on this side or on the side where the shape lies.

    `excess` is the additional depth of Box2D's overlap, meters. Return None if this is not the reason.
    """
    side = 0 if row.kind(0) == SEGMENT else 1
    sign = 1.0 if side == 0 else -1.0
    ours, box2d = (sign * ours[0], sign * ours[1]), (sign * box2d[0], sign * box2d[1])
    edge = row.edge(side, float)
    neighbors = ((edge.v1, edge.v2, edge.before), (edge.v2, edge.v1, edge.after))
    bound = 4.0 * allowances.direction_allowance()
    normal = _turned(edge.v1, edge.v2)
    front = [_beyond(normal, neighbors, normal_of) for normal_of in (ours, box2d)]
    back = [_beyond((-normal[0], -normal[1]), neighbors, normal_of) for normal_of in (ours, box2d)]
    is_front = front[0] <= bound
    mine, theirs, others = (front[0], front[1], back[1]) if is_front else (back[0], back[1], front[1])
    if mine > bound or theirs <= bound:
        return None
    if others > bound:
        return Verdict(
            "chain_normal",
            abs(excess),
            f"Box2D's normal is {math.degrees(theirs):.3g} degrees outside the range of the chain's normals there",
        )
    reach = _reach_over(edge.v1, edge.v2, row.points(1 - side, float))
    if reach is None:
        return None
    low, high = reach
    above, below = (high, -low) if is_front else (-low, high)
    if above <= below + 2.0 * row.bounds.separation:
        return None
    evidence = f"at this link, the shape extends {above:.3g} m to our side and {below:.3g} m to Box2D's"
    return Verdict("chain_normal", abs(excess), evidence)


def _turned(start: Vector, end: Vector) -> Vector:
    """Return the unit normal to the right of the line from one point to another."""
    dx, dy = minus(end, start)
    length = math.hypot(dx, dy)
    return dy / length, -dx / length


def _angle(first: Vector, other: Vector) -> float:
    return math.atan2(cross(first, other), dot(first, other))


def _beyond(normal: Vector, neighbors: tuple[tuple[Vector, Vector, Vector | None], ...], direction: Vector) -> float:
    """Return the angle, radians, by which a normal lies beyond those of the side with `normal`; negative within."""
    lean = _angle(normal, direction)
    for end, start, ghost in neighbors:
        outward = minus(end, start)
        sense = math.copysign(1.0, _angle(normal, outward))
        if sense * lean < 0.0:
            continue
        if ghost is None:
            return abs(lean) - math.pi
        falls = -sense * _angle(outward, minus(ghost, end))  # negative where the neighbor falls away on this side
        return abs(lean) - max(0.0, -falls)
    return abs(lean)


def _reach_over(start: Vector, end: Vector, corners: list[Vector]) -> tuple[float, float] | None:
    """Return the range along a link's normal of the part of a convex outline above the link, or None if there is no such part."""
    normal, along = _turned(start, end), minus(end, start)
    length = math.hypot(*along)
    places = [
        ((x * along[0]) / length + (y * along[1]) / length, x * normal[0] + y * normal[1])
        for x, y in (minus(corner, start) for corner in corners)
    ]
    heights = [height for place, height in places if 0.0 <= place <= length]
    for (a, low), (b, high) in zip(places, places[1:] + places[:1], strict=True):
        heights += [low + (high - low) * (border - a) / (b - a) for border in (0.0, length) if (a < border) != (b < border)]
    return (min(heights), max(heights)) if heights else None
