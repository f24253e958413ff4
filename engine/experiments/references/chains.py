"""Chains and nets of joints, similar to the samples of Solver2D. Bodies connected by a joint do not collide."""

from __future__ import annotations

import numpy as np

from engine.experiments import scenes
from engine.experiments.references.lab import (
    Lab,
    Row,
    at_most,
    reference,
    run,
    worst_joint,
)
from engine.geometry import Polygon

__all__ = []

QUALITY = "quality"
MM = 1e3


@reference("bridge of 160 links", is_slow=True, chapter=QUALITY)
def bridge(lab: Lab) -> list[Row]:
    """Links of 1 m and 5 kg hang between two points 160 m apart, horizontal at first."""
    world = lab.world()
    joints = scenes.hanging_bridge(world)
    run(world, 20.0)
    return [at_most("joint error after 20 s", MM * worst_joint(world, joints), 20.0, "mm")]


@reference("ball and chain", is_slow=True, chapter=QUALITY)
def ball_and_chain(lab: Lab) -> list[Row]:
    """A disc of 1 t, 200 times the mass of a link, swings down at the end of 30 links that start horizontal."""
    world = lab.world()
    joints = scenes.ball_on_a_chain(world)
    most = last = 0.0
    for _ in range(1200):
        world.step()
        last = worst_joint(world, joints)
        most = max(most, last)
    return [at_most("joint error, maximum", most, 0.08, "m"), at_most("joint error after 20 s", last, 0.04, "m")]


@reference("stretched chain", chapter=QUALITY)
def stretched_chain(lab: Lab) -> list[Row]:
    """A chain of 30 links starts stretched to 1.25 times its length: the anchors of every joint are 0.25 m apart.

    It still whips after ten seconds, and its error varies from step to step, between 0.5 and 5 mm: a single reading is random.
    """
    world = lab.world()
    joints = scenes.torn_chain(world)
    run(world, 8.0)
    errors = []
    for _ in range(round(2.0 * world.settings.hertz)):
        world.step()
        errors.append(worst_joint(world, joints))
    return [at_most("joint error at 8 to 10 s, median", MM * float(np.median(errors)), 2.0, "mm")]


@reference("grid of 20 x 20 discs", is_slow=True, chapter=QUALITY)
def grid(lab: Lab) -> list[Row]:
    """Discs 1 m apart are connected by 760 hinges; seven in the top row are fixed, the others swing down."""
    world = lab.world()
    joints = scenes.net_of_discs(world)
    run(world, 10.0)
    return [at_most("joint error after 10 s", MM * worst_joint(world, joints), 10.0, "mm")]


@reference("chain 53 km from the origin", chapter=QUALITY)
def far_chain(lab: Lab) -> list[Row]:
    """Forty links of 0.2 m hang at (4e4, -3.5e4) m, horizontal at first."""
    world = lab.world()
    _, joints = scenes.level_chain(world, Polygon.box(0.1, 0.025), 0.1, 40, (4.0e4, -3.5e4))
    run(world, 10.0)
    return [at_most("joint error after 10 s", MM * worst_joint(world, joints), 3.0, "mm")]
