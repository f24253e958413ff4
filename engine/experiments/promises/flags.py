"""Two switches, and what each does alone: which targets stop which bullets.

Who is swept in a step (b2World::SolveTOI), where `world.continuousPhysics` is on::

                        at a static    at a kinematic    at a dynamic target
    bullet flag off          yes             yes                no
    bullet flag on           yes             yes                yes

With `continuousPhysics` off nothing is: the flag is read in SolveTOI only, which is not called then. The world with the flag and the one
without it go through the same numbers, to the last bit.
"""

from __future__ import annotations

from dataclasses import replace

from engine.experiments.promises.finding import Finding
from engine.experiments.promises.rows import RowsSpec, RowTarget, measure_shares, sampling_error

__all__ = ["SWITCHES", "TARGETS", "measure_switches", "measure_thin_bodies"]

TARGETS: tuple[tuple[RowTarget, bool], ...] = (("static", False), ("kinematic", False), ("dynamic", False), ("dynamic", True))
"""What is shot at, and whether with the bullet flag; continuous physics on."""

SWITCHES = ((False, False), (False, True), (True, False), (True, True))
"""Continuous physics, bullet flag."""


def measure_thin_bodies(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the shares that go through walls and thin plates, continuous physics on."""
    found = []
    for target, bullet in TARGETS:
        spec = RowsSpec(target, speed, thickness, bullet=bullet)
        noun = "plate" if target == "dynamic" else "wall"
        what = f"{target} {noun}, {'bullet flag' if bullet else 'no flag'}: goes through"
        found.append(_passed(what, spec, n_shots))
    return tuple(found)


def measure_switches(speed: float = 100.0, thickness: float = 0.1, n_shots: int = 200) -> tuple[Finding, ...]:
    """Return the shares that go through a static wall for each setting of the switches, and how many bits the flag alone changes."""
    base = RowsSpec("static", speed, thickness)
    found = []
    for continuous, bullet in SWITCHES:
        spec = replace(base, continuous=continuous, bullet=bullet)
        what = f"continuous physics {'on' if continuous else 'off'}, flag {'on' if bullet else 'off'}: goes through"
        found.append(_passed(what, spec, n_shots))
    plain, flagged = (measure_shares(replace(base, continuous=False, bullet=bullet), n_shots).state_hash for bullet in (False, True))
    return (*found, Finding("worlds that the flag alone makes different, of 1", 0.0, float(plain != flagged), "", 0.0, 0))


def _passed(what: str, spec: RowsSpec, n_shots: int) -> Finding:
    chance = spec.passed_chance
    return Finding(what, chance, measure_shares(spec, n_shots).passed, "%", sampling_error(chance, n_shots), 1)
