"""A file with the results of another engine, measured elsewhere by the same tests.

It is a JSON object with the engine's name, version and machine, and a cell for each measured row; other cells stay empty. `python main.py
engines --rows FILE` shows them in the table with those measured here. `examples/planck_rows.js` writes one.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from engine.common.errors import InvalidInputError
from engine.common.file_schema import FirstVersion, Strict, validated
from engine.common.words import meant
from engine.experiments.engines.bench import TESTS, Cell, Task

__all__ = ["EngineRows", "RowCell", "read_rows"]

Text = Annotated[str, Field(min_length=1, max_length=200)]


class RowCell(Strict):
    """A cell: `value` has the unit of the row; a percentage is a share from 0 to 1."""

    test: Text
    row: Text
    settings: Literal["default", "recommended"] = "default"
    value: float | None = None
    verdict: Literal["passes", "fails", "measured", "not supported"]
    note: str = Field("", max_length=500)


class EngineRows(Strict):
    """Results of an engine."""

    format: Literal["engine-rows"]
    version: FirstVersion
    engine: Text
    engine_version: Text
    machine: Text
    method: str = Field("", max_length=1000, description="program, settings, and what differs from our tests")
    cells: list[RowCell] = Field(max_length=10_000)


def read_rows(plain: object, file: str) -> tuple[EngineRows, list[Cell]]:
    """Return the results in a file, as parsed from JSON.

    Raises
    ------
    InvalidInputError
        A field is invalid, or there is no such test or row; the message names it.
    """
    results = validated(EngineRows, plain, file)
    cells = []
    for at, cell in enumerate(results.cells):
        if cell.test not in TESTS:
            raise InvalidInputError(f"{file}: cells[{at}].test", "one of " + ", ".join(TESTS) + meant(cell.test, TESTS), cell.test)
        names = [row.name for row in TESTS[cell.test].rows]
        if cell.row not in names:
            raise InvalidInputError(f"{file}: cells[{at}].row", "one of " + ", ".join(names) + meant(cell.row, names), cell.row)
        cells.append(Cell(Task(cell.test, cell.row, results.engine, cell.settings), cell.value, cell.verdict, cell.note))
    return results, cells
