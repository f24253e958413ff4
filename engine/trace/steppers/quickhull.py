"""Quickhull, step by step: `engine.geometry.convex_hull`."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry.hull import HullStep, convex_hull
from engine.trace import given
from engine.trace._points import as_points, away_from_line, dots, features, named, names
from engine.trace.cases import PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.words import meters

__all__ = ["ALGORITHM", "Quickhull"]


class Quickhull(Algorithm[PointsCase]):
    """The hull by the farthest point, repeatedly."""

    title = "Quickhull: the convex hull of points"
    page = "hull.md#derivation"
    case_of = staticmethod(given.of_points)
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

    @property
    def example(self) -> PointsCase:
        return PointsCase(
            (
                (-2.0, 0.1), (-1.5, -0.9), (-1.1, 0.6), (-0.8, 1.4), (-0.6, -0.3), (-0.2, -1.5), (0.0, 0.4), (0.3, 1.0),
                (0.5, -0.8), (0.9, 0.2), (1.1, 1.3), (1.4, -1.0), (1.6, 0.5), (2.0, -0.2),
            )
        )  # fmt: skip

    def query(self, case: PointsCase) -> FloatArray:
        return convex_hull(case.points)

    def steps(self, case: PointsCase) -> list[TraceStep]:
        trace: list[HullStep] = []
        hull = convex_hull(case.points, trace)
        tasks = [_Task(row) for row in trace]
        outside = {(task.p, task.q): task.outside for task in tasks}
        low, high = tasks[0].p, tasks[0].q
        below, above = len(outside[low, high]), len(outside[high, low])
        lie = f"{'lies' if below == 1 else 'lie'} {counted(below, 'point')}, and to the right of the way back {above}"
        steps = [
            TraceStep(
                "ends", 0,
                f"{case.name(low)} is the leftmost point and {case.name(high)} the rightmost; both are corners. To the right of the line "
                f"from low to high, that is, below it, {lie}.",
                features(case, low, high), (low, high), values={"below": below, "above": above},
                marks=(Mark("line", "bound", (low, high)), named(case, "new", low), named(case, "new", high)),
                cost={"steps": 0, "points examined": 0},
            )
        ]  # fmt: skip
        ring = [low, high]
        looked_at = len(set(case.points))
        for task in tasks:
            looked_at += len(task.outside)
            cost = {"steps": len(steps), "points examined": looked_at}
            if task.far is None:
                steps.append(_edge(case, task, tuple(ring), cost))
                continue
            later = set(outside[task.p, task.far]) | set(outside[task.far, task.q])
            inside = tuple(point for point in task.outside if point != task.far and point not in later)
            ring.insert(ring.index(task.p) + 1, task.far)
            steps.append(_farthest(case, task, inside, tuple(ring), cost))
        corners = as_points(hull)
        return [
            *steps,
            TraceStep(
                "answer", 7, f"No task is left, so the hull is complete: it has {len(hull)} corners, {names(case, corners)}.",
                features(case, *corners), corners, marks=(Mark("polygon", "result", corners),),
                cost={"steps": len(steps), "points examined": looked_at}, result=hull,
            ),
        ]  # fmt: skip


class _Task:
    """A row of the trace, as points."""

    def __init__(self, row: HullStep) -> None:
        (self.p, self.q), self.outside = as_points([row.p, row.q]), as_points(row.outside)
        self.far: Point | None = None if row.far is None else as_points(row.far)[0]


def _known(ring: tuple[Point, ...]) -> Mark:
    """Mark the corners known so far, in order."""
    return Mark("polygon" if len(ring) > 2 else "path", "kept", ring)


def _edge(case: PointsCase, task: _Task, ring: tuple[Point, ...], cost: dict[str, int]) -> TraceStep:
    p, q = task.p, task.q
    return TraceStep(
        "edge", 3, f"No point lies to the right of the line from {case.name(p)} to {case.name(q)}, so it is an edge of the hull.",
        features(case, p, q), (p, q), values={"outside": 0.0},
        marks=(_known(ring), Mark("line", "bound", (p, q)), Mark("path", "result", (p, q))), cost=cost,
    )  # fmt: skip


def _lie(n: int) -> str:
    return (
        "is 1 of the others, which is not a corner and is dropped"
        if n == 1
        else f"are {n} of the others, which are not corners and are dropped"
    )


def _farthest(case: PointsCase, task: _Task, inside: tuple[Point, ...], ring: tuple[Point, ...], cost: dict[str, int]) -> TraceStep:
    p, q, far = task.p, task.q, task.far
    assert far is not None
    left, foot = away_from_line(p, q, far)
    others = task.outside
    n, name = len(others), case.name(far)
    shed = f"; inside the triangle of these corners {_lie(len(inside))}" if inside else ""
    line = f"to the right of the line from {case.name(p)} to {case.name(q)}"
    what = f"Of the {n} points {line}, {name} is the farthest" if n > 1 else f"Only {name} lies {line}"
    question = Question(f"Which point is farthest {line}?", tuple(map(case.name, others)), others.index(far), others) if n > 1 else None
    return TraceStep(
        "farthest", 4, f"{what}, {meters(-left)} away, and thus a corner{shed}.",
        features(case, far), (p, q, far), values={"distance": -left, "outside": n, "inside": len(inside)},
        marks=(
            _known(ring), Mark("path", "looked_at", (p, q)), *dots("looked_at", others), *dots("dropped", inside),
            Mark("path", "best", (foot, far), text=meters(-left)), named(case, "new", far),
        ),
        cost=cost, question=question,
    )  # fmt: skip


ALGORITHM = Quickhull()
