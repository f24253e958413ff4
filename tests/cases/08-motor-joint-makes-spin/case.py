"""Two discs at rest in empty space with a motor joint between them. No external force acts, so the angular momentum stays 0."""

import math

from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, MotorJointSpec, World, WorldSettings


def run(solver, hertz=60, seconds=10):
    """Return the largest angular momentum during the run, kg m^2/s, and the final spin, rad/s."""
    world = World(WorldSettings(gravity=(0, 0), hertz=hertz, sleeping=False), solver=solver)
    disc = (FixtureSpec(Circle(0.5), density=1 / (math.pi * 0.25)),)  # 1 kg, 0.125 kg m^2
    a, b = world.create_body(BodySpec(disc)), world.create_body(BodySpec(disc, position=(2, 0)))
    world.create_joint(MotorJointSpec(a, b, linear_offset=(0, 2), max_force=10, max_torque=10))
    worst = 0.0
    for _ in range(seconds * hertz):
        world.step()
        states = world.state(a), world.state(b)
        total = sum(s.position[0] * s.linear_velocity[1] - s.position[1] * s.linear_velocity[0] for s in states)
        worst = max(worst, abs(total + 0.125 * sum(s.angular_velocity for s in states)))
    return worst, world.state(a).angular_velocity
