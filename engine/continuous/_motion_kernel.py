"""The relative motion of two translating and rotating bodies, and a bound of the rate at which the gap between them closes.

Each center moves on a straight line and each angle grows linearly with the fraction t (`engine.geometry.sweep`), so between the centers

    d(t) = (1 - t) d(0) + t d(1),   v = d(1) - d(0),   angles theta(t) = theta(0) + omega t

and a point of a core at r from its center moves around it on a circle. All quantities are in A's frame at t, where A is at rest in its own
coordinates and B's center is d, rotated by -theta_a.

**The closing bound.** Let n be a unit axis from A to B that rotates at a constant rate w: with A's face (w = omega_a), with B's, or not at
all. For any such axis, the shapes share no point while

    G(t + s) = min over B of n.b  -  max over A of n.a          exceeds the target.

In the frame of the rotating axis B's corner b = d + r has the velocity v - w k x d + (omega_b - w) k x r, and A's corner (omega_a - w) k x
a, where k x is a rotation by 90 degrees. Each gap n.(b - a) deviates from its tangent by at most K s^2 / 2: the part with r or a is a
cosine, with a second derivative of at most rho (omega - w)^2, and that of n.d is n''.d + 2 n'.v, since d is linear while n rotates; so

    K(w) = w^2 |d| + 2 |w| |v| + (omega_a - w)^2 rho_a + (omega_b - w)^2 rho_b

with rho the largest |r| of each core. Therefore, for s of either sign,

    G(t + s) >= F(s) = min_j (n.b_j + s n.b_j')  -  max_i (n.a_i + s n.a_i')  -  K s^2 / 2

lines and one parabola, a concave function::

    G(t)  *.                     slope: the true velocity of the foremost corners (the classical bound
           \\ `.  G               |v.n| + sum rho |omega| lets all corners rush at full speed)
          F \\   `.
    target --+------+-----> s
             s1   touch

so there is no contact before the root s1. If F is tangent to G, steps of length s1 converge like Newton's method, but always from the
safe side; the classical bound converges linearly and, at a graze, hardly at all. That is why the axis rotates with its face: along a fixed
axis, the end of a rotating face moves forward immediately although it cannot hit anything, and 14 steps were needed instead of 7.

**The window.** Cores stay within the circles of rho around the centers, so they can only meet while |d(t)| <= rho_a + rho_b + target:
one quadratic that identifies most misses and shortens the other windows.

Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, 2.3; C. Ericson, Real-Time Collision Detection,
2005, 5.5.3. The second-order form is derived here.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.common.arrays import FloatArray, Point
from engine.common.events import record
from engine.common.jit import inlined_kernel
from engine.common.tolerances import SAT_ROUNDING
from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_FACE_B
from engine.geometry._rotation_kernel import cosine_and_sine

__all__ = [
    "ImpactGap",
    "ImpactStart",
    "bend_at",
    "closing_bound",
    "largest_bend",
    "motion_window",
    "note_sweep",
    "place",
    "prepare_motion",
    "reach_about",
    "record_gap",
    "turning_rate",
]


class ImpactStart(NamedTuple):
    """Whether A and B are swapped (in all events A is that after swapping), the target gap, its tolerance, the window, and rho of both."""

    is_swapped: bool
    target: float
    tolerance: float
    t_first: float
    t_last: float
    rho: tuple[float, float]


class ImpactGap(NamedTuple):
    """The gap of the cores at the fraction t, or a bound of it; the axis n in A's frame at t, its features (AXIS_...) and edge; both cores
    in that frame, and K.
    """

    t: float
    gap: float
    n: Point
    side: int
    edge: int
    core_a: FloatArray
    core_b: FloatArray
    bend: float


# motion: d(0), d(1), angles of A at 0 and 1, of B at 0 and 1, rho of A and of B, the rounding of a gap, |v|, largest |d| of the window
MOTION_SIZE = 13
# ends: start of A (x, y, angle), its end, its center, and the same of B
ENDS_SIZE = 16
# placed: d and v in A's frame
PLACED_SIZE = 4


class Moving(NamedTuple):
    """Two cores relative to their centers and their normals, their motion, and scratch for B in A's frame at one time."""

    motion: FloatArray
    core_a: FloatArray
    normals_a: FloatArray
    core_b: FloatArray
    normals_b: FloatArray
    moved: FloatArray
    moved_normals: FloatArray
    placed: FloatArray


class Search(NamedTuple):
    """Search for an impact, see `_impact_kernel`: the target gap, its tolerance, the largest gap that is an overlap at 0; the window, and
    the last time.
    """

    target: float
    tolerance: float
    overlap: float
    t_first: float
    t_last: float
    t_max: float


@inlined_kernel
def reach_about(vertices: FloatArray, first: int, n: int, x: float, y: float) -> float:
    """Return the largest distance of a core's corners from a center."""
    reach_sq = 0.0
    for i in range(first, first + n):
        dx, dy = vertices[i, 0] - x, vertices[i, 1] - y
        reach_sq = max(reach_sq, dx * dx + dy * dy)
    return math.sqrt(reach_sq)


@inlined_kernel
def note_sweep(ends: FloatArray, at: int, start: FloatArray, end: FloatArray, center: FloatArray, row: int | np.uint64) -> None:
    """Copy one row of poses at both ends and of centers to `ends`, from `at` on."""
    for field in range(3):
        ends[at + field], ends[at + 3 + field] = start[row, field], end[row, field]
    ends[at + 6], ends[at + 7] = center[row, 0], center[row, 1]


@inlined_kernel
def prepare_motion(ends: FloatArray, rho_a: float, extent_a: float, rho_b: float, extent_b: float, motion: FloatArray) -> None:
    """Fill `motion`, with rho from `reach_about`; `ends` has A's start x, y, angle, its end, its center, and then B's.

    The rounding of a gap is that of the positions, of the corners, and of the angles, whose rounding moves a corner by rho |angle|
    roundings.
    """
    for end in range(2):
        a, b = 3 * end, 8 + 3 * end
        x, y = ends[b] - ends[a], ends[b + 1] - ends[a + 1]
        if ends[6] != 0.0 or ends[7] != 0.0:
            cos, sin = cosine_and_sine(ends[a + 2])
            x, y = x - (cos * ends[6] - sin * ends[7]), y - (sin * ends[6] + cos * ends[7])
        if ends[14] != 0.0 or ends[15] != 0.0:
            cos, sin = cosine_and_sine(ends[b + 2])
            x, y = x + (cos * ends[14] - sin * ends[15]), y + (sin * ends[14] + cos * ends[15])
        motion[2 * end], motion[2 * end + 1] = x, y
        motion[4 + end], motion[6 + end] = ends[a + 2], ends[b + 2]
    motion[8], motion[9] = rho_a, rho_b
    vx, vy = motion[2] - motion[0], motion[3] - motion[1]
    motion[11] = math.sqrt(vx * vx + vy * vy)
    scale = extent_a + extent_b + abs(ends[6]) + abs(ends[7]) + abs(ends[14]) + abs(ends[15])
    scale += max(abs(ends[0]) + abs(ends[1]), abs(ends[3]) + abs(ends[4]))
    scale += max(abs(ends[8]) + abs(ends[9]), abs(ends[11]) + abs(ends[12]))
    scale += rho_a * max(abs(ends[2]), abs(ends[5])) + rho_b * max(abs(ends[10]), abs(ends[13]))
    motion[10] = SAT_ROUNDING * scale


@inlined_kernel
def motion_window(motion: FloatArray, target: float, t_max: float) -> tuple[float, float]:
    """Return the part of [0, t_max] in which the circles around the cores come within `target`; first > last if they never do.

    Inside it |d| is at most the sum of the radii and the target, which is written to `motion`.
    """
    dx, dy = motion[0], motion[1]
    vx, vy = motion[2] - dx, motion[3] - dy
    reach = motion[8] + motion[9] + target
    motion[12] = reach
    speed_sq = vx * vx + vy * vy
    if speed_sq == 0.0:
        return (0.0, t_max) if dx * dx + dy * dy <= reach * reach else (1.0, 0.0)
    aside = dx * vy - dy * vx
    inside = reach * reach * speed_sq - aside * aside
    if inside < 0.0:
        return 1.0, 0.0
    nearest, half = -(dx * vx + dy * vy) / speed_sq, math.sqrt(inside) / speed_sq
    return max(0.0, nearest - half), min(t_max, nearest + half)


@inlined_kernel
def place(moving: Moving, t: float) -> None:
    """Write B's core and normals at t, and d and v, all in A's frame, to `placed`."""
    motion, core_b, normals_b, moved, moved_normals, placed = (
        moving.motion, moving.core_b, moving.normals_b, moving.moved, moving.moved_normals, moving.placed
    )  # fmt: skip
    angle_a = (1.0 - t) * motion[4] + t * motion[5]
    angle = (1.0 - t) * motion[6] + t * motion[7] - angle_a
    cos_a, sin_a = cosine_and_sine(angle_a)
    cos, sin = cosine_and_sine(angle)
    dx, dy = (1.0 - t) * motion[0] + t * motion[2], (1.0 - t) * motion[1] + t * motion[3]
    vx, vy = motion[2] - motion[0], motion[3] - motion[1]
    x, y = cos_a * dx + sin_a * dy, cos_a * dy - sin_a * dx
    placed[0], placed[1] = x, y
    placed[2], placed[3] = cos_a * vx + sin_a * vy, cos_a * vy - sin_a * vx
    for j in range(core_b.shape[0]):
        rx, ry = core_b[j, 0], core_b[j, 1]
        moved[j, 0], moved[j, 1] = cos * rx - sin * ry + x, sin * rx + cos * ry + y
        px, py = normals_b[j, 0], normals_b[j, 1]
        moved_normals[j, 0], moved_normals[j, 1] = cos * px - sin * py, sin * px + cos * py


@inlined_kernel
def turning_rate(motion: FloatArray, side: int) -> float:
    """Return the rate w of an axis defined by a face of A or of B, or by two points."""
    if side == AXIS_FACE_A:
        return float(motion[5] - motion[4])
    if side == AXIS_FACE_B:
        return float(motion[7] - motion[6])
    return 0.0


@inlined_kernel
def bend_at(rate: float, reach: float, speed: float, rho_a: float, past_a: float, rho_b: float, past_b: float) -> float:
    """Return K of an axis that rotates at `rate`, with the bodies' rates `past_a` and `past_b` relative to it, |d| <= `reach` and |v| =
    `speed`.
    """
    return (rate * rate * reach + 2.0 * abs(rate) * speed) + (rho_a * (past_a * past_a) + rho_b * (past_b * past_b))


@inlined_kernel
def largest_bend(motion: FloatArray, rate: float) -> float:
    """Return K of an axis that rotates at `rate`."""
    past_a, past_b = motion[5] - motion[4] - rate, motion[7] - motion[6] - rate
    return float(bend_at(rate, motion[12], motion[11], motion[8], past_a, motion[9], past_b))


@inlined_kernel
def record_gap(moving: Moving, t: float, gap: float, nx: float, ny: float, side: int, edge: int) -> None:
    """Record the measurement at t."""
    bend = largest_bend(moving.motion, turning_rate(moving.motion, side))
    record(ImpactGap(t, gap, (nx, ny), side, edge, moving.core_a, moving.moved, bend))


@inlined_kernel
def closing_bound(
    motion: FloatArray, core_a: FloatArray, moved: FloatArray, placed: FloatArray, rate: float, nx: float, ny: float, s: float
) -> tuple[float, float]:
    """Return the linear part of F at s, as value at 0 and slope of the corners foremost at s."""
    omega_a, omega_b = motion[5] - motion[4] - rate, motion[7] - motion[6] - rate
    low, low_at_0, low_slope = np.inf, 0.0, 0.0
    drift = nx * placed[2] + ny * placed[3] - rate * (ny * placed[0] - nx * placed[1])
    for j in range(moved.shape[0]):
        at_0 = nx * moved[j, 0] + ny * moved[j, 1]
        slope = drift + omega_b * (ny * (moved[j, 0] - placed[0]) - nx * (moved[j, 1] - placed[1]))
        if at_0 + s * slope < low:
            low, low_at_0, low_slope = at_0 + s * slope, at_0, slope
    high, high_at_0, high_slope = -np.inf, 0.0, 0.0
    for i in range(core_a.shape[0]):
        at_0 = nx * core_a[i, 0] + ny * core_a[i, 1]
        slope = omega_a * (ny * core_a[i, 0] - nx * core_a[i, 1])
        if at_0 + s * slope > high:
            high, high_at_0, high_slope = at_0 + s * slope, at_0, slope
    return low_at_0 - high_at_0, low_slope - high_slope
