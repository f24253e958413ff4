"""GJK, step by step: `engine.narrowphase._gjk_kernel`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from engine.compare.pair.file import Pair
from engine.contracts import DistanceResult, Status
from engine.contracts.trace import Form, Mark, Point, Question, TraceStep
from engine.geometry import Polygon, Transform
from engine.narrowphase import gjk as chapter
from engine.narrowphase._epa_kernel import EPA_EDGE, EPA_END, EPA_SUPPORT, EPA_TOUCHING
from engine.narrowphase._gjk_kernel import GJK_END, GJK_KEPT, GJK_NEAREST, GJK_START, GJK_SUPPORT
from engine.trace import given
from engine.trace._difference import DIFFERENCE, Difference, vertex_name
from engine.trace._points import between
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.words import meters

__all__ = ["ALGORITHM", "Gjk", "gjk_steps"]

_REGIONS = (
    "it joins the only vertex, so the simplex is now an edge",
    "O is beyond the edge w p, so the nearest point of the triangle p q w lies on that edge, and q is dropped",
    "O is beyond the edge w q, so the nearest point of the triangle p q w lies on that edge, and p is dropped",
    "O is in w's own region: no other point of the triangle p q w is nearer, so both p and q are dropped",
    "O lies inside the triangle p q w, and therefore inside B - A: the cores overlap or touch",
)


class Gjk(Algorithm[PairCase]):
    """Gilbert, Johnson and Keerthi's distance of two convex sets."""

    title = "GJK: the distance between two shapes"
    page = "gjk.md#derivation"
    case_of = staticmethod(given.at_rest("distance"))
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
    views = (PLANE, DIFFERENCE)
    beside = ("sat", "epa", "alternating_projections")

    @property
    def example(self) -> PairCase:
        a = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])
        return PairCase(Pair("distance", a, Transform(), Polygon.regular(7, 0.9), Transform((1.5, 2.0), 0.5)))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return (*case.scenery, *Difference(case).scenery)

    def query(self, case: PairCase) -> DistanceResult:
        return chapter.distance(*case.both)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: chapter.distance(*case.both, trace))
        own = [row for row in rows if row[0] < EPA_EDGE]
        steps, _ = gjk_steps(Difference(case), own)
        return [*steps, _answer(case, result, steps, [row for row in rows if row[0] >= EPA_EDGE])]

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.shape_b is not None


def gjk_steps(difference: Difference, rows: list[list[float]]) -> tuple[list[TraceStep], int]:
    """Decode rows of `_gjk_kernel`, and return the steps and the number of supports."""
    steps: list[TraceStep] = []
    supports, nearest, support = 0, [0.0], [0.0]
    simplex: tuple[Mark, ...] = ()
    for row in rows:
        kind, numbers = row[0], row[1:]
        if kind == GJK_START:
            simplex = _simplex(difference, numbers)
            supports += 1
            steps.append(
                TraceStep(
                    "start", 0, "B - A is the set of all differences between a point of B and a point of A. Its distance from the origin "
                    "O is that between the "
                    f"shapes. GJK starts at {_simplex_name(numbers)}, the support (farthest vertex) in the direction from B's origin to "
                    "A's.",
                    (*difference.features(numbers[0], numbers[1]),), (difference.point_a(numbers[0]), difference.point_b(numbers[1])),
                    marks=(*simplex, *_in_plane(difference, numbers)), cost={"steps": 0, "supports": supports},
                )
            )  # fmt: skip
        elif kind == GJK_NEAREST:
            simplex, nearest = _simplex(difference, numbers), numbers
            steps.append(_nearest(difference, numbers, simplex, supports, len(steps)))
        elif kind == GJK_SUPPORT:
            supports, support = supports + 1, numbers
            steps.append(_support(difference, numbers, simplex, steps, supports))
        elif kind == GJK_KEPT:
            steps.append(_kept(difference, numbers, nearest, support, steps, supports))
        elif kind == GJK_END:
            continue
    return steps, supports


def _simplex_name(numbers: list[float]) -> str:
    p, q = vertex_name(int(numbers[0]), int(numbers[1])), vertex_name(int(numbers[2]), int(numbers[3]))
    return f"the vertex {p}" if numbers[:2] == numbers[2:4] else f"the edge from {p} to {q}"


def _simplex(difference: Difference, numbers: list[float]) -> tuple[Mark, ...]:
    p, q = difference.vector(*numbers[4:6]), difference.vector(*numbers[6:8])
    return _named(p, q) if p == q else (Mark("path", "kept", (p, q), "difference"), *_named(p, q))


def _in_plane(difference: Difference, numbers: list[float]) -> tuple[Mark, ...]:
    """Mark the vertices of A and of B that make the simplex."""
    return (
        Mark("point", "kept", tuple({difference.point_a(numbers[0]), difference.point_a(numbers[2])})),
        Mark("point", "kept", tuple({difference.point_b(numbers[1]), difference.point_b(numbers[3])})),
    )


def _nearest(difference: Difference, numbers: list[float], simplex: tuple[Mark, ...], supports: int, at: int) -> TraceStep:
    v, n, length, share = difference.vector(*numbers[8:10]), difference.vector(*numbers[10:12]), numbers[12], numbers[13]
    on_a = between(difference.point_a(numbers[0]), difference.point_a(numbers[2]), share)
    on_b = between(difference.point_b(numbers[1]), difference.point_b(numbers[3]), share)
    where = "an inner point of" if 0.0 < share < 1.0 and numbers[:2] != numbers[2:4] else "the end"
    what = _simplex_name(numbers).removeprefix("the ")
    which = ", the vertices that were kept," if at == 1 else ""
    place = f"{where} the {what}" if where != "the end" else f"the {what}" if what.startswith("vertex") else f"an end of the {what}"
    return TraceStep(
        "nearest", 2, f"The point v of the simplex{which} nearest to O is {place}. Its distance from O is |v| = {meters(length)}, so the "
        "shapes are at most that far apart.",
        (*difference.features(numbers[0], numbers[1]), *difference.features(numbers[2], numbers[3])), (on_a, on_b), n, length,
        {"|v|": length, "share": share},
        (
            *simplex, Mark("arrow", "best", ((0.0, 0.0), v), "difference", "v"),
            *_in_plane(difference, numbers), Mark("path", "best", (on_a, on_b), text=meters(length)),
        ),
        {"steps": at, "supports": supports},
    )  # fmt: skip


def _support(difference: Difference, numbers: list[float], simplex: tuple[Mark, ...], before: list[TraceStep], supports: int) -> TraceStep:
    a, b, w, bound, length = int(numbers[0]), int(numbers[1]), difference.vector(*numbers[2:4]), numbers[4], numbers[5]
    n = before[-1].axis
    assert n is not None
    across = (-n[1], n[0])
    line = ((w[0] - across[0], w[1] - across[1]), (w[0] + across[0], w[1] + across[1]))
    places_a = tuple(difference.point_a(k) for k in range(len(difference.world_a)))
    question = Question("Which vertex of A is the support along n?", tuple(f"A{k}" for k in range(len(places_a))), a, places_a)
    return TraceStep(
        "support", 4,
        f"Opposite to n, the direction of v, the support is w = {vertex_name(a, b)}, w.n = {meters(bound)}. All of B - A lies beyond the "
        f"line through w, so the distance is between {meters(max(bound, 0.0))} and {meters(length)}.",
        difference.features(a, b), (difference.point_a(a), difference.point_b(b)), n, bound, {"w.n": bound, "|v|": length},
        (
            *simplex, Mark("arrow", "best", ((0.0, 0.0), _scaled(n, length)), "difference", "v"),
            Mark("line", "bound", line, "difference"), Mark("point", "new", (w,), "difference", "w"),
            Mark("point", "new", (difference.point_a(a),), text=f"A{a}"), Mark("point", "new", (difference.point_b(b),), text=f"B{b}"),
        ),
        {"steps": len(before), "supports": supports}, question if len(places_a) > 1 else None,
    )  # fmt: skip


def _scaled(n: Point, length: float) -> Point:
    return n[0] * length, n[1] * length


def _kept(
    difference: Difference, numbers: list[float], simplex: list[float], support: list[float], before: list[TraceStep], supports: int
) -> TraceStep:
    """Decode which of p, q, w stay, of the simplex and the support before."""
    which = int(numbers[4])
    p, q, w = difference.vector(*simplex[4:6]), difference.vector(*simplex[6:8]), difference.vector(*support[2:4])
    kept: tuple[Point, ...] = ((p, w), (w, p), (w, q), (w,), (p, q, w))[which]
    dropped = ((), (q,), (p,), (p, q), ())[which]
    regions = ("beyond the edge w p", "beyond the edge w q", "w's own", "inside")
    form: Form = "polygon" if len(kept) == 3 else "path" if len(kept) == 2 else "point"
    marks = [Mark("path", "ghost", (p, w, q, p), "difference")] if which else []
    marks += [Mark("polygon", "bound", _region(w, kept[1], p, q), "difference", "O's region")] if which in (1, 2) else []
    names = tuple(replace(mark, role="dropped") if mark.points[0] in dropped else mark for mark in _named(p, q))
    return TraceStep(
        "kept", 7 if which == 4 else 6, f"w is new; {_REGIONS[which]}.",
        (*difference.features(numbers[0], numbers[1]), *difference.features(numbers[2], numbers[3])), kept,
        values={} if which == 0 else {"c_p": numbers[5], "c_q": numbers[6]},
        marks=(*marks, Mark(form, "kept", kept, "difference"), *names, Mark("point", "new", (w,), "difference", "w"),
               *_in_plane(difference, numbers)),
        cost={"steps": len(before), "supports": supports},
        question=Question("In which region of the triangle p q w is O?", regions, which - 1) if which else None,
    )  # fmt: skip


def _region(w: Point, end: Point, p: Point, q: Point) -> tuple[Point, ...]:
    """Return the strip beyond the edge from w to `end`, away from the third corner of p q w, as far as O's distance from the edge."""
    third = (p[0] + q[0] - end[0], p[1] + q[1] - end[1])
    ex, ey = end[0] - w[0], end[1] - w[1]
    length = math.hypot(ex, ey) or 1.0
    nx, ny = ey / length, -ex / length
    if nx * (third[0] - w[0]) + ny * (third[1] - w[1]) > 0.0:
        nx, ny = -nx, -ny
    far = 1.25 * max(-(nx * w[0] + ny * w[1]), 0.25 * length)
    return w, end, (end[0] + far * nx, end[1] + far * ny), (w[0] + far * nx, w[1] + far * ny)


def _named(p: Point, q: Point) -> tuple[Mark, ...]:
    """Label the vertices of a simplex."""
    of_p = Mark("point", "kept", (p,), "difference", "p")
    return (of_p,) if p == q else (of_p, Mark("point", "kept", (q,), "difference", "q"))


def _answer(case: PairCase, result: DistanceResult, before: list[TraceStep], epa: list[list[float]]) -> TraceStep:
    radii = case.pair.shape_a.radius + (0.0 if case.pair.shape_b is None else case.pair.shape_b.radius)
    less = f" after subtracting the radii, {meters(radii)}" if radii > 0.0 else ""
    n_supports = sum(row[0] == EPA_SUPPORT for row in epa)
    is_epa = any(row[0] in (EPA_END, EPA_TOUCHING) for row in epa)
    touch = f" EPA needed {n_supports} supports to exclude an overlap." if is_epa else ""
    words = {
        Status.SEPARATED: f"No vertex of B - A is nearer along n than v, so the distance is {meters(result.separation)}{less}.",
        Status.TOUCHING: f"The shapes touch: the gap is 0 within rounding{less}.{touch}",
        Status.OVERLAPPING: f"The shapes overlap: the separation is at most {meters(result.separation)}{less}. EPA computes the depth.",
        Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
        Status.OUT_OF_ITERATIONS: f"Out of iterations: the distance is at most {meters(result.separation)}.",
    }
    points = () if result.point_a is None or result.point_b is None else (result.point_a, result.point_b)
    marks = (Mark("path", "result", points, text=meters(result.separation)), Mark("point", "result", points)) if points else ()
    cost = dict(before[-1].cost) if before else {"supports": 0}
    kept = tuple(mark for mark in before[-1].marks if mark.view == "difference") if before else ()
    ended = before[-1].kind if before else ""
    line = 8 if radii > 0.0 or not before else {"support": 5, "kept": 7}.get(ended, 3)
    return TraceStep(
        "answer", line, words[result.status], points=points, axis=result.normal, bound=result.separation,
        values={"separation": result.separation}, marks=(*kept, *marks), cost={**cost, "steps": len(before)}, result=result,
    )  # fmt: skip


ALGORITHM = Gjk()
