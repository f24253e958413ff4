"""How far pieces are from the outline that they stand for: areas, and the greatest distance.

    excess   area covered by pieces outside the outline        (a hull over a bay)
    missed   area of the outline that no piece covers          (circles leave the corners)

The greatest distance says how deep the worst place is: from a covered point to the nearest of the outline, or from a missed point to
the nearest piece. Within a region that distance need not be greatest at a corner (in a filled hole it is so in the middle), so it is
searched by halving squares: no point of a square of half diagonal h is farther away than its centre's distance + h, and squares which
cannot beat the best centre so far, or do not meet the region, are dropped.

shapely measures the areas; circles are regular polygons of 256 corners and the circle's area there.

Source of the search: V. Agafonkin, "polylabel", 2016, which looks for the deepest point of a polygon.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.geometry import Circle, Polygon

__all__ = ["as_shapely", "farthest", "union"]

CIRCLE_CORNERS = 256
"""Corners of the polygon that a circle is measured as, a count; between them it errs by 1e-4 of the radius."""

DISTANCE_CONVERGENCE = 0.01
"""Convergence, relative. The greatest distance is found to this share of itself."""

DISTANCE_FLOOR = 1e-3
"""Convergence, relative to the region's extent. Nor nearer than this: along a sliver much thinner than that no square could be dropped, and
there would be millions."""

MAX_LEVELS = 24
"""Convergence, a count. Squares are halved at most so often: 2^-24 of the region is float32's rounding."""


def as_shapely(piece: Polygon | Circle) -> Any:
    """Return a piece as a `shapely.Polygon`."""
    import shapely

    if isinstance(piece, Polygon):
        return shapely.Polygon(piece.vertices)
    turn = np.arange(CIRCLE_CORNERS) * (2.0 * math.pi / CIRCLE_CORNERS)
    # a regular n-gon of circumradius R has the area n/2 R^2 sin(2 pi/n)
    reach = piece.radius * math.sqrt(2.0 * math.pi / (CIRCLE_CORNERS * math.sin(2.0 * math.pi / CIRCLE_CORNERS)))
    return shapely.Polygon(np.add(piece.center, reach * np.column_stack((np.cos(turn), np.sin(turn)))))


def union(pieces: Sequence[Polygon | Circle]) -> Any:
    """Return what the pieces cover together."""
    import shapely

    return shapely.union_all([as_shapely(piece) for piece in pieces])


def farthest(region: Any, target: Any) -> float:
    """Return how far the farthest point of `region` lies from `target`, metres; 0 for an empty region.

    Too small by `DISTANCE_CONVERGENCE` of it or `DISTANCE_FLOOR` of the region's extent at most, whichever is more.
    """
    import shapely

    parts = [part for part in shapely.get_parts(region) if part.area > 0.0]
    if not parts:
        return 0.0
    region = shapely.union_all(parts)
    corners = shapely.get_coordinates(region)
    best = float(shapely.distance(shapely.points(corners), target).max())
    low, high = corners.min(axis=0), corners.max(axis=0)
    half = 0.5 * float((high - low).max())
    floor = DISTANCE_FLOOR * 2.0 * half
    centers: FloatArray = 0.5 * (low + high)[None]
    shapely.prepare(region)
    for _ in range(MAX_LEVELS):
        reach = half * math.sqrt(2.0)
        points = shapely.points(centers)
        away = shapely.distance(points, target)
        inside = shapely.intersects(region, points)
        best = max(best, float(away[inside].max(initial=0.0)))
        may_win = away + reach > max(best * (1.0 + DISTANCE_CONVERGENCE), best + floor)
        centers = centers[may_win]
        boxes = shapely.box(centers[:, 0] - half, centers[:, 1] - half, centers[:, 0] + half, centers[:, 1] + half)
        centers = centers[shapely.intersects(region, boxes)]
        if len(centers) == 0:
            break
        half *= 0.5
        steps = half * np.array([(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)])
        centers = (centers[:, None] + steps[None]).reshape(-1, 2)
    return best
