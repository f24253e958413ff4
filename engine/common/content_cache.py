"""Caches results of functions of bytes, within a limit in bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["ContentCache"]

_T = TypeVar("_T")

_MAX_BYTES = 16_000_000
"""Maximum total size of the arguments of a cache, bytes; enough for the specifications of 30,000 bodies, 500 bytes each."""


class ContentCache(Generic[_T]):
    """A function of strings, bytes and tuples of bytes that remembers its results, which are never None; for any thread.

    Arguments are kept up to a total size of `max_bytes`. When they exceed it, all are forgotten; a larger argument is never kept.

    Parameters
    ----------
    function : callable
    max_bytes : int
    """

    def __init__(self, function: Callable[..., _T], max_bytes: int = _MAX_BYTES) -> None:
        self._function = function
        self._max_bytes = max_bytes
        self._results: dict[tuple[object, ...], _T] = {}
        self.n_bytes = 0

    def __call__(self, *content: str | bytes | tuple[bytes, ...]) -> _T:
        known = self._results.get(content)
        if known is not None:
            return known
        result = self._function(*content)
        size = sum(sum(map(len, part)) if isinstance(part, tuple) else len(part) for part in content)
        if self.n_bytes + size > self._max_bytes:
            self._results.clear()
            self.n_bytes = 0
        if size <= self._max_bytes:
            self._results[content] = result
            self.n_bytes += size
        return result
