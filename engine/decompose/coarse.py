"""One box, two boxes or k boxes: the coarsest approximations of an outline, sufficient for many games.

One box is the rectangle of least area around everything (`engine.bounding.least_area_box`, rotating calipers), or the upright one
(`aabb`).

For two, the outline is cut by a line and each half has its own box. Both halves are inside their boxes, so that nothing is missed. All
lines of six directions through (a sample of) the outline's corners are tested, since the optimal line passes through a corner at which one
box's side ends; the pair of least total area is selected::

        +------+ . . .            +------+
        | L    | .    .           | L    |
        |      |       .    ->    |      |------+
        |      +------+           |      |      |
        |             |           |      |      |
        +-------------+           +------+------+

For k, the half whose cut saves the most area is cut next, even if it saves nothing yet (a comb's first tooth must be cut off before a gap).
The result is the intermediate state of least area outside the outline, so that more boxes are never worse. The boxes of an oriented cut can
overlap slightly, which has no effect within one body.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.bounding import least_area_box
from engine.common.arrays import FloatArray
from engine.decompose.limits import clean, is_large_enough

__all__ = ["boxes_around"]

DIRECTIONS = 4
"""Number of line directions tried, evenly over half a turn, in addition to those of the region's own box."""

LINES = 16
"""Maximum number of lines tried per direction, through evenly sampled corners of the region."""


def boxes_around(target: Any, max_pieces: int, is_upright: bool) -> list[FloatArray]:
    """Return the corners (4, 2) of at most `max_pieces` rectangles that cover `target` (a shapely geometry).

    With `is_upright` their sides and the cuts are parallel to the axes. The list is empty if even one box is too small for Box2D.
    """
    import shapely

    regions = [target]
    boxes = [_box_around(target, is_upright)]
    best, least = list(boxes), math.inf
    cuts: list[tuple[float, Any, Any] | None] = [None]
    known = [False]
    while True:
        excess = shapely.difference(shapely.union_all([shapely.Polygon(box) for box in boxes]), target).area
        if excess < least:
            best, least = list(boxes), excess
        if len(boxes) == max_pieces:
            break
        for k, region in enumerate(regions):
            if not known[k]:
                cuts[k], known[k] = _best_cut(region, boxes[k], is_upright), True
        gains = [-math.inf if cut is None else cut[0] for cut in cuts]
        at = int(np.argmax(gains))
        chosen = cuts[at]
        if chosen is None:
            break
        _, first, two = chosen
        regions[at], boxes[at], cuts[at], known[at] = first, _box_around(first, is_upright), None, False
        regions.append(two)
        boxes.append(_box_around(two, is_upright))
        cuts.append(None)
        known.append(False)
    return [box for box in best if is_large_enough(clean(box))]


def _box_around(region: Any, is_upright: bool) -> FloatArray:
    import shapely

    if is_upright:
        x0, y0, x1, y1 = region.bounds
        return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])
    return least_area_box(shapely.get_coordinates(region.convex_hull)[:-1]).core


def _best_cut(region: Any, box: FloatArray, is_upright: bool) -> tuple[float, Any, Any] | None:
    """Return the area saved by the best cut of a region, and the two halves; None if no cut is possible."""
    import shapely

    axis = box[1] - box[0]
    angles = [0.0, math.pi / 2.0]
    if not is_upright:
        own = math.atan2(axis[1], axis[0])
        angles = [own, own + math.pi / 2.0, *(math.pi * k / DIRECTIONS for k in range(DIRECTIONS))]
    corners = shapely.get_coordinates(region)
    middle = corners.mean(axis=0)
    reach = 2.0 * float(np.hypot(*(corners - middle).T).max())
    planes: list[Any] = []
    for angle in angles:
        normal = np.array((math.cos(angle), math.sin(angle)))
        tangent = np.array((-normal[1], normal[0]))
        offsets = np.unique((corners - middle) @ normal)[1:-1]
        if len(offsets) > LINES:
            offsets = offsets[np.linspace(0, len(offsets) - 1, LINES).astype(int)]
        for offset in offsets:
            foot = middle + offset * normal
            side = foot + reach * tangent, foot - reach * tangent
            planes.append(shapely.Polygon([*side, side[1] - 2.0 * reach * normal, side[0] - 2.0 * reach * normal]))
            planes.append(shapely.Polygon([*side, side[1] + 2.0 * reach * normal, side[0] + 2.0 * reach * normal]))
    if not planes:
        return None
    halves = shapely.intersection(region, np.array(planes, dtype=object))
    mixed = shapely.get_type_id(halves) == shapely.GeometryType.GEOMETRYCOLLECTION
    halves[mixed] = shapely.buffer(halves[mixed], 0.0)  # keeps only the areas: a cut along an edge has that edge on its other side, too
    areas = np.array([_area_around(half, is_upright) for half in shapely.convex_hull(halves)])
    total = areas[::2] + areas[1::2]
    for at in np.argsort(total, kind="stable"):
        if math.isfinite(total[at]):
            pair = halves[2 * at], halves[2 * at + 1]
            if all(is_large_enough(clean(_box_around(half, is_upright))) for half in pair):
                (ax, ay), (bx, by) = box[1] - box[0], box[3] - box[0]
                return float(abs(float(ax * by - ay * bx)) - total[at]), *pair
    return None


def _area_around(hull: Any, is_upright: bool) -> float:
    """Return the area of the smallest box around a hull, by projecting all corners on all edges; infinite if it has none."""
    import shapely

    if hull.geom_type != "Polygon" or hull.is_empty:
        return math.inf
    if is_upright:
        x0, y0, x1, y1 = hull.bounds
        return float((x1 - x0) * (y1 - y0))
    corners = shapely.get_coordinates(hull)
    edges = corners[1:] - corners[:-1]
    units = edges / np.hypot(edges[:, 0], edges[:, 1])[:, None]
    along = corners @ units.T
    across = corners @ np.column_stack((-units[:, 1], units[:, 0])).T
    return float(((along.max(axis=0) - along.min(axis=0)) * (across.max(axis=0) - across.min(axis=0))).min())
