"""Methods have no mass thresholds and only suitable length thresholds: light and heavy bodies move identically (issue 29)."""

import numpy as np
import pytest

from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    World,
    WorldSettings,
    methods,
)

METHODS = methods()


def _settings(solver, mass):
    """Return the settings of a method that scale with the mass of a scene's bodies: stiffness in N/m, and its growth."""
    return {"penalty": {"stiffness": 1e4 * mass}, "avbd": {"beta": 10.0 * mass}, "xpbd": {"contact_compliance": 0.0}}.get(solver, {})


def _scene(solver, density):
    """Return boxes and discs that fall on each other, some with friction and some with restitution, and a few joints."""
    world = World(WorldSettings(solver_settings=_settings(solver, density)), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Segment((-20.0, 0.0), (20.0, 0.0))),), "static"))
    shapes = (Polygon.box(0.5, 0.5), Circle(0.5), Capsule((-0.5, 0.0), (0.5, 0.0), 0.25))

    def add(k, x, y, restitution=0.0):
        fixture = FixtureSpec(shapes[k % 3], density=density * 2.0**k, restitution=restitution)
        return world.create_body(BodySpec((fixture,), position=(x, y), linear_velocity=(0.5, -3.0)))

    for k in range(4):
        add(k, 0.1 * k, 0.6 + 1.1 * k, 0.5 * (k % 2))
    a, b, c, d = (add(k, 4.0 + 1.2 * k, 3.0) for k in range(4))
    world.create_joint(RevoluteJointSpec(a, b, (4.6, 3.0)))
    world.create_joint(WeldJointSpec(b, c, (5.8, 3.0)))
    world.create_joint(PrismaticJointSpec(c, d, (7.0, 3.0), (0.0, 1.0), enable_limit=True, lower_translation=-0.1, upper_translation=0.1))
    world.create_joint(DistanceJointSpec(0, a, anchor_a=(4.0, 5.0), anchor_b=(4.0, 3.0)))
    return world


@pytest.mark.parametrize("solver", METHODS)
def test_bodies_with_scaled_masses_move_identically(solver):
    """If all densities are multiplied by a power of two, comparisons between masses have the same results, including rounding."""
    powers = (0, -12, 16) if solver == "penalty" else (0, -20, 26)  # as far as the stiffness that goes with it may be set
    runs = []
    for power in powers:
        world = _scene(solver, 2.0**power)
        motion = []
        for _ in range(14):
            world.step()
            motion.append(world.snapshot().motion.values)
        runs.append(np.array(motion))
    assert np.isfinite(runs[0]).all()
    for power, run in zip(powers[1:], runs[1:], strict=True):
        assert (runs[0] == run).all(), f"2^{power}: from step {int(np.argmax((runs[0] != run).any(axis=(1, 2))))} on"


@pytest.mark.parametrize(("size", "mass"), [(1e-3, 1e-6), (1e-3, 1.0), (1.0, 1e-6), (1.0, 1e9), (1e3, 1e-6), (1e3, 1e9)])
@pytest.mark.parametrize("solver", [name for name in METHODS if name != "penalty"])  # whose stiffness bears so much and no more
def test_a_box_of_any_size_and_mass_stops_on_the_floor_and_stays_there(solver, size, mass):
    settings = {"slop": min(5e-3 * size, 0.1)} if solver == "sequential_impulses" else {}
    settings |= {"contact_compliance": 0.0} if solver == "xpbd" else {}
    world = World(WorldSettings(sleeping=False, solver_settings=settings), solver=solver)
    world.create_body(BodySpec((FixtureSpec(Segment((-20.0 * size, 0.0), (20.0 * size, 0.0))),), "static"))
    fixture = FixtureSpec(Polygon.box(0.5 * size, 0.5 * size), density=mass / size**2)
    box = world.create_body(BodySpec((fixture,), position=(0.0, 0.5 * size), linear_velocity=(0.0, -3.0)))
    for step in range(40):
        world.step()
        state = world.state(box)
        assert abs(state.linear_velocity[1]) < 0.03 or step == 0, step
        assert state.position[1] > 0.35 * size  # soft contacts give way by what gravity moves in a sub-step, and more of a millimeter


@pytest.mark.parametrize("solver", [name for name in METHODS if name != "penalty"])
def test_a_light_body_next_to_a_heavy_one_moves_as_it_does_alone(solver):
    """A thrown disc, and one on a hinge, 10^-6 kg each; and a box at rest, and a pendulum, of 10^9 kg."""

    def run(with_light, with_heavy):
        world = World(WorldSettings(sleeping=False, solver_settings=_settings(solver, 1e-6)), solver=solver)
        ground = world.create_body(BodySpec((FixtureSpec(Segment((-50.0, 0.0), (50.0, 0.0)), friction=0.0),), "static"))
        bodies = {}
        for density, x, is_there in ((1e-6, 0.0, with_light), (1e9, 10.0, with_heavy)):
            if is_there:
                disc = FixtureSpec(Circle(0.5), density=density, friction=0.0)
                box = FixtureSpec(Polygon.box(0.5, 0.5), density=density)
                bodies[f"thrown {x}"] = world.create_body(
                    BodySpec((disc,), position=(x, 0.5), linear_velocity=(0.0, 2.0 if x == 0.0 else 0.0))
                )
                bodies[f"hung {x}"] = world.create_body(BodySpec((box,), position=(x + 5.0, 5.0)))
                world.create_joint(RevoluteJointSpec(ground, bodies[f"hung {x}"], (x + 4.0, 5.0)))
        for _ in range(20):
            world.step()
        return {name: np.array([*world.state(body).position, world.state(body).angle]) for name, body in bodies.items()}

    together = run(True, True)
    for name, alone in (run(True, False) | run(False, True)).items():
        assert together[name] == pytest.approx(alone, abs=1e-9), name
