"""Finds the line of a value in a JSON text, given the value's path, such as ``bodies[3].fixtures[0].density``."""

from __future__ import annotations

import json
import re

__all__ = ["line_of"]

_STEPS = re.compile(r"\[(\d+)\]|\.?([^.\[\]]+)")
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def line_of(text: str, path: str) -> int:
    """Return the line, from 1, on which the value at a path begins; if it does not exist, the line of the innermost value that does.

    Parameters
    ----------
    text : str
        Valid JSON.
    path : str
        Names and indices; anything after ``": "`` is ignored.
    """
    at = _after_space(text, 0)
    for step in _STEPS.finditer(path.partition(": ")[0]):
        start = _element(text, at, int(step[1])) if step[1] is not None else _member(text, at, step[2])
        if start is None:
            break
        at = start
    return text.count("\n", 0, at) + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match is not None else at


def _after_value(text: str, at: int) -> int:
    return _after_space(text, _DECODER.raw_decode(text, at)[1])


def _member(text: str, at: int, name: str) -> int | None:
    """Return the offset of member `name`'s value in the object at `at`, or None. If the name is repeated, the last one wins."""
    if text[at] != "{":
        return None
    start = None
    at = _after_space(text, at + 1)
    while text[at] == '"':
        key, at = _DECODER.raw_decode(text, at)
        value = _after_space(text, _after_space(text, at) + 1)  # after the colon
        if key == name:
            start = value
        at = _after_value(text, value)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return start


def _element(text: str, at: int, index: int) -> int | None:
    """Return the offset of element `index` of the list at `at`, or None."""
    if text[at] != "[":
        return None
    at = _after_space(text, at + 1)
    for _ in range(index):
        if text[at] == "]":
            return None
        at = _after_value(text, at)
        if text[at] != ",":
            return None
        at = _after_space(text, at + 1)
    return None if text[at] == "]" else at
