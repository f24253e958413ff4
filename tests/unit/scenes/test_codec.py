"""Specifications to plain data and back: bit-identical, and every mistake reported with its path."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.scenes.codec import from_plain, to_plain
from engine.scenes.kinds import JOINT_KINDS, KINDS
from engine.world import (
    BodySpec,
    FixtureSpec,
    WheelJointSpec,
    WorldSettings,
    accept,
    load_solver,
)
from tests.unit.scenes.samples import machine

_THIRD = 1.0 / 3.0
SAMPLES = {
    "circle": Circle(_THIRD, (0.1, -0.0)),
    "polygon": Polygon.regular(7, 0.3, 0.1, skin_radius=0.02),
    "segment": Segment((0.0, 0.1), (_THIRD, 0.2), ghost1=(-1.0, 0.0)),
    "capsule": Capsule((0.0, 0.1), (_THIRD, 0.2), 0.7),
    "fixture": FixtureSpec(Polygon.regular(5, _THIRD), _THIRD, 0.7, 0.1, True, 0x8001, 0x7FFF, -3, "a"),
    "edge": FixtureSpec(Segment((0.0, 0.1), (_THIRD, 0.2), ghost2=(2.0, 0.0))),
    "body": BodySpec(
        (FixtureSpec(Circle(0.1)), FixtureSpec(Polygon.box(0.3, 0.1, (0.1, 0.2), 0.7), density=0.1)),
        position=(0.1, 1e-40),
        angle=-0.0,
        linear_velocity=(-0.0, 0.7),
        bullet=True,
        name="b",
    ),
    "floor": BodySpec((FixtureSpec(Polygon.box(3.0, 0.1), density=0.0),), type="static"),
    "settings": WorldSettings((0.1, -9.81), 120.0, 9, 2, False, False, True, False),
    **{type(joint.spec).__name__: joint.spec for _, joint in machine().snapshot().joints},
    "arguments": (1, (0.1, -0.0), "pin", None, True, Circle(0.1), BodySpec()),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_value_survives_json_bit_for_bit(name):
    """A fixture's shape as Box2D represents it: in a file, its numbers are float32, and its skin is Box2D's."""
    value = SAMPLES[name] if isinstance(SAMPLES[name], tuple | Circle | Polygon | Segment | Capsule) else accept(SAMPLES[name])
    text = json.dumps(to_plain(value), allow_nan=False)
    back = from_plain(json.loads(text), solver="box2d")
    assert repr(back) == repr(value)  # repr tells -0.0 from 0.0 and shows every bit of a float
    assert json.dumps(to_plain(back)) == text


def test_every_type_is_tested():
    others = {*JOINT_KINDS.values()} - {*load_solver("box2d").capabilities.joints}
    assert {type(value) for value in SAMPLES.values()} >= {*KINDS.values()} - others


def test_an_axis_is_normalized_only_once():
    for k in range(200):
        joint = accept(WheelJointSpec(0, 1, (0.0, 0.0), (math.cos(0.1 * k), 7.0 * math.sin(0.1 * k))))
        assert math.hypot(*joint.axis) == pytest.approx(1.0, abs=1e-15)
        assert from_plain(to_plain(joint)).axis == joint.axis == replace(joint, motor_speed=1.0).axis


def test_numpy_numbers_become_plain_numbers():
    plain = to_plain((np.float32(0.1), np.float64(0.1), np.int64(3)))
    assert [type(value) for value in plain] == [float, float, int] and plain[0] == float(np.float32(0.1))


def test_defaults_are_omitted_and_a_single_type_needs_no_name():
    assert to_plain(FixtureSpec(Circle(0.5), density=2.0)) == {
        "kind": "fixture",
        "shape": {"kind": "circle", "radius": 0.5},
        "density": 2.0,
    }
    assert from_plain({"gravity": [0, -1]}, "settings", {"settings": WorldSettings}) == WorldSettings((0.0, -1.0))


def _body(**fixture):
    return {"kind": "body", "fixtures": [{"shape": {"kind": "circle", "radius": 1.0}, **fixture}]}


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        (_body(density=-1), "bodies[3].fixtures[0].density must be >= 0 kg/m^2, got -1"),
        (_body(densty=1), "bodies[3].fixtures[0].densty must be a known field (density), got 1"),
        (_body(shape={"kind": "circle"}), "bodies[3].fixtures[0].shape.radius must be given, got nothing"),
        (_body(shape={"kind": "circle", "radius": -1.0}), "bodies[3].fixtures[0].shape.radius must be > 0 m, got -1.0"),
        (_body(shape={"kind": "cirle"}), "bodies[3].fixtures[0].shape.kind must be one of capsule, circle, polygon, segment, got 'cirle'"),
        (_body(shape={"kind": "polygon", "vertices": [[0, 0]]}), "bodies[3].fixtures[0].shape.vertices must be at least 3"),
        (_body(shape={"kind": "polygon", "vertices": 7}), "bodies[3].fixtures[0].shape.vertices must be (x, y) pairs"),
        (_body(shape={"kind": "circle", "radius": 1e-60}), "bodies[3].fixtures[0].shape.radius must be > 0 m at float32"),
        (_body(density=0), "bodies[3].fixtures: density must be > 0"),
        (_body(category=0.5), "bodies[3].fixtures[0].category must be a whole number from 0 to 65535"),
        (_body(name=3), "bodies[3].fixtures[0].name must be text"),
        ({"kind": "body", "fixtures": {}}, "bodies[3].fixtures must be a list, got {}"),
        ({"kind": "body", "fixtures": [7]}, "bodies[3].fixtures[0] must be an object, got 7"),
        ({"kind": "body", "position": [1, "x"]}, "bodies[3].position[1] must be a finite number in m, got 'x'"),
        ({"kind": "body", "type": "moving"}, "bodies[3].type must be one of static, kinematic, dynamic"),
        ({"kind": ["body"]}, "bodies[3].kind must be one of"),
        ({}, "bodies[3].kind must be one of"),
        (math.nan, "bodies[3] must be plain data with finite numbers"),
        ([[[math.inf]]], "bodies[3][0][0][0] must be plain data with finite numbers"),
    ],
)
def test_a_mistake_is_reported_with_its_path(plain, words):
    with pytest.raises(InvalidInputError) as caught:
        from_plain(plain, "bodies[3]", solver="box2d")
    assert str(caught.value).startswith(words)


def test_endless_lists_are_rejected():
    plain = []
    for _ in range(500):
        plain = [plain]
    with pytest.raises(InvalidInputError, match="nested at most 32 lists deep"):
        from_plain(plain)


def test_data_that_is_not_plain_is_rejected():
    for value, words in ((object(), "value must be a specification"), ((1.0, math.nan), r"value\[1\] must be finite")):
        with pytest.raises(InvalidInputError, match=words):
            to_plain(value)


def test_only_the_requested_types_are_accepted_and_a_shape_error_stays_a_shape_error():
    with pytest.raises(InvalidInputError, match=r"joints\[0\]\.kind must be one of distance, friction"):
        from_plain({"kind": "circle", "radius": 1.0}, "joints[0]", JOINT_KINDS)
    with pytest.raises(InvalidShapeError, match=r"shape\.radius"):
        from_plain({"kind": "circle", "radius": 0.0}, "shape")


def test_numbers_are_written_in_short_form_and_restored_as_float32():
    spec = BodySpec(position=(0.1, -2.3), angle=1e-3)
    assert json.dumps(to_plain(spec)) == '{"kind": "body", "position": [0.1, -2.3], "angle": 0.001}'
    assert to_plain(accept(spec)) == to_plain(spec)
    assert from_plain(to_plain(accept(spec)), solver="box2d") == accept(spec) and accept(spec).position[0] == float(np.float32(0.1))


def test_float64_numbers_are_restored_bit_for_bit():
    tenth = float(np.float32(0.1))
    spec = BodySpec((FixtureSpec(Polygon.box(0.3, tenth, skin_radius=0.01), friction=float(np.float32(0.3))),), position=(0.1, tenth))
    plain = json.loads(json.dumps(to_plain(spec, np.float64)))
    assert plain["position"] == [0.1, tenth] and plain["fixtures"][0]["shape"]["skin_radius"] == 0.01
    assert repr(from_plain(plain, precision=np.float64)) == repr(spec)


def test_corners_on_a_line_as_written_but_not_as_float32_holds_them_are_kept():
    written = [(0.0, 0.0), (0.1, -0.9), (0.3, -2.7), (-1.0, 1.0)]
    spec = FixtureSpec(Polygon(np.float32(written).astype(float)))
    assert len(spec.shape.vertices) == 4 and len(Polygon(written).vertices) == 3
    assert sorted(to_plain(spec)["shape"]["vertices"]) == sorted([x, y] for x, y in written)
    assert repr(from_plain(json.loads(json.dumps(to_plain(spec))))) == repr(spec)
