import numpy as np
import pytest

from engine.common.errors import InvalidShapeError
from engine.geometry import Polygon
from engine.geometry.flat_corners import corners_left_out, flattest_corner, without_flat_corners

SQUARE = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


def with_dent(depth, scale=1.0):
    return scale * np.insert(SQUARE, 1, (0.0, -1.0 + depth), axis=0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("depth", "is_flat"), [(1e-9, True), (1e-6, True), (1e-5, False), (0.1, False)])
def test_a_dent_within_float32_rounding_is_flat_at_every_size(depth, is_flat, scale):
    points = with_dent(depth, scale)
    if not is_flat:
        with pytest.raises(InvalidShapeError, match=r"at vertices\[1\]"):
            without_flat_corners(points, Polygon)
        return
    made = without_flat_corners(points, Polygon)
    assert made.vertices.tolist() == (scale * SQUARE).tolist()
    (corner,) = corners_left_out(points, made.vertices)
    assert corner.number == 1 and corner.offset == pytest.approx(depth * scale)


def test_far_from_the_origin_corners_are_rounded_more():
    assert len(without_flat_corners(with_dent(5e-5) + (1000.0, 0.0), Polygon).vertices) == 4
    with pytest.raises(InvalidShapeError):
        without_flat_corners(with_dent(5e-4) + (1000.0, 0.0), Polygon)


def test_accepted_polygons_stay_unchanged():
    points = with_dent(-1e-12)
    made = without_flat_corners(points, Polygon)
    assert len(made.vertices) == 5 and corners_left_out(points, made.vertices) == []


def test_corners_on_the_line_and_repeats_are_not_reported():
    points = np.insert(with_dent(0.0), 0, SQUARE[0], axis=0)
    assert corners_left_out(points, Polygon(points).vertices) == []


def test_the_flattest_corner_is_dropped_first_and_a_real_dent_keeps_its_number():
    points = np.array([(-1.0, -1.0), (0.0, -1.0 + 1e-8), (1.0, -1.0), (1.0, 1.0), (0.0, 0.5), (-1.0, 1.0)])
    with pytest.raises(InvalidShapeError, match=r"a dent of 0.5 m at vertices\[4\], \(0, 0.5\)"):
        without_flat_corners(points, Polygon)


def test_a_spike_is_not_a_flat_corner():
    """Its neighbors are collinear with its tip."""
    points = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (0.0, 1.0), (0.0, 3.0), (0.0, 1.0 + 1e-9), (-1.0, 1.0)])
    with pytest.raises(InvalidShapeError, match="folds back"):
        without_flat_corners(points, Polygon)


def test_no_corner_of_a_polygon_as_thin_as_rounding_is_dropped():
    def refuses(corners):
        polygon = Polygon(corners)
        assert len(polygon.vertices) == 4
        raise InvalidShapeError("vertices", "large enough", 0.0)

    with pytest.raises(InvalidShapeError, match="large enough"):
        without_flat_corners(np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 5e-7), (0.0, 5e-7)]), refuses)


def test_the_flattest_corner_protrudes_least_relative_to_its_edges():
    corner = flattest_corner(with_dent(-1e-9))
    assert (corner.number, corner.place) == (1, "(0, -1)") and corner.offset == pytest.approx(1e-9)


def test_three_corners_stay_and_thousands_are_rejected_at_once():
    with pytest.raises(InvalidShapeError, match="enclose an area"):
        without_flat_corners(np.array([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]), Polygon)
    n_tried = 0

    def refuses(corners):
        nonlocal n_tried
        n_tried += 1
        raise InvalidShapeError("vertices", "fewer", len(corners))

    with pytest.raises(InvalidShapeError):
        without_flat_corners(Polygon.regular(10_000, 1.0).vertices, refuses)
    assert n_tried == 1
