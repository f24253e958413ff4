"""What the questions about pairs at rest have in common, and those about rays and points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle.points import PointOracle
from engine.common.arrays import IntArray
from engine.compare.cases import SHAPE_KINDS, RayChunk, ray_chunk
from engine.compare.pair.file import PAIR_QUERIES, Pair
from engine.compare.pair.held import made_by_box2d, pose_row
from engine.compare.queries import PosedPairs, PosedRays, posed_rays
from engine.compare.questions.posed_cases import PairCases, RayCases
from engine.compare.questions.question import Ours, PairQuestion, Theirs
from engine.compare.questions.sketches import pose_of
from engine.narrowphase.packing import pack

if TYPE_CHECKING:
    from engine.compare.questions.chunk import Chunk

__all__ = ["PairOfShapesQuestion", "RayQuestion"]

_NO_KIND = np.zeros(1, dtype=np.int64)
_NO_FAMILY = np.full(1, -1, dtype=np.int64)


class PairOfShapesQuestion(PairQuestion[PairCases, PosedPairs, Ours, Theirs]):
    """A question about two shapes at rest."""

    name: ClassVar[str]
    """The query of its pairs."""

    def cases(self, work: Chunk) -> PairCases:
        return work.pair_cases

    def columns(self, cases: PairCases) -> PosedPairs:
        return cases.posed

    def kind(self, work: Chunk, cases: PairCases) -> IntArray:
        return work.cases.kind

    def is_random(self, work: Chunk, cases: PairCases) -> NDArray[np.bool_]:
        return work.cases.family < 0

    def shown(self, work: Chunk, cases: PairCases, ours: Ours, box2d: Theirs, row: int) -> Pair:
        assert self.name in PAIR_QUERIES
        (a, b), shapes = cases.pairs[row].tolist(), work.cases.shapes
        return Pair(self.name, shapes[a], pose_of(cases.poses_a[row]), shapes[b], pose_of(cases.poses_b[row]))

    def from_pair(self, pair: Pair) -> tuple[PairCases, Pair]:
        return PairCases.of_pair(pair)


class RayQuestion(PairQuestion[RayCases, PosedRays, Ours, Theirs]):
    """A question about a ray or a point at the first shape of a pair."""

    names = SHAPE_KINDS
    with_edges: ClassVar[bool]
    """False: the other shape of a pair is asked about where the first is an edge."""

    def cases(self, work: Chunk) -> RayCases:
        return RayCases(work.points, ray_chunk(work.cases, work.seed, work.chunk, self.with_edges))

    def columns(self, cases: RayCases) -> PosedRays:
        return posed_rays(pack(cases.oracle.shapes), cases.rays)

    def kind(self, work: Chunk, cases: RayCases) -> IntArray:
        return cases.rays.kind

    def is_random(self, work: Chunk, cases: RayCases) -> NDArray[np.bool_]:
        return (work.cases.family < 0) & (cases.rays.family < 0)

    def from_pair(self, pair: Pair) -> tuple[RayCases, Pair]:
        oracle = made_by_box2d(PointOracle, (pair.shape_a,))
        pair = replace(pair, shape_a=oracle.shapes[0])
        origin, end = pair.ray if pair.ray is not None else (pair.point, pair.point)
        origins, ends = np.array([origin], dtype=np.float64), np.array([end], dtype=np.float64)
        rays = RayChunk(np.zeros(1, dtype=np.int64), _NO_KIND, pose_row(pair.pose_a), origins, ends, _NO_FAMILY)
        return RayCases(oracle, rays), pair
