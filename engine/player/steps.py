"""Encodes the steps of an algorithm, or a quiz about them, for a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

from engine.contracts.trace import ROLES, Mark, TraceStep
from engine.player.encoding import packed_recording
from engine.render import palette
from engine.render.roles import ROLE_WORDS, STYLES, role_color, view_box, word_color
from engine.render.rounded import rounded
from engine.trace.cases import Case
from engine.trace.protocol import Algorithm
from engine.trace.quiz import Quiz

__all__ = ["packed_quiz", "packed_steps"]

_DIGITS = 9


def packed_steps(algorithm: Algorithm[Any], case: Case, steps: Sequence[TraceStep]) -> str:
    """Return an algorithm's steps on a case, as `engine.player.encoding` packs them."""
    return _packed_frames(algorithm, algorithm.title, [(algorithm.scenery(case), steps)], steps)


def packed_quiz(quiz: Quiz) -> str:
    """Return all questions of a quiz: two frames for each, the step before with the question, and the step itself, which answers it."""
    algorithm, cases, frames = quiz.algorithm, [], []
    for k in range(quiz.n):
        entry = quiz.asked(k)
        cases.append((algorithm.scenery(entry.case), entry.steps[: entry.step + 1]))
        question = {**asdict(entry.question), "keys": entry.question.keys, "labels": entry.question.labels}
        seen = _frame(entry.seen) if entry.seen is not None else {"marks": [], "cost": {}}
        frames.append({**seen, "scenery": k, "line": None, "sentence": entry.question.prompt, "question": question})
        frames.append({**_frame(entry.steps[entry.step]), "scenery": k, "question": question, "is_answer": True})
    return _packed_frames(algorithm, f"A quiz: {algorithm.title}", cases, frames)


def _packed_frames(
    algorithm: Algorithm[Any],
    title: str,
    cases: Sequence[tuple[Sequence[Mark], Sequence[TraceStep]]],
    frames: Sequence[TraceStep | Mapping[str, Any]],
) -> str:
    """Return frames of an algorithm on `cases`, each a scenery and the steps that its views must show; a step is on the first."""
    meanings = {**ROLE_WORDS, **algorithm.legend}

    def boxes(scenery: Sequence[Mark], steps: Sequence[TraceStep]) -> list[list[float]]:
        views = [view_box(view, scenery, steps) for view in algorithm.views]
        return [[*box.lower, *box.upper] for box in views]

    header = {
        "kind": "steps",
        "title": title,
        "watch": "",
        "facts": {"algorithm": algorithm.name} if algorithm.name else {},
        "views": [asdict(view) for view in algorithm.views],
        "code": algorithm.pseudo_code,
        "cases": [{"scenery": [_mark(mark) for mark in scenery], "boxes": boxes(scenery, steps)} for scenery, steps in cases],
        "frames": [{"scenery": 0, **_frame(frame)} if isinstance(frame, TraceStep) else frame for frame in frames],
        "roles": {
            role: {
                **asdict(STYLES[role]),
                "meaning": meanings.get(role, ""),
                "colors": [f"#{palette.packed(role_color(role, theme)):06x}" for theme in palette.THEMES.values()],
                "words": [f"#{palette.packed(word_color(role, theme)):06x}" for theme in palette.THEMES.values()],
            }
            for role in ROLES
        },
    }
    return packed_recording(header, {})


def _frame(step: TraceStep) -> dict[str, Any]:
    cost = {name: number for name, number in step.cost.items() if name != "steps"}
    return {"line": step.line, "sentence": step.sentence, "marks": [_mark(mark) for mark in step.marks], "cost": cost}


def _mark(mark: Mark) -> dict[str, Any]:
    """Return a mark as plain data; a shape around a core as the rings that it is drawn with."""
    plain = asdict(mark)
    points = np.array(mark.points, dtype=np.float64)
    if mark.radius > 0.0 and mark.form in ("polygon", "path"):
        cores = [points] if mark.form == "polygon" else [np.array(pair) for pair in pairwise(points)]
        plain["rings"] = [rounded(core, mark.radius).round(_DIGITS).tolist() for core in cores]
    return {**plain, "points": points.round(_DIGITS).tolist()}
