"""Specifications are frozen dataclasses that refuse misspelt settings with the project's one error."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from engine.common.checks import finite, measured
from engine.common.errors import InvalidInputError
from engine.common.limits import MAX_NUMBER

__all__ = ["check_names", "f32", "f32_vec", "spec"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True)
def spec(cls: type[_T]) -> type[_T]:
    """Make `cls` a frozen dataclass whose constructor names a misspelt setting and what it may have meant."""
    made: Any = dataclass(frozen=True)(cls)
    known = tuple(field.name for field in fields(made) if field.init)
    plain_init = made.__init__

    @functools.wraps(plain_init)
    def __init__(self: Any, *args: Any, **settings: Any) -> None:
        check_names(cls.__name__, settings, known)
        plain_init(self, *args, **settings)

    made.__init__ = __init__
    return made  # type: ignore[no-any-return]


def check_names(owner: str, settings: dict[str, Any], known: Iterable[str]) -> None:
    """Refuse a setting that `owner` does not have.

    Raises
    ------
    InvalidInputError
        Names the misspelt setting, its value, and the nearest settings there are.
    """
    names = tuple(known)
    for name, value in settings.items():
        if name not in names:
            near = difflib.get_close_matches(name, names, n=3) or sorted(names)
            raise InvalidInputError(f"{owner}.{name}", "a setting that exists (" + ", ".join(near) + ")", value)


def f32(field: str, value: object, unit: str = "", low: float | None = None, high: float | None = None) -> float:
    """Return `value` rounded to float32, as Box2D will hold it, checked against ``[low, high]`` and `MAX_NUMBER`.

    Rounding here, where a number enters, makes our algorithms see the very numbers that Box2D sees.
    """
    number = finite(field, value, unit)
    bottom, top = -MAX_NUMBER if low is None else low, MAX_NUMBER if high is None else high
    if not bottom <= number <= top:
        wanted = f">= {bottom:g}" if high is None and low is not None and number < bottom else f"from {bottom:g} to {top:g}"
        raise InvalidInputError(field, f"{wanted} {unit}".strip(), value)
    return float(np.float32(number))


def f32_vec(field: str, value: object, unit: str = "", limit: float | None = None) -> tuple[float, float]:
    """Return two numbers rounded to float32, each of magnitude `limit` at most."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InvalidInputError(field, measured("two finite numbers", unit), value)
    parts = list(value)
    if len(parts) != 2:
        raise InvalidInputError(field, measured("two finite numbers", unit), value)
    bound = MAX_NUMBER if limit is None else limit
    return f32(f"{field}[0]", parts[0], unit, -bound, bound), f32(f"{field}[1]", parts[1], unit, -bound, bound)
