"""A simulated link with latency, jitter, loss, reordering and duplication, for experiments and tests; works with any clock.

A message sent at time t arrives at ``t + latency + jitter * u``, u uniform in [-1, 1], but not before an earlier one unless it is
reordered. It is lost with probability `loss` and duplicated with probability `duplicate`. With a limited `bandwidth`, it waits until
earlier messages have been transmitted. On a stream, such as TCP, a lost message is retransmitted after a timeout and holds up those
behind it, so delays may exceed ``latency + jitter``.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from engine.common.checks import boolean, within
from engine.common.errors import InvalidInputError

__all__ = ["Link", "LinkSettings"]

_MAX_SECONDS = 10.0
"""Maximum latency, and also maximum jitter."""
_MAX_LOSS = 0.95
_MIN_BANDWIDTH, _MAX_BANDWIDTH = 100.0, 1e10
"""Bytes per second."""
_RETRY = 0.2
"""Retransmission timeout of a stream, in addition to the round trip, s. This is the minimum in Linux (RFC 6298 recommends 1 s)."""


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """Quality of a simulated connection in one direction.

    Attributes
    ----------
    latency, jitter : float
        Seconds, 0 to 10.
    loss, reorder, duplicate : float
        Probabilities per message; `loss` 0 to 0.95, the others 0 to 1. A reordered message takes a uniformly random fraction of its delay
        and does not wait for earlier messages.
    bandwidth : float
        Bytes per second, 100 to 1e10; 0 means unlimited.
    is_stream : bool
        True for a reliable, ordered stream, on which losses only cost time and messages are neither reordered nor duplicated.

    Raises
    ------
    InvalidInputError
        A field is outside its range.
    """

    latency: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    bandwidth: float = 0.0
    is_stream: bool = False

    def __post_init__(self) -> None:
        within("latency", self.latency, 0.0, _MAX_SECONDS, "s")
        within("jitter", self.jitter, 0.0, _MAX_SECONDS, "s")
        within("loss", self.loss, 0.0, _MAX_LOSS)
        within("reorder", self.reorder, 0.0, 1.0)
        within("duplicate", self.duplicate, 0.0, 1.0)
        boolean("is_stream", self.is_stream)
        if within("bandwidth", self.bandwidth, 0.0, _MAX_BANDWIDTH, "bytes per second") and self.bandwidth < _MIN_BANDWIDTH:
            raise InvalidInputError("bandwidth", f"0 (unlimited) or at least {_MIN_BANDWIDTH:g} bytes per second", self.bandwidth)


class Link:
    """One direction of a simulated connection.

    Attributes
    ----------
    settings : LinkSettings
        May be changed at any time; messages in flight keep their arrival times.
    n_bytes, n_lost : int
        Number of bytes sent, and number of messages that were lost (on a stream: retransmitted).
    n_held : int
        Bytes in flight.
    """

    def __init__(self, settings: LinkSettings, rng: np.random.Generator) -> None:
        self.settings = settings
        self.n_bytes = self.n_lost = self.n_held = 0
        self._rng = rng
        self._waiting: list[tuple[float, int, bytes]] = []
        self._n = 0
        self._last = self._free = -1e9
        """When the last message that was not reordered arrives, and when the link can transmit the next message, s."""

    @property
    def due(self) -> float | None:
        """Arrival time of the next message, s; None if there is none."""
        return self._waiting[0][0] if self._waiting else None

    def put(self, content: bytes, now: float) -> None:
        """Send a message."""
        settings, rng = self.settings, self._rng
        self.n_bytes += len(content)
        start = now
        if settings.bandwidth > 0.0:
            self._free = start = max(now, self._free) + len(content) / settings.bandwidth
        lost, reordered, duplicated = rng.random(3) < (settings.loss, settings.reorder, settings.duplicate)
        self.n_lost += bool(lost)
        if settings.is_stream:
            while lost:
                start += _RETRY + 2.0 * settings.latency
                lost = rng.random() < settings.loss
            reordered = duplicated = False
        for _ in range(0 if lost else 2 if duplicated else 1):
            delay = max(0.0, settings.latency + settings.jitter * rng.uniform(-1.0, 1.0))
            if reordered:
                due = start + delay * rng.random()
            else:
                due = self._last = max(start + delay, self._last)
            self._n += 1
            self.n_held += len(content)
            heapq.heappush(self._waiting, (due, self._n, content))

    def take(self, now: float) -> list[tuple[bytes, float]]:
        """Remove and return the messages that have arrived by now, each with its arrival time, s."""
        arrived = []
        while self._waiting and self._waiting[0][0] <= now:
            due, _, content = heapq.heappop(self._waiting)
            self.n_held -= len(content)
            arrived.append((content, due))
        return arrived
