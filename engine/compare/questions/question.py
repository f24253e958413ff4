"""A query that both sides answer: its cases, both answers, the verdicts, and the drawing of a row.

    cases ---> box2d ---------------------> judge ---> shown
       \\---> columns ---> ours ------------/

`compare` uses each question on chunks of seeded cases, `engine.compare.pair.answers.ask` on a single pair, and the mutation trials of the
tests on batches with a fault planted in our algorithms. A new question is a class in a module of its own, and a row of the registry.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.common.arrays import FloatArray, IntArray
from engine.compare.cases import PAIR_KINDS, SHAPE_KINDS, CaseChunk, RayChunk, case_chunk, ray_chunk
from engine.compare.pair.file import PAIR_QUERIES, Pair
from engine.compare.pair.held import made_by_box2d, pose_row
from engine.compare.queries import Flags, PosedPairs, PosedRays, posed_pairs, posed_rays
from engine.compare.questions.answer import Answer, pose_of
from engine.contracts.agreement import Verdict
from engine.narrowphase.packing import pack

if TYPE_CHECKING:
    from engine.compare.bulk.tally import Wrong

__all__ = [
    "Chunk",
    "PairCases",
    "PairOfShapesQuestion",
    "Question",
    "RayCases",
    "RayQuestion",
    "RowCases",
    "Verdicts",
    "differences_of",
    "only_pair",
]


def differences_of(agrees: Flags, explain: Callable[[int], Verdict]) -> dict[int, Verdict]:
    """Return the verdict on each row that does not agree."""
    return {row: explain(row) for row in np.flatnonzero(~agrees).tolist()}


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on n rows: on those that differ, by row; the others agree.

    Attributes
    ----------
    is_touching : (n,)
        True for Box2D's contacts and hits, and for our times of impact.
    max_point_error, max_normal_error : float
        Maxima over the agreeing rows; meters, and components of a unit vector.
    maxima : dict
        Further maxima, which only this query has, by their names in the JSON.
    errors : dict
        Errors of the rows that touch and agree, for histograms: ``point_error``, ``normal_error`` or ``fraction_error``.
    """

    is_touching: Flags
    differences: dict[int, Verdict]
    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    maxima: dict[str, float] = field(default_factory=dict)
    errors: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def n_pairs(self) -> int:
        """Rows judged."""
        return len(self.is_touching)

    @property
    def n_touching(self) -> int:
        """Rows that touch."""
        return int(self.is_touching.sum())

    @property
    def n_agree(self) -> int:
        """Rows without a difference."""
        return self.n_pairs - len(self.differences)

    @property
    def n_unexplained(self) -> int:
        """Rows without a proved reason."""
        return sum(verdict.reason == "unexplained" for verdict in self.differences.values())


# --- Cases

_Oracle = TypeVar("_Oracle")
_Rows = TypeVar("_Rows")


class RowCases(NamedTuple, Generic[_Oracle, _Rows]):
    """Some shapes as Box2D holds them, and the cases: pairs, motions or rays of these shapes."""

    oracle: _Oracle
    rows: _Rows


PairCases: TypeAlias = RowCases[PairOracle, CaseChunk]
RayCases: TypeAlias = RowCases[PointOracle, RayChunk]
_FIRST, _RANDOM = np.zeros(1, dtype=np.int64), np.full(1, -1, dtype=np.int64)
"""Kind and family of a single case."""


def only_pair(pair: Pair) -> tuple[PairCases, Pair]:
    """Return a pair of shapes as the only case, and with the shapes as Box2D holds them."""
    assert pair.shape_b is not None
    oracle = made_by_box2d(PairOracle, (pair.shape_a, pair.shape_b))
    a, b = oracle.shapes
    both = np.array([(0, 1)], dtype=np.int64)
    rows = CaseChunk((a, b), both, pose_row(pair.pose_a), pose_row(pair.pose_b), _FIRST, _RANDOM)
    return RowCases(oracle, rows), replace(pair, shape_a=a, shape_b=b)


_Made = TypeVar("_Made")


@dataclass
class Chunk:
    """Chunk `chunk` of the sequence that belongs to `seed` and `kinds`: its first `n_pairs` pairs.

    Shapes, pairs and Box2D's copies of them are made once, when needed: making them takes about as long as comparing all overlaps.

    `case_seconds` is the time spent so far on cases and Box2D's shapes.
    """

    seed: int
    chunk: int
    n_pairs: int
    kinds: tuple[str, ...]
    case_seconds: float = field(default=0.0, init=False)

    def prepare(self, make: Callable[[], _Made]) -> _Made:
        """Return the result of `make`, and count its time as preparation; nested calls are counted once."""
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


def posed_columns(cases: PairCases) -> PosedPairs:
    """Return pairs as columns, with the shapes and centroids that Box2D holds."""
    oracle, rows = cases
    return posed_pairs(pack(oracle.shapes, oracle.centroids), rows.pairs, rows.poses_a, rows.poses_b)


# --- Questions

Columns = TypeVar("Columns")
"""The input of our algorithms and of the judge: packed shapes, poses, allowances."""
Ours = TypeVar("Ours")
Theirs = TypeVar("Theirs")


class Question(ABC, Generic[Columns, Ours, Theirs]):
    """A question about n cases, each of which is a `Pair`.

    Attributes
    ----------
    names : sequence of str
        The kinds of cases by which verdicts are counted.
    wrong : Wrong or None
        How Box2D can be wrong here.
    """

    names: ClassVar[Sequence[str]] = PAIR_KINDS
    wrong: ClassVar[Wrong | None] = None

    @abstractmethod
    def cases(self, work: Chunk) -> RowCases[Any, Any]:
        """Return the cases of a chunk."""

    @abstractmethod
    def box2d(self, cases: RowCases[Any, Any]) -> tuple[Theirs, float]:
        """Return Box2D's answers, and the time that Box2D took, seconds."""

    @abstractmethod
    def columns(self, cases: RowCases[Any, Any]) -> Columns:
        """Return the cases as our algorithms take them."""

    @abstractmethod
    def ours(self, columns: Columns, /) -> Ours:
        """Return our answers."""

    @abstractmethod
    def judge(self, columns: Columns, box2d: Theirs, ours: Ours, /) -> Verdicts:
        """Return the verdicts on all rows."""

    @abstractmethod
    def shown(self, work: Chunk, cases: RowCases[Any, Any], row: int) -> Pair:
        """Return a row as a pair."""

    @abstractmethod
    def from_pair(self, pair: Pair) -> tuple[RowCases[Any, Any], Pair]:
        """Return the pair as the only case, and with the shapes as Box2D holds them.

        Raises
        ------
        NotForBox2DError
            Box2D rejects a shape.
        """

    @abstractmethod
    def answers(self, pair: Pair, cases: RowCases[Any, Any], ours: Ours, box2d: Theirs) -> tuple[Answer, Answer]:
        """Return our answer to the only case, and Box2D's."""

    @abstractmethod
    def ours_alone(self, pair: Pair) -> Answer:
        """Return our answer to a pair that Box2D cannot hold, by `engine.query`."""

    def kind(self, cases: RowCases[Any, Any]) -> IntArray:
        """Return the index (n,) into `names` of each row."""
        kinds: IntArray = cases.rows.kind
        return kinds

    def is_random(self, work: Chunk, cases: RowCases[Any, Any]) -> Flags:
        """Return which rows (n,) belong to no adversarial family."""
        is_random: Flags = (work.cases.family < 0) & (cases.rows.family < 0)
        return is_random


class PairOfShapesQuestion(Question[PosedPairs, Ours, Theirs]):
    """A question about two shapes at rest."""

    name: ClassVar[str]
    """The query of its pairs."""

    def cases(self, work: Chunk) -> PairCases:
        return RowCases(work.oracle, work.cases)

    def columns(self, cases: PairCases) -> PosedPairs:
        return posed_columns(cases)

    def shown(self, work: Chunk, cases: PairCases, row: int) -> Pair:
        assert self.name in PAIR_QUERIES
        rows, shapes = cases.rows, work.cases.shapes
        a, b = rows.pairs[row].tolist()
        return Pair(self.name, shapes[a], pose_of(rows.poses_a[row]), shapes[b], pose_of(rows.poses_b[row]))

    from_pair = staticmethod(only_pair)


class RayQuestion(Question[PosedRays, Ours, Theirs]):
    """A question about a ray or a point at the first shape of a pair."""

    names = SHAPE_KINDS
    with_edges: ClassVar[bool]
    """If False and the first shape of a pair is an edge, the other shape is used."""

    def cases(self, work: Chunk) -> RayCases:
        return RowCases(work.points, ray_chunk(work.cases, work.seed, work.chunk, self.with_edges))

    def columns(self, cases: RayCases) -> PosedRays:
        return posed_rays(pack(cases.oracle.shapes), cases.rows)

    def from_pair(self, pair: Pair) -> tuple[RayCases, Pair]:
        oracle = made_by_box2d(PointOracle, (pair.shape_a,))
        pair = replace(pair, shape_a=oracle.shapes[0])
        origin, end = pair.ray if pair.ray is not None else (pair.point, pair.point)
        origins, ends = np.array([origin], dtype=np.float64), np.array([end], dtype=np.float64)
        return RowCases(oracle, RayChunk(_FIRST, _FIRST, pose_row(pair.pose_a), origins, ends, _RANDOM)), pair
