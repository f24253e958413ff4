"""Levels of other editors: R.U.B.E. exports and drawings become scenes; unsupported content is reported, and nothing else is lost."""

import json
import math

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import Circle, Polygon, Segment
from engine.scenes import build, load_rube, svg_scene
from engine.scenes.rube import is_rube, scene_of_rube
from engine.scenes.svg_scene import load_svg_scene
from engine.world import (
    DistanceJointSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
)
from tests.agreement.rube_world import farthest
from tests.hazards.hostile import KINDS
from tests.unit.scenes.samples import DRAWING, box, level, vec


def test_world_and_bodies_are_those_of_the_file():
    scene = scene_of_rube(level(), "small")
    assert scene.title == "small" and scene.notes == ()
    assert scene.settings.hertz == 50.0 and scene.settings.velocity_iterations == 6 and scene.settings.gravity == (0.0, -9.5)
    ground, moving, third = scene.bodies
    assert (ground.type, moving.type, third.type) == ("static", "dynamic", "kinematic")
    assert ground.name == "ground" and ground.fixtures[0].friction == float(np.float32(0.7))
    assert moving.angle == 0.5 and moving.bullet and moving.awake and not ground.awake and moving.gravity_scale == 0.5
    fixture = moving.fixtures[0]
    assert (fixture.category, fixture.mask, fixture.group, fixture.friction) == (2, 65533, -1, 0.0)
    assert isinstance(third.fixtures[0].shape, Circle) and third.fixtures[0].sensor and third.fixtures[0].density == 0.0
    build(scene).step()


JOINTS = {
    "revolute": (RevoluteJointSpec, {"refAngle": 0.25, "enableLimit": True, "lowerLimit": -1, "upperLimit": 2, "motorSpeed": 3}),
    "prismatic": (PrismaticJointSpec, {"localAxisA": vec(0, 1), "enableMotor": True, "maxMotorForce": 9, "lowerLimit": 1}),
    "wheel": (WheelJointSpec, {"localAxisA": vec(0, 1), "springFrequency": 4, "springDampingRatio": 0.5, "maxMotorTorque": 2}),
    "weld": (WeldJointSpec, {"refAngle": 0.25, "frequency": 3, "dampingRatio": 0.5}),
    "distance": (DistanceJointSpec, {"length": 3.5, "frequency": 3}),
    "rope": (RopeJointSpec, {"maxLength": 8}),
    "pulley": (PulleyJointSpec, {"groundAnchorA": vec(0, 20), "groundAnchorB": vec(4, 20), "lengthA": 9, "lengthB": 8, "ratio": 2}),
    "friction": (FrictionJointSpec, {"maxForce": 5, "maxTorque": 0.5}),
    "motor": (MotorJointSpec, {"refAngle": 0.25, "maxForce": 5, "maxTorque": 0.5, "correctionFactor": 0.2, "collideConnected": True}),
    "mouse": (MouseJointSpec, {"target": vec(2, 9), "maxForce": 99, "frequency": 5, "anchorB": vec(1, 8)}),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_is_of_its_kind_with_the_anchors_of_the_file(kind):
    """The next test compares its numbers, except those of pulley and mouse joints."""
    spec, settings = JOINTS[kind]
    joint = {"type": kind, "bodyA": 0, "bodyB": 1, "anchorA": vec(0.5, 5), "anchorB": vec(0.25, -0.25), **settings}
    scene = scene_of_rube(level(joint=[joint]))
    assert scene.notes == () and type(scene.joints[0]) is spec
    resolved = dict(build(scene).snapshot().joints)[0]
    if kind == "mouse":
        assert np.allclose(resolved.local_anchor_b, (0.0, 0.0), atol=1e-6) and scene.joints[0].target == (2.0, 9.0)
    else:
        assert np.allclose(resolved.local_anchor_a, (0.5, 5.0), atol=1e-6)
    if kind == "pulley":
        assert np.allclose(resolved.local_anchor_b, (0.25, -0.25), atol=1e-6) and (resolved.length_a, resolved.length_b) == (9.0, 8.0)


def test_a_file_behaves_as_in_the_loader_of_its_editor(tmp_path):
    """Bit-identical: anchors at sums of powers of two survive the conversion to world coordinates. Each joint has its own box; the floor is
    a closed chain.
    """
    plain = level()
    xs, ys = [20, 20, -40, -40, 20], [-6, -8, -8, -6, -6]
    closed = {"vertices": {"x": xs, "y": ys}, "hasPrevVertex": True, "prevVertex": vec(-40, -6)}
    plain["body"][0]["fixture"].append({"chain": closed | {"hasNextVertex": True, "nextVertex": vec(20, -8)}, "friction": 0.5})
    plain["joint"] = []
    for k, kind in enumerate(name for name in JOINTS if name not in ("mouse", "pulley")):
        plain["body"].append({"type": 2, "position": vec(-3 * k, 8), "awake": True, "fixture": [box(0.4, friction=0.3)]})
        joint = {"type": kind, "bodyA": 0, "bodyB": 3 + k, "anchorA": vec(0.5 - 3 * k, 9), "anchorB": vec(0.25, 0.25), **JOINTS[kind][1]}
        plain["joint"].append({"refAngle": 0, "frequency": 0, "dampingRatio": 0, **joint})
    assert len(plain["joint"]) == 8
    path = tmp_path / "level.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    assert farthest(str(path), 300) == 0.0


def test_a_gear_is_created_after_its_joints():
    wheels = [{"type": 2, "position": vec(x, 9), "fixture": [{"density": 1, "circle": {"radius": 0.4}}]} for x in (-2, 2)]
    hinges = [{"type": "revolute", "bodyA": 0, "bodyB": 3 + k, "anchorA": vec((-2, 2)[k], 9), "anchorB": 0} for k in (0, 1)]
    plain = level(joint=[{"type": "gear", "joint1": 2, "joint2": 1, "ratio": -2}, *hinges])
    plain["body"] += wheels
    scene = scene_of_rube(plain)
    assert scene.notes == () and scene.joints[2] == GearJointSpec(1, 0, -2.0)
    plain["joint"].append({"type": "gear", "joint1": 0, "joint2": 1, "ratio": 1})  # on a gear
    hinges[0]["bodyA"], hinges[0]["bodyB"] = 3, 0
    notes = scene_of_rube(plain).notes
    assert notes[0].startswith("Left out: joint[0] (joint_a and joint_b must be joints with active bodies and a dynamic body_b")
    assert notes[1].startswith("Left out: joint[3] (joint 0 is missing)")


def test_chains_edges_and_loops_are_links_with_their_neighbors():
    chain = {
        "vertices": {"x": [0, 1, 1, 2], "y": [0, 0, 0, 0]},
        "hasNextVertex": True,
        "nextVertex": vec(3, 1),
    }
    shapes = [
        {"chain": chain},
        {"edge": {"vertex1": 0, "vertex2": vec(0, 1), "hasVertex0": True, "vertex0": vec(-1, 0)}},
        {"loop": {"vertices": {"x": [0, 1, 0], "y": [0, 0, 1]}}},
        {"polygon": {"vertices": {"x": [0, 1], "y": [0, 1]}}},
    ]
    plain = level()
    plain["body"][0]["fixture"] = shapes
    links = [fixture.shape for fixture in scene_of_rube(plain).bodies[0].fixtures]
    assert all(isinstance(link, Segment) for link in links) and len(links) == 2 + 1 + 3 + 1
    first, second, edge, *loop, line = (link for link in links if isinstance(link, Segment))
    assert (first.p2, first.ghost1, first.ghost2) == ((1.0, 0.0), None, (2.0, 0.0))
    assert (second.p1, second.ghost1, second.ghost2) == ((1.0, 0.0), (0.0, 0.0), (3.0, 1.0))
    assert (edge.ghost1, edge.ghost2) == ((-1.0, 0.0), None) and line.ghost1 is None
    assert [link.ghost1 for link in loop] == [(0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]


def test_omissions_and_changes_are_reported():
    plain = level(
        joint=[
            {"type": "gear", "joint1": 1, "joint2": 7},
            {"type": "revolute", "bodyA": 1, "bodyB": 1},
            {"type": "revolute", "bodyA": 0, "bodyB": 3},
            {"type": "wheel", "bodyA": 0, "bodyB": 1, "localAxisA": 0, "customProperties": []},
            {"type": "rubber", "bodyA": 0, "bodyB": 1},
            {"type": "revolute", "bodyA": 0, "bodyB": 2},
        ],
        autoClearForces=False,
        image=[{"file": "a.png"}],
        collisionbitplanes={},
    )
    plain["body"][0]["fixture"].append({"polygon": {"vertices": {"x": [0, 2, 1, 0], "y": [0, 0, 0.1, 2]}}})
    plain["body"][0]["fixture"].append({"name": "empty"})
    plain["body"][0]["fixture"].append({"circle": {"radius": 0}})
    plain["body"][1]["massData-mass"] = 3.0
    plain["body"].append({"type": 2, "fixture": [{"chain": {"vertices": {"x": [0, 1], "y": [0, 0]}}}]})
    plain["body"].append({"type": 2, "fixture": [box(0.5, density=0)], "customProperties": [{"name": "a", "int": 1}]})
    weighed = {"type": 2, "position": vec(9, 9), "massData-mass": 1, "massData-I": 1 / 6, "fixture": [box(0.5)]}
    plain["body"] += [weighed | {"massData-I": 1 / 3}, weighed | {"massData-center": vec(0.1, 0)}, weighed]
    plain["body"].append(weighed | {"fixedRotation": True, "massData-I": 0})
    scene = scene_of_rube(plain)
    notes = "\n".join(scene.notes)
    assert "body[7]" not in notes and "body[8]" not in notes
    for words in (
        "Left out: 1 image.",
        "Changed: body[0].fixture[1].polygon (vertices must be convex",
        "Left out: body[0].fixture[2], which has no shape",
        "Left out: body[0].fixture[3].circle (radius must be > 0",
        "Changed: body[1] weighs 3 kg, but its fixtures weigh 1 kg",
        "Left out: body[3] (shape must be a circle or a polygon for at least one fixture",
        "Changed: body[4] has no density; its density is set for a mass of 1 kg",
        "Changed: forces act for one step",
        "Left out: joint[0] (joint 1 is missing)",
        "Left out: joint[1] (body_b must be different from body_a",
        "Left out: joint[2] (its body is left out)",
        "Left out: joint[3] (axis must be a direction",
        "Left out: joint[4] (scenes do not support the type rubber)",
        "Left out: joint[5] (body_b must be dynamic unless body_a is",
        "Changed: the inertia of body[5] is 2 times that of its fixtures",
        "Changed: the center of mass of body[6] is 0.1, 0, but that of its fixtures is 0, 0",
        "Ignored: customProperties of 1 of the bodies",
        "Ignored: collisionbitplanes of the world",
    ):
        assert words in notes, (words, notes)
    world = build(scene)
    assert [world.body(body).mass for body in (1, 3)] == pytest.approx([3.0, 1.0]) and scene.joints == ()
    hull = scene.bodies[0].fixtures[1].shape
    assert isinstance(hull, Polygon) and len(hull.vertices) == 3


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (("body", 1, "angle"), "zz", "line {}: body[1].angle must be a number, or the eight hexadecimal digits"),
        (("body", 1, "angle"), "7F800000", "line {}: body[1].angle must be a finite number"),
        (("body", 1, "position"), 3, 'line {}: body[1].position must be an object with "x" and "y", or 0, got 3'),
        (("body", 1, "type"), 3, "line {}: body[1].type must be 0 static, 1 kinematic or 2 dynamic, got 3"),
        (("body", 1, "linearDamping"), -1, "line {}: body[1].linear_damping must be >= 0 1/s, got -1"),
        (("body", 1, "fixture"), 7, "line {}: body[1].fixture must be a list, got 7"),
        (("body", 1, "fixture", 0, "density"), -1, "line {}: body[1].fixture[0].density must be >= 0 kg/m^2"),
        (("body", 1, "fixture", 0, "sensor"), "yes", "line {}: body[1].fixture[0].sensor must be true or false"),
        (("body", 1, "fixture", 0, "polygon", "vertices", "x"), [1], "line {}: body[1].fixture[0].polygon.vertices must be lists x and y"),
        (("velocityIterations",), 2000, "line {}: velocity_iterations must be a whole number from 1 to 1000"),
        (("joint",), [{"type": "rope", "bodyA": 0, "bodyB": 9}], "line {}: joint[0].bodyB must be a whole number from 0 to 2"),
    ],
)
def test_invalid_values_are_rejected_with_their_line(place, value, words, tmp_path):
    plain = level()
    inner = plain
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(plain, indent=1), encoding="utf-8")
    with pytest.raises(InvalidInputError) as caught:
        load_rube(path)
    before, after = words.split("{}")
    assert str(caught.value).startswith(f"{path}, {before}") and after in str(caught.value)


def test_a_file_of_the_editor_is_distinguished_from_others():
    assert is_rube(level())
    assert not any(map(is_rube, ({}, [], None, {"format": "collision scene", "body": [], "gravity": 0}, {"body": 3, "gravity": 0})))
    with pytest.raises(InvalidInputError, match=r"an export of R\.U\.B\.E\."):
        scene_of_rube({})


def test_every_filled_shape_of_a_drawing_is_a_body(tmp_path):
    path = tmp_path / "level.svg"
    path.write_text(DRAWING, encoding="utf-8")
    scene = load_svg_scene(path)
    ground, wheel, ell, small = scene.bodies
    assert [body.type for body in scene.bodies] == ["static", "dynamic", "dynamic", "dynamic"]
    assert ground.position == (4.0, 0.5) and small.name == "statics"  # a word that goes on in letters is another word
    assert wheel.name == "wheel" and wheel.position == pytest.approx((3.5, 5.0), abs=1e-6)
    assert {fixture.density for fixture in wheel.fixtures} == {2.5} and {fixture.restitution for fixture in wheel.fixtures} == {0.5}
    area = sum(fixture.shape.mass(1.0).area for fixture in wheel.fixtures if not isinstance(fixture.shape, Segment))
    assert area == pytest.approx(math.pi * 0.25, rel=0.02)
    assert ell.bullet and len(ell.fixtures) == 2 and ell.fixtures[0].friction == float(np.float32(0.8))
    notes = "\n".join(scene.notes)
    assert "Ignored: 1 shape marked to be ignored." in notes and "(dust)" in notes
    assert scene.camera.upper == (8.0, 6.0)
    world = build(scene)
    for _ in range(30):
        world.step()
    assert world.state(2).position[1] < ell.position[1]


def test_a_drawing_without_a_body_is_rejected(tmp_path):
    path = tmp_path / "empty.svg"
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg"><rect class="ignore" width="9" height="9"/></svg>', encoding="utf-8")
    with pytest.raises(InvalidShapeError, match="Ignored: 1 shape marked to be ignored"):
        load_svg_scene(path)


@pytest.mark.parametrize(
    ("kind", "size", "limit"),
    [
        ("rectangles", 31, "a drawing of at most 30 shapes, got 31"),
        ("square_comb", 310, "the shape must be at most 300 corners, got 3"),
        ("concentric", 40, "the shape must be at most 10 parts and holes, got"),
        ("two_combs", 510, "a drawing of at most 500 corners in all, got 5"),
    ],
)
def test_a_drawing_that_would_take_minutes_is_rejected_by_its_size(tmp_path, kind, size, limit, monkeypatch):
    """The limits are a hundredth or a tenth of the program's, so that the drawings are read quickly."""
    for name in ("_MAX_CORNERS",) if kind == "concentric" else ("_MAX_DRAWN", "_MAX_DRAWN_TOTAL", "_MAX_SHAPES"):
        monkeypatch.setattr(svg_scene, name, getattr(svg_scene, name) // (10 if kind == "concentric" else 100))
    path = tmp_path / "large.svg"
    path.write_bytes(KINDS[kind].make(size))
    with pytest.raises(InvalidShapeError, match=limit):
        load_svg_scene(path)
