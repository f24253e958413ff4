"""Fast drawing of polygons, dots and discs.

Our kernels draw many polygons or dots in one call. pygame takes 2 us per polygon, 4 us more to smooth it, and 0.5 us per dot; the kernels
take a third of that. Discs and rings are cached images with exact antialiased edges; copying them is ten times as fast as `draw.aacircle`.
The coverage of a pixel at distance d from the center of a disc of radius r is ``clip(r + 1/2 - d, 0, 1)``.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pygame
from numpy.typing import NDArray
from pygame.surfarray import (  # `import pygame.surfarray` would be deferred to the first use, possibly in two threads at once
    pixels3d,
    pixels_alpha,
)

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.render import palette
from engine.render.palette import Color

__all__ = ["MAX_DISC", "NO_COLOR", "DiscBook", "Raster", "Stamps", "load_raster"]

NO_COLOR = -1
"""Means no color; nothing is drawn."""
_SHIFTS = {0, 8, 16}
"""Bits at which the kernel expects red, green and blue, in any order."""
_FAR = 1.0e6
"""Maximum coordinate drawn by the kernel, pixels; beyond it distances err by more than a thousandth of a pixel."""


class Stamps(NamedTuple):
    """Coverage of the pixels of each kind of dot, in 256ths, int64 (s,): kind k is a square of ``sides[k]`` rows, from ``starts[k]`` on."""

    shares: IntArray
    starts: IntArray
    sides: IntArray


class Raster:
    """Draws batches of polygons and dots. The constructor loads or compiles the kernels and draws once to warm them up.

    Attributes
    ----------
    carry : callable
        The kernel of `packing.carried_points`.
    """

    def __init__(self) -> None:
        from engine.render._carry_kernel import carry_points
        from engine.render._raster_kernel import paint_dots, paint_polygons

        self._paint_polygons, self._paint_dots, self.carry = paint_polygons, paint_dots, carry_points
        surface, none = pygame.Surface((4, 4), 0, 32), np.zeros(1, dtype=np.int64)
        self.polygons(surface, np.array([(1.0, 1.0), (3.0, 1.0), (1.0, 3.0)]), np.array([0, 3]), none, none, 1.0)
        self.dots(surface, np.zeros((1, 2)), none, DiscBook().stamps([(1.0, False, 1.0, 1.0)]), none, np.zeros(4))
        points, poses, turn = np.zeros((1, 2, 2)), frozen(np.zeros((1, 3))), np.zeros((2, 1))
        carry_points(frozen(points.copy()), (poses, poses), none.repeat(2).reshape(2, 1), turn > 0.0, poses, turn, turn, points)

    @staticmethod
    def can_paint(surface: pygame.Surface, corners: FloatArray | None = None) -> bool:
        """Return True if a surface has the pixel format of the kernels, 32 bits and opaque, and no corner is too far away."""
        is_plain = surface.get_bytesize() == 4 and not surface.get_flags() & pygame.SRCALPHA and set(surface.get_shifts()[:3]) == _SHIFTS
        return is_plain and (corners is None or bool(np.abs(corners).max(initial=0.0) < _FAR))  # false for NaN

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
        """Draw polygons, later ones on top, inside the clip of a surface, if it `can_paint` them.

        Parameters
        ----------
        corners : float64 (n, 2)
            Pixels.
        starts : int64 (p + 1,)
            Polygon k has the corners ``starts[k]`` to ``starts[k + 1]``, three or more.
        fills, outlines : int64 (p,)
            Colors as mapped by the surface, or `NO_COLOR`.
        soft_width, hard_width : float
            Widths of the outlines, which are inside the polygons, for those with soft edges and for others; pixels.
        most_soft : int
            Edges are soft unless the clip contains more polygons than this.
        """
        rows, pitch, clip = _pixels(surface)
        widths = float(soft_width), float(hard_width)  # an integer would compile the kernel again, during a frame
        self._paint_polygons(rows, pitch, clip, np.ascontiguousarray(corners), starts, fills, outlines, *widths, most_soft)

    def dots(
        self, surface: pygame.Surface, points: FloatArray, ends: IntArray, stamps: Stamps, colors: IntArray, reach: FloatArray
    ) -> None:
        """Draw dots, later ones on top, inside the clip of a surface that `can_paint`.

        Parameters
        ----------
        points : float64 (n, 2)
            Pixels; a dot's center is the pixel that contains its point. Points that are not finite are omitted.
        ends : int64 (k,)
            Kind k has the points from ``ends[k - 1]``, or 0, up to but excluding ``ends[k]``.
        stamps : Stamps
            Stamps of the kinds.
        colors : int64 (k,)
            Color of each kind, as mapped by the surface.
        reach : float64 (4,)
            left, top, right, bottom; only points inside are drawn.
        """
        self._paint_dots(*_pixels(surface), points, ends, reach, *stamps, colors)


def _pixels(surface: pygame.Surface) -> tuple[NDArray[np.uint32], int, IntArray]:
    """Return the pixels of a surface, flattened by rows, the row stride, and the clip in the kernels' format.

    The surface is locked while the pixels are referenced.
    """
    left, top, wide, high = surface.get_clip()
    clip = np.array((left, top, left + wide, top + high), dtype=np.int64)
    return np.asarray(surface.get_buffer()).view(np.uint32), surface.get_pitch() // 4, clip


def load_raster() -> Raster | None:
    """Return a raster; None if the kernels are not compiled, because compiling would take seconds."""
    return Raster() if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0" else None


MAX_DISC = 160.0
"""Maximum radius of a cached disc, pixels: at most 0.4 MB."""
_MAX_PICTURES = 512


class DiscBook:
    """Images of discs by size and colors; radii are rounded to a quarter of a pixel."""

    def __init__(self) -> None:
        self._pictures, self._stamps = lru_cache(_MAX_PICTURES)(_disc), lru_cache(_MAX_PICTURES)(_stamps)

    @staticmethod
    def steps(radii: FloatArray) -> IntArray:
        """Return a number for each radius, int64 (n,); radii with the same image have the same number."""
        quarters: IntArray = np.maximum(np.rint(radii * 4.0), 2.0).astype(np.int64)
        return quarters

    def picture(self, radius: float, fill: Color | None, outline: Color | None, width: float = 1.0, alpha: float = 1.0) -> pygame.Surface:
        """Return the smallest square image with odd width that has the disc in its center."""
        fill, outline = palette.now(fill) if fill is not None else None, palette.now(outline) if outline is not None else None
        return self._pictures(max(2, round(radius * 4.0)), fill, outline, round(width * 4.0), round(alpha * 16.0))

    def stamps(self, kinds: Iterable[tuple[float, bool, float, float]]) -> Stamps:
        """Return the coverage of each pixel by a dot or ring of each kind (radius, ring, width, alpha): the opacity of `picture`."""
        keys = [(max(2, round(radius * 4.0)), ring, round(width * 4.0), round(alpha * 16.0)) for radius, ring, width, alpha in kinds]
        return self._stamps(tuple(keys))


# Lengths in quarters of a pixel, opacities in sixteenths.


def _stamps(kinds: tuple[tuple[int, bool, int, int], ...]) -> Stamps:
    squares = []
    for radius, ring, width, alpha in kinds:
        outer, inner = _covers(radius / 4.0, width / 4.0)
        squares.append(np.rint(256.0 * (alpha / 16.0) * (outer - inner if ring else outer)).astype(np.int64))
    sides = np.array([len(square) for square in squares], dtype=np.int64)
    starts = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sides * sides)))
    return Stamps(np.concatenate([square.reshape(-1) for square in squares]), starts, sides)


def _disc(radius: int, fill: Color | None, outline: Color | None, width: int, alpha: int) -> pygame.Surface:
    outer, inner = _covers(radius / 4.0, width / 4.0 if outline is not None else 0.0)
    surface = pygame.Surface(outer.shape, pygame.SRCALPHA)
    rgb = np.zeros((*outer.shape, 3))
    rgb[:] = outline if outline is not None else fill if fill is not None else (0, 0, 0)
    cover = outer if fill is not None else outer - inner
    if fill is not None and outline is not None:
        rgb += inner[:, :, None] * (np.array(fill, dtype=np.float64) - rgb)
    pixels3d(surface)[:] = np.rint(rgb).astype(np.uint8)
    pixels_alpha(surface)[:] = np.rint(255.0 * (alpha / 16.0) * cover).astype(np.uint8)
    return surface


def _covers(radius: float, width: float) -> tuple[FloatArray, FloatArray]:
    """Return the coverage of each pixel by a disc, and by the part inside an outline of a given width."""
    half = math.ceil(radius + 0.5) - 1  # the farthest pixel with any coverage
    axis = np.arange(2 * half + 1) - half
    distance: FloatArray = np.hypot(axis[:, None], axis[None, :]).astype(np.float64)
    return np.clip(radius + 0.5 - distance, 0.0, 1.0), np.clip(radius - width + 0.5 - distance, 0.0, 1.0)
