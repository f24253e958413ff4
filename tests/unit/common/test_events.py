"""A kernel's events: kept by its plain form, with the same answer to the bit, and nothing in its compiled form."""

import math
from typing import NamedTuple

import numpy as np

from engine import query
from engine.common.events import plain, record, recording, traced
from engine.common.jit import inlined_kernel, kernel
from engine.geometry import Polygon, Transform
from engine.narrowphase._gjk_kernel import GjkKept, GjkNearest, GjkStart, GjkSupport


class Halved(NamedTuple):
    """A value, the place of its half, and the values before the step."""

    value: float
    at: tuple[int, float]
    before: np.ndarray
    is_small: bool


@inlined_kernel
def halve(values, k):
    """Halve a value."""
    record(Halved(values[k], (k, 0.5 * values[k]), values, values[k] < 2.0))
    values[k] = 0.5 * values[k]


@kernel
def halve_all(values):
    """Halve all values, and return the root of their sum."""
    for k in range(values.shape[0]):
        halve(values, k)
    return math.sqrt(values.sum())


def test_the_plain_form_keeps_events_with_numbers_of_python_and_copies_of_arrays():
    values = np.array([1.0, 3.0])
    with recording() as events:
        root = traced(halve_all)(values)
    assert events == [Halved(1.0, (0, 0.5), [1.0, 3.0], True), Halved(3.0, (1, 1.5), [0.5, 3.0], False)]
    assert [type(part) for part in events[0]] == [float, tuple, list, bool] and type(events[0].at[1]) is float
    other = np.array([1.0, 3.0])
    assert root == halve_all(other) and np.array_equal(values, other)


def test_nothing_is_recorded_outside_of_a_recording():
    assert traced(halve_all) is halve_all
    with recording() as events:
        pass
    plain(halve_all)(np.ones(2))
    assert events == []


def test_recordings_do_not_mix():
    with recording() as outer:
        traced(halve_all)(np.ones(1))
        with recording() as inner:
            traced(halve_all)(np.ones(2))
        traced(halve_all)(np.ones(1))
    assert len(outer) == 2 and len(inner) == 2


def test_a_query_records_its_algorithm():
    arguments = Polygon.box(0.5, 0.5), Transform(), Polygon.regular(5, 0.5), Transform((1.2, 0.9), 0.3)
    with recording() as events:
        result = query.distance(*arguments)
    assert {type(event) for event in events} == {GjkStart, GjkNearest, GjkSupport, GjkKept}
    assert result == query.distance(*arguments)
