"""Two bodies that move and turn, as one relative motion, and how fast the gap between them can close.

Each centre moves on a straight line and each angle grows linearly with the fraction t (`engine.geometry.sweep`), so between the centres

    d(t) = (1 - t) d(0) + t d(1),   v = d(1) - d(0),   angles theta(t) = theta(0) + omega t

and a point of a core at r from its centre goes round it on a circle. All is looked at in A's frame at t, where
A is at rest in its own coordinates and B stands at d turned back.

**The closing bound.** Take a unit axis n from A to B that turns at a constant rate w: with A's face (w = omega_a), with B's, or not at all.
Whatever it is, the shapes share no point while

    G(t + s) = min over B of n.b  -  max over A of n.a          exceeds the target.

Seen from the turning axis B's corner b = d + r goes at v - w k x d + (omega_b - w) k x r, and A's corner at (omega_a - w) k x a, k x
being a quarter turn. Each gap n.(b - a) leaves its tangent by no more than K s^2 / 2: the part with r or a is a cosine, with a second
derivative of at most rho (omega - w)^2, and n.d has, since d moves straight while n turns, n''.d + 2 n'.v; so

    K(w) = w^2 |d| + 2 |w| |v| + (omega_a - w)^2 rho_a + (omega_b - w)^2 rho_b

with rho the largest |r| of each core, and therefore, for s of either sign,

    G(t + s) >= F(s) = min_j (n.b_j + s n.b_j')  -  max_i (n.a_i + s n.a_i')  -  K s^2 / 2

lines and one parabola, a concave function::

    G(t)  *.                     slope: the true velocity of the foremost corners (the classical bound
           \\ `.  G               |v.n| + sum rho |omega| lets all corners rush at full speed)
          F \\   `.
    target --+------+-----> s
             s1   touch

so from 0 up to the root s1 nothing touches. Where F is tangent to G, steps of length s1 converge as Newton's do, but from the safe side
only; the classical bound converges linearly and, at a graze, hardly at all. That is why the axis turns with its face: on one that
stays, the end of a turning face comes forward at once though nothing is there to be hit, and 14 steps were needed instead of 7.

**The window.** Cores stay within the circles of rho around the centres, so they can only meet while |d(t)| <= rho_a + rho_b + target:
one quadratic that settles most misses and shortens the rest.

Sources: B. Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, 2.3; C. Ericson, Real-Time Collision Detection,
2005, 5.5.3. The second-order form is derived here.
"""

from __future__ import annotations

import math

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.jit import inlined_kernel, kernel
from engine.common.tolerances import SAT_ROUNDING, TOI_MAX_CORNERS
from engine.continuous._core_kernel import AXIS_FACE_A, AXIS_FACE_B

__all__ = ["closing_bound", "largest_bend", "motion_window", "place", "prepare_motion", "safe_step", "turning_rate"]

# motion: d(0), d(1), angles of A at 0 and 1, of B at 0 and 1, rho of A and of B, the rounding of a gap, |v|, largest |d| of the window
MOTION_SIZE = 13
# placed: d and v in A's frame
PLACED_SIZE = 4


@inlined_kernel
def prepare_motion(
    vertices_a: FloatArray,
    extent_a: float,
    start_a: FloatArray,
    end_a: FloatArray,
    center_a: FloatArray,
    vertices_b: FloatArray,
    extent_b: float,
    start_b: FloatArray,
    end_b: FloatArray,
    center_b: FloatArray,
    cores: FloatArray,
    motion: FloatArray,
) -> None:
    """Fill `motion`, and `cores` (2, n, 2) with both cores about their centres; poses are x, y, angle.

    Rounding: a gap carries that of the positions, of the corners, and of the angles, whose own rounding moves a corner by rho |angle|
    times theirs.
    """
    for end in range(2):
        pose_a, pose_b = (start_a, start_b) if end == 0 else (end_a, end_b)
        cos_a, sin_a = math.cos(pose_a[2]), math.sin(pose_a[2])
        cos_b, sin_b = math.cos(pose_b[2]), math.sin(pose_b[2])
        x = (cos_b * center_b[0] - sin_b * center_b[1]) - (cos_a * center_a[0] - sin_a * center_a[1])
        y = (sin_b * center_b[0] + cos_b * center_b[1]) - (sin_a * center_a[0] + cos_a * center_a[1])
        motion[2 * end] = (pose_b[0] - pose_a[0]) + x
        motion[2 * end + 1] = (pose_b[1] - pose_a[1]) + y
        motion[4 + end], motion[6 + end] = pose_a[2], pose_b[2]
    rho_a_sq = rho_b_sq = 0.0
    for i in range(vertices_a.shape[0]):
        cores[0, i, 0], cores[0, i, 1] = vertices_a[i, 0] - center_a[0], vertices_a[i, 1] - center_a[1]
        rho_a_sq = max(rho_a_sq, cores[0, i, 0] * cores[0, i, 0] + cores[0, i, 1] * cores[0, i, 1])
    for j in range(vertices_b.shape[0]):
        cores[1, j, 0], cores[1, j, 1] = vertices_b[j, 0] - center_b[0], vertices_b[j, 1] - center_b[1]
        rho_b_sq = max(rho_b_sq, cores[1, j, 0] * cores[1, j, 0] + cores[1, j, 1] * cores[1, j, 1])
    rho_a, rho_b = math.sqrt(rho_a_sq), math.sqrt(rho_b_sq)
    motion[8], motion[9] = rho_a, rho_b
    motion[11] = math.hypot(motion[2] - motion[0], motion[3] - motion[1])
    scale = extent_a + extent_b + abs(center_a[0]) + abs(center_a[1]) + abs(center_b[0]) + abs(center_b[1])
    scale += max(abs(start_a[0]) + abs(start_a[1]), abs(end_a[0]) + abs(end_a[1]))
    scale += max(abs(start_b[0]) + abs(start_b[1]), abs(end_b[0]) + abs(end_b[1]))
    scale += rho_a * max(abs(start_a[2]), abs(end_a[2])) + rho_b * max(abs(start_b[2]), abs(end_b[2]))
    motion[10] = SAT_ROUNDING * scale


@inlined_kernel
def motion_window(motion: FloatArray, target: float, t_max: float) -> tuple[float, float]:
    """Return the part of [0, t_max] in which the circles around the cores come within `target`; first > last where they never do.

    Inside it |d| is at most the sum of the radii and the target, which is noted in `motion`.
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
def place(
    motion: FloatArray,
    t: float,
    core_b: FloatArray,
    normals_b: FloatArray,
    moved: FloatArray,
    moved_normals: FloatArray,
    placed: FloatArray,
) -> None:
    """Write B's core and normals at t as A sees them, and d and v in A's frame into `placed`."""
    angle_a = (1.0 - t) * motion[4] + t * motion[5]
    angle = (1.0 - t) * motion[6] + t * motion[7] - angle_a
    cos_a, sin_a = math.cos(angle_a), math.sin(angle_a)
    cos, sin = math.cos(angle), math.sin(angle)
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
    """Return the rate w of an axis that a face of A or of B carries, or two points."""
    if side == AXIS_FACE_A:
        return float(motion[5] - motion[4])
    if side == AXIS_FACE_B:
        return float(motion[7] - motion[6])
    return 0.0


@inlined_kernel
def largest_bend(motion: FloatArray, rate: float) -> float:
    """Return K of an axis that turns at `rate`."""
    past_a, past_b = motion[5] - motion[4] - rate, motion[7] - motion[6] - rate
    turning = rate * rate * motion[12] + 2.0 * abs(rate) * motion[11]
    return float(turning + motion[8] * past_a * past_a + motion[9] * past_b * past_b)


@inlined_kernel
def closing_bound(
    motion: FloatArray, core_a: FloatArray, moved: FloatArray, placed: FloatArray, rate: float, nx: float, ny: float, s: float
) -> tuple[float, float, int, int]:
    """Return the two straight parts of F at s, as value at 0 and slope of the corners foremost then, and those corners."""
    omega_a, omega_b = motion[5] - motion[4] - rate, motion[7] - motion[6] - rate
    low, low_at_0, low_slope, corner_b = np.inf, 0.0, 0.0, 0
    drift = nx * placed[2] + ny * placed[3] - rate * (ny * placed[0] - nx * placed[1])
    for j in range(moved.shape[0]):
        at_0 = nx * moved[j, 0] + ny * moved[j, 1]
        slope = drift + omega_b * (ny * (moved[j, 0] - placed[0]) - nx * (moved[j, 1] - placed[1]))
        if at_0 + s * slope < low:
            low, low_at_0, low_slope, corner_b = at_0 + s * slope, at_0, slope, j
    high, high_at_0, high_slope, corner_a = -np.inf, 0.0, 0.0, 0
    for i in range(core_a.shape[0]):
        at_0 = nx * core_a[i, 0] + ny * core_a[i, 1]
        slope = omega_a * (ny * core_a[i, 0] - nx * core_a[i, 1])
        if at_0 + s * slope > high:
            high, high_at_0, high_slope, corner_a = at_0 + s * slope, at_0, slope, i
    return low_at_0 - high_at_0, low_slope - high_slope, corner_a, corner_b


@kernel
def safe_step(
    motion: FloatArray,
    core_a: FloatArray,
    moved: FloatArray,
    placed: FloatArray,
    side: int,
    nx: float,
    ny: float,
    target: float,
    longest: float,
) -> float:
    """Return the root s1 > 0 of F - `target`, or `longest` where it lies beyond; F(0) must exceed the target.

    From `longest` downwards: the corners foremost at s have a parabola of their own, which is F there and above F elsewhere;
    its root is a smaller s that is still no less than s1. Once the same corners stay foremost it is s1 itself.
    """
    rate = turning_rate(motion, side)
    bend = largest_bend(motion, rate)
    s, last_a, last_b = longest, -1, -1
    for _ in range(TOI_MAX_CORNERS):
        at_0, slope, corner_a, corner_b = closing_bound(motion, core_a, moved, placed, rate, nx, ny, s)
        if corner_a == last_a and corner_b == last_b:
            return s
        gap = at_0 - target
        if gap + s * slope - 0.5 * bend * s * s >= 0.0:
            return s
        last_a, last_b = corner_a, corner_b
        s = first_root(gap, slope, bend, s)
    # too many corners: the least gap and a slope steeper than all, in one parabola below F
    at_0 = closing_bound(motion, core_a, moved, placed, rate, nx, ny, 0.0)[0]
    omega_a, omega_b = motion[5] - motion[4], motion[7] - motion[6]
    speed = motion[11] + abs(rate) * motion[12] + motion[8] * abs(omega_a - rate) + motion[9] * abs(omega_b - rate)
    return min(s, first_root(at_0 - target, -speed, bend, s))


@inlined_kernel
def first_root(gap: float, slope: float, bend: float, longest: float) -> float:
    """Return the positive root of gap + slope s - bend s^2 / 2, for gap > 0, without cancellation; `longest` where there is none."""
    reach = math.sqrt(slope * slope + 2.0 * bend * gap)
    if slope > 0.0:
        return min(longest, (slope + reach) / bend) if bend > 0.0 else longest
    return min(longest, 2.0 * gap / (reach - slope)) if reach - slope > 0.0 else longest
