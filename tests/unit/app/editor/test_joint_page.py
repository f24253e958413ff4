"""Joints in the inspector: selecting, showing, changing, undoing and deleting them; and a car built entirely in the window."""

from dataclasses import replace

import pygame
import pytest

from engine.app.editor.editor import Chosen, ChosenJoint
from engine.app.editor.joint_page import joint_rows
from engine.box2d import memory
from engine.geometry import Circle, Polygon
from engine.scenes import load_scene, save_scene
from engine.scenes.scene import scene_of_snapshot
from engine.sim.actions import ChangeJoint, Edit, action_of, as_plain
from engine.sim.history import History, demo_hash
from engine.sim.recordings import load_recording
from engine.sim.recordings.verifying import verify
from engine.sim.registry import find_demo
from engine.sim.replaying import record, replay
from engine.ui.rows import Line, Note, Number, Switch
from engine.world import (
    BodySpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WheelJointSpec,
    World,
    load_solver,
)
from engine.world.joints.interface import changeable
from tests.edits import edit_of
from tests.unit.app.editor.person import CTRL, SHIFT, Person, Yard
from tests.unit.app.editor.test_inspector import dock_of, press, rects_of, rows_of, type_into, value_of
from tests.unit.box2d.test_set_joint import KINDS


class Hinged(Yard):
    """The left box is hinged to the right one at its own middle, and joined to the floor by a rod."""

    id = "hinged"

    def build(self):
        """Two joints."""
        super().build()
        world = self.stages[0].world
        world.create_joint(RevoluteJointSpec(3, 2, (-2.0, 3.0)))
        world.create_joint(RopeJointSpec(0, 2, (-5.0, 2.0), (-2.0, 3.0)))


@pytest.fixture
def hinged():
    person = Person(Hinged())
    person.pause()
    person.pick("S")
    return person


def test_clicks_on_a_ring_select_the_joint_and_then_what_lies_beneath(hinged):
    editor = hinged.tools.editor
    hinged.click((-2.0, 3.0))  # the anchors of both lie in the middle of the box
    assert editor.joint == ChosenJoint(0, 1) and editor.selection == [] and dock_of(hinged).page == "Selection"
    hinged.click((-2.0, 3.0))
    assert editor.joint == ChosenJoint(0, 0)
    hinged.click((-2.0, 3.0))
    assert editor.joint is None and editor.selection == [Chosen(0, 2)]
    hinged.click((-2.0, 3.0))
    assert editor.joint == ChosenJoint(0, 1) and editor.selection == []
    hinged.click((-1.7, 3.3))  # beside the marks the box is meant
    assert editor.joint is None and editor.selection == [Chosen(0, 2)]
    hinged.click((-4.0, 2.0 + 1.0 / 3.0))  # the rope, where no body is
    assert editor.joint == ChosenJoint(0, 1)
    hinged.key(pygame.K_v)
    assert hinged.window.session.view.following.followed in {(0, body) for body in hinged.world.joint_bodies(1)}
    hinged.key(pygame.K_v)
    hinged.window.session.view.home()
    hinged.click((0.0, 5.0))
    assert editor.joint is None and editor.selection == []
    hinged.click((-2.0, 3.0))
    hinged.key(pygame.K_ESCAPE)
    assert editor.joint is None and editor.is_selecting
    pygame.key.set_mods(SHIFT)
    hinged.click((-2.0, 3.0))
    assert editor.selection == [Chosen(0, 2)]  # more bodies: no joint among them


def test_a_drag_from_a_ring_grabs_the_body(hinged):
    hinged.drag((-2.0, 3.0), (-3.0, 4.0))
    assert hinged.world.state(2).position == pytest.approx((-3.0, 4.0), abs=0.05)
    assert hinged.tools.editor.selection == [Chosen(0, 2)] and hinged.tools.editor.joint is None
    hinged.drag((-4.3, 2.5), (-4.3, 1.0))  # from the rope, where no body is: a frame
    assert hinged.tools.editor.selection == [] and hinged.tools.editor.joint is None


def test_hidden_joints_cannot_be_selected(hinged):
    hinged.key(pygame.K_5)
    hinged.click((-2.0, 3.0))
    assert hinged.tools.editor.joint is None and hinged.tools.editor.selection == [Chosen(0, 2)]


def test_a_selected_joint_is_highlighted(hinged):
    before = hinged.surface.copy()
    hinged.click((-4.0, 2.0 + 1.0 / 3.0))
    x, y = hinged.pixel((-3.5, 2.5))
    around = pygame.Rect(x - 3, y - 3, 7, 7)
    assert pygame.image.tobytes(before.subsurface(around), "RGB") != pygame.image.tobytes(hinged.surface.subsurface(around), "RGB")


def test_del_deletes_the_joint_and_undo_restores_it(hinged):
    editor = hinged.tools.editor
    hinged.click((-2.0, 3.0))
    hinged.key(pygame.K_DELETE)
    assert hinged.world.joint_ids == (0,) and editor.joint is None and hinged.world.is_body(2)
    hinged.key(pygame.K_z, CTRL)
    assert hinged.world.joint_ids == (0, 1)
    hinged.click((-2.0, 3.0))
    hinged.key(pygame.K_r)  # what is selected goes with its demo
    hinged.frames(2)
    assert editor.joint is None or hinged.world.is_joint(editor.joint.joint)


def test_settings_are_changed_rejected_and_undone(hinged):
    hinged.click((-2.0, 3.0))
    hinged.click((-2.0, 3.0))
    spec = hinged.world.joint(0).spec
    assert value_of(hinged, "body A") == "body 3" and value_of(hinged, "motor") is False and spec.max_motor_torque == 0.0
    press(hinged, rects_of(hinged, "motor")[0])
    spec = hinged.world.joint(0).spec
    assert spec.enable_motor and spec.max_motor_torque > 10.0  # or it would be on and do nothing
    type_into(hinged, "motor speed", "2.5")
    type_into(hinged, "upper limit", "30")
    press(hinged, rects_of(hinged, "limits")[0])
    spec = hinged.world.joint(0).spec
    assert spec.motor_speed == 2.5 and spec.upper_angle == pytest.approx(0.5236, abs=1e-4) and spec.enable_limit
    type_into(hinged, "lower limit", "45")
    assert hinged.said == "lower limit must be <= the upper limit, 30 °, got 45.0"
    type_into(hinged, "max torque", "0.3")
    assert hinged.world.joint(0).spec.max_motor_torque == pytest.approx(0.3)
    press(hinged, rects_of(hinged, "max torque")[1])
    assert hinged.said.startswith("max_motor_torque must be >= 0 N m, got -4.69")
    assert hinged.world.joint(0).spec.lower_angle == 0.0
    for _ in range(5):
        hinged.key(pygame.K_z, CTRL)
    assert hinged.world.joint(0).spec == RevoluteJointSpec(3, 2, (-2.0, 3.0))
    hinged.key(pygame.K_y, CTRL)
    assert hinged.world.joint(0).spec.enable_motor


def every_kind():
    """A joint of each kind, 0 to 10."""
    world = World()
    base = world.create_body(BodySpec((FixtureSpec(Polygon.box(9.0, 0.5)),), type="static", position=(0.0, -3.0), name="floor"))
    bodies = [world.create_body(BodySpec((FixtureSpec(Circle(0.3)),), position=(x, 0.0))) for x in range(-4, 5)]
    world.create_joint(RevoluteJointSpec(base, bodies[0], (-4.0, 0.0)))
    world.create_joint(PrismaticJointSpec(base, bodies[1], (-3.0, 0.0), (1.0, 0.0)))
    world.create_joint(GearJointSpec(0, 1))
    world.create_joint(_moved(KINDS["distance"][0], base, bodies[2]))
    world.create_joint(_moved(KINDS["weld"][0], base, bodies[3]))
    world.create_joint(WheelJointSpec(base, bodies[4], (0.0, 0.0)))
    world.create_joint(RopeJointSpec(base, bodies[5], (1.0, 2.0), (1.0, 0.0)))
    world.create_joint(PulleyJointSpec(bodies[6], bodies[7], (2.0, 4.0), (3.0, 4.0), (2.0, 0.0), (3.0, 0.0)))
    world.create_joint(FrictionJointSpec(base, bodies[8], (4.0, 0.0), 3.0))
    world.create_joint(MotorJointSpec(base, bodies[8], max_force=20.0))
    world.create_joint(MouseJointSpec(bodies[5], (1.5, 0.5), 30.0, grabbed=(1.0, 0.0)))
    return world


def _moved(spec, a, b):
    return replace(spec, body_a=a, body_b=b)


class EveryKind(Yard):
    """All kinds of joints."""

    id = "every_kind"

    def build(self):
        """One world."""
        self.add_stage(every_kind())


def test_every_kind_has_its_page_and_every_setting_a_row_that_changes_it():
    person = Person(EveryKind())
    editor, world = person.tools.editor, person.world
    for _ in range(20):
        person.frames()
    for joint in world.joint_ids:
        rows = joint_rows(editor, ChosenJoint(0, joint))
        fields = [row for row in rows if isinstance(row, Number | Switch)]
        names = [row.name for row in rows if isinstance(row, Number | Switch | Line)]
        spec = world.joint(joint).spec
        assert len(fields) == len(changeable(spec)) + hasattr(spec, "linear_offset"), spec
        assert all(row.tip for row in fields) and len(names) == len(set(names)) and "force on B" in names
        assert any(isinstance(row, Note) and "creat" in row.words for row in rows)
        for field in fields:
            before = world.joint_now(joint)
            if isinstance(field, Switch):
                field.change(not field.value)
            else:
                field.change(field.value + (0.5 if field.name != "lower limit" else -0.5))
            assert world.joint_now(joint) != before, field
    assert {type(world.joint(joint).spec) for joint in world.joint_ids} == set(load_solver("box2d").capabilities.joints)


def test_changes_of_joints_are_recorded_rewound_and_verified(hinged):
    hinged.click((-2.0, 3.0))
    hinged.click((-2.0, 3.0))
    hinged.key(pygame.K_SPACE)
    hinged.frames(30)
    press(hinged, rects_of(hinged, "motor")[0])
    type_into(hinged, "motor speed", "6")
    hinged.frames(120)
    history = hinged.history
    edits = [entry.action for inputs in history.inputs for entry in inputs if isinstance(entry.action, Edit)]
    assert [type(edit) for edit in edits] == [ChangeJoint, ChangeJoint]
    assert [action_of(as_plain(edit)) for edit in edits] == edits
    last = history.now
    hashes = {step: history.hash_at(step) for step in (last, last - 50, 20)}
    for step, expected in list(hashes.items())[::-1]:
        history.seek(step)
        assert demo_hash(hinged.window.session.demo) == expected
    assert history.verify() is None and history.divergence is None


def test_a_recording_with_changed_joints_verifies_and_a_saved_scene_has_them(tmp_path):
    memory.load()
    history = History(find_demo("workbench")(0))
    recorder = record(history, tmp_path / "car.rec")

    def edit(method, *arguments, **changes):
        made = history.act(edit_of(0, method, *arguments, **changes))
        return made

    box = edit("create_body", BodySpec((FixtureSpec(Polygon.box(1.0, 0.25)),), position=(0.0, 1.2)))
    disc = edit("create_body", BodySpec((FixtureSpec(Circle(0.45)),), position=(0.0, 0.5)))
    joint = edit("create_joint", WheelJointSpec(box, disc, (0.0, 0.5)))
    for step in range(150):
        if step == 37:
            edit("set_joint", joint, enable_motor=True, motor_speed=-5.0, max_motor_torque=20.0)
        if step == 81:
            edit("set_joint", joint, frequency=6.0, collide_connected=True)
        history.step()
    recorder.close()
    recording = load_recording(str(tmp_path / "car.rec"))
    assert verify(recording, replay(recording)).divergence is None
    save_scene(tmp_path / "car.json", scene_of_snapshot(history.demo.stages[0].world.snapshot(), "Car", "It drives."))
    saved = load_scene(tmp_path / "car.json").joints[0]
    assert (saved.enable_motor, saved.motor_speed, saved.frequency, saved.collide_connected) == (True, -5.0, 6.0, True)


def test_a_car_is_made_by_hand_and_drives(person):
    """A box, two discs, two wheel joints, a click on a joint, its motor and a speed, all by window events."""
    person.pick("B")
    person.drag((-6.0, 1.4), (-3.0, 0.9))
    chassis = person.newest()
    person.pick("C")
    for x in (-5.4, -3.6):
        person.drag((x, 0.55), (x + 0.45, 0.55))
    wheels = person.world.body_ids[-2:]
    person.pick("O")
    for x in (-5.4, -3.6):
        person.click((x, 0.55))
        person.click((x, 1.15))
    assert len(person.world.joint_ids) == 2
    person.key(pygame.K_SPACE)
    person.frames(45)
    assert abs(person.world.state(chassis).position[0] + 4.5) < 0.2
    person.pick("S")
    person.click(person.world.joint_anchors(person.world.joint_ids[1])[1])
    assert person.tools.editor.joint == ChosenJoint(0, person.world.joint_ids[1])
    press(person, rects_of(person, "motor")[0])
    type_into(person, "motor speed", "8")  # the wrong way, at first
    person.frames(30)
    backwards = person.world.state(chassis).position[0]
    for _ in range(2):
        pygame.key.set_mods(SHIFT)
        press(person, rects_of(person, "motor speed")[1])  # Shift: ten steps down
    pygame.key.set_mods(0)
    person.frames(110)
    spec = person.world.joint(person.world.joint_ids[1]).spec
    assert isinstance(spec, WheelJointSpec) and spec.enable_motor and spec.motor_speed == -12.0
    assert backwards < -4.55 and person.world.state(chassis).position[0] > backwards + 0.25
    assert person.world.state(chassis).linear_velocity[0] > 0.5
    assert float(str(value_of(person, "spin")).split()[0]) == pytest.approx(-12.0, abs=1.0)
    assert person.world.state(wheels[0]).angular_velocity < -1.0  # the other wheel rolls along
    assert rows_of(person)


def test_a_motor_that_brakes_says_so(hinged):
    """Issue 31: a motor that is switched on without a speed seemed to do nothing."""
    editor, session = dock_of(hinged).editor, hinged.window.session
    joint = ChosenJoint(0, session.demo.stages[0].world.joint_ids[0])

    def says_so():
        return any(isinstance(row, Note) and "brakes" in row.words for row in joint_rows(editor, joint))

    assert not says_so()
    session.act(ChangeJoint(0, joint.joint, {"enable_motor": True, "max_motor_torque": 5.0}))
    assert says_so()
    session.act(ChangeJoint(0, joint.joint, {"motor_speed": -2.0}))
    assert not says_so()
