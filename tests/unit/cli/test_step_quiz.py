"""The quiz in a terminal: a line of input for each question."""

from __future__ import annotations

import io

from rich.console import Console

from engine import trace
from engine.cli.step_quiz import ask, score
from engine.trace.quiz import Quiz


def play(lines, n=3):
    quiz, out = Quiz(trace.algorithm("gjk"), n, seed=2), io.StringIO()
    given = iter(lines)
    is_whole = ask(quiz, Console(file=out, width=120), lambda: next(given, ""))
    return quiz, is_whole, out.getvalue()


def test_numbers_answer_and_an_empty_line_skips():
    twin = Quiz(trace.algorithm("gjk"), 3, seed=2)
    right = twin.now.question.right + 1
    quiz, is_whole, told = play([f"{right}\n", "\n", "1\n"])
    assert is_whole and quiz.now is None
    assert [one.given is None for one in quiz.made] == [False, True, False]
    assert quiz.made[0].is_right
    assert quiz.made[0].seconds >= 0.0
    assert "question 1 of 3" in told and "question 3 of 3" in told and "right." in told and "skipped: " in told
    asked = twin.now
    assert asked.question.prompt in told and asked.steps[asked.step].sentence in told.replace("\n", " ")
    assert score(quiz) in ("gjk, 3 questions: 1 right, 1 wrong, 1 skipped", "gjk, 3 questions: 2 right, 0 wrong, 1 skipped")


def test_the_answer_is_not_told_before_it_is_given():
    quiz, _, told = play([])
    before = quiz.now.steps[quiz.now.step].sentence
    assert before not in told.replace("\n", " ") and quiz.now.seen.sentence in told.replace("\n", " ")
    assert all(answer in told for answer in quiz.now.question.answers)


def test_nonsense_is_asked_again_and_the_end_of_the_input_keeps_what_was_answered():
    quiz, is_whole, told = play(["x\n", "0\n", "99\n", "-1\n", "²\n", "1\n"])
    assert not is_whole and len(quiz.made) == 1 and quiz.as_json()["interrupted"] is True
    assert told.count("a number from 1 to") == 5
