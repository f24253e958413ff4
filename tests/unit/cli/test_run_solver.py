"""``run --solver`` and ``run --against``: demos, scene files and recordings on another solver, and two worlds at once."""

import json
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.geometry import Circle, Polygon
from engine.scenes import Scene, save_scene
from engine.world import BodySpec, FixtureSpec, WorldSettings


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report_of(*arguments, status=0):
    """Return the JSON that a run prints."""
    assert main(["run", *arguments, "--json", "out.json"]) == status
    report = json.loads(Path("out.json").read_text(encoding="utf-8"))
    return report


def test_a_run_names_its_solver_and_ends_the_same_twice():
    ours = [report_of("bounce", "--steps", "60", "--solver", "soft_step") for _ in range(2)]
    box2d = report_of("bounce", "--steps", "60")
    assert [report["solver"] for report in (*ours, box2d)] == ["soft_step", "soft_step", "box2d"]
    assert ours[0]["state_hash"] == ours[1]["state_hash"] != box2d["state_hash"]
    assert report_of("bounce", "--steps", "60", "--solver", "box2d")["state_hash"] == box2d["state_hash"]


def test_solver_settings_are_set_reported_recorded_and_override_those_of_a_scene(folder):
    method = ("--solver", "sequential_impulses", "--set")
    small = ("pyramid", "--steps", "20", "--set", "rows=3")
    run = report_of(*small, "--set", "iterations=4", *method, "share=0.1", "--set", "solver.iterations=25")
    assert run["solver_settings"] == {"iterations": 25, "share": 0.1, "slop": 0.005}
    usual = report_of(*small, *method, "iterations=4", "--record-inputs", "a.rec")
    assert usual["solver_settings"]["share"] == 0.2 and usual["state_hash"] != run["state_hash"]
    assert main(["replay", "a.rec", "--verify"]) == 0
    world = WorldSettings(solver_settings={"iterations": 7, "share": 0.3})
    save_scene(folder / "scene.json", Scene(world, (BodySpec((FixtureSpec(Circle(0.5)),)),), solver="sequential_impulses"))
    scene = report_of("scene.json", "--steps", "1", "--set", "share=0.1")
    assert (scene["solver"], scene["solver_settings"]) == ("sequential_impulses", {"iterations": 7, "share": 0.1, "slop": 0.005})
    assert report_of("scene.json", "--steps", "1", "--solver", "soft_step")["solver_settings"] == {}


def test_two_worlds_at_once_report_where_they_diverge():
    first = report_of("pyramid", "--steps", "30", "--solver", "soft_step", "--against", "box2d")
    against = first["against"]
    assert first["solver"] == "soft_step" and against["solver"] == "box2d"
    parted, worst = against["first_divergence"], against["worst"]
    assert parted["step"] == 1 and parted["metres"] > against["tolerance"] and parted["reason"]
    assert worst["metres"] >= parted["metres"] and 0 < worst["step"] <= 30
    assert against["energy"]["solver"]["start"] == pytest.approx(against["energy"]["against"]["start"], rel=1e-6)
    assert against["energy"]["solver"]["end"] != against["energy"]["against"]["end"]
    alone = report_of("pyramid", "--steps", "30", "--solver", "soft_step")
    assert alone["state_hash"] == first["state_hash"] and "against" not in alone, "who looks on changes nothing"


def test_a_demo_never_diverges_from_its_own_solver():
    for solver in ("box2d", "soft_step"):
        against = report_of("tower_hit", "--steps", "40", "--solver", solver, "--against", solver)["against"]
        assert against["first_divergence"] is None and against["worst"]["metres"] == 0.0
        assert against["energy"]["solver"] == against["energy"]["against"] and not against["only_in_one"] and not against["skipped"]


def test_a_dropped_body_appears_in_both_worlds(folder):
    from PIL import Image

    Image.new("RGBA", (8, 8), (255, 0, 0, 255)).save(folder / "box.png")
    against = report_of("simple_shapes", "--set", "count=1", "--steps", "20", "--drop", "box.png", "--against", "soft_step")["against"]
    assert not against["skipped"] and not against["only_in_one"] and against["first_divergence"]["reason"] == "integrator"


def test_a_scene_file_keeps_its_solver_unless_an_option_overrides_it(folder):
    floor = BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static")
    ball = BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 2.0))
    save_scene(folder / "scene.json", Scene(bodies=(floor, ball), solver="soft_step"))
    own = report_of("scene.json", "--steps", "40")
    other = report_of("scene.json", "--steps", "40", "--solver", "box2d", "--against", "soft_step")
    assert (own["solver"], other["solver"], other["against"]["solver"]) == ("soft_step", "box2d", "soft_step")
    assert own["state_hash"] != other["state_hash"]
