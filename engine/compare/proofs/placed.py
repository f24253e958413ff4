"""One of two posed shapes in the world, in fractions or in any other numbers, what a proof about the pair may allow, and the proof that
its distance lies so near the limit of touching that rounding decides on which side.

The inputs are float32 numbers, hence rationals; Box2D's float32 cosine and sine of an angle are taken as the exact rotation, since they
are what it computed with. Every margin computed from these corners is then exact (unit normals to 2**-120), and a proof is an inequality
between fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from engine.box2d.oracle.held import held_rotation
from engine.compare import allowances
from engine.compare.proofs._edge_decisions import WorldEdge
from engine.compare.proofs._polygon_decisions import Bounds, WorldPolygon, world_polygon
from engine.compare.queries import PosedPairs
from engine.exact.cores import Core, distance_sq
from engine.narrowphase.packing import PackedShapes

__all__ = [
    "Explained",
    "at_limit",
    "bounds_of",
    "core_of",
    "explain_distance",
    "explain_overlap",
    "local_corners",
    "placed_core",
    "placed_edge",
    "placed_polygon",
    "reach_of",
    "world_points",
]

Explained = tuple[str, float, str] | None
"""Reason, size in meters, and what was shown; None where there is no proof."""


def bounds_of(posed: PosedPairs, at: int) -> Bounds:
    """Return what float32 rounding can do to the margins of a pair."""
    a, b = posed.pairs[at].tolist()
    separation = float(allowances.separation_allowance(posed.scale[at : at + 1])[0])
    centroid = float(separation + posed.centroid_error[a] + posed.centroid_error[b])
    return Bounds(separation, allowances.direction_allowance(), centroid)


def local_corners(posed: PosedPairs, at: int, side: int) -> tuple[int, list[tuple[float, float]], tuple[float, float], tuple[float, float]]:
    """Return the index of A (side 0) or B, its core's vertices, position, and rotation (cosine and sine) as Box2D holds it."""
    shape = int(posed.pairs[at, side])
    x, y, angle = (posed.poses_a if side == 0 else posed.poses_b)[at].tolist()
    return shape, _vertices(posed.shapes, shape), (x, y), held_rotation(angle)


def _vertices(shapes: PackedShapes, shape: int) -> list[tuple[float, float]]:
    first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
    return [(x, y) for x, y in shapes.vertices[first : first + n].tolist()]


def placed_core(shapes: PackedShapes, shape: int, position: tuple[float, float], rotation: tuple[float, float]) -> Core:
    """Return the core of a packed shape at a position, with a rotation (cosine and sine) that is taken as exact."""
    return Core.placed(_vertices(shapes, shape), *position, *rotation)


def placed_polygon(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldPolygon:
    """Return a polygon in the world, in numbers that `number` makes."""
    shape, vertices, position, rotation = local_corners(posed, at, side)
    center_x, center_y = posed.shapes.centroid[shape].tolist()
    return world_polygon(vertices, (center_x, center_y), float(posed.shapes.radius[shape]), position, rotation, number)


def placed_edge(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldEdge:
    """Return an edge in the world with its neighbors, in numbers that `number` makes."""
    shapes, shape = posed.shapes, int(posed.pairs[at, side])
    (v1, v2), skin = world_points(posed, at, side, None, number), number(float(shapes.radius[shape]))
    x1, y1, x2, y2 = shapes.ghosts[shape].tolist()
    before, after = world_points(posed, at, side, [(x1, y1), (x2, y2)], number)
    has_before, has_after = shapes.has_ghost[shape].tolist()
    return WorldEdge(v1, v2, before if has_before else None, after if has_after else None, skin)


def core_of(posed: PosedPairs, at: int, side: int) -> Core:
    """Return the core of A (side 0) or B in the world."""
    _, vertices, position, rotation = local_corners(posed, at, side)
    return Core.placed(vertices, *position, *rotation)


def world_points(
    posed: PosedPairs, at: int, side: int, local: list[tuple[float, float]] | None, number: Callable[[float], Any]
) -> list[tuple[Any, Any]]:
    """Take points of a shape's own frame to the world; its core's vertices unless others are given."""
    _, vertices, (px, py), (cos, sin) = local_corners(posed, at, side)
    c, s, x0, y0 = number(cos), number(sin), number(px), number(py)
    exact = [(number(x), number(y)) for x, y in (vertices if local is None else local)]
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in exact]


def reach_of(posed: PosedPairs, at: int) -> Fraction:
    """Return the sum of both radii, skins included, meters."""
    return sum(Fraction(radius) for radius in posed.shapes.radius[posed.pairs[at]].tolist())  # type: ignore[return-value]


# --- The limit of touching


def explain_overlap(posed: PosedPairs, at: int, box2d_overlaps: bool) -> Explained:
    """Prove that the distance of two shapes lies at b2TestOverlap's limit, and say which side is right."""
    square, reach = distance_sq(core_of(posed, at, 0), core_of(posed, at, 1)), reach_of(posed, at)
    bound = float(allowances.overlap_allowance(posed.scale[at : at + 1])[0])
    explained = at_limit(square, reach, bound, "the overlap threshold")
    if explained is None:
        return None
    truth = square <= reach * reach
    reason, size, evidence = explained
    return reason, size, f"{evidence}; {'Box2D' if truth == box2d_overlaps else 'our answer'} is right"


def explain_distance(posed: PosedPairs, at: int, ours: float, box2d: float) -> Explained:
    """Prove that one of two distances is 0 and the other is not because the shapes lie at the limit of touching."""
    bound = float(allowances.distance_allowance(posed.scale[at : at + 1])[0])
    if max(ours, box2d) > 2.0 * bound:
        return None
    square = distance_sq(core_of(posed, at, 0), core_of(posed, at, 1))
    explained = at_limit(square, reach_of(posed, at), bound, "the touching threshold")
    return (
        None
        if explained is None
        else (explained[0], explained[1], f"{explained[2]}; our distance is {ours:.3g} m, and Box2D's is {box2d:.3g} m")
    )


def at_limit(square: Fraction, reach: Fraction, bound: float, what: str) -> Explained:
    """Prove that a distance, given by its square, is within `bound` of `reach`."""
    slack = Fraction(bound)
    low = max(Fraction(0), reach - slack)
    if not low * low <= square <= (reach + slack) ** 2:
        return None
    margin = float((square - reach * reach) / (2 * reach))
    return "float32_tie", abs(margin), f"at {what}: the exact margin is {margin:.3g} m, and {bound:.3g} m is allowed"
