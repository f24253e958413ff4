"""Limits on what a client may send and create. A client that exceeds them is dropped without affecting the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Limits", "has_more_values"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server; per client unless stated otherwise.

    Attributes
    ----------
    connections : int
        Maximum number of connections in total: 64 users, and those without a hello. If exceeded, the oldest connection without a
        hello is dropped from the address that has the most of them.
    half_open : int
        Maximum number of connections from one address without a hello; if exceeded, the oldest is dropped.
    hello_seconds : float
        Time after which a connection without a hello is dropped.
    silent_seconds : float
        Time after which a silent client is dropped; clients ping four times a second.
    values_per_act : int
        Maximum number of values in an action (numbers, strings, lists); a body of 64 polygons with 16 vertices has 3,000.
    acts_per_tick : int
        Maximum number of actions per tick; more are moved to later ticks.
    ticks_ahead : int
        Maximum number of ticks by which an action's tick may exceed the first open one; at least four windows.
    numbers_ahead : int
        Maximum amount by which an action's number may exceed the next expected one.
    work : float
        Maximum work of solver settings, by iterations and sub-steps, relative to the defaults; a tick of a million iterations would take
        minutes.
    bodies, shapes, joints : int
        Maximum numbers that one user may own at a time.
    world_bodies, world_shapes : int
        Maximum numbers in the world, counting those of all users and of the demo.
    state_share : float
        Fraction of the maximum state size above which nothing may be created, because a larger state could not be sent to new clients.
    states_at_once : int
        Maximum number of states sent at one keyframe, to all clients together.
    """

    connections: int = 96
    half_open: int = 32
    hello_seconds: float = 10.0
    silent_seconds: float = 15.0
    values_per_act: int = 10_000
    acts_per_tick: int = 32
    ticks_ahead: int = 240
    numbers_ahead: int = 1_000
    work: float = 16.0
    bodies: int = 500
    shapes: int = 2_000
    joints: int = 500
    world_bodies: int = 5_000
    world_shapes: int = 20_000
    state_share: float = 0.8
    states_at_once: int = 8


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
