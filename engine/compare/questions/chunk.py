"""Shared data of the questions about one chunk of cases: the shapes, the pairs, Box2D's copies of them; each is made once, when needed.

Making a chunk takes about as long as comparing its overlaps, so a run over all questions makes it once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.compare.cases import CaseChunk, case_chunk
from engine.compare.questions.posed_cases import PairCases

__all__ = ["Chunk"]

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
    def pair_cases(self) -> PairCases:
        """The pairs at their poses."""
        cases = self.cases
        return self.prepare(lambda: PairCases(self.oracle, cases.pairs, cases.poses_a, cases.poses_b))
