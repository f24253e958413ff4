"""A whole scene at once: boxes equal to those of the shapes, and the contacts that testing every pair would find."""

import numpy as np

from engine.broadphase import BruteForce
from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.narrowphase import batched
from engine.query import batch
from engine.query.batch_frame import aabb, collide

SHAPES = batch.ShapeBatch(
    [
        Polygon.box(0.5, 0.3, skin_radius=0.01),
        Circle(0.4, (0.1, 0.0)),
        Polygon.regular(7, 0.5),
        Capsule((-0.3, 0), (0.3, 0), 0.1),
        Segment((0, 0), (1, 0)),
    ]
)


def scene(n, side):
    rng = np.random.default_rng(n)
    return rng.integers(0, len(SHAPES), n), np.column_stack((rng.uniform(0.0, side, (n, 2)), rng.uniform(-3.0, 3.0, n)))


def test_boxes_are_those_of_the_shapes():
    which, poses = scene(60, 5.0)
    boxes = aabb(SHAPES, which, poses)
    for row, shape in enumerate(which.tolist()):
        x, y, angle = poses[row].tolist()
        box = SHAPES[shape].aabb(Transform((x, y), angle))
        assert np.allclose(boxes[row], (*box.lower, *box.upper), rtol=0.0, atol=1e-14)


def test_a_scene_has_the_contacts_of_all_its_pairs():
    which, poses = scene(120, 8.0)
    contacts = collide(SHAPES, which, poses)
    assert np.array_equal(contacts.pairs, collide(SHAPES, which, poses, broad_phase=BruteForce()).pairs)
    everyone = np.array([(i, j) for i in range(120) for j in range(i + 1, 120)])
    expected = batch.manifold(SHAPES, which[everyone], poses[everyone[:, 0]], poses[everyone[:, 1]])
    touching, ours = expected.count > 0, contacts.manifolds.count > 0
    assert touching.any()
    assert np.array_equal(contacts.pairs[ours], everyone[touching])
    assert np.array_equal(contacts.manifolds.position[ours], expected.position[touching])


def test_the_kernels_get_writable_pairs(monkeypatch):
    """Read-only arrays would need another compilation."""
    seen, ask = [], batched.manifold_rows_of_bodies

    def noting(shapes, which, poses, pairs, rule):
        seen.append(pairs.flags.writeable)
        return ask(shapes, which, poses, pairs, rule)

    monkeypatch.setattr(batched, "manifold_rows_of_bodies", noting)
    assert not collide(SHAPES, *scene(20, 3.0)).pairs.flags.writeable
    assert seen == [True]


def test_empty_scenes():
    assert aabb(SHAPES, [], []).shape == (0, 4)
    assert len(collide(SHAPES, [], []).pairs) == 0
