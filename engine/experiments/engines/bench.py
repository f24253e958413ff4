"""A table of tests and engines: each test has rows, each engine has two columns of settings, and each row and column has a cell.

A test defines the right result and its reason. A row is one case of it: it measures a number in a column, and defines the allowed deviation
from the right one. A cell *passes*, *fails*, is *measured* if nothing is right or wrong, or is *not supported* if the engine rejects the
case.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from engine.common.errors import InvalidInputError, LabError, WorldLostError
from engine.experiments.engines import manuals
from engine.experiments.engines.manuals import Quote
from engine.experiments.solvers.trial import Variant
from engine.world import World, driven_by

__all__ = [
    "TESTS",
    "Cell",
    "Column",
    "Measured",
    "Row",
    "Task",
    "Test",
    "Verdict",
    "columns_of",
    "enter",
    "measure_cell",
    "within",
]

Settings = Literal["default", "recommended"]
Verdict = Literal["passes", "fails", "measured", "not supported"]


@dataclass(frozen=True)
class Advice:
    """The recommendation of an engine's manual for a test.

    Attributes
    ----------
    words : str
        The recommendation as text.
    page, address : str
        Page and section of the manual that recommend it.
    settings : mapping
        Settings of the solver or the world by name.
    bullet : bool
        True if fast bodies get the bullet flag.
    finer : int
        Factor on the step rate.
    """

    words: str
    page: str = ""
    address: str = ""
    settings: Mapping[str, float] = field(default_factory=dict)
    bullet: bool = False
    finer: int = 1


_CHIPMUNK = Advice(
    "a collision_slop of 5 mm and four sub-steps", *manuals.COLLISION_SLOP, settings={"collision_slop": 0.005, "sub_steps": 4}
)
_ITERATIONS = Advice(
    "20 velocity iterations and 10 position iterations, more than the suggested 8 and 3",
    *manuals.ITERATIONS,
    settings={"velocity_iterations": 20, "position_iterations": 10},
)
ADVICE: Mapping[str, Mapping[str, Advice]] = {
    "box2d": {
        **dict.fromkeys(("tunneling", "sensors", "missed"), Advice("the bullet flag", *manuals.BULLETS, bullet=True)),
        **dict.fromkeys(("stacks", "mass", "far"), _ITERATIONS),
    },
    "box2d3": {
        **dict.fromkeys(("tunneling", "sensors", "missed"), Advice("the bullet flag", *manuals.BULLETS_3, bullet=True)),
        **dict.fromkeys(("stacks", "mass", "far"), Advice("eight sub-steps", *manuals.SUB_STEPS, settings={"sub_steps": 8})),
    },
    "chipmunk": {
        **dict.fromkeys(("tunneling", "sensors", "missed"), Advice("four times the step rate", *manuals.SMALLER_STEPS, finer=4)),
        **dict.fromkeys(("seams", "slow", "stacks", "mass", "far", "invariants"), _CHIPMUNK),
    },
}
"""By engine and test."""


@dataclass(frozen=True)
class Column:
    """An engine with settings for a test."""

    solver: str
    settings: Settings
    advice: Advice

    @property
    def variant(self) -> Variant:
        """The engine and its settings, in the form used by the solver bench."""
        return Variant(self.solver, tuple(self.advice.settings.items()))

    @property
    def hertz(self) -> float:
        return 60.0 * self.advice.finer

    @property
    def world_settings(self) -> dict[str, Any]:
        return self.variant.world_settings

    def world(self, **settings: Any) -> World:
        """Return an empty world, by default without sleeping."""
        from engine.world import WorldSettings

        return World(WorldSettings(**({"sleeping": False, "hertz": self.hertz} | self.world_settings | settings)), solver=self.solver)

    def driving(self) -> ExitStack:
        """Return a context in which worlds without a solver name have this engine and its own settings."""
        stack = ExitStack()
        stack.enter_context(driven_by(self.solver, tuple(self.world_settings.get("solver_settings", {}).items())))
        return stack


@dataclass(frozen=True)
class Measured:
    """Result of a row in a column.

    Attributes
    ----------
    value : float or None
    passes : bool or None
        None if nothing is right or wrong.
    note : str
        Why it fails, if the value does not say so.
    """

    value: float | None
    passes: bool | None
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A case of a test.

    Attributes
    ----------
    name, title : str
    unit : str
        Unit of the value; "%" for a share, which is shown in percent.
    measure : callable(Column, is_quick) -> Measured
    start : callable(Column) -> World, optional
        The case at its start, for playing.
    seconds : float
        Duration of the playback.
    is_quick : bool
        True if ``--quick`` includes it.
    """

    name: str
    title: str
    unit: str
    measure: Callable[[Column, bool], Measured]
    start: Callable[[Column], World] | None = None
    seconds: float = 2.0
    is_quick: bool = True


@dataclass(frozen=True)
class Test:
    """A test.

    Attributes
    ----------
    name, title : str
    right : str
        The right result, with the law or the exact answer that defines it.
    allowance : str
        The allowed deviation, in words.
    promises : mapping of str to tuple of Quote
        Promises and warnings of the engines' documentation, by engine.
    rows : tuple of Row
    """

    name: str
    title: str
    right: str
    allowance: str
    rows: tuple[Row, ...]
    promises: Mapping[str, tuple[Quote, ...]] = field(default_factory=dict)


TESTS: dict[str, Test] = {}
"""All of them by name, in the order of the table."""


def enter(test: Test) -> None:
    """Add a test to `TESTS`."""
    TESTS[test.name] = test


def columns_of(solver: str, test: str) -> list[Column]:
    """Return the columns of an engine in a test: its defaults, and its manual's advice if there is any."""
    columns = [Column(solver, "default", Advice("the default settings"))]
    advice = ADVICE.get(solver, {}).get(test)
    return columns if advice is None else [*columns, Column(solver, "recommended", advice)]


@dataclass(frozen=True)
class Task:
    """A cell to measure, by names, so that another process can measure it."""

    test: str
    row: str
    solver: str
    settings: Settings
    is_quick: bool = False

    @property
    def place(self) -> tuple[Row, Column]:
        """The row and the column."""
        row = next(row for row in TESTS[self.test].rows if row.name == self.row)
        column = next(column for column in columns_of(self.solver, self.test) if column.settings == self.settings)
        return row, column


@dataclass(frozen=True)
class Cell:
    """A measured cell: `note` is why it fails or is not supported."""

    task: Task
    value: float | None
    verdict: Verdict
    note: str = ""


def measure_cell(task: Task) -> Cell:
    """Measure a cell. If the engine rejects the case, the cell is "not supported"; with any other error it "fails", with the message as the
    note.
    """
    row, column = task.place
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            measured = row.measure(column, task.is_quick)
        except InvalidInputError as error:
            return Cell(task, None, "not supported", _line(error))
        except WorldLostError as error:
            if isinstance(error.__cause__, InvalidInputError):
                return Cell(task, None, "not supported", _line(error.__cause__))
            return Cell(task, None, "fails", _line(error))
        except LabError as error:
            return Cell(task, None, "not supported", _line(error))
    value = measured.value if measured.value is not None and math.isfinite(measured.value) else None
    if measured.passes is None:
        return Cell(task, value, "measured" if value is not None else "not supported", measured.note)
    return Cell(task, value, "passes" if measured.passes else "fails", measured.note)


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())


def within(value: float, allowed: float, right: float = 0.0) -> Measured:
    """Return a value that passes if its deviation from the right one is allowed."""
    return Measured(value, abs(value - right) <= allowed)
