"""Result of a command, as plain data for machines, and as text and tables for people, in print order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.report.tables import Link, Table, Value

__all__ = ["Page", "Part", "Report", "facts"]

Page: TypeAlias = tuple[str, Mapping[str, bytes]]
"""Text of an HTML file, and the files that accompany it, by name."""
Part: TypeAlias = str | Link | Table | Mapping[str, Value]
"""A line; a line with a style; a table; or labeled values."""


@dataclass(frozen=True)
class Report:
    """Result of a command.

    Parameters
    ----------
    json : mapping
        Plain data; `facts` turns it into rows.
    parts : iterable of Part
        Parts to print after the data are written.
    status : int
        Exit status.
    page : callable, optional
        Returns the page and its files.
    interrupted : str
        Progress of a run that was ended by Ctrl-C; empty if the run completed.
    """

    json: Mapping[str, Any]
    parts: Iterable[Part] = ()
    status: int = 0
    page: Callable[[], Page] | None = None
    interrupted: str = ""


_EMPTY: tuple[Any, ...] = (None, "", [], {})
_MAX_ROWS = 5


def facts(plain: Mapping[str, Any]) -> dict[str, Value]:
    """Return plain data as labeled values; empty values are omitted.

    Each object inside an object or a list gets one row, up to five per list.

    Examples
    --------
    >>> facts({"steps": 600, "points": {"add": 3, "remove": 0}, "worst": {"at": {"step": 1}}, "notes": [], "mean_ms": 0.12345})
    {'steps': '600', 'points': 'add 3, remove 0', 'worst at': 'step 1', 'mean ms': '0.1235'}
    """
    rows: dict[str, Value] = {}
    for name, value in plain.items():
        label, inner = name.replace("_", " "), value
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            inner = {str(k): entry for k, entry in enumerate(value[:_MAX_ROWS], 1)}
            if len(value) > _MAX_ROWS:
                inner["more"] = len(value) - _MAX_ROWS
        if isinstance(inner, Mapping) and any(isinstance(entry, Mapping) and entry for entry in inner.values()):
            rows |= {f"{label} {key.replace('_', ' ')}": _text(entry) for key, entry in inner.items() if entry not in _EMPTY}
        elif value not in _EMPTY:
            rows[label] = _text(value)
    return rows


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name.replace('_', ' ')} {_text(inner)}" for name, inner in value.items() if inner not in _EMPTY)
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
