"""Checked conversion of single values at the public boundary: each returns a plain value or raises with the field's name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real

from engine.common.errors import InvalidInputError

__all__ = ["boolean", "choice", "finite", "integer", "measured", "non_negative", "point", "positive", "seed_number", "within"]

_MOST_SEED = 2**63 - 1
"""What 64 bits with a sign hold: recordings and pair files keep the seed in such."""


def finite(field: str, value: object, unit: str = "") -> float:
    """Return `value` as a finite float; bool, text, NaN and infinities are refused."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidInputError(field, measured("a finite number", unit), value)
    try:
        number = float(value)
    except OverflowError:
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
    number = int(value)
    if (low is not None and number < low) or (high is not None and number > high):
        raise InvalidInputError(field, wanted, value)
    return number


def seed_number(field: str, value: object) -> int:
    """Return `value` if it is a seed: a whole number that every file of ours can hold."""
    return integer(field, value, 0, _MOST_SEED)


def boolean(field: str, value: object) -> bool:
    """Return `value` if it is True or False, and nothing else."""
    if not isinstance(value, bool):
        raise InvalidInputError(field, "True or False", value)
    return value


def choice(field: str, value: object, allowed: Iterable[str]) -> str:
    """Return `value` if it is one of the `allowed` words."""
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        raise InvalidInputError(field, "one of " + ", ".join(words), value)
    return value


def point(field: str, value: object, unit: str = "m") -> tuple[float, float]:
    """Return `value` as two finite floats."""
    wanted = measured("two finite numbers", unit)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InvalidInputError(field, wanted, value)
    parts = list(value)
    if len(parts) != 2:
        raise InvalidInputError(field, wanted, value)
    try:
        return finite(field, parts[0], unit), finite(field, parts[1], unit)
    except InvalidInputError:
        raise InvalidInputError(field, wanted, value) from None


def _with_unit(text: str, unit: str) -> str:
    return f"{text} {unit}" if unit else text


def measured(text: str, unit: str) -> str:
    """Return `text` with the unit that is meant, if there is one: "a finite number in m"."""
    return f"{text} in {unit}" if unit else text
