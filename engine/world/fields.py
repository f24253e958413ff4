"""Validation rules for the fields of specifications, by field name. A name has the same meaning in all specifications, unless one has a
rule of its own (`Checked.rules`).

Specifications use the rules to validate themselves (`spec`, `Checked`), solvers to round numbers (`rounded`), and the schema of scene
files is generated from them.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, dataclass_transform, get_type_hints

import numpy as np

from engine.common.checks import boolean, finite, integer, measured, pair, text
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_COORDINATE, MAX_ITERATIONS, MAX_NAME, MAX_NUMBER, MAX_SPEED
from engine.common.tolerances import EPS64, LINEAR_SLOP
from engine.common.words import LONGEST_NAME

__all__ = ["Checked", "Rule", "changed", "check_names", "float32", "named_values", "number", "rounded", "rule_of", "spec", "unit", "vector"]

_T = TypeVar("_T")


def number(field: str, value: object, unit: str = "", low: float | None = None, high: float | None = None, is_above: bool = False) -> float:
    """Return `value` as a float after checking that it is in ``[low, high]``, or above `low` if `is_above`; None means ±`MAX_NUMBER`."""
    parsed = finite(field, value, unit)
    bottom, top = -MAX_NUMBER if low is None else low, MAX_NUMBER if high is None else high
    if not bottom <= parsed <= top:
        requirement = f">= {bottom:g}" if high is None and low is not None and parsed < bottom else f"from {bottom:g} to {top:g}"
        raise InvalidInputError(field, f"{requirement} {unit}".strip(), value)
    if is_above and parsed == bottom:
        raise InvalidInputError(field, f"> {bottom:g} {unit}".strip(), value)
    return parsed


def vector(field: str, value: object, unit: str = "", limit: float | None = None) -> tuple[float, float]:
    """Return a pair of floats, each of magnitude at most `limit`, or `MAX_NUMBER` if that is None."""
    x, y = pair(field, value, measured("two finite numbers", unit))
    bound = MAX_NUMBER if limit is None else limit
    return number(f"{field}[0]", x, unit, -bound, bound), number(f"{field}[1]", y, unit, -bound, bound)


def unit(direction: tuple[float, float]) -> tuple[float, float]:
    """Return a normalized direction. A unit vector is returned unchanged, so that copying a joint is exact."""
    x, y = direction
    length = math.hypot(x, y)
    return direction if abs(length - 1.0) <= _UNIT_ROUNDING else (x / length, y / length)


_UNIT_ROUNDING = 4.0 * EPS64
"""Relative rounding error in the length of a normalized vector, from two divisions and from computing the length."""


def _direction(field: str, value: object) -> tuple[float, float]:
    direction = vector(field, value)
    if math.hypot(*direction) < LINEAR_SLOP:
        raise InvalidInputError(field, f"a direction of length >= {LINEAR_SLOP}", value)
    return direction


class Rule(NamedTuple):
    """Validation rule of a field.

    Numbers are in `unit`, from `low` to `high`; `is_above` excludes `low` itself. For a vector, `high` is the maximum magnitude of each
    component; for a text, it is the maximum length.
    """

    kind: Literal["number", "vector", "direction", "whole", "flag", "text"]
    unit: str = ""
    low: float | None = None
    high: float | None = None
    is_above: bool = False

    def checked(self, field: str, value: object) -> Any:
        """Return `value` validated and converted to the field's type.

        Raises
        ------
        InvalidInputError
            The value has the wrong type or is out of range; the message names field, value and range.
        """
        match self.kind:
            case "number":
                return number(field, value, self.unit, self.low, self.high, self.is_above)
            case "vector":
                return vector(field, value, self.unit, self.high)
            case "direction":
                return _direction(field, value)
            case "whole":
                return integer(field, value, None if self.low is None else int(self.low), None if self.high is None else int(self.high))
            case "flag":
                return boolean(field, value)
            case "text":
                return text(field, value, None if self.high is None else int(self.high))


def named_values(field: str, raw: Any) -> tuple[tuple[str, float | str], ...]:
    """Return a mapping of names to numbers or strings, or an iterable of such pairs, as pairs sorted by name."""
    requirement = "a mapping of names to numbers or strings"
    try:
        values = list(dict(raw).items())
    except Exception:  # the value is not made of pairs, has unhashable keys, or is a foreign mapping that raises an error
        raise InvalidInputError(field, requirement, raw) from None
    named: dict[str, float | str] = {}
    for name, value in values:
        if not isinstance(name, str) or not str.__str__(name):
            raise InvalidInputError(field, requirement, raw)
        plain = str.__str__(name)
        named[plain] = str.__str__(value) if isinstance(value, str) else _plain(f"{field}.{plain}", value)
    return tuple(sorted(named.items()))


def _plain(field: str, value: object) -> float:
    number = finite(field, value)
    return integer(field, value) if isinstance(value, Integral) else number


_NOT_NEGATIVE = {
    **{"density": "kg/m^2", "friction": "", "restitution": "", "linear_damping": "1/s", "angular_damping": "1/s"},
    **{"frequency": "Hz", "damping_ratio": "", "max_motor_torque": "N m", "max_motor_force": "N", "max_force": "N", "max_torque": "N m"},
}
_POINTS = ("position", "anchor", "anchor_a", "anchor_b", "ground_anchor_a", "ground_anchor_b", "target", "grabbed", "linear_offset")
_LENGTHS = ("max_length", "length", "length_a", "length_b")
_REFERENCES = ("body", "body_a", "body_b", "joint_a", "joint_b")

_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **{name: Rule("number", unit, 0.0) for name, unit in _NOT_NEGATIVE.items()},
        **dict.fromkeys(_POINTS, Rule("vector", "m", high=MAX_COORDINATE)),
        **dict.fromkeys(_LENGTHS, Rule("number", "m", 0.0, is_above=True)),
        **dict.fromkeys(_REFERENCES, Rule("whole", low=0)),
        **dict.fromkeys(("velocity_iterations", "position_iterations"), Rule("whole", low=1, high=MAX_ITERATIONS)),
        **dict.fromkeys(("category", "mask"), Rule("whole", low=0, high=0xFFFF)),
        "group": Rule("whole", low=-0x8000, high=0x7FFF),
        "gravity": Rule("vector", "m/s^2"),
        "hertz": Rule("number", "Hz", 1.0, 10_000.0),
        "name": Rule("text", high=MAX_NAME),
        "restitution_threshold": Rule("number", "m/s", 0.0, MAX_SPEED),
        "angle": Rule("number", "rad"),
        "linear_velocity": Rule("vector", "m/s", high=MAX_SPEED),
        "angular_velocity": Rule("number", "rad/s", -MAX_SPEED, MAX_SPEED),
        "axis": Rule("direction"),
        "correction_factor": Rule("number", low=0.0, high=1.0),
    }
)
_BY_TYPE: Mapping[Any, Rule] = MappingProxyType(
    {
        **{bool: Rule("flag"), str: Rule("text"), tuple[float, float]: Rule("vector")},
        **dict.fromkeys((float, float | None), Rule("number")),
    }
)


def rule_of(kind: type, name: str) -> Rule | None:
    """Return the rule of a specification's field, or None if the specification validates it itself."""
    return _rules(kind).get(name)


@functools.cache
def _rules(kind: Any) -> dict[str, Rule]:
    types = get_type_hints(kind)
    rules = {
        field.name: getattr(kind, "rules", {}).get(field.name) or _RULES.get(field.name) or _BY_TYPE.get(types[field.name])
        for field in fields(kind)
    }
    return {name: rule for name, rule in rules.items() if rule is not None}


_REQUIRED = object()
"""Stands for the default of a field that has none."""


class Checked:
    """Base class of specifications. It validates their fields on construction.

    Attributes
    ----------
    rules : dict of str to Rule
        Rules of fields that do not have the rule of their name.
    """

    rules: ClassVar[dict[str, Rule]] = {}

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, rule in _rules(kind).items():
            value = getattr(self, name)
            if value is not getattr(kind, name, _REQUIRED):  # defaults are valid
                object.__setattr__(self, name, rule.checked(name, value))


@dataclass_transform(frozen_default=True)
def spec(cls: type[_T]) -> type[_T]:
    """Make `cls` a frozen dataclass whose constructor rejects misspelled settings and suggests similar names."""
    made: Any = dataclass(frozen=True)(cls)
    known = tuple(field.name for field in fields(made) if field.init)
    plain_init = made.__init__

    @functools.wraps(plain_init)
    def init(self: Any, *args: Any, **settings: Any) -> None:
        check_names(cls.__name__, settings, known)
        plain_init(self, *args, **settings)

    made.__init__ = init
    return made  # type: ignore[no-any-return]


def check_names(owner: str, settings: dict[str, Any], known: Iterable[str]) -> None:
    """Check that all `settings` are among the `known` settings of `owner`.

    Raises
    ------
    InvalidInputError
        A setting is unknown; the message names it, its value, and the most similar known settings.
    """
    names = tuple(known)
    for name, value in settings.items():
        if name not in names:
            near = difflib.get_close_matches(name[:LONGEST_NAME], names, n=3) or sorted(names) or ["there is none"]
            raise InvalidInputError(f"{owner}.{name}", "a known setting (" + ", ".join(near) + ")", value)


def changed(owner: _T, label: str, changes: dict[str, Any], allowed: Iterable[str] | None = None) -> _T:
    """Return a copy of a specification with `changes`, after validating every name and value."""
    names = [field.name for field in fields(owner)] if allowed is None else list(allowed)  # type: ignore[arg-type]
    check_names(label, changes, names)
    return replace(owner, **changes)  # type: ignore[type-var]


def rounded(owner: _T) -> _T:
    """Return a specification with numbers rounded to float32 and axes renormalized after rounding; `owner` itself if nothing changes.

    Raises
    ------
    InvalidInputError
        A value that must be positive rounds to 0.
    """
    kind: Any = type(owner)
    changes: dict[str, Any] = {}
    for name, rule in _rules(kind).items():
        value = getattr(owner, name)
        if value is None or rule.kind not in _ROUNDED:
            continue
        rounded_value = _ROUNDED[rule.kind](value)
        if rounded_value != value:
            if rule.is_above and rounded_value == rule.low:
                raise InvalidInputError(name, f"> {rule.low:g} {rule.unit} at float32 precision", value)
            changes[name] = rounded_value
    return replace(owner, **changes) if changes else owner  # type: ignore[type-var]


def float32(value: float) -> float:
    """Return a number rounded to float32."""
    return float(np.float32(value))


def _float32_pair(value: tuple[float, float]) -> tuple[float, float]:
    return float32(value[0]), float32(value[1])


def _float32_direction(value: tuple[float, float]) -> tuple[float, float]:
    return value if unit(value) == value else unit(_float32_pair(value))


_ROUNDED: Mapping[str, Callable[[Any], Any]] = {
    "number": float32,
    "vector": _float32_pair,
    "direction": _float32_direction,
}
