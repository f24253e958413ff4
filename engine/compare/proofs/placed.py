"""One of two posed shapes in the world, in fractions or other numbers; the allowances of a proof about the pair; and the proof that its
distance is so close to the limit of touching that rounding decides the result.

The inputs are float32 numbers, hence rational; Box2D's float32 cosine and sine of an angle are taken as the exact rotation, because Box2D
computes with them. Every margin computed from these corners is then exact (unit normals to 2**-120), and a proof is an inequality between
fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from engine.box2d.oracle.held import held_rotation
from engine.compare import allowances
from engine.compare.proofs._edge_decisions import WorldEdge
from engine.compare.proofs._polygon_decisions import Bounds, Vector, WorldPolygon, placed_points
from engine.compare.queries import PosedPairs
from engine.contracts.agreement import Verdict
from engine.geometry.exact.cores import Core, distance_sq
from engine.narrowphase.packing import PackedShapes

__all__ = ["Explained", "PosedRow", "at_limit", "explain_distance", "explain_overlap", "placed_core"]

Explained: TypeAlias = Verdict | None
"""None where there is no proof."""


def placed_core(shapes: PackedShapes, shape: int, position: tuple[float, float], rotation: tuple[float, float]) -> Core:
    """Return the core of a packed shape at a position, with a rotation (cosine and sine) that is taken as exact."""
    return Core.placed(_vertices(shapes, shape), *position, *rotation)


def _vertices(shapes: PackedShapes, shape: int) -> list[tuple[float, float]]:
    first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
    return [(x, y) for x, y in shapes.vertices[first : first + n].tolist()]


class PosedRow:
    """One posed pair: its shapes in the world, in exact or other numbers, and the allowances of a proof about it.

    Attributes
    ----------
    at : int
        Its row; `scale` and `is_polygons` are the columns of this row alone, (1,).
    """

    def __init__(self, posed: PosedPairs, at: int) -> None:
        self.shapes, self.at, self._pair = posed.shapes, at, posed.pairs[at].tolist()
        self.scale, self.is_polygons = posed.scale[at : at + 1], posed.is_polygons[at : at + 1]
        self._poses, self._centroid_error = (posed.poses_a[at].tolist(), posed.poses_b[at].tolist()), posed.centroid_error

    @property
    def bounds(self) -> Bounds:
        """Bounds on the float32 rounding of the margins."""
        separation = float(allowances.separation_allowance(self.scale)[0])
        a, b = self._centroid_error[self._pair].tolist()
        return Bounds(separation, allowances.direction_allowance(), separation + a + b)

    @property
    def reach(self) -> Fraction:
        """The sum of both radii, skins included, meters."""
        return Fraction(self.radius(0)) + Fraction(self.radius(1))

    def radius(self, side: int) -> float:
        """Return the radius, or the skin, of A (side 0) or B, meters."""
        return float(self.shapes.radius[self._pair[side]])

    def kind(self, side: int) -> int:
        """Return the kind of A (side 0) or B."""
        return int(self.shapes.kind[self._pair[side]])

    def core(self, side: int) -> Core:
        """Return the core of A (side 0) or B in the world."""
        x, y, angle = self._poses[side]
        return placed_core(self.shapes, self._pair[side], (x, y), held_rotation(angle))

    def points(self, side: int, number: Callable[[float], Any], local: Sequence[tuple[float, float]] | None = None) -> list[Vector]:
        """Transform points from a shape's frame to the world, in numbers created by `number`; by default, the vertices of its core."""
        x, y, angle = self._poses[side]
        return placed_points(_vertices(self.shapes, self._pair[side]) if local is None else local, (x, y), held_rotation(angle), number)

    def polygon(self, side: int, number: Callable[[float], Any]) -> WorldPolygon:
        """Return a polygon in the world, in numbers created by `number`."""
        center_x, center_y = self.shapes.centroid[self._pair[side]].tolist()
        (centroid,) = self.points(side, number, [(center_x, center_y)])
        return WorldPolygon.of(self.points(side, number), centroid, number(self.radius(side)))

    def edge(self, side: int, number: Callable[[float], Any]) -> WorldEdge:
        """Return an edge in the world with its neighbors, in numbers created by `number`."""
        x1, y1, x2, y2 = self.shapes.ghosts[self._pair[side]].tolist()
        ghosts = self.points(side, number, [(x1, y1), (x2, y2)])
        is_there = self.shapes.has_ghost[self._pair[side]].tolist()
        before, after = (ghost if has_ghost else None for ghost, has_ghost in zip(ghosts, is_there, strict=True))
        v1, v2 = self.points(side, number)
        return WorldEdge(v1, v2, before, after, number(self.radius(side)))


# --- The limit of touching


def explain_overlap(row: PosedRow, box2d_overlaps: bool) -> Explained:
    """Prove that the distance of two shapes is at b2TestOverlap's limit, and return which side is correct."""
    square, reach = distance_sq(row.core(0), row.core(1)), row.reach
    bound = float(allowances.overlap_allowance(row.scale)[0])
    right = "Box2D" if (square <= reach * reach) == box2d_overlaps else "our answer"
    return _completed(at_limit(square, reach, bound, "the overlap threshold"), f"{right} is correct")


def explain_distance(row: PosedRow, ours: float, box2d: float) -> Explained:
    """Prove that one of two distances is 0 and the other is not because the shapes are at the limit of touching."""
    bound = float(allowances.distance_allowance(row.scale)[0])
    if max(ours, box2d) > 2.0 * bound:
        return None
    square = distance_sq(row.core(0), row.core(1))
    said = f"our distance is {ours:.3g} m, and Box2D's is {box2d:.3g} m"
    return _completed(at_limit(square, row.reach, bound, "the touching threshold"), said)


def _completed(explained: Explained, more: str) -> Explained:
    return None if explained is None else explained._replace(evidence=f"{explained.evidence}; {more}")


def at_limit(square: Fraction, reach: Fraction, bound: float, what: str) -> Explained:
    """Prove that a distance, given by its square, is within `bound` of `reach`."""
    slack = Fraction(bound)
    low = max(Fraction(0), reach - slack)
    if not low * low <= square <= (reach + slack) ** 2:
        return None
    margin = float((square - reach * reach) / (2 * reach))
    evidence = f"the distance is at {what}: the exact margin is {margin:.3g} m, and {bound:.3g} m is allowed"
    return Verdict("float32_tie", abs(margin), evidence)
