"""Worlds with everything that determines which fixtures touch, changed at random while they run; touching pairs are computed twice.

    python -m tests.unit.compare.live_pairs_fuzz FIRST LAST [STEPS]

runs the seeds from FIRST to LAST and prints the comparisons and the reasons for differences; the status is 1 if any is unexplained.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter

import numpy as np

from engine.box2d import memory
from engine.common.errors import LabError
from engine.compare.live.pairs import LivePairs
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, StepHooks, World, WorldSettings
from engine.world.joints.mouse import MouseJointSpec

__all__ = ["run"]


def shape(rng: np.random.Generator) -> Circle | Polygon:
    size = float(rng.uniform(0.05, 0.6))
    match rng.integers(0, 6):
        case 0:
            return Circle(size, (float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-0.3, 0.3))))
        case 1:
            return Polygon.box(size, float(rng.uniform(0.05, 0.6)))
        case 2:
            return Polygon.regular(int(rng.integers(3, 9)), size)
        case 3:  # a needle: its corners reach beyond its skins
            return Polygon([(0.0, 0.0), (float(rng.uniform(0.5, 1.5)), float(rng.uniform(0.02, 0.1))), (0.0, 0.1)])
        case 4:
            return Circle(size)
    return Polygon.regular(5, size)


def body(rng: np.random.Generator) -> BodySpec:
    fixtures = []
    for _ in range(int(rng.integers(1, 4))):
        settings: dict[str, object] = {"sensor": bool(rng.random() < 0.15)}
        if rng.random() < 0.2:
            settings.update(category=int(rng.choice([1, 2, 4])), mask=int(rng.choice([1, 3, 6, 0xFFFF])))
        if rng.random() < 0.1:
            settings["group"] = int(rng.choice([-1, 1, 2]))
        fixtures.append(FixtureSpec(shape(rng), **settings))
    kind = str(rng.choice(["dynamic"] * 8 + ["kinematic", "static"]))
    moves: dict[str, object] = {}
    if kind != "static":
        is_bullet = kind == "dynamic" and bool(rng.random() < 0.15)
        velocity = rng.normal(0.0, 60.0 if is_bullet else 3.0, 2).tolist()
        moves = {"linear_velocity": tuple(velocity), "angular_velocity": float(rng.normal()), "bullet": is_bullet}
    return BodySpec(tuple(fixtures), kind, place(rng), float(rng.uniform(-3.0, 3.0)), **moves)


def place(rng: np.random.Generator) -> tuple[float, float]:
    return float(rng.uniform(-7.0, 7.0)), float(rng.uniform(0.5, 9.0))


def build(rng: np.random.Generator) -> World:
    """A floor of edges, most of them with neighbors, two walls, and up to fifty bodies."""
    gravity, hertz = float(rng.choice([-10.0, 0.0, -10.0])), float(rng.choice([60, 30, 120, 240]))
    world = World(WorldSettings((0.0, gravity), hertz, continuous=bool(rng.random() < 0.8), sub_stepping=bool(rng.random() < 0.1)))
    points = [(float(x), float(y)) for x, y in zip(np.linspace(-8.0, 8.0, 9), rng.uniform(-0.3, 0.3, 9), strict=True)]
    edges = []
    for i in range(8):
        ghosts = {"ghost1": points[i - 1] if i else None, "ghost2": points[i + 2] if i < 7 else None} if rng.random() < 0.8 else {}
        edges.append(FixtureSpec(Segment(points[i], points[i + 1], **ghosts)))
    world.create_body(BodySpec(tuple(edges), "static"))
    for x in (-8.0, 8.0):
        world.create_body(BodySpec((FixtureSpec(Polygon.box(0.2, 6.0)),), "static", (x, 6.0)))
    for _ in range(int(rng.integers(5, 50))):
        world.create_body(body(rng))
    if rng.random() < 0.1:  # a rule that lets some pairs pass through each other
        world.hooks = StepHooks(pre_solve=lambda event: (event.fixture_a + event.fixture_b) % 7 != 0)
    return world


def change(rng: np.random.Generator, world: World) -> None:
    """Make one change to a world."""
    ids, joints = world.body_ids[3:], world.joint_ids
    if not ids:
        return
    first, other = (int(rng.choice(ids)) for _ in range(2))
    fixtures = world.body(first).fixtures
    match rng.integers(0, 16):
        case 0:
            world.set_pose(first, place(rng), float(rng.uniform(-3.0, 3.0)))
        case 1:
            world.destroy_body(first)
        case 2:
            world.create_body(body(rng))
        case 3:
            world.set_awake(first, bool(rng.random() < 0.4))
        case 4:
            world.set_body(first, active=bool(rng.random() < 0.6))
        case 5:
            world.set_body(first, type=str(rng.choice(["dynamic", "kinematic", "static"])))
        case 6 if fixtures:
            world.set_fixture(int(rng.choice(fixtures)), mask=int(rng.choice([1, 3, 6, 0xFFFF])), group=int(rng.choice([0, -1, 1])))
        case 7 if fixtures:
            world.set_fixture(int(rng.choice(fixtures)), sensor=bool(rng.random() < 0.4))
        case 8 | 9 if first != other:
            world.create_joint(RevoluteJointSpec(first, other, world.state(first).position, collide_connected=bool(rng.random() < 0.4)))
        case 10 | 11 if joints:
            world.destroy_joint(int(rng.choice(joints)))
        case 12:
            world.create_fixture(first, FixtureSpec(shape(rng)))
        case 13 if len(fixtures) > 1:
            world.destroy_fixture(fixtures[0])
        case 14:
            world.create_joint(MouseJointSpec(first, world.state(first).position, 100.0))
        case 15 if joints:
            world.set_joint(int(rng.choice(joints)), collide_connected=bool(rng.random() < 0.5))


def run(seed: int, n_steps: int) -> tuple[LivePairs, Counter[str], list[str]]:
    """Run one world; return the check, its reasons, and the unexplained differences as text."""
    rng = np.random.default_rng(seed)
    world = build(rng)
    check = LivePairs(world)
    reasons: Counter[str] = Counter()
    unexplained = []
    kept = None
    for step in range(n_steps):
        while rng.random() < 0.3:
            with contextlib.suppress(LabError):  # what the world refuses changes nothing
                change(rng, world)
        if rng.random() < 0.02:
            if kept is None:
                kept = world.snapshot()
            else:
                world.restore(kept)
        try:
            contacts = world.step()
        except LabError:
            continue
        for difference in check.check(contacts).differences:
            reasons[difference.reason] += 1
            if difference.reason == "unexplained":
                unexplained.append(
                    f"seed {seed}, step {step}, fixtures {difference.fixture_a} and {difference.fixture_b}: {difference.evidence}"
                )
    return check, reasons, unexplained


def main(first: int, last: int, n_steps: int = 200) -> int:
    memory.load()
    reasons: Counter[str] = Counter()
    n_pairs, n_unexplained = 0, 0
    for seed in range(first, last):
        check, counts, unexplained = run(seed, n_steps)
        reasons += counts
        n_pairs += check.total.ours
        n_unexplained += len(unexplained)
        for words in unexplained[:3]:
            print(words)
    print(f"{last - first} worlds, {n_pairs:,} touching pairs of ours, {dict(reasons)}")
    return 1 if n_unexplained else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
