"""A connection made of random numbers: late, lossy, out of order, twice; for experiments and tests, with any clock.

A message put in at time t comes out at ``t + latency + jitter * u``, u uniform in [-1, 1], not before one put in earlier unless it
overtakes; lost with probability `loss`; twice with probability `duplicate`. With a `bandwidth` it waits for those before it. So nothing
takes longer than ``latency + jitter`` and what it waits for the bandwidth; only over a stream, as TCP is one, may it take longer: what is
lost is sent again after a while, and all behind it wait.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from engine.common.checks import boolean, within
from engine.common.errors import InvalidInputError

__all__ = ["LONGEST", "MAX_LOSS", "Link", "LinkSettings"]

LONGEST = 10.0
"""Seconds: of latency, and of jitter."""
MAX_LOSS = 0.95
_MIN_BANDWIDTH, _MAX_BANDWIDTH = 100.0, 1e10
"""Bytes a second."""
_RETRY = 0.2
"""Seconds, beside the way there and back, after which a stream sends what was lost again: the least that Linux waits (RFC 6298 says 1)."""


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How bad a connection is, one way.

    Attributes
    ----------
    latency, jitter : float
        Seconds, 0 to 10.
    loss, reorder, duplicate : float
        Probabilities of a message: 0 to 0.95, 0 to 1. One that overtakes takes a uniform share of its time, and waits for no other.
    bandwidth : float
        Bytes a second, 100 to 1e10; 0 for no limit.
    is_stream : bool
        True if it is a stream: nothing is lost or overtaken or comes twice; a loss costs time instead.

    Raises
    ------
    InvalidInputError
        One is outside its range.
    """

    latency: float = 0.0
    jitter: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0
    duplicate: float = 0.0
    bandwidth: float = 0.0
    is_stream: bool = False

    def __post_init__(self) -> None:
        within("latency", self.latency, 0.0, LONGEST, "s")
        within("jitter", self.jitter, 0.0, LONGEST, "s")
        within("loss", self.loss, 0.0, MAX_LOSS)
        within("reorder", self.reorder, 0.0, 1.0)
        within("duplicate", self.duplicate, 0.0, 1.0)
        boolean("is_stream", self.is_stream)
        try:
            if self.bandwidth != 0.0:
                within("bandwidth", self.bandwidth, _MIN_BANDWIDTH, _MAX_BANDWIDTH)
        except InvalidInputError as error:
            requirement = f"0 for no limit, or from {_MIN_BANDWIDTH:g} to {_MAX_BANDWIDTH:g} bytes a second"
            raise InvalidInputError("bandwidth", requirement, error.value) from None

    @property
    def longest(self) -> float:
        """Seconds that a message takes at the most, where no bandwidth and no stream delays it."""
        return self.latency + self.jitter


class Link:
    """One way of a connection.

    Attributes
    ----------
    settings : LinkSettings
        May be changed at any time; what is under way arrives as it was sent.
    n_bytes, n_messages, n_lost : int
        What was put in; `n_lost` messages of it did not arrive, or, over a stream, only when sent again.
    n_held : int
        Bytes under way.
    """

    def __init__(self, settings: LinkSettings, rng: np.random.Generator) -> None:
        self.settings = settings
        self.n_bytes = self.n_messages = self.n_lost = self.n_held = 0
        self._rng = rng
        self._waiting: list[tuple[float, int, bytes]] = []
        self._n = 0
        self._last = self._free = -1e9
        """Before which nothing arrives that overtakes nothing; when the bandwidth is free."""

    @property
    def n_waiting(self) -> int:
        """Messages under way."""
        return len(self._waiting)

    @property
    def due(self) -> float | None:
        """When the next of them arrives, seconds; None if there is none."""
        return self._waiting[0][0] if self._waiting else None

    def put(self, content: bytes, now: float) -> None:
        """Send."""
        settings, rng = self.settings, self._rng
        self.n_bytes += len(content)
        self.n_messages += 1
        start = now
        if settings.bandwidth > 0.0:
            self._free = start = max(now, self._free) + len(content) / settings.bandwidth
        lost, overtakes, again = rng.random(3) < (settings.loss, settings.reorder, settings.duplicate)
        self.n_lost += bool(lost)
        if settings.is_stream:
            while lost:
                start += _RETRY + 2.0 * settings.latency
                lost = rng.random() < settings.loss
            overtakes = again = False
        for _ in range(0 if lost else 2 if again else 1):
            delay = max(0.0, settings.latency + settings.jitter * rng.uniform(-1.0, 1.0))
            if overtakes:
                due = start + delay * rng.random()
            else:
                due = self._last = max(start + delay, self._last)
            self._n += 1
            self.n_held += len(content)
            heapq.heappush(self._waiting, (due, self._n, content))

    def clear(self) -> None:
        """Lose all that is underway: the connection broke off."""
        self._waiting.clear()
        self.n_held = 0

    def take(self, now: float) -> list[bytes]:
        """Return what arrives by now."""
        return [content for _, content in self.take_with_times(now)]

    def take_with_times(self, now: float) -> list[tuple[float, bytes]]:
        """Return what arrives by now, each with when it does, seconds."""
        arrived = []
        while self._waiting and self._waiting[0][0] <= now:
            due, _, content = heapq.heappop(self._waiting)
            self.n_held -= len(content)
            arrived.append((due, content))
        return arrived
