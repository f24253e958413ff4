"""The command `motion`: what it counts, what it saves, how it ends."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.cli import motion
from engine.cli.main import main
from engine.compare.motion import BodyVerdict, MotionVerdict
from engine.scenes import build, load_scene


def test_a_demo_is_judged_and_counted(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    assert main(["motion", "bounce", "--steps", "40", "--every", "20", "--json", str(found)]) == 0
    told = json.loads(found.read_text())
    (row,) = told["demos"]
    assert (row["demo"], row["steps"], told["unexplained_total"]) == ("bounce", 2, 0)
    assert row["compared"] == row["agree"] + sum(row["causes"].values()) > 0
    assert told["total"]["ways"] == row["ways"]


def test_on_our_own_solver_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["motion", "dominoes", "--steps", "30", "--every", "30", "--solver", "soft_step"]) == 0
    assert "unexplained: 0" in capsys.readouterr().out


def test_what_is_unexplained_is_saved_as_a_scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def judged(world: object, solver: str) -> MotionVerdict:
        one = BodyVerdict(1, (1.0, 0.0), 0.0, 1.0, 0.1, "velocity", "unexplained", (), (("skin", 1.0),), 1e-5)
        return MotionVerdict(20, 1, 0, (one,), Counter())

    monkeypatch.setattr("engine.compare.motion.judge_step", judged)
    assert main(["motion", "bounce", "--steps", "20", "--every", "20", "--save", str(tmp_path / "states")]) == 1
    scene = load_scene(tmp_path / "states" / "bounce-20.json")
    assert "1 m/s apart" in scene.watch and len(build(scene).body_ids) > 3


def test_what_is_interrupted_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = motion._judge

    def once(world: object, method: str, tally: object, where: str, folder: Path | None) -> list[str]:
        if where.startswith("dominoes"):
            raise KeyboardInterrupt
        return whole(world, method, tally, where, folder)  # type: ignore[arg-type]

    monkeypatch.setattr(motion, "_judge", once)
    found = tmp_path / "found.json"
    assert main(["motion", "bounce", "dominoes", "--steps", "10", "--every", "10", "--json", str(found)]) == 130
    told = json.loads(found.read_text())
    assert told["interrupted"] is True and told["total"]["steps"] == 1


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--every 0", "--every must be"),
        ("--steps 10 --every 20", "--every must be"),
        ("--solver nothing", "--solver must be"),
        ("no_such_demo", "no_such_demo"),
    ],
)
def test_mistakes_are_named(words: str, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["motion", *words.split()]) == 2
    told = capsys.readouterr().err.strip()
    assert named in told and len(told.splitlines()) == 1
