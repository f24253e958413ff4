"""Chains and nets of joints, in the manner of the samples of Solver2D. Neighbors do not collide, as their joints say."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.experiments.references.lab import Lab, Row, at_most, body, reference, run, worst_joint
from engine.geometry import Circle, Polygon
from engine.world import RevoluteJointSpec, World
from engine.world.specs import BodyType

__all__ = ["ball_on_a_chain", "hanging_bridge", "net_of_discs", "torn_chain"]

QUALITY = "quality"
MM = 1e3
LINK = Polygon.box(0.5, 0.125)
_DAMPED: dict[str, Any] = {"linear_damping": 0.1, "angular_damping": 0.1}


def _chain(world: World, shape: Polygon, half: float, n: int, at: tuple[float, float]) -> tuple[list[int], list[int]]:
    """Hang `n` level links on a point; return links and joints."""
    previous = body(world, Circle(0.1), (at[0], at[1] + 100.0), type="static")
    links, joints = [], []
    for k in range(n):
        links.append(body(world, shape, (at[0] + half * (2 * k + 1), at[1]), density=20.0, **_DAMPED))
        joints.append(world.create_joint(RevoluteJointSpec(previous, links[-1], (at[0] + 2.0 * half * k, at[1]))))
        previous = links[-1]
    return links, joints


def hanging_bridge(world: World) -> list[int]:
    """Add 160 links of 1 m and 5 kg between two points 160 m apart, level; return the joints."""
    links, joints = _chain(world, LINK, 0.5, 160, (-80.0, 20.0))
    support = body(world, Circle(0.1), (80.0, 120.0), type="static")
    joints.append(world.create_joint(RevoluteJointSpec(links[-1], support, (80.0, 20.0))))
    return joints


@reference("bridge of 160 links", is_slow=True, chapter=QUALITY)
def bridge(lab: Lab) -> list[Row]:
    """Links of 1 m and 5 kg between two points 160 m apart, level at first."""
    world = lab.world()
    joints = hanging_bridge(world)
    run(world, 20.0)
    return [at_most("joint error after 20 s", MM * worst_joint(world, joints), 20.0, "mm")]


def ball_on_a_chain(world: World) -> list[int]:
    """Add a disc of a tonne, two hundred times a link, at the end of 30 links, level; return the joints."""
    links, joints = _chain(world, LINK, 0.5, 30, (0.0, 15.0))
    ball = body(world, Circle(4.0), (34.0, 15.0), density=20.0, **_DAMPED)
    joints.append(world.create_joint(RevoluteJointSpec(links[-1], ball, (30.0, 15.0))))
    return joints


@reference("ball and chain", is_slow=True, chapter=QUALITY)
def ball_and_chain(lab: Lab) -> list[Row]:
    """A disc of a tonne, two hundred times a link, at the end of 30 links, swings down from level."""
    world = lab.world()
    joints = ball_on_a_chain(world)
    most = last = 0.0
    for _ in range(1200):
        world.step()
        last = worst_joint(world, joints)
        most = max(most, last)
    return [at_most("joint error, maximum", most, 0.08, "m"), at_most("joint error after 20 s", last, 0.04, "m")]


def torn_chain(world: World) -> list[int]:
    """Add a chain of 30 links, each joint torn open by a quarter of a meter; return the joints."""
    previous = body(world, Circle(0.1), (0.0, 100.0), type="static")
    joints = []
    for k in range(30):
        link = body(world, LINK, (0.5 + 1.25 * k, 0.0), density=20.0, **_DAMPED)
        anchor = (1.25 * k, 0.0)
        joints.append(world.create_joint(RevoluteJointSpec(previous, link, (anchor[0] - 0.25, 0.0) if k else anchor, anchor_b=anchor)))
        previous = link
    return joints


@reference("stretched chain", chapter=QUALITY)
def stretched_chain(lab: Lab) -> list[Row]:
    """A chain of 30 links that starts pulled to 1.25 times its length: every joint torn open by a quarter of a meter.

    It still whips after ten seconds, and its error goes up and down from step to step, 0.5 to 5 mm: the reading of one moment is chance.
    """
    world = lab.world()
    joints = torn_chain(world)
    run(world, 8.0)
    errors = []
    for _ in range(round(2.0 * world.settings.hertz)):
        world.step()
        errors.append(worst_joint(world, joints))
    return [at_most("joint error at 8 to 10 s, median", MM * float(np.median(errors)), 2.0, "mm")]


def net_of_discs(world: World, n: int = 20) -> list[int]:
    """Add `n` x `n` discs a meter apart on hinges, seven in the top row fixed; return the joints."""
    discs: dict[tuple[int, int], int] = {}
    joints = []
    for k in range(n):
        for i in range(n):
            kind: BodyType = "static" if i == 0 and n // 2 - 3 <= k <= n // 2 + 3 else "dynamic"
            discs[k, i] = body(world, Circle(0.4), (float(k), -float(i)), type=kind, mask=0)
            if i > 0:
                joints.append(world.create_joint(RevoluteJointSpec(discs[k, i - 1], discs[k, i], (float(k), 0.5 - i))))
            if k > 0 and not (kind == "static" and k > n // 2 - 3):
                joints.append(world.create_joint(RevoluteJointSpec(discs[k - 1, i], discs[k, i], (k - 0.5, -float(i)))))
    return joints


@reference("grid of 20 x 20 discs", is_slow=True, chapter=QUALITY)
def grid(lab: Lab) -> list[Row]:
    """Discs a meter apart on 760 hinges; seven in the top row are fixed, the rest swings down."""
    world = lab.world()
    joints = net_of_discs(world)
    run(world, 10.0)
    return [at_most("joint error after 10 s", MM * worst_joint(world, joints), 10.0, "mm")]


@reference("chain 53 km from the origin", chapter=QUALITY)
def far_chain(lab: Lab) -> list[Row]:
    """Forty links of 0.2 m hang at (4e4, -3.5e4) m, level at first."""
    world = lab.world()
    _, joints = _chain(world, Polygon.box(0.1, 0.025), 0.1, 40, (4.0e4, -3.5e4))
    run(world, 10.0)
    return [at_most("joint error after 10 s", MM * worst_joint(world, joints), 3.0, "mm")]
