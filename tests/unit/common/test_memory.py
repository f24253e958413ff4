"""Memory that is used again: never while anybody holds it, always afterwards."""

import gc
import threading

import numpy as np
import pytest

from engine.common import memory
from engine.common.memory import LARGEST, POOL_SIZE, SMALLEST, room


@pytest.fixture(autouse=True)
def no_pieces():
    memory._pieces.clear()
    yield
    memory._pieces.clear()


def address(array):
    return array.__array_interface__["data"][0]


N = 4 * SMALLEST


def test_the_same_memory_comes_back_once_it_is_free():
    first = room(N)
    where = address(first)
    assert first.shape == (N,) and first.dtype == np.float64 and first.flags.writeable
    del first
    assert address(room(N)) == where


@pytest.mark.parametrize(
    "view",
    [
        lambda whole: whole,
        lambda whole: whole[5:6],
        lambda whole: whole.view(np.int64)[:64].reshape(-1, 2)[:, 1],
        lambda whole: memoryview(whole)[4:8],
        lambda whole: whole.base,
        lambda whole: np.asarray(whole).T,
    ],
)
def test_any_view_holds_it(view):
    whole = room(N)
    where, held = address(whole), view(whole)
    del whole
    assert address(room(N)) != where
    del held
    gc.collect()
    assert where in [address(one) for one in [room(N) for _ in range(POOL_SIZE)]]


def test_answers_that_are_kept_keep_their_numbers():
    kept = []
    for number in range(4 * POOL_SIZE):
        answer = room(N)
        answer[:] = number
        kept.append(answer)
    assert len({address(answer) for answer in kept}) == len(kept)
    assert all((answer == number).all() for number, answer in enumerate(kept))


def test_much_smaller_and_larger_questions_get_other_memory():
    where = address(room(N))
    assert address(room(N // 4)) != where
    assert address(room(2 * N)) != where
    assert address(room(N + N // 16)) == where


def test_small_and_huge_pieces_are_not_remembered():
    for n in (0, 1, SMALLEST - 1, LARGEST + 1):
        assert room(n).shape == (n,)
    assert len(memory._pieces) == 0


def test_no_more_is_remembered_than_named():
    kept = [room(N) for _ in range(3 * POOL_SIZE)]
    assert len(memory._pieces) == POOL_SIZE
    del kept


def test_threads_never_share_a_piece():
    wrong = []

    def ask(number):
        for _ in range(300):
            mine = room(N)
            mine[:] = number
            other = room(N)
            other[:] = -1.0
            if not (mine == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(float(number),)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
