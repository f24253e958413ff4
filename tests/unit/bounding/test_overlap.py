"""Overlap of volumes is closed and symmetric, and volumes overlap whenever the shapes share a point."""

import math

import numpy as np
import pytest
import shapely

from engine.bounding import Volume, bounding_hull, fitted_kdop, least_area_box, least_area_capsule, outlines_overlap, smallest_circle
from engine.bounding.kinds import KINDS, area_of, follower, overlap
from engine.common.rng import stream
from engine.geometry import Transform, convex_hull
from tests.unit.bounding.clouds import CLOUDS

STAR = np.array([(math.cos(t) * r, math.sin(t) * r) for t, r in zip(np.arange(10) * math.pi / 5, [1.0, 0.4] * 5, strict=True)])
FRAME = (CLOUDS["square"], 0.75 * CLOUDS["square"])


def random_poses(n, reach, *names):
    rng = stream(0, *names)
    return [Transform((x, y), angle) for x, y, angle in np.column_stack((rng.uniform(-reach, reach, (n, 2)), rng.uniform(-9.0, 9.0, n)))]


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", KINDS)
def test_outlines_that_touch_have_overlapping_volumes(kind, size):
    outline, place = size * STAR, follower(kind, size * STAR, 12)
    poses = [Transform((xf.position[0] + 1e4, xf.position[1]), xf.angle) for xf in random_poses(120, 1.3 * size, "meeting")]
    pairs = list(zip(poses[:60], poses[60:], strict=True))
    truth = np.array([outlines_overlap([outline], a, [outline], b) for a, b in pairs])
    says = np.array([overlap(place(a), place(b)) for a, b in pairs])
    assert 5 < truth.sum() < 55 and not (truth & ~says).any() and not says.all()
    assert says.tolist() == [overlap(place(b), place(a)) for a, b in pairs]


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_that_share_one_exact_point_overlap(kind):
    """Two triangles that touch at a corner with identical floating-point coordinates, at any rotation and position."""
    rng, place = stream(1, "touch"), follower(kind, np.array([(0.0, 0.0), (3.0, -1.0), (3.0, 1.0)]), 32)
    for at in ((0.0, 0.0), (0.1, 1e-4), (1e5, -7e4)):
        for angle in rng.uniform(-math.pi, math.pi, 30):
            assert overlap(place(Transform(at, angle)), place(Transform(at, angle + math.pi)))


def test_touching_volumes_overlap_and_separated_ones_do_not():
    square, gap = CLOUDS["square"], 1e-9
    for fit in (smallest_circle, least_area_box, bounding_hull, lambda points: fitted_kdop(points, 8), least_area_capsule):
        volume = fit(square)
        ends = volume.core[:, 0] if isinstance(volume, Volume) else volume.corners[:, 0]
        width = float(np.ptp(ends)) + 2.0 * getattr(volume, "radius", 0.0)
        for shift, expected in ((width, True), (width + gap, False)):
            other = fit(square + (shift, 0.0))
            assert volume.overlaps(other) is other.overlaps(volume) is expected, fit


def test_segments_and_points_as_cores():
    def core(*points, radius=0.0):
        return Volume(np.array(points), radius)

    cross, along = core((-1.0, 0.0), (1.0, 0.0)), core((2.0, 0.0), (3.0, 0.0))
    assert cross.overlaps(core((0.0, -1.0), (0.0, 1.0))) and not cross.overlaps(along)
    assert not core((2.0, 0.0)).overlaps(cross) and core((0.5, 0.0)).overlaps(cross)
    assert not core((0.0, 0.0)).overlaps(core((1.0, 0.0))) and core((0.0, 0.0)).overlaps(core((0.0, 0.0)))
    square = core(*CLOUDS["square"].tolist())
    assert square.overlaps(core((0.2, 0.1))) and square.overlaps(core((-9.0, 0.0), (9.0, 0.3))) and not square.overlaps(core((1.1, 0.0)))
    # two corners face each other: the gap over the edges' normals is smaller than the distance, and the radii lie between
    assert not core((0.0, 0.0), (-1.0, 0.0), radius=0.5).overlaps(core((0.8, 0.8), (1.8, 0.8), radius=0.5))


@pytest.mark.parametrize("radius", [0.0, 0.15])
def test_overlap_agrees_with_shapely(radius):
    rng = stream(2, "hulls")
    for _ in range(60):
        hulls = [Volume(convex_hull(rng.normal(size=(7, 2)) + shift), radius) for shift in ((0.0, 0.0), rng.uniform(-4, 4, 2))]
        away = shapely.Polygon(hulls[0].core).distance(shapely.Polygon(hulls[1].core))
        assert hulls[0].overlaps(hulls[1]) == (away <= 2.0 * radius) == hulls[1].overlaps(hulls[0])


def test_one_outline_inside_another_and_in_its_hole():
    here, small = Transform(), [0.2 * STAR]
    within = Transform((0.875, 0.0))
    assert outlines_overlap(FRAME, here, [0.1 * STAR], within) and outlines_overlap([0.1 * STAR], within, FRAME, here)
    assert not outlines_overlap(FRAME, here, small, here) and not outlines_overlap(small, here, FRAME, here)
    assert outlines_overlap(FRAME, here, small, Transform((0.7, 0.0)))


def test_the_areas_of_a_square_are_in_the_order_of_the_kinds():
    areas = {kind: area_of(follower(kind, CLOUDS["square"], 8)(Transform(angle=0.3))) for kind in KINDS}
    assert areas["hull"] == pytest.approx(4.0) == areas["oriented_box"] and areas["smallest_circle"] == pytest.approx(2.0 * math.pi)
    assert areas["hull"] < areas["kdop"] < areas["refitted_kdop"] + 1e-9 and areas["box"] <= areas["refitted_box"]
