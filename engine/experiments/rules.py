"""Five rules by which time may go on, and what each looks at.

    step      |------------------------|------------------------|      looked at: the marks, or the whole way (=)
    discrete  o                        o                        o
    default   o========================o========================o      against walls only; at dynamic bodies as above
    bullet    o========================o========================o      against everything solid
    substeps  o        near a target:  o-----o-----o-----o------o
    swept     o                        o==========x=============o      x: the time of impact, found by us

The first three are Box2D's own, chosen by the world's continuous physics and the body's bullet flag. The other two leave Box2D
discrete and step its world in pieces.

**substeps.** A discrete step catches the bullet if it ends within ``reach = w/2 + r + skins`` before the target's middle
(`engine.experiments.prediction`); none jumps over that stretch if none is longer. The pieces here are no longer than the thinnest
feature, ``min(2 r, w)``: the smaller of two numbers is at most their mean ``(2 r + w)/2 < reach``. That is more than is needed, as engines
do it, because it asks nothing about who meets whom. With a closing speed u (both velocities, and the turning of both times their
sizes) that makes ``n = ceil(u h / min(2 r, w))`` pieces of h/n. It is adaptive: n is counted anew each step, from the present speeds, of
what the bullet's box can meet in this step; far away n is 1. Box2D's cap of 2 m holds for a piece, so n is at least ``v h / 2 m``.
The world takes no step shorter than 0.1 ms, and this limits n: at 60 Hz to 166.

**swept.** Before the step our time of impact is asked about every fixture that the bullet may meet. Is there none, the step is taken
whole. Otherwise the world is stepped just to the impact, where the bullet lies a little inside the other's skin, so that Box2D
sees the contact at the start of the next piece and solves it: friction, restitution, the momentum of both. Nothing is reflected by
hand. That piece is as short as the world allows, because before it nobody knows how the bullet goes on. Then the time that is left is
spent in the same way. While the bullet touches something that turns, no test ahead can be trusted
(`engine.experiments.meeting.look_ahead`), and the pieces are as short as sub-steps. Sensors are found too, and stop nothing. Four things
are not exact:

- the piece that solves a contact, 0.1 ms, is not looked into: 12 mm at 120 m/s;
- an impact less than 0.1 ms ahead cannot be stepped to. The bullet alone is put there, as the other's frame sees it, without time
  passing: it gains less than 0.1 ms on the rest of the world;
- a rest of less than 0.1 ms is not stepped either, but added to the next step;
- after `MOST_IMPACTS` impacts in one step the rest of it is dropped, as Box2D itself does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine.contracts import StepContacts
from engine.experiments.meeting import Meeting, look_ahead, swept_candidates, thinnest
from engine.experiments.spec import SHORTEST_STEP, ShotSpec
from engine.geometry import Transform
from engine.world import World

__all__ = ["MOST_IMPACTS", "Piece", "RuleCost", "RuleStepper", "SweptImpact"]

MOST_IMPACTS = 8
"""A count: impacts that one step may be cut at; Box2D's `b2_maxSubSteps`."""
_LONGEST_STEP = 1.0
"""Seconds: the longest step that the world takes."""
_PIECE_MARGIN = 1.0e-6
"""Ratio. A piece that would move the bullet by just Box2D's cap of 2 m is cut shorter by some roundings of float32, so that the cap
does not bite."""


@dataclass(frozen=True, slots=True)
class SweptImpact:
    """The touch of the bullet and a body, found by our own swept test.

    Attributes
    ----------
    body : int
    time : float
        Seconds from the first step on.
    fraction : float
        Of the step, 0 to 1.
    center : (x, y)
        The bullet's, at the impact.
    point, normal : (x, y) or None
        On the other's surface, and unit, out of it onto the bullet; None where the two overlap too deep for a nearest point.
    sensor : bool
        It was felt, and stopped nothing.
    """

    body: int
    time: float
    fraction: float
    center: tuple[float, float]
    point: tuple[float, float] | None
    normal: tuple[float, float] | None
    sensor: bool


@dataclass(frozen=True, slots=True)
class Piece:
    """One step that the world took within one step of the rule.

    Attributes
    ----------
    contacts : StepContacts
        Computed where the piece began, or at an impact of Box2D's inside it.
    start, end : float
        Fractions of the step.
    closes_step : bool
        Whether it is the step's last.
    impacts : tuple of SweptImpact
        What our swept test found: at most one that ends this piece, or that the bullet was put at before it, after the sensors on
        the way there.
    """

    contacts: StepContacts
    start: float = 0.0
    end: float = 1.0
    closes_step: bool = True
    impacts: tuple[SweptImpact, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleCost:
    """What a rule spent: steps asked for, steps that Box2D made of them, pairs that our swept test looked at, impacts that it found,
    and seconds that were dropped after too many of them."""

    steps: int = 0
    world_steps: int = 0
    toi_queries: int = 0
    impacts: int = 0
    dropped: float = 0.0


class RuleStepper:
    """Takes a world forward by whole steps of ``1 / hertz`` seconds, under the rule of a shot.

    Parameters
    ----------
    world : World
        Made with `range_settings`.
    spec : ShotSpec
    bullet : int
        Its body; the rules of our own look after this one only.

    Attributes
    ----------
    cost : RuleCost
        Up to now.
    """

    def __init__(self, world: World, spec: ShotSpec, bullet: int) -> None:
        self.cost = RuleCost()
        self._world, self._spec, self._bullet = world, spec, bullet
        self._dt = 1.0 / spec.hertz
        self._carried = 0.0
        self._to_be_solved = False
        self._felt: set[int] = set()

    def step(self) -> Iterator[Piece]:
        """Take one step, and yield after each piece of it, the world standing at its end; to be followed to the last piece."""
        self._count(steps=1)
        pieces = {"substeps": self._substeps, "swept": self._swept}.get(self._spec.rule)
        if pieces is None or not self._world.is_body(self._bullet):
            self._count(world_steps=1)
            yield Piece(self._world.step())
            return
        try:
            yield from pieces()
        finally:
            self._set_duration(self._dt)

    def _substeps(self) -> Iterator[Piece]:
        n = self._n_substeps()
        self._set_duration(self._dt / n)
        for k in range(n):
            self._count(world_steps=1)
            yield Piece(self._world.step(), k / n, (k + 1) / n, k == n - 1)

    def _n_substeps(self) -> int:
        """Return the pieces that this step is cut into."""
        world, bullet = self._world, self._bullet
        vx, vy = world.state(bullet).linear_velocity
        allowed = self._spec.longest_travel / self._spec.most_substeps * (1.0 - _PIECE_MARGIN)
        wanted = math.ceil(math.hypot(vx, vy) * self._dt / allowed)
        own = thinnest(world.fixture(world.body(bullet).fixtures[0]).shape)
        for each in swept_candidates(world, bullet, self._dt, self._spec.most_substeps):
            wanted = max(wanted, math.ceil(each.closing_speed * self._dt / min(own, thinnest(each.shape))))
        return max(1, min(wanted, self._spec.most_substeps))

    def _swept(self) -> Iterator[Piece]:
        whole = min(self._dt + self._carried, _LONGEST_STEP)
        left, n_meetings = whole, 0
        while True:
            found: list[SweptImpact] = []
            meeting, trusted = (None, SHORTEST_STEP) if self._to_be_solved else self._look_ahead(left, found, whole)
            ahead = left if meeting is None else meeting.fraction * left
            if trusted < ahead:  # a touching pair turns: go on by a sub-step
                meeting, ahead = None, trusted
            if meeting is not None:
                n_meetings += 1
                found.append(self._impact(meeting, whole - left + ahead, whole))
                if ahead < SHORTEST_STEP:
                    self._put_at(meeting)
            is_reached = ahead >= SHORTEST_STEP and meeting is not None
            if self._to_be_solved or ahead < SHORTEST_STEP:
                ahead = SHORTEST_STEP if left >= 2.0 * SHORTEST_STEP else left
            self._to_be_solved = is_reached
            rest = left - ahead
            too_many = n_meetings == MOST_IMPACTS
            closes = rest < SHORTEST_STEP or too_many
            self._carried = rest if closes and not too_many else 0.0
            self._set_duration(ahead)
            self._count(world_steps=1, dropped=rest if too_many else 0.0)
            yield Piece(self._world.step(), 1.0 - left / whole, 1.0 if closes else 1.0 - rest / whole, closes, tuple(found))
            if closes:
                return
            left = rest

    def _look_ahead(self, left: float, found: list[SweptImpact], whole: float) -> tuple[Meeting | None, float]:
        """Return the next meeting that stops the bullet, and the seconds for which the answer is trusted; note sensors on the way."""
        near = list(swept_candidates(self._world, self._bullet, left))
        while True:
            ahead = look_ahead(self._world, self._bullet, left, near, self._felt)
            self._count(toi_queries=ahead.n_asked)
            meeting = ahead.meeting
            if meeting is None or not meeting.candidate.is_sensor:
                return meeting, ahead.trusted
            self._felt.add(meeting.candidate.body)
            found.append(self._impact(meeting, whole - left + meeting.fraction * left, whole))

    def _impact(self, meeting: Meeting, passed: float, whole: float) -> SweptImpact:
        """Note an impact after `passed` seconds of the step's `whole`."""
        self._count(impacts=1)
        time = self.cost.steps * self._dt - whole + passed
        sensor = meeting.candidate.is_sensor
        return SweptImpact(meeting.candidate.body, time, passed / whole, meeting.bullet.position, meeting.point, meeting.normal, sensor)

    def _put_at(self, meeting: Meeting) -> None:
        """Put the bullet where the other body, still at the start of its way, sees it at the impact."""
        start, there, here = meeting.candidate.sweep.start, meeting.other, meeting.bullet
        position = start.apply(there.apply_inverse(here.position))
        turned = here.angle + start.angle - there.angle
        self._world.set_pose(self._bullet, Transform(position, turned).position, turned)

    def _set_duration(self, seconds: float) -> None:
        hertz = self._spec.hertz if seconds == self._dt else min(1.0 / seconds, 1.0 / SHORTEST_STEP)
        self._world.set_settings(hertz=max(hertz, 1.0 / _LONGEST_STEP))

    def _count(self, steps: int = 0, world_steps: int = 0, toi_queries: int = 0, impacts: int = 0, dropped: float = 0.0) -> None:
        old = self.cost
        self.cost = RuleCost(
            old.steps + steps,
            old.world_steps + world_steps,
            old.toi_queries + toi_queries,
            old.impacts + impacts,
            old.dropped + dropped,
        )
