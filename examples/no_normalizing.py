"""The first classic mistake: the axes are not normalized, so overlaps along the normal of a long edge look larger than they are.

python main.py check examples/no_normalizing.py:collide
"""


def collide(a, b):
    corners_a, radius_a = corners_and_radius(a)
    corners_b, radius_b = corners_and_radius(b)
    if radius_a and radius_b:
        return two_circles(corners_a[0], radius_a, corners_b[0], radius_b)

    depth, normal = float("inf"), None
    for axis in axes(corners_a, corners_b):
        length = (axis[0] ** 2 + axis[1] ** 2) ** 0.5
        gap = min(dot(axis, p) for p in corners_b) - max(dot(axis, p) for p in corners_a) - (radius_a + radius_b) * length
        if gap > 0.0:
            return None
        if -gap < depth:  # compares overlaps along axes of different lengths
            depth, normal = -gap, axis
    return {"normal": normal, "depth": depth}


def two_circles(p, radius_p, q, radius_q):
    dx, dy = q[0] - p[0], q[1] - p[1]
    distance = (dx * dx + dy * dy) ** 0.5
    if distance > radius_p + radius_q:
        return None
    normal = (dx / distance, dy / distance) if distance > 0.0 else (1.0, 0.0)
    return {"normal": normal, "depth": radius_p + radius_q - distance}


def corners_and_radius(shape):
    return (shape, 0.0) if isinstance(shape[0], tuple) else ([shape[:2]], shape[2])


def axes(corners_a, corners_b):
    for corners, sign in ((corners_a, 1.0), (corners_b, -1.0)):
        for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
            if len(corners) > 1:
                yield sign * (y2 - y1), sign * (x1 - x2)  # as long as the edge
    if len(corners_a) == 1 or len(corners_b) == 1:
        for xa, ya in corners_a:
            for xb, yb in corners_b:
                yield xb - xa, yb - ya


def dot(p, q):
    return p[0] * q[0] + p[1] * q[1]
