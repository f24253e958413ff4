"""Five rules for advancing time, and what each tests.

    step      |------------------------|------------------------|      looked at: the marks, or the whole way (=)
    discrete  o                        o                        o
    default   o========================o========================o      against walls only; at dynamic bodies as above
    bullet    o========================o========================o      against everything solid
    substeps  o        near a target:  o-----o-----o-----o------o
    swept     o                        o==========x=============o      x: the time of impact, found by us

The first three are Box2D's own, chosen by the world's continuous physics and the body's bullet flag. The other two leave Box2D
discrete and step its world in pieces.

**substeps.** A discrete step catches the bullet if it ends within ``reach = w/2 + r + skins`` before the target's middle
(`engine.experiments.tunneling`); none jumps over that stretch if none is longer. The pieces here are no longer than the thinnest
feature, ``min(2 r, w) <= (2 r + w)/2 < reach``: more than is needed, as engines do it, because it asks nothing about who meets whom. With a
closing speed u (both velocities, and the turning of both times their sizes) that makes ``n = ceil(u h / min(2 r, w))`` pieces of h/n,
counted anew each step from the present speeds of what the bullet's box can meet in it; far away n is 1. Box2D's cap of 2 m holds for a
piece, so n is at least ``v h / 2 m``; and as no step is shorter than 0.1 ms, at most 166 at 60 Hz.

**swept.** Before the step our time of impact is asked about every fixture that the bullet may meet. Is there none, the step is taken
whole. Otherwise the world is stepped just to the impact, where the bullet lies a little inside the other's skin, so that Box2D
sees the contact at the start of the next piece, as short as the world allows, and solves it: friction, restitution, the momentum of both.
Then the time that is left is spent in the same way. While the bullet touches something that turns, no test ahead can be trusted
(`engine.experiments.lookahead.look_ahead`), and the pieces are as short as sub-steps. Sensors are found too, and stop nothing. Four things
are not exact:

- the piece that solves a contact, 0.1 ms, is not looked into: 12 mm at 120 m/s;
- an impact less than 0.1 ms ahead cannot be stepped to. The bullet alone is put there, as the other's frame sees it, without time
  passing: it gains less than 0.1 ms on the rest of the world;
- a rest of less than 0.1 ms is not stepped either, but added to the next step;
- after `MAX_IMPACTS` impacts in one step the rest of it is dropped, as Box2D itself does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from engine.contracts import StepContacts
from engine.experiments.lookahead import PredictedImpact, look_ahead, swept_candidates, thinnest
from engine.experiments.range import Shot
from engine.experiments.spec import SHORTEST_STEP
from engine.geometry import Transform

__all__ = ["MAX_IMPACTS", "Impact", "Piece", "RuleCost", "RuleStepper"]

MAX_IMPACTS = 8
"""A count: impacts that one step may be cut at; Box2D's `b2_maxSubSteps`."""
_LONGEST_STEP = 1.0
"""Seconds: the longest step that the world takes."""
_PIECE_MARGIN = 1.0e-6
"""Ratio. A piece that would move the bullet by just Box2D's cap of 2 m is cut shorter by some roundings of float32, so that the cap
does not bite."""


@dataclass(frozen=True, slots=True)
class Impact:
    """A contact of the bullet and a body.

    Attributes
    ----------
    body : int
    step, fraction : int and float
        Steps completed before its poses were reached, and how much of the next, 0 to 1.
    time : float
        Seconds from the first step on.
    center : (x, y)
        The bullet's then.
    point, normal : (x, y) or None
        A contact point, and the unit normal onto the bullet; None where none is known.
    in_toi : bool
        Found at the time of impact inside a step, by Box2D or by our swept test; otherwise seen where a step, or a sub-step, had
        left the bodies.
    sensor : bool
        True for a sensor, which stops nothing.
    """

    body: int
    step: int
    fraction: float
    time: float
    center: tuple[float, float]
    point: tuple[float, float] | None = None
    normal: tuple[float, float] | None = None
    in_toi: bool = True
    sensor: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """One step that the world took within one step of the rule, between two fractions of it.

    `contacts` are computed where the piece began, at an impact of Box2D's inside it, or at its end (`ShotSpec.sees_step_end`).
    `impacts` are those that our swept test found: at most one that ends this piece, or that the bullet was put at before it, after the
    sensors on the way there.
    """

    contacts: StepContacts
    start: float = 0.0
    end: float = 1.0
    closes_step: bool = True
    impacts: tuple[Impact, ...] = ()


@dataclass(slots=True)
class RuleCost:
    """Cost of a rule: steps requested, steps that Box2D made of them, pairs tested by our swept test, impacts found,
    and seconds dropped after too many of them."""

    steps: int = 0
    world_steps: int = 0
    toi_queries: int = 0
    impacts: int = 0
    dropped: float = 0.0


class RuleStepper:
    """Takes a shot's world forward by whole steps of ``1 / hertz`` seconds, under its rule; our own rules look after the bullet only."""

    def __init__(self, shot: Shot) -> None:
        self.cost = RuleCost()
        self._world, self._spec, self._bullet = shot.world, shot.spec, shot.bullet
        self._dt = 1.0 / shot.spec.hertz
        self._carried = 0.0
        self._to_be_solved = False
        self._felt: set[int] = set()

    def step(self) -> Iterator[Piece]:
        """Take one step, and yield after each piece of it, the world standing at its end; to be followed to the last piece."""
        self.cost.steps += 1
        pieces = {"substeps": self._substeps, "swept": self._swept}.get(self._spec.rule)
        if pieces is None or not self._world.is_body(self._bullet):
            self.cost.world_steps += 1
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
            self.cost.world_steps += 1
            yield Piece(self._world.step(), k / n, (k + 1) / n, k == n - 1)

    def _n_substeps(self) -> int:
        """Return the pieces that this step is cut into."""
        world, bullet = self._world, self._bullet
        vx, vy = world.state(bullet).linear_velocity
        allowed = self._spec.longest_travel / self._spec.most_substeps * (1.0 - _PIECE_MARGIN)
        n_steps = math.ceil(math.hypot(vx, vy) * self._dt / allowed)
        own = thinnest(world.fixture(world.body(bullet).fixtures[0]).shape)
        for each in swept_candidates(world, bullet, self._dt, self._spec.most_substeps):
            n_steps = max(n_steps, math.ceil(each.closing_speed * self._dt / min(own, thinnest(each.shape))))
        return max(1, min(n_steps, self._spec.most_substeps))

    def _swept(self) -> Iterator[Piece]:
        total = min(self._dt + self._carried, _LONGEST_STEP)
        left, n_impacts = total, 0
        while True:
            impacts: list[Impact] = []
            impact, trusted = (None, SHORTEST_STEP) if self._to_be_solved else self._look_ahead(left, impacts, total)
            ahead = left if impact is None else impact.fraction * left
            if trusted < ahead:  # a touching pair turns: go on by a sub-step
                impact, ahead = None, trusted
            if impact is not None:
                n_impacts += 1
                impacts.append(self._impact(impact, total - left + ahead, total))
                if ahead < SHORTEST_STEP:
                    self._put_at(impact)
            is_reached = ahead >= SHORTEST_STEP and impact is not None
            if self._to_be_solved or ahead < SHORTEST_STEP:
                ahead = SHORTEST_STEP if left >= 2.0 * SHORTEST_STEP else left
            self._to_be_solved = is_reached
            rest = left - ahead
            too_many = n_impacts == MAX_IMPACTS
            closes = rest < SHORTEST_STEP or too_many
            self._carried = rest if closes and not too_many else 0.0
            self._set_duration(ahead)
            self.cost.world_steps += 1
            self.cost.dropped += rest if too_many else 0.0
            yield Piece(self._world.step(), 1.0 - left / total, 1.0 if closes else 1.0 - rest / total, closes, tuple(impacts))
            if closes:
                return
            left = rest

    def _look_ahead(self, left: float, impacts: list[Impact], total: float) -> tuple[PredictedImpact | None, float]:
        """Return the next impact that stops the bullet, and the seconds for which the answer is trusted; note sensors on the way."""
        near = list(swept_candidates(self._world, self._bullet, left))
        while True:
            ahead = look_ahead(self._world, self._bullet, left, near, self._felt)
            self.cost.toi_queries += ahead.n_asked
            impact = ahead.impact
            if impact is None or not impact.candidate.is_sensor:
                return impact, ahead.trusted
            self._felt.add(impact.candidate.body)
            impacts.append(self._impact(impact, total - left + impact.fraction * left, total))

    def _impact(self, impact: PredictedImpact, passed: float, total: float) -> Impact:
        """Note an impact after `passed` seconds of the step's `whole`."""
        self.cost.impacts += 1
        step, time, other = self.cost.steps - 1, self.cost.steps * self._dt - total + passed, impact.candidate
        where = impact.bullet.position, impact.point, impact.normal
        return Impact(other.body, step, passed / total, time, *where, sensor=other.is_sensor)

    def _put_at(self, impact: PredictedImpact) -> None:
        """Put the bullet where the other body, still at the start of its way, sees it at the impact."""
        start, there, here = impact.candidate.sweep.start, impact.other, impact.bullet
        position = start.apply(there.apply_inverse(here.position))
        turned = here.angle + start.angle - there.angle
        self._world.set_pose(self._bullet, Transform(position, turned).position, turned)

    def _set_duration(self, seconds: float) -> None:
        hertz = self._spec.hertz if seconds == self._dt else min(1.0 / seconds, 1.0 / SHORTEST_STEP)
        self._world.set_settings(hertz=max(hertz, 1.0 / _LONGEST_STEP))
