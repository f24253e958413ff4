"""Tests a mutant: for each query of `compare`, our answers are computed with the fault and judged against Box2D's.

The cases are those of `compare`, in growing batches; the first kills most mutants. The fault is everywhere it would be in the program:
in the packing of the shapes, in our answers, and in whatever the judge itself uses of our algorithms (its replay of Box2D's rule, its
witness). Box2D's answers are computed beforehand.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compare.cases import PAIR_KINDS
from engine.compare.queries import Answers, Rays
from engine.compare.questions.question import Chunk
from engine.compare.questions.registry import QUESTIONS
from engine.contracts.status import Status
from engine.narrowphase.batched import ManifoldRows

__all__ = ["QUERIES", "Judged", "Trial", "leaves", "trials"]

QUERIES = tuple(QUESTIONS)


@dataclass(frozen=True)
class Judged:
    """Result of a batch: unexplained rows, other reasons, our answers, and the parts of them that `compare` does not judge."""

    n_unexplained: int
    reasons: Counter[str]
    answers: list[NDArray[Any]]
    asides: list[NDArray[Any]]

    def change(self, other):
        """Return the largest change of a number in our answers: infinite for a count or a status, 0 if no bit differs."""
        if len(self.answers) != len(other.answers):
            return math.inf
        largest = 0.0
        for sound, changed in zip(self.answers, other.answers, strict=True):
            if sound.shape != changed.shape or sound.dtype != changed.dtype:
                return math.inf
            if sound.tobytes() == changed.tobytes():
                continue
            if sound.dtype != np.float64 or not np.array_equal(np.isfinite(sound), np.isfinite(changed)):
                return math.inf
            is_finite = np.isfinite(sound)
            largest = max(largest, float(np.abs(sound[is_finite] - changed[is_finite]).max(initial=0.0)))
        return largest


class Trial:
    """One query on batches of these sizes."""

    def __init__(self, query, seed, sizes):
        self.query, self.n_batches = query, len(sizes)
        self._question = QUESTIONS[query]
        self._cases = [self._question.cases(Chunk(seed, chunk, n, PAIR_KINDS)) for chunk, n in enumerate(sizes)]
        self._box2d = [self._question.box2d(cases)[0] for cases in self._cases]

    def ours(self, batch):
        """Return the columns of a batch, and our answers."""
        columns = self._question.columns(self._cases[batch])
        return columns, self._question.ours(columns)

    def run(self, batch):
        """Compute and judge a batch."""
        return self.verdict(batch, self.ours(batch))

    def verdict(self, batch, made):
        """Judge answers that exist."""
        columns, answers = made
        reasons = Counter(verdict.reason for verdict in self._question.judge(columns, self._box2d[batch], answers).differences.values())
        return Judged(reasons.pop("unexplained", 0), reasons, leaves(answers), _asides(answers))


def trials(seed, sizes, queries=QUERIES):
    """Return the trials of some queries; `sizes` are the numbers of pairs in the batches."""
    return [Trial(query, seed, sizes) for query in queries]


def leaves(answers):
    """Return our answers as arrays."""
    if isinstance(answers, ManifoldRows):
        said = Answers.of_ours(answers)  # what is reported about the search is no answer
        points = np.where(_is_point(answers)[:, :, None], said.points, 0.0)
        is_turned = (said.count == 2) & (points[:, 0, :2].sum(axis=1) > points[:, 1, :2].sum(axis=1))  # either order will do
        return [said.count, said.normal, np.where(is_turned[:, None, None], points[:, ::-1], points)]
    if isinstance(answers, Rays):
        is_hit = answers.status == Status.HIT
        return [answers.status, np.where(is_hit, answers.fraction, 0.0), np.where(is_hit[:, None], answers.normal, 0.0)]
    if isinstance(answers, np.ndarray):
        return [answers]
    if isinstance(answers, (list, tuple)):
        return [leaf for part in answers for leaf in leaves(part)]
    if answers is None or isinstance(answers, (int, float)):
        return [np.array(np.nan if answers is None else answers)]
    return [leaf for name in type(answers).__slots__ for leaf in leaves(getattr(answers, name))]


def _asides(answers):
    """Return the feature ids of manifolds."""
    return [np.where(_is_point(answers), answers.names, 0)] if isinstance(answers, ManifoldRows) else []


def _is_point(rows):
    return np.asarray(np.arange(2) < rows.count[:, None])
