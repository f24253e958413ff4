"""Shows a pair as steps: the question, a user's answer if the pair has one, ours, Box2D's, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

from engine.common.errors import InvalidInputError, LabError
from engine.compare.bulk.comparison import Tally
from engine.compare.pair.answers import Answer, PairAnswers, ask
from engine.compare.pair.file import Outsider, Pair
from engine.compare.report.document import summary_table
from engine.contracts.agreement import REASONS
from engine.contracts.trace import Mark, Point, Role, TraceStep
from engine.geometry import AnyShape, Circle, Polygon, Transform
from engine.report.page import render_macro
from engine.trace.cases import PairCase, shape_mark
from engine.trace.marks import Marks, along, normal_mark
from engine.trace.protocol import Algorithm, TraceSteps

__all__ = ["pair_steps", "shown_steps", "summary_html"]

_ARROW = 0.25
"""Length of the arrow of a normal, as a share of the picture's size."""
_MAX_COORDINATE = 1e9
"""Larger coordinates of a user's answer are not drawn."""


class _TwoAnswers(Algorithm[PairCase]):
    name = ""
    title = "A pair, two answers"
    page = "referee.md"
    pseudo_code: ClassVar[tuple[str, ...]] = ("the shapes", "our answer", "Box2D's answer", "the verdict")
    legend: ClassVar[Mapping[Role, str]] = {"result": "ours", "best": "Box2D's", "own": "the function's", "looked_at": ""}
    example = PairCase(Pair("distance", Polygon.box(0.5, 0.5), shape_b=Circle(0.5), pose_b=Transform((2.0, 0.0))))

    def steps(self, case: PairCase) -> TraceSteps:
        return TraceSteps(_steps(ask(case.pair)), self, case)

    def query(self, case: PairCase) -> PairAnswers:
        return ask(case.pair)

    def scenery(self, case: PairCase) -> Marks:
        point = case.pair.point
        return case.scenery if point is None else (*case.scenery, Mark("point", "looked_at", (point,)))


class _ThreeAnswers(_TwoAnswers):
    title = "A pair, three answers"
    pseudo_code = ("the shapes", "the function's answer", "our answer", "Box2D's answer", "the verdict")


def pair_steps(answers: PairAnswers) -> TraceSteps:
    """Return a pair and its answers as steps."""
    algorithm = _TwoAnswers() if answers.pair.outsider is None else _ThreeAnswers()
    return TraceSteps(_steps(answers), algorithm, PairCase(answers.pair))


def summary_html(subject: object) -> str:
    """Return the table of a tally as HTML; empty for anything else."""
    return render_macro("table", summary_table(subject)) if isinstance(subject, Tally) else ""


def shown_steps(subject: object) -> list[TraceSteps]:
    """Return the steps of a pair, of its answers, or of the unexplained pairs and the worst ones of a tally.

    Raises
    ------
    InvalidInputError
        The subject is none of these.
    """
    if isinstance(subject, Tally):
        examples = [
            example
            for query in subject.queries.values()
            for example in (*query.unexplained_pairs, *(kept.worst for kept in query.examples.values()))
        ]
        all_steps = []
        for example in examples:
            if isinstance(example.shown, Pair):
                with suppress(LabError):  # the pair alone is too far out
                    all_steps.append(pair_steps(ask(example.shown)))
        return all_steps
    if isinstance(subject, Pair):
        return [pair_steps(ask(subject))]
    if not isinstance(subject, PairAnswers):
        raise InvalidInputError("subject", "a pair, its answers or a tally", subject)
    return [pair_steps(subject)]


def _steps(answers: PairAnswers) -> list[TraceStep]:
    pair = answers.pair
    ours = _marks(answers.ours, "result", pair)
    theirs = () if answers.box2d is None else _marks(answers.box2d, "best", pair)
    reason = REASONS.get(answers.reason)
    explained = () if reason is None else (f"{reason.name}. {reason.sentence}", f"{answers.evidence[:1].upper()}{answers.evidence[1:]}.")
    verdict = " ".join((f"{answers.verdict.capitalize()}{':' if explained else '.'}", *explained))
    steps = [TraceStep("question", 0, f"Query: {pair.query}.")]
    if pair.outsider is not None:
        own = _marks(_own_answer(pair.outsider), "own", pair)
        steps.append(TraceStep("own", 1, f"{pair.outsider.name}: {pair.outsider.note}.", marks=own))
    last = verdict if answers.box2d is not None else f"Not judged: {answers.evidence}."
    return [
        *steps,
        TraceStep("ours", len(steps), f"Ours: {answers.ours.words}.", marks=ours),
        TraceStep("box2d", len(steps) + 1, f"Box2D's: {'not computed' if answers.box2d is None else answers.box2d.words}.", marks=theirs),
        TraceStep("verdict", len(steps) + 2, last, marks=(*theirs, *ours), result=answers),
    ]


def _own_answer(outsider: Outsider) -> Answer:
    """Return the parts of a user's answer that can be drawn; it has the form that ``check`` accepts."""
    answer = outsider.answer if isinstance(outsider.answer, dict) else {}
    points, depth, a, b = answer.get("points"), answer.get("depth"), _point(answer.get("point_a")), _point(answer.get("point_b"))
    return Answer(
        "",
        normal=_point(answer.get("normal")),
        points=tuple(point for point in map(_point, points) if point is not None) if isinstance(points, list | tuple) else (),
        separations=(-float(depth),) if isinstance(depth, int | float) and 0.0 < depth < _MAX_COORDINATE else (),
        witnesses=None if a is None or b is None else (a, b),
    )


def _point(value: object) -> Point | None:
    """Return a point of a user's answer; None if it is not one, or too far away."""
    numbers = [n for n in value if isinstance(n, int | float) and abs(n) < _MAX_COORDINATE] if isinstance(value, list | tuple) else []
    return (float(numbers[0]), float(numbers[1])) if len(numbers) == 2 else None


def _marks(answer: Answer, role: Role, pair: Pair) -> Marks:
    marks = []
    if pair.query == "toi" and answer.fraction is not None:
        sides: list[tuple[AnyShape | None, Transform]] = [
            (pair.shape_a, pair.sweep_a.at(answer.fraction)),
            (pair.shape_b, pair.sweep_b.at(answer.fraction)),
        ]
        marks += [shape_mark(shape, pose, role, "") for shape, pose in sides if shape is not None]
    for points in (answer.witnesses, answer.points):
        if points:
            marks += [Mark("path", role, points), Mark("point", role, points)]
    if answer.normal is not None:
        marks.append(normal_mark(role, answer.normal, answer.points, PairCase(pair).box, _ARROW))
        if answer.depth > 0.0 and pair.shape_b is not None:
            moved = Transform(along(pair.pose_b.position, answer.normal, answer.depth), pair.pose_b.angle)
            marks.append(shape_mark(pair.shape_b, moved, "ghost", "B moved out by the depth"))
    return tuple(marks)
