"""Parallel processing of rows by several threads, worthwhile only for kernels that release the GIL (`jit.unlocked_kernel`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

__all__ = ["MIN_ROWS", "in_parts"]

_Result = TypeVar("_Result")

MIN_ROWS = 1024
"""Minimum number of rows per thread. Starting and joining a thread takes as long as processing some hundred pairs."""


def in_parts(n: int, threads: int, answer: Callable[[slice], _Result]) -> list[_Result]:
    """Split the rows 0 to n - 1 among at most `threads` threads, call `answer` on each part, and return the results in order.

    A part must not write to memory that another part reads or writes. The calling thread runs the first part.

    Raises
    ------
    Exception
        The exception of the first part that failed; it is raised once all parts have finished.

    Examples
    --------
    >>> in_parts(3000, 2, lambda part: (part.start, part.stop))
    [(0, 1500), (1500, 3000)]
    """
    n_parts = max(1, min(threads, n // MIN_ROWS))
    if n_parts == 1:
        return [answer(slice(0, n))]
    first, *others = (slice(n * k // n_parts, n * (k + 1) // n_parts) for k in range(n_parts))
    futures = [_pool().submit(answer, part) for part in others]
    try:
        result = answer(first)
    finally:
        wait(futures)
    return [result, *(future.result() for future in futures)]


@cache
def _pool() -> ThreadPoolExecutor:
    if hasattr(os, "register_at_fork"):  # a forked process does not inherit the threads
        os.register_at_fork(after_in_child=_pool.cache_clear)
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 1), "in_parts")
