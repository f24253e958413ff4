"""The SIMD kernels of distance and overlap: the scalar kernels' answers to the bit, and still in the machine's wide registers."""

import numpy as np
import pytest
from numba import typeof

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.narrowphase import _distance_simd_kernel, _overlap_simd_kernel, batched, batched_distances
from engine.narrowphase._simd_kernel import Block
from engine.narrowphase.packing import HEAD, SLOT_GROUP, SLOTS, pack
from engine.query import batch
from tests.simd import COMPILED, assert_same_bits, needs_registers, vector_instructions

N_PAIRS = 6000 if COMPILED else 150

MIXED = [
    Polygon.regular(40, 1.0),
    Polygon.regular(16, 1.0, skin_radius=0.05),
    Polygon.regular(11, 1.0),
    Polygon.box(1.0, 0.01),
    Polygon([(0, 0), (1, 0), (0, 1)], skin_radius=0.3),
    Capsule((-1, 0), (1, 0), 0.2),
    Segment((-1, 0), (1, 0)),
    Segment((0, 0), (0, 0)),
    Circle(1e-9),
    Circle(1.0, (0.25, 0.5)),
]


def both(ask, module, shapes, pairs, poses_a, poses_b, monkeypatch):
    given = [np.array(poses, dtype=np.float64) for poses in (poses_a, poses_b)]
    if module is batched:
        given = [batched.poses_with_rotation(poses) for poses in given]
    answers = []
    for is_simd in (False, True):
        monkeypatch.setattr(module, "has_wide_registers", lambda is_simd=is_simd: is_simd)
        with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
            answers.append(ask(shapes, np.array(pairs), *given))
    return answers


def assert_same(shapes, pairs, poses_a, poses_b, monkeypatch):
    """Compare overlap, and every bit of distance; return its statuses."""
    scalar, wide = both(batched.overlap_rows, batched, shapes, pairs, poses_a, poses_b, monkeypatch)
    assert np.flatnonzero(scalar != wide).tolist() == []
    scalar, wide = both(batched_distances.distance_rows, batched_distances, shapes, pairs, poses_a, poses_b, monkeypatch)
    assert_same_bits(("status", "iterations", "rows"), wide, scalar)
    return scalar[0]


@pytest.mark.parametrize("skin", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_scalar_answers_to_the_bit(skin, seed, monkeypatch):
    cases = case_chunk(seed, 0, N_PAIRS)
    shapes = pack([Polygon(s.vertices, skin) if isinstance(s, Polygon) else s for s in cases.shapes])
    found = assert_same(shapes, cases.pairs, cases.poses_a, cases.poses_b, monkeypatch)
    assert {int(Status.SEPARATED), int(Status.OVERLAPPING)} <= set(found.tolist())


@pytest.mark.parametrize("size", [1e-60, 1e-3, 1.0, 1e6, 1e80, 1e160])
def test_all_kinds_at_all_sizes(size, monkeypatch):
    """Sizes at which squares, and the products of squares, leave float64 as well."""
    rng = np.random.default_rng(3)
    n = 1500 if COMPILED else 100
    shapes = pack(MIXED)
    for name in ("vertices", "radius", "extent", "skin"):
        getattr(shapes, name)[...] *= size
    shapes.records[:, :HEAD] *= size
    shapes.records[:, HEAD : HEAD + 4 * SLOTS].reshape(len(MIXED), -1, 4, SLOT_GROUP)[:, :, :2] *= size  # then come normals
    pairs = rng.integers(0, len(MIXED), (n, 2))
    poses_a, poses_b = rng.uniform(-1.5, 1.5, (2, n, 3))
    poses_a[:, :2] *= size
    poses_b[:, :2] *= size
    assert_same(shapes, pairs, poses_a, poses_b, monkeypatch)


def test_exact_touches_and_coincident_shapes(monkeypatch):
    """A grid of offsets at which edges, corners, rims and centers meet exactly."""
    shapes = pack([Polygon.box(0.5, 0.5), Polygon([(0, 0), (1, 0), (0, 1)]), Circle(0.5), Circle(0.25), Capsule((-0.5, 0), (0.5, 0), 0.5)])
    steps = [-1.0, -0.5, 0.0, 0.5, 1.0] if COMPILED else [0.0, 1.0]
    rows = [(a, b, x, y, turn) for a in range(5) for b in range(5) for x in steps for y in steps for turn in (0.0, np.pi / 4)]
    pairs, poses_b = np.array([row[:2] for row in rows]), np.array([row[2:] for row in rows])
    found = assert_same(shapes, pairs, np.zeros_like(poses_b), poses_b, monkeypatch)
    assert int(Status.TOUCHING) in found


def test_touches_far_out_and_within_rounding(monkeypatch):
    """Circles and boxes some roundings apart, on either side of the touch, near the origin and a thousand kilometers away."""
    shapes = pack([Circle(1.0), Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0)])
    rng = np.random.default_rng(4)
    n = 3000 if COMPILED else 100
    pairs = rng.integers(0, 3, (n, 2))
    for far in (0.0, 1e6):
        poses_a = np.full((n, 3), far)
        poses_a[:, 2] = 0.0
        angle = rng.uniform(0.0, 2.0 * np.pi, n)
        apart = 2.0 * (1.0 + rng.integers(-40, 40, n) * np.finfo(np.float64).eps * max(1.0, far))
        poses_b = np.column_stack((far + apart * np.cos(angle), far + apart * np.sin(angle), angle))
        assert_same(shapes, pairs, poses_a, poses_b, monkeypatch)


def test_any_number_of_pairs_fills_its_rows_and_no_other(monkeypatch):
    rng = np.random.default_rng(8)
    shapes = pack(MIXED)
    for n in (1, 48, 63, 64, 65, 130) if COMPILED else (65,):
        poses_a, poses_b = rng.uniform(-1.0, 1.0, (2, n, 3))
        assert_same(shapes, rng.integers(2, 5, (n, 2)), poses_a, poses_b, monkeypatch)


@pytest.mark.parametrize("n", [10, 100])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_pose_that_is_not_finite_is_named(n, wrong):
    """The SIMD kernel has no check ahead of it: it hands over what it cannot answer, and it is found there."""
    shapes, fine = batch.ShapeBatch([Polygon.box(1.0, 1.0), Circle(1.0)]), np.zeros((n, 3))
    pairs = [(0, 1)] * n
    for column in range(3):
        poses = np.zeros((n, 3))
        poses[7, column] = wrong
        with pytest.raises(InvalidInputError, match=r"xf_a\[7\]"):
            batch.distance(shapes, pairs, poses, fine)
        with pytest.raises(InvalidInputError, match=r"xf_b\[7\]"):
            batch.distance(shapes, pairs, fine, poses)


def test_large_angles(monkeypatch):
    """Beyond `MAX_TURNED` cosine and sine are the library's, of which there is no vector form."""
    rng = np.random.default_rng(9)
    poses_a, poses_b = rng.uniform(-1.5, 1.5, (2, 200, 3))
    poses_a[::3, 2] *= 1e9
    poses_b[::5, 2] *= 1e200
    assert_same(pack(MIXED), rng.integers(0, len(MIXED), (200, 2)), poses_a, poses_b, monkeypatch)


@pytest.mark.slow  # it compiles without the cache
@needs_registers
@pytest.mark.parametrize(
    ("module", "name", "divisions", "products"),
    [(_distance_simd_kernel, "_answer_block", 5, 150), (_overlap_simd_kernel, "_polygons_block", 0, 100),
     (_overlap_simd_kernel, "_circles_block", 4, 150)],
)  # fmt: skip
def test_the_loops_are_still_vectorized(module, name, divisions, products):
    packed = vector_instructions(getattr(module, name), map(typeof, arguments_of(name)))
    assert packed["vdivpd"] >= divisions and packed["vmulpd"] >= products, packed


def arguments_of(name):
    """Arguments of such types as the kernel of a block takes."""
    numbers, rows, poses, pairs = np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 3)), np.empty((0, 2), dtype=np.int64)
    if name == "_answer_block":
        packed = pack([Circle(1.0)]).arrays
        asked = _distance_simd_kernel._Query(packed, *(numbers,) * 3, pairs, poses, poses, rows, rows, np.empty((0, 7)))
        return numbers, rows, rows, 0, 0, 0, asked, rows, 0
    asked = _overlap_simd_kernel._Query(numbers, pairs, numbers, numbers, rows)
    polygon = (True,) if name == "_circles_block" else ()
    return Block(numbers, numbers, numbers, rows), rows, 4, *polygon, asked, rows, 0
