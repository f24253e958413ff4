"""Distance and penetration of two shapes: cores by GJK and EPA, then the radii.

A shape is its core grown by its radius, so growing moves both surfaces toward each other along the normal::

        core of A          a*---r_a--->|      |<---r_b---b*         core of B
                            \\________________________________/
                                        d                            separation = d - r_a - r_b

exactly, where the cores are apart (d > 0): the separation may well be negative, and its normal is still that of d. Where the
cores themselves overlap by D (EPA) the depth is D + r_a + r_b, because the boundary of the grown difference is that of the
difference moved outward, and it is nearest where that was.

The distance of cores that overlap is not worth an EPA to most callers: -(r_a + r_b) is returned, which the separation cannot exceed.
Where the origin is within `touch` of the simplex, which may mean no more than a touch, EPA tells: it ends as soon as its polytope has room
around the origin, and else gives the direction.

Status compares the separation with `touch`, SAT_ROUNDING times everything that entered it, world positions included: what `overlap`
uses. Where the products of lengths leave float64 (shapes beyond 1e154 m or, other than 0, below 1e-147 m), DEGENERATE.

A row of results is separation (or depth), point on A, point on B, normal: 7 numbers, world frame; NaN where there is none.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import allocating_kernel, inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.contracts.status import Status
from engine.geometry._rotation_kernel import cosine_and_sine
from engine.narrowphase._epa_kernel import POLYTOPE_WIDTH, epa_cores, polytope_rows, touching_points
from engine.narrowphase._gjk_kernel import GJK_TRACE_WIDTH, TRIANGLE_SIZE, gjk_cores, place, relative_pose

__all__ = ["ROW_WIDTH", "distance_listed", "distance_one", "distance_pairs", "penetration_one", "penetration_pairs"]

ROW_WIDTH = 7

_SEPARATED = int(Status.SEPARATED)
_TOUCHING = int(Status.TOUCHING)
_OVERLAPPING = int(Status.OVERLAPPING)
_DEGENERATE = int(Status.DEGENERATE)
_OUT_OF_ITERATIONS = int(Status.OUT_OF_ITERATIONS)


@inlined_kernel
def roundings(
    ax: float, ay: float, extent_a: float, bx: float, by: float, extent_b: float, shift_x: float, shift_y: float
) -> tuple[float, float, bool]:
    """Return the rounding within A's frame, the touch (that of the world), and whether float64 holds the squares of both."""
    near = extent_a + extent_b + math.sqrt(shift_x * shift_x + shift_y * shift_y)
    far = extent_a + extent_b + abs(ax) + abs(ay) + abs(bx) + abs(by)
    rounding = SAT_ROUNDING * near
    holds = math.isfinite(far * far) and (rounding * rounding > 0.0 or near == 0.0)
    return rounding, max(rounding, SAT_ROUNDING * far), holds


@inlined_kernel
def fill_row(
    rows: FloatArray,
    k: int,
    value: float,
    a_x: float,
    a_y: float,
    radius_a: float,
    b_x: float,
    b_y: float,
    radius_b: float,
    nx: float,
    ny: float,
    ax: float,
    ay: float,
    cos_a: float,
    sin_a: float,
) -> None:
    """Write points on the cores and a normal, A's frame, as points on the surfaces, world frame."""
    a_x, a_y = a_x + radius_a * nx, a_y + radius_a * ny
    b_x, b_y = b_x - radius_b * nx, b_y - radius_b * ny
    rows[k, 0] = value
    rows[k, 1], rows[k, 2] = place(a_x, a_y, cos_a, sin_a, ax, ay)
    rows[k, 3], rows[k, 4] = place(b_x, b_y, cos_a, sin_a, ax, ay)
    rows[k, 5], rows[k, 6] = cos_a * nx - sin_a * ny, sin_a * nx + cos_a * ny


@inlined_kernel
def query_pair(
    wants_depth: bool,
    vertices_a: FloatArray,
    radius_a: float,
    extent_a: float,
    ax: float,
    ay: float,
    cos_a: float,
    sin_a: float,
    vertices_b: FloatArray,
    radius_b: float,
    extent_b: float,
    bx: float,
    by: float,
    cos_b: float,
    sin_b: float,
    simplex: IntArray,
    polytope: FloatArray,
    gjk_trace: FloatArray,
    epa_trace: FloatArray,
    rows: FloatArray,
    k: int,
) -> tuple[int, int]:
    """Fill row k for two shapes and return status and iterations (of GJK, and of EPA where that was asked)."""
    cos, sin, shift_x, shift_y = relative_pose(ax, ay, cos_a, sin_a, bx, by, cos_b, sin_b)
    rounding, touch, holds = roundings(ax, ay, extent_a, bx, by, extent_b, shift_x, shift_y)
    radius = radius_a + radius_b
    for column in range(ROW_WIDTH):
        rows[k, column] = np.nan
    if not holds:
        return _DEGENERATE, 0
    is_warm = simplex[0] > 0
    cores, iterations, distance, nx, ny, share = gjk_cores(
        vertices_a, vertices_b, cos, sin, shift_x, shift_y, rounding, touch, simplex, gjk_trace
    )
    separation, is_ended = distance - radius, True
    if cores in (_SEPARATED, _OUT_OF_ITERATIONS):
        is_ended = cores == _SEPARATED
        if wants_depth and separation > touch and is_ended:
            rows[k, 0] = 0.0
            return _SEPARATED, iterations
        p_a, p_b, q_a, q_b = simplex[1], simplex[2], simplex[3], simplex[4]
        a_x = vertices_a[p_a, 0] + share * (vertices_a[q_a, 0] - vertices_a[p_a, 0])
        a_y = vertices_a[p_a, 1] + share * (vertices_a[q_a, 1] - vertices_a[p_a, 1])
        px, py = place(vertices_b[p_b, 0], vertices_b[p_b, 1], cos, sin, shift_x, shift_y)
        qx, qy = place(vertices_b[q_b, 0], vertices_b[q_b, 1], cos, sin, shift_x, shift_y)
        b_x, b_y = px + share * (qx - px), py + share * (qy - py)
    else:
        if cores == _OVERLAPPING and not wants_depth:
            rows[k, 0] = 0.0 - radius  # not -0.0
            return _OVERLAPPING, iterations
        if is_warm:  # EPA wants vertices of the difference's boundary only, which a cold start gives
            simplex[0] = 0
            cores, again, distance, nx, ny, share = gjk_cores(
                vertices_a, vertices_b, cos, sin, shift_x, shift_y, rounding, touch, simplex, gjk_trace
            )
            iterations += again
        enough = np.inf if wants_depth else touch
        ended, expansions, depth, nx, ny = epa_cores(
            vertices_a, vertices_b, cos, sin, shift_x, shift_y, cos_a, sin_a, rounding, enough, simplex, polytope, epa_trace
        )
        iterations += expansions
        is_ended = ended == _OVERLAPPING
        if depth > touch and not wants_depth:
            rows[k, 0] = 0.0 - radius  # not -0.0
            return _OVERLAPPING, iterations
        separation = 0.0 - (depth + radius)
        a_x, a_y, b_x, b_y = touching_points(vertices_a, vertices_b, cos, sin, shift_x, shift_y, nx, ny, rounding)
    value = max(0.0, -separation) if wants_depth else separation
    fill_row(rows, k, value, a_x, a_y, radius_a, b_x, b_y, radius_b, nx, ny, ax, ay, cos_a, sin_a)
    if not is_ended:
        return _OUT_OF_ITERATIONS, iterations
    if separation > touch:
        return _SEPARATED, iterations
    return _TOUCHING if separation >= -touch else _OVERLAPPING, iterations


@allocating_kernel
def query_one(
    wants_depth: bool,
    vertices_a: FloatArray,
    radius_a: float,
    extent_a: float,
    ax: float,
    ay: float,
    cos_a: float,
    sin_a: float,
    vertices_b: FloatArray,
    radius_b: float,
    extent_b: float,
    bx: float,
    by: float,
    cos_b: float,
    sin_b: float,
    simplex: IntArray,
    gjk_trace: FloatArray,
    epa_trace: FloatArray,
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return status, iterations and the row of one pair, as numbers."""
    polytope = np.empty((polytope_rows(vertices_a.shape[0], vertices_b.shape[0]), POLYTOPE_WIDTH))
    rows = np.empty((1, ROW_WIDTH))
    status, iterations = query_pair(
        wants_depth, vertices_a, radius_a, extent_a, ax, ay, cos_a, sin_a, vertices_b, radius_b, extent_b, bx, by, cos_b, sin_b,
        simplex, polytope, gjk_trace, epa_trace, rows, 0,
    )  # fmt: skip
    # float(): numbers of Python's own also where the kernels run as plain Python
    return (
        status, iterations, float(rows[0, 0]), float(rows[0, 1]), float(rows[0, 2]),
        float(rows[0, 3]), float(rows[0, 4]), float(rows[0, 5]), float(rows[0, 6])
    )  # fmt: skip


@kernel
def distance_one(
    vertices_a: FloatArray,
    radius_a: float,
    extent_a: float,
    ax: float,
    ay: float,
    cos_a: float,
    sin_a: float,
    vertices_b: FloatArray,
    radius_b: float,
    extent_b: float,
    bx: float,
    by: float,
    cos_b: float,
    sin_b: float,
    simplex: IntArray,
    gjk_trace: FloatArray,
    epa_trace: FloatArray,
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return status, iterations, separation, points and normal of one pair; traces and simplex as in the two chapters."""
    return query_one(
        False, vertices_a, radius_a, extent_a, ax, ay, cos_a, sin_a, vertices_b, radius_b, extent_b, bx, by, cos_b, sin_b,
        simplex, gjk_trace, epa_trace,
    )  # fmt: skip


@kernel
def penetration_one(
    vertices_a: FloatArray,
    radius_a: float,
    extent_a: float,
    ax: float,
    ay: float,
    cos_a: float,
    sin_a: float,
    vertices_b: FloatArray,
    radius_b: float,
    extent_b: float,
    bx: float,
    by: float,
    cos_b: float,
    sin_b: float,
    simplex: IntArray,
    gjk_trace: FloatArray,
    epa_trace: FloatArray,
) -> tuple[int, int, float, float, float, float, float, float, float]:
    """Return status, iterations, depth, points and normal of one pair."""
    return query_one(
        True, vertices_a, radius_a, extent_a, ax, ay, cos_a, sin_a, vertices_b, radius_b, extent_b, bx, by, cos_b, sin_b,
        simplex, gjk_trace, epa_trace,
    )  # fmt: skip


@allocating_kernel
def query_pairs(
    wants_depth: bool,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
) -> None:
    """Fill a row for each of the `pairs` of packed shapes at poses (n, 4) x, y, cos, sin."""
    most = 0
    for shape in range(n_vertices.shape[0]):
        most = max(most, n_vertices[shape])
    polytope = np.empty((polytope_rows(most, most), POLYTOPE_WIDTH))
    simplex = np.empty(TRIANGLE_SIZE, dtype=np.int64)
    no_trace = np.empty((0, GJK_TRACE_WIDTH))
    for k in range(pairs.shape[0]):
        a, b = pairs[k, 0], pairs[k, 1]
        simplex[0] = 0
        status[k], iterations[k] = query_pair(
            wants_depth,
            vertices[first[a] : first[a] + n_vertices[a]], radius[a], extent[a],
            poses_a[k, 0], poses_a[k, 1], poses_a[k, 2], poses_a[k, 3],
            vertices[first[b] : first[b] + n_vertices[b]], radius[b], extent[b],
            poses_b[k, 0], poses_b[k, 1], poses_b[k, 2], poses_b[k, 3],
            simplex, polytope, no_trace, no_trace, rows, k,
        )  # fmt: skip


@kernel
def distance_pairs(
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
) -> None:
    """Fill status, iterations and the row of separation, points and normal of each pair."""
    query_pairs(False, first, n_vertices, vertices, radius, extent, pairs, poses_a, poses_b, status, iterations, rows)


@kernel
def distance_listed(
    listed: IntArray,
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
) -> bool:
    """Do the same for the `listed` rows, from poses (n, 3) x, y, angle; return False at the first that is not finite."""
    most = 0
    for row in listed:
        most = max(most, n_vertices[pairs[row, 0]], n_vertices[pairs[row, 1]])
    polytope = np.empty((polytope_rows(most, most), POLYTOPE_WIDTH))
    simplex = np.empty(TRIANGLE_SIZE, dtype=np.int64)
    no_trace = np.empty((0, GJK_TRACE_WIDTH))
    for row in listed:
        a, b = pairs[row, 0], pairs[row, 1]
        for field in range(3):
            if not (math.isfinite(poses_a[row, field]) and math.isfinite(poses_b[row, field])):
                return False
        cos_a, sin_a = cosine_and_sine(poses_a[row, 2])
        cos_b, sin_b = cosine_and_sine(poses_b[row, 2])
        simplex[0] = 0
        status[row], iterations[row] = query_pair(
            False,
            vertices[first[a] : first[a] + n_vertices[a]], radius[a], extent[a], poses_a[row, 0], poses_a[row, 1], cos_a, sin_a,
            vertices[first[b] : first[b] + n_vertices[b]], radius[b], extent[b], poses_b[row, 0], poses_b[row, 1], cos_b, sin_b,
            simplex, polytope, no_trace, no_trace, rows, row,
        )  # fmt: skip
    return True


@kernel
def penetration_pairs(
    first: IntArray,
    n_vertices: IntArray,
    vertices: FloatArray,
    radius: FloatArray,
    extent: FloatArray,
    pairs: IntArray,
    poses_a: FloatArray,
    poses_b: FloatArray,
    status: IntArray,
    iterations: IntArray,
    rows: FloatArray,
) -> None:
    """Fill status, iterations and the row of depth, points and normal of each pair."""
    query_pairs(True, first, n_vertices, vertices, radius, extent, pairs, poses_a, poses_b, status, iterations, rows)
