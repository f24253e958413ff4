"""Draws a pair with both answers for a page, as steps: the question, our answer, Box2D's, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from engine.compare.pair.answers import Answer, PairAnswers
from engine.contracts.agreement import REASONS
from engine.contracts.trace import Mark, Role, TraceStep, View
from engine.geometry import AnyShape, Transform
from engine.player.steps import packed_frames
from engine.trace.cases import PairCase, shape_mark
from engine.trace.protocol import PLANE

__all__ = ["packed_pair"]

_ARROW = 0.25
"""Length of the arrow of a normal, as a share of the picture's size."""


@dataclass(frozen=True)
class _Question:
    """Stands for an algorithm, of which it has what a page shows."""

    name: str
    title: str
    pseudo_code: tuple[str, ...] = ("the shapes", "our answer", "Box2D's answer", "the verdict")
    views: tuple[View, ...] = (PLANE,)


def packed_pair(answers: PairAnswers) -> str:
    """Return a pair and its answers, as `engine.player.encoding` packs them."""
    pair, case = answers.pair, PairCase(answers.pair)
    box = case.box
    size = max(box.upper[0] - box.lower[0], box.upper[1] - box.lower[1])
    ours = _marks(answers.ours, "result", answers, size)
    theirs = () if answers.box2d is None else _marks(answers.box2d, "best", answers, size)
    reason = REASONS.get(answers.reason)
    explained = () if reason is None else (f"{reason.name}. {reason.sentence}", f"{answers.evidence[:1].upper()}{answers.evidence[1:]}.")
    verdict = " ".join((f"{answers.verdict.capitalize()}{':' if explained else '.'}", *explained))
    steps = [
        TraceStep("question", 0, f"The question: {pair.query}."),
        TraceStep("ours", 1, f"Ours: {answers.ours.words}.", marks=ours),
        TraceStep("box2d", 2, f"Box2D's: {'not computed' if answers.box2d is None else answers.box2d.words}.", marks=theirs),
        TraceStep("verdict", 3, verdict if answers.box2d is not None else f"Not judged: {answers.evidence}.", marks=(*theirs, *ours)),
    ]
    scenery = (*case.scenery, *(Mark("point", "looked_at", (point,)) for point in (pair.point,) if point is not None))
    question = _Question("", f"A pair, two answers: {pair.query}")
    return packed_frames(question, question.title, [(scenery, steps)], steps, {"result": "ours", "best": "Box2D's"})


def _marks(answer: Answer, role: Role, answers: PairAnswers, size: float) -> tuple[Mark, ...]:
    pair, marks = answers.pair, []
    if pair.query == "toi" and answer.fraction is not None:
        sides: list[tuple[AnyShape | None, Transform]] = [
            (pair.shape_a, pair.sweep_a.at(answer.fraction)),
            (pair.shape_b, pair.sweep_b.at(answer.fraction)),
        ]
        marks += [shape_mark(shape, pose, role, "") for shape, pose in sides if shape is not None]
    if answer.witnesses is not None:
        marks += [Mark("path", role, answer.witnesses), Mark("point", role, answer.witnesses)]
    if answer.points:
        marks += [Mark("path", role, answer.points), Mark("point", role, answer.points)]
        x, y = (sum(values) / len(values) for values in zip(*answer.points, strict=True))
        if answer.normal is not None:
            nx, ny = answer.normal
            marks.append(Mark("arrow", role, ((x, y), (x + _ARROW * size * nx, y + _ARROW * size * ny))))
            if answer.depth > 0.0 and pair.shape_b is not None:
                way = Transform(
                    (pair.pose_b.position[0] + answer.depth * nx, pair.pose_b.position[1] + answer.depth * ny), pair.pose_b.angle
                )
                marks.append(shape_mark(pair.shape_b, way, "ghost", "B moved out by the depth"))
    return tuple(marks)
