"""Outlines of rounded shapes: a core grown by a radius."""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["rounded"]

_ARC = math.radians(15.0)
"""Maximum angle between two points of a round corner; a third of it on a full circle."""


def rounded(core: FloatArray, radius: float) -> FloatArray:
    """Return the outline of a convex core grown by a radius, float64 (n, 2), counter-clockwise as the core is; meters."""
    if radius <= 0.0:
        return core
    if len(core) == 1 or (core == core[0]).all():
        turn = np.arange(0.0, 2.0 * math.pi, _ARC / 3.0)
        ring: FloatArray = core[0] + radius * np.column_stack((np.cos(turn), np.sin(turn)))
        return ring
    edges = np.roll(core, -1, axis=0) - core
    facing = np.arctan2(-edges[:, 0], edges[:, 1])  # of the outward normals
    parts = []
    for corner, before, after in zip(core, np.roll(facing, 1), facing, strict=True):
        swept = (after - before) % (2.0 * math.pi)
        turn = before + swept * np.linspace(0.0, 1.0, math.ceil(swept / _ARC) + 1)
        parts.append(corner + radius * np.column_stack((np.cos(turn), np.sin(turn))))
    return np.concatenate(parts)
