"""Overlap of volumes is closed and symmetric, and volumes overlap whenever the shapes share a point."""

import math

import numpy as np
import pytest
import shapely

from engine.bounding import BoundingCapsule, BoundingCircle, BoundingHull, OrientedBox, bounding_hull, fitted_kdop, outlines_overlap
from engine.bounding.batch import VolumeBatch
from engine.bounding.kinds import KINDS
from engine.bounding.outlines import outlines_meeting
from engine.common.rng import stream
from engine.geometry import Transform, convex_hull
from tests.unit.bounding.clouds import CLOUDS

STAR = np.array([(math.cos(t) * r, math.sin(t) * r) for t, r in zip(np.arange(10) * math.pi / 5, [1.0, 0.4] * 5, strict=True)])
FRAME = (CLOUDS["square"], 0.75 * CLOUDS["square"])


def random_poses(n, reach, *names):
    rng = stream(0, *names)
    return np.column_stack((rng.uniform(-reach, reach, (n, 2)), rng.uniform(-9.0, 9.0, n)))


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", KINDS)
def test_outlines_that_touch_have_overlapping_volumes(kind, size):
    outline = size * STAR
    poses = random_poses(400, 1.3 * size, "meeting") + (1e4, 0.0, 0.0)
    truth = outlines_meeting([outline], poses)
    batch, pairs = VolumeBatch(kind, [outline], 12), np.column_stack((np.arange(200), np.arange(200, 400)))
    rows = batch.update(np.zeros(400, dtype=int), poses)
    says = batch.overlap(rows, pairs)
    assert 20 < truth.sum() < 180 and not (truth & ~says).any() and not says.all()
    assert np.array_equal(says, batch.overlap(rows, pairs[:, ::-1]))


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_that_share_one_exact_point_overlap(kind):
    """Two triangles that touch at a corner with identical floating-point coordinates, at any rotation and position."""
    rng = stream(1, "touch")
    corner = np.array([(0.0, 0.0), (3.0, -1.0), (3.0, 1.0)])
    for place in ((0.0, 0.0), (0.1, 1e-4), (1e5, -7e4)):
        angles = rng.uniform(-math.pi, math.pi, 100)
        poses = np.array([(*place, angle) for angle in angles] + [(*place, angle + math.pi) for angle in angles])
        batch = VolumeBatch(kind, [corner], 32)
        rows = batch.update(np.zeros(200, dtype=int), poses)
        assert batch.overlap(rows, np.column_stack((np.arange(100), np.arange(100, 200)))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_batches_match_the_scalar_overlap_tests(kind):
    clouds = [CLOUDS[name] for name in ("cloud", "one point", "two points", "rod", "triangle")]
    which, poses = np.arange(60) % 5, random_poses(60, 2.0, "chapters")
    batch = VolumeBatch(kind, clouds, 10)
    rows = batch.update(which, poses)
    pairs = np.array([(i, j) for i in range(60) for j in range(i, 60)])
    says = batch.overlap(rows, pairs)
    scalar = [_volume(kind, row) for row in rows]
    expected = [scalar[i].overlaps(scalar[j]) for i, j in pairs]
    assert says.tolist() == expected and 0.2 < says.mean() < 0.8


def _volume(kind, row):
    from engine.bounding import KDop
    from engine.geometry import AABB

    row = row.tolist()
    if kind in ("mean_circle", "smallest_circle"):
        return BoundingCircle((row[0], row[1]), row[2])
    if kind in ("box", "refitted_box"):
        return AABB((row[0], row[1]), (row[2], row[3]))
    if kind == "oriented_box":
        return OrientedBox((row[0], row[1]), (row[2], row[3]), row[4], row[5])
    if kind == "capsule":
        return BoundingCapsule((row[0], row[1]), (row[2], row[3]), row[4])
    if kind == "hull":
        return BoundingHull(np.array(row[3 : 3 + 2 * int(row[0])]).reshape(-1, 2), row[1])
    return KDop(10, np.array(row[:5]), np.array(row[5:]))


def test_touching_volumes_overlap_and_separated_ones_do_not():
    gap = 1e-9
    for shift, expected in ((2.0, True), (2.0 + gap, False)):
        assert BoundingCircle((0.0, 0.0), 1.0).overlaps(BoundingCircle((shift, 0.0), 1.0)) is expected
        box = OrientedBox((0.0, 0.0), (1.0, 0.0), 1.0, 0.5)
        assert box.overlaps(OrientedBox((shift, 0.0), (0.0, 1.0), 0.5, 1.0)) is expected
        capsule = BoundingCapsule((0.0, -1.0), (0.0, 1.0), 1.0)
        assert capsule.overlaps(BoundingCapsule((shift, -1.0), (shift, 5.0), 1.0)) is expected
        square = CLOUDS["square"]
        assert bounding_hull(square).overlaps(bounding_hull(square + (shift, 0.5))) is expected
        assert fitted_kdop(square, 8).overlaps(fitted_kdop(square + (shift, 0.5), 8)) is expected


def test_segments_and_points_as_hulls():
    def hull(*points, radius=0.0):
        return BoundingHull(np.array(points), radius)

    cross, along = hull((-1.0, 0.0), (1.0, 0.0)), hull((2.0, 0.0), (3.0, 0.0))
    assert cross.overlaps(hull((0.0, -1.0), (0.0, 1.0))) and not cross.overlaps(along)
    assert not hull((2.0, 0.0)).overlaps(cross) and hull((0.5, 0.0)).overlaps(cross)
    assert not hull((0.0, 0.0)).overlaps(hull((1.0, 0.0))) and hull((0.0, 0.0)).overlaps(hull((0.0, 0.0)))
    square = hull(*CLOUDS["square"].tolist())
    assert square.overlaps(hull((0.2, 0.1))) and square.overlaps(hull((-9.0, 0.0), (9.0, 0.3))) and not square.overlaps(hull((1.1, 0.0)))
    # two corners face each other: the gap over the edges' normals is smaller than the distance, and the radii lie between
    assert not hull((0.0, 0.0), (-1.0, 0.0), radius=0.5).overlaps(hull((0.8, 0.8), (1.8, 0.8), radius=0.5))


def test_a_hull_too_far_away_for_its_size_keeps_the_edges_that_it_has():
    """At 1e16 m, floats are two meters apart, so two corners merge; the slanted edge still separates what no other edge does."""
    ring = np.array([(0.0, 0.0), (40.0, 0.0), (40.0, 0.0), (20.0, 40.0)]) + (1e16, 0.0)
    other = np.array([(40.0, 40.0), (140.0, 60.0), (60.0, 140.0)]) + (1e16, 0.0)
    hulls = BoundingHull(ring, 0.0), BoundingHull(other, 0.0)
    assert not hulls[0].overlaps(hulls[1]) and not hulls[1].overlaps(hulls[0]) and hulls[0].overlaps(hulls[0])
    batch = VolumeBatch("hull", [CLOUDS["square"]])
    rows = np.array([(4.0, 0.0, 50.0, *ring.ravel()), (3.0, 0.0, 150.0, *other.ravel(), 0.0, 0.0)])
    assert batch.overlap(rows, [(0, 1), (1, 0), (0, 0)]).tolist() == [False, False, True]


@pytest.mark.parametrize("radius", [0.0, 0.15])
def test_overlap_of_hulls_agrees_with_shapely(radius):
    rng = stream(2, "hulls")
    for _ in range(60):
        hulls = [BoundingHull(convex_hull(rng.normal(size=(7, 2)) + shift), radius) for shift in ((0.0, 0.0), rng.uniform(-4, 4, 2))]
        away = shapely.Polygon(hulls[0].vertices).distance(shapely.Polygon(hulls[1].vertices))
        assert hulls[0].overlaps(hulls[1]) == (away <= 2.0 * radius) == hulls[1].overlaps(hulls[0])


def test_overlap_of_capsules_and_oriented_boxes_agrees_with_shapely():
    rng = stream(3, "capsules")
    says = []
    for _ in range(200):
        ends, radii = rng.uniform(-1.5, 1.5, (2, 2, 2)), rng.uniform(0.0, 0.5, 2)
        first, other = (BoundingCapsule(tuple(p), tuple(q), r) for (p, q), r in zip(ends, radii, strict=True))
        away = shapely.LineString(ends[0]).distance(shapely.LineString(ends[1]))
        assert first.overlaps(other) == (away <= radii.sum()) == other.overlaps(first)
        angles, sizes = rng.uniform(-4.0, 4.0, 2), rng.uniform(0.1, 1.0, (2, 2))
        boxes = [OrientedBox(tuple(ends[k, 0]), (math.cos(angles[k]), math.sin(angles[k])), *sizes[k]) for k in range(2)]
        meet = shapely.Polygon(boxes[0].corners).intersects(shapely.Polygon(boxes[1].corners))
        assert boxes[0].overlaps(boxes[1]) == meet == boxes[1].overlaps(boxes[0])
        says += [first.overlaps(other), meet]
    assert 0.2 < np.mean(says) < 0.8


@pytest.mark.parametrize("rings", [(STAR,), FRAME, (STAR, STAR + (1.5, 0.2))], ids=["star", "frame", "two parts"])
def test_contact_of_outlines_agrees_with_shapely(rings):
    poses = random_poses(300, 2.0, "shapely")
    meeting = outlines_meeting(rings, poses)
    area = (
        shapely.Polygon(rings[0], [rings[1]])
        if rings is FRAME or len(rings[0]) == 4
        else shapely.MultiPolygon([(ring, []) for ring in rings])
    )
    for row in range(0, 150, 3):
        xf_a, xf_b = (Transform((x, y), angle) for x, y, angle in (poses[row], poses[150 + row]))
        placed = [shapely.transform(area, xf.apply_array) for xf in (xf_a, xf_b)]
        assert outlines_overlap(rings, xf_a, rings, xf_b) == meeting[row] == placed[0].intersects(placed[1])
    assert 20 < meeting.sum() < 150


def test_one_outline_inside_another_and_in_its_hole():
    here, small = Transform(), [0.2 * STAR]
    within = Transform((0.875, 0.0))
    assert outlines_overlap(FRAME, here, [0.1 * STAR], within) and outlines_overlap([0.1 * STAR], within, FRAME, here)
    assert not outlines_overlap(FRAME, here, small, here) and not outlines_overlap(small, here, FRAME, here)
    assert outlines_overlap(FRAME, here, small, Transform((0.7, 0.0)))


def test_walk_and_projection_give_the_same_kdop():
    from engine.bounding._kdop_kernel import posed_kdops
    from engine.bounding.kdop import kdop_axes

    hull, poses = (
        convex_hull(stream(3, "walk").normal(size=(60, 2))),
        np.column_stack((random_poses(50, 3.0, "walk")[:, :2], np.zeros((50, 2)))),
    )
    poses[:, 2], poses[:, 3] = np.cos(np.arange(50)), np.sin(np.arange(50))
    corners = []
    for walk_from in (0, 10**9):
        rows = np.empty((50, 12))
        shape = np.zeros(1, dtype=np.int64), np.array([len(hull)]), hull, np.zeros((1, 3))
        posed_kdops(*shape, kdop_axes(12).copy(), np.zeros(50, dtype=np.int64), poses, rows, walk_from)
        corners.append(rows)
    assert np.abs(corners[0] - corners[1]).max() < 1e-14
