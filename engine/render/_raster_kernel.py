"""Polygons and dots into the pixels of a surface: 32 bits, of which the lower 24 are red, green and blue, in any order.

Dots. Small equal discs and rings into the pixels of a surface, thousands in one pass.

Each kind of dot has a stamp: a square of coverages of the pixels, in 256ths, as in `discs`. The stamp's middle is placed at the pixel that
contains the dot's center, and every pixel under it is blended: ground + coverage (color - ground). Later dots are drawn over earlier ones.

Source: alpha compositing, "over": T. Porter and T. Duff, "Compositing digital images", SIGGRAPH 1984.

Blending. Two of the three bytes are blended in one multiplication, as there are eight free bits after each::

    0x00RR00BB * share  =  0xRRrrBBbb       the upper byte of each is the result, the lower one is rounded away
    0x0000GG00 * share  =  0x00GGgg00

Source: two numbers in the halves of a word: L. Lamport, "Multiple byte processing with full-word instructions", CACM 18, 1975.

Polygons. Antialiased convex polygons, all of a picture in one pass.

A pixel's center p has the signed distance d to a convex polygon: the largest of its distances to the lines through the edges, negative
inside. It determines the coverage of the pixel by polygon and outline, as in `discs`::

        d > 1/2          ground           outer = clip(1/2 - d, 0, 1)
      -----------------                   inner = clip(1/2 - (d + w), 0, 1)
        the outline, w wide               pixel = ground + outer (shade - ground),
      -----------------                   shade = outline + inner (fill - outline)
        d < -w - 1/2     fill

Along a row of pixels each of these distances is linear in x, so that the row has five parts: outside, blended, inside, blended, outside.
Their ends are where a line reaches d = 1/2 and d = -w - 1/2: one division for each edge, and then the rows of the polygon in parallel in
the vector registers. Only the blended pixels, two or three per side, are computed one by one; those inside are filled. With many small
shapes that takes longer than everything else together: then the parts end at d = 0 and d = -w, and the blended ones are filled too, with
the outline's color.

Outside a corner d is that of a mitered corner; an acute one is clipped to the box around the polygon. A polygon without area (an edge of
the terrain) is drawn as a line: a strip of width w around it.

Source: the distance to a convex set as the maximum of those to its half-planes, S. Boyd and L. Vandenberghe, Convex Optimization,
2004, 8.1.3; coverage by distance, N. Max, "Antialiasing scan-line data", IEEE Computer Graphics and Applications 10, 1990.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import FLAT_PIXELS

__all__ = ["WHOLE", "mixed", "paint_dots", "paint_polygons"]

WHOLE = 256
OUTER_BYTES, MIDDLE_BYTE = 0xFF00FF, 0x00FF00
"""Masks of a pixel's red, green, blue, in any order; the fourth byte becomes 0."""
OUTER_HALVES, MIDDLE_HALF = 0x800080, 0x008000
"""Half of the last place, so that truncation rounds."""


@inlined_kernel
def mixed(ground: int, shade: int, share: int) -> int:
    """Return a pixel blended with `shade` by the given 256ths: two bytes in one multiplication, with eight free bits after each."""
    keep = WHOLE - share
    outer = ((ground & OUTER_BYTES) * keep + (shade & OUTER_BYTES) * share + OUTER_HALVES) >> 8
    middle = ((ground & MIDDLE_BYTE) * keep + (shade & MIDDLE_BYTE) * share + MIDDLE_HALF) >> 8
    return (outer & OUTER_BYTES) | (middle & MIDDLE_BYTE)


@kernel
def paint_dots(
    pixels: NDArray[np.uint32],
    pitch: int,
    clip: IntArray,
    points: FloatArray,
    ends: IntArray,
    reach: FloatArray,
    stamps: IntArray,
    starts: IntArray,
    sides: IntArray,
    colors: IntArray,
) -> None:
    """Draw all dots in order.

    Parameters
    ----------
    pixels : uint32 (m,)
        Consecutive rows, `pitch` apart; modified.
    clip : int64 (4,)
        left, top, right, bottom of the columns and rows; right and bottom are excluded.
    points : float64 (n, 2); ends : int64 (k,)
        Centers, pixels, those of kind k up to before ``ends[k]``; NaN and distant ones are skipped.
    reach : float64 (4,)
        left, top, right, bottom of the centers to draw.
    stamps : int64 (s,); starts, sides : int64 (k,)
        Stamp of kind k: ``sides[k]`` rows of as many coverages, from ``starts[k]`` on.
    colors : int64 (k,)
        Mapped by the surface.
    """
    n = 0
    for kind in range(len(ends)):
        side, color = sides[kind], colors[kind]
        while n < ends[kind]:
            x, y = points[n, 0], points[n, 1]
            n += 1
            if not (reach[0] <= x <= reach[2] and reach[1] <= y <= reach[3]):
                continue
            left, top = math.floor(x) - side // 2, math.floor(y) - side // 2
            for row in range(max(top, clip[1]), min(top + side, clip[3])):
                shares = starts[kind] + (row - top) * side - left
                base = row * pitch
                for column in range(max(left, clip[0]), min(left + side, clip[2])):
                    share = stamps[shares + column]
                    if share > 0:
                        pixels[base + column] = mixed(pixels[base + column], color, share)


NO_COLOR = -1
"""As in `raster`."""

HALF = 0.5
"""Pixels from the center of a pixel to its side."""

LEVEL = 1e-9
"""Pixels per pixel. An edge with a smaller slope is treated as level: over a row of ten thousand pixels its error is 1e-5 of one. Division
by less could give the end of a row a value beyond the integers.
"""


@inlined_kernel
def bounds_of(corners: FloatArray, first: int, end: int) -> tuple[float, float, float, float]:
    """Return the least x and y and the largest x and y of some corners."""
    low_x, low_y, high_x, high_y = corners[first, 0], corners[first, 1], corners[first, 0], corners[first, 1]
    for i in range(first + 1, end):
        low_x, high_x = min(low_x, corners[i, 0]), max(high_x, corners[i, 0])
        low_y, high_y = min(low_y, corners[i, 1]), max(high_y, corners[i, 1])
    return low_x, low_y, high_x, high_y


@inlined_kernel
def planes_of(corners: FloatArray, first: int, end: int, width: float, planes: FloatArray) -> int:
    """Fill `planes` (p, 3) with a, b, c of every edge, a x + b y + c its signed distance, and return their number."""
    area, longest, far = 0.0, 0.0, first
    for i in range(first, end):
        before = end - 1 if i == first else i - 1
        area += corners[before, 0] * corners[i, 1] - corners[i, 0] * corners[before, 1]
        longest = max(longest, abs(corners[i, 0] - corners[first, 0]) + abs(corners[i, 1] - corners[first, 1]))
    if abs(area) <= FLAT_PIXELS * longest:  # an upper bound: hypot takes as long as everything else here
        longest = 0.0
        for i in range(first, end):
            reach = math.hypot(corners[i, 0] - corners[first, 0], corners[i, 1] - corners[first, 1])
            if reach > longest:
                longest, far = reach, i
    n = 0
    if abs(area) <= FLAT_PIXELS * longest:
        if longest > 0.0:
            tx, ty = (corners[far, 0] - corners[first, 0]) / longest, (corners[far, 1] - corners[first, 1]) / longest
            for side in (-1.0, 1.0):
                at = first if side < 0.0 else far
                planes[n, 0], planes[n, 1] = -side * ty, side * tx
                planes[n, 2] = side * (ty * corners[first, 0] - tx * corners[first, 1]) - HALF * width
                planes[n + 1, 0], planes[n + 1, 1] = side * tx, side * ty
                planes[n + 1, 2] = -side * (tx * corners[at, 0] + ty * corners[at, 1])
                n += 2
        return n
    turn = 1.0 if area > 0.0 else -1.0
    for i in range(first, end):
        before = end - 1 if i == first else i - 1
        dx, dy = corners[i, 0] - corners[before, 0], corners[i, 1] - corners[before, 1]
        length = math.hypot(dx, dy)
        if length > 0.0:
            planes[n, 0], planes[n, 1] = turn * dy / length, -turn * dx / length
            planes[n, 2] = -(planes[n, 0] * corners[i, 0] + planes[n, 1] * corners[i, 1])
            n += 1
    return n


@inlined_kernel
def parts(share: float) -> int:
    """Return a coverage in 256ths, limited to 0 to 256."""
    return int(WHOLE * min(max(share, 0.0), 1.0) + HALF)


@kernel
def paint_polygons(
    pixels: NDArray[np.uint32],
    pitch: int,
    clip: IntArray,
    corners: FloatArray,
    starts: IntArray,
    fills: IntArray,
    outlines: IntArray,
    soft_width: float,
    hard_width: float,
    most_soft: int,
) -> None:
    """Draw all polygons in order.

    Parameters
    ----------
    pixels : uint32 (m,)
        Consecutive rows, `pitch` apart; modified.
    clip : int64 (4,)
        left, top, right, bottom of the columns and rows; right and bottom are excluded.
    corners : float64 (n, 2); starts : int64 (p + 1,)
        Pixels; polygon k has the corners from ``starts[k]`` on, up to before ``starts[k + 1]``. Finite.
    fills, outlines : int64 (p,)
        Mapped by the surface; `NO_COLOR` for none.
    soft_width, hard_width : float
        Pixels of an outline.
    most_soft : int
        If the clip contains more polygons, edges are not blended: a pixel belongs to the part that contains its center.
    """
    n_seen = 0
    for k in range(len(starts) - 1 if len(starts) - 1 > most_soft else 0):
        low_x, low_y, high_x, high_y = bounds_of(corners, starts[k], starts[k + 1])
        n_seen += high_x >= clip[0] and low_x <= clip[2] and high_y >= clip[1] and low_y <= clip[3]
        if n_seen > most_soft:
            break
    is_soft = n_seen <= most_soft
    width, soft = (soft_width, HALF) if is_soft else (hard_width, 0.0)
    longest = 0
    for k in range(len(starts) - 1):
        longest = max(longest, starts[k + 1] - starts[k])
    planes = np.empty((longest + 4, 3))
    slopes, rest = np.empty(longest + 4), np.empty(longest + 4)
    n_rows = max(clip[3] - clip[1], 0)
    middles = clip[1] + np.arange(n_rows) + HALF
    outer_left, outer_right, inner_left, inner_right = np.empty(n_rows), np.empty(n_rows), np.empty(n_rows), np.empty(n_rows)
    for k in range(len(starts) - 1):
        first, end = starts[k], starts[k + 1]
        has_fill, has_outline = fills[k] != NO_COLOR, outlines[k] != NO_COLOR
        if not has_fill and not has_outline:
            continue
        low_x, low_y, high_x, high_y = bounds_of(corners, first, end)
        margin = HALF + HALF * width
        left, right = max(low_x - margin, float(clip[0])) - HALF, min(high_x + margin, float(clip[2])) - HALF
        top, bottom = max(low_y - margin, float(clip[1])), min(high_y + margin, float(clip[3]))
        if not (left < right and top < bottom):
            continue
        n_planes = planes_of(corners, first, end, width, planes)
        if n_planes == 0:
            continue
        fill = fills[k] if has_fill else outlines[k]
        outline = outlines[k] if has_outline else fill
        rim = width if has_outline else 0.0
        first_row, last_row = math.floor(top) - clip[1], math.ceil(bottom) - clip[1]
        for r in range(first_row, last_row):
            outer_left[r], outer_right[r], inner_left[r], inner_right[r] = left, right, left, right
        for e in range(n_planes):  # edge by edge, all rows at once: in row r the distance in column i is slope i + rest
            slope, rise, base = planes[e, 0], planes[e, 1], planes[e, 2]
            slopes[e] = slope
            inverse = 1.0 / slope if abs(slope) > LEVEL else 0.0
            if inverse > 0.0:
                for r in range(first_row, last_row):
                    rest_r = rise * middles[r] + base + HALF * slope
                    outer_right[r] = min(outer_right[r], (soft - rest_r) * inverse)
                    inner_right[r] = min(inner_right[r], (-soft - rim - rest_r) * inverse)
            elif inverse < 0.0:
                for r in range(first_row, last_row):
                    rest_r = rise * middles[r] + base + HALF * slope
                    outer_left[r] = max(outer_left[r], (soft - rest_r) * inverse)
                    inner_left[r] = max(inner_left[r], (-soft - rim - rest_r) * inverse)
            else:
                for r in range(first_row, last_row):  # a level edge, where it touches the row
                    rest_r = rise * middles[r] + base + HALF * slope
                    if rest_r > -soft - rim:
                        inner_left[r] = right + 1.0
                        if rest_r > soft:
                            outer_left[r] = right + 1.0
        for r in range(first_row, last_row):
            begin, stop = max(math.ceil(outer_left[r]), clip[0]), min(math.floor(outer_right[r]) + 1, clip[2])
            if begin >= stop:
                continue
            solid, again = math.ceil(inner_left[r]), math.floor(inner_right[r]) + 1
            if solid >= again:
                solid = again = stop
            at = (clip[1] + r) * pitch
            if has_fill and not is_soft:
                for i in range(begin, stop):
                    pixels[at + i] = fill if solid <= i < again else outline
                continue
            if has_fill:
                for j in range(at + solid, at + again):
                    pixels[j] = fill
            if is_soft:
                for e in range(n_planes):
                    rest[e] = planes[e, 1] * middles[r] + planes[e, 2] + HALF * slopes[e]
            for side in range(2):
                for i in range(begin if side == 0 else again, solid if side == 0 else stop):
                    if not is_soft:
                        pixels[at + i] = outline
                        continue
                    d = slopes[0] * i + rest[0]
                    for e in range(1, n_planes):
                        d = max(d, slopes[e] * i + rest[e])
                    outer, inner = parts(HALF - d), parts(HALF - d - rim)
                    if not has_fill:
                        outer, inner = outer - inner, 0
                    shade = mixed(outline, fill, inner)
                    pixels[at + i] = mixed(pixels[at + i], shade, outer)
