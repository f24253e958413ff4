"""Every public query and constructor rejects wrong input with one named error that gives field, range and value.

For batched queries, each argument in turn is replaced by every wrong value of its kind. A query that is added without an entry here fails
`test_every_public_function_is_tested`.
"""

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest

from engine import geometry, query
from engine.broadphase import BruteForce, UniformGrid
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry import AABB, Capsule, Circle, Polygon, Segment, Sweep, Transform, convex_hull
from engine.geometry.hull import convex_hull_chain
from engine.narrowphase import alternating_projections, simple
from engine.query import batch

BOX, DISC, HERE = Polygon.box(0.5, 0.5), Circle(0.5), Transform()
SHAPES = batch.ShapeBatch([BOX, DISC, Capsule((0.0, 0.0), (1.0, 0.0), 0.25), Segment((0.0, 0.0), (1.0, 0.0))])
N = 3
PAIRS, WHICH = [(0, 1), (2, 3), (1, 1)], [0, 2, 3]
POSES = [(0.0, 0.0, 0.0), (3.0, 0.0, 0.5), (0.0, -3.0, 1.0)]
VECTORS = [(1.0, 0.0), (0.0, 1.0), (-1.0, 2.0)]

NAN, INF = math.nan, math.inf


def rows_with(rows, wrong):
    """The same rows, with the last number of the second replaced."""
    listed = [list(row) for row in rows]
    listed[1][-1] = wrong
    return listed


def wrong_rows(rows):
    width = len(rows[0])
    return {
        "nan": rows_with(rows, NAN),
        "infinity": rows_with(rows, INF),
        "minus infinity": np.array(rows_with(rows, -INF)),
        "a huge whole number": rows_with(rows, 10**400),
        "text": rows_with(rows, "one"),
        "text that reads as a number": rows_with(rows, "1.0"),
        "none": rows_with(rows, None),
        "complex": np.array(rows, dtype=complex),
        "booleans": np.ones((N, width), dtype=bool),
        "objects": np.array([[object()] * width] * N),
        "dates": np.zeros((N, width), dtype="datetime64[s]"),
        "too wide": [(*row, 0.0) for row in rows],
        "too narrow": [row[:-1] for row in rows],
        "too long": [*rows, rows[0]],
        "too short": rows[:-1],
        "none of them": [],
        "flat": [number for row in rows for number in row],
        "too deep": [rows],
        "ragged": [rows[0], rows[1][:-1], rows[2]],
        "nothing": None,
        "one number": 1.0,
        "one word": "poses",
        "a dictionary": {0: rows[0]},
    }


def wrong_indices(indices):
    array = np.array(indices)

    def with_first(index):
        return [(index, *indices[0][1:]) if isinstance(indices[0], tuple) else index, *indices[1:]]

    return {
        "negative": with_first(-1),
        "past the end": with_first(len(SHAPES)),
        "far past the end": with_first(2**62),
        "beyond int64": with_first(2**63),
        "beyond any integer": with_first(10**30),
        "unsigned and huge": np.where(array == array.flat[0], 2**64 - 1, array.astype(np.uint64)),
        "whole floats": array.astype(float),
        "floats": array + 0.5,
        "nan": np.where(array == 0, NAN, array),
        "booleans": array > 0,
        "text": array.astype(str),
        "objects": array.astype(object),
        "none": with_first(None),
        "too deep": [indices],
        "ragged": [indices[0], [indices[0]], indices[1]],
        "nothing": None,
        "one number": 1,
        "one word": "pairs",
    }


NO_NUMBER = {"nan": NAN, "infinity": INF, "minus infinity": -INF, "text": "1", "none": None, "a list": [1.0], "bool": True, "complex": 1j}
WRONG_TIME = {**NO_NUMBER, "negative": -1.0, "an array": np.ones(2)}
WRONG_FRACTION = {**WRONG_TIME, "past the end": 1.5}
WRONG_WORD = {"another": "best", "none": None, "number": 1, "a list": ["exact"], "empty": "", "capitals": "EXACT"}
WRONG_SHAPES = {"a list": [BOX], "none": None, "a shape": BOX, "a word": "shapes"}

ROWS = {"xf_a": POSES, "xf_b": POSES, "xf": POSES, "xf_target": POSES, "start_a": POSES, "end_a": POSES, "start_b": POSES, "end_b": POSES}
ROWS |= dict.fromkeys(("points", "origins", "translations", "velocity_a", "velocity_b", "center_a", "center_b"), VECTORS)

RIGHT = {"shapes": SHAPES, "pairs": PAIRS, "indices": WHICH, "which": WHICH, **ROWS}
RIGHT |= {"t_max": 0.5, "rule": "exact", "target": "touch", "broad_phase": BruteForce(), "threads": 2}

WRONG = {name: wrong_rows(rows) for name, rows in ROWS.items()}
WRONG |= {name: wrong_indices(RIGHT[name]) for name in ("pairs", "indices", "which")}
WRONG |= {"shapes": WRONG_SHAPES, "rule": WRONG_WORD, "target": WRONG_WORD, "broad_phase": {"a word": "grid", "a number": 3}}
WRONG["pairs"] |= {"too wide": [(0, 1, 2)] * N, "too narrow": [(0,)] * N, "flat": [0, 1, 2]}
for _name in ("indices", "which"):
    WRONG[_name] |= {"pairs": PAIRS}
WRONG["threads"] = {"none": None, "zero": 0, "half": 1.5, "text": "2", "a truth": True, "an array": np.ones(2, dtype=np.int64)}
for _name in ("center_a", "center_b"):
    del WRONG[_name]["nothing"]  # the local origins

BATCHED = {name: getattr(batch, name) for name in batch.__all__ if inspect.isfunction(getattr(batch, name)) and name != "columns_of"}


def wrong_of(function, argument):
    if argument == "t_max":
        return WRONG_FRACTION if function is batch.time_of_impact else WRONG_TIME
    return WRONG[argument]


def refused(function, argument, kind, *arguments, **named):
    """Return the error with which a call is rejected."""
    try:
        function(*arguments, **named)
    except InvalidInputError as error:
        return error
    except Exception as error:
        error.add_note(f"{argument}: {kind}")
        raise
    raise AssertionError(f"{argument}: {kind} is taken")


@pytest.mark.parametrize("name", BATCHED)
def test_batched_queries(name):
    function = BATCHED[name]
    arguments = {each: RIGHT[each] for each in inspect.signature(function).parameters}
    function(**arguments)
    # an argument of another length is the other arguments' fault as well: whichever is compared with it is named
    lengths = ("too long", "too short", "none of them", "too deep", "flat", "too wide", "too narrow", "pairs")
    for argument in arguments:
        for kind, wrong in wrong_of(function, argument).items():
            error = refused(function, argument, kind, **arguments | {argument: wrong})
            assert error.field.split("[")[0] == argument or kind in lengths or argument == "shapes", (argument, kind, str(error))
            assert str(error).startswith(f"{error.field} must be {error.requirement}, got "), (argument, kind)


# -- one pair

POINT = (1.0, 0.0)
SWEEP = Sweep(HERE, Transform((1.0, 0.0), 1.0))

WRONG_POINT = {"nan": (NAN, 0.0), "infinity": (0.0, INF), "one number": 1.0, "too long": (1.0, 0.0, 0.0)}
WRONG_POINT |= {"too short": (1.0,), "text": "ab", "texts": ("1", "2"), "none": None, "nones": (None, None), "booleans": (True, False)}
WRONG_POINT |= {"a huge whole number": (10**400, 0), "rows": [(1.0, 0.0), (0.0, 1.0)], "complex": (1j, 0.0)}
WRONG_POSE = {"a tuple": (0.0, 0.0, 0.0), "none": None, "an array": np.zeros(3), "a sweep": SWEEP}
WRONG_SHAPE = {"none": None, "a word": "disc", "a class": Circle, "vertices": [(0, 0), (1, 0), (0, 1)], "a pose": HERE}
WRONG_SWEEP = {"a pose": HERE, "none": None, "a pair": (HERE, HERE)}

SCALAR_RIGHT = {"a": BOX, "b": DISC, "shape": BOX, "target_shape": DISC, "xf_a": HERE, "xf_b": HERE, "xf": HERE}
SCALAR_RIGHT |= {"xf_target": HERE, "sweep_a": SWEEP, "sweep_b": SWEEP, "point": POINT, "origin": (-5.0, 0.0), "translation": POINT}
SCALAR_RIGHT |= {
    "velocity_a": POINT,
    "velocity_b": POINT,
    "t_max": 0.5,
    "rule": "exact",
    "target": "touch",
    "method": "bilateral",
}
SCALAR_WRONG = dict.fromkeys(("a", "b", "shape"), WRONG_SHAPE)
SCALAR_WRONG |= dict.fromkeys(("xf_a", "xf_b", "xf", "xf_target"), WRONG_POSE)
SCALAR_WRONG |= dict.fromkeys(("sweep_a", "sweep_b"), WRONG_SWEEP)
SCALAR_WRONG |= dict.fromkeys(("point", "origin", "translation", "velocity_a", "velocity_b"), WRONG_POINT)
SCALAR_WRONG |= dict.fromkeys(("rule", "target", "method"), WRONG_WORD)

SCALAR = {name: getattr(query, name) for name in query.__all__}


def scalar_parts(name):
    """Each argument's correct value and its wrong ones."""
    parts = {}
    for argument in inspect.signature(SCALAR[name]).parameters:
        if name == "shape_cast" and argument == "target":
            parts[argument] = (DISC, WRONG_SHAPE)
        elif argument == "t_max":
            parts[argument] = (0.5, WRONG_FRACTION if name == "time_of_impact" else WRONG_TIME)
        else:
            parts[argument] = (SCALAR_RIGHT[argument], SCALAR_WRONG[argument])
    return parts


@pytest.mark.parametrize("name", SCALAR)
def test_queries_of_one_pair(name):
    parts = scalar_parts(name)
    arguments = {each: right for each, (right, _) in parts.items()}
    SCALAR[name](**arguments)
    for argument, (_, all_wrong) in parts.items():
        for kind, wrong in all_wrong.items():
            error = refused(SCALAR[name], argument, kind, **arguments | {argument: wrong})
            assert error.field == argument, kind
            assert str(error).startswith(f"{argument} must be "), kind


def test_every_public_function_is_tested():
    assert set(SCALAR) == set(query.__all__)
    assert set(SCALAR) <= set(BATCHED)
    made = {"AABB", "Capsule", "Circle", "Polygon", "Segment", "Sweep", "Transform", "convex_hull"}
    assert set(geometry.__all__) - {"AnyShape", "ConvexShape", "FixtureShape", "Shape", "MassProperties", "check_shape"} == made
    assert made <= {name.split(".")[0] for name, *_ in CONSTRUCTED}


# -- what shapes and poses are made of

LINE = ((0.0, 0.0), (1.0, 0.0))
TRIANGLE = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]
WRONG_LENGTH = {**NO_NUMBER, "zero": 0.0, "negative": -1.0, "a huge whole number": 10**400}
WRONG_SKIN = {**NO_NUMBER, "negative": -1e-300}
WRONG_CORNERS = {
    "nan": [(0, 0), (1, NAN), (0, 1)],
    "infinity": [(0, 0), (1, 0), (-INF, 1)],
    "two": [(0, 0), (1, 0)],
    "none": None,
    "no corners": [],
    "repeated": [(1, 1)] * 5,
    "two, repeated": [(0, 0), (1, 0), (0, 0), (1, 0)],
    "on one line": [(0, 0), (1, 1), (2, 2), (3, 3)],
    "on one line, by rounding": [(0.1, 0.3), (0.2, 0.6), (0.30000000000000004, 0.9)],
    "no area": [(0, 0), (1, 0), (2, 0), (1, 0)],
    "too wide": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
    "flat": [0, 0, 1, 0, 0, 1],
    "ragged": [(0, 0), (1,), (0, 1)],
    "text": "triangle",
    "texts": [("a", "b"), ("c", "d"), ("e", "f")],
    "one number": 3.0,
    "a huge whole number": [(0, 0), (10**400, 0), (0, 1)],
    "complex": [(0, 0), (1j, 0), (0, 1)],
}
NOT_CONVEX = {
    "dented": [(0, 0), (2, 0), (0.5, 0.5), (0, 2)],
    "crossed": [(0, 0), (1, 1), (1, 0), (0, 1)],
    "a star": [(math.cos(0.8 * math.pi * k), math.sin(0.8 * math.pi * k)) for k in range(5)],
}
WRONG_SIDES = {"two": 2, "none": 0, "negative": -3, "a float": 4.0, "text": "4", "nan": NAN, "bool": True, "nothing": None}
WRONG_GHOST = {kind: wrong for kind, wrong in WRONG_POINT.items() if kind != "none"}

CONSTRUCTED = [
    ("Circle.radius", lambda wrong: Circle(wrong), "radius", WRONG_LENGTH, InvalidShapeError),
    ("Circle.center", lambda wrong: Circle(1.0, wrong), "center", WRONG_POINT, InvalidShapeError),
    ("Capsule.p1", lambda wrong: Capsule(wrong, POINT, 1.0), "p1", WRONG_POINT, InvalidShapeError),
    ("Capsule.p2", lambda wrong: Capsule(POINT, wrong, 1.0), "p2", WRONG_POINT, InvalidShapeError),
    ("Capsule.radius", lambda wrong: Capsule(*LINE, wrong), "radius", WRONG_LENGTH, InvalidShapeError),
    ("Segment.p1", lambda wrong: Segment(wrong, POINT), "p1", WRONG_POINT, InvalidShapeError),
    ("Segment.p2", lambda wrong: Segment(POINT, wrong), "p2", WRONG_POINT, InvalidShapeError),
    ("Segment.skin", lambda wrong: Segment(*LINE, wrong), "skin_radius", WRONG_SKIN, InvalidShapeError),
    ("Segment.ghost1", lambda wrong: Segment(*LINE, 0.0, wrong), "ghost1", {**WRONG_GHOST, "its end": LINE[0]}, InvalidShapeError),
    ("Segment.ghost2", lambda wrong: Segment(*LINE, ghost2=wrong), "ghost2", {**WRONG_GHOST, "its end": LINE[1]}, InvalidShapeError),
    ("Polygon.vertices", lambda wrong: Polygon(wrong), "vertices", WRONG_CORNERS | NOT_CONVEX, InvalidShapeError),
    ("Polygon.skin", lambda wrong: Polygon(TRIANGLE, wrong), "skin_radius", WRONG_SKIN, InvalidShapeError),
    ("Polygon.box.width", lambda wrong: Polygon.box(wrong, 1.0), "half_width", WRONG_LENGTH, InvalidShapeError),
    ("Polygon.box.height", lambda wrong: Polygon.box(1.0, wrong), "half_height", WRONG_LENGTH, InvalidShapeError),
    ("Polygon.box.center", lambda wrong: Polygon.box(1.0, 1.0, wrong), "center", WRONG_POINT, InvalidShapeError),
    ("Polygon.box.angle", lambda wrong: Polygon.box(1.0, 1.0, angle=wrong), "angle", NO_NUMBER, InvalidShapeError),
    ("Polygon.box.skin", lambda wrong: Polygon.box(1.0, 1.0, skin_radius=wrong), "skin_radius", WRONG_SKIN, InvalidShapeError),
    ("Polygon.regular.sides", lambda wrong: Polygon.regular(wrong, 1.0), "n_sides", WRONG_SIDES, InvalidShapeError),
    ("Polygon.regular.radius", lambda wrong: Polygon.regular(5, wrong), "radius", WRONG_LENGTH, InvalidShapeError),
    ("Polygon.regular.angle", lambda wrong: Polygon.regular(5, 1.0, wrong), "angle", NO_NUMBER, InvalidShapeError),
    ("Polygon.regular.skin", lambda wrong: Polygon.regular(5, 1.0, skin_radius=wrong), "skin_radius", WRONG_SKIN, InvalidShapeError),
    ("Transform.position", lambda wrong: Transform(wrong), "position", WRONG_POINT, InvalidInputError),
    ("Transform.angle", lambda wrong: Transform(POINT, wrong), "angle", NO_NUMBER, InvalidInputError),
    ("Sweep.start", lambda wrong: Sweep(wrong, HERE), "start", WRONG_POSE, InvalidInputError),
    ("Sweep.end", lambda wrong: Sweep(HERE, wrong), "end", WRONG_POSE, InvalidInputError),
    ("Sweep.center", lambda wrong: Sweep(HERE, HERE, wrong), "local_center", WRONG_POINT, InvalidInputError),
    ("Sweep.at", lambda wrong: SWEEP.at(wrong), "fraction", WRONG_FRACTION, InvalidInputError),
    ("AABB.lower", lambda wrong: AABB(wrong, POINT), "lower", WRONG_POINT, InvalidInputError),
    ("AABB.upper", lambda wrong: AABB(POINT, wrong), "upper", WRONG_POINT, InvalidInputError),
    ("AABB.order", lambda wrong: AABB(POINT, wrong), "upper", {"left": (0.0, 5.0), "below": (5.0, -1.0)}, InvalidInputError),
    ("convex_hull.points", convex_hull, "points", WRONG_CORNERS, InvalidShapeError),
    ("convex_hull_chain.points", convex_hull_chain, "points", WRONG_CORNERS, InvalidShapeError),
    ("mass.polygon", lambda wrong: BOX.mass(wrong), "density", WRONG_SKIN, InvalidInputError),
    ("mass.circle", lambda wrong: DISC.mass(wrong), "density", WRONG_SKIN, InvalidInputError),
    ("mass.capsule", lambda wrong: SHAPES[2].mass(wrong), "density", WRONG_SKIN, InvalidInputError),
    *((f"aabb.{type(shape).__name__}", shape.aabb, "xf", WRONG_POSE, InvalidInputError) for shape in SHAPES),
    ("ShapeBatch", batch.ShapeBatch, "shapes", {"none": None, "a number": 3, "a shape": BOX}, InvalidInputError),
    ("ShapeBatch.entry", lambda wrong: batch.ShapeBatch([BOX, wrong]), "shapes[1]", WRONG_SHAPE, InvalidInputError),
]

# only the hull, which needs an order of points, minds whether exactly three points lie on one line; there rounding is no excuse
HULL_MAKES = ("on one line, by rounding",)


@pytest.mark.parametrize(("name", "make", "field", "all_wrong", "kind_of_error"), CONSTRUCTED, ids=[name for name, *_ in CONSTRUCTED])
def test_constructors(name, make, field, all_wrong, kind_of_error):
    for kind, wrong in all_wrong.items():
        if name.startswith("convex_hull") and kind in HULL_MAKES:
            assert len(make(wrong)) == 3
            continue
        error = refused(make, name, kind, wrong)
        assert type(error) is kind_of_error, kind
        assert error.field.split("[")[0] == field.split("[")[0], kind
        assert str(error).startswith(f"{error.field} must be "), kind


def test_any_real_number_type_is_accepted():
    """Integers, fractions and NumPy scalars are numbers; they are rejected only for their value."""
    assert Circle(Fraction(1, 2), (np.float32(1.0), np.int64(2))) == Circle(0.5, (1.0, 2.0))
    assert Polygon(((x, y) for x, y in TRIANGLE)) == Polygon(np.array(TRIANGLE, dtype=np.float32))
    assert Transform([1, 2], np.float64(0.5)) == Transform((1.0, 2.0), 0.5)
    assert query.contains(DISC, HERE, np.array((0.5, 0.0)))
    assert len(batch.overlap(SHAPES, np.array(PAIRS, dtype=np.uint8), np.zeros((N, 3), dtype=int), POSES)) == N


# -- the rest of the library's front doors

OTHERS = {
    "simple point": lambda: simple.point_in_circle((NAN, 0.0), (0.0, 0.0), 1.0),
    "simple radius": lambda: simple.circles_overlap((0.0, 0.0), -1.0, (1.0, 0.0), 1.0),
    "simple box": lambda: simple.point_in_box((0.0, 0.0), "box"),
    "simple boxes": lambda: simple.boxes_overlap(AABB((0.0, 0.0), (1.0, 1.0)), None),
    "simple rectangle": lambda: simple.point_in_rectangle((0.0, 0.0), BOX),
    "simple rectangles": lambda: simple.rectangles_overlap(simple.Rectangle((0.0, 0.0), 1.0, 1.0), BOX),
    "simple size": lambda: simple.Rectangle((0.0, 0.0), 1.0, INF),
    "closest shape": lambda: alternating_projections.distance(BOX, HERE, None, HERE),
    "grid rows": lambda: UniformGrid().pairs([(0.0, 0.0, 1.0)]),
    "grid nan": lambda: UniformGrid().pairs([(0.0, 0.0, NAN, 1.0)]),
    "grid order": lambda: UniformGrid().pairs([(0.0, 0.0, -1.0, 1.0)]),
    "brute force order": lambda: BruteForce().pairs([(0.0, 5.0, 1.0, 1.0)]),
}


def test_other_entry_points():
    for name, ask in OTHERS.items():
        refused(ask, name, "wrong")
