"""Watching a shot, step by step: where the bullet was, what it touched, whether it came out at the back.

Touching in time and being stopped are two things. A heavy bullet that strikes a thin plate in time pushes it on and keeps nearly
all of its speed. **Stopped** means, at the end of a step after a contact that pushed the bullet back from the near side:

    in the target's frame   it comes no nearer: against the contact's normal it is at most 1/20 of its speed faster than the
                            place of the struck body that is beside it
    in the world's frame    the target took at least half of the speed with which it came against that normal

The first alone would call any bullet stopped that pushes something on; the second alone, one that is flying through. So the
bullet of the free plate is stopped, though both drift on together, at the speed that their common momentum leaves; and so is
one that slides on along the wall that it met at an angle.

**Tunneled** is judged in the panel's own frame: `engine.experiments.sides`.

A step may come in pieces (`engine.experiments.rules.Piece`); positions are counted by steps, contacts and passages by pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum

from engine.contracts import StepContacts
from engine.experiments.first_contact import ContactSearch, Impact, dot, normal_onto
from engine.experiments.range import Panel
from engine.experiments.rules import Piece, SweptImpact
from engine.experiments.sides import TURN, Sides
from engine.experiments.spec import ShotSpec
from engine.world import World

__all__ = ["SETTLING_STEPS", "STEPS_BEHIND", "TURN", "Outcome", "ShotWatch", "flight_steps"]

Point = tuple[float, float]

_STILL_APPROACHING = 0.05
"""Share of the bullet's speed by which it may be faster than what stopped it: solver iterations, spinning planks."""
_MOST_SPEED_KEPT = 0.5
SETTLING_STEPS = 15
"""Steps watched after the first contact: a bullet that a plate had not really stopped would be through by then."""
_DECIDING_STEPS = 3
"""Steps after the first contact by which one that was not stopped is known to fly on."""
STEPS_BEHIND = 2
"""Steps watched after the bullet came to lie behind: only the next one tells whether it still touches the far face."""
_MARGIN_STEPS = 8
"""Steps watched after the bullet should have passed the middle plane."""


class Outcome(Enum):
    """What a shot has come to so far; see the module for stopped."""

    IN_FLIGHT = "in flight"
    TUNNELED = "tunneled"
    """Its centre came to lie beyond the target's far face, in the target's own frame, with or without a contact."""
    STOPPED = "stopped"
    FLIES_ON = "flies on"
    """It touched the target in time, and pushes it on or broke through, with more than half of its speed."""
    MISSED = "missed"
    """It is past the target and never touched it."""
    DOES_NOT_MOVE = "does not move"


class ShotWatch:
    """What one shot did so far; call `observe` after each step of the world, or after each piece of a step.

    Parameters
    ----------
    world : World
        Between two steps, the bullet at the muzzle.
    spec : ShotSpec
    bullet : int
        Its body.
    panels : iterable of Panel
        What it may tunnel through.

    Attributes
    ----------
    positions : list of (x, y)
        The bullet's centre after 0, 1, 2... steps.
    pieces : list of (x, y)
        The bullet's centre where the last step began and at the ends of its pieces.
    impacts : list of SweptImpact
        All that our swept test found.
    hit : Impact or None
        The first contact with a panel.
    stop : Impact or None
        The contact that stopped it.
    speed : float
        The bullet's present speed along the line of fire, m/s, negative when it was thrown back.
    jump : int or None
        The step number k after which the bullet came to lie behind: between positions k and k + 1 its centre passed a
        panel's far face, in the panel's own frame and within the panel's height.
    """

    def __init__(self, world: World, spec: ShotSpec, bullet: int, panels: Iterable[Panel]) -> None:
        self.spec = spec
        self.bullet = bullet
        self.panels = tuple(panels)
        self.hit: Impact | None = None
        self.stop: Impact | None = None
        self.jump: int | None = None
        self.speed = spec.flown_speed
        self.impacts: list[SweptImpact] = []
        self._pushed_back: Impact | None = None
        self._hit_after = self._stopped_after = 0
        self._last_step = flight_steps(spec)
        self._world = world
        self._bodies = {panel.body: panel for panel in self.panels}
        self._flight = spec.direction * math.cos(spec.angle), -math.sin(spec.angle)
        self._search = ContactSearch(world, spec, bullet, self._bodies, self._flight)
        self.positions: list[Point] = [world.state(bullet).position]
        self.pieces: list[Point] = self.positions[:]
        self._sides = Sides(world, spec, self.panels, self.positions[0])

    @property
    def steps(self) -> int:
        """Steps watched."""
        return len(self.positions) - 1

    @property
    def outcome(self) -> Outcome:
        """What came of it so far."""
        if self.jump is not None:
            return Outcome.TUNNELED
        if self.stop is not None:
            return Outcome.STOPPED
        if self.positions[-1] == self.positions[0] and (self.spec.travel == 0.0 or self.is_over):
            return Outcome.DOES_NOT_MOVE
        if self.hit is not None:
            return Outcome.FLIES_ON if self.steps >= self._hit_after + _DECIDING_STEPS else Outcome.IN_FLIGHT
        return Outcome.MISSED if self.is_over else Outcome.IN_FLIGHT

    @property
    def is_decided(self) -> bool:
        """Whether there is an outcome."""
        return self.outcome is not Outcome.IN_FLIGHT

    @property
    def is_over(self) -> bool:
        """Whether the shot needs no watching any more; at the latest some sixty steps after it was fired."""
        return self.steps >= self._last_step

    @property
    def is_past(self) -> bool:
        """Whether the bullet's centre is beyond where the target stood, and beyond the middle of every body still near its way."""
        x, direction = self.positions[-1][0], self.spec.direction
        if direction * x <= 0.5 * self.spec.thickness:
            return False
        ahead = [self._world.state(panel.body).position for panel in self.panels if self._world.is_body(panel.body)]
        return not any(abs(y) <= self.spec.radius + 0.5 and direction * (at - x) > 0.0 for at, y in ahead)

    @property
    def decided_after(self) -> int:
        """Steps after whose last one the outcome was known; those watched where there is none."""
        outcome = self.outcome
        if self.jump is not None:
            return self.jump + 1
        if outcome is Outcome.STOPPED:
            return self._stopped_after
        return min(self._hit_after + _DECIDING_STEPS, self.steps) if outcome is Outcome.FLIES_ON else self.steps

    def observe(self, contacts: StepContacts | Piece) -> None:
        """Take in the step, or the piece of one, that the world just made; nothing once the shot is over."""
        if self.is_over:
            return
        piece = contacts if isinstance(contacts, Piece) else Piece(contacts)
        step, before = self.steps, self.pieces[-1]
        state = self._world.state(self.bullet)
        if piece.start == 0.0:
            self.pieces = [before]
        self.pieces.append(state.position)
        self.speed = dot(state.linear_velocity, self._flight)
        self.impacts.extend(piece.impacts)
        impact = self._search.first(piece, before, step, self.impacts)
        if impact is not None:
            if self.hit is None:
                self.hit, self._hit_after = impact, step + 1
                if self.spec.target != "sensor":  # which leaves the bullet to fly on
                    self._last_step = step + 1 + SETTLING_STEPS
            if impact.pushes_back and impact.body is not None and self._sides.is_before_far_face(self._bodies[impact.body], impact.center):
                self._pushed_back = self._pushed_back or impact
        if self.stop is None and self._pushed_back is not None and self._is_held(piece.contacts):
            self.stop, self._stopped_after = self._pushed_back, step + 1
        passed = [self._sides.passed(panel, before, self.pieces[-1]) for panel in self.panels]  # all of them: each keeps its own near side
        if self.jump is None and any(passed):
            self.jump = step
            self._last_step = step + 1 + STEPS_BEHIND
        if piece.closes_step:
            self.positions.append(state.position)

    def _is_held(self, contacts: StepContacts) -> bool:
        """Tell whether both halves of being stopped hold now, for a panel that it touches."""
        state, flown = self._world.state(self.bullet), self.spec.flown_speed
        allowed = _STILL_APPROACHING * max(flown, abs(self.spec.flown_target_speed))
        for row in range(len(contacts)):
            pair = int(contacts.body_a[row]), int(contacts.body_b[row])
            other = pair[0] if pair[1] == self.bullet else pair[1]
            if self.bullet not in pair or other not in self._bodies:
                continue
            normal = normal_onto(contacts, row, pair[1] == self.bullet)
            if -dot(state.linear_velocity, normal) > -_MOST_SPEED_KEPT * flown * dot(self._flight, normal):
                continue
            struck = self._world.state(other)
            rx, ry = state.position[0] - struck.position[0], state.position[1] - struck.position[1]
            ux, uy = struck.linear_velocity
            beside = ux - struck.angular_velocity * ry, uy + struck.angular_velocity * rx
            if dot(beside, normal) - dot(state.linear_velocity, normal) <= allowed:
                return True
        return False


def flight_steps(spec: ShotSpec) -> int:
    """Return the steps until the bullet would be past the middle plane, with a margin."""
    if spec.closing <= 0.0:
        return _MARGIN_STEPS
    way = spec.gap + spec.reach if spec.target == "sensor" else spec.gap - spec.reach
    return int(max(0.0, way) / spec.closing) + 2 + _MARGIN_STEPS
