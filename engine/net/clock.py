"""The server's clock, as seen from a client: told by pings, the best of the last seconds, and never jumping where it can slew.

An answer that was underway for r seconds says what the clock showed, give or take r / 2: half of it each way is the best guess, and the
quicker the answer the better the guess (Cristian 1989; NTP's clock filter, RFC 5905, 10, takes the least round trip of the last eight).
Two answers that cannot both be true, the intervals being apart, mean that one of the clocks has jumped: a laptop slept.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

__all__ = ["Clock"]

_SPAN_SECONDS = 5.0
"""For which an answer is believed: clocks that differ by 0.1 % come apart by a third of a tick in it."""
_SKEW = 2e-3
"""By which two clocks may differ in speed, for telling a jump from it."""
_SLEW = 0.05
"""Share by which time runs faster or slower until the difference is made up: nobody sees it."""
_JUMP_SECONDS = 0.5
"""Beyond which it would take too long."""
_BUFFER_TICKS = 2
"""Until the next message says what a lost one said, and the picture comes round."""
_SHARE_IN_TIME = 0.9
"""Share of the answers that the jitter must cover."""


class _Sample(NamedTuple):
    """An answer: when it came, how long it was underway, s, and the server's clock minus ours, ticks."""

    at: float
    round_trip: float
    offset: float


class Clock:
    """See the module.

    Parameters
    ----------
    hertz : float
        Ticks a second.
    """

    def __init__(self, hertz: float) -> None:
        self.hertz = hertz
        self._samples: deque[_Sample] = deque(maxlen=256)
        self._shift: float | None = None
        self._at = 0.0

    @property
    def is_set(self) -> bool:
        """True if an answer has come."""
        return bool(self._samples)

    @property
    def n_samples(self) -> int:
        """Answers that are believed."""
        return len(self._samples)

    @property
    def round_trip(self) -> float:
        """Seconds there and back, the median of the last; 0 before the first answer."""
        return self._quantile(0.5)

    @property
    def jitter(self) -> float:
        """Seconds by which nine of ten ways are at most longer than the shortest, one way."""
        return 0.5 * (self._quantile(_SHARE_IN_TIME) - self._quantile(0.0))

    @property
    def patience(self) -> float:
        """Seconds after which an answer must be taken as lost."""
        return self._quantile(1.0) + 0.05

    def note(self, sent: float, received: float, clock: float) -> None:
        """Take in an answer: when the question was sent and it came, by our clock, s, and the server's in between, ticks."""
        found = _Sample(received, max(received - sent, 0.0), clock - 0.5 * (sent + received) * self.hertz)
        if self._samples:
            best = self._best
            apart = abs(found.offset - best.offset) / self.hertz
            if apart > 0.5 * (found.round_trip + best.round_trip) + _SKEW * _SPAN_SECONDS:
                self._samples.clear()
        self._samples.append(found)
        while abs(received - self._samples[0].at) > _SPAN_SECONDS:
            self._samples.popleft()

    def tick(self, now: float) -> float:
        """Return what the server's clock shows now, in ticks, as far as can be told."""
        return now * self.hertz + self._best.offset

    def lead(self, delay: int) -> float:
        """Return the ticks to be ahead of the server's clock so that acts arrive before it closes their tick, `delay` after its time."""
        return max(0.0, (0.5 * self._quantile(0.0) + self.jitter) * self.hertz - delay)

    def lag(self, delay: int) -> float:
        """Return the ticks to be behind the server's clock so that what it has closed has come."""
        return delay + 1 + _BUFFER_TICKS + (0.5 * self._quantile(0.0) + self.jitter) * self.hertz

    def follow(self, now: float, ahead: float) -> float:
        """Let time pass, and return the server's tick with so many ahead; a change of either is made up for slowly, a jump at once."""
        wanted = self._best.offset + ahead
        if self._shift is None or abs(wanted - self._shift) > _JUMP_SECONDS * self.hertz:
            self._shift = wanted
        else:
            most = _SLEW * self.hertz * max(0.0, now - self._at)
            self._shift += min(max(wanted - self._shift, -most), most)
        self._at = now
        return now * self.hertz + self._shift

    @property
    def _best(self) -> _Sample:
        return min(self._samples, key=lambda one: one.round_trip)

    def _quantile(self, share: float) -> float:
        ways = sorted(one.round_trip for one in self._samples)
        return ways[math.ceil(share * (len(ways) - 1))] if ways else 0.0
