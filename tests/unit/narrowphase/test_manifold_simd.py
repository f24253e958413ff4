"""The SIMD kernel of the manifolds: the scalar kernel's answers to the bit, and still in the machine's wide registers."""

import numpy as np
import pytest
from numba import typeof

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.narrowphase import _manifold_simd_kernel as simd
from engine.narrowphase import batched
from engine.narrowphase._simd_kernel import Block
from engine.narrowphase.packing import pack
from engine.narrowphase.rules import BOX2D, EXACT
from tests.simd import COMPILED, assert_same_bits, needs_registers, vector_instructions

RULES = pytest.mark.parametrize("rule", [EXACT, BOX2D])
N_PAIRS = 6000 if COMPILED else 150


def rows_by(shapes, pairs, poses_a, poses_b, rule, is_simd, monkeypatch):
    monkeypatch.setattr(batched, "has_wide_registers", lambda: is_simd)
    turned_a, turned_b = batched.poses_with_rotation(poses_a.copy()), batched.poses_with_rotation(poses_b.copy())
    with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
        return batched.manifold_rows(shapes, pairs.copy(), turned_a, turned_b, rule)


def assert_same(found, expected):
    names = batched.ManifoldRows.__slots__
    assert_same_bits(names, *([getattr(rows, name) for name in names] for rows in (found, expected)))


@RULES
@pytest.mark.parametrize("skin", [0.0, 0.01])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_scalar_answers_to_the_bit(rule, skin, seed, monkeypatch):
    cases = case_chunk(seed, 0, N_PAIRS)
    shapes = pack([Polygon(s.vertices, skin) if isinstance(s, Polygon) else s for s in cases.shapes])
    scalar, wide = (rows_by(shapes, cases.pairs, cases.poses_a, cases.poses_b, rule, how, monkeypatch) for how in (False, True))
    assert (scalar.count > 0).any() and (scalar.count == 0).any()
    assert_same(wide, scalar)


@RULES
def test_exact_touches_and_coincident_shapes(rule, monkeypatch):
    """A grid of offsets at which edges, corners and centers meet exactly, for boxes, triangles and discs in both orders."""
    shapes = pack([Polygon.box(0.5, 0.5), Polygon([(0, 0), (1, 0), (0, 1)]), Circle(0.5), Polygon.regular(16, 0.5)])
    steps = [-1.0, -0.5, 0.0, 0.5, 1.0] if COMPILED else [0.0, 1.0]
    rows = [(a, b, x, y, turn) for a in range(4) for b in range(4) for x in steps for y in steps for turn in (0.0, np.pi / 4)]
    pairs = np.array([row[:2] for row in rows])
    poses_b = np.array([row[2:] for row in rows])
    scalar, wide = (rows_by(shapes, pairs, np.zeros_like(poses_b), poses_b, rule, how, monkeypatch) for how in (False, True))
    assert_same(wide, scalar)


def test_what_it_cannot_take_goes_to_the_scalar_kernel(monkeypatch):
    shapes = pack([Polygon.regular(40, 1.0), Polygon.box(1.0, 1.0), Capsule((-1, 0), (1, 0), 0.2), Segment((-1, 0), (1, 0)), Circle(1.0)])
    rng = np.random.default_rng(7)
    pairs = rng.integers(0, 5, (400, 2))
    poses_a, poses_b = rng.uniform(-1.0, 1.0, (2, 400, 3))
    scalar, wide = (rows_by(shapes, pairs, poses_a, poses_b, EXACT, how, monkeypatch) for how in (False, True))
    assert_same(wide, scalar)


@RULES
def test_angles_and_bodies_give_the_same_manifolds(rule, monkeypatch):
    """Poses as angles, some too large for the lanes, and pairs of bodies, each with its shape and pose; the normals with them."""
    shapes = pack([Polygon.regular(n, 1.0) for n in (3, 4, 7, 9, 16)] + [Circle(0.5)])
    rng = np.random.default_rng(9)
    n = 2000 if COMPILED else 80
    which, poses, pairs = rng.integers(0, 6, 300), rng.uniform(-2.0, 2.0, (300, 3)), rng.integers(0, 300, (n, 2))
    poses[::40, 2] = 1e9
    at_a, at_b = poses[pairs[:, 0]], poses[pairs[:, 1]]
    scalar = rows_by(shapes, which[pairs], at_a, at_b, rule, False, monkeypatch)
    normals = np.where(scalar.count[:, None] > 0, scalar.axis[:, :2], 0.0)
    monkeypatch.setattr(batched, "has_wide_registers", lambda: True)
    with np.errstate(all="ignore"):
        of_angles = batched.manifolds(shapes, which[pairs], at_a, at_b, rule)
        of_bodies = batched.manifolds_of_bodies(shapes, which, batched.poses_with_rotation(poses), pairs, rule)
    for rows, found in (of_angles, of_bodies):
        assert_same(rows, scalar)
        assert found.tobytes() == normals.tobytes()


def test_a_wrong_index_or_number_is_told(monkeypatch):
    shapes, poses, pairs = pack([Polygon.box(1.0, 1.0), Circle(0.5)]), np.zeros((64, 3)), np.zeros((64, 2), dtype=np.int64)
    monkeypatch.setattr(batched, "has_wide_registers", lambda: True)
    for at in (0, 63):
        wrong, bad = pairs.copy(), poses.copy()
        wrong[at, 1], bad[at, at % 3] = 2, np.nan
        with pytest.raises(InvalidInputError, match="pairs must be indices"):
            batched.manifolds(shapes, wrong, poses, poses, EXACT)
        with pytest.raises(InvalidInputError, match="xf_b"), np.errstate(all="ignore"):
            batched.manifolds(shapes, pairs, poses, bad, EXACT)


def test_any_number_of_pairs_fills_its_rows_and_no_other(monkeypatch):
    shapes = pack([Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0), Circle(1.0)])
    rng = np.random.default_rng(8)
    for n in (48, 63, 64, 65, 130) if COMPILED else (65,):
        pairs = rng.integers(0, 3, (n, 2))
        poses_a, poses_b = rng.uniform(-1.0, 1.0, (2, n, 3))
        scalar, wide = (rows_by(shapes, pairs, poses_a, poses_b, EXACT, how, monkeypatch) for how in (False, True))
        assert_same(wide, scalar)


@pytest.mark.slow  # it compiles without the cache
@needs_registers
@pytest.mark.parametrize(
    ("kernel", "divisions", "products"),
    [("_polygons_block", 3, 200), ("_polygon_circle_block", 1, 100), ("_circles_block", 1, 80)],
)
def test_the_loops_are_still_vectorized(kernel, divisions, products):
    """Every division of a chapter's choices must be a packed one: a loop that fell back has `vdivsd` alone."""
    packed = vector_instructions(getattr(simd, kernel), map(typeof, arguments_of(kernel)), _nrt=False)
    assert packed["vdivpd"] >= divisions and packed["vmulpd"] >= products, packed


def arguments_of(kernel):
    """Arguments of such types as the kernel of a block takes."""
    numbers, rows, pairs = np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64)
    columns = batched._empty_rows(0).arrays
    asked = simd._Query(rows, numbers, rows, pairs, numbers, numbers, 3, EXACT, columns, np.empty((0, 2)), rows)
    sizes = {"_polygons_block": (4, 4), "_polygon_circle_block": (4, False), "_circles_block": ()}[kernel]
    return Block(numbers, numbers, numbers, rows), rows, *sizes, asked, 0
