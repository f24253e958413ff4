"""Five rules for advancing time, and the tests that each performs.

    step      |------------------------|------------------------|      tested: the marks, or the whole path (=)
    discrete  o                        o                        o
    default   o========================o========================o      against walls only; at dynamic bodies as above
    bullet    o========================o========================o      against everything solid
    substeps  o        near a target:  o-----o-----o-----o------o
    swept     o                        o==========x=============o      x: the time of impact, found by us

The first three are Box2D's own, chosen by the world's continuous physics and the body's bullet flag. The other two use discrete Box2D and
step its world in pieces.

**substeps.** A discrete step catches the bullet if it ends within ``reach = w/2 + r + skins`` before the target's middle
(`engine.experiments.tunneling`); no step jumps over that interval if none is longer. The pieces here are no longer than the thinnest
feature, ``min(2 r, w) <= (2 r + w)/2 < reach``: more than necessary, but usual in engines, because it is independent of the pairs. With a
closing speed u (both velocities, and both angular velocities times the sizes) there are ``n = ceil(u h / min(2 r, w))`` pieces of h/n,
recomputed in each step from the present speeds of the bodies that the bullet's box can meet; far away n is 1. Box2D's cap of 2 m applies to
a piece, so n is at least ``v h / 2 m``; and since no step is shorter than 0.1 ms, at most 166 at 60 Hz.

**swept.** Before the step, our time of impact tests every fixture that the bullet can meet. Without an impact, the step is taken whole.
Otherwise the world is stepped to the impact, where the bullet is slightly inside the other's skin, so that Box2D detects the contact at the
start of the next piece, which is as short as possible, and solves it with friction, restitution and the momentum of both. The remaining
time is handled in the same way. While the bullet touches a rotating body, no test ahead is valid
(`engine.experiments.lookahead.look_ahead`), and the pieces are as short as sub-steps. Sensors are detected too, but stop nothing. Four
approximations remain:

- the piece that solves a contact, 0.1 ms, is not tested: 12 mm at 120 m/s;
- an impact less than 0.1 ms ahead cannot be reached by a step. Only the bullet is moved there, in the other's frame, without advancing
  time: it gains less than 0.1 ms on the rest of the world;
- a remainder of less than 0.1 ms is added to the next step;
- after `MAX_IMPACTS` impacts in one step, its remainder is dropped, as in Box2D.
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
"""Maximum number of impacts at which one step is divided; Box2D's `b2_maxSubSteps`."""
_LONGEST_STEP = 1.0
"""Longest step of the world, seconds."""
_PIECE_MARGIN = 1.0e-6
"""Ratio by which a piece that would move the bullet by exactly Box2D's cap of 2 m is shortened, some float32 roundings, so that the cap has
no effect.
"""


@dataclass(frozen=True, slots=True)
class Impact:
    """A contact of the bullet and a body.

    Attributes
    ----------
    body : int
    step, fraction : int and float
        Number of steps completed before its poses, and fraction of the next step, 0 to 1.
    time : float
        Seconds since the first step began.
    center : (x, y)
        The bullet's center at that time.
    point, normal : (x, y) or None
        A contact point, and the unit normal toward the bullet; None if unknown.
    in_toi : bool
        True if found at a time of impact within a step, by Box2D or by our swept test; False if found at the end of a step or sub-step.
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
    """One step of the world within one step of the rule, between two fractions of it.

    `contacts` are computed at the start of the piece, at one of Box2D's impacts within it, or at its end (`ShotSpec.sees_step_end`).
    `impacts` are those of our swept test: the sensors on the path, followed by at most one impact that ends this piece, or to which the
    bullet was moved before it.
    """

    contacts: StepContacts
    start: float = 0.0
    end: float = 1.0
    closes_step: bool = True
    impacts: tuple[Impact, ...] = ()


@dataclass(slots=True)
class RuleCost:
    """Cost of a rule: numbers of requested steps, of Box2D's steps, of pairs tested by our swept test, and of impacts, and the seconds
    dropped after too many impacts.
    """

    steps: int = 0
    world_steps: int = 0
    toi_queries: int = 0
    impacts: int = 0
    dropped: float = 0.0


class RuleStepper:
    """Advances a shot's world by whole steps of ``1 / hertz`` seconds, under its rule; our own rules test only the bullet."""

    def __init__(self, shot: Shot) -> None:
        self.cost = RuleCost()
        self._world, self._spec, self._bullet = shot.world, shot.spec, shot.bullet
        self._dt = 1.0 / shot.spec.hertz
        self._carried = 0.0
        self._to_be_solved = False
        self._felt: set[int] = set()

    def step(self) -> Iterator[Piece]:
        """Take one step, and yield after each piece of it, with the world at the piece's end; the iterator must be exhausted."""
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
        """Return the pieces into which this step is divided."""
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
            if trusted < ahead:  # a touching pair rotates, so continue by a sub-step
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
        """Return the next impact that stops the bullet, and the seconds for which it is valid; record sensors on the path."""
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
        """Record an impact after `passed` seconds of the step's `whole`."""
        self.cost.impacts += 1
        step, time, other = self.cost.steps - 1, self.cost.steps * self._dt - total + passed, impact.candidate
        where = impact.bullet.position, impact.point, impact.normal
        return Impact(other.body, step, passed / total, time, *where, sensor=other.is_sensor)

    def _put_at(self, impact: PredictedImpact) -> None:
        """Move the bullet to its position at the impact relative to the other body, which is still at the start of its path."""
        start, there, here = impact.candidate.sweep.start, impact.other, impact.bullet
        position = start.apply(there.apply_inverse(here.position))
        turned = here.angle + start.angle - there.angle
        self._world.set_pose(self._bullet, Transform(position, turned).position, turned)

    def _set_duration(self, seconds: float) -> None:
        hertz = self._spec.hertz if seconds == self._dt else min(1.0 / seconds, 1.0 / SHORTEST_STEP)
        self._world.set_settings(hertz=max(hertz, 1.0 / _LONGEST_STEP))
