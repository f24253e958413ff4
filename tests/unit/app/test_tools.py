"""The tool bar and its tools, driven by the events a person would cause."""

from __future__ import annotations

import itertools
import math
import random
import threading
import time
from collections.abc import Callable, Iterator

import pygame
import pytest

from engine.app.demo import Demo
from engine.app.hands import draw_tools
from engine.app.hands.hands import Chosen
from engine.app.hands.placing import LEAST_SIZE, PlacingError, outline_spec
from engine.app.hands.tool import grid_step
from engine.app.hands.tools_dock import ToolsDock
from engine.app.history import History, demo_hash
from engine.app.registry import find_demo
from engine.app.stage import Stage
from engine.app.window import Window
from engine.box2d import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    memory,
)
from engine.geometry import Circle, Polygon, Segment

FRAME = 1.0 / 60.0
SHIFT, CTRL = pygame.KMOD_LSHIFT, pygame.KMOD_LCTRL
Point = tuple[float, float]


class Yard(Demo):
    """A floor, an edge beside it, and two boxes in the air: bodies 0 to 3."""

    id, category, title, watch = "yard", "Tests", "Yard", "Whatever you build."

    def build(self) -> None:
        """One world."""
        world = World()
        world.create_body(BodySpec((FixtureSpec(Polygon.box(8.0, 0.5)),), type="static", position=(0.0, -0.5)))
        world.create_body(BodySpec((FixtureSpec(Segment((-8.0, 3.0), (-7.0, 6.0), 0.0)),), type="static"))
        for x in (-2.0, 2.0):
            world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(x, 3.0)))
        self.add_stage(world)


class Closed(Yard):
    """One that may not be changed."""

    id = "closed"
    no_edits = "this one is finished"


class Person:
    """Hands on a window: pixels are found from metres."""

    def __init__(self, demo: Demo, size: tuple[int, int] = (1280, 720)) -> None:
        self.size = size
        self.waits = True
        self.window = Window(size, (type(demo),), demo)
        self.surface = pygame.Surface(size)
        self.frames(2)

    @property
    def tools(self) -> ToolsDock:
        """The tool bar."""
        return next(dock for dock in self.window._docks if isinstance(dock, ToolsDock))

    @property
    def history(self) -> History:
        """The demo's."""
        assert self.window.session.history is not None
        return self.window.session.history

    @property
    def stage(self) -> Stage:
        """The first."""
        return self.window.session.demo.stages[0]

    @property
    def world(self) -> World:
        """The first stage's."""
        return self.stage.world

    @property
    def said(self) -> str:
        """What stands at the foot of the view."""
        message = self.window.session.messages.now
        return "" if message is None else message.words

    def frames(self, n: int = 1) -> None:
        """Let frames pass."""
        for _ in range(n):
            self.window.update(FRAME)
            self.window.draw(self.surface)
        while self.waits and self.tools.hands.beside.is_busy:  # an outline is being cut: on a busy machine that outlasts the frame
            time.sleep(0.005)
            self.window.update(0.0)

    def key(self, key: int, mod: int = 0, letter: str = "") -> None:
        """Press and let go."""
        self.window.handle(pygame.event.Event(pygame.KEYDOWN, key=key, mod=mod, unicode=letter))
        self.window.handle(pygame.event.Event(pygame.KEYUP, key=key, mod=mod))
        self.frames()

    def pixel(self, point: Point) -> tuple[int, int]:
        """Where a point of the picture is on the screen."""
        x, y = self.window.session.camera.to_screen(point)
        return round(x), round(y)

    def at(self, kind: int, pixel: tuple[int, int]) -> None:
        """One event of the pointer, and a frame."""
        more = {"rel": (1, 1), "buttons": (0, 0, 0)} if kind == pygame.MOUSEMOTION else {"button": 1}
        self.window.handle(pygame.event.Event(kind, pos=pixel, **more))
        self.frames()

    def move(self, point: Point) -> None:
        """Move the pointer."""
        self.at(pygame.MOUSEMOTION, self.pixel(point))

    def click(self, point: Point) -> None:
        """Press and let go."""
        self.move(point)
        self.at(pygame.MOUSEBUTTONDOWN, self.pixel(point))
        self.at(pygame.MOUSEBUTTONUP, self.pixel(point))

    def drag(self, *points: Point) -> None:
        """Press at the first point, move over all, let go at the last."""
        self.move(points[0])
        self.at(pygame.MOUSEBUTTONDOWN, self.pixel(points[0]))
        for a, b in itertools.pairwise(points):
            for k in (1, 2, 3):
                self.move((a[0] + k / 3 * (b[0] - a[0]), a[1] + k / 3 * (b[1] - a[1])))
        self.at(pygame.MOUSEBUTTONUP, self.pixel(points[-1]))

    def pick(self, letter: str) -> None:
        """Take a tool."""
        self.key(pygame.key.key_code(letter.lower()), SHIFT, letter)

    def pause(self) -> None:
        """Stop time."""
        self.key(pygame.K_SPACE)
        assert self.window.session.clock.paused

    def newest(self) -> int:
        """The id of the last body made."""
        return self.world.body_ids[-1]


@pytest.fixture(autouse=True)
def keys_up() -> Iterator[None]:
    yield
    pygame.key.set_mods(0)


@pytest.fixture
def person() -> Person:
    person = Person(Yard())
    person.pause()
    return person


def test_a_letter_with_shift_picks_a_tool_and_esc_goes_back(person: Person) -> None:
    for tool in person.tools.tools[1:]:
        person.pick(tool.letter)
        assert person.tools.tool is tool and person.said.startswith(tool.name)
        person.key(pygame.K_ESCAPE)
        assert person.tools.tool is person.tools.tools[0] and not person.window.browsing
    person.key(pygame.K_ESCAPE)
    assert person.window.browsing
    assert len({tool.letter for tool in person.tools.tools} | {"T", "I"}) == len(person.tools.tools) + 2


def test_every_button_of_the_bar_picks_its_tool(person: Person) -> None:
    for k, tool in enumerate(person.tools.tools):
        rect, name = person.tools._buttons()[k]
        assert name == tool.name and pygame.Rect(person.tools.place).contains(rect)
        person.at(pygame.MOUSEMOTION, rect.center)
        person.at(pygame.MOUSEBUTTONDOWN, rect.center)
        assert person.tools.tool is tool
    width = person.tools.place[2]
    person.key(pygame.K_t, SHIFT)
    assert person.tools.size == 0.0 and person.window.session.camera.view[2] == 1280 - 276
    person.key(pygame.K_t, SHIFT)
    assert person.tools.place[2] == width


@pytest.mark.parametrize("size", [(800, 600), (1280, 720), (640, 480)])
def test_the_bar_fits_the_window(size: tuple[int, int]) -> None:
    person = Person(Yard(), size)
    rects = [rect for rect, _ in person.tools._buttons()]
    assert all(a.bottom <= b.top for a, b in itertools.pairwise(rects))
    assert all(pygame.Rect(person.tools.place).contains(rect) for rect in rects)


def test_a_box_is_drawn_from_corner_to_corner(person: Person) -> None:
    person.pick("B")
    person.drag((-4.0, 4.0), (-3.0, 4.6))
    body, state = person.world.body(person.newest()), person.world.state(person.newest())
    assert body.spec.type == "dynamic" and body.mass == pytest.approx(0.6, abs=0.05)
    assert state.position == pytest.approx((-3.5, 4.3), abs=0.03)
    assert person.history.undo() and len(person.world.body_ids) == 4


def test_with_shift_it_is_static_and_with_ctrl_it_is_on_the_grid(person: Person) -> None:
    person.pick("C")
    pygame.key.set_mods(SHIFT | CTRL)
    person.drag((-4.03, 4.02), (-3.02, 4.04))
    body = person.world.body(person.newest())
    assert body.spec.type == "static" and body.spec.position == (-4.0, 4.0)
    camera = person.window.session.camera
    radius, step = body.spec.fixtures[0].shape, grid_step(camera.scale)
    assert isinstance(radius, Circle) and radius.radius / step == pytest.approx(round(radius.radius / step), abs=1e-5)


def test_a_polygon_is_clicked_corner_by_corner(person: Person) -> None:
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


def test_an_outline_is_drawn_in_one_stroke(person: Person) -> None:
    person.pick("F")
    kidney = [(4.5 + r * math.cos(a), 4.5 + r * math.sin(a)) for a, r in ((0.2 * k, 0.8 + 0.3 * math.cos(0.4 * k)) for k in range(31))]
    person.drag(*kidney)
    body = person.world.body(person.newest())
    assert len(person.world.body_ids) == 5 and 1 < len(body.fixtures) < 20
    assert body.mass == pytest.approx(math.pi * (0.8**2 + 0.5 * 0.3**2), rel=0.06)
    person.drag((4.0, 7.0), (4.05, 7.0))
    assert "too small" in person.said and len(person.world.body_ids) == 5


def test_the_window_goes_on_while_an_outline_is_cut(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    cut, may_go = draw_tools.outline_spec, threading.Event()
    monkeypatch.setattr(draw_tools, "outline_spec", lambda *given: may_go.wait(60.0) and cut(*given))
    ring = [(4.5 + math.cos(0.2 * k), 4.5 + math.sin(0.2 * k)) for k in range(31)]
    person.pick("F")
    person.waits = False
    person.drag(*ring)
    person.window.session.clock.paused = False
    before = person.history.now
    person.frames(5)
    person.window.session.clock.paused = True
    assert person.history.now >= before + 4 and len(person.world.body_ids) == 4 and "is being cut" in person.said
    person.drag((4.0, 7.0), (4.05, 7.0))  # the next stroke, which will be refused
    may_go.set()
    person.waits = True
    person.frames()
    assert len(person.world.body_ids) == 5 and "too small" in person.said
    may_go.clear()
    person.waits = False
    person.drag(*ring)
    person.window.start(0)  # somebody went elsewhere: nothing falls into the next demo
    may_go.set()
    person.waits = True
    person.frames()
    assert len(person.world.body_ids) == 4


@pytest.mark.parametrize("letter", ["B", "C", "F"])
def test_too_small_a_drawing_is_refused_in_one_line(person: Person, letter: str) -> None:
    before = len(person.history.inputs[-1])
    person.pick(letter)
    person.drag((0.0, 5.0), (0.001, 5.001))
    assert person.said.startswith("too small") and "\n" not in person.said
    assert len(person.world.body_ids) == 4 and len(person.history.inputs[-1]) == before


def test_what_cannot_be_an_outline_is_refused() -> None:
    crossing = [(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)]
    for points, words in (
        (crossing, "must not cross itself"),
        ([(0.0, 0.0), (1.0, 1.0)], "too small"),
        ([(0.0, 0.0), (1.0, 0.0), (2.0, LEAST_SIZE / 10)], "too thin"),
    ):
        with pytest.raises(PlacingError, match=words):
            outline_spec(points, "dynamic")
    star = [(math.cos(0.4 * math.pi * k), math.sin(0.4 * math.pi * k)) for k in range(0, 10, 2)]
    with pytest.raises(PlacingError, match="cross"):  # it turns one way only, but twice round
        outline_spec(star, "dynamic")
    assert len(outline_spec(crossing, "dynamic", 0.01).fixtures) == 2
    square = outline_spec([(5.0, 5.0), (5.0, 6.0), (6.0, 6.0), (6.0, 5.0)], "static")
    assert square.position == (5.5, 5.5) and len(square.fixtures) == 1


def test_clicks_and_frames_select(person: Person) -> None:
    hands = person.tools.hands
    person.pick("S")
    person.click((-2.0, 3.0))
    assert hands.selection == [Chosen(0, 2)]
    pygame.key.set_mods(SHIFT)
    person.click((2.0, 3.0))
    assert hands.selection == [Chosen(0, 2), Chosen(0, 3)]
    person.click((2.0, 3.0))
    assert hands.selection == [Chosen(0, 2)]
    pygame.key.set_mods(0)
    person.click((0.0, 5.0))
    assert hands.selection == []
    person.drag((-4.0, 5.0), (4.0, 1.0))
    assert hands.selection == [Chosen(0, 2), Chosen(0, 3)]
    person.click((-7.5, 4.52))  # an edge has no inside
    assert hands.selection == [Chosen(0, 1)]
    person.key(pygame.K_ESCAPE)
    assert hands.selection == []


def test_a_drag_moves_and_is_undone_at_once(person: Person) -> None:
    person.pick("S")
    person.drag((-4.0, 5.0), (4.0, 1.0))
    person.drag((-2.0, 3.0), (-1.0, 4.0))
    for body, x in ((2, -1.0), (3, 3.0)):
        assert person.world.state(body).position == pytest.approx((x, 4.0), abs=0.05)
    assert person.history.undo()
    for body, x in ((2, -2.0), (3, 2.0)):
        assert person.world.state(body).position == pytest.approx((x, 3.0), abs=0.02)
    assert not person.history.can_undo


def test_what_is_held_stays_in_the_hand_while_time_goes_on(person: Person) -> None:
    person.key(pygame.K_SPACE)
    person.pick("S")
    state = person.world.state(2)
    person.at(pygame.MOUSEMOTION, person.pixel(state.position))
    person.at(pygame.MOUSEBUTTONDOWN, person.pixel(person.world.state(2).position))
    person.at(pygame.MOUSEMOTION, person.pixel((0.0, 5.0)))
    person.frames(30)
    assert person.world.state(2).position == pytest.approx((0.0, 5.0), abs=0.3)
    person.at(pygame.MOUSEBUTTONUP, person.pixel((0.0, 5.0)))
    person.frames(30)
    assert person.world.state(2).position[1] < 4.5


def test_the_handle_and_the_wheel_turn(person: Person) -> None:
    person.pick("S")
    person.click((-2.0, 3.0))
    tool = person.tools.tool
    handle = tool._handle(person.window.session.camera.scale)  # type: ignore[attr-defined]
    person.drag(handle, (-2.0 + handle[1] - 3.0, 3.0))
    assert person.world.state(2).angle == pytest.approx(-math.pi / 2.0, abs=0.03)
    assert person.world.state(2).position == pytest.approx((-2.0, 3.0), abs=0.02)
    at = person.pixel((2.0, 3.0))
    person.at(pygame.MOUSEMOTION, at)
    person.at(pygame.MOUSEBUTTONDOWN, at)
    person.window.handle(pygame.event.Event(pygame.MOUSEWHEEL, x=0, y=2, precise_y=2.0, mouse=at))
    person.frames()
    person.at(pygame.MOUSEBUTTONUP, at)
    assert person.world.state(3).angle == pytest.approx(math.radians(30.0), abs=1e-5)


def test_delete_pin_and_copies(person: Person) -> None:
    person.pick("S")
    person.click((-2.0, 3.0))
    person.key(pygame.K_p)
    assert person.world.body(2).spec.type == "static"
    person.key(pygame.K_p)
    assert person.world.body(2).spec.type == "dynamic"
    person.key(pygame.K_c, CTRL)
    person.move((0.0, 5.0))
    person.key(pygame.K_v, CTRL)
    assert person.world.state(person.newest()).position == pytest.approx((0.0, 5.0), abs=0.02)
    person.key(pygame.K_d, CTRL)
    assert len(person.world.body_ids) == 6 and person.tools.hands.selection == [Chosen(0, person.newest())]
    person.key(pygame.K_a, CTRL)
    person.key(pygame.K_DELETE)
    assert person.world.body_ids == ()
    person.frames(3)
    person.key(pygame.K_z, CTRL)
    assert len(person.world.body_ids) == 6


JOINTS: list[tuple[str, type, Point, Point]] = [
    ("H", RevoluteJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("D", DistanceJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("W", WeldJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("L", PrismaticJointSpec, (-1.7, 3.0), (2.0, 3.0)),
    ("O", WheelJointSpec, (-2.02, 3.0), (2.0, 3.0)),
]


@pytest.mark.parametrize(("letter", "kind", "first", "second"), JOINTS)
def test_two_clicks_join_two_bodies_or_a_body_and_the_ground(person: Person, letter: str, kind: type, first: Point, second: Point) -> None:
    person.pick(letter)
    person.click(first)
    person.click(second)
    (joint,) = person.world.joint_ids
    assert isinstance(person.world.joint(joint).spec, kind)
    assert set(person.world.joint_bodies(joint)) == {2, 3}
    person.click(first)
    person.click((0.0, 6.0))
    anchor = person.newest()
    assert person.world.body(anchor).spec.type == "static" and person.world.body(anchor).spec.fixtures[0].sensor
    assert set(person.world.joint_bodies(person.world.joint_ids[-1])) == {2, anchor}
    assert person.history.undo()  # the joint and its anchor
    assert person.world.joint_ids == (joint,) and len(person.world.body_ids) == 4
    assert person.history.undo() and person.world.joint_ids == ()


def test_a_hinge_clicked_twice_at_one_place_holds_on_to_the_ground(person: Person) -> None:
    person.pick("H")
    person.click((-2.4, 3.0))
    person.click((-2.4, 3.0))
    person.key(pygame.K_SPACE)
    person.frames(60)
    x, y = person.world.joint_anchors(person.world.joint_ids[0])[1]
    assert (x, y) == pytest.approx((-2.4, 3.0), abs=0.05)
    assert person.world.state(3).position[1] < 2.0 < person.world.state(2).position[1]


def test_joints_that_cannot_be_are_refused_in_one_line(person: Person) -> None:
    for letter, first, second, words in (
        ("H", (0.0, 6.0), None, "click on a body first"),
        ("L", (-2.0, 3.0), (-2.0, 3.0), "needs a direction"),
        ("D", (-2.0, 3.0), (-2.0, 3.0), "two points that are apart"),
        ("W", (-4.0, -0.5), (-7.5, 4.5), "must be able to move"),
    ):
        person.pick(letter)
        person.click(first)
        if second is not None:
            person.click(second)
        assert words in person.said
        person.key(pygame.K_ESCAPE)
    assert person.world.joint_ids == () and len(person.world.body_ids) == 4


def test_the_eraser_takes_joints_before_bodies(person: Person) -> None:
    person.pick("H")
    person.click((-2.0, 3.0))
    person.click((0.0, 6.0))
    person.pick("E")
    person.click((-2.0, 3.0))
    assert person.world.joint_ids == () and person.world.is_body(2)
    person.drag((-3.5, 3.0), (3.5, 3.0))
    assert not person.world.is_body(2) and not person.world.is_body(3)
    assert person.history.undo() and person.world.is_body(2) and person.world.is_body(3)


def test_copies_bring_their_joints_along(person: Person) -> None:
    person.pick("H")
    person.click((-1.6, 3.0))
    person.click((2.0, 3.0))
    person.pick("S")
    person.drag((-4.0, 5.0), (4.0, 1.0))
    person.key(pygame.K_d, CTRL)
    assert len(person.world.body_ids) == 6 and len(person.world.joint_ids) == 2
    before, after = (person.world.joint_anchors(joint)[0] for joint in person.world.joint_ids)
    moved = person.world.state(4).position[0] - person.world.state(2).position[0]
    assert moved > 0.0 and after[0] - before[0] == pytest.approx(moved, abs=1e-4)


def test_a_demo_that_may_not_be_changed_says_why() -> None:
    for demo, words in ((Closed(), "this one is finished"), (find_demo("pair")(), "no world"), (find_demo("promise_seams")(), "predicted")):
        person = Person(demo)
        person.pick("B")
        assert words in person.said and person.tools.tool is person.tools.tools[0]
        person.key(pygame.K_i)
        person.frames(3)
        person.key(pygame.K_i)
        person.key(pygame.K_F1)


def test_a_demo_whose_bodies_are_deleted_under_it_stops_with_words() -> None:
    class Watching(Yard):
        """Looks at a body in each picture."""

        id = "watching"

        def draw(self, canvas: object) -> None:
            """Look."""
            self.stages[0].drawn_pose(2)

    person = Person(Watching())
    person.pick("E")
    person.click(person.world.state(2).position)
    assert "body 2 was destroyed" in person.window.session.failure and person.window.session.clock.paused
    person.key(pygame.K_z, CTRL)
    assert person.window.session.failure == ""


def test_the_hand_still_grabs(person: Person) -> None:
    at = person.pixel((-2.0, 3.0))
    person.at(pygame.MOUSEBUTTONDOWN, at)
    assert person.window.session.demo.grabbing
    person.at(pygame.MOUSEBUTTONUP, at)
    assert not person.window.session.demo.grabbing


def test_after_random_work_every_step_is_found_again() -> None:
    memory.load()
    rng = random.Random(7)
    person = Person(Yard())

    def place() -> Point:
        return rng.uniform(-6.0, 6.0), rng.uniform(0.2, 6.0)

    def body() -> Point:
        return person.world.state(rng.choice(person.world.body_ids[1:] or person.world.body_ids)).position

    works: tuple[Callable[[], None], ...] = (
        lambda: person.drag(place(), place()),
        lambda: person.drag(body(), place()),
        lambda: person.click(body()),
        lambda: person.click(place()),
        lambda: person.key(rng.choice((pygame.K_p, pygame.K_RETURN, pygame.K_END))),
        lambda: person.key(rng.choice((pygame.K_c, pygame.K_v, pygame.K_d)), CTRL),
    )
    for _ in range(50):
        person.pick(rng.choice("SSBBCFPHDWLOEG"))
        for _ in range(3):
            rng.choice(works)()
        if person.window.session.clock.paused:
            person.key(pygame.K_SPACE)
    history = person.history
    assert person.window.session.failure == "" and history.last > 100
    assert sum(len(given) for given in history.inputs) > 40
    for step in rng.sample(range(history.last), 10):
        history.seek(step)
        assert demo_hash(history.demo) == history.hash_at(step)
    assert history.divergence is None and history.verify() is None
