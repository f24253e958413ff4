"""One step of each integrator matches its derivation; the study tests the orders over many steps (tests/unit/experiments)."""

import numpy as np
import pytest

from engine.dynamics.integrators import INTEGRATORS, ORDERS

H, W = 0.1, 3.0
HW = H * W


def _spring(_t, position, _motion):
    return -W * W * position


# Factor of a spring's energy in one step, as the module derives it; semi-implicit Euler and Verlet keep areas, not this energy.
GROWTH = {"explicit_euler": 1.0 + HW**2, "midpoint": 1.0 + HW**4 / 4.0, "rk4": 1.0 - HW**6 / 72.0 + HW**8 / 576.0}


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_step_of_a_spring_scales_areas_and_energy_as_derived(name):
    # columns: where (1, 0) and (0, W) of x and v go, both at once; then the matrix of (x, v/W)
    x, v = INTEGRATORS[name](_spring, np.array([1.0, 0.0]), np.array([0.0, W]), H)
    determinant = np.linalg.det(np.array([x, v / W]))
    assert determinant == pytest.approx(GROWTH.get(name, 1.0), abs=1e-14)
    if name in GROWTH:
        assert x**2 + (v / W) ** 2 == pytest.approx(GROWTH[name], abs=1e-14)


@pytest.mark.parametrize("name", INTEGRATORS)
def test_velocities_and_momenta_give_the_same_motion(name):
    inertia = np.array([[2.0, 2.0, 0.7], [np.inf, np.inf, np.inf]])  # the second body cannot move
    inverse = 1.0 / inertia

    def force(t, x, p):
        return np.array([1.0, -10.0, t]) - x - 0.2 * p

    x, p = np.ones((2, 3)), np.full((2, 3), 0.5)
    y, v = x[0], p[0] * inverse[0]
    for k in range(20):
        x, p = INTEGRATORS[name](force, x, p, H, k * H, inverse)
        y, v = INTEGRATORS[name](lambda t, x, v: inverse[0] * force(t, x, inertia[0] * v), y, v, H, k * H)
    assert x[0] == pytest.approx(y, rel=1e-12) and p[0] * inverse[0] == pytest.approx(v, rel=1e-12)
    assert (x[1] == 1.0).all()


@pytest.mark.parametrize("name", INTEGRATORS)
def test_polynomials_up_to_the_order_are_exact_and_the_next_is_not(name):
    order = ORDERS[name]

    def power(t, _x, _v):
        return np.array([order * t ** (order - 1), (order + 1) * t**order])

    before = np.zeros(2), np.zeros(2)
    _, motion = INTEGRATORS[name](power, *before, H)
    assert (before[0] == 0.0).all() and (before[1] == 0.0).all()
    assert motion[0] == pytest.approx(H**order, rel=1e-14)
    assert abs(motion[1] - H ** (order + 1)) > 1e-3 * H ** (order + 1)
