"""Rows that several threads answer at once, a part each. Only kernels that let go of Python's lock gain by it (`jit.unlocked_kernel`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

__all__ = ["MIN_ROWS", "in_parts"]

_Answer = TypeVar("_Answer")

MIN_ROWS = 1024
"""Rows for each thread, at least: to wake one and to wait for it takes as long as some hundred pairs."""


def in_parts(n: int, threads: int, answer: Callable[[slice], _Answer]) -> list[_Answer]:
    """Call `answer` with parts of the rows from 0 to n, on several threads, and return what it returned, part by part.

    Parts must not write to what others read or write. The caller's thread answers the first.

    Raises
    ------
    Exception
        What `answer` raised for the first part that failed, once all have ended.

    Examples
    --------
    >>> in_parts(3000, 2, lambda part: (part.start, part.stop))
    [(0, 1500), (1500, 3000)]
    """
    n_parts = max(1, min(threads, n // MIN_ROWS))
    first, *others = (slice(n * k // n_parts, n * (k + 1) // n_parts) for k in range(n_parts))
    futures = [_pool().submit(answer, part) for part in others]
    try:
        answered = answer(first)
    finally:
        wait(futures)
    return [answered, *(future.result() for future in futures)]


@cache
def _pool() -> ThreadPoolExecutor:
    if hasattr(os, "register_at_fork"):  # a forked process has the threads no more
        os.register_at_fork(after_in_child=_pool.cache_clear)
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 1), "in_parts")
