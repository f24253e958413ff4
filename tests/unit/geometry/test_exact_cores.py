"""Integers over a power of two give the same results as fractions."""

from fractions import Fraction

import numpy as np
import pytest

from engine.geometry.exact.cores import Core, aligned, bits_of, core_gap, distance_sq, holds, real, share_point, to_int, witness_distance_sq

BOX = [(0, 0), (1, 0), (1, 1), (0, 1)]
RNG = np.random.default_rng(11)


def fraction_distance_sq(point, start, end):
    (px, py), (ax, ay), (bx, by) = point, start, end
    ex, ey, px, py = bx - ax, by - ay, px - ax, py - ay
    length_sq = ex * ex + ey * ey
    share = min(Fraction(1), max(Fraction(0), (px * ex + py * ey) / length_sq)) if length_sq else Fraction(0)
    return (px - share * ex) ** 2 + (py - share * ey) ** 2


def random_core(n):
    angle = np.sort(RNG.uniform(0.0, 2.0 * np.pi, n))
    vertices = np.column_stack((np.cos(angle), np.sin(angle))) * RNG.uniform(1e-3, 1e3) if n > 1 else RNG.normal(size=(1, 2))
    return Core.placed(vertices.tolist(), *RNG.normal(scale=2.0, size=2).tolist(), *RNG.uniform(-1.0, 1.0, 2).tolist())


@pytest.mark.parametrize("number", [0.0, 1.0, -3.5, 1e-300, 5e-324, 1e300, 0.1, float(np.float32(0.1))])
def test_a_number_survives_a_round_trip(number):
    bits = bits_of(number, 0.25)
    assert bits >= 2
    assert Fraction(to_int(number, bits), 1 << bits) == Fraction(number)
    assert real(to_int(number, bits), bits) == number


def test_a_placed_core_matches_fractions():
    for _ in range(50):
        vertices, (x, y, c, s) = RNG.normal(size=(4, 2)).tolist(), RNG.normal(size=4).tolist()
        core = Core.placed(vertices, x, y, c, s)
        exact = [(Fraction(c) * Fraction(u) - Fraction(s) * Fraction(v) + Fraction(x),
                  Fraction(s) * Fraction(u) + Fraction(c) * Fraction(v) + Fraction(y)) for u, v in vertices]  # fmt: skip
        assert core.fractions == core.over(core.bits + 7).fractions == exact
        assert core.floats == [(float(x), float(y)) for x, y in exact]


def test_the_distance_matches_fractions():
    seen = set()
    for _ in range(150):
        a, b = (random_core(int(RNG.choice([1, 2, 3, 5]))) for _ in range(2))
        is_thin = [len(core.corners) == 2 for core in (a, b)]
        if all(is_thin):
            continue
        exact_sq = distance_sq(a, b)
        exact = a.fractions, b.fractions
        nearest = min(
            fraction_distance_sq(point, core[k], core[(k + 1) % len(core)])
            for core, other in (exact, exact[::-1])
            for point in other
            for k in range(len(core))
        )
        assert exact_sq in (0, nearest)
        distance = float(exact_sq) ** 0.5
        if max(len(a.corners), len(b.corners)) > 2:
            share = share_point(a, b)
            assert not share or exact_sq == 0
            assert share or exact_sq > 0 or any(is_thin)
            seen.add(share)
        if exact_sq > 0:
            gap = core_gap(a, b)
            assert gap == pytest.approx(distance, rel=1e-9)
            assert Fraction(gap) <= Fraction(distance) * (1 + Fraction(1, 10**14))
            assert exact_sq <= witness_distance_sq(a, b) <= exact_sq * (1 + Fraction(1, 10**9))
    assert seen == {True, False}


def test_an_edge_contains_its_ends_and_nothing_beyond():
    box = Core.of([(0, 0), (4, 0), (4, 4), (0, 4)])
    for point, inside in (((4, 4), True), ((2, 0), True), ((2, -1), False), ((2, -(2.0**-70)), False)):
        assert holds(box, Core.of([point])) is inside


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([(2, -1)], [(0, 0), (4, 0)], 1),
        ([(-3, -4)], [(0, 0), (4, 0)], 25),
        ([(3, 4)], [(0, 0), (0, 0)], 25),
        ([(0, 0), (2, 0)], [(5, 4)], 25),
        ([(0, 0), (2, 0)], [(3, 0)], 1),
        ([(0, 0)], [(0.5, 0)], Fraction(1, 4)),
        (BOX, [(4, 5)], 25),
        (BOX, [(3, 0.5)], 4),
        (BOX, [(0.5, 0.5)], 0),
        (BOX, [(1, 1), (2, 1), (2, 2), (1, 2)], 0),
        (BOX, [(-1, -1), (2, 2)], 0),
        (BOX, [(2, 0), (3, 0)], 1),
        (BOX, [(1 + 2.0**-50, 0), (2, 0), (2, 1)], Fraction(1, 2**100)),
    ],
)
def test_known_distances(a, b, expected):
    assert distance_sq(Core.of(a), Core.of(b)) == distance_sq(Core.of(b, 9), Core.of(a)) == expected


def test_aligning_changes_no_number():
    a, b = aligned(Core.of([(0.5, 3.0)]), Core.of([(2.0**-9, 1.0)]))
    assert (a.bits, b.bits) == (9, 9)
    assert (a.floats, b.floats) == ([(0.5, 3.0)], [(2.0**-9, 1.0)])
