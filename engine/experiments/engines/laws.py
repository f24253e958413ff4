"""Tests of laws that hold for every world: conserved quantities, and the same result for the same input."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from engine.common.arrays import FloatArray
from engine.experiments.engines.bench import Column, Measured, Row, Test, enter, within
from engine.experiments.engines.manuals import box2d3, pymunk
from engine.experiments.references import REFERENCES, Lab
from engine.geometry import Circle, Polygon
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    FrictionJointSpec,
    JointSpec,
    MotorJointSpec,
    PrismaticJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
)

JointMaker = Callable[[int, int], JointSpec]

_JOINTS: dict[str, JointMaker] = {
    "revolute": lambda a, b: RevoluteJointSpec(a, b, (1.0, 0.3)),
    "revolute with a motor": lambda a, b: RevoluteJointSpec(a, b, (1.0, 0.3), enable_motor=True, motor_speed=5.0, max_motor_torque=3.0),
    "distance": lambda a, b: DistanceJointSpec(a, b, (0.5, 0.3), (1.5, 0.2)),
    "spring": lambda a, b: DistanceJointSpec(a, b, (0.5, 0.3), (1.5, 0.2), frequency=2.0, damping_ratio=0.2),
    "weld": lambda a, b: WeldJointSpec(a, b, (1.0, 0.3)),
    "prismatic": lambda a, b: PrismaticJointSpec(a, b, (1.0, 0.3), (1.0, 0.2)),
    "wheel": lambda a, b: WheelJointSpec(a, b, (1.0, 0.3), (0.0, 1.0)),
    "rope": lambda a, b: RopeJointSpec(a, b, (0.5, 0.3), (1.5, 0.2)),
    "friction": lambda a, b: FrictionJointSpec(a, b, (1.0, 0.3), 2.0, 1.0),
    "motor": lambda a, b: MotorJointSpec(a, b, (2.0, 0.0), max_force=10.0, max_torque=10.0),
}
_MASSES = (1.0, 3.0)
_SHARE = 0.01
"""Allowed error of a reference, as a share of the exact answer."""
_DRIFT = 0.02
"""Allowed change, kg m/s and kg m^2/s; float32 rounding over 120 steps is 1e-5."""


def _pair(make: JointMaker, column: Column) -> World:
    world = column.world(gravity=(0.0, 0.0))
    motion = (((0.0, 0.0), (0.3, 1.0), 2.0, 0.4), ((2.0, 0.5), (-0.5, 0.2), -1.0, -0.3))
    for mass, (position, velocity, spin, angle) in zip(_MASSES, motion, strict=True):
        disc = FixtureSpec(Circle(0.5), density=mass / (0.25 * math.pi), mask=0)
        world.create_body(BodySpec((disc,), position=position, linear_velocity=velocity, angular_velocity=spin, angle=angle))
    world.create_joint(make(0, 1))
    return world


def _momenta(world: World) -> FloatArray:
    """Return momentum, kg m/s, and angular momentum about the origin, kg m^2/s."""
    total = np.zeros(3)
    for row, mass in enumerate(_MASSES):
        (x, y), (vx, vy, spin) = world.poses[row, :2].tolist(), world.velocities[row].tolist()
        total += mass * np.array([vx, vy, x * vy - y * vx + 0.125 * spin])
    return total


def _kept(make: JointMaker, column: Column, is_quick: bool) -> Measured:
    world = _pair(make, column)
    before, worst = _momenta(world), 0.0
    for _ in range(round(2.0 * column.hertz)):
        world.step()
        worst = max(worst, float(np.abs(_momenta(world) - before).max()))
    return within(worst, _DRIFT)


def _reference(name: str, column: Column, is_quick: bool) -> Measured:
    """Return the largest error of the reference, as a share. The command ``references`` allows less, because its solver uses float64."""
    worst = max(REFERENCES[name].measure(Lab(column.solver, settings=column.world_settings)), key=lambda row: row.error)
    return Measured(worst.error, worst.error <= _SHARE, worst.what)


def _asleep(column: Column) -> World:
    world = column.world(gravity=(0.0, 0.0), sleeping=True)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(0.5, 0.5)),)))
    for _ in range(120):
        world.step()
    world.set_settings(gravity=(0.0, -10.0))
    return world


def _falls(column: Column, is_quick: bool) -> Measured:
    world = _asleep(column)
    for _ in range(round(world.settings.hertz)):
        world.step()
    return within(world.state(0).position[1], 0.2, -5.0)


def _clamped(column: Column) -> World:
    world = column.world()
    world.create_body(BodySpec((), "static"))
    world.create_body(BodySpec((FixtureSpec(Polygon.box(1.0, 0.1), mask=0),), position=(1.0, 0.0)))
    world.create_joint(RevoluteJointSpec(0, 1, (0.0, 0.0), enable_limit=True))
    return world


def _stays(column: Column, is_quick: bool) -> Measured:
    world, worst = _clamped(column), 0.0
    for _ in range(round(2.0 * column.hertz)):
        world.step()
        worst = max(worst, abs(world.state(1).angle))
    return within(worst, 0.02)


_EXACT = ("elastic", "elastic_discs", "rolling", "slipping")

enter(
    Test(
        "invariants",
        "Conserved quantities and exact answers",
        "No external force acts on two free bodies, so a joint between them changes neither momentum (kg m/s) nor angular momentum "
        "(kg m^2/s). Other rows are compared with the exact answers of the references command. Under gravity, a body falls 5 m in the "
        "first second. A hinge with equal limits does not rotate.",
        "0.02 kg m/s or kg m^2/s, 1% of an exact answer, 0.2 m, and 0.02 rad",
        (
            *(
                Row(f"pair_{name.replace(' ', '_')}", f"two free bodies ({name})", "", partial(_kept, make), partial(_pair, make), 2.0)
                for name, make in _JOINTS.items()
            ),
            *(Row(f"exact_{name}", REFERENCES[name].title, "%", partial(_reference, name), is_quick=name == "elastic") for name in _EXACT),
            Row("gravity", "height 1 s after gravity was switched on for a sleeping body", "m", _falls, _asleep, 1.0),
            Row("limits", "rotation of a beam on a hinge with equal limits", "rad", _stays, _clamped, 2.0),
        ),
    )
)


# -- determinism ------------------------------------------------------------------------------------------------------


def _heap(column: Column) -> World:
    world = column.world(hertz=60.0)
    world.create_body(BodySpec((FixtureSpec(Polygon.box(20.0, 0.5)),), "static", (0.0, -0.5)))
    for k in range(40):
        shape = Circle(0.3) if k % 2 else Polygon.box(0.3, 0.25)
        world.create_body(
            BodySpec((FixtureSpec(shape, restitution=0.2),), position=(0.37 * (k % 5) - 0.7, 0.5 + 0.8 * (k // 5)), angle=0.1 * k)
        )
    return world


def _digest(column: Column) -> str:
    world, digest = _heap(column), hashlib.blake2b(digest_size=8)
    for _ in range(240):
        world.step()
        digest.update(world.state_hash().encode())
    return digest.hexdigest()


def _twice(column: Column, is_quick: bool) -> Measured:
    return within(float(_digest(column) != _digest(column)), 0.0)


def _elsewhere(column: Column, is_quick: bool) -> Measured:
    code = (
        "import sys; from engine.experiments.engines.bench import columns_of; from engine.experiments.engines.laws import _digest; "
        "print(_digest(columns_of(sys.argv[1], 'determinism')[0]))"
    )
    ran = subprocess.run([sys.executable, "-c", code, column.solver], capture_output=True, text=True, check=True)
    return within(float(ran.stdout.strip() != _digest(column)), 0.0)


def _restored(column: Column, is_quick: bool) -> Measured:
    world = _heap(column)
    for _ in range(60):
        world.step()
    world.canonicalize()
    kept = world.snapshot()
    ends = []
    for _ in range(2):
        for _ in range(60):
            world.step()
        ends.append(world.state_hash())
        world.restore(kept)
    return within(float(ends[0] != ends[1]), 0.0)


enter(
    Test(
        "determinism",
        "Determinism",
        "On the same machine, the same program computes bit-identical poses and velocities for a heap of 40 bodies that falls for four "
        "seconds. The value is 0 if they are identical and 1 if they differ.",
        "0",
        (
            Row("twice", "run twice", "", _twice, _heap, 4.0),
            Row("process", "run again in another process", "", _elsewhere, _heap, 4.0),
            Row("restore", "continued after a restore", "", _restored, _heap, 4.0),
        ),
        {
            "box2d3": (
                box2d3("For the same input and binary, it reproduces any simulation.", "Is Box2D deterministic?", "docs/FAQ.md", "FAQ"),
                box2d3("Cross-platform determinism.", "Improvements", "docs/release_notes_v310.md", "v3.1 Release Notes"),
            ),
            "chipmunk": (pymunk("A copy lacks some collision data, which makes its first few steps a bit unstable.", "Space"),),
        },
    )
)
