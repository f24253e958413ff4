"""Predictions: what will the next step do? Asked before it is shown, counted right and wrong. No window, no clock.

An `Asked` is a step's question, with the steps that may be shown before it. The caller (a window, a terminal) shows `Asked.seen`, makes a
`Prediction` of the answer, and shows the step. A `Quiz` chooses the questions, on seeded variations of a case.
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

__all__ = ["MAX_QUESTIONS", "Asked", "Prediction", "Quiz", "Score", "questions_of", "score_of", "varied"]

MAX_QUESTIONS = 1000

_LOOKED_AT = 4
"""Number of cases whose questions the next one is chosen from."""
_MAX_CASES = 60
"""Number of cases in a row without a question after which an algorithm counts as having none."""
_SHIFT, _RESHAPE, _TURN = 0.15, 0.06, 0.8
"""Standard deviations of a variation: of a whole part and of a corner, as shares of the picture's size; of an angle, radians."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The question of `steps[step]`, of an algorithm on a case."""

    algorithm: str
    case: Case
    steps: Sequence[TraceStep]
    step: int

    @property
    def question(self) -> Question:
        """The question of the step."""
        question = self.steps[self.step].question
        assert question is not None
        return question

    @property
    def seen(self) -> TraceStep | None:
        """The step that may be shown before the answer: the one before; None before the first."""
        return self.steps[self.step - 1] if self.step > 0 else None

    def answered(self, answer: int | None, seconds: float | None = None) -> Prediction:
        """Return the prediction for an answer, by its index; None skips the question.

        Raises
        ------
        InvalidInputError
            There is no such answer.
        """
        if answer is not None:
            answer = integer("answer", answer, 0, len(self.question.answers) - 1)
        return Prediction(self.algorithm, self.step, self.steps[self.step].kind, self.question, answer, seconds)


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer: `chosen` is its index, None if the question was skipped; `seconds` is the time taken, if known."""

    algorithm: str
    step: int
    kind: str
    question: Question
    chosen: int | None
    seconds: float | None = None

    @property
    def is_right(self) -> bool:
        """True if the answer was right."""
        return self.chosen == self.question.right

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; steps are counted from 1, as shown."""
        answers = self.question.answers
        return {
            "algorithm": self.algorithm,
            "step": self.step + 1,
            "kind": self.kind,
            "question": self.question.prompt,
            "answers": list(answers),
            "given": None if self.chosen is None else answers[self.chosen],
            "right": answers[self.question.right],
            "is_right": self.is_right,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
        }


class Score(NamedTuple):
    """Counts of right, wrong and skipped answers."""

    right: int
    wrong: int
    skipped: int

    def __str__(self) -> str:
        """Return the score as text."""
        return f"{self.right} right, {self.wrong} wrong" + (f", {self.skipped} skipped" if self.skipped else "")


def score_of(made: Iterable[Prediction]) -> Score:
    """Count answers."""
    each = Counter(2 if prediction.chosen is None else int(not prediction.is_right) for prediction in made)
    return Score(each[0], each[1], each[2])


class Quiz:
    """Questions of an algorithm, on a case and seeded variations of it. The questions do not depend on the answers.

    The first question is on the case itself, if it has any. Each later question comes from the next few variations: the one whose kind and
    correct answer were least frequent so far. Otherwise, most axes separate nothing, and guessing "no" is usually correct.

    Parameters
    ----------
    algorithm : Algorithm
    n : int
        Number of questions, 1 to `MAX_QUESTIONS`.
    seed : int
    case : Case, optional
        The case to vary; by default the algorithm's example.

    Attributes
    ----------
    made : sequence of Prediction
        Answers so far, in order; set by the caller.

    Raises
    ------
    InvalidInputError
        `n` or `seed` is out of range, or no step of the algorithm has a question.
    """

    def __init__(self, algorithm: Algorithm[Any], n: int, seed: int = 0, case: Case | None = None) -> None:
        self.algorithm, self.n, self.seed = algorithm, integer("quiz", n, 1, MAX_QUESTIONS), seed
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
        """The next question; None at the end of the quiz."""
        return self.asked(len(self.made)) if len(self.made) < self.n else None

    def as_json(self) -> dict[str, Any]:
        """Return the questions and answers; with `interrupted` if the quiz is not over."""
        score = score_of(self.made)._asdict()
        head = {"algorithm": self.algorithm.name, "seed": self.seed, "n": self.n, **score}
        data = {**head, "questions": [prediction.as_json() for prediction in self.made]}
        return data if len(self.made) == self.n else {**data, "interrupted": True}

    def _next(self) -> Asked:
        rng = stream(self.seed, "quiz", self.algorithm.name, "question", len(self._asked))
        questions: list[Asked] = []
        least = _LOOKED_AT if self._asked else 1
        for looked_at, case in enumerate(self._cases, 1):
            if self.algorithm.takes(case):
                with contextlib.suppress(LabError):
                    questions += questions_of(self.algorithm, case)
            if questions and looked_at >= least:
                break
            if looked_at >= _MAX_CASES:
                raise InvalidInputError("--quiz", "an algorithm with questions", self.algorithm.name)
        in_any_order = [questions[k] for k in rng.permutation(len(questions)).tolist()]
        chosen: Asked = min(in_any_order, key=lambda question: [self._keys_so_far[key] for key in _keys(question)])
        self._keys_so_far.update(_keys(chosen))
        return chosen

    def _variations(self) -> Iterator[Case]:
        yield self._base
        k = 0
        while True:
            k += 1
            yield varied(self._base, stream(self.seed, "quiz", self.algorithm.name, "case", k), self.algorithm.takes)


def _keys(entry: Asked) -> tuple[tuple[str, ...], ...]:
    kind, question = entry.steps[entry.step].kind, entry.question
    return (kind,), (kind, question.answers[question.right])


def questions_of(algorithm: Algorithm[Any], case: Case) -> list[Asked]:
    """Return all questions of an algorithm's steps on a case.

    Raises
    ------
    InvalidInputError
        As its query.
    """
    steps = algorithm.steps(case)
    return [Asked(algorithm.name, case, steps, k) for k, step in enumerate(steps) if step.question is not None]


def varied(case: Case, rng: np.random.Generator, takes: Callable[[Case], bool] = lambda case: True) -> Case:
    """Return a variation of a case: parts and corners slightly moved and turned, as far as `takes` allows."""
    (left, bottom), (right, top) = case.box.lower, case.box.upper
    size = max(right - left, top - bottom)
    corners = {name for name, _ in case.handles}
    bodies = [part for part in case.parts if part not in corners]
    for part in case.parts:
        share = _RESHAPE if part in corners and bodies else _SHIFT
        moved = case.moved(part, *rng.normal(0.0, share * size, 2).tolist())
        case = moved if takes(moved) else case
        if part in bodies:
            turned = case.turned(part, float(rng.normal(0.0, _TURN)))
            case = turned if takes(turned) else case
    return case
