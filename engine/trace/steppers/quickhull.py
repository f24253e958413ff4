"""Quickhull, step by step: `engine.geometry.convex_hull`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry.hull import HullStep, convex_hull
from engine.trace._cloud import PointsAlgorithm, PointsDecoder
from engine.trace.cases import PointsCase
from engine.trace.marks import as_points, away_from_line, dots, path
from engine.trace.words import meters

__all__ = ["ALGORITHM"]


class _Decoder(PointsDecoder):
    costs = ("points examined",)

    def decode(self, rows: Sequence[Any]) -> list[TraceStep]:
        self.outside = {as_points([row.p, row.q]): as_points(row.outside) for row in rows}
        low, high = as_points([rows[0].p, rows[0].q])
        below, above = len(self.outside[low, high]), len(self.outside[high, low])
        lie = f"{'lies' if below == 1 else 'lie'} {counted(below, 'point')}, and to the right of the way back {above}"
        self.add(
            "ends", 0,
            f"{self.name(low)} is the leftmost point and {self.name(high)} the rightmost; both are corners. To the right of the line "
            f"from low to high, that is, below it, {lie}.",
            self.features(low, high), (low, high), values={"below": below, "above": above},
            marks=(Mark("line", "bound", (low, high)), self.named("new", low), self.named("new", high)),
        )  # fmt: skip
        self.ring = [low, high]
        self.counts["points examined"] = len(set(self.case.points))
        return super().decode(rows)

    @property
    def known(self) -> Mark:
        """The corners known so far, in order."""
        return Mark("polygon" if len(self.ring) > 2 else "path", "kept", tuple(self.ring))

    def decode_row(self, row: HullStep) -> None:
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

    def _farthest(self, p: Point, q: Point, far: Point, outside: tuple[Point, ...], line: str) -> None:
        later = {far, *self.outside[p, far], *self.outside[far, q]}
        inside = [point for point in outside if point not in later]
        self.ring.insert(self.ring.index(p) + 1, far)
        left, foot = away_from_line(p, q, far)
        n, n_inside, name = len(outside), len(inside), self.name(far)
        lie = (
            "is 1 of the others, which is not a corner and is dropped"
            if n_inside == 1
            else f"are {n_inside} of the others, which are not corners and are dropped"
        )
        shed = f"; inside the triangle of these corners {lie}" if inside else ""
        what = f"Of the {n} points {line}, {name} is the farthest" if n > 1 else f"Only {name} lies {line}"
        question = Question(f"Which point is farthest {line}?", tuple(map(self.name, outside)), outside.index(far), outside)
        self.add(
            "farthest", 4, f"{what}, {meters(-left)} away, and thus a corner{shed}.",
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

    title = "Quickhull: the convex hull of points"
    page = "hull.md#derivation"
    pseudo_code = (
        "low, high = the leftmost and the rightmost point",
        "tasks: the lines low-high and high-low, with the points to their right",
        "while there is a task p-q:",
        "  if no point lies to the right of p-q: it is an edge of the hull",
        "  far = the point farthest to the right of p-q: a corner of the hull",
        "  points in the triangle p far q are not corners",
        "  two more tasks: p-far and far-q, with the points to their right",
        "the edges, in order, are the hull",
    )
    beside = ("monotone_chain",)
    decoder = _Decoder
    ask = staticmethod(convex_hull)
    example = PointsCase(
        (
            (-2.0, 0.1), (-1.5, -0.9), (-1.1, 0.6), (-0.8, 1.4), (-0.6, -0.3), (-0.2, -1.5), (0.0, 0.4), (0.3, 1.0),
            (0.5, -0.8), (0.9, 0.2), (1.1, 1.3), (1.4, -1.0), (1.6, 0.5), (2.0, -0.2),
        )
    )  # fmt: skip


ALGORITHM = Quickhull()
