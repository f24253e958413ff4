"""Coloring of the graph of contacts: contacts of one color share no movable body and can be solved in parallel.

Bodies are the nodes of a graph and contacts its edges; to color the edges so that no two at a body are alike, each edge in turn gets the
first color that is free at both its ends (*greedy* coloring: at most ``2 d - 1`` colors for d edges at a body; usually ``d + 1`` or ``d +
2``). The colors used at a body are the bits of one number. Contacts read an immovable body but do not change it, so it is ignored;
otherwise the floor would need a color for each contact. Contacts with such a body come last, so that no other contact overrides their
result.

Contacts are colored in the order of their rows, so the colors are the same in every run. Contacts for which 64 colors are not enough, at a
body with more than 64 neighbors, are colored in another round of 64.

Each color is divided into blocks of eight lanes (`engine.common._lanes_kernel`); the last block is padded with lanes without a contact.

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
    """Fill the place of each contact, eight times its block plus its lane; return the number of blocks.

    Parameters
    ----------
    ends : int64 (n, 2)
        Rows of bodies.
    moves : bool (m,)
        Bodies that an impulse can move.
    place : int64 (n,)
    color, taken, count, begin : (n,), (m,), (64,), (64,)
        Scratch.
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
    """Return the index of the lowest unset bit, or the number of bits if all are set.

    The isolated bit is a power of two, and the powers of two below 2^64 differ modulo 67.
    """
    lowest = ~taken & (taken + np.uint64(1))
    return _POWERS[lowest % np.uint64(67)] if lowest != np.uint64(0) else COLORS
