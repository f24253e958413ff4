"""Selecting, moving, rotating, copying, pinning, deleting."""

import math

import pygame
import pytest

from engine.app.editor.editor import Chosen
from tests.unit.app.editor.person import CTRL, SHIFT


def test_clicks_and_frames_select(person):
    editor = person.tools.editor
    person.pick("S")
    person.click((-2.0, 3.0))
    assert editor.selection == [Chosen(0, 2)]
    pygame.key.set_mods(SHIFT)
    person.click((2.0, 3.0))
    assert editor.selection == [Chosen(0, 2), Chosen(0, 3)]
    person.click((2.0, 3.0))
    assert editor.selection == [Chosen(0, 2)]
    pygame.key.set_mods(0)
    person.click((0.0, 5.0))
    assert editor.selection == []
    person.drag((-4.0, 5.0), (4.0, 1.0))
    assert editor.selection == [Chosen(0, 2), Chosen(0, 3)]
    person.click((-7.5, 4.52))  # an edge has no inside
    assert editor.selection == [Chosen(0, 1)]
    person.key(pygame.K_ESCAPE)
    assert editor.selection == []


def test_a_drag_moves_and_is_undone_at_once(person):
    person.pick("S")
    person.drag((-4.0, 5.0), (4.0, 1.0))
    person.drag((-2.0, 3.0), (-1.0, 4.0))
    for body, x in ((2, -1.0), (3, 3.0)):
        assert person.world.state(body).position == pytest.approx((x, 4.0), abs=0.05)
    assert person.history.undo()
    for body, x in ((2, -2.0), (3, 2.0)):
        assert person.world.state(body).position == pytest.approx((x, 3.0), abs=0.02)
    assert not person.history.can_undo


def test_a_held_selection_stays_held_while_time_advances(person):
    person.key(pygame.K_SPACE)
    person.pick("S")
    state = person.world.state(2)
    person.at(pygame.MOUSEMOTION, person.pixel(state.position))
    person.at(pygame.MOUSEBUTTONDOWN, person.pixel(person.world.state(2).position))
    person.at(pygame.MOUSEMOTION, person.pixel((0.0, 5.0)))
    person.frames(30)
    assert person.world.state(2).position == pytest.approx((0.0, 5.0), abs=0.3)
    person.at(pygame.MOUSEBUTTONUP, person.pixel((0.0, 5.0)))
    person.frames(30)
    assert person.world.state(2).position[1] < 4.5


def test_the_handle_rotates_the_selection(person):
    person.pick("S")
    person.click((-2.0, 3.0))
    tool = person.tools.tool
    handle = tool._handle(person.window.session.view.camera.scale)
    person.drag(handle, (-2.0 + handle[1] - 3.0, 3.0))
    assert person.world.state(2).angle == pytest.approx(-math.pi / 2.0, abs=0.03)
    assert person.world.state(2).position == pytest.approx((-2.0, 3.0), abs=0.02)


def test_delete_pin_and_copy(person):
    person.pick("S")
    person.click((-2.0, 3.0))
    person.key(pygame.K_p)
    assert person.world.body(2).spec.type == "static"
    person.key(pygame.K_p)
    assert person.world.body(2).spec.type == "dynamic"
    person.key(pygame.K_c, CTRL)
    person.move((0.0, 5.0))
    person.key(pygame.K_v, CTRL)
    assert person.world.state(person.newest()).position == pytest.approx((0.0, 5.0), abs=0.02)
    person.key(pygame.K_d, CTRL)
    assert len(person.world.body_ids) == 6 and person.tools.editor.selection == [Chosen(0, person.newest())]
    person.key(pygame.K_a, CTRL)
    person.key(pygame.K_DELETE)
    assert person.world.body_ids == ()
    person.frames(3)
    person.key(pygame.K_z, CTRL)
    assert len(person.world.body_ids) == 6


def test_copies_bring_their_joints_along(person):
    person.pick("H")
    person.click((-1.6, 3.0))
    person.click((2.0, 3.0))
    person.pick("S")
    person.drag((-4.0, 5.0), (4.0, 1.0))
    person.key(pygame.K_d, CTRL)
    assert len(person.world.body_ids) == 6 and len(person.world.joint_ids) == 2
    before, after = (person.world.joint_anchors(joint)[0] for joint in person.world.joint_ids)
    moved = person.world.state(4).position[0] - person.world.state(2).position[0]
    assert moved > 0.0 and after[0] - before[0] == pytest.approx(moved, abs=1e-4)
