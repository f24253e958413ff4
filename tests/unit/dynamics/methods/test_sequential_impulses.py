"""Sequential impulses support resting bodies, correct the chosen share of an error, and bounce according to the restitution."""

import math
from itertools import pairwise

import pytest

from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

SLOP = 0.005


def world(solver="sequential_impulses", gravity=-10.0, **settings):
    """Return a world with a floor at height 0."""
    made = World(WorldSettings(gravity=(0.0, gravity), sleeping=False, solver_settings=settings), solver=solver)
    made.create_body(BodySpec((FixtureSpec(Segment((-20.0, 0.0), (20.0, 0.0))),), "static"))
    return made


def box(world, height, **more):
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5), **more),), position=(0.0, height)))


def test_a_stack_of_five_rests_on_its_weight_within_the_slop():
    tower = world()
    boxes = [box(tower, 0.5 + k) for k in range(5)]
    contacts = [tower.step() for _ in range(300)][-1]
    weights = (60.0 * contacts.normal_impulse.sum(axis=1)).tolist()
    assert sorted(weights) == pytest.approx([10.0, 20.0, 30.0, 40.0, 50.0], rel=1e-3)
    heights = [0.0, *(tower.state(body).position[1] + 0.5 for body in boxes)]
    assert all(-SLOP - 1e-4 < above - below - 1.0 < 0.0 for below, above in pairwise(heights))


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_a_step_corrects_a_share_of_an_overlap_beyond_the_slop(share):
    deep = world(gravity=0.0, share=share)
    disc = deep.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 0.5 - 0.025)))
    deep.step()
    assert deep.state(disc).position[1] - 0.5 == pytest.approx(-0.025 + share * 0.02, abs=1e-12)
    assert deep.state(disc).linear_velocity[1] == pytest.approx(60.0 * share * 0.02, abs=1e-10)  # and it flies on: Baumgarte's energy


def test_a_ball_leaves_at_its_restitution_times_the_approach_speed():
    bouncing = world(gravity=0.0)
    ball = bouncing.create_body(BodySpec((FixtureSpec(Circle(0.5), restitution=0.5),), position=(0.0, 0.51), linear_velocity=(1.0, -4.0)))
    bouncing.step()
    assert bouncing.state(ball).linear_velocity[1] == pytest.approx(2.0, rel=1e-12)


def test_a_pendulum_holds_together():
    hung = world()
    rod = hung.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1)),), position=(1.0, 9.0)))
    joint = hung.create_joint(RevoluteJointSpec(0, rod, (0.0, 9.0)))
    for _ in range(60):
        hung.step()
        (ax, ay), (bx, by) = hung.joint_anchors(joint)
        assert math.hypot(bx - ax, by - ay) < 0.05


@pytest.mark.parametrize("name, value", [("iterations", 0), ("iterations", 2.5), ("share", 1.1), ("slop", -1.0), ("stiffness", 1.0)])
def test_bad_settings_are_rejected_by_name(name, value):
    with pytest.raises(InvalidInputError, match=name):
        world(**{name: value})
