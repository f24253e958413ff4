"""Compares Dantzig's pivoting with a quadratic program, and checks its conditions."""

import numpy as np
import pytest
from scipy.optimize import nnls

from engine.dynamics.methods._dantzig import FREE, HIGH, LOW, RESTS, Bounds, Forces, solve

SMALL = 1e-9


def _with_friction(rng, most):
    n, k = int(rng.integers(1, 12)), int(rng.integers(3, 30))
    jacobian = rng.normal(size=(2 * n, k))
    bounds = Bounds(
        np.zeros(2 * n),
        np.concatenate((np.full(n, np.inf), np.zeros(n))),
        np.concatenate((np.full(n, -1), np.arange(n))),
        np.concatenate((np.zeros(n), rng.uniform(0.0, most, n))),
    )
    return jacobian @ jacobian.T, jacobian @ rng.normal(size=k), bounds


def _holds(bounds, solution):
    n = len(solution.force) // 2
    pushes, rubs, parts, slips = solution.force[:n], solution.force[n:], solution.acceleration[:n], solution.acceleration[n:]
    most = bounds.friction[n:] * pushes
    sticks = (np.abs(slips) < SMALL) & (np.abs(rubs) <= most + SMALL)
    slides = np.abs(rubs + np.sign(slips) * most) < SMALL
    return bool((pushes > -SMALL).all() and (parts > -SMALL).all() and (np.abs(pushes * parts) < SMALL).all() and (sticks | slides).all())


@pytest.mark.parametrize("seed", range(4))
def test_without_friction_it_solves_the_quadratic_program(seed):
    """The f >= 0 that minimizes |J^T f + g|, also for more rows than coordinates, where f is not unique but the accelerations are."""
    rng = np.random.default_rng(seed)
    for _ in range(25):
        n = int(rng.integers(1, 25))
        jacobian = rng.normal(size=(n, int(rng.integers(1, n + 6))))
        free = rng.normal(size=jacobian.shape[1])
        solution = solve(jacobian @ jacobian.T, jacobian @ free, Bounds.pushing(n))
        least, _ = nnls(jacobian.T, -free)
        assert solution.is_exact and solution.force.min() > -SMALL
        np.testing.assert_allclose(solution.acceleration, jacobian @ (jacobian.T @ least + free), atol=1e-8)


def test_sticking_points_rest_and_sliding_points_have_full_friction():
    rng = np.random.default_rng(1)
    for _ in range(60):
        a, b, bounds = _with_friction(rng, 0.6)
        solution = solve(a, b, bounds)
        assert solution.is_exact and _holds(bounds, solution)
        assert set(solution.status.tolist()) <= {LOW, FREE, HIGH, RESTS}


@pytest.mark.parametrize("diagonal", [0.0, -1e-17])
def test_a_row_that_moves_nothing_is_ignored(diagonal):
    """Its force was an arbitrary solution of the equations, up to 1e17 N, and treated as within its bounds."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b, bounds = _with_friction(rng, 0.6)
        n = len(b) // 2
        at = np.concatenate((np.arange(n), [2 * n], np.arange(n, 2 * n), [2 * n]))  # a normal force and its friction more
        more = np.zeros((len(at), len(at)))
        alive = np.flatnonzero(at < 2 * n)
        more[np.ix_(alive, alive)] = a
        more[n, n] = more[-1, -1] = diagonal
        pushing = np.append(b, -1.0)[at]
        both = Bounds(
            np.zeros(len(at)),
            np.concatenate((np.full(n + 1, np.inf), np.zeros(n + 1))),
            np.concatenate((np.full(n + 1, -1), np.arange(n + 1))),
            np.append(bounds.friction, 0.5)[at],
        )
        solution = solve(more, pushing, both)
        assert solution.is_exact and solution.force[n] == solution.force[-1] == 0.0
        assert _holds(bounds, Forces(solution.force[alive], solution.acceleration[alive], solution.status[alive], 1, True))


def test_a_bounded_row_that_moves_nothing_has_a_force_within_its_bounds():
    bounds = Bounds(np.array([-2.0, 1.0]), np.array([3.0, 4.0]), np.full(2, -1), np.zeros(2))
    solution = solve(np.zeros((2, 2)), np.array([-1.0, 1.0]), bounds)
    assert solution.force.tolist() == [0.0, 1.0] and solution.acceleration.tolist() == [-1.0, 1.0]


def test_a_motor_stays_within_its_maximum_force():
    """One row of mass 2 that needs an acceleration of 3: 6 N, or the maximum."""
    for most, force in ((10.0, 6.0), (4.0, 4.0)):
        bounds = Bounds(np.array([-most]), np.array([most]), np.array([-1]), np.zeros(1))
        assert solve(np.array([[0.5]]), np.array([-3.0]), bounds).force[0] == pytest.approx(force)
        assert solve(np.array([[0.5]]), np.array([3.0]), bounds).force[0] == pytest.approx(-force)
