"""Finds the bodies and joints under the pointer."""

from __future__ import annotations

import math

import numpy as np

from engine.geometry import Segment
from engine.sim.stage import Stage, body_box

__all__ = ["bodies_under", "bodies_within", "joints_under"]

Point = tuple[float, float]


def bodies_under(stage: Stage, point: Point, reach: float) -> tuple[int, ...]:
    """Return the bodies at a point of the picture, the newest first; if there are none, those within `reach` meters.

    Within `reach`, only edges, which have no interior, and the origins of bodies, which may be too small to hit, are found.
    """
    world, at = stage.world, stage.local(point)
    bodies = world.bodies_at(at)
    if bodies:
        return bodies
    near: dict[int, None] = {}
    for fixture_id in reversed(world.fixture_ids):
        fixture = world.fixture(fixture_id)
        if isinstance(fixture.shape, Segment):
            xf = world.state(fixture.body).xf
            if _distance_to_segment(at, xf.apply(fixture.shape.p1), xf.apply(fixture.shape.p2)) <= reach:
                near[fixture.body] = None
    away = np.hypot(*(world.poses[:, :2] - np.array(at)).T)
    near.update(dict.fromkeys(world.body_ids[row] for row in reversed(np.flatnonzero(away <= reach).tolist())))
    return tuple(near)


def bodies_within(stage: Stage, lower: Point, upper: Point) -> list[int]:
    """Return the bodies that lie completely between two corners of the picture."""
    low, high = stage.local(lower), stage.local(upper)
    bodies = []
    for body in stage.world.body_ids:
        box = body_box(stage.world, body)
        if box is not None and all(low[k] <= box.lower[k] and box.upper[k] <= high[k] for k in (0, 1)):
            bodies.append(body)
    return bodies


def joints_under(stage: Stage, point: Point, reach: float) -> tuple[list[int], list[int]]:
    """Return the joints with an anchor within `reach` of a point, and those with only the connecting line within it.

    Both are sorted by distance; at equal distance, the newest is first.
    """
    world, at = stage.world, stage.local(point)
    marks: list[tuple[float, int]] = []
    lines: list[tuple[float, int]] = []
    for joint in reversed(world.joint_ids):
        a, b = world.joint_anchors(joint)
        at_mark, at_line = min(math.dist(a, at), math.dist(b, at)), _distance_to_segment(at, a, b)
        if at_mark <= reach:
            marks.append((at_mark, joint))
        elif at_line <= reach:
            lines.append((at_line, joint))
    return [joint for _, joint in sorted(marks, key=lambda found: found[0])], [
        joint for _, joint in sorted(lines, key=lambda found: found[0])
    ]


def _distance_to_segment(p: Point, a: Point, b: Point) -> float:
    """Return the distance of a point to the segment from a to b (C. Ericson, Real-Time Collision Detection, 2005, 5.1.2)."""
    ex, ey = b[0] - a[0], b[1] - a[1]
    along, length_sq = (p[0] - a[0]) * ex + (p[1] - a[1]) * ey, ex * ex + ey * ey
    t = min(max(along / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
    return math.dist(p, (a[0] + t * ex, a[1] + t * ey))
