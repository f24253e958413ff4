"""Compares every static query with brute force in rational arithmetic (`rational`), on random and adversarial pairs of all kinds.

Bounds, all in units of the pair's rounding u = SAT_ROUNDING * scale (derived there: a corner brought into the other's frame, a unit
normal, their product; scale is the sum of both positions and both extents):

separation   2 u   one such computation, and an iteration that ends when its bounds are that near to each other
decision     2 u   a gap of at most u counts as a touch, and the gap carries u itself; at or below 0 there is no doubt
normal       16 EPS64, absolute: a difference of two corners, a length, a quotient: 10 halves of EPS64 a component, rounded up
point        4 u (1 + amplification): the end of an edge is brought into the frame and back (2 u), lifted by half a gap (1 u);
             where a plane cuts an edge at an angle whose cosine is c, an error across the plane grows by 1 / c along the edge
"""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from engine.common.jit import is_compiling
from engine.common.tolerances import EPS64
from engine.contracts import Status
from engine.geometry import Circle, Polygon, Transform
from engine.narrowphase import batched
from engine.query import batch
from tests.agreement.adversarial import FAMILIES, pairs_of
from tests.agreement.rational import Edge, Pair, common_part, distance_sq, fractions, off_outline, root

PAIRS = 500 if is_compiling() else 200
"""Pairs of each family: 4,000 in all; fewer where the kernels are not compiled."""

SEPARATION, DECISION, POINT = 2.0, 2.0, 4.0
NORMAL = 16.0 * EPS64


@cache
def cases(family):
    """Shapes, the columns that batched queries take, and each pair in fractions."""
    shapes, listed = pairs_of(family, PAIRS)
    pairs = np.array([(a, b) for a, _, b, _ in listed])
    poses_a, poses_b = np.array([pose for _, pose, _, _ in listed]), np.array([pose for _, _, _, pose in listed])
    exact = [Pair(shapes[a], Transform(at[:2], at[2]), shapes[b], Transform(there[:2], there[2])) for a, at, b, there in listed]
    return batch.ShapeBatch(shapes), pairs, poses_a, poses_b, exact


def length_of(row):
    return math.hypot(*map(float, row))


@pytest.mark.parametrize("family", FAMILIES)
def test_overlap(family):
    *inputs, exact = cases(family)
    is_overlapping = batch.overlap(*inputs)
    for row, pair in enumerate(exact):
        if pair.gap <= 0:
            assert is_overlapping[row], (row, inputs[1][row], float(pair.gap))
        elif pair.gap > DECISION * pair.rounding:
            assert not is_overlapping[row], (row, inputs[1][row], float(pair.gap))
    assert PAIRS // 20 < is_overlapping.sum() <= PAIRS


@pytest.mark.parametrize("family", FAMILIES)
def test_distance_and_penetration(family):
    *inputs, exact = cases(family)
    near, deep = batch.distance(*inputs), batch.penetration(*inputs)
    assert (near.status == deep.status).all()
    for row, pair in enumerate(exact):
        allowed = SEPARATION * pair.rounding
        if np.isnan(near.normal[row, 0]):  # the cores overlap: a bound, and the depth is `penetration`'s
            assert pair.core_separation <= allowed and near.separation[row] == -float(pair.radii)
        else:
            assert abs(Fraction(near.separation[row]) - pair.gap) <= allowed
            # the witness: a direction along which the gap between the shadows is all of it
            assert pair.gap_along(near.normal[row]) - pair.radii >= pair.gap - allowed
        if deep.status[row] != Status.SEPARATED:
            assert abs(Fraction(deep.depth[row]) - max(0, -pair.gap)) <= allowed
            assert pair.gap_along(deep.normal[row]) - pair.radii >= pair.gap - 2 * Fraction(allowed)
        if pair.gap > DECISION * pair.rounding:
            assert near.status[row] == Status.SEPARATED
        elif pair.gap < -DECISION * pair.rounding:
            assert near.status[row] == Status.OVERLAPPING
        elif pair.gap == 0:
            assert near.status[row] == Status.TOUCHING
        else:  # within rounding of a touch
            assert near.status[row] != Status.OUT_OF_ITERATIONS


def clipped(reference, incident, side):
    """The part of an incident edge between the side planes of a reference edge, as fractions of it; low > high if it is empty."""
    low, high = Fraction(0), Fraction(1)
    at_p, at_q = reference.along(incident.p), reference.along(incident.q)
    for out_p, out_q in ((-side - at_p, -side - at_q), (at_p - reference.length - side, at_q - reference.length - side)):
        if out_p > 0 and out_q > 0:
            return Fraction(1), Fraction(0)
        if out_p > 0:
            low = max(low, out_p / (out_p - out_q))
        elif out_q > 0:
            high = min(high, out_p / (out_p - out_q))
    return low, high


def edge_points(pair, side, edge, limit, skins, allowed):
    """Required and optional points, each (position, gap, tolerance), for one reference edge of A (0) or B (1).

    They lie on the incident edge, any of those most nearly opposite to the reference edge within rounding. An end is required if it is a
    point even with both side planes moved inward by `allowed` and its gap below the limit by that much; it is optional if it is a point
    with the planes moved outward.
    """
    others = pair.a if side else pair.b
    radius_reference, radius_other = (pair.radius_b, pair.radius_a) if side else (pair.radius_a, pair.radius_b)
    required, possible = [], []

    def entry(end, tolerance):
        gap = edge.ahead(end)
        lift = (radius_reference - radius_other - gap) / 2
        return (end[0] + lift * edge.normal[0], end[1] + lift * edge.normal[1]), gap, tolerance

    incident_edges = pair.edges(1 - side)
    cosines = [each.normal[0] * edge.normal[0] + each.normal[1] * edge.normal[1] for each in incident_edges]
    candidates = [at for at, cosine in enumerate(cosines) if cosine <= min(cosines) + NORMAL]
    for at in candidates:
        incident, cosine = incident_edges[at], abs(cosines[at])
        tolerance = float(POINT * allowed * (1 + 1 / max(cosine, Fraction(EPS64))))
        for planes, points in ((skins - allowed, required), (skins, possible), (skins + allowed, possible)):
            low, high = clipped(edge, incident, planes)
            if low > high or (points is required and len(candidates) > 1):
                continue
            low, high = clipped(edge, incident, skins) if points is required else (low, high)
            for share in (low, high):
                end = (incident.p[0] + share * (incident.q[0] - incident.p[0]), incident.p[1] + share * (incident.q[1] - incident.p[1]))
                # the error along the incident edge moves the gap by its slope
                if edge.ahead(end) <= limit + (-tolerance if points is required else tolerance):
                    points.append(entry(end, tolerance))
    if not required:  # nothing to clip, or all of it clipped away: the foremost corner
        least = edge.separation(others)
        possible += [entry(corner, float(2 * POINT * allowed)) for corner in others if edge.ahead(corner) <= least + 2 * allowed]
    return required, possible


def expected_points(pair, kinds, side, edge_index, normal, found_separation):
    """The required and the optional points of a manifold whose axis has been judged already."""
    allowed = Fraction(pair.rounding)
    if side < 0:
        p, q = pair.nearest_corners()
        d = root(distance_sq(p, q))
        direction = ((q[0] - p[0]) / d, (q[1] - p[1]) / d) if d > 2 * allowed else fractions(normal)
        lift = (d + pair.radius_a - pair.radius_b) / 2
        # the direction was taken over the distance d: an error of u turns it by u / d, over the arm of the lift
        tolerance = float(2 * POINT * allowed * (1 + abs(lift) / max(d, allowed)))
        point = (p[0] + lift * direction[0], p[1] + lift * direction[1]), d, tolerance
        return [point], [point]
    if kinds in ((Circle, Polygon), (Polygon, Circle)):
        # n leads from the polygon to the center; the axis has been judged, so the way back along it ends midway
        is_b = kinds[0] is Polygon
        (center,) = pair.b if is_b else pair.a
        skin, radius = (pair.radius_a, pair.radius_b) if is_b else (pair.radius_b, pair.radius_a)
        nx, ny = fractions(normal) if is_b else fractions(-normal)
        lift = (skin - pair.core_separation - radius) / 2
        point = (center[0] + lift * nx, center[1] + lift * ny), pair.core_separation, float(POINT * allowed * 2)
        return [point], [point]
    edge = pair.edges(side)[edge_index]
    is_polygons = kinds == (Polygon, Polygon)
    skins = pair.radii - pair.surface
    return edge_points(pair, side, edge, pair.radii, skins if not is_polygons else pair.radii, allowed)


def judge_axis(pair, kinds, result, row):
    """The axis is the best one: among edge normals for two polygons, otherwise for the rounded shapes; A's if both are equal."""
    allowed = Fraction(SEPARATION * pair.rounding)
    side, edge_index = int(result.reference_side[row]), int(result.reference_edge[row])
    reported = Fraction(result.axis_separation[row]) + pair.surface
    axis = result.axis[row]
    assert abs(length_of(axis) - 1.0) <= 4.0 * EPS64
    assert abs(pair.gap_along(axis) - reported) <= allowed
    if kinds == (Polygon, Polygon):
        of_a, of_b = ([edge.separation(others) for edge in pair.edges(s)] for s, others in ((0, pair.b), (1, pair.a)))
        chosen = pair.edges(side)[edge_index]
        away = -1 if side else 1
        assert all(abs(Fraction(float(axis[k])) - away * chosen.normal[k]) <= NORMAL for k in range(2))
        assert abs((of_b if side else of_a)[edge_index] - reported) <= allowed
        if not np.isnan(result.found_separation[row, 1]):  # else an edge of A has parted them already
            assert reported >= max(of_a + of_b) - 2 * allowed
            if max(of_b) <= max(of_a):
                assert side == 0
            if max(of_b) > max(of_a) + 2 * allowed:
                assert side == 1
        return max(of_a + of_b) <= pair.radii, max(of_a + of_b) > pair.radii + allowed
    if result.count[row]:
        assert abs(reported - pair.core_separation) <= allowed
    else:  # any axis that parts them will do
        assert pair.radii <= reported <= pair.core_separation + allowed
    return pair.gap <= 0, pair.gap > allowed


def is_at(point, expected, surface):
    (x, y), gap, tolerance = expected
    at, separation = point
    off = max(abs(Fraction(at[0]) - x), abs(Fraction(at[1]) - y))
    return off <= tolerance and abs(Fraction(separation) - (gap - surface)) <= tolerance


@pytest.mark.parametrize("family", FAMILIES)
def test_manifold(family):
    shapes, pairs, poses_a, poses_b, exact = cases(family)
    result = batch.manifold(shapes, pairs, poses_a, poses_b)
    n_points = 0
    for row, pair in enumerate(exact):
        kinds = tuple(type(shapes[at]) for at in pairs[row].tolist())
        is_near, is_parted = judge_axis(pair, kinds, result, row)
        count = int(result.count[row])
        if is_parted:
            assert count == 0
        if pair.gap <= 0 and is_near:
            assert count > 0
        if is_parted or (count == 0 and pair.gap > 0):
            continue  # within the skins, beyond the ends of the edge: two skinned polygons corner to corner
        required, possible = expected_points(
            pair, kinds, int(result.reference_side[row]), int(result.reference_edge[row]), result.axis[row], result.found_separation[row]
        )
        reported = [(result.position[row, k], result.separation[row, k]) for k in range(count)]
        case = (row, pairs[row].tolist(), reported, [[tuple(map(float, p)) for p, _, _ in group] for group in (required, possible)])
        assert all(any(is_at(point, each, pair.surface) for each in required + possible) for point in reported), case
        assert all(any(is_at(point, each, pair.surface) for point in reported) for each in required), case
        n_points += count
    assert n_points > PAIRS // 5


@pytest.mark.parametrize("family", FAMILIES)
def test_contact_sets(family):
    shapes, pairs, poses_a, poses_b, exact = cases(family)
    result = batch.contact_set(shapes, pairs, poses_a, poses_b)
    touching = 0
    for row, pair in enumerate(exact):
        if pair.gap > DECISION * pair.rounding:
            assert result.status[row] == Status.SEPARATED
        if pair.gap < -DECISION * pair.rounding:
            assert result.status[row] == Status.OVERLAPPING
        if pair.gap == 0:
            assert result.status[row] == Status.TOUCHING
        if result.status[row] != Status.TOUCHING:
            assert result.count[row] == 0
            continue
        touching += 1
        allowed = POINT * pair.rounding
        points = [fractions(result.points[row, k]) for k in range(int(result.count[row]))]
        assert points and abs(length_of(result.normal[row]) - 1.0) <= 4.0 * EPS64
        nx, ny = fractions(result.normal[row])
        for x, y in points:
            # back along the normal by A's radius it lies on A's core, and forward by B's on B's
            on_a, on_b = (x - pair.radius_a * nx, y - pair.radius_a * ny), (x + pair.radius_b * nx, y + pair.radius_b * ny)
            for core, point in ((pair.a, on_a), (pair.b, on_b)):
                assert off_outline(core, point) <= allowed, (row, pairs[row], points)
        if pair.gap != 0:
            continue
        # an exact touch: the nearest corners' own direction is rational, and what A's core, moved onto B's along it, shares with B's is all
        if pair.radii:
            p, q = pair.nearest_corners()
            step = (q[0] - p[0], q[1] - p[1])
        else:
            step = (Fraction(0), Fraction(0))
        shared = common_part([(x + step[0], y + step[1]) for x, y in pair.a], pair.b)
        assert 1 <= len(shared) <= 2
        back = pair.radius_b / pair.radii if pair.radii else Fraction(0)
        surface = [(x - back * step[0], y - back * step[1]) for x, y in shared]
        for point in surface:
            assert root(min(distance_sq(point, each) for each in points)) <= allowed, (row, pairs[row], surface, points)
        assert len(surface) == len(points), (row, pairs[row], surface, points)
    if family == "lattice":
        assert touching > PAIRS // 8


def test_boxes():
    for family in FAMILIES:
        shapes, pairs, poses_a, _, exact = cases(family)
        boxes = batched.box_rows(shapes.packed, pairs[:, 0], batched.poses_with_rotation(poses_a))
        for row, pair in enumerate(exact):
            xs, ys = zip(*pair.a, strict=True)
            expected = (min(xs) - pair.radius_a, min(ys) - pair.radius_a, max(xs) + pair.radius_a, max(ys) + pair.radius_a)
            assert all(abs(Fraction(boxes[row, k]) - expected[k]) <= pair.rounding for k in range(4))


def test_the_referee_finds_faults():
    """Answers that exceed the bounds slightly are rejected, so the checks above can fail."""
    _, _, _, _, exact = cases("random")
    pair = next(pair for pair in exact if 0.01 < pair.gap < 1.0)
    p, q = pair.nearest_corners()
    right = (float(q[0] - p[0]), float(q[1] - p[1]))
    turned = (right[0] - 1e-4 * right[1], right[1] + 1e-4 * right[0])
    assert abs(pair.gap_along(right) - pair.core_separation) <= SEPARATION * pair.rounding
    assert pair.gap_along(turned) < pair.core_separation - SEPARATION * pair.rounding
    edge = Edge.between((Fraction(0), Fraction(0)), (Fraction(2), Fraction(0)))
    above = Edge.between((Fraction(3), Fraction(1)), (Fraction(-1), Fraction(1)))
    assert clipped(edge, above, Fraction(0)) == (Fraction(1, 4), Fraction(3, 4))
    assert clipped(edge, above, Fraction(1, 2)) == (Fraction(1, 8), Fraction(7, 8))
    assert root(Fraction(9, 16)) == Fraction(3, 4)
    assert abs(root(Fraction(2, 3)) ** 2 - Fraction(2, 3)) < Fraction(1, 2**190)
    box = [(Fraction(x), Fraction(y)) for x, y in ((0, 0), (2, 0), (2, 2), (0, 2))]
    assert common_part(box, [(x + 2, y + 1) for x, y in box]) == [(2, 1), (2, 2)]
    assert common_part(box, [(x + 2, y + 2) for x, y in box]) == [(2, 2)]
    assert common_part(box, [(x + 3, y) for x, y in box]) == []
