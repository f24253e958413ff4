"""One shape as the kernels of distance want it: core, radius, extent."""

from __future__ import annotations

from functools import lru_cache

from engine.common.arrays import FloatArray
from engine.geometry import AnyShape, check_shape
from engine.narrowphase.packing import REMEMBERED, remembered

__all__ = ["core_of"]


def core_of(shape: AnyShape) -> tuple[FloatArray, float, float]:
    """Return the core's vertices (n, 2), the radius and the extent, the very numbers that `pack` gives; not to be written to.

    Raises
    ------
    InvalidInputError
        `shape` is none.
    """
    check_shape("shape", shape)  # before it is asked for its hash
    return _parts(shape)


@lru_cache(maxsize=REMEMBERED)
def _parts(shape: AnyShape) -> tuple[FloatArray, float, float]:
    packed = remembered(shape)
    return packed.vertices, float(packed.radius[0]), float(packed.extent[0])
