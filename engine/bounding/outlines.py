"""Area and overlap of outlines by shapely, the reference for judging bounding volumes.

An outline is the area within its rings by the even-odd rule: outer edges, holes, several parts, in any direction; closed, so the edges
belong to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.common.arrays import FloatArray
from engine.geometry import Transform

__all__ = ["Rings", "outline_area", "outlines_overlap"]

Rings = Sequence[FloatArray]
"""Corners (n, 2) of each ring, meters."""


def outline_area(rings: Rings) -> float:
    """Return the area, square meters.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    >>> outline_area([2.0 * square, square])
    12.0
    """
    return float(_placed(rings, Transform()).area)


def outlines_overlap(rings_a: Rings, xf_a: Transform, rings_b: Rings, xf_b: Transform) -> bool:
    """Return True if two outlines at two poses overlap; an outline inside the other counts, but not one inside the other's hole.

    Examples
    --------
    >>> import numpy as np
    >>> square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    >>> frame = [2.0 * square, 1.5 * square]
    >>> outlines_overlap(frame, Transform(), [square], Transform()), outlines_overlap(frame, Transform(), [square], Transform((0.6, 0.0)))
    (False, True)
    """
    return bool(_placed(rings_a, xf_a).intersects(_placed(rings_b, xf_b)))


def _placed(rings: Rings, xf: Transform) -> Any:
    import shapely

    area: Any = shapely.Polygon()
    for ring in rings:
        area = area.symmetric_difference(shapely.Polygon(xf.apply_array(ring)))
    return area
