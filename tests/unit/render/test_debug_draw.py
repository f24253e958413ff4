from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pygame
import pytest

from engine.contracts import no_contacts
from engine.render import palette
from engine.render._carry_kernel import carry_points
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from engine.render.fonts import LabelRoom
from engine.render.interpolation import interpolated
from engine.render.packing import PackedShapes, carried_points
from engine.render.trail import FADE_STEPS, FLASH_STEPS, ContactTrail
from engine.render.views import Layers

NOTHING = {field.name: False for field in fields(Layers)}


def canvas_on(surface):
    surface.fill(palette.BACKGROUND)
    return Canvas(surface, Camera((1.0, 0.5), 30.0, (0, 0, *surface.get_size())))


def colors(surface):
    pixels = pygame.surfarray.array3d(surface).reshape(-1, 3)
    return {tuple(row) for row in np.unique(pixels, axis=0).tolist()}


def test_packed_vertices_match_the_body(scene):
    packed = PackedShapes(scene.world)
    assert packed.starts.tolist() == [0, 4, 8, 12]
    assert packed.polygon_row.tolist() == [0, 1, 2] and packed.circle_row.tolist() == [2]
    box = packed.world_vertices(scene.world.previous_poses)[4:8]
    assert np.sort(box, axis=0)[[0, -1]].tolist() == [[-0.5, 0.5], [0.5, 1.5]]
    low_x, low_y, high_x, high_y = packed.boxes(packed.world_vertices(scene.world.previous_poses), packed.world_centers(scene.world.poses))[
        1
    ]
    assert (low_x, low_y, high_x, high_y) == pytest.approx((-0.51, 0.49, 0.51, 1.51))


def test_interpolation_moves_the_center_of_mass_on_a_line():
    before, after = np.array([(0.0, 0.0, 0.0)]), np.array([(0.0, 0.0, np.pi)])
    center = np.array([(1.0, 0.0)])
    x, y, angle = interpolated(before, after, 0.5, center)[0].tolist()
    # the center goes from (1, 0) to (-1, 0) through (0, 0); at a quarter turn the origin lies a meter below it
    assert (x, y, angle) == pytest.approx((0.0, -1.0, np.pi / 2))
    assert interpolated(before, after, 1.0, center) is after


def test_a_contact_point_moves_with_its_body(scene):
    world, packed = scene.world, PackedShapes(scene.world)
    contacts = world.contacts
    rows = np.searchsorted(packed.body_ids, contacts.body_b)
    shifted = world.poses.copy()
    shifted[packed.is_moving, :2] += (0.3, 0.2)
    held = replace(contacts, pose_a=world.poses[np.searchsorted(packed.body_ids, contacts.body_a)], pose_b=world.poses[rows])
    moved = carried_points(held, packed, shifted, packed.rows_of_contacts(held)) - held.position
    for row in range(len(held)):
        assert moved[row, 0] == pytest.approx((0.3, 0.2)), "static bodies carry nothing"
    assert carried_points(held, packed, world.poses, packed.rows_of_contacts(held)) == pytest.approx(held.position)


def test_points_are_carried_to_the_same_bits_by_the_kernel():
    rng = np.random.default_rng(3)
    n, n_bodies = 300, 40
    contacts = replace(
        no_contacts(1),
        count=np.full(n, 2),
        position=rng.normal(size=(n, 2, 2)),
        pose_a=rng.normal(size=(n, 3)),
        pose_b=rng.normal(size=(n, 3)),
        fixture_a=rng.integers(0, 60, n),
        fixture_b=rng.integers(0, 60, n),
    )
    is_moving = rng.random(n_bodies) < 0.7
    packed = SimpleNamespace(is_moving=is_moving, body_ids=np.arange(n_bodies), is_round=lambda fixtures: fixtures < 20)
    poses, rows = rng.normal(size=(n_bodies, 3)), rng.integers(-1, n_bodies, (2, n))
    kinds = {(a >= 0 and is_moving[a], b >= 0 and is_moving[b]) for a, b in rows.T.tolist()}
    assert len(kinds) == 4, "on both, on one, on none"
    by_columns = carried_points(contacts, packed, poses, rows)
    assert carried_points(contacts, packed, poses, rows, carry_points).tobytes() == by_columns.tobytes()


def test_contacts_of_bodies_deleted_since_the_step_are_not_drawn(scene, surface):
    debug, points = DebugDraw(), Layers(**{**NOTHING, "points": True, "check": True})
    assert len(debug.draw(canvas_on(surface), scene, points).differences) > 0 and len(colors(surface)) > 1
    scene.world.contacts.body_b[:] = 99
    assert len(debug.draw(canvas_on(surface), scene, points).differences) == 0 and colors(surface) == {palette.BACKGROUND}


def test_structure_is_read_again_only_after_a_change(scene):
    debug = DebugDraw()
    first = debug.packed(scene.world)
    assert debug.packed(scene.world) is first
    scene.world.structure_version += 1
    assert debug.packed(scene.world) is not first


def test_touching_bodies_are_red_and_sleeping_ones_are_not(scene, surface):
    DebugDraw().draw(canvas_on(surface), scene, Layers(**{**NOTHING, "shapes": True}))
    shown = colors(surface)
    assert palette.mix(palette.BACKGROUND, palette.TOUCHING, 0.42) in shown
    scene.mark_touching = False
    DebugDraw().draw(canvas_on(surface), scene, Layers(**{**NOTHING, "shapes": True}))
    assert palette.mix(palette.BACKGROUND, palette.TOUCHING, 0.42) not in colors(surface)


def test_new_points_are_cyan_and_persistent_ones_white(scene, surface):
    DebugDraw().draw(canvas_on(surface), scene, Layers(**{**NOTHING, "points": True}))
    assert {palette.POINT_ADD, palette.POINT_PERSIST} <= colors(surface)


@pytest.mark.parametrize("layer", [field.name for field in fields(Layers) if field.name != "labels"])
def test_each_layer_draws_something_only_when_on(scene, surface, layer):
    DebugDraw().draw(canvas_on(surface), scene, Layers(**NOTHING))
    assert colors(surface) == {palette.BACKGROUND}
    scene.world.contacts.normal_impulse[:] = 2.0
    canvas = canvas_on(surface)
    DebugDraw().draw(canvas, scene, Layers(**{**NOTHING, layer: True}), 0.5)
    canvas.room.settle()
    assert len(colors(surface)) > 1


def test_rings_have_text_only_with_labels(scene, surface):
    pictures = []
    for has_labels in (False, True):
        surface.fill(palette.BACKGROUND)
        canvas = canvas_on(surface)
        DebugDraw().draw(canvas, scene, Layers(**{**NOTHING, "check": True, "labels": has_labels}), 0.5)
        canvas.room.settle()
        pictures.append(int((pygame.surfarray.array3d(surface) != palette.BACKGROUND).any(axis=2).sum()))
    assert pictures[1] > pictures[0] > 0


def test_impulses_point_in_the_direction_of_the_push_and_are_to_scale(scene, surface):
    scene.world.contacts.normal_impulse[:, 0] = 3.0
    DebugDraw().draw(canvas_on(surface), scene, Layers(**{**NOTHING, "impulses": True}))
    assert palette.IMPULSE in colors(surface)


def test_an_empty_world_and_no_contacts_draw_nothing(scene, make_contacts, surface):
    world = scene.world
    world.body_ids = world.fixture_ids = world.joint_ids = ()
    world.poses = world.previous_poses = np.zeros((0, 3))
    world.awake = np.zeros(0, dtype=bool)
    world.contacts = make_contacts(points=0)
    DebugDraw().draw(canvas_on(surface), scene, Layers(**{**dict.fromkeys(NOTHING, True), "check": False}))
    assert colors(surface) == {palette.BACKGROUND}


def test_a_trail_ages_by_steps_and_expires(make_contacts):
    trail = ContactTrail()
    trail.record(make_contacts(step=1))
    assert [age for age, _ in trail.added(1)] == [0.0]
    assert [age for age, _ in trail.added(1 + FLASH_STEPS // 2)] == [0.5]
    assert trail.added(1 + FADE_STEPS) == trail.added(0) == trail.removed(1 + FADE_STEPS) == []
    trail.record(make_contacts(step=1))
    assert len(trail.added(1)[0][1]) == 1, "a step taken again counts once"


def pixels_of(surface):
    return pygame.surfarray.array3d(surface).tobytes()


def test_a_static_scene_is_copied_and_a_changing_one_is_drawn(scene, surface):
    debug, layers, grounds, canvas = DebugDraw(), Layers(), [], canvas_on(surface)

    def ground():
        grounds.append(None)
        surface.fill(palette.BACKGROUND)

    def draws():
        """Draw a frame as in a window; return whether it was redrawn. The picture always equals one drawn without a cache."""
        before = len(grounds)
        canvas.room = LabelRoom(canvas.camera.view)
        shown = debug.draw(canvas, scene, layers, ground=ground)
        canvas.room.settle()
        picture = pixels_of(surface)
        other = canvas_on(surface)
        other.camera = canvas.camera
        fresh = DebugDraw().draw(other, scene, layers)
        other.room.settle()
        assert picture == pixels_of(surface)
        assert shown.points.tobytes() == fresh.points.tobytes() and len(shown.differences) == len(fresh.differences)
        return len(grounds) > before

    assert draws() and draws() and draws(), "two frames must be the same before one is kept"
    assert not draws() and not draws()
    scene.world.poses = scene.world.poses + np.array([0.0, 0.01, 0.0])
    assert draws() and draws() and draws() and not draws()
    for change in (
        lambda: setattr(scene.world, "awake", ~scene.world.awake),
        lambda: setattr(layers, "centers", True),
        lambda: setattr(scene, "colors", {2: (1, 2, 3)}),
        lambda: setattr(canvas, "camera", Camera((1.0, 0.4), 31.0, canvas.camera.view)),
        lambda: setattr(scene.world, "contacts", replace(scene.world.contacts, position=scene.world.contacts.position + 0.1)),
        lambda: setattr(scene.world, "contacts", replace(scene.world.contacts, state=np.zeros((1, 2), dtype=np.int8))),
        lambda: setattr(scene.world, "contacts", replace(scene.world.contacts, pose_b=scene.world.contacts.pose_b + 0.1)),
        lambda: setattr(layers, "normals", True),
        lambda: setattr(scene.world, "contacts", replace(scene.world.contacts, normal=-scene.world.contacts.normal)),
        lambda: setattr(scene, "mark_touching", False),
        lambda: setattr(scene, "outline_only", {2}),
        lambda: setattr(scene.world, "joint_ids", ()),
        lambda: scene.trail.record(scene.world.contacts),
        lambda: setattr(layers, "impulses", True),
    ):
        change()
        assert draws() and draws() and not draws()
    scene.world.contacts = replace(scene.world.contacts, normal_impulse=np.ones((1, 2)))
    assert draws() and draws() and draws() and not draws(), "the first of these found the scale"
    scene.world.contacts = replace(scene.world.contacts, tangent_impulse=np.full((1, 2), -0.3), normal_impulse=np.full((1, 2), 0.5))
    assert draws() and draws() and not draws()


def test_a_copy_is_as_opaque_as_the_picture(scene):
    surface = pygame.Surface((320, 200), pygame.SRCALPHA)
    debug, canvas, pictures = DebugDraw(), canvas_on(surface), []
    for _ in range(4):
        surface.fill((0, 0, 0, 0))
        debug.draw(canvas, scene, Layers(), ground=lambda: surface.fill(palette.BACKGROUND) and None)
        pictures.append((pixels_of(surface), pygame.surfarray.array_alpha(surface).tobytes()))
    assert pictures == pictures[:1] * 4 and set(pictures[0][1]) == {255}
