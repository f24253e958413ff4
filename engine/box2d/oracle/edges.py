"""Box2D's own manifolds of edges against circles and polygons: `engine.box2d.oracle.pairs`, with the two kinds counted apart."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from engine.box2d.oracle.held import held_poses
from engine.box2d.oracle.pairs import OracleManifolds, PairOracle
from engine.common.arrays import index_pairs
from engine.common.errors import InvalidInputError
from engine.geometry import Segment, Shape

__all__ = ["EdgeOracle"]


class EdgeOracle:
    """Box2D's narrow phase of edges, alone or with ghost vertices, against circles and polygons.

    Parameters
    ----------
    edges : iterable of Segment
        Numbers that float32 holds; the skin becomes Box2D's own. Box2D divides by an edge's length without a look at it, so the
        two ends must be 1.2e-7 m apart.
    others : iterable of Circle or Polygon
        As for `PairOracle`.

    Attributes
    ----------
    edges : tuple of Segment; others : tuple of Circle or Polygon
        As Box2D holds them.
    centroids : float64 (n, 2)
        Box2D's own float32 centroids of the others.

    Raises
    ------
    InvalidShapeError
        Box2D refuses a polygon, or would change it; an edge has no length, or a number that float32 does not hold.
    """

    def __init__(self, edges: Iterable[Segment], others: Iterable[Shape]) -> None:
        listed = tuple(edges)
        self._pairs = PairOracle((*listed, *others))
        self.edges: tuple[Segment, ...] = tuple(shape for shape in self._pairs.shapes[: len(listed)] if isinstance(shape, Segment))
        self.others: tuple[Shape, ...] = tuple(shape for shape in self._pairs.shapes[len(listed) :] if not isinstance(shape, Segment))
        self.centroids = self._pairs.centroids[len(listed) :]

    def manifolds(self, pairs: ArrayLike, xf_edge: ArrayLike, xf_other: ArrayLike) -> OracleManifolds:
        """Return Box2D's manifold of each pair (n, 2) of edge and other at poses (n, 3) x, y, angle; normals point from the edge.

        Raises
        ------
        InvalidInputError
            An index out of range, lengths that differ, or a pose that float32 does not hold.
        """
        checked = index_pairs("pairs", pairs, max(len(self.edges), len(self.others)))
        for column, length in enumerate((len(self.edges), len(self.others))):
            if len(checked) and int(checked[:, column].max()) >= length:
                raise InvalidInputError("pairs", f"indices from 0 to {length - 1} in column {column}", int(checked[:, column].max()))
        first, second = held_poses("xf_edge", xf_edge, len(checked)), held_poses("xf_other", xf_other, len(checked))
        return self._pairs.manifolds(checked + np.array([0, len(self.edges)]), first, second)
