"""Cores and poses in the form in which queries about one pair pass them to the kernels."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry import AnyShape, Transform, check_shape
from engine.narrowphase.packing import N_CACHED, cached_pack

__all__ = ["FIRST", "ONE_PAIR", "core_of", "pose_row"]

ONE_PAIR = np.array([[0, 1]], dtype=np.int64)
"""The pair of two packed shapes."""

FIRST = np.array([0], dtype=np.int64)
"""The only packed shape."""


def core_of(shape: AnyShape) -> tuple[FloatArray, float, float]:
    """Return the core's vertices (n, 2), the radius and the extent, identical to those of `pack`; read-only.

    Raises
    ------
    InvalidInputError
        `shape` is not a shape.
    """
    check_shape("shape", shape)  # check before computing its hash
    return _parts(shape)


@lru_cache(maxsize=N_CACHED)
def _parts(shape: AnyShape) -> tuple[FloatArray, float, float]:
    packed = cached_pack(shape)
    return packed.vertices, float(packed.radius[0]), float(packed.extent[0])


def pose_row(xf: Transform) -> FloatArray:
    """Return x, y, cos, sin."""
    return np.array([xf.position[0], xf.position[1], xf.cos, xf.sin])
