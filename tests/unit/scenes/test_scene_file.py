"""Scenes: taken from a running world, written, read and built; every mistake is reported with its line."""

import json
import math

import numpy as np
import pytest

from engine.common.errors import DeadHandleError, InvalidInputError
from engine.geometry import AABB, Circle, Polygon, Segment
from engine.scenes import scene as scene_module
from engine.scenes.json_lines import line_of
from engine.scenes.scene import MAX_TEXT, Scene, as_notes, build, build_all, scene_of, scene_of_snapshot
from engine.scenes.scene_file import load_scene, save_scene, scene_as_json, scene_from_json
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    GearJointSpec,
    MouseJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WheelJointSpec,
    World,
)
from tests.stepping import steps
from tests.unit.scenes.samples import EXAMPLE, machine, three_worlds


def _bits(scene):
    return repr(scene)


def test_a_scene_survives_its_file_bit_for_bit(tmp_path):
    world = machine()
    steps(world, 45)
    scene = scene_of(world, "A machine", "All joints.", AABB((-1.0, 0.0), (30.0, 10.0)))
    save_scene(tmp_path / "a.json", scene)
    assert _bits(load_scene(tmp_path / "a.json")) == _bits(scene)
    assert len(scene.bodies) == 20 and len(scene.joints) == 11 and scene.notes == ()


def test_a_world_built_from_its_scene_continues_from_there():
    world = machine()
    steps(world, 45)
    again = build(scene_of(world))
    assert again.state_hash() == world.state_hash()  # ids begin at 0 in both
    for _ in range(30):
        world.step()
        again.step()
    # without the impulses of the joints the solver starts from nothing: millimeters, not the meter that a rest length of its own would be
    assert np.abs(again.poses[:, :2] - world.poses[:, :2]).max() < 0.02
    assert np.abs(again.poses[:, 2] - world.poses[:, 2]).max() < 0.05


def test_a_joint_keeps_its_specification():
    world = machine()
    before = dict(world.snapshot().joints)
    steps(world, 60)
    again = dict(build(scene_of(world)).snapshot().joints)
    for joint, made in before.items():
        for name in ("local_anchor_a", "local_anchor_b", "local_axis_a", "reference_angle", "length_a", "length_b"):
            if not (isinstance(made.spec, MouseJointSpec) and name == "local_anchor_a") and not (
                isinstance(made.spec, WheelJointSpec | DistanceJointSpec | RopeJointSpec | PulleyJointSpec) and name == "reference_angle"
            ):
                if name.startswith("length") and not isinstance(made.spec, DistanceJointSpec | RopeJointSpec | PulleyJointSpec):
                    continue
                # an anchor goes out into the world, 30 m from the origin, and back: half a float32 step there, twice
                assert np.allclose(getattr(again[joint], name), getattr(made, name), rtol=1e-6, atol=4e-6), (made.spec, name)


def test_a_single_joint_can_be_saved_and_the_hand_omitted():
    world = machine()
    world.step()
    joint = world.joint_now(1)
    assert isinstance(joint, DistanceJointSpec) and (joint.body_a, joint.body_b) == (2, 3) and joint.length is not None
    assert not any(isinstance(joint, MouseJointSpec) for joint in scene_of_snapshot(world.snapshot(), without_joints={7}).joints)
    with pytest.raises(DeadHandleError):
        world.joint_now(99)


def test_ids_become_indices_and_names_stay(tmp_path):
    world = machine()
    world.destroy_body(0)
    scene = scene_of(world)
    plain = scene_as_json(scene)
    assert plain["joints"][0] == plain["joints"][0] | {"kind": "distance", "body_a": 1, "body_b": "arm 1"}
    assert scene_from_json(plain) == scene


def test_a_scene_written_by_hand_is_read(tmp_path):
    (tmp_path / "seesaw.json").write_text(EXAMPLE, encoding="utf-8")
    scene = load_scene(tmp_path / "seesaw.json")
    assert scene.title == "A seesaw" and scene.joints[0] == RevoluteJointSpec(0, 1, (0.0, 1.0))
    assert len(build(scene).body_ids) == 2 and scene.camera == AABB((-10.0, -2.0), (10.0, 8.0))


GEAR = '{"kind": "gear", "joint_a": 0, "joint_b": 1}'
STILL = '{"bodies": [{"type": "static"}, {"type": "static"}], "joints": [{"kind": "weld", "body_a": 0, "body_b": 1, "anchor": [0, 0]}]}'


def test_several_worlds_stand_side_by_side(tmp_path):
    scene = three_worlds()
    save_scene(tmp_path / "three.json", scene)
    assert load_scene(tmp_path / "three.json") == scene
    worlds = build_all(scene)
    for world in worlds:
        steps(world, 60)
    assert [len(world.body_ids) for world in worlds] == [2, 2, 0]
    assert worlds[0].state(1).angle < -1.0 and worlds[1].state(1).position[0] > 1.5 and worlds[1].state(1).position[1] == 0.0
    assert [len(each.bodies) for each in scene.all_worlds] == [2, 2, 0] and scene.worlds[0].label == "driven"


def test_a_gear_is_omitted_with_a_missing_joint():
    scene = scene_of_snapshot(machine().snapshot(), without_joints={3})
    assert not any(isinstance(joint, GearJointSpec) for joint in scene.joints) and len(scene.joints) == 9
    assert scene.notes == ("Left out: joint 10, which couples a joint that is left out.",)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"density": 2', '"density": -2', "line 11: bodies[1].fixtures[0].density must be >= 0 kg/m^2, got -2"),
        ('"body_b": "plank"', '"body_b": "plnk"', "line 14: joints[0].body_b must be the name of one body (none has it), got 'plnk'"),
        ('"body_b": "plank"', '"body_b": 0', "line 14: joints[0].body_b must be different from body_a, got 0"),
        ("[0, -10]", '[0, "-10"]', "line 4: settings.gravity[1] must be a finite number in m/s^2, got '-10'"),
        ('"version": 1', '"version": 2', "line 2: version must be 1, got 2"),
        ('"format": "collision scene", ', "", "line 1: format must be given, got nothing"),
        ('"upper": [10, 8]', '"upper": [-10, 8]', "line 16: camera.upper must be right of and above camera.lower"),
        ("[-9, 0]]}", "[-9, 2e6]]}", "line 7: bodies[0].fixtures[0].shape.vertices[3][1] must be from"),
        (
            '"anchor": [0, 1]}',
            f'"anchor": [0, 1]}}, {GEAR}',
            "line 15: joints[1].joint_b must be one of the 1 joints before it",
        ),
        ('"version": 1', '"version": 1, "worlds": [{"bodies": 7}]', "line 2: worlds[0].bodies must be a list, got 7"),
        ('"version": 1', '"version": 1, "worlds": [{"offset": [0, 1e7]}]', "line 2: worlds[0].offset[1] must be a number from -1e+06"),
        ('"version": 1', f'"version": 1, "worlds": [{STILL}]', "line 2: worlds[0].joints[0].body_b must be dynamic unless body_a is"),
    ],
)
def test_a_mistake_is_reported_with_its_line(old, new, words, tmp_path):
    path = tmp_path / "wrong.json"
    text = EXAMPLE.replace(old, new, 1)
    assert text != EXAMPLE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        load_scene(path)
    assert str(caught.value).startswith(f"{path}, {words}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "JSON (expecting value), got an empty file"),
        (b'{"format": "collision scene",\n  ', "line 2, column 3 must be JSON"),
        (b'{"format": "coll', 'JSON (unterminated string), got \'{"format": "coll\''),
        (b'{"format": [', "got the end of the file"),
        (b'{"format": NaN}', "finite numbers"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"7", "the file must be an object, got 7"),
        (b"[]", "the file must be an object, got []"),
    ],
)
def test_an_invalid_scene_is_rejected(content, words, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        load_scene(path)
    assert words in str(caught.value)


def test_a_scene_that_box2d_cannot_represent_is_rejected_on_reading(tmp_path):
    plain = scene_as_json(Scene(bodies=(BodySpec((FixtureSpec(Segment((0.0, 0.0), (1.0, 0.0))),), "static"),)))
    plain["bodies"][0]["fixtures"][0]["shape"]["p2"] = [1e-9, 0.0]
    (tmp_path / "tiny.json").write_text(json.dumps(plain, indent=1), encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"line \d+: bodies\[0\]\.fixtures\[0\]\.shape\.edge must be longer than 1\.2e-7 m"):
        load_scene(tmp_path / "tiny.json")


def test_a_body_out_of_range_is_omitted_and_reported():
    world = World()
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),), position=(1e6, 0.0), linear_velocity=(1e6, 0.0), name="far"))
    world.create_body(BodySpec((FixtureSpec(Circle(0.5)),)))
    world.create_joint(RopeJointSpec(0, 1, (1e6, 0.0), (0.0, 0.0), 1e9))
    steps(world, 3)
    scene = scene_of(world)
    assert len(scene.bodies) == 1 and scene.joints == ()
    assert scene.notes[0].startswith("Left out: body 0 (position[0] must be") and scene.notes[1].startswith("Left out: joint 0")


def test_a_file_is_replaced_completely_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "kept.json"
    save_scene(path, Scene(title="first"))
    before = path.read_bytes()
    monkeypatch.setattr("engine.scenes.scene_file.MAX_FILE_BYTES", 10)
    with pytest.raises(InvalidInputError, match="at most 10 bytes"):
        save_scene(path, Scene(title="second"))
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "line"),
    [("", 1), ("a", 2), ("a[1]", 3), ("a[1].b", 4), ("a[1].c", 3), ("a[7]", 2), ("d\\e", 6), ("z.y[3]", 1), ("a[1].b: mass", 4), ("f", 8)],
)
def test_the_line_of_a_path(path, line):
    text = '{\n "a": [{},\n  {\n  "b": 1}\n ], \n "d\\\\e": "}",\n "f": [],\n "f": [1]\n}'
    assert line_of(text, path) == line


def test_a_scene_checks_what_it_refers_to():
    with pytest.raises(InvalidInputError, match=r"joints\[0\]\.body must be one of 0 bodies"):
        Scene(joints=(MouseJointSpec(0, (0.0, 0.0), 1.0),))
    assert math.isfinite(Scene().settings.dt)


@pytest.mark.parametrize(
    ("scene", "field"),
    [(Scene(title="x" * 2000), "title"), (Scene(notes=("n",) * 1001), "notes"), (Scene(offset=(0.0, 1e7)), "offset")],
)
def test_an_unloadable_scene_is_not_saved(scene, field, tmp_path):
    with pytest.raises(InvalidInputError, match=rf"^{field}\b"):
        save_scene(tmp_path / "it.json", scene)
    assert list(tmp_path.iterdir()) == []


def test_a_shortened_note_is_marked():
    (note,) = as_notes(["a" * (MAX_TEXT + 1)])
    assert len(note) == MAX_TEXT and note.endswith("a...")


def test_a_crowd_in_one_place_is_rejected_before_it_is_built(monkeypatch):
    """Fifty boxes in one place form 1,225 pairs; boxes in a grid, static boxes, and boxes that do not collide form none."""
    monkeypatch.setattr(scene_module, "MAX_OVERLAPS", 1_000)

    def boxes(spacing=0.0, kind="dynamic", **fixture):
        shape = FixtureSpec(Polygon.box(0.5, 0.5), **{"density": 1.0, **fixture})
        return Scene(bodies=[BodySpec([shape], type=kind, position=(spacing * k, 0.001 * k)) for k in range(50)])

    with pytest.raises(InvalidInputError, match="bodies must be spread out: at most 1,000 pairs of fixtures may overlap, got more"):
        build(boxes())
    for scene in (boxes(1.01), boxes(kind="static"), boxes(group=-1), boxes(mask=0x0002)):
        assert len(build(scene).body_ids) == 50


def test_another_solver_can_replace_the_one_of_a_file(tmp_path):
    """Issue 32: a file for Box2D, which may not be installed, is read in float64; the settings of its solver do not apply to another."""
    plain = {**json.loads(EXAMPLE), "settings": {"solver": "sequential_impulses", "solver_settings": {"iterations": 20}, "hertz": 50}}
    (tmp_path / "a.json").write_text(json.dumps(plain), encoding="utf-8")
    kept, other = load_scene(tmp_path / "a.json"), load_scene(tmp_path / "a.json", solver="soft_step")
    assert (kept.solver, kept.settings.solver_settings) == ("sequential_impulses", (("iterations", 20),))
    assert (other.solver, other.settings.solver_settings, other.settings.hertz) == ("soft_step", (), 50.0)
    body = {"fixtures": [{"shape": {"kind": "circle", "radius": 0.1}}]}
    small = {"format": "collision scene", "version": 1, "bodies": [body]}
    radii = [scene_from_json(small, solver).bodies[0].fixtures[0].shape.radius for solver in (None, "avbd")]
    assert radii == [float(np.float32(0.1)), 0.1]
    with pytest.raises(InvalidInputError, match=r"solver must be one of box2d, .*, got 'havok'"):
        load_scene(tmp_path / "a.json", solver="havok")
