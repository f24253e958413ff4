"""Poses between two steps, and points that ride on them."""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray

__all__ = ["interpolated", "moved"]


def interpolated(before: FloatArray, after: FloatArray, fraction: float | FloatArray, local_centers: FloatArray) -> FloatArray:
    """Return the poses at `fraction` of the way, of all or (n,) of each, moving each centre of mass on a straight line as Box2D does.

    The origin of a body is recovered from its centre: ``position = centre - R(angle) local_center``.
    """
    if before.shape != after.shape or np.min(fraction, initial=1.0) >= 1.0:
        return after
    share = np.reshape(fraction, (-1, 1))
    start, end = moved(local_centers, before), moved(local_centers, after)
    between = before + share * (after - before)
    cos, sin = np.cos(between[:, 2]), np.sin(between[:, 2])
    center = start + share * (end - start)
    between[:, 0] = center[:, 0] - (cos * local_centers[:, 0] - sin * local_centers[:, 1])
    between[:, 1] = center[:, 1] - (sin * local_centers[:, 0] + cos * local_centers[:, 1])
    return between


def moved(local: FloatArray, poses: FloatArray, rows: IntArray | None = None) -> FloatArray:
    """Return local points in the world: each with the pose of its own row, or of `rows`."""
    cos, sin, at = np.cos(poses[:, 2]), np.sin(poses[:, 2]), poses[:, :2]
    if rows is not None:
        cos, sin, at = cos[rows], sin[rows], at[rows]
    moved = np.empty_like(local)
    moved[:, 0] = cos * local[:, 0] - sin * local[:, 1] + at[:, 0]
    moved[:, 1] = sin * local[:, 0] + cos * local[:, 1] + at[:, 1]
    return moved
