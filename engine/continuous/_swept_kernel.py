"""The first and last times of contact of two translating shapes.

Only the motion of B relative to A matters, w = v_b - v_a: A is at rest and B moves along w.

Polygons: the separating axis test, swept. On an edge normal n of A the separation is linear in time, and so it is on B's, in whose frame A
moves by -w::

    s(t) = s + t n.w         s
                             |\\         closing: the two touch no earlier than t = -s / n.w
                             | \\___ 0   opening: no later than that
                             |  \\ /
                             +---X----- t
                                / \\

They touch if and only if *every* s(t) <= 0 (see `_sat_kernel`), an intersection of half-lines, hence one interval [t_first, t_last];
it is the moving origin's path clipped against the edges of the Minkowski difference. The normal that closes last is the normal of
the first contact.

Rounded shapes: a ray against a rounded polygon. Let P be the Minkowski difference of the cores (all a - b; for two circles a point, for a
circle and a polygon the polygon) and r the sum of the radii. Shapes touch while the point t w is within r of P: see `_ray_rounded_kernel`,
which computes the times, the normal, and the corner of P that is hit, if any.

For two segments without skins P is a parallelogram or, if they are parallel, a segment, whose ends the edges' normals do not bound; so they
too are treated as rounded, with r = 0.

The contact. If a corner of P is hit, the contact is at the two corners of which it is the difference. Otherwise each core has, at t_first,
one or two foremost corners along the normal: the extreme feature of its projection, a corner or an edge. On the tangent these are two
intervals, and the contact is their intersection: a point, or a segment between two points (D. Eberly, "Intersection of Convex Objects: The
Method of Separating Axes", geometrictools.com, "contact set").

Without radii the two intervals can be disjoint. Let an edge of A and one of B be parallel except for an angle alpha, and c and b the
corners between which P has its corner. As far as u / alpha from there, both edges close at the same time within rounding u, and the
selected normal can be that of B's edge although b is over A's::

             B      b ___________--------         on the normal of B's edge A has c foremost; but they meet at b
          c ______________________________
             A

As a normal it is accurate within rounding, and the contact is at the end of the edge with that normal.

Slivers. In front of a sharp corner of the difference, which is one of A's or of B's, the lines of both its edges are near but the corner is
not (`_ray_kernel`): rounding alone can cause a false hit there. So if a polygon has an angle below `SHARP_ANGLE`, the distance at the
computed time of contact is measured; if they do not touch, the path is intersected with the rounded difference, with r = 0, at an edge
between its ends or at a corner.

Sources: C. Ericson, Real-Time Collision Detection, 2005, 5.5.2 to 5.5.6; D. Eberly, "Method of Separating Axes", geometrictools.com.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray, Point
from engine.common.events import record
from engine.common.jit import borrowing_kernel, inlined_kernel, unlocked_kernel
from engine.continuous._core_kernel import core_axis, nearest_features
from engine.continuous._ray_kernel import GRAZE_ROUNDINGS
from engine.continuous._ray_rounded_kernel import ray_rounded
from engine.contracts.status import HIT, MISS, OVERLAPPING
from engine.narrowphase._sides_kernel import Arrays, Shapes, Side, most_vertices, move_to_frame, rounding_of, side_of
from engine.narrowphase.packing import SHARP_COSINE

__all__ = ["SWEPT_SIZE", "SweptDifference", "SweptEdge", "SweptEnd", "SweptMeasured", "SweptStart", "swept_pairs"]


class SweptStart(NamedTuple):
    """The gap of the cores or a bound of it, whether the shapes touch at 0, and the rounding of a gap; A's frame, times in units of the
    velocities, in all these events.
    """

    gap: float
    is_inside: bool
    touch: float


class SweptEdge(NamedTuple):
    """An edge of A (`whose` 0) or B (1), the other's vertex nearest to its line, the separation s, n.w of the other's motion, its time t
    (NaN if n.w is 0), and the times of this shape's edges so far.
    """

    whose: int
    edge: int
    vertex: int
    s: float
    rate: float
    t: float
    first: float
    last: float


class SweptMeasured(NamedTuple):
    """Whether the shapes do not touch at the first time t: the lines of a sharp corner intersected before it."""

    t: float
    is_wrong: bool


class SweptDifference(NamedTuple):
    """The Minkowski difference, followed by the events of `_ray_rounded_kernel`."""

    n_corners: int


class SweptEnd(NamedTuple):
    """The status, the times of the first and the last contact, and the normal, NaN without a hit."""

    status: int
    first: float
    last: float
    n: Point


# t_first, t_last, world normal; the middle of the contact, its two ends, the second zero if they coincide
SWEPT_SIZE = 10


@borrowing_kernel
def swept_edges(
    vertices: FloatArray,
    normals: FloatArray,
    others: FloatArray,
    wx: float,
    wy: float,
    touch: float,
    whose: int,
) -> tuple[float, float, float, float]:
    """Return first and last time, and the normal that closes last, by one polygon's edges; first > last is a miss.

    `whose` is the edges' polygon for the events: 0 A, 1 B.
    """
    t_first, t_last = -np.inf, np.inf
    nx, ny = 0.0, 0.0
    for edge in range(vertices.shape[0]):
        edge_x, edge_y = normals[edge, 0], normals[edge, 1]
        nearest, vertex = np.inf, 0
        for j in range(others.shape[0]):
            along = edge_x * others[j, 0] + edge_y * others[j, 1]
            if along < nearest:
                nearest, vertex = along, j
        separation = nearest - (edge_x * vertices[edge, 0] + edge_y * vertices[edge, 1])
        rate = edge_x * wx + edge_y * wy
        if rate == 0.0:
            record(SweptEdge(whose, edge, vertex, separation, rate, np.nan, t_first, t_last))
            if separation > touch:
                return np.inf, -np.inf, nx, ny
            continue
        crossing = -separation / rate
        if rate > 0.0:
            t_last = min(t_last, crossing)
        elif crossing > t_first:
            t_first = crossing
            nx, ny = edge_x, edge_y
        record(SweptEdge(whose, edge, vertex, separation, rate, crossing, t_first, t_last))
    return t_first, t_last, nx, ny


@borrowing_kernel
def has_sharp_corner(normals: FloatArray) -> bool:
    """Return whether two successive edges of a polygon make a sharp corner, as `packing` does."""
    n = normals.shape[0]
    for edge in range(n):
        after = edge + 1 if edge + 1 < n else 0
        if normals[edge, 0] * normals[after, 0] + normals[edge, 1] * normals[after, 1] < SHARP_COSINE:
            return True
    return False


@borrowing_kernel
def are_apart(vertices_a: FloatArray, vertices_b: FloatArray, shift_x: float, shift_y: float, near: float, shifted: FloatArray) -> bool:
    """Return whether the distance of A and the translated B exceeds `near`; `shifted` (m, 2) is scratch for B."""
    for j in range(vertices_b.shape[0]):
        shifted[j, 0], shifted[j, 1] = vertices_b[j, 0] + shift_x, vertices_b[j, 1] + shift_y
    return bool(nearest_features(vertices_a, shifted[: vertices_b.shape[0]])[0] > near)


@borrowing_kernel
def minkowski_difference(
    vertices_a: FloatArray,
    normals_a: FloatArray,
    vertices_b: FloatArray,
    normals_b: FloatArray,
    difference: FloatArray,
    edge_normals: FloatArray,
    corners_a: FloatArray,
) -> int:
    """Write the corners of all a - b, counter-clockwise, and return their number; collinear ones are kept.

    With each are stored the outward normal of the edge to the next, and its corner of A. Around the boundary the edges of A and of -B are
    in the order of their directions, so the two sorted lists are merged.
    """
    n_a, n_b = vertices_a.shape[0], vertices_b.shape[0]
    if n_a == 1 or n_b == 1:
        n = 0
        for i in range(n_a):
            for j in range(n_b):
                difference[n, 0], difference[n, 1] = vertices_a[i, 0] - vertices_b[j, 0], vertices_a[i, 1] - vertices_b[j, 1]
                edge_normals[n, 0], edge_normals[n, 1] = normals_a[i, 0] - normals_b[j, 0], normals_a[i, 1] - normals_b[j, 1]
                corners_a[n, 0], corners_a[n, 1] = vertices_a[i, 0], vertices_a[i, 1]
                n += 1
        return n
    start_a, start_b = 0, 0
    for i in range(1, n_a):  # lowest, then leftmost
        y, lowest = vertices_a[i, 1], vertices_a[start_a, 1]
        if y < lowest or (y == lowest and vertices_a[i, 0] < vertices_a[start_a, 0]):
            start_a = i
    for j in range(1, n_b):  # of -B: highest, then rightmost of B
        y, highest = vertices_b[j, 1], vertices_b[start_b, 1]
        if y > highest or (y == highest and vertices_b[j, 0] > vertices_b[start_b, 0]):
            start_b = j
    used_a, used_b = 0, 0
    for n in range(n_a + n_b):
        i, j = (start_a + used_a) % n_a, (start_b + used_b) % n_b
        difference[n, 0], difference[n, 1] = vertices_a[i, 0] - vertices_b[j, 0], vertices_a[i, 1] - vertices_b[j, 1]
        corners_a[n, 0], corners_a[n, 1] = vertices_a[i, 0], vertices_a[i, 1]
        next_i, next_j = (i + 1) % n_a, (j + 1) % n_b
        edge_ax, edge_ay = vertices_a[next_i, 0] - vertices_a[i, 0], vertices_a[next_i, 1] - vertices_a[i, 1]
        edge_bx, edge_by = vertices_b[j, 0] - vertices_b[next_j, 0], vertices_b[j, 1] - vertices_b[next_j, 1]
        turn = edge_ax * edge_by - edge_ay * edge_bx
        if turn == 0.0 and edge_ax * edge_bx + edge_ay * edge_by < 0.0:  # two segments: the edge that goes up comes first
            turn = 1.0 if edge_ay > 0.0 or (edge_ay == 0.0 and edge_ax > 0.0) else -1.0
        if used_b == n_b or (used_a < n_a and turn >= 0.0):
            edge_normals[n, 0], edge_normals[n, 1] = normals_a[i, 0], normals_a[i, 1]
            used_a += 1
        else:
            edge_normals[n, 0], edge_normals[n, 1] = -normals_b[j, 0], -normals_b[j, 1]
            used_b += 1
    return int(n_a + n_b)


@borrowing_kernel
def touching_interval(
    vertices_a: FloatArray, vertices_b: FloatArray, nx: float, ny: float, shift_x: float, shift_y: float, rounding: float
) -> tuple[float, float, float]:
    """Return the contact of A and the translated B that touch along the unit normal (nx, ny): the extent of A's core along it, and the
    interval on the tangent (-ny, nx).
    """
    foremost_a, foremost_b = -np.inf, -np.inf
    for i in range(vertices_a.shape[0]):
        foremost_a = max(foremost_a, nx * vertices_a[i, 0] + ny * vertices_a[i, 1])
    for j in range(vertices_b.shape[0]):
        foremost_b = max(foremost_b, -nx * vertices_b[j, 0] - ny * vertices_b[j, 1])
    low_a, high_a, low_b, high_b = np.inf, -np.inf, np.inf, -np.inf
    for i in range(vertices_a.shape[0]):
        x, y = vertices_a[i, 0], vertices_a[i, 1]
        if nx * x + ny * y >= foremost_a - rounding:
            low_a, high_a = min(low_a, nx * y - ny * x), max(high_a, nx * y - ny * x)
    for j in range(vertices_b.shape[0]):
        x, y = vertices_b[j, 0], vertices_b[j, 1]
        if -nx * x - ny * y >= foremost_b - rounding:
            x, y = x + shift_x, y + shift_y
            low_b, high_b = min(low_b, nx * y - ny * x), max(high_b, nx * y - ny * x)
    low, high = max(low_a, low_b), min(high_a, high_b)
    if low - high > rounding:  # past each other's ends: if one is an edge and the other a corner, at the end of the edge
        is_edge_a, is_edge_b = high_a - low_a > rounding, high_b - low_b > rounding
        if is_edge_a != is_edge_b:
            low = high = high if (low_b > high_a) == is_edge_a else low
    return foremost_a, low, high


@inlined_kernel
def swept_pair(
    a: Side, velocity_a: FloatArray, b: Side, velocity_b: FloatArray, t_max: float, scratch: FloatArray, result: FloatArray,
) -> tuple[int, int]:  # fmt: skip
    """Fill `result` (`SWEPT_SIZE`,) and return the status and the number of the contact's ends, 0 without one.

    `scratch` (5, m, 2) has space for twice as many points as the larger core has.
    """
    vertices_a, normals_a, pose_a, n_a, n_b = a.vertices, a.normals, a.pose, a.vertices.shape[0], b.vertices.shape[0]
    touch = rounding_of(pose_a, a.extent, b.pose, b.extent)
    radius = a.radius + b.radius
    cos, sin = pose_a[2], pose_a[3]
    dx, dy = velocity_b[0] - velocity_a[0], velocity_b[1] - velocity_a[1]
    wx, wy = cos * dx + sin * dy, cos * dy - sin * dx
    moved, moved_normals = scratch[0, :n_b], scratch[1, :n_b]
    difference, edge_normals, corners_a = scratch[2], scratch[3], scratch[4]
    corner = -1
    move_to_frame(pose_a, b.pose, b.vertices, moved, False)
    move_to_frame(pose_a, b.pose, b.normals, moved_normals, True)
    result[:] = 0.0
    result[0] = result[1] = np.inf

    gap = core_axis(vertices_a, normals_a, moved, moved_normals, radius + touch, touch)[0]
    is_inside = gap <= radius + touch
    is_sharp = has_sharp_corner(normals_a) or has_sharp_corner(moved_normals)
    if is_sharp and -touch <= gap <= 0.0:
        is_inside = not are_apart(vertices_a, moved, 0.0, 0.0, radius + touch - gap, difference)
    record(SweptStart(gap, is_inside, touch))
    if wx == 0.0 and wy == 0.0:
        if is_inside:
            result[0] = 0.0
        record(SweptEnd(OVERLAPPING if is_inside else MISS, result[0], result[1], (np.nan, np.nan)))
        return OVERLAPPING if is_inside else MISS, 0

    is_bare, is_wrong = radius == 0.0 and (n_a > 2 or n_b > 2), False
    if is_bare:
        t_first, t_last, nx, ny = swept_edges(vertices_a, normals_a, moved, wx, wy, touch, 0)
        first_b, last_b, nx_b, ny_b = swept_edges(moved, moved_normals, vertices_a, -wx, -wy, touch, 1)
        if first_b > t_first:
            t_first, nx, ny = first_b, -nx_b, -ny_b  # the normal's sign, here: against B's edge, as out of A's: it points from A to B
        t_last = min(t_last, last_b)
        is_hit = is_sharp and not is_inside and 0.0 <= t_first <= t_last
        is_wrong = is_hit and are_apart(vertices_a, moved, t_first * wx, t_first * wy, GRAZE_ROUNDINGS * touch, difference)
        if is_hit:
            record(SweptMeasured(t_first, is_wrong))
    if is_wrong or not is_bare:
        n = minkowski_difference(vertices_a, normals_a, moved, moved_normals, difference, edge_normals, corners_a)
        record(SweptDifference(n))
        t_first, t_last, nx, ny, corner = ray_rounded(difference[:n], edge_normals[:n], radius, wx, wy, touch)

    if is_inside:
        result[0], result[1] = 0.0, max(0.0, t_last)
        record(SweptEnd(OVERLAPPING, t_first, t_last, (np.nan, np.nan)))
        return OVERLAPPING, 0
    if t_first > t_last or t_first < 0.0 or t_first > t_max:
        record(SweptEnd(MISS, t_first, t_last, (np.nan, np.nan)))
        return MISS, 0
    if corner >= 0:
        core_forward = nx * corners_a[corner, 0] + ny * corners_a[corner, 1]
        low = high = nx * corners_a[corner, 1] - ny * corners_a[corner, 0]
    else:
        core_forward, low, high = touching_interval(vertices_a, moved, nx, ny, t_first * wx, t_first * wy, touch)
    result[0], result[1] = t_first, t_last
    result[2], result[3] = cos * nx - sin * ny, sin * nx + cos * ny
    forward = core_forward + a.radius
    is_segment = high - low > touch
    record(SweptEnd(HIT, t_first, t_last, (nx, ny)))
    for k in range(3 if is_segment else 2):
        along = 0.5 * (low + high)
        if is_segment and k > 0:
            along = low if k == 1 else high
        x, y = nx * forward - ny * along, ny * forward + nx * along
        result[4 + 2 * k] = cos * x - sin * y + pose_a[0] + t_first * velocity_a[0]
        result[5 + 2 * k] = sin * x + cos * y + pose_a[1] + t_first * velocity_a[1]
    return HIT, 2 if is_segment else 1


@inlined_kernel
def swept_row(
    shapes: Shapes, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray,
    t_max: float, row: int, scratch: FloatArray, results: FloatArray,
) -> tuple[int, int]:  # fmt: skip
    """Fill a row of `results` and return the pair's status and count."""
    a, b = side_of(shapes, pairs[row, 0], poses_a, row), side_of(shapes, pairs[row, 1], poses_b, row)
    return swept_pair(a, velocities_a[row], b, velocities_b[row], t_max, scratch, results[row])


@unlocked_kernel
def swept_pairs(
    packed: Arrays, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray,
    t_max: float, status: IntArray, counts: IntArray, results: FloatArray,
) -> None:  # fmt: skip
    """Fill a row of `status`, `counts` and `results` for each of the `pairs` of packed shapes."""
    shapes, scratch = Shapes(*packed), np.empty((5, 2 * most_vertices(packed[2]), 2))
    for row in range(pairs.shape[0]):
        status[row], counts[row] = swept_row(
            shapes, pairs, poses_a, velocities_a, poses_b, velocities_b, t_max, row, scratch, results
        )  # fmt: skip
