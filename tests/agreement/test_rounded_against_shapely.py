"""Compares capsules and segments with shapely's distance of the cores, and depths with the hull of the Minkowski difference."""

import numpy as np
import shapely

from engine.common.errors import InvalidShapeError
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform, convex_hull
from engine.query import batch

# meters; GEOS answers in float64, but near a touch either side may round either way
NEAR = 1e-9

N_SHAPES, N_PAIRS = 160, 12_000


def random_kinds(rng):
    shapes = []
    for k in range(N_SHAPES):
        size = 10.0 ** rng.uniform(-0.7, 0.5)
        p, q = (tuple((size * rng.normal(size=2)).tolist()) for _ in range(2))
        q = p if rng.random() < 0.1 else q
        if k % 4 == 0:
            shapes.append(Circle(size, p))
        elif k % 4 == 1:
            flat = float(rng.choice([1.0, 0.1, 1e-3]))
            shapes.append(Polygon(convex_hull(size * rng.normal(size=(6, 2)) * (1.0, flat)), float(rng.choice([0.0, 0.01, 0.3]))))
        elif k % 4 == 2:
            shapes.append(Capsule(p, q, size * float(rng.uniform(0.05, 0.8))))
        else:
            shapes.append(Segment(p, q, float(rng.choice([0.0, 0.01, 0.2]))))
    return shapes


def core_of(shape):
    if isinstance(shape, Circle):
        return np.array([shape.center]), shape.radius, shape.radius
    if isinstance(shape, Polygon):
        return shape.vertices, shape.skin_radius, 0.0
    core = np.array([shape.p1] if shape.p1 == shape.p2 else [shape.p1, shape.p2])
    return (core, shape.radius, shape.radius) if isinstance(shape, Capsule) else (core, shape.skin_radius, 0.0)


def geos(core):
    if len(core) == 1:
        return shapely.Point(core[0])
    return shapely.LineString(core) if len(core) == 2 else shapely.Polygon(core)


def core_depth(core_a, core_b):
    """Return the depth of the origin in the hull of all differences; 0 if the hull has no area."""
    try:
        hull = convex_hull((core_b[:, None] - core_a[None]).reshape(-1, 2))
    except InvalidShapeError:
        return 0.0
    edges = np.roll(hull, -1, axis=0) - hull
    return float(((edges[:, 1] * hull[:, 0] - edges[:, 0] * hull[:, 1]) / np.hypot(edges[:, 0], edges[:, 1])).min())


def test_overlap_depth_normal_and_points():
    rng = np.random.default_rng(9)
    shapes = random_kinds(rng)
    packed = batch.ShapeBatch(shapes)
    pairs = rng.integers(0, N_SHAPES, (N_PAIRS, 2))
    xf_a, xf_b = (np.column_stack((rng.uniform(-2.0, 2.0, (N_PAIRS, 2)), rng.uniform(-4.0, 4.0, N_PAIRS))) for _ in range(2))
    in_line = rng.random(N_PAIRS) < 0.3
    for poses in (xf_a, xf_b):
        poses[in_line] = np.round(2.0 * poses[in_line]) / 2.0 * (1.0, 1.0, 0.0)
    contacts, overlapping = batch.manifold(packed, pairs, xf_a, xf_b), batch.overlap(packed, pairs, xf_a, xf_b)
    seen = 0
    for row, (i, j) in enumerate(pairs.tolist()):
        a, b = shapes[i], shapes[j]
        if not isinstance(a, Capsule | Segment) and not isinstance(b, Capsule | Segment):
            continue
        (local_a, radius_a, surface_a), (local_b, radius_b, surface_b) = core_of(a), core_of(b)
        placed = ((local_a, xf_a[row].tolist()), (local_b, xf_b[row].tolist()))
        core_a, core_b = (Transform((x, y), turn).apply_array(core) for core, (x, y, turn) in placed)
        distance = geos(core_a).distance(geos(core_b))
        if abs(distance - radius_a - radius_b) > NEAR:
            assert overlapping[row] == (distance < radius_a + radius_b), row
        assert (contacts.count[row] > 0) == overlapping[row], row
        if not overlapping[row]:
            continue
        seen += 1
        gap = (distance if distance > 0.0 else -core_depth(core_a, core_b)) - surface_a - surface_b
        count, normal = contacts.count[row], contacts.normal[row]
        assert abs(contacts.separation[row, :count].min() - gap) < NEAR, row
        assert abs((core_b @ normal).min() - (core_a @ normal).max() - surface_a - surface_b - gap) < NEAR, row
        for position, separation in zip(contacts.position[row, :count], contacts.separation[row, :count], strict=True):
            # midway between two surfaces: half the gap between the rounded shapes either way along the normal
            half = 0.5 * (separation + surface_a + surface_b - radius_a - radius_b)
            on_a, on_b = position - (half + radius_a) * normal, position + (half + radius_b) * normal
            sides = radius_a - surface_a + radius_b - surface_b  # the clipping planes stand outside by the skins
            assert min(geos(core_a).distance(shapely.Point(on_a)), geos(core_b).distance(shapely.Point(on_b))) <= sides + NEAR, row
    assert seen > 1500


def test_scale_and_distance_from_the_origin_do_not_change_the_answer():
    """Results scale with the shapes, and a shift of a thousand kilometers adds only its own rounding."""
    rng = np.random.default_rng(10)
    shapes = [Capsule((-1.0, 0.25), (1.0, 0.0), 0.5), Segment((-1.0, 0.5), (1.5, 0.0)), Polygon.regular(5, 1.0), Circle(0.75, (0.25, 0.0))]
    n = 2000
    pairs = rng.integers(0, 4, (n, 2))
    xf_a, xf_b = (np.column_stack((rng.uniform(-1.0, 1.0, (n, 2)), rng.uniform(-3.0, 3.0, n))) for _ in range(2))
    contacts = batch.manifold(batch.ShapeBatch(shapes), pairs, xf_a, xf_b)
    deepest = contacts.axis_separation
    clear = np.abs(deepest) > 1e-6
    for scale, shift in ((1e-3, 0.0), (1e3, 0.0), (1.0, 1e6), (1e-3, 1e3)):
        scaled = [
            Capsule(*(tuple(scale * x for x in p) for p in (shapes[0].p1, shapes[0].p2)), scale * shapes[0].radius),
            Segment(*(tuple(scale * x for x in p) for p in (shapes[1].p1, shapes[1].p2))),
            Polygon(scale * shapes[2].vertices),
            Circle(scale * shapes[3].radius, (scale * 0.25, 0.0)),
        ]
        there_a, there_b = (poses * (scale, scale, 1.0) + (shift, shift, 0.0) for poses in (xf_a, xf_b))
        again = batch.manifold(batch.ShapeBatch(scaled), pairs, there_a, there_b)
        near = 1e-12 * scale + 1e-15 * shift
        assert np.array_equal((again.count > 0)[clear], (contacts.count > 0)[clear])
        touching = clear & (contacts.count > 0)
        assert np.abs(again.axis_separation - scale * deepest)[touching].max() < near
