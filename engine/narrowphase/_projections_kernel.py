"""Closest points of two shapes by alternating projections.

The algorithm alternates between the nearest point of A to a point b and the nearest point of B to that. The distance never increases, and
for two convex sets, one of them bounded, the points converge to a nearest pair (Cheney and Goldstein). The projection on a rounded shape is
the nearest point of its core, moved toward b by the radius, or b itself if it is inside::

                                       b0
        ___________________          . '|
       |        A          a1  ---> '   |   B           a1 = nearest of A to b0,  b1 = nearest of B to a1,  ...
       |                   |'  . _      |
       |___________________a2 <----' ` b1

The rate of convergence depends on the angle. Between two edges at an angle theta each step along one is cos theta times the previous step
along the other, so that the error falls by cos^2 theta per iteration: at 45 degrees it halves, at 0.6 degrees (0.01 rad) it takes 10,000
iterations for one factor of e. Parallel edges and corners converge immediately. If the shapes overlap, the iteration ends in a common
point, without the depth; if they touch at a small angle, it hardly converges.

Termination: with n = (b - a) / |b - a|, no point of B is nearer along n than its support, and none of A is farther, so that

    support_B - support_A  <=  distance  <=  |b - a|

Source: W. Cheney, A. Goldstein, "Proximity maps for convex sets", Proc. AMS 10 (1959); J. von Neumann, Functional Operators II
(1950), for subspaces and the cosine.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, Point
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import CLOSEST_CONVERGENCE, CLOSEST_MAX_ITERATIONS
from engine.contracts.status import OUT_OF_ITERATIONS, OVERLAPPING, SEPARATED
from engine.narrowphase._gjk_kernel import Placed, difference_vertex, relative_cores, share_of_nearest, support
from engine.narrowphase._sides_kernel import place

__all__ = ["ProjectionsBound", "ProjectionsStart", "ProjectionsTurn", "closest_by_projections"]


class ProjectionsStart(NamedTuple):
    """The initial point of A, A's frame, and the gap between the bounds at which the iteration ends."""

    a: Point
    enough: float


class ProjectionsTurn(NamedTuple):
    """The point of B nearest to A's, and the point of A nearest to that, A's frame."""

    b: Point
    a: Point
    distance: float


class ProjectionsBound(NamedTuple):
    """The support vertices of A and B, and the lower bound of the distance that they give along n."""

    i: int
    j: int
    n: Point
    low: float


@inlined_kernel
def project(x: float, y: float, vertices: FloatArray, radius: float) -> tuple[float, float]:
    """Return the point of a rounded shape nearest to (x, y), which is that point itself if it is inside."""
    n = vertices.shape[0]
    nearest, core_x, core_y = np.inf, 0.0, 0.0
    is_inside = n > 2
    for i in range(n):
        px, py = vertices[i, 0] - x, vertices[i, 1] - y
        after = i + 1 if i + 1 < n else 0
        qx, qy = vertices[after, 0] - x, vertices[after, 1] - y
        is_inside = is_inside and px * qy - py * qx >= 0.0
        share = share_of_nearest(px, py, qx, qy)
        to_x, to_y = px + share * (qx - px), py + share * (qy - py)
        away = math.sqrt(to_x * to_x + to_y * to_y)
        if away < nearest:
            nearest, core_x, core_y = away, to_x, to_y
    if is_inside or nearest <= radius:
        return x, y
    left = 1.0 - radius / nearest
    return x + left * core_x, y + left * core_y


@inlined_kernel
def project_in_turn(
    a: Placed, b: Placed, touch: float, size: float
) -> tuple[int, int, float, float, float, float, float]:  # fmt: skip
    """See `closest_by_projections`."""
    cores = relative_cores(a, b)
    vertices_a, vertices_b, cos, sin, shift_x, shift_y = cores
    a_x, a_y = vertices_a[0, 0], vertices_a[0, 1]
    b_x, b_y, distance = 0.0, 0.0, 0.0
    status, turns = OUT_OF_ITERATIONS, 0
    record(ProjectionsStart((a_x, a_y), CLOSEST_CONVERGENCE * size))
    while turns < CLOSEST_MAX_ITERATIONS:
        turns += 1
        dx, dy = a_x - shift_x, a_y - shift_y
        local_x, local_y = project(cos * dx + sin * dy, cos * dy - sin * dx, vertices_b, b.radius)
        b_x, b_y = place(local_x, local_y, cos, sin, shift_x, shift_y)
        a_x, a_y = project(b_x, b_y, vertices_a, a.radius)
        dx, dy = b_x - a_x, b_y - a_y
        distance = math.sqrt(dx * dx + dy * dy)
        record(ProjectionsTurn((b_x, b_y), (a_x, a_y), distance))
        if distance <= touch:
            status = OVERLAPPING
            break
        nx, ny = dx / distance, dy / distance
        i, j = support(cores, nx, ny)
        wx, wy = difference_vertex(cores, i, j)
        bound = nx * wx + ny * wy - a.radius - b.radius
        record(ProjectionsBound(i, j, (nx, ny), bound))
        if distance - bound <= CLOSEST_CONVERGENCE * size:
            status = SEPARATED
            break
    a_x, a_y = place(a_x, a_y, a.cos, a.sin, a.x, a.y)
    b_x, b_y = place(b_x, b_y, a.cos, a.sin, a.x, a.y)
    # float(): Python's own numbers even if the kernel runs as plain Python
    return status, turns, float(distance), float(a_x), float(a_y), float(b_x), float(b_y)


@kernel
def closest_by_projections(
    a: tuple[Any, ...], b: tuple[Any, ...], touch: float, size: float
) -> tuple[int, int, float, float, float, float, float]:  # fmt: skip
    """Return status, iterations, the distance |b - a|, and a and b, world frame, of two `Placed`; convergence is relative to `size`
    (meters).

    SEPARATED: both bounds agree within CLOSEST_CONVERGENCE times the size. OVERLAPPING: a and b are one point within `touch`.
    """
    return project_in_turn(Placed(*a), Placed(*b), touch, size)
