"""Random stacks: ``python -m tests.hazards.random_stacks [STACKS] [SEED]`` compares the forces of `contact_forces` with the exact ones.

Every stack is a world of boxes of 0.2 to 2 m and 1 to 30 kg/m^2, stacked at rest and stepped once. The reported forces are those at the
start of the step (explicit Euler evaluates once). Three kinds:

smooth
    one to six boxes without friction, each anywhere on the one below, gravity leaning by up to 17 degrees: some stay, some slide, some
    topple. Each point's force is that of an exact linear complementarity problem (`engine.dynamics.exact_forces`).
rough
    the same with friction, upright and balanced: what each contact bears, that of an exact linear program, all answers of which agree.
planks
    long boxes on two to four pillars, with more points than the equations determine: each force pushes, and their sums on each body, and
    on each contact whose sum is the same in all answers, are the exact ones.

Errors are relative to the weight of the whole stack.
"""

import json
import math
import sys

import numpy as np

from engine.dynamics.exact_forces import Resting, exact_contact_forces
from engine.dynamics.methods._jacobian import contact_lines, points_of
from engine.geometry import Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = ["KINDS", "error_of"]

MOST = 1e-9
"""Weights of the stack."""
SETTINGS = {"integrator": "explicit_euler"}


def _world(solver, rng, lean=0.0):
    angle = rng.uniform(-lean, lean)
    gravity = (10.0 * math.sin(angle), -10.0 * math.cos(angle))
    settings = SETTINGS if solver == "contact_forces" else {}
    return World(WorldSettings(gravity=gravity, sleeping=False, continuous=False, solver_settings=settings), solver=solver)


def _box(world, rng, half, at, friction):
    density = 10.0 ** rng.uniform(0.0, 1.5)
    return world.create_body(BodySpec((FixtureSpec(Polygon.box(*half), density=density, friction=friction),), position=at))


def _ground(world, friction):
    world.create_body(BodySpec((FixtureSpec(Segment((-50.0, 0.0), (50.0, 0.0)), friction=friction),), type="static"))


def _tower(solver, rng, friction, lean):
    world, x, top, wide = _world(solver, rng, lean), 0.0, 0.0, 1.0
    _ground(world, friction)
    boxes = []
    for _ in range(rng.integers(1, 7)):
        half = rng.uniform(0.2, 1.0), rng.uniform(0.1, 0.5)
        x += rng.uniform(-0.9, 0.9) * (half[0] + wide)
        boxes.append((half, (x, top + half[1])))
        top, wide = top + 2.0 * half[1], half[0]
    if friction > 0.0:  # of what lies above each, the middle has to be over it: narrower ones centered
        boxes = [((half[0], half[1]), (rng.uniform(-0.05, 0.05), at[1])) for half, at in boxes]
    for half, at in boxes:
        _box(world, rng, half, at, friction)
    return world


def _smooth(solver, rng):
    world = _tower(solver, rng, 0.0, 0.3)
    world.step()
    problem = Resting.of(world)
    exact = exact_contact_forces(problem)
    forces = _normal(world)
    weight = _weight(world)
    off = _of_sums(problem.contacts, forces, exact, weight)
    return max(off, float(np.abs(forces - exact.normal).max()) / weight) if exact.are_points_unique else off


def _rough(solver, rng):
    world = _tower(solver, rng, rng.uniform(0.2, 1.0), 0.0)
    world.step()
    exact = exact_contact_forces(Resting.of(world), has_friction=True)
    assert exact.is_unique.all()
    return float(np.abs(_normal(world).sum(axis=1) - exact.low).max()) / _weight(world)


def _planks(solver, rng):
    world = _world(solver, rng)
    _ground(world, 0.0)
    n, high, top = int(rng.integers(2, 5)), rng.uniform(0.2, 0.8), 0.0
    for _ in range(rng.integers(1, 3)):
        for k in range(n):
            _box(world, rng, (rng.uniform(0.1, 0.35), 0.5 * high), (k - 0.5 * (n - 1), top + 0.5 * high), 0.0)
        top += high
        _box(world, rng, (0.5 * n, 0.1), (rng.uniform(-0.2, 0.2), top + 0.1), 0.0)
        top += 0.2
    world.step()
    problem = Resting.of(world)
    return _of_sums(problem.contacts, _normal(world), exact_contact_forces(problem), _weight(world))


def _normal(world):
    return world.contacts.normal_impulse / world.settings.dt


def _weight(world):
    return 10.0 * sum(world.body(body).mass for body in world.body_ids if world.body(body).spec.type == "dynamic")


def _of_sums(contacts, forces, exact, weight):
    """Return the largest pulling force or error of a sum, relative to the weight."""
    row, k = points_of(contacts)
    normals, _ = contact_lines(contacts, row, k, len(exact.load))
    load = (normals.T @ forces[row, k]).reshape(-1, 3)
    off = np.abs(forces.sum(axis=1) - exact.total)[exact.is_unique]
    return float(max(-forces.min(), np.abs(load - exact.load).max(), off.max(initial=0.0))) / weight


KINDS = {"smooth": _smooth, "rough": _rough, "planks": _planks}


def error_of(kind, number, seed=0, solver="contact_forces"):
    """Return the largest error of the forces in one stack, relative to its weight."""
    return KINDS[kind](solver, np.random.default_rng((seed, number, list(KINDS).index(kind))))


def main(arguments):
    n, seed = int(arguments[0]) if arguments else 1000, int(arguments[1]) if len(arguments) > 1 else 0
    kinds = [list(KINDS)[number % len(KINDS)] for number in range(n)]
    errors = np.array([error_of(kind, number, seed) for number, kind in enumerate(kinds)])
    worst = {}
    for kind in KINDS:
        mine = np.array([name == kind for name in kinds])
        worst[kind] = float(errors[mine].max(initial=0.0))
        wrong = np.flatnonzero(mine & (errors > MOST))
        largest = f"largest error {worst[kind]:.1e} of the weight"
        print(f"{kind:7} {np.count_nonzero(mine):5} stacks, {largest}, {len(wrong)} wrong {wrong[:9].tolist()}")
    print(json.dumps({"seed": seed, "stacks": n, "wrong_total": int(np.count_nonzero(errors > MOST)), "largest": worst}))
    return int((errors > MOST).any())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
