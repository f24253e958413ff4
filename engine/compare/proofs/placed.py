"""One of two posed shapes in the world, in fractions or in any other numbers, and what a proof about the pair may allow.

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
from engine.compare.asked.pairs import PosedPairs
from engine.compare.proofs._edge_decisions import WorldEdge
from engine.compare.proofs._polygon_decisions import Bounds, WorldPolygon, world_polygon

__all__ = ["Explained", "bounds_of", "core_of", "local_corners", "placed_edge", "placed_polygon", "world_points"]

Explained = tuple[str, float, str] | None
"""Reason, size in metres, and what was shown; None where there is no proof."""


def bounds_of(posed: PosedPairs, at: int) -> Bounds:
    a, b = posed.pairs[at].tolist()
    return Bounds(
        separation=float(allowances.separation_allowance(posed.scale[at : at + 1])[0]),
        direction=allowances.direction_allowance(),
        centroid=float(allowances.separation_allowance(posed.scale[at : at + 1])[0] + posed.centroid_error[a] + posed.centroid_error[b]),
    )


def local_corners(posed: PosedPairs, at: int, side: int) -> tuple[int, list[tuple[float, float]], tuple[float, float], tuple[float, float]]:
    shapes, shape = posed.shapes, int(posed.pairs[at, side])
    pose = (posed.poses_a if side == 0 else posed.poses_b)[at]
    first, n = int(shapes.first[shape]), int(shapes.n_vertices[shape])
    x, y, angle = pose.tolist()
    vertices = [(vx, vy) for vx, vy in shapes.vertices[first : first + n].tolist()]
    return shape, vertices, (x, y), held_rotation(angle)


def placed_polygon(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldPolygon:
    shape, vertices, position, rotation = local_corners(posed, at, side)
    center_x, center_y = posed.shapes.centroid[shape].tolist()
    return world_polygon(vertices, (center_x, center_y), float(posed.shapes.radius[shape]), position, rotation, number)


def placed_edge(posed: PosedPairs, at: int, side: int, number: Callable[[float], Any]) -> WorldEdge:
    shapes, shape = posed.shapes, int(posed.pairs[at, side])
    (v1, v2), skin = world_points(posed, at, side, None, number), number(float(shapes.radius[shape]))
    x1, y1, x2, y2 = shapes.ghosts[shape].tolist()
    before, after = world_points(posed, at, side, [(x1, y1), (x2, y2)], number)
    has_before, has_after = shapes.has_ghost[shape].tolist()
    return WorldEdge(v1, v2, before if has_before else None, after if has_after else None, skin)


def core_of(posed: PosedPairs, at: int, side: int) -> list[tuple[Fraction, Fraction]]:
    return world_points(posed, at, side, None, Fraction)


def world_points(
    posed: PosedPairs, at: int, side: int, local: list[tuple[float, float]] | None, number: Callable[[float], Any]
) -> list[tuple[Any, Any]]:
    """Take points of a shape's own frame to the world; its core's vertices unless others are given."""
    _, vertices, (px, py), (cos, sin) = local_corners(posed, at, side)
    c, s, x0, y0 = number(cos), number(sin), number(px), number(py)
    exact = [(number(x), number(y)) for x, y in (vertices if local is None else local)]
    return [(c * x - s * y + x0, s * x + c * y + y0) for x, y in exact]
