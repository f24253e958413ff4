"""Checks the claims of steps toward the time of impact from the shapes and motions alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING, TOI_CONVERGENCE, TOI_ROUNDINGS
from engine.contracts import Status
from tests.unit.trace.claims.gaps import gap_of_cores

_SAMPLES = np.linspace(0.0, 1.0, 33)


class Body:
    """A moving core, relative to a nearby origin."""

    def __init__(self, shape, sweep, here):
        core = shape.core
        if len(core) == 2 and (core[0] == core[1]).all():
            core = core[:1]
        self.local, self.radius = core - np.array(sweep.local_center), shape.radius
        self.angle, self.omega = sweep.start.angle, sweep.end.angle - sweep.start.angle
        self.start, self.end = (
            np.array(pose.position) - here + turned(np.array([sweep.local_center]), pose.angle)[0] for pose in (sweep.start, sweep.end)
        )
        self.extent = float(np.abs(core).max() + np.abs(sweep.local_center).max() + shape.radius)
        self.extent += float(np.abs(self.local).max()) * max(abs(sweep.start.angle), abs(sweep.end.angle))
        self.extent += max(abs(x) for pose in (sweep.start, sweep.end) for x in pose.position)

    def at(self, t):
        return turned(self.local, self.angle + t * self.omega) + ((1.0 - t) * self.start + t * self.end)

    def velocities(self, t):
        around = turned(self.local, self.angle + t * self.omega)
        return (self.end - self.start) + self.omega * np.column_stack((-around[:, 1], around[:, 0]))


def turned(points, angle):
    cos, sin = math.cos(angle), math.sin(angle)
    return points @ np.array([[cos, sin], [-sin, cos]])


class Motion:
    """Both bodies of a case, and the tolerance of numbers."""

    def __init__(self, case):
        pair = case.pair
        here = np.array(pair.pose_a.position)
        self.a, self.b = Body(pair.shape_a, pair.sweep_a, here), Body(pair.shape_b, pair.sweep_b, here)
        extent = self.a.extent + self.b.extent
        self.here, self.radii, self.near = here, self.a.radius + self.b.radius, 2.0 * TOI_ROUNDINGS * SAT_ROUNDING * extent
        self.tolerance = TOI_CONVERGENCE * extent + self.near

    def gap(self, t):
        return gap_of_cores(self.a.at(t), self.b.at(t)) - self.radii

    def along(self, t, n):
        """The gap along an axis."""
        return float((self.b.at(t) @ n).min() - (self.a.at(t) @ n).max()) - self.radii

    def held(self, step, t):
        """The axis of a step, kept from values["t"] until t, rotated with its edge."""
        return turned(np.array([step.axis]), self.rate(step) * (t - step.values["t"]))[0]

    def rate(self, step):
        first = step.looked_at[0]
        return 0.0 if first.part != "edge" else self.a.omega if first.whose == "a" else self.b.omega

    def gaps_and_rates(self, step):
        """Return the gap of each corner of B from each of A along the axis that rotates with its body, and its rate."""
        t, n = step.values["t"], np.array(step.axis)
        apart = self.b.at(t)[:, None] - self.a.at(t)[None]
        rates = (self.b.velocities(t)[:, None] - self.a.velocities(t)[None]) @ n + self.rate(step) * (apart @ np.array((-n[1], n[0])))
        return apart @ n, rates

    def check_bend(self, step, end):
        """Along the kept axis, no corner deviates from its tangent by more than K s^2 / 2."""
        t, (gaps, rates) = step.values["t"], self.gaps_and_rates(step)
        for s in (0.5 * (end - t), end - t):
            there = (self.b.at(t + s)[:, None] - self.a.at(t + s)[None]) @ self.held(step, t + s)
            assert np.abs(there - (gaps + s * rates)).max() <= 0.5 * step.values["K"] * s * s + self.near

    def check_gap(self, step):
        t, gap = step.values["t"], step.values["gap"]
        if step.axis is None:  # both are points, at one place
            assert len(self.a.local) == len(self.b.local) == 1 and abs(gap + self.radii) <= self.near
            return
        n = np.array(step.axis)
        assert abs(self.along(t, n) - gap) <= self.near  # the gap is the gap along the axis
        true = self.gap(t)
        assert gap <= true + self.near  # and no more than the gap
        if gap <= self.radii + self.tolerance and true >= 0.0:
            assert abs(true - gap) <= self.near  # which it is where they are nearer than the radii
        if step.points:
            p, q = (np.array(point) for point in step.points)
            assert np.abs(q - p - gap * n).max() <= self.near  # and the witness points are that far apart
            assert abs((p - self.here) @ n - (self.a.at(t) @ n).max() - self.a.radius) <= self.near

    def check_window(self, step):
        """Outside the window, the circles around the rotating cores are apart."""
        first, last = step.values["t_first"], step.values["t_last"]
        assert step.bound == (None if first > last else first)
        reach = sum(float(np.hypot(*body.local.T).max()) for body in (self.a, self.b)) + self.radii + self.tolerance
        for t in _SAMPLES:
            away = math.dist((1.0 - t) * self.a.start + t * self.a.end, (1.0 - t) * self.b.start + t * self.b.end)
            # a graze: the times are as good as the square root of the places
            if not first - 1e-6 <= t <= last + 1e-6:
                assert away >= reach - self.tolerance
            elif first + 1e-6 <= t <= last - 1e-6:
                assert away <= reach + self.tolerance

    def check_line(self, step):
        """A corner of A and one of B move along the axis with the stated gap and rate."""
        t, (gaps, rates) = step.values["t"], self.gaps_and_rates(step)
        gaps = gaps - self.radii - step.values["above"]
        speed = float(np.abs(rates).max()) + float(np.abs(self.b.velocities(t)).max() + np.abs(self.a.velocities(t)).max())
        assert ((np.abs(gaps) <= self.tolerance) & (np.abs(rates - step.values["slope"]) <= 1e-9 * speed + self.near)).any()

    def check_clear(self, start, end):
        for t in start + (end - start) * _SAMPLES[::8]:
            assert self.gap(t) >= -self.near

    def check_answer(self, steps):
        """The answer is a contact, and not later than the first one."""
        result, t = steps[-1].result, steps[-1].values["fraction"]
        assert t == result.fraction == steps[-1].bound
        if result.status is Status.OVERLAPPING:
            assert self.gap(0.0) <= self.near
            return
        for moment in t * _SAMPLES:
            assert self.gap(moment) >= -self.near
        if result.status is Status.HIT:
            assert self.gap(t) <= self.tolerance
        for point, body in zip(steps[-1].points, (self.a, self.b), strict=False):  # the witness points lie on their shapes then
            away = gap_of_cores((np.array(point) - self.here)[None], body.at(t))
            assert abs(away - body.radius) <= 2.0 * self.tolerance
        # the end of an interval is the start of the next but for the rounding of times in [0, 1]
        bounds = [step.bound for step in steps if step.bound is not None]
        assert max(bounds, default=0.0) <= t + 1e-15 or result.status is Status.MISS


def check_conservative_advancement(case, steps):
    motion, reached = Motion(case), 0.0
    for k, step in enumerate(steps[:-1]):
        if step.kind == "window":
            motion.check_window(step)
        elif step.kind == "gap":
            assert step.bound == step.values["t"] >= reached  # time goes on
            motion.check_gap(step)
        else:
            values, measured = step.values, steps[k - 1]
            assert (step.axis, step.points, values["t"]) == (measured.axis, measured.points, measured.values["t"])
            assert step.bound <= values["t"] + values["s"] and values["t"] + 0.999 * values["s"] <= max(step.bound, 1e-9)
            motion.check_clear(values["t"], step.bound)  # nothing touches up to there
            motion.check_line(step)
            motion.check_bend(step, step.bound)
            reached = step.bound
    motion.check_answer(steps)


def check_bilateral_advancement(case, steps):
    motion, gap = Motion(case), None
    motion.check_window(steps[0])
    for step in steps[1:-1]:
        values = step.values
        if step.kind == "gap":
            gap = step
            motion.check_gap(step)
        elif step.kind in ("far end", "root"):
            assert step.bound == gap.values["t"]
            assert step.kind == "far end" or values["t"] in (values["low"], values["high"])
            assert abs(motion.along(values["t"], np.array(step.axis)) - values["g"]) <= motion.near  # g is the gap along the axis
            assert np.abs(motion.held(gap, values["t"]) - step.axis).max() <= 1e-9  # which is the one held
        else:
            t1, t2 = values["t1"], values["t2"]
            assert t1 == gap.values["t"] and step.bound in (t1, t2)
            assert abs(motion.along(t1, motion.held(gap, t1)) - values["g1"]) <= motion.near
            assert abs(motion.along(t2, motion.held(gap, t2)) - values["g2"]) <= motion.near
            x, fall = np.linspace(0.0, 1.0, 257), 0.5 * values["K"] * (t2 - t1) ** 2
            curve = values["g1"] + (values["g2"] - values["g1"]) * x - fall * x * (1.0 - x)
            # the least of the parabola, between two samples of it no deeper than its bend over their distance
            assert curve.min() - fall / 257**2 <= values["least"] + motion.tolerance and values["least"] <= curve.min() + motion.near
            for x in (0.25, 0.5, 0.75):
                t = t1 + x * (t2 - t1)
                bound = values["g1"] + x * (values["g2"] - values["g1"]) - 0.5 * values["K"] * (t - t1) * (t2 - t)
                assert bound <= motion.along(t, motion.held(gap, t)) + motion.near  # the bound bounds
            if step.bound == t2:
                motion.check_clear(t1, t2)
    motion.check_answer(steps)


def check_bisection(case, steps):
    motion = Motion(case)
    motion.check_window(steps[0])
    for step in steps[1:-1]:
        motion.check_gap(step)
        if step.kind == "interval":
            values = step.values
            assert abs(values["t"] - 0.5 * (values["start"] + values["end"])) <= 1e-15
            least = min(values["at start"], values["at end"])
            assert values["least"] == (-math.inf if math.isnan(least) else least)
            assert step.bound in (values["start"], values["end"])
            for name in ("start", "end"):
                bound = values[f"at {name}"]
                assert math.isnan(bound) or bound <= motion.along(values[name], motion.held(step, values[name])) + motion.near
            motion.check_bend(step, values["end"])
            if step.bound == values["end"]:
                assert values["least"] > 0.0
                motion.check_clear(values["start"], values["end"])
    motion.check_answer(steps)
