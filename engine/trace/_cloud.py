"""Shared code of algorithms on points."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from engine.contracts.trace import Feature, Mark, Point, Role
from engine.trace._boxes import listed
from engine.trace.cases import PointsCase
from engine.trace.marks import dot
from engine.trace.protocol import Algorithm, Decoder

__all__ = ["PointsAlgorithm", "PointsDecoder"]


class PointsDecoder(Decoder[PointsCase]):
    """The case's points by their names."""

    def name(self, point: Point) -> str:
        """Return the name of a point, for a sentence."""
        return self.case.name(point)

    def names(self, points: Iterable[Point]) -> str:
        """Return the names of points, for a sentence."""
        names = [*map(self.case.name, points)]
        return listed(names, len(names))

    def features(self, *points: Point) -> tuple[Feature, ...]:
        """Return which of the case's points these are."""
        return tuple(Feature("point", "", self.case.points.index(point)) for point in points)

    def named(self, role: Role, point: Point) -> Mark:
        """Mark one point, with its name where the scenery has none."""
        return dot(role, point, text="" if self.case.is_named else self.name(point))


class PointsAlgorithm(Algorithm[PointsCase]):
    """An algorithm on points.

    Attributes
    ----------
    ask : callable
        The query, which takes points.
    """

    ask: ClassVar[Callable[..., Any]]

    def query(self, case: PointsCase) -> Any:
        return self.ask(case.points)
