"""Every scene of the gallery: stepped, drawn, restarted, rewound, its end state hashed; what a scene claims stands in tests of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pygame
import pytest

from demos._gallery import Scene
from engine.app.window import Window
from engine.box2d import memory
from engine.demo import Demo
from engine.sim.actions import Drag, Grab, PressKey, Release, ReleaseAll, ReleaseKey
from engine.sim.history import History, demo_hash
from engine.sim.registry import all_demos

GALLERY = [kind for kind in all_demos() if issubclass(kind, Scene)]
SCENES = [pytest.param(kind, id=kind.id) for kind in GALLERY]
_STEPS = 150
_WINDOW_KEYS = {"space", "n", "r", "home", "f1", "escape"}


@pytest.fixture(autouse=True)
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    yield
    pygame.display.quit()


def _play(history: History, rng: random.Random) -> None:
    """Take all steps, with a hand that takes hold of a body now and then and throws it."""
    demo = history.demo
    while history.now < _STEPS:
        if history.now % 60 == 25:
            world = demo.stages[0].world
            moving = [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]
            if moving and history.act(Grab(world.state(rng.choice(moving)).position)):
                x, y = world.state(moving[0]).position
                history.act(Drag((x + rng.uniform(-1.0, 1.0), y + rng.uniform(0.0, 2.0))))
        if history.now % 60 == 45:
            history.act(Release())
        history.step()


@pytest.mark.parametrize("kind", SCENES)
def test_is_stepped_drawn_restarted_rewound_and_ends_alike(kind: type[Demo]) -> None:
    memory.load()
    history = History(kind(5))
    fresh = history.hash_at(0)
    rng = random.Random(kind.id)
    _play(history, rng)
    end = demo_hash(history.demo)
    assert history.verify() is None, "the same inputs, played again from the beginning, end otherwise"
    assert demo_hash(history.demo) == history.hash_at(_STEPS) == end

    window = Window((800, 600), (kind,), history.demo)
    surface = pygame.Surface((800, 600))
    before = demo_hash(history.demo)
    window.show(surface)
    assert len({tuple(surface.get_at((x, y))) for x in range(230, 800, 3) for y in range(0, 600, 7)}) > 5, "nothing to see"
    assert demo_hash(history.demo) == before, "drawing changed the scene"

    for step in (rng.randrange(_STEPS), rng.randrange(_STEPS), _STEPS):
        history.seek(step)
        assert demo_hash(history.demo) == history.hash_at(step), step
    assert history.divergence is None

    history.demo.sim.act(ReleaseAll())
    history.demo.restart()
    assert demo_hash(history.demo) == fresh


@pytest.mark.parametrize("kind", SCENES)
def test_says_what_to_watch_and_has_parameters(kind: type[Demo]) -> None:
    sentences = re.findall(r"[.?!](?:\s|$)", kind.watch)
    assert 1 <= len(sentences) <= 2 and len(kind.watch) < 130
    assert 1 <= len(kind.parameters) <= 4
    assert kind.claims or kind.status is not Demo.status
    page = (Path(__file__).resolve().parents[3] / "docs" / "demos.md").read_text(encoding="utf-8")
    assert f"| {kind.category} | `{kind.id}` |" in page, "the table of the gallery in docs/demos.md has a row for each scene"


@pytest.mark.parametrize("kind", SCENES)
def test_its_keys_are_its_own(kind: type[Demo]) -> None:
    demo = kind(0)
    names = {"enter": "return"}
    for keys, _ in kind.keys:
        for key in keys.lower().split(", "):
            assert names.get(key, key) not in _WINDOW_KEYS
            assert demo.sim.act(PressKey(names.get(key, key))), key
            demo.sim.act(ReleaseKey(names.get(key, key)))
    assert not demo.sim.act(PressKey("f12"))
    demo.sim.step()


@pytest.mark.parametrize("kind", SCENES)
def test_goes_on_whatever_gravity_somebody_sets(kind: type[Demo]) -> None:
    """None, upwards, sideways, ten times as much: numbers that follow from gravity have nothing to divide by then, or no root."""
    demo = kind(0)
    window = Window((800, 600), (kind,), demo)
    surface = pygame.Surface((800, 600))
    for gravity in ((0.0, -10.0), (0.0, 0.0), (0.0, 10.0), (7.0, 0.0), (0.0, -100.0)):
        for stage in demo.stages:
            stage.world.set_settings(gravity=gravity)
        for _ in range(80 if gravity == (0.0, -10.0) else 12):  # the catapult's stone has left by then
            demo.sim.step()
        assert [*demo.verdicts(), *demo.status()]
        window.show(surface)


@pytest.mark.parametrize("kind", SCENES)
def test_goes_on_without_a_body_that_somebody_deleted(kind: type[Demo]) -> None:
    demo = kind(0)
    rng = random.Random(kind.id)
    window = Window((800, 600), (kind,), demo)
    surface = pygame.Surface((800, 600))
    for k in range(60):
        if k % 6 == 3:
            world = demo.stages[0].world
            world.destroy_body(rng.choice(world.body_ids)) if world.body_ids else None
        demo.sim.step()
        assert all(len(line) == 2 for line in demo.verdicts())
        demo.status()
    window.show(surface)
    for keys, _ in kind.keys:
        demo.sim.act(PressKey({"enter": "return"}.get(keys.split(", ")[0].lower(), keys.split(", ")[0].lower())))
    before = demo.steps  # 0 where the key restarts the scene
    demo.sim.step()
    assert demo.steps == before + 1
