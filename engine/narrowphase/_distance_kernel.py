"""Distance and penetration of two shapes: of the cores by GJK and EPA, then with the radii.

A shape is its core expanded by its radius, which moves both surfaces toward each other along the normal::

        core of A          a*---r_a--->|      |<---r_b---b*         core of B
                            \\________________________________/
                                        d                            separation = d - r_a - r_b

exactly, if the cores are disjoint (d > 0): the separation can be negative, and its normal is still that of d. If the cores themselves
overlap by D (EPA), the depth is D + r_a + r_b, because the boundary of the expanded difference is that of the difference moved outward,
with the nearest point in the same direction.

Most callers do not need EPA for the distance of overlapping cores: -(r_a + r_b) is returned, an upper bound of the separation. If the
origin is within `touch` of the simplex, the cores may only touch, and EPA decides: it stops as soon as the origin is clearly inside its
polytope, and otherwise returns the direction.

The status compares the separation with `touch`, SAT_ROUNDING times the scale of all its inputs, world positions included, as `overlap`
does. It is DEGENERATE if the products of lengths exceed float64 (shapes beyond 1e154 m or, other than 0, below 1e-147 m).

A row of results is separation (or depth), point on A, point on B, normal: 7 numbers, world frame; NaN if there is none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.events import record
from engine.common.jit import inlined_kernel, kernel, unlocked_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.contracts.status import DEGENERATE, OUT_OF_ITERATIONS, OVERLAPPING, SEPARATED, TOUCHING
from engine.narrowphase._epa_kernel import POLYTOPE_WIDTH, EpaTouching, epa_cores, polytope_rows, touching_points
from engine.narrowphase._gjk_kernel import TRIANGLE_SIZE, Placed, gjk_cores, relative_cores
from engine.narrowphase._sides_kernel import Arrays, Shapes, most_vertices, place

__all__ = ["ROW_WIDTH", "distance_one", "distance_pairs", "roundings"]

ROW_WIDTH = 7


@inlined_kernel
def roundings(
    ax: float, ay: float, extent_a: float, bx: float, by: float, extent_b: float, shift_x: float, shift_y: float
) -> tuple[float, float, bool]:
    """Return the rounding in A's frame, the touch (the rounding in the world), and whether the squares of both fit float64."""
    near = extent_a + extent_b + math.sqrt(shift_x * shift_x + shift_y * shift_y)
    far = extent_a + extent_b + abs(ax) + abs(ay) + abs(bx) + abs(by)
    rounding = SAT_ROUNDING * near
    holds = math.isfinite(far * far) and (rounding * rounding > 0.0 or near == 0.0)
    return rounding, max(rounding, SAT_ROUNDING * far), holds


@inlined_kernel
def fill_row(
    rows: FloatArray, k: int, value: float, a_x: float, a_y: float, b_x: float, b_y: float, nx: float, ny: float, a: Placed, b: Placed
) -> None:
    """Write points on the cores and a normal, A's frame, as points on the surfaces, world frame."""
    a_x, a_y = a_x + a.radius * nx, a_y + a.radius * ny
    b_x, b_y = b_x - b.radius * nx, b_y - b.radius * ny
    rows[k, 0] = value
    rows[k, 1], rows[k, 2] = place(a_x, a_y, a.cos, a.sin, a.x, a.y)
    rows[k, 3], rows[k, 4] = place(b_x, b_y, a.cos, a.sin, a.x, a.y)
    rows[k, 5], rows[k, 6] = a.cos * nx - a.sin * ny, a.sin * nx + a.cos * ny


@inlined_kernel
def query_pair(
    wants_depth: bool, a: Placed, b: Placed, simplex: IntArray, polytope: FloatArray, rows: FloatArray, k: int
) -> tuple[int, int]:
    """Fill row k for two shapes and return status and iterations (of GJK, and of EPA if it ran)."""
    cores = relative_cores(a, b)
    vertices_a, vertices_b, cos, sin, shift_x, shift_y = cores
    rounding, touch, holds = roundings(a.x, a.y, a.extent, b.x, b.y, b.extent, shift_x, shift_y)
    radius = a.radius + b.radius
    for column in range(ROW_WIDTH):
        rows[k, column] = np.nan
    if not holds:
        return DEGENERATE, 0
    is_warm = simplex[0] > 0
    ended, iterations, distance, nx, ny, share = gjk_cores(cores, rounding, touch, simplex)
    separation, is_ended = distance - radius, True
    if ended in (SEPARATED, OUT_OF_ITERATIONS):
        is_ended = ended == SEPARATED
        if wants_depth and separation > touch and is_ended:
            rows[k, 0] = 0.0
            return SEPARATED, iterations
        p_a, p_b, q_a, q_b = simplex[1], simplex[2], simplex[3], simplex[4]
        a_x = vertices_a[p_a, 0] + share * (vertices_a[q_a, 0] - vertices_a[p_a, 0])
        a_y = vertices_a[p_a, 1] + share * (vertices_a[q_a, 1] - vertices_a[p_a, 1])
        px, py = place(vertices_b[p_b, 0], vertices_b[p_b, 1], cos, sin, shift_x, shift_y)
        qx, qy = place(vertices_b[q_b, 0], vertices_b[q_b, 1], cos, sin, shift_x, shift_y)
        b_x, b_y = px + share * (qx - px), py + share * (qy - py)
    else:
        if ended == OVERLAPPING and not wants_depth:
            rows[k, 0] = 0.0 - radius  # not -0.0
            return OVERLAPPING, iterations
        if is_warm:  # EPA needs vertices of the difference's boundary only, which a cold start provides
            simplex[0] = 0
            _, again, _, _, _, _ = gjk_cores(cores, rounding, touch, simplex)
            iterations += again
        enough = np.inf if wants_depth else touch
        ended, expansions, depth, nx, ny = epa_cores(cores, a.cos, a.sin, rounding, enough, simplex, polytope)
        iterations += expansions
        is_ended = ended == OVERLAPPING
        if depth > touch and not wants_depth:
            rows[k, 0] = 0.0 - radius  # not -0.0
            return OVERLAPPING, iterations
        separation = 0.0 - (depth + radius)
        a_x, a_y, b_x, b_y = touching_points(cores, nx, ny, rounding)
        record(EpaTouching((a_x, a_y), (b_x, b_y)))
    value = max(0.0, -separation) if wants_depth else separation
    fill_row(rows, k, value, a_x, a_y, b_x, b_y, nx, ny, a, b)
    if not is_ended:
        return OUT_OF_ITERATIONS, iterations
    if separation > touch:
        return SEPARATED, iterations
    return TOUCHING if separation >= -touch else OVERLAPPING, iterations


@inlined_kernel
def placed_of(shapes: Shapes, shape: int, pose: FloatArray, row: int) -> Placed:
    """Return one of the shapes at row `row` of poses (n, 4) x, y, cos, sin."""
    low, high = shapes.first[shape], shapes.first[shape] + shapes.n_vertices[shape]
    x, y, cos, sin = pose[row, 0], pose[row, 1], pose[row, 2], pose[row, 3]
    return Placed(shapes.vertices[low:high], shapes.radius[shape], shapes.extent[shape], x, y, cos, sin)


@inlined_kernel
def query_row(
    wants_depth: bool, shapes: Shapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, row: int, simplex: IntArray,
    polytope: FloatArray, rows: FloatArray,
) -> tuple[int, int]:  # fmt: skip
    """Fill a row for one of the pairs and return status and iterations."""
    a, b = placed_of(shapes, pairs[row, 0], poses_a, row), placed_of(shapes, pairs[row, 1], poses_b, row)
    simplex[0] = 0
    return query_pair(wants_depth, a, b, simplex, polytope, rows, row)


@kernel
def distance_one(
    wants_depth: bool, a: tuple[Any, ...], b: tuple[Any, ...], simplex: IntArray
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return status, iterations, separation (or depth), points, normal of a pair of `Placed`; the simplex is as in `_gjk_kernel`."""
    placed_a, placed_b = Placed(*a), Placed(*b)
    polytope = np.empty((polytope_rows(placed_a.vertices.shape[0], placed_b.vertices.shape[0]), POLYTOPE_WIDTH))
    rows = np.empty((1, ROW_WIDTH))
    status, iterations = query_pair(wants_depth, placed_a, placed_b, simplex, polytope, rows, 0)
    # float(): Python's own numbers even if the kernels run as plain Python
    return (
        status, iterations, float(rows[0, 0]), float(rows[0, 1]), float(rows[0, 2]),
        float(rows[0, 3]), float(rows[0, 4]), float(rows[0, 5]), float(rows[0, 6])
    )  # fmt: skip


@unlocked_kernel
def distance_pairs(
    wants_depth: bool, packed: Arrays, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, status: IntArray, iterations: IntArray,
    rows: FloatArray,
) -> None:  # fmt: skip
    """Fill status, iterations and the row of separation (or depth), points and normal of each pair, at poses (n, 4) x, y, cos, sin."""
    shapes, most = Shapes(*packed), most_vertices(packed[2])
    polytope, simplex = np.empty((polytope_rows(most, most), POLYTOPE_WIDTH)), np.empty(TRIANGLE_SIZE, dtype=np.int64)
    for row in range(pairs.shape[0]):
        status[row], iterations[row] = query_row(
            wants_depth, shapes, pairs, poses_a, poses_b, row, simplex, polytope, rows
        )  # fmt: skip
