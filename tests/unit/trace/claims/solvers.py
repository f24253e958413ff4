"""What steps of solvers claim, from masses, arms and the sentences' numbers alone: an impulse is what the velocities changed by."""

from __future__ import annotations

import math

import numpy as np

from engine.world import World

ROWS = ("normal", "tangent", "pair")

NEAR = 1e-9
"""Of the largest velocity, or of what an impulse gives: far above the rounding of a few sums of float64."""


class Bodies:
    """Bodies as the steps have told them so far."""

    def __init__(self, case, method):
        snapshot = case.before(method)
        world = World.from_snapshot(snapshot)
        self.dt, self.gravity = snapshot.settings.dt, snapshot.settings.gravity
        self.velocity, self.shift, self.inverse, self.center, self.friction = {}, {}, {}, {}, {}
        for body in world.body_ids:
            record, state = world.body(body), world.state(body)
            self.velocity[body] = np.array([*state.linear_velocity, state.angular_velocity])
            self.shift[body] = np.zeros(3)
            is_driven = record.spec.type == "dynamic" and record.mass > 0.0 and record.spec.active and state.awake
            light, turning = (1.0 / record.mass, 1.0 / record.inertia if record.inertia > 0.0 else 0.0) if is_driven else (0.0, 0.0)
            self.inverse[body] = np.array([light, light, turning])
            self.center[body] = np.array(state.xf.apply(record.local_center))
            self.friction[body] = record.spec.fixtures[0].friction if record.spec.fixtures else 0.0
        self.size = 1.0 + max((float(np.abs(v).max()) for v in self.velocity.values()), default=0.0)

    def told(self, step):
        """Return the velocities and shifts that a step tells."""
        values = step.values
        found = {}
        for body in self.velocity:
            if f"v{body}x" in values:
                v = np.array([values[f"v{body}x"], values[f"v{body}y"], values[f"w{body}"]])
                found[body] = v, np.array([values[f"x{body}"], values[f"y{body}"], values[f"a{body}"]])
                self.size = max(self.size, float(np.abs(v).max()))
        return found

    def take(self, step):
        """Go on with what a step tells."""
        for body, (v, x) in self.told(step).items():
            self.velocity[body], self.shift[body] = v, x

    def ends(self, step):
        """Return the bodies A and B of a step's contact."""
        a, b = (one.index for one in step.looked_at if one.whose == "body")
        return a, b

    def line(self, body, point, along, sign):
        """Return the row of a body in the Jacobian of a point along a direction."""
        r = np.array(point) - self.center[body]
        return sign * np.array([along[0], along[1], r[0] * along[1] - r[1] * along[0]])

    def lines(self, step, point, along):
        """Return the rows of A and B."""
        a, b = self.ends(step)
        return {a: self.line(a, point, along, -1.0), b: self.line(b, point, along, 1.0)}

    def rate(self, lines):
        """Return J v."""
        return sum(float(line @ self.velocity[body]) for body, line in lines.items())

    def response(self, lines):
        """Return J M^-1 J^T."""
        return sum(float(line * self.inverse[body] @ line) for body, line in lines.items())

    def check_change(self, step, change):
        """Hold that the velocities changed by the impulses' J^T P / m, and all others not at all."""
        for body, (v, _) in self.told(step).items():
            wanted = self.inverse[body] * change.get(body, np.zeros(3))
            reach = NEAR * (self.size + np.abs(wanted).max() + 1e-6 * np.abs(self.center[body]).max() * self.inverse[body][2])
            assert np.abs(v - self.velocity[body] - wanted).max() <= reach, (step.sentence, body)


def tangent_of(normal):
    return normal[1], -normal[0]


def check(case, steps, method):
    bodies, accumulated = Bodies(case, method), {}
    for step in steps[:-1]:
        if step.kind == "free":
            for body, (v, _) in bodies.told(step).items():
                if not bodies.inverse[body].any():
                    assert (v == bodies.velocity[body]).all()
        elif step.kind in ("normal", "tangent"):
            check_row(bodies, step, accumulated)
        elif step.kind == "bounce":
            if step.points:
                check_bounce(bodies, step)
        elif step.kind == "pair":
            check_pair(bodies, step, accumulated)
        elif step.kind == "apart":
            check_apart(bodies, step)
        elif step.kind == "warm":
            for name, value in step.values.items():
                if name.startswith("P"):
                    contact, point = name[1:-1].split(".")
                    accumulated[int(contact), int(point), name[-1]] = value
                    assert value >= 0.0 or name.endswith("t")
        elif step.kind == "move":
            for body, (v, x) in bodies.told(step).items():
                assert (v == bodies.velocity[body]).all() and np.abs(x - bodies.shift[body]).max() <= bodies.size * bodies.dt
        bodies.take(step)
    met = {body for step in steps if step.kind in ROWS for body in bodies.ends(step)}
    bodies.take(steps[-1])
    for body, state in zip(bodies.velocity, steps[-1].result, strict=True):
        if body in met:  # what nothing touches may have been stopped on its way by a first touch
            assert (bodies.velocity[body] == (*state.linear_velocity, state.angular_velocity)).all()


def check_row(bodies, step, accumulated):
    values, (point,), along = step.values, step.points, step.axis
    contact, k = step.looked_at[1].index, step.looked_at[0].index
    letter, other = ("n", "t") if step.kind == "normal" else ("t", "n")
    before, after = values["before"], values["after"]
    change, lines = after - before, bodies.lines(step, point, along)
    known = accumulated.get((contact, k, letter))
    assert known is None or known == before  # it goes on from what it had
    bodies.check_change(step, {body: line * change for body, line in lines.items()})
    response, rate = bodies.response(lines), bodies.rate(lines)
    small = NEAR * (bodies.size + abs(change) * response + response * (abs(before) + abs(after)))
    small += 1e-6 * NEAR * max(abs(x) for x in point) * max(abs(v[2]) for v in bodies.velocity.values())
    after_rate = rate + response * change
    left = values["share"] * (rate + values["bias"]) + response * (change + values["kept"] * before)  # 0 where it is solved
    if step.kind == "normal":
        assert after >= 0.0
        assert abs(left) <= small or (after == 0.0 and left >= -small), step.sentence
    else:
        a, b = bodies.ends(step)
        most = math.sqrt(bodies.friction[a] * bodies.friction[b]) * accumulated.get((contact, k, other), 0.0)
        assert abs(after) <= most * (1.0 + 1e-12)
        is_clamped = abs(after) >= most * (1.0 - 1e-9)
        assert abs(after_rate) <= small or (is_clamped and after * after_rate <= small)
    accumulated[contact, k, letter] = after


def check_bounce(bodies, step):
    """What has pushed in the step leaves with what restitution asks for; in all it has never pulled."""
    (point,), values = step.points, step.values
    lines, change = bodies.lines(step, point, step.axis), values["after"] - values["before"]
    bodies.check_change(step, {body: line * change for body, line in lines.items()})
    rate, response = bodies.rate(lines), bodies.response(lines)
    small = NEAR * (bodies.size + response * (abs(values["before"]) + abs(values["after"])))
    assert values["after"] >= 0.0 and values["bias"] < 0.0
    assert abs(rate + response * change + values["bias"]) <= small or values["after"] <= small


def check_pair(bodies, step, accumulated):
    values, contact = step.values, step.looked_at[1].index
    marked = [mark.points[0] for mark in step.marks if mark.role == "looked_at" and mark.form == "point"]
    lines = [bodies.lines(step, point, step.axis) for point in marked]
    change, rates, responses = {}, [], [bodies.response(one) for one in lines]
    for k in range(2):
        assert values[f"after {k}"] >= 0.0
        assert accumulated.get((contact, k, "n"), values[f"before {k}"]) == values[f"before {k}"]
        accumulated[contact, k, "n"] = values[f"after {k}"]
        for body, line in lines[k].items():
            change[body] = change.get(body, 0.0) + line * (values[f"after {k}"] - values[f"before {k}"])
    bodies.check_change(step, change)
    bodies.take(step)
    rates = [bodies.rate(one) for one in lines]
    for k in range(2):  # w >= 0, x >= 0, w x = 0
        w = rates[k] + values[f"bias {k}"] + responses[k] * values[f"yield {k}"] * values[f"after {k}"]
        small = 1e3 * NEAR * (bodies.size + responses[k] * sum(values[f"{name} {j}"] for name in ("before", "after") for j in range(2)))
        assert w >= -small and (values[f"after {k}"] == 0.0 or abs(w) <= small), (step.sentence, w, small)


def check_apart(bodies, step):
    """A push of P at the levers that it tells shifts both bodies by M^-1 J^T P, apart and never together."""
    values, normal = step.values, step.axis
    a, _ = bodies.ends(step)
    assert values["push"] >= 0.0
    for body, (_, x) in bodies.told(step).items():
        sign, lever = (-1.0, values["lever a"]) if body == a else (1.0, values["lever b"])
        wanted = values["push"] * sign * bodies.inverse[body] * np.array([normal[0], normal[1], lever])
        assert np.abs(x - bodies.shift[body] - wanted).max() <= NEAR * (1.0 + np.abs(wanted).max())
