"""Limits on a client's requests. A client that exceeds them is dropped without affecting the others.

Rates are limited by token buckets (Turner, "New directions in communications", IEEE Communications Magazine 24 (10), 1986): an average
rate, plus a burst of `_BURST` seconds' worth of tokens, because a connection that has stalled delivers everything at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Bucket", "Limits", "PasswordThrottle", "has_more_values"]

_BURST = 4.0
"""Burst size of a bucket, in seconds of its rate."""
_MAX_PAUSE = 600.0
"""Maximum pause of an address after wrong passwords."""
_FORGET_SECONDS = 3600.0
"""Time without a wrong password after which an address's count is reset."""
_MAX_ADDRESSES = 4096
"""Maximum number of addresses with wrong passwords to remember; the oldest are dropped."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server; per client unless stated otherwise.

    Attributes
    ----------
    connections : int
        Maximum number of connections in total: 64 users, and those without a hello. If exceeded, the oldest connection without a
        hello is dropped from the address that has the most of them.
    half_open : int
        Maximum number of connections from one address without a hello, with or without TLS; if exceeded, the oldest is dropped.
    free_guesses : int
        Number of wrong passwords from one address that cause no pause.
    guess_seconds : float
        Pause after the next wrong password, during which passwords are rejected unchecked; doubled with each further one, up to ten
        minutes.
    hello_seconds : float
        Time after which a connection without a hello is dropped.
    silent_seconds : float
        Time after which a silent client is dropped; clients ping four times a second.
    joins_per_s : float
        Rate at which users join or return, over all connections together.
    messages_per_s, bytes_per_s : float
        Maximum rates of messages and of message bytes. A drag at 240 Hz, a pointer at 60 Hz and 4 pings make 300 messages of 40 bytes per
        second. A burst may contain two messages of the maximum size.
    values_per_act : int
        Maximum number of values in an action (numbers, strings, lists); a body of 64 polygons with 16 vertices has 3,000.
    acts_per_tick : int
        Maximum number of actions per tick; more are moved to later ticks.
    ticks_ahead : int
        Maximum number of ticks by which an action's tick may exceed the first open one; at least four windows.
    numbers_ahead : int
        Maximum amount by which an action's number may exceed the next expected one.
    shapes_per_s : float
        Rate at which bodies, shapes and joints are created. All shapes of a burst may overlap in one place. All pairs of 120
        shapes cost Box2D one tick of half a second; all pairs of 400 shapes cost five seconds.
    denials_per_s : float
        Rate of denied actions above which the client is dropped.
    work : float
        Maximum work of solver settings, by iterations and sub-steps, relative to the defaults; a tick of a million iterations would take
        minutes.
    bodies, shapes, joints : int
        Maximum numbers that one user may own at a time.
    world_bodies, world_shapes : int
        Maximum numbers in the world, counting those of all users and of the demo.
    state_share : float
        Fraction of the maximum state size above which nothing may be created, because a larger state could not be sent to new clients.
    replies_per_s : float
        Bytes per second of resent messages.
    states_per_s : float
        Rate at which states are sent to one client.
    states_at_once : int
        Maximum number of states sent at one keyframe, to all clients together.
    processor_share : float
        Fraction of one processor that a client's messages and actions may use.
    """

    connections: int = 96
    half_open: int = 32
    free_guesses: int = 5
    guess_seconds: float = 1.0
    hello_seconds: float = 10.0
    silent_seconds: float = 15.0
    joins_per_s: float = 8.0
    messages_per_s: float = 600.0
    bytes_per_s: float = 32_000.0
    values_per_act: int = 10_000
    acts_per_tick: int = 32
    ticks_ahead: int = 240
    numbers_ahead: int = 1_000
    shapes_per_s: float = 30.0
    denials_per_s: float = 5.0
    work: float = 16.0
    bodies: int = 500
    shapes: int = 2_000
    joints: int = 500
    world_bodies: int = 5_000
    world_shapes: int = 20_000
    state_share: float = 0.8
    replies_per_s: float = 128_000.0
    states_per_s: float = 0.5
    states_at_once: int = 8
    processor_share: float = 0.5


class Bucket:
    """A token bucket with a capacity of `_BURST` seconds of its rate, initially full.

    Parameters
    ----------
    rate : float
        Tokens per second.
    now : float
        Present time, s.
    capacity : float
        Minimum capacity, tokens.
    """

    __slots__ = ("_at", "_capacity", "_rate", "_tokens")

    def __init__(self, rate: float, now: float, capacity: float = 0.0) -> None:
        self._rate, self._at = rate, now
        self._capacity = self._tokens = max(_BURST * rate, capacity)

    def take(self, amount: float, now: float) -> bool:
        """Take `amount` tokens and return True; take none and return False if there are too few."""
        self._tokens = min(self._capacity, self._tokens + self._rate * max(0.0, now - self._at))
        self._at = max(self._at, now)
        if amount > self._tokens:
            return False
        self._tokens -= amount
        return True


class PasswordThrottle:
    """Makes an address pause after wrong passwords, twice as long each time (`Limits.free_guesses`, `Limits.guess_seconds`).

    The pauses protect short passwords; guessing a random password of twelve letters over a network is infeasible anyway.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._wrong: dict[str, tuple[int, float]] = {}
        """Number of wrong passwords and time of the last one, by address."""

    def pause(self, origin: str, now: float) -> float:
        """Return for how many more seconds passwords from an address are rejected unchecked."""
        n, at = self._wrong.get(origin, (0, now))
        n -= self._limits.free_guesses
        return max(at + min(self._limits.guess_seconds * 2.0 ** min(n - 1, 60), _MAX_PAUSE) - now, 0.0) if n > 0 else 0.0

    def note_wrong(self, origin: str, now: float) -> None:
        """Record a wrong password; ignored if `origin` is empty, which means this process."""
        if origin:
            n, at = self._wrong.pop(origin, (0, now))
            self._wrong[origin] = (n if now - at < _FORGET_SECONDS else 0) + 1, now
            if len(self._wrong) > _MAX_ADDRESSES:
                del self._wrong[next(iter(self._wrong))]

    def note_right(self, origin: str) -> None:
        """Reset an address's count after a correct password."""
        self._wrong.pop(origin, None)


def has_more_values(plain: object, max_values: int) -> bool:
    """Return True if plain data contains more than `max_values` values; used before it is decoded further."""
    waiting: list[Any] = [plain]
    n = 0
    while waiting and n <= max_values:
        value = waiting.pop()
        inner = value if isinstance(value, list) else [*value, *value.values()] if isinstance(value, dict) else ()
        n += 1 + len(inner)
        waiting.extend(part for part in inner if isinstance(part, list | dict))
    return n > max_values
