"""What a step of bilateral advancement claims, from the shapes and the motions alone."""

from __future__ import annotations

import numpy as np

from tests.unit.trace.claims.impacts import Motion


def check(case, steps):
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
