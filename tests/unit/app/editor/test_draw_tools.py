"""Drawing bodies by hand, and rejected drawings."""

import itertools
import math
import threading

import pygame
import pytest

from engine.app.editor import draw_tools
from engine.app.editor.placing import MIN_SIZE, PlacingError, outline_spec
from engine.app.editor.tool import grid_step
from engine.geometry import Circle
from engine.render import palette
from tests.unit.app.editor.person import CTRL, SHIFT
from tests.unit.app.written import Written, noting_words


def test_a_box_is_drawn_from_corner_to_corner(person):
    person.pick("B")
    person.drag((-4.0, 4.0), (-3.0, 4.6))
    body, state = person.world.body(person.newest()), person.world.state(person.newest())
    assert body.spec.type == "dynamic" and body.mass == pytest.approx(0.6, abs=0.05)
    assert state.position == pytest.approx((-3.5, 4.3), abs=0.03)
    assert person.history.undo() and len(person.world.body_ids) == 4


def test_with_shift_it_is_static_and_with_ctrl_it_is_on_the_grid(person):
    person.pick("C")
    pygame.key.set_mods(SHIFT | CTRL)
    person.drag((-4.03, 4.02), (-3.02, 4.04))
    body = person.world.body(person.newest())
    assert body.spec.type == "static" and body.spec.position == (-4.0, 4.0)
    camera = person.window.session.view.camera
    radius, step = body.spec.fixtures[0].shape, grid_step(camera.scale)
    assert isinstance(radius, Circle) and radius.radius / step == pytest.approx(round(radius.radius / step), abs=1e-5)


def test_a_polygon_is_clicked_corner_by_corner(person):
    person.pick("P")
    bent = [(3.0, 4.0), (5.0, 4.0), (5.0, 6.0), (4.0, 5.2), (3.0, 6.0)]
    for corner in bent:
        person.click(corner)
    assert person.tools.tool.is_busy and len(person.world.body_ids) == 4
    person.click(bent[0])
    body = person.world.body(person.newest())
    assert not person.tools.tool.is_busy and len(body.fixtures) == 2
    assert body.mass == pytest.approx(3.2, rel=0.03)
    for corner in bent[:3]:
        person.click(corner)
    person.key(pygame.K_BACKSPACE)
    person.click((4.0, 6.0))
    person.key(pygame.K_RETURN, SHIFT)
    assert person.world.body(person.newest()).spec.type == "static" and len(person.world.body_ids) == 6
    person.click(bent[0])
    person.key(pygame.K_ESCAPE)
    assert not person.tools.tool.is_busy and person.tools.tool.name == "Polygon"


@pytest.mark.parametrize(("letter", "words"), [("B", "1.0"), ("C", "radius 1.4"), ("P", "Enter closes"), ("F", "release closes")])
def test_a_hint_about_shift_is_shown_at_the_pointer(person, letter, words):
    """Issue 31: it was only in the hint, which disappears after a few seconds."""
    person.pick(letter)
    if letter == "P":
        for corner in ((3.0, 4.0), (5.0, 4.0), (5.0, 6.0)):
            person.click(corner)
    else:
        person.move((3.0, 5.0))
        person.at(pygame.MOUSEBUTTONDOWN, person.pixel((3.0, 5.0)))
        person.move((3.5, 5.5))
    person.move((4.0, 6.0))

    def written():
        person.surface = Written(person.size)
        with noting_words():
            person.frames()
        return [text for text, _ in person.surface.words if text.endswith("   static") or "Shift: static" in text]

    (free,) = written()
    assert free.startswith(words) and free.endswith("   Shift: static")
    pygame.key.set_mods(SHIFT)
    person.key(pygame.K_LSHIFT, SHIFT)  # without a motion of the pointer
    (held,) = written()
    assert held == free.replace("Shift: static", "static")


def test_an_outline_is_drawn_in_one_stroke(person):
    person.pick("F")
    kidney = [(4.5 + r * math.cos(a), 4.5 + r * math.sin(a)) for a, r in ((0.2 * k, 0.8 + 0.3 * math.cos(0.4 * k)) for k in range(31))]
    person.drag(*kidney)
    body = person.world.body(person.newest())
    assert len(person.world.body_ids) == 5 and 1 < len(body.fixtures) < 20
    assert body.mass == pytest.approx(math.pi * (0.8**2 + 0.5 * 0.3**2), rel=0.06)
    person.drag((4.0, 7.0), (4.05, 7.0))
    assert "too small" in person.said and len(person.world.body_ids) == 5


def test_the_window_stays_responsive_while_an_outline_is_cut(person, monkeypatch):
    cut, may_go = draw_tools.outline_spec, threading.Event()
    monkeypatch.setattr(draw_tools, "outline_spec", lambda *arguments: may_go.wait(60.0) and cut(*arguments))
    ring = [(4.5 + math.cos(0.2 * k), 4.5 + math.sin(0.2 * k)) for k in range(31)]
    person.pick("F")
    person.waits = False
    person.drag(*ring)
    person.window.session.clock.paused = False
    before = person.history.now
    person.frames(5)
    person.window.session.clock.paused = True
    assert person.history.now >= before + 4 and len(person.world.body_ids) == 4 and "is being cut" in person.said
    x, y = person.pixel(ring[8])
    drawn = {tuple(person.surface.get_at((x + dx, y + dy))[:3]) for dx in range(-2, 3) for dy in range(-2, 3)}
    assert palette.ACCENT in drawn, "what was drawn stays on the screen"
    person.drag((4.0, 7.0), (4.05, 7.0))  # the next stroke, which will be refused
    may_go.set()
    person.waits = True
    person.frames()
    assert len(person.world.body_ids) == 5 and "too small" in person.said and not person.tools.editor.being_cut
    may_go.clear()
    person.waits = False
    person.drag(*ring)
    person.window.navigator.start(0)  # somebody went elsewhere: nothing falls into the next demo
    may_go.set()
    person.waits = True
    person.frames()
    assert len(person.world.body_ids) == 4


def test_a_polygon_that_crosses_itself_shows_where(person):
    person.pick("P")
    for corner in ((3.0, 4.0), (5.0, 6.0), (5.0, 4.0), (3.0, 6.0)):
        person.click(corner)
    person.key(pygame.K_RETURN)
    assert person.said == "The outline crosses itself where it is marked: Backspace removes the last corner."
    assert person.tools.tool.is_busy and len(person.world.body_ids) == 4
    person.frames()
    x, y = person.pixel((4.0, 5.0))
    seen = {tuple(person.surface.get_at((x + dx, y + dy))[:3]) for dx in range(-12, 13) for dy in range(-12, 13)}
    assert palette.UNEXPLAINED in seen
    person.key(pygame.K_BACKSPACE)
    person.key(pygame.K_RETURN)
    assert len(person.world.body_ids) == 5


def test_outlines_appear_in_drawing_order(person, monkeypatch):
    cut, may_go, n = draw_tools.outline_spec, threading.Event(), itertools.count()
    monkeypatch.setattr(draw_tools, "outline_spec", lambda *arguments: (next(n) > 0 or may_go.wait(60.0)) and cut(*arguments))
    person.pick("P")
    person.waits = False
    for x in (-5.0, 4.0):  # the second is cut at once, and waits for the first
        for corner in ((x, 4.0), (x + 1.0, 4.0), (x, 5.0)):
            person.click(corner)
        person.key(pygame.K_RETURN)
    person.frames(3)
    assert len(person.world.body_ids) == 4
    may_go.set()
    person.waits = True
    person.frames(2)
    left, right = (person.world.state(body).position[0] for body in person.world.body_ids[-2:])
    assert left < 0.0 < right


@pytest.mark.parametrize("letter", ["B", "C", "F"])
def test_a_drawing_that_is_too_small_is_rejected_in_one_line(person, letter):
    before = len(person.history.inputs[-1])
    person.pick(letter)
    person.drag((0.0, 5.0), (0.001, 5.001))
    assert person.said.startswith("too small") and "\n" not in person.said
    assert len(person.world.body_ids) == 4 and len(person.history.inputs[-1]) == before


def test_an_invalid_outline_is_rejected():
    crossing = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)]
    for points, words in (
        (crossing, "crosses itself"),
        ([(0.0, 0.0), (1.0, 1.0)], "too small"),
        ([(0.0, 0.0), (1.0, 0.0), (2.0, MIN_SIZE / 10)], "too thin"),
    ):
        with pytest.raises(PlacingError, match=words):
            outline_spec(points, "dynamic")
    star = [(math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k)) for k in range(0, 10, 2)]
    with pytest.raises(PlacingError, match="cross"):  # it turns one way only, but twice round
        outline_spec(star, "dynamic")
    assert len(outline_spec(crossing, "dynamic", 0.01).fixtures) == 2
    square = outline_spec([(5.0, 5.0), (5.0, 6.0), (6.0, 6.0), (6.0, 5.0)], "static")
    assert square.position == (5.5, 5.5) and len(square.fixtures) == 1
