"""Swept contact in lanes: the scalar form's answers to the bit, and still in the machine's wide registers."""

import os
import re

import numpy as np
import pytest

from engine.common.jit import has_wide_registers
from engine.compare.cases import random_shapes
from engine.continuous import _swept_lanes_kernel as lanes
from engine.continuous import swept
from engine.continuous._swept_kernel import TIMES_SIZE
from engine.contracts import Status
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.narrowphase.packing import pack
from engine.query import batch

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
N_PAIRS = 6000 if COMPILED else 200


def motions(rng, n_shapes, n):
    """Pairs, poses x, y, cos, sin within 3 m of the origin, and velocities up to 4 m/s."""
    angles = rng.uniform(-3.0, 3.0, (2, n))
    poses_a, poses_b = (np.column_stack((rng.uniform(-3.0, 3.0, (n, 2)), np.cos(one), np.sin(one))) for one in angles)
    velocities_a, velocities_b = rng.uniform(-4.0, 4.0, (2, n, 2))
    return rng.integers(0, n_shapes, (n, 2)), poses_a, velocities_a, poses_b, velocities_b


def rows_by(shapes, given, in_lanes, monkeypatch, with_contact=True, t_max=1.0):
    monkeypatch.setattr(swept, "has_wide_registers", lambda: in_lanes)
    with np.errstate(all="ignore"):  # without a compiler, both sides of a choice are computed and NumPy says so
        return tuple(column.copy() for column in swept.swept_rows(shapes, *(one.copy() for one in given), t_max, with_contact))


def assert_same_bits(shapes, given, monkeypatch):
    scalar, wide = (rows_by(shapes, given, how, monkeypatch) for how in (False, True))
    for name, ours, theirs in zip(("status", "counts", "results"), wide, scalar, strict=True):
        differ = np.flatnonzero((ours.view(np.int64) != theirs.view(np.int64)).reshape(len(ours), -1).any(axis=1))
        assert len(differ) == 0, f"{name} differs in rows {differ[:5].tolist()}"
    return scalar[0]


@pytest.mark.parametrize("seed", [1, 2])
def test_lanes_give_the_scalar_answers_to_the_bit(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    status = assert_same_bits(pack(random_shapes(rng, 200)), motions(rng, 200, N_PAIRS), monkeypatch)
    assert {Status.HIT, Status.MISS, Status.OVERLAPPING} <= set(status.tolist())


def test_flat_faces_grazes_and_no_motion(monkeypatch):
    """A grid of offsets and velocities along the axes: edges that slide on each other, corners that meet, pairs that stand still."""
    shapes = pack([Polygon.box(0.5, 0.5), Polygon([(0, 0), (1, 0), (0, 1)]), Polygon.regular(16, 0.5)])
    steps, ways = ([-2.0, -1.0, 0.0, 1.0, 2.0], [-1.0, 0.0, 1.0]) if COMPILED else ([0.0, 2.0], [-1.0, 0.0])
    grid = [(a, b, x, y, vx, vy) for a in range(3) for b in range(3) for x in steps for y in steps for vx in ways for vy in ways]
    table = np.array(grid)
    here, rest = np.tile((0.0, 0.0, 1.0, 0.0), (len(grid), 1)), np.zeros((len(grid), 2))
    there = np.column_stack((table[:, 2:4], np.ones(len(grid)), np.zeros(len(grid))))
    assert_same_bits(shapes, (table[:, :2].astype(np.int64), here, rest, there, table[:, 4:6]), monkeypatch)


def test_what_lanes_cannot_take_goes_to_the_scalar_kernel(monkeypatch):
    shapes = pack([
        Polygon.regular(40, 1.0), Polygon.box(1.0, 1.0), Polygon.box(1.0, 1.0, skin_radius=0.1), Capsule((-1, 0), (1, 0), 0.2),
        Segment((-1, 0), (1, 0)), Circle(1.0),
    ])  # fmt: skip
    assert_same_bits(shapes, motions(np.random.default_rng(7), 6, 600 if COMPILED else 80), monkeypatch)


def test_any_number_of_pairs_fills_its_rows_and_no_other(monkeypatch):
    shapes = pack([Polygon.box(1.0, 1.0), Polygon.regular(7, 1.0), Circle(1.0)])
    rng = np.random.default_rng(8)
    for n in (48, 63, 64, 65, 130) if COMPILED else (65,):
        assert_same_bits(shapes, motions(rng, 3, n), monkeypatch)


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


@pytest.mark.skipif(not has_wide_registers(), reason="no AVX2, or kernels are not compiled")
def test_the_loops_are_still_vectorised():
    """A small edit can lose a factor of three without changing an answer; it would show here as scalar instructions only."""
    import numba

    again = numba.njit(error_model="numpy")(lanes._swept_block.py_func)
    numbers, whole = numba.types.Array(numba.types.float64, 1, "C"), numba.types.Array(numba.types.int64, 1, "C")
    again.compile((*(numbers,) * 4, whole, numba.types.int64, numba.types.int64, numba.types.float64, numba.types.boolean))
    (assembly,) = again.inspect_asm().values()
    packed = {name: len(re.findall(rf"\b{name}\b[^\n]*%[yz]mm", assembly)) for name in ("vdivpd", "vmulpd")}
    print(packed)
    assert packed["vdivpd"] >= 6
    assert packed["vmulpd"] >= 330
