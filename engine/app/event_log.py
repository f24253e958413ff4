"""Contact events between bodies by step: pairs that started and stopped touching, and their approach speeds."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.common.limits import VELOCITY_THRESHOLD
from engine.contracts import PairEvent, StepContacts

if TYPE_CHECKING:
    from engine.sim.stage import Stage

__all__ = ["KINDS", "Event", "EventLog"]

Velocity = Callable[[int, int, int], tuple[tuple[float, float], tuple[float, float], float] | None]
"""Maps stage, body and step to its center, its velocity and its angular velocity, if known (`TimeSeries.velocity`)."""

Kind = Literal["impact", "begin", "end"]
KINDS: tuple[Kind, ...] = ("impact", "begin", "end")

MAX_EVENTS = 20_000
_DROPPED_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Event:
    """Two bodies started or stopped touching in `step` of the history.

    `speed` is the approach speed of their surfaces along the normal before the step, m/s; NaN if unknown: for an end, for a sensor, and for
    a pair that touched only within one step. A beginning faster than 1 m/s, Box2D's threshold for bouncing, is an impact.

    If several fixtures of two bodies begin to touch in one step, that is one event with the number of `pairs` and the speed of the fastest.
    """

    step: int
    kind: Kind
    stage: int
    body_a: int
    body_b: int
    speed: float
    sensor: bool
    pairs: int = 1

    def is_about(self, stage: int, body: int) -> bool:
        """Return True if a body is one of the two."""
        return self.stage == stage and body in (self.body_a, self.body_b)


class EventLog:
    """The events of a history, ascending by step; the oldest are dropped when there are too many."""

    def __init__(self, most: int = MAX_EVENTS) -> None:
        self.events: list[Event] = []
        self._most = most
        self._last = 0

    def note(self, step: int, stages: list[Stage], velocity: Velocity) -> None:
        """Record what the last step of every world reported, if it is a new step."""
        if step <= self._last:
            return
        self._last = step
        for k, stage in enumerate(stages):
            contacts = stage.world.contacts
            self.events += _joined([_begin(step, k, pair, contacts, velocity) for pair in contacts.began])
            ended = [Event(step, "end", k, pair.body_a, pair.body_b, float("nan"), pair.sensor) for pair in contacts.ended]
            self.events += _joined(ended)
        if len(self.events) > self._most:
            del self.events[: len(self.events) - self._most + min(_DROPPED_AT_ONCE, self._most // 2)]

    def cut(self, last: int) -> None:
        """Discard the events after step `last`."""
        if last < self._last:
            self._last = last
            del self.events[self.until(last) :]

    def until(self, step: int) -> int:
        """Return the number of events up to a step."""
        return bisect_right(self.events, step, key=lambda event: event.step)


def _joined(events: list[Event]) -> list[Event]:
    """Return the events of one step, one per pair of bodies and separate for sensors: the fastest event, with the number of its pairs.

    The order of two bodies is not fixed: for a polygon and a disc, Box2D names the body with the polygon first.
    """
    joined: dict[tuple[int, int, bool], Event] = {}
    for event in events:
        key = (min(event.body_a, event.body_b), max(event.body_a, event.body_b), event.sensor)
        known = joined.get(key)
        if known is None:
            joined[key] = event
        else:
            fastest = event if event.speed > known.speed or math.isnan(known.speed) else known
            joined[key] = replace(fastest, pairs=known.pairs + 1)
    return list(joined.values())


def _begin(step: int, stage: int, pair: PairEvent, contacts: StepContacts, velocity: Velocity) -> Event:
    speed = float("nan") if pair.sensor else _closing_speed(step, stage, pair, contacts, velocity)
    kind: Kind = "impact" if speed > VELOCITY_THRESHOLD else "begin"
    return Event(step, kind, stage, pair.body_a, pair.body_b, speed, pair.sensor)


def _closing_speed(step: int, stage: int, pair: PairEvent, contacts: StepContacts, velocity: Velocity) -> float:
    """Return the approach speed of A and B at the contact's middle, ``-(v_b + w_b x r_b - v_a - w_a x r_a) . n``, before the step."""
    before = velocity(stage, pair.body_a, step - 1), velocity(stage, pair.body_b, step - 1)
    row = _row_of(pair, contacts)
    if row is None or before[0] is None or before[1] is None:
        return float("nan")
    x, y = contacts.position[row, : contacts.count[row]].mean(axis=0).tolist()
    velocities = [(vx - spin * (y - center_y), vy + spin * (x - center_x)) for (center_x, center_y), (vx, vy), spin in filter(None, before)]
    normal_x, normal_y = contacts.normal[row].tolist()
    (ax, ay), (bx, by) = velocities
    return float((ax - bx) * normal_x + (ay - by) * normal_y)


def _row_of(pair: PairEvent, contacts: StepContacts) -> int | None:
    """Return the row of a pair that touches after the step."""
    row = int(np.searchsorted(contacts.fixture_a, pair.fixture_a))
    while row < len(contacts) and contacts.fixture_a[row] == pair.fixture_a:
        if contacts.fixture_b[row] == pair.fixture_b and contacts.count[row] > 0:
            return row
        row += 1
    return None
