"""Shapes in the form that kernels expect: flat arrays, packed once.

Every shape consists of a convex *core* and a radius around it; `engine.geometry.kinds` has the table. Shape s is ``kind[s]``, its core's
vertices are ``vertices[first[s] : first[s] + n_vertices[s]]``, with the outward normals of the edges from each to the next; two points have
two, to the right of p1 p2 and to the left; a single point, or a segment of zero length, has a zero normal. `skin` is the part of the radius
outside the surface; `centroid` is Box2D's; `extent` the largest distance of the surface from the local origin; `ghosts` x1 y1 x2 y2 of a
segment's neighbors and `has_ghost` which of them exist. The arrays stay writable, because Numba compiles again for each combination of
read-only ones; no code writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.geometry import AnyShape, Polygon, Segment, check_shape

__all__ = ["N_CACHED", "SHARP_COSINE", "PackedShapes", "cached_pack", "pack"]

SHARP_ANGLE = 1.0 / 64.0
"""Radians, 0.9 degrees. An error of both edges of a corner moves it by that error over the sine of half its angle, here by 128 times as
much: the separations of two shapes usually err by a hundredth of their rounding, and at most by half of it.
"""

SHARP_COSINE = -math.cos(SHARP_ANGLE)
"""Two successive edges make a sharp corner if the dot product of their normals is less: the direction changes by nearly 180 degrees."""

N_CACHED = 1024
"""Number of shapes and pairs of shapes that stay packed: a few megabytes at most."""


@dataclass(frozen=True, slots=True)
class PackedShapes:
    """Shapes in flat arrays, as described in the module."""

    kind: IntArray
    first: IntArray
    n_vertices: IntArray
    vertices: FloatArray
    normals: FloatArray
    centroid: FloatArray
    radius: FloatArray
    skin: FloatArray
    extent: FloatArray
    ghosts: FloatArray
    has_ghost: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The arrays of `_sides_kernel.Shapes`, as arguments of a kernel."""
        return (
            self.kind, self.first, self.n_vertices, self.vertices, self.normals, self.centroid, self.radius, self.skin, self.extent,
            self.ghosts, self.has_ghost,
        )  # fmt: skip


def pack(shapes: Iterable[AnyShape], centroids: ArrayLike | None = None) -> PackedShapes:
    """Pack `shapes`; `centroids` (n, 2) replaces the shapes' own if another library's rounding matters.

    Raises
    ------
    InvalidInputError
        Something in `shapes` is not a shape.
    """
    listed = tuple(shapes)
    for at, shape in enumerate(listed):
        check_shape(f"shapes[{at}]", shape)
    cores = [_core(shape) for shape in listed]
    n_vertices = np.array([len(vertices) for vertices, _ in cores], dtype=np.int64)
    radius = np.array([shape.radius for shape in listed], dtype=np.float64)
    reach = np.array([np.hypot(vertices[:, 0], vertices[:, 1]).max() for vertices, _ in cores], dtype=np.float64)
    if centroids is None:
        centroids = [shape.centroid for shape in listed]
    ghosts = [(shape.ghost1, shape.ghost2) if isinstance(shape, Segment) else (None, None) for shape in listed]
    empty = np.zeros((0, 2))
    first = np.cumsum(n_vertices) - n_vertices
    vertices = np.concatenate([empty, *(vertices for vertices, _ in cores)])
    normals = np.concatenate([empty, *(normals for _, normals in cores)])
    centroid = finite_rows("centroids", centroids, 2, len(listed)).copy() if listed else empty
    return PackedShapes(
        kind=np.array([shape.kind for shape in listed], dtype=np.int64),
        first=first,
        n_vertices=n_vertices,
        vertices=vertices,
        normals=normals,
        centroid=centroid,
        radius=radius,
        skin=np.array([shape.skin_radius for shape in listed], dtype=np.float64),
        extent=reach + radius,
        ghosts=np.array([(*(g1 or (0.0, 0.0)), *(g2 or (0.0, 0.0))) for g1, g2 in ghosts], dtype=np.float64).reshape(-1, 4),
        has_ghost=np.array([(g1 is not None, g2 is not None) for g1, g2 in ghosts], dtype=np.bool_).reshape(-1, 2),
    )


def cached_pack(*shapes: AnyShape) -> PackedShapes:
    """Return `shapes` packed, cached if the same shapes were packed before; for single queries about one pair.

    Packing two shapes takes about 80 us, and the rest of such a query a few. Shapes are immutable and hash by value, so the packed forms of
    the last `N_CACHED` are cached; a cache hit takes 0.3 us.

    Raises
    ------
    InvalidInputError
        An argument is not a shape.
    """
    for shape in shapes:
        check_shape("shape", shape)
    return _cached_pack(*shapes)


@lru_cache(maxsize=N_CACHED)
def _cached_pack(*shapes: AnyShape) -> PackedShapes:
    return pack(shapes)


def _core(shape: AnyShape) -> tuple[FloatArray, FloatArray]:
    core = shape.core
    if isinstance(shape, Polygon):
        return core, shape.normals
    if len(core) == 1 or (core[0] == core[1]).all():
        return core[:1], np.zeros((1, 2))
    x, y = core[1] - core[0]
    right = np.array([y, -x]) / np.hypot(x, y)
    return core, np.array([right, -right])
