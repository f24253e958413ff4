"""Many bullets and targets in one world, a row each, to test what sensors detect, which thin bodies stop a bullet, and two settings.

Each row has its own target, its middle plane at x = 0, and a disc that flies along the row. Rows differ in their phase only: the
fraction of a step by which the last position before the middle plane falls short of it. If Box2D tests only the ends of steps, it detects a
bullet, or stops it, with the probabilities of `engine.experiments.tunneling`; with b2TimeOfImpact, always. If `world.continuousPhysics` is
on, b2TimeOfImpact is called (b2World::SolveTOI)::

                        at a static    at a kinematic    at a dynamic target    at a sensor
    bullet flag off          yes             yes                no                  no
    bullet flag on           yes             yes                yes                 no

With `continuousPhysics` off it is never called, because only SolveTOI reads the flag: worlds with and without it are bit-identical. A
sensor is tested only at the end of a step (`b2ContactManager`); a swept test of one's own detects each bullet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from engine import query
from engine.common.rng import stream
from engine.contracts import Status, StepContacts
from engine.experiments import tunneling
from engine.experiments.limitations.finding import Finding
from engine.experiments.range import target_of, world_of
from engine.experiments.spec import Rule, ShotSpec, Target
from engine.geometry import Circle, Polygon, Transform
from engine.world import BodySpec, FixtureSpec

__all__ = [
    "PITCH",
    "SWITCHES",
    "TARGETS",
    "FlaggedShot",
    "Rows",
    "Shares",
    "even_phases",
    "first_swept_touch",
    "flagged",
    "measure_sensors",
    "measure_shares",
    "measure_switches",
    "measure_thin_bodies",
    "sampling_error",
]

TARGETS: tuple[tuple[Target, bool], ...] = (("static", False), ("kinematic", False), ("dynamic", False), ("dynamic", True))
"""Thin targets, and True with the bullet flag; continuous physics on."""
SWITCHES = ((False, False), (False, True), (True, False), (True, True))
"""Continuous physics, bullet flag."""

_RADIUS = 0.06
"""Radius of the bullets, meters."""
PITCH = 0.24
"""Distance between rows, meters."""
_TARGET_HALF_HEIGHT = 0.1
_BULLET_DENSITY, _TARGET_DENSITY = 5.0, 200.0
"""Density, kg/m^2: a plate takes nearly all of the bullet's speed, and hardly moves."""
_STEPS_BEFORE = 1
"""Number of whole steps of flight before the one in which the bullet passes x = 0."""
_STEPS_AFTER = 8
"""Number of steps recorded after that one; a bullet that passes through a plate that it pushes has done so by then."""
_STANDARD_ERRORS = 4.0
"""Allowed deviation of a share, standard errors: one correct measurement in 16,000 deviates more."""


class FlaggedShot(NamedTuple):
    """A shot, and the body's bullet flag, which belongs to no rule without continuous physics."""

    spec: ShotSpec
    flag: bool


def flagged(target: Target, speed: float, thickness: float, continuous: bool = True, bullet: bool = True) -> FlaggedShot:
    """Return the shots of a row under both switches: the world's continuous physics and the body's bullet flag."""
    rule: Rule = ("bullet" if bullet else "default") if continuous else "discrete"
    return FlaggedShot(ShotSpec(speed, thickness, radius=_RADIUS, target=target, rule=rule), bullet)


class Rows:
    """The world of the rows, and the outcome of each: call `observe` after each step.

    Attributes
    ----------
    world : World
    bullets, targets : tuple of int
        Bodies by row, from the top.
    heights : tuple of float
        y of each row.
    seen, passed : list of bool
        Whether Box2D reported a contact, and whether the bullet's center passed the target's far face at its present pose.
    ways : list of list of float
        x of each bullet at the start and after each step.
    """

    def __init__(self, shot: FlaggedShot, phases: Sequence[float]) -> None:
        self.spec = spec = shot.spec
        self.world = world_of(spec)
        self.heights = tuple(-PITCH * row for row in range(len(phases)))
        kind = target_of(spec)[1].type
        plate = FixtureSpec(
            Polygon.box(0.5 * spec.thickness, _TARGET_HALF_HEIGHT), density=_TARGET_DENSITY, sensor=spec.target == "sensor", friction=0.0
        )
        disc = FixtureSpec(Circle(spec.radius), density=_BULLET_DENSITY, friction=0.0)
        self.targets = tuple(self.world.create_body(BodySpec((plate,), type=kind, position=(0.0, y))) for y in self.heights)
        starts = [-(_STEPS_BEFORE + phase) * spec.travel for phase in phases]
        self.bullets = tuple(
            self.world.create_body(BodySpec((disc,), position=(x, y), linear_velocity=(spec.speed, 0.0), bullet=shot.flag))
            for x, y in zip(starts, self.heights, strict=True)
        )
        self.seen = [False] * len(phases)
        self.passed = [False] * len(phases)
        self.ways = [[self.world.state(bullet).position[0]] for bullet in self.bullets]
        self._row = {body: row for bodies in (self.targets, self.bullets) for row, body in enumerate(bodies)}

    def begin_again(self) -> None:
        """Clear the records; the bodies have been moved back to the start."""
        self.seen, self.passed = [False] * len(self.bullets), [False] * len(self.bullets)
        self.ways = [way[:1] for way in self.ways]

    @property
    def is_over(self) -> bool:
        """True when every row is over."""
        return len(self.ways[0]) > _STEPS_BEFORE + _STEPS_AFTER

    def observe(self, contacts: StepContacts) -> None:
        """Record the step that the world just made."""
        for body in (*contacts.body_a.tolist(), *(event.body_a for event in contacts.began)):
            if body in self._row:  # ignore bodies dropped by the user
                self.seen[self._row[body]] = True
        for row, (bullet, target) in enumerate(zip(self.bullets, self.targets, strict=True)):
            x = self.world.state(bullet).position[0]
            self.ways[row].append(x)
            self.passed[row] = self.passed[row] or x - self.world.state(target).position[0] > 0.5 * self.spec.thickness

    def predicted(self, row: int) -> tuple[bool, bool]:
        """Return whether, by the rule, a row's bullet is detected, and whether it passes because no step ends in the half that pushes
        back.
        """
        is_swept, is_sensor, start = self.spec.looks_between_steps, self.spec.target == "sensor", self.ways[row][0]
        is_seen, is_stopped = (is_swept or tunneling.is_seen(self.spec, behind, start) for behind in (True, False))
        return is_seen, is_sensor or not is_stopped


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares among `n_shots` shots at random phases, the prediction for these phases, and the number of wrong predictions."""

    n_shots: int
    seen: float
    passed: float
    n_surprises: int
    state_hash: str


def even_phases(n_rows: int) -> tuple[float, ...]:
    """Return phases spaced evenly over a step, the first a quarter of the spacing from its end."""
    return tuple((row + 0.25) / n_rows for row in range(n_rows))


@lru_cache(maxsize=64)
def measure_shares(shot: FlaggedShot, n_shots: int = 200, seed: int = 0) -> Shares:
    """Fire `n_shots` shots whose phases are uniform, drawn from the seed."""
    rows = Rows(shot, stream(seed, "promises", "phase").random(n_shots).tolist())
    while not rows.is_over:
        rows.observe(rows.world.step())
    wrong = sum((rows.seen[row], rows.passed[row]) != rows.predicted(row) for row in range(n_shots))
    return Shares(n_shots, sum(rows.seen) / n_shots, sum(rows.passed) / n_shots, wrong, rows.world.state_hash())


def sampling_error(chance: float, n_shots: int) -> float:
    """Return the allowed difference of the share of `n_shots` from the probability: four standard errors of a binomial."""
    return _STANDARD_ERRORS * math.sqrt(chance * (1.0 - chance) / n_shots)


def measure_sensors(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the detected shares: by a sensor, by a wall of the same size, by a sensor without the flag, and by our own swept test."""
    sensor = flagged("sensor", speed, thickness)
    findings = []
    for what, shot in (
        ("sensor, bullet flag: share of bullets detected", sensor),
        ("sensor, no flag: share of bullets detected", flagged("sensor", speed, thickness, bullet=False)),
        ("wall of the same size, bullet flag: share detected", flagged("static", speed, thickness)),
    ):
        chance = tunneling.chances(shot.spec).hit
        findings.append(Finding(what, chance, measure_shares(shot, n_shots).seen, "%", sampling_error(chance, n_shots), 1))
    rows = Rows(sensor, tuple((row + 0.5) / n_shots for row in range(n_shots)))
    swept = sum(first_swept_touch(rows, row) is not None for row in range(n_shots)) / n_shots
    return (*findings, Finding("sensor, our swept test in each step: share detected", 1.0, swept, "%", 0.0, 1))


def first_swept_touch(rows: Rows, row: int) -> float | None:
    """Return the seconds from the shot after which the bullet of a row first touches, by `engine.query.swept_contact`; or None."""
    spec = rows.spec
    plate = rows.world.fixture(rows.world.body(rows.targets[row]).fixtures[0]).shape
    assert isinstance(plate, Polygon)
    target, bullet = Transform((0.0, rows.heights[row])), Transform((rows.ways[row][0], rows.heights[row]))
    flown = (spec.travel * spec.hertz, 0.0)
    t_max = 4.0 * abs(rows.ways[row][0]) / flown[0]
    contact = query.swept_contact(plate, target, (0.0, 0.0), Circle(spec.radius), bullet, flown, t_max)
    return contact.t_first if contact.status == Status.HIT else None


def measure_thin_bodies(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the shares that tunnel through walls and thin plates with continuous physics."""
    findings = []
    for target, bullet in TARGETS:
        noun = "plate" if target == "dynamic" else "wall"
        what = f"{target} {noun}, {'bullet flag' if bullet else 'no flag'}: share that passes through"
        findings.append(_passed(what, flagged(target, speed, thickness, bullet=bullet), n_shots))
    return tuple(findings)


def measure_switches(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the shares that tunnel through a static wall for each combination of settings, and the number of bits that the flag alone
    changes.
    """
    findings, hashes = [], []
    for continuous, bullet in SWITCHES:
        shot = flagged("static", speed, thickness, continuous, bullet)
        hashes.append(measure_shares(shot, n_shots).state_hash)
        what = f"continuous physics {'on' if continuous else 'off'}, flag {'on' if bullet else 'off'}: share that passes through"
        findings.append(_passed(what, shot, n_shots))
    return (*findings, Finding("number of worlds (of 1) changed by the flag alone", 0.0, float(hashes[0] != hashes[1]), "", 0.0, 0))


def _passed(what: str, shot: FlaggedShot, n_shots: int) -> Finding:
    chance = tunneling.chances(shot.spec).tunneled
    return Finding(what, chance, measure_shares(shot, n_shots).passed, "%", sampling_error(chance, n_shots), 1)
