"""Exact, reversible conversion of specifications to plain data, such as JSON.

    FixtureSpec(Circle(0.5), density=2.0)   <->   {"kind": "fixture", "shape": {"kind": "circle", "radius": 0.5}, "density": 2.0}

A specification becomes an object with one member per field; ``"kind"`` names its class (`KINDS`) and is omitted if only one class is
possible, as for the fixtures of a body. Fields with their default value are omitted. Tuples become lists. Numbers have enough digits to
restore the same float; in specifications for a float32 solver (`precision`), they have just enough digits to restore the same float32: 0.1
instead of 0.10000000149011612.

When plain data are read, the specification checks every value, and an error names the value's path from the top:
``bodies[3].fixtures[0].density must be >= 0 kg/m^2, got -1``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.limits import MAX_NUMBER
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.common.words import path_below
from engine.geometry import Polygon
from engine.geometry.flat_corners import corners_left_out, without_flat_corners
from engine.geometry.polygon import corner_rows
from engine.scenes.kinds import KINDS, SHAPE_KINDS
from engine.world import BodySpec, FixtureSpec, accept
from engine.world.fields import float32

__all__ = ["Precision", "Reading", "from_plain", "specification", "to_plain"]

_SHAPES = frozenset(SHAPE_KINDS.values())
_NAMES = {kind: name for name, kind in KINDS.items()}
_MAX_DEPTH = 32
"""Maximum nesting depth of lists; a specification needs four."""
_SHAPE_DEPTH = 2
"""Nesting depth of lists in a shape, whose vertices are lists of two numbers."""

Precision: TypeAlias = type[np.floating[Any]]
"""Floating-point type of a solver, `numpy.float32` or `numpy.float64`."""


class Reading(NamedTuple):
    """How specifications are read.

    If `solver` is given, whatever that solver does not support is rejected. `precision` is the type of the numbers. A message is added to
    `notes` for each dropped vertex; if it is None, a polygon must be exactly convex. A vertex is dropped if float32 cannot distinguish it
    from the line through its neighbors and the polygon would be rejected with it (`engine.geometry.flat_corners`).
    """

    solver: str | None
    precision: Precision
    notes: list[str] | None


def to_plain(value: Any, precision: Precision = np.float32) -> Any:
    """Convert a specification, shape, number or text, or tuples of these, to plain data (dict, list, str, int, float, bool, None).

    A mapping becomes a sorted list of pairs of name and value.

    Raises
    ------
    InvalidInputError
        The value contains another type, or a number that is not finite.
    """
    return _plain(value, "value", True, False, precision)


def from_plain(
    plain: object,
    path: str = "",
    kinds: Mapping[str, type] | None = None,
    solver: str | None = None,
    precision: Precision = np.float32,
) -> Any:
    """Return the value that `to_plain` converted; lists become tuples.

    Parameters
    ----------
    plain : object
        As parsed from JSON.
    path : str
        Path of the value, for messages: ``bodies[3]``.
    kinds : mapping of str to type, optional
        The only kinds accepted, such as `JOINT_KINDS` or ``{"body": BodySpec}``; if there is only one kind, ``"kind"`` may be omitted.
    solver : str, optional
        One of `engine.world.solvers`; whatever this solver does not support is also rejected.
    precision : type
        As passed to `to_plain`: `numpy.float32` or `numpy.float64`.

    Raises
    ------
    InvalidInputError
        An unknown kind or field, a missing field, or a value that the specification or the solver rejects; the error names its path.
    """
    reading = Reading(solver, precision, None)
    return _value(plain, path, 0, reading) if kinds is None else _object(plain, path, kinds, reading)


def _plain(value: Any, path: str, is_tagged: bool, is_short: bool, precision: Precision) -> Any:
    name = _NAMES.get(type(value))
    if name is not None:
        is_shape = name in SHAPE_KINDS
        is_short = is_short or (not is_shape and precision is np.float32)
        return _plain_object(value, name if is_tagged or is_shape else None, path, is_short, precision)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            raise InvalidInputError(path, "finite", float(value))
        return _shortest(float(value)) if is_short else float(value)
    if isinstance(value, Mapping):
        value = sorted(value.items())
    if isinstance(value, tuple | list):
        return [_plain(item, path_below(path, k), is_tagged, is_short, precision) for k, item in enumerate(value)]
    raise InvalidInputError(path, "a specification, a shape, a number, text, or a tuple of these", value)


def _plain_object(value: Any, name: str | None, path: str, is_short: bool, precision: Precision) -> dict[str, Any]:
    plain: dict[str, Any] = {} if name is None else {"kind": name}
    in_fixture = isinstance(value, FixtureSpec)
    for field in fields(value):
        content = getattr(value, field.name)
        if not field.init or _is_default(content, field.default, is_short):
            continue
        if isinstance(value, Polygon) and field.name == "vertices":
            content = content.tolist()
        if field.name == "solver_settings":
            plain[field.name] = {key: _plain(item, path_below(path, key), False, False, precision) for key, item in content}
            continue
        # an axis may be a float64 unit vector
        plain[field.name] = _plain(content, path_below(path, field.name), False, is_short and field.name != "axis", precision)
        if in_fixture and field.name == "shape":
            if is_short and plain["shape"].get("skin_radius") == BOX2D_POLYGON_SKIN:
                del plain["shape"]["skin_radius"]  # Box2D sets its own
    return plain


def _is_default(value: object, default: object, is_short: bool) -> bool:
    """Return whether a value is written like its default; -0.0 and 0.0 are written differently."""
    if type(value) is not type(default):
        return False
    return repr(value) == repr(default) or (is_short and isinstance(default, float) and repr(value) == repr(float32(default)))


def _shortest(number: float) -> float:
    """Return the float with the fewest digits that rounds to the same float32; `number` itself if it is not a float32."""
    with np.errstate(over="ignore"):
        rounded = np.float32(number)
    return float(str(rounded)) if float(rounded) == number else number


def _as_float32(plain: object, depth: int = 0) -> object:
    """Round the numbers of a fixture's shape to float32, so that vertices are checked as they will be stored, not as they were written."""
    if isinstance(plain, list | tuple) and depth < _SHAPE_DEPTH:
        return [_as_float32(item, depth + 1) for item in plain]
    if isinstance(plain, float) and abs(plain) <= MAX_NUMBER:
        rounded = float32(plain)
        return rounded if rounded != 0.0 else plain
    return plain


def _value(plain: object, path: str, depth: int, reading: Reading) -> Any:
    if isinstance(plain, Mapping):
        return _object(plain, path, KINDS, reading)
    if isinstance(plain, list | tuple):
        if depth == _MAX_DEPTH:
            raise InvalidInputError(path, f"nested at most {_MAX_DEPTH} lists deep", Described("more"))
        return tuple(_value(item, path_below(path, k), depth + 1, reading) for k, item in enumerate(plain))
    if plain is None or isinstance(plain, bool | str | int):
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    raise InvalidInputError(path or "value", "plain data with finite numbers", plain)


def _object(plain: object, path: str, kinds: Mapping[str, type], reading: Reading) -> Any:
    from engine.common.file_schema import validated
    from engine.scenes.models import adapter_of

    with renamed(lambda field: path_below(path, field) or "value"):
        model = validated(adapter_of(tuple(kinds)), plain)
    return specification(model, path, reading)


def specification(model: Any, path: str, reading: Reading) -> Any:
    """Return the specification or shape described by a model of `engine.scenes.models`.

    Raises
    ------
    InvalidInputError
        The specification or the solver rejects a value; its path begins with `path`.
    """
    kind: Any = KINDS[model.kind]
    values = {name: getattr(model, name) for name in model.model_fields_set - {"kind", "solver"}}
    if kind is FixtureSpec:
        shape = model.shape
        if reading.precision is np.float32:
            shape = shape.model_copy(update={name: _as_float32(getattr(shape, name)) for name in shape.model_fields_set})
        values["shape"] = specification(shape, path_below(path, "shape"), reading)
    if "fixtures" in values:
        values["fixtures"] = tuple(
            specification(fixture, f"{path_below(path, 'fixtures')}[{k}]", reading) for k, fixture in enumerate(model.fixtures)
        )
    with renamed(lambda field: _place(path, field, values)):
        made: Any = _polygon(**values) if kind is Polygon and reading.notes is not None else kind(**values)
        if reading.solver is not None and kind not in _SHAPES:
            made = accept(made, reading.solver)
    if kind is FixtureSpec and isinstance(made.shape, Polygon) and reading.notes is not None:
        corners = corner_rows(model.shape.vertices).astype(reading.precision).astype(np.float64)
        for corner in corners_left_out(corners, made.shape.vertices):
            reading.notes.append(f"Left out: {path_below(path, 'shape')}.{corner.words}.")
    return made


def _polygon(vertices: object, **more: Any) -> Polygon:
    """Return a polygon from a file, without vertices that rounding to float32 has turned into dents."""
    return without_flat_corners(corner_rows(vertices), lambda corners: Polygon(corners, **more))


def _place(path: str, field: str, given: Mapping[str, Any]) -> str:
    """Return the path of an error in the specification's `field`; an error that concerns all fixtures is not attributed to one of them."""
    head = field.partition("[")[0].partition(".")[0]
    if "shape" in given and head != "shape" and head not in FixtureSpec.__dataclass_fields__:
        return path_below(path_below(path, "shape"), field)
    if "fixtures" in given and head not in BodySpec.__dataclass_fields__:
        return f"{path_below(path, 'fixtures')}: {field}"
    return path_below(path, field)
