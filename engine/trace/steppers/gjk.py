"""GJK, and the expanding polytope after it, step by step: `engine.narrowphase._gjk_kernel`, `_epa_kernel`. Events are in A's frame."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from engine import query
from engine.compare.pair.file import Pair
from engine.contracts import Status
from engine.contracts.trace import Feature, Form, Mark, Point, Question, View
from engine.geometry import Polygon, Transform
from engine.narrowphase._epa_kernel import EpaEdges, EpaEnd, EpaSupport, EpaTouching
from engine.narrowphase._gjk_kernel import GjkKept, GjkNearest, GjkStart, GjkSupport
from engine.trace.cases import PairCase
from engine.trace.marks import Marks, Points, along, arrow, between, dot, hull_mark, path
from engine.trace.protocol import PLANE, Algorithm, Decoder, PairAlgorithm, code
from engine.trace.words import degrees, meters

__all__ = ["ALGORITHMS", "DifferenceDecoder"]

DIFFERENCE = View("difference", "B - A: the Minkowski difference, and the origin O")


def vertex_name(a: int, b: int) -> str:
    """Return the name of a vertex of B - A: its vertices of A and B, numbered as in the picture."""
    return f"B{b} - A{a}"


class DifferenceAlgorithm(PairAlgorithm):
    """An algorithm that searches B - A."""

    views = (PLANE, DIFFERENCE)

    def scenery(self, case: PairCase) -> Marks:
        """Return the shapes, the whole set, which no algorithm builds, and the origin."""
        points_a, points_b = (np.array(_placed(case, side)) for side in range(2))
        all_of_it = (points_b[:, None] - points_a[None]).reshape(-1, 2)
        return (*case.scenery, hull_mark(all_of_it, "difference"), dot("other", (0.0, 0.0), view="difference", text="O"))


class DifferenceDecoder(Decoder[PairCase]):
    """The vertices of B - A, world axes, with the vertices of A and B that form them."""

    def set_up(self) -> None:
        self.xf_a = self.case.pair.pose_a
        self.world_a, self.world_b = _placed(self.case, 0), _placed(self.case, 1)
        shapes = self.case.both[::2]
        self.radii = shapes[0].radius + shapes[1].radius

    def features(self, a: int, b: int) -> tuple[Feature, Feature]:
        """Return the vertices of A and B that make a vertex of the difference."""
        return Feature("a", "vertex", a), Feature("b", "vertex", b)

    def pair(self, a: int, b: int) -> tuple[Point, Point]:
        """Return a vertex of A's core and one of B's."""
        return self.world_a[a], self.world_b[b]

    @property
    def witnesses(self) -> Points:
        """The witness points of the answer, if it has any."""
        a, b = self.result.point_a, self.result.point_b
        return () if a is None or b is None else (a, b)

    @property
    def last_marks(self) -> Marks:
        """The marks of the last step in the difference."""
        return tuple(mark for mark in self.steps[-1].marks if mark.view == "difference") if self.steps else ()


def _placed(case: PairCase, side: int) -> list[Point]:
    a, xf_a, b, xf_b = case.both
    shape, xf = ((a, xf_a), (b, xf_b))[side]
    return [(x, y) for x, y in xf.apply_array(shape.core).tolist()]


_REGIONS = (
    "it joins the only vertex, so the simplex is now an edge",
    "O is beyond the edge w p, so the nearest point of the triangle p q w lies on that edge, and q is dropped",
    "O is beyond the edge w q, so the nearest point of the triangle p q w lies on that edge, and p is dropped",
    "O is in w's own region: no other point of the triangle p q w is nearer, so both p and q are dropped",
    "O lies inside the triangle p q w, and therefore inside B - A: the cores overlap or touch",
)


class GjkDecoder(DifferenceDecoder):
    """GJK's events, then those of EPA."""

    costs = ("supports",)
    simplex: Marks = ()
    p = q = w = (0.0, 0.0)
    n_expansions = 0
    is_expanded = False

    def gjk_start(self, e: GjkStart) -> None:
        self._draw(e)
        self.counts["supports"] += 1
        self.add(
            "start", 0, "B - A is the set of all differences between a point of B and a point of A. Its distance from the origin O is the "
            f"distance between the shapes. GJK starts at {_simplex_name(e)}, the support (farthest vertex) in the direction from B's "
            "origin to A's.",
            self.features(e.p_a, e.p_b), self.pair(e.p_a, e.p_b), marks=(*self.simplex, *self._in_plane(e)),
        )  # fmt: skip

    def gjk_nearest(self, e: GjkNearest) -> None:
        self._draw(e)
        (p_a, p_b), (q_a, q_b) = self.pair(e.p_a, e.p_b), self.pair(e.q_a, e.q_b)
        on_a, on_b = between(p_a, q_a, e.share), between(p_b, q_b, e.share)
        what = _simplex_name(e).removeprefix("the ")
        if 0.0 < e.share < 1.0 and e[:2] != e[2:4]:
            place = f"an inner point of the {what}"
        else:
            place = f"the {what}" if what.startswith("vertex") else f"an end of the {what}"
        which = " (the vertices kept so far)" if len(self.steps) == 1 else ""
        self.add(
            "nearest", 2,
            f"The point of the simplex{which} nearest to O is v, {place}. Its distance from O is |v| = {meters(e.length)}, so the shapes "
            "are at most that far apart.",
            (*self.features(e.p_a, e.p_b), *self.features(e.q_a, e.q_b)), (on_a, on_b), self.xf_a.rotate(e.n), e.length,
            {"|v|": e.length, "share": e.share},
            marks=(*self.simplex, _arrow(self.xf_a.rotate(e.v), text="v"), *self._in_plane(e),
                   path("best", on_a, on_b, text=meters(e.length))),
        )  # fmt: skip

    def gjk_support(self, e: GjkSupport) -> None:
        self.counts["supports"] += 1
        n, (a, b) = self.steps[-1].axis, self.pair(e.a, e.b)
        assert n is not None
        self.w = self.xf_a.rotate(e.w)
        names = tuple(f"A{k}" for k in range(len(self.world_a)))
        self.add(
            "support", 4,
            f"With n along v, the support opposite to n is w = {vertex_name(e.a, e.b)}, and w.n = {meters(e.bound)}. All of B - A lies "
            f"beyond the line through w, so the distance is between {meters(max(e.bound, 0.0))} and {meters(e.length)}.",
            self.features(e.a, e.b), (a, b), n, e.bound, {"w.n": e.bound, "|v|": e.length},
            marks=(
                *self.simplex, _arrow(n, e.length, "v"), line_across(self.w, n), dot("new", self.w, view="difference", text="w"),
                dot("new", a, text=f"A{e.a}"), dot("new", b, text=f"B{e.b}"),
            ),
            question=Question("Which vertex of A is the support along n?", names, e.a, tuple(self.world_a)) if len(names) > 1 else None,
        )  # fmt: skip

    def gjk_kept(self, e: GjkKept) -> None:
        """Add which of p, q, w stay, of the simplex and the support before."""
        p, q, w, which = self.p, self.q, self.w, e.region
        kept: Points = ((p, w), (w, p), (w, q), (w,), (p, q, w))[which]
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

    def epa_support(self, e: EpaSupport) -> None:
        self.n_expansions += 1

    def epa_end(self, e: EpaEnd) -> None:
        self.is_expanded = True

    def epa_touching(self, e: EpaTouching) -> None:
        self.is_expanded = True

    def answer(self) -> None:
        result, points = self.result, self.witnesses
        gap = meters(result.separation)
        less = f" after subtracting the radii, {meters(self.radii)}" if self.radii > 0.0 else ""
        deep = f" by at least the radii, {meters(self.radii)}" if self.radii > 0.0 else ""
        touch = f" EPA needed {self.n_expansions} supports to exclude an overlap." if self.is_expanded else ""
        words = {
            Status.SEPARATED: f"No vertex of B - A is nearer along n than v, so the distance is {gap}{less}.",
            Status.TOUCHING: f"The shapes touch: the gap is 0 within rounding{less}.{touch}",
            Status.OVERLAPPING: f"The shapes overlap{deep}. EPA computes the depth.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"Out of iterations: the distance is at most {gap}.",
        }
        line = {"support": 5, "kept": 7}.get(self.steps[-1].kind, 3) if self.steps and self.radii <= 0.0 else 8
        marks = (path("result", *points, text=gap), dot("result", *points)) if points else ()
        self.add(
            "answer", line, words[result.status], (), points, result.normal, result.separation, {"separation": result.separation},
            marks=(*self.last_marks, *marks), result=result,
        )  # fmt: skip

    def _draw(self, e: GjkStart | GjkNearest) -> None:
        self.p, self.q = self.xf_a.rotate(e.p), self.xf_a.rotate(e.q)
        edge = () if self.p == self.q else (path("kept", self.p, self.q, view="difference"),)
        self.simplex = (*edge, *_named(self.p, self.q))

    def _in_plane(self, e: GjkStart | GjkNearest | GjkKept) -> Marks:
        """Mark the vertices of A and of B that make the simplex."""
        return dot("kept", *{self.world_a[e.p_a], self.world_a[e.q_a]}), dot("kept", *{self.world_b[e.p_b], self.world_b[e.q_b]})


def line_across(at: Point, n: Point) -> Mark:
    """Mark the line through a vertex of the difference across a direction."""
    across = (-n[1], n[0])
    return Mark("line", "bound", (along(at, across, -1.0), along(at, across)), "difference")


def _arrow(way: Point, length: float = 1.0, text: str = "") -> Mark:
    return arrow("best", (0.0, 0.0), way, length, "difference", text)


def _simplex_name(e: GjkStart | GjkNearest) -> str:
    p, q = vertex_name(e.p_a, e.p_b), vertex_name(e.q_a, e.q_b)
    return f"the vertex {p}" if e[:2] == e[2:4] else f"the edge from {p} to {q}"


def _named(p: Point, q: Point) -> Marks:
    """Label the vertices of a simplex."""
    return tuple(dot("kept", at, view="difference", text=name) for at, name in {q: "q", p: "p"}.items())[::-1]


def _region(w: Point, end: Point, p: Point, q: Point) -> Points:
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

    name = "gjk"
    title = "GJK: the distance between two shapes"
    page = "gjk.md#derivation"
    pseudo_code = code("""
        simplex = the support along the line of the two centers
        repeat:
          v = the simplex's point nearest to O; n = v / |v|; drop unneeded vertices
          if |v| is 0: the cores touch
          w = support(-n): the vertex of B - A farthest along -n
          if |v| - w.n is 0: |v| is the distance
          w joins; keep the part of p, q, w whose region contains O
          if O is inside the triangle: the cores overlap
        subtract the radii (cores are the shapes without them)
    """)
    beside = ("sat", "epa", "alternating_projections")
    decoder = GjkDecoder
    ask = staticmethod(query.distance)
    example = PairCase(
        Pair(
            "distance", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
            Polygon.regular(7, 0.9), Transform((1.5, 2.0), 0.5),
        )
    )  # fmt: skip


_MAX_EDGES = 12
"""Maximum number of edges of a polytope for a question about the nearest."""


class _EpaDecoder(GjkDecoder):
    ring: Marks = ()
    shortest: Marks = ()
    """The way from O to the polytope's edge that is the answer."""

    def set_up(self) -> None:
        super().set_up()
        self.is_gjk = True

    def add(self, kind: str, line: int, sentence: str, *about: Any, **more: Any) -> None:
        """Add a step; those of GJK without their questions."""
        if self.is_gjk:
            line, sentence = 0, f"GJK first: {sentence}"
            more.pop("question", None)
        super().add(kind, line, sentence, *about, **more)

    def epa_edges(self, e: EpaEdges) -> None:
        is_first, self.is_gjk = self.is_gjk, False
        starts, n, at = [self.xf_a.rotate(start) for start in e.starts], len(e.starts), e.nearest
        edges = tuple(zip(starts, (*starts[1:], starts[0]), strict=True))
        self.ring = (Mark("polygon" if n > 2 else "path", "kept", tuple(starts), "difference"),)
        length, names = e.distances[at], tuple(f"edge {k}" for k in range(n))
        nearest, second = sorted(e.distances)[:2]
        is_asked = n <= _MAX_EDGES and nearest < 0.95 * second  # visibly nearest
        flat = " It is flat: O lies on it, and it has two sides." if n == 2 else ""
        first = (
            "O is inside B - A, so GJK ends. The depth is the distance from O to the nearest edge of B - A. To find that edge, EPA expands "
            f"GJK's last simplex, a polytope of {n} edges.{flat} "
        )  # fmt: skip
        self.add(
            "nearest edge", 2 if is_first else 4,
            f"{first if is_first else ''}Of the polytope's {n} edges, edge {at} is nearest to O, {meters(length)} away. The depth is at "
            "least that, because the polytope lies within B - A.",
            bound=length, values={"distance": length, "edges": float(n)},
            marks=(*self.ring, path("looked_at", *edges[at], view="difference", text=f"edge {at}")),
            question=Question("Which edge of the polytope is nearest to O?", names, at, tuple(between(*two) for two in edges), "difference")
            if is_asked else None,
        )  # fmt: skip

    def epa_support(self, e: EpaSupport) -> None:
        self.counts["supports"] += 1
        s, n, (a, b) = self.xf_a.rotate(e.s), self.xf_a.rotate(e.n), self.pair(e.a, e.b)
        if e.reach - e.offset <= 1e-9 * max(abs(e.reach), abs(e.offset), 1.0):
            why = "which is on the edge itself. The edge is therefore an edge of B - A, and its distance is the depth"
        else:
            why = f"{meters(e.reach - e.offset)} beyond the edge. It becomes a vertex of the polytope and splits the edge in two"
        self.add(
            "support", 5, f"The support along the edge's normal is s = {vertex_name(e.a, e.b)}, s.n = {meters(e.reach)}, {why}. "
            f"Moving by {meters(e.least)} separates the cores, so the depth is at most that.",
            self.features(e.a, e.b), (a, b), n, e.least, {"s.n": e.reach, "distance": e.offset, "least s.n": e.least},
            marks=(
                *self.ring, self.steps[-1].marks[-1], line_across(s, n), arrow("best", (0.0, 0.0), n, e.reach, "difference"),
                dot("new", s, view="difference", text="s"), dot("new", a, text=f"A{e.a}"), dot("new", b, text=f"B{e.b}"),
            ),
        )  # fmt: skip

    def epa_end(self, e: EpaEnd) -> None:
        n = self.xf_a.rotate(e.n)
        if e.depth > 0.0:
            self.shortest = (arrow("result", (0.0, 0.0), n, -e.depth, "difference", meters(e.depth)),)
        if e.iterations == 0:
            self.is_gjk = False
            words = "B - A is a single point, at O. All directions are equally good, and the world's x axis is used."
            self.add("point", 2, words, axis=n, bound=e.depth, values={"depth": e.depth})

    def epa_touching(self, e: EpaTouching) -> None:
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
        nearest = ", the distance from O to the nearest edge"
        words = {
            Status.SEPARATED: "The shapes are apart, so there is no depth, and EPA does not run.",
            Status.TOUCHING: f"The shapes touch: the depth is 0 within rounding{more}.",
            Status.OVERLAPPING: f"The depth is {depth}{more or nearest}. The normal points from A to B, "
            f"at {degrees(result.normal or (1.0, 0.0))}. Move B {depth} along it, and the shapes just touch.",
            Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
            Status.OUT_OF_ITERATIONS: f"No room for more edges: moving by {depth} separates the shapes, but may be more than needed.",
        }
        line = 9 if self.radii > 0.0 and points else 6 if any(step.kind == "nearest edge" for step in self.steps) else 1
        marks = (dot("result", *points), path("result", *points, text=depth)) if points else ()
        self.add(
            "answer", line, words[result.status], (), points, result.normal, result.depth, {"depth": result.depth},
            marks=(*self.last_marks, *self.shortest, *marks), result=result,
        )  # fmt: skip


class Epa(DifferenceAlgorithm):
    """The depth of two convex sets that overlap, by van den Bergen's expanding polytope."""

    name = "epa"
    title = "EPA: the penetration depth of two shapes"
    page = "epa.md#derivation"
    pseudo_code = code("""
        simplex = GJK's last simplex
        if GJK found a distance: the cores are apart
        polytope = the simplex: it lies within B - A
        repeat:
          e = the polytope's edge nearest to O; n = its outward normal
          s = support(n): the vertex of B - A farthest along n
          if s.n = e's distance: e is an edge of B - A, and the depth is s.n
          s splits e in two
        witness points: where A reaches farthest along the normal
        add the radii
    """)
    beside = ("gjk", "sat", "manifold")
    decoder = _EpaDecoder
    ask = staticmethod(query.penetration)
    example = PairCase(
        Pair(
            "distance", Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)]), Transform(),
            Polygon.regular(7, 0.9), Transform((0.7, 0.5), 0.5),
        )
    )  # fmt: skip


ALGORITHMS: tuple[Algorithm[Any], ...] = (Gjk(), Epa())
