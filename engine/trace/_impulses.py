"""Shared code of the solver steppers: rows of `engine.dynamics._solver_trace_kernel` as steps, one step of a world at a time.

A step's `values` hold its numbers: for a contact's row `before` and `after`, its accumulated impulse in N s, and for each body
that the row or the stage changed, ``v0x``, ``v0y``, ``w0`` (body 0's velocity after it, m/s and rad/s) and ``x0``, ``y0``, ``a0`` (its
shift since the step began, m and rad).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import ClassVar

from engine.common.words import counted
from engine.contracts.trace import Feature, Mark, Point, Question, TraceStep, View
from engine.dynamics import _solver_trace_kernel as t
from engine.dynamics.solvers.protocol import Problem
from engine.dynamics.traced import traced_step
from engine.geometry import Circle, Polygon
from engine.scenes.scene import SceneWorld
from engine.trace import given
from engine.trace._solver_state import SolverState, Vector
from engine.trace._solver_words import STILL, amount, change, meeting, meets, met, signed, target
from engine.trace.cases import shape_mark
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.scene_case import SceneCase
from engine.world import BodySpec, BodyState, FixtureSpec, World, WorldSettings, WorldSnapshot

__all__ = ["IMPULSES", "SolverStepper", "stack"]

IMPULSES = View("impulses", "accumulated normal impulse, both points", x="step", y="N s")

States = tuple[BodyState, ...]


def stack(solver: str, settings: Mapping[str, float | str], with_disc: bool = True) -> SceneCase:
    """Return two boxes, the upper one five times as heavy and sliding, and optionally a disc on top, after one step.

    The soft step has two sub-steps, the other methods follow their settings.
    """
    ground = BodySpec((FixtureSpec(Polygon.box(3.0, 0.25), friction=0.6),), "static", (0.0, -0.25))
    light = BodySpec((FixtureSpec(Polygon.box(0.6, 0.4), 1.0, 0.6),), position=(0.0, 0.4))
    heavy = BodySpec((FixtureSpec(Polygon.box(0.5, 0.4), 5.0, 0.6),), position=(0.1, 1.2), linear_velocity=(0.6, 0.0))
    disc = BodySpec((FixtureSpec(Circle(0.3), 1.0, 0.6),), position=(0.2, 1.9))
    own = tuple(settings.items())
    world = WorldSettings(velocity_iterations=2, solver_settings=own)
    bodies = (ground, light, heavy, disc) if with_disc else (ground, light, heavy)
    return SceneCase.of_scene(SceneWorld(world, bodies, solver=solver), taken=1)


class SolverStepper(Algorithm[SceneCase]):
    """One step of a world by one of our methods.

    Attributes
    ----------
    method : str
        Its name among `engine.world.solvers`.
    lines : mapping of str to int
        The line of the pseudo-code for each kind of step.
    sweep_word : str
        Name of a sweep in captions.
    """

    method: ClassVar[str]
    sweep_word: ClassVar[str] = "Sweep"
    lines: ClassVar[Mapping[str, int]]
    views = (PLANE, IMPULSES)
    case_of = staticmethod(given.of_world)

    def query(self, case: SceneCase) -> States:
        world = World.from_snapshot(case.before(self.method))
        world.step()
        return tuple(world.state(body) for body in world.body_ids)

    def steps(self, case: SceneCase) -> list[TraceStep]:
        snapshot = case.before(self.method)
        (motion, problem), rows = record_rows(lambda trace: traced_step(snapshot, trace))
        states = tuple(
            BodyState((x, y), angle, (vx, vy), spin, awake)
            for (x, y, angle, vx, vy, spin), awake in zip(motion.values.tolist(), motion.awake.tolist(), strict=True)
        )
        return _StepDecoder(self, snapshot, problem).steps(rows, states)

    def scenery(self, case: SceneCase) -> tuple[Mark, ...]:
        return case.scenery_of(self.method)


class _StepDecoder(SolverState):
    """Decodes the rows of a step in order."""

    def __init__(self, stepper: SolverStepper, snapshot: WorldSnapshot, problem: Problem | None) -> None:
        super().__init__(snapshot, problem, stepper.views[1].y)
        self._lines, self._sweep_word = stepper.lines, stepper.sweep_word
        self._where, self._sweep, self._n_rows, self._bounces = "", 0, 0, False
        self._force_rows: list[list[float]] = []
        self._seconds = 0.0
        self._passed, self._before = "All bodies move", list(self.velocity)

    def _head(self, contact: int, k: int) -> str:
        """Begin a sentence about a point."""
        return f"{self._where}{self._titles[contact]}{self._point_name(contact, k)}: "

    def steps(self, rows: list[list[float]], result: States) -> list[TraceStep]:
        """Return all steps; the last has the result."""
        at = 0
        decoders: dict[float, Callable[[list[float]], None]] = {
            t.NORMAL: lambda row: self._impulse_row(row, False),
            t.TANGENT: lambda row: self._impulse_row(row, True),
            t.PAIR: self._pair,
            t.APART: self._apart,
            t.PLACED: lambda row: self._placed(row, False),
            t.HELD: lambda row: self._placed(row, True),
            t.RESTORED: self._restored,
            t.SLID: self._slid,
            t.DESCENT: self._descent,
            t.DUAL: self._dual,
            t.FORCE: self._force,
            t.COLLIDE: self._collide,
            t.FOUND: self._force_rows.append,
            t.TRIED: self._tried,
            t.PIVOT: self._pivot,
            t.PIECE: self._piece,
        }
        while at < len(rows):
            kind, row = rows[at][0], rows[at][1:]
            at += 1
            if kind == t.STAGE:
                bodies = at
                while at < len(rows) and rows[at][0] == t.BODY:
                    at += 1
                self._stage(row[0], int(row[1]), rows[bodies:at])
            elif kind == t.WARM:
                same = [row]
                while at < len(rows) and rows[at][0] == t.WARM:
                    same.append(rows[at][1:])
                    at += 1
                self._warm(same)
            else:
                self._n_rows += 1
                decoders[kind](row)
        return [*self._steps, self._answer(result)]

    def _add(
        self, kind: str, sentence: str, bodies: list[int], marks: list[Mark], values: Mapping[str, float] | None = None,
        contact: int = -1, k: int = -1, axis: Point | None = None, question: Question | None = None, bound: float | None = None,
    ) -> None:  # fmt: skip
        """Add a step after which the velocities and shifts of `bodies` are new."""
        numbers = {**(values or {}), **self._values(bodies)}
        looked_at = tuple(Feature("body", "", self._ids[body]) for body in bodies if body < len(self._ids)) if contact >= 0 else ()
        if contact >= 0:
            looked_at = (Feature("contact", "point", max(k, 0)), Feature("contact", "", contact), *looked_at)
        points = (self.place(contact, k),) if k >= 0 else ()
        self._steps.append(
            TraceStep(
                kind, self._lines[kind], sentence, looked_at, points, axis, bound, numbers, (*marks, *self._charted(contact)),
                {"steps": len(self._steps), "rows solved": self._n_rows}, question,
            )
        )  # fmt: skip

    def _stage(self, stage: float, number: int, rows: list[list[float]]) -> None:
        before, moved = list(self.velocity), list(self.shift)
        for row in rows:
            body = int(row[1])
            self.velocity[body], self.shift[body] = (row[2], row[3], row[4]), (row[5], row[6], row[7])
        everyone = list(range(len(self._ids)))
        changed = [body for body in everyone if self.velocity[body] != before[body] or self.shift[body] != moved[body]]
        self._before = before
        self._bounces = stage == t.BOUNCED
        if stage in _SWEEPS:
            word = self._sweep_word if stage == t.SWEEP else _SWEEPS[stage]
            self._where, self._sweep = f"{word} {number + 1}: ", number
        if self._bounces:
            self._where = "Bounce: "
        if stage in _STAGES and (changed or not self._bounces):
            kind, words = _STAGES[stage]
            most = max((math.dist(self.velocity[body][:2], before[body][:2]) for body in changed), default=0.0)
            far = max((math.dist(self.shift[body][:2], moved[body][:2]) for body in changed), default=0.0)
            numbers = {"n": counted(len(changed), "body", "bodies"), "most": amount(most, "m/s"), "far": amount(1e3 * far, "mm")}
            sentence = words.format(passed=self._passed, **numbers)
            self._add(kind, sentence, everyone, self._arrows(changed, before), {"seconds": self._seconds})

    def _warm(self, rows: list[list[float]]) -> None:
        before, pushes = list(self.velocity), []
        values: dict[str, float] = {}
        for row in rows:
            contact, k = int(row[0]), int(row[1])
            self._set(contact, k, row[2], row[3])
            values |= {f"P{contact}.{k}n": row[2], f"P{contact}.{k}t": row[3]}
            if row[2] != 0.0 or row[3] != 0.0:
                pushes.append(f"{amount(row[2], 'N s')} at contact {contact}{self._point_name(contact, k)}")
            for body, v in zip(self._ends[contact], (row[4:7], row[7:10]), strict=True):
                self.velocity[body] = (v[0], v[1], v[2])
        changed = sorted({body for row in rows for body in self._ends[int(row[0])]})
        listed = "; ".join(pushes[:4]) + ("; and more" if len(pushes) > 4 else "")
        sentence = (
            f"Warm start: each contact starts with its impulse from the end of the last step, {listed}. "
            "Resting contacts are thus nearly solved at the start, so a few sweeps are enough."
            if pushes
            else "There are no impulses from the last step: each contact starts at 0."
        )
        self._add("warm", sentence, changed, self._arrows([body for body in changed if self._gives_way[body]], before), values)

    def _impulse_row(self, row: list[float], is_tangent: bool) -> None:
        contact, k, old, new, bias, share, kept = int(row[0]), int(row[1]), row[2], row[3], row[10], row[11], row[12]
        along, before, (a, b) = self.direction(contact, is_tangent), list(self.velocity), self._ends[contact]
        rate = self.rate(contact, k, along, before)
        self.velocity[a], self.velocity[b] = (row[4], row[5], row[6]), (row[7], row[8], row[9])
        now = self.rate(contact, k, along, self.velocity)
        unclamped = old - share * self._mass[contact][k][is_tangent] * (rate + bias) - kept * old
        normal = self._impulse[contact, k][0]
        most = self._friction[contact] * normal
        self._set(contact, k, *((normal, new) if is_tangent else (new, self._impulse[contact, k][1])))
        small = 1e-9 * (abs(old) + abs(new)) + 1e-15
        is_clamped = abs(unclamped) > most + small if is_tangent else unclamped < -small
        values = {"before": old, "after": new, "bias": bias, "share": share, "kept": kept, "rate": rate, "rate after": now}
        head = self._head(contact, k)
        if is_tangent:
            does = f"slides at {amount(abs(rate), 'm/s')}" if abs(rate) > STILL else "does not slide"
            words = f"the point {does}; {change('the accumulated friction', old, new)}"
            limit = f"{self._friction[contact]:.3g} x {amount(normal, 'N s')}"
            if is_clamped:
                words += (
                    f". Stopping it would take {amount(unclamped, 'N s')}, but friction is clamped at mu times the normal impulse, {limit}"
                )
            else:
                words += f", within mu times the normal impulse, {limit}"
            prompt, answers = "Is friction clamped at mu times the normal impulse?", ("no, it holds", "yes, it is clamped")
        else:
            impulse = "the total impulse" if self._bounces else "the accumulated impulse"
            words = f"they {meeting(rate)}{target(bias)}; {change(impulse, old, new)}"
            if is_clamped:
                words += f". An impulse of {amount(unclamped, 'N s')} would pull, so it is clamped at 0"
            elif share < 1.0:
                words += f". The contact is soft: it removes {share:.0%} of the rate and drops {kept:.0%} of the impulse"
            elif old - new > small:
                words += ". It may decrease, because only the accumulated impulse has to push"
            prompt, answers = "Will the accumulated impulse be clamped at 0?", ("no, it pushes", "yes, it would pull")
        question: Question | None = Question(prompt, answers, int(is_clamped))
        if self._bounces:
            question = None
        elif not is_tangent and k == 0 and self._sweep == 0:
            question = self._which_next(contact) or question
        kind = "tangent" if is_tangent else "bounce" if self._bounces else "normal"
        self._add(
            kind, f"{head}{words}.{self._effects(contact, before)}", [a, b],
            [*self._impulses(contact, k), *self._arrows([a, b], before)], values, contact, k, along, question, new,
        )  # fmt: skip

    def _pair(self, row: list[float]) -> None:
        contact, before, (a, b) = int(row[0]), list(self.velocity), self._ends[int(row[0])]
        normal, old, new, bias = self.direction(contact, False), row[1:3], row[3:5], row[11:13]
        rates = [self.rate(contact, k, normal, before) for k in range(2)]
        self.velocity[a], self.velocity[b] = (row[5], row[6], row[7]), (row[8], row[9], row[10])
        values: dict[str, float] = {}
        for k in range(2):
            self._set(contact, k, new[k], self._impulse[contact, k][1])
            values |= {f"before {k}": old[k], f"after {k}": new[k], f"bias {k}": bias[k], f"rate {k}": rates[k]}
        which = 0 if new[0] > 0.0 and new[1] > 0.0 else 1 if new[0] > 0.0 else 2 if new[1] > 0.0 else 3
        names = [self._point_name(contact, k).removeprefix(", ") for k in range(2)]
        cases = ("both push", f"only the {names[0]} pushes", f"only the {names[1]} pushes", "neither pushes")
        words = ". ".join(
            f"At the {names[k]}, they {meeting(rates[k])}{target(bias[k])}, and {change('the accumulated impulse', old[k], new[k])}"
            for k in range(2)
        )
        self._add(
            "pair",
            f"{self._where}{self._titles[contact]}: both points are solved together, and {cases[which]}. {words}."
            f"{self._effects(contact, before)}",
            [a, b], [*self._impulses(contact, 0), *self._impulses(contact, 1), *self._arrows([a, b], before)], values, contact, -1, normal,
            Question("Which of the two points push, given that neither may pull?", cases, which),
        )  # fmt: skip

    def _apart(self, row: list[float]) -> None:
        contact, k, gap, impulse, (a, b) = int(row[0]), int(row[1]), row[2], row[3], self._ends[int(row[0])]
        moved = list(self.shift)
        self.shift[a], self.shift[b] = (row[4], row[5], row[6]), (row[7], row[8], row[9])
        shifts = [
            f"{self._names[body]} by {amount(1e3 * math.dist(self.shift[body][:2], moved[body][:2]), 'mm')}"
            for body in (a, b)
            if self._gives_way[body]
        ]
        state = f"they overlap by {amount(-1e3 * gap, 'mm')}" if gap < 0.0 else f"they are {amount(1e3 * gap, 'mm')} apart"
        if impulse > 0.0:
            does = f", so they are moved apart, {' and '.join(shifts)}. Velocities are unchanged"
        else:
            does = f"{', which is within the slop' if gap < 0.0 else ''}, so they are not moved"
        self._add(
            "apart", f"{self._head(contact, k)}{state}{does}.", [a, b],
            [*self._outlines([a, b]), Mark("point", "looked_at", (self.place(contact, k),))],
            {"gap": gap, "push": impulse, "lever a": row[12], "lever b": row[13]}, contact, k, (row[10], row[11]),
            Question("Will they be moved apart?", ("yes", "no, they are not deeper than the slop"), int(impulse == 0.0)),
        )  # fmt: skip

    def _placed(self, row: list[float], is_tangent: bool) -> None:
        contact, k, old, new, error = int(row[0]), int(row[1]), row[2], row[3], row[10]
        along, (a, b), moved = self.direction(contact, is_tangent), self._ends[contact], list(self.shift)
        self.shift[a], self.shift[b] = (row[4], row[5], row[6]), (row[7], row[8], row[9])
        normal, tangent = self._impulse[contact, k]
        most, lets_go = self._friction[contact] * normal, math.isnan(new)
        self._set(contact, k, *((normal, old if lets_go else new) if is_tangent else (new, tangent)))
        ways = [1e3 * math.dist(self.shift[body][:2], moved[body][:2]) for body in (a, b)]
        shifts = " and ".join(
            f"{self._names[body]} by {amount(way, 'mm')}" for body, way in zip((a, b), ways, strict=True) if self._gives_way[body]
        )
        if is_tangent:
            words = f"the point has slid {amount(1e3 * abs(error), 'mm')} in this sub-step; "
            words += (
                f"moving it back would take more than mu times the normal impulse, {amount(most, 'N s')}, so it slips"
                if lets_go
                else f"to undo this, static friction moves {shifts}. Its impulse is {amount(new, 'N s')}, within {amount(most, 'N s')}"
            )
            question = Question("Does static friction hold the point?", ("it holds", "it slips"), int(lets_go))
        else:
            if error < 0.0:
                words = f"they overlap by {amount(-1e3 * error, 'mm')} and are moved apart, {shifts}"
            else:
                words = f"they are {amount(1e3 * error, 'mm')} apart"
            words += f"; {change('the accumulated impulse', old, new)}" if new != old else ", so nothing is corrected"
            question = Question("Are they moved apart at this point?", ("yes", "no, they do not overlap"), int(new == old))
        values = {"before": old, "C": error, "soft": row[11], "lever a": row[12], "lever b": row[13]} | ({} if lets_go else {"after": new})
        self._add(
            "held" if is_tangent else "placed", f"{self._head(contact, k)}{words}.", [a, b],
            [*self._outlines([a, b]), *self._impulses(contact, k)], values, contact, k, along, question,
        )  # fmt: skip

    def _restored(self, row: list[float]) -> None:
        contact, k, added, arm = int(row[0]), int(row[1]), row[2], row[9:13]
        normal, before, (a, b) = self.direction(contact, False), list(self.velocity), self._ends[contact]
        rate = self.rate(contact, k, normal, before, arm)
        self.velocity[a], self.velocity[b] = (row[3], row[4], row[5]), (row[6], row[7], row[8])
        now = self.rate(contact, k, normal, self.velocity, arm)
        words = f"after the push they {meeting(rate)}; restitution adds {signed(added)}, so that they {meeting(now)}"
        self._add(
            "restored", f"{self._head(contact, k)}{words}.{self._effects(contact, before)}", [a, b],
            [*self._impulses(contact, k), *self._arrows([a, b], before)],
            self._armed(arm) | {"given": added, "rate": rate, "rate after": now}, contact, k, normal,
        )  # fmt: skip

    def _slid(self, row: list[float]) -> None:
        contact, k, old, new, arm = int(row[0]), int(row[1]), row[2], row[3], row[10:14]
        tangent, before, (a, b) = self.direction(contact, True), list(self.velocity), self._ends[contact]
        rate = self.rate(contact, k, tangent, before, arm)
        self.velocity[a], self.velocity[b] = (row[4], row[5], row[6]), (row[7], row[8], row[9])
        normal = self._impulse[contact, k][0]
        self._set(contact, k, normal, new)
        most = self._friction[contact] * normal
        slides = abs(new) >= most * (1.0 - 1e-12)
        words = f"the point slides at {amount(abs(rate), 'm/s')}; {change('the accumulated sliding friction', old, new)}"
        words += (
            f", clamped at mu times the normal impulse, {amount(most, 'N s')}"
            if slides
            else f", which is within {amount(most, 'N s')}, so the point stops"
        )
        self._add(
            "slid", f"{self._head(contact, k)}{words}.{self._effects(contact, before)}", [a, b],
            [*self._impulses(contact, k), *self._arrows([a, b], before)],
            self._armed(arm) | {"before": old, "after": new, "rate": rate}, contact, k, tangent,
            Question("Does sliding friction stop the point?", ("yes, it stops", "no, mu times the normal impulse is not "
            "enough"), int(slides)),
        )  # fmt: skip

    def _armed(self, arm: list[float]) -> dict[str, float]:
        return dict(zip(("arm ax", "arm ay", "arm bx", "arm by"), arm, strict=True))

    def _descent(self, row: list[float]) -> None:
        body, n = int(row[0]), int(row[13])
        before = self.shift[body]
        self.shift[body] = (row[1], row[2], row[3])
        way, turn = 1e3 * math.dist(self.shift[body][:2], before[:2]), 1e3 * (self.shift[body][2] - before[2])
        values = dict(zip(("h00", "h01", "h02", "h11", "h12", "h22", "g0", "g1", "g2"), row[4:13], strict=True))
        pull = math.hypot(row[10], row[11])
        sentence = (
            f"{self._where}only {self._names[body]} moves, with {counted(n, 'constraint')}; the others are fixed. The gradient of its "
            f"energy is {amount(pull, 'N')}. One Newton step moves it to the minimum, by {amount(way, 'mm')} and {amount(turn, 'mrad')}."
        )
        places = [self._center[body].tolist() for body in range(len(self._ids)) if self._gives_way[body]]
        names = [self._names[body] for body in range(len(self._ids)) if self._gives_way[body]]
        at = tuple((x, y) for x, y in places)
        question = (
            Question("Which body moves next? Click it.", tuple(names), names.index(self._names[body]), at)
            if 2 <= len(at) <= 8 and len(set(at)) == len(at) and body < len(self._ids)
            else None
        )
        values["body"] = float(self._ids[body])
        self._add("descent", sentence, [body], [*self._outlines([body]), *self._way(body, before)], values, question=question)

    def _dual(self, row: list[float]) -> None:
        contact, k, (a, b) = int(row[0]), int(row[1]), self._ends[int(row[0])]
        old, new, old_t, new_t, stiff, stiffer, missing, slipped = row[2:10]
        self._set(contact, k, new, new_t)
        state = f"the overlap is {amount(-1e3 * missing, 'mm')}" if missing < 0.0 else f"the gap is {amount(1e3 * missing, 'mm')}"
        grows = f"; its stiffness grows from {amount(stiff, 'N/m')} to {amount(stiffer, 'N/m')}" if stiffer > stiff else ""
        pulls = ". A negative one would pull, so it is clamped at 0" if new == 0.0 < old or (new == 0.0 and missing > 0.0) else ""
        words = f"{state}; {change('its impulse', old, new)}{pulls}{grows}. The friction impulse is {amount(new_t, 'N s')}"
        values = {"before": old, "after": new, "before t": old_t, "after t": new_t, "k before": stiff, "k after": stiffer, "C": missing,
                  "slip": slipped}  # fmt: skip
        self._add(
            "dual", f"{self._head(contact, k)}{words}.", [a, b], self._impulses(contact, k), values,
            contact, k, self.direction(contact, False),
            Question("Does this point push?", ("yes, it pushes", "no, it is clamped"), int(new == 0.0)),
        )  # fmt: skip

    def _force(self, row: list[float]) -> None:
        contact, k, gap, along, across, rate, slide = int(row[0]), int(row[1]), *row[2:7]
        normal, (a, b) = self.direction(contact, False), self._ends[contact]
        self._set(contact, k, along, across)
        if gap >= 0.0:
            words = f"they are {amount(1e3 * gap, 'mm')} apart, so there is no force"
        else:
            most = self._friction[contact] * along
            slips = abs(across) >= most * (1.0 - 1e-12)
            limit = "mu times the push, so the spring slips" if slips else f"within {amount(most, 'N')}"
            words = f"they overlap by {amount(-1e3 * gap, 'mm')} and {meeting(rate)}; spring and damper push with {amount(along, 'N')}"
            words += ", because the damper would pull" if along == 0.0 else f". Friction is {amount(across, 'N')}, {limit}"
        values = {"gap": gap, "force": along, "friction": across, "rate": rate, "slide": slide, "stretch": row[7], "kept": row[8]}
        values |= dict(zip(("lever an", "lever bn", "lever at", "lever bt"), row[9:13], strict=True))
        self._add(
            "force", f"{self._head(contact, k)}{words}.", [a, b], self._impulses(contact, k), values,
            contact, k, normal, Question("Does a spring push at this point?", ("yes", "no"), int(along == 0.0)),
        )  # fmt: skip

    def _collide(self, row: list[float]) -> None:
        contact, p, tangent, excess, e, frozen = int(row[0]), row[1:3], row[3], row[10:12], row[12], int(row[13])
        normal, before, (a, b) = self.direction(contact, False), list(self.velocity), self._ends[contact]
        self.velocity[a], self.velocity[b] = (row[4], row[5], row[6]), (row[7], row[8], row[9])
        solved = [k for k in range(self._counts[contact]) if not math.isnan(excess[k])]
        for k in solved:
            old = self._impulse[contact, k]
            self._set(contact, k, old[0] + p[k], old[1] + tangent / len(solved))
        most = self._friction[contact] * sum(p[k] for k in solved)
        slides = abs(tangent) >= most * (1.0 - 1e-12)
        names = {k: self._point_name(contact, k).removeprefix(", ") or "point" for k in solved}
        faster = {k: f" approaches {amount(-excess[k], 'm/s')} too fast and" if excess[k] < 0.0 else "" for k in solved}
        words = "; ".join(f"the {names[k]}{faster[k]} gets an impulse of {amount(p[k], 'N s')}" for k in solved)
        friction = "kinetic friction, mu times the normal impulse," if slides else "static friction, which stops the face from slipping,"
        words += f". The impulse of {friction} is {amount(tangent, 'N s')}"
        words += f". The impulses remove {1.0 + e:.0%} of the approach velocity" if e != 0.0 else ""
        held = [self._names[body] for bit, body in ((1, a), (2, b)) if frozen & bit and self._gives_way[body]]
        words += f". The frozen {held[0]} acts as infinitely heavy" if held else ""
        values = {"p0": p[0], "p1": p[1], "tangent": tangent, "e": e, "frozen": float(frozen)}
        values |= {f"asked {k}": u for k, u in enumerate(excess) if not math.isnan(u)}
        points = [mark for k in solved for mark in self._impulses(contact, k)]
        self._add(
            "collide", f"{self._where}{self._titles[contact]}: {words}.{self._effects(contact, before)}", [a, b],
            [*points, *self._arrows([a, b], before)], values, contact, -1, normal,
            Question("Does the face stick or slip?", ("it sticks (static friction)", "it slips (kinetic friction)"), int(slides)),
        )  # fmt: skip

    def _tried(self, row: list[float]) -> None:
        """Add a step for the collected rows: collisions or forces of `contact_forces`."""
        rows, number, holds = self._force_rows[:], int(row[0]), row[1] > 0.0
        self._force_rows.clear()
        is_collision = number < 0
        kind, unit = ("collision", "N s") if is_collision else ("forces", "N")
        values: dict[str, float] = {"number": float(number), "holds": row[1], "free": row[2], "others": 0.0}
        pushes, marks = [], []
        for force_row in rows:
            contact, k, is_tangent, force = int(force_row[0]), int(force_row[1]), force_row[2] > 0.0, force_row[4]
            if (contact, k) not in self._impulse:
                values["others"] += 1.0
                continue
            name = f"contact {contact}{self._point_name(contact, k)}"
            letter = "t" if is_tangent else "n"
            numbers = {"P": force, "u": force_row[5], "bias": force_row[7]}
            values |= {f"{symbol}{contact}.{k}{letter}": number for symbol, number in numbers.items()}
            old = self._impulse[contact, k]
            self._set(contact, k, *((old[0], force) if is_tangent else (force, old[1])))
            if not is_tangent:
                pushes.append(f"{amount(force, unit) if force > 0.0 else 'none'} at {name}")
        for force_row in rows:
            if (int(force_row[0]), int(force_row[1])) in self._impulse and force_row[2] == 0.0:
                marks += self._impulses(int(force_row[0]), int(force_row[1]))
        listed = "; ".join(pushes[:6]) + ("; and more" if len(pushes) > 6 else "") if pushes else "no point pushes"
        so = "" if holds else "; the pivoting did not finish, so friction is that of the last iteration"
        if is_collision:
            sentence = f"Touching points that approach receive impulses, so that none still approaches: {listed}{so}."
        else:
            sentence = (
                f"Forces act at the resting points, so that none accelerates inward: {listed}. Determining which push and which slip took "
                f"{counted(number, 'system')} of equations{so}."
            )
        for contact, normal in {int(row[0]): row[8:10] for row in rows if (int(row[0]), int(row[1])) in self._impulse}.items():
            a, b = (float(self._ids[body]) if body < len(self._ids) else -1.0 for body in self._ends[contact])
            nx, ny = self._normals[contact] if math.isnan(normal[0]) else normal
            values |= {f"nx{contact}": nx, f"ny{contact}": ny, f"A{contact}": a, f"B{contact}": b}
            for k in range(self._counts[contact]):
                values[f"px{contact}.{k}"], values[f"py{contact}.{k}"] = self.place(contact, k)
        bodies = list(range(len(self._ids))) if is_collision else []
        arrows = self._arrows([body for body in bodies if self.velocity[body] != self._before[body]], self._before)
        self._add(kind, sentence, bodies, [*marks, *arrows], values, question=self._which_pushes_most(rows))

    def _which_pushes_most(self, rows: list[list[float]]) -> Question | None:
        """Ask which point pushes hardest, if its force is a tenth larger than the next."""
        pushes = [(row[4], int(row[0]), int(row[1])) for row in rows if row[2] == 0.0 and (int(row[0]), int(row[1])) in self._impulse]
        if len(pushes) < 2 or sorted(pushes)[-1][0] <= 1.1 * max(sorted(pushes)[-2][0], 0.0):
            return None
        answers = tuple(f"contact {contact}{self._point_name(contact, k)}" for _, contact, k in pushes)
        places = tuple(self.place(contact, k) for _, contact, k in pushes)
        return Question("Which point is pushed the hardest? Click it.", answers, pushes.index(max(pushes)), places)

    def _pivot(self, row: list[float]) -> None:
        def named(of: list[float]) -> str:
            contact, k = int(of[0]), int(of[1])
            place = f"contact {contact}{self._point_name(contact, k)}"
            return f"the {'friction' if of[2] else 'normal force'} at {place}" if contact >= 0 else "the force of a joint"

        entering, changed = named(row[0:3]), named(row[3:6])
        becomes = {-1: "is held at its lower bound", 0: "is free", 1: "is held at its upper bound"}[int(row[6])]
        values = {"force": row[7], "becomes": row[6]}
        self._add("pivot", f"Pivot: {entering} grows to {amount(row[7], 'N')}, where {changed} {becomes}.", [], [], values)

    def _piece(self, row: list[float]) -> None:
        ends = ". Then there is a new contact, so the sub-step ends here. All bodies move" if row[2] else ". All bodies move"
        self._seconds = row[1]
        self._passed = f"Starting at {amount(1e3 * row[0], 'ms')}, {amount(1e3 * row[1], 'ms')} pass{ends}"

    def _answer(self, result: States) -> TraceStep:
        kind = "answer"
        moving = sum(state.awake for state, gives in zip(result, self._gives_way, strict=False) if gives)
        fastest = max((math.hypot(*state.linear_velocity) for state in result), default=0.0)
        push = sum(pair[0] for pair in self._impulse.values())
        sentence = (
            f"The step is done. {counted(moving, 'body is', 'bodies are')} awake, and the fastest moves at {amount(fastest, 'm/s')}. "
            f"The contacts push with {amount(push, self._unit)} in total."
            if self._impulse
            else f"No two bodies touch, so there is nothing to solve. The fastest body moves at {amount(fastest, 'm/s')}."
        )
        marks = []
        for body, state in zip(self._ids, result, strict=True):
            marks += [shape_mark(shape, state.xf, "result") for shape in self._shapes[body]]
        at = (*marks, *self._charted(-1))
        cost = {"steps": len(self._steps), "rows solved": self._n_rows}
        return TraceStep(kind, self._lines[kind], sentence, values=self._values(range(len(self._ids))), marks=at, cost=cost, result=result)

    def _effects(self, contact: int, before: list[Vector]) -> str:
        """Describe how a row changed the rates at the other contacts of its bodies, the largest change of each body."""
        changes = []
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
                changes.append(f"{self._names[body]} now {meets(now, other_body)} ({met(was)})")
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


_SWEEPS = {
    t.SWEEP: "Sweep", t.RELAX: "Relaxation", t.PLACES: "Position sweep", t.COLLISIONS: "Collisions, pass",
    t.FROZEN: "With lower layers frozen, pass", t.PUSH_APART: "Pushing apart",
}  # fmt: skip
_STAGES = {
    t.FREE: ("free", "Gravity, forces and damping change the velocities of {n} by at most {most}, as if there were no contacts."),
    t.WARMED: ("warm", "Warm start: the last step's impulses are applied again. Velocities change by at most {most}."),
    t.JOINTS: ("joints", "The joints are solved: the velocities of {n} change by at most {most}."),
    t.BOUNCED: ("bounce", "Restitution comes first, at the moment of impact: the velocities of {n} change by at most {most}."),
    t.FLY: ("fly", "All bodies move, by at most {far}, to where they would be without contacts and joints."),
    t.VELOCITIES: ("velocities", "Velocity = displacement / time: the velocities of {n} change by at most {most}."),
    t.MOVE: ("move", "{passed} with their velocities, by at most {far}."),
}
