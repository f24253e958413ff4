"""The quiz without a window: its questions, score and output."""

from __future__ import annotations

import json

import pytest

from engine import trace
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.contracts.trace import TraceStep
from engine.trace.quiz import Quiz, score_of, varied


class Silent:
    """An algorithm without questions."""

    name = "silent"

    def __init__(self):
        self.example = trace.algorithm("gjk").example

    def takes(self, case):
        return True

    def steps(self, case):
        return [TraceStep("answer", 0, "Done.", result=0)]


def play(quiz, answer):
    questions = [quiz.asked(k) for k in range(quiz.n)]
    quiz.made = [each.answered(answer(each)) for each in questions]
    return questions


def test_correct_answers_score_and_wrong_ones_do_not():
    quiz = Quiz(trace.algorithm("gjk"), 6)
    answers = iter([0, 1, 2, 0, 1, 2])

    def answer(item):
        right, way = item.question.right, next(answers)
        return None if way == 2 else right if way == 0 else (right + 1) % len(item.question.answers)

    play(quiz, answer)
    report = quiz.as_json()
    assert (report["right"], report["wrong"], report["skipped"], report["n"]) == (2, 2, 2, 6)
    assert "interrupted" not in report
    assert [row["is_right"] for row in report["questions"]] == [True, False, False] * 2
    assert [row["given"] is None for row in report["questions"]] == [False, False, True] * 2
    assert report["questions"][0]["given"] == report["questions"][0]["right"]
    assert json.loads(json.dumps(report)) == report


def test_a_question_is_about_the_next_step():
    items = play(Quiz(trace.algorithm("gjk"), 20, seed=3), lambda item: 0)
    algorithm = trace.algorithm("gjk")
    assert items[0].case == algorithm.example
    for item in items:
        assert algorithm.steps(item.case)[item.step].question == item.question
        assert item.seen is item.steps[item.step - 1]
    assert len({item.case.pair for item in items}) == 20  # each on a case of its own
    kinds = [item.steps[item.step].kind for item in items]
    assert min(kinds.count(kind) for kind in set(kinds)) >= 8  # and both sorts as often
    rights = {(kind, item.question.answers[item.question.right]) for kind, item in zip(kinds, items, strict=True)}
    assert len(rights) >= 6


def test_the_seed_determines_the_quiz():
    def cases(seed):
        return [(item.case, item.step) for item in play(Quiz(trace.algorithm("gjk"), 5, seed), lambda item: 0)]

    assert cases(1) == cases(1)
    assert cases(1)[1:] != cases(2)[1:]


def test_an_interrupted_quiz_keeps_its_answers():
    quiz = Quiz(trace.algorithm("gjk"), 5)
    first = quiz.now
    quiz.made = [first.answered(first.question.right, 1.23456)]
    report = quiz.as_json()
    assert report["interrupted"] is True and report["right"] == 1 and len(report["questions"]) == 1
    assert report["questions"][0]["seconds"] == 1.235 and report["questions"][0]["step"] == first.step + 1
    assert quiz.now is quiz.asked(1) is not first


def test_mistakes_are_named():
    with pytest.raises(InvalidInputError, match=r"quiz must be a whole number from 1 to 1000, got 0"):
        Quiz(trace.algorithm("gjk"), 0)
    with pytest.raises(InvalidInputError, match=r"--quiz must be an algorithm with questions, got 'silent'"):
        Quiz(Silent(), 1)
    with pytest.raises(InvalidInputError, match="answer must be a whole number from 0 to"):
        Quiz(trace.algorithm("gjk"), 1).now.answered(99)


def test_a_score_text_includes_skipped_questions():
    first = Quiz(trace.algorithm("gjk"), 1).now
    right, wrong, skipped = (first.answered(choice) for choice in (first.question.right, (first.question.right + 1) % 2, None))
    assert str(score_of([right, wrong, right])) == "2 right, 1 wrong"
    assert str(score_of([skipped])) == "0 right, 0 wrong, 1 skipped"


def test_a_variation_is_another_valid_case():
    algorithm = trace.algorithm("gjk")
    for k in range(20):
        case = varied(algorithm.example, stream(0, k))
        assert case != algorithm.example and algorithm.takes(case)


@pytest.mark.slow
@pytest.mark.parametrize("name", trace.algorithms())
def test_every_algorithm_has_a_quiz(name):
    quiz = Quiz(trace.algorithm(name), 4, seed=1)
    items = [quiz.asked(k) for k in range(quiz.n)]
    assert len({id(item.case) for item in items}) == quiz.n
    assert all(trace.algorithm(name).takes(item.case) for item in items)
