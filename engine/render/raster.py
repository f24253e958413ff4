"""Polygons and dots drawn into a surface by kernels of ours, all in one call.

pygame takes 2 us for each polygon and 4 more to smooth it, and half a microsecond for each dot; these a third of that.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
import pygame
from numpy.typing import NDArray
from pygame.surfarray import pixels2d  # not `import pygame.surfarray`: that is put off to the first use, perhaps in two threads at once

from engine.common.arrays import FloatArray, IntArray

__all__ = ["NO_COLOR", "Raster", "load_raster"]

NO_COLOR = -1
"""In place of a colour as a surface maps it: nothing is drawn."""
_SHIFTS = {0, 8, 16}
"""Bits at which the kernel expects red, green and blue, in any order."""
_FAR = 1.0e6
"""Pixels: beyond that nothing is drawn by the kernel, whose distances would err by more than a thousandth of one."""


class Raster:
    """Draws; making one loads its kernels, or compiles them at the first time, and draws once to have them ready."""

    def __init__(self) -> None:
        from engine.render._raster_kernel import paint_dots, paint_polygons

        self._paint_polygons, self._paint_dots = paint_polygons, paint_dots
        surface, none = pygame.Surface((4, 4), 0, 32), np.zeros(1, dtype=np.int64)
        self.polygons(surface, np.array([(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)]), np.array([0, 3]), none, none, 1.0)
        self.dots(surface, none, none, none, [np.ones((1, 1), dtype=np.int64)], none)

    @staticmethod
    def can_paint(surface: pygame.Surface, corners: FloatArray) -> bool:
        """Tell whether the pixels of a surface are as the kernels expect them, 32 bits and opaque, and no corner is too far away."""
        is_plain = surface.get_bytesize() == 4 and not surface.get_flags() & pygame.SRCALPHA and set(surface.get_shifts()[:3]) == _SHIFTS
        return is_plain and bool(np.abs(corners).max(initial=0.0) < _FAR)  # false for NaN

    def polygons(
        self,
        surface: pygame.Surface,
        corners: FloatArray,
        starts: IntArray,
        fills: IntArray,
        outlines: IntArray,
        soft_width: float,
        hard_width: float = 1.0,
        most_soft: int = 0,
    ) -> None:
        """Draw polygons one over the other, inside the clip of a surface, if it `can_paint` them.

        Parameters
        ----------
        corners : float64 (n, 2)
            Pixels.
        starts : int64 (p + 1,)
            Polygon k has the corners ``starts[k]`` to ``starts[k + 1]``, three or more.
        fills, outlines : int64 (p,)
            Colours as the surface maps them, or `NO_COLOR`.
        soft_width, hard_width : float
            Pixels of the outlines, which lie inside of the polygons: of those with soft edges, and of others.
        most_soft : int
            Edges are soft unless there are more polygons than that in the clip.
        """
        rows, pitch, clip = _pixels(surface)
        widths = float(soft_width), float(hard_width)  # for an integer the kernel would be compiled once more, in the middle of a frame
        self._paint_polygons(rows, pitch, clip, np.ascontiguousarray(corners), starts, fills, outlines, *widths, most_soft)

    def dots(
        self, surface: pygame.Surface, columns: IntArray, rows: IntArray, kinds: IntArray, stamps: Sequence[IntArray], colors: IntArray
    ) -> None:
        """Draw dots one over the other, inside the clip of a surface that `can_paint`.

        Parameters
        ----------
        columns, rows, kinds : int64 (n,)
            The pixel in the middle of each dot, and its kind.
        stamps : int64 (s, s) each
            Of each kind, what share of each pixel it covers, 0 to 256; s is odd.
        colors : int64 (k,)
            Of each kind, as the surface maps them.
        """
        sides = np.array([len(stamp) for stamp in stamps], dtype=np.int64)
        starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sides * sides)))
        shares = np.concatenate([stamp.reshape(-1) for stamp in stamps])
        self._paint_dots(*_pixels(surface), columns, rows, kinds, shares, starts, sides, colors)


def _pixels(surface: pygame.Surface) -> tuple[NDArray[np.uint32], int, IntArray]:
    """Return the pixels of a surface, rows one after another, the number from one row to the next, and the clip as the kernels want it.

    The surface is locked as long as the pixels are held.
    """
    left, top, wide, high = surface.get_clip()
    grid = pixels2d(surface)
    pitch = grid.strides[1] // grid.itemsize
    rows = np.lib.stride_tricks.as_strided(grid, ((grid.shape[1] - 1) * pitch + grid.shape[0],), (grid.itemsize,))
    return rows, pitch, np.array((left, top, left + wide, top + high), dtype=np.int64)


def load_raster() -> Raster | None:
    """Return what draws polygons; None where kernels are not compiled and would take seconds a picture."""
    return Raster() if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0" else None
