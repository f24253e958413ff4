"""Arbitrary rings to outlines: both fill rules compared with winding numbers from angles, dropped parts, rejected rings."""

import math

import numpy as np
import pytest
import shapely

from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.decompose import Outline, Part, repaired
from engine.decompose.repair import without_specks

SQUARE = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)]
INNER = [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)]


def star(n, jump):
    return [(math.cos(2 * math.pi * jump * k / n), math.sin(2 * math.pi * jump * k / n)) for k in range(n)]


def winding_by_angles(point, rings):
    """The sum of the angles subtended by the edges, divided by 2 pi."""
    total = 0.0
    for ring in rings:
        away = ring - point
        ahead = np.roll(away, -1, axis=0)
        total += float(np.arctan2(away[:, 0] * ahead[:, 1] - away[:, 1] * ahead[:, 0], (away * ahead).sum(axis=1)).sum())
    return round(total / (2.0 * math.pi))


def test_an_eight_is_two_triangles():
    eight = [(0, 0), (2, 2), (2, 0), (0, 2)]
    for rule in ("evenodd", "nonzero"):
        outline = repaired([eight], rule)
        assert [part.area for part in outline.parts] == [1.0, 1.0]


@pytest.mark.parametrize(("n", "jump"), [(5, 2), (7, 2), (7, 3), (9, 4)])
def test_a_star_polygon_by_both_rules(n, jump):
    by_parity, by_winding = repaired([star(n, jump)], "evenodd"), repaired([star(n, jump)], "nonzero")
    assert [len(part.holes) for part in by_winding.parts] == [0]
    assert by_winding.n_vertices == 2 * n
    assert by_parity.area < by_winding.area


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rule", ["evenodd", "nonzero"])
def test_scribbles_follow_the_fill_rule(rule, seed):
    dice = np.random.default_rng(seed)
    rings = [dice.uniform(-1.0, 1.0, (int(dice.integers(3, 14)), 2)) for _ in range(3)]
    area = repaired(rings, rule).as_shapely()
    assert area.is_valid
    edges = shapely.MultiLineString([np.concatenate((ring, ring[:1])) for ring in rings])
    for point in dice.uniform(-1.0, 1.0, (300, 2)):
        if edges.distance(shapely.Point(point)) < 1e-9:
            continue
        number = winding_by_angles(point, rings)
        assert area.contains(shapely.Point(point)) == (number != 0 if rule == "nonzero" else number % 2 == 1)


def test_a_ring_within_another_is_a_hole_by_its_rule():
    assert repaired([SQUARE, INNER], "evenodd").area == 15.0
    assert repaired([SQUARE, INNER], "nonzero").area == 16.0
    assert repaired([SQUARE, INNER[::-1]], "nonzero").area == 15.0


def test_repeats_spikes_and_collinear_points_are_removed():
    messy = [(0, 0), (0, 0), (2, 0), (4, 0), (4, 2), (7, 2), (4, 2), (4, 4), (3, 4), (0, 4), (0, 4), (0, 0)]
    outline = repaired([messy])
    assert outline.n_vertices == 4 and outline.area == 16.0
    assert outline.parts[0].outer.flags.writeable is False


def test_nonzero_merges_two_squares_with_a_common_edge():
    outline = repaired([SQUARE, [(4, 0), (8, 0), (8, 4), (4, 4)]], "nonzero")
    assert len(outline.parts) == 1 and outline.area == 32.0 and outline.n_vertices == 4


@pytest.mark.parametrize(
    ("rings", "words"),
    [
        ([], "rings must be lines that enclose an area"),
        ([[(0, 0), (1, 1)]], "lines that enclose an area"),
        ([[(0, 0), (1, 1), (2, 2), (1, 1)]], "lines that enclose an area"),
        ([[(0, 0), (1, 0), (0, math.nan)]], r"rings\[0\]\[2\] must be finite"),
        ([[(0, 0), (1, 0), (0, 1e7)]], r"rings\[0\] must be within 1e\+06 m of the origin"),
        ([[("a", "b")]], r"rings\[0\] must be"),
    ],
)
def test_an_outline_that_cannot_be_repaired_is_rejected(rings, words):
    with pytest.raises(InvalidShapeError, match=words):
        repaired(rings)


def test_an_unknown_rule_is_rejected():
    with pytest.raises(InvalidInputError, match="rule must be one of nonzero, evenodd, got 'odd'"):
        repaired([SQUARE], "odd")


def test_a_scribble_with_countless_crossings_is_rejected_at_once():
    zigzag = [(float(k % 2), 0.001 * k) for k in range(400)] + [(0.5 + 0.001 * k, float(k % 2)) for k in range(400)]
    with pytest.raises(InvalidShapeError, match="lines with at most 50000 crossings, got more"):
        repaired([zigzag])


def test_specks_and_pinholes_are_removed_and_counted():
    def dot(x, y, half):
        return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]

    outline = Outline([Part(SQUARE, [dot(1, 1, 0.004), dot(2, 2, 0.5)]), Part(dot(6, 6, 0.004)), Part(dot(7, 7, 0.1))])
    kept, n_parts, n_holes = without_specks(outline, 0.005)
    assert (n_parts, n_holes) == (1, 1)
    assert kept.area == pytest.approx(15.0 + 0.04, abs=1e-12)
    assert without_specks(Outline([Part(dot(0, 0, 0.004))]), 0.005) == (None, 1, 0)
    square = Outline([Part(SQUARE)])
    assert without_specks(square, 0.005) == (square, 0, 0)


def test_a_long_sliver_is_a_speck_but_a_thin_bar_is_not():
    sliver, bar = Outline.of_polygon([(0, 0), (5, 0), (5, 0.009), (0, 0.009)]), Outline.of_polygon([(0, 0), (5, 0), (5, 0.011), (0, 0.011)])
    assert without_specks(sliver, 0.005)[0] is None
    assert without_specks(bar, 0.005)[0] is bar
