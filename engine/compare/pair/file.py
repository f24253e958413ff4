"""A pair of shapes and a query about it, as a JSON file that can be opened, sent, and computed again.

    {
      "format": "collision pair", "version": 1, "query": "manifold",
      "a": {"shape": {"kind": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "skin_radius": 0.0}, "pose": [0, 0, 0]},
      "b": {"shape": {"kind": "circle", "radius": 0.5, "center": [0, 0]}, "pose": [0.9, 0.9, 0]},
      "provenance": {"seed": 3, "chunk": 0, "row": 17},
      "outsider": {"name": "mine.py:collide", "answer": {"normal": [1, 0], "depth": 0.1}, "note": "wrong normal"},
      "note": "first of its kind"
    }

Meters and radians; a pose is x, y, angle. The other shapes: ``{"kind": "capsule", "p1", "p2", "radius"}`` and ``{"kind": "segment",
"p1", "p2", "skin_radius", "ghost1", "ghost2"}``. What belongs to which query:

    manifold, overlap, distance    a, b
    toi                            a, b, each with "end_pose" and, if it does not turn about its origin, "local_center"
    ray_cast                       a, "ray": {"origin": [x, y], "end": [x, y]}
    contains                       a, "point": [x, y]

The last three entries are optional. Floats are written with enough digits to restore the same float.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from engine.common.checks import choice, integer, point
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.files import write_atomically
from engine.common.json_file import json_text, read_json
from engine.common.notebook import Shown
from engine.compare.cases import CHUNK
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Sweep, Transform

if TYPE_CHECKING:
    from engine.compare.pair._schema import SideSchema

__all__ = [
    "ANSWERED_BY",
    "FORMAT",
    "PAIR_QUERIES",
    "VERSION",
    "Outsider",
    "Pair",
    "Provenance",
    "load_pair",
    "pair_as_json",
    "pair_content",
    "pair_from_json",
    "save_pair",
]

FORMAT = "collision pair"
VERSION = 1
PAIR_QUERIES = ("manifold", "overlap", "distance", "toi", "ray_cast", "contains")

ANSWERED_BY = {
    "manifold": "manifold",
    "overlap": "sat",
    "distance": "gjk",
    "toi": "conservative_advancement",
    "ray_cast": "ray_cast",
}
"""Algorithm in `engine.trace` that answers each query with a stepper."""

MAX_FILE = 1_000_000
"""Maximum file size, bytes; a pair of the largest polygons takes a fiftieth of it."""

Point = tuple[float, float]

_ORIGIN = Transform()


class Provenance(NamedTuple):
    """Position of a pair in the sequence of `engine.compare.cases`."""

    seed: int
    chunk: int
    row: int

    @property
    def number(self) -> int:
        """Number of pairs before it."""
        return self.chunk * CHUNK + self.row


@dataclass(frozen=True, slots=True)
class Outsider:
    """The answer of a user's function: its name, its answer as plain data (None: no contact), and its mistake.

    An answer that is not plain data, or contains a number that is not finite, cannot be saved; it is omitted and described in `note`.
    """

    name: str
    answer: object = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pair(Shown):
    """One query of `PAIR_QUERIES` with its complete input.

    `shape_b` is None for a ray or a point. The poses are those of the shapes, or for `toi` the initial ones; only `toi` has the final poses
    `end_a` and `end_b`, and the centers of rotation `center_a` and `center_b`, body frame, meters. `ray`, for `ray_cast`, has origin and
    end; `point` is for `contains`; both world frame, meters.

    Raises
    ------
    InvalidInputError
        The query is unknown, or a field is missing or does not belong to it.
    """

    query: str
    shape_a: AnyShape
    pose_a: Transform = _ORIGIN
    shape_b: AnyShape | None = None
    pose_b: Transform = _ORIGIN
    end_a: Transform | None = None
    end_b: Transform | None = None
    center_a: Point = (0.0, 0.0)
    center_b: Point = (0.0, 0.0)
    ray: tuple[Point, Point] | None = None
    point: Point | None = None
    provenance: Provenance | None = None
    outsider: Outsider | None = None
    note: str = ""

    def __post_init__(self) -> None:
        choice("query", self.query, PAIR_QUERIES)
        present = {
            "b": self.shape_b is not None,
            "a.end_pose": self.end_a is not None,
            "b.end_pose": self.end_b is not None,
            "ray": self.ray is not None,
            "point": self.point is not None,
        }
        needed = _NEEDED[self.query]
        for name, is_given in present.items():
            if is_given != (name in needed):
                requirement = "given for this query" if name in needed else "omitted for this query"
                raise InvalidInputError(name, requirement, Described(self.query))
        for name, value in self.provenance._asdict().items() if self.provenance is not None else ():
            integer(f"provenance.{name}", value, 0, 2**63 - 1)
        if self.query != "toi" and (self.center_a, self.center_b) != ((0.0, 0.0), (0.0, 0.0)):
            raise InvalidInputError("local_center", "omitted for this query", Described(self.query))
        if self.ray is not None:
            object.__setattr__(self, "ray", (point("ray.origin", self.ray[0]), point("ray.end", self.ray[1])))
        if self.point is not None:
            object.__setattr__(self, "point", point("point", self.point))

    @property
    def sweep_a(self) -> Sweep:
        """The motion of A; constant unless the query is `toi`."""
        return Sweep(self.pose_a, self.end_a or self.pose_a, self.center_a)

    @property
    def sweep_b(self) -> Sweep:
        """The motion of B."""
        return Sweep(self.pose_b, self.end_b or self.pose_b, self.center_b)

    def reasked(self, query: str) -> Pair:
        """Return the same pair with another query that has the same input; provenance and outsider's answer are dropped.

        Raises
        ------
        InvalidInputError
            The query needs other input.
        """
        return replace(self, query=query, provenance=None, outsider=None)


_NEEDED: dict[str, tuple[str, ...]] = {
    "manifold": ("b",),
    "overlap": ("b",),
    "distance": ("b",),
    "toi": ("b", "a.end_pose", "b.end_pose"),
    "ray_cast": ("ray",),
    "contains": ("point",),
}


def save_pair(path: str | os.PathLike[str], pair: Pair) -> None:
    """Write the pair atomically, after checking that it can be loaded.

    Raises
    ------
    InvalidInputError
        A number is beyond the format's range, or an outsider's answer is not plain data.
    OSError
        The file cannot be written.
    """
    write_atomically(path, pair_content(pair))


def pair_content(pair: Pair) -> bytes:
    """Return the content of a pair's file, after checking that it can be loaded; errors as for `save_pair`."""
    plain = pair_as_json(pair)
    pair_from_json(plain, "the pair")
    return json_text(plain)


def load_pair(path: str | os.PathLike[str]) -> Pair:
    """Read a pair.

    Raises
    ------
    InvalidInputError
        The file does not exist, is not JSON (the message has the line), or has an invalid field (the message names it).
    """
    return pair_from_json(read_json(path, "pair file", MAX_FILE), os.fspath(path))


def pair_from_json(plain: object, file: str = "pair") -> Pair:
    """Return the pair that the plain data of a file describe; `file` is the name used in messages.

    Raises
    ------
    InvalidInputError
        As for `load_pair`.
    """
    from engine.common.file_schema import validated
    from engine.compare.pair._schema import PairSchema

    held = validated(PairSchema, plain, file)
    sides = {**_held_side(held.a, "a", file), **({} if held.b is None else _held_side(held.b, "b", file))}
    try:
        return Pair(
            held.query,
            **sides,
            ray=None if held.ray is None else (_point(held.ray.origin), _point(held.ray.end)),
            point=None if held.point is None else _point(held.point),
            provenance=None if held.provenance is None else Provenance(**held.provenance.model_dump()),
            outsider=None if held.outsider is None else Outsider(**held.outsider.model_dump()),
            note=held.note,
        )
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: {error.field}", error.requirement, error.value) from None


def pair_as_json(pair: Pair) -> dict[str, Any]:
    """Return the plain data of the file."""
    plain: dict[str, Any] = {"format": FORMAT, "version": VERSION, "query": pair.query}
    plain["a"] = _side(pair.shape_a, pair.pose_a, pair.end_a, pair.center_a)
    if pair.shape_b is not None:
        plain["b"] = _side(pair.shape_b, pair.pose_b, pair.end_b, pair.center_b)
    if pair.ray is not None:
        plain["ray"] = {"origin": list(pair.ray[0]), "end": list(pair.ray[1])}
    if pair.point is not None:
        plain["point"] = list(pair.point)
    if pair.provenance is not None:
        plain["provenance"] = pair.provenance._asdict()
    if pair.outsider is not None:
        plain["outsider"] = {"name": pair.outsider.name, "answer": _listed(pair.outsider.answer), "note": pair.outsider.note}
    if pair.note:
        plain["note"] = pair.note
    return plain


_SHAPES: dict[str, tuple[type[AnyShape], tuple[str, ...]]] = {
    "circle": (Circle, ("radius", "center")),
    "polygon": (Polygon, ("vertices", "skin_radius")),
    "capsule": (Capsule, ("p1", "p2", "radius")),
    "segment": (Segment, ("p1", "p2", "skin_radius", "ghost1", "ghost2")),
}
"""Class and fields of each kind; the fields have the same names in the file and in the class."""


def _held_side(side: SideSchema, name: str, file: str) -> dict[str, Any]:
    """Return the arguments of `Pair` for one side, A or B."""
    kind, _ = _SHAPES[side.shape.kind]
    try:
        shape = kind(**side.shape.model_dump(exclude={"kind"}))
    except InvalidShapeError as error:
        raise InvalidShapeError(f"{file}: {name}.shape.{error.field}", error.requirement, error.value) from None
    end = None if side.end_pose is None else _transform(side.end_pose)
    center = (0.0, 0.0) if side.local_center is None else _point(side.local_center)
    return {f"shape_{name}": shape, f"pose_{name}": _transform(side.pose), f"end_{name}": end, f"center_{name}": center}


def _side(shape: AnyShape, pose: Transform, end: Transform | None, center: Point) -> dict[str, Any]:
    name, fields = next((name, fields) for name, (kind, fields) in _SHAPES.items() if isinstance(shape, kind))
    values = {field: _listed(getattr(shape, field)) for field in fields}
    held = {"kind": name, **{field: value for field, value in values.items() if value is not None}}
    plain: dict[str, Any] = {"shape": held, "pose": [*pose.position, pose.angle]}
    if end is not None:
        plain["end_pose"] = [*end.position, end.angle]
        if center != (0.0, 0.0):
            plain["local_center"] = list(center)
    return plain


def _listed(value: object) -> object:
    """Return plain data with lists instead of tuples and arrays, as in JSON."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _transform(pose: list[float]) -> Transform:
    return Transform((pose[0], pose[1]), pose[2])


def _point(numbers: list[float]) -> Point:
    return numbers[0], numbers[1]
