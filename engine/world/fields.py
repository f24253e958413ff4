"""The rules for the fields of specifications: one table by field name, which has one meaning in all specifications.

Specifications check themselves by it (`spec`, `Checked`), a solver rounds their numbers by it (`rounded`), and the schema of scene
files is generated from it.
"""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, dataclass_transform

import numpy as np

from engine.common.checks import boolean, finite, integer, measured, pair, text
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_COORDINATE, MAX_ITERATIONS, MAX_NAME, MAX_NUMBER, MAX_SPEED
from engine.common.tolerances import EPS64, LINEAR_SLOP

__all__ = ["Checked", "Rule", "changed", "check_names", "float32", "named_values", "number", "rounded", "rule_of", "spec", "unit", "vector"]

_T = TypeVar("_T")


def number(field: str, value: object, unit: str = "", low: float | None = None, high: float | None = None, is_above: bool = False) -> float:
    """Return `value` as a float, checked against ``[low, high]``, or above `low`, and `MAX_NUMBER`."""
    parsed = finite(field, value, unit)
    bottom, top = -MAX_NUMBER if low is None else low, MAX_NUMBER if high is None else high
    if not bottom <= parsed <= top:
        requirement = f">= {bottom:g}" if high is None and low is not None and parsed < bottom else f"from {bottom:g} to {top:g}"
        raise InvalidInputError(field, f"{requirement} {unit}".strip(), value)
    if is_above and parsed == bottom:
        raise InvalidInputError(field, f"> {bottom:g} {unit}".strip(), value)
    return parsed


def vector(field: str, value: object, unit: str = "", limit: float | None = None) -> tuple[float, float]:
    """Return two numbers, each of magnitude `limit` at most."""
    x, y = pair(field, value, measured("two finite numbers", unit))
    bound = MAX_NUMBER if limit is None else limit
    return number(f"{field}[0]", x, unit, -bound, bound), number(f"{field}[1]", y, unit, -bound, bound)


def unit(direction: tuple[float, float]) -> tuple[float, float]:
    """Return a direction as a unit vector; a unit vector stays the same to the bit, as when a joint is copied."""
    x, y = direction
    length = math.hypot(x, y)
    return direction if abs(length - 1.0) <= _UNIT_ROUNDING else (x / length, y / length)


_UNIT_ROUNDING = 4.0 * EPS64
"""Rounding, relative: two divisions, and the length taken again."""


def _direction(field: str, value: object) -> tuple[float, float]:
    direction = vector(field, value)
    if math.hypot(*direction) < LINEAR_SLOP:
        raise InvalidInputError(field, f"a direction of length >= {LINEAR_SLOP}", value)
    return direction


class Rule(NamedTuple):
    """The rule for a field: numbers in `unit` from `low` to `high`, above `low` where `is_above`; for a vector each part up to `high`, of a
    text so many characters."""

    kind: Literal["number", "vector", "direction", "whole", "flag", "text"]
    unit: str = ""
    low: float | None = None
    high: float | None = None
    is_above: bool = False

    def checked(self, field: str, value: object) -> Any:
        """Return a value as the specification holds it.

        Raises
        ------
        InvalidInputError
            It is out of the range, or no such value; names field, value and range.
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
    """Return a mapping of names to numbers or words, or pairs of such, as pairs in the order of the names."""
    requirement = "numbers or words by name"
    try:
        values = list(dict(raw).items())
    except Exception:  # no pairs, unhashable keys, or raised by a foreign mapping
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
_STRICTER: Mapping[tuple[str, str], Rule] = MappingProxyType(
    {
        ("MouseJointSpec", "max_force"): Rule("number", "N", 0.0, is_above=True),  # it would not hold otherwise
        ("MouseJointSpec", "frequency"): Rule("number", "Hz", 0.0, is_above=True),
        # Box2D divides by a ratio, and corrects positions by what comes out, however far
        ("PulleyJointSpec", "ratio"): Rule("number", low=1.0e-3, high=1.0e3),
    }
)
_BY_TYPE = {
    **{"bool": Rule("flag"), "str": Rule("text"), "tuple[float, float]": Rule("vector")},
    **dict.fromkeys(("float", "float | None"), Rule("number")),
}


def rule_of(kind: type, name: str) -> Rule | None:
    """Return the rule of a field of a specification; None where the specification checks it by itself."""
    return _rules(kind).get(name)


@functools.cache
def _rules(kind: Any) -> dict[str, Rule]:
    rules = {
        field.name: _STRICTER.get((kind.__name__, field.name)) or _RULES.get(field.name) or _BY_TYPE.get(str(field.type))
        for field in fields(kind)
    }
    return {name: rule for name, rule in rules.items() if rule is not None}


class Checked:
    """A specification that checks its fields by their rules when it is made."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, rule in _rules(kind).items():
            value = getattr(self, name)
            if value is not None or getattr(kind, name, 0) is not None:  # None, where it is the default, is what it is at creation
                object.__setattr__(self, name, rule.checked(name, value))


@dataclass_transform(frozen_default=True)
def spec(cls: type[_T]) -> type[_T]:
    """Make `cls` a frozen dataclass whose constructor names a misspelled setting and what it may have meant."""
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
    """Refuse a setting that `owner` does not have.

    Raises
    ------
    InvalidInputError
        Names the misspelled setting, its value, and the nearest settings there are.
    """
    names = tuple(known)
    for name, value in settings.items():
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3) or sorted(names)
            raise InvalidInputError(f"{owner}.{name}", "a setting that exists (" + ", ".join(near) + ")", value)


def changed(owner: _T, label: str, changes: dict[str, Any], allowed: Iterable[str] | None = None) -> _T:
    """Return a copy of a specification with `changes`, every name and value checked again."""
    names = [field.name for field in fields(owner)] if allowed is None else list(allowed)  # type: ignore[arg-type]
    check_names(label, changes, names)
    return replace(owner, **changes)  # type: ignore[type-var]


def rounded(owner: _T) -> _T:
    """Return a specification with the numbers of float32, an axis as the unit vector of such; itself where it has them.

    Raises
    ------
    InvalidInputError
        Rounded it would be none: a length of 0.
    """
    kind: Any = type(owner)
    changes: dict[str, Any] = {}
    for name, rule in _rules(kind).items():
        value = getattr(owner, name)
        if value is None or rule.kind not in _ROUNDED:
            continue
        held = _ROUNDED[rule.kind](value)
        if held != value:
            if rule.is_above and held == rule.low:
                raise InvalidInputError(name, f"> {rule.low:g} {rule.unit} at float32 precision", value)
            changes[name] = held
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
