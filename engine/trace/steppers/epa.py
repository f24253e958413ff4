"""GJK and the expanding polytope after it, step by step: `engine.narrowphase._epa_kernel`."""

from __future__ import annotations

from typing import Any

from engine.compare.pair.file import Pair
from engine.contracts import PenetrationResult, Status
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry import Polygon, Transform
from engine.narrowphase import epa as chapter
from engine.narrowphase._epa_kernel import EPA_EDGE, EPA_END, EPA_SUPPORT, EPA_TOUCHING
from engine.trace import given
from engine.trace._difference import DIFFERENCE, Difference, vertex_name
from engine.trace._points import between
from engine.trace.cases import PairCase
from engine.trace.protocol import PLANE, Algorithm
from engine.trace.rows import record_rows
from engine.trace.steppers.gjk import gjk_steps
from engine.trace.words import meters

__all__ = ["ALGORITHM", "Epa"]

_MAX_PLACES = 12
"""Maximum number of edges of a polytope for a question about the nearest."""


class Epa(Algorithm[PairCase]):
    """The depth of two convex sets that overlap, by van den Bergen's expanding polytope."""

    title = "EPA: the penetration depth of two shapes"
    page = "epa.md#derivation"
    case_of = staticmethod(given.at_rest("distance"))
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
    views = (PLANE, DIFFERENCE)
    beside = ("gjk", "sat", "manifold")

    @property
    def example(self) -> PairCase:
        a = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])
        return PairCase(Pair("distance", a, Transform(), Polygon.regular(7, 0.9), Transform((0.7, 0.5), 0.5)))

    def scenery(self, case: PairCase) -> tuple[Mark, ...]:
        return (*case.scenery, *Difference(case).scenery)

    def query(self, case: PairCase) -> PenetrationResult:
        return chapter.penetration(*case.both)

    def steps(self, case: PairCase) -> list[TraceStep]:
        result, rows = record_rows(lambda trace: chapter.penetration(*case.both, trace))
        difference = Difference(case)
        of_gjk, supports = gjk_steps(difference, [row for row in rows if row[0] < EPA_EDGE])
        steps = [_of_gjk(step) for step in of_gjk]
        steps += _expansion(difference, [row for row in rows if row[0] >= EPA_EDGE], len(steps), supports)
        return [*steps, _answer(case, result, steps)]

    def takes(self, case: Any) -> bool:
        return isinstance(case, PairCase) and case.pair.shape_b is not None


def _of_gjk(step: TraceStep) -> TraceStep:
    return TraceStep(
        step.kind, 0, f"GJK first: {step.sentence}", step.looked_at, step.points, step.axis, step.bound, step.values, step.marks, step.cost
    )


def _expansion(difference: Difference, rows: list[list[float]], before: int, supports: int) -> list[TraceStep]:
    steps: list[TraceStep] = []
    edges: list[list[float]] = []
    ring: tuple[Mark, ...] = ()
    for row in rows:
        kind, numbers = row[0], row[1:]
        cost = {"steps": before + len(steps), "supports": supports}
        if kind == EPA_EDGE:
            edges = [*(edges if edges and edges[-1][0] == numbers[0] else []), numbers]
            if len(edges) == int(numbers[1]):
                ring = (_ring(difference, edges),)
                steps.append(_nearest_edge(difference, edges, ring, cost, is_first=not steps))
        elif kind == EPA_SUPPORT:
            supports += 1
            steps.append(_support(difference, numbers, steps[-1], ring, {**cost, "supports": supports}))
        elif kind == EPA_END and numbers[1] == 0.0:
            words = "B - A is a single point, at O. All directions are equally good, and the world's x axis is used."
            n = difference.vector(numbers[3], numbers[4])
            steps.append(TraceStep("point", 2, words, axis=n, bound=numbers[2], values={"depth": numbers[2]}, cost=cost))
        elif kind == EPA_TOUCHING:
            steps.append(_touching(difference, numbers, ring, cost))
    return steps


def _ring(difference: Difference, edges: list[list[float]]) -> Mark:
    corners = tuple(difference.vector(edge[2], edge[3]) for edge in edges)
    return Mark("polygon" if len(corners) > 2 else "path", "kept", corners, "difference")


def _nearest_edge(
    difference: Difference, edges: list[list[float]], ring: tuple[Mark, ...], cost: dict[str, int], *, is_first: bool
) -> TraceStep:
    at = next(k for k, edge in enumerate(edges) if edge[7] == 1.0)
    ends = difference.vector(*edges[at][2:4]), difference.vector(*edges[at][4:6])
    length = edges[at][6]
    middles = tuple(between(difference.vector(*edge[2:4]), difference.vector(*edge[4:6])) for edge in edges)
    names = tuple(f"edge {k}" for k in range(len(edges)))
    question = Question("Which edge of the polytope is nearest to O?", names, at, middles, "difference")
    flat = " It is flat: O lies on it, and it has two sides." if len(edges) == 2 else ""
    first = (
        "O is inside B - A, so GJK ends. The depth is the distance from O to the nearest edge of B - A. To reach it, EPA expands GJK's "
        "last "
        f"simplex, a polytope of {len(edges)} edges.{flat} "
        if is_first
        else ""
    )
    return TraceStep(
        "nearest edge", 2 if is_first else 4,
        f"{first}Of the polytope's {len(edges)} edges, edge {at} is nearest to O, {meters(length)} away. The depth is at least that, "
        "because the polytope lies within B - A.",
        bound=length, values={"distance": length, "edges": float(len(edges))},
        marks=(*ring, Mark("path", "looked_at", ends, "difference", f"edge {at}")), cost=cost,
        question=question if len(edges) <= _MAX_PLACES and _is_clear(edges) else None,
    )  # fmt: skip


def _is_clear(edges: list[list[float]]) -> bool:
    """Return True if the nearest edge is visibly nearest: by a twentieth of the distance."""
    nearest, second = sorted(edge[6] for edge in edges)[:2]
    return nearest < 0.95 * second


def _support(difference: Difference, numbers: list[float], before: TraceStep, ring: tuple[Mark, ...], cost: dict[str, int]) -> TraceStep:
    a, b = int(numbers[0]), int(numbers[1])
    s, n = difference.vector(numbers[2], numbers[3]), difference.vector(numbers[6], numbers[7])
    reach, offset, least = numbers[4], numbers[5], numbers[8]
    across = (-n[1], n[0])
    line = ((s[0] - across[0], s[1] - across[1]), (s[0] + across[0], s[1] + across[1]))
    point_a, point_b = difference.point_a(a), difference.point_b(b)
    if reach - offset <= 1e-9 * max(abs(reach), abs(offset), 1.0):
        why = "which is on the edge itself. The edge is therefore an edge of B - A, and its distance is the depth"
    else:
        why = f"{meters(reach - offset)} beyond the edge. It becomes a vertex of the polytope and splits the edge in two"
    return TraceStep(
        "support", 5, f"Along the edge's normal, B - A reaches as far as s = {vertex_name(a, b)}, s.n = {meters(reach)}, {why}. "
        f"Moving by {meters(least)} separates the cores, so the depth is at most that.",
        difference.features(a, b), (point_a, point_b), n, least, {"s.n": reach, "distance": offset, "least s.n": least},
        (
            *ring, before.marks[-1], Mark("line", "bound", line, "difference"),
            Mark("arrow", "best", ((0.0, 0.0), (reach * n[0], reach * n[1])), "difference"), Mark("point", "new", (s,), "difference", "s"),
            Mark("point", "new", (point_a,), text=f"A{a}"), Mark("point", "new", (point_b,), text=f"B{b}"),
        ),
        cost,
    )  # fmt: skip


def _touching(difference: Difference, numbers: list[float], ring: tuple[Mark, ...], cost: dict[str, int]) -> TraceStep:
    on_a, on_b = difference.xf_a.apply((numbers[0], numbers[1])), difference.xf_a.apply((numbers[2], numbers[3]))
    return TraceStep(
        "witness", 8, "A's farthest feature along the normal and B's nearest one lie on two parallel lines. The middle of the range that "
        "they "
        "share gives the two witness points of the cores.", points=(on_a, on_b),
        marks=(*ring, Mark("point", "new", (on_a, on_b)), Mark("path", "new", (on_a, on_b))), cost=cost,
    )  # fmt: skip


def _answer(case: PairCase, result: PenetrationResult, before: list[TraceStep]) -> TraceStep:
    shape_b = case.pair.shape_b
    radii = case.pair.shape_a.radius + (0.0 if shape_b is None else shape_b.radius)
    more = f" including the radii, {meters(radii)}" if radii > 0.0 else ""
    words = {
        Status.SEPARATED: "The shapes are apart, so there is no depth, and EPA does not run.",
        Status.TOUCHING: f"The shapes touch: the depth is 0 within rounding{more}.",
        Status.OVERLAPPING: f"The depth is {meters(result.depth)}{more}. If B is moved by that along the normal, the shapes just touch.",
        Status.DEGENERATE: "No answer: the squares of these lengths exceed the range of float64.",
        Status.OUT_OF_ITERATIONS: f"No room for more edges: moving by {meters(result.depth)} separates the shapes, but may be more than "
        "needed.",
    }
    marks = tuple(mark for mark in before[-1].marks if mark.view == "difference") if before else ()
    points: tuple[Point, ...] = ()
    if result.point_a is not None and result.point_b is not None:
        points = (result.point_a, result.point_b)
        marks += (Mark("point", "result", points), Mark("path", "result", points, text=meters(result.depth)))
    cost = {**(before[-1].cost if before else {"supports": 0}), "steps": len(before)}
    line = 9 if radii > 0.0 and points else 6 if any(step.kind == "nearest edge" for step in before) else 1
    return TraceStep(
        "answer", line, words[result.status], points=points, axis=result.normal, bound=result.depth, values={"depth": result.depth},
        marks=marks, cost=cost, result=result,
    )  # fmt: skip


ALGORITHM = Epa()
