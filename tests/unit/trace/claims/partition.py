"""Checks the claims of decomposition steps from the outline alone. shapely judges areas and positions."""

from __future__ import annotations

import numpy as np
import shapely

NEAR = 1e-7
"""Share of the outline's extent. A decomposition is decided on a grid with steps of 1e-9 of it, and 2 of them are a straight line."""


def outline_of(case):
    """Return the case as a shapely geometry, and its extent."""
    region = shapely.Polygon(case.rings[0], case.rings[1:])
    x0, y0, x1, y1 = region.bounds
    return region, max(x1 - x0, y1 - y0)


def bend(p, q, r):
    """Return how far q lies right of the line from p to r; below 0 if the path through q turns right."""
    along, to = np.subtract(r, p), np.subtract(q, p)
    length = float(np.hypot(*along))
    return float(to[0] * along[1] - to[1] * along[0]) / length if length > 0.0 else 0.0


def is_convex(loop, near):
    """Return whether a loop never turns right, within `near` meters."""
    n = len(loop)
    return all(bend(loop[k - 1], loop[k], loop[(k + 1) % n]) >= -near for k in range(n))


def check_pieces(case, pieces):
    """Each is convex and lies in the outline, and their areas sum to the outline's, so no two overlap."""
    region, extent = outline_of(case)
    near = NEAR * extent
    wide = region.buffer(4.0 * near)
    shapely.prepare(wide)
    made = [shapely.Polygon(piece) for piece in pieces]
    assert all(is_convex(list(map(tuple, piece)), near) for piece in pieces)
    assert all(wide.covers(piece) for piece in made)
    assert abs(sum(piece.area for piece in made) - region.area) <= 8.0 * near * extent
    corners = {corner for ring in case.rings for corner in ring}
    places = {tuple(corner) for piece in pieces for corner in np.asarray(piece).tolist()}
    assert places <= corners or extent < 1e-6  # no new corners


def check_cut(case, p, q):
    """A diagonal lies inside."""
    region, extent = outline_of(case)
    assert region.buffer(4.0 * NEAR * extent).covers(shapely.LineString([p, q]))


def rings_of(case):
    """Return the rings with the interior on the left."""
    rings = []
    for k, ring in enumerate(case.rings):
        is_left = shapely.LinearRing(ring).is_ccw
        rings.append(ring if is_left == (k == 0) else ring[::-1])
    return rings


def corners_of(case):
    """Return the corners with their neighbors."""
    return [(ring[k - 1], ring[k], ring[(k + 1) % len(ring)]) for ring in rings_of(case) for k in range(len(ring))]


SIDES = ("no side is", "one side is", "an ear", "the whole outline")
"""Words for a triangle, by its number of edges of the outline."""


def check_triangulation(case, steps):
    region, extent = outline_of(case)
    rings = rings_of(case)
    edges = {(ring[k], ring[(k + 1) % len(ring)]) for ring in rings for k in range(len(ring))}
    triangles = [step for step in steps if step.kind == "triangle"]
    assert steps[0].values["triangles"] == len(triangles)
    total, ears = 0.0, 0
    for step in triangles:
        (ax, ay), (bx, by), (cx, cy) = step.points
        area = 0.5 * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
        total += area
        assert abs(area - step.values["area"]) <= NEAR * extent * extent and area > -NEAR * extent * extent
        assert abs(total - step.values["sum"]) <= NEAR * extent * extent
        sides = sum((step.points[k], step.points[(k + 1) % 3]) in edges for k in range(3))
        said = [k for k, words in enumerate(SIDES) if words in step.sentence]
        assert said in ([], [sides])  # none of one on a line, which is left out
        ears += said == [2]
    check_pieces(case, steps[-1].result)
    if len(triangles) > 1 and len(rings) == 1 and len(triangles) == len(rings[0]) - 2:
        assert ears >= 2  # Meisters' theorem
    assert abs(total - region.area) <= 8.0 * NEAR * extent * extent


def joined(left, other, u, v):
    """Return two loops merged at their common edge u v."""
    at, to = left.index(u), other.index(v)
    left, other = left[at + 1 :] + left[: at + 1], other[to + 1 :] + other[: to + 1]  # v .. u, and u .. v
    return left[:-1] + other[:-1]


def piece_with(pieces, u, v):
    """Return the piece that has the edge from u to v."""
    return next(piece for piece in pieces if (u, v) in zip(piece, piece[1:] + piece[:1], strict=True))


def check_hertel_mehlhorn(case, steps):
    _, extent = outline_of(case)
    near = NEAR * extent
    pieces = []
    for step in steps[:-1]:
        if step.kind == "triangles":
            pieces += [list(mark.points) for mark in step.marks]
            assert step.values["triangles"] == len(step.marks)
            continue
        p, u, q, _, v, _ = step.points
        left, other = piece_with(pieces, u, v), piece_with(pieces, v, u)
        union = joined(left, other, u, v)
        for corner, (before, after) in ((u, (p, q)), (v, (step.points[3], step.points[5]))):
            at = union.index(corner)
            assert {union[at - 1], union[(at + 1) % len(union)]} == {before, after}  # these meet there without the diagonal
        if step.kind == "left out":
            assert is_convex(union, near)
            pieces = [piece for piece in pieces if piece is not left and piece is not other] + [union]
        else:
            assert min(bend(*step.points[:3]), bend(*step.points[3:])) <= near  # a corner would turn right
    check_pieces(case, steps[-1].result)
    expected = {frozenset(piece) for piece in pieces}
    assert {frozenset(map(tuple, piece.tolist())) for piece in steps[-1].result} == expected
    assert steps[-1].values["pieces"] == len(pieces)
