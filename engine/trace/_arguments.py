"""Checks the arguments of the functions of `engine.trace` by the annotations of their parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

from engine.common.checks import integer, point
from engine.common.errors import InvalidInputError
from engine.geometry import Circle, Sweep, Transform, check_shape

if TYPE_CHECKING:
    from engine.contracts.trace import TraceStep

__all__ = ["with_checks"]


def with_checks(function: Callable[..., list[TraceStep]]) -> Callable[..., list[TraceStep]]:
    """Return `function` with its arguments checked: an error names the argument.

    Arrays, rules and worlds are checked by the query itself.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> list[TraceStep]:
        arguments = signature.bind(*args, **kwargs).arguments
        for name, value in arguments.items():
            check = _CHECKS.get(str(signature.parameters[name].annotation))
            if check is not None:
                check(name, value)
        return function(*args, **kwargs)

    return checked


def _is_a(kind: type, words: str) -> Callable[[str, object], None]:
    def check(name: str, value: object) -> None:
        if not isinstance(value, kind):
            raise InvalidInputError(name, words, value)

    return check


def _outline(name: str, value: object) -> None:
    from engine.decompose import Outline

    _is_a(Outline, "an Outline")(name, value)


def _world(name: str, value: object) -> None:
    from engine.world import World

    _is_a(World, "a World")(name, value)


_CHECKS: Mapping[str, Callable[[str, object], object]] = {
    "AnyShape": check_shape,
    "Circle": _is_a(Circle, "a Circle"),
    "Transform": _is_a(Transform, "a Transform"),
    "Sweep": _is_a(Sweep, "a Sweep"),
    "Point": partial(point, unit=""),
    "Outline": _outline,
    "World": _world,
    "int": integer,
}
