"""The penetration of two convex cores that overlap, by the expanding polytope algorithm (EPA).

Two shapes overlap if their difference C = B - A (`_gjk_kernel`) contains the origin O. Moving B by x moves C by x, so the least translation
that separates them is the shortest vector from O to the boundary of C: with b the nearest point of the boundary, B moves by -b, by the
depth |b| along the unit normal -b / |b|.

EPA starts with a polytope, vertices of C around the origin, and pushes its nearest edge outward. With n the outward unit normal
of that edge and s the support of C along n::

              s              The polytope lies inside C, so C's boundary is nowhere nearer than the polytope's:
             /:\\                   depth >= distance of the nearest edge = n.p
           /  :  \\            All of C lies behind the line through s across n, so that moving by n.s parts the two:
         p----+----q               depth <= n.s
          \\   : n /
            \\ O /            Where the two are equal the edge is one of C, and the answer is exact.
              r              Otherwise s splits the edge, and the next nearest one is asked.

In the plane this terminates: each new vertex is one of C's, which has at most as many as A and B together. The depth has the rounding error
of one projection; the bounds meet to within `rounding` (SAT_ROUNDING times the size of everything in A's frame).

Start. EPA starts from GJK's last simplex. A triangle around the origin is a polytope. If the origin is on a segment of C, the segment is a
flat polytope of two edges, one on each side, both at distance 0, and is expanded like any other: if C does not extend beyond a side, that
side is a boundary of C, and the shapes touch there with depth 0. A triangle flatter than `rounding` is such a segment, its longest side. If
the origin is a vertex of C, the segment's other end is the farthest vertex of C along four directions. If there is none, C is a point, the
two cores are coincident points, and every direction is valid: the world's x axis is used.

An edge of C as short as a few roundings has no reliable direction, and a direction computed from it can add a vertex in the wrong place. So
the direction is computed from the longer of edge and foot, as in GJK, and the result is the direction with the least n.s of all that were
tested: in any case, moving by the returned depth separates the shapes.

Witness points. The vertices of A farthest along the normal (within `rounding`) span an interval of the tangent, the nearest ones of B
another; the witness points are at the middle of their intersection::

            A's farthest      |---------------|
            B's nearest               |--------------------|
                                      |---x---|                the witness points lie at x, on A's line and on B's

For slivers the intervals can be disjoint: EPA ends at an edge beyond which C extends by no more than `rounding`, and between two nearly
parallel edges a meter long that edge is a chord over one of their corners, with neither's normal::

            A's farthest    .----___                    between the two both fall away from their lines, together by no more
            B's nearest              ```----.           than rounding where C is nearest: there is x, at a corner of one of them

Both are evaluated at the corners in between, and the place with the smallest sum is used.

Sources: G. van den Bergen, "Proximity Queries and Penetration Depth Computation on 3D Game Objects", GDC 2001; and
Collision Detection in Interactive 3D Environments, 2003, 4.3.8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray, Point
from engine.common.events import record
from engine.common.jit import inlined_kernel
from engine.contracts.status import OUT_OF_ITERATIONS, OVERLAPPING
from engine.narrowphase._gjk_kernel import Cores, difference_vertex, share_of_nearest, support
from engine.narrowphase._sides_kernel import place

__all__ = ["POLYTOPE_WIDTH", "EpaEdges", "EpaEnd", "EpaSupport", "EpaTouching", "epa_cores", "polytope_rows", "touching_points"]

POLYTOPE_WIDTH = 7
"""Number of values of an edge: x, y of its first vertex, the outward unit normal, n.p, the distance of the edge from the origin, and 1 if
the origin's foot is on the edge.
"""

_X, _Y, _NORMAL_X, _NORMAL_Y, _OFFSET, _DISTANCE, _HAS_FOOT = range(POLYTOPE_WIDTH)


class EpaEdges(NamedTuple):
    """The polytope before the next support, its edges counter-clockwise, A's frame."""

    starts: FloatArray
    distances: FloatArray
    nearest: int


class EpaSupport(NamedTuple):
    """The support s of C, by its indices and in A's frame; `reach` is s.n, `offset` p.n, `least` the least s.n so far."""

    a: int
    b: int
    s: Point
    reach: float
    offset: float
    n: Point
    least: float


class EpaEnd(NamedTuple):
    """The depth and n, A to B, A's frame."""

    iterations: int
    depth: float
    n: Point


class EpaTouching(NamedTuple):
    """A point of A and one of B, on the cores, A's frame."""

    a: Point
    b: Point


@inlined_kernel
def polytope_rows(n_a: int, n_b: int) -> int:
    """Return the maximum number of rows of the polytope for cores with so many vertices: C's vertices, three to start from, and one."""
    return n_a + n_b + 4


@inlined_kernel
def measure_edge(polytope: FloatArray, edge: int, n_edges: int) -> None:
    """Fill in the normal and the distances of an edge of the counter-clockwise polytope."""
    after = edge + 1 if edge + 1 < n_edges else 0
    px, py = polytope[edge, _X], polytope[edge, _Y]
    qx, qy = polytope[after, _X], polytope[after, _Y]
    ex, ey = qx - px, qy - py
    length = math.sqrt(ex * ex + ey * ey)
    share = share_of_nearest(px, py, qx, qy)
    foot_x, foot_y = px + share * ex, py + share * ey
    distance = math.sqrt(foot_x * foot_x + foot_y * foot_y)
    has_foot = 0.0 < share < 1.0
    if has_foot and distance >= length:
        nx, ny = foot_x / distance, foot_y / distance
    else:
        nx, ny = ey / length, -ex / length
    polytope[edge, _NORMAL_X], polytope[edge, _NORMAL_Y] = nx, ny
    polytope[edge, _OFFSET] = nx * px + ny * py
    polytope[edge, _DISTANCE] = distance
    polytope[edge, _HAS_FOOT] = 1.0 if has_foot else 0.0


@inlined_kernel
def start_polytope(cores: Cores, rounding: float, simplex: IntArray, polytope: FloatArray) -> int:
    """Convert GJK's simplex to a polytope and return its number of edges: 3, 2, or 0 if C is a point."""
    n = simplex[0]
    for k in range(n):
        a, b = simplex[1 + 2 * k], simplex[2 + 2 * k]
        polytope[k, _X], polytope[k, _Y] = difference_vertex(cores, a, b)
    if n == 3:
        longest, longest_sq = 0, -1.0
        for k in range(3):
            after = (k + 1) % 3
            ex, ey = polytope[after, _X] - polytope[k, _X], polytope[after, _Y] - polytope[k, _Y]
            if ex * ex + ey * ey > longest_sq:
                longest, longest_sq = k, ex * ex + ey * ey
        p, q, r = longest, (longest + 1) % 3, (longest + 2) % 3
        px, py, qx, qy = polytope[p, _X], polytope[p, _Y], polytope[q, _X], polytope[q, _Y]
        rx, ry = polytope[r, _X], polytope[r, _Y]
        doubled_area = (qx - px) * (ry - py) - (qy - py) * (rx - px)
        if abs(doubled_area) > rounding * math.sqrt(longest_sq):
            if doubled_area < 0.0:
                px, py, qx, qy = qx, qy, px, py
            polytope[2, _X], polytope[2, _Y] = rx, ry
        else:
            n = 2
        polytope[0, _X], polytope[0, _Y], polytope[1, _X], polytope[1, _Y] = px, py, qx, qy
    if n < 3:
        ex, ey = polytope[1, _X] - polytope[0, _X], polytope[1, _Y] - polytope[0, _Y]
        if n == 2 and math.sqrt(ex * ex + ey * ey) > rounding:
            return 2
        farthest, x, y = rounding, 0.0, 0.0
        for k in range(4):
            nx, ny = (1.0 - k if k % 2 == 0 else 0.0), (2.0 - k if k % 2 == 1 else 0.0)
            a, b = support(cores, nx, ny)
            wx, wy = difference_vertex(cores, a, b)
            away = math.sqrt((wx - polytope[0, _X]) ** 2 + (wy - polytope[0, _Y]) ** 2)
            if away > farthest:
                farthest, x, y = away, wx, wy
        if farthest <= rounding:
            return 0
        polytope[1, _X], polytope[1, _Y] = x, y
        return 2
    return 3


@inlined_kernel
def epa_cores(
    cores: Cores, cos_a: float, sin_a: float, rounding: float, enough: float, simplex: IntArray, polytope: FloatArray
) -> tuple[int, int, float, float, float]:
    """Return status (OVERLAPPING: the depth is exact), iterations, depth and unit normal, A to B in A's frame.

    `simplex` is GJK's on TOUCHING or OVERLAPPING. `polytope` (polytope_rows, POLYTOPE_WIDTH) is scratch memory. The search
    stops once its lower bound of the depth exceeds `enough`, which is infinite for the depth itself. The depth can be a rounding below 0 if
    the cores touch.
    """
    n_edges = start_polytope(cores, rounding, simplex, polytope)
    if n_edges == 0:
        nx, ny = cos_a, -sin_a
        depth = -(nx * polytope[0, _X] + ny * polytope[0, _Y])
        record(EpaEnd(0, depth, (nx, ny)))
        return OVERLAPPING, 0, depth, nx, ny
    for edge in range(n_edges):
        measure_edge(polytope, edge, n_edges)
    status, iterations = OUT_OF_ITERATIONS, 0
    depth, best_x, best_y = np.inf, 0.0, 0.0
    while n_edges < polytope.shape[0]:
        iterations += 1

        # 1. The nearest edge; among equally near ones, one that contains the origin's foot.
        nearest = 0
        for edge in range(1, n_edges):
            closer = polytope[edge, _DISTANCE] - polytope[nearest, _DISTANCE]
            if closer < 0.0 or (closer == 0.0 and polytope[edge, _HAS_FOOT] > polytope[nearest, _HAS_FOOT]):
                nearest = edge
        nx, ny, offset = polytope[nearest, _NORMAL_X], polytope[nearest, _NORMAL_Y], polytope[nearest, _OFFSET]
        record(EpaEdges(polytope[:n_edges, :_NORMAL_X], polytope[:n_edges, _DISTANCE], nearest))
        if polytope[nearest, _DISTANCE] > enough:
            status, depth, best_x, best_y = OVERLAPPING, polytope[nearest, _DISTANCE], 0.0, 0.0
            break

        # 2. The support of C along its normal.
        a, b = support(cores, -nx, -ny)
        x, y = difference_vertex(cores, a, b)
        reach = nx * x + ny * y
        if reach < depth:
            depth, best_x, best_y = reach, nx, ny
        record(EpaSupport(a, b, (x, y), reach, offset, (nx, ny), depth))
        if reach - offset <= rounding:
            status = OVERLAPPING
            break

        # 3. Insert the new vertex between the ends of the edge.
        for edge in range(n_edges, nearest + 1, -1):
            for k in range(POLYTOPE_WIDTH):
                polytope[edge, k] = polytope[edge - 1, k]
        polytope[nearest + 1, _X], polytope[nearest + 1, _Y] = x, y
        n_edges += 1
        measure_edge(polytope, nearest, n_edges)
        measure_edge(polytope, nearest + 1, n_edges)
    # The normal's sign, here: against the outward normal of C = B - A, so moving B along it separates the two: it points from A to B.
    record(EpaEnd(iterations, depth, (0.0 - best_x, 0.0 - best_y)))
    return status, iterations, depth, 0.0 - best_x, 0.0 - best_y  # not -0.0


@inlined_kernel
def level_at(vertices: FloatArray, cos: float, sin: float, shift_x: float, shift_y: float, nx: float, ny: float, along: float) -> float:
    """Return the maximum of a core along n at the coordinate `along` on the tangent, -inf if it has no point there."""
    n, level = vertices.shape[0], -np.inf
    x, y = place(vertices[n - 1, 0], vertices[n - 1, 1], cos, sin, shift_x, shift_y)
    level_p, along_p = nx * x + ny * y, nx * y - ny * x
    for i in range(n):
        x, y = place(vertices[i, 0], vertices[i, 1], cos, sin, shift_x, shift_y)
        level_q, along_q = nx * x + ny * y, nx * y - ny * x
        if along_q == along:
            level = max(level, level_q)
        elif (along_p - along) * (along_q - along) < 0.0:
            level = max(level, level_p + (along - along_p) / (along_q - along_p) * (level_q - level_p))
        level_p, along_p = level_q, along_q
    return level


@inlined_kernel
def touching_points(cores: Cores, nx: float, ny: float, rounding: float) -> tuple[float, float, float, float]:
    """Return witness points of A and B, A's frame, opposite each other along n where A's projection is greatest and B's least."""
    vertices_a, vertices_b, cos, sin, shift_x, shift_y = cores
    reach_a = -np.inf
    for i in range(vertices_a.shape[0]):
        reach_a = max(reach_a, nx * vertices_a[i, 0] + ny * vertices_a[i, 1])
    reach_b = np.inf
    for j in range(vertices_b.shape[0]):
        x, y = place(vertices_b[j, 0], vertices_b[j, 1], cos, sin, shift_x, shift_y)
        reach_b = min(reach_b, nx * x + ny * y)
    low_a, high_a = np.inf, -np.inf
    for i in range(vertices_a.shape[0]):
        x, y = vertices_a[i, 0], vertices_a[i, 1]
        if nx * x + ny * y >= reach_a - rounding:
            low_a, high_a = min(low_a, nx * y - ny * x), max(high_a, nx * y - ny * x)
    low_b, high_b = np.inf, -np.inf
    for j in range(vertices_b.shape[0]):
        x, y = place(vertices_b[j, 0], vertices_b[j, 1], cos, sin, shift_x, shift_y)
        if nx * x + ny * y <= reach_b + rounding:
            low_b, high_b = min(low_b, nx * y - ny * x), max(high_b, nx * y - ny * x)
    low, high = max(low_a, low_b), min(high_a, high_b)
    middle = 0.5 * (low + high)
    if low - high > rounding:
        nearest = np.inf
        for i in range(vertices_a.shape[0] + vertices_b.shape[0]):
            if i < vertices_a.shape[0]:
                x, y = vertices_a[i, 0], vertices_a[i, 1]
            else:
                j = i - vertices_a.shape[0]
                x, y = place(vertices_b[j, 0], vertices_b[j, 1], cos, sin, shift_x, shift_y)
            along = nx * y - ny * x
            if high <= along <= low:
                level_a = level_at(vertices_a, 1.0, 0.0, 0.0, 0.0, nx, ny, along)
                level_b = -level_at(vertices_b, cos, sin, shift_x, shift_y, -nx, -ny, -along)
                if level_b - level_a < nearest:
                    nearest, middle, reach_a, reach_b = level_b - level_a, along, level_a, level_b
    return reach_a * nx - middle * ny, reach_a * ny + middle * nx, reach_b * nx - middle * ny, reach_b * ny + middle * nx
