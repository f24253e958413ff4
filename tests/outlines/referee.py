"""The fewest convex pieces by trying all sets of diagonals: slow, and independent of the library.

It uses Python's integers and `itertools`; shapely decides what is a diagonal.
"""

from functools import cmp_to_key
from itertools import combinations, pairwise

Point = tuple[int, int]


def turn(p, q, r):
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def fewest_pieces_by_trial(rings):
    """Return the smallest number of convex pieces into which diagonals cut a part; rings of integers, disjoint, with the interior on the
    left.
    """
    import shapely

    part = shapely.Polygon(rings[0], rings[1:])
    corners = [corner for ring in rings for corner in ring]
    edges = {frozenset(pair) for ring in rings for pair in zip(ring, [*ring[1:], ring[0]], strict=True)}
    diagonals = []
    for p, q in combinations(corners, 2):
        way = shapely.LineString([p, q])
        free = all(r in (p, q) or way.distance(shapely.Point(r)) > 0.0 for r in corners)
        if frozenset((p, q)) not in edges and free and part.covers(way):
            diagonals.append((p, q))
    lines = [shapely.LineString(diagonal) for diagonal in diagonals]
    clash = {(a, b) for a, b in combinations(range(len(lines)), 2) if lines[a].crosses(lines[b])}
    around = {corner: (ring[k - 1], ring[(k + 1) % len(ring)]) for ring in rings for k, corner in enumerate(ring)}
    reflex = [corner for corner, (before, after) in around.items() if turn(before, corner, after) < 0]
    for size in range(len(diagonals) + 1):
        if 2 * size < len(reflex):
            continue
        for chosen in combinations(range(len(diagonals)), size):
            ends = [end for at in chosen for end in diagonals[at]]
            if all(corner in ends for corner in reflex) and not any(pair in clash for pair in combinations(chosen, 2)):
                if all(_is_cut_convex(corner, around[corner], [diagonals[at] for at in chosen]) for corner in reflex):
                    pieces = size + 2 - len(rings)
                    if len(rings) == 1 or _all_convex(part, [lines[at] for at in chosen]):
                        return pieces
    raise AssertionError("even a triangulation is one")


def _is_cut_convex(corner, sides, chosen):
    """Return whether the diagonals at a reflex corner leave no angle above 180 degrees."""
    before, after = sides
    others = [q if p == corner else p for p, q in chosen if corner in (p, q)]
    start = (after[0] - corner[0], after[1] - corner[1])

    def key(to):
        x, y = to[0] - corner[0], to[1] - corner[1]
        cross = start[0] * y - start[1] * x
        return cross < 0 or (cross == 0 and start[0] * x + start[1] * y < 0), (x, y)

    def order(a, b):
        (half_a, u), (half_b, v) = key(a), key(b)
        if half_a != half_b:
            return 1 if half_a else -1
        cross = u[0] * v[1] - u[1] * v[0]
        return (cross < 0) - (cross > 0)

    ways = [after, *sorted(others, key=cmp_to_key(order)), before]
    return all(turn(corner, a, b) >= 0 for a, b in pairwise(ways))


def _all_convex(part, lines):
    """With holes, the corners are not enough: diagonals must also connect the holes to the outer ring."""
    import shapely
    from shapely.ops import polygonize

    cut = shapely.unary_union([part.boundary, *lines])
    faces = [face for face in polygonize(cut) if part.contains(face.representative_point())]
    return all(not face.interiors and abs(face.area - face.convex_hull.area) < 1e-9 for face in faces)
