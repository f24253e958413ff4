"""Piles that are hard for a solver, similar to the samples of Solver2D (E. Catto, "Solver2D", 2024)."""

from __future__ import annotations

import math

import numpy as np

from engine.experiments import scenes
from engine.experiments.references.lab import (
    GRAVITY,
    Lab,
    Row,
    at_most,
    deepest_overlap,
    energy,
    least,
    reference,
    run,
)
from engine.experiments.scenes import UNIT, body, ground, piled
from engine.geometry import Circle, Polygon
from engine.world import World

__all__ = []

QUALITY = "quality"
MM = 1e3
"""Millimeters per meter."""


def _stood(world: World, top: int, seconds: int = 20) -> float:
    """Step the world and return the time for which a body stayed within 0.5 m of its initial position, s."""
    at = world.state(top).position
    for second in range(seconds):
        run(world, 1.0)
        if math.dist(at, world.state(top).position) > 0.5:
            return float(second)
    return float(seconds)


@reference("single box: gap at rest", chapter=QUALITY)
def single_box(lab: Lab) -> list[Row]:
    """A box of 2 m falls 3 m and comes to rest; the exact gap to the floor is 0."""
    world = lab.world()
    box = scenes.falling_box(world)
    run(world, 10.0)
    return [at_most("gap or overlap", MM * abs(world.state(box).position[1] - 1.0), 0.05, "mm")]


@reference("warm start energy", chapter=QUALITY)
def warm_start(lab: Lab) -> list[Row]:
    """The top one of three stacked discs, 100 times as heavy as the others, is removed: the others must not jump up.

    The energy is relative to that of both discs touching without overlap, so resolving an overlap is not a gain.
    """
    world = lab.world()
    ground(world)
    discs = [body(world, Circle(0.5), (0.0, 0.5 + k), density=100.0 if k == 2 else 1.0) for k in range(3)]
    run(world, 2.0)
    world.destroy_body(discs.pop())
    lowest, most = world.body(discs[0]).mass * GRAVITY * (0.5 + 1.5), 0.0
    for _ in range(120):
        world.step()
        most = max(most, energy(world, discs) - lowest)
    return [at_most("energy gained", most, 0.001, "J")]  # 0, to three digits


@reference("high mass ratio: three pyramids under loads", is_slow=True, chapter=QUALITY)
def mass_ratio_pyramids(lab: Lab) -> list[Row]:
    """Pyramids of ten rows of boxes of 2 m; the top box drops 2 m and has 100, 200 or 300 times the mass of the others."""
    world = lab.world()
    ground(world, friction=0.5)
    box, tops = Polygon.box(1.0, 1.0), []
    for j in range(3):
        *rows, ((x, y),) = piled(range(10, 0, -1), x=-0.5)
        for at in (at for row in rows for at in row):
            body(world, box, (2.0 * at[0] - 20.0 + 22.0 * j, 2.0 * at[1]), friction=0.5)
        tops.append(body(world, box, (2.0 * x - 20.0 + 22.0 * j, 2.0 * y + 2.0), density=100.0 * (j + 1), friction=0.5))
    run(world, 2.0)
    at_rest = [world.state(top).position for top in tops]
    run(world, 13.0)
    moved = max(math.dist(at, world.state(top).position) for at, top in zip(at_rest, tops, strict=True))
    return [at_most("movement of a load, 2 s to 15 s", moved, 0.1, "m"), at_most("overlap", MM * deepest_overlap(world), 15.0, "mm")]


def _under_a_house(lab: Lab, small: Polygon, height: float, gap: float) -> list[Row]:
    world = lab.world()
    ground(world)
    for x in (-9.0, 9.0):
        body(world, small, (x, height))
    house = body(world, Polygon.box(10.0, 10.0), (0.0, 10.0 + gap))
    run(world, 15.0)
    x, y = world.state(house).position
    fallen = abs(x) > 0.5 or y < 10.5
    return [at_most("the house falls", float(fallen), 0.0, ""), at_most("overlap", MM * deepest_overlap(world), 20.0, "mm")]


@reference("high mass ratio: a house on two boxes", chapter=QUALITY)
def mass_ratio_boxes(lab: Lab) -> list[Row]:
    """A box of 20 m drops 15 m onto two boxes of 1 m, which have 1/400 of its mass."""
    return _under_a_house(lab, UNIT, 0.5, 16.0)


@reference("high mass ratio: a house on two wedges", chapter=QUALITY)
def mass_ratio_wedges(lab: Lab) -> list[Row]:
    """The same house drops 1 m onto the tips of two triangles of 0.5 m^2, which have 1/800 of its mass."""
    return _under_a_house(lab, Polygon([(-0.5, 0.0), (0.5, 0.0), (0.0, 1.0)]), 0.0, 2.0)


@reference("friction ramp", chapter=QUALITY)
def ramp(lab: Lab) -> list[Row]:
    """A box rests on a slope of 0.3 rad with friction 0.6 for 5 s."""
    world = lab.world()
    box = scenes.box_on_a_ramp(world)
    run(world, 1.0)
    before = world.state(box).position
    run(world, 5.0)
    return [at_most("creep", math.dist(before, world.state(box).position), 1e-6, "m")]


@reference("overlap recovery", chapter=QUALITY)
def overlap_recovery(lab: Lab) -> list[Row]:
    """A pyramid of ten boxes of 1 m starts with overlaps of 0.25 m. They must separate, with as little gain of energy as possible."""
    world = lab.world()
    boxes = scenes.boxes_in_each_other(world)
    started, most = energy(world, boxes), 0.0
    for _ in range(300):
        world.step()
        most = max(most, energy(world, boxes) - started)
    return [at_most("energy gained", most, 30.0, "J"), at_most("overlap after 5 s", MM * deepest_overlap(world), 5.0, "mm")]


@reference("vertical stack of 15", is_slow=True, chapter=QUALITY)
def stack(lab: Lab) -> list[Row]:
    """Boxes of 1 m with friction 0.3 are stacked with alternating offsets of 2 cm."""
    world = lab.world()
    boxes = scenes.boxes_in_a_column(world, 15)
    return [least("stands", _stood(world, boxes[-1]), 20.0, "s")]


@reference("pyramid of 20 rows", is_slow=True, chapter=QUALITY)
def pyramid(lab: Lab) -> list[Row]:
    """Boxes of 1 m start in exact contact; measured are the time after which none moves faster than 1 cm/s, and the overlap."""
    world = lab.world()
    scenes.boxes_in_a_pyramid(world, 20)
    rest = 0.0
    for step in range(300):
        world.step()
        if np.abs(world.velocities).max() > 0.01:
            rest = (step + 1) / 60.0
    return [at_most("comes to rest after", rest, 0.5, "s"), at_most("overlap", MM * deepest_overlap(world), 1.0, "mm")]


@reference("arch under four slabs", is_slow=True, chapter=QUALITY)
def arch_with_slabs(lab: Lab) -> list[Row]:
    """An arch of 17 stones with friction 0.6 supports a pile of slabs. A linear program shows that 0.48 suffices: the exact sag is 0."""
    world = lab.world()
    stones, slabs = scenes.stones_under_slabs(world)
    top = world.state(slabs[0]).position[1] - 0.5
    run(world, 15.0)
    sag = -world.state(stones[8]).position[1]
    fallen = world.state(slabs[-1]).position[1] < top
    return [at_most("sag of the keystone", 99.0 if fallen else sag, 0.1, "m")]


@reference("double domino", chapter=QUALITY)
def double_domino(lab: Lab) -> list[Row]:
    """Fifteen dominoes stand one length apart, and the first one is pushed: all fall."""
    world = lab.world()
    dominoes = scenes.dominoes_in_a_row(world)
    run(world, 10.0)
    return [least("fallen", float(sum(abs(world.state(domino).angle) > 0.5 for domino in dominoes)), 15.0, "of 15")]


@reference("confined: 625 discs in too small a box", is_slow=True, chapter=QUALITY)
def confined(lab: Lab) -> list[Row]:
    """Discs of 1 m, 491 m^2 in total, fill a box of 390 m^2 without gravity. In the densest packing, hexagonal, they overlap by 0.15 m."""
    world = lab.world()
    scenes.discs_in_a_box(world)
    run(world, 10.0)
    return [at_most("overlap", deepest_overlap(world), 0.35, "m")]


@reference("five-story card house", is_slow=True, chapter=QUALITY)
def card_house(lab: Lab) -> list[Row]:
    """Cards of 2 mm x 0.4 m with friction 0.7 lean by 25 deg, as in Box2D's sample."""
    world = lab.world()
    top = scenes.cards(world)
    started = world.state(top).position
    stood = 0.0
    for second in range(20):
        run(world, 1.0)
        if math.dist(started, world.state(top).position) > 0.1:
            break
        stood = second + 1.0
    return [least("stands", stood, 20.0, "s")]


@reference("stack of ten discs", chapter=QUALITY)
def disc_stack(lab: Lab) -> list[Row]:
    """Discs of 1 m are stacked exactly above each other for 5 s: an unstable equilibrium that nothing disturbs."""
    world = lab.world()
    scenes.discs_in_a_column(world)
    run(world, 5.0)
    return [at_most("overlap", MM * deepest_overlap(world), 1.5, "mm")]


@reference("stack 47 km from the origin", chapter=QUALITY)
def far_stack(lab: Lab) -> list[Row]:
    """A disc and a box of 0.2 m support a plank with two boxes at (4e4, -2.5e4) m; float64 resolves 7e-12 m there, float32 4 mm."""
    world = lab.world()
    scenes.piled_afar(world, 4.0e4, -2.5e4)
    run(world, 10.0)
    return [at_most("overlap", MM * deepest_overlap(world), 3.0, "mm")]


@reference("pyramid 128 km from the origin", chapter=QUALITY)
def far_pyramid(lab: Lab) -> list[Row]:
    """Ten rows of boxes of 1 m form a pyramid at (1e5, -8e4) m, with initial gaps of 0.25 m."""
    world, x, y = lab.world(), 1.0e5, -8.0e4
    scenes.floor_at(world, x, y, 100.0)
    for at in (at for row in piled(range(10, 0, -1)) for at in row):
        body(world, UNIT, (x + 1.25 * at[0] + 1.25, y + 1.25 * at[1] + 0.5))
    run(world, 10.0)
    return [at_most("overlap", MM * deepest_overlap(world), 1.0, "mm")]
