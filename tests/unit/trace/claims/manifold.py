"""Checks the claims of a clipping step, by either rule, from the shapes alone."""

from __future__ import annotations

import itertools
import math
from functools import partial

import numpy as np

from engine.geometry import Circle, Polygon, Segment
from tests.unit.trace.claims.cores import Cores, check_axis


def check_manifold(case, steps, rule="exact"):
    cores = Cores(case)
    near, reach, polygons = cores.near, cores.reach, all(isinstance(shape, Polygon) for shape in cores.shapes)
    circles = any(isinstance(shape, Circle) for shape in cores.shapes)
    links = [shape for shape in cores.shapes if isinstance(shape, Segment) and (shape.ghost1 or shape.ghost2)] if rule == "exact" else []
    tried, reference, incident, ends, n_ends = [], None, None, None, 0
    for step in steps[:-1]:
        if step.kind == "axis":
            tried.append(check_axis(cores, step))
        elif step.kind == "reference":
            reference = "ab".index(step.looked_at[0].whose), step.looked_at[0].index
            n, separation = cores.normal(*reference), cores.separation(*reference)
            ends, n_ends = None, 0
            if rule == "exact" or polygons or not circles:
                assert abs(step.values["separation"] - separation) <= near
            if step.values["again"] == 0.0 and tried and not links:  # a link has fewer normals, see tests/unit/narrowphase/test_links.py
                _check_choice(cores, rule, polygons, tried, reference)
            if step.question is not None:
                assert tuple(at[:2] for at in dict.fromkeys(tried))[step.question.right] == reference
        elif step.kind == "incident":
            side, edge = "ab".index(step.looked_at[0].whose), step.looked_at[0].index
            assert side == 1 - reference[0]
            along = [float(cores.normal(side, k) @ n) for k in range(cores.n_edges(side))]
            again = [at for at in steps if at.kind == "reference"][-1].values["again"]
            assert abs(abs(along[edge]) - step.values["cosine"]) <= 1e-9
            if again in (0.0, 3.0) and not (rule == "box2d" and isinstance(cores.shapes[side], Segment)):
                assert along[edge] <= min(along) + 1e-9  # it looks most against the reference edge
            incident = cores.points[side][edge], cores.points[side][(edge + 1) % len(cores.points[side])]
            ends, n_ends = incident, 2
        elif step.kind == "clip":
            ends, n_ends = _check_cut(cores, step, reference, incident, ends, n_ends, rule, links)
        elif step.kind == "point":
            _check_point(cores, step, reference if any(at.kind == "reference" for at in steps) else None, circles, rule)
        elif step.kind == "distance":
            a, b = (np.array(point) - cores.away for point in step.points) if step.points else (None, None)
            if a is not None:
                assert abs(math.dist(a, b) - step.values["distance"]) <= near
                assert cores.to_outline(a, 0) <= near and cores.to_outline(b, 1) <= near
            if rule == "exact" and not circles:
                assert abs(step.values["distance"] - cores.distance()) <= near
    result = steps[-1].result
    most = max(cores.separations(), default=-math.inf)
    assert (result.normal is None) == (not result.points)
    kept = [step for step in steps if step.kind == "point" and step.values["kept"]]
    for point in result.points:  # each was shown, where it is
        assert any(math.dist(point.position, step.points[1]) <= near and point.separation == step.values["gap"] for step in kept)
    if rule == "exact" and polygons:
        if result.points:
            assert abs(min(point.separation for point in result.points) - most) <= near  # as deep as the way apart is long
        else:
            assert most > reach - near or (most > -near and cores.distance() > reach - near)


def _check_choice(cores, rule, polygons, tried, reference):
    best = [max((at[2] for at in tried if at[0] == side), default=-math.inf) for side in range(2)]
    chosen = cores.separation(*reference)
    if rule == "exact":
        # all edges of A, and of B unless A's part the two; the greatest of all is taken
        for side in range(2):
            edges = [at[1] for at in tried if at[0] == side]
            assert edges == list(range(cores.n_edges(side))) or (not edges and (side == 1 or not cores.n_edges(0) or cores.n_edges(1)))
        assert chosen >= max(best) - cores.near
    elif polygons:
        for side in range(2):
            _check_climb([at for at in tried if at[0] == side], cores.n_edges(side), cores.near)
        assert abs(chosen - best[reference[0]]) <= cores.near
        if min(best) > -math.inf and best[1] <= cores.reach - cores.near:
            clearly = best[1] - (0.98 * best[0] + 0.001)
            assert abs(clearly) <= cores.near or (reference[0] == 1) == (clearly > 0.0)


def _check_climb(tried, n, near):
    """The search goes from the first edge to both neighbors, and continues while the separation grows."""
    if not tried:
        return
    edges, heights = [at[1] for at in tried], [at[2] for at in tried]
    assert edges[1:3] == [(edges[0] - 1) % n, (edges[0] + 1) % n]
    if len(edges) > 3:
        assert any(_is_climb(edges, heights, first, step, n, near) for first, step in ((1, -1), (2, 1)))


def _is_climb(edges, heights, first, step, n, near):
    """Return whether it continued from a neighbor in its direction, always increasing except for the last."""
    onward = [(edges[first] + step * (k + 1)) % n for k in range(len(edges) - 3)]
    walk = [heights[0], heights[first], *heights[3:]]
    rises = all(higher > lower - near for lower, higher in itertools.pairwise(walk[:-1]))
    return edges[3:] == onward and rises and walk[-1] <= walk[-2] + near


def _check_cut(cores, step, reference, incident, before, n_before, rule, links):
    """The remaining points lie on the incident edge between the planes; removed points lay outside."""
    side, corner = "ab".index(step.looked_at[0].whose), step.looked_at[0].index
    n, core = cores.normal(*reference), cores.points[side]
    assert side == reference[0] and corner in (reference[1], (reference[1] + 1) % len(core))
    outward = np.array([n[1], -n[0]]) * (1.0 if corner == reference[1] else -1.0)
    assert np.abs(np.array(step.axis) - outward).max() <= 1e-12
    # both edges' skins stand out of a polygon's or a segment's reference edge; by Box2D's rule a segment's not
    skins = sum(shape.radius for shape in cores.shapes if isinstance(shape, Polygon | Segment))
    if rule == "box2d" and any(isinstance(shape, Segment) for shape in cores.shapes):
        skins = 0.0
    if links and abs(step.values["outside"]) <= cores.near:  # a link is longer by the skins in valleys only
        skins = 0.0
    assert abs(step.values["outside"] - skins) <= cores.near
    out = [float((end - core[corner]) @ outward) - skins for end in before]
    assert abs(out[0] - step.values["beyond 1"]) <= cores.near
    assert n_before < 2 or abs(out[1] - step.values["beyond 2"]) <= cores.near
    left = [np.array(point) - cores.away for point in step.points]
    assert len(left) == step.values["left"]
    (x, y), along = incident[0], incident[1] - incident[0]
    length = math.hypot(*along)
    for end in left:
        assert float((end - core[corner]) @ outward) - skins <= cores.near
        assert abs((end[0] - x) * along[1] - (end[1] - y) * along[0]) <= cores.near * length
        assert -cores.near * length <= (end[0] - x) * along[0] + (end[1] - y) * along[1] <= (length + cores.near) * length
    if n_before == 2 and min(abs(distance) for distance in out) > cores.near:
        cut = [k for k in range(2) if out[k] > 0.0]
        assert len(left) == (0 if len(cut) == 2 else 2)
        assert step.question.right == (0 if not cut else 3 if len(cut) == 2 else cut[0] + 1)
    return left, len(left)


def _check_point(cores, step, reference, circles, rule):
    """The gap is measured along the normal, the point lies midway between the surfaces, and kept points are close enough."""
    end = np.array(step.points[0]) - cores.away
    surface = sum(shape.radius for shape in cores.shapes if not isinstance(shape, Polygon | Segment))
    gap = step.values["gap"] + surface
    if step.values["kept"]:
        assert gap <= cores.reach + cores.near
    else:
        assert gap > cores.reach - cores.near
    if reference is None or circles:
        return
    n, base = cores.normal(*reference), cores.points[reference[0]][reference[1]]
    assert abs(float((end - base) @ n) - gap) <= cores.near
    if step.values["kept"]:
        midway = np.array(step.points[1]) - cores.away
        from_base = float((midway - base) @ n) - cores.shapes[reference[0]].radius
        from_other = gap - float((midway - base) @ n) - cores.shapes[1 - reference[0]].radius
        assert abs(from_base - from_other) <= cores.near  # as far from the one surface as from the other


check_manifold_box2d = partial(check_manifold, rule="box2d")
