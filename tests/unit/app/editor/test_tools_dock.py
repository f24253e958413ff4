"""The tool bar: choosing tools, read-only demos, and random actions."""

import itertools
import random

import pygame
import pytest

from engine.box2d import memory
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from tests.unit.app.controls import place
from tests.unit.app.editor.person import CTRL, SHIFT, Closed, Person, Yard


def test_shift_with_a_letter_selects_a_tool_and_esc_returns(person):
    for tool in person.tools.tools[1:]:
        person.pick(tool.letter)
        assert person.tools.tool is tool and person.said.startswith(tool.name)
        person.key(pygame.K_ESCAPE)
        assert person.tools.tool is person.tools.tools[0] and not person.window.browsing
    person.key(pygame.K_ESCAPE)
    assert person.window.browsing
    assert len({tool.letter for tool in person.tools.tools} | {"T", "I"}) == len(person.tools.tools) + 2


def test_every_button_of_the_bar_selects_its_tool(person):
    for tool in person.tools.tools:
        rect = place(person.window, tool.name)
        assert pygame.Rect(person.tools.place).contains(rect)
        person.at(pygame.MOUSEMOTION, rect.center)
        person.at(pygame.MOUSEBUTTONDOWN, rect.center)
        assert person.tools.tool is tool
    width = person.tools.place[2]
    person.key(pygame.K_t, SHIFT)
    assert person.tools.size == 0.0 and person.window.session.view.camera.view[2] == 1280 - 276
    person.key(pygame.K_t, SHIFT)
    assert person.tools.place[2] == width


@pytest.mark.parametrize("size", [(800, 600), (1280, 720), (640, 480)])
def test_the_bar_fits_the_window(size):
    person = Person(Yard(), size)
    rects = [person.tools.form.rect(item) for item in person.tools.form.items]
    assert len(rects) == len(person.tools.tools) + 1
    assert all(a.bottom <= b.top for a, b in itertools.pairwise(rects))
    assert all(pygame.Rect(person.tools.place).contains(rect) for rect in rects)


def test_a_read_only_demo_says_why():
    for demo, words in (
        (Closed(), "this one is finished"),
        (find_demo("pair")(), "no world"),
        (find_demo("promise_seams")(), "prediction"),
    ):
        person = Person(demo)
        person.pick("B")
        assert words in person.said and person.tools.tool is person.tools.tools[0]
        person.key(pygame.K_i)
        person.frames(3)
        person.key(pygame.K_i)
        person.key(pygame.K_F1)


def test_a_demo_whose_bodies_are_deleted_stops_with_a_message():
    class Watching(Yard):
        """Reads a body in each picture."""

        id = "watching"

        def draw(self, canvas):
            """Look."""
            self.stages[0].drawn_pose(2)

    person = Person(Watching())
    person.pick("S")
    person.click(person.world.state(2).position)
    person.key(pygame.K_DELETE)
    assert "body 2 was destroyed" in person.window.session.timeline.failure and person.window.session.clock.paused
    person.key(pygame.K_z, CTRL)
    assert person.window.session.timeline.failure == ""


def test_the_hand_still_grabs(person):
    at = person.pixel((-2.0, 3.0))
    person.at(pygame.MOUSEBUTTONDOWN, at)
    assert person.window.session.demo.grabbing
    person.at(pygame.MOUSEBUTTONUP, at)
    assert not person.window.session.demo.grabbing


def test_every_step_is_restored_after_random_edits():
    memory.load()
    rng = random.Random(7)
    person = Person(Yard())

    def place():
        return rng.uniform(-6.0, 6.0), rng.uniform(0.2, 6.0)

    def body():
        return person.world.state(rng.choice(person.world.body_ids[1:] or person.world.body_ids)).position

    works = (
        lambda: person.drag(place(), place()),
        lambda: person.drag(body(), place()),
        lambda: person.click(body()),
        lambda: person.click(place()),
        lambda: person.key(rng.choice((pygame.K_p, pygame.K_RETURN, pygame.K_END))),
        lambda: person.key(rng.choice((pygame.K_c, pygame.K_v, pygame.K_d)), CTRL),
    )
    for _ in range(30):
        person.pick(rng.choice("SSBBCFPHDWLOEG"))
        for _ in range(3):
            rng.choice(works)()
        if person.window.session.clock.paused:
            person.key(pygame.K_SPACE)
    history = person.history
    assert person.window.session.timeline.failure == "" and history.last > 100
    assert sum(len(inputs) for inputs in history.inputs) > 40
    for step in rng.sample(range(history.last), 10):
        history.seek(step)
        assert demo_hash(history.demo) == history.hash_at(step)
    assert history.divergence is None and history.verify() is None
