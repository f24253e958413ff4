"""Specifications to plain data, such as JSON holds, and back, exact to the bit.

    FixtureSpec(Circle(0.5), density=2.0)   <->   {"kind": "fixture", "shape": {"kind": "circle", "radius": 0.5}, "density": 2.0}

A specification is an object whose names are its fields; ``"kind"`` tells which (`KINDS`) and is left out where there is only one
choice, as for the fixtures of a body. A field that has its default is left out. Tuples are lists. Numbers have as many digits as bring back
the same float; in specifications for a solver of float32 (`precision`) as few as bring back the same float32, 0.1 and not
0.10000000149011612.

Coming back, every value passes the specification's own checks, and whatever is wrong is told with its way from the top:
``bodies[3].fixtures[0].density must be >= 0 kg/m^2, got -1``.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.limits import MAX_NUMBER
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.common.words import LONGEST_NAME, brief
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.geometry.flat_corners import corners_left_out, without_flat_corners
from engine.geometry.polygon import corner_rows
from engine.world import BodySpec, FixtureSpec, WorldSettings, accept
from engine.world.fields import float32
from engine.world.joint_specs import JOINT_SPECS

__all__ = ["JOINT_KINDS", "KINDS", "SHAPE_KINDS", "Precision", "at", "from_plain", "to_plain"]

SHAPE_KINDS: Mapping[str, type] = MappingProxyType({"circle": Circle, "polygon": Polygon, "capsule": Capsule, "segment": Segment})
"""Shapes of fixtures, by their kind."""

JOINT_KINDS: Mapping[str, type] = MappingProxyType({kind.__name__.removesuffix("JointSpec").lower(): kind for kind in JOINT_SPECS})
"""Joints, by their kind."""

KINDS: Mapping[str, type] = MappingProxyType(
    {**SHAPE_KINDS, **JOINT_KINDS, "fixture": FixtureSpec, "body": BodySpec, "settings": WorldSettings}
)
"""Everything that has a kind."""

_SHAPES = frozenset(SHAPE_KINDS.values())
_NAMES = {kind: name for name, kind in KINDS.items()}
_DEEPEST = 32
"""Lists in lists that are still read; a specification needs four."""

Precision: TypeAlias = type[np.floating[Any]]
"""Of what a solver holds: `numpy.float32` or `numpy.float64`."""


class _Reading(NamedTuple):
    """How specifications are read: refusing what this solver could not take, if any, with numbers of this precision; and where it is told
    what was left out, None where nothing may be."""

    solver: str | None
    precision: Precision
    notes: list[str] | None


def to_plain(value: Any, precision: Precision = np.float32) -> Any:
    """Return plain data: dict, list, str, int, float, bool and None, of a specification, a shape, a number, a text, or tuples of such.

    A mapping is told as the pairs of its names and values.

    Raises
    ------
    InvalidInputError
        It holds something else, or a number that is not finite.
    """
    return _plain(value, "value", True, False, precision)


def from_plain(
    plain: object,
    path: str = "",
    kinds: Mapping[str, type] | None = None,
    solver: str | None = None,
    precision: Precision = np.float32,
    notes: list[str] | None = None,
) -> Any:
    """Return what `to_plain` was given; lists come back as tuples.

    Parameters
    ----------
    plain : object
        As JSON gives it.
    path : str
        Where it stands, for messages: ``bodies[3]``.
    kinds : mapping of str to type, optional
        What it may be, such as `JOINT_KINDS` or ``{"body": BodySpec}``, and nothing else then; of one kind ``"kind"`` may be left out.
    solver : str, optional
        Refuse also what this solver could not take, one of `engine.world.solvers`.
    precision : type
        As `to_plain` was given it: `numpy.float32` or `numpy.float64`.
    notes : list of str, optional
        Takes a sentence for each corner that float32 cannot tell from the line of its neighbors and that was left out, because the polygon
        is not taken with it (`engine.geometry.flat_corners`). Without it a polygon must be convex to the bit.

    Raises
    ------
    InvalidInputError
        An unknown kind or field, a field that is missing, a value that the specification, or the solver, refuses; named with its path.
    """
    reading = _Reading(solver, precision, notes)
    return _value(plain, path, 0, reading) if kinds is None else _object(plain, path, kinds, reading)


def at(path: str, name: str | int) -> str:
    """Return the path of a field, or of an element of a list, below a path."""
    if isinstance(name, int):
        return f"{path}[{name}]"
    name = brief(name, LONGEST_NAME)
    return f"{path}.{name}" if path else name


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
        return [_plain(one, at(path, k), is_tagged, is_short, precision) for k, one in enumerate(value)]
    raise InvalidInputError(path, "a specification, a shape, a number, a text, or a tuple of such", value)


def _plain_object(value: Any, name: str | None, path: str, is_short: bool, precision: Precision) -> dict[str, Any]:
    plain: dict[str, Any] = {} if name is None else {"kind": name}
    in_fixture = isinstance(value, FixtureSpec)
    for field in fields(value):
        given = getattr(value, field.name)
        if not field.init or _is_default(given, field.default, is_short):
            continue
        if isinstance(value, Polygon) and field.name == "vertices":
            given = given.tolist()
        if field.name == "solver_settings":
            plain[field.name] = {key: _plain(one, at(path, key), False, False, precision) for key, one in given}
            continue
        # an axis may be a unit vector of float64
        plain[field.name] = _plain(given, at(path, field.name), False, is_short and field.name != "axis", precision)
        if in_fixture and field.name == "shape":
            if is_short and plain["shape"].get("skin_radius") == BOX2D_POLYGON_SKIN:
                del plain["shape"]["skin_radius"]  # Box2D gives its own
    return plain


def _is_default(value: object, default: object, is_short: bool) -> bool:
    """Compare by what is written, which tells -0.0 from 0.0."""
    if type(value) is not type(default):
        return False
    return repr(value) == repr(default) or (is_short and isinstance(default, float) and repr(value) == repr(float32(default)))


def _shortest(number: float) -> float:
    """Return the float with the fewest digits that float32 rounds to the same; the number itself if float32 does not hold it."""
    with np.errstate(over="ignore"):
        rounded = np.float32(number)
    return float(str(rounded)) if float(rounded) == number else number


def _as_float32(plain: object) -> object:
    """Return the numbers of a fixture's shape as float32 holds them, so that corners are judged as they are, not as written."""
    if isinstance(plain, list | tuple):
        return [_as_float32(one) for one in plain]
    if isinstance(plain, float) and abs(plain) <= MAX_NUMBER:
        rounded = float32(plain)
        return rounded if rounded != 0.0 else plain
    return plain


def _value(plain: object, path: str, depth: int, reading: _Reading) -> Any:
    if isinstance(plain, Mapping):
        return _object(plain, path, KINDS, reading)
    if isinstance(plain, list | tuple):
        if depth == _DEEPEST:
            raise InvalidInputError(path, f"at most {_DEEPEST} lists deep", Described("more"))
        return tuple(_value(one, at(path, k), depth + 1, reading) for k, one in enumerate(plain))
    if plain is None or isinstance(plain, bool | str | int):
        return plain
    if isinstance(plain, float) and math.isfinite(plain):
        return plain
    raise InvalidInputError(path or "value", "plain data with finite numbers", plain)


def _object(plain: object, path: str, kinds: Mapping[str, type], reading: _Reading) -> Any:
    if not isinstance(plain, Mapping):
        raise InvalidInputError(path or "value", "an object", plain)
    kind = _kind(plain, path, kinds)
    known = [field for field in fields(kind) if field.init]
    for name, value in plain.items():
        if name != "kind":
            _check_name(path, name, value, [field.name for field in known])
    given: dict[str, Any] = {}
    for field in known:
        if field.name not in plain:
            if field.default is MISSING and field.default_factory is MISSING:
                raise InvalidInputError(at(path, field.name), "given", Described("nothing"))
            continue
        given[field.name] = _field(kind, field.name, plain[field.name], at(path, field.name), reading)
    with renamed(lambda field: _place(path, field, given)):
        made: Any = _polygon(**given) if kind is Polygon and reading.notes is not None else kind(**given)
        if reading.solver is not None and kind not in _SHAPES:
            made = accept(made, reading.solver)
    if kind is FixtureSpec and isinstance(made.shape, Polygon) and reading.notes is not None:
        corners = corner_rows(plain["shape"]["vertices"]).astype(reading.precision).astype(np.float64)
        for one in corners_left_out(corners, made.shape.vertices):
            reading.notes.append(f"Left out: {at(path, 'shape')}.{one.words}.")
    return made


def _polygon(vertices: object, **more: Any) -> Polygon:
    """Return a polygon of a file, without corners that rounding to float32 has made dents of."""
    return without_flat_corners(corner_rows(vertices), lambda corners: Polygon(corners, **more))


def _place(path: str, field: str, given: Mapping[str, Any]) -> str:
    """Return where a mistake is that the specification names by `field`: what it says of all its fixtures is about no one of them."""
    head = field.partition("[")[0].partition(".")[0]
    if "shape" in given and head != "shape" and head not in FixtureSpec.__dataclass_fields__:
        return at(at(path, "shape"), field)
    if "fixtures" in given and head not in BodySpec.__dataclass_fields__:
        return f"{at(path, 'fixtures')}: {field}"
    return at(path, field)


def _kind(plain: Mapping[Any, Any], path: str, kinds: Mapping[str, type]) -> type:
    name = plain.get("kind")
    if "kind" not in plain and len(kinds) == 1:
        return next(iter(kinds.values()))
    if not isinstance(name, str) or name not in kinds:
        raise InvalidInputError(at(path, "kind"), "one of " + ", ".join(kinds), name if "kind" in plain else Described("nothing"))
    return kinds[name]


def _check_name(path: str, name: object, value: object, known: Sequence[str]) -> None:
    if name in known:
        return
    near = difflib.get_close_matches(str(name), known, n=3) or sorted(known)
    raise InvalidInputError(at(path, str(name)), "a field that exists (" + ", ".join(near) + ")", value)


def _field(kind: type, name: str, plain: object, path: str, reading: _Reading) -> Any:
    if kind is FixtureSpec and name == "shape":
        if isinstance(plain, Mapping) and reading.precision is np.float32:
            # no shape nests deeper than its list of corners; what does is refused as it stands
            plain = {key: _as_float32(one) if _is_shallow(one) else one for key, one in plain.items()}
        return _object(plain, path, SHAPE_KINDS, reading)
    if kind is BodySpec and name == "fixtures":
        if not isinstance(plain, list | tuple):
            raise InvalidInputError(path, "a list", plain)
        return tuple(_object(one, at(path, k), {"fixture": FixtureSpec}, reading) for k, one in enumerate(plain))
    return plain


def _is_shallow(plain: object) -> bool:
    return not isinstance(plain, list | tuple) or not any(
        isinstance(inner, list | tuple) for one in plain if isinstance(one, list | tuple) for inner in one
    )
