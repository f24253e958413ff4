"""Limits on what one client of a server may ask for: a client that asks for more is dropped, and the others notice nothing.

Rates are held by token buckets (Turner, "New directions in communications", IEEE Communications Magazine 24 (10), 1986): so much a second
on the average, and `BURST` seconds' worth of it at once, for a connection that has stood still brings everything together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.sim.action import Size

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = [
    "BURST",
    "Bucket",
    "Limits",
    "has_more_values",
    "loads",
    "owned",
]

BURST = 4.0
"""Seconds whose worth may come at once."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server, for each client unless it says otherwise.

    Attributes
    ----------
    connections : int
        Of all: 64 users, and those who have not said hello. When there are more, of the address from which most of those come, the one that
        has waited longest is cut off.
    half_open : int
        Connections from one address that have not said hello, TLS or not yet; when there are more the one that has waited longest is cut
        off.
    free_guesses : int
        Wrong passwords from one address without a pause.
    guess_seconds : float
        Pause after the next, in which none is looked at; twice as long after each more, up to ten minutes.
    hello_seconds : float
        Until a connection that says no hello is dropped.
    silent_seconds : float
        Until a client that says nothing any more is dropped: a ping is due four times a second.
    joins_per_s : float
        New users, and those who come back, of all connections together.
    messages_per_s, bytes_per_s : float
        A drag at 240 Hz, a pointer at 60 Hz and 4 pings are 300 messages of 40 bytes. Two messages of the greatest size may come at once.
    values_per_act : int
        Numbers, texts and lists; a body of 64 polygons of 16 corners has 3,000.
    acts_per_tick : int
        More wait for the next tick.
    ticks_ahead : int
        Of the first open tick, for which an act may be meant; four windows at least.
    numbers_ahead : int
        By which an act's number may lie beyond the last one's.
    shapes_per_s : float
        Bodies, shapes and joints created. What comes at once may lie in one place: all pairs of 120 shapes cost Box2D one slow tick of
        half a second, those of 400 five seconds.
    denials_per_s : float
        Acts that do not count, for guests may not do so or there is too much of it: who goes on faster is dropped.
    work : float
        Times that of a solver's defaults, by its counts of iterations and sub-steps, to which the settings may be changed: one tick of a
        million iterations would take minutes.
    bodies, shapes, joints : int
        Of its own that there may be at a time.
    world_bodies, world_shapes : int
        That the world may have, for someone to create another.
    replies_per_s : float
        Bytes sent to one that asks again, an act it has sent twice included.
    states_per_s : float
        Whole states sent to one that has none or asks again.
    states_at_once : int
        Whole states sent to all at one keyframe.
    processor_share : float
        Of one processor, that its messages and acts may take.
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
    replies_per_s: float = 128_000.0
    states_per_s: float = 0.5
    states_at_once: int = 8
    processor_share: float = 0.5


class Bucket:
    """So many tokens a second; `BURST` seconds' worth at the beginning and at the most."""

    __slots__ = ("_at", "_left", "most", "rate")

    def __init__(self, rate: float, now: float, most: float = 0.0) -> None:
        self.rate = rate
        self.most = self._left = max(BURST * rate, most)
        self._at = now

    def take(self, amount: float, now: float) -> bool:
        """Take tokens out; False, and nothing is taken, where there are not so many."""
        self._left = min(self.most, self._left + self.rate * max(0.0, now - self._at))
        self._at = max(self._at, now)
        if amount > self._left:
            return False
        self._left -= amount
        return True


def has_more_values(plain: object, most: int) -> bool:
    """Tell whether plain data hold more than so many values, before anything else looks at them."""
    waiting: list[Any] = [plain]
    found = 0
    while waiting and found <= most:
        one = waiting.pop()
        inner = one if isinstance(one, list) else [*one, *one.values()] if isinstance(one, dict) else ()
        found += 1 + len(inner)
        if found <= most:
            waiting.extend(some for some in inner if isinstance(some, list | dict))
    return found > most


def loads(demo: Demo, ids_of_a_user: int) -> dict[int, int]:
    """Return how much work each user's shapes make, 0 for the demo's own: a count of them, and of the contacts that they have."""
    found: Counter[int] = Counter()
    for stage in demo.stages:
        world = stage.world
        found.update(fixture // ids_of_a_user for fixture in world.fixture_ids)
        owners = np.maximum(world.contacts.fixture_a // ids_of_a_user, world.contacts.fixture_b // ids_of_a_user)
        found.update(owners.tolist())
    return found


def owned(demo: Demo, ids_of_a_user: int) -> tuple[dict[int, Size], Size]:
    """Return what there is of each user, by the ranges of ids, and of all together, the demo's own included."""
    found: dict[int, list[int]] = {}
    for stage in demo.stages:
        world = stage.world
        ids: tuple[Iterable[int], ...] = (world.body_ids, world.fixture_ids, world.joint_ids)
        for kind, some in enumerate(ids):
            for one in some:
                found.setdefault(one // ids_of_a_user, [0, 0, 0])[kind] += 1
    sizes = {user: Size(*counts) for user, counts in found.items()}
    total = Size()
    for size in sizes.values():
        total = total.plus(size)
    return sizes, total
