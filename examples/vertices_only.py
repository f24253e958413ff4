"""The third classic mistake: two shapes count as touching only if a corner of one lies in the other.

    python main.py check examples/vertices_only.py:collide

Two bars that cross like a plus sign overlap without any corner inside. This file handles only polygons; the correct example handles
all pairs with a circle.
"""

import correct


def collide(a, b):
    if not isinstance(a[0], tuple) or not isinstance(b[0], tuple):
        return correct.collide(a, b)

    inside = [p for p in a if contains(b, p)] + [p for p in b if contains(a, p)]
    return {"points": inside} if inside else None


def contains(polygon, p):
    edges = zip(polygon, polygon[1:] + polygon[:1])
    return all((x2 - x1) * (p[1] - y1) >= (y2 - y1) * (p[0] - x1) for (x1, y1), (x2, y2) in edges)
