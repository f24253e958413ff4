"""What the live check holds in columns is what it would be one by one."""

import numpy as np

from engine.compare.verdicts._error_kernel import manifold_errors
from engine.contracts import Difference, DifferenceColumns, StepAgreement

DIFFERENCES = (
    Difference(3, 9, (0.5, -1.0), (0.0, 1.0), (1.0, 0.0), "local_maximum", 0.25, "shallower"),
    Difference(7, 4, (2.0, 0.0), (0.6, 0.8), None, "float32_tie", 1e-9, "two axes are equally deep"),
    Difference(8, 11, (0.0, 3.0), (0.0, -1.0), (0.0, -1.0), "unexplained", 0.0, "none"),
)


def test_differences_in_columns_are_those_that_went_in() -> None:
    columns = DifferenceColumns.of(DIFFERENCES)
    assert DifferenceColumns.of(columns) is columns
    assert columns == DIFFERENCES and tuple(columns) == DIFFERENCES and columns[-1] == DIFFERENCES[-1] and columns[1:] == DIFFERENCES[1:]
    assert columns.take(np.array([2, 0])) == (DIFFERENCES[2], DIFFERENCES[0])
    assert columns.keys.tolist() == [(one.fixture_a << 32) + one.fixture_b for one in DIFFERENCES]
    both = StepAgreement(3, 0, 2, 1, differences=columns), StepAgreement(3, 0, 2, 1, differences=DIFFERENCES)
    assert both[0].reasons == both[1].reasons == ("local_maximum", "float32_tie", "unexplained") and both[0] == both[1]
    assert columns != DIFFERENCES[:2] and DifferenceColumns.of(()) == () and not DifferenceColumns.of(())


def test_errors_of_manifolds_are_the_largest_of_points_in_either_order() -> None:
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
