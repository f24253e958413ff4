"""A lower bound on the distance of moving shapes is proved if and only if it is true."""

import math

import numpy as np
import pytest

from engine.box2d.oracle.held import round_pose
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.compare.cases import MotionChunk
from engine.compare.proofs.approach import clearances, core_gaps
from engine.compare.queries import moving_pairs
from engine.geometry import Circle, Polygon
from engine.narrowphase.packing import pack

BOX = Polygon([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)], BOX2D_POLYGON_SKIN)


def moving(start_b, end_b, b=BOX, end_a=(0.0, 0.0, 0.0)):
    poses = (round_pose(np.array([pose])) for pose in ((0.0, 0.0, 0.0), end_a, start_b, end_b))
    return moving_pairs(pack((BOX, b)), MotionChunk(np.array([[0, 1]]), *poses, np.zeros(1, dtype=np.int64), np.full(1, -1)))


def proved(pair, floor, since=0.0, until=1.0):
    return clearances(pair, np.array([0]), np.array([since]), np.array([until]), np.array([floor]))


@pytest.mark.parametrize("gap", [0.25, 1.0])
def test_sliding_past_is_proved_up_to_the_gap_itself(gap):
    pair = moving((-3.0, 1.0 + gap, 0.0), (3.0, 1.0 + gap, 0.0))
    assert proved(pair, gap - 1e-9).is_proved[0]
    below = proved(pair, gap + 1e-6)
    assert not below.is_proved[0] and below.gap[0] < gap + 1e-6
    # where it is proved nothing below was met
    assert proved(pair, gap - 1e-9).gap[0] == math.inf


def test_a_dip_between_two_ends_is_found():
    # a box that turns by a quarter turns its corner towards us in between
    pair = moving((0.0, 1.2, 0.0), (0.0, 1.2, math.pi / 2))
    deepest = 1.2 - 0.5 - math.sqrt(0.5)
    assert proved(pair, deepest - 1e-6).is_proved[0]
    proof = proved(pair, deepest + 1e-6)
    assert not proof.is_proved[0]
    assert deepest - 1e-9 <= proof.gap[0] < deepest + 1e-6
    gap = core_gaps(pair, np.array([0]), proof.moment)[0]
    assert gap[0] == pytest.approx(proof.gap[0])


def test_only_the_requested_time_counts():
    pair = moving((0.0, 1.2, 0.0), (0.0, 1.2, math.pi / 2))
    assert proved(pair, 0.1, 0.0, 0.1).is_proved[0]
    assert not proved(pair, 0.1, 0.0, 0.9).is_proved[0]
    assert proved(pair, 0.19, 0.5, 0.5).gap[0] < 0.0  # a single moment, in which they overlap


@pytest.mark.parametrize("seed", range(4))
def test_proofs_hold_on_random_motions(seed):
    rng = np.random.default_rng(seed)
    for b in (BOX, Circle(0.4), Polygon.regular(3, 0.6, skin_radius=BOX2D_POLYGON_SKIN)):
        start, end = (0.0, 1.6, 0.0) + rng.uniform(-1.0, 1.0, 3), (0.0, 1.6, 0.0) + rng.uniform(-1.0, 1.0, 3) * (1.0, 1.0, 20.0)
        pair = moving(start, end, b, rng.uniform(-0.5, 0.5, 3))
        gaps = core_gaps(pair, np.zeros(2001, dtype=np.int64), np.linspace(0.0, 1.0, 2001))[0]
        lowest = gaps.min()
        if lowest <= 0.0:
            assert not proved(pair, 0.01).is_proved[0]
            continue
        assert proved(pair, 0.9 * lowest).is_proved[0]
        for share in (0.5, 0.9, 0.999, 1.0, 1.001):
            if proved(pair, share * lowest).is_proved[0]:
                assert (gaps >= share * lowest).all()
