"""Compares distance and penetration of degenerate pairs with fractions (`rational`), and of random pairs with shapely.

Random pairs against fractions: `test_rational_referee`. Allowance: a separation carries SAT_ROUNDING times the scale (derived there:
vertices into A's frame, a unit normal, their product), and GJK and EPA stop when their two bounds are that near to each other: twice
SAT_ROUNDING times the scale.
"""

import math

import numpy as np
import pytest
from shapely import LineString, Point
from shapely import Polygon as GeosPolygon

from engine.common.tolerances import SAT_ROUNDING
from engine.compare.cases import case_chunk, random_polygon
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase.scratch import core_of
from engine.query import batch
from engine.query.pairs import distance, penetration
from tests.agreement.adversarial import scaled
from tests.agreement.rational import Pair

SHARPNESS = 2.0


def judge(a, xf_a, b, xf_b):
    """Compare distance and penetration with the exact answer."""
    pair = Pair(a, xf_a, b, xf_b)
    allowed = SHARPNESS * pair.rounding
    gap_result, parting = distance(a, xf_a, b, xf_b), penetration(a, xf_a, b, xf_b)
    assert gap_result.status in (Status.SEPARATED, Status.TOUCHING, Status.OVERLAPPING)
    assert parting.status == gap_result.status
    if gap_result.normal is None:
        assert gap_result.status is Status.OVERLAPPING and pair.core_separation <= allowed and gap_result.separation == -pair.radii
    else:
        assert abs(gap_result.separation - pair.gap) <= allowed, (a, xf_a, b, xf_b, gap_result)
    if parting.status is Status.SEPARATED:
        assert pair.gap > 0.0 and parting.depth == 0.0 and parting.normal is None
    else:
        assert abs(parting.depth - max(0, -pair.gap)) <= allowed, (a, xf_a, b, xf_b, parting)
    if pair.gap > 2.0 * allowed:
        assert gap_result.status is Status.SEPARATED
    if pair.gap < -2.0 * allowed:
        assert gap_result.status is Status.OVERLAPPING
    for result, gap in ((gap_result, gap_result.separation), (parting, -parting.depth)):
        if result.normal is not None:
            assert abs(math.hypot(*result.normal) - 1.0) < 1e-15
            for k in range(2):
                assert abs(result.point_a[k] + gap * result.normal[k] - result.point_b[k]) <= allowed


def fat_shapes(rng, n):
    """Return shapes of all four kinds, with and without skins, including needles."""
    shapes = []
    for kind in rng.integers(0, 6, n).tolist():
        p, q = rng.uniform(-1.0, 1.0, (2, 2)).tolist()
        if kind < 2:
            shapes.append(Polygon(random_polygon(rng, int(rng.integers(3, 9))).vertices, 0.1 * kind))
        elif kind == 2:
            shapes.append(Circle(float(rng.uniform(0.05, 1.0)), p))
        elif kind == 3:
            shapes.append(Capsule(p, q, 0.2))
        elif kind == 4:
            shapes.append(Segment(p, q, float(rng.choice((0.0, 0.01)))))
        else:
            shapes.append(Polygon.box(1.0, 0.0005))
    return shapes


BOX, NEEDLE, TRIANGLE = Polygon.box(0.5, 0.5), Polygon.box(1.0, 0.0005), Polygon([(-0.5, 0.0), (0.5, 0.0), (0.0, 0.75)])
LINE, POINT, DISC, ROD = (
    Segment((-1.0, 0.0), (1.0, 0.0)),
    Segment((0.0, 0.0), (0.0, 0.0)),
    Circle(0.5),
    Capsule((-1.0, 0.0), (1.0, 0.0), 0.25),
)
SIX = (BOX, NEEDLE, TRIANGLE, LINE, POINT, DISC, ROD)
NEARLY = 1e-13

PLACES = {
    "the same": ((0.0, 0.0), 0.0),
    "parallel edges": ((0.25, 1.5), 0.0),
    "edges on one line": ((3.0, 0.0), 0.0),
    "edges on one line, overlapping": ((0.75, 0.0), 0.0),
    "edge on edge": ((0.25, 1.0), 0.0),
    "corner on corner": ((1.0, 1.0), 0.0),
    "end on end": ((2.0, 0.0), 0.0),
    "a hair apart": ((0.0, 1.0 + NEARLY), 0.0),
    "a hair inside": ((0.0, 1.0 - NEARLY), 0.0),
    "nearly parallel": ((0.25, 1.25), NEARLY),
    "nearly the same": ((NEARLY, -NEARLY), NEARLY),
    "turned by a right angle": ((0.0, 0.75), math.pi / 2.0),
    "half a turn": ((0.0, 0.5), math.pi),
    "inside": ((0.05, 0.1), 0.4),
    "crossed": ((0.0, 0.0), 1.2),
    "oblique": ((1.3, 0.9), 0.7),
}


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("place", PLACES)
def test_degenerate_pairs_at_all_sizes_against_exact_arithmetic(place, size):
    (x, y), angle = PLACES[place]
    for a in SIX:
        for b in SIX:
            judge(scaled(a, size), Transform(), scaled(b, size), Transform((x * size, y * size), angle))


@pytest.mark.parametrize("place", PLACES)
def test_rotated_degenerate_pairs_far_from_the_origin_against_exact_arithmetic(place):
    (x, y), angle = PLACES[place]
    frame = Transform((30_000.0, -70_000.0), 0.6)
    for a in SIX:
        for b in SIX:
            judge(a, frame, b, Transform(frame.apply((x, y)), angle + 0.6))


def test_shapes_of_very_different_sizes():
    """Sizes that differ by a factor of a million, and two needles of 1:1000 at every small angle."""
    for angle in (0.0, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2):
        judge(scaled(BOX, 1e3), Transform(), scaled(BOX, 1e-3), Transform((500.0004, 3.0), angle))
        judge(scaled(BOX, 1e3), Transform(), scaled(BOX, 1e-3), Transform((500.0006, 3.0), angle))
        judge(NEEDLE, Transform(), NEEDLE, Transform((0.5, 0.0009), angle))
        judge(NEEDLE, Transform(), NEEDLE, Transform((0.5, 0.0011), angle))
        judge(NEEDLE, Transform(), NEEDLE, Transform((2.0, 0.0), angle))


def geos(shape, pose):
    points = Transform((pose[0], pose[1]), pose[2]).apply_array(core_of(shape)[0])
    if len(points) == 1:
        return Point(points[0])
    return LineString(points) if len(points) == 2 else GeosPolygon(points)


def test_distance_agrees_with_shapely():
    # shapely's radii are polygons, so it is asked for the cores; it rounds in world coordinates: four times our scale's rounding
    rng = np.random.default_rng(8)
    extra = tuple(fat_shapes(rng, 200))
    cases = case_chunk(21, 0, 2000)
    shapes = cases.shapes + extra
    pairs = np.vstack((cases.pairs, rng.integers(0, len(shapes), (1000, 2))))
    poses_a, poses_b = (np.vstack((poses, rng.uniform(-1.5, 1.5, (1000, 3)))) for poses in (cases.poses_a, cases.poses_b))

    result = batch.distance(batch.ShapeBatch(shapes), pairs, poses_a, poses_b)
    separated = 0
    for row, (a, b) in enumerate(pairs.tolist()):
        gap = geos(shapes[a], poses_a[row]).distance(geos(shapes[b], poses_b[row]))
        radii = core_of(shapes[a])[1] + core_of(shapes[b])[1]
        scale = np.abs(poses_a[row, :2]).sum() + np.abs(poses_b[row, :2]).sum() + core_of(shapes[a])[2] + core_of(shapes[b])[2]
        allowed = 4.0 * SHARPNESS * SAT_ROUNDING * scale
        if np.isnan(result.normal[row, 0]):
            assert gap <= allowed
        else:
            assert abs(max(result.separation[row] + radii, 0.0) - gap) <= allowed, (row, result.separation[row] + radii - gap)
            separated += 1
    assert separated > 1000
