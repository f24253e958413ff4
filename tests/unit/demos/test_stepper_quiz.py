"""Predictions in the demo `stepper`: a question hides its step until it is answered; a quiz goes from question to question."""

import pytest

from demos.stepper import Stepper
from engine import trace
from engine.sim.actions import Drag, Grab, PressKey, Release, SetParameter
from engine.trace.quiz import Quiz

GJK, SAT = trace.algorithm("gjk"), trace.algorithm("sat")


def opened(**attributes):
    kind = type("Opened", (Stepper.of_case("gjk", GJK.example),), attributes)
    return kind()


def first_question(steps):
    return next(k for k, step in enumerate(steps) if step.question is not None)


def go_to_the_question(demo):
    steps = demo.picture("gjk").steps
    k = first_question(steps)
    demo.sim.act(PressKey("g"))
    while demo.k < k:
        assert demo._shown_question() == (None, None)
        demo.sim.act(PressKey("right"))
    return steps[k].question


def test_no_question_is_asked_unless_requested():
    demo = opened()
    for _ in range(20):
        demo.sim.act(PressKey("right"))
        assert demo._shown_question() == (None, None)
    assert demo.k == demo.n_steps - 1 and not demo.guesses.made and demo._aside() is None


def test_at_the_last_step_the_quiz_starts_over():
    """Issue 31: it was on but asked nothing."""
    demo = opened()
    demo.sim.act(PressKey("end"))
    demo.sim.act(PressKey("g"))
    assert demo.k == 0
    for _ in range(2 * demo.n_steps):
        demo.sim.act(PressKey("right"))
    assert demo.guesses.made and demo.k == demo.n_steps - 1 and "Home" in demo._aside().words
    demo.sim.act(PressKey("home"))
    assert demo.k == 0 and demo.guesses.is_on


def test_the_key_of_an_answer_is_the_number_in_its_name():
    """Key 2 chose A1."""
    demo = opened()
    question = go_to_the_question(demo)
    assert question.answers[question.right] == f"A{question.right}" and question.labels == question.answers
    assert demo.sim.act(PressKey(str(question.right)))
    assert [guess.is_right for guess in demo.guesses.made] == [True]


def test_the_quiz_starts_anew():
    demo = opened()
    question = go_to_the_question(demo)
    demo.sim.act(PressKey(question.keys[0]))
    demo.sim.act(PressKey("g"))
    demo.sim.act(PressKey("home"))
    demo.sim.act(PressKey("g"))
    assert demo.guesses.is_on and not demo.guesses.made
    assert "0 right, 0 wrong" in demo._aside().words


def test_end_shows_no_answer():
    demo = opened()
    question = go_to_the_question(demo)
    k = demo.k
    assert not demo.sim.act(PressKey("end")) and demo._shown_question() == (question, None) and demo.k == k
    demo.sim.act(PressKey("right"))  # skips it
    asked = []
    while demo.k < demo.n_steps - 1:
        demo.sim.act(PressKey("end"))
        if demo._shown_question()[0] is not None:
            asked.append(demo.k)
            demo.sim.act(PressKey("right"))
    assert asked == [k for k, step in enumerate(demo.picture("gjk").steps) if step.question is not None][1:]


@pytest.mark.parametrize("is_right", [True, False])
def test_an_answer_is_counted_and_its_step_is_shown(is_right):
    demo = opened()
    question = go_to_the_question(demo)
    assert demo._shown_question() == (question, None)
    answer = question.right if is_right else (question.right + 1) % len(question.answers)
    k = demo.k
    assert demo.sim.act(PressKey(question.keys[answer]))
    assert demo._shown_question() == (question, answer) and demo.k == k
    assert [guess.is_right for guess in demo.guesses.made] == [is_right] and demo.guesses.made[0].seconds is not None
    assert f"{int(is_right)} right, {int(not is_right)} wrong. The right arrow continues." in demo._aside().words
    assert not demo.sim.act(PressKey(question.keys[answer]))  # once
    demo.sim.act(PressKey("right"))
    assert demo.k == k + 1


def test_a_question_can_be_skipped_and_is_not_asked_again_on_the_way_back():
    demo = opened()
    question = go_to_the_question(demo)
    k = demo.k
    demo.sim.act(PressKey("right"))
    assert demo.k == k and demo._shown_question() == (None, None) and demo.guesses.made[0].chosen is None
    demo.sim.act(PressKey("left"))
    demo.sim.act(PressKey("right"))
    assert demo.k == k and demo._shown_question() == (None, None)
    demo.sim.act(PressKey("home"))
    while demo.k < k:
        demo.sim.act(PressKey("right"))
    assert demo._shown_question() == (question, None)  # from the start all is asked once more


def test_going_back_before_answering_repeats_the_question():
    demo = opened()
    question = go_to_the_question(demo)
    demo.sim.act(PressKey("left"))
    assert demo._shown_question() == (None, None)
    demo.sim.act(PressKey("right"))
    assert demo._shown_question() == (question, None) and not demo.guesses.made


def test_the_question_follows_edits_and_playback_asks_nothing():
    demo = opened()
    question = go_to_the_question(demo)
    case = demo.case
    x, y = case.middle("a")
    assert demo.sim.act(Grab((x, y)))
    demo.sim.act(Drag((x + 0.1, y)))
    demo.sim.act(Release())
    shown, chosen = demo._shown_question()
    assert demo.case is not case and chosen is None and shown.prompt == question.prompt and shown.places != question.places
    demo.sim.act(PressKey("space"))
    for _ in range(2000):
        demo.sim.step()
        assert demo._shown_question() == (None, None)
    assert demo.k == demo.n_steps - 1 and not demo.guesses.made and not demo.playing


def test_a_quiz_moves_between_questions_and_keeps_the_answers():
    quiz = Quiz(GJK, 3, seed=5)
    demo = Stepper.of_case("gjk", GJK.example, quiz=quiz)()
    for k in range(3):
        item = quiz.asked(k)
        assert (demo.case, demo.k) == (item.case, item.step) and demo._shown_question() == (item.question, None)
        assert f"Question {k + 1} of 3" in demo._aside().words
        assert not demo.sim.act(Grab(demo.case.middle("a")))  # it stands as it was asked
        demo.sim.act(SetParameter("step", 1000))
        assert demo._shown_question() == (item.question, None)
        demo.sim.act(PressKey(item.question.keys[item.question.right]))
        assert demo._shown_question() == (item.question, item.question.right)
        demo.sim.act(PressKey("right"))
    assert demo._aside().words == "The quiz is over: 3 right, 0 wrong."
    assert quiz.as_json()["right"] == 3 and "interrupted" not in quiz.as_json()
    assert demo.sim.act(Grab(demo.case.middle("a")))


def test_restart_does_not_undo_answers_of_a_quiz():
    quiz = Quiz(GJK, 3, seed=5)
    demo = opened(quiz=quiz)
    demo.sim.act(PressKey(demo._shown_question()[0].keys[0]))
    demo.restart()
    assert len(demo.guesses.made) == 1 and demo._shown_question() == (quiz.asked(1).question, None)
