"""Proof that two moving shapes never come closer than a floor within part of a step, or the time at which they do.

For any fixed unit direction n, the gap of the projections onto n is no larger than the distance of the cores. Within an interval of half
width h around a time m, it changes by at most::

    rate h,    rate = |n . (v_b - v_a)| + reach_a |w_a| + reach_b |w_b|

with the translation v and rotation w over the whole step (so h is a share of it) and the reach of each core from its origin, about which it
rotates: a corner at radius r moves by at most r |w| h. Hence, one evaluation at m, along the direction between the nearest points there,
proves the whole interval if

    gap(m, n) - rate h - error >= floor

and is halved if not. The evaluation uses float64; `error` bounds its rounding, so that the proof holds for the exact motion::

          distance                    *-------- evaluated at m, for all of the interval
             |`.                   .'   `.
             |   `.  *         * .'       `-  rate h
       floor |- - -`.- `- - -'- - - - - - - - - - - - - - -
             |        `--- nearer than the floor: found, and not proved

A time found below the floor is only a candidate: the caller must prove it by a witness. (Piyavskii and Shubert, 1972: the
minimum of a Lipschitz function; here the constant is that of each direction, which is near 0 for shapes that slide along each other.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.tolerances import SAT_ROUNDING
from engine.compare.queries import Flags, MovingPairs
from engine.narrowphase import batched

__all__ = ["Clearance", "clearances", "core_gaps"]

_MAX_INTERVALS = 200_000
"""Intervals looked at for one pair before giving up: its difference then stays unexplained."""

_BLOCK = 16_384
"""Intervals evaluated at a time, for the memory of their rows."""

_POSE_ROUNDINGS = 2.0
"""Times `SAT_ROUNDING`, of the scale: one for a separation along a direction, and one for the interpolated position and angle, which
carry 3 roundings of half EPS64 each, the angle's times the reach (and the scale has the reach times the angle)."""


@dataclass(frozen=True, slots=True)
class Clearance:
    """Per row: whether the gap is proved to stay above the floor, and the time of the lowest gap found with that core gap (inf: none
    below).
    """

    is_proved: Flags
    moment: FloatArray
    gap: FloatArray


def clearances(moving: MovingPairs, rows: IntArray, since: FloatArray, until: FloatArray, floor: FloatArray) -> Clearance:
    """Prove for each of `rows` that its cores stay at least `floor` meters apart from `since` to `until`, shares of the step."""
    n = len(rows)
    moment, lowest, n_looked = np.full(n, np.nan), np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    is_open = np.ones(n, dtype=np.bool_)
    at, low, high = np.arange(n), since.copy(), until.copy()
    while len(at):
        some = slice(len(at) - min(len(at), _BLOCK), None)
        index, start, end = at[some], low[some], high[some]
        at, low, high = at[: some.start], low[: some.start], high[: some.start]
        kept = is_open[index]
        index, start, end = index[kept], start[kept], end[kept]
        if len(index) == 0:
            continue
        middle = 0.5 * (start + end)
        gap, least = _bounds_within(moving, rows[index], middle, 0.5 * (end - start))
        np.add.at(n_looked, index, 1)
        is_below = gap < floor[index]
        for row in np.flatnonzero(is_below).tolist():
            if gap[row] < lowest[index[row]]:
                lowest[index[row]], moment[index[row]] = gap[row], middle[row]
        is_open[index[is_below]] = False
        is_open[n_looked > _MAX_INTERVALS] = False
        # an interval that holds no further float64 cannot be halved
        is_narrow = (middle <= start) | (middle >= end)
        is_high = least >= floor[index]
        is_open[index[is_narrow & ~is_high]] = False
        halves = np.flatnonzero(~is_high & is_open[index])
        at = np.concatenate((at, index[halves], index[halves]))
        low = np.concatenate((low, start[halves], middle[halves]))
        high = np.concatenate((high, middle[halves], end[halves]))
    return Clearance(is_open, moment, lowest)


def core_gaps(moving: MovingPairs, which: IntArray, fraction: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the core gap of rows `which` at their fractions (negative: overlapping), and the direction."""
    from engine.narrowphase.batched_distances import distance_rows

    shapes, pairs = moving.shapes, moving.pairs[which]
    posed = shapes, pairs, *moving.poses(which, fraction)
    (_, _, apart), (_, _, deep) = distance_rows(*posed), distance_rows(*posed, wants_depth=True)
    is_deep = deep[:, 0] > 0.0
    gap = np.where(is_deep, -deep[:, 0], apart[:, 0]) + shapes.radius[pairs].sum(axis=1)
    return gap, np.where(is_deep[:, None], deep[:, 5:7], apart[:, 5:7])


def _bounds_within(moving: MovingPairs, which: IntArray, middle: FloatArray, half: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the core gap at each time, and its lower bound within `half` of that time."""
    gap, normal = core_gaps(moving, which, middle)
    normal = np.ascontiguousarray(np.where(np.isfinite(normal), normal, 0.0))
    shapes, pairs, motion = moving.shapes, moving.pairs[which], moving.motion
    poses_a, poses_b = moving.poses(which, middle)
    round_radii = (shapes.radius - shapes.skin)[pairs].sum(axis=1)
    along = batched.gap_rows(shapes, pairs, poses_a, poses_b, normal) + round_radii
    move_a, move_b = (end[which] - start[which] for start, end in ((motion.start_a, motion.end_a), (motion.start_b, motion.end_b)))
    reach = (shapes.extent - shapes.radius)[pairs]
    turning = (reach * np.abs(np.column_stack((move_a[:, 2], move_b[:, 2])))).sum(axis=1)
    rate = np.abs(((move_b - move_a)[:, :2] * normal).sum(axis=1)) + turning
    # the direction is a unit vector to within a few EPS64, which moves a gap by that share of the scale
    least = along - rate * half - _POSE_ROUNDINGS * SAT_ROUNDING * moving.scale[which]
    is_direction = (normal != 0.0).any(axis=1)
    return gap, np.where(is_direction, least, -np.inf)
