"""A connection made of random numbers: late, lossy, out of order, twice; for experiments and tests, with any clock.

A message put in at time t comes out at ``t + latency + jitter * u``, u uniform in [-1, 1], not before one put in earlier unless it may
be overtaken; lost with probability `loss`; twice with probability `duplicate`. With a `bandwidth` it waits for those before it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

__all__ = ["Link", "LinkSettings"]


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How bad a connection is, one way.

    Attributes
    ----------
    latency, jitter : float
        Seconds.
    loss, reorder, duplicate : float
        Probabilities of a message.
    bandwidth : float
        Bytes a second; 0 for no limit.
    """

    latency: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    bandwidth: float = 0.0


class Link:
    """One way of a connection."""

    def __init__(self, settings: LinkSettings, rng: np.random.Generator) -> None:
        self.settings = settings
        self.n_bytes = 0
        self._rng = rng
        self._waiting: list[tuple[float, int, bytes]] = []
        self._n = 0
        self._last = self._free = -1e9

    def put(self, content: bytes, now: float) -> None:
        """Send."""
        settings, rng = self.settings, self._rng
        self.n_bytes += len(content)
        start = max(now, self._free)
        if settings.bandwidth > 0.0:
            self._free = start = start + len(content) / settings.bandwidth
        lost, overtakes, again = rng.random(3) < (settings.loss, settings.reorder, settings.duplicate)
        for _ in range(0 if lost else 2 if again else 1):
            due = start + max(0.0, settings.latency + settings.jitter * rng.uniform(-1.0, 1.0))
            if not overtakes:
                due = self._last = max(due, self._last)
            self._n += 1
            heapq.heappush(self._waiting, (due, self._n, content))

    def take(self, now: float) -> list[bytes]:
        """Return what arrives by now."""
        found = []
        while self._waiting and self._waiting[0][0] <= now:
            found.append(heapq.heappop(self._waiting)[2])
        return found
