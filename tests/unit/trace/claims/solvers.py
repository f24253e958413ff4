"""Checks the claims of solver steps from masses, arms and reported numbers alone: impulses equal the changes of momentum."""

from __future__ import annotations

import math

import numpy as np

from engine.world import World, load_solver

ROWS = ("normal", "tangent", "pair", "restored", "slid", "collide")

NEAR = 1e-9
"""Share of the largest velocity, or of an impulse's effect: far above the rounding of a few sums of float64."""


class Bodies:
    """Bodies in the state reported by the steps so far."""

    def __init__(self, case, method):
        snapshot = case.before(method)
        world = World.from_snapshot(snapshot)
        self.dt, self.gravity = snapshot.settings.dt, snapshot.settings.gravity
        self.options = load_solver(method).method.options(snapshot.settings.solver_settings)
        self.forces, self.sets = {}, []
        self.sums, self.local = {}, {}
        self.velocity, self.shift, self.inverse, self.center, self.friction = {}, {}, {}, {}, {}
        for body in world.body_ids:
            record, state = world.body(body), world.state(body)
            self.velocity[body] = np.array([*state.linear_velocity, state.angular_velocity])
            self.shift[body] = np.zeros(3)
            if not record.spec.active:
                self.velocity[body] = np.zeros(3)
            is_driven = record.spec.type == "dynamic" and record.mass > 0.0 and record.spec.active and state.awake
            light, turning = (1.0 / record.mass, 1.0 / record.inertia if record.inertia > 0.0 else 0.0) if is_driven else (0.0, 0.0)
            self.inverse[body] = np.array([light, light, turning])
            self.local[body] = record.local_center
            self.center[body] = np.array(state.xf.apply(record.local_center))
            self.friction[body] = record.spec.fixtures[0].friction if record.spec.fixtures else 0.0
        self.jointed = {body for joint in world.joint_ids for body in world.joint_bodies(joint)}
        self.size = 1.0 + max((float(np.abs(v).max()) for v in self.velocity.values()), default=0.0)

    def motion(self, step):
        """Return the velocities and shifts that a step reports."""
        values = step.values
        motion = {}
        for body in self.velocity:
            if f"v{body}x" in values:
                v = np.array([values[f"v{body}x"], values[f"v{body}y"], values[f"w{body}"]])
                motion[body] = v, np.array([values[f"x{body}"], values[f"y{body}"], values[f"a{body}"]])
                self.size = max(self.size, float(np.abs(v).max()))
        return motion

    def take(self, step):
        """Set the velocities and shifts to those that a step reports."""
        for body, (v, x) in self.motion(step).items():
            self.velocity[body], self.shift[body] = v, x

    def ends(self, step):
        """Return the bodies A and B of a step's contact."""
        a, b = (mark.index for mark in step.looked_at if mark.whose == "body")
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

    def check_change(self, step, change, terms=None):
        """Check that the velocities changed by the impulses' J^T P / m, and all others did not change.

        For many impulses, `terms` has the sum of |J^T P| for each body: if they cancel, each is rounded relative to its own size, not to
        that of the sum (friction of 1.47 on bodies in one place: impulses of 1e18 N s that leave a tenth of that).
        """
        for body, (v, _) in self.motion(step).items():
            expected = self.inverse[body] * change.get(body, np.zeros(3))
            most = np.abs(self.inverse[body] * (change if terms is None else terms).get(body, np.zeros(3))).max()
            reach = NEAR * (self.size + most + 1e-6 * np.abs(self.center[body]).max() * self.inverse[body][2])
            assert np.abs(v - self.velocity[body] - expected).max() <= reach, (step.sentence, body)


def tangent_of(normal):
    return normal[1], -normal[0]


def check_solver(case, steps, method):
    bodies, accumulated, places = Bodies(case, method), {}, places_of(steps)
    for step in steps[:-1]:
        if step.kind == "free" and "stiffness" in bodies.options:
            check_springs(bodies, step)
        elif step.kind == "free":
            for body, (v, _) in bodies.motion(step).items():
                if not bodies.inverse[body].any():
                    assert (v == bodies.velocity[body]).all()
        elif step.kind == "taken_back":
            accumulated.clear()
        elif step.kind in ("normal", "tangent"):
            check_row(bodies, step, accumulated)
        elif step.kind == "bounce":
            if step.points:
                check_bounce(bodies, step)
        elif step.kind == "pair":
            check_pair(bodies, step, accumulated)
        elif step.kind in MORE:
            MORE[step.kind](bodies, step, accumulated)
        elif step.kind == "apart":
            check_apart(bodies, step)
        elif step.kind == "warm":
            check_warm(bodies, step, accumulated, places)
        elif step.kind == "move" and "resting_speed" in bodies.options:
            check_piece(bodies, step)
        elif step.kind == "move" and "stiffness" in bodies.options:
            h = bodies.dt / bodies.options["sub_steps"]
            for body, (v, x) in bodies.motion(step).items():
                assert (v == bodies.velocity[body]).all(), (step.sentence, body)
                assert np.abs(x - bodies.shift[body] - h * v).max() <= NEAR * (1.0 + h * bodies.size), (step.sentence, body)
        elif step.kind == "move":
            for body, (v, x) in bodies.motion(step).items():
                assert (v == bodies.velocity[body]).all() and np.abs(x - bodies.shift[body]).max() <= bodies.size * bodies.dt
        bodies.take(step)
    met = {body for step in steps if step.kind in ROWS for body in bodies.ends(step)}
    bodies.take(steps[-1])
    for body, state in zip(bodies.velocity, steps[-1].result, strict=True):
        way = np.array(state.xf.apply(bodies.local[body])) - bodies.center[body]
        is_stopped = (
            np.abs(way - bodies.shift[body][:2]).max() > 1e-9
        )  # at a first touch; one that falls then has the velocity of that moment
        if body in met and not is_stopped:
            assert (bodies.velocity[body] == (*state.linear_velocity, state.angular_velocity)).all()


def places_of(steps):
    """Return the position of each point of a contact, its normal, and a step with its bodies."""
    places = {}
    for step in steps:
        if step.kind in ("normal", "pair"):
            points = [mark.points[0] for mark in step.marks if mark.role == "looked_at" and mark.form == "point"]
            for k, point in enumerate(points, step.looked_at[0].index if step.kind == "normal" else 0):
                places[step.looked_at[1].index, k] = step, point, step.axis
    return places


def check_warm(bodies, step, accumulated, places):
    """The contacts' initial impulses are applied completely to both bodies."""
    change, are_known = {}, True
    for name, value in step.values.items():
        if name.startswith("P"):
            contact, point, letter = (*map(int, name[1:-1].split(".")), name[-1])
            accumulated[contact, point, letter] = value
            assert value >= 0.0 or letter == "t"
            if value != 0.0 and (contact, point) in places:
                of, at, normal = places[contact, point]
                for body, line in bodies.lines(of, at, normal if letter == "n" else tangent_of(normal)).items():
                    change[body] = change.get(body, 0.0) + line * value
            are_known = are_known and (value == 0.0 or (contact, point) in places)
    if change and are_known:
        bodies.check_change(step, change)


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
        is_left_alone = step.sentence.startswith("Relaxation") and values["bias"] > 0.0  # a gap is open
        assert abs(left) <= small or (after == 0.0 and (left >= -small or is_left_alone)), step.sentence
    else:
        a, b = bodies.ends(step)
        most = math.sqrt(bodies.friction[a] * bodies.friction[b]) * accumulated.get((contact, k, other), 0.0)
        assert abs(after) <= most * (1.0 + 1e-12)
        is_clamped = abs(after) >= most * (1.0 - 1e-9)
        assert abs(after_rate) <= small or (is_clamped and after * after_rate <= small)
    accumulated[contact, k, letter] = after


def check_bounce(bodies, step):
    """A point that pushed in the step leaves at the restitution speed; its total impulse never pulls."""
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
    change, rates, responses = {}, [], [bodies.response(line) for line in lines]
    for k in range(2):
        assert values[f"after {k}"] >= 0.0
        assert accumulated.get((contact, k, "n"), values[f"before {k}"]) == values[f"before {k}"]
        accumulated[contact, k, "n"] = values[f"after {k}"]
        for body, line in lines[k].items():
            change[body] = change.get(body, 0.0) + line * (values[f"after {k}"] - values[f"before {k}"])
    bodies.check_change(step, change)
    bodies.take(step)
    rates = [bodies.rate(line) for line in lines]
    for k in range(2):  # w >= 0, x >= 0, w x = 0
        w = rates[k] + values[f"bias {k}"] + values[f"give {k}"] * values[f"after {k}"]
        small = 1e3 * NEAR * (bodies.size + responses[k] * sum(values[f"{name} {j}"] for name in ("before", "after") for j in range(2)))
        assert w >= -small and (values[f"after {k}"] == 0.0 or abs(w) <= small), (step.sentence, w, small)


def check_apart(bodies, step):
    """A push P at the reported lever arms displaces both bodies by M^-1 J^T P, always apart."""
    values, normal = step.values, step.axis
    a, _ = bodies.ends(step)
    assert values["push"] >= 0.0
    for body, (_, x) in bodies.motion(step).items():
        sign, lever = (-1.0, values["lever a"]) if body == a else (1.0, values["lever b"])
        expected = values["push"] * sign * bodies.inverse[body] * np.array([normal[0], normal[1], lever])
        assert np.abs(x - bodies.shift[body] - expected).max() <= NEAR * (1.0 + np.abs(expected).max())


def mu_of(bodies, step):
    a, b = bodies.ends(step)
    return math.sqrt(bodies.friction[a] * bodies.friction[b])


def of_contact(step):
    """Return the contact and the point of a step."""
    return step.looked_at[1].index, step.looked_at[0].index


def check_placed(bodies, step, accumulated):
    """An impulse P along a direction displaces both bodies by h M^-1 J^T P, as XPBD's row requires."""
    values, along, (a, b) = step.values, step.axis, bodies.ends(step)
    contact, k = of_contact(step)
    is_tangent = step.kind == "held"
    h = bodies.dt / bodies.options["sub_steps"]
    before, after = values["before"], values.get("after", values["before"])
    levers = {a: -values["lever a"], b: values["lever b"]}
    response = 0.0
    for body, (_, x) in bodies.motion(step).items():
        sign = -1.0 if body == a else 1.0
        line = np.array([sign * along[0], sign * along[1], levers[body]])
        reach = np.hypot(*(np.array(step.points[0]) - bodies.center[body])) + 1.0
        first = bodies.line(body, step.points[0], along, sign)[2]
        assert abs(levers[body] - first) <= 4.0 * reach * abs(bodies.shift[body][2]) + NEAR * np.abs(bodies.center[body]).max() + NEAR
        response += float(line * bodies.inverse[body] @ line)
        expected = h * (after - before) * bodies.inverse[body] * line
        assert np.abs(x - bodies.shift[body] - expected).max() <= NEAR * (1.0 + np.abs(expected).max()), step.sentence
    soft, error = values["soft"], values["C"]
    left = error / h + soft * before + (response + soft) * (after - before)
    small = NEAR * (bodies.size + abs(error) / h + (response + soft) * (abs(before) + abs(after)))
    if not is_tangent:
        assert after >= 0.0 and (abs(left) <= small or (after == 0.0 and left >= -small)), step.sentence
        accumulated[contact, k, "n"] = after
    else:
        most = mu_of(bodies, step) * accumulated[contact, k, "n"]
        if "after" in values:
            assert abs(left) <= small and abs(after) <= most * (1.0 + 1e-12)
        else:  # friction lets go: to hold it would take more
            assert abs(before - error / (h * response)) > most * (1.0 - 1e-9)
        accumulated[contact, k, "t"] = after


def armed_lines(bodies, step):
    values, along, (a, b) = step.values, step.axis, bodies.ends(step)
    lines = {}
    for body, side, sign in ((a, "a", -1.0), (b, "b", 1.0)):
        x, y = values[f"arm {side}x"], values[f"arm {side}y"]
        lines[body] = sign * np.array([along[0], along[1], x * along[1] - y * along[0]])
    return lines


def check_restored(bodies, step, accumulated):
    """The impulse matches the change of the velocities, and the point does not approach afterward.

    The penalty method removes energy at the center of pressure, which keeps separating; other points may approach.
    """
    lines = armed_lines(bodies, step)
    impulse = step.values["given"]
    bodies.check_change(step, {body: line * impulse for body, line in lines.items()})
    rate = bodies.rate(lines) + impulse * bodies.response(lines)
    assert impulse <= 0.0 if "stiffness" in bodies.options else rate >= -NEAR * (bodies.size + abs(impulse) * bodies.response(lines))


def check_slid(bodies, step, accumulated):
    lines, values = armed_lines(bodies, step), step.values
    contact, k = of_contact(step)
    change = values["after"] - values["before"]
    assert values["before"] == accumulated.get((contact, k, "t"), 0.0)
    bodies.check_change(step, {body: line * change for body, line in lines.items()})
    most = mu_of(bodies, step) * accumulated[contact, k, "n"]
    rate = bodies.rate(lines) + change * bodies.response(lines)
    assert abs(values["after"]) <= most * (1.0 + 1e-12)
    small = NEAR * (bodies.size + bodies.response(lines) * (abs(values["before"]) + abs(values["after"])))
    assert abs(rate) <= small or (abs(values["after"]) >= most * (1.0 - 1e-9) and values["after"] * rate <= small)
    accumulated[contact, k, "t"] = values["after"]


def check_descent(bodies, step, accumulated):
    """The body's displacement d solves H d = -g, where H is at least M / h^2."""
    values, body = step.values, int(step.values["body"])
    h = np.array([[values["h00"], values["h01"], values["h02"]], [values["h01"], values["h11"], values["h12"]],
                  [values["h02"], values["h12"], values["h22"]]])  # fmt: skip
    g = np.array([values["g0"], values["g1"], values["g2"]])
    _, x = bodies.motion(step)[body]
    d = x - bodies.shift[body]
    scale = np.sqrt(np.diag(h))
    assert np.abs((h @ d + g) / scale).max() <= 1e-7 * (np.abs(g / scale).max() + np.abs(scale * d).max()) + 1e-12
    mass = np.where(bodies.inverse[body] > 0.0, 1.0 / np.where(bodies.inverse[body] > 0.0, bodies.inverse[body], 1.0), 0.0) / bodies.dt**2
    free = bodies.inverse[body] > 0.0
    more = ((h - np.diag(mass)) / np.outer(scale, scale))[np.ix_(free, free)]
    assert np.linalg.eigvalsh(more).min() >= -1e-9


def check_dual(bodies, step, accumulated):
    """lambda becomes the clamped sum of the spring force and lambda; each row's k grows if the force is within its bounds."""
    values, beta, h = step.values, bodies.options["beta"], bodies.dt
    contact, k = of_contact(step)
    for letter, name in (("n", "before"), ("t", "before t")):
        assert accumulated.get((contact, k, letter), values[name]) == values[name]
    after = max(values["before"] - h * values["k before"] * values["C"], 0.0)
    assert abs(values["after"] - after) <= NEAR * (abs(after) + abs(values["before"]))
    most = mu_of(bodies, step) * values["after"]
    held = values["before t"] - h * values["k t before"] * values["slip"]
    assert abs(values["after t"] - max(-most, min(held, most))) <= NEAR * (most + abs(held))
    for name, missing, is_within in (("k", "C", values["after"] > 0.0), ("k t", "slip", abs(held) < most)):
        grows = values[f"{name} before"] + (beta * abs(values[missing]) if is_within else 0.0)
        assert abs(values[f"{name} after"] - grows) <= NEAR * grows
    accumulated[contact, k, "n"], accumulated[contact, k, "t"] = values["after"], values["after t"]


def check_force(bodies, step, accumulated):
    """A spring and a damper push overlapping bodies and never pull; friction is at most mu times the force."""
    values, (a, b) = step.values, bodies.ends(step)
    assert values["force"] >= 0.0 and abs(values["friction"]) <= mu_of(bodies, step) * values["force"] * (1.0 + 1e-12)
    assert values["gap"] < 0.0 or values["force"] == values["friction"] == 0.0
    spring = -bodies.options["stiffness"] * values["gap"]
    if values["force"] > 0.0:  # approaching, the damper adds to the spring; parting, it takes from it
        assert (values["force"] - spring) * values["rate"] <= NEAR * spring * abs(values["rate"])
    tangent = tangent_of(step.axis)
    for body, side, sign in ((a, "a", -1.0), (b, "b", 1.0)):
        line = np.array([step.axis[0], step.axis[1], values[f"lever {side}n"]]) * values["force"]
        line += np.array([tangent[0], tangent[1], values[f"lever {side}t"]]) * values["friction"]
        bodies.forces[body] = bodies.forces.get(body, 0.0) + sign * line
    accumulated[of_contact(step)] = values["force"]


def check_springs(bodies, step):
    """Semi-implicit Euler: each velocity has changed by h (g + F / m), plus the effect of the body's joints."""
    h = bodies.dt / bodies.options["sub_steps"]
    for body, (v, x) in bodies.motion(step).items():
        force = bodies.forces.get(body, np.zeros(3))
        expected = h * (np.where(bodies.inverse[body] > 0.0, [*bodies.gravity, 0.0], 0.0) + bodies.inverse[body] * force)
        if body not in bodies.jointed:
            small = NEAR * (bodies.size + h * np.abs(bodies.inverse[body] * force).max())
            assert np.abs(v - bodies.velocity[body] - expected).max() <= small, (step.sentence, body)
        assert (x == bodies.shift[body]).all(), (step.sentence, body)
    bodies.forces = {}


def check_collide(bodies, step, accumulated):
    """Both impulses push, the sums of the collisions and those of the sweeps are within the cone, and frozen bodies do not move."""
    values, normal, (a, _) = step.values, step.axis, bodies.ends(step)
    places = [mark.points[0] for mark in step.marks if mark.role == "looked_at" and mark.form == "point"]
    pushes = [values[f"p{k}"] for k in (0, 1) if f"asked {k}" in values][: len(places)]  # one by one, only the other's is missing
    tangent, frozen = values["tangent"], int(values["frozen"])
    key = of_contact(step)[0], step.sentence.startswith("Collisions")
    pushed, rubbed = bodies.sums.get(key, (0.0, 0.0))
    bodies.sums[key] = pushed + sum(pushes), rubbed + tangent
    assert min(pushes) >= 0.0 and abs(rubbed + tangent) <= mu_of(bodies, step) * (pushed + sum(pushes)) * (1.0 + 1e-9) + 1e-15
    for body, (v, _) in bodies.motion(step).items():
        sign, bit = (-1.0, 1) if body == a else (1.0, 2)
        change = np.zeros(3)
        for point, push in zip(places, pushes, strict=True):
            change += bodies.line(body, point, normal, sign) * push
            change += bodies.line(body, point, tangent_of(normal), sign) * tangent / len(places)
        expected = (0.0 if frozen & bit else 1.0) * bodies.inverse[body] * change
        assert np.abs(v - bodies.velocity[body] - expected).max() <= NEAR * (bodies.size + np.abs(expected).max())


def rows_of(bodies, step):
    """Yield contact and point, J along normal and tangent by body, P along both, and mu, for a step that reports many points."""
    values = step.values
    for name, pn in values.items():
        if name[0] == "P" and name[-1] == "n":
            point = name[1:-1]
            contact = point.split(".")[0]
            place = values[f"px{point}"], values[f"py{point}"]
            normal = values[f"nx{contact}"], values[f"ny{contact}"]
            ends = ((int(values[f"A{contact}"]), -1.0), (int(values[f"B{contact}"]), 1.0))
            mu = math.sqrt(bodies.friction[ends[0][0]] * bodies.friction[ends[1][0]])
            lines = [{body: bodies.line(body, place, along, sign) for body, sign in ends} for along in (normal, tangent_of(normal))]
            yield point, lines, pn, values[f"P{point}t"], mu


def check_cone(bodies, step):
    """Check that all points push, with friction within the cone; return their effect on each body, J^T P, and the sum of |J^T P|."""
    change, terms, rows = {}, {}, list(rows_of(bodies, step))
    most = max((pn for _, _, pn, _, _ in rows), default=0.0)
    for _, lines, pn, pt, mu in rows:
        if step.values["holds"]:  # else pivots did not end, which the sentence says
            assert pn >= -1e-9 * most and abs(pt) <= mu * pn + 1e-9 * most + 1e-12, (pn, pt, mu, most)
        for push, line in zip((pn, pt), lines, strict=True):
            for body, j in line.items():
                change[body] = change.get(body, 0.0) + j * push
                terms[body] = terms.get(body, 0.0) + np.abs(j * push)
    return change, terms


def check_collision(bodies, step, accumulated):
    """Impulses at the start of a step match the change of the velocities; afterward, no touching pair approaches."""
    motion = bodies.motion(step)
    if not bodies.jointed and not any(x.any() for _, x in motion.values()) and not step.values["others"]:
        bodies.check_change(step, *check_cone(bodies, step))
        bodies.take(step)
        for _, (normal, _), _, _, _ in rows_of(bodies, step):
            assert bodies.rate(normal) >= -1e-8 * bodies.size


def check_forces(bodies, step, accumulated):
    """Force or acceleration is 0, and neither is negative."""
    check_cone(bodies, step)
    rates = {name[1:]: value for name, value in step.values.items() if name[0] == "u" and name[-1] == "n"}
    most = 10.0 + max(map(abs, rates.values()), default=0.0)
    if step.values["holds"]:
        for name, value in rates.items():
            assert value >= -1e-6 * most and (step.values[f"P{name}"] <= 1e-9 or abs(value) <= 1e-6 * most)
    bodies.sets.append(step)


def check_piece(bodies, step):
    """With RK4 each velocity changes by h (g + (F1 + 2 F2 + 2 F3 + F4) / 6 m)."""
    sets, bodies.sets = bodies.sets, []
    seconds = step.values["seconds"]
    if len(sets) != 4 or bodies.jointed or any(each.values["others"] for each in sets):
        return
    forces = [check_cone(bodies, each)[0] for each in sets]
    for body, (v, _) in bodies.motion(step).items():
        pulls = [force.get(body, np.zeros(3))[:2] * bodies.inverse[body][:2] for force in forces]
        expected = seconds * (
            np.where(bodies.inverse[body][:2] > 0.0, bodies.gravity, 0.0) + np.average(pulls, axis=0, weights=(1, 2, 2, 1))
        )
        most = seconds * max(float(np.abs(pull).max()) for pull in pulls)
        assert np.abs(v[:2] - bodies.velocity[body][:2] - expected).max() <= NEAR * (most + bodies.size), (step.sentence, body)


def check_pivot(bodies, step, accumulated):
    assert step.values["becomes"] in (-1.0, 0.0, 1.0) and math.isfinite(step.values["force"])


MORE = {
    "collision": check_collision, "forces": check_forces, "pivot": check_pivot,
    "placed": check_placed, "held": check_placed, "restored": check_restored, "slid": check_slid, "descent": check_descent,
    "dual": check_dual, "force": check_force, "collide": check_collide,
}  # fmt: skip
