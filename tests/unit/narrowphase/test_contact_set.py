"""Contact sets of all kinds of shapes: a point or a segment, only for touching shapes; batches match the scalar form."""

import math

import numpy as np
import pytest
import shapely

from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.query import batch, manifold
from engine.query.batch import contact_set as contact_sets
from engine.query.pairs import contact_set

HERE = Transform()
BOX = Polygon.box(0.5, 0.5)
DIAMOND = Polygon.regular(4, 0.5)
ROD = Capsule((-1.0, 0.0), (1.0, 0.0), 0.25)
LINE = Segment((-1.0, 0.0), (1.0, 0.0))


@pytest.mark.parametrize(
    ("a", "b", "at", "expected"),
    [
        (BOX, BOX, (0.25, 1.0), [(-0.25, 0.5), (0.5, 0.5)]),  # edge on edge
        (BOX, BOX, (1.0, 1.0), [(0.5, 0.5)]),  # corner on corner
        (BOX, BOX, (1.0, 0.0), [(0.5, -0.5), (0.5, 0.5)]),
        (BOX, DIAMOND, (0.2, 1.0), [(0.2, 0.5)]),  # corner on edge
        (BOX, DIAMOND, (1.0, 0.5), [(0.5, 0.5)]),  # corner on corner, aslant
        (BOX, Circle(0.5), (0.1, 1.0), [(0.1, 0.5)]),
        (BOX, Circle(0.5), (0.8, 0.9), [(0.5, 0.5)]),
        (Circle(0.5), Circle(0.75), (0.0, 1.25), [(0.0, 0.5)]),
        (BOX, ROD, (0.75, 0.75), [(-0.25, 0.5), (0.5, 0.5)]),
        (ROD, ROD, (0.5, -0.5), [(-0.5, -0.25), (1.0, -0.25)]),
        (ROD, ROD, (2.5, 0.0), [(1.25, 0.0)]),  # end to end
        (ROD, ROD, (2.3, 0.4), [(1.15, 0.2)]),
        (LINE, LINE, (1.5, 0.0), [(0.5, 0.0), (1.0, 0.0)]),  # on one line
        (LINE, LINE, (2.0, 0.0), [(1.0, 0.0)]),
        (LINE, BOX, (0.75, 0.5), [(0.25, 0.0), (1.0, 0.0)]),
        (LINE, ROD, (0.5, 0.25), [(-0.5, 0.0), (1.0, 0.0)]),
        (Segment((0.0, 0.0), (0.0, 0.0)), BOX, (0.5, 0.2), [(0.0, 0.0)]),  # a point on an edge
    ],
)
def test_where_shapes_touch(a, b, at, expected):
    there = Transform(at)
    for contacts in (contact_set(a, HERE, b, there), contact_set(b, there, a, HERE)):
        assert contacts.status is Status.TOUCHING
        assert math.hypot(*contacts.normal) == pytest.approx(1.0)
        assert np.allclose(sorted(contacts.points), expected, atol=1e-12)


@pytest.mark.parametrize("a", [BOX, ROD, Circle(0.5), LINE])
@pytest.mark.parametrize("b", [BOX, ROD, Circle(0.5)])
def test_the_set_is_empty_without_contact(a, b):
    apart = contact_set(a, HERE, b, Transform((0.2, 3.0)))
    assert (apart.status, apart.normal, apart.points) == (Status.SEPARATED, None, ())
    deep = contact_set(a, HERE, b, Transform((0.1, 0.1)))
    assert (deep.status, deep.normal, deep.points) == (Status.OVERLAPPING, None, ())


def test_random_pairs_moved_into_contact():
    """After moving B by the depth, all kinds of shapes touch, and the points lie on both shapes."""
    rng = np.random.default_rng(6)
    shapes = [BOX, DIAMOND, ROD, Circle(0.4, (0.1, 0.2)), Polygon([(0, 0), (2, 0.3), (0.5, 1.0)], 0.1), Segment((-1, 0), (1, 0.5), 0.05)]
    cores = [
        shapely.Polygon(s.vertices) if isinstance(s, Polygon) else shapely.Point(s.center) if isinstance(s, Circle) else
        shapely.LineString([s.p1, s.p2]) for s in shapes
    ]  # fmt: skip
    radii = [getattr(s, "radius", getattr(s, "skin_radius", 0.0)) for s in shapes]
    touched = 0
    for _ in range(600):
        i, j = rng.integers(0, len(shapes), 2)
        a, b = shapes[i], shapes[j]
        if isinstance(a, Polygon) and isinstance(b, Polygon) and a.skin_radius + b.skin_radius > 0.0:
            continue  # their manifold has square corners, as Box2D's
        if {type(a), type(b)} == {Polygon, Circle} and radii[i] + radii[j] > 0.5:
            continue
        xf_b = Transform(tuple(rng.uniform(-1.0, 1.0, 2).tolist()), float(rng.uniform(-3.0, 3.0)))
        contact = manifold(a, HERE, b, xf_b)
        if not contact.points:
            continue
        skins = sum(s.skin_radius for s in (a, b) if isinstance(s, Polygon | Segment))
        depth = skins - min(point.separation for point in contact.points)
        x, y = (xf_b.position[k] + depth * contact.normal[k] for k in range(2))
        there = Transform((x, y), xf_b.angle)
        at = contact_set(a, HERE, b, there)
        assert at.status is Status.TOUCHING
        assert np.allclose(at.normal, contact.normal, atol=1e-6)
        for point in at.points:
            assert cores[i].distance(shapely.Point(point)) == pytest.approx(radii[i], abs=1e-7)
            assert cores[j].distance(shapely.Point(there.apply_inverse(point))) == pytest.approx(radii[j], abs=1e-7)
        touched += 1
    assert touched > 100


def test_a_batch_matches_the_scalar_form_to_the_bit():
    shapes = batch.ShapeBatch([BOX, DIAMOND, ROD, Circle(0.5), LINE])
    rng = np.random.default_rng(7)
    n = 400
    pairs = rng.integers(0, 5, (n, 2))
    xf_a, xf_b = (np.column_stack((rng.integers(-4, 5, (n, 2)) / 4.0, rng.integers(0, 2, n) * math.pi / 2.0)) for _ in range(2))
    columns = contact_sets(shapes, pairs, xf_a, xf_b)
    assert set(columns.status.tolist()) == {0, 1, 2}
    assert {0, 1, 2} == set(columns.count.tolist())
    for row, (a, b) in enumerate(pairs.tolist()):
        at_a, at_b = (Transform((x, y), angle) for x, y, angle in (xf_a[row].tolist(), xf_b[row].tolist()))
        alone = contact_set(shapes[a], at_a, shapes[b], at_b)
        assert (alone.status, len(alone.points)) == (columns.status[row], columns.count[row])
        assert alone.points == tuple(map(tuple, columns.points[row, : columns.count[row]].tolist()))
        assert alone.normal == (tuple(columns.normal[row].tolist()) if alone.points else None)
        # the features recorded are an edge's two ends exactly where that edge carries part of the contact
        assert (columns.count[row] < 2) or columns.vertices_a[row, 0] != columns.vertices_a[row, 1]
