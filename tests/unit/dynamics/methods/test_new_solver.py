"""A new solver is one file: the one shown in CONTRIBUTING.md, installed unchanged."""

import json
import re
import sys
from pathlib import Path

import pytest

from engine.cli.main import main
from engine.common.errors import InvalidInputError
from engine.dynamics import methods as package
from engine.geometry import Circle
from engine.world import BodySpec, FixtureSpec, World, WorldSettings, methods, solvers
from engine.world import solver as table

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(autouse=True)
def plane(tmp_path, monkeypatch):
    """The file, in the folder in which solvers are searched."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## A new solver is one file")[2].partition("\n## ")[0]
    (text,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (tmp_path / "plane.py").write_text(text, "utf-8")
    monkeypatch.setattr(table, "_METHODS", tmp_path)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    yield text
    sys.modules.pop("engine.dynamics.methods.plane", None)


def test_it_drives_worlds_and_its_settings_are_validated(plane):
    assert len(plane.splitlines()) < 40 and solvers()[:2] == ("box2d", "plane") and methods() == ("plane",)
    world = World(WorldSettings(solver_settings={"restitution": 1.0, "height": 1.0}), solver="plane")
    ball = world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 5.0)))
    heights = [(world.step(), world.state(ball).position[1])[1] for _ in range(300)]
    assert 1.5 <= min(heights) < 1.7 and max(heights[150:]) > 4.0, "it bounces on the plane"
    kept = world.snapshot()
    world.set_solver("plane", {"height": 1.0})
    for _ in range(300):
        world.step()
    assert world.state(ball).position[1] == pytest.approx(1.5, abs=0.2) and world.state(ball).linear_velocity == (0.0, 0.0)
    world.restore(kept)
    assert dict(world.settings.solver_settings)["restitution"] == 1.0
    for change, words in (
        ({"restitution": 2}, "solver_settings.restitution must be from 0 to 1, got 2"),
        ({"heigth": 2}, r"solver_settings.heigth must be a known setting \(height"),
        ({"height": "high"}, "solver_settings.height must be .*, got 'high'"),
    ):
        with pytest.raises(InvalidInputError, match=words):
            world.set_settings(solver_settings=change)
    with pytest.raises(InvalidInputError, match=r"solver must be one of box2d, plane.* \(did you mean plane\?\), got 'plain'"):
        world.set_solver("plain")


def test_a_run_accepts_it_like_any_other_solver(tmp_path):
    out = tmp_path / "out.json"
    assert main(["run", "pyramid", "--steps", "5", "--solver", "plane", "--set", "height=-3", "--json", str(out)]) == 0
    report = json.loads(out.read_text("utf-8"))
    assert (report["solver"], report["solver_settings"]) == ("plane", {"height": -3, "restitution": 0.0})
