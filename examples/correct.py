"""Tests whether two convex shapes touch, and computes the normal, the depth and the contact points by SAT and clipping.

    python main.py check examples/correct.py:collide

a and b are lists of (x, y), counter-clockwise, or (x, y, radius) for a circle.
"""

import math


def collide(a, b):
    """Return None, or a dict with the unit normal from a to b, the depth, and one or two contact points."""
    corners_a, radius_a = corners_and_radius(a)
    corners_b, radius_b = corners_and_radius(b)

    # Find the axis of least overlap. If the shapes do not overlap along one axis, they are apart.
    depth, normal = math.inf, None
    for axis in axes(corners_a, corners_b):
        gap = min(dot(axis, p) for p in corners_b) - max(dot(axis, p) for p in corners_a) - radius_a - radius_b
        if gap > 0.0:
            return None
        if -gap < depth:
            depth, normal = -gap, axis

    return {"normal": normal, "depth": depth, "points": contact_points(corners_a, radius_a, corners_b, radius_b, normal)}


def corners_and_radius(shape):
    if isinstance(shape[0], tuple):
        return shape, 0.0
    x, y, radius = shape
    return [(x, y)], radius  # a circle is a point with a radius


def axes(corners_a, corners_b):
    """Yield every unit vector, pointing from a towards b, that can be the best axis."""
    for (x1, y1), (x2, y2) in edges(corners_a):
        yield unit(y2 - y1, x1 - x2)  # outward from a
    for (x1, y1), (x2, y2) in edges(corners_b):
        yield unit(y1 - y2, x2 - x1)  # inward to b
    if len(corners_a) == 1 or len(corners_b) == 1:  # a circle also needs the axes from its center to the corners
        for xa, ya in corners_a:
            for xb, yb in corners_b:
                if (xa, ya) != (xb, yb):
                    yield unit(xb - xa, yb - ya)
                elif len(corners_a) == len(corners_b) == 1:
                    yield (1.0, 0.0)  # any direction is right for concentric circles


def contact_points(corners_a, radius_a, corners_b, radius_b, normal):
    """Return the contact points: the incident face, clipped at the ends of the reference face."""
    nx, ny = normal
    if len(corners_a) == 1:  # the point of the circle that reaches farthest into the other shape
        return [(corners_a[0][0] + radius_a * nx, corners_a[0][1] + radius_a * ny)]
    if len(corners_b) == 1:
        return [(corners_b[0][0] - radius_b * nx, corners_b[0][1] - radius_b * ny)]

    face_a = max(edges(corners_a), key=lambda edge: facing(edge, normal))
    face_b = max(edges(corners_b), key=lambda edge: facing(edge, (-nx, -ny)))
    if facing(face_a, normal) >= facing(face_b, (-nx, -ny)):  # the face that is more perpendicular to the normal is the reference
        reference, incident, inward = face_a, face_b, normal
    else:
        reference, incident, inward = face_b, face_a, (-nx, -ny)
    (x1, y1), (x2, y2) = reference
    along = unit(x2 - x1, y2 - y1)
    incident = cut(incident, along, dot(along, (x1, y1)))
    incident = cut(incident, (-along[0], -along[1]), -dot(along, (x2, y2)))
    return [p for p in incident if dot(inward, p) <= dot(inward, (x1, y1))] or deepest(corners_a, corners_b, normal)


def cut(segment, direction, limit):
    """Return the part of a segment where ``direction . p >= limit``."""
    p, q = segment
    beyond_p, beyond_q = dot(direction, p) - limit, dot(direction, q) - limit
    kept = [point for point, beyond in ((p, beyond_p), (q, beyond_q)) if beyond >= 0.0]
    if beyond_p * beyond_q < 0.0:
        t = beyond_p / (beyond_p - beyond_q)
        kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept


def deepest(corners_a, corners_b, normal):
    """Return the deepest corners that lie inside the other shape, for the case in which clipping leaves nothing."""
    candidates = [min(corners_b, key=lambda p: dot(normal, p)), max(corners_a, key=lambda p: dot(normal, p))]
    return [p for p, other in zip(candidates, (corners_a, corners_b)) if is_inside(p, other)] or candidates[:1]


def is_inside(p, corners):
    return all((x2 - x1) * (p[1] - y1) - (y2 - y1) * (p[0] - x1) >= 0.0 for (x1, y1), (x2, y2) in edges(corners))


def edges(corners):
    return [] if len(corners) == 1 else list(zip(corners, corners[1:] + corners[:1]))


def facing(edge, direction):
    """Return the cosine of the angle between an edge's outward normal and a direction."""
    (x1, y1), (x2, y2) = edge
    return dot(unit(y2 - y1, x1 - x2), direction)


def unit(x, y):
    length = math.hypot(x, y)
    return x / length, y / length


def dot(p, q):
    return p[0] * q[0] + p[1] * q[1]
