"""What the queries share on one chunk of cases: the shapes, the pairs, Box2D's copies of them; made when first asked for, and once.

Making a chunk takes about as long as comparing its overlaps, so that a run over all queries makes it once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle.distances import DistanceOracle
from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.box2d.oracle.properties import ShapeOracle
from engine.common.arrays import IntArray
from engine.compare.asked.pairs import PosedPairs, posed_pairs
from engine.compare.bulk.example import Example, Examples, Sketch
from engine.compare.bulk.histogram import Histogram
from engine.compare.bulk.tally import KEPT_UNEXPLAINED, KindTally, QueryTally, Sizes
from engine.compare.cases import CaseChunk, MotionChunk, RayChunk, case_chunk, motion_chunk, ray_chunk
from engine.compare.pair.file import Pair
from engine.compare.verdicts.explanation import Explanation
from engine.narrowphase.packing import PackedShapes, pack

__all__ = ["Chunk", "Show", "tally_of"]

Show = Callable[[int], Pair | Sketch | None]
"""Returns what is to be seen of a row."""

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
    def distances(self) -> DistanceOracle:
        """Box2D's distances between the shapes."""
        return self.prepare(lambda: DistanceOracle(self.cases.shapes))

    @cached_property
    def points(self) -> PointOracle:
        """Box2D's rays and points against the shapes."""
        return self.prepare(lambda: PointOracle(self.cases.shapes))

    @cached_property
    def bodies(self) -> ShapeOracle:
        """Box2D's boxes of the shapes."""
        return self.prepare(lambda: ShapeOracle(self.cases.shapes))

    @cached_property
    def packed(self) -> PackedShapes:
        """The shapes as Box2D holds them, with its centroids."""
        return self.prepare(lambda: pack(self.oracle.shapes, self.oracle.centroids))

    @cached_property
    def posed(self) -> PosedPairs:
        """The pairs at their poses."""
        cases = self.cases
        return self.prepare(lambda: posed_pairs(self.packed, cases.pairs, cases.poses_a, cases.poses_b))

    @cached_property
    def motion(self) -> MotionChunk:
        """A motion for each pair."""
        return self.prepare(lambda: motion_chunk(self.cases, self.seed, self.chunk))

    def rays(self, with_edges: bool) -> RayChunk:
        """Return a ray for each pair."""
        return self.prepare(lambda: ray_chunk(self.cases, self.seed, self.chunk, with_edges))


def tally_of(
    differences: Sequence[Explanation],
    chunk: int,
    names: Sequence[str],
    kind: IntArray,
    touching: NDArray[np.bool_],
    is_random: NDArray[np.bool_] | None = None,
    show: Show | None = None,
) -> QueryTally:
    """Count what differs, in all and for each kind; `kind` (n,) are indices into `names`, and all other rows agree.

    `is_random` (n,) are the rows that belong to no adversarial family, to be counted once more by themselves. `show` is asked about the
    rows that serve as examples.
    """
    tally = QueryTally(pairs=len(kind), touching=int(touching.sum()), agree=len(kind) - len(differences))
    counts, touches = np.bincount(kind, minlength=len(names)), np.bincount(kind[touching], minlength=len(names))
    for name, n, n_touching in zip(names, counts.tolist(), touches.tolist(), strict=True):
        if n:
            tally.kinds[name] = KindTally(pairs=n, touching=n_touching)
    if is_random is not None:
        tally.random = KindTally(pairs=int(is_random.sum()), touching=int((is_random & touching).sum()))
    for one in differences:
        parts = [tally.kinds[names[int(kind[one.row])]]]
        if tally.random is not None and is_random is not None and is_random[one.row]:
            parts.append(tally.random)
        if one.reason != "unexplained":
            tally.explained[one.reason] += 1
            for part in parts:
                part.reasons.setdefault(one.reason, Sizes()).note(one.size)
            continue
        tally.unexplained += 1
        for part in parts:
            part.unexplained += 1

    def example(one: Explanation) -> Example:
        is_plain = is_random is not None and bool(is_random[one.row])
        return Example(chunk, one.row, one.reason, one.size, one.evidence, names[int(kind[one.row])], is_random=is_plain)

    def shown(one: Example) -> Example:
        return replace(one, shown=show(one.row)) if show is not None else one

    by_reason: dict[str, list[Example]] = {}
    for difference in sorted(differences, key=lambda one: one.row):
        by_reason.setdefault(difference.reason, []).append(example(difference))
    for reason, found in by_reason.items():
        chosen = Examples.of(found)
        tally.examples[reason] = Examples.of([shown(one) for one in chosen])
        tally.histograms[reason] = Histogram.of(np.array([one.size for one in found]))
    tally.unexplained_pairs = [shown(one) for one in by_reason.get("unexplained", ())[:KEPT_UNEXPLAINED]]
    return tally
