"""Shared code of algorithms that clip the time of a motion: times as bars, one below the other, and the edges that give them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from engine.contracts.trace import Mark, Point, Role, View
from engine.geometry import AnyShape, Transform
from engine.narrowphase.scratch import core_of
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, arrow, between, path
from engine.trace.protocol import Decoder

__all__ = ["TIMES", "Side", "TimesDecoder", "bar", "step_of_time"]

TIMES = View("times", "time intervals, one bar per axis", x="fraction of the motion", y="axis")

_FIRST, _LAST = -0.25, 1.25
"""Range of fractions shown by the bars; they are cut off beyond it."""


def bar(y: float, start: float, end: float, role: Role, text: str = "") -> Marks:
    """Return the visible part of a bar between two times: a dot for a single moment or a bar outside the view, nothing if it is empty."""
    if not start <= end:
        return ()
    first, last = (min(max(t, _FIRST), _LAST) for t in (start, end))
    if first == last:
        return (Mark("point", role, ((first, y),), "times", text),)
    return (path(role, (first, y), (last, y), view="times", text=text),)


def step_of_time(n_axes: float) -> Marks:
    """Return the beginning and the end of the motion, for `n_axes` bars from 0 upward."""
    return tuple(path("ghost", (t, -0.6), (t, n_axes + 0.6), view="times", text=text) for t, text in ((0.0, "start"), (1.0, "end")))


class Side(NamedTuple):
    """A shape: its name in the case, its pose at the start, and its translation over the motion."""

    name: str
    shape: AnyShape
    pose: Transform
    way: Point = (0.0, 0.0)


class TimesDecoder(Decoder[PairCase]):
    """The bars so far; only the newest is labeled, as there is no room for many labels. Events are in the frame of the first side."""

    def set_up(self) -> None:
        self.sides: tuple[Side, ...] = self.algorithm.sides(self.case)
        self.cores = [core_of(side.shape)[0] for side in self.sides]
        self.corners: list[list[Point]] = [
            [(x, y) for x, y in side.pose.apply_array(core).tolist()] for side, core in zip(self.sides, self.cores, strict=True)
        ]
        self.touch = 0.0
        self.n_tested = 0
        self._bars: list[Mark] = []
        self._newest: Marks = ()

    @property
    def cost(self) -> dict[str, int]:
        return {"edges and corners": self.n_tested}

    def add(self, kind: str, line: int, sentence: str, *about: Any, marks: Iterable[Mark] = (), **more: Any) -> None:
        newest, self._newest = self._newest, ()
        super().add(kind, line, sentence, *about, marks=(*self._bars, *newest, *marks), **more)

    def add_bar(self, y: float, start: float, end: float, text: str) -> None:
        """Show a bar from the next step on."""
        self._bars += bar(y, start, end, "kept")
        self._newest = bar(y, start, end, "looked_at", text)

    def direction(self, way: Point) -> Point:
        """Turn a vector of an event to the world's axes."""
        return self.sides[0].pose.rotate(way)

    def ends_of(self, edge: int, whose: int = 0) -> tuple[Point, Point]:
        """Return both ends of an edge."""
        corners = self.corners[whose]
        return corners[edge], corners[(edge + 1) % len(corners)]

    def normal_of(self, edge: int, whose: int = 0) -> Point:
        """Return an edge's outward normal."""
        core = self.cores[whose]
        x, y = (core[(edge + 1) % len(core)] - core[edge]).tolist()
        length = math.hypot(x, y)
        return self.sides[whose].pose.rotate((y / length, -x / length))

    def edge_marks(self, ends: tuple[Point, Point], n: Point, label: str) -> Marks:
        """Return an edge, its line and its normal."""
        reach = 0.3 * math.dist(*ends)
        normal = (arrow("looked_at", between(*ends), n, reach, text="n"),) if reach > 0.0 else ()
        return Mark("line", "bound", ends), path("looked_at", *ends, text=label), *normal
