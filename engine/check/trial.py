"""Trial of a function: it is called on the seeded pairs of `compare`, each answer is judged, and the clearest failure of each kind is
shrunk.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from engine.box2d.oracle.held import round_shape
from engine.box2d.oracle.pairs import PairOracle
from engine.check.allowances import DEFAULT_TOLERANCE, rounding
from engine.check.causes import Cause, causes
from engine.check.child import KEYS
from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, plain_pairs, shape_of
from engine.check.runner import RefusedFunctionError, Runner
from engine.check.shrink import Failure, corner_count, is_clear, is_sound, shrink, visible_share
from engine.check.truth import Truth, is_in
from engine.check.verdicts import Reply, Settled, judge
from engine.common.errors import InvalidShapeError
from engine.compare.cases import CaseChunk, case_chunk, chunk_sizes
from engine.compare.pair.file import Provenance
from engine.contracts import Status
from engine.contracts.agreement import Verdict
from engine.geometry import Transform
from engine.query import batch, distance, manifold

__all__ = ["MAX_KILLED", "Finding", "Right", "Tally", "Task", "check_function", "check_pair", "settled"]

MAX_KILLED = 10
"""Maximum number of calls that end the process, or are killed with it, before the trial gives up."""

_REPEAT_EACH = 16
"""Interval, in pairs, at which a pair is passed twice to check that the answer repeats."""

_KEPT = 20
"""Number of failures of a kind from which the clearest is chosen."""

_COMPARED = 1000
"""Number of failures of a kind, and of right pairs that touch or are apart, in which common causes are sought."""

_CLEAR = 0.1
"""Minimum visible share of a clear fault; see `visible_share`."""

_PORTION = 1024
"""Number of pairs between two checks of the clock."""

_SHRINK_SECONDS = 4.0
_NEEDS_PROCESS = ("too_slow", "crashed")
"""Kinds of faults that end the process."""

_NEEDS_ANY = ("raised", "wrong_type", *_NEEDS_PROCESS, "not_repeatable")
"""Kinds of faults that a pair can have whether it touches or not."""


@dataclass(frozen=True, slots=True)
class Task:
    """The function on trial, and its pairs."""

    path: Path
    function: str
    query: str
    pairs: int
    seed: int
    tolerance: float
    time_limit: float


@dataclass(frozen=True, slots=True)
class Right:
    """The correct answer: separation (negative when overlapping), a best normal, and the contact points in both shapes; and Box2D's.

    `nearest` are the closest points of A and B if they are separated.
    """

    separation: float
    normal: tuple[float, float]
    points: tuple[tuple[float, float], ...]
    box2d: str
    nearest: tuple[tuple[float, float], tuple[float, float]] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The first failure of a kind, and the smallest pair that fails in the same way.

    `is_alone` is False if the function fails only after other calls; the pair is then the original one. `causes` are what all such pairs
    have in common.
    """

    kind: str
    first: Failure
    shown: Failure
    right: Right
    is_alone: bool
    causes: tuple[Cause, ...] = ()


@dataclass(slots=True)
class Tally:
    """Results of a function so far."""

    task: Task
    pairs: int = 0
    touching: int = 0
    right: int = 0
    wrong: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    failures: dict[str, list[Failure]] = field(default_factory=dict)
    passed: dict[bool, list[PlainPair]] = field(default_factory=lambda: {True: [], False: []})
    """Right pairs that touch (True) or are apart."""
    returned: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    printed: int = 0
    printing_calls: int = 0
    refused: RefusedFunctionError | None = None
    gave_up: str = ""
    is_whole: bool = False
    findings: list[Finding] = field(default_factory=list)

    @property
    def never_returned(self) -> tuple[str, ...]:
        """Keys that can be judged but were never returned."""
        return tuple(key for key in KEYS[self.task.query] if not self.returned[key])

    @property
    def is_right(self) -> bool:
        """True if all answers so far were right."""
        return self.refused is None and not self.wrong and not self.gave_up

    @property
    def verdict(self) -> str:
        """One of: right, wrong, gave up, not loaded, interrupted."""
        if self.refused is not None:
            return "not loaded"
        if self.gave_up:
            return "gave up"
        if self.wrong:
            return "wrong"
        return "right" if self.is_whole else "interrupted"


def check_function(task: Task) -> Generator[Tally, None, None]:
    """Try a function; yield the results so far every few hundred pairs, and at the end with the findings.

    A file that cannot be loaded is also a result (`Tally.refused`).
    """
    tally = Tally(task)
    yield tally
    try:
        with Runner(task.path, task.function, task.query, task.time_limit) as runner:
            runner.start()
            for _ in _run(task, tally, runner):
                yield tally
            tally.is_whole = not tally.gave_up
            yield tally
            for kind in KINDS:
                if kind in tally.failures:
                    found = _find(task, kind, tally.failures[kind][:_KEPT])
                    tally.findings.append(replace(found, causes=tuple(causes(tally.failures[kind], _comparable(tally, kind)))))
                    yield tally
    except RefusedFunctionError as refusal:
        if tally.pairs:
            tally.gave_up = f"the file could not be loaded again: {refusal.message}"
        else:
            tally.refused = refusal
    yield tally


def check_pair(task: Task, pair: PlainPair) -> Tally:
    """Try a function on one given pair."""
    tally = Tally(task)
    try:
        with Runner(task.path, task.function, task.query, task.time_limit) as runner:
            (reply,) = list(runner.call([pair], 1))
    except RefusedFunctionError as refusal:
        tally.refused = refusal
        return tally
    _count(tally, pair, reply, None, None)
    tally.is_whole = True
    for kind, (failure,) in tally.failures.items():
        tally.findings.append(Finding(kind, failure, failure, _right(pair), True))
    return tally


def settled(cases: CaseChunk) -> list[Settled]:
    """Return our own float64 answers to a chunk."""
    shapes = batch.ShapeBatch(cases.shapes)
    apart = batch.distance(shapes, cases.pairs, cases.poses_a, cases.poses_b)
    deep = batch.penetration(shapes, cases.pairs, cases.poses_a, cases.poses_b)
    is_apart = deep.status == int(Status.SEPARATED)
    separation = np.where(is_apart, apart.separation, -deep.depth).tolist()
    normals = np.where(is_apart[:, None], apart.normal, deep.normal)
    known = [math.isfinite(x) and math.isfinite(y) for x, y in normals.tolist()]
    return [
        Settled(gap, (normal[0], normal[1]) if is_known else None)
        for gap, normal, is_known in zip(separation, normals.tolist(), known, strict=True)
    ]


def _run(task: Task, tally: Tally, runner: Runner) -> Iterator[None]:
    for chunk, n_pairs in chunk_sizes(task.pairs):
        cases = case_chunk(task.seed, chunk, n_pairs)
        pairs, ours = plain_pairs(cases), settled(cases)
        for first in range(0, n_pairs, _PORTION):
            portion = pairs[first : first + _PORTION]
            for k, reply in enumerate(runner.call(portion, _REPEAT_EACH)):
                row = first + k
                _count(tally, portion[k], reply, ours[row], Provenance(task.seed, chunk, row))
                if max(runner.n_killed, tally.kinds["too_slow"]) >= MAX_KILLED:
                    tally.gave_up = f"{MAX_KILLED} calls were too slow or ended their process"
                    return
            yield


def _count(tally: Tally, pair: PlainPair, reply: Reply, ours: Settled | None, place: Provenance | None) -> None:
    task = tally.task
    faults = judge(task.query, pair, reply, task.tolerance, ours)
    touches = (ours.separation if ours is not None else float(Truth(pair).separation)) <= 0.0
    tally.pairs += 1
    tally.touching += touches
    tally.right += not faults
    tally.wrong += bool(faults)
    tally.printed += reply.printed
    tally.printing_calls += reply.printed > 0
    tally.returned.update(list(reply.keys))
    tally.unknown.update(reply.unknown)
    if not faults and len(tally.passed[touches]) < _COMPARED:
        tally.passed[touches].append(pair)
    for fault in faults:
        tally.kinds[fault.reason] += 1
        tally.worst[fault.reason] = max(tally.worst.get(fault.reason, 0.0), fault.size)
        kept = tally.failures.setdefault(fault.reason, [])
        if len(kept) < _COMPARED:
            kept.append(Failure(pair, reply, fault, place))


def _comparable(tally: Tally, kind: str) -> list[PlainPair]:
    """Return the right pairs that could have had this fault."""
    if kind in _NEEDS_ANY or (tally.task.query == "distance" and kind != "missed_overlap" and kind != "false_overlap"):
        return tally.passed[True] + tally.passed[False]
    return tally.passed[kind != "false_overlap"]


def _find(task: Task, kind: str, failures: list[Failure]) -> Finding:
    """Return the finding of a kind: the clearest of its first failures, shrunk in a new process."""
    shown = chosen = min(failures, key=_clearness)
    with Runner(task.path, task.function, task.query, task.time_limit) as runner:

        def attempt(pairs: list[PlainPair]) -> list[Failure | None]:
            tried: list[Failure | None] = []
            for pair, reply in zip(pairs, runner.call(pairs, int(kind == "not_repeatable")), strict=True):
                faults = judge(task.query, pair, reply, task.tolerance)
                fault = next((candidate for candidate in faults if _is_same(candidate, reply, chosen)), None)
                tried.append(None if fault is None else Failure(pair, reply, fault, chosen.place))
            return tried

        (again,) = attempt([chosen.pair])
        if again is not None:
            costly = kind in _NEEDS_PROCESS
            shown = shrink(again, attempt, _SHRINK_SECONDS, 1) if costly else shrink(again, attempt, _SHRINK_SECONDS)
    return Finding(kind, failures[0], shown, _right(shown.pair), again is not None)


def _is_same(fault: Verdict, reply: Reply, failure: Failure) -> bool:
    """Return True if a fault of a reply is of the same kind as a failure; for exceptions also of the same type."""
    is_type = fault.reason != "raised" or reply.message.partition(":")[0] == failure.reply.message.partition(":")[0]
    return fault.reason == failure.fault.reason and is_type


def _clearness(failure: Failure) -> tuple[bool, bool, bool, int, int]:
    number = 0 if failure.place is None else failure.place.number
    return not is_sound(failure.pair), not is_clear(failure.pair), visible_share(failure) < _CLEAR, corner_count(failure.pair), number


def _right(pair: PlainPair) -> Right:
    truth = Truth(pair, with_corners=True)
    points: tuple[tuple[float, float], ...] = ()
    if truth.separation <= 0:
        contact = manifold(shape_of(pair.a), Transform(), shape_of(pair.b), Transform())
        slack = Fraction(DEFAULT_TOLERANCE + rounding(pair.scale))
        # a point midway between the surfaces of slanted edges is also right, but can lie outside both shapes, which is hard to see
        inside = [
            point.position for point in contact.points if is_in(pair.a, point.position, slack) and is_in(pair.b, point.position, slack)
        ]
        points = tuple(inside)
    nearest = None
    if truth.separation > 0:
        apart = distance(shape_of(pair.a), Transform(), shape_of(pair.b), Transform())
        if apart.point_a is not None and apart.point_b is not None:
            nearest = apart.point_a, apart.point_b
    return Right(float(truth.separation), truth.best_normal(), points, _box2d_says(pair), nearest)


def _box2d_says(pair: PlainPair) -> str:
    """Return Box2D's answer to the same pair in float32, in words."""
    try:
        oracle = PairOracle([round_shape(shape_of(pair.a)), round_shape(shape_of(pair.b))])
    except InvalidShapeError:
        return "Box2D does not accept these shapes"
    here = np.zeros((1, 3))
    answer = oracle.manifolds(np.array([[0, 1]]), here, here)
    count = int(answer.count[0])
    if count == 0:
        return "no contact"
    (nx, ny), gaps = (answer.normal[0] + 0.0).tolist(), answer.separation[0, :count].tolist()  # avoid -0
    deepest = min(gaps)
    skins = "an overlap" if deepest <= 0.0 else "only the skins overlap; there is a gap"
    return f"contact, normal ({nx:.4g}, {ny:.4g}), {skins} of {abs(deepest):.4g} m, {count} point{'s' * (count > 1)}"
