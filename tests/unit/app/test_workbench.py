"""The workbench in a window: what is shown, asked and ticked after a machine has been restored or cleared. Issue 31."""

import json
import math
from dataclasses import replace

import numpy as np
import pygame
import pytest

from engine.app.editor.editor import Chosen, ChosenJoint
from engine.app.editor.joint_page import joint_rows
from engine.app.editor.pages import body_rows
from engine.app.files.saving import scene_maker
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.inspector_dock import InspectorDock
from engine.app.session import Session
from engine.app.stage_views import views_of
from engine.app.status_strip import _cells
from engine.app.window import Window
from engine.common.errors import InvalidInputError
from engine.geometry import Polygon
from engine.net.scene import check_shareable, make_demo, shared_scene
from engine.render import palette
from engine.render.packing import PackedShapes
from engine.scenes import Scene, load_scene, save_scene
from engine.sim.actions import ChangeBody, CreateBody, CreateJoint, DestroyBody, Grab, PressKey, SetParameter
from engine.sim.history import History
from engine.sim.recordings import load_recording
from engine.sim.registry import find_demo
from engine.sim.replaying import record, replay
from engine.sim.scene_demo import SceneDemo, scene_demo
from engine.sim.stage import body_box
from engine.ui.rows import Line, Slider
from engine.world import BodySpec, DistanceJointSpec, FixtureSpec
from tests.unit.app.controls import place
from tests.unit.app.hand import SIZE, Hand, pixel

BOX = BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),), position=(0.0, 0.6))
FALL = 12
"""Frames after which the box lies on the ground."""


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Return a paused bench on which a box, joined to the ground by a rod, has fallen."""
    monkeypatch.chdir(tmp_path)
    kind = find_demo("workbench")
    hand = Hand(Window(SIZE, (kind,), kind(0)))
    session = hand.window.session
    body = session.act(CreateBody.of(0, BOX))
    ground = session.demo.stages[0].world.body_ids[0]
    session.act(CreateJoint.of(0, DistanceJointSpec(ground, body, (3.0, 0.0), (0.0, 0.6), frequency=0.5, collide_connected=True)))
    hand.frame(FALL)
    session.clock.paused = True
    hand.frame()
    return hand


def contacts_seen(hand):
    """Return the number of places under the corners of the box at which the pointer hits a contact point."""
    places = [pixel(hand, (x, 0.02 * k)) for x in (-0.5, 0.5) for k in range(-10, 40)]
    return sum(hand.window.screen.painter.contact_at(place) is not None for place in places)


def lines(hand):
    """Return names and values of the inspector's pages of the box and of its rod."""
    dock = hand.window.app.dock(InspectorDock)
    editor, world = dock.editor, hand.window.session.demo.stages[0].world
    editor.selection = [Chosen(0, world.body_ids[-1])]
    rows = body_rows(editor)
    rows += joint_rows(editor, ChosenJoint(0, world.joint_ids[-1]))
    return {row.name: row.value for row in rows if isinstance(row, Line)}


def test_a_restart_removes_contacts_and_forces_of_the_last_step(bench):
    session = bench.window.session
    stage = session.demo.stages[0]
    assert contacts_seen(bench) and views_of(session.demo).scene(stage).trail.added(stage.world.step_index)
    before = lines(bench)
    assert before["contacts"] == "1" and "force on B" in before
    session.restart()
    bench.frame()
    assert session.timeline.moment == f"0.00 s, step 0 ({FALL} on the timeline)"
    assert ("t", "0.00 s, step 0") in {cell[:2] for cell in _cells(session, 0)}, "the timeline has its own number"
    assert len(stage.world.contacts) == 1 and stage.displaced == {stage.world.body_ids[-1]}
    assert contacts_seen(bench) == 0 and views_of(session.demo).scene(stage).trail.added(stage.world.step_index) == []
    after = lines(bench)
    assert after["contacts"] == "0" and "force on B" not in after
    session.undo()
    bench.frame()
    assert contacts_seen(bench) and lines(bench) == before, "undone: it lies there again"


def test_clearing_removes_everything(bench):
    session = bench.window.session
    session.press("c")
    bench.frame()
    stage = session.demo.stages[0]
    assert stage.touching.shape == (2, 0) and len(stage.world.contacts) == 1
    assert contacts_seen(bench) == 0 and views_of(session.demo).scene(stage).trail.added(stage.world.step_index) == []


def test_the_width_of_an_endless_ground_has_no_slider(bench):
    panel, session = bench.window.screen.panel, bench.window.session
    shown = []
    for walls in (0.0, 2.0):
        session.set_parameter("walls", walls)
        shown.append([row.name for row in panel.rows("", is_unfolded=False) if isinstance(row, Slider)])
    assert shown == [["ground width"], []]


def test_the_preview_of_the_list_shows_what_was_built(bench):
    window = bench.window
    built = window.session.demo
    window.session.act(Grab(built.stages[0].world.state(1).position))
    assert built.grip is not None
    window.navigator.browse()
    preview = window.session.demo
    assert preview is not built and len(preview.stages[0].world.body_ids) == len(built.stages[0].world.body_ids) == 2
    assert preview.grip is None and len(preview.stages[0].world.joint_ids) == 1
    bench.frame(3)
    assert preview.steps > built.steps, "the preview runs, the bench waits"


def test_saving_is_ticked_once_the_file_is_there(bench, tmp_path):
    panel = bench.window.screen.panel
    assert panel.done() == (True, True, False, False)
    bench.send(pygame.KEYDOWN, key=pygame.K_s, mod=pygame.KMOD_CTRL, unicode="")
    assert panel.done()[-1] is True and [path.name for path in tmp_path.iterdir()] == ["workbench.json"]


@pytest.mark.parametrize("angle", [0.0, 0.5, -0.5])
def test_the_numbers_of_a_thin_body_do_not_cover_it(bench, angle):
    session = bench.window.session
    spec = BodySpec((FixtureSpec(Polygon.box(3.0, 0.1)),), position=(0.0, 4.0), angle=angle)
    plank = session.act(CreateBody.of(0, spec))
    bench.frame()
    (x, y), before = session.demo.stages[0].world.state(plank).position, bench.surface.copy()
    bench.send(pygame.MOUSEMOTION, pos=pixel(bench, (x, y)), rel=(0, 0), buttons=(0, 0, 0))
    changed = pygame.mask.from_threshold(bench.surface, (0, 0, 0), (1, 1, 1, 255), before)
    changed.invert()
    view = pygame.Rect(bench.window.screen.view)
    assert any(view.contains(rect) for rect in changed.get_bounding_rects())
    along = [0.1 * k for k in range(-28, 29)]
    assert not any(changed.get_at(pixel(bench, (x + far * math.cos(angle), y + far * math.sin(angle)))) for far in along)


def test_a_scene_saved_while_paused_opens_paused_with_suggestions(bench, tmp_path):
    bench.window.session.restart()
    for is_paused in (True, False):
        bench.window.session.clock.paused = is_paused
        bench.window.app.dock(FilesDock).save()
        scene = scene_demo(load_scene(tmp_path / "workbench.json"), "workbench.json")
        assert bench.window.navigator.open_demo(scene)
        assert scene.watch == "You built this scene in the Workbench. Draw more bodies, join them, and throw them."
        bench.frame()
        panel = bench.window.screen.panel
        assert bench.window.session.clock.paused is is_paused and panel is not None
        assert panel.done() == (False, False, False, not is_paused), "the second one was saved before"


def test_a_reopened_bench_keeps_its_buttons(bench, tmp_path):
    """Issue 31: the file did not say that it came from the bench."""
    session = bench.window.session
    for name, value in (("walls", 1.0), ("width", 30.0)):
        session.set_parameter(name, value)
    session.act(CreateBody.of(0, BOX))
    save_scene(tmp_path / "shed.json", scene_maker(session)())
    plain = json.loads((tmp_path / "shed.json").read_text(encoding="utf-8"))
    assert plain["demo"] == "workbench" and plain["values"] == {"walls": "both sides", "width": 30.0}

    assert bench.window.navigator.open_demo(scene_demo(load_scene(tmp_path / "shed.json"), str(tmp_path / "shed.json")))
    bench.frame()
    again = bench.window.session
    demo, world = again.demo, again.demo.stages[0].world
    assert isinstance(demo, SceneDemo) and demo.status()[0] == "shed.json"
    assert demo.status()[1].startswith(f"{len(world.body_ids)} bodies with the")
    assert place(bench.window, "Clear the bench  C") and place(bench.window, "both sides") and place(bench.window, "ground width")
    assert demo.parameter("walls") == 1.0 and demo.parameter("width") == 30.0

    def ground():
        (body,) = (body for body in world.body_ids if world.body(body).spec.name == "ground")
        return body_box(world, body)

    seen = demo.home()
    assert ground().upper[0] == pytest.approx(15.5, abs=0.02)
    again.set_parameter("width", 50.0)
    assert ground().upper[0] == pytest.approx(25.5, abs=0.02) and demo.home().upper[0] > seen.upper[0]
    bench.frame(20)
    again.restart()
    assert ground().upper[0] == pytest.approx(25.5, abs=0.02), "as on the bench, R puts back the bodies and no more"
    bench.key(pygame.K_c)
    assert len(world.body_ids) == 1

    save_scene(tmp_path / "shed.json", scene_maker(again)())
    wider = scene_demo(load_scene(tmp_path / "shed.json"))
    assert wider().parameter("width") == 50.0
    narrow = wider(values={"width": 10.0})
    assert body_box(narrow.stages[0].world, 0).upper[0] == pytest.approx(5.5, abs=0.02), "the ground is as wide as was asked for"


def test_a_bench_without_its_ground_reopens_without_it(bench, tmp_path):
    session = bench.window.session
    session.act(DestroyBody(0, session.demo.stages[0].world.body_ids[0]))
    save_scene(tmp_path / "bench.json", scene_maker(session)())
    demo = scene_demo(load_scene(tmp_path / "bench.json"))()
    demo.set_parameter("width", 50.0)
    assert not any(demo.stages[0].world.body(body).spec.name == "ground" for body in demo.stages[0].world.body_ids)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"demo": "bridge"}, "demo must be one of workbench, or omitted"),
        ({"demo": "workbench", "values": {"width": 1e6}}, "values.width must be a number from 4 to 200 m"),
        ({"demo": "workbench", "values": {"height": 2.0}}, "values.parameter must be one of walls, width"),
        ({"values": {"width": 20.0}}, "values.parameter must be absent"),
    ],
)
def test_a_scene_of_an_unknown_demo_is_rejected(more, words):
    with pytest.raises(InvalidInputError, match=words):
        scene_demo(Scene(**more))


def test_a_reopened_bench_can_be_recorded_and_shared(bench, tmp_path):
    bench.window.session.act(CreateBody.of(0, BOX))
    kind = scene_demo(scene_maker(bench.window.session)())
    history = History(kind(values={"width": 40.0}))
    recorder = record(history, tmp_path / "shed.rec")
    for _ in range(5):
        history.step()
    history.act(SetParameter("width", 60.0))
    history.act(PressKey("c"))
    history.step()
    recorder.close()
    again = replay(load_recording(tmp_path / "shed.rec"))
    again.seek(again.last)
    assert again.divergence is None and len(again.demo.stages[0].world.body_ids) == 1 and again.demo.parameter("width") == 60.0
    check_shareable(history.demo)
    guest = make_demo(shared_scene(kind(values={"width": 40.0})))
    assert guest.parameter("width") == 40.0 and [name for name, _ in guest.keys] == ["C"]


def test_a_scene_of_a_demo_from_a_users_own_file_is_not_shared(monkeypatch):
    own = type("Own", (find_demo("workbench"),), {"id": "own", "__module__": "__main__"})
    monkeypatch.setattr("engine.sim.scene_demo.all_demos", lambda: (own,))
    with pytest.raises(InvalidInputError, match="a demo of this program"):
        check_shareable(scene_demo(Scene(demo="own"))())


def test_a_reopened_bench_keeps_its_colors_after_a_deletion(bench, tmp_path):
    """Issue 31: the default color depends on the id, which a scene file does not store."""
    session = bench.window.session
    *_, last = (session.act(CreateBody.of(0, replace(BOX, position=(2.0 * k, 3.0), name=f"box {k}"))) for k in range(3))
    session.act(DestroyBody(0, session.demo.stages[0].world.body_ids[1]))
    save_scene(tmp_path / "bench.json", scene_maker(session)())
    scene = load_scene(tmp_path / "bench.json")
    assert scene.bodies[last - 1].name == "box 2" and dict(scene.colors)[last - 1] == palette.body_color(last)
    again = Session(scene_demo(scene)(0), (0, 0, 200, 200))
    assert colors_of(again) == colors_of(session)
    again.act(ChangeBody(0, last - 1, {"type": "static"}))
    assert colors_of(again)["box 2"] == palette.packed(palette.STATIC)


def colors_of(session):
    """Return the color of every body by its name, as it is drawn."""
    (stage,) = session.demo.stages
    drawn = PackedShapes(stage.world).outline_colors(np.ones(len(stage.world.body_ids), dtype=bool), session.demo.body_colors(stage), None)
    return {stage.world.body(body).spec.name: color for body, color in zip(stage.world.body_ids, drawn.tolist(), strict=True)}
