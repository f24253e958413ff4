"""Ways to open the stepper: a click, a key, the panel, the inspector; and the way back."""

import pygame
import pytest

from engine import trace
from engine.app import stepper_requests as doors
from engine.app.commands import find, run
from engine.app.editor.editor import Chosen
from engine.app.editor.pages import body_rows
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.window import Window
from engine.sim.registry import find_demo
from engine.ui.rows import Choice
from tests.unit.app.controls import names, place
from tests.unit.app.hand import SIZE, Hand, pixel
from tests.unit.app.test_pointing import differing


def settle(hand):
    """Let the disc come to rest, and draw it once."""
    for _ in range(90):
        hand.window.session.advance(1.0 / 60.0)
    hand.frame(2)


@pytest.fixture
def lying(hand):
    """Let the disc come to rest, and return the pixel of its contact with the floor."""
    settle(hand)
    x, y = hand.window.session.demo.stages[0].world.contacts.position[0, 0].tolist()
    return pixel(hand, (x, y))


def stepper(hand):
    """The displayed demo, which must be the stepper."""
    demo = hand.window.session.demo
    assert demo.id == "stepper"
    return demo


def test_a_click_on_a_contact_opens_its_manifold_and_escape_returns(hand, lying):
    session = hand.window.session
    contacts = session.demo.stages[0].world.contacts
    positions = (*contacts.pose_a[0, :2], *contacts.pose_b[0, :2])
    steps = session.demo.steps
    hand.click(lying)
    demo = stepper(hand)
    assert (demo.names, demo.title) == (("manifold",), "The contact between bodies 0 and 1")
    pair = demo.case.pair
    assert (*pair.pose_a.position, *pair.pose_b.position) == positions
    hand.frame(5)
    hand.key(pygame.K_RIGHT)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.session is session and not hand.window.browsing
    assert session.demo.steps <= steps + 10 and not session.clock.paused  # it stood meanwhile
    hand.key(pygame.K_ESCAPE)
    assert hand.window.browsing


def test_a_drag_from_a_contact_grabs_the_body(hand, lying):
    session = hand.window.session
    at = lying[0], lying[1] - 3
    hand.send(pygame.MOUSEBUTTONDOWN, pos=at, button=1)
    assert not session.demo.grabbing
    hand.send(pygame.MOUSEMOTION, pos=(at[0], at[1] - 20), rel=(0, -20), buttons=(1, 0, 0))
    assert session.demo.grabbing
    hand.send(pygame.MOUSEBUTTONUP, pos=at, button=1)
    assert hand.window.session is session


def test_hidden_contacts_open_no_stepper(hand, lying):
    session = hand.window.session
    session.layers.points = False
    hand.frame()
    hand.click(lying)
    assert hand.window.session is session
    session.layers.points = session.layers.impulses = True
    hand.frame()
    hand.click(lying)
    assert stepper(hand).title.startswith("The next step of this world")


@pytest.mark.slow  # the referee compiles all that it asks before a ring is drawn
def test_a_ring_opens_a_stepper_and_escape_returns_to_the_close_up(hand):
    at = differing(hand)
    session = hand.window.session
    hand.click(at)
    assert session.view.focus is not None
    hand.click(pixel(hand, session.view.camera.center))
    assert stepper(hand).names == ("manifold", "manifold_box2d")
    hand.key(pygame.K_ESCAPE)
    assert hand.window.session is session and session.view.focus is not None and session.clock.paused
    hand.key(pygame.K_F6)
    assert stepper(hand).names == ("manifold", "manifold_box2d")


def test_a_row_of_the_referees_panel_opens_a_stepper(hand):
    differing(hand)
    run(find("more"), hand.window.app)
    hand.frame(1, elapsed=0.0)
    hand.click(place(hand.window, "Step by step").center)
    assert stepper(hand).names == ("manifold", "manifold_box2d")


def test_f6_uses_the_body_at_the_pointer_or_the_deepest_contact(hand):
    session = hand.window.session
    for stage in session.demo.stages:
        for body in stage.world.body_ids[1:]:
            stage.world.destroy_body(body)
    session.clock.paused = True
    hand.key(pygame.K_F6)
    assert hand.window.session is session and session.messages.now is not None
    assert "no algorithm here" in session.messages.now.words
    hand.key(pygame.K_r)
    session.clock.paused = False
    settle(hand)
    hand.key(pygame.K_F6)
    assert stepper(hand).title == "The contact between bodies 0 and 1"
    hand.key(pygame.K_ESCAPE)
    disc = session.demo.stages[0].world.state(1).position
    hand.send(pygame.MOUSEMOTION, pos=pixel(hand, disc), rel=(0, 0), buttons=(0, 0, 0))
    hand.key(pygame.K_F6)
    assert stepper(hand).title == "The contact between bodies 0 and 1"
    hand.key(pygame.K_F6)  # of the stepper itself there is none
    assert stepper(hand).title == "The contact between bodies 0 and 1"


def test_the_inspector_opens_a_stepper_for_two_selected_bodies(hand):
    hand.window.session.demo.set_parameter("discs", 2)
    hand.frame(2)
    session, inspector = hand.window.session, hand.window.dock_area.find(InspectorDock)
    editor = inspector.editor
    editor.is_selecting, editor.selection = True, [Chosen(0, 1), Chosen(0, 2)]
    row = next(row for row in body_rows(editor) if isinstance(row, Choice) and "distance" in row.words)
    row.change("distance")
    hand.frame()
    demo = stepper(hand)
    assert demo.names == ("gjk",) and demo.title == "The distance between bodies 1 and 2"
    assert demo.case.pair.pose_b.position[0] == pytest.approx(1.2)
    hand.key(pygame.K_ESCAPE)
    assert hand.window.session is session


def test_the_menu_and_shift_f6_open_the_solvers_next_step(hand, lying):
    app = hand.window.app
    assert not find("step_through").disabled(app) and not find("step_solver").disabled(app)
    hand.send(pygame.KEYDOWN, key=pygame.K_F6, mod=pygame.KMOD_LSHIFT, unicode="")
    demo = stepper(hand)
    assert trace.algorithm(demo.names[0]).takes(demo.case)
    assert find("step_through").disabled(app) and find("step_solver").disabled(app)  # of a stepper


def test_a_world_with_too_many_contacts_is_rejected_in_one_line(hand, lying, monkeypatch):
    monkeypatch.setattr(doors, "_MAX_CONTACTS", 0)
    session = hand.window.session
    session.layers.impulses = True
    hand.frame()
    hand.click(lying)
    hand.send(pygame.KEYDOWN, key=pygame.K_F6, mod=pygame.KMOD_LSHIFT, unicode="")
    assert hand.window.session is session and session.messages.now is not None
    assert session.messages.now.words == "the world must be a world of at most 0 contacts to step through its solver, got 1"


def test_steppers_discard_no_kept_demo(hand, lying):
    session = hand.window.session
    for _ in range(3):
        hand.click(lying)
        stepper(hand).on_key("right")
        hand.frame(3)
        hand.key(pygame.K_ESCAPE)
        assert hand.window.session is session
        session.clock.paused = True
    assert hand.window.navigator.left == []


@pytest.mark.parametrize(
    ("query", "algorithm"), [("manifold", "manifold"), ("distance", "gjk"), ("toi", "conservative_advancement"), ("ray_cast", "ray_cast")]
)
def test_the_pair_demo_opens_a_stepper_for_its_current_pair(query, algorithm):
    kind = find_demo("pair")
    demo = kind(0, {"query": next(parameter.choices.index(query) for parameter in kind.parameters if parameter.name == "query")})
    demo._touched = "a"
    demo.on_key("right")
    hand = Hand(Window(SIZE, (kind,), demo))
    panel = hand.window.screen.panel
    assert panel is not None and find("step_through").title in names(hand.window)
    hand.key(pygame.K_F6)
    opened = stepper(hand)
    assert opened.names == ((algorithm, "manifold_box2d") if query == "manifold" else (algorithm,)) and opened.case.pair == demo.pair
    hand.key(pygame.K_ESCAPE)
    assert hand.window.session.demo is demo


def test_a_point_in_a_shape_has_no_stepper():
    kind = find_demo("pair")
    demo = kind(0, {"query": "contains"})
    assert demo.door() is None
