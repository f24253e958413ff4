"""The monotone chain, step by step: `engine.geometry.hull.convex_hull_chain`, the incremental hull."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry.hull import ChainStep, convex_hull_chain
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import as_points, away_from_line, dots, path
from engine.trace.words import meters

__all__ = ["ALGORITHM"]

_ANSWERS = ("yes, the chain would not turn left at it", "no, the chain turns left at it")


class _Decoder(PointsDecoder):
    costs = ("turns",)
    lower: tuple[Point, ...] = ()

    def decode(self, rows: Sequence[Any]) -> list[TraceStep]:
        self.second = [k for k, row in enumerate(rows) if len(row.chain) == 0][1]
        order = as_points([row.point for row in rows[: self.second] if not row.is_taken_off])
        self.add(
            "sorted", 0, f"{len(order)} points in order from left to right, {self.name(order[0])} to {self.name(order[-1])}.",
            self.features(*order), order, marks=(path("ghost", *order),),
        )  # fmt: skip
        return super().decode(rows)

    def decode_row(self, row: ChainStep) -> None:
        if self._at == self.second:
            before = self.rows[self._at - 1]
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
            "answer", 6, f"Both chains together are the hull: {len(corners)} corners, {self.names(corners)}.",
            self.features(*corners), corners, marks=(Mark("polygon", "result", corners),), result=self.result,
        )  # fmt: skip


class MonotoneChain(PointsAlgorithm):
    """Andrew's incremental hull: point by point from left to right."""

    title = "Monotone chain: the convex hull, point by point"
    page = "hull.md#derivation"
    pseudo_code = (
        "sort the points by x, then by y",
        "the lower chain from left to right, then the upper one from right to left:",
        "  for each point:",
        "    while the chain's last two points and this one do not turn left:",
        "      remove the last one",
        "    append the point",
        "both chains together, without their last points, are the hull",
    )
    beside = ("quickhull",)
    decoder = _Decoder
    ask = staticmethod(convex_hull_chain)
    example = PointsCase(
        ((-1.8, -0.2), (-1.3, 1.0), (-0.9, -1.0), (-0.2, 0.3), (0.2, -0.7), (0.5, 1.4), (1.0, -1.3), (1.5, 0.9), (1.9, 0.0))
    )


ALGORITHM = MonotoneChain()
