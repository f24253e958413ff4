"""``step --quiz`` in a terminal, a line of input for each question, and ``step --own``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from engine import trace
from engine.cli.main import main
from engine.cli.step_quiz import ask
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
    assert [one.chosen is None for one in quiz.made] == [False, True, False]
    assert quiz.made[0].is_right
    assert quiz.made[0].seconds >= 0.0
    assert "question 1 of 3" in told and "question 3 of 3" in told and "right." in told and "skipped: " in told
    asked = twin.now
    assert asked.question.prompt in told and asked.steps[asked.step].sentence in told.replace("\n", " ")


def test_the_answer_is_not_told_before_it_is_given():
    quiz, _, told = play([])
    before = quiz.now.steps[quiz.now.step].sentence
    assert before not in told.replace("\n", " ") and quiz.now.seen.sentence in told.replace("\n", " ")
    assert all(answer in told for answer in quiz.now.question.answers)


def test_nonsense_is_asked_again_and_the_end_of_the_input_keeps_what_was_answered():
    quiz, is_whole, told = play(["x\n", "0\n", "99\n", "-1\n", "²\n", "1\n"])
    assert not is_whole and len(quiz.made) == 1 and quiz.as_json()["interrupted"] is True
    assert told.count("a number from 1 to") == 5


@pytest.fixture
def folder(tmp_path, monkeypatch, display):
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


class Input(io.StringIO):
    """Lines, and then Ctrl-C."""

    def readline(self, *size):
        line = super().readline(*size)
        if not line:
            raise KeyboardInterrupt
        return line


def test_the_command_writes_what_was_answered(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n\n"))
    assert main(["step", "gjk", "--quiz", "2", "--seed", "3", "--json", "-"]) == 0
    found = capsys.readouterr()
    told = json.loads(found.out)
    assert told["n"] == len(told["questions"]) == 2 and told["seed"] == 3 and told["skipped"] == 1
    assert "question 2 of 2" in found.err and "2 answers: " in found.err


def test_ctrl_c_and_ctrl_d_keep_what_was_answered(folder, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", Input("1\n"))
    assert main(["step", "gjk", "--quiz", "5", "--json", "c.json"]) == 130
    assert "interrupted after 1 of 5 questions" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    assert main(["step", "gjk", "--quiz", "5", "--json", "d.json"]) == 0
    for name in ("c.json", "d.json"):
        found = json.loads(Path(name).read_text())
        assert found["interrupted"] is True and len(found["questions"]) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["gjk", "--quiz", "0"], "--quiz must be a whole number from 1 to 1000, got 0"),
        (["gjk", "--quiz", "3", "--at", "2"], "--at must be left out with --quiz, got 2"),
        (["--quiz", "3"], "--quiz must be given with ALGORITHM, got 3"),
        (["quickhull", "--own", "right.py"], "--own must be used with one of alternating_projections, "),
        (["gjk", "--own", "none.py"], "--own must be a readable file"),
        (["gjk", "--own", "right.py:away"], "right.py: no function away; there is collide"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, options, told):
    Path("right.py").write_text("def collide(a, b):\n    return None\n")
    assert main(["step", *options]) == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_a_function_is_put_beside_and_marked(folder, capsys):
    Path("right.py").write_text("def collide(a, b):\n    return None\n")
    Path("wrong.py").write_text("def collide(a, b):\n    return {'normal': (0.0, 1.0)}\n")
    assert main(["step", "gjk", "--own", "right.py", "--json", "own.json"]) == 0
    assert "Your answer is right: no contact." in capsys.readouterr().out
    assert json.loads(Path("own.json").read_text())["own"]["is_right"] is True
    assert main(["step", "gjk", "--own", "wrong.py", "--json", "own.json", "--screenshot", "own.png", "--size", "480x360"]) == 1
    told = json.loads(Path("own.json").read_text())
    own = told["own"]
    assert own["is_right"] is False and own["faults"] == ["false_overlap"] and own["sentence"] in capsys.readouterr().out.replace("\n", " ")
    assert told["steps"][own["step"] - 1]["values"]["w.n"] > 0.0
    assert Path("own.png").stat().st_size > 1000
