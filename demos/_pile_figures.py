r"""Figures of `ragdoll_pile` and `ragdoll`: non-convex outlines that are cut into convex pieces, and ragdolls made of them.

A ragdoll of size 1 is 1.1 m high, with the origin at the center of its torso:

          /\
        <    >   head          joints: neck, two shoulders, two hips, each with limits
          ||
    C====+--+====C   arms      The fixtures of a ragdoll share a negative group, so its parts never collide: the hips overlap the
          \/                   torso and would push it apart.
          /\     torso
         |  |
         |  |    legs
         L  L
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.decompose import Outline
from engine.decompose.decompose import decompose
from engine.geometry import Circle, Polygon, Transform
from engine.world import RevoluteJointSpec, World
from sprites.figure_outline import TRACED

__all__ = [
    "HEADS",
    "LETTERS",
    "LOOSE",
    "RAGDOLL_JOINTS",
    "Hinge",
    "Limb",
    "add_hinges",
    "loose_pieces",
    "outline_of",
    "ragdoll_limbs",
    "scaled",
]

Pieces = tuple[Polygon | Circle, ...]
Point = tuple[float, float]

HEADS = ("star", "heart", "moon", "crown")
LETTERS = ("B", "O", "X", "2", "D")
LOOSE = (*LETTERS, "bird")
"""The other figures, each a single body."""

_LETTER_UNIT = 0.14
"""Unit of the letters' outlines, meters; a letter is five units high."""
_BIRD_SIZE = 0.5
"""Size of the bird as a fraction of the drawn bird's 1.7 m."""

_CORNERS: Mapping[str, Sequence[Point]] = {
    "torso": ((-0.10, -0.20), (0.10, -0.20), (0.06, -0.04), (0.15, 0.18), (0.05, 0.21), (-0.05, 0.21), (-0.15, 0.18), (-0.06, -0.04)),
    "arm": (
        (-0.03, -0.045), (0.19, -0.040), (0.24, -0.105), (0.34, -0.115), (0.42, -0.060), (0.34, -0.045), (0.30, 0.000),
        (0.34, 0.045), (0.42, 0.060), (0.34, 0.115), (0.24, 0.105), (0.19, 0.040), (-0.03, 0.045),
    ),
    "leg": ((-0.055, 0.03), (-0.045, -0.40), (0.16, -0.40), (0.16, -0.34), (0.050, -0.29), (0.060, 0.03)),
    "heart": ((0.0, -0.17), (0.15, 0.0), (0.16, 0.08), (0.09, 0.14), (0.0, 0.07), (-0.09, 0.14), (-0.16, 0.08), (-0.15, 0.0)),
    "crown": (
        (-0.12, -0.16), (0.12, -0.16), (0.17, 0.14), (0.07, 0.02), (0.0, 0.17), (-0.07, 0.02), (-0.17, 0.14),
    ),
    "B": ((0.0, 0.0), (2.4, 0.0), (3.0, 0.6), (3.0, 2.0), (2.6, 2.5), (3.0, 3.0), (3.0, 4.4), (2.4, 5.0), (0.0, 5.0)),
    "O": ((1.0, 0.0), (2.4, 0.0), (3.4, 1.0), (3.4, 4.0), (2.4, 5.0), (1.0, 5.0), (0.0, 4.0), (0.0, 1.0)),
    "X": (
        (0.0, 0.0), (1.1, 0.0), (2.0, 1.6), (2.9, 0.0), (4.0, 0.0), (2.6, 2.5), (4.0, 5.0), (2.9, 5.0), (2.0, 3.4),
        (1.1, 5.0), (0.0, 5.0), (1.4, 2.5),
    ),
    "2": (
        (0.0, 0.0), (3.2, 0.0), (3.2, 1.0), (1.5, 1.0), (3.2, 2.9), (3.2, 4.2), (2.4, 5.0), (0.8, 5.0), (0.0, 4.2),
        (0.0, 3.4), (1.0, 3.4), (1.0, 4.0), (2.1, 4.0), (2.1, 3.2), (0.0, 1.0),
    ),
    "D": ((0.0, 0.0), (2.0, 0.0), (3.2, 1.2), (3.2, 3.8), (2.0, 5.0), (0.0, 5.0)),
}  # fmt: skip
_HOLES: Mapping[str, Sequence[Sequence[Point]]] = {
    "B": (((1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)), ((1.0, 3.0), (2.0, 3.0), (2.0, 4.0), (1.0, 4.0))),
    "O": (((1.4, 1.0), (2.0, 1.0), (2.4, 1.4), (2.4, 3.6), (2.0, 4.0), (1.4, 4.0), (1.0, 3.6), (1.0, 1.4)),),
    "D": (((1.0, 1.0), (1.6, 1.0), (2.2, 1.6), (2.2, 3.4), (1.6, 4.0), (1.0, 4.0)),),
}


@dataclass(frozen=True, slots=True)
class Limb:
    """A body of a ragdoll of size 1: its pieces, and its origin in the ragdoll's frame."""

    name: str
    pieces: Pieces
    place: Point


@dataclass(frozen=True, slots=True)
class Hinge:
    """A joint at `anchor` between two limbs, by their indices in `ragdoll_limbs`, with angles from `lower` to `upper`, radians."""

    limb_a: int
    limb_b: int
    anchor: Point
    lower: float
    upper: float


RAGDOLL_JOINTS = (
    Hinge(0, 1, (0.0, 0.22), -0.6, 0.6),  # neck
    Hinge(0, 2, (-0.13, 0.15), -1.3, 1.3),  # shoulders
    Hinge(0, 3, (0.13, 0.15), -1.3, 1.3),
    Hinge(0, 4, (-0.06, -0.18), -1.2, 0.5),  # hips
    Hinge(0, 5, (0.06, -0.18), -0.5, 1.2),
)
"""Limb 0 is the torso, 1 the head, 2 and 3 the left and right arm, 4 and 5 the left and right leg."""


def outline_of(name: str) -> Outline:
    """Return an outline by its name, centered at the origin, meters."""
    if name == "star":
        return Outline.of_polygon(_star(5, 0.18, 0.08))
    if name == "moon":
        return Outline.of_polygon(_moon(0.17, 0.09))
    corners, holes = np.array(_CORNERS[name]), [np.array(hole) for hole in _HOLES.get(name, ())]
    if name not in LETTERS:
        return Outline.of_polygon(corners, holes)
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    return Outline.of_polygon((corners - middle) * _LETTER_UNIT, [(hole - middle) * _LETTER_UNIT for hole in holes])


def ragdoll_limbs(head: str) -> tuple[Limb, ...]:
    """Return the limbs of a ragdoll with one of `HEADS`."""
    arm, leg = _pieces("arm"), _pieces("leg")
    return (
        Limb("torso", _pieces("torso"), (0.0, 0.0)),
        Limb(head, _pieces(head), (0.0, 0.36)),
        Limb("arm", _mirrored(arm), (-0.13, 0.15)),
        Limb("arm", arm, (0.13, 0.15)),
        Limb("leg", _mirrored(leg), (-0.06, -0.18)),
        Limb("leg", leg, (0.06, -0.18)),
    )


def loose_pieces(name: str) -> Pieces:
    """Return the pieces of one of `LOOSE`, centered at the origin."""
    return _bird() if name == "bird" else _pieces(name)


def scaled(pieces: Pieces, size: float, offset: Point = (0.0, 0.0)) -> Pieces:
    """Return pieces scaled about the origin, then moved by `offset` meters."""
    return tuple(piece.mapped(lambda points: size * points + offset, size * piece.radius) for piece in pieces)


def add_hinges(world: World, limbs: Sequence[int], frame: Transform, size: float, torque: float) -> list[int]:
    """Join the limbs of a ragdoll whose origin is at `frame`, and return the joints.

    `torque` is the friction of a hinge at size 1, N m; like the torque of a limb's weight, it grows with the cube of the size.
    """
    friction: dict[str, Any] = {"enable_motor": True, "max_motor_torque": torque * size**3}
    return [
        world.create_joint(
            RevoluteJointSpec(
                limbs[hinge.limb_a],
                limbs[hinge.limb_b],
                frame.apply((size * hinge.anchor[0], size * hinge.anchor[1])),
                enable_limit=True,
                lower_angle=hinge.lower,
                upper_angle=hinge.upper,
                **friction,
            )
        )
        for hinge in RAGDOLL_JOINTS
    ]


@cache
def _pieces(name: str) -> Pieces:
    return decompose(outline_of(name)).pieces


@cache
def _bird() -> Pieces:
    box = TRACED.outline.aabb
    middle = tuple(0.5 * (low + high) for low, high in zip(box.lower, box.upper, strict=True))
    return scaled(TRACED.pieces, _BIRD_SIZE, (-_BIRD_SIZE * middle[0], -_BIRD_SIZE * middle[1]))


def _mirrored(pieces: Pieces) -> Pieces:
    return tuple(piece.mapped(lambda points: points * (-1.0, 1.0)) for piece in pieces)


def _star(points: int, outer: float, inner: float) -> FloatArray:
    turn = math.pi / 2.0 + np.arange(2 * points) * (math.pi / points)
    radius = np.where(np.arange(2 * points) % 2 == 0, outer, inner)
    return np.column_stack((radius * np.cos(turn), radius * np.sin(turn)))


def _moon(radius: float, shift: float) -> FloatArray:
    """Return a crescent that is open to the right: a circle minus a circle around (`shift`, 0) through its two tips."""
    out = np.linspace(0.25 * math.pi, 1.75 * math.pi, 11)
    outer = radius * np.column_stack((np.cos(out), np.sin(out)))
    x, y = outer[0]
    bite, tip = math.hypot(x - shift, y), math.atan2(y, x - shift)
    back = np.linspace(2.0 * math.pi - tip, tip, 7)[1:-1]
    return np.vstack((outer, np.column_stack((shift + bite * np.cos(back), bite * np.sin(back)))))
