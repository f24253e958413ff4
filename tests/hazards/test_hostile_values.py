"""Specifications, shapes and methods of a world accept any value or reject it with the one named error: issue 29.

Values include objects whose special methods raise, huge integers, zero-dimensional arrays, sets, and iterators that fail or never end.
A method or a specification that is added without an entry here fails `test_every_function_is_tested`.
"""

import inspect
import itertools
import math
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from engine import query
from engine import world as package
from engine.common.errors import DeadHandleError, InvalidInputError
from engine.geometry import AABB, Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.query import batch
from engine.world import (
    BodySpec,
    FixtureSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    StepHooks,
    World,
    WorldSettings,
)
from engine.world.joints import JOINT_SPECS
from tests.joint_samples import arguments

_SPECIAL = (
    *("__float__", "__int__", "__index__", "__bool__", "__len__", "__iter__", "__getitem__", "__contains__", "__call__", "__array__"),
    *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__repr__", "__str__", "__format__", "__abs__", "__neg__"),
    *("__add__", "__radd__", "__mul__", "__rmul__", "__sub__", "__round__", "__trunc__", "keys", "items", "__next__"),
)


class StrangeError(Exception):
    """Raised by such objects only."""


def _raise(*_, **__):
    raise StrangeError


def raising(base, *but, only=""):
    """Return a class whose special methods raise: all except some, or only one."""
    names = [name for name in _SPECIAL if name not in but and (not only or name == only)]
    return type(f"Raising{base.__name__.title()}", (base,), dict.fromkeys(names, _raise))


def _breaking_off():
    yield 1.0
    raise StrangeError


class Lazy:
    """A sequence with a length but no elements."""

    def __len__(self):
        return 2

    def __getitem__(self, at):
        raise StrangeError

    def __iter__(self):
        return _breaking_off()


def _deep():
    value = []
    for _ in range(5000):
        value = [value]
    return value


VALUES = {
    **{f"only {name} raises": lambda name=name: raising(object, only=name)() for name in ("__repr__", "__float__", "__iter__", "__eq__")},
    "everything raises": raising(object),
    "a float that raises": lambda: raising(float)(1.0),
    "a float without words": lambda: raising(float, only="__repr__")(-1e300),
    "an int that raises": lambda: raising(int)(1),
    "text that raises": lambda: raising(str)("static"),
    "a tuple that raises": lambda: raising(tuple)((1.0, 2.0)),
    "a list that raises": lambda: raising(list)([1.0, 2.0]),
    "a dictionary that raises": lambda: raising(dict)(a=1.0),
    "two that raise": lambda: (raising(float)(1.0), raising(int)(1)),
    "5,000 digits": lambda: 10**5000,
    "two of 5,000 digits": lambda: (10**5000, -(10**5000)),
    "a fraction too large": lambda: Fraction(10**5000, 3),
    "a fraction": lambda: Fraction(1, 3),
    "a decimal": lambda: Decimal("1.5"),
    "no decimal": lambda: Decimal("NaN"),
    "complex": lambda: 1j,
    "nan": lambda: math.nan,
    "infinity": lambda: -math.inf,
    "huge": lambda: 1e308,
    "tiny": lambda: 5e-324,
    "an array without dimension": lambda: np.array(1.0),
    "an array of one": lambda: np.array([1.0]),
    "an array": lambda: np.array([[1.0, 2.0], [3.0, 4.0]]),
    "an array of objects": lambda: np.array([object(), raising(object, only="__float__")()]),
    "a number of NumPy": lambda: np.float32(0.5),
    "a date": lambda: np.datetime64("2020-01-01"),
    "a set": lambda: {1.0, 2.0},
    "a dictionary": lambda: {1.0: 2.0, 3.0: 4.0},
    "mixed keys": lambda: {1: 2.0, "a": 1.0, None: 3.0, (1,): raising(float)(1.0)},
    "a value that raises": lambda: {"a": raising(float)(1.0), "b": raising(str)("x")},
    "bytes": lambda: b"ab",
    "text": lambda: "1.0",
    "half of a letter": lambda: "\ud800",
    "no text": lambda: "",
    "nested": lambda: [[[1.0], [2.0]], [[1.0]]],
    "deep": _deep,
    "breaks off": _breaking_off,
    "lazy": Lazy,
    "without end": lambda: itertools.repeat(1.0),
    "true": lambda: True,
    "none": lambda: None,
    "a class": lambda: float,
    "a function": lambda: _breaking_off,
    "minus one": lambda: -1,
    "beyond 64 bits": lambda: 2**64,
}

BALL = FixtureSpec(Circle(0.5))
SPECS = {
    WorldSettings: {},
    FixtureSpec: {"shape": Circle(0.5)},
    BodySpec: {},
    **{kind: arguments(kind) for kind in JOINT_SPECS},
    Circle: {"radius": 0.5},
    Polygon: {"vertices": [(0, 0), (1, 0), (0, 1)]},
    Capsule: {"p1": (0, 0), "p2": (1, 0), "radius": 0.5},
    Segment: {"p1": (0, 0), "p2": (1, 0)},
    Transform: {},
    AABB: {"lower": (0, 0), "upper": (1, 1)},
    StepHooks: {},
}
PLAIN = (float, int, str, bool, type(None))
CASES = [(kind, name) for kind in SPECS for name in inspect.signature(kind).parameters if name not in ("args", "settings")]
CASES += [(kind, field.name) for kind in SPECS if kind.__module__.startswith("engine.world") for field in fields(kind)]


@pytest.mark.parametrize(("kind", "name"), dict.fromkeys(CASES), ids=lambda part: getattr(part, "__name__", part))
def test_a_field_is_rejected_by_name_or_converted_to_plain_data(kind, name):
    for label, make in VALUES.items():
        try:
            made = kind(**{**SPECS[kind], name: make()})
        except InvalidInputError as error:
            stem = name.removesuffix("_a").removesuffix("_b")
            assert len(str(error)) < 700 and error.field.startswith((stem, "upper", "lower", "body", "joint", "link")), label
        else:
            held = getattr(made, name)
            parts = held if type(held) is tuple else (held,)
            plain = all(type(part) in (*PLAIN, tuple, np.ndarray) or callable(part) for part in parts)
            assert plain or kind is FixtureSpec, (label, held)


def lived_in():
    world = World()
    floor = world.create_body(BodySpec((FixtureSpec(Polygon.box(9.0, 0.5)),), "static"))
    balls = [world.create_body(BodySpec((BALL,), position=(2.0 * k, 1.0))) for k in range(3)]
    world.create_joint(RevoluteJointSpec(floor, balls[0], (0.0, 1.0)))
    world.create_joint(PrismaticJointSpec(floor, balls[1], (2.0, 1.0), (1.0, 0.0)))
    world.create_joint(MouseJointSpec(balls[2], (4.0, 1.0), 10.0))
    world.step()
    return world


METHODS = {
    **{name: {"spec": BodySpec()} for name in ("create_body", "create_joint")},
    "create_fixture": {"body": 1, "spec": BALL},
    "hand_out": {"next_ids": (900, 900, 900)},
    "set_mouse_target": {"joint": 2, "target": (1.0, 1.0)},
    "set_pose": {"body": 1, "position": (0.0, 1.0), "angle": 0.0},
    "set_velocity": {"body": 1, "linear": (0.0, 1.0), "angular": 0.0},
    "set_awake": {"body": 1, "awake": True},
    "set_body": {"body": 1, **{name: value for name, value in vars(BodySpec()).items() if name in package.world.BODY_SETTINGS}},
    "set_fixture": {"fixture": 1, **{name: value for name, value in vars(BALL).items() if name in package.world.FIXTURE_SETTINGS}},
    "set_joint": {"joint": 0, "enable_limit": True, "lower_angle": -1.0, "motor_speed": 1.0, "max_motor_torque": 1.0},
    "set_settings": vars(WorldSettings()),
    "set_solver": {"solver": "soft_step", "solver_settings": {}},
    "apply_impulse": {"body": 1, "impulse": (0.0, 1.0), "point": (0.0, 1.0)},
    "apply_force": {"body": 1, "force": (0.0, 1.0), "point": (0.0, 1.0)},
    "apply_torque": {"body": 1, "torque": 1.0},
    "restore": {"snapshot": None, "must_hold": False},
    "from_snapshot": {"snapshot": None},
    "body_at": {"point": (0.0, 1.0), "dynamic_only": True},
    "bodies_at": {"point": (0.0, 1.0)},
    **{name: {"body": 1} for name in ("destroy_body", "is_body", "body", "name_of", "fixtures_of", "row_of", "state")},
    **{name: {"fixture": 1} for name in ("destroy_fixture", "is_fixture", "fixture")},
    **{name: {"joint": 0} for name in ("destroy_joint", "is_joint", "joint", "joint_now", "joint_state", "joint_bodies", "joint_anchors")},
}
WITHOUT_VALUES = {"canonicalize", "clone", "copies", "pair_record", "snapshot", "state_hash", "step"}
"""`Worlds` checks the number of copies: test_worlds.py."""


@pytest.mark.parametrize("name", METHODS)
def test_a_method_accepts_or_rejects_values_and_the_world_continues(name):
    world = lived_in()
    snapshot, usual = world.snapshot(), METHODS[name]
    for argument, (label, make) in itertools.product(usual, VALUES.items()):
        if argument == "n_steps" and label in ("5,000 digits", "beyond 64 bits"):
            continue  # are right, and would take for ever
        arguments = {**usual, argument: make()} if not name.startswith("set_") or argument in ("body", "fixture", "joint") else None
        if arguments is None:  # of many settings one at a time
            first = {key: usual[key] for key in list(usual)[:1] if name != "set_settings"}
            arguments = (
                {**first, argument: make()}
                if name in ("set_body", "set_fixture", "set_joint", "set_settings")
                else {**usual, argument: make()}
            )
        arguments = {key: snapshot if key == "snapshot" and argument != key else value for key, value in arguments.items()}
        try:
            getattr(world, name)(**arguments)
            world.step()
            world.restore(snapshot)
        except (InvalidInputError, DeadHandleError) as error:
            assert len(str(error)) < 700, (argument, label)
            if world.step_index != snapshot.step_index or world.body_ids != (0, 1, 2, 3):
                world.restore(snapshot)
    world.step()


@pytest.mark.parametrize("name", ["settings", "solver", "hooks", "keeps_solver_state"])
def test_specifications_and_settings_of_a_world(name):
    world = lived_in()
    for make in VALUES.values():
        try:
            if name in ("settings", "solver"):
                World(**{name: make()})
            else:
                setattr(world, name, make())
        except InvalidInputError:
            continue


BATCH = batch.ShapeBatch([Polygon.box(0.5, 0.5), Circle(0.5)])
PLACE, POSES, POINTS = Transform((0.2, 0.0)), [(0.0, 0.0, 0.0)], [(0.0, 0.0)]
SWEEP = Sweep(PLACE, Transform((3.0, 0.0)))
PAIR = {"a": Circle(0.5), "xf_a": PLACE, "b": Polygon.box(0.5, 0.5), "xf_b": PLACE}
PAIRS = {"shapes": BATCH, "pairs": [(0, 1)], "xf_a": POSES, "xf_b": POSES}
MOVING = {**PAIR, "velocity_a": (0.0, 0.0), "velocity_b": (1.0, 0.0), "t_max": 1.0}
QUERIES = {
    **dict.fromkeys((query.contact_set, query.distance, query.overlap, query.penetration), PAIR),
    query.manifold: {**PAIR, "rule": "exact"},
    query.contains: {"shape": Circle(0.5), "xf": PLACE, "point": (0.0, 0.0)},
    query.ray_cast: {"shape": Circle(0.5), "xf": PLACE, "origin": (0.0, 0.0), "translation": (1.0, 0.0)},
    query.shape_cast: {
        **{"shape": Circle(0.5), "xf": PLACE, "translation": (1.0, 0.0), "target": Polygon.box(0.5, 0.5)},
        "xf_target": Transform((3.0, 0.0)),
    },
    query.swept_contact: MOVING,
    query.time_of_impact: {"a": Circle(0.5), "sweep_a": SWEEP, "b": Circle(0.5), "sweep_b": SWEEP, "t_max": 1.0, "target": "touch"},
    **{function: {**PAIRS, "threads": 1} for function in (batch.distance, batch.overlap)},
    **dict.fromkeys((batch.contact_set, batch.penetration), PAIRS),
    batch.manifold: {**PAIRS, "rule": "exact", "threads": 1},
    batch.contains: {"shapes": BATCH, "indices": [0], "xf": POSES, "points": POINTS},
    batch.ray_cast: {"shapes": BATCH, "indices": [0], "xf": POSES, "origins": POINTS, "translations": POINTS},
    batch.shape_cast: {"shapes": BATCH, "pairs": [(0, 1)], "xf": POSES, "translations": POINTS, "xf_target": POSES},
    batch.swept_contact: {**PAIRS, "velocity_a": POINTS, "velocity_b": POINTS, "t_max": 1.0},
    batch.time_of_impact: {
        **{"shapes": BATCH, "pairs": [(0, 1)], "start_a": POSES, "end_a": POSES, "start_b": POSES, "end_b": POSES},
        **{"t_max": 1.0, "target": "touch"},
    },
    batch.ShapeBatch: {"shapes": [Circle(0.5)]},
}


@pytest.mark.parametrize("function", QUERIES, ids=lambda function: f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}")
def test_a_query_answers_or_rejects_values(function):
    """Issue 29: batch indices, rules and shapes let exceptions of foreign objects through."""
    usual = QUERIES[function]
    function(**usual)
    for argument, (label, make) in itertools.product(usual, VALUES.items()):
        try:
            function(**{**usual, argument: make()})
        except InvalidInputError as error:
            assert error.field.startswith(argument), (argument, label)


def test_every_function_is_tested():
    public = {name for name, value in inspect.getmembers(World) if not name.startswith("_") and callable(value)}
    assert public == METHODS.keys() | WITHOUT_VALUES
    for module, others in ((query, set()), (batch, {"columns_of"})):
        functions = {name for name in module.__all__ if not name.endswith("Batch")} - others
        assert functions == {name for name in functions if getattr(module, name) in QUERIES}
