"""Runs ``step --quiz`` in a terminal: prints earlier steps, a question and numbered answers, and reads one line per question."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.output import STANDARD_OUTPUT, SafeConsole, people, print_part, warming
from engine.common.words import counted, decimals
from engine.report import Link, Report

if TYPE_CHECKING:
    from rich.console import Console

    from engine.contracts.trace import Mark, Point, TraceStep
    from engine.trace.cases import Case
    from engine.trace.quiz import Asked, Prediction, Quiz

__all__ = ["ask", "run_quiz"]

_SEEN = 4
"""Number of steps shown before the question."""


def run_quiz(name: str, case: Case, n: int, seed: int, json_file: str | None, ui_scale: float | None, theme: str | None) -> Report:
    """Run a quiz of `n` questions on an algorithm, in a window or the terminal; an unfinished quiz is reported too.

    Raises
    ------
    InvalidInputError
        `n` is out of range, or the algorithm has no questions.
    """
    from engine.app.display import display_problem
    from engine.trace import algorithm
    from engine.trace.quiz import Quiz, score_of

    with options.named("--quiz"), warming():
        quiz = Quiz(algorithm(name), n, seed, case)
    console = SafeConsole(stderr=True, highlight=False) if json_file == STANDARD_OUTPUT else people()
    problem, interrupted = display_problem(), ""
    try:
        if problem is None:
            from engine.app.case_demos import stepper_of

            kind = stepper_of(name, case, f"A quiz: {quiz.algorithm.title}", quiz=quiz)
            options.open_window("", kind, ui_scale=ui_scale, theme=theme)
        else:
            print_part(console, f"No display ({problem}): type the number of an answer, Enter to skip, Ctrl-D to end the quiz.")
            ask(quiz, console, sys.stdin.readline)
    except KeyboardInterrupt:
        interrupted = f"interrupted after {len(quiz.made)} of {counted(n, 'question')}"
    print_part(console, f"{counted(len(quiz.made), 'answer')}: {score_of(quiz.made)}")
    return Report(quiz.as_json(), interrupted=interrupted)


def ask(quiz: Quiz, console: Console, read: Callable[[], str]) -> bool:
    """Ask questions in the terminal; return True when the quiz is over, False at the end of input.

    `read` returns the next line, "" at the end of input. KeyboardInterrupt propagates; the quiz keeps the answers so far.
    """
    while (question := quiz.now) is not None:
        _show(quiz, question, console)
        begun = time.monotonic()
        while True:
            console.print("> ", end="")
            line = read()
            if not line:
                console.print()
                return False
            choice, is_given = _number(line.strip(), len(question.question.answers))
            if is_given:
                break
            print_part(
                console, f"type a number from 1 to {len(question.question.answers)}, Enter to skip the question, Ctrl-D to end the quiz"
            )
        quiz.made = (*quiz.made, question.answered(choice, time.monotonic() - begun))
        _judge(question, quiz.made[-1], console)
    return True


def _number(line: str, n: int) -> tuple[int | None, bool]:
    """Parse an input line; return the answer index (None to skip) and True if the line is valid."""
    if not line:
        return None, True
    if line.isdecimal() and len(line) < 9 and 1 <= int(line) <= n:
        return int(line) - 1, True
    return None, False


def _show(quiz: Quiz, asked: Asked, console: Console) -> None:
    def show(line: str) -> None:
        print_part(console, line)

    show(f"\nquestion {len(quiz.made) + 1} of {quiz.n}: {quiz.algorithm.title}")
    for mark in quiz.algorithm.scenery(asked.case):
        if mark.view == quiz.algorithm.views[0].name:
            show("  " + _described(mark))
    first = max(0, asked.step - _SEEN)
    if first:
        show(f"  ({counted(first, 'step')} before)")
    for k in range(first, asked.step):
        show(f"  step {k + 1}: {asked.steps[k].sentence}")
    if asked.seen is not None and (numbers := _numbers(asked.seen)):
        show(f"    {numbers}")
    question = asked.question
    show(question.prompt)
    places: Iterable[Any] = question.places or [None] * len(question.answers)
    for k, (answer, place) in enumerate(zip(question.answers, places, strict=True), 1):
        show(f"  {k}  {answer}" + ("" if place is None else f" at {_coordinates(place)}"))


def _judge(asked: Asked, prediction: Prediction, console: Console) -> None:
    right = asked.question.answers[asked.question.right]
    word = "right." if prediction.is_right else f"skipped: {right}." if prediction.chosen is None else f"wrong: {right}."
    print_part(console, Link(word, "right" if prediction.is_right else "" if prediction.chosen is None else "wrong"))
    print_part(console, f"step {asked.step + 1}: {asked.steps[asked.step].sentence}")


def _described(mark: Mark) -> str:
    radius = f", radius {decimals(mark.radius, 3)} m" if mark.radius > 0.0 else ""
    name = f"{mark.text}: {mark.form}" if mark.text else f"{mark.form}:"
    return f"{name} {' '.join(map(_coordinates, mark.points))}{radius}"


def _numbers(step: TraceStep) -> str:
    parts = [f"axis {_coordinates(step.axis)}"] if step.axis is not None else []
    parts += [f"{name} = {value:.6g}" for name, value in step.values.items()]
    return ", ".join(parts)


def _coordinates(point: Point) -> str:
    return f"({decimals(point[0], 3)}, {decimals(point[1], 3)})"
