"""Two cores in the world, their normals and their distance, from the case alone: what claims about axes are held against."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING


class Cores:
    def __init__(self, case):
        pair = case.pair
        self.poses, self.shapes = (pair.pose_a, pair.pose_b), (pair.shape_a, pair.shape_b)
        self.local = [shape.core for shape in self.shapes]
        # seen from A's place, so that a pair far from the origin keeps its digits
        away = np.array(self.poses[0].position)
        turns = [np.array([[xf.cos, -xf.sin], [xf.sin, xf.cos]]) for xf in self.poses]
        self.away, self.turns = away, turns
        self.points = [core @ turn.T + (np.array(xf.position) - away) for core, turn, xf in zip(self.local, turns, self.poses, strict=True)]
        self.reach = sum(shape.radius for shape in self.shapes)
        scale = max(float(np.abs(np.array(xf.position)).max()) for xf in self.poses)
        scale += sum(float(np.abs(core).max()) for core in self.local) + self.reach
        self.near = 16.0 * SAT_ROUNDING * scale

    def n_edges(self, side):
        n = len(self.local[side])
        return n if n > 1 else 0

    def normal(self, side, edge):
        core = self.local[side]
        ex, ey = core[(edge + 1) % len(core)] - core[edge]
        length = math.hypot(ex, ey)
        return self.turns[side] @ np.array([ey / length, -ex / length])

    def separation(self, side, edge):
        """How far the other core's nearest corner lies in front of an edge: by projecting both shapes whole."""
        n = self.normal(side, edge)
        return float((self.points[1 - side] @ n).min() - (self.points[side] @ n).max())

    def separations(self):
        return [self.separation(side, edge) for side in range(2) for edge in range(self.n_edges(side))]

    def distance(self):
        """The least distance of a corner of one from an edge of the other: that of disjoint cores."""
        return min(self.to_outline(point, 1 - side) for side in range(2) for point in self.points[side])

    def to_outline(self, point, side):
        ring = self.points[side]
        p, along = ring, np.roll(ring, -1, axis=0) - ring
        length_sq = np.where((along**2).sum(axis=1) > 0.0, (along**2).sum(axis=1), 1.0)
        share = np.clip(((point - p) * along).sum(axis=1) / length_sq, 0.0, 1.0)
        return float(np.hypot(*(point - p - share[:, None] * along).T).min())


def check_axis(cores, step):
    """The gap is the gap; so are the two bars and the distance between them."""
    (feature,) = step.looked_at
    side, edge = "ab".index(feature.whose), feature.index
    n, separation = cores.normal(side, edge), cores.separation(side, edge)
    assert np.abs(np.array(step.axis) - n).max() <= 1e-12
    assert abs(step.values["separation"] - separation) <= cores.near
    assert abs(step.values["gap"] - (separation - cores.reach)) <= cores.near
    bars = [np.array(mark.points)[:, 0] for mark in step.marks if mark.view == "axis" and mark.role in "ab"]
    base = float(cores.points[side][edge] @ n)
    for k, bar in enumerate(bars):
        along = cores.points[k] @ n - base
        radius = cores.shapes[k].radius
        assert abs(bar.min() - (along.min() - radius)) <= cores.near and abs(bar.max() - (along.max() + radius)) <= cores.near
    shadows = [points @ n for points in cores.points]
    meets = shadows[side].min() - cores.reach <= shadows[1 - side].max() and separation <= cores.reach
    if "the shadows overlap" in step.sentence:
        assert meets or abs(shadows[side].min() - cores.reach - shadows[1 - side].max()) <= cores.near
    elif "lies behind it" in step.sentence:
        assert shadows[1 - side].max() + cores.reach <= shadows[side].min() + cores.near
    if step.question is not None and abs(separation - cores.reach) > cores.near:
        assert step.question.answers[step.question.right] == ("yes" if separation > cores.reach else "no")
    return side, edge, separation
