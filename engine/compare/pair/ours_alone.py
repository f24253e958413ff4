"""Our answer about one pair, by the library's own scalar questions."""

from __future__ import annotations

import numpy as np

from engine.compare.asked.motions import Impacts
from engine.compare.pair.answer import Answer, distance_words, impact_answer, length_words, manifold_answer
from engine.compare.pair.file import Pair
from engine.contracts.status import Status
from engine.geometry import Circle, Polygon, Segment

__all__ = ["ours_alone"]


def ours_alone(pair: Pair) -> Answer:
    """Return our answer to whatever the pair asks."""
    from engine import query

    if pair.query == "ray_cast":
        assert pair.ray is not None
        (x0, y0), (x1, y1) = pair.ray
        hit = query.ray_cast(pair.shape_a, pair.pose_a, (x0, y0), (x1 - x0, y1 - y0))
        if hit.status == Status.MISS or hit.point is None:
            return Answer("no hit")
        if hit.normal is None:
            return Answer("hit at the start, inside", points=(hit.point,), fraction=0.0, is_yes=True)
        words = f"hit at {hit.fraction:.6f}, normal ({hit.normal[0]:+.3f}, {hit.normal[1]:+.3f})"
        return Answer(words, hit.normal, (hit.point,), fraction=hit.fraction, is_yes=True)
    if pair.query == "contains":
        assert pair.point is not None
        inside = query.contains(pair.shape_a, pair.pose_a, pair.point)
        return Answer("inside" if inside else "outside", is_yes=inside)
    assert pair.shape_b is not None
    if pair.query == "toi":
        found = query.time_of_impact(pair.shape_a, pair.sweep_a, pair.shape_b, pair.sweep_b)
        return impact_answer(Impacts(np.array([int(found.status)]), np.array([found.fraction])))
    if pair.query == "distance":
        apart = query.distance(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        if apart.point_a is not None and apart.point_b is not None and apart.separation > 0.0:
            words, ends = distance_words(apart.separation), (apart.point_a, apart.point_b)
            return Answer(words, apart.normal, witnesses=ends, distance=apart.separation)
        deep = query.penetration(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
        ends_within = (deep.point_a, deep.point_b) if deep.point_a is not None and deep.point_b is not None else None
        words = f"overlapping, {length_words(deep.depth)} deep"
        return Answer(words, deep.normal, witnesses=ends_within, distance=-deep.depth, is_yes=True)
    edges = [shape for shape in (pair.shape_a, pair.shape_b) if isinstance(shape, Segment) and shape.p1 != shape.p2]
    is_edge_rule = len(edges) == 1 and isinstance(pair.shape_a, Circle | Polygon) != isinstance(pair.shape_b, Circle | Polygon)
    contact = query.manifold(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b, "box2d" if is_edge_rule else "exact")
    overlaps = query.overlap(pair.shape_a, pair.pose_a, pair.shape_b, pair.pose_b)
    points = np.array([(*one.position, one.separation) for one in contact.points]).reshape(-1, 3)
    return manifold_answer(len(points), np.array(contact.normal if contact.normal is not None else (0.0, 0.0)), points, overlaps)
