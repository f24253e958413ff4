"""The SIMD kernel of times of impact: the scalar kernel's answers to the bit, true ones, and still in the machine's wide registers."""

import numpy as np
import pytest
from numba import float64, int64

from engine.compare.cases import random_shapes
from engine.continuous import _advancement_simd_kernel as simd
from engine.continuous import time_of_impact
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.geometry.rotation import MAX_TURNED
from engine.narrowphase.packing import pack
from engine.query import batch
from tests.simd import COMPILED, assert_same_bits, needs_registers, vector_instructions

N_PAIRS = 6000 if COMPILED else 200
TARGETS = pytest.mark.parametrize("is_box2d", [False, True])


def sweeps(rng, n_shapes, n, spin=3.0, off_center=0.0):
    """Pairs and their motions: from within 3 m of the origin, by up to 4 m and `spin` radians."""
    starts = np.column_stack((rng.uniform(-3.0, 3.0, (2 * n, 2)), rng.uniform(-3.0, 3.0, 2 * n)))
    ends = starts + np.column_stack((rng.uniform(-4.0, 4.0, (2 * n, 2)), rng.uniform(-spin, spin, 2 * n)))
    centers = off_center * rng.uniform(-1.0, 1.0, (2 * n, 2))
    return rng.integers(0, n_shapes, (n, 2)), starts[:n], ends[:n], centers[:n], starts[n:], ends[n:], centers[n:]


def rows_by(shapes, motions, is_box2d, is_simd, monkeypatch, t_max=1.0):
    monkeypatch.setattr(time_of_impact, "has_wide_registers", lambda: is_simd)
    with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
        pairs, *sweep_rows = (column.copy() for column in motions)
        return time_of_impact.impact_rows(shapes, pairs, tuple(sweep_rows), t_max, time_of_impact.ADVANCEMENT, is_box2d)


def assert_same(shapes, motions, is_box2d, monkeypatch, t_max=1.0):
    scalar, wide = (rows_by(shapes, motions, is_box2d, how, monkeypatch, t_max) for how in (False, True))
    names = ("status", "fraction", "iterations")
    assert_same_bits(names, *([getattr(rows, name) for name in names] for rows in (wide, scalar)))
    return scalar


@TARGETS
@pytest.mark.parametrize("skin", [0.0, 0.01, 0.1])
@pytest.mark.parametrize(("spin", "off_center"), [(0.0, 0.0), (3.0, 0.0), (30.0, 0.5)])
def test_the_scalar_answers_to_the_bit(is_box2d, skin, spin, off_center, monkeypatch):
    rng = np.random.default_rng(3)
    shapes = pack([Polygon(s.vertices, skin) if isinstance(s, Polygon) else s for s in random_shapes(rng, 200)])
    found = assert_same(shapes, sweeps(rng, 200, N_PAIRS, spin, off_center), is_box2d, monkeypatch)
    if COMPILED:
        assert {Status.HIT, Status.MISS, Status.OVERLAPPING} <= set(found.status.tolist())


@TARGETS
def test_corners_that_meet_and_faces_that_lie_flat(is_box2d, monkeypatch):
    """Straight motions on a grid: the distance is that of two corners, faces are parallel, centers coincide."""
    shapes = pack([Polygon.box(0.5, 0.5), Polygon([(0, 0), (1, 0), (0, 1)]), Circle(0.5), Polygon.regular(16, 0.5)])
    steps = [-2.0, -1.0, 0.0, 1.0, 2.0] if COMPILED else [0.0, 2.0]
    grid = [(a, b, x, y, turn) for a in range(4) for b in range(4) for x in steps for y in steps for turn in (0.0, np.pi / 4)]
    pairs, start = np.array([row[:2] for row in grid]), np.array([row[2:] for row in grid])
    still, origin = np.zeros_like(start), np.zeros((len(grid), 2))
    motions = (pairs, still, still, origin, start, start * (-1.0, -1.0, 1.0), origin)
    assert_same(shapes, motions, is_box2d, monkeypatch)


def test_what_it_cannot_take_goes_to_the_scalar_kernel(monkeypatch):
    shapes = pack([Polygon.regular(40, 1.0), Polygon.box(1.0, 1.0), Capsule((-1, 0), (1, 0), 0.2), Segment((-1, 0), (1, 0)), Circle(1.0)])
    motions = sweeps(np.random.default_rng(7), 5, 400 if COMPILED else 60)
    motions[2][::7, 2] += 2.0 * MAX_TURNED  # an angle that the polynomials do not take: it gives up
    motions[2][::7, :2] = motions[1][::7, :2]
    if not COMPILED:
        motions[2][:, 2] = motions[1][:, 2]
    assert_same(shapes, motions, False, monkeypatch)


@TARGETS
@pytest.mark.parametrize("far", [1e100, 1e160, 1e200, 1e300])
def test_places_so_far_that_their_squares_overflow(far, is_box2d, monkeypatch):
    rng = np.random.default_rng(9)
    pairs, *motions = sweeps(rng, 60, 131)
    for column in (motions[0], motions[1]):
        column[:, 0] *= far
    assert_same(pack(random_shapes(rng, 60)), (pairs, *motions), is_box2d, monkeypatch)


@pytest.mark.parametrize("t_max", [0.0, 0.4])
def test_a_part_of_the_sweep(t_max, monkeypatch):
    rng = np.random.default_rng(9)
    found = assert_same(pack(random_shapes(rng, 50)), sweeps(rng, 50, N_PAIRS), False, monkeypatch, t_max)
    assert found.fraction.max() <= t_max


def test_any_number_of_pairs_fills_its_rows_and_no_other(monkeypatch):
    shapes = pack([Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0), Circle(1.0)])
    rng = np.random.default_rng(8)
    for n in (48, 63, 64, 65, 130) if COMPILED else (65,):
        assert_same(shapes, sweeps(rng, 3, n), False, monkeypatch)


@pytest.mark.parametrize("off_center", [0.0, 0.5])
def test_never_late_and_nothing_missed(off_center):
    """Overlap at 100 moments of each sweep, by the separating axis test; the first one found is brought back by bisection."""
    rng = np.random.default_rng(12)
    n, moments = (8000, 100) if COMPILED else (20, 30)
    shapes = batch.ShapeBatch(random_shapes(rng, 200))
    pairs, start_a, end_a, center_a, start_b, end_b, center_b = sweeps(rng, 200, n, 3.0, off_center)
    found = batch.time_of_impact(shapes, pairs, start_a, end_a, start_b, end_b, center_a=center_a, center_b=center_b)

    def pose(start, end, center, t):
        """The poses at fractions t: the center moves straight, the angle evenly."""
        t = t[:, None]

        def turned(angle):
            cos, sin = np.cos(angle), np.sin(angle)
            return np.column_stack((cos * center[:, 0] - sin * center[:, 1], sin * center[:, 0] + cos * center[:, 1]))

        angle = ((1.0 - t) * start[:, 2:] + t * end[:, 2:])[:, 0]
        middle = (1.0 - t) * (start[:, :2] + turned(start[:, 2])) + t * (end[:, :2] + turned(end[:, 2]))
        return np.column_stack((middle - turned(angle), angle))

    def overlaps(t):
        return batch.overlap(shapes, pairs, pose(start_a, end_a, center_a, t), pose(start_b, end_b, center_b, t))

    apart, touching = np.zeros(n), np.full(n, np.inf)
    for moment in np.linspace(0.0, 1.0, moments):
        now = overlaps(np.full(n, moment)) & np.isinf(touching)
        touching[now] = moment
        apart[np.isinf(touching)] = moment
    for _ in range(40):
        middle = 0.5 * (apart + np.where(np.isinf(touching), 1.0, touching))
        now = overlaps(middle)
        touching, apart = np.where(now & np.isfinite(touching), middle, touching), np.where(now, apart, middle)
    seen = np.isfinite(touching)
    assert seen.sum() > n // 20
    assert not (seen & (found.status == Status.MISS)).any()
    assert set(found.status.tolist()) <= {Status.HIT, Status.MISS, Status.OVERLAPPING}
    assert (found.fraction[seen] <= touching[seen]).all()


@pytest.mark.slow  # it compiles without the cache
@needs_registers
@pytest.mark.parametrize(("kernel", "n_sizes", "divisions", "products"), [("step_polygons", 2, 8, 350), ("step_circles", 1, 12, 220)])
def test_the_loops_are_still_vectorized(kernel, n_sizes, divisions, products):
    packed = vector_instructions(getattr(simd, kernel), (*(float64[::1],) * 4, int64[::1], *(int64,) * n_sizes))
    assert packed["vdivpd"] >= divisions and packed["vsqrtpd"] >= 1 and packed["vmulpd"] >= products, packed
