"""Shared code of the studies: tables and charts as plain data, the list of studies, and interleaved timing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.common.errors import InvalidInputError
from engine.common.words import meant
from engine.report import Chart, Curve, Table

__all__ = ["STUDIES", "Finding", "Study", "chosen", "curve", "growth", "seconds_in_turn", "study"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Results of a study: tables, at most four charts, and sentences with their figures."""

    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    sentences: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return a plain dictionary of tables and sentences; the charts show nothing else."""
        return {"found": list(self.sentences), "tables": [table.as_json() for table in self.tables]}


Measure = Callable[[bool], Finding]


@dataclass(frozen=True)
class Study:
    """A published comparison, repeated.

    Attributes
    ----------
    name, title : str
    said : str
        The published result, as far as it is known here.
    measure : callable
        Measures it; given True only small and few, whether it runs. Its docstring says how it is done.
    """

    name: str
    title: str
    said: str
    measure: Measure


STUDIES: dict[str, Study] = {}
"""All of them by name, in the order of their chapters."""


def study(title: str, said: str) -> Callable[[Measure], Measure]:
    """Register a function in `STUDIES` under its own name."""

    def enter(measure: Measure) -> Measure:
        STUDIES[measure.__name__] = Study(measure.__name__, title, said, measure)
        return measure

    return enter


def chosen(names: Iterable[str]) -> list[Study]:
    """Return studies by name.

    Raises
    ------
    InvalidInputError
        There is no study of that name.
    """
    studies = []
    for name in names:
        if name not in STUDIES:
            raise InvalidInputError("NAMES", "among " + ", ".join(STUDIES) + meant(name, STUDIES), name)
        studies.append(STUDIES[name])
    return studies


def seconds_in_turn(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Call each in turn, `rounds` times after one that does not count, and return the medians of the processor time they took.

    In turn, so that the machine's moods hit all of them: trust the ratios.
    """
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            before = time.process_time()
            call()
            if number > 0:
                samples[name].append(time.process_time() - before)
    return {name: statistics.median(times) for name, times in samples.items()}


def curve(name: str, x: Iterable[float], y: Iterable[float]) -> Curve:
    """Return a curve of any numbers."""
    return Curve(name, tuple(map(float, x)), tuple(map(float, y)))


def growth(sizes: Iterable[float], costs: Iterable[float]) -> float:
    """Return the power p of ``cost = c size^p`` that fits best: the slope of the line through the logarithms.

    Examples
    --------
    >>> round(growth((1.0, 2.0, 4.0), (3.0, 12.0, 48.0)), 12)
    2.0
    """
    return float(np.polyfit(np.log(tuple(sizes)), np.log(tuple(costs)), 1)[0])
