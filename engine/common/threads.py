"""Rows that several threads answer at once, a part each. Only kernels that let go of Python's lock gain by it (`jit.unlocked_kernel`)."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

__all__ = ["MIN_ROWS", "in_parts"]

_Answer = TypeVar("_Answer")

MIN_ROWS = 1024
"""Rows for each thread, at least: to wake one and to wait for it takes as long as some hundred pairs."""

_HEAD_START = 768
"""Rows that the first part, which is the caller's, has more than the others. It begins some 20 us before a thread wakes up, and if it ends
last the caller need not be woken up itself. From 640 to 1,024 it makes no difference, 0 and 2,000 take 5 to 10 % longer (measured)."""

_ROWS_OF_A_PART = 2**14
"""From twice as many rows on a thread's share is cut: what a thread that was late or interrupted has not begun is left to others."""


def in_parts(n: int, threads: int, answer: Callable[[slice], _Answer]) -> list[_Answer]:
    """Call `answer` with parts of the rows from 0 to n, on several threads, and return what it returned, part by part.

    Parts must not write to what others read or write. The caller's thread answers what no other has begun: where no other core is idle,
    all of it.

    Raises
    ------
    Exception
        What `answer` raised for the first part that failed, once all have ended.

    Examples
    --------
    >>> in_parts(3000, 2, lambda part: (part.start, part.stop))
    [(0, 1884), (1884, 3000)]
    """
    n_threads = max(1, min(threads, n // MIN_ROWS))
    if n_threads == 1:
        return [answer(slice(0, n))]
    parts = _parts(n, n_threads)
    left = deque(enumerate(parts))
    ended: SimpleQueue[tuple[int, _Answer | BaseException, bool]] = SimpleQueue()

    def answer_what_is_left() -> None:
        while left:
            try:
                number, part = left.popleft()
            except IndexError:  # another thread has just taken it
                return
            try:
                ended.put((number, answer(part), True))
            except BaseException as error:
                ended.put((number, error, False))

    for _ in range(n_threads - 1):
        _tasks().put(answer_what_is_left)
    answer_what_is_left()
    answers: list[Any] = [None] * len(parts)
    errors = []
    for _ in parts:
        number, answered, is_fine = ended.get()
        answers[number] = answered
        if not is_fine:
            errors.append(number)
    if errors:
        raise answers[min(errors)]
    return answers


def _parts(n: int, n_threads: int) -> list[slice]:
    n_parts = n_threads * max(1, n // (n_threads * _ROWS_OF_A_PART))
    ends = [0, *(_HEAD_START + (n - _HEAD_START) * part // n_parts for part in range(1, n_parts + 1))]
    return [slice(start, end) for start, end in pairwise(ends)]


@cache
def _tasks() -> SimpleQueue[Callable[[], None]]:
    """Start threads that run one task after another, and return the queue they take them from."""
    if hasattr(os, "register_at_fork"):  # a forked process has the threads no more
        os.register_at_fork(after_in_child=_tasks.cache_clear)
    tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
    for number in range(max(1, (os.cpu_count() or 2) - 1)):
        Thread(target=_run, args=(tasks,), name=f"in_parts_{number}", daemon=True).start()
    return tasks


def _run(tasks: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        tasks.get()()
