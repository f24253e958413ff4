"""Estimates the server's clock at a client from pings; the estimate is slewed rather than stepped.

A pong with a round trip of r seconds gives the server's clock to within r / 2, so the sample with the shortest round trip of the last
seconds is used (Cristian 1989; NTP's clock filter, RFC 5905, 10, takes the minimum of the last eight). Samples whose intervals do not
overlap mean that one of the clocks has jumped, for example because a laptop was suspended.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

__all__ = ["Clock"]

_SPAN_SECONDS = 5.0
"""Age at which a sample is discarded. Clocks whose rates differ by 0.1 % drift apart by a third of a tick in that time."""
_SKEW = 2e-3
"""Maximum relative rate difference of two clocks; a larger apparent drift is a jump."""
_SLEW = 0.05
"""Fraction by which time is sped up or slowed down to remove an offset; too small to be noticed."""
_JUMP_SECONDS = 0.5
"""Offset above which the clock is stepped, because slewing would take too long."""
_BUFFER_TICKS = 2
"""Size of the interpolation buffer; leaves time for a later message to replace a lost one, and for drawing."""
_SHARE_IN_TIME = 0.9
"""Quantile of the round trips on which the jitter is based."""


class _Sample(NamedTuple):
    """A clock sample from a pong: arrival time, s, round trip, s, and offset of the server's clock from ours, ticks."""

    at: float
    round_trip: float
    offset: float


class Clock:
    """Estimate of the server's clock.

    Parameters
    ----------
    hertz : float
        Ticks per second.
    """

    def __init__(self, hertz: float) -> None:
        self.hertz = hertz
        self._samples: deque[_Sample] = deque(maxlen=256)
        self._shift: float | None = None
        self._at = 0.0

    @property
    def n_samples(self) -> int:
        """Number of samples in use."""
        return len(self._samples)

    @property
    def round_trip(self) -> float:
        """Median round trip of the samples, s; 0 before the first."""
        return self._quantile(0.5)

    @property
    def jitter(self) -> float:
        """One-way jitter, s: 90th percentile minus minimum of the one-way delay."""
        return 0.5 * (self._quantile(_SHARE_IN_TIME) - self._quantile(0.0))

    @property
    def patience(self) -> float:
        """Seconds without a reply after which a message is considered lost."""
        return self._quantile(1.0) + 0.05

    def note(self, sent: float, received: float, clock: float) -> None:
        """Add a sample: when the ping was sent and its pong received, s by our clock, and the server's clock in the pong, ticks."""
        sample = _Sample(received, max(received - sent, 0.0), clock - 0.5 * (sent + received) * self.hertz)
        if self._samples:
            best = self._best
            apart = abs(sample.offset - best.offset) / self.hertz
            if apart > 0.5 * (sample.round_trip + best.round_trip) + _SKEW * _SPAN_SECONDS:
                self._samples.clear()
        self._samples.append(sample)
        while abs(received - self._samples[0].at) > _SPAN_SECONDS:
            self._samples.popleft()

    def tick(self, now: float) -> float:
        """Return the best estimate of the server's clock now, in ticks."""
        return now * self.hertz + self._best.offset

    def lead(self, delay: int) -> float:
        """Return how many ticks to be ahead of the server's clock so that actions arrive in time; a tick is closed `delay` ticks late."""
        return max(0.0, self._way - delay)

    def lag(self, delay: int) -> float:
        """Return how many ticks to be behind the server's clock so that the messages about closed ticks have arrived."""
        return delay + 1 + _BUFFER_TICKS + self._way

    def follow(self, now: float, ahead: float) -> float:
        """Return the server's tick plus `ahead`. Small changes of the sum are slewed, and jumps are applied at once."""
        target = self._best.offset + ahead
        if self._shift is None or abs(target - self._shift) > _JUMP_SECONDS * self.hertz:
            self._shift = target
        else:
            limit = _SLEW * self.hertz * max(0.0, now - self._at)
            self._shift += min(max(target - self._shift, -limit), limit)
        self._at = now
        return now * self.hertz + self._shift

    @property
    def _best(self) -> _Sample:
        return min(self._samples, key=lambda sample: sample.round_trip)

    @property
    def _way(self) -> float:
        """90th percentile of the one-way delay, ticks."""
        return (0.5 * self._quantile(0.0) + self.jitter) * self.hertz

    def _quantile(self, share: float) -> float:
        trips = sorted(sample.round_trip for sample in self._samples)
        return trips[math.ceil(share * (len(trips) - 1))] if trips else 0.0
