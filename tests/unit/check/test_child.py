"""Answers of users' functions are accepted, or rejected with a message."""

from __future__ import annotations

import types

import numpy as np
import pytest

from engine.check.child import MAX_POINTS, read_answer


@pytest.mark.parametrize(
    ("query", "value", "expected"),
    [
        ("manifold", None, [False, {}, []]),
        ("manifold", False, [False, {}, []]),
        ("manifold", True, [True, {}, []]),
        ("manifold", np.bool_(True), [True, {}, []]),
        ("manifold", {}, [True, {}, []]),
        ("manifold", {"depth": 1, "normal": None}, [True, {"depth": 1.0}, []]),
        ("manifold", {"normal": np.array([0.0, 1.0])}, [True, {"normal": [0.0, 1.0]}, []]),
        ("manifold", {"points": ((x, 2) for x in (1, 3))}, [True, {"points": [[1.0, 2.0], [3.0, 2.0]]}, []]),
        ("manifold", {"points": np.zeros((2, 2)), "depht": 3}, [True, {"points": [[0.0, 0.0], [0.0, 0.0]]}, ["depht"]]),
        ("overlap", True, [True, {}, []]),
        ("overlap", {"depth": "many"}, [True, {}, []]),
        ("distance", 2, [False, {"distance": 2.0}, []]),
        ("distance", np.float32(-0.5), [True, {"distance": -0.5}, []]),
        ("distance", {"distance": 0, "point_a": (1, 2), "iterations": 3}, [True, {"distance": 0.0, "point_a": [1.0, 2.0]}, ["iterations"]]),
    ],
)
def test_answers(query, value, expected):
    assert read_answer(value, query) == ["answer", *expected]


def endless():
    while True:
        yield 0, 0


class Hostile:
    def __repr__(self):
        raise ValueError("no repr")


RING = []
RING.append(RING)


@pytest.mark.parametrize(
    ("query", "value", "says"),
    [
        ("manifold", 3, "returned 3 (int)"),
        ("manifold", (1, 2), "returned (1, 2) (tuple)"),
        ("manifold", "yes", "returned 'yes' (str)"),
        ("manifold", Hostile(), "whose repr fails (Hostile)"),
        ("manifold", {"depth": "deep"}, "depth must be a number, got 'deep'"),
        ("manifold", {"depth": True}, "depth must be a number, got True"),
        ("manifold", {"depth": float("nan")}, "depth must be finite, got nan"),
        ("manifold", {"depth": 10**400}, "depth must be a number"),
        ("manifold", {"normal": (1, 2, 3)}, "normal must be two numbers (x, y), got (1, 2, 3)"),
        ("manifold", {"normal": 5}, "normal must be a list, got 5"),
        ("manifold", {"normal": "ab"}, "normal must be a list, got 'ab'"),
        ("manifold", {"points": [(0, 0), (1, float("inf"))]}, "points[1][1] must be finite, got inf"),
        ("manifold", {"points": [1, 2]}, "points[0] must be a list, got 1"),
        ("manifold", {"points": endless()}, f"points must be at most {MAX_POINTS}"),
        ("manifold", {"points": RING}, "points[0] must be two numbers"),
        ("distance", None, "returned None"),
        ("distance", True, "returned True"),
        ("distance", {"normal": (1, 0)}, "returned a dict without distance"),
        ("distance", types, "the distance must be a number"),
    ],
)
def test_invalid_answers(query, value, says):
    kind, message, hint = read_answer(value, query)
    assert kind == "malformed"
    assert says in message
    assert message.isprintable() and len(message) <= 300
    assert hint
