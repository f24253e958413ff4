"""What a step of two moving discs claims, from the discs alone."""

from __future__ import annotations

import math

import numpy as np

from tests.unit.trace.claims.sweeps import Slide


def check(case, steps):
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
