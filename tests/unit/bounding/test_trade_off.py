"""The trade-off measurement: relations between the volumes of any outline, and the known result for a circle."""

import math

import numpy as np
import pytest

from benchmarks._trade_off import ALL_VOLUMES, REACH, mean_area, neighbors, trade_offs
from engine.bounding.kinds import KINDS, volume_name
from engine.bounding.outlines import outline_area
from engine.common.errors import InvalidShapeError
from engine.common.jit import is_compiling
from sprites.figure_outline import OUTLINE
from tests.unit.bounding.test_overlap import FRAME, STAR


@pytest.mark.slow
@pytest.mark.parametrize("rings", [(STAR,), FRAME, (OUTLINE,)], ids=["star", "frame", "figure"])
def test_invariants_of_any_outline(rings):
    trades = {trade.volume: trade for trade in trade_offs(rings, n_pairs=1_000 if is_compiling() else 60)}
    assert set(trades) == set(ALL_VOLUMES) and {kind for kind, _ in ALL_VOLUMES} == set(KINDS)
    assert all(trade.missed == 0 for trade in trades.values())
    hull = trades["hull", 0]
    for trade in trades.values():
        assert trade.area_ratio >= hull.area_ratio * (1.0 - 1e-12) and trade.false_rate >= hull.false_rate
        assert trade.false_per_hit == pytest.approx(trade.false_rate * (trade.n_pairs - trade.n_hits) / trade.n_hits)
    for tighter, looser in (
        (("kdop", 16), ("kdop", 8)),
        (("kdop", 32), ("kdop", 16)),
        (("kdop", 16), ("refitted_kdop", 16)),
        (("box", 0), ("refitted_box", 0)),
    ):
        assert trades[tighter].area_ratio <= trades[looser].area_ratio and trades[tighter].false_rate <= trades[looser].false_rate


def test_neighbors_are_uniformly_distributed_in_their_disc():
    """By area, the smallest circles overlap in 4 of 9 pairs; the share agrees within three standard deviations."""
    trade = trade_offs((STAR,), [("smallest_circle", 0)], n_pairs=20_000 if is_compiling() else 1_000)[0]
    says = trade.false_rate * (trade.n_pairs - trade.n_hits) + trade.n_hits
    share = 4.0 / REACH**2
    assert abs(says / trade.n_pairs - share) < 3.0 * math.sqrt(share * (1.0 - share) / trade.n_pairs)
    assert np.array_equal(neighbors(STAR, 50, 7), neighbors(STAR, 50, 7)) and not np.array_equal(
        neighbors(STAR, 50, 7), neighbors(STAR, 50, 8)
    )


def test_areas():
    assert outline_area(FRAME) == 1.75 and outline_area([*FRAME, 0.5 * STAR]) == pytest.approx(1.75 + 0.25 * outline_area([STAR]))
    square = FRAME[0]
    assert mean_area("refitted_box", square) == pytest.approx(4.0 * (1.0 + 2.0 / math.pi), rel=2e-3)
    assert mean_area("box", square) == pytest.approx(mean_area("refitted_box", square))
    assert [volume_name(volume) for volume in ALL_VOLUMES[-2:]] == ["32-DOP, rebuilt", "hull"]


def test_no_outline_is_rejected():
    for rings, words in (
        ([], "rings must be at least one"),
        ([[(0.0, 0.0), (1.0, 0.0)]], r"rings\[0\] must be at least 3 corners, got 2"),
        ([[(0.0, 0.0), (1.0, 0.0), (math.nan, 1.0)]], r"rings\[0\]\[2\] must be finite"),
        ([[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]], r"rings must be an outline with an area, got 0 m\^2"),
        ([[(0.0, 0.0, 1.0)]], r"rings\[0\] must be a .n, 2. array"),
    ):
        with pytest.raises(InvalidShapeError, match=words):
            trade_offs(rings)
