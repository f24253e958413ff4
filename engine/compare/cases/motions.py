"""Seeded motions of the pairs of a chunk within one step; most of them touch.

Each pair passes through its poses of the chunk at some time of the step, up to float32 rounding. Two thirds move and rotate freely, by up
to 3 m and 3 rad; the others belong to one of the families below.

==========  ======================================================================================================================
straight    no rotation: parallel edges stay parallel
still       both at rest
tiny        a micrometer to a millimeter, and as many radians
turning     on the spot, up to a full turn
spin        up to eight full turns
in_scale    motions proportional to the size of the shapes: millimeters or kilometers
==========  ======================================================================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.compare.cases.pairs import CHUNK, CaseChunk
from engine.compare.cases.shapes import outline_of, rounded

__all__ = ["MOTIONS", "MotionChunk", "motion_chunk"]

MOTIONS = ("straight", "still", "tiny", "turning", "spin", "in_scale")
"""The families of motions."""

_SHARES = (0.12, 0.02, 0.04, 0.04, 0.06, 0.06)

_FARTHEST_MOVE = (3.0, 3.0, 3.0)
"""Maximum motion within one step in either direction, meters and radians: several times the size of a shape, as for a bullet."""

_MAX_TURNS = 8.0


@dataclass(frozen=True, slots=True)
class MotionChunk:
    """Pairs (n, 2) of a chunk, their poses (n, 3) at both ends of a step, their kinds, and the motions' families, -1 for random ones."""

    pairs: IntArray
    start_a: FloatArray
    end_a: FloatArray
    start_b: FloatArray
    end_b: FloatArray
    kind: IntArray
    family: IntArray


def motion_chunk(cases: CaseChunk, seed: int, chunk: int) -> MotionChunk:
    """Return a motion for each pair of `cases`."""
    rng = stream(seed, "compare", "motions", chunk)
    moment = rng.uniform(0.0, 1.0, (CHUNK, 1))
    moves = rng.uniform(-1.0, 1.0, (2, CHUNK, 3)) * _FARTHEST_MOVE
    family = np.searchsorted(np.cumsum(_SHARES), rng.random(CHUNK))
    tiny = 10.0 ** rng.uniform(-6.0, -3.0, CHUNK)
    turns = rng.uniform(-_MAX_TURNS, _MAX_TURNS, (2, CHUNK)) * 2.0 * math.pi
    n = len(cases.pairs)
    moves, family, tiny, turns = moves[:, :n], family[:n], tiny[:n], turns[:, :n]
    extent = np.array([np.hypot(*outline_of(shape).T).max() for shape in cases.shapes])
    is_family = [family == at for at in range(len(MOTIONS))]
    straight, still, is_tiny, turning, spin, in_scale = is_family
    moves[:, straight, 2] = 0.0
    moves[:, still] = 0.0
    moves[:, is_tiny] *= (tiny / _FARTHEST_MOVE[0])[is_tiny][None, :, None]
    moves[:, turning, :2] = 0.0
    moves[:, turning, 2] *= 2.0 * math.pi / _FARTHEST_MOVE[2]
    moves[:, spin, 2] = turns[:, spin]
    moves[:, in_scale, :2] *= extent[cases.pairs].max(axis=1)[in_scale][None, :, None]

    def end(poses: FloatArray, move: FloatArray, part: FloatArray) -> FloatArray:
        return rounded(poses + part[:n] * move)

    a, b, before, after = cases.poses_a, cases.poses_b, -moment, 1.0 - moment
    return MotionChunk(
        cases.pairs,
        end(a, moves[0], before),
        end(a, moves[0], after),
        end(b, moves[1], before),
        end(b, moves[1], after),
        cases.kind,
        np.where(family < len(MOTIONS), family, -1),
    )
