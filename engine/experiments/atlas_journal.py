"""Finished cells on disk, so that an atlas that was interrupted, by whatever, goes on where it was.

A text file: the plan in the first line, then a line for each finished cell, written at once. A process that is killed in the middle of one
leaves a line without an end, which is cut off; the cell is fired again, with the same phases, so that the counts come out the same.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from engine.experiments.atlas_plan import AtlasPlan, Cell

__all__ = ["AtlasJournal", "Count"]

_VERSION = 1
_NAME_DIGITS = 12


class Count(NamedTuple):
    """Shots of a cell that hit; that tunneled; that did something else than the law says of their phase; and of these, those in which
    nothing had turned, so that the law has no excuse."""

    hit: int
    tunneled: int
    surprises: int
    inexcusable: int


class AtlasJournal:
    """The journal of one plan in a directory; its name comes from the plan, so that plans do not disturb each other.

    Cells of another `engine_version` of Box2D are not taken over. `cells` has what was found there, and what was added.
    """

    def __init__(self, directory: str | os.PathLike[str], plan: AtlasPlan, engine_version: str) -> None:
        head = {"format": "atlas journal", "version": _VERSION, "box2d": engine_version, "plan": plan.as_json()}
        self._head = json.dumps(head, sort_keys=True, allow_nan=False)
        digest = hashlib.blake2b(self._head.encode()).hexdigest()[:_NAME_DIGITS]
        self.path = Path(directory) / f".atlas-{digest}.part"
        self.cells: dict[Cell, Count] = {}
        self._plan = plan
        self._length = self._read()

    def add(self, cell: Cell, count: Count) -> None:
        """Note a finished cell; it is on its way to the disk when this returns."""
        line = json.dumps([cell.rule, cell.column, cell.row, *count])
        text = f"{line}\n" if self._length else f"{self._head}\n{line}\n"
        with open(self.path, "r+b" if self._length else "wb") as file:
            file.seek(self._length)
            file.write(text.encode())
            file.truncate()
        self._length += len(text)
        self.cells[cell] = count

    def remove(self) -> None:
        """Take the file away: the atlas is written."""
        self.path.unlink(missing_ok=True)
        self._length = 0

    def _read(self) -> int:
        """Take in what is there and return how many bytes of it are whole lines of this plan."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return 0
        lines = content.split(b"\n")[:-1]  # behind the last line's end there is nothing, or half a line
        if not lines or lines[0] != self._head.encode():
            return 0
        length = len(lines[0]) + 1
        for line in lines[1:]:
            found = self._cell(line)
            if found is None:
                break
            self.cells[found[0]] = found[1]
            length += len(line) + 1
        return length

    def _cell(self, line: bytes) -> tuple[Cell, Count] | None:
        try:
            entry: Any = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(entry, list) or len(entry) != 3 + len(Count._fields) or entry[0] not in self._plan.rules:
            return None
        numbers = entry[1:]
        most = (self._plan.x.n - 1, self._plan.y.n - 1, *[self._plan.n_shots] * len(Count._fields))
        if any(type(number) is not int or not 0 <= number <= high for number, high in zip(numbers, most, strict=True)):
            return None
        return Cell(entry[0], numbers[0], numbers[1]), Count(*numbers[2:])
