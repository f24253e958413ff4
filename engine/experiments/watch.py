"""Watching a shot, step by step: where the bullet was, what it touched, whether it came out at the back.

Touching in time and being stopped are two things. A heavy bullet that strikes a thin plate in time pushes it on and keeps nearly
all of its speed. **Stopped** means, at the end of a step after a contact that pushed the bullet back from the near side:

    in the target's frame   it comes no nearer: along the line of fire it is at most 1/20 of its speed faster than the
                            place of the struck body that is beside it
    in the world's frame    the target took at least half of its speed

The first alone would call any bullet stopped that pushes something on; the second alone, one that is flying through. So the
bullet of the free plate is stopped, though both drift on together, at the speed that their common momentum leaves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from engine.box2d import World
from engine.contracts import StepContacts
from engine.experiments.range import Panel
from engine.experiments.spec import ShotSpec
from engine.geometry import Transform

__all__ = ["Impact", "Outcome", "ShotWatch"]

Point = tuple[float, float]

_TURN = 0.05
"""Radians. At 1 m from a panel's middle, the chord of such a turn lies within 0.3 mm of the arc."""

_STILL_APPROACHING = 0.05
"""Share of the bullet's speed by which it may be faster than what stopped it: solver iterations, spinning planks."""
_MOST_SPEED_KEPT = 0.5
_SETTLING_STEPS = 15
"""Steps watched after the first contact: a bullet that a plate had not really stopped would be through by then."""
_DECIDING_STEPS = 3
"""Steps after the first contact by which one that was not stopped is known to fly on."""
_STEPS_BEHIND = 2
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


@dataclass(frozen=True, slots=True)
class Impact:
    """Box2D reported contact points between bullet and target.

    Attributes
    ----------
    step : int
        Steps completed when the manifold's poses were reached or passed: the poses lie at the end of this step, or between it
        and the next where `in_toi`.
    time : float
        Seconds from the shot at which the bodies had those poses.
    center : pair of float
        The bullet's centre then.
    point : pair of float or None
        The (first) contact point.
    pushes_back : bool
        Whether the normal, as it acts on the bullet, points against its flight.
    in_toi : bool
        Found by continuous physics inside a step; otherwise seen where a step had left the bodies.
    """

    step: int
    time: float
    center: Point
    point: Point | None
    pushes_back: bool
    in_toi: bool


class ShotWatch:
    """What one shot did so far; call `observe` after each step of the world.

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
        self._pushed_back: Impact | None = None
        self._hit_after = self._stopped_after = 0
        self._last_step = flight_steps(spec)
        self._world = world
        self._bodies = {panel.body for panel in self.panels}
        self.positions: list[Point] = [world.state(bullet).position]

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

    def observe(self, contacts: StepContacts) -> None:
        """Take in the step that the world just made; nothing once the shot is over."""
        if self.is_over:
            return
        before = self.positions[-1]
        state = self._world.state(self.bullet)
        self.positions.append(state.position)
        self.speed = self.spec.direction * state.linear_velocity[0]
        impact = self._impact(contacts, before)
        if impact is not None:
            if self.hit is None:
                self.hit, self._hit_after = impact, self.steps
                self._last_step = self.steps + _SETTLING_STEPS
            if impact.pushes_back and self.spec.direction * impact.center[0] < 0.5 * self.spec.thickness:
                self._pushed_back = self._pushed_back or impact
        if self.stop is None and self._pushed_back is not None and self._is_held(contacts):
            self.stop, self._stopped_after = self._pushed_back, self.steps
        if self.jump is None and any(self._passed(panel, before) for panel in self.panels):
            self.jump = self.steps - 1
            self._last_step = self.steps + _STEPS_BEHIND

    def _is_held(self, contacts: StepContacts) -> bool:
        """Tell whether both halves of being stopped hold now, for a panel that it touches."""
        if self.speed > _MOST_SPEED_KEPT * self.spec.flown_speed:
            return False
        y = self.positions[-1][1]
        allowed = _STILL_APPROACHING * self.spec.flown_speed
        for row in range(len(contacts)):
            pair = int(contacts.body_a[row]), int(contacts.body_b[row])
            other = pair[0] if pair[1] == self.bullet else pair[1]
            if self.bullet in pair and other in self._bodies:
                state = self._world.state(other)
                beside = state.linear_velocity[0] - state.angular_velocity * (y - state.position[1])
                if self.speed - self.spec.direction * beside <= allowed:
                    return True
        return False

    def _passed(self, panel: Panel, before: Point) -> bool:
        """Tell whether in this step the bullet's centre passed the panel's far face from the near side, within its height.

        Both move on from the last step's poses to the present ones, evenly, as Box2D's sweeps do. In the panel's frame, mirrored
        for a flight to the left, the bullet's way is then a straight line where the panel does not turn; where it does, a
        curve, followed in pieces of at most `_TURN` of the panel's angle.
        """
        row = self._world.row_of(panel.body)
        start, end = self._world.previous_poses[row], self._world.poses[row]
        after, direction = self.positions[-1], self.spec.direction
        n_pieces = 1 + int(abs(float(end[2] - start[2])) / _TURN)
        was: Point | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            x, y, angle = ((1.0 - share) * start + share * end).tolist()
            center = ((1.0 - share) * before[0] + share * after[0], (1.0 - share) * before[1] + share * after[1])
            local = Transform((x, y), angle).apply_inverse(center)
            here = (direction * local[0], local[1])
            if was is not None and _crosses(panel, was, here):
                return True
            was = here
        return False

    def _impact(self, contacts: StepContacts, before: Point) -> Impact | None:
        step = self.steps - 1
        dt = 1.0 / self.spec.hertz
        found: list[Impact] = []
        for row in range(len(contacts)):
            a, b = int(contacts.body_a[row]), int(contacts.body_b[row])
            if self.bullet not in (a, b) or (b if a == self.bullet else a) not in self._bodies:
                continue
            pose, sign = (contacts.pose_b[row], 1.0) if b == self.bullet else (contacts.pose_a[row], -1.0)
            center = (float(pose[0]), float(pose[1]))
            in_toi = bool(contacts.in_toi[row])
            travelled = math.dist(before, center) / self.spec.travel if in_toi and self.spec.travel > 0.0 else 0.0
            point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            pushes_back = sign * float(contacts.normal[row, 0]) * self.spec.direction < 0.0
            found.append(Impact(step, (step + min(travelled, 1.0)) * dt, center, point, pushes_back, in_toi))
        if found:
            return min(found, key=lambda impact: impact.time)
        for event in contacts.began:  # touched and let go again within one step: no manifold is left to look at
            if self.bullet in (event.body_a, event.body_b) and self._bodies & {event.body_a, event.body_b}:
                return Impact(step, step * dt, before, None, False, True)
        return None


def _crosses(panel: Panel, was: Point, here: Point) -> bool:
    """Tell whether the straight way from `was` to `here`, panel's frame, leaves through its far face."""
    far = panel.half_thickness
    if not was[0] <= far < here[0]:
        return False
    fraction = (far - was[0]) / (here[0] - was[0])
    return abs(was[1] + fraction * (here[1] - was[1])) <= panel.half_height


def flight_steps(spec: ShotSpec) -> int:
    """Return the steps until the bullet would be past the middle plane, with a margin."""
    if spec.travel == 0.0:
        return _MARGIN_STEPS
    beyond = max(0.0, abs(spec.muzzle) - spec.reach)
    return int(beyond / spec.travel) + 2 + _MARGIN_STEPS
