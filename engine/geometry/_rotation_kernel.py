"""Cosine and sine for the kernels, by `engine.geometry.rotation`: bit-identical for one angle and for eight in a register."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, unlocked_kernel
from engine.geometry.rotation import MAX_TURNED, small_turn

__all__ = ["cosine_and_sine", "cosine_and_sine_of_small", "turn_poses"]

_BLOCK = 64
"""Number of angles per block: intermediate results stay in the first-level cache."""

cosine_and_sine_of_small = inlined_kernel(small_turn)


@inlined_kernel
def cosine_and_sine(angle: float) -> tuple[float, float]:
    """Return cosine and sine of any finite angle."""
    if abs(angle) <= MAX_TURNED:
        return cosine_and_sine_of_small(angle)
    return math.cos(angle), math.sin(angle)


@unlocked_kernel
def turn_poses(poses: FloatArray, turned: FloatArray) -> bool:
    """Fill `turned` (n, 4) x, y, cos, sin from poses (n, 3) x, y, angle; return whether all numbers are finite.

    Poses are processed in blocks, because the angles must be contiguous in memory to load them into one register.
    """
    n, n_wrong = poses.shape[0], 0
    xs, ys, angles, cosines, sines = np.zeros(_BLOCK), np.zeros(_BLOCK), np.zeros(_BLOCK), np.empty(_BLOCK), np.empty(_BLOCK)
    for low in range(0, n, _BLOCK):
        here, n_large = min(_BLOCK, n - low), 0
        for at in range(here):
            xs[at], ys[at], angles[at] = poses[low + at, 0], poses[low + at, 1], poses[low + at, 2]
        for at in range(_BLOCK):
            angle = angles[at]
            is_small = abs(angle) <= MAX_TURNED
            cosines[at], sines[at] = cosine_and_sine_of_small(angle if is_small else 0.0)
            n_large += 0 if is_small else 1
            n_wrong += 0 if (abs(xs[at]) < np.inf) & (abs(ys[at]) < np.inf) & (abs(angle) < np.inf) else 1
        for at in range(here):
            turned[low + at, 0], turned[low + at, 1], turned[low + at, 2], turned[low + at, 3] = xs[at], ys[at], cosines[at], sines[at]
        for at in range(here if n_large > 0 else 0):
            if abs(angles[at]) < np.inf:
                turned[low + at, 2], turned[low + at, 3] = cosine_and_sine(angles[at])
    return n_wrong == 0
