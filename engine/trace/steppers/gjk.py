"""GJK, step by step: `engine.narrowphase._gjk_kernel`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Form, Mark, Point, Question
from engine.geometry import Polygon, Transform
from engine.narrowphase import gjk as chapter
from engine.narrowphase._epa_kernel import EPA_EDGE, EPA_END, EPA_SUPPORT, EPA_TOUCHING
from engine.narrowphase._gjk_kernel import GJK_KEPT, GJK_NEAREST, GJK_START, GJK_SUPPORT
from engine.trace._difference import DifferenceAlgorithm, DifferenceDecoder, vertex_name
from engine.trace.cases import PairCase
from engine.trace.marks import along, arrow, between, dot, path
from engine.trace.rows import Event
from engine.trace.words import meters

__all__ = ["ALGORITHM", "GjkDecoder"]

_REGIONS = (
    "it joins the only vertex, so the simplex is now an edge",
    "O is beyond the edge w p, so the nearest point of the triangle p q w lies on that edge, and q is dropped",
    "O is beyond the edge w q, so the nearest point of the triangle p q w lies on that edge, and p is dropped",
    "O is in w's own region: no other point of the triangle p q w is nearer, so both p and q are dropped",
    "O lies inside the triangle p q w, and therefore inside B - A: the cores overlap or touch",
)
_SIMPLEX = "p_a:i p_b:i q_a:i q_b:i"


class GjkDecoder(DifferenceDecoder):
    """GJK's rows, then those of EPA."""

    events = {  # noqa: RUF012
        GJK_START: Event("start", f"{_SIMPLEX} p:2 q:2"),
        GJK_NEAREST: Event("nearest", f"{_SIMPLEX} p:2 q:2 v:2 n:2 length share"),
        GJK_SUPPORT: Event("support", "a:i b:i w:2 bound length"),
        GJK_KEPT: Event("kept", f"{_SIMPLEX} region:i beside_p beside_q"),
        EPA_EDGE: Event("polytope_edge", "iteration:i count:i start:2 end:2 distance is_nearest:b"),
        EPA_SUPPORT: Event("polytope_support", "a:i b:i s:2 reach offset n:2 least"),
        EPA_END: Event("polytope_end", "status:i iterations:i depth n:2"),
        EPA_TOUCHING: Event("touching", "a:2 b:2"),
    }
    costs = ("supports",)
    simplex: tuple[Mark, ...] = ()
    p = q = w = (0.0, 0.0)
    n_expansions = 0
    is_expanded = False

    def start(self, e: Any) -> None:
        self._draw(e)
        self.counts["supports"] += 1
        self.add(
            "start", 0, "B - A is the set of all differences between a point of B and a point of A. Its distance from the origin O is that "
            f"between the shapes. GJK starts at {_simplex_name(e)}, the support (farthest vertex) in the direction from B's origin to A's.",
            self.features(e.p_a, e.p_b), self.pair(e.p_a, e.p_b), marks=(*self.simplex, *self._in_plane(e)),
        )  # fmt: skip

    def nearest(self, e: Any) -> None:
        self._draw(e)
        (p_a, p_b), (q_a, q_b) = self.pair(e.p_a, e.p_b), self.pair(e.q_a, e.q_b)
        on_a, on_b = between(p_a, q_a, e.share), between(p_b, q_b, e.share)
        what = _simplex_name(e).removeprefix("the ")
        if 0.0 < e.share < 1.0 and e[:2] != e[2:4]:
            place = f"an inner point of the {what}"
        else:
            place = f"the {what}" if what.startswith("vertex") else f"an end of the {what}"
        which = ", the vertices that were kept," if len(self.steps) == 1 else ""
        self.add(
            "nearest", 2,
            f"The point v of the simplex{which} nearest to O is {place}. Its distance from O is |v| = {meters(e.length)}, so the shapes "
            "are at most that far apart.",
            (*self.features(e.p_a, e.p_b), *self.features(e.q_a, e.q_b)), (on_a, on_b), self.xf_a.rotate(e.n), e.length,
            {"|v|": e.length, "share": e.share},
            marks=(*self.simplex, _arrow(self.xf_a.rotate(e.v), text="v"), *self._in_plane(e),
                   path("best", on_a, on_b, text=meters(e.length))),
        )  # fmt: skip

    def support(self, e: Any) -> None:
        self.counts["supports"] += 1
        n, (a, b) = self.steps[-1].axis, self.pair(e.a, e.b)
        assert n is not None
        self.w = self.xf_a.rotate(e.w)
        names = tuple(f"A{k}" for k in range(len(self.world_a)))
        self.add(
            "support", 4,
            f"Opposite to n, the direction of v, the support is w = {vertex_name(e.a, e.b)}, w.n = {meters(e.bound)}. All of B - A lies "
            f"beyond the line through w, so the distance is between {meters(max(e.bound, 0.0))} and {meters(e.length)}.",
            self.features(e.a, e.b), (a, b), n, e.bound, {"w.n": e.bound, "|v|": e.length},
            marks=(
                *self.simplex, _arrow(n, e.length, "v"), line_across(self.w, n), dot("new", self.w, view="difference", text="w"),
                dot("new", a, text=f"A{e.a}"), dot("new", b, text=f"B{e.b}"),
            ),
            question=Question("Which vertex of A is the support along n?", names, e.a, tuple(self.world_a)) if len(names) > 1 else None,
        )  # fmt: skip

    def kept(self, e: Any) -> None:
        """Add which of p, q, w stay, of the simplex and the support before."""
        p, q, w, which = self.p, self.q, self.w, e.region
        kept: tuple[Point, ...] = ((p, w), (w, p), (w, q), (w,), (p, q, w))[which]
        dropped = ((), (q,), (p,), (p, q), ())[which]
        regions = ("beyond the edge w p", "beyond the edge w q", "w's own", "inside")
        form: Form = "polygon" if len(kept) == 3 else "path" if len(kept) == 2 else "point"
        marks = [path("ghost", p, w, q, p, view="difference")] if which else []
        marks += [Mark("polygon", "bound", _region(w, kept[1], p, q), "difference", "O's region")] if which in (1, 2) else []
        self.add(
            "kept", 7 if which == 4 else 6, f"w is new; {_REGIONS[which]}.",
            (*self.features(e.p_a, e.p_b), *self.features(e.q_a, e.q_b)), kept,
            values={} if which == 0 else {"c_p": e.beside_p, "c_q": e.beside_q},
            marks=(
                *marks, Mark(form, "kept", kept, "difference"),
                *(replace(mark, role="dropped") if mark.points[0] in dropped else mark for mark in _named(p, q)),
                dot("new", w, view="difference", text="w"), *self._in_plane(e),
            ),
            question=Question("In which region of the triangle p q w is O?", regions, which - 1) if which else None,
        )  # fmt: skip

    def polytope_edge(self, e: Any) -> None:
        """EPA's edges are not shown by GJK."""

    def polytope_support(self, e: Any) -> None:
        self.n_expansions += 1

    def polytope_end(self, e: Any) -> None:
        self.is_expanded = True

    def touching(self, e: Any) -> None:
        self.is_expanded = True

    def answer(self) -> None:
        result, points = self.result, self.witnesses
        gap = meters(result.separation)
        less = f" after subtracting the radii, {meters(self.radii)}" if self.radii > 0.0 else ""
        touch = f" EPA needed {self.n_expansions} supports to exclude an overlap." if self.is_expanded else ""
        words = {
            Status.SEPARATED: f"No vertex of B - A is nearer along n than v, so the distance is {gap}{less}.",
            Status.TOUCHING: f"The shapes touch: the gap is 0 within rounding{less}.{touch}",
            Status.OVERLAPPING: f"The shapes overlap: the separation is at most {gap}{less}. EPA computes the depth.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"Out of iterations: the distance is at most {gap}.",
        }
        line = {"support": 5, "kept": 7}.get(self.steps[-1].kind, 3) if self.steps and self.radii <= 0.0 else 8
        marks = (path("result", *points, text=gap), dot("result", *points)) if points else ()
        self.add(
            "answer", line, words[result.status], (), points, result.normal, result.separation, {"separation": result.separation},
            marks=(*self.last_marks, *marks), result=result,
        )  # fmt: skip

    def _draw(self, e: Any) -> None:
        self.p, self.q = self.xf_a.rotate(e.p), self.xf_a.rotate(e.q)
        edge = () if self.p == self.q else (path("kept", self.p, self.q, view="difference"),)
        self.simplex = (*edge, *_named(self.p, self.q))

    def _in_plane(self, e: Any) -> tuple[Mark, ...]:
        """Mark the vertices of A and of B that make the simplex."""
        return dot("kept", *{self.world_a[e.p_a], self.world_a[e.q_a]}), dot("kept", *{self.world_b[e.p_b], self.world_b[e.q_b]})


def line_across(at: Point, n: Point) -> Mark:
    """Mark the line through a vertex of the difference across a direction."""
    across = (-n[1], n[0])
    return Mark("line", "bound", (along(at, across, -1.0), along(at, across)), "difference")


def _arrow(way: Point, length: float = 1.0, text: str = "") -> Mark:
    return arrow("best", (0.0, 0.0), way, length, "difference", text)


def _simplex_name(e: Any) -> str:
    p, q = vertex_name(e.p_a, e.p_b), vertex_name(e.q_a, e.q_b)
    return f"the vertex {p}" if e[:2] == e[2:4] else f"the edge from {p} to {q}"


def _named(p: Point, q: Point) -> tuple[Mark, ...]:
    """Label the vertices of a simplex."""
    return tuple(dot("kept", at, view="difference", text=name) for at, name in {q: "q", p: "p"}.items())[::-1]


def _region(w: Point, end: Point, p: Point, q: Point) -> tuple[Point, ...]:
    """Return the strip beyond the edge from w to `end`, away from the third corner of p q w, as far as O's distance from the edge."""
    third = (p[0] + q[0] - end[0], p[1] + q[1] - end[1])
    ex, ey = end[0] - w[0], end[1] - w[1]
    length = math.hypot(ex, ey) or 1.0
    n = ey / length, -ex / length
    if n[0] * (third[0] - w[0]) + n[1] * (third[1] - w[1]) > 0.0:
        n = -n[0], -n[1]
    far = 1.25 * max(-(n[0] * w[0] + n[1] * w[1]), 0.25 * length)
    return w, end, along(end, n, far), along(w, n, far)


class Gjk(DifferenceAlgorithm):
    """Gilbert, Johnson and Keerthi's distance of two convex sets."""

    title = "GJK: the distance between two shapes"
    page = "gjk.md#derivation"
    pseudo_code = (
        "simplex = the support along the line of the two centers",
        "repeat:",
        "  v = the simplex's point nearest to O; n = v / |v|; drop unneeded vertices",
        "  if |v| is 0: the cores touch",
        "  w = support(-n): the vertex of B - A farthest along -n",
        "  if |v| - w.n is 0: |v| is the distance",
        "  w joins; keep the part of p, q, w whose region contains O",
        "  if O is inside the triangle: the cores overlap",
        "subtract the radii (cores are the shapes without them)",
    )
    beside = ("sat", "epa", "alternating_projections")
    decoder = GjkDecoder
    ask = staticmethod(chapter.distance)
    example = PairCase(
        Pair(
            "distance", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
            Polygon.regular(7, 0.9), Transform((1.5, 2.0), 0.5),
        )
    )  # fmt: skip


ALGORITHM = Gjk()
