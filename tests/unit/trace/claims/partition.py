"""Whether pieces make up an outline, from their places alone: what the claims of the decompositions share. shapely is the judge."""

from __future__ import annotations

import numpy as np
import shapely

NEAR = 1e-7
"""Of the outline's extent. The grid on which a decomposition is decided has steps of 1e-9 of it, and 2 of them are a straight line."""


def outline_of(case):
    """Return the case as shapely has it, and its extent."""
    region = shapely.Polygon(case.rings[0], case.rings[1:])
    x0, y0, x1, y1 = region.bounds
    return region, max(x1 - x0, y1 - y0)


def bend(p, q, r):
    """Return how far q lies right of the way from p to r: below 0 where the way by q turns right."""
    along, to = np.subtract(r, p), np.subtract(q, p)
    length = float(np.hypot(*along))
    return float(to[0] * along[1] - to[1] * along[0]) / length if length > 0.0 else 0.0


def is_convex(loop, near):
    """Tell whether a loop never turns right, within `near` meters."""
    n = len(loop)
    return all(bend(loop[k - 1], loop[k], loop[(k + 1) % n]) >= -near for k in range(n))


def check_pieces(case, pieces):
    """Each is convex and lies in the outline, and their areas make up its own; no two overlap, then."""
    region, extent = outline_of(case)
    near = NEAR * extent
    wide = region.buffer(4.0 * near)
    shapely.prepare(wide)
    made = [shapely.Polygon(piece) for piece in pieces]
    assert all(is_convex(list(map(tuple, piece)), near) for piece in pieces)
    assert all(wide.covers(one) for one in made)
    assert abs(sum(one.area for one in made) - region.area) <= 8.0 * near * extent
    corners = {corner for ring in case.rings for corner in ring}
    places = {tuple(corner) for piece in pieces for corner in np.asarray(piece).tolist()}
    assert places <= corners or extent < 1e-6  # no new corners


def check_cut(case, p, q):
    """A diagonal lies inside."""
    region, extent = outline_of(case)
    assert region.buffer(4.0 * NEAR * extent).covers(shapely.LineString([p, q]))


def rings_of(case):
    """Return the rings with the inside on the left."""
    rings = []
    for k, ring in enumerate(case.rings):
        is_left = shapely.LinearRing(ring).is_ccw
        rings.append(ring if is_left == (k == 0) else ring[::-1])
    return rings


def corners_of(case):
    """Return the corners with those beside them."""
    return [(ring[k - 1], ring[k], ring[(k + 1) % len(ring)]) for ring in rings_of(case) for k in range(len(ring))]
