"""Cosine and sine from sums and products: their accuracy, and identical bits in every form."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from engine.geometry import Transform
from engine.geometry._rotation_kernel import cosine_and_sine as compiled
from engine.geometry._rotation_kernel import turn_poses
from engine.geometry.rotation import MAX_TURNED, cosine_and_sine

UNITS = 1.6
"""Units in the last place, as `engine.geometry.rotation` derives them."""

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")


def true_cosine_and_sine(angle):
    """Return both to 80 digits, by Taylor series after removing full turns."""
    with localcontext() as context:
        context.prec = 90
        x = Decimal(angle).remainder_near(2 * PI)
        sums = [Decimal(0), Decimal(0)]
        term, k = Decimal(1), 0
        while k < 10 or abs(term) > Decimal("1e-85"):
            sums[k % 2] += term if k % 4 < 2 else -term
            k += 1
            term = term * x / k
        return sums


def units_off(value, truth):
    return float(abs(Decimal(value) - truth)) / math.ulp(float(truth))


def angles():
    rng = np.random.default_rng(5)
    for n in range(-40, 41):
        yield n * math.pi / 4.0
    for n in rng.integers(-(2**19), 2**19, 150).tolist():
        yield n * (math.pi / 2.0)
        yield math.nextafter((n + 0.5) * (math.pi / 2.0), math.inf)
    for most in (1e-300, 1e-9, 0.1, 1.0, 4.0, 100.0, MAX_TURNED):
        yield from rng.uniform(-most, most, 150).tolist()


def test_the_error_is_within_the_derived_bound():
    worst = 0.0
    for angle in angles():
        for value, truth in zip(cosine_and_sine(angle), true_cosine_and_sine(angle), strict=True):
            worst = max(worst, units_off(value, truth))
            assert units_off(value, truth) <= UNITS, angle
    assert worst > 0.5  # something was measured


def test_right_angles_and_signs():
    assert cosine_and_sine(0.0) == (1.0, 0.0)
    for angle in angles():
        cos, sin = cosine_and_sine(angle)
        assert cosine_and_sine(-angle) == (cos, -sin)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 500])
def test_all_forms_give_the_same_bits(n):
    rng = np.random.default_rng(n)
    poses = rng.uniform(-10.0, 10.0, (n, 3))
    poses[:: 7 if n > 1 else 1, 2] *= 1e7  # beyond `MAX_TURNED`: the library's
    turned = np.full((n, 4), np.nan)
    assert turn_poses(poses, turned)
    assert (turned[:, :2] == poses[:, :2]).all()
    for (x, y, angle), (_, _, cos, sin) in zip(poses.tolist(), turned.tolist(), strict=True):
        assert (cos, sin) == cosine_and_sine(angle) == tuple(compiled(angle))
        transform = Transform((x, y), angle)
        assert (transform.cos, transform.sin) == (cos, sin)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("row", [0, 63, 64, 99])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_non_finite_number_is_detected(wrong, row, column):
    poses = np.ones((100, 3))
    poses[row, column] = wrong
    assert not turn_poses(poses, np.empty((100, 4)))
