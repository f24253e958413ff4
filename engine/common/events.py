"""Events of an algorithm: what its kernel records while the same source runs as plain Python.

A kernel says what it does by ``record(GjkKept(...))``, a NamedTuple whose fields have the names of the algorithm. Compiled, `record` is
nothing (`engine.common.jit`), and the optimizer removes what is computed for it alone. Within `recording`, `traced` returns the *plain*
form of a kernel: the same code as a Python function, in whose globals each kernel is its plain form. There `record` keeps the event. Both
forms do the same operations in the same order, so that the answer is the same to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

__all__ = ["is_recording", "plain", "record", "recording", "traced", "unrecorded"]

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])

_kept: ContextVar[list[Any] | None] = ContextVar("events", default=None)
_plain_globals: dict[int, dict[str, Any]] = {}
"""Globals of modules in which each kernel is its plain form, by the id of the module's own; these live as long as the program."""


def record(event: NamedTuple) -> None:
    """Keep a copy of an event of an algorithm, within `recording`; arrays and NumPy's numbers become lists and numbers of Python."""
    events = _kept.get()
    if events is not None:
        events.append(_copied(event))


def _copied(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return getattr(value, "_make", type(value))(map(_copied, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


@contextmanager
def recording() -> Iterator[list[Any]]:
    """Return the list of the events that kernels record in this thread until the end of the block."""
    events = list[Any]()
    before = _kept.set(events)
    try:
        with np.errstate(all="ignore"):  # as compiled code
            yield events
    finally:
        _kept.reset(before)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Suspend a recording: kernels are compiled again until the end of the block."""
    before = _kept.set(None)
    try:
        yield
    finally:
        _kept.reset(before)


def is_recording() -> bool:
    """Return whether events are kept: only for events that take long to prepare."""
    return _kept.get() is not None


def traced(kernel: _Kernel) -> _Kernel:
    """Return the form of a kernel to call from Python: the plain one within `recording`, otherwise the compiled one."""
    return kernel if _kept.get() is None else plain(kernel)


def plain(kernel: _Kernel) -> _Kernel:
    """Return the plain form of a kernel."""
    function = getattr(kernel, "py_func", kernel)
    return cast(_Kernel, FunctionType(function.__code__, _globals(function.__globals__), function.__name__, function.__defaults__))


def _globals(own: dict[str, Any]) -> dict[str, Any]:
    if id(own) not in _plain_globals:
        _plain_globals[id(own)] = copied = dict(own)
        copied.update({name: plain(value) for name, value in own.items() if hasattr(value, "py_func")})
    return _plain_globals[id(own)]
