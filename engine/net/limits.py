"""Limits on what one client of a server may request: a client that exceeds them is dropped, and the others notice nothing.

Rates are limited by token buckets (Turner, "New directions in communications", IEEE Communications Magazine 24 (10), 1986): so many tokens
a second on average, and `_BURST` seconds' worth of them at once, for a connection that has stood still delivers everything together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Bucket", "Limits", "PasswordThrottle", "has_more_values"]

_BURST = 4.0
"""Seconds whose worth may come at once."""
_MAX_PAUSE = 600.0
"""Seconds that one address waits at most after wrong passwords."""
_FORGET_SECONDS = 3600.0
"""Seconds without a wrong password after which nothing is held against an address."""
_MAX_ADDRESSES = 4096
"""Addresses that are remembered, the last ones."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server, for each client unless it says otherwise.

    Attributes
    ----------
    connections : int
        Of all: 64 users, and those that have not said hello. Beyond, the oldest of those is dropped, of the address with most of them.
    half_open : int
        Connections from one address that have not said hello, TLS or not yet; beyond, the oldest is dropped.
    free_guesses : int
        Wrong passwords from one address without a pause.
    guess_seconds : float
        Pause after the next, in which none is looked at; doubled with each more, up to ten minutes.
    hello_seconds : float
        After which a connection that says no hello is dropped.
    silent_seconds : float
        After which a client that says nothing is dropped: a ping is due four times a second.
    joins_per_s : float
        New users, and those who come back, of all connections together.
    messages_per_s, bytes_per_s : float
        A drag at 240 Hz, a pointer at 60 Hz and 4 pings are 300 messages of 40 bytes. Two messages of the maximum size may come at once.
    values_per_act : int
        Numbers, texts and lists; a body of 64 polygons of 16 corners has 3,000.
    acts_per_tick : int
        More wait for the next tick.
    ticks_ahead : int
        Of the first open tick, for which an action may be meant; four windows at least.
    numbers_ahead : int
        By which an action's number may exceed the last one's.
    shapes_per_s : float
        Bodies, shapes and joints created. What comes at once may lie in one place: all pairs of 120 shapes cost Box2D one slow tick of
        half a second, those of 400 five seconds.
    denials_per_s : float
        Actions that are not applied, for guests may not do so or a limit is exceeded: beyond, the client is dropped.
    work : float
        Times that of a solver's defaults, by its counts of iterations and sub-steps, to which the settings may be changed: one tick of a
        million iterations would take minutes.
    bodies, shapes, joints : int
        Of its own, at a time.
    world_bodies, world_shapes : int
        Of the world, above which nobody creates another.
    state_share : float
        Share of the maximum size of a state, above which nobody creates anything: a larger state could not be sent to those who join.
    replies_per_s : float
        Bytes sent to one that asks again, repeated answers included.
    states_per_s : float
        Whole states sent to one that has none or asks again.
    states_at_once : int
        Whole states sent to all at one keyframe.
    processor_share : float
        Of one processor, for its messages and actions.
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
    """A token bucket: so many tokens a second, `_BURST` seconds' worth at the beginning and at most.

    Parameters
    ----------
    rate : float
        Tokens per second.
    now : float
        Seconds.
    capacity : float
        Minimum capacity, tokens.
    """

    __slots__ = ("_at", "_capacity", "_rate", "_tokens")

    def __init__(self, rate: float, now: float, capacity: float = 0.0) -> None:
        self._rate, self._at = rate, now
        self._capacity = self._tokens = max(_BURST * rate, capacity)

    def take(self, amount: float, now: float) -> bool:
        """Take tokens; False, and none is taken, where there are not so many."""
        self._tokens = min(self._capacity, self._tokens + self._rate * max(0.0, now - self._at))
        self._at = max(self._at, now)
        if amount > self._tokens:
            return False
        self._tokens -= amount
        return True


class PasswordThrottle:
    """Pauses after wrong passwords, twice as long each time, by address: `Limits.free_guesses`, `Limits.guess_seconds`.

    A good password of twelve letters stands up to any number of guesses over a network; this is for those of four.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._wrong: dict[str, tuple[int, float]] = {}
        """By address, the number of wrong passwords, and the time of the last."""

    def pause(self, origin: str, now: float) -> float:
        """Return the seconds for which passwords from an address are not looked at."""
        n, at = self._wrong.get(origin, (0, now))
        n -= self._limits.free_guesses
        return max(at + min(self._limits.guess_seconds * 2.0 ** min(n - 1, 60), _MAX_PAUSE) - now, 0.0) if n > 0 else 0.0

    def note_wrong(self, origin: str, now: float) -> None:
        """Note a wrong password; one without an address is of this very program."""
        if origin:
            n, at = self._wrong.pop(origin, (0, now))
            self._wrong[origin] = (n if now - at < _FORGET_SECONDS else 0) + 1, now
            if len(self._wrong) > _MAX_ADDRESSES:
                del self._wrong[next(iter(self._wrong))]

    def note_right(self, origin: str) -> None:
        """Note a right password: nothing is held against the address any more."""
        self._wrong.pop(origin, None)


def has_more_values(plain: object, max_values: int) -> bool:
    """Return True if plain data hold more than so many values, before anything else reads them."""
    waiting: list[Any] = [plain]
    n = 0
    while waiting and n <= max_values:
        value = waiting.pop()
        inner = value if isinstance(value, list) else [*value, *value.values()] if isinstance(value, dict) else ()
        n += 1 + len(inner)
        waiting.extend(part for part in inner if isinstance(part, list | dict))
    return n > max_values
