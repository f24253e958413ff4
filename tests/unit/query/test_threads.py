"""Batched queries on two threads: the same answers to the bit, and the same errors."""

import os
import signal
import threading

import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.threads import MIN_ROWS, in_parts
from engine.geometry import Capsule, Circle, Polygon
from engine.query import batch
from tests.waiting import PATIENCE

POLYGONS = [Polygon.regular(n, 0.5) for n in (4, 7, 20)]
SHAPES = batch.ShapeBatch([*POLYGONS, Circle(0.4), Capsule((-0.4, 0), (0.4, 0), 0.2)])
N = 2 * MIN_ROWS + 101
RNG = np.random.default_rng(5)
PAIRS = RNG.integers(0, len(SHAPES), (N, 2))
A, B, TO_A, TO_B = RNG.uniform(-1.2, 1.2, (4, N, 3))
QUESTIONS = {
    "overlap": lambda pairs, **more: batch.overlap(SHAPES, pairs, A, B, **more),
    "manifold": lambda pairs, **more: batch.manifold(SHAPES, pairs, A, B, **more),
    "distance": lambda pairs, **more: batch.distance(SHAPES, pairs, A, B, **more),
    "time_of_impact": lambda pairs, **more: batch.time_of_impact(SHAPES, pairs, A, TO_A, B, TO_B, **more),
    "swept_contact": lambda pairs, **more: batch.swept_contact(SHAPES, pairs, A, TO_A[:, :2].copy(), B, TO_B[:, :2].copy(), 1.0, **more),
}


def columns(result):
    return [result] if isinstance(result, np.ndarray) else [getattr(result, name) for name in type(result).__slots__]


@pytest.mark.parametrize("name", QUESTIONS)
def test_two_threads_give_the_same_results_and_errors(name):
    alone, together = columns(QUESTIONS[name](PAIRS)), columns(QUESTIONS[name](PAIRS, threads=2))
    assert [column.tobytes() for column in together] == [column.tobytes() for column in alone]
    wrong = PAIRS.copy()
    wrong[-1, 1] = len(SHAPES)
    with pytest.raises(InvalidInputError, match="pairs"):
        QUESTIONS[name](wrong, threads=2)
    for threads in (0, 1.5, "two"):
        with pytest.raises(InvalidInputError, match="threads"):
            QUESTIONS[name](PAIRS, threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_wrong_number_is_reported_with_its_global_row(name, threads, monkeypatch):
    wrong = B.copy()
    wrong[-1, 0] = np.inf
    monkeypatch.setitem(globals(), "B", wrong)
    with pytest.raises(InvalidInputError, match=rf"_b\[{N - 1}\] must be finite"):
        QUESTIONS[name](PAIRS, threads=threads)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of a fork beside threads
def test_a_forked_process_creates_its_own_threads():
    assert len(in_parts(2 * MIN_ROWS, 2, lambda part: part)) == 2
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # kills what would wait for ever
        os._exit(len(in_parts(2 * MIN_ROWS, 2, lambda part: part)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2


def test_parts_run_in_parallel_and_failures_are_reported_at_the_end():
    meet = threading.Barrier(2, timeout=PATIENCE)

    def answer(part):
        meet.wait()
        if part.start > 0:
            raise ValueError("the second part")
        return part

    assert in_parts(MIN_ROWS - 1, 2, lambda part: part) == [slice(0, MIN_ROWS - 1)]
    with pytest.raises(ValueError, match="the second part"):
        in_parts(2 * MIN_ROWS, 2, answer)
