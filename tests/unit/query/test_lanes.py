"""Queries of many pairs in SIMD lanes: they match the scalar kernels to the bit, and are vectorized."""

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from numba import float64, int64, typeof

from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk, random_shapes
from engine.continuous import _advancement_simd_kernel, _swept_simd_kernel, swept, time_of_impact
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase import _distance_simd_kernel, _manifold_simd_kernel, _overlap_simd_kernel, batched, batched_distances
from engine.narrowphase._simd_kernel import Block
from engine.narrowphase.packing import HEAD, SLOT_GROUP, SLOTS, pack
from engine.narrowphase.rules import BOX2D, EXACT
from tests.simd import COMPILED, assert_same_bits, needs_registers, vector_instructions

N_PAIRS = 6000 if COMPILED else 150
WIDE = [
    Polygon.regular(40, 1.0), Polygon.regular(16, 1.0, skin_radius=0.05), Polygon.regular(11, 1.0), Polygon.box(1.0, 0.01),
    Polygon([(0, 0), (1, 0), (0, 1)], skin_radius=0.3), Capsule((-1, 0), (1, 0), 0.2), Segment((-1, 0), (1, 0)), Segment((0, 0), (0, 0)),
    Circle(1e-9), Circle(1.0, (0.25, 0.5)),
]  # fmt: skip
"""Among them shapes and sizes that lanes do not take."""


class Cases(NamedTuple):
    """Pairs of shapes at poses x, y, angle; their displacements, m and rad; and centers of rotation."""

    pairs: np.ndarray
    a: np.ndarray
    b: np.ndarray
    moves_a: np.ndarray
    moves_b: np.ndarray
    center_a: np.ndarray
    center_b: np.ndarray


class Query(NamedTuple):
    """A query of many pairs: the module that selects the kernel, and the function of shapes and cases."""

    module: ModuleType
    rows: Callable

    def both(self, shapes, cases, monkeypatch):
        """Return the columns of the scalar kernel and of the lanes."""
        return [self.by(shapes, cases, is_wide, monkeypatch) for is_wide in (False, True)]

    def by(self, shapes, cases, is_wide, monkeypatch):
        monkeypatch.setattr(self.module, "has_wide_registers", lambda: is_wide)
        with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
            return [np.array(column) for column in self.rows(shapes, Cases(*(column.copy() for column in cases)))]


def _manifolds(rule, shapes, cases):
    return batched.manifold_rows(shapes, cases.pairs, *_turned(cases), rule).arrays


def _turned(cases):
    return [batched.poses_with_rotation(poses) for poses in (cases.a, cases.b)]


def _impacts(is_box2d, shapes, cases, t_max=1.0):
    sweeps = (cases.a, cases.a + cases.moves_a, cases.center_a, cases.b, cases.b + cases.moves_b, cases.center_b)
    return time_of_impact.impact_rows(shapes, cases.pairs, sweeps, t_max, time_of_impact.METHODS["advancement"], is_box2d).arrays


def _swept(shapes, cases, t_max=1.0, with_contact=True):
    ways = [moves[:, :2].copy() for moves in (cases.moves_a, cases.moves_b)]
    return swept.swept_rows(shapes, cases.pairs, cases.a, ways[0], cases.b, ways[1], t_max, with_contact)


QUERIES = {
    "manifold": Query(batched, partial(_manifolds, EXACT)),
    "manifold, box2d": Query(batched, partial(_manifolds, BOX2D)),
    "overlap": Query(batched, lambda shapes, cases: [batched.overlap_rows(shapes, cases.pairs, *_turned(cases)).astype(np.int64)]),
    "distance": Query(batched_distances, lambda shapes, cases: batched_distances.distance_rows(shapes, cases.pairs, cases.a, cases.b)),
    "swept": Query(swept, _swept),
    "impact": Query(time_of_impact, partial(_impacts, False)),
    "impact, box2d": Query(time_of_impact, partial(_impacts, True)),
}
MOVING = ("swept", "impact", "impact, box2d")
EACH = pytest.mark.parametrize("name", QUERIES)


def assert_same(name, shapes, cases, monkeypatch):
    """Compare all columns; return those of the scalar kernel."""
    scalar, wide = QUERIES[name].both(shapes, cases, monkeypatch)
    assert_same_bits([f"{name}, column {k}" for k in range(len(scalar))], wide, scalar)
    return scalar


def motions(rng, n_shapes, n, spin=3.0, off_center=0.0):
    """Poses within 3 m of the origin and 3 rad, with displacements of up to 4 m and `spin` radians."""
    a, b = rng.uniform(-3.0, 3.0, (2, n, 3))
    moves_a, moves_b = rng.uniform(-4.0, 4.0, (2, n, 3)) * (1.0, 1.0, spin / 4.0)
    centers = off_center * rng.uniform(-1.0, 1.0, (2, n, 2))
    return Cases(rng.integers(0, n_shapes, (n, 2)), a, b, moves_a, moves_b, *centers)


def at_rest(pairs, a, b):
    zero, centers = np.zeros((len(pairs), 3)), np.zeros((len(pairs), 2))
    return Cases(np.array(pairs), np.array(a), np.array(b), zero, zero, centers, centers)


@EACH
@pytest.mark.parametrize(("skin", "spin", "off_center"), [(0.0, 0.0, 0.0), (0.01, 3.0, 0.0), (0.3, 30.0, 0.5)])
def test_answers_match_the_scalar_ones_to_the_bit(name, skin, spin, off_center, monkeypatch):
    if name in MOVING:
        rng = np.random.default_rng(3)
        shapes, cases = random_shapes(rng, 200), motions(rng, 200, N_PAIRS, spin, off_center)
    else:
        chunk = case_chunk(1, 0, N_PAIRS)
        shapes, cases = chunk.shapes, at_rest(chunk.pairs, chunk.poses_a, chunk.poses_b)
    packed = pack([Polygon(s.vertices, skin) if isinstance(s, Polygon) else s for s in shapes])
    first, *_ = assert_same(name, packed, cases, monkeypatch)
    expected = {Status.HIT, Status.MISS, Status.OVERLAPPING} if name in MOVING else {1}
    if COMPILED and name != "distance":
        assert expected <= set(first.tolist())


@EACH
def test_exact_touches_and_coincident_shapes(name, monkeypatch):
    """A grid of offsets and motions along the axes, at which edges, corners, rims and centers coincide exactly; some pairs are at rest."""
    shapes = [
        Polygon.box(0.5, 0.5),
        Polygon([(0, 0), (1, 0), (0, 1)]),
        Circle(0.5),
        Polygon.regular(16, 0.5),
        Capsule((-0.5, 0), (0.5, 0), 0.5),
    ]
    steps = [-1.0, -0.5, 0.0, 0.5, 1.0] if COMPILED else [0.0, 1.0]
    kinds = range(5) if COMPILED or name not in MOVING else range(2)
    grid = np.array([(a, b, x, y, turn) for a in kinds for b in kinds for x in steps for y in steps for turn in (0.0, np.pi / 4)])
    pairs, b = grid[:, :2].astype(np.int64), grid[:, 2:] * ((2.0, 2.0, 1.0) if name in MOVING else 1.0)
    cases = at_rest(pairs, np.zeros_like(b), b)
    for way in ((-1.0, -1.0), (-1.0, 0.0), (0.0, 0.0)) if name in MOVING else ((0.0, 0.0),):
        moves = 2.0 * b * (*way, 0.0)
        columns = assert_same(name, pack(shapes), cases._replace(moves_b=moves), monkeypatch)
    if name == "distance":
        assert Status.TOUCHING in columns[0]


@EACH
@pytest.mark.parametrize("n", [1, 48, 63, 64, 65, 130, 600])
def test_any_number_of_pairs_fills_exactly_its_rows(name, n, monkeypatch):
    """Lanes leave kinds, sizes and angles to the scalar kernel, and the last few pairs."""
    if not COMPILED and n != 65:
        pytest.skip("slow without a compiler")
    rng = np.random.default_rng(8)
    shapes = WIDE if not name.endswith("box2d") else [shape for shape in WIDE if not isinstance(shape, Capsule | Segment)]
    cases = motions(rng, len(shapes), n)
    cases.a[::7, 2] *= 1e9
    cases.moves_b[::5, 2] += 2.0 * MAX_TURNED if name in MOVING and COMPILED else 0.0
    assert_same(name, pack(shapes), cases, monkeypatch)


@pytest.mark.parametrize("name", ["overlap", "distance"])
@pytest.mark.parametrize("size", [1e-60, 1e-3, 1.0, 1e6, 1e80, 1e160])
def test_all_sizes(name, size, monkeypatch):
    """Also sizes whose squares, or products of squares, overflow or underflow float64."""
    rng, n, shapes = np.random.default_rng(3), 1500 if COMPILED else 100, pack(WIDE)
    for field in ("vertices", "radius", "extent", "skin"):
        getattr(shapes, field)[...] *= size
    shapes.records[:, :HEAD] *= size
    shapes.records[:, HEAD : HEAD + 4 * SLOTS].reshape(len(WIDE), -1, 4, SLOT_GROUP)[:, :, :2] *= size  # then come normals
    a, b = rng.uniform(-1.5, 1.5, (2, n, 3)) * (size, size, 1.0)
    assert_same(name, shapes, at_rest(rng.integers(0, len(WIDE), (n, 2)), a, b), monkeypatch)


@pytest.mark.parametrize("name", ["overlap", "distance"])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_contacts_far_from_the_origin_and_within_rounding(name, far, monkeypatch):
    """Circles and boxes within a few rounding errors of contact, on either side of it, near the origin and a thousand kilometers away."""
    rng, n = np.random.default_rng(4), 3000 if COMPILED else 100
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    apart = 2.0 * (1.0 + rng.integers(-40, 40, n) * np.finfo(np.float64).eps * max(1.0, far))
    a, b = np.tile((far, far, 0.0), (n, 1)), np.column_stack((far + apart * np.cos(angle), far + apart * np.sin(angle), angle))
    cases = at_rest(rng.integers(0, 3, (n, 2)), a, b)
    assert_same(name, pack([Circle(1.0), Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0)]), cases, monkeypatch)


@pytest.mark.parametrize("name", ["impact", "impact, box2d"])
@pytest.mark.parametrize("far", [1e100, 1e160, 1e200, 1e300])
def test_positions_whose_squares_overflow(name, far, monkeypatch):
    rng = np.random.default_rng(9)
    cases = motions(rng, 60, 131)
    cases.a[:, 0] *= far
    assert_same(name, pack(random_shapes(rng, 60)), cases, monkeypatch)


@pytest.mark.parametrize("t_max", [0.0, 0.4])
@pytest.mark.parametrize("rows", [partial(_impacts, False), _swept], ids=["impact", "swept"])
def test_a_part_of_the_motion(rows, t_max, monkeypatch):
    rng = np.random.default_rng(9)
    shapes, cases = pack(random_shapes(rng, 50)), motions(rng, 50, N_PAIRS)
    query = Query(swept if rows is _swept else time_of_impact, partial(rows, t_max=t_max))
    scalar, wide = query.both(shapes, cases, monkeypatch)
    assert_same_bits("012", wide, scalar)


def test_nearly_parallel_edges(monkeypatch):
    """B's left corner lands on A's top face, next to its left end, at 1e-14 to 1e-9 rad: rounding decides which edge closes last."""
    rng = np.random.default_rng(11)
    reach, pairs, tilt = np.array([0.5, 2.0]), rng.integers(0, 2, (N_PAIRS, 2)), 10.0 ** rng.uniform(-14.0, -9.0, N_PAIRS)
    x = reach[pairs[:, 1]] - reach[pairs[:, 0]] + 10.0 ** rng.uniform(-12.0, -1.0, N_PAIRS) - 0.5 * tilt
    cases = at_rest(pairs, np.zeros((N_PAIRS, 3)), np.column_stack((x, np.full(N_PAIRS, 1.5), tilt)))
    cases = cases._replace(moves_b=np.tile((0.0, -1.0, 0.0), (N_PAIRS, 1)))
    status, counts, results = assert_same("swept", pack([Polygon.box(0.5, 0.5), Polygon.box(2.0, 0.5)]), cases, monkeypatch)
    assert (status == Status.HIT).all()
    corner = x - reach[pairs[:, 1]] * np.cos(tilt) + 0.5 * np.sin(tilt)
    ends = np.where(counts[:, None] == 2, results[:, [6, 8]], results[:, [4, 4]])
    rounding = 4.0 * _swept_simd_kernel.SAT_ROUNDING * (np.abs(x) + 1.5 + 2.0 * np.hypot(2.0, 0.5))  # derived in test_rational_motion
    assert (np.abs(ends - corner[:, None]).min(axis=1) <= rounding).all()


def test_angles_and_bodies_give_the_same_manifolds(monkeypatch):
    """Poses as angles, some too large for the lanes; and pairs of bodies, each with its shape and pose; including normals."""
    shapes = pack([Polygon.regular(n, 1.0) for n in (3, 4, 7, 9, 16)] + [Circle(0.5)])
    rng, n = np.random.default_rng(9), 2000 if COMPILED else 80
    which, poses, pairs = rng.integers(0, 6, 300), rng.uniform(-2.0, 2.0, (300, 3)), rng.integers(0, 300, (n, 2))
    poses[::40, 2] = 1e9
    cases = at_rest(which[pairs], poses[pairs[:, 0]], poses[pairs[:, 1]])
    for rule, name in ((EXACT, "manifold"), (BOX2D, "manifold, box2d")):
        scalar = QUERIES[name].by(shapes, cases, False, monkeypatch)
        normals = np.where(scalar[0][:, None] > 0, scalar[3][:, :2], 0.0)
        monkeypatch.setattr(batched, "has_wide_registers", lambda: True)
        with np.errstate(all="ignore"):
            of_angles = batched.manifolds(shapes, cases.pairs, cases.a, cases.b, rule)
            of_bodies = batched.manifolds_of_bodies(shapes, which, batched.poses_with_rotation(poses), pairs, rule)
        for rows, its_normals in (of_angles, of_bodies):
            assert_same_bits(batched.ManifoldRows.__slots__, rows.arrays, scalar)
            assert its_normals.tobytes() == normals.tobytes()


def test_swept_times_without_contacts_are_the_same(monkeypatch):
    rng = np.random.default_rng(9)
    shapes, cases = pack(random_shapes(rng, 50)), motions(rng, 50, N_PAIRS)
    complete, times = (Query(swept, partial(_swept, with_contact=how)).by(shapes, cases, True, monkeypatch) for how in (True, False))
    assert (complete[0] == times[0]).all() and (complete[2][:, : times[2].shape[1]] == times[2]).all()


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("name", ["manifold", "distance", "swept", "impact"])
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("pairs", 20, "pairs"),
        ("pairs", -1, "pairs"),
        ("a", np.nan, r"_a\[70\]"),
        ("b", -np.inf, r"_b\[70\]"),
        ("moves_b", np.inf, r"_b\[70\]"),
    ],
)
def test_wrong_indices_and_numbers_are_named(name, field, value, message, is_wide, monkeypatch):
    """SIMD kernels have no prior validation: they skip unsupported input, which is then checked."""
    if field.startswith("moves") and name not in MOVING:
        pytest.skip("it does not move")
    rng = np.random.default_rng(13)
    shapes, cases = pack(random_shapes(rng, 20)), motions(rng, 20, 100)
    getattr(cases, field)[70, 1] = value
    query = (
        QUERIES[name]
        if name != "manifold"
        else Query(batched, lambda shapes, c: batched.manifolds(shapes, c.pairs, c.a, c.b, EXACT)[0].arrays)
    )
    with pytest.raises(InvalidInputError, match=message):
        query.by(shapes, cases, is_wide, monkeypatch)


def _block_arguments():
    """Return, by module and block kernel, its argument types, and whether it counts references."""
    numbers, rows, pairs, poses = np.empty(0), np.empty(0, dtype=np.int64), np.empty((0, 2), dtype=np.int64), np.empty((0, 3))
    block, packed = Block(numbers, numbers, numbers, rows), pack([Circle(1.0)]).arrays
    of_manifold = _manifold_simd_kernel._Query(
        rows, rows, numbers, rows, pairs, numbers, numbers, 3, EXACT, batched._empty_rows(0).arrays, np.empty((0, 2)), False
    )  # fmt: skip
    of_overlap = _overlap_simd_kernel._Query(rows, rows, numbers, pairs, numbers, numbers, rows)
    of_distance = _distance_simd_kernel._Query(packed, *(numbers,) * 3, pairs, poses, poses, rows, rows, np.empty((0, 7)))
    yield _manifold_simd_kernel, "_polygons_block", (block, rows, 4, 4, of_manifold, rows, 0), False
    yield _manifold_simd_kernel, "_polygon_circle_block", (block, rows, 4, False, of_manifold, rows, 0), False
    yield _manifold_simd_kernel, "_circles_block", (block, rows, of_manifold, rows, 0), False
    yield _overlap_simd_kernel, "_polygons_block", (block, rows, 4, 4, of_overlap, rows, 0), False
    yield _overlap_simd_kernel, "_circles_block", (block, rows, 1, 4, 4, of_overlap, rows, 0), False
    yield _distance_simd_kernel, "_search", (_distance_simd_kernel._Block(numbers, rows), rows, 0, 0, 0, of_distance, rows, 0), True


LEAST = [(3, 200), (1, 100), (1, 80), (0, 100), (2, 150), (5, 150)]
"""Divisions and products of vectors in these kernels: a loop that fell back has `vdivsd` alone."""


@pytest.mark.slow  # it compiles without the cache
@needs_registers
@pytest.mark.parametrize("number", range(len(LEAST)))
def test_the_loops_of_blocks_are_vectorized(number):
    module, name, arguments, counts = list(_block_arguments())[number]
    packed = vector_instructions(getattr(module, name), map(typeof, arguments), **({} if counts else {"_nrt": False}))
    assert packed["vdivpd"] >= LEAST[number][0] and packed["vmulpd"] >= LEAST[number][1], packed


@pytest.mark.slow
@needs_registers
@pytest.mark.parametrize(
    ("kernel", "n_arrays", "n_sizes", "more", "divisions", "products"),
    [(_swept_simd_kernel._find_times, 3, 2, (float64,), 8, 300), (_advancement_simd_kernel.step_polygons, 4, 2, (), 8, 350),
     (_advancement_simd_kernel.step_circles, 4, 1, (), 12, 220)],
)  # fmt: skip
def test_the_loops_of_motions_are_vectorized(kernel, n_arrays, n_sizes, more, divisions, products):
    packed = vector_instructions(kernel, (*(float64[::1],) * n_arrays, int64[::1], *(int64,) * n_sizes, *more))
    assert packed["vdivpd"] >= divisions and packed["vmulpd"] >= products and packed["vgatherqpd"] == 0, packed
