"""Seeded pairs of all four kinds of shape for the rational referee, mostly in positions that are difficult for collision code."""

import math

import numpy as np

from engine.geometry import Capsule, Circle, Polygon, Segment, Transform, convex_hull

FAMILIES = ("random", "lattice", "turned", "hair", "inside", "far", "millimetres", "kilometres")
"""`lattice`: no rotation, coordinates in quarters, half of the pairs with boxes that touch, so that corners and edges meet
exactly. `turned`: the same lattice rotated by the angles of whole-number triangles. `hair`: the lattice, off
by 1e-16 to 1e-9 m and as much in angle."""

WHOLE_NUMBER_ANGLES = (math.atan2(4, 3), math.atan2(12, 5), math.atan2(15, 8), math.pi / 2.0, math.pi)


def scaled(shape, by):
    if isinstance(shape, Circle):
        return Circle(shape.radius * by, tuple(by * c for c in shape.center))
    if isinstance(shape, Polygon):
        return Polygon(shape.vertices * by, shape.skin_radius * by)
    ends = (tuple(by * c for c in end) for end in (shape.p1, shape.p2))
    return Capsule(*ends, shape.radius * by) if isinstance(shape, Capsule) else Segment(*ends, shape.skin_radius * by)


def lattice_shapes():
    """Shapes whose corners are quarters: boxes, triangles, needles 1:1000, lines along axes and diagonals, points, discs."""
    box, triangle = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], [(-0.5, 0.0), (0.5, 0.0), (0.0, 0.75)]
    octagon = [(-0.5, -1.0), (0.5, -1.0), (1.0, -0.5), (1.0, 0.5), (0.5, 1.0), (-0.5, 1.0), (-1.0, 0.5), (-1.0, -0.5)]
    return [
        *(Polygon(box, skin) for skin in (0.0, 0.125)),
        *(Polygon(triangle, skin) for skin in (0.0, 0.125)),
        Polygon(octagon),
        Polygon.box(1.0, 2.0**-10),
        Polygon([(-1.0, -(2.0**-10)), (1.0, 0.0), (-1.0, 2.0**-10)]),
        Circle(0.25),
        Circle(0.5, (0.25, -0.25)),
        Capsule((-0.5, 0.0), (0.5, 0.0), 0.25),
        Capsule((0.0, 0.0), (0.75, 1.0), 0.25),
        Capsule((0.5, 0.5), (0.5, 0.5), 0.5),
        Segment((-1.0, 0.0), (1.0, 0.0)),
        Segment((0.0, -0.5), (0.0, 0.5), 0.125),
        Segment((-0.5, -0.5), (0.5, 0.5)),
        Segment((0.25, 0.25), (0.25, 0.25)),
        Segment((0.0, 0.0), (0.0, 0.0), 0.25),
    ]


def random_shapes(rng, n):
    shapes = []
    for kind in rng.integers(0, 6, n).tolist():
        p, q = rng.uniform(-1.0, 1.0, (2, 2)).tolist()
        if kind < 2:
            corners = convex_hull(rng.normal(size=(int(rng.integers(4, 9)), 2)) * (0.6, float(rng.choice((0.6, 0.1, 6e-4)))))
            shapes.append(Polygon(corners, float(rng.choice((0.0, 0.01, 0.1)))))
        elif kind == 2:
            shapes.append(Circle(float(rng.uniform(0.05, 1.0)), p))
        elif kind == 3:
            shapes.append(Capsule(p, q, float(rng.uniform(0.05, 0.5))))
        elif kind == 4:
            shapes.append(Segment(p, q, float(rng.choice((0.0, 0.01, 0.1)))))
        else:
            shapes.append(Polygon.box(float(rng.uniform(0.2, 1.0)), float(rng.uniform(2e-4, 1.0))))
    return shapes


def pairs_of(family, n, seed=0):
    """Return shapes, and n cases (index of A, pose of A, index of B, pose of B) of one family; poses are plain x, y, angle."""
    rng = np.random.default_rng((seed, FAMILIES.index(family)))
    is_exact = family in ("lattice", "turned", "hair")
    size = {"millimetres": 1e-3, "kilometres": 1e3}.get(family, 1.0)
    shapes = lattice_shapes() if is_exact else [scaled(shape, size) for shape in random_shapes(rng, 50)]
    cases = []
    for a, b in rng.integers(0, len(shapes), (n, 2)).tolist():
        if is_exact:
            pose_a = (*(rng.integers(-4, 5, 2) / 4.0).tolist(), 0.0)
            away = rng.integers(-6, 7, 2) / 4.0
            if rng.random() < 0.5:  # side by side: their boxes meet in one coordinate
                boxes = [shapes[at].aabb(Transform()) for at in (a, b)]
                axis, side = int(rng.integers(2)), int(rng.integers(2))
                meets = boxes[0].upper[axis] - boxes[1].lower[axis] if side else boxes[0].lower[axis] - boxes[1].upper[axis]
                away[axis] = meets
            pose_b = (pose_a[0] + float(away[0]), pose_a[1] + float(away[1]), 0.0)
            if family == "turned":
                frame = Transform((0.0, 0.0), float(rng.choice(WHOLE_NUMBER_ANGLES)))
                extra = float(rng.choice((0.0, 0.0, *WHOLE_NUMBER_ANGLES)))
                pose_a = (*frame.apply(pose_a[:2]), frame.angle)
                pose_b = (*frame.apply(pose_b[:2]), frame.angle + extra)
            elif family == "hair":
                off = rng.choice((-1.0, 0.0, 1.0), 3) * 10.0 ** rng.uniform(-16.0, -9.0, 3)
                pose_b = (pose_b[0] + float(off[0]), pose_b[1] + float(off[1]), float(off[2]))
        else:
            pose_a, pose_b = ((*(size * row[:2]).tolist(), float(row[2])) for row in rng.uniform(-1.2, 1.2, (2, 3)))
            if family == "inside":
                pose_b = (pose_a[0] + 0.05 * pose_b[0], pose_a[1] + 0.05 * pose_b[1], pose_b[2])
            elif family == "far":
                pose_a, pose_b = ((x + 70_000.0, y - 30_000.0, angle) for x, y, angle in (pose_a, pose_b))
        cases.append((a, pose_a, b, pose_b))
    return shapes, cases
