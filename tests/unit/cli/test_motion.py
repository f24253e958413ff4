"""The command `motion`: what it counts, what it saves, how it ends."""

import json
from collections import Counter

import pytest

from engine.cli import motion
from engine.cli.main import main
from engine.compare.motion import BodyVerdict, MotionVerdict
from engine.scenes import build, load_scene


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_a_demo_is_judged_and_counted(solver, tmp_path):
    path = tmp_path / "found.json"
    assert main(["motion", "bounce", "--steps", "40", "--every", "20", "--solver", solver, "--json", str(path)]) == 0
    report = json.loads(path.read_text())
    (row,) = report["demos"]
    assert (row["demo"], row["steps"], report["unexplained_total"]) == ("bounce", 2, 0)
    assert row["compared"] == row["agree"] + sum(row["causes"].values()) > 0
    assert report["total"]["ways"] == row["ways"]


def test_unexplained_steps_are_saved_as_scenes(tmp_path, monkeypatch):
    def judged(world, solver):
        verdict = BodyVerdict(1, (1.0, 0.0), 0.0, 1.0, 0.1, "velocity", "unexplained", (), (("skin", 1.0),), 1e-5)
        return MotionVerdict(20, 1, 0, (verdict,), Counter())

    monkeypatch.setattr("engine.compare.motion.judge_step", judged)
    assert main(["motion", "bounce", "--steps", "20", "--every", "20", "--save", str(tmp_path / "states")]) == 1
    scene = load_scene(tmp_path / "states" / "bounce-20.json")
    assert "1 m/s apart" in scene.watch and len(build(scene).body_ids) > 3


def test_an_interrupted_run_keeps_its_results(tmp_path, monkeypatch):
    judge = motion._judge

    def once(world, method, tally, where, folder):
        if where.startswith("dominoes"):
            raise KeyboardInterrupt
        return judge(world, method, tally, where, folder)

    monkeypatch.setattr(motion, "_judge", once)
    path = tmp_path / "found.json"
    assert main(["motion", "bounce", "dominoes", "--steps", "10", "--every", "10", "--json", str(path)]) == 130
    report = json.loads(path.read_text())
    assert report["interrupted"] is True and report["total"]["steps"] == 1
