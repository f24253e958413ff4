"""A step does not depend on the previous contents of its scratch arrays: each is filled with poison, and the bits must not change.

``NUMBA_DISABLE_JIT=1 python -m tests.unit.dynamics.scratch`` does so for every method with kernels as plain Python: arrays allocated in
kernels are then poisoned too, and reading past an array is an error.
"""

import sys
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world import (
    BodySpec,
    DistanceJointSpec,
    FixtureSpec,
    FrictionJointSpec,
    GearJointSpec,
    MotorJointSpec,
    MouseJointSpec,
    PrismaticJointSpec,
    PulleyJointSpec,
    RevoluteJointSpec,
    RopeJointSpec,
    WeldJointSpec,
    WheelJointSpec,
    World,
    WorldSettings,
    methods,
)

__all__ = ["CASES", "METHODS", "SCENES", "depends_on_scratch", "state_bytes"]

METHODS = methods()
CASES = tuple((name, {}) for name in METHODS)
_BOX = Polygon.box(0.5, 0.5)
_SHAPES = (_BOX, Circle(0.4), Capsule((-0.4, 0.0), (0.4, 0.0), 0.2), Polygon.regular(6, 0.5))


def _world(solver, chosen):
    world = World(WorldSettings(solver_settings=chosen), solver=solver)
    corners = ((-8.0, 0.0), (0.0, 0.0), (8.0, 0.0), (12.0, 2.0))
    chain = [FixtureSpec(Segment(*corners[k : k + 2], ghost1=corners[k - 1] if k else None)) for k in range(3)]
    world.create_body(BodySpec(tuple(chain), "static"))
    return world


def _add(world, shape, x, y, **more):
    of_body = {name: more.pop(name) for name in ("type", "angle", "linear_velocity", "bullet") if name in more}
    return world.create_body(BodySpec((FixtureSpec(shape, **more),), position=(x, y), **of_body))


def contacts(solver, chosen):
    """Every kind of shape at rest, falling, bouncing and sensing, and a fast one."""
    world = _world(solver, chosen)
    for row in range(2):
        for column, shape in enumerate(_SHAPES):
            _add(world, shape, -3.0 + 2.0 * column + 0.1 * row, 0.49 + 1.05 * row, restitution=0.5 * (column % 2))
    _add(world, Circle(1.0), -3.0, 1.0, type="static", sensor=True)
    _add(world, Circle(0.1), 6.0, 3.0, linear_velocity=(0.0, -300.0), bullet=True)
    return world


def twice_joined(solver, chosen):
    """Pairs of boxes with two joints each, in all combinations."""
    world = _world(solver, chosen)
    for place, (first, second) in enumerate(
        (
            (WeldJointSpec, WheelJointSpec),
            (WheelJointSpec, WeldJointSpec),
            (PrismaticJointSpec, RevoluteJointSpec),
            (RevoluteJointSpec, PrismaticJointSpec),
            (DistanceJointSpec, WeldJointSpec),
            (WeldJointSpec, WeldJointSpec),
        )
    ):
        x, y = -6.0 + 4.0 * (place % 3), 1.0 + 3.0 * (place // 3)
        a, b = (_add(world, _BOX, x + 1.2 * k, y, mask=0 if k else 1) for k in range(2))
        for kind in (first, second):
            world.create_joint(_joint(kind, a, b, x + 0.6, y))
    return world


def _joint(kind, a, b, x, y):
    if kind is DistanceJointSpec:
        return kind(a, b, anchor_a=(x - 0.6, y), anchor_b=(x + 0.6, y))
    limits = {"enable_limit": True, "lower_translation": -0.01, "upper_translation": 0.0} if kind is PrismaticJointSpec else {}
    soft = {"frequency": 0.0} if kind is WheelJointSpec else {}
    return kind(a, b, (x, y), **({"axis": (0.0, 1.0)} if kind in (PrismaticJointSpec, WheelJointSpec) else {}), **limits, **soft)


def mechanisms(solver, chosen):
    """Each kind of joint once, and a loop and a chain of revolute ones."""
    world = _world(solver, chosen)
    a = [_add(world, _BOX, 2.0 * k - 9.0, 6.0, mask=0) for k in range(10)]
    turned = world.create_joint(RevoluteJointSpec(0, a[0], (-9.0, 6.0), enable_motor=True, motor_speed=1.0, max_motor_torque=9.0))
    slid = world.create_joint(PrismaticJointSpec(0, a[1], (-7.0, 6.0), (0.0, 1.0), enable_limit=True, lower_translation=-0.01))
    world.create_joint(GearJointSpec(turned, slid, ratio=2.0))
    world.create_joint(PulleyJointSpec(a[2], a[3], (-5.0, 9.0), (-3.0, 9.0), anchor_a=(-5.0, 6.0), anchor_b=(-3.0, 6.0)))
    world.create_joint(RopeJointSpec(0, a[4], anchor_a=(-1.0, 9.0), anchor_b=(-1.0, 6.0), max_length=3.001))
    world.create_joint(MouseJointSpec(a[5], target=(1.0, 7.0), max_force=99.0))
    world.create_joint(MotorJointSpec(a[5], a[6], max_force=9.0, max_torque=9.0))
    world.create_joint(FrictionJointSpec(a[6], a[7], (4.0, 6.0), max_force=9.0, max_torque=9.0))
    world.create_joint(WheelJointSpec(a[7], a[8], (6.0, 6.0), (0.0, 1.0), frequency=2.0))
    world.create_joint(WeldJointSpec(a[8], a[9], (8.0, 6.0), frequency=2.0))
    ring = [_add(world, _BOX, x, y, mask=0) for x, y in ((0.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0))]
    for k, (x, y) in enumerate(((0.5, 1.0), (1.0, 1.5), (0.5, 2.0), (0.0, 1.5))):
        world.create_joint(RevoluteJointSpec(ring[k], ring[(k + 1) % 4], (x, y)))
    world.create_joint(RevoluteJointSpec(0, ring[0], (0.0, 1.0)))
    return world


def alone(solver, chosen):
    """An isolated body in a world without gravity or floor."""
    world = World(WorldSettings(gravity=(0.0, 0.0), solver_settings=chosen), solver=solver)
    _add(world, _BOX, 0.0, 0.0, linear_velocity=(1.0, 2.0))
    return world


SCENES = {make.__name__: make for make in (contacts, twice_joined, mechanisms, alone)}


def state_bytes(world):
    """Return the bits of all motion and of the contacts' impulses."""
    contacts = world.contacts
    return world.snapshot().motion.values.tobytes() + contacts.normal_impulse.tobytes() + contacts.tangent_impulse.tobytes()


# -- poison -----------------------------------------------------------------------------------------------------------


def _fill(array):
    """Fill an array with NaN, or with invalid indices, counts and flags."""
    array[...] = np.nan if array.dtype.kind == "f" else True if array.dtype.kind == "b" else np.iinfo(array.dtype).max - 6
    return array


@contextmanager
def _poisoned_empties():
    """Let `np.empty` and `np.empty_like` return poison."""
    empty, empty_like = np.empty, np.empty_like
    with (
        patch.object(np, "empty", lambda *shape, **more: _fill(empty(*shape, **more))),
        patch.object(np, "empty_like", lambda *shape, **more: _fill(empty_like(*shape, **more))),
    ):
        yield


def _poison(space):
    """Fill all scratch arrays of a world's steps."""
    bundles = (array for _, arrays in space._bundles.values() for array in arrays)
    for array in (*space._kept.values(), *bundles):
        _fill(array)


def _run(scene, solver, chosen, n_steps, is_poisoned):
    """Return the states of some steps, between which a body is added and removed, so scratch arrays become larger than necessary."""
    world, states = scene(solver, chosen), []
    for step in range(n_steps):
        if step == n_steps // 2:
            world.destroy_body(_add(world, _BOX, 0.0, 50.0))
            world.create_body(BodySpec((FixtureSpec(Circle(0.2)),), position=(0.0, 40.0)))
        if is_poisoned:
            _poison(world._solver._space)
        world.step()
        states.append(state_bytes(world))
    return states


def depends_on_scratch(scene, solver, chosen, n_steps=4):
    """Return how a run with poison differs from one without; empty if not at all."""
    clean = _run(SCENES[scene], solver, chosen, n_steps, False)
    try:
        with _poisoned_empties():
            poisoned = _run(SCENES[scene], solver, chosen, n_steps, True)
    except (IndexError, OverflowError, ValueError, MemoryError) as error:
        return f"{solver}, {chosen}, {scene}: {type(error).__name__}: {error}"
    differing = [step for step, (first, other) in enumerate(zip(clean, poisoned, strict=True)) if first != other]
    return f"{solver}, {chosen}, {scene}: from step {differing[0]} on" if differing else ""


def main():
    np.seterr(all="ignore")
    differing = [difference for solver, chosen in CASES for scene in SCENES if (difference := depends_on_scratch(scene, solver, chosen, 2))]
    print("\n".join(differing))
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
