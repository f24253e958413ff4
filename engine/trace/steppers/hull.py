"""Convex hulls, step by step: `engine.geometry.hull`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry.hull import ChainStep, HullStep, convex_hull, convex_hull_chain
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import Points, as_points, away_from_line, dots, path
from engine.trace.protocol import Algorithm, code
from engine.trace.words import meters

__all__ = ["ALGORITHMS"]


class _QuickhullDecoder(PointsDecoder):
    costs = ("points examined",)

    def decode(self, events: Sequence[Any]) -> list[TraceStep]:
        self.outside = {as_points([row.p, row.q]): as_points(row.outside) for row in events}
        low, high = as_points([events[0].p, events[0].q])
        below, above = len(self.outside[low, high]), len(self.outside[high, low])
        lie = f"{counted(below, 'point')} {'lies' if below == 1 else 'lie'} below the line, to the right of low-high"
        self.add(
            "ends", 0,
            f"{self.name(low)} is the leftmost point and {self.name(high)} the rightmost; both are corners. {lie}, "
            f"and {above} above it, to the right of high-low.",
            self.features(low, high), (low, high), values={"below": below, "above": above},
            marks=(Mark("line", "bound", (low, high)), self.named("new", low), self.named("new", high)),
        )  # fmt: skip
        self.ring = [low, high]
        self.counts["points examined"] = len(set(self.case.points))
        return super().decode(events)

    @property
    def known(self) -> Mark:
        """The corners known so far, in order."""
        return Mark("polygon" if len(self.ring) > 2 else "path", "kept", tuple(self.ring))

    def hull_step(self, row: HullStep) -> None:
        p, q = as_points([row.p, row.q])
        outside = self.outside[p, q]
        self.counts["points examined"] += len(outside)
        line = f"to the right of the line from {self.name(p)} to {self.name(q)}"
        if row.far is None:
            self.add(
                "edge", 3, f"No point lies {line}, so it is an edge of the hull.", self.features(p, q), (p, q), values={"outside": 0.0},
                marks=(self.known, Mark("line", "bound", (p, q)), path("result", p, q)),
            )  # fmt: skip
        else:
            self._farthest(p, q, as_points(row.far)[0], outside, line)

    def _farthest(self, p: Point, q: Point, far: Point, outside: Points, line: str) -> None:
        later = {far, *self.outside[p, far], *self.outside[far, q]}
        inside = [point for point in outside if point not in later]
        self.ring.insert(self.ring.index(p) + 1, far)
        left, foot = away_from_line(p, q, far)
        n, n_inside, name = len(outside), len(inside), self.name(far)
        lie = (
            "one other point is inside the triangle of these corners, so it is not a corner and is dropped"
            if n_inside == 1
            else f"{n_inside} other points are inside the triangle of these corners, so they are not corners and are dropped"
        )
        shed = f"; {lie}" if inside else ""
        what = f"Of the {n} points {line}, {name} is the farthest" if n > 1 else f"Only {name} lies {line}"
        question = Question(f"Which point is farthest {line}?", tuple(map(self.name, outside)), outside.index(far), outside)
        self.add(
            "farthest", 4, f"{what}, {meters(-left)} away, so it is a corner{shed}.",
            self.features(far), (p, q, far), values={"distance": -left, "outside": n, "inside": n_inside},
            marks=(
                self.known, path("looked_at", p, q), *dots("looked_at", outside), *dots("dropped", inside),
                path("best", foot, far, text=meters(-left)), self.named("new", far),
            ),
            question=question if n > 1 else None,
        )  # fmt: skip

    def answer(self) -> None:
        corners = as_points(self.result)
        self.add(
            "answer", 7, f"No task is left, so the hull is complete: it has {len(corners)} corners, {self.names(corners)}.",
            self.features(*corners), corners, marks=(Mark("polygon", "result", corners),), result=self.result,
        )  # fmt: skip


class Quickhull(PointsAlgorithm):
    """The hull by the farthest point, repeatedly."""

    name = "quickhull"
    title = "Quickhull: the convex hull of points"
    page = "hull.md#derivation"
    pseudo_code = code("""
        low, high = the leftmost and the rightmost point
        tasks: the lines low-high and high-low, with the points to their right
        while there is a task p-q:
          if no point lies to the right of p-q: it is an edge of the hull
          far = the point farthest to the right of p-q: a corner of the hull
          points in the triangle p far q are not corners
          two more tasks: p-far and far-q, with the points to their right
        the edges, in order, are the hull
    """)
    beside = ("monotone_chain",)
    decoder = _QuickhullDecoder
    ask = staticmethod(convex_hull)
    example = PointsCase(
        (
            (-2.0, 0.1), (-1.5, -0.9), (-1.1, 0.6), (-0.8, 1.4), (-0.6, -0.3), (-0.2, -1.5), (0.0, 0.4), (0.3, 1.0),
            (0.5, -0.8), (0.9, 0.2), (1.1, 1.3), (1.4, -1.0), (1.6, 0.5), (2.0, -0.2),
        )
    )  # fmt: skip


_ANSWERS = ("yes, the chain would not turn left at it", "no, the chain turns left at it")


class _ChainDecoder(PointsDecoder):
    costs = ("turns",)
    lower: Points = ()

    def decode(self, events: Sequence[Any]) -> list[TraceStep]:
        self.second = [k for k, row in enumerate(events) if len(row.chain) == 0][1]
        order = as_points([row.point for row in events[: self.second] if not row.is_taken_off])
        self.add(
            "sorted", 0, f"The {len(order)} points are sorted from left to right, {self.name(order[0])} to {self.name(order[-1])}.",
            self.features(*order), order, marks=(path("ghost", *order),),
        )  # fmt: skip
        return super().decode(events)

    def chain_step(self, row: ChainStep) -> None:
        if self._at == self.second:
            before = self.events[self._at - 1]
            self.lower = (*as_points(before.chain), *as_points(before.point))
        chain, (point,) = as_points(row.chain), as_points(row.point)
        self.counts["turns"] += len(chain) > 1
        name, side = self.name(point), "upper" if self.lower else "lower"
        below = (path("kept", *self.lower),) if self.lower else ()
        new = self.named("new", point)
        link = (path("new", chain[-1], point),) if chain else ()
        if len(chain) < 2:
            what = f"{name} is appended: with only one point before it, there is no turn" if chain else f"{name} begins the {side} chain"
            self.add("appended", 5, f"{what}.", self.features(point), (point,), marks=(*below, *dots("kept", chain), new, *link))
            return
        before, last = chain[-2:]
        left, foot = away_from_line(before, point, last)
        at, way = self.name(last), f"the straight line from {self.name(before)} to {name}"
        place = f"{at} lies {meters(abs(left))} {'left' if row.is_taken_off else 'right'} of {way}"
        if left == 0.0 and row.is_taken_off:
            place = f"{at} lies on {way}"
        so_far = (*below, path("kept", *chain), Mark("line", "bound", (before, point)))
        gap = path("looked_at", foot, last, text=meters(abs(left)))
        kind, line, then, marks = (
            ("taken off", 4, f"so the chain would not turn left at it. It is not a corner of the {side} hull and is removed.",
             (*so_far, gap, self.named("dropped", last), new))
            if row.is_taken_off
            else ("appended", 5, f"so the chain turns left at it, and {name} is appended.", (*so_far, *link, gap, new))
        )  # fmt: skip
        self.add(
            kind, line, f"{place}, {then}", self.features(before, last, point), (before, last, point), values={"left": left}, marks=marks,
            question=Question(f"{name} is next. Is {at} removed?", _ANSWERS, 0 if row.is_taken_off else 1),
        )  # fmt: skip

    def answer(self) -> None:
        corners = as_points(self.result)
        self.add(
            "answer", 6, f"Together, the two chains form the hull: {len(corners)} corners, {self.names(corners)}.",
            self.features(*corners), corners, marks=(Mark("polygon", "result", corners),), result=self.result,
        )  # fmt: skip


class MonotoneChain(PointsAlgorithm):
    """Andrew's incremental hull: point by point from left to right."""

    name = "monotone_chain"
    title = "Monotone chain: the convex hull, point by point"
    page = "hull.md#derivation"
    pseudo_code = code("""
        sort the points by x, then by y
        the lower chain from left to right, then the upper one from right to left:
          for each point:
            while the chain's last two points and this one do not turn left:
              remove the last one
            append the point
        together, the two chains without their last points form the hull
    """)
    beside = ("quickhull",)
    decoder = _ChainDecoder
    ask = staticmethod(convex_hull_chain)
    example = PointsCase(
        ((-1.8, -0.2), (-1.3, 1.0), (-0.9, -1.0), (-0.2, 0.3), (0.2, -0.7), (0.5, 1.4), (1.0, -1.3), (1.5, 0.9), (1.9, 0.0))
    )


ALGORITHMS: tuple[Algorithm[Any], ...] = (Quickhull(), MonotoneChain())
