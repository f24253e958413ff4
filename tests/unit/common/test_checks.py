"""Checked conversion: every error names field, requirement and value."""

import math
import pickle

import numpy as np
import pytest

from engine.common import arrays, checks, rng
from engine.common.errors import InvalidInputError, InvalidShapeError


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "1", None, True, 1j, [1.0], 10**400])
def test_finite_rejects_bad_values(value):
    with pytest.raises(InvalidInputError, match="x must be a finite number in m, got"):
        checks.finite("x", value, "m")


@pytest.mark.parametrize("value", [1, 1.5, np.float32(0.5), np.int64(3)])
def test_finite_accepts_any_real_number(value):
    assert checks.finite("x", value) == float(value)
    assert type(checks.finite("x", value)) is float


def test_ranges_are_named():
    with pytest.raises(InvalidInputError, match=r"radius must be > 0 m, got -1.0"):
        checks.positive("radius", -1.0, "m")
    with pytest.raises(InvalidInputError, match=r"density must be >= 0, got -1"):
        checks.non_negative("density", -1)
    with pytest.raises(InvalidInputError, match=r"steps must be a whole number >= 1, got 0"):
        checks.integer("steps", 0, 1)
    with pytest.raises(InvalidInputError, match=r"steps must be a whole number from 1 to 5, got 6"):
        checks.integer("steps", 6, 1, 5)
    with pytest.raises(InvalidInputError, match=r"steps must be a whole number, got 1.0"):
        checks.integer("steps", 1.0)
    with pytest.raises(InvalidInputError, match=r"on must be True or False, got 1"):
        checks.boolean("on", 1)
    with pytest.raises(InvalidInputError, match=r"rule must be one of exact, box2d, got 'best'"):
        checks.choice("rule", "best", ("exact", "box2d"))
    with pytest.raises(InvalidInputError, match=r"p must be two finite numbers in m, got \(1, nan\)"):
        checks.point("p", (1, math.nan))
    for bad in ("ab", (1,), (1, 2, 3), None, 5):
        with pytest.raises(InvalidInputError, match="p must be two finite numbers in m"):
            checks.point("p", bad)


def test_errors_keep_their_parts_and_pickle():
    error = InvalidShapeError("radius", "> 0 m", -1.0)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.field, again.value) == (InvalidShapeError, str(error), "radius", -1.0)
    assert isinstance(error, ValueError)
    assert len(str(InvalidInputError("x", "short", "a" * 1000))) < 120


def test_rows_and_pairs():
    assert arrays.finite_rows("points", [[1, 2], [3, 4]], 2).dtype == np.float64
    with pytest.raises(InvalidInputError, match=r"points must be a \(n, 2\) array of finite numbers, got shape \(2,\)"):
        arrays.finite_rows("points", [1, 2], 2)
    with pytest.raises(InvalidInputError, match=r"xf must be a \(3, 3\) array"):
        arrays.finite_rows("xf", np.zeros((2, 3)), 3, length=3)
    with pytest.raises(InvalidInputError, match=r"points\[1\] must be finite, got \[nan, 4.0\]"):
        arrays.finite_rows("points", [[1, 2], [math.nan, 4]], 2)
    assert arrays.index_pairs("pairs", [], 3).shape == (0, 2)
    refusals = (([[0, 3]], "from 0 to 2, got 3"), ([[-1, 0]], "from 0 to 2, got -1"), ([[0.0, 1.0]], "whole numbers"), ([0, 1], "shape"))
    for bad, message in refusals:
        with pytest.raises(InvalidInputError, match=message):
            arrays.index_pairs("pairs", bad, 3)


class Spoiled:
    """An object that raises on any access."""

    def __array__(self, *_, **__):
        raise RuntimeError("no array")

    def __repr__(self):
        raise KeyError("no words")


def test_a_value_that_raises_is_rejected_by_name():
    for check in (arrays.index_pairs, arrays.index_column, arrays.finite_rows):
        for value in (Spoiled(), [Spoiled()], {1: "a", "b": 2}, 10**5000):
            with pytest.raises(InvalidInputError, match="field must be"):
                check("field", value, 2)


def test_streams_are_named_and_stable():
    assert rng.stream(7, "a", 1).integers(1 << 30) == rng.stream(7, "a", 1).integers(1 << 30)
    draws = {int(rng.stream(seed, *names).integers(1 << 60)) for seed in (0, 1) for names in (("a",), ("b",), ("a", 1), ("a1",))}
    assert len(draws) == 8
    with pytest.raises(InvalidInputError, match="seed must be a whole number from 0 to 9223372036854775807, got -3"):
        rng.stream(-3, "a")
