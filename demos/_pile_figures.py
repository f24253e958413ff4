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

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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
    "VESSELS",
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
VESSELS = ("bowl", "car")
"""Figures of nine and of twelve pieces."""

_LETTER_UNIT = 0.14
"""Unit of the letters' outlines, meters; a letter is five units high."""
_BIRD_SIZE = 0.5
"""Size of the bird as a fraction of the drawn bird's 1.7 m."""

_OUTLINES = Path(__file__).parent / "figures" / "outlines.json"
"""Corners of the outlines, and of their holes: meters, for letters `_LETTER_UNIT`."""


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
    outline = json.loads(_OUTLINES.read_text(encoding="utf-8"))[name]
    corners, holes = np.array(outline["outer"]), [np.array(hole) for hole in outline.get("holes", ())]
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
    """Return the pieces of one of `LOOSE` or `VESSELS`, centered at the origin."""
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
