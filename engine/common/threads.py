"""Rows that several threads answer at once, a part each. Only kernels that let go of Python's lock gain by it (`jit.unlocked_kernel`)."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

__all__ = ["FEWEST_ROWS", "in_parts"]

_Answer = TypeVar("_Answer")

FEWEST_ROWS = 1024
"""Rows that are worth a thread: to wake one and to wait for it takes as long as some hundred pairs."""


def in_parts(n: int, threads: int, answer: Callable[[slice], _Answer]) -> list[_Answer]:
    """Call `answer` with parts of the rows from 0 to n, each on a thread of its own, and return what it returned, part by part.

    No part has fewer than `FEWEST_ROWS` rows, unless it is the only one. Parts must not write to what others read or write.

    Raises
    ------
    Exception
        What `answer` raised for the first part that failed, once all have ended.

    Examples
    --------
    >>> in_parts(3000, 2, lambda part: (part.start, part.stop))
    [(0, 1500), (1500, 3000)]
    """
    n_parts = max(1, min(threads, n // FEWEST_ROWS))
    first, *others = [slice(n * part // n_parts, n * (part + 1) // n_parts) for part in range(n_parts)]
    if not others:
        return [answer(first)]
    from concurrent.futures import wait

    waiting = [_pool().submit(answer, part) for part in others]
    try:
        answered = answer(first)
    finally:
        wait(waiting)
    return [answered, *(one.result() for one in waiting)]


@cache
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    if hasattr(os, "register_at_fork"):  # a forked process has the pool's threads no more
        os.register_at_fork(after_in_child=_pool.cache_clear)
    return ThreadPoolExecutor(max(1, (os.cpu_count() or 2) - 1), thread_name_prefix="in_parts")
