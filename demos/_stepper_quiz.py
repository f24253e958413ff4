"""Predictions in the demo `stepper`: an optional question before each step is shown, or a complete quiz."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from engine.contracts.trace import Question, TraceStep
from engine.trace.quiz import Asked, Prediction, Quiz, score_of

__all__ = ["Guesses", "StopWatch"]


@dataclass
class Guesses:
    """The open question and the answers so far; part of the demo's history.

    Attributes
    ----------
    is_on : bool
        True if questions are asked.
    seen : int
        The last step shown, from 0; no question is asked about it again.
    at : int
        The answered step that is shown with its answer; -1 for none.
    chosen : int or None
        That answer; None if the question was skipped.
    made : tuple of Prediction
    """

    is_on: bool = False
    seen: int = 0
    at: int = -1
    chosen: int | None = None
    made: tuple[Prediction, ...] = ()

    def toggle(self, k: int) -> None:
        """Start asking questions from the step after k on, with a new score, or stop."""
        self.is_on, self.seen, self.at = not self.is_on, k, -1
        if self.is_on:
            self.made = ()

    def asked(self, k: int, steps: Sequence[TraceStep]) -> Question | None:
        """Return the question to be answered before step k is shown."""
        return steps[k].question if self.is_on and k > self.seen and k != self.at and k < len(steps) else None

    def next_asked(self, k: int, steps: Sequence[TraceStep]) -> int:
        """Return the next step after k with a question that is still to be answered; otherwise the last."""
        ahead = (step for step in range(max(k, self.seen) + 1, len(steps)) if steps[step].question is not None)
        return next(ahead, len(steps) - 1)

    def answered(self, k: int, steps: Sequence[TraceStep]) -> tuple[Question, int] | None:
        """Return the question and the answer to be shown with step k."""
        question = steps[k].question if k == self.at and k < len(steps) else None
        return None if question is None or self.chosen is None else (question, self.chosen)

    def take(self, asked: Asked, given: int | None, seconds: float | None) -> None:
        """Record an answer, None for a skipped question, and allow the step to be shown."""
        self.made = (*self.made, asked.answered(given, seconds))
        self.at, self.chosen = asked.step, given

    def pass_by(self, k: int) -> None:
        """Record that step k was shown."""
        self.seen, self.at = max(self.seen, k), -1

    def begin_again(self) -> None:
        """Ask about all steps again."""
        self.seen, self.at = 0, -1

    def words(self, quiz: Quiz | None, question: Question | None, answered: tuple[Question, int] | None, is_last: bool) -> str:
        """Return the result of the last answer, the score, and the available actions; empty if no questions are asked.

        `question` is the open one; `is_last` is true at the last step.
        """
        if not self.is_on:
            return f"The quiz is over: {score_of(self.made)}." if quiz is not None else ""
        last = ""
        if answered is not None:
            last_question, answer = answered
            last = "Correct. " if answer == last_question.right else f"No: {last_question.answers[last_question.right]}. "
        count = f"Question {len(self.made) + (question is not None)} of {quiz.n}: " if quiz is not None else ""
        hint = "Click an answer, or press its number; the right arrow skips the question."
        if question is None and quiz is None and is_last:
            hint = "This is the last step. Home repeats all questions; G ends the quiz."
        elif question is None:
            is_new = quiz is None and answered is None
            hint = "The right arrow continues; some steps have a question. G ends the quiz." if is_new else "The right arrow continues."
        return f"{last}{count}{score_of(self.made)}. {hint}"


class StopWatch:
    """How long a question has been shown; not part of the history."""

    def __init__(self) -> None:
        self._of: object = None
        self._since = 0.0

    def look(self, question: object) -> None:
        """Start timing a question, or stop."""
        if question is not self._of:
            self._of, self._since = question, time.monotonic()

    def seconds(self, question: object) -> float | None:
        """Return how long it has been shown; None if it was not."""
        return time.monotonic() - self._since if question is self._of else None
