"""What cannot be satisfied, or is badly placed, makes no energy out of nothing: joints against contacts, bodies made in one place."""

import math

import pytest

from engine.geometry import Circle, Polygon
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec, RevoluteJointSpec, WeldJointSpec, World, WorldSettings, methods

METHODS = methods()
HELD_BACK = "The method made energy out of nothing in this step, so the fastest bodies are held back."
ON_THEIR_OWN = 12.0
"""Speed, m/s, above which a scene below explodes: a body that falls through all of it has 8."""
LIMITS = {
    ("avbd", "chain"): 20.0, ("contact_forces", "chain"): 40.0, ("penalty", "chain"): 20.0, ("sequential_impulses", "chain"): 30.0,
    ("shock_propagation", "chain"): 30.0, ("soft_step", "chain"): 40.0, ("xpbd", "chain"): 60.0, ("contact_forces", "discs"): 20.0,
    ("penalty", "discs"): 100.0, ("sequential_impulses", "discs"): 20.0,
}  # fmt: skip
"""What the methods' pages say of them, m/s."""


def _box(world, half_width, half_height, at, kind="dynamic"):
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(half_width, half_height)),), kind, position=at))


def _weld(world):
    """A weld at rest, whose bodies overlap and collide."""
    trunk, arm = _box(world, 0.2, 0.4, (0.0, 10.0)), _box(world, 0.08, 0.3, (0.17, 10.1))
    world.create_joint(WeldJointSpec(trunk, arm, (0.17, 10.35), collide_connected=True))


def _discs(world):
    for k in range(10):
        world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(0.0, 1.0 + 1e-3 * k)))


def _chain(world):
    """Eight links that overlap by 10 cm and collide, held at one end."""
    last = 0
    for k in range(8):
        link = _box(world, 0.55, 0.1, (0.5 + k, 10.0))
        world.create_joint(RevoluteJointSpec(last, link, (float(k), 10.0), collide_connected=True))
        last = link


SCENES = {"weld": _weld, "discs": _discs, "chain": _chain}


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("solver", METHODS)
def test_nothing_at_rest_explodes(solver, scene):
    """The default threw the weld at 370 m/s, the discs 190 m high and such a chain at 2,872 m/s; contact forces threw it at 2e17 m/s."""
    world = World(WorldSettings(sleeping=False), solver=solver)
    _box(world, 10.0, 0.5, (0.0, -0.5), "static")
    SCENES[scene](world)
    fastest = 0.0
    for _ in range(60):
        world.step()
        fastest = max(fastest, *(math.hypot(*world.state(body).linear_velocity) for body in world.body_ids))
        assert fastest < 100.2 and (fastest < 99.9 or HELD_BACK in world.step_notes)
    assert fastest < LIMITS.get((solver, scene), ON_THEIR_OWN) + 0.2


def test_what_has_a_cause_is_not_held_back():
    """A light ball in front of a heavy one at 90 m/s leaves at nearly twice that, and a spring throws a ball, without a note."""
    world = World(WorldSettings(gravity=(0.0, 0.0)), solver="sequential_impulses")
    for x, speed, density in ((0.0, 90.0, 1000.0), (1.2, 0.0, 1.0)):
        fixture = FixtureSpec(Circle(0.5), density=density, restitution=1.0, friction=0.0)
        world.create_body(BodySpec((fixture,), position=(x, 0.0), linear_velocity=(speed, 0.0)))
    post, ball = world.create_body(BodySpec((), "static")), world.create_body(BodySpec((FixtureSpec(Circle(0.1)),), position=(0.0, 50.0)))
    world.create_joint(DistanceJointSpec(post, ball, (0.0, 0.0), (0.0, 50.0), length=1.0, frequency=2.0))
    notes = set()
    for _ in range(10):
        world.step()
        notes |= set(world.step_notes)
    assert world.state(1).linear_velocity[0] == pytest.approx(180.0, rel=0.01) and not notes
    assert abs(world.state(ball).linear_velocity[1]) > 100.0
