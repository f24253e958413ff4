"""The command ``step``: sentences, JSON, pictures and films of an algorithm's steps, and the sources of its input."""

import json
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from engine import query, trace
from engine.cli import options
from engine.cli.main import main
from engine.compare.pair.file import Pair, save_pair
from engine.geometry import Polygon, Transform
from engine.scenes import Scene, save_scene
from engine.trace.case_file import case_from_json
from engine.world import BodySpec, FixtureSpec

BOX = Polygon.box(0.5, 0.5)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, display):
    """Create the folder in which it runs, without a display, with a pair at rest, a moving pair, a ray, and a scene of two boxes."""
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    save_pair("apart.json", Pair("distance", BOX, Transform(), BOX, Transform((3.0, 0.0))))
    save_pair("ray.json", Pair("ray_cast", BOX, Transform(), ray=((-2.0, 0.0), (2.0, 0.0))))
    moves = {"end_a": Transform(), "end_b": Transform((1.5, 0.0))}
    save_pair("moving.json", Pair("toi", BOX, Transform(), BOX, Transform((4.0, 0.0)), **moves))
    boxes = tuple(BodySpec((FixtureSpec(BOX),), position=(2.5 * k, 0.0)) for k in range(2))
    save_scene("scene.json", Scene(bodies=boxes))
    return tmp_path


def read(name="out.json"):
    return json.loads(Path(name).read_text("utf-8"))


def test_all_algorithms_are_listed(capsys):
    assert main(["step", "--json", "-"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)["algorithms"]] == list(trace.algorithms())
    assert main(["step"]) == 0
    assert all(name in capsys.readouterr().out for name in ["gjk"])


def test_without_a_display_the_steps_are_sentences(capsys):
    assert main(["step", "gjk", "--pair", "apart.json"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("No display (")
    assert "the distance is 2.000 m" in out.splitlines()[-1]


def test_the_json_has_every_step_and_the_case():
    assert main(["step", "gjk", "--pair", "apart.json", "--beside", "epa", "--json", "out.json"]) == 0
    report = read()
    case = case_from_json(report["case"]).case
    steps = trace.algorithm("gjk").steps(case)
    assert [step["sentence"] for step in report["steps"]] == [step.sentence for step in steps]
    assert report["steps"][-1]["result"]["separation"] == query.distance(BOX, Transform(), BOX, Transform((3.0, 0.0))).separation
    assert report["steps"][-1]["result"]["status"] == "SEPARATED"
    assert [step["result"] for step in report["steps"][:-1]] == [None] * (len(steps) - 1)
    assert report["pseudo_code"] == list(trace.algorithm("gjk").pseudo_code)
    assert [row["algorithm"] for row in report["beside"]] == ["epa"]


@pytest.mark.parametrize(
    ("options", "distance"),
    [("--pair moving.json", 3.0), ("--scene scene.json --from 0", 1.48), ("--scene scene.json --from 3 --beside epa", 1.48)],
)
def test_input_comes_from_a_file_or_a_scene(options, distance):
    assert main(["step", "gjk", *options.split(), "--json", "out.json"]) == 0
    assert read()["steps"][-1]["result"]["separation"] == pytest.approx(distance, abs=1e-6)  # two skins of Box2D's, 10 mm each


def test_films_show_every_step():
    command = "step gjk --pair apart.json --beside epa --size 320x240 --screenshot one.png --at 2 --record film.gif --fps 2 --json out.json"
    assert main(command.split()) == 0
    n_steps = max(len(read()["steps"]), len(read()["beside"][0]["steps"]))
    with Image.open("one.png") as picture, Image.open("film.gif") as film:
        assert picture.size == film.size == (320, 240)
        assert film.n_frames == 2 * n_steps
        assert film.info["duration"] == 500
        frames = [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(film)]
    assert frames[::2] == frames[1::2] and len(set(frames)) == n_steps


def test_a_quiz_reports_the_answers_given_until_the_window_closes(monkeypatch, capsys):
    def answer(advice, kind, **settings):
        kind.quiz.made = (kind.quiz.now.answered(None, 1.0),)

    monkeypatch.setattr(options, "open_window", answer)
    assert main(["step", "gjk", "--quiz", "2", "--seed", "3", "--json", "quiz.json"]) == 0
    report = read("quiz.json")
    assert (report["n"], report["seed"], report["skipped"], len(report["questions"]), report["interrupted"]) == (2, 3, 1, 1, True)
    assert "1 answer: " in capsys.readouterr().out
