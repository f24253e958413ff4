"""Every scene of the gallery: with its own keys, in any gravity, and without bodies that a user deleted.

`tests/unit/app/test_every_demo.py` runs and draws all demos, `tests/hazards/test_rewinding.py` rewinds them; `test_claims` measures what
the scenes claim.
"""

import random
import re
from pathlib import Path

import pygame
import pytest

from demos._gallery import Scene
from engine.app.window import Window
from engine.demo import Demo
from engine.sim.actions import PressKey, ReleaseKey
from engine.sim.registry import all_demos

SCENES = [pytest.param(kind, id=kind.id) for kind in all_demos() if issubclass(kind, Scene)]
PAGE = (Path(__file__).resolve().parents[3] / "docs" / "demos.md").read_text(encoding="utf-8")
_WINDOW_KEYS = {"space", "n", "r", "home", "f1", "escape"}


@pytest.fixture(autouse=True)
def display(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    yield
    pygame.display.quit()


def _keys(kind):
    return ["return" if key == "enter" else key for keys, _ in kind.keys for key in keys.lower().split(", ")]


@pytest.mark.parametrize("kind", SCENES)
def test_names_what_to_watch_and_its_keys(kind):
    assert 1 <= len(re.findall(r"[.?!](?:\s|$)", kind.watch)) <= 2 and len(kind.watch) < 130
    assert 1 <= len(kind.parameters) <= 5
    assert kind.claims or kind.status is not Demo.status
    assert f"| {kind.category} | `{kind.id}` |" in PAGE, "the table of the gallery in docs/demos.md has a row for each scene"
    demo = kind(0)
    for key in _keys(kind):
        assert key not in _WINDOW_KEYS and demo.sim.act(PressKey(key)), key
        demo.sim.act(ReleaseKey(key))
    assert not demo.sim.act(PressKey("f12"))
    demo.sim.step()


@pytest.mark.parametrize("kind", SCENES)
def test_continues_under_any_gravity(kind):
    """Zero, upward, sideways and tenfold gravity: formulas with gravity must not divide by zero or take the root of a negative number."""
    demo = kind(0)
    window, surface = Window((800, 600), (kind,), demo), pygame.Surface((800, 600))
    for _ in range(80 if kind.id == "catapult" else 20):  # until its stone has left
        demo.sim.step()
    for gravity in ((0.0, 0.0), (0.0, 10.0), (7.0, 0.0), (0.0, -100.0)):
        for stage in demo.stages:
            stage.world.set_settings(gravity=gravity)
        for _ in range(8):
            demo.sim.step()
        assert [*demo.verdicts(), *demo.status()]
        window.show(surface)


@pytest.mark.parametrize("kind", SCENES)
def test_continues_after_a_body_is_deleted(kind):
    demo = kind(0)
    rng, world = random.Random(kind.id), demo.stages[0].world
    for k in range(60):
        if k % 6 == 3 and world.body_ids:
            world.destroy_body(rng.choice(world.body_ids))
        demo.sim.step()
        assert all(isinstance(line, tuple) for line in demo.verdicts())
        demo.status()
    Window((800, 600), (kind,), demo).show(pygame.Surface((800, 600)))
    for key in _keys(kind)[:1]:
        demo.sim.act(PressKey(key))
    before = demo.steps  # 0 where the key restarts the scene
    demo.sim.step()
    assert demo.steps == before + 1
