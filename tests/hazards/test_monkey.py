"""Random events to the real window: nothing is raised, no frame hangs, no worlds pile up.

Short here. All demos: ``python -m tests.hazards.monkey --events 50000``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pygame
import pytest

from engine.app.demo import Demo
from engine.app.registry import find_demo
from engine.app.window import Window
from engine.box2d import BodySpec, FixtureSpec, World, memory
from engine.geometry import Circle
from tests.hazards.monkey import HOMES, Monkey, broken_files, live_worlds, play

EVENTS = int(os.environ.get("MONKEY_EVENTS", "1500"))
CHOSEN = ("bounce", "filters", "pair", "tilted_board", "scattering")
"""Demos that cost little; one of them has no world."""


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it records and exports stays in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for name in HOMES:
        monkeypatch.setenv(name, str(tmp_path))
    pygame.display.init()
    memory.load()


def test_random_events_end_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    monkey = Monkey([find_demo(id) for id in CHOSEN], 3, broken_files(folder), (960, 540))
    monkey.demo_lasts = 30
    report = play(monkey, EVENTS, checked_every=EVENTS // 3)
    assert report.events >= EVENTS and report.frames > EVENTS / 10
    assert len(report.demos) > 3


def test_a_demo_that_breaks_is_noticed() -> None:
    class Breaks(Demo):
        id, category, title, watch = "breaks", "Tests", "Breaks", "After three steps."

        def build(self) -> None:
            self.add_stage(World()).world.create_body(BodySpec((FixtureSpec(Circle(0.5)),)))

        def after_step(self) -> None:
            if self.steps > 3:
                raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        play(Monkey([Breaks], 0), 300)


def test_worlds_that_pile_up_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[World] = []
    monkeypatch.setattr(Window, "update", lambda window, elapsed: kept.append(World()))
    before = live_worlds()
    with pytest.raises(AssertionError, match="worlds are alive"):
        play(Monkey([find_demo("bounce")], 0), 2000, checked_every=200)
    assert live_worlds() > before
