"""Shapes as the kernels want them: flat arrays, packed once.

Shape s is ``kind[s]`` (0 circle, 1 polygon), its vertices ``vertices[first[s] : first[s] + n_vertices[s]]`` (a circle's centre)
with their outward normals, `centroid`, `radius` (a circle's own, a polygon's skin) and `extent`, the largest distance of its
surface from the local origin. The arrays stay writable, for Numba compiles once more for each mix of read-only ones; nobody writes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.common.arrays import FloatArray, IntArray, finite_rows
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Polygon, Shape

__all__ = ["CIRCLE", "POLYGON", "PackedShapes", "pack"]

CIRCLE = 0
POLYGON = 1


@dataclass(frozen=True, slots=True)
class PackedShapes:
    """Shapes in flat arrays; see the module."""

    kind: IntArray
    first: IntArray
    n_vertices: IntArray
    vertices: FloatArray
    normals: FloatArray
    centroid: FloatArray
    radius: FloatArray
    extent: FloatArray

    def __len__(self) -> int:
        return len(self.kind)


def pack(shapes: Iterable[Shape], centroids: ArrayLike | None = None) -> PackedShapes:
    """Pack `shapes`; `centroids` (n, 2) replaces the polygons' own, where another library's rounding of them matters.

    Raises
    ------
    InvalidInputError
        Something in `shapes` is not a Circle or Polygon.
    """
    listed = tuple(shapes)
    vertices, normals, centers = [], [], []
    for at, shape in enumerate(listed):
        if isinstance(shape, Circle):
            center = np.array([shape.center])
            vertices.append(center)
            normals.append(np.zeros((1, 2)))
            centers.append(shape.center)
        elif isinstance(shape, Polygon):
            vertices.append(shape.vertices)
            normals.append(shape.normals)
            centers.append((0.0, 0.0) if centroids is not None else shape.mass().centroid)
        else:
            raise InvalidInputError(f"shapes[{at}]", "a Circle or Polygon", shape)
    n_vertices = np.array([len(part) for part in vertices], dtype=np.int64)
    radius = np.array([shape.radius if isinstance(shape, Circle) else shape.skin_radius for shape in listed], dtype=np.float64)
    reach = np.array([np.hypot(part[:, 0], part[:, 1]).max() for part in vertices], dtype=np.float64)
    empty = np.zeros((0, 2))
    return PackedShapes(
        kind=np.array([CIRCLE if isinstance(shape, Circle) else POLYGON for shape in listed], dtype=np.int64),
        first=np.cumsum(n_vertices) - n_vertices,
        n_vertices=n_vertices,
        vertices=np.concatenate([empty, *vertices]),
        normals=np.concatenate([empty, *normals]),
        centroid=finite_rows("centroids", centers if centroids is None else centroids, 2, len(listed)).copy() if listed else empty,
        radius=radius,
        extent=reach + radius,
    )
