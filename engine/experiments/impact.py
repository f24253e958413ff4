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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from engine import query
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE, EPS32, EPS64, LINEAR_SLOP
from engine.contracts import Status
from engine.experiments.lookahead import depth_aimed_at, thinnest
from engine.experiments.range import Panel
from engine.experiments.spec import BLADE_HALF_LENGTH, SHORTEST_STEP, ShotSpec
from engine.geometry import Circle, FixtureShape, Polygon, Sweep, Transform
from engine.world import World

__all__ = ["Mover", "first_touch", "movers_of", "rounding", "stop_time", "stop_window"]

Aim = Literal["touch", "box2d"]

_SLOW = 0.5
"""Share of its radius that a body may move in a step without a continuous test by our solver (`engine.dynamics._stop_kernel.SHALLOW`)."""

_SAME_TIME = 1.0e-9
"""Rounding of a time computed from a distance in float64, seconds."""


@dataclass(frozen=True, slots=True)
class Mover:
    """A shape in even motion: its pose when the shot is fired, m/s, rad/s."""

    shape: FixtureShape
    pose: Transform
    velocity: tuple[float, float] = (0.0, 0.0)
    spin: float = 0.0

    def sweep(self, start: float, end: float) -> Sweep:
        """Return its motion between two times, seconds from the shot."""
        return Sweep(self.at(start), self.at(end))

    def at(self, time: float) -> Transform:
        """Return its pose some seconds after the shot."""
        (x, y), (vx, vy) = self.pose.position, self.velocity
        return Transform((x + vx * time, y + vy * time), self.pose.angle + self.spin * time)


def movers_of(world: World, spec: ShotSpec, panels: Iterable[Panel]) -> tuple[Mover, ...]:
    """Return everything that may be hit as it stands in the world, before the first step; its motion as Box2D's caps leave it."""
    if spec.target == "head_on":
        velocity = _scaled(spec.target_velocity, spec.flown_target_speed, spec.target_speed)
    else:
        velocity = -spec.direction * spec.flown_target_speed, 0.0
    movers = []
    for panel in panels:
        pose = world.state(panel.body).xf
        movers += [Mover(world.fixture(fixture).shape, pose, velocity, spec.spin) for fixture in world.body(panel.body).fixtures]
    return tuple(movers)


def first_touch(spec: ShotSpec, targets: Iterable[Mover], t_max: float) -> float | None:
    """Return the seconds from the shot after which the bullet, on its straight way, first touches one of the targets.

    Exact, skins included; None if it touches none before `t_max`. The speeds are those that the bodies have under Box2D's cap.
    """
    return _first(spec, targets, t_max, 0.0)


def stop_time(spec: ShotSpec, targets: Iterable[Mover], t_max: float) -> float | None:
    """Return the seconds from the shot at which `b2TimeOfImpact`, were it exact within half of its tolerance, would stop the bullet.

    On another solver that of the touch.
    """
    bullet, aim = _bullet(spec), "box2d" if spec.is_box2d else "touch"
    return _earliest(_impact(bullet, target, spec, t_max, aim) for target in targets)  # type: ignore[arg-type] # one of its words


def stop_window(spec: ShotSpec, targets: Sequence[Mover], t_max: float) -> tuple[float, float] | None:
    """Return the earliest and the latest time, seconds from the shot, at which Box2D may first report a contact under this rule.

    The latest is infinite where it need not report any: the bullet only grazes, or passes within rounding of not being seen. None
    where it must not report any.
    """
    margin = rounding(spec)
    early = _first(spec, targets, t_max, -margin - spec.contact_margin)
    if early is None:
        return None
    if not spec.is_box2d and spec.looks_between_steps:
        return _window_of_touch(spec, early, _first(spec, targets, t_max, margin), margin)
    if spec.looks_between_steps:
        soonest, latest = (_first(spec, targets, t_max, sign * (BOX2D_TOI_TOLERANCE + margin), aimed=True) for sign in (-1.0, 1.0))
        step_end = math.ceil(early * spec.hertz) * (1.0 / spec.hertz)
        return (early if soonest is None or step_end <= soonest else soonest), math.inf if latest is None else latest
    if spec.rule == "swept":
        late = _first(spec, targets, t_max, depth_aimed_at(_bullet(spec).shape) + margin)
        return early, math.inf if late is None else late
    if spec.rule == "substeps":  # where its pieces end is not known beforehand
        sure = _first(spec, targets, t_max, margin)
        late = math.inf if sure is None else sure + _longest_piece(spec, targets)
        return early, late if late < t_max and _gap(spec, targets, late) < -margin else math.inf
    return _window_of_ends(spec, targets, t_max, early)


def _window_of_touch(spec: ShotSpec, early: float, touch: float | None, margin: float) -> tuple[float, float]:
    """Return the window of our solver: from where it sees the touch coming to the touch itself.

    A slow bullet is not tested continuously: it ends the step not deeper than half of its radius. The solver reports a sensor in
    the step in which it is passed.
    """
    if touch is None:
        return early, math.inf
    is_slow = spec.travel <= _SLOW * spec.radius
    latest = math.ceil(touch * spec.hertz) / spec.hertz if is_slow else touch
    if spec.target == "sensor":
        return math.floor(early * spec.hertz) / spec.hertz - _SAME_TIME, latest + _SAME_TIME
    return early, latest + margin / (spec.closing * spec.hertz) + _SAME_TIME


def _window_of_ends(spec: ShotSpec, targets: Sequence[Mover], t_max: float, early: float) -> tuple[float, float] | None:
    """Return the first end of a step at which the outlines perhaps overlap, and the first at which they surely do."""
    margin, dt = rounding(spec), 1.0 / spec.hertz
    first: float | None = None
    for k in range(math.ceil(early * spec.hertz), round(t_max * spec.hertz)):  # what the last step leaves, no step looks at
        gap = _gap(spec, targets, k * dt) - spec.contact_margin
        if spec.contact_margin > 0.0 and 0.0 < gap + spec.contact_margin < _gap(spec, targets, k * dt + _SAME_TIME):
            continue  # it leaves again: told while it touches only
        if gap <= margin and first is None:
            first = k * dt
        if gap < -margin:
            assert first is not None
            return first, k * dt
    return None if first is None else (first, math.inf)


def _gap(spec: ShotSpec, targets: Sequence[Mover], time: float) -> float:
    """Return the gap to the nearest target at a time, negative where they overlap."""
    bullet = _bullet(spec)
    here = bullet.at(time)
    return min(query.distance(each.shape, each.at(time), bullet.shape, here).separation for each in targets)


def rounding(spec: ShotSpec) -> float:
    """Return how far, meters, float32 may have carried bullet and target together from their even motion.

    Each step rounds a product and a sum by half a spacing at most, and an impact's moment is a difference of two positions. The same
    holds of the blade's angle; its farthest point is half a blade and half a meter away.
    """
    steps = (spec.gap / spec.closing if spec.closing > 0.0 else 0.0) + 3.0
    pieces = steps * max(1, min(spec.most_substeps, math.ceil(spec.closing / min(2.0 * spec.radius, spec.thickness))))
    far = max(abs(value) for value in (*spec.start, *spec.target_start)) + spec.reach + spec.travel
    turned = max(abs(spec.start_turn), abs(spec.turn)) + abs(spec.spin) / spec.hertz
    return (EPS32 if spec.is_box2d else EPS64) * (
        2.0 * pieces * far + (pieces * turned * 2.0 * BLADE_HALF_LENGTH if spec.spin != 0.0 else 0.0)
    )


def _longest_piece(spec: ShotSpec, targets: Sequence[Mover]) -> float:
    """Return the seconds of the longest sub-step near the target."""
    step = 1.0 / spec.hertz
    feature = min(thinnest(_bullet(spec).shape), min(thinnest(each.shape) for each in targets))
    closing = spec.closing * spec.hertz
    return min(step, max(feature / closing if closing > 0.0 else step, step / spec.most_substeps, SHORTEST_STEP))


def _bullet(spec: ShotSpec) -> Mover:
    """Return the bullet as the solver holds it: Box2D in float32, and a box with a skin."""
    exact: Any = np.float32 if spec.is_box2d else np.float64
    radius, x, y = (float(exact(value)) for value in (spec.radius, *spec.start))
    shape: FixtureShape = Circle(radius)
    angle = 0.0
    if spec.shape == "box":
        shape, angle = Polygon(Polygon.box(radius, radius).vertices, spec.skin), -spec.direction * spec.angle
    return Mover(shape, Transform((x, y), angle), _scaled(spec.velocity, spec.flown_speed, spec.speed))


def _first(spec: ShotSpec, targets: Iterable[Mover], t_max: float, depth: float, aimed: bool = False) -> float | None:
    """Return when the bullet is first so deep in a target, or, `aimed`, so much deeper than `b2TimeOfImpact` aims at."""
    bullet = _bullet(spec)
    return _earliest(_impact_at_depth(bullet, target, spec, t_max, _aim(bullet, target) + depth if aimed else depth) for target in targets)


def _earliest(times: Iterable[float | None]) -> float | None:
    return min((time for time in times if time is not None), default=None)


def _impact_at_depth(bullet: Mover, target: Mover, spec: ShotSpec, t_max: float, depth: float) -> float | None:
    """Return when the outlines are so deep in each other: when the shapes, their radii together less by `depth`, touch.

    None also where that is deeper than both radii: the cores themselves would overlap.
    """
    radii = target.shape.radius + bullet.shape.radius
    if radii == 0.0 and abs(depth) <= rounding(spec):
        return _impact(bullet, target, spec, t_max, "touch")
    if radii == 0.0 and depth < 0.0:
        return _impact(replace(bullet, shape=bullet.shape.with_radius(-depth)), target, spec, t_max, "touch")
    if depth >= radii:
        return None
    share = 1.0 - depth / radii
    a, b = (replace(mover, shape=mover.shape.with_radius(mover.shape.radius * share)) for mover in (target, bullet))
    return _impact(b, a, spec, t_max, "touch")


def _impact(bullet: Mover, target: Mover, spec: ShotSpec, t_max: float, aim: Aim) -> float | None:
    if target.spin == 0.0 and aim == "touch":
        swept = query.swept_contact(target.shape, target.pose, target.velocity, bullet.shape, bullet.pose, bullet.velocity, t_max)
        return swept.t_first if swept.status in (Status.HIT, Status.OVERLAPPING) else None
    n_steps = max(1, math.ceil(t_max * spec.hertz)) if target.spin != 0.0 else 1
    for k in range(n_steps):
        start, end = k * t_max / n_steps, (k + 1) * t_max / n_steps
        touch = query.time_of_impact(target.shape, target.sweep(start, end), bullet.shape, bullet.sweep(start, end), target=aim)
        if touch.status is not Status.MISS:
            return start + touch.fraction * (end - start)
    return None


def _aim(bullet: Mover, target: Mover) -> float:
    """Return the depth D that `b2TimeOfImpact` aims at."""
    radii = bullet.shape.radius + target.shape.radius
    return radii - max(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF)


def _scaled(velocity: tuple[float, float], flown: float, requested: float) -> tuple[float, float]:
    share = flown / requested if requested != 0.0 else 0.0
    return velocity[0] * share, velocity[1] * share
