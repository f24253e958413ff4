"""Predictions: what will the next step do? Asked before it is shown, counted right and wrong. No window, no clock.

An `Asked` is a step's question, with the steps before it as what may be seen. Whoever asks (a window, a terminal) shows `Asked.seen`, makes
a `Prediction` of what was answered, and shows the step. A `Quiz` chooses what is asked: so many questions on seeded variations of a case.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.contracts.trace import Question, TraceStep
from engine.trace.cases import Case
from engine.trace.protocol import Algorithm

__all__ = ["MOST_QUESTIONS", "Asked", "Prediction", "Quiz", "Score", "questions_of", "score_of", "varied"]

MOST_QUESTIONS = 1000

_LOOKED_AT = 4
"""Cases among whose questions the next one is chosen."""
_MOST_CASES = 60
"""Cases without a question, one after the other, after which an algorithm is said to ask nothing."""
_SHIFT, _RESHAPE, _TURN = 0.15, 0.06, 0.8
"""How far a variation goes, standard deviations: of a whole thing and of a corner, shares of the picture's size; of an angle, radians."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of `steps[step]`, of an algorithm on a case."""

    algorithm: str
    case: Case
    steps: Sequence[TraceStep]
    step: int

    @property
    def question(self) -> Question:
        """What is asked."""
        found = self.steps[self.step].question
        assert found is not None
        return found

    @property
    def seen(self) -> TraceStep | None:
        """What may be shown before the answer: the step before; None before the first."""
        return self.steps[self.step - 1] if self.step > 0 else None

    def answered(self, given: int | None, seconds: float | None = None) -> Prediction:
        """Return what was answered, by its index; None skips the question.

        Raises
        ------
        InvalidInputError
            There is no such answer.
        """
        if given is not None:
            given = integer("answer", given, 0, len(self.question.answers) - 1)
        return Prediction(self.algorithm, self.step, self.steps[self.step].kind, self.question, given, seconds)


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer: `given` is its index, None where the question was skipped; `seconds` is what it took, where that is known."""

    algorithm: str
    step: int
    kind: str
    question: Question
    given: int | None
    seconds: float | None = None

    @property
    def is_right(self) -> bool:
        """Whether it was the right one."""
        return self.given == self.question.right

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; steps are counted from 1, as they are shown."""
        answers = self.question.answers
        return {
            "algorithm": self.algorithm,
            "step": self.step + 1,
            "kind": self.kind,
            "question": self.question.prompt,
            "answers": list(answers),
            "given": None if self.given is None else answers[self.given],
            "right": answers[self.question.right],
            "is_right": self.is_right,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }


class Score(NamedTuple):
    """How many were right, how many wrong, and how many skipped, which are neither."""

    right: int
    wrong: int
    skipped: int

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.right} right, {self.wrong} wrong" + (f", {self.skipped} skipped" if self.skipped else "")


def score_of(made: Iterable[Prediction]) -> Score:
    """Count answers."""
    each = Counter(2 if one.given is None else int(not one.is_right) for one in made)
    return Score(each[0], each[1], each[2])


class Quiz:
    """So many questions of an algorithm, on a case and seeded variations of it. What is asked does not depend on what was answered.

    The first question is on the case itself, if a step of it asks anything. Of the next few variations each time that question is taken
    whose kind, and whose right answer, came least often: else most axes separate nothing, and most guesses "no" are right.

    Parameters
    ----------
    algorithm : Algorithm
    n : int
        How many questions, 1 to `MOST_QUESTIONS`.
    seed : int
    case : Case, optional
        What is varied; the algorithm's example unless given.

    Attributes
    ----------
    made : sequence of Prediction
        What was answered so far, in order; whoever asks sets it.

    Raises
    ------
    InvalidInputError
        `n` or `seed` is out of range, or no step of the algorithm asks anything.
    """

    def __init__(self, algorithm: Algorithm[Any], n: int, seed: int = 0, case: Case | None = None) -> None:
        self.algorithm, self.n, self.seed = algorithm, integer("quiz", n, 1, MOST_QUESTIONS), seed
        self.made: Sequence[Prediction] = ()
        self._base = algorithm.example if case is None else case
        self._cases = self._variations()
        self._keys_so_far: Counter[tuple[str, ...]] = Counter()
        self._asked: list[Asked] = []
        self.asked(0)

    def asked(self, k: int) -> Asked:
        """Return question k, from 0."""
        while len(self._asked) <= k:
            self._asked.append(self._next())
        return self._asked[k]

    @property
    def now(self) -> Asked | None:
        """The question after those that were answered; None where the quiz is over."""
        return self.asked(len(self.made)) if len(self.made) < self.n else None

    def as_json(self) -> dict[str, Any]:
        """Return what was asked and answered, also of a quiz that is not over: then it is `interrupted`."""
        score = score_of(self.made)._asdict()
        head = {"algorithm": self.algorithm.name, "seed": self.seed, "n": self.n, **score}
        found = {**head, "questions": [one.as_json() for one in self.made]}
        return found if len(self.made) == self.n else {**found, "interrupted": True}

    def _next(self) -> Asked:
        rng = stream(self.seed, "quiz", self.algorithm.name, "question", len(self._asked))
        found: list[Asked] = []
        least = _LOOKED_AT if self._asked else 1
        for looked_at, case in enumerate(self._cases, 1):
            if self.algorithm.takes(case):
                with contextlib.suppress(LabError):
                    found += questions_of(self.algorithm, case)
            if found and looked_at >= least:
                break
            if looked_at >= _MOST_CASES:
                raise InvalidInputError("--quiz", "of an algorithm whose steps ask something", self.algorithm.name)
        in_any_order = [found[k] for k in rng.permutation(len(found)).tolist()]
        chosen: Asked = min(in_any_order, key=lambda asked: [self._keys_so_far[key] for key in _keys(asked)])
        self._keys_so_far.update(_keys(chosen))
        return chosen

    def _variations(self) -> Iterator[Case]:
        yield self._base
        k = 0
        while True:
            k += 1
            yield varied(self._base, stream(self.seed, "quiz", self.algorithm.name, "case", k), self.algorithm.takes)


def _keys(asked: Asked) -> tuple[tuple[str, ...], ...]:
    kind, question = asked.steps[asked.step].kind, asked.question
    return (kind,), (kind, question.answers[question.right])


def questions_of(algorithm: Algorithm[Any], case: Case) -> list[Asked]:
    """Return all that an algorithm's steps ask on a case.

    Raises
    ------
    InvalidInputError
        As its query.
    """
    steps = algorithm.steps(case)
    return [Asked(algorithm.name, case, steps, k) for k, step in enumerate(steps) if step.question is not None]


def varied(case: Case, rng: np.random.Generator, takes: Callable[[Case], bool] = lambda case: True) -> Case:
    """Return a case like another: what can be moved moved a little, what can be turned turned, corners too, each as far as it is taken."""
    (left, bottom), (right, top) = case.box.lower, case.box.upper
    size = max(right - left, top - bottom)
    corners = {name for name, _ in case.handles}
    whole = [part for part in case.parts if part not in corners]
    for part in case.parts:
        share = _RESHAPE if part in corners and whole else _SHIFT
        moved = case.moved(part, *rng.normal(0.0, share * size, 2).tolist())
        case = moved if takes(moved) else case
        if part in whole:
            turned = case.turned(part, float(rng.normal(0.0, _TURN)))
            case = turned if takes(turned) else case
    return case
