"""The rows that a kernel records, as named tuples; see `engine.common._record_kernel`."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from engine.common.arrays import FloatArray

__all__ = ["Event", "Events", "read_events", "record_list", "record_rows"]

_FIRST_ROOM = 256

_Answer = TypeVar("_Answer")
_tuple_type: Any = namedtuple  # mypy wants the names as a literal


class Event:
    """A kind of row: its name, and the names of its numbers in order.

    ``edge:i`` is a whole number, ``inside:b`` is True if the number is 1, ``w:2`` is a tuple of two numbers, and ``t`` a number.

    Examples
    --------
    >>> event = Event("support", "a:i w:2 inside:b")
    >>> event.read([3.0, 0.5, -1.0, 1.0])
    support(a=3, w=(0.5, -1.0), inside=True)
    """

    def __init__(self, name: str, fields: str) -> None:
        self.name = name
        self.fields = [field.partition(":")[::2] for field in fields.split()]
        self.width = sum(int(form) if form.isdigit() else 1 for _, form in self.fields)
        self._row = _tuple_type(name, [field for field, _ in self.fields])

    def read(self, numbers: Sequence[float]) -> Any:
        """Return the numbers of a row without its kind, as a named tuple whose type has the event's name."""
        values, at = list[Any](), 0
        for _, form in self.fields:
            end = at + (int(form) if form.isdigit() else 1)
            values.append(
                tuple(numbers[at:end])
                if form.isdigit()
                else int(numbers[at])
                if form == "i"
                else numbers[at] == 1.0
                if form == "b"
                else numbers[at]
            )
            at = end
        return self._row._make(values)


Events = Mapping[float, Event]
"""The events of an algorithm, by the kinds of their rows."""


def read_events(events: Events, rows: Sequence[Sequence[float]]) -> Iterator[Any]:
    """Yield the rows as named tuples; kinds without an event are skipped."""
    for kind, *numbers in rows:
        if kind in events:
            yield events[kind].read(numbers)


def record_rows(ask: Callable[[FloatArray], _Answer]) -> tuple[_Answer, list[list[float]]]:
    """Call `ask` with a buffer for its rows, again with a larger one if they do not fit; return its answer and the rows.

    The kernels are pure: called again they do the same.
    """
    from engine.common._record_kernel import TRACE_WIDTH  # loads Numba, which the import of a demo must not

    room = _FIRST_ROOM
    while True:
        trace = np.full((room + 1, TRACE_WIDTH), np.nan)
        trace[0, 0] = 0.0
        answer = ask(trace)
        n = int(trace[0, 0])
        if n <= room:
            return answer, trace[1 : n + 1].tolist()
        room = n


def record_list(ask: Callable[[list[Any]], _Answer]) -> tuple[_Answer, list[Any]]:
    """Call `ask` with a list for its rows; return its answer and the rows."""
    rows: list[Any] = []
    return ask(rows), rows
