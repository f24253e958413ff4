"""From an axis to contact points: the incident edge, clipped to the width of the reference edge.

The reference edge carries the axis. On the other polygon the *incident* edge is the one whose normal points most against it.
What lies of the incident edge between two side planes through the ends of the reference edge, and at most `limit` in front of
the reference edge, is the contact::

       side plane 1              side plane 2
            :                         :
            :       i1 ___            :
            :    _ _ /    \\___ _ _ _ _:
            :       0          \\___   :  incident edge (i1, i2), kept from 0 to 1
            :       :              \\__1__
    --------r1------------------------r2-----  reference edge, normal n up
            :                         :    i2 (cut off)

The side planes stand `side` outside the two ends, for the two rounded edges reach that far.

Each end remembers what it is, in Box2D's four bytes: the index on the reference polygon, the index on the incident
polygon, and for each whether it is a vertex (0) or a face (1). An untouched end is (reference edge, incident vertex); an
end made by a side plane is (reference vertex, incident edge). The name of the incident edge is the index of its first vertex;
Box2D takes it from the first end it holds at that moment, and so does this kernel, for a solver finds last step's
impulses by these names.

**Which edges, where many are nearly the same.** In exact arithmetic the edge whose normal points most against n has the foremost vertex
at one of its ends. A cosine near -1 tells angles below sqrt(EPS64) = 1.5e-8 rad not apart, and all edges of one side of a sliver
1e-9 as high as wide are that near to each other: the one found may lie metres from the contact. It shows: no end of what is kept of
it lies as far forward as the separation found, for that is the foremost vertex's. Then the edge is sought from the vertex: of those
within rounding of the foremost, the one over the reference edge, or nearest to it, and of its two edges the one that points most against n.

Sources: E. Catto, "Contact Manifolds", GDC 2007; I. Sutherland, G. Hodgman, "Reentrant Polygon Clipping", CACM 1974.
"""

from __future__ import annotations

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.narrowphase._step_kernel import CLIPPED, record

__all__ = ["FACE", "LACKING_ROUNDINGS", "VERTEX", "clip_incident_edge", "contact_vertex", "edge_at_vertex", "find_incident_edge"]

VERTEX = 0
FACE = 1

LACKING_ROUNDINGS = 2.0
"""Rounding, times the touch. A manifold whose deepest point lies farther than this before the foremost vertex lacks that: the two are
computed by the same operations, and a reference edge that ties with the greatest may cut off what lies up to a touch past its end."""


@inlined_kernel
def find_incident_edge(normals: FloatArray, nx: float, ny: float) -> int:
    """Return the first edge whose normal points most against (nx, ny)."""
    incident, least = 0, np.inf
    for edge in range(normals.shape[0]):
        along = normals[edge, 0] * nx + normals[edge, 1] * ny
        if along < least:
            incident, least = edge, along
    return incident


@kernel
def contact_vertex(reference: FloatArray, edge: int, nx: float, ny: float, other: FloatArray, tie: float) -> tuple[int, float]:
    """Return, of the vertices of `other` within `tie` of the foremost, the one over edge `edge` of `reference` or nearest to that, and
    how far past the edge's end it lies.
    """
    after = (edge + 1) % reference.shape[0]
    vx, vy = reference[edge, 0], reference[edge, 1]
    length = nx * (reference[after, 1] - vy) - ny * (reference[after, 0] - vx)
    foremost = np.inf
    for j in range(other.shape[0]):
        foremost = min(foremost, nx * (other[j, 0] - vx) + ny * (other[j, 1] - vy))
    found, least_out, least_front = 0, np.inf, np.inf
    for j in range(other.shape[0]):
        x, y = other[j, 0] - vx, other[j, 1] - vy
        front, along = nx * x + ny * y, nx * y - ny * x
        out = max(0.0, max(-along, along - length))
        if front <= foremost + tie and (out < least_out or (out == least_out and front < least_front)):
            found, least_out, least_front = j, out, front
    return found, least_out


@inlined_kernel
def edge_at_vertex(normals: FloatArray, vertex: int, nx: float, ny: float) -> int:
    """Return which of the two edges at a vertex points more against (nx, ny)."""
    before = vertex - 1 if vertex > 0 else normals.shape[0] - 1
    along_before = normals[before, 0] * nx + normals[before, 1] * ny
    return before if along_before < normals[vertex, 0] * nx + normals[vertex, 1] * ny else vertex


@inlined_kernel
def _cut(
    reference: FloatArray, edge: int, k: int, nx: float, ny: float, side: float, n_ends: int, ends: FloatArray, names: IntArray
) -> tuple[int, bool]:
    """Cut off what lies beyond the side plane at the first (k = 0) or second end of the edge; return the ends left, and whether it cut."""
    corner = (edge + k) % reference.shape[0]
    # outward direction of the side plane: against the edge at its first end, along it at its second
    outward = -1.0 if k == 0 else 1.0
    tx, ty = -outward * ny, outward * nx
    vx, vy = reference[corner, 0], reference[corner, 1]
    out_0 = tx * (ends[0, 0] - vx) + ty * (ends[0, 1] - vy) - side
    out_1 = tx * (ends[1, 0] - vx) + ty * (ends[1, 1] - vy) - side
    if n_ends == 1:
        return (0 if out_0 > 0.0 else 1), False
    if out_0 <= 0.0 and out_1 <= 0.0:
        return 2, False
    if out_0 > 0.0 and out_1 > 0.0:
        return 0, False
    # One end is inside, one outside. An inside end on the plane itself leaves that single point.
    n_left = 2 if out_0 * out_1 < 0.0 else 1
    share = out_0 / (out_0 - out_1)
    cut_x = ends[0, 0] + share * (ends[1, 0] - ends[0, 0])
    cut_y = ends[0, 1] + share * (ends[1, 1] - ends[0, 1])
    incident_name = names[0, 1]
    if out_0 > 0.0:  # the second end stays, and moves up: Box2D lists what it keeps first
        ends[0, 0], ends[0, 1] = ends[1, 0], ends[1, 1]
        for field in range(4):
            names[0, field] = names[1, field]
    ends[1, 0], ends[1, 1] = cut_x, cut_y
    names[1, 0], names[1, 1], names[1, 2], names[1, 3] = corner, incident_name, VERTEX, FACE
    return n_left, n_left == 2


@inlined_kernel
def clip_incident_edge(
    reference: FloatArray,
    edge: int,
    nx: float,
    ny: float,
    side: float,
    other: FloatArray,
    incident: int,
    ends: FloatArray,
    names: IntArray,
    whose: float,
    trace: FloatArray | None,
) -> tuple[int, bool]:
    """Clip edge `incident` of `other` to the side planes of edge `edge` of `reference`, whose unit normal is (nx, ny).

    Fills `ends` (2, 2) with what is left and `names` (2, 4) with (index on reference, index on other, type on reference, type
    on other). Returns how many ends are left (2; 1 where it only touches a side plane; 0) and whether a plane cut it. The trace is told
    what each plane leaves, `whose` being the side of the reference edge; see `_step_kernel`.
    """
    n_reference, n_other = reference.shape[0], other.shape[0]
    for k in range(2):
        corner = (incident + k) % n_other
        ends[k, 0], ends[k, 1] = other[corner, 0], other[corner, 1]
        names[k, 0], names[k, 1], names[k, 2], names[k, 3] = edge, corner, FACE, VERTEX

    n_ends, is_cut = 2, False
    for k in range(2):
        n_ends, cuts = _cut(reference, edge, k, nx, ny, side, n_ends, ends, names)
        is_cut = is_cut or cuts
        corner = (edge + k) % n_reference
        record(trace, CLIPPED, whose, float(corner), float(n_ends), ends[0, 0], ends[0, 1], ends[1, 0], ends[1, 1])
        if n_ends == 0:
            break
    return n_ends, is_cut
