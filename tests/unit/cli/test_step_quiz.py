"""``step --quiz`` and ``step --own``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import options
from engine.cli.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch, display):
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_a_quiz_reports_what_was_answered_until_its_window_was_closed(folder, monkeypatch, capsys):
    def answer(advice, kind, **settings):
        kind.quiz.made = (kind.quiz.now.answered(None, 1.0),)

    monkeypatch.setattr(options, "open_window", answer)
    assert main(["step", "gjk", "--quiz", "2", "--seed", "3", "--json", "quiz.json"]) == 0
    told = json.loads(Path("quiz.json").read_text())
    assert (told["n"], told["seed"], told["skipped"], len(told["questions"]), told["interrupted"]) == (2, 3, 1, 1, True)
    assert "1 answer: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["gjk", "--quiz", "0"], "--quiz must be a whole number from 1 to 1000, got 0"),
        (["gjk", "--quiz", "3", "--at", "2"], "--at must be omitted with --quiz, got 2"),
        (["--quiz", "3"], "--quiz must be given with ALGORITHM, got 3"),
        (["gjk", "--quiz", "3"], "no window can be opened here"),
        (["quickhull", "--own", "right.py"], "--own must be used with one of alternating_projections, "),
        (["gjk", "--own", "none.py"], "--own must be a readable file"),
        (["gjk", "--own", "right.py:away"], "right.py: no function away; there is collide"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, given, told):
    Path("right.py").write_text("def collide(a, b):\n    return None\n")
    assert main(["step", *given]) == 2
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
