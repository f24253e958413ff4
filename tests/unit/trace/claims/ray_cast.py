"""Checks the claims of a ray-cast step from the shape and the ray alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING
from engine.geometry import Transform
from tests.unit.trace.claims.gaps import gap_of_points, is_counter_clockwise_normal


def check_ray_cast(case, steps):
    pair = case.pair
    here = np.array(pair.pose_a.position)  # all is looked at from there: corners carry no rounding of a far place
    core, radius = Transform((0.0, 0.0), pair.pose_a.angle).apply_array(pair.shape_a.core), pair.shape_a.radius
    origin, end = (np.array(place) - here for place in pair.ray)
    way, near = end - origin, 16.0 * SAT_ROUNDING * float(np.abs(core).max() + np.abs(pair.ray).max() + np.abs(here).max() + radius)
    if len(core) == 2 and (core[0] == core[1]).all():
        core = core[:1]
    speed = float(np.hypot(*way))
    is_bare = len(core) > 2 and radius == 0.0
    entry, leave = (-math.inf, math.inf) if is_bare else (math.inf, -math.inf)
    for step in steps[:-1]:
        values, n = step.values, None if step.axis is None else np.array(step.axis)
        for point in step.points:
            at = np.array(point) - here
            assert abs((at - origin) @ np.array((-way[1], way[0]))) <= near * speed * 8.0  # what is marked lies on the ray
        if step.kind == "start":
            assert values["inside"] == (steps[-1].result.normal is None and steps[-1].result.point is not None)
        elif step.kind in ("entry", "exit", "along"):
            edge = step.looked_at[0].index
            assert is_counter_clockwise_normal(core, edge, n)
            assert abs(n @ (origin - core[edge]) - values["in front"]) <= near
            assert abs(n @ way - values["n.w"]) <= near
            if step.kind != "along":
                assert (values["n.w"] < 0.0) == (step.kind == "entry")
                at = origin + values["t"] * way
                assert abs(n @ (at - core[edge])) <= near * (1.0 + abs(values["t"]))  # there the edge's line is crossed
                if step.kind == "entry":
                    entry = max(entry, values["t"])
                else:
                    leave = min(leave, values["t"])
            assert (values["entry"], values["exit"]) == (entry, leave)
        elif step.kind == "rounded edge":
            edge = step.looked_at[0].index
            if math.isfinite(values["t"]):
                side = core[(edge + 1) % len(core)] - core[edge]
                at, slack = origin + values["t"] * way - core[edge] - radius * n, near * (1.0 + abs(values["t"]))
                assert abs(n @ at) <= slack and abs(n @ side) <= near  # there the shifted edge is crossed
                assert abs(math.hypot(*side) - values["length"]) <= near and abs(n @ way - values["n.w"]) <= near
                assert abs((n[0] * at[1] - n[1] * at[0]) - values["along"]) <= slack
                if step.points or 0.0 <= values["along"] <= values["length"]:
                    assert 0.0 <= values["along"] <= values["length"]
                    leave = max(leave, values["t"])
                    entry = min(entry, values["t"]) if values["n.w"] < 0.0 else entry
            assert (values["entry"], values["exit"]) == (entry, leave)
        elif step.kind == "rounded corner":
            center = core[step.looked_at[0].index] - origin
            assert abs(abs(way[0] * center[1] - way[1] * center[0]) - values["away"] * speed) <= near * speed
            assert abs(values["nearest"] * speed * speed - center @ way) <= near * speed * (1.0 + abs(values["nearest"]))
            if math.isfinite(values["half"]):
                for t in (values["nearest"] - values["half"], values["nearest"] + values["half"]):
                    away = math.dist(t * way, center)
                    assert abs(away - radius) <= near * (1.0 + abs(t)) or values["half"] == 0.0  # there the circle is crossed
                entry, leave = min(entry, values["nearest"] - values["half"]), max(leave, values["nearest"] + values["half"])
            else:
                assert values["away"] > radius
            assert (values["entry"], values["exit"]) == (entry, leave)
        elif step.kind in ("entered", "passed"):
            assert (values["entry"], values["exit"]) == (entry, leave)
            if step.kind == "entered":
                assert abs(values["t"] - entry) * speed <= 4.0 * near or not is_bare or values["t"] == leave
                assert not step.points or math.dist(np.array(step.points[0]) - here, origin + values["t"] * way) <= 4.0 * near
                if len(core) > 2 and step.looked_at:
                    assert is_counter_clockwise_normal(core, step.looked_at[0].index, n)
    hit = steps[-1].result
    assert steps[-1].values["fraction"] == hit.fraction and steps[-1].axis == hit.normal
    times = np.linspace(0.0, min(hit.fraction, 1.0), 65)[:, None]
    before = gap_of_points(core, origin + times * way) - radius
    if hit.normal is None and hit.point is not None:
        assert before[0] <= near
        return
    assert before.min() >= -near  # nothing of the ray before the hit is inside
    if hit.point is not None:
        at, n, reach = np.array(hit.point) - here, np.array(hit.normal), 0.1 * float(np.abs(core).max() + radius)
        assert steps[-1].points == (hit.point,) and math.dist(at, origin + hit.fraction * way) <= near
        assert abs(gap_of_points(core, at[None])[0] - radius) <= near  # the hit lies on the shape
        assert gap_of_points(core, (at + reach * n)[None])[0] - radius >= reach - 4.0 * near  # and its normal leads straight away
