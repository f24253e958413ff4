"""Predictions: what will the next step do? Asked before it is shown, counted right and wrong. No window, no clock.

An `Asked` is a step's question, with the steps before it as what may be seen. Whoever asks (a window, a terminal) shows `Asked.seen`, adds
what was answered to `Predictions`, and shows the step. A `Quiz` chooses what is asked: so many questions on seeded variations of a case.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.common.rng import stream
from engine.contracts.trace import Question, TraceStep
from engine.trace.cases import Case
from engine.trace.protocol import Algorithm

__all__ = ["MOST_QUESTIONS", "Asked", "Prediction", "Predictions", "Quiz", "questions_of", "varied"]

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


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer: `given` is its index, None where the question was skipped; `seconds` is what it took, where that is known."""

    asked: Asked
    given: int | None
    seconds: float | None = None

    @property
    def is_right(self) -> bool:
        """Whether it was the right one."""
        return self.given == self.asked.question.right

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        question = self.asked.question
        return {
            "algorithm": self.asked.algorithm,
            "step": self.asked.step,
            "kind": self.asked.steps[self.asked.step].kind,
            "question": question.prompt,
            "answers": list(question.answers),
            "given": None if self.given is None else question.answers[self.given],
            "right": question.answers[question.right],
            "is_right": self.is_right,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }


@dataclass
class Predictions:
    """What was predicted so far, in order."""

    made: list[Prediction] = field(default_factory=list)

    def add(self, asked: Asked, given: int | None, seconds: float | None = None) -> Prediction:
        """Count an answer, by its index; None skips the question.

        Raises
        ------
        InvalidInputError
            There is no such answer.
        """
        if given is not None:
            given = integer("answer", given, 0, len(asked.question.answers) - 1)
        self.made.append(Prediction(asked, given, seconds))
        return self.made[-1]

    @property
    def right(self) -> int:
        """How many were right."""
        return sum(one.is_right for one in self.made)

    @property
    def wrong(self) -> int:
        """How many were wrong; what was skipped is neither."""
        return sum(one.given is not None and not one.is_right for one in self.made)

    @property
    def skipped(self) -> int:
        """How many were skipped."""
        return sum(one.given is None for one in self.made)

    def as_json(self) -> dict[str, Any]:
        """Return the score and every answer as plain data."""
        return {
            "right": self.right,
            "wrong": self.wrong,
            "skipped": self.skipped,
            "questions": [one.as_json() for one in self.made],
        }


class Quiz:
    """So many questions of an algorithm, on a case and seeded variations of it.

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

    Raises
    ------
    InvalidInputError
        `n` or `seed` is out of range, or no step of the algorithm asks anything.
    """

    def __init__(self, algorithm: Algorithm[Any], n: int, seed: int = 0, case: Case | None = None) -> None:
        self.algorithm, self.n, self.seed = algorithm, integer("quiz", n, 1, MOST_QUESTIONS), seed
        self.predictions = Predictions()
        self._base = algorithm.example if case is None else case
        self._cases = self._variations()
        self._asked_so_far: Counter[tuple[str, ...]] = Counter()
        self.asked: Asked | None = self._next()

    def answer(self, given: int | None, seconds: float | None = None) -> Prediction:
        """Count the answer to `asked`, by its index (None skips it), and go to the next question.

        Raises
        ------
        InvalidInputError
            There is no such answer.
        """
        assert self.asked is not None, "the quiz is over"
        prediction = self.predictions.add(self.asked, given, seconds)
        self.asked = self._next() if len(self.predictions.made) < self.n else None
        return prediction

    def as_json(self) -> Mapping[str, Any]:
        """Return what was asked and answered, also of a quiz that is not over: then it is `interrupted`."""
        found = {"algorithm": self.algorithm.name, "seed": self.seed, "n": self.n, **self.predictions.as_json()}
        return found if self.asked is None else {**found, "interrupted": True}

    def _next(self) -> Asked:
        rng = stream(self.seed, "quiz", self.algorithm.name, "question", len(self.predictions.made))
        found: list[Asked] = []
        least = 1 if not self.predictions.made else _LOOKED_AT
        for looked_at, case in enumerate(self._cases, 1):
            if self.algorithm.takes(case):
                with contextlib.suppress(LabError):
                    found += questions_of(self.algorithm, case)
            if found and looked_at >= least:
                break
            if looked_at >= _MOST_CASES:
                raise InvalidInputError("--quiz", "of an algorithm whose steps ask something", self.algorithm.name)
        in_any_order = [found[k] for k in rng.permutation(len(found)).tolist()]
        chosen: Asked = min(in_any_order, key=lambda asked: [self._asked_so_far[key] for key in _keys(asked)])
        self._asked_so_far.update(_keys(chosen))
        return chosen

    def _variations(self) -> Iterator[Case]:
        yield self._base
        k = 0
        while True:
            k += 1
            yield varied(self._base, stream(self.seed, "quiz", self.algorithm.name, "case", k))


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


def varied(case: Case, rng: np.random.Generator) -> Case:
    """Return a case like another: what can be moved moved a little, what can be turned turned, corners too."""
    (left, bottom), (right, top) = case.box.lower, case.box.upper
    size = max(right - left, top - bottom)
    corners = {name for name, _ in case.handles}
    whole = [part for part in case.parts if part not in corners]
    for part in case.parts:
        share = _RESHAPE if part in corners and whole else _SHIFT
        dx, dy = rng.normal(0.0, share * size, 2).tolist()
        case = case.moved(part, dx, dy)
        if part in whole:
            case = case.turned(part, float(rng.normal(0.0, _TURN)))
    return case
