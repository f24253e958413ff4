"""The second classic mistake: outward normals are computed as for clockwise corners, although the corners are counter-clockwise.

    python main.py check examples/wrong_winding.py:collide

Every normal therefore points inward. This file handles only polygons; the correct example handles all pairs with a circle.
"""

import math

import correct


def collide(a, b):
    if not isinstance(a[0], tuple) or not isinstance(b[0], tuple):
        return correct.collide(a, b)

    gap_a, normal_a = largest_gap(a, b)
    gap_b, normal_b = largest_gap(b, a)
    if gap_a > 0.0 or gap_b > 0.0:
        return None
    if gap_a >= gap_b:
        return {"normal": normal_a, "depth": -gap_a}
    return {"normal": (-normal_b[0], -normal_b[1]), "depth": -gap_b}


def largest_gap(corners, others):
    """Return the largest gap in front of an edge, and that edge's normal."""
    best = (-math.inf, None)
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        length = math.hypot(x2 - x1, y2 - y1)
        nx, ny = (y1 - y2) / length, (x2 - x1) / length  # outward would be (y2 - y1, x1 - x2)
        gap = min(nx * (x - x1) + ny * (y - y1) for x, y in others)
        if gap > best[0]:
            best = (gap, (nx, ny))
    return best
