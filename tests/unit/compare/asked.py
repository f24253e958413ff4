"""One query of `compare` on a seeded chunk, with answers in which faults can be planted."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields, is_dataclass, replace
from functools import cached_property

import numpy as np

from engine.compare.cases import PAIR_KINDS
from engine.compare.questions.question import Chunk
from engine.compare.questions.registry import QUESTIONS
from engine.narrowphase.packing import PackedShapes

__all__ = ["Asked", "reasons", "rows_of", "unexplained"]


class Asked:
    """Both answers to a query for the first `n` pairs of a chunk, and verdicts on some of their rows."""

    def __init__(self, name, n, seed=21, kinds=PAIR_KINDS):
        self.question, self.n, self.work = QUESTIONS[name], n, Chunk(seed, 0, n, kinds)

    @cached_property
    def cases(self):
        return self.question.cases(self.work)

    @cached_property
    def columns(self):
        return self.question.columns(self.cases)

    @cached_property
    def box2d(self):
        return self.question.box2d(self.cases)[0]

    @cached_property
    def ours(self):
        return self.question.ours(self.columns)

    @cached_property
    def verdicts(self):
        return self.question.judge(self.columns, self.box2d, self.ours)

    @cached_property
    def agrees(self):
        mask = np.ones(self.n, dtype=np.bool_)
        mask[list(self.verdicts.differences)] = False
        return mask

    @cached_property
    def plain(self):
        """Rows with shapes of at least a meter near the origin, where no fault is hidden by rounding."""
        return self.question.is_random(self.work, self.cases)

    def rows(self, mask, most=300):
        return np.flatnonzero(mask)[:most]

    def judged(self, rows, ours=None, box2d=None):
        """Judge some rows; answers for these rows may replace ours or Box2D's."""
        columns, mine, theirs = (rows_of(value, rows, self.n) for value in (self.columns, self.ours, self.box2d))
        return self.question.judge(columns, theirs if box2d is None else box2d, mine if ours is None else ours)

    def planted(self, rows, whose, change):
        """Judge some rows with one side's answers changed."""
        columns, answers = rows_of(self.columns, rows, self.n), rows_of(getattr(self, whose), rows, self.n)
        return self.judged(rows, **{whose: change(answers, columns)})


def rows_of(value, rows, n):
    """Return some of `n` rows of cases or answers."""
    if isinstance(value, np.ndarray):
        return value[rows] if len(value) == n else value
    if isinstance(value, list | tuple) and len(value) == n:
        return [value[row] for row in rows]
    if is_dataclass(value) and not isinstance(value, PackedShapes):
        return replace(value, **{field.name: rows_of(getattr(value, field.name), rows, n) for field in fields(value) if field.init})
    return value


def reasons(verdicts):
    return Counter(verdict.reason for verdict in verdicts.differences.values())


def unexplained(verdicts):
    return reasons(verdicts)["unexplained"]
