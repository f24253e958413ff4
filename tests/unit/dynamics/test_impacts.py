"""Impacts: which bodies bounce, and above which speed."""

import json

import pytest

from engine.common.errors import InvalidInputError
from engine.experiments.references.lab import run
from engine.experiments.scenes import body, ground
from engine.geometry import Circle
from engine.scenes.scene import scene_of
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.world import World, WorldSettings
from tests.unit.dynamics.worlds import make_world


def leaves_at(approach, **settings):
    world = make_world(gravity=(0.0, 0.0), **settings)
    ground(world, restitution=0.5)
    ball = body(world, Circle(0.5), (0.0, 0.6), restitution=0.5, linear_velocity=(0.0, -approach))
    run(world, 0.2 + 0.1 / approach)
    return world.state(ball).linear_velocity[1]


def test_the_threshold_is_a_setting():
    assert leaves_at(0.01, restitution_threshold=0.0) == pytest.approx(0.005)
    assert leaves_at(0.9, restitution_threshold=1.0) == pytest.approx(0.0, abs=1e-9)
    assert leaves_at(1.1, restitution_threshold=1.0) == pytest.approx(0.55)


def test_the_default_threshold_is_two_steps_of_gravity():
    def climbs(drop):
        world = make_world()
        ground(world, restitution=0.5)
        ball = body(world, Circle(0.5), (0.0, 0.5 + drop), restitution=0.5)
        fastest = 0.0
        for _ in range(60):
            world.step()
            fastest = max(fastest, world.state(ball).linear_velocity[1])
        return fastest**2 / 20.0

    assert climbs(0.004) < 1e-5  # which comes at 0.28 m/s; the threshold is 0.33 m/s
    assert climbs(0.02) > 0.003  # at 0.63 m/s


@pytest.mark.parametrize("drop", [0.005, 0.01, 0.02, 0.05, 0.06, 0.3])
def test_an_elastic_ball_bounces_at_any_time_within_a_step(drop):
    world = make_world(restitution_threshold=0.0)
    ground(world, restitution=1.0)
    ball = body(world, Circle(0.15), (0.0, 0.15 + drop), restitution=1.0)
    for _ in range(600):  # at some of the drops it touches exactly as a step ends
        world.step()
        (_, y), (_, v) = world.state(ball).position, world.state(ball).linear_velocity
        assert y - 0.15 + v * v / 20.0 == pytest.approx(drop, rel=1e-9)


def test_box2d_has_its_own_threshold_and_rejects_another():
    assert World(WorldSettings(restitution_threshold=1.0)).settings.restitution_threshold == 1.0
    with pytest.raises(InvalidInputError, match=r"restitution_threshold must be 1 m/s, the only value that Box2D supports, got 0\.0"):
        World(WorldSettings(restitution_threshold=0.0))
    world = World()
    with pytest.raises(InvalidInputError, match="restitution_threshold"):
        world.set_settings(restitution_threshold=0.5)
    with pytest.raises(InvalidInputError, match=r"restitution_threshold must be from 0 to 1e\+06 m/s|restitution_threshold must be >= 0"):
        WorldSettings(restitution_threshold=-1.0)


def test_a_scene_file_keeps_the_threshold():
    plain = json.loads(json.dumps(scene_as_json(scene_of(make_world(restitution_threshold=0.0), "Slow balls"))))
    assert plain["settings"]["restitution_threshold"] == 0.0
    again = scene_from_json(plain)
    assert again.settings.restitution_threshold == 0.0 and again.solver == "soft_step"
    del plain["settings"]["restitution_threshold"]
    assert scene_from_json(plain).settings.restitution_threshold is None


def test_two_discs_that_have_bounced_and_separate_get_no_impulse():
    """Straight paths backward from their velocities would cross each other."""
    world = make_world(gravity=(0.0, 0.0))
    first = body(world, Circle(0.1), (0.0, 0.0), friction=0.0, restitution=1.0)
    other = body(world, Circle(0.1), (0.16, 0.1237), linear_velocity=(30.0, 18.0), friction=0.0, restitution=1.0)
    world.step()
    assert world.state(first).linear_velocity == (0.0, 0.0) and world.state(other).linear_velocity == (30.0, 18.0)
