"""The SIMD kernel of swept contact: the scalar kernel's answers to the bit, and still in the machine's wide registers."""

import numpy as np
import pytest
from numba import float64, int64

from engine.common.errors import InvalidInputError
from engine.common.tolerances import SAT_ROUNDING
from engine.compare.cases import random_shapes
from engine.continuous import _swept_simd_kernel as simd
from engine.continuous import swept
from engine.continuous._swept_kernel import TIMES_SIZE
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.narrowphase.packing import pack
from engine.query import batch
from tests.simd import COMPILED, assert_same_bits, needs_registers, vector_instructions

N_PAIRS = 6000 if COMPILED else 200


def motions(rng, n_shapes, n):
    """Pairs, poses x, y, angle within 3 m of the origin and 3 rad, and velocities up to 4 m/s."""
    poses_a, poses_b = rng.uniform(-3.0, 3.0, (2, n, 3))
    velocities_a, velocities_b = rng.uniform(-4.0, 4.0, (2, n, 2))
    return rng.integers(0, n_shapes, (n, 2)), poses_a, velocities_a, poses_b, velocities_b


def rows_by(shapes, given, is_simd, monkeypatch, with_contact=True, t_max=1.0):
    monkeypatch.setattr(swept, "has_wide_registers", lambda: is_simd)
    with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
        return tuple(column.copy() for column in swept.swept_rows(shapes, *(one.copy() for one in given), t_max, with_contact))


def assert_same(shapes, given, monkeypatch):
    scalar, wide = (rows_by(shapes, given, how, monkeypatch) for how in (False, True))
    assert_same_bits(("status", "counts", "results"), wide, scalar)
    return scalar[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_scalar_answers_to_the_bit(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    status = assert_same(pack(random_shapes(rng, 200)), motions(rng, 200, N_PAIRS), monkeypatch)
    assert {Status.HIT, Status.MISS, Status.OVERLAPPING} <= set(status.tolist())


def test_flat_faces_grazes_and_no_motion(monkeypatch):
    """A grid of offsets and velocities along the axes: edges that slide on each other, corners that meet, pairs that stand still."""
    shapes = pack([Polygon.box(0.5, 0.5), Polygon([(0, 0), (1, 0), (0, 1)]), Polygon.regular(16, 0.5)])
    steps, ways = ([-2.0, -1.0, 0.0, 1.0, 2.0], [-1.0, 0.0, 1.0]) if COMPILED else ([0.0, 2.0], [-1.0, 0.0])
    grid = [(a, b, x, y, vx, vy) for a in range(3) for b in range(3) for x in steps for y in steps for vx in ways for vy in ways]
    table = np.array(grid)
    here, rest = np.zeros((len(grid), 3)), np.zeros((len(grid), 2))
    there = np.column_stack((table[:, 2:4], np.zeros(len(grid))))
    assert_same(shapes, (table[:, :2].astype(np.int64), here, rest, there, table[:, 4:6]), monkeypatch)


def test_nearly_parallel_edges(monkeypatch):
    """B's left corner comes down on A's top face, beside its left end, at 1e-14 to 1e-9 rad: rounding decides which edge closes last."""
    rng = np.random.default_rng(11)
    shapes, reach = pack([Polygon.box(0.5, 0.5), Polygon.box(2.0, 0.5)]), np.array([0.5, 2.0])
    pairs, rest = rng.integers(0, 2, (N_PAIRS, 2)), np.zeros((N_PAIRS, 3))
    tilt = 10.0 ** rng.uniform(-14.0, -9.0, N_PAIRS)
    x = reach[pairs[:, 1]] - reach[pairs[:, 0]] + 10.0 ** rng.uniform(-12.0, -1.0, N_PAIRS) - 0.5 * tilt
    there = np.column_stack((x, np.full(N_PAIRS, 1.5), tilt))
    given = pairs, rest, rest[:, :2].copy(), there, np.tile((0.0, -1.0), (N_PAIRS, 1))
    assert (assert_same(shapes, given, monkeypatch) == Status.HIT).all()
    _, counts, results = rows_by(shapes, given, True, monkeypatch)
    corner = x - reach[pairs[:, 1]] * np.cos(tilt) + 0.5 * np.sin(tilt)
    ends = np.where(counts[:, None] == 2, results[:, [6, 8]], results[:, [4, 4]])
    rounding = 4.0 * SAT_ROUNDING * (np.abs(x) + 1.5 + 2.0 * np.hypot(2.0, 0.5))  # as for a contact set: derived in test_rational_motion
    assert (np.abs(ends - corner[:, None]).min(axis=1) <= rounding).all()


def test_what_it_cannot_take_goes_to_the_scalar_kernel(monkeypatch):
    shapes = pack([
        Polygon.regular(40, 1.0), Polygon.box(1.0, 1.0), Polygon.box(1.0, 1.0, skin_radius=0.1), Capsule((-1, 0), (1, 0), 0.2),
        Segment((-1, 0), (1, 0)), Circle(1.0),
    ])  # fmt: skip
    assert_same(shapes, motions(np.random.default_rng(7), 6, 600 if COMPILED else 80), monkeypatch)


def test_any_number_of_pairs_fills_its_rows_and_no_other(monkeypatch):
    shapes = pack([Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0), Circle(1.0)])
    rng = np.random.default_rng(8)
    for n in (48, 63, 64, 65, 130) if COMPILED else (65,):
        assert_same(shapes, motions(rng, 3, n), monkeypatch)


def test_angles_too_large_for_the_vectors(monkeypatch):
    rng = np.random.default_rng(12)
    pairs, poses_a, velocities_a, poses_b, velocities_b = motions(rng, 20, 100)
    poses_a[::7, 2] *= 1e6
    poses_b[::5, 2] *= 1e12
    assert_same(pack(random_shapes(rng, 20)), (pairs, poses_a, velocities_a, poses_b, velocities_b), monkeypatch)


@pytest.mark.parametrize("is_simd", [False, True])
@pytest.mark.parametrize(
    ("which", "field", "value"),
    [(0, "pairs", 20), (0, "pairs", -1), (1, "xf_a", np.nan), (2, "velocity_a", np.inf), (3, "xf_b", -np.inf), (4, "velocity_b", np.nan)],
)
def test_what_is_no_number_or_no_shape_is_refused(which, field, value, is_simd, monkeypatch):
    rng = np.random.default_rng(13)
    shapes, given = pack(random_shapes(rng, 20)), motions(rng, 20, 100)
    given[which][70, 1] = value
    with pytest.raises(InvalidInputError, match=field):
        rows_by(shapes, given, is_simd, monkeypatch)


def test_times_alone_are_the_same(monkeypatch):
    rng = np.random.default_rng(9)
    shapes, given = pack(random_shapes(rng, 50)), motions(rng, 50, N_PAIRS)
    whole, times = (rows_by(shapes, given, True, monkeypatch, how) for how in (True, False))
    assert (whole[0] == times[0]).all()
    assert (whole[2][:, :TIMES_SIZE] == times[2][:, :TIMES_SIZE]).all()


def test_the_batch_without_contacts():
    rng = np.random.default_rng(10)
    shapes = batch.ShapeBatch(random_shapes(rng, 30))
    pairs, (start_a, start_b) = rng.integers(0, 30, (100, 2)), rng.uniform(-3.0, 3.0, (2, 100, 3))
    moves = rng.uniform(-4.0, 4.0, (2, 100, 2))
    whole = batch.swept_contact(shapes, pairs, start_a, moves[0], start_b, moves[1], 1.0)
    times = batch.swept_contact(shapes, pairs, start_a, moves[0], start_b, moves[1], 1.0, with_contact=False)
    assert times.t_first.tolist() == whole.t_first.tolist() and times.normal.tolist() == whole.normal.tolist()
    assert times.point.shape == (0, 2) and times.contact_count.shape == (0,) and times.contact.shape == (0, 2, 2)
    past = np.arange(2) >= whole.contact_count[:, None]
    assert (whole.contact[past] == 0.0).all() and whole.contact.any()


@pytest.mark.slow  # it compiles without the cache
@needs_registers
def test_the_loops_are_still_vectorized():
    packed = vector_instructions(simd._find_times, (*(float64[::1],) * 3, int64[::1], int64, int64, float64))
    assert packed["vdivpd"] >= 8 and packed["vmulpd"] >= 300 and packed["vgatherqpd"] == 0, packed
