"""Piles of the kinds that are hard for a solver, in the manner of the samples of Solver2D (E. Catto, "Solver2D", 2024)."""

from __future__ import annotations

import math

import numpy as np

from engine.experiments.references.lab import (
    GRAVITY,
    UNIT,
    Lab,
    Row,
    at_most,
    body,
    deepest_overlap,
    energy,
    ground,
    least,
    reference,
    run,
)
from engine.experiments.references.standing import arch_stones
from engine.geometry import Circle, Polygon
from engine.world import World

__all__ = [
    "box_on_a_ramp",
    "boxes_in_a_column",
    "boxes_in_a_pyramid",
    "boxes_in_each_other",
    "cards",
    "discs_in_a_box",
    "discs_in_a_column",
    "dominoes_in_a_row",
    "falling_box",
    "piled_afar",
    "stones_under_slabs",
]

QUALITY = "quality"
MM = 1e3
"""Millimeters in a meter."""


def _stood(world: World, top: int, seconds: int = 20) -> float:
    """Run, and return for how many seconds a body has stayed within half a meter of where it was."""
    at = world.state(top).position
    for second in range(seconds):
        run(world, 1.0)
        if math.dist(at, world.state(top).position) > 0.5:
            return float(second)
    return float(seconds)


def falling_box(world: World) -> int:
    """Add a floor, and a box of 2 m, 3 m above it."""
    ground(world, friction=0.5)
    return body(world, Polygon.box(1.0, 1.0), (0.0, 4.0), friction=0.5)


@reference("single box: gap at rest", chapter=QUALITY)
def single_box(lab: Lab) -> list[Row]:
    """A box of 2 m falls 3 m and lies: exactly on the floor."""
    world = lab.world()
    box = falling_box(world)
    run(world, 10.0)
    return [at_most("gap or overlap", MM * abs(world.state(box).position[1] - 1.0), 0.05, "mm")]


@reference("warm start energy", chapter=QUALITY)
def warm_start(lab: Lab) -> list[Row]:
    """The top one of three stacked discs, a hundred times as heavy, is removed: the others must not jump off the ground.

    Energy is counted from where both lie in touch: what lifts them out of an overlap is no gain.
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
    """Pyramids of ten rows of boxes of 2 m, whose top one drops 2 m and weighs 100, 200 and 300 times the others."""
    world = lab.world()
    ground(world, friction=0.5)
    box, tops = Polygon.box(1.0, 1.0), []
    for j in range(3):
        for row in range(10):
            n = 10 - row
            for k in range(n):
                at = (2.0 * (k - 0.5 * n) - 20.0 + 22.0 * j, 1.0 + 2.0 * row + (2.0 if n == 1 else 0.0))
                last = body(world, box, at, density=100.0 * (j + 1) if n == 1 else 1.0, friction=0.5)
        tops.append(last)
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
    """A box of 20 m drops 15 m on two of 1 m, 1/400 of its mass."""
    return _under_a_house(lab, UNIT, 0.5, 16.0)


@reference("high mass ratio: a house on two wedges", chapter=QUALITY)
def mass_ratio_wedges(lab: Lab) -> list[Row]:
    """The same house on the tips of two triangles of 0.5 m^2, 1/800 of its mass; it drops 1 m."""
    return _under_a_house(lab, Polygon([(-0.5, 0.0), (0.5, 0.0), (0.0, 1.0)]), 0.0, 2.0)


def box_on_a_ramp(world: World) -> int:
    """Add a slope of 0.3 rad, and a box on it."""
    ground(world, math.degrees(0.3), friction=0.6)
    return body(world, UNIT, (0.5 * math.sin(0.3), 0.5 * math.cos(0.3)), -0.3, friction=0.6)


@reference("friction ramp", chapter=QUALITY)
def ramp(lab: Lab) -> list[Row]:
    """A box that friction 0.6 holds on a slope of 0.3 rad, 5 s."""
    world = lab.world()
    box = box_on_a_ramp(world)
    run(world, 1.0)
    before = world.state(box).position
    run(world, 5.0)
    return [at_most("creep", math.dist(before, world.state(box).position), 1e-6, "m")]


def boxes_in_each_other(world: World) -> list[int]:
    """Add a floor, and a pyramid of ten boxes of 1 m that overlap by a quarter; return them, the lowest first."""
    ground(world)
    places = [(0.375 * (row - 4) + 0.75 * (k - row), 0.5 + 0.75 * row) for row in range(4) for k in range(row, 4)]
    return [body(world, UNIT, at) for at in places]


@reference("overlap recovery", chapter=QUALITY)
def overlap_recovery(lab: Lab) -> list[Row]:
    """A pyramid of ten boxes of 1 m that overlap by a quarter from the start. They must part; the less they gain by it the better."""
    world = lab.world()
    boxes = boxes_in_each_other(world)
    started, most = energy(world, boxes), 0.0
    for _ in range(300):
        world.step()
        most = max(most, energy(world, boxes) - started)
    return [at_most("energy gained", most, 30.0, "J"), at_most("overlap after 5 s", MM * deepest_overlap(world), 5.0, "mm")]


def boxes_in_a_column(world: World, n: int) -> list[int]:
    """Add a floor, and boxes of 1 m on each other, each 2 cm aside of the next by turns; return them, the lowest first."""
    ground(world)
    return [body(world, UNIT, (0.01 if k % 2 else -0.01, 0.5 + k)) for k in range(n)]


@reference("vertical stack of 15", is_slow=True, chapter=QUALITY)
def stack(lab: Lab) -> list[Row]:
    """Boxes of 1 m, each 2 cm aside of the next by turns, friction 0.3."""
    world = lab.world()
    boxes = boxes_in_a_column(world, 15)
    return [least("stands", _stood(world, boxes[-1]), 20.0, "s")]


def boxes_in_a_pyramid(world: World, n: int) -> list[list[int]]:
    """Add a floor, and boxes of 1 m in exact touch, `n` in the lowest row; return the rows, the lowest first."""
    ground(world, friction=0.6)
    return [[body(world, UNIT, (k + 0.5 * row - 0.5 * n, 0.5 + row), friction=0.6) for k in range(n - row)] for row in range(n)]


@reference("pyramid of 20 rows", is_slow=True, chapter=QUALITY)
def pyramid(lab: Lab) -> list[Row]:
    """Boxes of 1 m in exact touch: when nothing is faster than 1 cm/s any more, and how deep they overlap."""
    world = lab.world()
    boxes_in_a_pyramid(world, 20)
    rest = 0.0
    for step in range(300):
        world.step()
        if np.abs(world.velocities).max() > 0.01:
            rest = (step + 1) / 60.0
    return [at_most("moves until", rest, 0.5, "s"), at_most("overlap", MM * deepest_overlap(world), 1.0, "mm")]


def stones_under_slabs(world: World) -> tuple[list[int], list[int]]:
    """Add a floor, an arch of 17 stones and four slabs on it; return stones, the keystone in their middle, and slabs, the lowest first."""
    ground(world, friction=0.6)
    stones = [body(world, Polygon(stone), (0.0, 0.0), friction=0.6) for stone in arch_stones()]
    top = float(arch_stones()[8][:, 1].max())
    return stones, [body(world, Polygon.box(2.0, 0.5), (0.0, top + 0.5 + k), friction=0.6) for k in range(4)]


@reference("arch under four slabs", is_slow=True, chapter=QUALITY)
def arch_with_slabs(lab: Lab) -> list[Row]:
    """An arch of 17 stones, friction 0.6, bears a pile of slabs. By a linear program 0.48 would do: exactly it does not sag."""
    world = lab.world()
    stones, slabs = stones_under_slabs(world)
    top = world.state(slabs[0]).position[1] - 0.5
    run(world, 15.0)
    sag = -world.state(stones[8]).position[1]
    fallen = world.state(slabs[-1]).position[1] < top
    return [at_most("sag of the keystone", 99.0 if fallen else sag, 0.1, "m")]


def dominoes_in_a_row(world: World) -> list[int]:
    """Add a floor, and fifteen dominoes of 1 m, 1 m apart, the first one pushed."""
    ground(world, friction=0.6)
    dominoes = [body(world, Polygon.box(0.125, 0.5), (k - 7.5, 0.5), friction=0.6) for k in range(15)]
    world.apply_impulse(dominoes[0], (0.2, 0.0), (-7.5, 1.0))
    return dominoes


@reference("double domino", chapter=QUALITY)
def double_domino(lab: Lab) -> list[Row]:
    """Fifteen dominoes a length apart, the first one pushed: all fall."""
    world = lab.world()
    dominoes = dominoes_in_a_row(world)
    run(world, 10.0)
    return [least("fallen", float(sum(abs(world.state(domino).angle) > 0.5 for domino in dominoes)), 15.0, "of 15")]


def discs_in_a_box(world: World) -> list[int]:
    """Add a box 20 m wide, and 625 discs of 1 m without weight."""
    for center, wide, tall in (
        ((0.0, 0.0), 11.0, 0.5),
        ((0.0, 20.5), 11.0, 0.5),
        ((-10.5, 10.25), 0.5, 10.75),
        ((10.5, 10.25), 0.5, 10.75),
    ):
        body(world, Polygon.box(wide, tall), center, type="static")
    places = [(-8.75 + 18.0 * column / 25.0, 1.5 + 18.0 * row / 25.0) for column in range(25) for row in range(25)]
    return [body(world, Circle(0.5), at, gravity_scale=0.0) for at in places]


@reference("confined: 625 discs in too small a box", is_slow=True, chapter=QUALITY)
def confined(lab: Lab) -> list[Row]:
    """Discs of 1 m across 491 m^2 in a box of 390 m^2, no gravity. In the densest packing, hexagonal, they overlap by 0.15 m."""
    world = lab.world()
    discs_in_a_box(world)
    run(world, 10.0)
    return [at_most("overlap", deepest_overlap(world), 0.35, "m")]


def cards(world: World) -> int:
    """Add a floor, and a five-story card house; return its top card."""
    ground(world, friction=0.7)
    card, lean = Polygon.box(0.001, 0.2), math.radians(25.0)
    left, y, top = 0.0, 0.18, 0
    for n in range(5, 0, -1):
        x = left
        for k in range(n):
            if k != n - 1:
                body(world, card, (x + 0.25, y + 0.185), 0.5 * math.pi, friction=0.7)
            body(world, card, (x, y), -lean, friction=0.7)
            top = body(world, card, (x + 0.175, y), lean, friction=0.7)
            x += 0.35
        y += 0.37
        left += 0.175
    return top


@reference("five-story card house", is_slow=True, chapter=QUALITY)
def card_house(lab: Lab) -> list[Row]:
    """Cards of 2 mm x 0.4 m, leaning by 25 deg, friction 0.7, as Box2D's samples build them."""
    world = lab.world()
    top = cards(world)
    started = world.state(top).position
    stood = 0.0
    for second in range(20):
        run(world, 1.0)
        if math.dist(started, world.state(top).position) > 0.1:
            break
        stood = second + 1.0
    return [least("stands", stood, 20.0, "s")]


def discs_in_a_column(world: World) -> list[int]:
    """Add a floor, and ten discs of 1 m exactly above each other; return them, the lowest first."""
    ground(world, friction=0.6)
    return [body(world, Circle(0.5), (0.0, 0.5 + k), friction=0.6) for k in range(10)]


@reference("stack of ten discs", chapter=QUALITY)
def disc_stack(lab: Lab) -> list[Row]:
    """Discs of 1 m exactly above each other, 5 s: an unstable balance, which nothing disturbs."""
    world = lab.world()
    discs_in_a_column(world)
    run(world, 5.0)
    return [at_most("overlap", MM * deepest_overlap(world), 1.5, "mm")]


def _floor_at(world: World, x: float, y: float, half: float) -> None:
    body(world, Polygon.box(half, 1.0), (x, y - 1.0), type="static")


def piled_afar(world: World, x: float, y: float) -> int:
    """Add a floor at a place, and a disc and a box of 0.2 m under a plank with two boxes; return the upper one."""
    _floor_at(world, x, y, 10.0)
    body(world, Circle(0.1), (x + 1.875, y + 0.125))
    body(world, Polygon.box(0.1, 0.125), (x - 1.875, y + 0.15))
    body(world, Polygon.box(2.0, 0.05), (x, y + 0.325))
    body(world, Polygon.box(0.25, 0.25), (x - 0.5, y + 0.9))
    return body(world, UNIT, (x - 0.55, y + 1.7))


@reference("stack 47 km from the origin", chapter=QUALITY)
def far_stack(lab: Lab) -> list[Row]:
    """A disc and a box of 0.2 m under a plank with two boxes, at (4e4, -2.5e4) m: float64 has 7e-12 m there, float32 4 mm."""
    world = lab.world()
    piled_afar(world, 4.0e4, -2.5e4)
    run(world, 10.0)
    return [at_most("overlap", MM * deepest_overlap(world), 3.0, "mm")]


@reference("pyramid 128 km from the origin", chapter=QUALITY)
def far_pyramid(lab: Lab) -> list[Row]:
    """Ten rows of boxes of 1 m, a quarter of a meter apart at first, at (1e5, -8e4) m."""
    world, x, y = lab.world(), 1.0e5, -8.0e4
    _floor_at(world, x, y, 100.0)
    for row in range(10):
        for k in range(10 - row):
            body(world, UNIT, (x + 0.625 * (row + 1) + 1.25 * k - 5.0, y + 0.625 * (2 * row + 1) + 0.5))
    run(world, 10.0)
    return [at_most("overlap", MM * deepest_overlap(world), 1.0, "mm")]
