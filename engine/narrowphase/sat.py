"""Other forms of the separating axis test of `engine.query.overlap`: textbook, improved, over every axis, and from a cached axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import integer
from engine.common.events import traced
from engine.geometry import AnyShape, Transform
from engine.narrowphase._axis_cache_kernel import NO_AXIS
from engine.narrowphase._axis_cache_kernel import overlap_cached as cached_kernel
from engine.narrowphase._sides_kernel import move_to_frame, rounding_of
from engine.narrowphase.packing import cached_pack
from engine.narrowphase.scratch import pose_row

__all__ = ["NO_AXIS", "CachedOverlap", "overlap_cached"]


class CachedOverlap(NamedTuple):
    """Whether two shapes overlap, the axis to pass to the next call, and whether the axis that was passed was sufficient."""

    is_overlapping: bool
    axis: int
    was_enough: bool


def overlap_cached(
    a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, axis: int = NO_AXIS
) -> CachedOverlap:  # fmt: skip
    """Return the same as `overlap`, starting with the axis that an earlier call for the same two shapes returned, then with its neighbors.

    Parameters
    ----------
    axis : int
        `NO_AXIS` the first time. Any other number is valid but costs a projection.

    Examples
    --------
    >>> from engine.geometry import Polygon
    >>> box, there = Polygon.box(0.5, 0.5), Transform((3.0, 0.0), 0.1)
    >>> first = overlap_cached(box, Transform(), box, there)
    >>> second = overlap_cached(box, Transform(), box, Transform((2.9, 0.1), 0.2), first.axis)
    >>> first.is_overlapping, first.was_enough, second.is_overlapping, second.was_enough
    (False, False, False, True)
    """
    number = integer("axis", axis)
    cores, pair = _cores_in_one_frame(a, xf_a, b, xf_b), np.empty((3, 2))
    is_overlapping, last_axis, was_enough = traced(cached_kernel)(*cores, number, pair)
    return CachedOverlap(bool(is_overlapping), int(last_axis), bool(was_enough))


def _cores_in_one_frame(
    a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, float, float]:
    """Return vertices and normals of both cores in A's frame, the sum of the radii, and the rounding of a separation."""
    shapes = cached_pack(a, b)
    n_a, n_b = shapes.n_vertices.tolist()
    pose_a, pose_b = pose_row(xf_a), pose_row(xf_b)
    moved, moved_normals = np.empty((n_b, 2)), np.empty((n_b, 2))
    move_to_frame(pose_a, pose_b, shapes.vertices[n_a:], moved, False)
    move_to_frame(pose_a, pose_b, shapes.normals[n_a:], moved_normals, True)
    touch = rounding_of(pose_a, shapes.extent[0], pose_b, shapes.extent[1])
    return shapes.vertices[:n_a], shapes.normals[:n_a], moved, moved_normals, float(shapes.radius.sum()), touch
