"""Checked conversion of single values at the public boundary: each returns a plain value or raises with the field's name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from itertools import islice
from numbers import Integral, Real

from engine.common.errors import InvalidInputError

__all__ = [
    "boolean",
    "choice",
    "finite",
    "integer",
    "measured",
    "non_negative",
    "pair",
    "point",
    "positive",
    "seed_number",
    "text",
    "within",
]

_MAX_SEED = 2**63 - 1
"""What 64 bits with a sign hold: recordings and pair files keep the seed in such."""


def finite(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a finite float; bool, text, NaN and infinities are refused."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInputError(field, measured("a finite number", unit), value)
    try:
        number = float(value)
    except Exception:  # too large; or a number of somebody else's, who raises what he likes
        raise InvalidInputError(field, measured("a finite number", unit), value) from None
    if not math.isfinite(number):
        raise InvalidInputError(field, measured("a finite number", unit), value)
    return number


def positive(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float greater than 0."""
    number = finite(field, value, unit)
    if number <= 0.0:
        raise InvalidInputError(field, _with_unit("> 0", unit), value)
    return number


def non_negative(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a float of at least 0."""
    number = finite(field, value, unit)
    if number < 0.0:
        raise InvalidInputError(field, _with_unit(">= 0", unit), value)
    return number


def within(field: str, value: object, low: float, high: float, unit: str = "") -> float:
    """Return `value` as a float within ``[low, high]``; NaN is refused."""
    wanted = f"from {low:g} to {high:g}" + (f" {unit}" if unit else "")
    try:
        number = finite(field, value)
    except InvalidInputError:
        raise InvalidInputError(field, wanted, value) from None
    if not low <= number <= high:
        raise InvalidInputError(field, wanted, value)
    return number


def integer(field: str, value: object, low: int | None = None, high: int | None = None) -> int:
    """Return `value` as an int within ``[low, high]``; bool is refused."""
    if type(value) is int and (low is None or value >= low) and (high is None or value <= high):
        return value
    wanted = "a whole number"
    if low is not None and high is not None:
        wanted += f" from {low} to {high}"
    elif low is not None:
        wanted += f" >= {low}"
    elif high is not None:
        wanted += f" <= {high}"
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidInputError(field, wanted, value)
    try:
        number = int(value)
    except Exception:
        raise InvalidInputError(field, wanted, value) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise InvalidInputError(field, wanted, value)
    return number


def seed_number(field: str, value: object) -> int:
    """Return `value` if it is a seed: a whole number that every file of ours can hold."""
    return integer(field, value, 0, _MAX_SEED)


def boolean(field: str, value: object) -> bool:
    """Return `value` if it is True or False, and nothing else."""
    if not isinstance(value, bool):
        raise InvalidInputError(field, "True or False", value)
    return value


def text(field: str, value: object) -> str:
    """Return `value` if it is text, as plain text."""
    if not isinstance(value, str):
        raise InvalidInputError(field, "text", value)
    return str.__str__(value)


def choice(field: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    words = tuple(allowed)
    if not isinstance(value, str) or str.__str__(value) not in words:
        raise InvalidInputError(field, "one of " + ", ".join(words), value)
    return str.__str__(value)


def pair(field: str, value: object, wanted: str) -> tuple[object, object]:
    """Return the two parts of something that has an order: text, sets and mappings are refused."""
    if isinstance(value, str | bytes | bytearray | Set | Mapping) or not isinstance(value, Iterable):
        raise InvalidInputError(field, wanted, value)
    try:
        parts = list(islice(value, 3))  # it may have no end
    except Exception:  # as of an array without dimension, or an iterator that breaks off
        raise InvalidInputError(field, wanted, value) from None
    if len(parts) != 2:
        raise InvalidInputError(field, wanted, value)
    return parts[0], parts[1]


def point(field: str, value: object, unit: str = "m") -> tuple[float, float]:
    """Return `value` as two finite floats."""
    wanted = measured("two finite numbers", unit)
    x, y = pair(field, value, wanted)
    try:
        return finite(field, x, unit), finite(field, y, unit)
    except InvalidInputError:
        raise InvalidInputError(field, wanted, value) from None


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def measured(text: str, unit: str) -> str:
    """Return `text` with the unit that is meant, if there is one: "a finite number in m"."""
    return f"{text} in {unit}" if unit else text
