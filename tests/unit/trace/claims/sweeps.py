"""Checks the claims of steps of translating shapes from the shapes alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING
from engine.contracts import Status
from engine.geometry import Transform
from tests.unit.trace.claims.gaps import gap_of_cores, is_counter_clockwise_normal

_SAMPLES = np.linspace(0.0, 1.0, 33)


class Slide:
    """Both cores of a case, relative to A's position, and the tolerance of numbers."""

    def __init__(self, case, names=("a", "b")):
        pair = case.pair
        here = np.array(pair.pose_a.position)
        self.turned, self.core, self.way, self.radius = {}, {}, {}, {}
        sides = {"a": (pair.shape_a, pair.pose_a, pair.end_a), "b": (pair.shape_b, pair.pose_b, pair.end_b)}
        scale = 0.0
        for name, (shape, pose, end) in sides.items():
            core = Transform((0.0, 0.0), pose.angle).apply_array(shape.core)
            if len(core) == 2 and (core[0] == core[1]).all():
                core = core[:1]
            self.turned[name], self.radius[name] = core, shape.radius
            self.core[name] = core + (np.array(pose.position) - here)
            self.way[name] = np.array(end.position) - np.array(pose.position)
            scale += float(np.abs(core).max() + np.abs(pose.position).max() + np.abs(end.position).max() + shape.radius)
        self.here, self.radii, self.near = here, pair.shape_a.radius + pair.shape_b.radius, 16.0 * SAT_ROUNDING * scale
        first, second = names
        self.w = self.way[second] - self.way[first]
        self.speed = float(np.hypot(*self.w))
        self.corners = (self.core[first][:, None] - self.core[second][None]).reshape(-1, 2)

    def gap(self, t):
        return gap_of_cores(self.core["a"] + t * self.way["a"], self.core["b"] + t * self.way["b"]) - self.radii

    def check_edge(self, step):
        """The other's projection lies at the stated distance beyond this edge, and reaches it at the stated time."""
        whose, edge, vertex, n = step.looked_at[0].whose, step.looked_at[0].index, step.looked_at[1].index, np.array(step.axis)
        other = "b" if whose == "a" else "a"
        own, others, values = self.core[whose], self.core[other], step.values
        assert is_counter_clockwise_normal(self.turned[whose], edge, n)
        beyond = (others - own[edge]) @ n
        assert abs(beyond.min() - values["s"]) <= self.near and abs(beyond[vertex] - values["s"]) <= self.near
        rate = n @ (self.way[other] - self.way[whose])
        assert abs(rate - values["n.w"]) <= self.near
        foot, corner = (np.array(point) - self.here for point in step.points)
        assert np.abs(corner - others[vertex]).max() <= self.near and np.abs(corner - foot - values["s"] * n).max() <= self.near
        if step.kind != "level":
            t = values["t"]
            assert (values["n.w"] < 0.0) == (step.kind == "begins")
            assert abs(beyond.min() + t * values["n.w"]) <= self.near * (1.0 + abs(t))  # there the shadows meet
        else:
            assert values["n.w"] == 0.0

    def check_rounded_edge(self, step):
        values, n = step.values, np.array(step.axis)
        corner = np.array((values["x"], values["y"]))
        assert np.abs(self.corners - corner).max(axis=1).min() <= self.near  # a corner of the difference
        assert abs(math.hypot(*n) - 1.0) < 1e-9
        t = values["t"]
        if math.isnan(t):
            return False
        slack = self.near * (1.0 + abs(t))
        if len(self.corners) > 2 and values["length"] > 1e3 * self.near:
            assert ((self.corners - corner) @ n).max() <= self.near  # whose edge it is: all lies behind it
        at = t * self.w - corner - self.radii * n
        assert abs(n @ at) <= slack and abs(n @ self.w - values["n.w"]) <= self.near
        assert abs(n[0] * at[1] - n[1] * at[0] - values["along"]) <= slack
        along = (self.corners - corner) @ np.array((-n[1], n[0]))
        assert np.abs(along - values["length"]).min() <= self.near
        return 0.0 <= values["along"] <= values["length"]

    def check_circle(self, center, away, nearest, half):
        """The path passes a position at that distance and time, and is within the radii for half the interval before and after."""
        assert abs(abs(center[0] * self.w[1] - center[1] * self.w[0]) - away * self.speed) <= self.near * self.speed
        assert abs(nearest * self.speed**2 - center @ self.w) <= self.near * self.speed * (1.0 + abs(nearest))
        if math.isfinite(half):
            for t in (nearest - half, nearest + half):
                assert abs(math.dist(t * self.w, center) - self.radii) <= self.near * (1.0 + abs(t)) or half == 0.0
        else:
            assert away > self.radii

    def check_times(self, status, t_first, normal, points, names):
        """There is no contact before the answer; the answer is a contact at the stated position, with a separating normal."""
        first, second = names
        if status is Status.OVERLAPPING or (normal is None and status is Status.HIT):
            assert self.gap(0.0) <= self.near
            return
        end = t_first if status is Status.HIT else 1.0
        for t in end * _SAMPLES:
            assert self.gap(t) >= -self.near
        if status is Status.HIT:
            assert abs(self.gap(end)) <= self.near
            core_a, other = self.core[first] + end * self.way[first], self.core[second] + end * self.way[second]
            n = np.array(normal)
            assert abs(math.hypot(*n) - 1.0) < 1e-9
            # both are on their sides of the line of the touch; a corner met by rounding turns the normal by as much
            reach = min(1.0, self.near / max(self.radii, self.near)) * float(np.ptp(self.corners, axis=0).max())
            assert (other @ n).min() - (core_a @ n).max() - self.radii >= -8.0 * self.near - reach
            for point in points:
                at = np.array(point) - self.here
                for core, radius in ((core_a, self.radius[first]), (other, self.radius[second])):
                    assert abs(gap_of_cores(at[None], core) - radius) <= 8.0 * self.near


def check_slide(case, steps, names):
    slide = Slide(case, names)
    first, last = -math.inf, math.inf
    for step in steps[:-1]:
        values = step.values
        if step.kind in ("begins", "ends", "level"):
            slide.check_edge(step)
            if step.kind == "begins":
                first = max(first, values["t"])
            elif step.kind == "ends":
                last = min(last, values["t"])
            elif values["first"] == math.inf:
                assert values["s"] > 0.0
                first, last = math.inf, -math.inf
        elif step.kind == "start":
            assert values["gap"] <= slide.gap(0.0) + slide.near
            inside = steps[-1].result.normal is None and steps[-1].result.status is not Status.MISS
            assert (values["inside"] == 1.0) == inside
        elif step.kind == "grown":
            n_a, n_b = len(slide.core["a"]), len(slide.core["b"])
            assert values["corners"] == (n_a * n_b if min(n_a, n_b) == 1 else n_a + n_b)
            first, last = math.inf, -math.inf
        elif step.kind == "rounded edge":
            if slide.check_rounded_edge(step):
                first, last = min(first, values["t"]) if values["n.w"] < 0.0 else first, max(last, values["t"])
        elif step.kind == "rounded corner":
            center = np.array((values["x"], values["y"]))
            assert np.abs(slide.corners - center).max(axis=1).min() <= slide.near
            slide.check_circle(center, values["away"], values["nearest"], values["half"])
            if math.isfinite(values["half"]):
                first, last = min(first, values["nearest"] - values["half"]), max(last, values["nearest"] + values["half"])
        elif step.kind == "measured":
            assert values["t"] == first and values["wrong"] in (0.0, 1.0)
            assert values["wrong"] == (slide.gap(first) > slide.near) or slide.gap(first) <= 2.0 * slide.near
        if "first" in values:
            assert (values["first"], values["last"]) == (first, last) or (first > last and values["first"] > values["last"])
    result = steps[-1].result
    assert steps[-1].axis == result.normal
    if result.normal is not None:
        assert (steps[-1].values["first"], steps[-1].values["last"]) == (first, last)
        assert first <= last
    return slide, result


def check_swept_sat(case, steps):
    slide, result = check_slide(case, steps, ("a", "b"))
    assert steps[-1].points == result.contact_set.points
    slide.check_times(result.status, result.t_first, result.normal, steps[-1].points, ("a", "b"))
    if result.status is Status.HIT:
        # while they touch they touch, and after it they do not
        for x in (0.25, 0.5, 0.75):
            assert slide.gap(result.t_first + x * (result.t_last - result.t_first)) <= slide.near * (1.0 + abs(result.t_last))
        past = result.t_last + 1e-3 * (1.0 + abs(result.t_last))
        assert slide.gap(past) >= -slide.near * (1.0 + abs(past))


def check_shape_cast(case, steps):
    slide, result = check_slide(case, steps, ("b", "a"))
    assert steps[-1].points == (() if result.point is None else (result.point,))
    slide.check_times(result.status, result.fraction, result.normal, steps[-1].points, ("b", "a"))


def check_moving_discs(case, steps):
    slide, result = Slide(case), steps[-1].result
    center, answer = slide.corners[0], steps[-1]
    for step in steps:
        values = step.values
        for point, name in zip(step.points if step.kind in ("start", "nearest") else (), "ab", strict=False):
            t = values.get("t0", 0.0)
            at = slide.core[name][0] + t * slide.way[name]
            assert math.dist(np.array(point) - slide.here, at) <= slide.near * (1.0 + abs(t))  # the centers then
        if step.kind == "start":
            assert abs(values["|c|"] - math.hypot(*center)) <= slide.near and abs(values["r"] - slide.radii) <= slide.near
            assert abs(values["gap"] - slide.gap(0.0)) <= slide.near
            assert values["inside"] == 0.0 or values["gap"] <= slide.near
        elif step.kind == "nearest":
            half = next((later.values["h"] for later in steps if later.kind == "chord"), math.nan)
            slide.check_circle(center, values["d"], values["t0"], half)
            assert abs(values["r"] - slide.radii) <= slide.near
        elif step.kind == "chord":
            assert values["first"] == steps[1].values["t0"] - values["h"] and values["last"] == steps[1].values["t0"] + values["h"]
    assert answer.points == result.contact_set.points and answer.axis in (None, result.normal)
    slide.check_times(result.status, result.t_first, result.normal, answer.points, ("a", "b"))
