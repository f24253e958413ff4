"""Compares a user's function with an algorithm: finds the first step that contradicts its answer.

The function is one that ``check`` takes: it takes plain shapes, returns plain data, and runs in a separate process
(`engine.check.runner`). Exact arithmetic decides whether its answer is right (`engine.check.verdicts`). The steps show where it goes wrong:
each step proves that the separation of the two shapes is at least L, or at most U::

    an axis, a support    at least the gap along it
    two points            at most their distance
    an edge of EPA's polytope, d from O: at most -d, as the polytope lies within B - A

and an answer is a claim about the separation as well: a depth d claims that it is -d, a normal that it is the gap along it, a contact
that it is at most 0. The first step whose proof contradicts the claim is reported.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.check.allowances import DEFAULT_TOLERANCE, rounding
from engine.check.kinds import QUERIES
from engine.check.plain import PlainPair, core_of, plain_pair
from engine.check.runner import DEFAULT_TIME_LIMIT, RefusedFunctionError, Runner
from engine.check.truth import support_separation
from engine.check.verdicts import Reply, judge
from engine.common.errors import InvalidInputError
from engine.contracts.agreement import Verdict
from engine.contracts.trace import Point, TraceStep
from engine.geometry import Circle, Polygon
from engine.trace.cases import Case, PairCase
from engine.trace.marks import Marks, Points, dot, normal_mark
from engine.trace.words import meters

__all__ = ["BESIDE", "Asking", "OwnAnswer", "OwnFunction", "beside", "plain_case"]

BESIDE = ("alternating_projections", "epa", "gjk", "manifold", "sat", "sat_cached")
"""Algorithms that a function can be compared with."""

_NO_LESS = {
    ("support", "w.n"): 1.0,
    ("support", "least s.n"): -1.0,
    ("axis", "separation"): 1.0,
    ("remembered", "separation"): 1.0,
    ("distance", "distance"): 1.0,
    ("bound", "low"): 1.0,
}
_NO_MORE = {("nearest", "|v|"): 1.0, ("nearest edge", "distance"): -1.0, ("distance", "distance"): 1.0, ("turn", "|b - a|"): 1.0}
"""Kinds of steps, their values that bound the separation of the cores, and the sign."""

_OF_AN_EDGE = ("axis", "remembered")
"""Kinds of steps whose axis is an edge's outward normal."""

_SAME_AXIS = 1e-6
"""Maximum angle between an axis and a normal counted as the same, rad: ten times float32 rounding."""
_TRIANGLE = 3
_ARROW = 0.3
"""Length of a normal in the picture, as a share of its size."""


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """A function's answer compared with an algorithm.

    Attributes
    ----------
    reply : Reply
    faults : tuple of Verdict
        Faults found by exact arithmetic; empty if it is right.
    step : int or None
        The first step that contradicts it; None if it is right, or if there is no answer.
    tried : int or None
        The first step along its normal; None if there is none.
    sentence : str
    marks : tuple of Mark
        Its normal and points, role "own".
    """

    reply: Reply
    faults: tuple[Verdict, ...]
    step: int | None
    tried: int | None
    sentence: str
    marks: Marks = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; steps are counted from 1, as shown."""
        return {
            "said": self.reply.said,
            "contact": self.reply.contact if self.reply.said == "answer" else None,
            "answer": self.reply.keys,
            "is_right": not self.faults,
            "faults": [fault.reason for fault in self.faults],
            "step": None if self.step is None else self.step + 1,
            "tried": None if self.tried is None else self.tried + 1,
            "sentence": self.sentence,
        }


class OwnFunction:
    """A function from a file, in a separate process, to be compared with an algorithm; use it in a ``with`` statement.

    Its name selects the query: "distance" in it, the distance; "overlap", an overlap test; any other is a ``collide``.

    Attributes
    ----------
    name : str
        As ``mine.py:collide``.
    query : str
        One of `engine.check.kinds.QUERIES`.
    """

    def __init__(self, path: Path, function: str, time_limit: float = DEFAULT_TIME_LIMIT) -> None:
        self.name = f"{path.name}:{function}"
        self.query = next((query for query in QUERIES if query in function.lower()), QUERIES[0])
        self._runner = Runner(path, function, self.query, time_limit)

    def __enter__(self) -> OwnFunction:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Load the function, unless it is loaded.

        Raises
        ------
        RefusedFunctionError
            The file cannot be loaded.
        """
        self._runner.start()

    def ask(self, pair: PlainPair) -> Reply:
        """Call the function twice, which exposes one that is random.

        Raises
        ------
        RefusedFunctionError
            The file cannot be loaded.
        """
        (reply,) = self._runner.call([pair], 1)
        return reply

    def stop(self) -> None:
        """End the process."""
        self._runner.stop()


class Asking:
    """Calls a function on a thread of its own: a call may use its whole time limit without blocking the picture."""

    def __init__(self, function: OwnFunction) -> None:
        self.function = function
        self._condition = threading.Condition()
        self._wanted: PlainPair | None = None
        self._called: PlainPair | None = None
        self._answer: tuple[PlainPair, Reply] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="your function", daemon=True)
        self._thread.start()

    def reply(self, pair: PlainPair) -> Reply | None:
        """Return the answer for a pair, or None while it is not known; the newest pair is computed next."""
        with self._condition:
            if self._answer is not None and self._answer[0] == pair:
                return self._answer[1]
            self._wanted = None if pair == self._called else pair
            self._condition.notify()
            return None

    def stop(self) -> None:
        """Stop the thread, and end the function's process."""
        with self._condition:
            self._over.set()
            self._condition.notify()
        self.function.stop()  # also in the middle of a call
        self._thread.join()
        self.function.stop()  # that it had begun meanwhile

    def _serve(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._wanted is not None or self._over.is_set())
                pair, self._wanted = self._wanted, None
                self._called = pair
                if self._over.is_set() or pair is None:
                    return
            try:
                reply = self.function.ask(pair)
            except RefusedFunctionError as refusal:
                reply = Reply("raised", message=f"the function cannot be loaded: {refusal.message}")
            except Exception:
                if self._over.is_set():  # its process was taken away
                    return
                raise
            with self._condition:
                self._answer, self._called = (pair, reply), None


def plain_case(case: Case) -> PlainPair:
    """Return a case as the plain pair passed to a function, without skins.

    Raises
    ------
    InvalidInputError
        The case is not a pair of polygons or circles at rest.
    """
    shapes = (case.pair.shape_a, case.pair.shape_b) if isinstance(case, PairCase) and case.pair.end_a is None else ()
    if isinstance(case, PairCase) and len(shapes) == 2:
        a, b = shapes
        if isinstance(a, Circle | Polygon) and isinstance(b, Circle | Polygon):
            return plain_pair(a, case.pair.pose_a, b, case.pair.pose_b)
    kinds = " and ".join(type(shape).__name__ for shape in shapes if shape is not None) or type(case).__name__
    raise InvalidInputError("case", "a pair of polygons or circles for your own function", kinds)


def beside(query: str, case: Case, steps: Sequence[TraceStep], reply: Reply, tolerance: float = DEFAULT_TOLERANCE) -> OwnAnswer:
    """Compare an answer with the steps of an algorithm of `BESIDE` on the same case.

    Parameters
    ----------
    query : str
        The query, one of `engine.check.kinds.QUERIES`.
    tolerance : float
        Allowed error of an answer, meters, in addition to float64 rounding.

    Raises
    ------
    InvalidInputError
        As `plain_case`.
    """
    pair = plain_case(case)
    faults = tuple(judge(query, pair, reply, tolerance))
    if reply.said != "answer":
        return OwnAnswer(reply, faults, None, None, f"Your function gave no answer: {faults[0].evidence}.")

    def is_wrong(point: Any) -> bool:
        alone = Reply("answer", True, {**reply.keys, "points": [point]})
        return any(fault.reason == "wrong_points" for fault in judge(query, pair, alone, tolerance))

    trial = _Trial(pair, steps, reply, tolerance + rounding(pair.scale), is_wrong)
    tried = trial.tried
    marks = _marks(case, reply)
    if not faults:
        also = f" Step {tried + 1} tests its normal." if tried is not None else ""
        return OwnAnswer(reply, faults, None, tried, f"Your answer is correct: {_said(reply)}. No step contradicts it.{also}", marks)
    places = [(at, words, fault) for fault in faults if fault.reason != "not_repeatable" for at, words in [trial.place(fault)]]
    if not places:
        return OwnAnswer(reply, faults, None, tried, f"Your answer is not repeatable: {faults[0].evidence}.", marks)
    at, words, fault = min(places, key=lambda place: place[0])
    return OwnAnswer(reply, faults, at, tried, f"Your answer: {fault.evidence}. {words}", marks)


class _Trial:
    """The claims of an answer, and the bounds that the steps prove."""

    def __init__(self, pair: PlainPair, steps: Sequence[TraceStep], reply: Reply, allowed: float, is_wrong: Callable[[Any], bool]) -> None:
        self._is_wrong = is_wrong
        """True if a point of the answer is wrong."""
        self._steps, self._allowed, self._pair, self._keys = steps, allowed, pair, reply.keys
        self._radii = core_of(pair.a)[1] + core_of(pair.b)[1]
        self.normal = _unit(reply.keys.get("normal"))
        self.tried = None if self.normal is None else self._along(self.normal)

    def place(self, fault: Verdict) -> tuple[int, str]:
        """Return the step that contradicts an answer with this fault, and the sentence about it."""
        if fault.reason == "missed_overlap":
            return self._denied(math.inf, self._keys.get("distance", 2.0 * self._allowed))
        if fault.reason == "false_overlap":
            return self._denied(0.0, -math.inf)
        if fault.reason == "wrong_depth":
            at, words = self._denied(-self._keys["depth"], -self._keys["depth"])
            same = next((k for k in range(len(self._steps) - 1) if abs(self._proof(k)[0] + self._keys["depth"]) <= self._allowed), None)
            return at, words if same is None else f"That is the overlap along the axis of step {same + 1}. {words}"
        if fault.reason == "wrong_distance":
            return self._denied(self._keys["distance"], self._keys["distance"])
        if fault.reason in ("reversed_normal", "not_unit_normal") and self.normal is not None:
            sign = -1.0 if fault.reason == "reversed_normal" else 1.0
            step = self._along((sign * self.normal[0], sign * self.normal[1]))
            if step is not None:
                what = "in the opposite direction, from A to B" if sign < 0.0 else "with a length of 1"
                return step, f"Step {step + 1} tests the same axis {what}. This is where your answer departs from the trace."
        if fault.reason in ("wrong_normal", "reversed_normal") and self.normal is not None:
            return self._wrong_normal(support_separation(self._pair, *self.normal))
        if fault.reason == "wrong_points" and self._keys.get("points"):
            return self._wrong_points()
        return self._at_the_end()

    def _wrong_points(self) -> tuple[int, str]:
        """Return the step of the side plane that cuts off the wrong point, or the step that takes another point."""
        x, y = next(point for point in self._keys["points"] if self._is_wrong(point))
        yours = f"your point ({x + 0.0:.4g}, {y + 0.0:.4g})"
        ends: Points = ()
        for k, step in enumerate(self._steps):
            if step.kind == "clip" and step.axis is not None and ends:
                nx, ny = step.axis
                beyond = nx * (x - ends[0][0]) + ny * (y - ends[0][1]) + step.values["beyond 1"]
                if beyond > self._allowed:
                    return k, f"The side plane of step {k + 1} cuts off {yours}, which lies {meters(beyond)} beyond it."
            if step.kind in ("incident", "clip"):
                ends = step.points
            elif step.kind == "point":
                return k, f"No side plane cuts off {yours}, but step {k + 1} uses a different point, midway between the two surfaces."
        return self._at_the_end()

    def _wrong_normal(self, gap: float) -> tuple[int, str]:
        better, words = self._denied(gap, gap)
        if self.tried is None:
            return better, f"No step tried your axis. {words}"
        if self.tried <= better:
            return better, f"Step {self.tried + 1} tried your axis. {words}"
        known = f"Step {self.tried + 1} tried your axis and rejected it, because step {better + 1} had a better one"
        return self.tried, f"{known}. This is where your answer departs from the trace."

    def _denied(self, most: float, least: float) -> tuple[int, str]:
        """Return the first step that proves a separation of more than `most`, or of less than `least`."""
        for k in range(len(self._steps)):
            low, high = self._proof(k)
            if low > most + self._allowed:
                proof = f"a gap of at least {meters(low)}" if low > 0.0 else f"an overlap of at most {meters(-low)}"
            elif high < least - self._allowed:
                touch = "that the two shapes touch or overlap" if high == 0.0 else f"an overlap of at least {meters(-high)}"
                proof = f"a gap of at most {meters(high)}" if high > 0.0 else touch
            else:
                continue
            return k, f"Step {k + 1} proves {proof}. This is where your answer departs from the trace."
        return self._at_the_end()

    def _at_the_end(self) -> tuple[int, str]:
        k = len(self._steps) - 1
        return k, f"It agrees with every step before the answer, and departs from the trace at the answer, step {k + 1}."

    def _proof(self, k: int) -> tuple[float, float]:
        """Return the bounds on the separation that a step proves: minimum and maximum."""
        step = self._steps[k]
        low = [sign * step.values[name] for (kind, name), sign in _NO_LESS.items() if kind == step.kind and name in step.values]
        high = [sign * step.values[name] for (kind, name), sign in _NO_MORE.items() if kind == step.kind and name in step.values]
        if step.kind == "kept" and len(step.points) == _TRIANGLE:
            high = [0.0]  # O is in it
        return max(low, default=-math.inf) - self._radii, min(high, default=math.inf) - self._radii

    def _along(self, normal: Point) -> int | None:
        """Return the first step along a unit vector; normals of B's edges and of EPA's polytope point toward A."""
        for k, step in enumerate(self._steps[:-1]):
            if step.axis is not None:
                sign = -1.0 if "s.n" in step.values or (step.kind in _OF_AN_EDGE and step.looked_at[0].whose == "b") else 1.0
                x, y = sign * step.axis[0], sign * step.axis[1]
                if x * normal[0] + y * normal[1] > 0.0 and abs(x * normal[1] - y * normal[0]) <= _SAME_AXIS:
                    return k
        return None


def _unit(vector: Any) -> Point | None:
    if vector is None or not any(vector):
        return None
    length = math.hypot(*vector)
    return vector[0] / length, vector[1] / length


def _said(reply: Reply) -> str:
    """Return an answer as text."""
    keys = reply.keys
    parts = [f"distance {meters(keys['distance'])}"] if "distance" in keys else ["contact" if reply.contact else "no contact"]
    if "normal" in keys:
        parts.append(f"normal ({keys['normal'][0] + 0.0:.4g}, {keys['normal'][1] + 0.0:.4g})")
    if "depth" in keys:
        parts.append(f"depth {meters(keys['depth'])}")
    return ", ".join(parts)


def _marks(case: Case, reply: Reply) -> Marks:
    """Mark the points of an answer, and its normal at their center, or at the center of the picture."""
    keys = reply.keys
    points = tuple((x, y) for x, y in [*keys.get("points", ()), *(keys[name] for name in ("point_a", "point_b") if name in keys)])
    dots: Marks = (dot("own", *points, text="yours"),) if points else ()
    normal = _unit(keys.get("normal"))
    return dots if normal is None else (*dots, normal_mark("own", normal, points, case.box, _ARROW, "your normal"))
