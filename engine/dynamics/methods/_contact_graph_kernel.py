"""The contact graph of bodies that rest on each other, and its layers.

A body rests on another if gravity would bring it closer. Bodies that rest on each other in a cycle, or that joints connect, are in one
layer: the graph's strongly connected components (R. Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972). Static and kinematic
bodies are layer 0; every other component is one layer above the highest that it rests on.

Source: E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003, section 7.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel

__all__ = ["NO_ONE", "contact_layers"]

NO_ONE = -1

_STEEP = 0.1
"""Cosine between normal and gravity below which two bodies are side by side: six degrees, well above the tilt of piled boxes."""


@kernel
def contact_layers(
    ends: IntArray, normal: FloatArray, gravity_x: float, gravity_y: float, links: IntArray, inverse: FloatArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the lower body of each contact, 0 for A, 1 for B, `NO_ONE` for neither; and component and layer of each body.

    Parameters
    ----------
    ends : int64 (n, 2)
        Rows of bodies A and B in contact.
    normal : float64 (n, 2)
        Unit, from A to B.
    links : int64 (k, 2)
        Rows of bodies connected by joints.
    inverse : float64 (m, 2)
        A body with 0 and 0 is in layer 0, a component of its own.
    """
    m, lower = len(inverse), np.empty(len(ends), dtype=np.int64)
    _find_lower(normal, gravity_x, gravity_y, lower)
    first, heads = _rests_on(ends, lower, links, inverse)
    component, layer = np.full(m, NO_ONE, dtype=np.int64), np.zeros(m, dtype=np.int64)
    index, low, cursor = np.full(m, NO_ONE, dtype=np.int64), np.zeros(m, dtype=np.int64), first[:-1].copy()
    way, waiting = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    n_visited = n_waiting = n_components = 0
    for root in range(m):
        if index[root] != NO_ONE:
            continue
        way[0], depth = root, 1
        while depth > 0:
            body = way[depth - 1]
            if index[body] == NO_ONE:
                index[body] = low[body] = n_visited
                n_visited += 1
                waiting[n_waiting] = body
                n_waiting += 1
            if cursor[body] < first[body + 1]:
                other = heads[cursor[body]]
                cursor[body] += 1
                if index[other] == NO_ONE:
                    way[depth] = other
                    depth += 1
                elif component[other] == NO_ONE:
                    low[body] = min(low[body], index[other])
                continue
            depth -= 1
            if depth > 0:
                low[way[depth - 1]] = min(low[way[depth - 1]], low[body])
            if low[body] == index[body]:  # all bodies that it rests on are done: a component is complete
                start = n_waiting - 1
                while waiting[start] != body:
                    start -= 1
                height = 0
                for at in range(start, n_waiting):
                    component[waiting[at]] = n_components
                for at in range(start, n_waiting):
                    member = waiting[at]
                    for edge in range(first[member], first[member + 1]):
                        if component[heads[edge]] != n_components:
                            height = max(height, layer[heads[edge]] + 1)
                for at in range(start, n_waiting):
                    layer[waiting[at]] = height
                n_waiting = start
                n_components += 1
    return lower, component, layer


@inlined_kernel
def _find_lower(normal: FloatArray, gravity_x: float, gravity_y: float, lower: IntArray) -> None:
    """Fill the lower side of each contact, on which the other rests."""
    size = hypot(gravity_x, gravity_y)
    for row in range(len(normal)):
        down = normal[row, 0] * gravity_x + normal[row, 1] * gravity_y
        lower[row] = (0 if down < 0.0 else 1) if abs(down) > _STEEP * size else NO_ONE


@allocating_kernel
def _rests_on(ends: IntArray, lower: IntArray, links: IntArray, inverse: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the edges from each body to those that it rests on: index of each body's first edge (m + 1,), and the heads."""
    m = len(inverse)
    first, heads = np.zeros(m + 1, dtype=np.int64), np.empty(len(ends) + 2 * len(links), dtype=np.int64)
    cursor = np.zeros(m, dtype=np.int64)
    for fill in range(2):
        for row in range(len(ends)):
            if lower[row] != NO_ONE:
                _edge(first, heads, cursor, inverse, ends[row, 1 - lower[row]], ends[row, lower[row]], fill == 1)
        for row in range(len(links)):
            _edge(first, heads, cursor, inverse, links[row, 0], links[row, 1], fill == 1)
            _edge(first, heads, cursor, inverse, links[row, 1], links[row, 0], fill == 1)
        if fill == 0:
            for body in range(m):
                first[body + 1] += first[body]
                cursor[body] = first[body]
    return first, heads


@inlined_kernel
def _edge(first: IntArray, heads: IntArray, cursor: IntArray, inverse: FloatArray, tail: int, head: int, is_filling: bool) -> None:
    """Count or fill in an edge of a body that can move."""
    if inverse[tail, 0] == 0.0 and inverse[tail, 1] == 0.0:
        return
    if is_filling:
        heads[cursor[tail]] = head
        cursor[tail] += 1
    else:
        first[tail + 1] += 1
