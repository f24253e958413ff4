"""The pair inspector: dragging, keys, files, and the pictures of every query."""

import math

import pygame
import pytest

from demos import pair as inspector
from demos._pair_picture import outline
from demos.pair import PairInspector
from engine.app.headless import picture_of
from engine.app.window import Window
from engine.compare.pair.file import Outsider, Pair, load_pair
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from engine.trace.cases import is_on


class Loaded:
    """Means that the algorithms are loaded; the inspector has no world to check."""


def make(query="manifold", kind=None):
    demo = (kind or find_demo("pair"))(0, {"query": query} if kind is None else None, lambda world: Loaded())
    assert isinstance(demo, PairInspector)
    return demo


@pytest.fixture(autouse=True)
def display(monkeypatch, tmp_path):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.chdir(tmp_path)
    pygame.display.init()
    pygame.display.set_mode((1280, 720))
    yield
    pygame.display.quit()


def test_rotating_b_makes_box2ds_axis_flip():
    demo = make()
    center = demo.middle_of(demo.case, "b")
    apart = []
    for _ in range(4):
        answers = demo.answers
        assert answers.box2d is not None and answers.verdict in ("agree", "explained")
        ours, theirs = answers.ours.normal, answers.box2d.normal
        assert ours is not None and theirs is not None
        apart.append(ours[0] * theirs[0] + ours[1] * theirs[1] < 0.0)
        assert demo.on_wheel(center, -1.0)
        assert demo.middle_of(demo.case, "b") == pytest.approx(center), "it turns about its middle"
    assert apart[0] and not all(apart), "at first the other way out, then the same"


def test_a_drag_moves_a_shape_and_a_restart_resets_it():
    demo = make()
    begin, center = demo.pair, demo.middle_of(demo.case, "b")
    assert demo.grab(center) and demo.grabbing
    demo.drag((center[0] + 0.3, center[1] - 0.2))
    demo.release()
    assert demo.middle_of(demo.case, "b") == pytest.approx((center[0] + 0.3, center[1] - 0.2))
    assert demo.pair.pose_a == begin.pose_a and demo.pair.note == ""
    demo.restart()
    assert demo.pair == begin
    assert not demo.grab((50.0, 50.0)) and not demo.turn((50.0, 50.0)) and not demo.on_wheel((50.0, 50.0), 1.0)
    demo.drag((0.0, 0.0))
    assert demo.pair is begin or demo.pair == begin


def test_a_corner_can_be_dragged_as_in_the_stepper():
    demo = make()
    before = demo.pair
    (name, (x, y)) = next((name, at) for name, at in demo.case.handles if name == "b.0")
    assert demo.grab((x, y))
    demo.drag((x + 0.02, y + 0.02))
    assert dict(demo.case.handles)[name] == pytest.approx((x + 0.02, y + 0.02)) and demo.pair.pose_b == before.pose_b
    assert demo.pair.shape_b != before.shape_b and demo.pair.shape_a == before.shape_a


def test_a_right_drag_rotates():
    demo = make()
    x, y = demo.middle_of(demo.case, "b")
    angle = demo.pair.pose_b.angle
    assert demo.turn((x + 0.1, y))
    demo.drag((x, y + 0.1))
    assert demo.pair.pose_b.angle == pytest.approx(angle + math.pi / 2.0)
    assert demo.middle_of(demo.case, "b") == pytest.approx((x, y))


def test_keys_move_and_rotate_the_last_shape():
    demo = make()
    x, y = demo.pair.pose_b.position
    for key in ("right", "right", "up", "left", "down"):
        assert demo.on_key(key)
    assert demo.pair.pose_b.position == pytest.approx((x + 0.001, y))
    angle = demo.pair.pose_b.angle
    assert demo.on_key("q") and demo.on_key("q") and demo.on_key("e")
    assert demo.pair.pose_b.angle == pytest.approx(angle + math.radians(0.1))
    assert not demo.on_key("x")


def test_a_motion_has_handles_at_both_ends_and_a_slider_between():
    demo = make("toi")
    begin = demo.pair
    end = demo.middle_of(demo.case, "b.end")
    assert demo.grab(end)
    demo.drag((end[0] + 0.1, end[1]))
    assert demo.pair.pose_b == begin.pose_b and demo.pair.end_b is not None and begin.end_b is not None
    assert demo.pair.end_b.position[0] == pytest.approx(begin.end_b.position[0] + 0.1)
    demo.release()
    at_start = demo.middle_of(demo.case, "b")
    demo.set_parameter("fraction", 1.0)
    assert demo.pair.end_b is not None, "the slider changes nothing but the moment"
    assert demo.middle_of(demo.case, "b") == pytest.approx(demo.middle_of(demo.case, "b.end")) and demo.middle_of(
        demo.case, "b"
    ) != pytest.approx(at_start)
    demo.set_parameter("fraction", 0.5)
    assert demo.grab(demo.middle_of(demo.case, "b"))
    before = demo.middle_of(demo.case, "b.start"), demo.middle_of(demo.case, "b.end")
    x, y = demo.middle_of(demo.case, "b")
    demo.drag((x, y + 0.25))
    assert demo.middle_of(demo.case, "b.start")[1] == pytest.approx(before[0][1] + 0.25)
    assert demo.middle_of(demo.case, "b.end")[1] == pytest.approx(before[1][1] + 0.25)


def test_a_ray_and_a_point_are_dragged():
    ray = make("ray_cast")
    start = ray.pair.ray[0]
    assert ray.grab(start) and not ray.turn(start)
    ray.drag(ray.middle_of(ray.case, "a"))
    answers = ray.answers
    assert answers.reason == "starts_inside"
    inside = make("contains")
    assert inside.pair.point is not None and inside.grab(inside.pair.point)
    inside.drag(inside.middle_of(inside.case, "a"))
    assert inside.answers.ours.is_yes


def test_saving_makes_a_new_file_each_time(tmp_path):
    demo = make()
    demo.on_key("right")
    demo.on_key("s")
    demo.on_key("s")
    saved = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert saved == ["pair_manifold_1.json", "pair_manifold_2.json"]
    assert load_pair(tmp_path / "out" / saved[0]) == demo.pair
    assert any("saved as" in str(line) for line in demo.status())


def test_a_save_that_fails_is_reported(tmp_path):
    (tmp_path / "out").write_text("a file where the folder would be")
    demo = make()
    demo.on_key("s")
    assert demo.view_state.message.startswith("not saved") and any("not saved" in str(line) for line in demo.status())


def test_a_file_opens_with_its_query_and_user_answer(tmp_path):
    pair = Pair(
        "manifold", Polygon.box(1.0, 0.5), Transform(), Circle(0.5), Transform((0.0, 0.9)),
        outsider=Outsider("mine.py:collide", {"normal": (1.0, 0.0), "points": [(0.0, 0.5)], "depth": "deep"}, "wrong normal"),
    )  # fmt: skip
    kind = PairInspector.of_file(pair, str(tmp_path / "mine.json"))
    demo = make(kind=kind)
    assert demo.pair == pair and [parameter.name for parameter in kind.parameters] == ["query"]
    assert any("mine.py:collide" in str(line) and "wrong normal" in str(line) for line in demo.status())
    assert picture_of(demo)
    demo.set_parameter("query", "distance")
    assert demo.pair.query == "distance" and demo.pair.outsider is None and demo.answers is not None
    demo.on_key("s")
    assert (tmp_path / "mine_1.json").exists()
    demo.set_parameter("query", "manifold")
    demo.restart()
    assert demo.pair == pair


@pytest.mark.parametrize("size", [(1280, 720), (800, 500)])
@pytest.mark.parametrize("query", inspector.QUERIES)
def test_every_query_has_its_picture(query, size):
    demo = make(query)
    content = picture_of(demo, size)
    demo.restart()
    demo.sim.has_kernels = False
    assert content[:4] == b"\x89PNG" and content != picture_of(demo, size), "without the answers something is missing"


@pytest.mark.parametrize(
    "shape",
    [
        Circle(0.3, (0.1, 0.0)), Polygon.box(0.5, 0.2, skin_radius=0.01), Capsule((0.0, 0.0), (1.0, 0.5), 0.2),
        Capsule((0.0, 0.0), (0.0, 0.0), 0.2), Segment((0.0, 0.0), (1.0, 0.0), 0.01, (-1.0, 0.5), (2.0, 0.5)),
        Segment((0.0, 0.0), (0.0, 0.0)),
    ],
)  # fmt: skip
def test_every_shape_has_an_outline_and_can_be_grabbed(shape, tmp_path):
    xf = Transform((1.0, 2.0), 0.7)
    core = shape.core
    box = shape.aabb(xf)
    points = outline(shape, xf)
    assert points.min(axis=0) == pytest.approx(box.lower, abs=0.01) and points.max(axis=0) == pytest.approx(box.upper, abs=0.01)
    assert is_on(shape, xf, xf.apply(tuple(core.mean(axis=0).tolist())), 0.001)
    assert not is_on(shape, xf, (box.upper[0] + 0.1, box.upper[1] + 0.1), 0.05)
    demo = make(kind=PairInspector.of_file(Pair("manifold", shape, xf, Polygon.box(0.3, 0.3), xf), str(tmp_path / "x.json")))
    assert demo.answers is not None and picture_of(demo)


def test_far_out_pairs_are_reported_and_drawn(tmp_path):
    far = Pair("manifold", Circle(1e8), Transform((9e8, -9e8), 9e8), Polygon.box(1.0, 1.0), Transform((-9e8, 9e8)))
    demo = make(kind=PairInspector.of_file(far, str(tmp_path / "x.json")))
    assert picture_of(demo) and demo.status()


def test_in_the_window_the_pair_waits_for_its_kernels(monkeypatch):
    loaded = set()
    monkeypatch.setattr("engine.app.session.is_ready", loaded.__contains__)
    demo = make("distance")
    window = Window((800, 500), (PairInspector,), demo)
    surface = pygame.Surface((800, 500))
    assert demo.answers is None and any("loading" in str(line) for line in demo.status())
    before = demo_hash(demo)
    window.handle(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT, mod=0, unicode=""))
    window.update(1.0 / 60.0)
    window.show(surface)
    assert window.session.timeline.failure == "" and demo_hash(demo) != before, "the pair is part of what a recording compares"
    window.session.undo()
    assert window.session.timeline.failure == "" and demo_hash(demo) == before and demo.steps == 0
    loaded.add("demo pair")
    window.update(1.0 / 60.0)
    window.show(surface)
    assert demo.answers.verdict == "agree"


def test_mouse_events_of_the_window_reach_the_pair():
    demo = make()
    window = Window((1280, 720), (PairInspector,), demo, is_watched=False)
    window.has_referee()
    surface = pygame.Surface((1280, 720))
    for _ in range(3):
        window.update(0.0)
        window.show(surface)

    def send(kind, **attributes):
        window.handle(pygame.event.Event(kind, attributes))
        window.show(surface)

    scale, angle = window.session.view.camera.scale, demo.pair.pose_b.angle
    x, y = (round(coordinate) for coordinate in window.session.view.camera.to_screen(demo.middle_of(demo.case, "b")))
    send(pygame.MOUSEWHEEL, x=0, y=1, precise_y=1.0, mouse=(x, y))
    assert demo.pair.pose_b.angle == pytest.approx(angle + math.radians(2.0)) and window.session.view.camera.scale == scale
    center, view = demo.middle_of(demo.case, "b"), window.session.view.camera.center
    send(pygame.MOUSEBUTTONDOWN, pos=(x + 20, y), button=3)
    send(pygame.MOUSEMOTION, pos=(x, y - 20), rel=(-20, -20), buttons=(0, 0, 1))
    send(pygame.MOUSEBUTTONUP, pos=(x, y - 20), button=3)
    assert demo.pair.pose_b.angle == pytest.approx(angle + math.radians(92.0), abs=0.1) and window.session.view.camera.center == view
    assert demo.middle_of(demo.case, "b") == pytest.approx(center)
    send(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
    send(pygame.MOUSEMOTION, pos=(x + 40, y), rel=(40, 0), buttons=(1, 0, 0))
    send(pygame.MOUSEBUTTONUP, pos=(x + 40, y), button=1)
    send(pygame.MOUSEMOTION, pos=(x, y), rel=(-40, 0), buttons=(0, 0, 0))
    assert demo.middle_of(demo.case, "b") == pytest.approx((center[0] + 40.0 / scale, center[1]), abs=0.01)
    send(pygame.MOUSEWHEEL, x=0, y=1, precise_y=1.0, mouse=(1270, 600))
    assert window.session.view.camera.scale > scale, "beside the shapes the wheel zooms"
