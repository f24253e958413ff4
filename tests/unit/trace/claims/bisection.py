"""What a step of bisection claims, from the shapes and the motions alone."""

from __future__ import annotations

import math

from tests.unit.trace.claims.impacts import Motion


def check(case, steps):
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
