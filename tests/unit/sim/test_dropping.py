"""Files dropped on the window: they become bodies, unusable ones are reported in one line, and the window stays responsive."""

import gc
import math
import weakref
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic

import pygame
import pytest

from engine.app.dropped_picture import picture_of
from engine.app.files.dropping import Dropper
from engine.app.files.opening import drop_size, load_dropped
from engine.app.headless import run_headless
from engine.app.messages import Messages
from engine.app.window import Window
from engine.cli.run import _drop, run_command
from engine.common.errors import InvalidInputError, LabError
from engine.decompose import body_of_file, load_body, save_body
from engine.sim import dropping
from engine.sim.actions import DestroyBody, Drop
from engine.sim.registry import find_demo
from engine.trace import algorithm
from engine.trace.case_file import SavedCase, save_case
from tests.hazards.hostile import KINDS
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
BODY = ROOT / "sprites" / "figure_body.json"
SIZE = (1280, 720)
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M0 0 H90 V20 H30 V60 H0 Z" fill="#48c"/></svg>'


@pytest.fixture
def ell(tmp_path):
    """An L of 60 x 40 pixels on a transparent background."""
    picture = pygame.Surface((100, 80), pygame.SRCALPHA)
    picture.fill((200, 40, 40, 255), (20, 20, 60, 15))
    picture.fill((40, 40, 200, 255), (20, 20, 15, 40))
    pygame.image.save(picture, tmp_path / "ell.png")
    return tmp_path / "ell.png"


class Hand:
    """A window, and files dropped on it."""

    def __init__(self, demos, demo):
        self.window = Window(SIZE, demos, demo)
        self.surface = pygame.Surface(SIZE)
        self.frame(2)

    def frame(self, n=1):
        for _ in range(n):
            self.window.update(1.0 / 60.0)
            self.window.show(self.surface)

    def drop(self, *files, at=(700, 150)):
        """Drop the files, and wait until all have been read."""
        for file in files:
            self.window.handle(pygame.event.Event(pygame.DROPFILE, file=str(file), pos=at))
        end = monotonic() + PATIENCE
        while self.window.app.dropper.n_pending and monotonic() < end:
            self.frame()
        assert self.window.app.dropper.n_pending == 0

    @property
    def words(self):
        return [message.words for message in self.window.session.messages._waiting]


@pytest.fixture
def hand(drop, twins):
    return Hand((twins, drop), drop())


def test_a_dropped_picture_becomes_a_body_that_falls_can_be_grabbed_and_disappears_at_a_restart(hand, ell):
    session = hand.window.session
    demo = session.demo
    session.clock.paused = True
    hand.drop(ell)
    (body,) = demo.dropped
    assert body.is_there and body.world is demo.stages[0].world
    high = body.world.state(body.body).position
    assert high == pytest.approx(session.view.camera.to_world((700, 150)), abs=1e-5)
    box = body.file.outline.aabb
    assert max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]) == pytest.approx(drop_size(demo.home()), rel=0.02)
    assert len(body.file.pieces) == 2 and hand.words == [f"ell: 2 fixtures, {body.file.outline.area:.2f} m²"]
    session.clock.paused = False
    hand.frame(20)
    x, y = body.world.state(body.body).position
    assert y < high[1] - 0.2
    hook = body.file.pieces[0].vertices.mean(axis=0)
    assert demo.grab((x + hook[0], y + hook[1]))
    session.restart()
    hand.frame()
    world = demo.stages[0].world
    assert demo.dropped == [] and "ell" not in [world.body(each).spec.name for each in world.body_ids]


def test_its_picture_covers_it_and_rotates_with_it(hand, ell):
    session = hand.window.session
    session.clock.paused = True
    hand.window.session.layers.shapes = False
    hand.drop(ell)
    (body,) = session.demo.dropped
    body.world.set_pose(body.body, (0.0, 4.0), math.pi / 2.0)
    hand.frame()
    (left, _), (right, top) = body.file.picture.lower, body.file.picture.upper
    scale = (right - left) / 100.0
    # the middle of the red bar, and of the blue foot, from the picture's upper left corner; a quarter turn: (x, y) to (-y, x)
    for (column, row), color in (((60, 27), (200, 40, 40)), ((27, 50), (40, 40, 200))):
        x, y = left + column * scale, top - row * scale
        at = session.view.camera.to_screen((0.0 - y, 4.0 + x))
        assert hand.surface.get_at((round(at[0]), round(at[1])))[:3] == pytest.approx(color, abs=12)


def test_a_demo_with_a_dropped_file_is_released(hand, ell, tmp_path):
    (tmp_path / "wrong.txt").write_text("hello")
    for file in (ell, tmp_path / "wrong.txt"):
        hand.drop(file)
        left = weakref.ref(hand.window.session.demo)
        hand.window.navigator.start(0)
        hand.window.navigator.left.clear()
        hand.frame(2)
        gc.collect()
        assert left() is None, f"something holds the demo that {file.name} fell into"


def test_several_at_once_and_an_svg_and_a_body_file(hand, ell, tmp_path):
    (tmp_path / "drawing.svg").write_text(SVG, encoding="utf-8")
    hand.drop(ell, tmp_path / "drawing.svg", BODY)
    bodies = hand.window.session.demo.dropped
    assert [body.file.name for body in bodies] == ["ell", "drawing", "figure"]
    heights = [body.world.state(body.body).position[1] for body in bodies]
    assert heights == sorted(heights) and heights[0] < heights[2]
    # a body file keeps its meters
    assert bodies[2].file.outline.aabb == load_body(BODY).outline.aabb
    assert picture_of(bodies[1].file) is not None
    hand.frame(30)


def test_an_unusable_file_is_reported_in_one_line(hand, tmp_path):
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG nothing more")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "empty.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    pygame.image.save(pygame.Surface((20, 20), pygame.SRCALPHA), tmp_path / "clear.png")
    names = ["notes.txt", "broken.png", "broken.json", "empty.svg", "clear.png", "missing.png"]
    for name in names:
        hand.drop(tmp_path / name)
        assert hand.words[-1].startswith(f"{name} cannot be used: ") and str(tmp_path) not in hand.words[-1] and "\n" not in hand.words[-1]
    hand.drop(tmp_path)  # a folder
    assert "cannot be used" in hand.words[-1]
    assert hand.window.session.demo.dropped == [] and hand.window.session.timeline.failure == ""


def test_the_window_stays_responsive_while_a_file_is_read(hand, ell, monkeypatch):
    body, go, clock = body_of_file(ell), Event(), [0.0]
    monkeypatch.setattr("engine.app.files.dropping.perf_counter", lambda: clock[0])

    def slow(path, size):
        assert go.wait(PATIENCE)
        if path == "bad":
            raise RuntimeError("a fault\nof two lines")
        return body

    hand.window.app.dropper = Dropper(slow)
    for file in ("good", "bad"):
        hand.window.handle(pygame.event.Event(pygame.DROPFILE, file=file, pos=(700, 150)))
    steps = hand.window.session.demo.steps
    hand.frame(30)
    assert hand.window.session.demo.steps >= steps + 29 and hand.words == ["Reading bad"]
    clock[0] = 5.2
    hand.frame(2)
    assert hand.words == ["Reading good, 5 s so far; the first file takes longer"]
    go.set()
    hand.drop()
    assert len(hand.window.session.demo.dropped) == 1
    assert hand.words[-1] == "bad cannot be used: RuntimeError: a fault of two lines"


def test_a_demo_closed_meanwhile_gets_no_body(hand, ell, twins):
    hand.window.handle(pygame.event.Event(pygame.DROPFILE, file=str(ell), pos=(700, 150)))
    hand.window.navigator.start(0)
    hand.drop()
    assert type(hand.window.session.demo) is twins and hand.window.session.demo.dropped == []


def test_a_drop_on_the_list_starts_the_demo(drop, ell):
    hand = Hand((drop,), None)
    assert hand.window.browsing
    hand.drop(ell)
    assert not hand.window.browsing and len(hand.window.session.demo.dropped) == 1


def test_a_stepper_case_opens_its_stepper(hand, tmp_path):
    save_case(tmp_path / "case.json", SavedCase("epa", algorithm("epa").example))
    hand.drop(tmp_path / "case.json")
    demo = hand.window.session.demo
    assert (demo.id, demo.title, demo.names) == ("stepper", "case.json", ("epa",))


def test_a_demo_without_a_world_reports_it(ell):
    pair = find_demo("pair")
    hand = Hand((pair,), pair())
    hand.drop(ell)
    assert hand.words[-1] == "ell.png cannot be used: this demo has no world to drop a body into"


def test_the_nearest_world_receives_it(twins, ell):
    demo = twins()
    file = load_dropped(str(ell), drop_size(demo.home()))
    assert demo.sim.act(Drop.of(file, (29.0, 5.0))).stage is demo.stages[1]
    assert demo.sim.act(Drop.of(file, (1.0, 5.0))).stage is demo.stages[0]
    with pytest.raises(LabError):
        demo.sim.act(Drop.of(file, (math.nan, 0.0)))


def test_an_oversized_body_file_is_scaled_down(tmp_path):
    file = load_dropped(str(BODY), 0.15)
    box = file.outline.aabb
    assert max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]) == pytest.approx(0.8)
    original = load_body(BODY)
    assert len(file.pieces) == len(original.pieces) and file.picture is not None and original.picture is not None
    assert file.picture.lower[0] / original.picture.lower[0] == pytest.approx(file.tolerance / original.tolerance)
    save_body(tmp_path / "small.json", file)
    assert load_body(tmp_path / "small.json").outline.area == pytest.approx(file.outline.area)


def test_the_command_drops_files_and_reports_mistakes(ell, tmp_path):
    """The command runs in this process, because a separate interpreter takes seconds."""
    files = partial(_drop, files=[str(ell), str(BODY)])
    (report, demo), (again, _) = (run_headless(find_demo("simple_shapes"), 60, 0, {"count": 3}, prepare=files) for _ in range(2))
    assert report.bodies == 1 + 3 + 2 and len(demo.dropped) == 2
    assert again.state_hash == report.state_hash
    with pytest.raises(InvalidInputError, match=r"^--drop .*missing.png must be a file that can be read") as caught:
        _drop(demo.sim, [str(tmp_path / "missing.png")])
    assert str(caught.value).count(" must be ") == 1
    (tmp_path / "no.svg").write_text("no drawing", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"^--drop .*no.svg, line 1 must be XML .* got 'no drawing'"):
        _drop(demo.sim, [str(tmp_path / "no.svg")])
    with pytest.raises(InvalidInputError, match="--drop"):
        run_command(pair="some.json", drops=[str(ell)])


def test_dropping_and_deleting_for_hours_leaks_no_memory(monkeypatch):
    monkeypatch.setattr(dropping, "_MAX_GONE", 2)
    demo, file = find_demo("simple_shapes")(0, {"count": 1}), load_body(BODY)
    kept = demo.sim.act(Drop.of(file, (0.0, 5.0)))
    for _ in range(6):
        body = demo.sim.act(Drop.of(file, (2.0, 5.0))).body
        demo.sim.act(DestroyBody(0, body))
    last = demo.sim.act(Drop.of(file, (2.0, 5.0)))
    assert demo.dropped[0] is kept and demo.dropped[-1] is last and [entry.is_there for entry in demo.dropped] == [True, False, False, True]


def test_messages_are_queued():
    messages = Messages()
    assert messages.now is None
    messages.say("reading", is_passing=True)
    messages.advance(60.0)
    assert messages.now.words == "reading"
    messages.say("first")
    messages.say("second")
    assert messages.now.words == "first"
    messages.advance(3.0)
    assert messages.now.words == "second"
    messages.advance(3.0)
    assert messages.now.words == "second"
    messages.advance(3.5)
    assert messages.now is None


def test_a_drawing_with_too_many_corners_is_rejected_before_tracing(tmp_path):
    path = tmp_path / "comb.svg"
    path.write_bytes(KINDS["comb"].make(10_010))
    with pytest.raises(LabError, match=r"comb\.svg must be a drawing of at most 10000 corners, got 100"):
        load_dropped(str(path), 1.2)
