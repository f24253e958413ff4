"""The kernel of the live check that measures manifolds agrees with NumPy."""

import numpy as np

from engine.compare.questions._error_kernel import manifold_errors


def test_errors_of_manifolds_are_the_largest_of_points_in_either_order():
    rng = np.random.default_rng(5)
    n = 400
    count, axis, points = rng.integers(0, 3, n), rng.normal(size=(n, 6)), rng.normal(size=(n, 2, 3))
    normal = axis[:, :2] + 1e-3 * rng.normal(size=(n, 2))
    theirs = np.where(rng.random(n)[:, None, None] < 0.5, points, points[:, ::-1]) + 1e-3 * rng.normal(size=(n, 2, 3))
    points[7, 1, 2], normal[9, 0] = np.nan, np.nan
    point_error, normal_error = np.empty(n), np.empty(n)
    manifold_errors(count, axis, points, normal, theirs, point_error, normal_error)
    straight, crossed = (np.abs(points - other).max(axis=(1, 2)) for other in (theirs, theirs[:, ::-1]))
    expected = np.where(count == 2, np.minimum(straight, crossed), straight)
    ours = np.where(count[:, None] > 0, axis[:, :2], 0.0)
    assert point_error.tobytes() == expected.tobytes() and np.isnan(point_error[7])
    assert np.array_equal(normal_error, np.abs(ours - normal).max(axis=1), equal_nan=True) and np.isnan(normal_error[9])
