"""Shared data of the queries on one chunk of cases: the shapes, the pairs, Box2D's copies of them; made when first asked for, and once.

Making a chunk takes about as long as comparing its overlaps, so that a run over all queries makes it once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.common.arrays import IntArray
from engine.compare.bulk.tally import KEPT_UNEXPLAINED, Example, Examples, KindTally, QueryTally, Sketch, Wrong, histogram
from engine.compare.cases import PAIR_KINDS, CaseChunk, case_chunk
from engine.compare.pair.file import Pair
from engine.compare.queries import PosedPairs, posed_pairs
from engine.compare.verdicts.verdict import Verdicts
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["Chunk", "Question", "tally_of"]

_Made = TypeVar("_Made")


@dataclass
class Chunk:
    """Chunk `chunk` of the sequence that belongs to `seed` and `kinds`: its first `n_pairs` pairs.

    `case_seconds` is what making cases and Box2D's shapes has taken so far.
    """

    seed: int
    chunk: int
    n_pairs: int
    kinds: tuple[str, ...]
    case_seconds: float = field(default=0.0, init=False)

    def prepare(self, make: Callable[[], _Made]) -> _Made:
        """Return what `make` makes, its time counted as that of cases; within another call of this it is part of that one's."""
        before, started = self.case_seconds, time.perf_counter()
        made = make()
        self.case_seconds = before + time.perf_counter() - started
        return made

    @cached_property
    def cases(self) -> CaseChunk:
        """The pairs and their shapes."""
        return self.prepare(lambda: case_chunk(self.seed, self.chunk, self.n_pairs, self.kinds))

    @cached_property
    def oracle(self) -> PairOracle:
        """Box2D's narrow phase over the shapes."""
        return self.prepare(lambda: PairOracle(self.cases.shapes))

    @cached_property
    def points(self) -> PointOracle:
        """Box2D's rays and points against the shapes."""
        return self.prepare(lambda: PointOracle(self.cases.shapes))

    @cached_property
    def packed(self) -> PackedShapes:
        """The shapes as Box2D holds them, with its centroids."""
        return self.prepare(lambda: pack(self.oracle.shapes, self.oracle.centroids))

    @cached_property
    def posed(self) -> PosedPairs:
        """The pairs at their poses."""
        cases = self.cases
        return self.prepare(lambda: posed_pairs(self.packed, cases.pairs, cases.poses_a, cases.poses_b))

    def by_kind_of_pair(
        self,
        prepare: Callable[[], Any],
        answer: Callable[[Any], Any],
        judge: Callable[[Any, Any], Verdicts],
        box2d_seconds: float,
        show: Callable[[int], Pair],
        wrong: Wrong | None = None,
    ) -> Question:
        """Return a question about the pairs, counted by their kinds."""
        return Question(
            prepare, answer, judge, box2d_seconds, PAIR_KINDS, self.cases.kind, lambda _, row: show(row), self.cases.family < 0, wrong
        )


class Question(NamedTuple):
    """One query on one chunk, which Box2D has answered.

    Attributes
    ----------
    prepare : callable
        Returns the cases as our algorithms take them.
    answer : callable
        Takes prepared cases and returns our answers.
    judge : callable
        Takes prepared cases and our answers, and returns the verdicts on Box2D's.
    box2d_seconds : float
        Time that Box2D's answers took.
    names, kind : sequence of str, (n,)
        The kinds of cases, and the index of each row's kind.
    show : callable
        Takes our answers and a row, and returns what a report shows of the row.
    is_random : (n,), optional
        The rows that belong to no adversarial family, which are also counted separately.
    wrong : Wrong, optional
        The way in which Box2D can be wrong here.
    """

    prepare: Callable[[], Any]
    answer: Callable[[Any], Any]
    judge: Callable[[Any, Any], Verdicts]
    box2d_seconds: float
    names: Sequence[str]
    kind: IntArray
    show: Callable[[Any, int], Pair | Sketch]
    is_random: NDArray[np.bool_] | None = None
    wrong: Wrong | None = None


def tally_of(question: Question, work: Chunk) -> QueryTally:
    """Answer and judge, and count the verdicts, in all and for each kind of case."""
    prepared = work.prepare(question.prepare)
    started = time.perf_counter()
    ours = question.answer(prepared)
    seconds = time.perf_counter() - started
    verdicts, names, kind, is_random = question.judge(prepared, ours), question.names, question.kind, question.is_random
    tally = QueryTally(verdicts.n_pairs, verdicts.n_touching)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.maxima, tally.wrong = verdicts.maxima, question.wrong
    tally.seconds["ours"], tally.seconds["box2d"] = seconds, question.box2d_seconds
    counts, touches = np.bincount(kind, minlength=len(names)), np.bincount(kind[verdicts.is_touching], minlength=len(names))
    for name, n, n_touching in zip(names, counts.tolist(), touches.tolist(), strict=True):
        if n:
            tally.kinds[name] = KindTally(n, n_touching)
    if is_random is not None:
        tally.random = KindTally(int(is_random.sum()), int((is_random & verdicts.is_touching).sum()))

    by_reason: dict[str, list[Example]] = {}
    for difference in sorted(verdicts.differences, key=lambda difference: difference.row):
        name, is_plain = names[int(kind[difference.row])], is_random is not None and bool(is_random[difference.row])
        for part in (tally, tally.kinds[name], *([tally.random] if tally.random is not None and is_plain else [])):
            part.note(difference.reason, difference.size)
        example = Example(work.chunk, difference.row, difference.reason, difference.size, difference.evidence, name, is_random=is_plain)
        by_reason.setdefault(difference.reason, []).append(example)

    def shown(example: Example) -> Example:
        return replace(example, shown=question.show(ours, example.row))

    for reason, examples in by_reason.items():
        tally.examples[reason] = Examples.of([shown(example) for example in Examples.of(examples)])
    errors = {**verdicts.errors, **{reason: np.array([example.size for example in examples]) for reason, examples in by_reason.items()}}
    tally.histograms = {name: histogram(values) for name, values in errors.items()}
    tally.unexplained_pairs = [shown(example) for example in by_reason.get("unexplained", ())[:KEPT_UNEXPLAINED]]
    return tally
