"""The server's clock, as seen from a client: measured by pings, the best of the last seconds, slewed rather than stepped.

An answer with a round trip of r seconds gives the server's clock to within r / 2: half of the round trip each way is the best guess, and
the quicker the answer the better the guess (Cristian 1989; NTP's clock filter, RFC 5905, 10, takes the minimum of the last eight).
Two answers that cannot both be true, the intervals being apart, mean that one of the clocks has jumped: a laptop slept.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

__all__ = ["Clock"]

_SPAN_SECONDS = 5.0
"""For which an answer counts: clocks that differ by 0.1 % come apart by a third of a tick in it."""
_SKEW = 2e-3
"""Maximum relative difference in speed of two clocks, to recognize a jump."""
_SLEW = 0.05
"""Share by which time runs faster or slower until a difference is made up: nobody sees it."""
_JUMP_SECONDS = 0.5
"""Difference beyond which that would take too long."""
_BUFFER_TICKS = 2
"""Until the next message says what a lost one said, and the picture is drawn."""
_SHARE_IN_TIME = 0.9
"""Share of the answers that the jitter must cover."""


class _Sample(NamedTuple):
    """An answer: when it arrived, its round trip, s, and the server's clock minus ours, ticks."""

    at: float
    round_trip: float
    offset: float


class Clock:
    """The server's clock.

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
        """Answers that count."""
        return len(self._samples)

    @property
    def round_trip(self) -> float:
        """Median round trip of the last answers, seconds; 0 before the first."""
        return self._quantile(0.5)

    @property
    def jitter(self) -> float:
        """Seconds by which nine of ten ways are at most longer than the shortest, one way."""
        return 0.5 * (self._quantile(_SHARE_IN_TIME) - self._quantile(0.0))

    @property
    def patience(self) -> float:
        """Seconds after which an answer counts as lost."""
        return self._quantile(1.0) + 0.05

    def note(self, sent: float, received: float, clock: float) -> None:
        """Add an answer: when the ping was sent and the answer arrived, by our clock, s, and the server's in between, ticks."""
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
        """Return the ticks to be ahead of the server's clock so that actions arrive before it closes their tick, `delay` after its time."""
        return max(0.0, self._way - delay)

    def lag(self, delay: int) -> float:
        """Return the ticks to be behind the server's clock so that what it has closed has arrived."""
        return delay + 1 + _BUFFER_TICKS + self._way

    def follow(self, now: float, ahead: float) -> float:
        """Return the server's tick with so many ahead; a change of either is made up for slowly, a jump at once."""
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
        """Ticks that nine of ten messages take at most, one way."""
        return (0.5 * self._quantile(0.0) + self.jitter) * self.hertz

    def _quantile(self, share: float) -> float:
        trips = sorted(sample.round_trip for sample in self._samples)
        return trips[math.ceil(share * (len(trips) - 1))] if trips else 0.0
