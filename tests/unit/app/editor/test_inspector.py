"""The inspector: properties, state and settings, changed by clicks and keys."""

import itertools
import math
import random

import pygame
import pytest

from engine.app.editor.editor import Chosen
from engine.app.panels.inspector_dock import InspectorDock
from engine.box2d import memory
from engine.sim.history import demo_hash
from engine.ui.rows import Choice, Line, Note, Number, Switch, Text
from tests.unit.app.controls import place
from tests.unit.app.editor.person import CTRL, SHIFT, Closed, Person, Yard


def dock_of(person):
    return next(dock for dock in person.window.docks if isinstance(dock, InspectorDock))


def rows_of(person):
    return list(dock_of(person).rows(person.window.session))


def row_of(person, name):
    person.frames()
    return next(row for row in rows_of(person) if getattr(row, "name", "") == name)


def value_of(person, name):
    row = row_of(person, name)
    assert isinstance(row, Number | Switch | Choice | Text | Line)
    return row.value


def rects_of(person, name):
    """Scroll to a row and return its clickable places: box, minus and plus of a number, options of a choice, the row of a switch."""
    row = row_of(person, name)
    if isinstance(row, Choice):
        return [place(person.window, word) for word in row.words]
    rect = place(person.window, name)
    if isinstance(row, Number):
        less, more = pygame.Rect(rect.left, rect.top, 8, rect.height), pygame.Rect(rect.right - 8, rect.top, 8, rect.height)
        return [rect, less, more]
    return [rect]


def press(person, rect):
    person.at(pygame.MOUSEMOTION, rect.center)
    person.at(pygame.MOUSEBUTTONDOWN, rect.center)
    person.at(pygame.MOUSEBUTTONUP, rect.center)


def write(person, text):
    for letter in text:
        person.key(pygame.key.key_code(letter) if letter.isalnum() else pygame.K_PERIOD, 0, letter)


def type_into(person, name, text):
    press(person, rects_of(person, name)[0])
    write(person, text)
    person.key(pygame.K_RETURN)


@pytest.fixture
def person():
    """Return a user with the left box selected, paused."""
    person = Person(Yard())
    person.pause()
    person.pick("S")
    person.click((-2.0, 3.0))
    return person


def test_it_opens_with_the_selection_tool_and_with_i(person):
    dock = dock_of(person)
    assert dock.size > 0.0 and dock.page == "Selection"
    person.key(pygame.K_ESCAPE)
    assert dock.page == "World"
    person.key(pygame.K_ESCAPE)
    assert dock.size == 0.0
    person.key(pygame.K_i, 0, "i")
    assert dock.size > 0.0
    press(person, place(person.window, "Selection"))
    assert dock.page == "Selection" and any(isinstance(row, Note) for row in rows_of(person))
    person.key(pygame.K_i, 0, "i")
    assert dock.size == 0.0


def test_typed_numbers_change_the_selection(person):
    type_into(person, "density", "2.5")
    assert person.world.body(2).mass == pytest.approx(2.5)
    type_into(person, "friction", "0,75")
    assert person.world.body(2).spec.fixtures[0].friction == 0.75
    type_into(person, "mask", "0x00f0")
    assert person.world.body(2).spec.fixtures[0].mask == 0x00F0
    type_into(person, "mask", "010")
    assert person.world.body(2).spec.fixtures[0].mask == 10
    type_into(person, "angle", "90")
    assert person.world.state(2).angle == pytest.approx(math.pi / 2.0)
    type_into(person, "vx", "3")
    assert person.world.state(2).linear_velocity == pytest.approx((3.0, person.world.state(2).linear_velocity[1]))
    type_into(person, "name", "crate")
    assert person.world.body(2).spec.name == "crate"
    assert value_of(person, "speed") == "3.001 m/s" or str(value_of(person, "speed")).startswith("3")
    for _ in range(7):
        person.key(pygame.K_z, CTRL)
    assert person.world.body(2).mass == pytest.approx(1.0) and person.world.body(2).spec.name == ""
    assert not person.history.can_undo


@pytest.mark.parametrize(
    ("name", "typed", "words"),
    [
        ("density", "abc", "density must be a number of kg/m², got 'abc'"),
        ("density", "-1", "density must be >= 0 kg/m^2, got -1.0"),
        ("density", "0", "density must be > 0 kg/m^2 for at least one fixture"),
        ("friction", "1e99", "friction must be from 0 to 1e+09, got 1e+99"),
        ("category", "70000", "category must be a whole number from 0 to 65535, got 70000"),
        ("group", "1.5", "group must be a whole number, got '1.5'"),
        ("x", "2e6", "position[0] must be from -1e+06 to 1e+06 m, got 2000000.0"),
        ("angular damping", "-0.1", "angular_damping must be >= 0 1/s, got -0.1"),
    ],
)
def test_invalid_input_is_rejected_in_one_line(person, name, typed, words):
    before = value_of(person, name)
    type_into(person, name, typed)
    assert words in person.said
    assert value_of(person, name) == before


def test_steppers_switches_and_choices(person):
    _, less, more = rects_of(person, "restitution")
    press(person, more)
    press(person, more)
    press(person, less)
    assert person.world.body(2).spec.fixtures[0].restitution == pytest.approx(0.1)
    pygame.key.set_mods(SHIFT)
    press(person, rects_of(person, "gravity scale")[2])
    pygame.key.set_mods(0)
    assert person.world.body(2).spec.gravity_scale == 6.0
    press(person, rects_of(person, "bullet (CCD, all bodies)")[0])
    press(person, rects_of(person, "fixed rotation")[0])
    assert person.world.body(2).spec.bullet and person.world.body(2).spec.fixed_rotation
    press(person, rects_of(person, "awake")[0])
    assert not person.world.state(2).awake and value_of(person, "sleeps") == "yes"
    press(person, rects_of(person, "type")[1])
    assert person.world.body(2).spec.type == "kinematic"


def test_several_bodies_are_changed_and_undone_together(person):
    pygame.key.set_mods(SHIFT)
    person.click((2.0, 3.0))
    pygame.key.set_mods(0)
    type_into(person, "density", "4")
    assert [person.world.body(body).mass for body in (2, 3)] == pytest.approx([4.0, 4.0])
    assert person.history.undo()
    assert [person.world.body(body).mass for body in (2, 3)] == pytest.approx([1.0, 1.0])
    person.tools.editor.selection = [Chosen(0, 2)]
    type_into(person, "friction", "0.9")
    person.tools.editor.selection = [Chosen(0, 2), Chosen(0, 3)]
    row = row_of(person, "friction")
    assert isinstance(row, Number) and row.is_mixed


def test_keys_go_to_the_focused_field(person):
    press(person, rects_of(person, "name")[0])
    write(person, "pi1")
    person.key(pygame.K_BACKSPACE)
    person.key(pygame.K_SPACE, 0, " ")
    person.key(pygame.K_b, SHIFT, "B")
    assert person.window.session.clock.paused and person.tools.tool.name == "Select"
    person.key(pygame.K_RETURN)
    assert person.world.body(2).spec.name == "pi B" and person.world.is_body(2)
    press(person, rects_of(person, "name")[0])
    write(person, "x")
    person.key(pygame.K_ESCAPE)
    assert person.world.body(2).spec.name == "pi B" and person.tools.editor.selection
    press(person, rects_of(person, "density")[0])
    write(person, "3")
    person.key(pygame.K_TAB)
    assert person.world.body(2).mass == pytest.approx(3.0)
    write(person, "0.5")
    person.key(pygame.K_RETURN)
    assert person.world.body(2).spec.fixtures[0].friction == 0.5


def test_the_settings_of_the_world(person):
    press(person, place(person.window, "World"))
    type_into(person, "gravity y", "5")
    type_into(person, "gravity x", "-1")
    assert person.world.settings.gravity == (-1.0, 5.0)
    type_into(person, "step rate", "120")
    type_into(person, "velocity iterations", "20")
    press(person, rects_of(person, "position iterations")[2])
    for name in ("warm starting", "continuous", "sleeping", "sub stepping"):
        press(person, rects_of(person, name)[0])
    settings = person.world.settings
    assert (settings.hertz, settings.velocity_iterations, settings.position_iterations) == (120.0, 20, 4)
    assert (settings.warm_starting, settings.continuous, settings.sleeping, settings.sub_stepping) == (False, False, False, True)
    type_into(person, "step rate", "0")
    assert "hertz must be from 1 to 10000 Hz" in person.said
    type_into(person, "velocity iterations", "0")
    assert "velocity_iterations" in person.said
    before = person.world.state(3).position[1]
    person.key(pygame.K_SPACE)
    person.frames(30)
    assert person.window.session.demo.step_seconds == 1.0 / 120.0
    assert person.world.state(3).position[1] > before


def test_a_typed_position_keeps_the_current_value_of_the_other_fields(person):
    person.pick("S")
    person.click((-2.0, 3.0))
    row = row_of(person, "x")
    assert isinstance(row, Number)
    person.world.set_pose(2, (-2.0, 5.0), 0.5)  # between the frame in which the row was listed and the click
    row.change(1.0)
    state = person.world.state(2)
    assert (*state.position, state.angle) == pytest.approx((1.0, 5.0, 0.5))


def test_a_key_released_while_typing_is_released(person):
    person.window.session.demo.held.add("left")
    person.pick("S")
    person.click((-2.0, 3.0))
    press(person, rects_of(person, "x")[0])
    assert person.window.screen.ui.typing is not None
    person.window.handle(pygame.event.Event(pygame.KEYUP, key=pygame.K_LEFT, mod=0))
    assert person.window.session.demo.held == set()


def test_every_setting_has_a_description(person):
    press(person, place(person.window, "World"))
    rows = rows_of(person)
    for row, after in itertools.pairwise(rows):
        if isinstance(row, Number | Switch) and row.name != "gravity x":
            assert isinstance(after, Note) and after.words.endswith(".")


def test_every_property_has_a_tooltip(person):
    person.pick("S")
    person.click((-2.0, 3.0))
    person.frames(2)
    changeable = [row for row in rows_of(person) if isinstance(row, Number | Switch | Choice | Text)]
    assert len(changeable) > 20 and all(row.tip.endswith(".") for row in changeable)
    for name in ("name", "spin"):
        rect = place(person.window, name)
        person.at(pygame.MOUSEMOTION, (5, 5))
        before = pygame.surfarray.array2d(person.surface).T
        person.at(pygame.MOUSEMOTION, rect.center)
        person.frames(30)
        changed = (before != pygame.surfarray.array2d(person.surface).T).any(axis=0).nonzero()[0]
        assert changed.min() < dock_of(person).place[0] - 20, "beside the dock, which stays in sight"


def test_a_read_only_demo_says_so():
    person = Person(Closed())
    person.key(pygame.K_i, 0, "i")
    person.frames(2)
    rows = rows_of(person)
    assert any(isinstance(row, Note) and "finished" in row.words for row in rows)
    assert not any(isinstance(row, Number) for row in rows)


@pytest.mark.parametrize("size", [(800, 600), (1280, 720), (640, 480)])
def test_nothing_overlaps(size):
    person = Person(Yard(), size)
    person.pause()
    person.pick("S")
    person.click((-2.0, 3.0))
    person.frames(2)
    dock, form = dock_of(person), dock_of(person).form
    assert pygame.Rect(dock.place).right == person.tools.place[0]
    assert person.tools.place[0] + person.tools.place[2] == size[0]
    bounds = pygame.Rect(dock.place)
    assert all(bounds.left < form.rect(item).left and form.rect(item).right < bounds.right for item in form.items)
    assert not [(a, b) for a, b in itertools.combinations([item.rect for item in form.items], 2) if a.colliderect(b)]
    person.at(pygame.MOUSEMOTION, bounds.center)
    for notches in (-100, 100):
        person.window.handle(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=notches, precise_y=float(notches), mouse=bounds.center))
        person.frames()
        assert form.scrolled == (max(form.height - bounds.height, 0) if notches < 0 else 0)


def test_every_step_is_restored_after_random_changes():
    memory.load()
    rng = random.Random(3)
    person = Person(Yard())
    person.pick("S")
    for _ in range(60):
        person.tools.editor.selection = [Chosen(0, body) for body in rng.sample(person.world.body_ids, 2)]
        if rng.random() < 0.2:
            person.tools.editor.selection = []
        person.frames(rng.randrange(1, 6))
        rows = rows_of(person)
        rows = [row for row in rows if not (isinstance(row, Choice) and "distance" in row.words)]  # which opens the stepper
        row = rng.choice([row for row in rows if isinstance(row, Number | Switch | Choice)])
        if isinstance(row, Number):
            row.change(row.stepped(rng.choice((-10.0, -1.0, 1.0, 10.0))))
        elif isinstance(row, Switch):
            row.change(not row.value)
        else:
            row.change(rng.choice(row.words))
    person.frames(20)
    history = person.history
    assert person.window.session.timeline.failure == "" and sum(len(inputs) for inputs in history.inputs) > 40
    for step in rng.sample(range(history.last), 10):
        history.seek(step)
        assert demo_hash(history.demo) == history.hash_at(step)
    assert history.divergence is None and history.verify() is None
