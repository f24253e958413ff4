"""Moving pairs as they are put to both sides, and their times of impact.

b2TimeOfImpact aims at cores D = max(slop, radii - 3 slop) apart; so are we asked to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import BOX2D_TOI_BACKOFF, LINEAR_SLOP
from engine.compare import allowances
from engine.compare.cases import MotionChunk
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes

__all__ = ["Impacts", "MovingPairs", "moving_pairs", "our_impacts"]


@dataclass(frozen=True, slots=True)
class Impacts:
    """Somebody's answers: numbers of `Status`, and fractions of the sweep."""

    status: IntArray
    fraction: FloatArray


@dataclass(frozen=True, slots=True)
class MovingPairs:
    """Pairs (n, 2) into packed shapes and their poses (n, 3) at both ends; the aim D, and r, metres.

    `scale` is what rounding is proportional to, metres; `speed` is the most that any two points of a pair approach over the whole
    sweep, metres.
    """

    shapes: PackedShapes
    pairs: IntArray
    motion: MotionChunk
    aim: FloatArray
    scale: FloatArray
    rounding: FloatArray
    speed: FloatArray

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, rows: IntArray) -> MovingPairs:
        """Return these rows only."""
        one = self.motion
        some = MotionChunk(one.start_a[rows], one.end_a[rows], one.start_b[rows], one.end_b[rows])
        columns = (column[rows] for column in (self.aim, self.scale, self.rounding, self.speed))
        return MovingPairs(self.shapes, self.pairs[rows], some, *columns)

    def poses(self, rows: IntArray, fraction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the poses (n, 4) x, y, cosine, sine of A and of B of some rows, each at its fraction."""
        one, t = self.motion, fraction[:, None]
        a = (1.0 - t) * one.start_a[rows] + t * one.end_a[rows]
        b = (1.0 - t) * one.start_b[rows] + t * one.end_b[rows]
        return batched.poses_with_rotation(a), batched.poses_with_rotation(b)


def moving_pairs(shapes: PackedShapes, pairs: IntArray, motion: MotionChunk) -> MovingPairs:
    """Prepare pairs for judgement; inputs must have been checked."""
    radii = shapes.radius[pairs].sum(axis=1)
    extent_a, extent_b = shapes.extent[pairs].T
    scale = np.zeros(len(pairs))
    for start, end, extent in ((motion.start_a, motion.end_a, extent_a), (motion.start_b, motion.end_b, extent_b)):
        place = np.maximum(np.abs(start[:, :2]).sum(axis=1), np.abs(end[:, :2]).sum(axis=1))
        scale += place + extent * (1.0 + np.maximum(np.abs(start[:, 2]), np.abs(end[:, 2])))
    move_a, move_b = motion.end_a - motion.start_a, motion.end_b - motion.start_b
    speed = np.hypot(*(move_b - move_a)[:, :2].T) + extent_a * np.abs(move_a[:, 2]) + extent_b * np.abs(move_b[:, 2])
    aim = np.maximum(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF)
    return MovingPairs(shapes, pairs.copy(), motion, aim, scale, allowances.impact_allowance(scale), speed)


def our_impacts(moving: MovingPairs) -> Impacts:
    """Return our times of impact with Box2D's aim."""
    from engine.continuous._impact_kernel import ADVANCEMENT
    from engine.continuous.impact_rows import impact_rows

    center, one = np.zeros((len(moving), 2)), moving.motion
    sweeps = one.start_a, one.end_a, center, one.start_b, one.end_b, center
    rows = impact_rows(moving.shapes, moving.pairs, sweeps, 1.0, ADVANCEMENT, True)
    return Impacts(rows.status, rows.fraction)
