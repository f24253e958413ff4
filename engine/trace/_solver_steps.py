"""Shared code of the solver steppers: events of `engine.dynamics.solver_events` as steps, one step of a world at a time.

A step's `values` hold its numbers: for a contact's row `before` and `after`, its accumulated impulse in N s, and for each body
that the row or the stage changed, ``v0x``, ``v0y``, ``w0`` (body 0's velocity after it, m/s and rad/s) and ``x0``, ``y0``, ``a0`` (its
shift since the step began, m and rad).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Point, Question
from engine.dynamics import solver_events as t
from engine.trace._solver_state import SolverState
from engine.trace.cases import shape_mark
from engine.trace.marks import dot
from engine.trace.words import STILL, amount, changed, rated, signed

__all__ = ["SolverDecoder"]

_LONGEST_IDLE = 3
"""Maximum number of rows in succession that change nothing and are steps of their own; more become one step."""
_MAY_BE_IDLE = (t.NormalRow, t.FrictionRow, t.PairRow, t.PointPushed, t.PointPlaced, t.PointForce)
"""Rows that change nothing but what is compared: the velocities and shifts of their bodies and the impulses of their contact."""

_SWEEPS = {
    t.SWEEP: "Sweep", t.RELAX: "Relaxation", t.COLLISIONS: "Collisions, pass",
    t.FROZEN: "With lower layers frozen, pass", t.PUSH_APART: "Pushing apart",
}  # fmt: skip
_STAGES = {
    t.FREE: ("free", "Gravity, forces and damping change the velocities of {n} by at most {most}{alone}."),
    t.WARMED: ("warm", "Warm start: the last step's impulses are applied again. Velocities change by at most {most}."),
    t.JOINTS: ("joints", "The joints are solved: the velocities of {n} change by at most {most}."),
    t.TAKEN_BACK: ("taken_back", "The impulses that pushed crammed bodies apart are taken back: velocities change by at most {most}."),
    t.BOUNCED: ("bounce", "Restitution comes first, at the moment of impact: the velocities of {n} change by at most {most}."),
    t.FLY: ("fly", "All bodies move, by at most {far}, to where they would be without contacts and joints."),
    t.VELOCITIES: ("velocities", "Velocity = displacement / time: the velocities of {n} change by at most {most}."),
    t.MOVE: ("move", "{passed} with their velocities, by at most {far}."),
}


def _meeting(rate: float) -> str:
    return rated(rate, "approach at {}", "separate at {}", "stay the same distance apart")


def _target(bias: float) -> str:
    return rated(-bias, ", and may approach at up to {} because there is a gap", ", and should separate at {}", "")


def _numbered(names: str, numbers: Iterable[float]) -> dict[str, float]:
    """Return numbers by their names, which are separated by commas."""
    return dict(zip(names.split(", "), numbers, strict=True))


class _IdleRow(NamedTuple):
    """A row that changed nothing: its sweep, contact, and line of the pseudocode."""

    sweep: str
    contact: int
    line: int


class SolverDecoder(SolverState):
    """Decodes the events of a step in order.

    Attributes
    ----------
    before, moved : list of (float, float, float)
        Velocities and shifts before the current row.
    """

    where, sweep, bounces = "", 0, False
    seconds, passed = 0.0, "All bodies move"

    def __init__(self, *context: Any, **more: Any) -> None:
        super().__init__(*context, **more)
        self.force_rows: list[t.RowFound] = []
        self._idle: list[_IdleRow] = []
        self.before_stage = list(self.velocity)

    def decode_event(self, e: Any) -> None:
        """Add the step of an event after its changes have been recorded; many in succession that change nothing become one step."""
        self.before, self.moved, n_before = list(self.velocity), list(self.shift), len(self.steps)
        impulses = self._impulses_of(e)
        self.counts["rows solved"] += not isinstance(e, t.Stage | t.WarmStart)
        for of in ("v", "x"):
            if f"{of}_a" in e._fields:
                changed = self.velocity if of == "v" else self.shift
                a, b = self._ends[e.contact]
                changed[a], changed[b] = tuple(getattr(e, f"{of}_a")), tuple(getattr(e, f"{of}_b"))
        super().decode_event(e)
        if len(self.steps) == n_before:
            return
        is_idle = (
            isinstance(e, _MAY_BE_IDLE)
            and (self.before, self.moved) == (self.velocity, self.shift)
            and impulses == self._impulses_of(e)
            and (not isinstance(e, t.PointForce) or not any(pair != [0.0, 0.0] for pair in impulses))
        )
        if not is_idle or (self._idle and self._idle[0].sweep != self.where):
            self._idle.clear()
        if is_idle:
            self._idle.append(_IdleRow(self.where, e.contact, self.steps[-1].line))
        if len(self._idle) > _LONGEST_IDLE:
            self._fold()

    def _impulses_of(self, e: Any) -> list[list[float]]:
        contact = getattr(e, "contact", None)
        return [] if contact is None else [self._impulse[contact, k] for k in range(self._counts[contact])]

    def _fold(self) -> None:
        """Replace the steps of the idle rows so far, of which all but the last may have been replaced, by one."""
        rows = self._idle
        del self.steps[-len(rows) if len(rows) == _LONGEST_IDLE + 1 else -2 :]
        contacts = list(dict.fromkeys(row.contact for row in rows))
        marks = [dot("looked_at", self.place(contact, k)) for contact in contacts for k in range(self._counts[contact])]
        sentence = f"{self.where}{counted(len(rows), 'row')} of {counted(len(contacts), 'contact')} change nothing."
        self.add("idle", rows[0].line, sentence, marks=marks, values={"rows": float(len(rows))})

    def show(
        self, kind: str, sentence: str, bodies: Iterable[int], marks: Iterable[Mark], values: Mapping[str, float] | None = None,
        contact: int = -1, k: int = -1, **more: Any,
    ) -> None:  # fmt: skip
        """Add a step after which the velocities and shifts of `bodies` are new."""
        looked_at = tuple(Feature("body", "", self._ids[body]) for body in bodies if body < len(self._ids)) if contact >= 0 else ()
        if contact >= 0:
            looked_at = (Feature("contact", "point", max(k, 0)), Feature("contact", "", contact), *looked_at)
        self.add(
            kind, self.algorithm.lines[kind], sentence, looked_at, (self.place(contact, k),) if k >= 0 else (),
            values={**(values or {}), **self._values(bodies)}, marks=(*marks, *self._charted(contact)), **more,
        )  # fmt: skip

    def row(self, e: Any, kind: str, words: str, values: Mapping[str, float], points: Iterable[int] | None = None, **more: Any) -> None:
        """Add the step of a contact's row with its changes, for one point or several `points` at once."""
        contact, k = e.contact, getattr(e, "k", -1)
        ends, name = self._ends[contact], self._point_name(contact, k) if k >= 0 else ""
        marks = [mark for of in ((k,) if points is None else points) for mark in self._impulses(contact, of)]
        effects = ""
        if "v_a" in e._fields:
            marks, effects = [*marks, *self._arrows(ends, self.before)], self._effects(contact)
        elif "x_a" in e._fields:
            marks = [*self._outlines(ends), *marks]
        self.show(kind, f"{self.where}{self._titles[contact]}{name}: {words}.{effects}", ends, marks, values, contact, k, **more)

    def answer(self) -> None:
        result = self.result
        moving = sum(state.awake for state, gives in zip(result, self._gives_way, strict=False) if gives)
        fastest = amount(max((math.hypot(*state.linear_velocity) for state in result), default=0.0), "m/s")
        push = amount(sum(pair[0] for pair in self._impulse.values()), self.unit)
        sentence = (
            f"The step is done. {counted(moving, 'body is', 'bodies are')} awake, and the fastest moves at {fastest}. The contacts push "
            f"with a total of {push}."
            if self._impulse
            else f"No two bodies touch, so there is nothing to solve. The fastest body moves at {fastest}."
        )
        states = zip(self._ids, result, strict=True)
        marks = [shape_mark(shape, state.xf, "result") for body, state in states for shape in self._shapes[body]]
        self.show("answer", sentence, range(len(self._ids)), marks, result=result)

    # Stages

    def stage(self, e: t.Stage) -> None:
        before, moved = self.before, self.moved
        self.velocity, self.shift = [(x, y, r) for x, y, r in e.velocity], [(x, y, r) for x, y, r in e.shift]
        everyone = range(len(self._ids))
        changed = [body for body in everyone if self.velocity[body] != before[body] or self.shift[body] != moved[body]]
        self.before_stage, self.bounces = before, e.stage == t.BOUNCED
        if e.stage in _SWEEPS:
            word = self.algorithm.sweep_word if e.stage == t.SWEEP else _SWEEPS[e.stage]
            self.where, self.sweep = f"{word} {e.number + 1}: ", e.number
        if self.bounces:
            self.where = "Bounce: "
        if e.stage in _STAGES and (changed or not self.bounces):
            kind, words = _STAGES[e.stage]
            most, far = (
                max((math.dist(now[body][:2], then[body][:2]) for body in changed), default=0.0)
                for now, then in ((self.velocity, before), (self.shift, moved))
            )
            alone = "" if self.algorithm.name == "penalty" else ", as if there were no contacts"
            numbers = {"n": counted(len(changed), "body", "bodies"), "most": amount(most, "m/s"), "far": amount(1e3 * far, "mm")}
            marks = self._arrows(changed, before)
            self.show(kind, words.format(passed=self.passed, alone=alone, **numbers), everyone, marks, {"seconds": self.seconds})

    def warm_start(self, e: t.WarmStart) -> None:
        if not self._impulse:
            return
        self.velocity = [(x, y, r) for x, y, r in e.velocity]
        pushes, values = [], dict[str, float]()
        for contact, k in self._impulse:
            normal, tangent = e.impulse[contact][k]
            self._set(contact, k, normal, tangent)
            values |= {f"P{contact}.{k}n": normal, f"P{contact}.{k}t": tangent}
            if normal != 0.0 or tangent != 0.0:
                pushes.append(f"{amount(normal, 'N s')} at contact {contact}{self._point_name(contact, k)}")
        changed = sorted({body for contact, _ in self._impulse for body in self._ends[contact]})
        listed = "; ".join(pushes[:4]) + ("; and more" if len(pushes) > 4 else "")
        sentence = (
            f"Warm start: each contact starts with its impulse from the end of the last step, {listed}. "
            "Resting contacts start almost solved, so a few sweeps are enough."
            if pushes
            else "There are no impulses from the last step: each contact starts at 0."
        )
        self.show("warm", sentence, changed, self._arrows([body for body in changed if self._gives_way[body]], self.before), values)

    def piece_end(self, e: t.PieceEnd) -> None:
        ends = ". Then there is a new contact, so the sub-step ends here. All bodies move" if e.is_collision else ". All bodies move"
        self.seconds = e.seconds
        self.passed = f"Starting at {amount(1e3 * e.time, 'ms')}, {amount(1e3 * e.seconds, 'ms')} pass{ends}"

    # Impulses

    def normal_row(self, e: t.NormalRow) -> None:
        bias, share, kept = e.bias, e.share, e.kept
        rate, values, unclamped, small = self._solved(e, False)
        self._set(e.contact, e.k, e.new, self._impulse[e.contact, e.k][1])
        is_clamped = unclamped < -small
        total = "total" if self.bounces else "accumulated"
        words = f"they {_meeting(rate)}{_target(bias)}; {changed(f'the {total} impulse', e.old, e.new)}"
        if is_clamped:
            words += f". An impulse of {amount(unclamped, 'N s')} would pull, so it is clamped at 0"
        elif share < 1.0:
            words += f". The contact is soft: it removes {share:.0%} of the rate and drops {kept:.0%} of the impulse"
        elif e.old - e.new > small:
            words += ". It may decrease, because only the accumulated impulse must not be negative"
        question = Question("Will the accumulated impulse be clamped at 0?", ("no, it pushes", "yes, it would pull"), int(is_clamped))
        if e.k == 0 and self.sweep == 0:
            question = self._which_next(e.contact) or question
        self.row(
            e, "bounce" if self.bounces else "normal", words, values, axis=self.direction(e.contact, False), bound=e.new,
            question=None if self.bounces else question,
        )  # fmt: skip

    def friction_row(self, e: t.FrictionRow) -> None:
        rate, values, unclamped, small = self._solved(e, True)
        normal = self._impulse[e.contact, e.k][0]
        self._set(e.contact, e.k, normal, e.new)
        is_clamped = abs(unclamped) > self._friction[e.contact] * normal + small
        does = f"slides at {amount(abs(rate), 'm/s')}" if abs(rate) > STILL else "does not slide"
        limit = f"mu times the normal impulse, {self._friction[e.contact]:.3g} x {amount(normal, 'N s')}"
        so = (
            f". Stopping it would take {amount(unclamped, 'N s')}, but friction is clamped at {limit}"
            if is_clamped
            else f", within {limit}"
        )
        question = Question("Is friction clamped at mu times the normal impulse?", ("no, it holds", "yes, it is clamped"), int(is_clamped))
        self.row(
            e, "tangent", f"the point {does}; {changed('the accumulated friction', e.old, e.new)}{so}", values,
            axis=self.direction(e.contact, True), bound=e.new, question=None if self.bounces else question,
        )  # fmt: skip

    def _solved(self, e: Any, is_tangent: bool) -> tuple[float, dict[str, float], float, float]:
        """Return a row's rate before it, its values, its impulse before clamping, and what counts as rounding of that."""
        along = self.direction(e.contact, is_tangent)
        rate, now = (self.rate(e.contact, e.k, along, velocity) for velocity in (self.before, self.velocity))
        bias, share, kept = (0.0, 1.0, 0.0) if is_tangent else (e.bias, e.share, e.kept)
        values = {"before": e.old, "after": e.new, "bias": bias, "share": share, "kept": kept, "rate": rate, "rate after": now}
        unclamped = e.old - share * self._mass[e.contact][e.k][is_tangent] * (rate + bias) - kept * e.old
        return rate, values, unclamped, 1e-9 * (abs(e.old) + abs(e.new)) + 1e-15

    def pair_row(self, e: t.PairRow) -> None:
        contact, normal = e.contact, self.direction(e.contact, False)
        rates = [self.rate(contact, k, normal, self.before) for k in range(2)]
        values, parts = dict[str, float](), []
        names = [self._point_name(contact, k).removeprefix(", ") for k in range(2)]
        for k in range(2):
            self._set(contact, k, e.new[k], self._impulse[contact, k][1])
            values |= {f"before {k}": e.old[k], f"after {k}": e.new[k], f"rate {k}": rates[k]}
            values |= {f"bias {k}": e.bias[k], f"give {k}": e.give[k]}
            impulse = changed("the accumulated impulse", e.old[k], e.new[k])
            parts.append(f"At the {names[k]}, they {_meeting(rates[k])}{_target(e.bias[k])}, and {impulse}")
        which = 0 if e.new[0] > 0.0 and e.new[1] > 0.0 else 1 if e.new[0] > 0.0 else 2 if e.new[1] > 0.0 else 3
        cases = ("both push", f"only the {names[0]} pushes", f"only the {names[1]} pushes", "neither pushes")
        self.row(
            e, "pair", f"both points are solved together, and {cases[which]}. {'. '.join(parts)}", values, range(2), axis=normal,
            question=Question("Which of the two points push, given that neither may pull?", cases, which),
        )  # fmt: skip

    def pair_collision(self, e: t.PairCollision) -> None:
        contact, (a, b) = e.contact, self._ends[e.contact]
        solved = [k for k in range(self._counts[contact]) if not math.isnan(e.excess[k])]
        for k in solved:
            old = self._impulse[contact, k]
            self._set(contact, k, old[0] + e.p[k], old[1] + e.tangent / len(solved))
        parts = []
        for k in solved:
            faster = f" approaches too fast by {amount(-e.excess[k], 'm/s')} and" if e.excess[k] < 0.0 else ""
            name = self._point_name(contact, k).removeprefix(", ") or "point"
            parts.append(f"the {name}{faster} gets an impulse of {amount(e.p[k], 'N s')}")
        kind = "kinetic friction, mu times the normal impulse," if e.slides else "static friction, which stops the face from slipping,"
        words = f"{'; '.join(parts)}. The impulse of {kind} is {amount(e.tangent, 'N s')}"
        words += f". The impulses remove {1.0 + e.e:.0%} of the approach velocity" if e.e != 0.0 else ""
        held = [self._names[body] for bit, body in ((1, a), (2, b)) if e.frozen & bit and self._gives_way[body]]
        words += f". The frozen {held[0]} acts as if infinitely heavy" if held else ""
        values = {"p0": e.p[0], "p1": e.p[1], "tangent": e.tangent, "e": e.e, "frozen": float(e.frozen)}
        values |= {f"asked {k}": u for k, u in enumerate(e.excess) if not math.isnan(u)}
        answers = "it sticks (static friction)", "it slips (kinetic friction)"
        self.row(
            e, "collide", words, values, solved, axis=self.direction(contact, False),
            question=Question("Does the face stick or slip?", answers, int(e.slides)),
        )  # fmt: skip

    def _is_limit(self, friction: float, contact: int, normal: float) -> bool:
        """Return True if friction is at its limit for a normal impulse or force."""
        limit: float = self._friction[contact] * normal
        return abs(friction) >= limit * (1.0 - 1e-12)

    def point_restored(self, e: t.PointRestored) -> None:
        normal = self.direction(e.contact, False)
        rate, now = (self.rate(e.contact, e.k, normal, velocity, e.arm) for velocity in (self.before, self.velocity))
        self.row(
            e, "restored",
            f"after the push they {_meeting(rate)}; restitution adds {signed(e.added)}, so that they {_meeting(now)}",
            _numbered("arm ax, arm ay, arm bx, arm by, given, rate, rate after", (*e.arm, e.added, rate, now)), axis=normal,
        )  # fmt: skip

    def point_slid(self, e: t.PointSlid) -> None:
        tangent, normal = self.direction(e.contact, True), self._impulse[e.contact, e.k][0]
        rate = self.rate(e.contact, e.k, tangent, self.before, e.arm)
        self._set(e.contact, e.k, normal, e.new)
        limit, slides = amount(self._friction[e.contact] * normal, "N s"), self._is_limit(e.new, e.contact, normal)
        so = f", clamped at mu times the normal impulse, {limit}" if slides else f", which is within {limit}, so the point stops"
        answers = "yes, it stops", "no, mu times the normal impulse is not enough"
        self.row(
            e, "slid",
            f"the point slides at {amount(abs(rate), 'm/s')}; {changed('the accumulated sliding friction', e.old, e.new)}{so}",
            _numbered("arm ax, arm ay, arm bx, arm by, before, after, rate", (*e.arm, e.old, e.new, rate)), axis=tangent,
            question=Question("Does sliding friction stop the point?", answers, int(slides)),
        )  # fmt: skip

    # Shifts

    def _shifts(self, bodies: Iterable[int]) -> str:
        """Return how far a row has moved the movable bodies."""
        ways = {body: 1e3 * math.dist(self.shift[body][:2], self.moved[body][:2]) for body in bodies if self._gives_way[body]}
        return " and ".join(f"{self._names[body]} by {amount(way, 'mm')}" for body, way in ways.items())

    def point_pushed(self, e: t.PointPushed) -> None:
        ends, is_pushed = self._ends[e.contact], e.impulse > 0.0
        if is_pushed:
            does = f", so they are moved apart, {self._shifts(ends)}. Velocities are unchanged"
        else:
            does = f"{', which is within the slop' if e.gap < 0.0 else ''}, so they are not moved"
        self.show(
            "apart", f"{self.where}{self._titles[e.contact]}{self._point_name(e.contact, e.k)}: {_depth(e.gap)}{does}.", ends,
            [*self._outlines(ends), dot("looked_at", self.place(e.contact, e.k))],
            _numbered("gap, push, lever a, lever b", (e.gap, e.impulse, 0.0, 0.0)), e.contact, e.k, axis=e.n,
            question=Question("Will they be moved apart?", ("yes", "no, they are not deeper than the slop"), int(e.impulse == 0.0)),
        )  # fmt: skip

    def point_placed(self, e: t.PointPlaced) -> None:
        self._set(e.contact, e.k, e.new, self._impulse[e.contact, e.k][1])
        words = _depth(e.error) + (f" and are moved apart, {self._shifts(self._ends[e.contact])}" if e.error < 0.0 else "")
        words += f"; {changed('the accumulated impulse', e.old, e.new)}" if e.new != e.old else ", so nothing is corrected"
        question = Question("Are they moved apart at this point?", ("yes", "no, they do not overlap"), int(e.new == e.old))
        self._place(e, "placed", words, question, e.soft, {"after": e.new})

    def friction_held(self, e: t.FrictionHeld) -> None:
        normal, slips = self._impulse[e.contact, e.k][0], math.isnan(e.new)
        self._set(e.contact, e.k, normal, e.old if slips else e.new)
        most, shifts = amount(self._friction[e.contact] * normal, "N s"), self._shifts(self._ends[e.contact])
        words = f"the point has slid {amount(1e3 * abs(e.error), 'mm')} in this sub-step; " + (
            f"moving it back would take more than mu times the normal impulse, {most}, so it slips"
            if slips
            else f"to undo this, static friction moves {shifts}. Its impulse is {amount(e.new, 'N s')}, within {most}"
        )
        question = Question("Does static friction hold the point?", ("it holds", "it slips"), int(slips))
        self._place(e, "held", words, question, 0.0, {} if slips else {"after": e.new})

    def _place(
        self, e: t.PointPlaced | t.FrictionHeld, kind: str, words: str, question: Question, soft: float, after: dict[str, float]
    ) -> None:
        values = _numbered("before, C, soft, lever a, lever b", (e.old, e.error, soft, *e.levers))
        self.row(e, kind, words, values | after, axis=self.direction(e.contact, kind == "held"), question=question)

    def body_descent(self, e: t.BodyDescent) -> None:
        body, before = e.body, self.moved[e.body]
        x, y, angle = e.x
        self.shift[body] = x, y, angle
        way, turn = 1e3 * math.dist((x, y), before[:2]), 1e3 * (angle - before[2])
        sentence = (
            f"{self.where}only {self._names[body]} moves, with {counted(e.n, 'constraint')}; the others are fixed. The gradient of its "
            f"energy is {amount(math.hypot(*e.residual[:2]), 'N')}. One Newton step moves it to the minimum, by {amount(way, 'mm')} and "
            f"{amount(turn, 'mrad')}."
        )
        moving = [other for other in range(len(self._ids)) if self._gives_way[other]]
        at: tuple[Point, ...] = tuple((x, y) for x, y in self._center[moving].tolist())
        question = None
        if 2 <= len(at) <= 8 and len(set(at)) == len(at) and body < len(self._ids):
            names = tuple(self._names[other] for other in moving)
            question = Question("Which body moves next? Click it.", names, moving.index(body), at)
        names_of = "h00, h01, h02, h11, h12, h22, g0, g1, g2, body"
        values = _numbered(names_of, (*e.matrix, *e.residual, float(self._ids[body])))
        self.show("descent", sentence, [body], [*self._outlines([body]), *self._way(body, before)], values, question=question)

    # Forces

    def dual_update(self, e: t.DualUpdate) -> None:
        old, new, missing = e.old, e.new, e.missing
        self._set(e.contact, e.k, new, e.new_t)
        grows = f"; its stiffness grows from {amount(e.stiff, 'N/m')} to {amount(e.stiffer, 'N/m')}" if e.stiffer > e.stiff else ""
        pulls = ". A negative one would pull, so it is clamped at 0" if new == 0.0 < old or (new == 0.0 and missing > 0.0) else ""
        state = f"the {'overlap' if missing < 0.0 else 'gap'} is {amount(1e3 * abs(missing), 'mm')}"
        words = f"{state}; {changed('its impulse', old, new)}{pulls}{grows}. The friction impulse is {amount(e.new_t, 'N s')}"
        self.row(
            e, "dual", words,
            _numbered("before, after, before t, after t, k before, k after, C, slip, k t before, k t after", e[2:]),
            axis=self.direction(e.contact, False),
            question=Question("Does this point push?", ("yes, it pushes", "no, it is clamped"), int(new == 0.0)),
        )  # fmt: skip

    def point_force(self, e: t.PointForce) -> None:
        along, across = e.along, e.across
        self._set(e.contact, e.k, along, across)
        words = f"{_depth(e.gap)}, so there is no force"
        if e.gap < 0.0:
            most = f"within {amount(self._friction[e.contact] * along, 'N')}"
            limit = "mu times the push, so the spring slips" if self._is_limit(across, e.contact, along) else most
            words = f"{_depth(e.gap)} and {_meeting(e.rate)}; spring and damper push with {amount(along, 'N')}"
            words += ", because the damper would pull" if along == 0.0 else f". Friction is {amount(across, 'N')}, {limit}"
        names = "gap, force, friction, rate, slide, stretch, kept, lever an, lever bn, lever at, lever bt"
        self.row(
            e, "force", words, _numbered(names, (*e[2:8], float(e.is_first), *e.levers)), axis=self.direction(e.contact, False),
            question=Question("Does a spring push at this point?", ("yes", "no"), int(along == 0.0)),
        )  # fmt: skip

    def row_found(self, e: t.RowFound) -> None:
        self.force_rows.append(e)

    def rows_tried(self, e: t.RowsTried) -> None:
        """Add a step for the collected rows: collisions or forces of `contact_forces`."""
        rows = [row for row in self.force_rows if (row.contact, row.k) in self._impulse]
        others = len(self.force_rows) - len(rows)
        self.force_rows.clear()
        is_collision = e.number < 0
        unit = "N s" if is_collision else "N"
        values: dict[str, float] = {"number": float(e.number), "holds": float(e.is_exact), "free": float(e.n_free), "others": float(others)}
        pushes = []
        for row in rows:
            at, old = (row.contact, row.k), self._impulse[row.contact, row.k]
            letter = "t" if row.is_tangent else "n"
            for symbol, number in (("P", row.force), ("u", row.rate), ("bias", 0.0)):
                values[f"{symbol}{row.contact}.{row.k}{letter}"] = number
            self._set(*at, *((old[0], row.force) if row.is_tangent else (row.force, old[1])))
            if not row.is_tangent:
                pushes.append(f"{amount(row.force, unit) if row.force > 0.0 else 'none'} at {self._at_point(*at)}")
        marks = [mark for row in rows if not row.is_tangent for mark in self._impulses(row.contact, row.k)]
        listed = "; ".join(pushes[:6]) + ("; and more" if len(pushes) > 6 else "") if pushes else "no point pushes"
        so = "" if e.is_exact else "; the pivoting did not finish, so friction is that of the last iteration"
        if is_collision:
            sentence = f"Impulses act at the approaching contact points; afterward, none approaches: {listed}{so}."
        else:
            sentence = (
                f"Forces keep the resting points from accelerating inward: {listed}. Determining which points push and which "
                f"slip took {counted(e.number, 'system')} of equations{so}."
            )
        for contact, normal in {row.contact: row.normal for row in rows}.items():
            a, b = (float(self._ids[body]) if body < len(self._ids) else -1.0 for body in self._ends[contact])
            values |= {f"nx{contact}": normal[0], f"ny{contact}": normal[1], f"A{contact}": a, f"B{contact}": b}
            for k in range(self._counts[contact]):
                values[f"px{contact}.{k}"], values[f"py{contact}.{k}"] = self.place(contact, k)
        bodies = range(len(self._ids)) if is_collision else ()
        arrows = self._arrows([body for body in bodies if self.velocity[body] != self.before_stage[body]], self.before_stage)
        kind = "collision" if is_collision else "forces"
        self.show(kind, sentence, bodies, [*marks, *arrows], values, question=self._which_pushes_most(rows))

    def _at_point(self, contact: int, k: int) -> str:
        return f"contact {contact}{self._point_name(contact, k)}"

    def _which_pushes_most(self, rows: list[t.RowFound]) -> Question | None:
        """Ask which point pushes hardest, if its force is a tenth larger than the next."""
        pushes = [(row.force, row.contact, row.k) for row in rows if not row.is_tangent]
        if len(pushes) < 2 or sorted(pushes)[-1][0] <= 1.1 * max(sorted(pushes)[-2][0], 0.0):
            return None
        answers, places = (tuple(of(contact, k) for _, contact, k in pushes) for of in (self._at_point, self.place))
        return Question("Which point is pushed the hardest? Click it.", answers, pushes.index(max(pushes)), places)  # type: ignore[arg-type]

    def pivot_done(self, e: t.PivotDone) -> None:
        def named(contact: int, k: int, is_tangent: bool) -> str:
            of = f"the {'friction' if is_tangent else 'normal force'} at {self._at_point(contact, k)}" if contact >= 0 else ""
            return of or "the force of a joint"

        becomes = ("is free", "is held at its upper bound", "is held at its lower bound")[e.becomes]
        words = f"Pivot: {named(*e.entering)} grows to {amount(e.force, 'N')}, where {named(*e.changed)} {becomes}."
        self.show("pivot", words, (), (), {"force": e.force, "becomes": float(e.becomes)})

    def _effects(self, contact: int) -> str:
        """Describe how a row changed the rates at the other contacts of its bodies, the largest change of each body."""
        changes, before = [], self.before
        for body in self._ends[contact]:
            if not self._gives_way[body] or self.velocity[body] == before[body]:
                continue
            largest: tuple[float, float, float, int] | None = None
            for other in self._of_body[body]:
                for k in range(self._counts[other] if other != contact else 0):
                    normal = self.direction(other, False)
                    was, now = self.rate(other, k, normal, before), self.rate(other, k, normal, self.velocity)
                    if abs(now - was) > STILL and (largest is None or abs(now - was) > largest[0]):
                        largest = (abs(now - was), was, now, other)
            if largest is not None:
                _, was, now, other = largest
                a, b = self._ends[other]
                other_body = self._names[b if body == a else a]
                meets = rated(now, f"approaches {other_body} at {{}}", f"separates from {other_body} at {{}}", f"rests on {other_body}")
                met = rated(was, "it approached at {} before", "it was separating at {} before", "it was at rest before")
                changes.append(f"{self._names[body]} now {meets} ({met})")
        return f" So {'; '.join(changes)}." if changes else ""

    def _which_next(self, contact: int) -> Question | None:
        """Ask which contact is solved next."""
        places = [self._middle(other) for other in range(len(self._ends)) if self._counts[other] > 0]
        if not 2 <= len(places) <= 8 or len(places) != len(self._ends) or len(set(places)) < len(places):
            return None
        return Question("Which contact is solved next? Click it.", tuple(self._titles), contact, tuple(places))

    def _middle(self, contact: int) -> Point:
        points = [self.place(contact, k) for k in range(self._counts[contact])]
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _depth(gap: float) -> str:
    return f"they overlap by {amount(-1e3 * gap, 'mm')}" if gap < 0.0 else f"they are {amount(1e3 * gap, 'mm')} apart"
