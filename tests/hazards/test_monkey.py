"""Random events in the real window: no exception is raised, no frame hangs, and no worlds accumulate.

Short here. All demos: ``python -m tests.hazards.monkey --events 50000``, and with ``--window`` on an X display.
"""

import os
import shutil

import pygame
import pytest

from engine.app.window import Window
from engine.box2d import memory
from engine.demo import Demo
from engine.geometry import Circle
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, World
from tests.hazards import x_server
from tests.hazards.leaks import MOST, doings, left_by
from tests.hazards.monkey import HOMES, Monkey, broken_files, live_worlds, play
from tests.hazards.resident import allocated, growth
from tests.hazards.seats import on_screen
from tests.unit.app.idle_compiler import IdleCompiler
from tests.waiting import PATIENCE

EVENTS = int(os.environ.get("MONKEY_EVENTS", "500"))
CHOSEN = ("bounce", "filters", "pair", "tilted_board", "scattering")
"""Demos that cost little; one of them has no world."""


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """Store its recordings and exports in a separate folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for name in HOMES:
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("tests.hazards.monkey.LONGEST", PATIENCE)  # the command has the limit of a machine that does nothing else
    pygame.display.init()
    memory.load()


def test_random_events_crash_nothing(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    monkey = Monkey([find_demo(id) for id in CHOSEN], 3, broken_files(folder), (960, 540))
    monkey.demo_lasts = 30
    report = play(monkey, EVENTS, checked_every=EVENTS // 3)
    assert report.events >= EVENTS and report.frames > EVENTS / 10
    assert len(report.demos) > 3


def test_a_failing_demo_is_detected():
    class Breaks(Demo):
        id, category, title, watch = "breaks", "Tests", "Breaks", "After three steps."

        def build(self):
            self.add_stage(World()).world.create_body(BodySpec((FixtureSpec(Circle(0.5)),)))

        def after_step(self):
            if self.steps > 3:
                raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        play(Monkey([Breaks], 0), 300)


def test_leaked_worlds_are_detected(monkeypatch):
    kept = []
    monkeypatch.setattr(Window, "update", lambda window, elapsed: kept.append(World()))
    before = live_worlds()
    with pytest.raises(AssertionError, match="worlds are alive"):
        play(Monkey([find_demo("bounce")], 0), 2000, checked_every=200)
    assert live_worlds() > before


@pytest.mark.slow
@pytest.mark.skipif(not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="Xvfb or xdotool is not installed")
def test_random_events_from_an_x_server_crash_nothing(tmp_path, monkeypatch):
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.setattr("engine.app.loop.Compiler", IdleCompiler)
    demos = [find_demo(id) for id in CHOSEN]
    pygame.display.quit()
    with on_screen((960, 540), demos, 5, own=True) as seat:
        monkey = Monkey(demos, 5, broken_files(folder), (960, 540), seat)
        monkey.demo_lasts = 30
        report = play(monkey, 200, checked_every=100)
        assert pygame.display.get_surface().get_size() == (960, 540), "the window has not the size that it was pulled to"
    assert report.by_hand > 30 and report.from_server > 0.5 * report.by_hand
    assert len(report.rests) == 2 and not pygame.display.get_init()


def test_without_a_server_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(x_server.shutil, "which", lambda name: None)
    with pytest.raises(x_server.NoServerError, match="Xvfb is not installed"), x_server.display(own=True):
        pass
    assert os.environ["SDL_VIDEODRIVER"] == "dummy"
    with pytest.raises(x_server.NoServerError, match="xdotool is not installed"):
        x_server.Hands(1)


@pytest.mark.skipif(allocated() is None, reason="only glibc 2.33 and later count what they have given out")
def test_a_leak_is_distinguished_from_a_burst():
    """Two actions allocate and free memory; one leaks 10 kB each time, and only that one is reported."""
    kept = []
    for leak in (0, 10_000):
        sizes = []
        for _ in range(7):
            burst = [bytes(50_000) for _ in range(60)]
            kept.append(bytes(leak))
            del burst
            sizes.append(float(allocated() or 0))
        slope = growth(range(len(sizes)), sizes)
        assert abs(slope - leak) < 1_000, f"{slope:.0f} bytes a time instead of {leak}"


@pytest.mark.skipif(allocated() is None, reason="only glibc 2.33 and later count what they have given out")
def test_memory_of_repeated_operations_is_measured():
    monkey = Monkey([find_demo("bounce")], 0)
    named = dict(doings(monkey))
    assert {"size", "F12", "ctrl z", "demo bounce"} <= set(named)
    kept = []
    assert left_by(monkey, lambda: kept.append(bytes(50_000)), 4) == pytest.approx(50_000, rel=0.1)
    assert abs(left_by(monkey, named["F1"], 4)) * 4 < MOST
