"""Builders of the scenes that references, the solver bench, studies, benchmarks and tests share.

Each builder adds bodies to a world and returns those of interest, the lowest first. Lengths are in meters, densities in kg/m^2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry import AnyShape, Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World
from engine.world.specs import BodyType

__all__ = [
    "UNIT",
    "arch_stones",
    "ball_on_a_chain",
    "balls_in_a_row",
    "block_on_a_wedge",
    "body",
    "box_on_a_ramp",
    "boxes_in_a_column",
    "boxes_in_a_pyramid",
    "boxes_in_each_other",
    "cards",
    "discs_in_a_box",
    "discs_in_a_column",
    "dominoes_in_a_row",
    "falling_box",
    "floor_at",
    "ground",
    "hanging_bridge",
    "ladder_on_a_wall",
    "level_chain",
    "net_of_discs",
    "on_slope",
    "pile",
    "piled",
    "piled_afar",
    "stack",
    "stones_under_slabs",
    "torn_chain",
]

UNIT = Polygon.box(0.5, 0.5)
"""A box of one square meter."""

_OUTER = (
    *((24.0, 0.0), (22.336, 6.023), (20.549, 12.010), (18.609, 17.947), (16.468, 23.814)),
    *((14.053, 29.571), (11.236, 35.138), (7.753, 40.305), (3.017, 44.289)),
)

_INNER = (
    *((16.0, 0.0), (14.938, 5.134), (13.799, 10.249), (12.563, 15.341), (11.200, 20.399)),
    *((9.665, 25.404), (7.872, 30.318), (5.635, 35.038), (2.406, 39.096)),
)

LINK = Polygon.box(0.5, 0.125)

_DAMPED: dict[str, Any] = {"linear_damping": 0.1, "angular_damping": 0.1}


def body(world: World, shape: AnyShape, position: tuple[float, float], angle: float = 0.0, type: BodyType = "dynamic", **more: Any) -> int:
    """Add a body of one fixture; arguments that are not fields of the fixture are fields of the body."""
    of_fixture = {name: more.pop(name) for name in ("friction", "restitution", "density", "sensor", "category", "mask") if name in more}
    return world.create_body(BodySpec((FixtureSpec(shape, **of_fixture),), type, position, angle, **more))


def ground(world: World, degrees: float = 0.0, **more: Any) -> int:
    """Add a floor through the origin that slopes down toward +x by `degrees`."""
    return body(world, Segment((-200.0, 0.0), (200.0, 0.0)), (0.0, 0.0), -math.radians(degrees), type="static", **more)


def on_slope(world: World, degrees: float, shape: AnyShape, height: float, **more: Any) -> int:
    """Add a body on such a floor, with its center `height` m above it."""
    angle = -math.radians(degrees)
    return body(world, shape, (-height * math.sin(angle), height * math.cos(angle)), angle, **more)


Place = tuple[float, float]


def piled(counts: Iterable[int], x: float = 0.0, pitch: float = 1.0, offset: float = 0.0) -> list[list[Place]]:
    """Return the positions of unit boxes in rows on a floor at y = 0, the lowest row first.

    Each row is centered at `x`, with boxes `pitch` apart; every other row is shifted by `offset`.
    """
    return [[(x + offset * (level % 2) + pitch * (k - 0.5 * (n - 1)), 0.5 + level) for k in range(n)] for level, n in enumerate(counts)]


def pile(
    world: World, counts: Iterable[int], shape: AnyShape = UNIT, x: float = 0.0, pitch: float = 1.0, offset: float = 0.0, **more: Any
) -> list[list[int]]:
    """Add bodies at the positions of `piled`, row by row."""
    return [[body(world, shape, at, **more) for at in row] for row in piled(counts, x, pitch, offset)]


def stack(world: World, n: int, shape: AnyShape = UNIT, x: float = 0.0, offset: float = 0.0, **more: Any) -> list[int]:
    """Add a stack of bodies of one meter."""
    return [top for (top,) in pile(world, (1,) * n, shape, x, offset=offset, **more)]


def falling_box(world: World) -> int:
    """Add a floor, and a box of 2 m, 3 m above it."""
    ground(world, friction=0.5)
    return body(world, Polygon.box(1.0, 1.0), (0.0, 4.0), friction=0.5)


def box_on_a_ramp(world: World) -> int:
    """Add a slope of 0.3 rad, and a box on it."""
    ground(world, math.degrees(0.3), friction=0.6)
    return body(world, UNIT, (0.5 * math.sin(0.3), 0.5 * math.cos(0.3)), -0.3, friction=0.6)


def boxes_in_each_other(world: World) -> list[int]:
    """Add a floor, and a pyramid of ten boxes of 1 m that overlap by a quarter; return them, the lowest first."""
    ground(world)
    places = [(0.375 * (row - 4) + 0.75 * (k - row), 0.5 + 0.75 * row) for row in range(4) for k in range(row, 4)]
    return [body(world, UNIT, at) for at in places]


def boxes_in_a_column(world: World, n: int) -> list[int]:
    """Add a floor, and a stack of boxes of 1 m, shifted by 2 cm alternately; return them, the lowest first."""
    ground(world)
    return stack(world, n, x=-0.01, offset=0.02)


def boxes_in_a_pyramid(world: World, n: int) -> list[list[int]]:
    """Add a floor, and boxes of 1 m in exact touch, `n` in the lowest row; return the rows, the lowest first."""
    ground(world, friction=0.6)
    return pile(world, range(n, 0, -1), x=-0.5, friction=0.6)


def stones_under_slabs(world: World) -> tuple[list[int], list[int]]:
    """Add a floor, an arch of 17 stones and four slabs on it; return the stones, with the keystone in the middle, and the slabs from bottom
    to top.
    """
    ground(world, friction=0.6)
    stones = [body(world, Polygon(stone), (0.0, 0.0), friction=0.6) for stone in arch_stones()]
    top = float(arch_stones()[8][:, 1].max())
    return stones, [body(world, Polygon.box(2.0, 0.5), (0.0, top + 0.5 + k), friction=0.6) for k in range(4)]


def dominoes_in_a_row(world: World) -> list[int]:
    """Add a floor, and fifteen dominoes of 1 m, 1 m apart, the first one pushed."""
    ground(world, friction=0.6)
    dominoes = [body(world, Polygon.box(0.125, 0.5), (k - 7.5, 0.5), friction=0.6) for k in range(15)]
    world.apply_impulse(dominoes[0], (0.2, 0.0), (-7.5, 1.0))
    return dominoes


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


def discs_in_a_column(world: World) -> list[int]:
    """Add a floor, and ten discs of 1 m exactly above each other; return them, the lowest first."""
    ground(world, friction=0.6)
    return stack(world, 10, Circle(0.5), friction=0.6)


def floor_at(world: World, x: float, y: float, half: float) -> None:
    body(world, Polygon.box(half, 1.0), (x, y - 1.0), type="static")


def piled_afar(world: World, x: float, y: float) -> int:
    """Add a floor at a position, and a disc and a box of 0.2 m under a plank with two boxes; return the upper box."""
    floor_at(world, x, y, 10.0)
    body(world, Circle(0.1), (x + 1.875, y + 0.125))
    body(world, Polygon.box(0.1, 0.125), (x - 1.875, y + 0.15))
    body(world, Polygon.box(2.0, 0.05), (x, y + 0.325))
    body(world, Polygon.box(0.25, 0.25), (x - 0.5, y + 0.9))
    return body(world, UNIT, (x - 0.55, y + 1.7))


def arch_stones() -> list[FloatArray]:
    """Return the 17 stones of an arch that is nearly a catenary, each float64 (4, 2), m, from the right foot over the keystone."""
    inner, outer = 0.25 * np.array(_INNER), 0.25 * np.array(_OUTER)
    right = [np.array((inner[k], outer[k], outer[k + 1], inner[k + 1])) for k in range(8)]
    mirror = np.array((-1.0, 1.0))
    key = np.array((inner[8], outer[8], outer[8] * mirror, inner[8] * mirror))
    return [*right, key, *(stone[::-1] * mirror for stone in reversed(right))]


def ladder_on_a_wall(world: World, angle: float, half: float = 1.0, thick: float = 0.01) -> int:
    """Add a floor, a smooth wall, and a ladder of these half lengths, m, that leans at `angle` to the floor; return the ladder."""
    ground(world, friction=0.5)
    middle = (half * math.cos(angle) - thick * math.sin(angle), half * math.sin(angle) + thick * math.cos(angle))
    wall = middle[0] + half * math.cos(angle) + thick * math.sin(angle)
    body(world, Segment((wall, -1.0), (wall, 10.0)), (0.0, 0.0), type="static", friction=0.0)
    return body(world, Polygon.box(half, thick), middle, angle, friction=0.5)


def block_on_a_wedge(world: World, slope: float) -> tuple[int, int]:
    """Add a floor, a wedge that is free to slide and a block on it, all smooth; return wedge and block."""
    ground(world, friction=0.0)
    wedge_body = body(world, Polygon([(0.0, 0.0), (4.0, 0.0), (0.0, 4.0 * math.tan(slope))]), (0.0, 0.0), friction=0.0)
    at = 1.0 + 0.2 * math.sin(slope), 3.0 * math.tan(slope) + 0.2 * math.cos(slope)
    return wedge_body, body(world, Polygon.box(0.2, 0.2), at, -slope, friction=0.0)


def balls_in_a_row(world: World) -> list[int]:
    """Add five equal discs without friction or energy loss; the first moves at 4 m/s toward the others, which touch."""
    balls = [body(world, Circle(0.5), (x, 0.0), restitution=1.0, friction=0.0) for x in (-2.0, 1.0, 2.0, 3.0, 4.0)]
    world.set_velocity(balls[0], (4.0, 0.0))
    return balls


def level_chain(world: World, shape: Polygon, half: float, n: int, at: tuple[float, float]) -> tuple[list[int], list[int]]:
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
    links, joints = level_chain(world, LINK, 0.5, 160, (-80.0, 20.0))
    support = body(world, Circle(0.1), (80.0, 120.0), type="static")
    joints.append(world.create_joint(RevoluteJointSpec(links[-1], support, (80.0, 20.0))))
    return joints


def ball_on_a_chain(world: World) -> list[int]:
    """Add a disc of a tonne, two hundred times a link, at the end of 30 links, level; return the joints."""
    links, joints = level_chain(world, LINK, 0.5, 30, (0.0, 15.0))
    ball = body(world, Circle(4.0), (34.0, 15.0), density=20.0, **_DAMPED)
    joints.append(world.create_joint(RevoluteJointSpec(links[-1], ball, (30.0, 15.0))))
    return joints


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
