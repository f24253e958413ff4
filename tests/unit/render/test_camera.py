import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.geometry import AABB
from engine.render.camera import MAX_SCALE, MIN_SCALE, Camera

coordinates = st.floats(-1000.0, 1000.0)
cameras = st.builds(
    Camera,
    st.tuples(coordinates, coordinates),
    st.floats(0.5, 500.0),
    st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(1, 2000), st.integers(1, 2000)),
)


def test_the_center_of_the_world_is_the_middle_of_the_view_and_y_points_up():
    camera = Camera((0.0, 0.0), 10.0, (100, 0, 200, 100))
    assert camera.to_screen((0.0, 0.0)) == (200.0, 50.0)
    assert camera.to_screen((1.0, 2.0)) == (210.0, 30.0)
    assert camera.to_world((210.0, 30.0)) == (1.0, 2.0)


@given(cameras, st.tuples(coordinates, coordinates))
def test_to_world_undoes_to_screen(camera, point):
    assert camera.to_world(camera.to_screen(point)) == pytest.approx(point, abs=1e-6)
    assert camera.to_screen_array(np.array([point]))[0] == pytest.approx(camera.to_screen(point), rel=1e-9, abs=1e-6)


@given(cameras, st.tuples(st.floats(0, 2000), st.floats(0, 2000)), st.floats(0.01, 100.0))
def test_zooming_keeps_the_point_under_the_pointer(camera, pixel, factor):
    zoomed = camera.zoomed(pixel, factor)
    assert MIN_SCALE <= zoomed.scale <= MAX_SCALE
    before, after = camera.to_world(pixel), zoomed.to_world(pixel)
    assert math.hypot(before[0] - after[0], before[1] - after[1]) < 1e-6 * (1.0 + abs(before[0]) + abs(before[1]))


@given(cameras, st.tuples(st.floats(-500, 500), st.floats(-500, 500)))
def test_panning_moves_the_picture_with_the_mouse(camera, drag):
    held = camera.to_world((400.0, 300.0))
    moved = camera.panned(*drag).to_screen(held)
    assert moved == pytest.approx((400.0 + drag[0], 300.0 + drag[1]), abs=1e-4)


@pytest.mark.parametrize("box", [AABB((-10, 0), (10, 1)), AABB((5, 5), (5.5, 50)), AABB((1, 1), (1, 1))])
def test_fitting_shows_the_whole_box_in_the_middle(box):
    camera = Camera(view=(276, 0, 1004, 690)).fitted(box)
    seen = camera.visible
    assert seen.lower[0] < box.lower[0] and seen.lower[1] < box.lower[1]
    assert seen.upper[0] > box.upper[0] and seen.upper[1] > box.upper[1]
    middle = (0.5 * (box.lower[0] + box.upper[0]), 0.5 * (box.lower[1] + box.upper[1]))
    assert camera.to_screen(middle) == pytest.approx((276 + 502, 345))


def test_resizing_keeps_the_center_and_scales_with_the_smaller_side():
    camera = Camera((3.0, 4.0), 20.0, (0, 0, 800, 400)).resized((0, 0, 1600, 800))
    assert camera.center == (3.0, 4.0)
    assert camera.scale == 40.0


def test_a_shifted_camera_draws_another_world_beside_this_one():
    camera = Camera((0.0, 0.0), 10.0, (0, 0, 100, 100))
    assert camera.shifted((2.0, 1.0)).to_screen((0.0, 0.0)) == camera.to_screen((2.0, 1.0))


def test_a_fitted_view_avoids_covering_panels():
    box = AABB((-2.0, 1.0), (4.0, 3.0))
    camera = Camera(view=(100, 50, 800, 600)).fitted(box, kept=(200.0, 40.0, 10.0, 60.0))
    left, bottom = camera.to_screen(box.lower)
    right, top = camera.to_screen(box.upper)
    assert left >= 300.0 and right <= 890.0 and top >= 90.0 and bottom <= 590.0
    assert (left - 300.0, top - 90.0) == pytest.approx((890.0 - right, 590.0 - bottom)), "in the middle of what is left"


def test_fitting_the_view_of_a_camera_returns_the_same_camera():
    kept = (200.0, 40.0, 10.0, 60.0)
    camera = Camera((3.0, -4.0), 31.0, (100, 50, 800, 600))
    again = Camera(view=camera.view).fitted(camera.framed(kept=kept), kept=kept)
    assert again.center == pytest.approx(camera.center) and again.scale == pytest.approx(camera.scale)
