"""The graph of contacts in colors: contacts of one color share no body, and can be solved side by side.

Bodies are the nodes of a graph and contacts its edges; to color the edges so that no two at a body are alike, each edge in turn takes the
first color that is free at both its ends (*greedy* coloring: at most one color less than twice the most edges at a body; mostly one or
two more than the most). A body notes the colors at it as the bits of one number. A body that nothing can move is read by its contacts and
not changed: it counts as no end, or the floor would take a color for each contact. Contacts with such a body come last: what they say of a
body's velocity then stands, and a pile is carried from its floor.

Contacts go in the order of their rows, so the colors are the same in every run. Those for which 64 colors are not enough, at a body with
more than 64 others around it, wait for another round of 64.

Each color is cut into blocks of eight lanes (`engine.common._lanes_kernel`), the last one filled up with lanes without a contact.

Source: E. Catto, "SIMD Matters", 2024 (box2d.org); R. Fratarcangeli, V. Tibaldo, F. Pellacini, "Vivace", 2016 (greedy colors).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.common._lanes_kernel import WIDTH
from engine.common.arrays import IntArray
from engine.common.jit import inlined_kernel

__all__ = ["COLORS", "colored"]

COLORS = 64
_LEFT, _DONE = -1, COLORS
_POWERS = np.array([next((k for k in range(COLORS) if 2**k % 67 == rest), 0) for rest in range(67)], dtype=np.int64)


@inlined_kernel
def colored(
    ends: IntArray, moves: NDArray[np.bool_], place: IntArray, color: IntArray, taken: NDArray[np.uint64], count: IntArray, begin: IntArray
) -> int:
    """Fill the place of each contact: eight times its block, and its lane; return the number of blocks.

    Parameters
    ----------
    ends : int64 (n, 2)
        Rows of bodies.
    moves : bool (m,)
        Bodies that an impulse can move.
    place : int64 (n,)
    color, taken, count, begin : (n,), (m,), (64,), (64,)
        Room to work in.
    """
    n = len(ends)
    color[:] = _LEFT
    n_blocks = 0
    for is_with_static in (False, True):
        n_left = n
        while n_left > 0:
            taken[:] = 0
            count[:] = 0
            n_left = 0
            for row in range(n):
                a, b = ends[row, 0], ends[row, 1]
                moves_a, moves_b = moves[a], moves[b]
                if color[row] != _LEFT or (moves_a and moves_b) == is_with_static:
                    continue
                bits = (taken[a] if moves_a else np.uint64(0)) | (taken[b] if moves_b else np.uint64(0))
                first = _first_free(bits)
                if first == COLORS:
                    n_left += 1
                    continue
                bit = np.uint64(1) << np.uint64(first)
                taken[a] |= bit
                taken[b] |= bit
                place[row] = count[first]
                color[row] = first
                count[first] += 1
            for number in range(COLORS):
                begin[number] = WIDTH * n_blocks
                n_blocks += (count[number] + WIDTH - 1) // WIDTH
            for row in range(n):
                if 0 <= color[row] < COLORS:
                    place[row] += begin[color[row]]
                    color[row] = _DONE
    return n_blocks


@inlined_kernel
def _first_free(taken: np.uint64) -> int:
    """Return the lowest bit that is not set, or how many bits there are.

    That bit alone is a power of two, and the powers of two below 2^64 leave different remainders by 67.
    """
    lowest = ~taken & (taken + np.uint64(1))
    return _POWERS[lowest % np.uint64(67)] if lowest != np.uint64(0) else COLORS
