"""A heavy ball pulls a light one up to its pulley: by Atwood's formula at 6.67 m/s^2 over 6 m, up to 8.94 m/s."""

import math

from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, PulleyJointSpec, World, WorldSettings


def run(solver, steps=900):
    """Return the final heights, the largest error of the rope length, m, and the highest speed, m/s."""
    world = World(WorldSettings(), solver=solver)

    def ball(x, y, kg):
        fixture = FixtureSpec(Circle(0.2), density=kg / (math.pi * 0.04))
        return world.create_body(BodySpec((fixture,), position=(x, y), fixed_rotation=True))

    a, b = ball(-2, 8, 5), ball(2, 4, 1)
    world.create_joint(PulleyJointSpec(a, b, (-2, 10), (2, 10), (-2, 8), (2, 4)))
    fastest = slack = 0.0
    for _ in range(steps):
        world.step()
        (ax, ay), (bx, by) = world.state(a).position, world.state(b).position
        slack = max(slack, abs(math.dist((ax, ay), (-2, 10)) + math.dist((bx, by), (2, 10)) - 8))
        fastest = max(fastest, *(math.hypot(*world.state(k).linear_velocity) for k in (a, b)))
    return ay, by, slack, fastest
