"""What a step of a ray cast claims, from the shape and the ray alone."""

from __future__ import annotations

import math

import numpy as np

from engine.common.tolerances import SAT_ROUNDING
from engine.geometry import Transform
from tests.unit.trace.claims.gaps import gap_of_points, is_counter_clockwise_normal


def check(case, steps):
    pair = case.pair
    here = np.array(pair.pose_a.position)  # all is looked at from there: corners carry no rounding of a far place
    core, radius = Transform((0.0, 0.0), pair.pose_a.angle).apply_array(pair.shape_a.core), pair.shape_a.radius
    origin, end = (np.array(place) - here for place in pair.ray)
    way, near = end - origin, 16.0 * SAT_ROUNDING * float(np.abs(core).max() + np.abs(pair.ray).max() + np.abs(here).max() + radius)
    if len(core) == 2 and (core[0] == core[1]).all():
        core = core[:1]
    entry, leave = -math.inf, math.inf
    for step in steps[:-1]:
        values = step.values
        if step.kind in ("entry", "exit", "along"):
            edge = step.looked_at[0].index
            n = np.array(step.axis)
            assert is_counter_clockwise_normal(core, edge, n)
            assert abs(n @ (origin - core[edge]) - values["in front"]) <= near
            if step.kind == "along":
                assert abs(n @ way) <= near
            else:
                assert (n @ way < near) if step.kind == "entry" else (n @ way > -near)
                at = origin + values["t"] * way
                assert abs(n @ (at - core[edge])) <= near * (1.0 + abs(values["t"]))  # there the edge's line is crossed
                if step.kind == "entry":
                    entry = max(entry, values["t"])
                else:
                    leave = min(leave, values["t"])
            assert (values["entry"], values["exit"]) == (entry, leave)
        elif step.kind == "rounded edge" and step.points:
            edge = step.looked_at[0].index
            at = origin + values["t"] * way
            assert abs(np.array(step.axis) @ (at - core[edge]) - radius) <= near * (1.0 + abs(values["t"]))
            entry = min(entry, values["t"]) if math.isfinite(entry) else values["t"]
        elif step.kind == "rounded corner" and math.isfinite(values["half"]):
            center = core[step.looked_at[0].index]
            for t in (values["nearest"] - values["half"], values["nearest"] + values["half"]):
                away = math.dist(origin + t * way, center)
                assert abs(away - radius) <= near * (1.0 + abs(t)) or values["half"] == 0.0  # there the circle is crossed
        elif step.kind == "entered":
            assert values["entry"] <= values["t"] + near <= values["exit"] + 2.0 * near or not core.shape[0] > 2
    hit = steps[-1].result
    times = np.linspace(0.0, min(hit.fraction, 1.0), 65)[:, None]
    before = gap_of_points(core, origin + times * way) - radius
    if hit.point is not None:
        assert abs(gap_of_points(core, np.array([hit.point]) - here)[0] - radius) <= near or hit.normal is None  # the hit lies on the shape
    if hit.normal is None and hit.point is not None:
        assert before[0] <= near
    else:
        assert before.min() >= -near  # and nothing before it does
