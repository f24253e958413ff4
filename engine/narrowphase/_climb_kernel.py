"""Box2D 2.3.0's search for the axis: a hill climb that can stop at a local maximum.

Testing every edge takes n_a n_b dot products for each polygon. Box2D 2.3.0 tests only a few: it starts at the edge whose normal points most
along the line of centroids and walks around the polygon in the direction in which the separation grows, until it no longer grows::

    separation
        |            _ b
        |   a       / \\           started on the left slope, the walk ends at a;
        |  / \\     /   \\          the true minimum-penetration axis is b
        | /   \\___/     \\_
        +----------------------- edges, going round

Around a polygon the separation generally has several local maxima, so the walk can end at a deeper axis than the true one, as for about one
in twenty touching pairs of random convex polygons. `rule="box2d"` repeats the walk exactly, ties included, so that the referee can show
that this is the only cause of a different answer by Box2D.

Source: behavior of b2FindMaxSeparation in Box2D 2.3.0, described here in our own words and code.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.events import record
from engine.common.jit import inlined_kernel
from engine.narrowphase._sat_kernel import SatEdge, face_separation

__all__ = ["climb_separation"]


@inlined_kernel
def climb_separation(
    vertices: FloatArray, normals: FloatArray, others: FloatArray, toward_x: float, toward_y: float, side: int
) -> tuple[float, int]:
    """Return the separation at which the walk over edges of `side` ends, and its edge; `toward` points from this centroid to the other."""
    n_edges = vertices.shape[0]
    start, most = 0, -np.inf
    for edge in range(n_edges):
        along = normals[edge, 0] * toward_x + normals[edge, 1] * toward_y
        if along > most:
            start, most = edge, along

    best, best_edge = face_separation(vertices, normals, start, others), start
    before, after = (start - 1) % n_edges, (start + 1) % n_edges
    separation_before = face_separation(vertices, normals, before, others)
    separation_after = face_separation(vertices, normals, after, others)
    goes_back = separation_before > best and separation_before > separation_after
    record(SatEdge(side, start, best, True, True))
    record(SatEdge(side, before, separation_before, goes_back, True))
    record(SatEdge(side, after, separation_after, not goes_back and separation_after > best, True))
    if goes_back:
        step, best, best_edge = -1, separation_before, before
    elif separation_after > best:
        step, best, best_edge = 1, separation_after, after
    else:
        return best, best_edge

    for _ in range(n_edges):
        edge = (best_edge + step) % n_edges
        separation = face_separation(vertices, normals, edge, others)
        record(SatEdge(side, edge, separation, separation > best, True))
        if separation <= best:
            break
        best, best_edge = separation, edge
    return best, best_edge
