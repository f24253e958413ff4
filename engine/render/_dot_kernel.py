"""Small equal discs and rings into the pixels of a surface, thousands in one pass.

Each kind of dot has a stamp: a square of shares, in 256ths, that tells how much of each pixel it covers, as `discs` has it. The stamp's
middle goes to the pixel that the dot's centre lies in, and every pixel under it is mixed: ground + share (colour - ground). Dots are drawn
in order, so that later ones lie over earlier ones.

Source: alpha compositing, "over": T. Porter and T. Duff, "Compositing digital images", SIGGRAPH 1984.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import IntArray
from engine.common.jit import kernel
from engine.render._mixing_kernel import mixed

__all__ = ["paint_dots"]


@kernel
def paint_dots(
    pixels: NDArray[np.uint32],
    pitch: int,
    clip: IntArray,
    columns: IntArray,
    rows: IntArray,
    kinds: IntArray,
    stamps: IntArray,
    starts: IntArray,
    sides: IntArray,
    colors: IntArray,
) -> None:
    """Draw dot after dot.

    Parameters
    ----------
    pixels : uint32 (m,)
        Rows one after another, `pitch` from one to the next; changed.
    clip : int64 (4,)
        left, top, right, bottom: of the columns and rows from left and top on, up to before right and bottom.
    columns, rows, kinds : int64 (n,)
        The pixel in the middle of each dot, and its kind.
    stamps : int64 (s,); starts, sides : int64 (k,)
        Stamp of kind k: ``sides[k]`` rows of as many shares, from ``starts[k]`` on.
    colors : int64 (k,)
        As the surface maps them.
    """
    for n in range(len(kinds)):
        kind = kinds[n]
        side, color = sides[kind], colors[kind]
        left, top = columns[n] - side // 2, rows[n] - side // 2
        for row in range(max(top, clip[1]), min(top + side, clip[3])):
            shares = starts[kind] + (row - top) * side - left
            base = row * pitch
            for column in range(max(left, clip[0]), min(left + side, clip[2])):
                share = stamps[shares + column]
                if share > 0:
                    pixels[base + column] = mixed(pixels[base + column], color, share)
