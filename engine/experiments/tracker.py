"""The outcome of a shot: the bullet's position after each step, its contacts, whether it tunneled, and the verdict in words.

A detected hit does not imply a stop: a heavy bullet that hits a thin plate pushes it and keeps nearly all of its speed. **Stopped** means,
at the end of a step after a contact that pushed the bullet back from the near side:

    in the target's frame   it does not approach: against the contact's normal it is at most 1/20 of its speed faster than the
                            nearest point of the struck body
    in the world's frame    the target took at least half of its approach speed along that normal

With only the first condition, any bullet that pushes a body would count as stopped; with only the second, one that passes through. So a
bullet is stopped by a free plate although both drift on with their common momentum, and by a wall that it hits at an angle although it
slides on along it.

**Tunneled** is judged in the panel's own frame. The near side is the one on which the bullet was last outside. It has tunneled when it
leaves through the opposite face, within the panel's height; a path around the end only exchanges the sides. For a disc, which has no faces,
the middle plane perpendicular to the flight is used, within the disc.

                 |#|                        tunneled: in through the near face, out through the far one
      near  o----|#|----> o  far            ^
                 |#|                        |  around the end: the sides are exchanged

A step can consist of pieces (`engine.experiments.rules.Piece`); positions are recorded per step, contacts and passages per piece.
"""

from __future__ import annotations

import math
from enum import Enum
from itertools import pairwise

import numpy as np

from engine import query
from engine.common.arrays import FloatArray
from engine.common.tolerances import LINEAR_SLOP
from engine.contracts import StepContacts
from engine.experiments.range import Shot
from engine.experiments.rules import Impact, Piece
from engine.experiments.spec import TARGETS, ShotSpec, Target
from engine.geometry import Transform

__all__ = ["SETTLING_STEPS", "STEPS_BEHIND", "TURN", "Outcome", "ShotTracker", "flight_steps", "verdict"]

Point = tuple[float, float]

_STILL_APPROACHING = 0.05
"""Share of its speed by which a stopped bullet may be faster than the target, because of the solver's iterations."""
_MAX_SPEED_KEPT = 0.5
SETTLING_STEPS = 15
"""Steps tracked after the first contact; a bullet that a plate has not really stopped has tunneled by then."""
_DECIDING_STEPS = 3
"""Steps after the first contact after which a bullet that was not stopped counts as flying on."""
STEPS_BEHIND = 2
"""Steps tracked after the bullet passed the far face; only the next one shows whether it still touches it."""
_MARGIN_STEPS = 8
"""Steps tracked after the bullet should have passed the middle plane."""
_LONG_WAY = 2.5
"""Maximum length of a path that is tested as one piece, meters, more than Box2D's cap; in a rotating panel's frame it is a curve."""
_TAKEN_ALONG = 1.0e-6
"""Distance between two points in a panel's frame that are equal up to rounding, meters."""
TURN = 0.05
"""Maximum rotation per piece, radians; 1 m from a panel's middle, its chord is within 0.3 mm of the arc."""


class Outcome(Enum):
    """Outcome of a shot so far; see the module for stopped."""

    IN_FLIGHT = "in flight"
    TUNNELED = "tunneled"
    """Its center passed the target's far face, in the target's own frame, with or without a contact."""
    STOPPED = "stopped"
    FLIES_ON = "flies on"
    """It touched the target before passing it, and pushes it or broke through with more than half of its speed."""
    MISSED = "missed"
    """It is past the target and never touched it."""
    DOES_NOT_MOVE = "does not move"


class ShotTracker:
    """The course of one shot so far; call `observe` after each step of the world, or after each piece of a step.

    It is created between two steps, with the bullet at the muzzle.

    Attributes
    ----------
    positions : list of (x, y)
        The bullet's center after 0, 1, 2... steps.
    impacts : list of Impact
        All impacts found by our swept test.
    hit, stop : Impact or None
        The first contact with the target, and the contact that stopped it.
    speed : float
        The bullet's present speed along the line of fire, m/s; negative if it bounced back.
    jump : int or None
        The number k of the step after which the bullet tunneled: between positions k and k + 1 it passed the panel's far face.
    """

    def __init__(self, shot: Shot) -> None:
        self._world, self.spec, self._panel, self.target, self.bullet = shot
        self.hit: Impact | None = None
        self.stop: Impact | None = None
        self.jump: int | None = None
        self.speed = self.spec.flown_speed
        self.impacts: list[Impact] = []
        self._pushed_back: Impact | None = None
        self._hit_after = self._stopped_after = 0
        self._last_step = flight_steps(self.spec)
        self._flight = math.cos(self.spec.angle), -math.sin(self.spec.angle)
        self._before = self._world.state(self.bullet).position
        self.positions: list[Point] = [self._before]
        self._near = math.copysign(1.0, self._local(self._world.poses[self._row], self._before)[0])
        """The side of the panel on which the bullet was last outside, of the panel's x axis."""

    @property
    def steps(self) -> int:
        """Steps observed."""
        return len(self.positions) - 1

    @property
    def outcome(self) -> Outcome:
        """Outcome so far."""
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
        """True if there is an outcome."""
        return self.outcome is not Outcome.IN_FLIGHT

    @property
    def is_over(self) -> bool:
        """True if the shot needs no further tracking; at the latest about sixty steps after it was fired."""
        return self.steps >= self._last_step

    @property
    def is_past(self) -> bool:
        """True if the bullet's center is beyond the target's initial position, and beyond its middle if that is still near the bullet's
        path.
        """
        x = self.positions[-1][0]
        if x <= 0.5 * self.spec.thickness:
            return False
        at, y = self._world.state(self.target).position if self._world.is_body(self.target) else (x, 0.0)
        return abs(y) > self.spec.radius + 0.5 or at <= x

    @property
    def decided_after(self) -> int:
        """Number of steps until the outcome was known; number of tracked steps if there is none."""
        outcome = self.outcome
        if self.jump is not None:
            return self.jump + 1
        if outcome is Outcome.STOPPED:
            return self._stopped_after
        return min(self._hit_after + _DECIDING_STEPS, self.steps) if outcome is Outcome.FLIES_ON else self.steps

    def observe(self, contacts: StepContacts | Piece) -> None:
        """Record the step, or the piece of a step, that the world has just taken; ignored once the shot is over."""
        if self.is_over:
            return
        piece = contacts if isinstance(contacts, Piece) else Piece(contacts)
        step, before = self.steps, self._before
        state = self._world.state(self.bullet)
        self._before = state.position
        self.speed = _dot(state.linear_velocity, self._flight)
        self.impacts.extend(piece.impacts)
        impact = self._first_contact(piece, before)
        if impact is not None:
            if self.hit is None:
                self.hit, self._hit_after = impact, step + 1
                if self.spec.target != "sensor":  # which leaves the bullet to fly on
                    self._last_step = step + 1 + SETTLING_STEPS
            if self.pushes_back(impact) and self._is_before_far_face(impact.center):
                self._pushed_back = self._pushed_back or impact
        if self.stop is None and self._pushed_back is not None and self._is_held(piece.contacts):
            self.stop, self._stopped_after = self._pushed_back, step + 1
        if self._passed(before, state.position) and self.jump is None:
            self.jump = step
            self._last_step = step + 1 + STEPS_BEHIND
        if piece.closes_step:
            self.positions.append(state.position)

    def _contact(self, contacts: StepContacts) -> tuple[int, Point] | None:
        """Return the row of the bullet's contact with the target, and the unit normal onto the bullet."""
        a, b = contacts.body_a, contacts.body_b
        rows = np.flatnonzero(((a == self.bullet) & (b == self.target)) | ((a == self.target) & (b == self.bullet)))
        if not len(rows):
            return None
        row = int(rows[0])
        sign, (x, y) = -1.0 if int(a[row]) == self.bullet else 1.0, contacts.normal[row].tolist()
        return row, (sign * x, sign * y)

    def _first_contact(self, piece: Piece, before: Point) -> Impact | None:
        """Return the first contact in a piece of a step; `before` is the bullet's center where the piece began."""
        step, seen_at, dt, contacts, target = self.steps, piece.start, 1.0 / self.spec.hertz, piece.contacts, self.target
        if self.spec.sees_step_end:
            step, seen_at = step + 1, 0.0
        impacts = [impact for impact in piece.impacts if impact.sensor and impact.body == target]
        contact, inside = self._contact(contacts), self._first_inside(piece, before)
        if inside is not None:
            impacts.insert(0, inside)
        if contact is not None and not contacts.in_toi[contact[0]]:  # otherwise the row has the pair's last impact
            row, normal = contact
            x, y, _ = (contacts.pose_a if int(contacts.body_a[row]) == self.bullet else contacts.pose_b)[row].tolist()
            point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            time, fraction = (step + seen_at) * dt, seen_at
            ours = next((each for each in reversed(self.impacts) if each.body == target), None)
            if ours is not None:  # a piece begins at the impact of our swept test, or slightly earlier if the bullet was moved there
                time, fraction = ours.time, ours.fraction
            impacts.insert(0, Impact(target, step, fraction, time, (x, y), point, normal, ours is not None))
        if impacts:
            return min(impacts, key=lambda impact: impact.time)
        for event in contacts.began:
            if {event.body_a, event.body_b} == {self.bullet, target}:
                # a sensor, or a touch that ended within the step: there is no manifold
                center = self._world.state(self.bullet).position if self.spec.sees_step_end else before
                return Impact(target, step, seen_at, (step + seen_at) * dt, center, in_toi=not event.sensor, sensor=event.sensor)
        return None

    def _first_inside(self, piece: Piece, before: Point) -> Impact | None:
        """Return the first impact with the target that the solver found inside the piece.

        Its point and normal are computed here from the poses, because Box2D keeps only a pair's last contact.
        """
        for moment in self._world.impact_moments:
            a, b = self._world.fixture(moment.fixture_a), self._world.fixture(moment.fixture_b)
            if {a.body, b.body} != {self.bullet, self.target}:
                continue
            (other, there), (own, here) = sorted(((a, moment.pose_a), (b, moment.pose_b)), key=lambda side: side[0].body == self.bullet)
            center, spec = here[:2], self.spec
            fraction = math.dist(before, center) / spec.travel if spec.travel > 0.0 else 0.0
            if spec.travel < abs(spec.target_travel):  # the path of the faster body determines the time
                fraction = math.dist(self._world.previous_poses[self._row, :2].tolist(), there[:2]) / abs(spec.target_travel)
            fraction = min(piece.start + fraction, piece.end)
            gap = query.distance(other.shape, Transform(there[:2], there[2]), own.shape, Transform(center, here[2]))
            point = None if gap.point_a is None or gap.point_b is None else _between(gap.point_a, gap.point_b)
            return Impact(self.target, self.steps, fraction, (self.steps + fraction) / spec.hertz, center, point, gap.normal)
        return None

    def pushes_back(self, impact: Impact) -> bool:
        """Return True if an impact's normal points against the bullet's flight."""
        return not impact.sensor and impact.normal is not None and _dot(impact.normal, self._flight) < 0.0

    def _is_held(self, contacts: StepContacts) -> bool:
        """Return True if both conditions of being stopped hold now."""
        contact, flown = self._contact(contacts), self.spec.flown_speed
        if contact is None:
            return False
        state, struck, normal = self._world.state(self.bullet), self._world.state(self.target), contact[1]
        if -_dot(state.linear_velocity, normal) > -_MAX_SPEED_KEPT * flown * _dot(self._flight, normal):
            return False
        rx, ry = state.position[0] - struck.position[0], state.position[1] - struck.position[1]
        ux, uy = struck.linear_velocity
        beside = ux - struck.angular_velocity * ry, uy + struck.angular_velocity * rx
        allowed = _STILL_APPROACHING * max(flown, abs(self.spec.flown_target_speed))
        return _dot(beside, normal) - _dot(state.linear_velocity, normal) <= allowed

    @property
    def _row(self) -> int:
        """The target's row in the world's arrays."""
        return self._world.row_of(self.target)

    def _passed(self, before: Point, after: Point) -> bool:
        """Return True if the bullet's center left the panel through its far side in the last step, within its height.

        Both move uniformly from the last poses to the present ones, as in Box2D's sweeps; with our solver, uniformly between the times at
        which it stopped one of them or the panel began to carry the bullet. In the panel's frame, the bullet's path is a straight line if
        the panel does not rotate; otherwise it is a curve, followed in pieces of at most `TURN` of the panel's angle.
        """
        start, end = self._world.previous_poses[self._row], self._world.poses[self._row]
        if self.spec.is_box2d:
            return self._passes(start, end, before, after)
        own, others = [(0.0, np.array(before)), (1.0, np.array(after))], [(0.0, start), (1.0, end)]
        for moment in self._world.impact_moments:
            for fixture, pose in ((moment.fixture_a, moment.pose_a), (moment.fixture_b, moment.pose_b)):
                body, at = self._world.fixture(fixture).body, 0.0 if moment.fraction is None else moment.fraction
                if body == self.bullet:
                    own.insert(-1, (at, np.array(pose[:2])))
                elif body == self.target:
                    others.insert(-1, (at, np.array(pose)))
        times = sorted({at for at, _ in own + others})
        places, poses = ([_at(way, time) for time in times] for way in (own, others))
        near_by = [self._local(pose, tuple(place)) for place, pose in zip(places, poses, strict=True)]
        for k in range(len(times) - 1):
            is_taken_along = math.dist(near_by[k], near_by[k + 1]) < _TAKEN_ALONG
            if not is_taken_along and self._passes(poses[k], poses[k + 1], tuple(places[k]), tuple(places[k + 1])):
                return True
        return False

    def _passes(self, start: FloatArray, end: FloatArray, before: Point, after: Point) -> bool:
        """Return True if a uniform motion of both takes the bullet's center through the panel's far side."""
        turned, way = abs(float(end[2] - start[2])), math.dist(before, after)
        n_pieces = 1 + int(turned / TURN)
        if way > _LONG_WAY:
            n_pieces = max(n_pieces, 1 + int(math.sqrt(0.25 * turned * way / LINEAR_SLOP)))  # with 1/n of both, the deviation is 1/n^2
        face = 0.0 if self._panel.is_round else self._panel.half_thickness
        was: Point | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            center = ((1.0 - share) * before[0] + share * after[0], (1.0 - share) * before[1] + share * after[1])
            here = self._local((1.0 - share) * start + share * end, center)
            near = self._near
            far = -near * face
            if was is not None and -near * (here[0] - far) > 0.0:  # now beyond the far side
                crossed = -near * (was[0] - far) <= 0.0
                fraction = (far - was[0]) / (here[0] - was[0]) if crossed else 0.0
                if crossed and abs(was[1] + fraction * (here[1] - was[1])) <= self._panel.half_height:
                    return True
                self._near = -near  # round the end
            was = here
        return False

    def _is_before_far_face(self, center: Point) -> bool:
        """Return True if a point lies before the panel's far face at its pose at the start of the last step."""
        pose = self._world.previous_poses[self._row]
        return self._local(pose, center)[0] * self._near > -self._panel.half_thickness

    def _local(self, pose: FloatArray, center: Point) -> Point:
        """Return a point in the panel's frame; a disc's frame is aligned with the flight."""
        at_x, at_y, angle = pose.tolist()
        if self._panel.is_round:
            (fx, fy), dx, dy = self._flight, center[0] - at_x, center[1] - at_y
            return fx * dx + fy * dy, fx * dy - fy * dx
        return Transform((at_x, at_y), angle).apply_inverse(center)


def _dot(a: Point, b: Point) -> float:
    return a[0] * b[0] + a[1] * b[1]


def _between(a: Point, b: Point) -> Point:
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])


def _at(way: list[tuple[float, FloatArray]], time: float) -> FloatArray:
    """Return the position or pose at a fraction of the step on a path that is linear between given ones."""
    for (since, start), (until, end) in pairwise(way):
        if time <= until:
            share = (time - since) / (until - since) if until > since else 1.0
            return start + share * (end - start)
    return way[-1][1]


def flight_steps(spec: ShotSpec) -> int:
    """Return the steps until the bullet would be past the middle plane, with a margin."""
    if spec.closing <= 0.0:
        return _MARGIN_STEPS
    way = spec.gap + spec.reach if spec.target == "sensor" else spec.gap - spec.reach
    return int(max(0.0, way) / spec.closing) + 2 + _MARGIN_STEPS


_NOUNS: dict[Target, str] = {target: target for target in TARGETS} | {
    "static": "wall",
    "kinematic": "wall",
    "dynamic": "plate",
    "head_on": "other bullet",
}
_AFTERWARDS: dict[Target, str] = {"dynamic": "pushes it along", "head_on": "pushes it along", "kinematic": "follows it"}
"""What a stopped bullet does that still moves along the line of fire; the word "it" is the target."""
_NOTABLE = 0.05
"""Speed below which a bullet counts as at rest, m/s."""


def verdict(shot: ShotTracker) -> str:
    """Return the verdict of a shot: tunneled, stopped, hit but flying on, missed, or its present state until there is one.

    If the bullet passed the far face without any contact, the text names the two steps with the target between them; if a step ended inside
    it, but past the middle, the text says so. A speed is the present one along the line of fire.
    """
    noun = _NOUNS[shot.spec.target]
    match shot.outcome:
        case Outcome.TUNNELED:
            return _how_it_went_through(shot, noun)
        case Outcome.STOPPED:
            return _how_it_stopped(shot, noun)
        case Outcome.FLIES_ON:
            return _how_it_flies_on(shot, noun)
        case Outcome.MISSED:
            return f"missed: it passed the {noun} without touching it"
        case Outcome.DOES_NOT_MOVE:
            return "the bullet does not move"
    return f"in flight: step {shot.steps}, x = {shot.positions[-1][0]:.2f} m"


def _how_it_stopped(shot: ShotTracker, noun: str) -> str:
    stop = shot.stop
    assert stop is not None
    if stop.in_toi:
        how = f"stopped at x = {stop.center[0]:.2f} m between steps {stop.step} and {stop.step + 1}, at the time of impact"
    else:
        seen = f"step {stop.step}" if stop.fraction == 0.0 else f"a sub-step of step {stop.step + 1}"
        how = f"stopped at x = {stop.center[0]:.2f} m: {seen} detected it {_where(shot.spec, stop)} the {noun}"
    return f"{how}, then {_AFTERWARDS.get(shot.spec.target, 'moves on')} at {shot.speed:.2g} m/s" if shot.speed > _NOTABLE else how


def _where(spec: ShotSpec, stop: Impact) -> str:
    """Return whether the contact was reported at the target's surface or inside it, as text."""
    if spec.target in ("kinematic", "blade", "head_on"):  # these have moved since then
        return "at"
    return "at" if abs(stop.center[0]) - spec.half_target >= spec.half_bullet else "inside"


def _how_it_flies_on(shot: ShotTracker, noun: str) -> str:
    hit = shot.hit
    assert hit is not None
    what = f"broke through and continues at {shot.speed:.3g} m/s" if shot.is_past else f"pushes the target along at {shot.speed:.3g} m/s"
    where = f"at x = {hit.center[0]:.2f} m" if hit.center[0] < 0.0 else f"during step {hit.step + 1}"
    return f"hit the {noun} {where}; {what}"


def _how_it_went_through(shot: ShotTracker, noun: str) -> str:
    hit, jump, is_sensor = shot.hit, shot.jump, shot.spec.target == "sensor"
    assert jump is not None
    if hit is None:
        before, after = shot.positions[jump][0], shot.positions[jump + 1][0]
        between = f"the {noun} lay between step {jump} (x = {before:.2f} m) and step {jump + 1} (x = {after:.2f} m)"
        return f"{'not detected' if is_sensor else 'tunneled'}: {between}"
    x = f"x = {hit.center[0]:.2f} m"
    if is_sensor:
        return f"detected at {x} " + (
            f"during step {hit.step + 1}, by our swept test" if hit.in_toi else f"by step {hit.step}, which ended inside the sensor"
        )
    if shot.pushes_back(hit):
        return f"tunneled: it hit the {noun} at {x}, but the {noun} could not move away fast enough"
    return f"tunneled: at step {hit.step} ({x}) the bullet's center had passed the center of the {noun}, so it was pushed out at the back"
