"""Shared data of the queries on one chunk of cases: the shapes, the pairs, Box2D's copies of them; made when first asked for, and once.

Making a chunk takes about as long as comparing its overlaps, so that a run over all queries makes it once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeVar

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

__all__ = ["Chunk", "Judged", "tally_of"]

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

    def judged_pairs(
        self, verdicts: Verdicts, seconds: tuple[float, float], show: Callable[[int], Pair | Sketch], wrong: Wrong | None = None
    ) -> Judged:
        """Return the verdicts on the pairs, to be counted by their kinds."""
        return Judged(verdicts, seconds, PAIR_KINDS, self.cases.kind, show, self.cases.family < 0, wrong)


class Judged(NamedTuple):
    """One query on one chunk: the verdicts, and by what they are counted and shown.

    Attributes
    ----------
    seconds : (float, float)
        What our answers took, and Box2D's.
    names, kind : sequence of str, (n,)
        The kinds of cases, and of each row the index of its own.
    show : callable
        Returns what is to be seen of a row.
    is_random : (n,), optional
        The rows that belong to no adversarial family, to be counted once more by themselves.
    wrong : Wrong, optional
        The way in which Box2D can be wrong here.
    """

    verdicts: Verdicts
    seconds: tuple[float, float]
    names: Sequence[str]
    kind: IntArray
    show: Callable[[int], Pair | Sketch]
    is_random: NDArray[np.bool_] | None = None
    wrong: Wrong | None = None


def tally_of(judged: Judged, chunk: int) -> QueryTally:
    """Count what was judged, in all and for each kind of case."""
    verdicts, names, kind, is_random = judged.verdicts, judged.names, judged.kind, judged.is_random
    tally = QueryTally(verdicts.n_pairs, verdicts.n_touching)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.maxima, tally.wrong = verdicts.maxima, judged.wrong
    tally.seconds["ours"], tally.seconds["box2d"] = judged.seconds
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
        example = Example(chunk, difference.row, difference.reason, difference.size, difference.evidence, name, is_random=is_plain)
        by_reason.setdefault(difference.reason, []).append(example)

    def shown(example: Example) -> Example:
        return replace(example, shown=judged.show(example.row))

    for reason, examples in by_reason.items():
        tally.examples[reason] = Examples.of([shown(example) for example in Examples.of(examples)])
    errors = {**verdicts.errors, **{reason: np.array([example.size for example in examples]) for reason, examples in by_reason.items()}}
    tally.histograms = {name: histogram(values) for name, values in errors.items()}
    tally.unexplained_pairs = [shown(example) for example in by_reason.get("unexplained", ())[:KEPT_UNEXPLAINED]]
    return tally
