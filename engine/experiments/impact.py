"""Computes when bullet and target first touch, and when Box2D must have stopped the bullet, for any target.

Until they meet, bullet and target move uniformly: on straight lines, and the blade with a constant rotation. Both motions are thus sweeps,
and the first touch is exact: by our swept test without rotation, otherwise by our time of impact, step by step.

**The window of Box2D's stop.** With continuous physics, `b2TimeOfImpact` aims at a distance of the cores of ``L = max(slop, R - 3
slop)``, where R is the sum of the radii (the disc's own, and 0.01 m of skin per polygon), within a quarter of the slop. The outlines then
overlap by ``D = R - L``::

    outlines touch        D - slop/4     D     D + slop/4
        |---------------------[----------|----------]------------>  depth
      t_touch               earliest               latest           time

Both ends are also times of a touch: of the same shapes with their total radius reduced by that depth. Nothing is linearized, so the window
is valid for a corner, a disc and a turning blade as well as for a wall, for which it is a depth divided by the closing speed. If a step
ends between the touch and the earliest of these times, Box2D detects the contact there; so the window begins with the touch.

The remaining error is float32 rounding (`rounding`): positions are summed step by step, and the time is computed from the bullet's
displacement. A blade adds the rounding of its angle times its length, which is the larger part.

If contacts are detected only at the end of a step, the time is the first end at which the outlines overlap; there may be none. For our
sub-steps, the window is as long as the longest one. Our swept rule stops within its target depth
(`engine.experiments.lookahead.depth_aimed_at`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine import query
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, EPS32, EPS64, LINEAR_SLOP
from engine.contracts import Status
from engine.experiments.lookahead import depth_aimed_at, thinnest
from engine.experiments.range import Shot
from engine.experiments.spec import BLADE_HALF_LENGTH, SHORTEST_STEP, ShotSpec
from engine.geometry import Circle, FixtureShape, Polygon, Sweep, Transform

__all__ = ["Approach", "rounding"]

_SLOW = 0.5
"""Share of its radius by which a body can move in a step without a continuous test by our solver
(`engine.dynamics._stop_kernel.SHALLOW`).
"""

_SAME_TIME = 1.0e-9
"""Rounding of a time computed from a distance in float64, seconds."""


@dataclass(frozen=True, slots=True)
class _Mover:
    """A shape in uniform motion: its pose when the shot is fired, and its velocities, m/s and rad/s."""

    shape: FixtureShape
    pose: Transform
    velocity: tuple[float, float]
    spin: float = 0.0

    def sweep(self, start: float, end: float) -> Sweep:
        """Return the motion between two times, seconds from the shot."""
        return Sweep(self.at(start), self.at(end))

    def at(self, time: float) -> Transform:
        """Return the pose at a time, seconds from the shot."""
        (x, y), (vx, vy) = self.pose.position, self.velocity
        return Transform((x + vx * time, y + vy * time), self.pose.angle + self.spin * time)

    def resized(self, radius: float) -> _Mover:
        """Return a copy with another radius or skin."""
        return replace(self, shape=self.shape.with_radius(radius))


class Approach:
    """The uniform motion of bullet and target from the shot until they meet, or for `t_max` seconds.

    The shapes and the target's pose are those of the world before its first step; the speeds are limited by Box2D's cap.
    """

    def __init__(self, shot: Shot, t_max: float) -> None:
        world, spec = shot.world, shot.spec
        self._spec, self._t_max, self._margin = spec, t_max, rounding(spec)
        self._bullet = _bullet(spec)
        velocity = -spec.flown_target_speed, 0.0
        if spec.target == "head_on":
            velocity = _scaled(spec.target_velocity, spec.flown_target_speed, spec.target_speed)
        (fixture,) = world.body(shot.target).fixtures
        self._target = _Mover(world.fixture(fixture).shape, world.state(shot.target).xf, velocity, spec.spin)
        self._radii = self._bullet.shape.radius + self._target.shape.radius
        self._aimed_depth = self._radii - max(LINEAR_SLOP, self._radii - BOX2D_TOI_BACKOFF)

    @property
    def first_touch(self) -> float | None:
        """Time at which the bullet, on its straight path, first touches the target, seconds from the shot; None if it does not.

        Exact, including skins.
        """
        return self._time_at_depth(0.0)

    @property
    def stop_time(self) -> float | None:
        """Time at which `b2TimeOfImpact`, if exact within half of its tolerance, would stop the bullet, seconds from the shot.

        For other solvers, the time of the touch.
        """
        return self._impact(self._bullet, self._target, "box2d" if self._spec.is_box2d else "touch")

    @property
    def stop_window(self) -> tuple[float, float] | None:
        """The earliest and the latest time, seconds from the shot, at which the solver may first report a contact under this rule.

        The latest is infinite if no contact need be reported: the bullet only grazes, or rounding decides whether it is detected; and for
        Box2D 3.1 and Chipmunk, for which no latest time is derived. None if no contact may be reported.
        """
        spec, margin = self._spec, self._margin
        early = self._time_at_depth(-margin - spec.contact_margin)
        if early is None:
            return None
        if not (spec.is_box2d or spec.is_ours):
            return early, math.inf
        if spec.is_ours and spec.looks_between_steps:
            return self._window_of_touch(early)
        if spec.looks_between_steps:
            soonest, latest = (
                self._time_at_depth(self._aimed_depth + depth) for depth in (-BOX2D_TOI_TOLERANCE - margin, BOX2D_TOI_TOLERANCE + margin)
            )
            step_end = math.ceil(early * spec.hertz) * (1.0 / spec.hertz)
            return (early if soonest is None or step_end <= soonest else soonest), math.inf if latest is None else latest
        if spec.rule == "swept":
            late = self._time_at_depth(depth_aimed_at(self._bullet.shape) + margin)
            return early, math.inf if late is None else late
        if spec.rule == "substeps":  # the ends of its pieces are not known in advance
            sure = self._time_at_depth(margin)
            late = math.inf if sure is None else sure + self._longest_piece()
            return early, late if late < self._t_max and self._gap(late) < -margin else math.inf
        return self._window_of_ends(early)

    def _window_of_touch(self, early: float) -> tuple[float, float]:
        """Return the window of our solver: from the first speculative contact to the touch itself.

        A slow bullet is not tested continuously: at the end of the step it overlaps by at most half of its radius. The solver reports a
        sensor in the step in which it is passed.
        """
        spec, touch = self._spec, self._time_at_depth(self._margin)
        if touch is None:
            return early, math.inf
        is_slow = spec.travel <= _SLOW * spec.radius
        latest = math.ceil(touch * spec.hertz) / spec.hertz if is_slow else touch
        if spec.target == "sensor":
            return math.floor(early * spec.hertz) / spec.hertz - _SAME_TIME, latest + _SAME_TIME
        return early, latest + self._margin / (spec.closing * spec.hertz) + _SAME_TIME

    def _window_of_ends(self, early: float) -> tuple[float, float] | None:
        """Return the first end of a step at which the outlines may overlap, and the first at which they certainly do."""
        spec, margin, dt = self._spec, self._margin, 1.0 / self._spec.hertz
        first: float | None = None
        for k in range(math.ceil(early * spec.hertz), round(self._t_max * spec.hertz)):  # no later step tests the state after the last one
            gap = self._gap(k * dt) - spec.contact_margin
            if spec.contact_margin > 0.0 and 0.0 < gap + spec.contact_margin < self._gap(k * dt + _SAME_TIME):
                continue  # it separates again, so it is reported only while it touches
            if gap <= margin and first is None:
                first = k * dt
            if gap < -margin:
                assert first is not None
                return first, k * dt
        return None if first is None else (first, math.inf)

    def _gap(self, time: float) -> float:
        """Return the gap at a time, negative if they overlap."""
        return query.distance(self._target.shape, self._target.at(time), self._bullet.shape, self._bullet.at(time)).separation

    def _longest_piece(self) -> float:
        """Return the seconds of the longest sub-step near the target."""
        spec, step = self._spec, 1.0 / self._spec.hertz
        feature, closing = min(thinnest(self._bullet.shape), thinnest(self._target.shape)), spec.closing * spec.hertz
        return min(step, max(feature / closing if closing > 0.0 else step, step / spec.most_substeps, SHORTEST_STEP))

    def _time_at_depth(self, depth: float) -> float | None:
        """Return when the outlines overlap by `depth`: when the shapes with their total radius reduced by `depth` touch.

        Also None if `depth` exceeds both radii, because the cores would overlap.
        """
        bullet, target, radii = self._bullet, self._target, self._radii
        if radii == 0.0 and abs(depth) <= self._margin:
            return self._impact(bullet, target, "touch")
        if radii == 0.0 and depth < 0.0:
            return self._impact(bullet.resized(-depth), target, "touch")
        if depth >= radii:
            return None
        share = 1.0 - depth / radii
        bullet, target = (mover.resized(mover.shape.radius * share) for mover in (bullet, target))
        return self._impact(bullet, target, "touch")

    def _impact(self, bullet: _Mover, target: _Mover, aim: Literal["touch", "box2d"]) -> float | None:
        if target.spin == 0.0 and aim == "touch":
            swept = query.swept_contact(target.shape, target.pose, target.velocity, bullet.shape, bullet.pose, bullet.velocity, self._t_max)
            return swept.t_first if swept.status in (Status.HIT, Status.OVERLAPPING) else None
        n_steps = max(1, math.ceil(self._t_max * self._spec.hertz)) if target.spin != 0.0 else 1
        for k in range(n_steps):
            start, end = k * self._t_max / n_steps, (k + 1) * self._t_max / n_steps
            touch = query.time_of_impact(target.shape, target.sweep(start, end), bullet.shape, bullet.sweep(start, end), target=aim)
            if touch.status is not Status.MISS:
                return start + touch.fraction * (end - start)
        return None


def rounding(spec: ShotSpec) -> float:
    """Return the maximum total deviation of bullet and target from uniform motion because of float32, meters.

    Each step rounds a product and a sum by at most half a spacing, and an impact's time is a difference of two positions. The same applies
    to the blade's angle; its farthest point is half a blade and half a meter away.
    """
    steps = (spec.gap / spec.closing if spec.closing > 0.0 else 0.0) + 3.0
    pieces = steps * max(1, min(spec.most_substeps, math.ceil(spec.closing / min(2.0 * spec.radius, spec.thickness))))
    far = max(abs(value) for value in (*spec.start, *spec.target_start)) + spec.reach + spec.travel
    turned = max(abs(spec.start_turn), abs(spec.turn)) + abs(spec.spin) / spec.hertz
    return (EPS32 if spec.is_float32 else EPS64) * (
        2.0 * pieces * far + (pieces * turned * 2.0 * BLADE_HALF_LENGTH if spec.spin != 0.0 else 0.0)
    )


def _bullet(spec: ShotSpec) -> _Mover:
    """Return the bullet as represented by the solver: by Box2D in float32, and a box with a skin."""
    exact: Any = np.float32 if spec.is_float32 else np.float64
    radius, x, y = (float(exact(value)) for value in (spec.radius, *spec.start))
    shape: FixtureShape = Circle(radius)
    angle = 0.0
    if spec.shape == "box":
        shape, angle = Polygon(Polygon.box(radius, radius).vertices, spec.skin), -spec.angle
    return _Mover(shape, Transform((x, y), angle), _scaled(spec.velocity, spec.flown_speed, spec.speed))


def _scaled(velocity: tuple[float, float], flown: float, requested: float) -> tuple[float, float]:
    share = flown / requested if requested != 0.0 else 0.0
    return velocity[0] * share, velocity[1] * share
