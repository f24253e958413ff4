"""Provides an off-screen window, and demos small enough to step in a test."""

from typing import ClassVar

import pygame
import pytest

from engine.app.files import places
from engine.app.window import Window
from engine.contracts import StepAgreement
from engine.demo import Demo, Parameter
from engine.geometry import Circle, Polygon
from engine.render import palette
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, World
from tests.unit.app.hand import SIZE, Hand


class Drop(Demo):
    """A floor and a disc that falls onto it."""

    id, category, title, watch = "drop", "Tests", "Drop", "A disc falls. It lands."
    parameters = (Parameter("height", 1.0, 0.6, 20.0, "m", "height"), Parameter("discs", 1, 1, 9, whole=True))
    keys = (("K", "kick"),)

    def build(self):
        """One world."""
        self.pressed = []
        self.stage = self.add_stage(World(), mark_touching=True)
        self.stage.world.create_body(BodySpec((FixtureSpec(Polygon.box(10.0, 0.5)),), type="static"))
        self.discs = [
            self.stage.world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(1.2 * k, 0.5 + self.parameter("height"))))
            for k in range(int(self.parameter("discs")))
        ]

    def on_key(self, key):
        """Record the key."""
        self.pressed.append(key)
        return True

    def status(self):
        """One line."""
        return (f"{self.steps} steps",)


class Twins(Drop):
    """Two of them, side by side."""

    id, category, title, watch = "twins", "Another", "Twins", "Two worlds."

    def build(self):
        """Two worlds with labels."""
        super().build()
        other = self.add_stage(World(), offset=(30.0, 0.0), label="right")
        other.world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(0.0, 3.0)))


class Choosy(Drop):
    """A demo with a choice, and boxes shown from the start."""

    id, category, title, watch = "choosy", "Tests", "Choosy", "One of three."
    parameters = (*Drop.parameters, Parameter.choice("side", ("north", "east", "west"), "side"))
    layers: ClassVar = {"aabbs": True}


class CountingReferee:
    """Agrees with everything."""

    ready = True
    pairs, last_ms = None, 0.0

    def __init__(self, world):
        self.compared = 0

    @property
    def total(self):
        """Everything it has recorded."""
        return StepAgreement(self.compared, self.compared)

    def check(self, contacts, /):
        """Count."""
        self.compared += len(contacts)
        return StepAgreement(len(contacts), len(contacts))


@pytest.fixture
def drop():
    return Drop


@pytest.fixture
def twins():
    return Twins


@pytest.fixture
def choosy():
    return Choosy


@pytest.fixture
def referee():
    return CountingReferee


@pytest.fixture
def hand(drop, twins):
    pygame.event.clear()
    return Hand(Window(SIZE, (twins, drop), drop()))


@pytest.fixture
def browser(drop, twins):
    pygame.event.clear()
    return Hand(Window(SIZE, (twins, drop)))


@pytest.fixture
def window():
    """A window of simple shapes."""
    demo = find_demo("simple_shapes")
    yield Window(SIZE, (demo,), demo(0, {"count": 12}))
    palette.use_theme("dark")


@pytest.fixture(autouse=True)
def display(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for name in ("user_config_path", "user_data_path", "user_pictures_path"):  # not the user's own folders
        monkeypatch.setattr(places, name, lambda *_, **__: tmp_path_factory.getbasetemp() / "home")
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    yield
    pygame.display.quit()
