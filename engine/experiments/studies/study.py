"""Shared code of the studies: results as plain data, charts of rows, the list of studies, and interleaved timing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from engine.report import Chart, Curve, Table, Value

__all__ = ["STUDIES", "Figure", "Results", "Study", "curves", "curves_by", "growth", "seconds_in_turn", "study"]


Row: TypeAlias = tuple[Value, ...]
K = TypeVar("K")


class Figure(NamedTuple):
    """A published figure and the same quantity measured here."""

    quantity: str
    unit: str
    published: Value
    here: Value


@dataclass(frozen=True, slots=True)
class Results:
    """Results of a study: tables, at most four charts, sentences with their figures, and the published figures compared with ours."""

    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    sentences: tuple[str, ...]
    figures: tuple[Figure, ...] = ()

    @property
    def beside(self) -> tuple[Table, ...]:
        """Table of the published figures and ours; empty if none were published."""
        rows = tuple((f"{row.quantity}, {row.unit}" if row.unit else row.quantity, row.published, row.here) for row in self.figures)
        return (Table("published figures, and ours for the same quantities", ("quantity", "published", "here"), rows),) if rows else ()

    def as_json(self) -> dict[str, Any]:
        """Return a plain dictionary of figures, tables and sentences; the charts show nothing else."""
        figures = [figure._asdict() for figure in self.figures]
        return {"found": list(self.sentences), "figures": figures, "tables": [table.as_json() for table in self.tables]}


Measure = Callable[[bool], Results]


@dataclass(frozen=True)
class Study:
    """A published comparison, repeated.

    Attributes
    ----------
    name, title : str
    said : str
        Method and results of the authors, as far as they are known.
    measure : callable
        Performs the measurement; given True, a reduced version that only tests that it runs. Its docstring describes the repetition.
    """

    name: str
    title: str
    said: str
    measure: Measure

    @property
    def here(self) -> str:
        """Description of the repetition: the docstring of its function."""
        return " ".join((self.measure.__doc__ or "").split())


STUDIES: dict[str, Study] = {}
"""All studies by name, in the order of their chapters."""


def study(title: str, said: str) -> Callable[[Measure], Measure]:
    """Register a function in `STUDIES` under its own name."""

    def enter(measure: Measure) -> Measure:
        STUDIES[measure.__name__] = Study(measure.__name__, title, said, measure)
        return measure

    return enter


def seconds_in_turn(calls: Mapping[K, Callable[[], object]], rounds: int) -> dict[K, float]:
    """Call each in turn, `rounds` times after a warm-up, and return the medians of their processor times, s.

    Interleaving makes changes of the machine's speed affect all of them, so the ratios are reliable.
    """
    samples: dict[K, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            before = time.process_time()
            call()
            if number > 0:
                samples[name].append(time.process_time() - before)
    return {name: statistics.median(times) for name, times in samples.items()}


def curves(rows: Sequence[Row], x: int, columns: Mapping[str, int]) -> tuple[Curve, ...]:
    """Return a curve for each of the columns, by name, over the column `x`; rows without both numbers are skipped."""
    return tuple(_curve(name, ((row[x], row[y]) for row in rows)) for name, y in columns.items())


def curves_by(rows: Sequence[Row], by: int, x: int, y: int) -> tuple[Curve, ...]:
    """Return a curve of column `y` over column `x` for each word in the column `by`."""
    names = dict.fromkeys(str(row[by]) for row in rows if row[y] is not None)
    return tuple(_curve(name, ((row[x], row[y]) for row in rows if row[by] == name)) for name in names)


def _curve(name: str, points: Iterable[tuple[Value, Value]]) -> Curve:
    xy = sorted((float(x), float(y)) for x, y in points if isinstance(x, int | float) and isinstance(y, int | float))
    return Curve(name, tuple(x for x, _ in xy), tuple(y for _, y in xy))


def growth(sizes: Iterable[float], costs: Iterable[float]) -> float:
    """Return the power p of ``cost = c size^p`` that fits best: the slope of the line through the logarithms.

    Examples
    --------
    >>> round(growth((1.0, 2.0, 4.0), (3.0, 12.0, 48.0)), 12)
    2.0
    """
    return float(np.polyfit(np.log(tuple(sizes)), np.log(tuple(costs)), 1)[0])
