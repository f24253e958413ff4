"""Two convex polygons bounce in a square box; in each step, one of several tests decides whether they overlap.

A step moves both polygons, places their corners in the world, compares each corner with each of the four walls, and runs the test. If
the polygons overlap, they collide: an impulse along the axis of least depth, at the deepest corner, reverses the approach there,
elastically and without friction. All tests give the same results and thus the same motion; only their costs differ.

A *look* compares one corner with one line or along one direction. The four walls need 4 (n + m) looks.

**All pairs of edges.** Two edges cross if each has its ends on different sides of the other's line. If no two edges cross, the polygons are
apart or one contains the other, so one corner of each is tested against the other polygon. For polygons apart, this needs n m looks and
those of the two corners.

**Circle first.** If circles around all corners are apart, the polygons are. Otherwise another test follows. A *false hit*
is a step in which the circles overlap and the polygons do not.

**GJK, yes or no.** Let C be the Minkowski difference of all b - a, which contains the origin O if the polygons overlap. The support w is
the point of C farthest along s. If w.s < 0, the line through O across s separates C from O, and the polygons are apart: this is the early
exit. Otherwise w joins the simplex p, q, and the next s is the normal of one of its edges that has O in front::

        p-----------------q          O is between the line p q and the line through w across s. If it is behind w p and w q, the
          \\      O       /    | s     triangle contains it: the polygons overlap. Otherwise one of the two, with O in front, is the
            \\         /      v      next p q.
               ` w '

With a kept support, the two corners of the last w, the next step's search starts there. Each support needs n + m looks.

Source: T. Ostroški, *Detekcija sudara čvrstih tijela*, 2010, p. 48-49 and algorithms 6.2 to 6.4: the three tests and the scene, in three
dimensions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel
from engine.experiments.studies._extremes_kernel import scan

__all__ = ["CIRCLE_HITS", "CIRCLE_THEN_EDGES", "EDGES", "GJK", "HITS", "LOOKS", "NOTHING", "N_COUNTS", "Pair", "bounce"]

NOTHING, EDGES, CIRCLE_THEN_EDGES, GJK = range(4)
"""Tests; NOTHING never reports an overlap."""

LOOKS, HITS, CIRCLE_HITS = range(3)
N_COUNTS = 3
"""Columns of the counts: looks, steps with overlap, steps with overlapping circles."""


class Pair(NamedTuple):
    """Two convex polygons, their frames' origins at the centers of mass.

    Attributes
    ----------
    a, b : float64 (n, 2), (m, 2)
        Corners, counterclockwise, m.
    circles : float64 (2, 3)
        Centers (x, y) in the polygons' frames, and radii, m.
    inverse : float64 (2, 2)
        1/mass, 1/kg, and 1/inertia, 1/(kg m^2).
    """

    a: FloatArray
    b: FloatArray
    circles: FloatArray
    inverse: FloatArray


@kernel
def bounce(
    test: int, n_steps: int, h: float, half: float, pair: Pair, pose: FloatArray, velocity: FloatArray, counts: IntArray
) -> None:  # fmt: skip
    """Advance each of k boxes by `n_steps` of `h` seconds.

    Parameters
    ----------
    test : int
        One of the tests above.
    half : float
        Half the side of the box, m.
    pose, velocity : float64 (k, 2, 3)
        x, y, angle (m, rad) of both polygons in each box, and their rates; updated.
    counts : int64 (k, N_COUNTS)
        Increased.
    """
    a, b = np.empty_like(pair.a), np.empty_like(pair.b)
    kept = np.zeros(2, dtype=np.int64)
    for box in range(pose.shape[0]):
        kept[:] = 0
        poses, velocities = pose[box], velocity[box]
        for _ in range(n_steps):
            for body in range(2):
                for axis in range(3):
                    poses[body, axis] += h * velocities[body, axis]
            _place(pair.a, poses[0], a)
            _place(pair.b, poses[1], b)
            _bounce_off_walls(a, poses[0], velocities[0], pair.inverse[0], half, counts[box])
            _bounce_off_walls(b, poses[1], velocities[1], pair.inverse[1], half, counts[box])
            if _overlap(test, pair, a, b, poses, kept, counts[box]):
                counts[box, HITS] += 1
                _collide(a, b, poses, velocities, pair.inverse)


@inlined_kernel
def _place(corners: FloatArray, pose: FloatArray, placed: FloatArray) -> None:
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    for i in range(corners.shape[0]):
        placed[i, 0] = pose[0] + cos * corners[i, 0] - sin * corners[i, 1]
        placed[i, 1] = pose[1] + sin * corners[i, 0] + cos * corners[i, 1]


@inlined_kernel
def _bounce_off_walls(
    corners: FloatArray, pose: FloatArray, velocity: FloatArray, inverse: FloatArray, half: float, counts: IntArray
) -> None:
    for wall in range(4):
        axis, side = wall // 2, 1.0 - 2.0 * (wall % 2)
        deepest, reach = 0, -math.inf
        for i in range(corners.shape[0]):
            if side * corners[i, axis] > reach:
                deepest, reach = i, side * corners[i, axis]
        if reach > half:
            nx, ny = (side, 0.0) if axis == 0 else (0.0, side)
            x, y = corners[deepest, 0] - pose[0], corners[deepest, 1] - pose[1]
            speed = nx * (velocity[0] - velocity[2] * y) + ny * (velocity[1] + velocity[2] * x)
            if speed > 0.0:
                turn = x * ny - y * nx
                impulse = 2.0 * speed / (inverse[0] + inverse[1] * turn * turn)
                velocity[0] -= inverse[0] * impulse * nx
                velocity[1] -= inverse[0] * impulse * ny
                velocity[2] -= inverse[1] * impulse * turn
    counts[LOOKS] += 4 * corners.shape[0]


@inlined_kernel
def _overlap(test: int, pair: Pair, a: FloatArray, b: FloatArray, poses: FloatArray, kept: IntArray, counts: IntArray) -> bool:
    if test == CIRCLE_THEN_EDGES:
        if not _circles_overlap(pair.circles, poses, counts):
            return False
        counts[CIRCLE_HITS] += 1
    if test in (EDGES, CIRCLE_THEN_EDGES):
        return _outlines_overlap(a, b, counts)
    return test == GJK and _gjk_says_yes(a, b, kept, counts)


@inlined_kernel
def _circles_overlap(circles: FloatArray, poses: FloatArray, counts: IntArray) -> bool:
    counts[LOOKS] += 1
    x, y = 0.0, 0.0
    for body in range(2):
        sign, cos, sin = 2.0 * body - 1.0, math.cos(poses[body, 2]), math.sin(poses[body, 2])
        x += sign * (poses[body, 0] + cos * circles[body, 0] - sin * circles[body, 1])
        y += sign * (poses[body, 1] + sin * circles[body, 0] + cos * circles[body, 1])
    reach: float = circles[0, 2] + circles[1, 2]
    return x * x + y * y <= reach * reach


@inlined_kernel
def _outlines_overlap(a: FloatArray, b: FloatArray, counts: IntArray) -> bool:
    """Return True if two edges cross or one polygon contains the other."""
    n, m = a.shape[0], b.shape[0]
    for i in range(n):
        after = i + 1 if i + 1 < n else 0
        px, py = a[i, 0], a[i, 1]
        ex, ey = a[after, 0] - px, a[after, 1] - py
        before = ex * (b[0, 1] - py) - ey * (b[0, 0] - px)
        counts[LOOKS] += m
        for j in range(m):
            following = j + 1 if j + 1 < m else 0
            side = ex * (b[following, 1] - py) - ey * (b[following, 0] - px)
            if before * side <= 0.0:
                rx, ry = b[j, 0], b[j, 1]
                fx, fy = b[following, 0] - rx, b[following, 1] - ry
                of_p = fx * (py - ry) - fy * (px - rx)
                of_q = fx * (a[after, 1] - ry) - fy * (a[after, 0] - rx)
                counts[LOOKS] += 2
                if of_p * of_q <= 0.0:
                    return True
            before = side
    return _contains(a, b, counts) or _contains(b, a, counts)


@inlined_kernel
def _contains(a: FloatArray, b: FloatArray, counts: IntArray) -> bool:
    """Return True if the first corner of B is behind all edges of A."""
    n = a.shape[0]
    for i in range(n):
        after = i + 1 if i + 1 < n else 0
        counts[LOOKS] += 1
        if (a[after, 0] - a[i, 0]) * (b[0, 1] - a[i, 1]) - (a[after, 1] - a[i, 1]) * (b[0, 0] - a[i, 0]) < 0.0:
            return False
    return True


@inlined_kernel
def _has_parting_edge(a: FloatArray, b: FloatArray, counts: IntArray) -> bool:
    """Return True if an edge of A has all corners of B in front of it."""
    for i in range(a.shape[0]):
        if _is_parting(a, i, b, counts):
            return True
    return False


@inlined_kernel
def _is_parting(a: FloatArray, i: int, b: FloatArray, counts: IntArray) -> bool:
    after = i + 1 if i + 1 < a.shape[0] else 0
    ex, ey = a[after, 0] - a[i, 0], a[after, 1] - a[i, 1]
    for j in range(b.shape[0]):
        counts[LOOKS] += 1
        if ex * (b[j, 1] - a[i, 1]) - ey * (b[j, 0] - a[i, 0]) >= 0.0:
            return False
    return True


@inlined_kernel
def _gjk_says_yes(a: FloatArray, b: FloatArray, kept: IntArray, counts: IntArray) -> bool:
    n_corners = a.shape[0] + b.shape[0]
    px, py = b[kept[1], 0] - a[kept[0], 0], b[kept[1], 1] - a[kept[0], 1]
    qx, qy, is_point = px, py, True
    sx, sy = -px, -py
    for _ in range(2 * n_corners):
        kept[0], kept[1] = scan(a, -sx, -sy), scan(b, sx, sy)
        counts[LOOKS] += n_corners
        wx, wy = b[kept[1], 0] - a[kept[0], 0], b[kept[1], 1] - a[kept[0], 1]
        if wx * sx + wy * sy < 0.0:
            return False
        if is_point:
            is_point = False
        else:
            winding = 1.0 if (px - wx) * (qy - wy) - (py - wy) * (qx - wx) > 0.0 else -1.0
            if winding * (px * wy - py * wx) > 0.0:  # O in front of w p
                qx, qy = px, py
            elif winding * (wx * qy - wy * qx) <= 0.0:  # nor in front of w q
                return True
        px, py = wx, wy
        ex, ey = qx - px, qy - py
        side = ex * py - ey * px  # side of p q on which O is, 0 on the segment
        if side == 0.0:
            return True
        sx, sy = (-ey, ex) if side < 0.0 else (ey, -ex)
    return not _has_parting_edge(a, b, counts) and not _has_parting_edge(b, a, counts)  # rounding: O is on the outline of C


@inlined_kernel
def _collide(a: FloatArray, b: FloatArray, poses: FloatArray, velocities: FloatArray, inverse: FloatArray) -> None:
    """Reverse the approach of the deepest corner along the axis of least depth."""
    best_a, edge_a, corner_b = _greatest_separation(a, b)
    best_b, edge_b, corner_a = _greatest_separation(b, a)
    if best_a >= best_b:
        nx, ny = _normal(a, edge_a)
        x, y = b[corner_b, 0], b[corner_b, 1]
    else:
        nx, ny = _normal(b, edge_b)
        nx, ny, x, y = -nx, -ny, a[corner_a, 0], a[corner_a, 1]
    speed, inverse_mass = 0.0, 0.0
    for body in range(2):
        sign, (ax, ay) = 2.0 * body - 1.0, (x - poses[body, 0], y - poses[body, 1])
        v, turn = velocities[body], ax * ny - ay * nx
        speed += sign * (nx * v[0] + ny * v[1] + turn * v[2])
        inverse_mass += inverse[body, 0] + inverse[body, 1] * turn * turn
    if speed < 0.0:
        impulse = -2.0 * speed / inverse_mass
        for body in range(2):
            sign, (ax, ay) = 2.0 * body - 1.0, (x - poses[body, 0], y - poses[body, 1])
            v = velocities[body]
            v[0] += sign * inverse[body, 0] * impulse * nx
            v[1] += sign * inverse[body, 0] * impulse * ny
            v[2] += sign * inverse[body, 1] * impulse * (ax * ny - ay * nx)


@inlined_kernel
def _normal(corners: FloatArray, edge: int) -> tuple[float, float]:
    after = edge + 1 if edge + 1 < corners.shape[0] else 0
    ex, ey = corners[after, 0] - corners[edge, 0], corners[after, 1] - corners[edge, 1]
    length = math.hypot(ex, ey)
    return ey / length, -ex / length


@inlined_kernel
def _greatest_separation(a: FloatArray, b: FloatArray) -> tuple[float, int, int]:
    """Return the greatest separation over the edges of A, that edge, and the corner of B nearest along it."""
    greatest, edge, corner = -math.inf, 0, 0
    for i in range(a.shape[0]):
        nx, ny = _normal(a, i)
        nearest = scan(b, -nx, -ny)
        separation = nx * (b[nearest, 0] - a[i, 0]) + ny * (b[nearest, 1] - a[i, 1])
        if separation > greatest:
            greatest, edge, corner = separation, i, nearest
    return greatest, edge, corner
