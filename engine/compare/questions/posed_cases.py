"""Cases of the questions about pairs at rest, and of those about rays and points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engine.box2d.oracle.pairs import PairOracle
from engine.box2d.oracle.points import PointOracle
from engine.common.arrays import FloatArray, IntArray
from engine.compare.cases import RayChunk
from engine.compare.pair.file import Pair
from engine.compare.pair.held import made_by_box2d, pose_row
from engine.compare.queries import PosedPairs, posed_pairs
from engine.narrowphase.packing import pack

__all__ = ["PairCases", "RayCases"]

_PAIR = np.array([(0, 1)], dtype=np.int64)
"""The only pair of two shapes (1, 2)."""


@dataclass(frozen=True)
class PairCases:
    """Box2D's narrow phase over some shapes; pairs (n, 2) of these and the poses (n, 3) of both."""

    oracle: PairOracle
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray

    @classmethod
    def of_pair(cls, pair: Pair) -> tuple[PairCases, Pair]:
        """Return the pair as the only case, and with the shapes as Box2D holds them."""
        assert pair.shape_b is not None
        oracle = made_by_box2d(PairOracle, (pair.shape_a, pair.shape_b))
        pair = replace(pair, shape_a=oracle.shapes[0], shape_b=oracle.shapes[1])
        return cls(oracle, _PAIR, pose_row(pair.pose_a), pose_row(pair.pose_b)), pair

    @cached_property
    def posed(self) -> PosedPairs:
        """The same as columns, with the shapes and centroids that Box2D holds."""
        return posed_pairs(pack(self.oracle.shapes, self.oracle.centroids), self.pairs, self.poses_a, self.poses_b)


@dataclass(frozen=True)
class RayCases:
    """Box2D's rays and points at some shapes, and the rays, whose origins serve as points too."""

    oracle: PointOracle
    rays: RayChunk
