"""The distance of two convex cores, by the algorithm of Gilbert, Johnson and Keerthi.

The problem is reduced to a single set. The Minkowski difference C = B - A, all b - a, is convex; its point nearest to the origin is v = b*
- a*, the vector between the nearest points of the two shapes, and C contains the origin exactly if they share a point. C is never
constructed: its farthest point along a direction, the *support*, is B's support minus A's support in the opposite direction.

GJK maintains a *simplex*, one or two vertices of C, with its point v nearest to the origin, and finds the vertex w of C that is farthest
toward the origin, least along n = v / |v|::

              p-----------v-----------q
               \\    C     |          /         n is the direction from O to v. All of C lies beyond
                \\         |         /          the line through w across n, so that
                 \\  ...   |   ...  /
                     w    |                          w.n  <=  distance  <=  |v|
        - - - - - - -*- - + - - - - - - -
                          |                    Where the two meet, v is the nearest point. Else w joins the simplex, which
                          O                    sheds what it no longer needs, and |v| has become smaller.

Two vertices p, q have three regions (Voronoi: what is nearest to the origin), distinguished by t = -p.(q - p) / |q - p|^2::

        t <= 0    :    0 < t < 1    :   t >= 1
        only p    p-----------------q   only q

For three vertices p, q, w only two edges have to be tested. The newest, w, is nearer along n than the line p q, so that the nearest point
of the triangle, nearer than v, is no longer on p q: it is inside, or on w p, or on w q, or w itself::

              p-----------------q          c_p = (p - w) x (O - w), c_q = (O - w) x (q - w), signed so that
               \\     inside     /           both are positive inside
      beyond    \\             /   beyond    inside: both positive; else beyond w p where c_p <= 0 and the origin is
       w p       \\          /      w q      ahead of w along w p, (O - w).(p - w) > 0; likewise w q; else w's own
                   \\      /                 region. Both cannot hold: with c_p, c_q <= 0 we have
                      w                     O - w = -alpha (p - w) - beta (q - w), alpha and beta >= 0, and being
                   w's own                  ahead along both would ask for |cos| at w above 1.

So between two steps the state is a segment, which can be degenerate.

The direction n is computed from the *longer* of v and e = q - p: v / |v|, or e rotated by 90 degrees. The error of either is the rounding
of its points divided by its own length. If the shapes nearly touch along an edge, v consists of rounding errors, while e is accurate. It is
normalized before any test, so all compared numbers are in meters.

Start: the support along the line of the two origins, or the simplex of an earlier query, whose features are usually still the nearest ones.
Its vertices need not be on the boundary of C, which GJK does not require, but EPA does.

Termination, with `rounding` = SAT_ROUNDING times the size of everything in A's frame:

SEPARATED          |v| - w.n <= rounding: both bounds agree to the accuracy of the coordinates. A support already in the simplex
                   is the same case, because then w.n = v.n.
TOUCHING           |v| <= rounding, or the origin lies in the triangle p q w but within `touch` of an edge of it: a point of C is at
                   the origin, and EPA decides whether it is inside C or on its boundary (`_epa_kernel`).
OVERLAPPING        the origin lies inside the triangle p q w, farther than `touch` from each of its edges.
OUT_OF_ITERATIONS  GJK_MAX_ITERATIONS supports, and the bounds still apart; v is the best so far. In exact arithmetic |v| falls
                   with every step and no simplex comes twice, so that polygons end; no input is known that gets here.

Sources: E. Gilbert, D. Johnson, S. Keerthi, IEEE J. Robotics and Automation 4 (1988); G. van den Bergen, "A Fast and Robust
GJK Implementation", J. Graphics Tools 4 (1999); E. Catto, "Computing Distance", GDC 2010; C. Ericson, Real-Time Collision
Detection, 2005, 9.5.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray, Point
from engine.common.events import record
from engine.common.jit import inlined_kernel
from engine.common.tolerances import GJK_MAX_ITERATIONS
from engine.contracts.status import OUT_OF_ITERATIONS, OVERLAPPING, SEPARATED, TOUCHING
from engine.narrowphase._sides_kernel import place, relative_pose

__all__ = [
    "TRIANGLE_SIZE",
    "Cores",
    "GjkKept",
    "GjkNearest",
    "GjkStart",
    "GjkSupport",
    "Placed",
    "difference_vertex",
    "enclosing_sides",
    "gjk_cores",
    "relative_cores",
    "share_of_nearest",
    "support",
]

TRIANGLE_SIZE = 7
"""Size of a simplex: the number of vertices, then for each of three its index in A and in B."""


class GjkStart(NamedTuple):
    """The initial simplex, A's frame, vertices also by their indices in A and B; a single vertex is repeated."""

    p_a: int
    p_b: int
    q_a: int
    q_b: int
    p: Point
    q: Point


class GjkNearest(NamedTuple):
    """The simplex before the next support, or the last one if v is at the origin; `length` is |v| along n, `share` is t."""

    p_a: int
    p_b: int
    q_a: int
    q_b: int
    p: Point
    q: Point
    v: Point
    n: Point
    length: float
    share: float


class GjkSupport(NamedTuple):
    """The vertex w, by its indices and in A's frame; `bound` is w.n, `length` is |v| along n."""

    a: int
    b: int
    w: Point
    bound: float
    length: float


class GjkKept(NamedTuple):
    """The simplex with w; `region` is 0 if a second vertex joins, 1 w p, 2 w q, 3 w alone, 4 if the triangle encloses O."""

    p_a: int
    p_b: int
    q_a: int
    q_b: int
    region: int
    beside_p: float
    beside_q: float


class Placed(NamedTuple):
    """A core with a radius at a world pose, and its extent from the local origin."""

    vertices: FloatArray
    radius: float
    extent: float
    x: float
    y: float
    cos: float
    sin: float


class Cores(NamedTuple):
    """The vertices of two cores, and B's pose in A's frame."""

    a: FloatArray
    b: FloatArray
    cos: float
    sin: float
    shift_x: float
    shift_y: float


@inlined_kernel
def relative_cores(a: Placed, b: Placed) -> Cores:
    """Return the cores of two shapes in A's frame."""
    cos, sin, shift_x, shift_y = relative_pose(a.x, a.y, a.cos, a.sin, b.x, b.y, b.cos, b.sin)
    return Cores(a.vertices, b.vertices, cos, sin, shift_x, shift_y)


@inlined_kernel
def farthest_vertex(vertices: FloatArray, nx: float, ny: float) -> int:
    """Return the vertex farthest along (nx, ny), the first of equal ones."""
    farthest, best = nx * vertices[0, 0] + ny * vertices[0, 1], 0
    for i in range(1, vertices.shape[0]):
        along = nx * vertices[i, 0] + ny * vertices[i, 1]
        if along > farthest:
            farthest, best = along, i
    return best


@inlined_kernel
def support(cores: Cores, nx: float, ny: float) -> tuple[int, int]:
    """Return the vertex of A farthest along (nx, ny), A's frame, and that of B *least* far: the direction is rotated, not the vertices."""
    local_x, local_y = -(cores.cos * nx + cores.sin * ny), -(cores.cos * ny - cores.sin * nx)
    return farthest_vertex(cores.a, nx, ny), farthest_vertex(cores.b, local_x, local_y)


@inlined_kernel
def difference_vertex(cores: Cores, a: int, b: int) -> tuple[float, float]:
    """Return the vertex b - a of C."""
    x, y = place(cores.b[b, 0], cores.b[b, 1], cores.cos, cores.sin, cores.shift_x, cores.shift_y)
    return x - cores.a[a, 0], y - cores.a[a, 1]


@inlined_kernel
def share_of_nearest(px: float, py: float, qx: float, qy: float) -> float:
    """Return t in [0, 1] of the point of the segment p q nearest to the origin; 0 if p and q coincide."""
    ex, ey = qx - px, qy - py
    along, length_sq = -(px * ex + py * ey), ex * ex + ey * ey
    if along <= 0.0:
        return 0.0
    if along >= length_sq:
        return 1.0
    return along / length_sq


@inlined_kernel
def enclosing_sides(to_px: float, to_py: float, to_qx: float, to_qy: float, wx: float, wy: float) -> tuple[float, float]:
    """Return c_p and c_q of the triangle p q w, given p - w, q - w and w."""
    winding = 1.0 if to_px * to_qy - to_py * to_qx > 0.0 else -1.0
    return -winding * (to_px * wy - to_py * wx), -winding * (wx * to_qy - wy * to_qx)


@inlined_kernel
def gjk_cores(cores: Cores, rounding: float, touch: float, simplex: IntArray) -> tuple[int, int, float, float, float, float]:
    """Return status, iterations, distance, unit n (A to B, A's frame) and the share t of the nearest point in the simplex.

    `simplex` (TRIANGLE_SIZE,) is the start, [0, ...] for a cold start, with indices in range (a third vertex is ignored; one step finds it
    again); it is overwritten with the last simplex. On TOUCHING and OVERLAPPING distance and direction are 0.0.
    """
    n_start = simplex[0]
    if n_start > 0:
        p_a, p_b = simplex[1], simplex[2]
    else:
        apart = math.sqrt(cores.shift_x * cores.shift_x + cores.shift_y * cores.shift_y)
        nx, ny = (cores.shift_x / apart, cores.shift_y / apart) if apart > rounding else (1.0, 0.0)
        p_a, p_b = support(cores, nx, ny)
    q_a, q_b = p_a, p_b
    if n_start > 1:
        q_a, q_b = simplex[3], simplex[4]
    px, py = difference_vertex(cores, p_a, p_b)
    qx, qy = difference_vertex(cores, q_a, q_b)
    record(GjkStart(p_a, p_b, q_a, q_b, (px, py), (qx, qy)))

    status, iterations, n_vertices = OUT_OF_ITERATIONS, 0, 0
    distance, nx, ny, share = 0.0, 0.0, 0.0, 0.0
    while iterations < GJK_MAX_ITERATIONS:
        iterations += 1

        # 1. The nearest point v of the segment p q; if it is an end, the other end is dropped.
        share = share_of_nearest(px, py, qx, qy)
        if share <= 0.0:
            q_a, q_b, qx, qy = p_a, p_b, px, py
        elif share >= 1.0:
            p_a, p_b, px, py = q_a, q_b, qx, qy
            share = 0.0
        ex, ey = qx - px, qy - py
        vx, vy = px + share * ex, py + share * ey
        length, distance = math.sqrt(ex * ex + ey * ey), math.sqrt(vx * vx + vy * vy)
        # The normal's sign, here: v is a point of B minus one of A, so it points from A to B.
        if distance >= length:
            if distance <= rounding:
                record(GjkNearest(p_a, p_b, q_a, q_b, (px, py), (qx, qy), (vx, vy), (nx, ny), distance, share))
                status = TOUCHING
                break
            nx, ny = vx / distance, vy / distance
        else:
            nx, ny = ey / length, -ex / length
            distance = nx * px + ny * py
            if distance < 0.0:
                nx, ny, distance = -nx, -ny, -distance
        record(GjkNearest(p_a, p_b, q_a, q_b, (px, py), (qx, qy), (vx, vy), (nx, ny), distance, share))
        if distance <= rounding:
            status = TOUCHING
            break

        # 2. The vertex of C nearest along n, and its lower bound.
        w_a, w_b = support(cores, nx, ny)
        wx, wy = difference_vertex(cores, w_a, w_b)
        bound = nx * wx + ny * wy
        is_point = px == qx and py == qy
        record(GjkSupport(w_a, w_b, (wx, wy), bound, distance))
        is_known = (wx == px and wy == py) or (wx == qx and wy == qy)
        if is_known or distance - bound <= rounding:
            status = SEPARATED
            break

        # 3. Select the vertices to keep.
        region, beside_p, beside_q = 0, np.nan, np.nan
        if is_point:
            q_a, q_b, qx, qy = w_a, w_b, wx, wy
        else:
            to_px, to_py, to_qx, to_qy = px - wx, py - wy, qx - wx, qy - wy
            beside_p, beside_q = enclosing_sides(to_px, to_py, to_qx, to_qy, wx, wy)
            if beside_p > 0.0 and beside_q > 0.0 and bound < 0.0:
                inside_p = beside_p > touch * math.sqrt(to_px * to_px + to_py * to_py)
                inside_q = beside_q > touch * math.sqrt(to_qx * to_qx + to_qy * to_qy)
                status = OVERLAPPING if inside_p and inside_q and distance > touch else TOUCHING
                n_vertices, simplex[5], simplex[6], region = 3, w_a, w_b, 4
            elif beside_p <= 0.0 and -(wx * to_px + wy * to_py) > 0.0:
                q_a, q_b, qx, qy, region = w_a, w_b, wx, wy, 1
            elif beside_q <= 0.0 and -(wx * to_qx + wy * to_qy) > 0.0:
                p_a, p_b, px, py, region = w_a, w_b, wx, wy, 2
            else:
                p_a, p_b, px, py = w_a, w_b, wx, wy
                q_a, q_b, qx, qy, region = w_a, w_b, wx, wy, 3
        record(GjkKept(p_a, p_b, q_a, q_b, region, beside_p, beside_q))
        if n_vertices == 3:
            break

    if n_vertices < 3:
        n_vertices = 1 if p_a == q_a and p_b == q_b else 2
    simplex[0], simplex[1], simplex[2], simplex[3], simplex[4] = n_vertices, p_a, p_b, q_a, q_b
    if status in (TOUCHING, OVERLAPPING):
        return status, iterations, 0.0, 0.0, 0.0, 0.0
    return status, iterations, distance, nx, ny, share
