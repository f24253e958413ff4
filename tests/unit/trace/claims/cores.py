"""Checks the claims of steps of GJK, EPA, the axis tests and alternating projections from the shapes alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING
from engine.geometry import Polygon


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
        """Return the distance of the other core's nearest corner in front of an edge, by projecting all corners."""
        n = self.normal(side, edge)
        return float((self.points[1 - side] @ n).min() - (self.points[side] @ n).max())

    def separations(self):
        return [self.separation(side, edge) for side in range(2) for edge in range(self.n_edges(side))]

    def distance(self):
        """The smallest distance of a corner of one from an edge of the other, which is the distance of disjoint cores."""
        return min(self.to_outline(point, 1 - side) for side in range(2) for point in self.points[side])

    def to_outline(self, point, side):
        ring = self.points[side]
        p, along = ring, np.roll(ring, -1, axis=0) - ring
        length_sq = np.where((along**2).sum(axis=1) > 0.0, (along**2).sum(axis=1), 1.0)
        share = np.clip(((point - p) * along).sum(axis=1) / length_sq, 0.0, 1.0)
        return float(np.hypot(*(point - p - share[:, None] * along).T).min())


def check_axis(cores, step):
    """The reported gap, the two bars and their distance are correct."""
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
    if " behind this edge" in step.sentence and "lies behind" not in step.sentence:
        assert meets or abs(shadows[side].min() - cores.reach - shadows[1 - side].max()) <= cores.near
    elif "lies behind this edge" in step.sentence:
        assert shadows[1 - side].max() + cores.reach <= shadows[side].min() + cores.near
    if step.question is not None and abs(separation - cores.reach) > cores.near:
        assert step.question.answers[step.question.right] == ("yes" if separation > cores.reach else "no")
    return side, edge, separation


def _difference(pair):
    """Return the cores of A and B in the world, the corners of their difference, and the rounding of its supports."""
    a, b = pair.pose_a.apply_array(pair.shape_a.core), pair.pose_b.apply_array(pair.shape_b.core)
    difference = (b[:, None] - a[None]).reshape(-1, 2)
    return a, b, difference, 8.0 * SAT_ROUNDING * float(np.abs(a).max() + np.abs(b).max() + np.abs(difference).max())


def check_gjk(case, steps):
    pair = case.pair
    a, b, difference, near = _difference(pair)
    nearest = math.inf
    for step in steps[:-1]:
        if step.kind == "nearest" and step.axis is not None and math.hypot(*step.axis) > 0.0:
            length = math.dist(*step.points)
            assert length <= nearest + near and abs(length - step.values["|v|"]) <= near  # ever nearer, between the points shown
            nearest = length
        elif step.kind == "support":
            along = difference @ np.array(step.axis)
            made_of = b[step.looked_at[1].index] - a[step.looked_at[0].index]
            assert abs(step.bound - along.min()) <= near  # the support is a support
            assert abs(made_of @ np.array(step.axis) - along.min()) <= near
            assert along.min() <= nearest + near  # and no bound is above the distance found
        elif step.kind == "kept" and len(step.points) < 3 and step.values:
            nearer = math.dist((0.0, 0.0), _nearest_of(step.points[0], step.points[-1]))
            assert nearer <= nearest + near  # what is dropped was not needed
        elif step.kind == "kept" and len(step.points) == 3:
            sides = [_turn(p, q) for p, q in zip(step.points, (*step.points[1:], step.points[0]), strict=True)]
            assert min(sides) >= -near * np.abs(difference).max() or max(sides) <= near * np.abs(difference).max()  # O is inside
    result = steps[-1].result
    if result.point_a is not None and result.normal is not None:
        gap = math.dist(result.point_a, result.point_b)
        assert abs(gap - abs(result.separation)) <= near + SAT_ROUNDING * (pair.shape_a.radius + pair.shape_b.radius)


def _nearest_of(p, q):
    """Return the point of the segment p q nearest to the origin."""
    p, e = np.array(p), np.array(q) - np.array(p)
    length_sq = float(e @ e)
    return p + (min(max(float(-p @ e) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0) * e


def _turn(p, q):
    return p[0] * q[1] - p[1] * q[0]


def check_epa(case, steps):
    pair = case.pair
    _, _, difference, near = _difference(pair)
    radii = pair.shape_a.radius + pair.shape_b.radius
    result, edges_before = steps[-1].result, 0
    for step in steps[:-1]:
        if step.kind == "nearest edge":
            ring = np.array(step.marks[0].points)
            after = np.roll(ring, -1, axis=0)
            assert edges_before in (0, len(ring) - 1)  # one more at each expansion
            edges_before = len(ring)
            assert _farthest_from_its_vertices(ring, difference) <= near  # all corners are vertices of B - A
            distances = np.array([_distance_from_origin(p, q) for p, q in zip(ring, after, strict=True)])
            assert abs(step.bound - distances.min()) <= near  # the nearest edge is the nearest
            if result.normal is not None:
                assert step.bound <= result.depth - radii + near  # and the depth no less
        elif step.kind == "support" and "s.n" in step.values:
            along = difference @ np.array(step.axis)
            assert abs(step.values["s.n"] - along.max()) <= near  # the support is a support
            if result.normal is not None:
                assert step.bound >= result.depth - radii - near
    if result.normal is not None and result.depth > near:
        moved = difference + result.depth * np.array(result.normal)
        gap = (moved @ np.array(result.normal)).min()
        assert abs(gap - radii) <= 4.0 * near + SAT_ROUNDING * radii  # parted by it, and no farther


def _farthest_from_its_vertices(ring, difference):
    return max(np.abs(difference - corner).max(axis=1).min() for corner in ring)


def _distance_from_origin(p, q):
    e = q - p
    length_sq = float(e @ e)
    share = min(max(float(-p @ e) / length_sq, 0.0), 1.0) if length_sq > 0.0 else 0.0
    return float(np.hypot(*(p + share * e)))


def check_sat(case, steps):
    cores, tried, best = Cores(case), [], -float("inf")
    for step in steps:
        if step.kind == "axis":
            side, edge, separation = check_axis(cores, step)
            tried.append((side, edge))
            best = max(best, separation)
            assert abs(step.bound - (best - cores.reach)) <= cores.near  # the best so far
        elif step.kind == "distance":
            assert abs(step.values["distance"] - cores.distance()) <= cores.near
            assert not tried or best >= -cores.near
    edges = [(side, edge) for side in range(2) for edge in range(cores.n_edges(side))]
    assert tried == edges[: len(tried)]  # A's, then B's, one after the other
    # nobody leaves before an axis parts them, nor goes on after
    separations = [cores.separation(*at) for at in tried]
    assert all(separation <= cores.reach + cores.near for separation in separations[:-1])
    assert len(tried) == len(edges) or separations[-1] > cores.reach - cores.near
    # and the answer, by all edges and the distance of the cores
    overlaps = steps[-1].result
    most, near = max(cores.separations(), default=-float("inf")), cores.near
    if edges and most > cores.reach + near:
        assert not overlaps
    elif most < -near and (max(map(len, cores.local)) > 2 or min(map(len, cores.local)) > 1):
        assert overlaps
    elif abs((distance := cores.distance()) - cores.reach) > near and abs(most) > near:
        assert overlaps == (distance < cores.reach)


def check_sat_cached(case, steps):
    cores = Cores(case)
    result, near, reach = steps[-1].result, cores.near, cores.reach
    kinds = [step.kind for step in steps]
    n_remembered, is_settled = kinds.count("remembered"), kinds[-2] == "remembered"
    assert kinds[1 : 1 + n_remembered] == ["remembered"] * n_remembered and (case.before is not None or n_remembered == 0)
    assert result.was_enough == (is_settled and n_remembered == 1)
    tried, edges = [], []
    for step in steps:
        if step.kind == "axis":
            tried.append(check_axis(cores, step))
        elif step.kind == "remembered":
            n = np.array(step.axis)
            gap = float((cores.points[1] @ n).min() - (cores.points[0] @ n).max())
            if len(step.looked_at) == 1:  # an edge's normal looks out of its own shape
                side, edge = "ab".index(step.looked_at[0].whose), step.looked_at[0].index
                gap = cores.separation(side, edge)
                edges.append((side, edge))
            assert abs(step.values["separation"] - gap) <= near + 1e-9 * (len(step.looked_at) == 2) * abs(gap)
            assert (gap > reach - near) if is_settled and step is steps[-2] else (gap <= reach + near)
        elif step.kind == "distance":
            assert abs(step.values["distance"] - cores.distance()) <= near
    if len(edges) > 1:  # both neighbors of the first, then on from one of them
        n = cores.n_edges(edges[0][0])
        apart = [(edge - edges[0][1]) % n for side, edge in edges if side == edges[0][0]]
        assert len(apart) == len(edges) == n_remembered and apart[:3] == [0, 1, n - 1][: len(apart)]
        assert apart[3:] in (list(range(2, len(apart) - 1)), [n - k for k in range(2, len(apart) - 1)])
    if not is_settled:
        # all of A's edges, and all of B's unless A's part the two
        best_a = max((at[2] for at in tried if at[0] == 0), default=-np.inf)
        expected = [(0, edge) for edge in range(cores.n_edges(0))]
        if best_a <= reach + near and any(at[0] == 1 for at in tried):
            expected += [(1, edge) for edge in range(cores.n_edges(1))]
        assert [at[:2] for at in tried] == expected
        assert len(expected) == cores.n_edges(0) + cores.n_edges(1) or best_a > reach - near
        # the axis remembered is the best one
        n_a, n_b = len(cores.local[0]), len(cores.local[1])
        if result.axis < n_a + n_b:
            side, edge = (0, result.axis) if result.axis < n_a else (1, result.axis - n_a)
            assert cores.separation(side, edge) >= max(at[2] for at in tried) - near
    most = max(cores.separations(), default=-np.inf)
    if most > reach + near:
        assert not result.is_overlapping
    elif most < -near and any(isinstance(shape, Polygon) for shape in cores.shapes):
        assert result.is_overlapping


def check_alternating_projections(case, steps):
    cores, nearest, a_before = Cores(case), math.inf, None
    radius_a, radius_b = (shape.radius for shape in cores.shapes)
    for step in steps[:-1]:
        if step.kind == "start":
            a_before = np.array(step.points[0]) - cores.away
        elif step.kind == "turn":
            a, b = (np.array(point) - cores.away for point in step.points)
            # each is the nearest point of its shape: as far from the other as the core's outline less the radius, or the point itself
            for point, to, side, radius in ((a_before, b, 1, radius_b), (b, a, 0, radius_a)):
                left = max(0.0, _to_core(cores, point, side) - radius)
                assert abs(math.dist(point, to) - left) <= cores.near
            distance = math.dist(a, b)
            assert abs(distance - step.bound) <= cores.near and step.bound <= nearest + cores.near  # ever nearer
            nearest, a_before = step.bound, a
        elif step.kind == "bound":
            n = np.array(step.axis)
            along = [points @ n for points in cores.points]
            low = float(along[1].min() - along[0].max()) - cores.reach
            assert abs(step.bound - low) <= cores.near and low <= nearest + cores.near
            assert abs(along[0][step.looked_at[0].index] - along[0].max()) <= cores.near
            assert abs(along[1][step.looked_at[1].index] - along[1].min()) <= cores.near


def _to_core(cores, point, side):
    """Return the distance of a point from a core: 0 inside it."""
    ring = cores.points[side]
    if len(ring) > 2 and all(float((point - p) @ cores.normal(side, k)) <= 0.0 for k, p in enumerate(ring)):
        return 0.0
    return cores.to_outline(point, side)
