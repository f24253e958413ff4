"""Two methods to decide which body rests on which: by normal and gravity, as in `engine.dynamics.methods`, and the published one.

**By normal and gravity.** The contacts of the step are known. A body rests on the other one if gravity would bring it closer, by more than
six degrees (`contact_layers`).

**By advancing.** Each body takes a step of h alone from rest, so it moves by h^2 g while all others stay in place. Every collision found
there is an edge, whatever its direction: a box also rests on neighbors that it touches at its sides, and two such boxes on each other.

Sources: M. Pawłowski, 2015, p. 44 (docs/studies/README.md); E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex Rigid Bodies with Stacking",
2003, section 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from engine import query
from engine.common.arrays import FloatArray, IntArray
from engine.dynamics.methods._contact_graph_kernel import NO_ONE, contact_layers
from engine.experiments.references.lab import (
    GRAVITY,
    Lab,
)
from engine.experiments.scenes import body, pile
from engine.geometry import Circle, Polygon, Transform
from engine.world import World

__all__ = ["SCENES", "by_advancing", "by_normal"]

Edges = set[tuple[int, int]]
"""Pairs of a body and one that it rests on."""

_STEP = 0.04
"""Pawłowski's step (p. 60), s."""
_FLOOR = Polygon.box(20.0, 0.5)


def by_normal(world: World) -> Edges:
    """Return which body rests on which, by the contacts of the last step."""
    contacts, touching = world.contacts, world.contacts.count > 0
    ends: IntArray = np.column_stack((contacts.body_a, contacts.body_b))[touching]
    normal: FloatArray = np.ascontiguousarray(contacts.normal[touching])
    inverse = np.array([(float(world.body(number).spec.type == "dynamic"),) * 2 for number in world.body_ids])
    lower, _, _ = contact_layers(ends, normal, 0.0, -GRAVITY, np.zeros((0, 2), dtype=np.int64), inverse)
    edges = {(int(pair[1 - side]), int(pair[side])) for pair, side in zip(ends, lower, strict=True) if side != NO_ONE}
    return {(upper, under) for upper, under in edges if inverse[upper, 0] > 0.0}


def by_advancing(world: World) -> Edges:
    """Return which body rests on which, by moving each body alone for one step."""
    shapes = {number: world.fixture(world.body(number).fixtures[0]).spec.shape for number in world.body_ids}
    poses = {number: world.state(number).xf for number in world.body_ids}
    edges = set()
    for number in world.body_ids:
        if world.body(number).spec.type != "dynamic":
            continue
        x, y = poses[number].position
        moved = Transform((x, y - _STEP * _STEP * GRAVITY), poses[number].angle)
        for other in world.body_ids:
            if other != number and shapes[number].aabb(moved).overlaps(shapes[other].aabb(poses[other])):
                if query.overlap(shapes[number], moved, shapes[other], poses[other]):
                    edges.add((number, other))
    return edges


def _stacked(rows: tuple[int, ...], pitch: float = 1.001) -> World:
    """Return rows of boxes `pitch` meters apart, each centered on the one below, after a step."""
    world = Lab("shock_propagation").world()
    body(world, _FLOOR, (0.0, -0.5), type="static")
    pile(world, rows, pitch=pitch)
    world.step()
    return world


def groove(degrees: float) -> World:
    """Return a disc in a groove between two blocks, with contact normals `degrees` off horizontal, after a step."""
    world = Lab("shock_propagation").world()
    tilt = math.radians(degrees)
    for side in (-1.0, 1.0):
        reach = 0.5 + 2.0
        at = (side * reach * math.cos(tilt), -reach * math.sin(tilt))
        body(world, Polygon.box(2.0, 2.0), at, -side * tilt, type="static")
    body(world, Circle(0.5), (0.0, 0.0))
    world.step()
    return world


SCENES: dict[str, Callable[[], World]] = {
    "tower of six": lambda: _stacked((1,) * 6),
    "pyramid of ten": lambda: _stacked((4, 3, 2, 1)),
    "wall, boxes 1 mm apart": lambda: _stacked((4, 4, 4)),
    "wall, boxes side by side": lambda: _stacked((4, 4, 4), 1.0),
    "disc in a groove, 30 degrees": lambda: groove(30.0),
    "disc in a groove, 7 degrees": lambda: groove(7.0),
    "disc in a groove, 5 degrees": lambda: groove(5.0),
    "disc in a groove, 1 degree": lambda: groove(1.0),
}
