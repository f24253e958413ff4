"""The monotone chain, step by step: `engine.geometry.hull.convex_hull_chain`, the incremental hull."""

from __future__ import annotations

from engine.common.arrays import FloatArray
from engine.contracts.trace import Mark, Point, Question, TraceStep
from engine.geometry.hull import ChainStep, convex_hull_chain
from engine.trace import given
from engine.trace._points import as_points, away_from_line, dots, features, named, names
from engine.trace.cases import PointsCase
from engine.trace.protocol import Algorithm
from engine.trace.words import meters

__all__ = ["ALGORITHM", "MonotoneChain"]

_ANSWERS = ("yes, the chain would not turn left at it", "no, the chain turns left at it")


class MonotoneChain(Algorithm[PointsCase]):
    """Andrew's incremental hull: point by point from left to right."""

    title = "Monotone chain: the convex hull, point by point"
    page = "hull.md#derivation"
    case_of = staticmethod(given.of_points)
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

    @property
    def example(self) -> PointsCase:
        return PointsCase(
            ((-1.8, -0.2), (-1.3, 1.0), (-0.9, -1.0), (-0.2, 0.3), (0.2, -0.7), (0.5, 1.4), (1.0, -1.3), (1.5, 0.9), (1.9, 0.0))
        )

    def query(self, case: PointsCase) -> FloatArray:
        return convex_hull_chain(case.points)

    def steps(self, case: PointsCase) -> list[TraceStep]:
        trace: list[ChainStep] = []
        hull = convex_hull_chain(case.points, trace)
        ends = [k for k, row in enumerate(trace) if len(row.chain) == 0]
        in_order = as_points([row.point for row in trace[: ends[1]] if not row.is_taken_off])
        steps = [
            TraceStep(
                "sorted", 0, f"{len(in_order)} points in order from left to right, {case.name(in_order[0])} to {case.name(in_order[-1])}.",
                features(case, *in_order), in_order, marks=(Mark("path", "ghost", in_order),), cost={"steps": 0, "turns": 0},
            )
        ]  # fmt: skip
        turns = 0
        lower: tuple[Point, ...] = ()
        for k, row in enumerate(trace):
            if k == ends[1]:
                lower = (*as_points(trace[k - 1].chain), *as_points(trace[k - 1].point))
            turns += len(row.chain) > 1
            steps.append(_step(case, row, lower, {"steps": len(steps), "turns": turns}))
        corners = as_points(hull)
        return [
            *steps,
            TraceStep(
                "answer", 6, f"Both chains together are the hull: {len(hull)} corners, {names(case, corners)}.",
                features(case, *corners), corners, marks=(Mark("polygon", "result", corners),),
                cost={"steps": len(steps), "turns": turns}, result=hull,
            ),
        ]  # fmt: skip


def _step(case: PointsCase, row: ChainStep, lower: tuple[Point, ...], cost: dict[str, int]) -> TraceStep:
    chain, (point,) = as_points(row.chain), as_points(row.point)
    name, side = case.name(point), "upper" if lower else "lower"
    below = (Mark("path", "kept", lower),) if lower else ()
    sofar = (Mark("path", "kept", chain),) if len(chain) > 1 else ()
    if len(chain) < 2:
        what = f"{name} begins the {side} chain" if not chain else f"{name} is appended: with only one point before it, there is no turn"
        return TraceStep(
            "appended", 5, f"{what}.", features(case, point), (point,),
            marks=(*below, *dots("kept", chain), named(case, "new", point), *_last(chain, point)), cost=cost,
        )  # fmt: skip
    before, last = chain[-2:]
    left, foot = away_from_line(before, point, last)
    way = f"the straight line from {case.name(before)} to {name}"
    side_of_way = "left" if row.is_taken_off else "right"
    place = f"{case.name(last)} lies {meters(abs(left))} {side_of_way} of {way}" if left != 0.0 or not row.is_taken_off else (
        f"{case.name(last)} lies on {way}"
    )  # fmt: skip
    question = Question(f"{name} is next. Is {case.name(last)} removed?", _ANSWERS, 0 if row.is_taken_off else 1)
    gap = Mark("path", "looked_at", (foot, last), text=meters(abs(left)))
    if row.is_taken_off:
        return TraceStep(
            "taken off", 4, f"{place}, so the chain would not turn left at it. It is not a corner of the {side} hull and is removed.",
            features(case, before, last, point), (before, last, point), values={"left": left},
            marks=(*below, *sofar, Mark("line", "bound", (before, point)), gap, named(case, "dropped", last),
                   named(case, "new", point)),
            cost=cost, question=question,
        )  # fmt: skip
    return TraceStep(
        "appended", 5, f"{place}, so the chain turns left at it, and {name} is appended.",
        features(case, before, last, point), (before, last, point), values={"left": left},
        marks=(*below, *sofar, Mark("line", "bound", (before, point)), *_last(chain, point), gap, named(case, "new", point)),
        cost=cost, question=question,
    )  # fmt: skip


def _last(chain: tuple[Point, ...], point: Point) -> tuple[Mark, ...]:
    return (Mark("path", "new", (chain[-1], point)),) if chain else ()


ALGORITHM = MonotoneChain()
