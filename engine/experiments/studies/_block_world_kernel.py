"""A complete step of a few convex polygons: collisions, resting contacts, motion; with two optimizations of the search for contacts.

A step of h, without warm starting:

1. **Collisions**, with the old velocities: each pair is tested at the poses predicted by its velocities after h. If it overlaps there, its
   contact points get impulses with restitution, the deepest first, one at a time. This is repeated until no pair approaches.
2. Gravity changes the velocities.
3. **Rest**: the same in sweeps, with e rising from -0.8 to 0. In the last five, e is 0 and the lower body of a pair has infinite mass.
4. All bodies move, and overlapping pairs are pushed apart by a tenth of the depth.

**Plane.** Once per step, each pair that needs it gets a separating plane from its poses at the start: through an edge of the polygon whose
normal separates them best, or overlaps least. The plane then moves with that polygon. Its normal n, from A to B, is the direction of all
normal impulses.

**Contact points** at the tested poses are the corners of one polygon in the other (n m tests each way) and the crossings of two edges (n m
tests).

**Filter.** Let p be a point of the plane, and d the depth of the overlap along n. All common points x lie in the band with
``|(x - p).n| <= d``: the polygon with the edge lies behind the plane, and the other one reaches no deeper than d. So only corners with
``|(v - p).n| < eps + d`` can be contact points. An edge with a crossing has a common point, so it is not entirely on one side of the band::

              |    B    |
    p - *-----|---* - - | - - -    n points up, from A to B; the band reaches d below p, and as far above it.
        |     *---|-----*          In it are two corners of A and two of B. All edges that end there are kept.
        |    A    |

An edge with only one end in the band can cross another one; the published rule keeps an edge only if both ends are in the band.

**Points first.** A pair with a common point overlaps. Before SAT tests all edges, points of one polygon are tested in the other: the last
collision points stored for each body, in its frame, the newest first, and then its corners. They are stored in the first sweep of a step. A
hit must be twice as deep as `_SLACK`, the threshold of SAT, so that rounding never makes the results differ.

A *look* compares a point with a line or along a direction.

Sources: a thesis of 2015 (2.1.4, 2.2.2, 2.2.3); E. Guendelman, R. Bridson, R. Fedkiw, "Nonconvex Rigid Bodies with Stacking", 2003 (the
order of the step).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.jit import inlined_kernel, kernel

__all__ = ["CONTACTS", "LOOKS", "LOST", "N_COUNTS", "POINT_HITS", "SEARCH", "TESTS", "YES", "Blocks", "Plan", "run_blocks"]

LOOKS, SEARCH, TESTS, YES, POINT_HITS, CONTACTS, LOST = range(7)
N_COUNTS = 7
"""Looks; those in the search for contact points; tests of a pair whose boxes overlap; those that find an overlap, and those decided by a
stored point or a corner; contact points; crossings that the published rule for edges would miss."""

_SLACK = 1e-9
"""Overlap, m, above which two polygons count as overlapping."""
_SAME = 1e-3
"""Distance, m, within which a collision point replaces a stored one."""
_EPS = 1e-6
"""Distance, m, by which the band is wider than the overlap."""
_APPROACH = 1e-9
"""m/s."""
_THRESHOLD = 0.5
"""Approach speed, m/s, below which nothing bounces."""
_FROZEN_SWEEPS = 5
_PUSH = 0.1
_MAX_POINTS = 64


class Blocks(NamedTuple):
    """Convex polygons with their motion.

    Attributes
    ----------
    first : int64 (n + 1,)
        Row of each polygon's first corner, and the number of rows.
    corners, normals : float64 (k, 2)
        Corners, counterclockwise about the center of mass, m, and outward unit normals of the edges that begin there.
    inverse : float64 (n, 2)
        1/kg and 1/(kg m^2); 0 for static ones.
    pose, velocity : float64 (n, 3)
        x, y, angle and their rates; a run updates them.
    """

    first: IntArray
    corners: FloatArray
    normals: FloatArray
    inverse: FloatArray
    pose: FloatArray
    velocity: FloatArray


class Plan(NamedTuple):
    """Settings of a step.

    Attributes
    ----------
    h, gravity : float
        s, m/s^2 downward.
    restitution, friction : float
    passes, sweeps : int
        Passes of collisions, and sweeps of resting contacts before the lower bodies are frozen.
    buffer : int
        Number of collision points stored for each body; -1 for SAT alone.
    is_filtered : bool
        Search for contact points only near the plane.
    """

    h: float
    gravity: float
    restitution: float
    friction: float
    passes: int
    sweeps: int
    buffer: int
    is_filtered: bool


class _Room(NamedTuple):
    """Arrays of a run: corners, normals, boxes and frames at the tested poses; stored points; planes; contact points."""

    at: FloatArray
    normals: FloatArray
    frames: FloatArray
    still: FloatArray
    is_stale: IntArray
    kept: FloatArray
    n_kept: IntArray
    plane: IntArray
    in_band: IntArray
    points: FloatArray
    depth: FloatArray


@kernel
def run_blocks(blocks: Blocks, plan: Plan, n_steps: int, counts: IntArray) -> None:
    """Advance by `n_steps`, and increase the counts, int64 (N_COUNTS,)."""
    n, k = blocks.inverse.shape[0], blocks.corners.shape[0]
    room = _Room(
        np.empty((k, 2)), np.empty((k, 2)), np.empty((n, 8)), np.zeros(2), np.ones(n, dtype=np.int64),
        np.empty((n, max(plan.buffer, 1), 2)), np.zeros(n, dtype=np.int64), np.empty((n, n), dtype=np.int64),
        np.empty(k, dtype=np.int64), np.empty((_MAX_POINTS, 2)),
        np.empty(_MAX_POINTS),
    )  # fmt: skip
    for _ in range(n_steps):
        room.plane[:] = -1
        room.is_stale[:] = 1
        number, last = 0, plan.passes + plan.sweeps + _FROZEN_SWEEPS - 1
        while number <= last:
            if number == plan.passes:
                for body in range(n):
                    if blocks.inverse[body, 0] > 0.0:
                        blocks.velocity[body, 1] -= plan.h * plan.gravity
                room.is_stale[:] = 1
            is_resting = number >= plan.passes
            is_frozen = number > last - _FROZEN_SWEEPS
            e = plan.restitution if not is_resting else min(0.0, -0.8 * (last - _FROZEN_SWEEPS - number) / plan.sweeps)
            is_done = True
            for a in range(n):
                for b in range(a + 1, n):
                    if _solve_pair(blocks, plan, room, a, b, e, is_resting, is_frozen, number == plan.passes, counts):
                        is_done = False
            if not is_done:
                number += 1
            else:
                number = last + 1 if is_resting else plan.passes
        for body in range(n):
            for axis in range(3):
                blocks.pose[body, axis] += plan.h * blocks.velocity[body, axis]
        _push_apart(blocks, room, counts)


@inlined_kernel
def _place(blocks: Blocks, room: _Room, body: int, h: float) -> None:
    """Fill corners, normals and frame at the pose predicted after h: the box's lower and upper corners, x, y, cos, sin."""
    x, y = blocks.pose[body, 0] + h * blocks.velocity[body, 0], blocks.pose[body, 1] + h * blocks.velocity[body, 1]
    angle = blocks.pose[body, 2] + h * blocks.velocity[body, 2]
    cos, sin = math.cos(angle), math.sin(angle)
    frame = room.frames[body]
    frame[0], frame[1], frame[2], frame[3] = math.inf, math.inf, -math.inf, -math.inf
    frame[4], frame[5], frame[6], frame[7] = x, y, cos, sin
    for i in range(blocks.first[body], blocks.first[body + 1]):
        u, v = x + cos * blocks.corners[i, 0] - sin * blocks.corners[i, 1], y + sin * blocks.corners[i, 0] + cos * blocks.corners[i, 1]
        room.at[i, 0], room.at[i, 1] = u, v
        room.normals[i, 0] = cos * blocks.normals[i, 0] - sin * blocks.normals[i, 1]
        room.normals[i, 1] = sin * blocks.normals[i, 0] + cos * blocks.normals[i, 1]
        frame[0], frame[1], frame[2], frame[3] = min(frame[0], u), min(frame[1], v), max(frame[2], u), max(frame[3], v)
    room.is_stale[body] = 0


@inlined_kernel
def _solve_pair(
    blocks: Blocks, plan: Plan, room: _Room, a: int, b: int, e: float, is_resting: bool, is_frozen: bool,
    remembers: bool, counts: IntArray,
) -> bool:  # fmt: skip
    """Test a pair at its predicted poses and, if it overlaps, apply impulses at its contact points. Return True if any was needed."""
    if blocks.inverse[a, 0] + blocks.inverse[b, 0] == 0.0:
        return False
    if room.is_stale[a] == 1:
        _place(blocks, room, a, plan.h)
    if room.is_stale[b] == 1:
        _place(blocks, room, b, plan.h)
    if not _boxes_overlap(room.frames[a], room.frames[b]):
        return False
    counts[TESTS] += 1
    if not _overlap(blocks, plan, room, a, b, counts):
        return False
    counts[YES] += 1
    if room.plane[a, b] < 0:
        _place(blocks, room, a, 0.0)
        _place(blocks, room, b, 0.0)
        room.plane[a, b] = _best_edge(blocks, room, a, b, counts)
        _place(blocks, room, a, plan.h)
        _place(blocks, room, b, plan.h)
    counts[SEARCH] -= counts[LOOKS]
    n_points = _find_contacts(blocks, plan, room, a, b, counts)
    counts[SEARCH] += counts[LOOKS]
    counts[CONTACTS] += n_points
    if remembers and plan.buffer > 0:
        for k in range(n_points):
            _remember(room, plan.buffer, a, room.points[k, 0], room.points[k, 1])
            _remember(room, plan.buffer, b, room.points[k, 0], room.points[k, 1])
    edge = room.plane[a, b]
    nx, ny = room.normals[edge, 0], room.normals[edge, 1]
    if edge >= blocks.first[b]:
        nx, ny = -nx, -ny
    inverse_a, inverse_b = blocks.inverse[a], blocks.inverse[b]
    if is_frozen and inverse_a[0] > 0.0 and inverse_b[0] > 0.0:
        if room.frames[a, 5] <= room.frames[b, 5]:
            inverse_a = room.still
        else:
            inverse_b = room.still
    is_needed = False
    for _ in range(n_points):
        deepest = 0
        for k in range(1, n_points):
            if room.depth[k] > room.depth[deepest]:
                deepest = k
        room.depth[deepest] = -math.inf
        x, y = room.points[deepest, 0], room.points[deepest, 1]
        if _push(blocks, plan, room, a, b, inverse_a, inverse_b, x, y, nx, ny, e, is_resting):
            is_needed = True
    if is_needed:
        room.is_stale[a] = 1
        room.is_stale[b] = 1
    return is_needed


@inlined_kernel
def _boxes_overlap(a: FloatArray, b: FloatArray) -> bool:
    is_overlap: bool = a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]
    return is_overlap


@inlined_kernel
def _is_inside(blocks: Blocks, room: _Room, body: int, x: float, y: float, slack: float, counts: IntArray) -> bool:
    """Return True if a point is behind all edges of a body by more than `slack`."""
    for i in range(blocks.first[body], blocks.first[body + 1]):
        counts[LOOKS] += 1
        if room.normals[i, 0] * (x - room.at[i, 0]) + room.normals[i, 1] * (y - room.at[i, 1]) > -slack:
            return False
    return True


@inlined_kernel
def _overlap(blocks: Blocks, plan: Plan, room: _Room, a: int, b: int, counts: IntArray) -> bool:
    """Return True if two polygons overlap: test points first, if there is a buffer, then SAT up to the first separating edge."""
    if plan.buffer >= 0:
        for way in range(2):
            body, other = (a, b) if way == 0 else (b, a)
            x, y, cos, sin = room.frames[body, 4], room.frames[body, 5], room.frames[body, 6], room.frames[body, 7]
            for k in range(room.n_kept[body]):
                u, v = room.kept[body, k, 0], room.kept[body, k, 1]
                if _is_inside(blocks, room, other, x + cos * u - sin * v, y + sin * u + cos * v, 2.0 * _SLACK, counts):
                    counts[POINT_HITS] += 1
                    return True
        for way in range(2):
            body, other = (a, b) if way == 0 else (b, a)
            for i in range(blocks.first[body], blocks.first[body + 1]):
                if _is_inside(blocks, room, other, room.at[i, 0], room.at[i, 1], 2.0 * _SLACK, counts):
                    counts[POINT_HITS] += 1
                    return True
    for way in range(2):
        body, other = (a, b) if way == 0 else (b, a)
        for edge in range(blocks.first[body], blocks.first[body + 1]):
            if _separation(blocks, room, edge, other, counts) > -_SLACK:
                return False
    return True


@inlined_kernel
def _separation(blocks: Blocks, room: _Room, edge: int, other: int, counts: IntArray) -> float:
    """Return the separation of a polygon from an edge, m."""
    nearest = math.inf
    for i in range(blocks.first[other], blocks.first[other + 1]):
        counts[LOOKS] += 1
        along = room.normals[edge, 0] * (room.at[i, 0] - room.at[edge, 0]) + room.normals[edge, 1] * (room.at[i, 1] - room.at[edge, 1])
        nearest = min(nearest, along)
    return nearest


@inlined_kernel
def _best_edge(blocks: Blocks, room: _Room, a: int, b: int, counts: IntArray) -> int:
    """Return the edge of either polygon, by its row, that separates them best."""
    best: int = blocks.first[a]
    greatest = -math.inf
    for way in range(2):
        body, other = (a, b) if way == 0 else (b, a)
        for edge in range(blocks.first[body], blocks.first[body + 1]):
            separation = _separation(blocks, room, edge, other, counts)
            if separation > greatest:
                best, greatest = edge, separation
    return best


@inlined_kernel
def _find_contacts(blocks: Blocks, plan: Plan, room: _Room, a: int, b: int, counts: IntArray) -> int:
    """Fill the contact points and their depths, and return their number."""
    edge, n_points = room.plane[a, b], 0
    nx, ny = room.normals[edge, 0], room.normals[edge, 1]
    level = nx * room.at[edge, 0] + ny * room.at[edge, 1]
    reference, other = (b, a) if edge >= blocks.first[b] else (a, b)
    if plan.is_filtered:
        depth = -_separation(blocks, room, edge, other, counts)
        for way in range(2):
            body = a if way == 0 else b
            for i in range(blocks.first[body], blocks.first[body + 1]):
                counts[LOOKS] += 1
                height = nx * room.at[i, 0] + ny * room.at[i, 1] - level
                room.in_band[i] = 0 if abs(height) < _EPS + depth else 1 if height > 0.0 else -1
    for way in range(2):
        body, container = (a, b) if way == 0 else (b, a)
        sign = 1.0 if body == reference else -1.0
        for i in range(blocks.first[body], blocks.first[body + 1]):
            if plan.is_filtered and room.in_band[i] != 0:
                continue
            if n_points < _MAX_POINTS and _is_inside(blocks, room, container, room.at[i, 0], room.at[i, 1], 0.0, counts):
                room.points[n_points, 0], room.points[n_points, 1] = room.at[i, 0], room.at[i, 1]
                room.depth[n_points] = sign * (nx * room.at[i, 0] + ny * room.at[i, 1] - level)
                n_points += 1
    for i in range(blocks.first[a], blocks.first[a + 1]):
        i_next = i + 1 if i + 1 < blocks.first[a + 1] else blocks.first[a]
        if plan.is_filtered and room.in_band[i] * room.in_band[i_next] == 1:
            continue
        for j in range(blocks.first[b], blocks.first[b + 1]):
            j_next = j + 1 if j + 1 < blocks.first[b + 1] else blocks.first[b]
            if plan.is_filtered and room.in_band[j] * room.in_band[j_next] == 1:
                continue
            counts[LOOKS] += 2
            from_i = room.normals[i, 0] * (room.at[j, 0] - room.at[i, 0]) + room.normals[i, 1] * (room.at[j, 1] - room.at[i, 1])
            to_i = room.normals[i, 0] * (room.at[j_next, 0] - room.at[i, 0]) + room.normals[i, 1] * (room.at[j_next, 1] - room.at[i, 1])
            if from_i * to_i >= 0.0:
                continue
            counts[LOOKS] += 2
            from_j = room.normals[j, 0] * (room.at[i, 0] - room.at[j, 0]) + room.normals[j, 1] * (room.at[i, 1] - room.at[j, 1])
            to_j = room.normals[j, 0] * (room.at[i_next, 0] - room.at[j, 0]) + room.normals[j, 1] * (room.at[i_next, 1] - room.at[j, 1])
            if from_j * to_j < 0.0 and n_points < _MAX_POINTS:
                share = from_i / (from_i - to_i)
                room.points[n_points, 0] = room.at[j, 0] + share * (room.at[j_next, 0] - room.at[j, 0])
                room.points[n_points, 1] = room.at[j, 1] + share * (room.at[j_next, 1] - room.at[j, 1])
                room.depth[n_points] = 0.0
                n_points += 1
                if plan.is_filtered:
                    ends = abs(room.in_band[i]) + abs(room.in_band[i_next]) + abs(room.in_band[j]) + abs(room.in_band[j_next])
                    counts[LOST] += 1 if ends > 0 else 0
    return n_points


@inlined_kernel
def _remember(room: _Room, size: int, body: int, x: float, y: float) -> None:
    """Store a collision point as the first of a body, in its frame, in place of the same one or of the oldest."""
    dx, dy, cos, sin = x - room.frames[body, 4], y - room.frames[body, 5], room.frames[body, 6], room.frames[body, 7]
    u, v = cos * dx + sin * dy, cos * dy - sin * dx
    kept = room.kept[body]
    last = min(room.n_kept[body], size - 1)
    for k in range(room.n_kept[body]):
        if abs(kept[k, 0] - u) + abs(kept[k, 1] - v) < _SAME:
            last = k
            break
    room.n_kept[body] = max(room.n_kept[body], last + 1)
    for k in range(last, 0, -1):
        kept[k, 0], kept[k, 1] = kept[k - 1, 0], kept[k - 1, 1]
    kept[0, 0], kept[0, 1] = u, v


@inlined_kernel
def _push(
    blocks: Blocks, plan: Plan, room: _Room, a: int, b: int, ia: FloatArray, ib: FloatArray, x: float, y: float, nx: float, ny: float,
    e: float, is_resting: bool,
) -> bool:  # fmt: skip
    """Apply the impulse of a contact point, with Coulomb friction; return True if it needed one."""
    ax, ay, bx, by = x - room.frames[a, 4], y - room.frames[a, 5], x - room.frames[b, 4], y - room.frames[b, 5]
    va, vb = blocks.velocity[a], blocks.velocity[b]
    vx, vy = vb[0] - vb[2] * by - va[0] + va[2] * ay, vb[1] + vb[2] * bx - va[1] - va[2] * ax
    approach, slip = vx * nx + vy * ny, vx * ny - vy * nx
    if approach > -_APPROACH:
        return False
    if not is_resting and approach > -_THRESHOLD:
        e = 0.0
    turn_a, turn_b = ax * ny - ay * nx, bx * ny - by * nx
    p = -(1.0 + e) * approach / (ia[0] + ib[0] + ia[1] * turn_a * turn_a + ib[1] * turn_b * turn_b)
    turn_a, turn_b = -(ax * nx + ay * ny), -(bx * nx + by * ny)
    q = -slip / (ia[0] + ib[0] + ia[1] * turn_a * turn_a + ib[1] * turn_b * turn_b)
    q = max(-plan.friction * p, min(plan.friction * p, q))
    fx, fy = p * nx + q * ny, p * ny - q * nx
    va[0] -= ia[0] * fx
    va[1] -= ia[0] * fy
    va[2] -= ia[1] * (ax * fy - ay * fx)
    vb[0] += ib[0] * fx
    vb[1] += ib[0] * fy
    vb[2] += ib[1] * (bx * fy - by * fx)
    return True


@inlined_kernel
def _push_apart(blocks: Blocks, room: _Room, counts: IntArray) -> None:
    """Move overlapping pairs apart by a share of the depth along their planes' normals, the lighter body more."""
    n = blocks.inverse.shape[0]
    for body in range(n):
        _place(blocks, room, body, 0.0)
    for a in range(n):
        for b in range(a + 1, n):
            edge = room.plane[a, b]
            if edge >= 0 and _boxes_overlap(room.frames[a], room.frames[b]):
                is_of_b = edge >= blocks.first[b]
                depth = -_separation(blocks, room, edge, a if is_of_b else b, counts)
                if depth > 0.0:
                    step = _PUSH * depth / (blocks.inverse[a, 0] + blocks.inverse[b, 0])
                    if is_of_b:
                        step = -step
                    for axis in range(2):
                        blocks.pose[a, axis] -= blocks.inverse[a, 0] * step * room.normals[edge, axis]
                        blocks.pose[b, axis] += blocks.inverse[b, 0] * step * room.normals[edge, axis]
