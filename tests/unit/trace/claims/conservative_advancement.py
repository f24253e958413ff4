"""What a step of conservative advancement claims, from the shapes and the motions alone."""

from __future__ import annotations

from tests.unit.trace.claims.impacts import Motion


def check(case, steps):
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
