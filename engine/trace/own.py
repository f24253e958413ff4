"""A user's own function beside an algorithm of ours: where its answer first leaves the trace.

The function is one that ``check`` takes: plain shapes go in, plain data comes out, and it runs in a process of its own
(`engine.check.runner`). Whether its answer is right, exact arithmetic says (`engine.check.verdicts`). Where it leaves, the steps say: each
step proves of the separation of the two shapes that it is no less than L, or no more than U::

    an axis, a support    no less than the gap along it
    two points            no more than their distance
    an edge of EPA's polytope, d from O: no more than -d, for the polytope lies within B - A

and an answer is a claim about the separation as well: a depth d says that it is -d, a normal that it is the gap along it, a contact that
it is 0 or less. The first step whose proof denies the claim is the place.
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
from engine.check.verdicts import Fault, Reply, judge
from engine.common.errors import InvalidInputError
from engine.contracts.trace import Mark, Point, TraceStep
from engine.geometry import Circle, Polygon
from engine.trace.cases import Case, PairCase
from engine.trace.words import meters

__all__ = ["BESIDE", "Asking", "OwnAnswer", "OwnFunction", "beside", "plain_case"]

BESIDE = ("alternating_projections", "epa", "gjk", "manifold", "sat", "sat_cached")
"""Algorithms beside which a function can be asked."""

_NO_LESS = {
    ("support", "w.n"): 1.0,
    ("support", "least s.n"): -1.0,
    ("axis", "separation"): 1.0,
    ("remembered", "separation"): 1.0,
    ("distance", "distance"): 1.0,
    ("bound", "low"): 1.0,
}
_NO_MORE = {("nearest", "|v|"): 1.0, ("nearest edge", "distance"): -1.0, ("distance", "distance"): 1.0, ("turn", "|b - a|"): 1.0}
"""Kinds of steps, values of theirs that prove something of the separation of the cores, and their sign."""

_OF_AN_EDGE = ("axis", "remembered")
"""Kinds of steps whose axis is an edge's outward normal."""

_SAME_AXIS = 1e-6
"""Radians between an axis that was tried and a normal that is called the same: what float32 leaves, ten times over."""
_TRIANGLE = 3
_ARROW = 0.3
"""Length of a normal in the picture, a share of its size."""


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What a function answered beside an algorithm.

    Attributes
    ----------
    reply : Reply
    faults : tuple of Fault
        What exact arithmetic finds wrong with it; none, if it is right.
    step : int or None
        The first step that denies it; None where it is right, or is no answer at all.
    tried : int or None
        The first step that looked along its normal; None if none did.
    sentence : str
    marks : tuple of Mark
        Its normal and points, role "own".
    """

    reply: Reply
    faults: tuple[Fault, ...]
    step: int | None
    tried: int | None
    sentence: str
    marks: tuple[Mark, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; steps are counted from 1, as they are shown."""
        return {
            "said": self.reply.said,
            "contact": self.reply.contact if self.reply.said == "answer" else None,
            "answer": self.reply.keys,
            "is_right": not self.faults,
            "faults": [fault.kind for fault in self.faults],
            "step": None if self.step is None else self.step + 1,
            "tried": None if self.tried is None else self.tried + 1,
            "sentence": self.sentence,
        }


class OwnFunction:
    """A function of a file, in a process of its own, to be asked beside an algorithm; use it in a ``with`` statement.

    Its name says what it is asked: with "distance" in it, the distance; with "overlap", whether there is one; any other is a ``collide``.

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
        """Load it, unless that has been done.

        Raises
        ------
        RefusedFunctionError
            The file cannot be loaded.
        """
        self._runner.start()

    def ask(self, pair: PlainPair) -> Reply:
        """Call it, twice: a function that is random is told by that.

        Raises
        ------
        RefusedFunctionError
            The file cannot be loaded.
        """
        (reply,) = self._runner.call([pair], 1)
        return reply

    def stop(self) -> None:
        """End its process."""
        self._runner.stop()


class Asking:
    """Asks a function on a thread of its own: a call may take all its time limit, and no picture waits for it."""

    def __init__(self, function: OwnFunction) -> None:
        self.function = function
        self._condition = threading.Condition()
        self._wanted: PlainPair | None = None
        self._found: tuple[PlainPair, Reply] | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="your function", daemon=True)
        self._thread.start()

    def reply(self, pair: PlainPair) -> Reply | None:
        """Return what it answers about a pair, or None while that is not known: it is asked then, about the newest pair alone."""
        with self._condition:
            if self._found is not None and self._found[0] == pair:
                return self._found[1]
            self._wanted = pair
            self._condition.notify()
            return None

    def stop(self) -> None:
        """Ask no more, and end the function's process."""
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
                if self._over.is_set() or pair is None:
                    return
            try:
                reply = self.function.ask(pair)
            except RefusedFunctionError as refusal:
                reply = Reply("raised", told=f"it cannot be loaded: {refusal.message}")
            except Exception:
                if self._over.is_set():  # its process was taken away
                    return
                raise
            with self._condition:
                self._found = pair, reply


def plain_case(case: Case) -> PlainPair:
    """Return a case as a function gets it, skins left out.

    Raises
    ------
    InvalidInputError
        The case is no pair of polygons or circles that stand.
    """
    shapes = (case.pair.shape_a, case.pair.shape_b) if isinstance(case, PairCase) and case.pair.end_a is None else ()
    if isinstance(case, PairCase) and len(shapes) == 2:
        a, b = shapes
        if isinstance(a, Circle | Polygon) and isinstance(b, Circle | Polygon):
            return plain_pair(a, case.pair.pose_a, b, case.pair.pose_b)
    kinds = " and ".join(type(one).__name__ for one in shapes if one is not None) or type(case).__name__
    raise InvalidInputError("case", "a pair of polygons or circles, for a function of your own", kinds)


def beside(query: str, case: Case, steps: Sequence[TraceStep], reply: Reply, tolerance: float = DEFAULT_TOLERANCE) -> OwnAnswer:
    """Put an answer beside the steps of an algorithm of `BESIDE` on the same case.

    Parameters
    ----------
    query : str
        What was asked, one of `engine.check.kinds.QUERIES`.
    tolerance : float
        Meters that an answer may be off, beside what float64 loses.

    Raises
    ------
    InvalidInputError
        As `plain_case`.
    """
    pair = plain_case(case)
    faults = tuple(judge(query, pair, reply, tolerance))
    if reply.said != "answer":
        return OwnAnswer(reply, faults, None, None, f"Yours gave no answer: {faults[0].told}.")

    def is_wrong(point: Any) -> bool:
        alone = Reply("answer", True, {**reply.keys, "points": [point]})
        return any(fault.kind == "wrong_points" for fault in judge(query, pair, alone, tolerance))

    trial = _Trial(pair, steps, reply, tolerance + rounding(pair.scale), is_wrong)
    tried = trial.tried
    marks = _marks(case, reply)
    if not faults:
        also = f" Step {tried + 1} looks along its normal." if tried is not None else ""
        return OwnAnswer(reply, faults, None, tried, f"Yours is right: {_said(reply)}. No step denies it.{also}", marks)
    places = [(at, told, fault) for fault in faults if fault.kind != "not_repeatable" for at, told in [trial.place(fault)]]
    if not places:
        return OwnAnswer(reply, faults, None, tried, f"Yours is not repeatable: {faults[0].told}.", marks)
    at, told, fault = min(places, key=lambda place: place[0])
    return OwnAnswer(reply, faults, at, tried, f"Yours: {fault.told}. {told}", marks)


class _Trial:
    """The claims of an answer against what the steps prove."""

    def __init__(self, pair: PlainPair, steps: Sequence[TraceStep], reply: Reply, allowed: float, is_wrong: Callable[[Any], bool]) -> None:
        self._is_wrong = is_wrong
        """Whether a point of theirs is."""
        self._steps, self._allowed, self._pair, self._keys = steps, allowed, pair, reply.keys
        self._radii = core_of(pair.a)[1] + core_of(pair.b)[1]
        self.normal = _unit(reply.keys.get("normal"))
        self.tried = None if self.normal is None else self._along(self.normal)

    def place(self, fault: Fault) -> tuple[int, str]:
        """Return the step at which an answer with this fault leaves the trace, and the sentence that says so."""
        if fault.kind == "missed_overlap":
            return self._denied(math.inf, self._keys.get("distance", 2.0 * self._allowed))
        if fault.kind == "false_overlap":
            return self._denied(0.0, -math.inf)
        if fault.kind == "wrong_depth":
            at, told = self._denied(-self._keys["depth"], -self._keys["depth"])
            same = next((k for k in range(len(self._steps) - 1) if abs(self._proof(k)[0] + self._keys["depth"]) <= self._allowed), None)
            return at, told if same is None else f"That is how far they overlap along the axis of step {same + 1}. {told}"
        if fault.kind == "wrong_distance":
            return self._denied(self._keys["distance"], self._keys["distance"])
        if fault.kind in ("reversed_normal", "not_unit_normal") and self.normal is not None:
            sign = -1.0 if fault.kind == "reversed_normal" else 1.0
            found = self._along((sign * self.normal[0], sign * self.normal[1]))
            if found is not None:
                what = "the other way, from A to B" if sign < 0.0 else "with a length of 1"
                return found, f"Step {found + 1} looks along the same axis, {what}: there your answer leaves the trace."
        if fault.kind in ("wrong_normal", "reversed_normal") and self.normal is not None:
            return self._wrong_normal(support_separation(self._pair, *self.normal))
        if fault.kind == "wrong_points" and self._keys.get("points"):
            return self._wrong_points()
        return self._at_the_end()

    def _wrong_points(self) -> tuple[int, str]:
        """Return the side plane that cuts off their point, or the step that takes another."""
        x, y = next(point for point in self._keys["points"] if self._is_wrong(point))
        yours = f"your point ({x + 0.0:.4g}, {y + 0.0:.4g})"
        ends: tuple[Point, ...] = ()
        for k, step in enumerate(self._steps):
            if step.kind == "clip" and step.axis is not None and ends:
                nx, ny = step.axis
                beyond = nx * (x - ends[0][0]) + ny * (y - ends[0][1]) + step.values["beyond 1"]
                if beyond > self._allowed:
                    return k, f"The side plane of step {k + 1} cuts it off, {meters(beyond)} beyond: there {yours} leaves the trace."
            if step.kind in ("incident", "clip"):
                ends = step.points
            elif step.kind == "point":
                other = f"Step {k + 1} takes a point midway between the two surfaces"
                return k, f"No side plane cuts it off. {other}: there {yours} leaves the trace."
        return self._at_the_end()

    def _wrong_normal(self, gap: float) -> tuple[int, str]:
        better, told = self._denied(gap, gap)
        if self.tried is None:
            return better, f"No step tried your axis. {told}"
        if self.tried <= better:
            return better, f"Step {self.tried + 1} tried your axis. {told}"
        known = f"Step {self.tried + 1} tried your axis and left it, for step {better + 1} had a better one"
        return self.tried, f"{known}: there your answer leaves the trace."

    def _denied(self, most: float, least: float) -> tuple[int, str]:
        """Return the first step that proves a separation of more than `most`, or of less than `least`."""
        for k in range(len(self._steps)):
            low, high = self._proof(k)
            if low > most + self._allowed:
                proof = f"a gap of {meters(low)}, or more" if low > 0.0 else f"an overlap of no more than {meters(-low)}"
            elif high < least - self._allowed:
                touch = "that the two touch or overlap" if high == 0.0 else f"an overlap of {meters(-high)}, or more"
                proof = f"a gap of no more than {meters(high)}" if high > 0.0 else touch
            else:
                continue
            return k, f"Step {k + 1} finds {proof}: there your answer leaves the trace."
        return self._at_the_end()

    def _at_the_end(self) -> tuple[int, str]:
        k = len(self._steps) - 1
        return k, f"It agrees with every step before the answer, step {k + 1}: there it leaves the trace."

    def _proof(self, k: int) -> tuple[float, float]:
        """Return what a step proves: the least and the greatest separation."""
        step = self._steps[k]
        low = [sign * step.values[name] for (kind, name), sign in _NO_LESS.items() if kind == step.kind and name in step.values]
        high = [sign * step.values[name] for (kind, name), sign in _NO_MORE.items() if kind == step.kind and name in step.values]
        if step.kind == "kept" and len(step.points) == _TRIANGLE:
            high = [0.0]  # O is in it
        return max(low, default=-math.inf) - self._radii, min(high, default=math.inf) - self._radii

    def _along(self, normal: Point) -> int | None:
        """Return the first step that looked along a unit vector; B's edges look towards A, and so do the edges of EPA's polytope."""
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
    """Return an answer in words."""
    keys = reply.keys
    parts = [f"distance {meters(keys['distance'])}"] if "distance" in keys else ["contact" if reply.contact else "no contact"]
    if "normal" in keys:
        parts.append(f"normal ({keys['normal'][0] + 0.0:.4g}, {keys['normal'][1] + 0.0:.4g})")
    if "depth" in keys:
        parts.append(f"depth {meters(keys['depth'])}")
    return ", ".join(parts)


def _marks(case: Case, reply: Reply) -> tuple[Mark, ...]:
    """Mark their points, and their normal from the middle of them, or from the middle of the picture."""
    keys = reply.keys
    points = tuple((x, y) for x, y in [*keys.get("points", ()), *(keys[name] for name in ("point_a", "point_b") if name in keys)])
    found = (Mark("point", "own", points, text="yours"),) if points else ()
    normal = _unit(keys.get("normal"))
    if normal is None:
        return found
    (left, bottom), (right, top) = case.box.lower, case.box.upper
    length = _ARROW * max(right - left, top - bottom)
    x, y = (sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)) if points else _middle(case)
    return (*found, Mark("arrow", "own", ((x, y), (x + length * normal[0], y + length * normal[1])), text="your normal"))


def _middle(case: Case) -> Point:
    (left, bottom), (right, top) = case.box.lower, case.box.upper
    return 0.5 * (left + right), 0.5 * (bottom + top)
