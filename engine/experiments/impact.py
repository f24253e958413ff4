"""When do bullet and target first touch, and when must Box2D have stopped the bullet? By our own analysis, for any target.

Until they meet, bullet and target move evenly: straight, and the blade turning at a constant rate. So both ways are sweeps, and the
first touch is found exactly: by our swept test where nothing turns, else by our time of impact, step by step.

**The window of Box2D's stop.** Where Box2D looks between the steps, `b2TimeOfImpact` aims at cores ``L = max(slop, R - 3 slop)`` apart,
R being both radii (the disc's own, 0.01 m of skin a polygon), and is content within a quarter of the slop. In other words it
brings the outlines ``D = R - L`` deep into each other::

    outlines touch        D - slop/4     D     D + slop/4
        |---------------------[----------|----------]------------>  depth
      t_touch               earliest               latest           time

The two ends are times of a touch as well: of the same shapes, their radii together smaller by that depth. Nothing is linearized, and so
the window holds for a corner, a disc and a turning blade as for a wall, where it is a depth divided by the closing speed.
Where a step happens to end between the touch and the earliest of these times, Box2D sees the contact there and then, and looks no
further; so the window begins with the touch.

What remains is float32 (`rounding`): positions are summed step by step, and the moment is read off the way the bullet has gone. A
blade adds the rounding of its angle, times its length: it is the larger tolerance, and `rounding` says how large.

Where contacts are seen at the end of a step only, the first end at which the outlines overlap is the moment, and there may be none. Of
our sub-steps only the longest is known: the window is as long. Our swept rule stops within the depth that it aims at
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
"""Share of its radius that a body may move in a step without a continuous test by our solver (`engine.dynamics._stop_kernel.SHALLOW`)."""

_SAME_TIME = 1.0e-9
"""Rounding of a time computed from a distance in float64, seconds."""


@dataclass(frozen=True, slots=True)
class _Mover:
    """A shape in even motion: its pose when the shot is fired, m/s, rad/s."""

    shape: FixtureShape
    pose: Transform
    velocity: tuple[float, float]
    spin: float = 0.0

    def sweep(self, start: float, end: float) -> Sweep:
        """Return its motion between two times, seconds from the shot."""
        return Sweep(self.at(start), self.at(end))

    def at(self, time: float) -> Transform:
        """Return its pose some seconds after the shot."""
        (x, y), (vx, vy) = self.pose.position, self.velocity
        return Transform((x + vx * time, y + vy * time), self.pose.angle + self.spin * time)

    def resized(self, radius: float) -> _Mover:
        """Return it with another radius or skin."""
        return replace(self, shape=self.shape.with_radius(radius))


class Approach:
    """The even motion of bullet and target from the shot until they meet, or for `t_max` seconds.

    The shapes and the target's pose are those of the world before its first step; the speeds are those under Box2D's cap.
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
        """Seconds from the shot after which the bullet, on its straight way, first touches the target; None if it does not.

        Exact, skins included.
        """
        return self._time_at_depth(0.0)

    @property
    def stop_time(self) -> float | None:
        """Seconds from the shot at which `b2TimeOfImpact`, were it exact within half of its tolerance, would stop the bullet.

        On another solver that of the touch.
        """
        return self._impact(self._bullet, self._target, "box2d" if self._spec.is_box2d else "touch")

    @property
    def stop_window(self) -> tuple[float, float] | None:
        """The earliest and the latest time, seconds from the shot, at which the solver may first report a contact under this rule.

        The latest is infinite where it need not report any: the bullet only grazes, or passes within rounding of not being seen; and with
        Box2D 3.1 and Chipmunk, for which no latest time is derived. None where it must not report any.
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
        if spec.rule == "substeps":  # where its pieces end is not known beforehand
            sure = self._time_at_depth(margin)
            late = math.inf if sure is None else sure + self._longest_piece()
            return early, late if late < self._t_max and self._gap(late) < -margin else math.inf
        return self._window_of_ends(early)

    def _window_of_touch(self, early: float) -> tuple[float, float]:
        """Return the window of our solver: from where it sees the touch coming to the touch itself.

        A slow bullet is not tested continuously: it ends the step not deeper than half of its radius. The solver reports a sensor in
        the step in which it is passed.
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
        """Return the first end of a step at which the outlines perhaps overlap, and the first at which they surely do."""
        spec, margin, dt = self._spec, self._margin, 1.0 / self._spec.hertz
        first: float | None = None
        for k in range(math.ceil(early * spec.hertz), round(self._t_max * spec.hertz)):  # what the last step leaves, no step looks at
            gap = self._gap(k * dt) - spec.contact_margin
            if spec.contact_margin > 0.0 and 0.0 < gap + spec.contact_margin < self._gap(k * dt + _SAME_TIME):
                continue  # it leaves again: reported only while it touches
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
        """Return when the outlines are so deep in each other: when the shapes, their radii together less by `depth`, touch.

        None also where that is deeper than both radii: the cores themselves would overlap.
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
    """Return how far, meters, float32 may have carried bullet and target together from their even motion.

    Each step rounds a product and a sum by half a spacing at most, and an impact's moment is a difference of two positions. The same
    holds of the blade's angle; its farthest point is half a blade and half a meter away.
    """
    steps = (spec.gap / spec.closing if spec.closing > 0.0 else 0.0) + 3.0
    pieces = steps * max(1, min(spec.most_substeps, math.ceil(spec.closing / min(2.0 * spec.radius, spec.thickness))))
    far = max(abs(value) for value in (*spec.start, *spec.target_start)) + spec.reach + spec.travel
    turned = max(abs(spec.start_turn), abs(spec.turn)) + abs(spec.spin) / spec.hertz
    return (EPS32 if spec.is_float32 else EPS64) * (
        2.0 * pieces * far + (pieces * turned * 2.0 * BLADE_HALF_LENGTH if spec.spin != 0.0 else 0.0)
    )


def _bullet(spec: ShotSpec) -> _Mover:
    """Return the bullet as the solver holds it: Box2D in float32, and a box with a skin."""
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
