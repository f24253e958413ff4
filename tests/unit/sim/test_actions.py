"""Actions: their plain data, rejected data, and a user-defined action."""

import json
import math

import msgspec
import pytest

from engine.common.errors import InvalidInputError, LabError
from engine.decompose import BodyFile, Outline
from engine.geometry import Circle, Polygon
from engine.sim.action import Size
from engine.sim.actions import (
    ApplyImpulse,
    ChangeBody,
    ChangeFixture,
    ChangeJoint,
    ChangeWorld,
    CreateBody,
    CreateFixture,
    CreateJoint,
    DestroyBody,
    DestroyFixture,
    DestroyJoint,
    Drag,
    Drive,
    Drop,
    GoAlone,
    Grab,
    Join,
    KeepSolverState,
    Leave,
    Pause,
    PressKey,
    Release,
    ReleaseAll,
    ReleaseKey,
    Restart,
    SetAwake,
    SetParameter,
    SetPose,
    SetSolver,
    SetSpeed,
    SetVelocity,
    Turn,
    TurnWheel,
    UndoOwn,
    action_kinds,
    action_of,
    as_plain,
    decode_action,
    encode_action,
)
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec

PIECE = Polygon([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])
FILE = BodyFile("wedge", (PIECE,), Outline.of_polygon([(0, 0), (1, 0), (0, 1)]), "exact", 0.005, 100.0)
ALL = (
    Grab((0.1, 1 / 3)), Grab((1.0, 2.0), offsets=((0.0, -3.0),), held=(0, 7, (0.1, 0.2))), Drag((1.0, 2.0), offsets=()), Release(),
    Turn((1.0, 2.0)), TurnWheel((1.0, 2.0), -1.5), Drop.of(FILE, (1.0, 2.0)), PressKey("left"), ReleaseKey("left"), ReleaseAll(),
    SetParameter("friction", 0.1), SetParameter("level", "high"), SetSolver("soft_step", (("substeps", 4),), continues=True), Restart(),
    KeepSolverState(), CreateBody.of(0, BodySpec((FixtureSpec(Circle(0.3)),), position=(0.1, 1 / 3))),
    DestroyBody(0, 3), CreateFixture.of(0, 3, FixtureSpec(PIECE, density=2.0)), DestroyFixture(0, 5),
    CreateJoint.of(1, RevoluteJointSpec(1, 2, (0.1, 0.2))), DestroyJoint(0, 1), SetPose(0, 3, (0.1, 0.2), 0.3),
    SetVelocity(0, 3, (0.1, 0.2)), ApplyImpulse(0, 3, (1.0, 2.0), (0.5, 0.5)), SetAwake(0, 3, False), ChangeBody(0, 3, {"bullet": True}),
    ChangeFixture(0, 5, {"friction": 0.5}), ChangeJoint(0, 1, {"enable_motor": True, "motor_speed": 2.0}),
    ChangeWorld(0, {"gravity": [0.0, -3.7], "warm_starting": False}), Join(True), Leave(), Drive(-1, 0), Pause(True), SetSpeed(0.5),
    UndoOwn(), GoAlone(),
)  # fmt: skip


def test_every_action_type_is_written_and_read():
    assert {type(action).__name__ for action in ALL} == {
        name for name, kind in action_kinds().items() if kind.__module__.startswith("engine.")
    }
    for action in ALL:
        for back in (action_of(json.loads(json.dumps(as_plain(action)))), decode_action(encode_action(action))):
            assert type(back) is type(action) and json.dumps(as_plain(back)) == json.dumps(as_plain(action))


def test_the_plain_data_of_an_action_are_its_name_and_its_fields():
    assert as_plain(SetPose(0, 7, (1.0, 2.0), 0.5)) == {"type": "SetPose", "stage": 0, "body": 7, "position": (1.0, 2.0), "angle": 0.5}
    dropped = decode_action(encode_action(Drop.of(FILE, (1.0, 2.0))))
    assert isinstance(dropped, Drop) and dropped.size == Size(1, 1) and dropped.file["name"] == "wedge"
    assert dropped.file["fixtures"][0]["vertices"] == PIECE.vertices.tolist()


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        (None, "act must be an object with the type of an action and its fields, got None"),
        ([], "act must be an object"),
        ({"type": "Fly"}, r"act\.type must be one of ApplyImpulse, .*, got 'Fly'"),
        ({"type": "AtPoint", "point": [0, 0]}, r"act\.type must be one of"),
        ({"type": "Grab"}, r"act\.point must be given, got nothing"),
        ({"type": "Grab", "point": [1.0]}, r"act\.point must be array of length 2, got \[1.0\]"),
        ({"type": "Grab", "point": [1.0, float("inf")]}, r"act\.point\[1\] must be float <= 1e\+300, got inf"),
        ({"type": "Grab", "point": [1.0, float("nan")]}, r"act\.point\[1\] must be float >= -1e\+300, got nan"),
        ({"type": "Grab", "point": [True, 1]}, r"act\.point\[0\] must be float, got True"),
        ({"type": "Grab", "point": [0, 0], "offsets": [[0]]}, r"act\.offsets\[0\] must be array of length 2"),
        ({"type": "Grab", "point": [0, 0], "offsets": [[0, 0]] * 65}, r"act\.offsets must be array of length <= 64"),
        ({"type": "PressKey", "key": "x" * 1000}, r"act\.key must be str of length <= 200"),
        ({"type": "DestroyBody", "stage": -1, "body": 0}, r"act\.stage must be int >= 0, got -1"),
        ({"type": "DestroyBody", "stage": 0, "body": 0, "force": 1}, r"act\.force must be a field that exists"),
        ({"type": "ChangeBody", "stage": 0, "body": 0, "changes": [1]}, r"act\.changes must be object, got \[1\]"),
    ],
)
def test_impossible_actions_are_rejected_by_field_range_and_value(plain, words):
    with pytest.raises(InvalidInputError, match=words):
        action_of(plain, "act")


@pytest.mark.parametrize("content", [b"", b"\xc1", b"\x91" * 2000 + b"\x90", msgspec.msgpack.encode(["Grab"])])
def test_an_invalid_messagepack_action_is_rejected(content):
    with pytest.raises(InvalidInputError, match=r"^action must be"):
        decode_action(content)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (CreateBody(0, {"fixtures": [{"shape": {"kind": "circle", "radius": -1.0}}]}), r"spec\.fixtures\[0\]\.shape\.radius must be"),
        (CreateBody(0, {"mass": 3}), r"spec\.mass must be"),
        (CreateJoint(0, {"kind": "string"}), r"spec\.kind must be one of"),
        (ChangeBody(0, 1, {"mass": 3}), "mass"),
        (ChangeWorld(0, {"gravity": [[0.0], 1]}), r"gravity\[0\] must be"),
        (CreateBody.of(9, BodySpec()), "stage must be below 1, got 9"),
        (Drop((0.0, 0.0), {}), "file"),
    ],
)
def test_values_that_a_world_rejects_are_named_by_field(action, words):
    demo = find_demo("simple_shapes")(0, {"count": 4})
    before = demo.stages[0].world.state_hash()
    with pytest.raises(LabError, match=words):
        demo.sim.act(demo.sim.resolve(action))
    assert demo.stages[0].world.state_hash() == before


CHANGES = (
    ChangeBody(0, 1, {"body": 1}), ChangeBody(0, 1, {"self": 1}), ChangeBody(0, 1, {"__class__": 1}),
    ChangeFixture(0, 1, {"fixture": 1}), ChangeJoint(0, 0, {"joint": 1}), ChangeWorld(0, {"self": 1}),
)  # fmt: skip


@pytest.mark.parametrize("user", [0, 2])
@pytest.mark.parametrize("action", CHANGES, ids=lambda action: f"{type(action).__name__}.{next(iter(action.changes))}")
def test_a_change_named_like_a_parameter_is_rejected(action, user):
    """Issue 30: it raised a TypeError."""
    demo = find_demo("simple_shapes")(0, {"count": 4})
    world = demo.stages[0].world
    world.create_joint(RevoluteJointSpec(*world.body_ids[-2:], anchor=(0.0, 1.0)))
    if user:
        demo.sim.act(Join(), user)
    with pytest.raises(InvalidInputError, match="must be a known setting"):
        demo.sim.act(action, user)


@pytest.mark.parametrize("action", [SetSolver("contact_forces", (("largest", 1e300),)), ChangeWorld(0, {"velocity_iterations": 10**400})])
def test_the_work_of_an_overflowing_number_is_infinite(action):
    """Issue 30: it raised an OverflowError."""
    assert action.work(find_demo("simple_shapes")(0).sim) == math.inf
