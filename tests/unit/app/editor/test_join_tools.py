"""Joints created by two clicks."""

import pygame
import pytest

from engine.world import DistanceJointSpec, PrismaticJointSpec, RevoluteJointSpec, WeldJointSpec, WheelJointSpec

JOINTS = [
    ("H", RevoluteJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("D", DistanceJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("W", WeldJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("L", PrismaticJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("O", WheelJointSpec, (-2.02, 3.0), (2.0, 3.0)),
]


@pytest.mark.parametrize(("letter", "kind", "first", "second"), JOINTS)
def test_two_clicks_join_two_bodies_or_a_body_and_the_ground(person, letter, kind, first, second):
    person.pick(letter)
    person.click(first)
    person.click(second)
    (joint,) = person.world.joint_ids
    assert isinstance(person.world.joint(joint).spec, kind)
    assert set(person.world.joint_bodies(joint)) == {2, 3}
    person.click(first)
    person.click((0.0, 6.0))
    anchor = person.newest()
    assert person.world.body(anchor).spec.type == "static" and person.world.body(anchor).spec.fixtures[0].sensor
    assert set(person.world.joint_bodies(person.world.joint_ids[-1])) == {2, anchor}
    assert person.history.undo()  # the joint and its anchor
    assert person.world.joint_ids == (joint,) and len(person.world.body_ids) == 4
    assert person.history.undo() and person.world.joint_ids == ()


def test_two_hinge_clicks_at_one_place_join_a_body_to_the_ground(person):
    person.pick("H")
    person.click((-2.4, 3.0))
    person.click((-2.4, 3.0))
    person.key(pygame.K_SPACE)
    person.frames(60)
    x, y = person.world.joint_anchors(person.world.joint_ids[0])[1]
    assert (x, y) == pytest.approx((-2.4, 3.0), abs=0.05)
    assert person.world.state(3).position[1] < 2.0 < person.world.state(2).position[1]


def test_impossible_joints_are_rejected_in_one_line(person):
    for letter, first, second, words in (
        ("H", (0.0, 6.0), None, "click a body first"),
        ("L", (-2.0, 3.0), (-2.0, 3.0), "needs a direction"),
        ("D", (-2.0, 3.0), (-2.0, 3.0), "two separate points"),
        ("W", (-4.0, -0.5), (-7.5, 4.5), "must be able to move"),
    ):
        person.pick(letter)
        person.click(first)
        if second is not None:
            person.click(second)
        assert words in person.said
        person.key(pygame.K_ESCAPE)
    assert person.world.joint_ids == () and len(person.world.body_ids) == 4
