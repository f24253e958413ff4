"""Each family of cases has its properties, and the sequence depends only on the seed."""

import numpy as np
import pytest

from engine.compare.cases import (
    FAMILIES,
    MOTIONS,
    PAIR_KINDS,
    RAY_FAMILIES,
    SHAPE_KINDS,
    SOLID_KINDS,
    case_chunk,
    motion_chunk,
    random_edges,
    ray_chunk,
)  # fmt: skip
from engine.geometry import Circle, Polygon, Segment

CASES = case_chunk(3, 0, kinds=PAIR_KINDS)
KIND_NAMES = {Circle: "circle", Polygon: "polygon", Segment: "edge"}


def of_family(name):
    return np.flatnonzero(CASES.family == FAMILIES.index(name))


def size(shape):
    outline = np.array([shape.p1, shape.p2]) if isinstance(shape, Segment) else getattr(shape, "vertices", np.zeros((1, 2)))
    return max(2.0 * getattr(shape, "radius", 0.0), float(np.hypot(*(outline - outline[0]).T).max()))


def test_every_kind_in_both_orders_and_every_family():
    names = [tuple(KIND_NAMES[type(CASES.shapes[shape])] for shape in pair) for pair in CASES.pairs.tolist()]
    for index, kind in enumerate(PAIR_KINDS):
        first, other = kind.split("/")
        kinds = {names[row] for row in np.flatnonzero(CASES.kind == index).tolist()}
        assert kinds == {(first, other), (other, first)}
    assert np.unique(CASES.family).tolist() == list(range(-1, len(FAMILIES)))
    assert {len(shape.vertices) for shape in CASES.shapes if isinstance(shape, Polygon)} == set(range(3, 17))
    ghosts = {(shape.ghost1 is None, shape.ghost2 is None) for shape in CASES.shapes if isinstance(shape, Segment)}
    assert len(ghosts) == 4


def test_sizes():
    sizes = np.array([size(shape) for shape in CASES.shapes])[CASES.pairs]
    assert sizes[of_family("millimetres")].max() < 0.05
    assert sizes[of_family("kilometres")].min() > 20.0 and sizes[of_family("kilometres")].max() > 2000.0
    ratio = sizes[of_family("ratio")]
    assert (ratio.max(axis=1) / ratio.min(axis=1)).max() > 500.0
    needles = [CASES.shapes[shape] for shape in CASES.pairs[of_family("needles")].ravel().tolist()]
    polygons = [shape.vertices for shape in needles if isinstance(shape, Polygon)]
    assert all(np.ptp(vertices[:, 0]) > 300.0 * np.ptp(vertices[:, 1]) for vertices in polygons)


def test_all_numbers_are_float32s():
    motion, rays = motion_chunk(CASES, 3, 0), ray_chunk(CASES, 3, 0)
    arrays = (CASES.poses_a, CASES.poses_b, motion.start_a, motion.end_a, motion.start_b, motion.end_b, rays.origins, rays.ends)
    for array in arrays:
        assert np.array_equal(array, array.astype(np.float32))


def test_a_shorter_chunk_is_a_prefix_of_a_longer_one():
    short = case_chunk(3, 0, 100, PAIR_KINDS)
    for make in (lambda cases: cases, lambda cases: motion_chunk(cases, 3, 0), lambda cases: ray_chunk(cases, 3, 0)):
        shorter, other = make(short), make(CASES)
        for name in type(shorter).__slots__:
            if name != "shapes":
                assert np.array_equal(getattr(shorter, name), getattr(other, name)[:100])


@pytest.mark.parametrize("kinds", [*((kind,) for kind in PAIR_KINDS), SOLID_KINDS])
def test_selected_kinds(kinds):
    some = case_chunk(3, 1, 500, kinds)
    assert {PAIR_KINDS[index] for index in some.kind.tolist()} == set(kinds)
    has_edges = any(isinstance(shape, Segment) for shape in some.shapes)
    assert has_edges == any(kind.startswith("edge") for kind in kinds)
    assert case_chunk(3, 1, 500, kinds).shapes == some.shapes


def test_motions_pass_through_the_poses_and_families_match_their_names():
    motion = motion_chunk(CASES, 3, 0)
    assert np.unique(motion.family).tolist() == list(range(-1, len(MOTIONS)))
    move = motion.end_a - motion.start_a
    moving = {name: move[motion.family == at] for at, name in enumerate(MOTIONS)}
    assert not moving["still"].any() and not moving["straight"][:, 2].any() and not moving["turning"][:, :2].any()
    assert 0.0 < np.abs(moving["tiny"]).max() < 2e-3
    assert np.abs(moving["spin"][:, 2]).max() > 40.0
    free = np.flatnonzero((motion.family < 0) & (CASES.family < 0))
    # the share of the step at which A's place lies on its way
    way, part = move[free, 0], CASES.poses_a[free, 0] - motion.start_a[free, 0]
    far = np.abs(way) > 0.1
    assert (part[far] / way[far]).min() > -1e-3 and (part[far] / way[far]).max() < 1.001


def test_rays_target_solids_if_edges_are_excluded():
    rays, points = ray_chunk(CASES, 3, 0), ray_chunk(CASES, 3, 0, with_edges=False)
    assert np.unique(rays.family).tolist() == list(range(-1, len(RAY_FAMILIES)))
    assert {SHAPE_KINDS[kind] for kind in rays.kind.tolist()} == set(SHAPE_KINDS)
    for chunk in (rays, points):
        for shape, kind in zip(chunk.indices.tolist(), chunk.kind.tolist(), strict=True):
            assert KIND_NAMES[type(CASES.shapes[shape])] == SHAPE_KINDS[kind]
    assert {SHAPE_KINDS[kind] for kind in points.kind.tolist()} == {"circle", "polygon"}
    nothing = rays.family == RAY_FAMILIES.index("nothing")
    assert np.array_equal(rays.origins[nothing], rays.ends[nothing])


def test_edges_with_all_neighbors():
    edges = random_edges(np.random.default_rng(1), 40)
    assert [edge.ghost1 is not None for edge in edges[:4]] == [False, True, False, True]
    assert [edge.ghost2 is not None for edge in edges[:4]] == [False, False, True, True]
