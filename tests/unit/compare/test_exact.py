"""Whole numbers over a power of two say what fractions say."""

from fractions import Fraction

import numpy as np
import pytest

from engine.compare.proofs.exact import (
    aligned,
    bits_of,
    core_gap,
    distance_sq,
    holds,
    is_within,
    nearest_features,
    placed,
    real,
    segment_distance_sq,
    share_point,
    to_int,
)

RNG = np.random.default_rng(11)


def as_fractions(core, bits):
    return [(Fraction(x, 1 << bits), Fraction(y, 1 << bits)) for x, y in core]


def fraction_distance_sq(point, start, end):
    (px, py), (ax, ay), (bx, by) = point, start, end
    ex, ey, px, py = bx - ax, by - ay, px - ax, py - ay
    length_sq = ex * ex + ey * ey
    share = min(Fraction(1), max(Fraction(0), (px * ex + py * ey) / length_sq)) if length_sq else Fraction(0)
    return (px - share * ex) ** 2 + (py - share * ey) ** 2


def random_core(n):
    angle = np.sort(RNG.uniform(0.0, 2.0 * np.pi, n))
    vertices = np.column_stack((np.cos(angle), np.sin(angle))) * RNG.uniform(1e-3, 1e3) if n > 1 else RNG.normal(size=(1, 2))
    return placed(vertices.tolist(), *RNG.normal(scale=2.0, size=2).tolist(), *RNG.uniform(-1.0, 1.0, 2).tolist())


@pytest.mark.parametrize("number", [0.0, 1.0, -3.5, 1e-300, 5e-324, 1e300, 0.1, float(np.float32(0.1))])
def test_a_number_comes_back(number):
    bits = bits_of(number, 0.25)
    assert bits >= 2
    assert Fraction(to_int(number, bits), 1 << bits) == Fraction(number)
    assert real(to_int(number, bits), bits) == number


def test_a_placed_core_is_where_fractions_put_it():
    for _ in range(50):
        vertices, (x, y, c, s) = RNG.normal(size=(4, 2)).tolist(), RNG.normal(size=4).tolist()
        core, bits = placed(vertices, x, y, c, s)
        exact = [(Fraction(c) * Fraction(u) - Fraction(s) * Fraction(v) + Fraction(x),
                  Fraction(s) * Fraction(u) + Fraction(c) * Fraction(v) + Fraction(y)) for u, v in vertices]  # fmt: skip
        assert as_fractions(core, bits) == exact
        assert as_fractions(aligned(core, 7), bits + 7) == exact


def test_the_distance_is_that_of_fractions():
    seen = set()
    for _ in range(150):
        (core_a, bits_a), (core_b, bits_b) = (random_core(int(RNG.choice([1, 2, 3, 5]))) for _ in range(2))
        bits = max(bits_a, bits_b)
        core_a, core_b = aligned(core_a, bits - bits_a), aligned(core_b, bits - bits_b)
        if len(core_a) == len(core_b) == 2:
            continue
        square, over = distance_sq(core_a, core_b)
        found = Fraction(square, over << (2 * bits))
        a, b = as_fractions(core_a, bits), as_fractions(core_b, bits)
        nearest = min(
            fraction_distance_sq(point, one[k], one[(k + 1) % len(one)])
            for one, other in ((a, b), (b, a))
            for point in other
            for k in range(len(one))
        )
        assert found in (0, nearest)
        distance = float(found) ** 0.5
        assert is_within((square, over), bits, 1.0000001 * distance)
        assert found == 0 or not is_within((square, over), bits, 0.9999999 * distance)
        if max(len(a), len(b)) > 2:
            share = share_point(core_a, core_b, bits)
            assert not share or found == 0
            assert share or found > 0 or len(core_a) == 2 or len(core_b) == 2
            seen.add(share)
        if found > 0:
            gap = core_gap(core_a, core_b, bits)
            assert gap == pytest.approx(distance, rel=1e-9)
            assert Fraction(gap) <= Fraction(distance) * (1 + Fraction(1, 10**14))
            corner, start, end = nearest_features(core_a, core_b, bits)
            square, over = segment_distance_sq(corner, start, end)
            assert float(Fraction(square, over << (2 * bits))) == pytest.approx(float(found), rel=1e-9)
    assert seen == {True, False}


def test_an_edge_holds_its_ends_and_no_more():
    box = [(0, 0), (4, 0), (4, 4), (0, 4)]
    assert holds(box, (4, 4))
    assert holds(box, (2, 0))
    assert not holds(box, (2, -1))
    assert segment_distance_sq((2, -1), (0, 0), (4, 0)) == (16, 16)
    assert segment_distance_sq((-3, -4), (0, 0), (4, 0)) == (25, 1)
    assert segment_distance_sq((7, 4), (0, 0), (4, 0)) == (25, 1)
    assert segment_distance_sq((3, 4), (0, 0), (0, 0)) == (25, 1)
