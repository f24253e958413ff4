"""GJK and the expanding polytope after it, step by step: `engine.narrowphase._epa_kernel`."""

from __future__ import annotations

from typing import Any

from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Mark, Question
from engine.geometry import Polygon, Transform
from engine.narrowphase import epa as chapter
from engine.trace._difference import DifferenceAlgorithm, vertex_name
from engine.trace.cases import PairCase
from engine.trace.marks import arrow, between, dot, path
from engine.trace.steppers.gjk import GjkDecoder, line_across
from engine.trace.words import meters

__all__ = ["ALGORITHM"]

_MAX_PLACES = 12
"""Maximum number of edges of a polytope for a question about the nearest."""


class _EpaDecoder(GjkDecoder):
    ring: tuple[Mark, ...] = ()

    def __init__(self, *context: Any) -> None:
        super().__init__(*context)
        self.edges: list[Any] = []
        self.is_gjk = True

    def add(self, kind: str, line: int, sentence: str, *about: Any, **more: Any) -> None:
        """Add a step; those of GJK without their questions."""
        if self.is_gjk:
            line, sentence = 0, f"GJK first: {sentence}"
            more.pop("question", None)
        super().add(kind, line, sentence, *about, **more)

    def polytope_edge(self, e: Any) -> None:
        self.is_gjk = False
        self.edges = [*(self.edges if self.edges and self.edges[-1].iteration == e.iteration else []), e]
        if len(self.edges) == e.count:
            self._nearest_edge(all(step.kind != "nearest edge" for step in self.steps))

    def _nearest_edge(self, is_first: bool) -> None:
        edges, n = self.edges, len(self.edges)
        ends = [(self.xf_a.rotate(edge.start), self.xf_a.rotate(edge.end)) for edge in edges]
        self.ring = (Mark("polygon" if n > 2 else "path", "kept", tuple(start for start, _ in ends), "difference"),)
        at = next(k for k, edge in enumerate(edges) if edge.is_nearest)
        length, names = edges[at].distance, tuple(f"edge {k}" for k in range(n))
        nearest, second = sorted(edge.distance for edge in edges)[:2]
        is_asked = n <= _MAX_PLACES and nearest < 0.95 * second  # visibly nearest
        flat = " It is flat: O lies on it, and it has two sides." if n == 2 else ""
        first = (
            "O is inside B - A, so GJK ends. The depth is the distance from O to the nearest edge of B - A. To reach it, EPA expands GJK's "
            f"last simplex, a polytope of {n} edges.{flat} "
        )  # fmt: skip
        self.add(
            "nearest edge", 2 if is_first else 4,
            f"{first if is_first else ''}Of the polytope's {n} edges, edge {at} is nearest to O, {meters(length)} away. The depth is at "
            "least that, because the polytope lies within B - A.",
            bound=length, values={"distance": length, "edges": float(n)},
            marks=(*self.ring, path("looked_at", *ends[at], view="difference", text=f"edge {at}")),
            question=Question("Which edge of the polytope is nearest to O?", names, at, tuple(between(*two) for two in ends), "difference")
            if is_asked else None,
        )  # fmt: skip

    def polytope_support(self, e: Any) -> None:
        self.counts["supports"] += 1
        s, n, (a, b) = self.xf_a.rotate(e.s), self.xf_a.rotate(e.n), self.pair(e.a, e.b)
        if e.reach - e.offset <= 1e-9 * max(abs(e.reach), abs(e.offset), 1.0):
            why = "which is on the edge itself. The edge is therefore an edge of B - A, and its distance is the depth"
        else:
            why = f"{meters(e.reach - e.offset)} beyond the edge. It becomes a vertex of the polytope and splits the edge in two"
        self.add(
            "support", 5, f"Along the edge's normal, B - A reaches as far as s = {vertex_name(e.a, e.b)}, s.n = {meters(e.reach)}, {why}. "
            f"Moving by {meters(e.least)} separates the cores, so the depth is at most that.",
            self.features(e.a, e.b), (a, b), n, e.least, {"s.n": e.reach, "distance": e.offset, "least s.n": e.least},
            marks=(
                *self.ring, self.steps[-1].marks[-1], line_across(s, n), arrow("best", (0.0, 0.0), n, e.reach, "difference"),
                dot("new", s, view="difference", text="s"), dot("new", a, text=f"A{e.a}"), dot("new", b, text=f"B{e.b}"),
            ),
        )  # fmt: skip

    def polytope_end(self, e: Any) -> None:
        if e.iterations == 0:
            self.is_gjk = False
            words = "B - A is a single point, at O. All directions are equally good, and the world's x axis is used."
            self.add("point", 2, words, axis=self.xf_a.rotate(e.n), bound=e.depth, values={"depth": e.depth})

    def touching(self, e: Any) -> None:
        points = self.xf_a.apply(e.a), self.xf_a.apply(e.b)
        self.add(
            "witness", 8, "A's farthest feature along the normal and B's nearest one lie on two parallel lines. The middle of the range "
            "that they share gives the two witness points of the cores.",
            points=points, marks=(*self.ring, dot("new", *points), path("new", *points)),
        )  # fmt: skip

    def answer(self) -> None:
        self.is_gjk = False
        result, points = self.result, self.witnesses
        depth = meters(result.depth)
        more = f" including the radii, {meters(self.radii)}" if self.radii > 0.0 else ""
        words = {
            Status.SEPARATED: "The shapes are apart, so there is no depth, and EPA does not run.",
            Status.TOUCHING: f"The shapes touch: the depth is 0 within rounding{more}.",
            Status.OVERLAPPING: f"The depth is {depth}{more}. If B is moved by that along the normal, the shapes just touch.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"No room for more edges: moving by {depth} separates the shapes, but may be more than needed.",
        }
        line = 9 if self.radii > 0.0 and points else 6 if any(step.kind == "nearest edge" for step in self.steps) else 1
        marks = (dot("result", *points), path("result", *points, text=depth)) if points else ()
        self.add(
            "answer", line, words[result.status], (), points, result.normal, result.depth, {"depth": result.depth},
            marks=(*self.last_marks, *marks), result=result,
        )  # fmt: skip


class Epa(DifferenceAlgorithm):
    """The depth of two convex sets that overlap, by van den Bergen's expanding polytope."""

    title = "EPA: the penetration depth of two shapes"
    page = "epa.md#derivation"
    pseudo_code = (
        "simplex = GJK's last simplex",
        "if GJK found a distance: the cores are apart",
        "polytope = the simplex: it lies within B - A",
        "repeat:",
        "  e = the polytope's edge nearest to O; n = its outward normal",
        "  s = support(n): the vertex of B - A farthest along n",
        "  if s.n = e's distance: e is an edge of B - A, and the depth is s.n",
        "  s splits e in two",
        "witness points: where A reaches farthest along the normal",
        "add the radii",
    )
    beside = ("gjk", "sat", "manifold")
    decoder = _EpaDecoder
    ask = staticmethod(chapter.penetration)
    example = PairCase(
        Pair(
            "distance", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
            Polygon.regular(7, 0.9), Transform((0.7, 0.5), 0.5),
        )
    )  # fmt: skip


ALGORITHM = Epa()
