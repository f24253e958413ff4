"""Rooms that no body may leave: ``python -m tests.hazards.tunnel [SEEDS] [FIRST] [FAMILY ...]`` fires, spins and shakes bodies, and checks
for escapes.

A room is one body of four thin walls, or a chain. It contains up to a dozen bodies of all shapes, including thin, tiny, many-cornered and
compound ones, at speeds up to 3 km/s and spins up to 2,000 rad/s, with or without restitution and friction.

families    static    the room stands
            driven    it is kinematic: it flies at up to 1 km/s, and spins
            loose     it is dynamic, and light against what is in it
            posts     it stands, and tiny posts stand in it
            linked    it stands, and the bodies in it hang together by joints

The judge does not use times of impact: after each step, in the room's frame, the middle of every fixture must be on the inner side of the
middle line of every wall. A room is closed, so there is no way around; a body that is less than half through a wall does not count as
outside. For a post, no straight path of a middle from step to step may cross its inner half. Nothing may become NaN.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World, WorldSettings

FAMILIES = ("static", "driven", "loose", "posts", "linked")
STEPS = 60


@dataclass(frozen=True)
class Case:
    """A room: half its sides, between the walls' middle lines, and its contents."""

    world: World
    room: int
    half: tuple[float, float]
    contents: tuple[int, ...]
    posts: tuple[tuple[float, float, float], ...]
    words: str


def _log(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def _shapes(rng, kind, size):
    match kind:
        case "disc":
            return [Circle(size)]
        case "tiny":
            return [Circle(0.03 * size)]
        case "box":
            return [Polygon.box(size, float(rng.uniform(0.3, 1.0)) * size)]
        case "rod":
            return [Polygon.box(size, _log(rng, 0.005, 0.1) * size)]
        case "capsule":
            return [Capsule((-size, 0.0), (size, 0.0), _log(rng, 0.02, 0.5) * size)]
        case "many":
            turns = np.sort(rng.uniform(0.0, 2.0 * np.pi, 24)) if rng.random() < 0.5 else np.arange(24) * np.pi / 12.0
            if np.diff(np.append(turns, turns[0] + 2.0 * np.pi)).max() > 2.5:
                turns = np.arange(24) * np.pi / 12.0
            return [Polygon(size * np.column_stack((np.cos(turns), np.sin(turns))))]
        case _:
            arm = _log(rng, 0.02, 0.2) * size
            cross = [Polygon.box(size, arm), Polygon.box(arm, size)]
            return cross if rng.random() < 0.5 else [*cross, Circle(0.5 * size)]


KINDS = ("disc", "tiny", "box", "rod", "capsule", "many", "compound")


def make(family, seed):
    """Return a room of the family."""
    rng = np.random.default_rng((FAMILIES.index(family), seed))
    world = World(
        WorldSettings(
            gravity=(0.0, float(rng.choice((0.0, -10.0)))),
            hertz=float(rng.choice((30.0, 60.0, 120.0))),
            velocity_iterations=int(rng.choice((4, 8))),
        ),
        solver="soft_step",
    )
    half = float(rng.uniform(1.0, 4.0)), float(rng.uniform(1.0, 4.0))
    thin, wall = _log(rng, 0.001, 0.05), str(rng.choice(("polygons", "segments", "chain")))
    bounce, rub = float(rng.choice((0.0, 0.5, 1.0))), float(rng.choice((0.0, 0.6)))
    a, b = half
    corners = [(-a, -b), (a, -b), (a, b), (-a, b)]
    sides = [(corners[k - 1], corners[k], corners[(k + 1) % 4], corners[(k + 2) % 4]) for k in range(4)]
    if wall == "polygons" or family == "loose":
        long = ((0.0, b, a + thin, thin), (0.0, -b, a + thin, thin), (a, 0.0, thin, b + thin), (-a, 0.0, thin, b + thin))
        walls = [Polygon([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)]) for x, y, w, h in long]
    elif wall == "segments":
        walls = [Segment(p, q) for _, p, q, _ in sides]
    else:
        walls = [Segment(p, q, ghost1=before, ghost2=after) for before, p, q, after in sides]
    density = _log(rng, 0.05, 5.0)
    room_type = {"driven": "kinematic", "loose": "dynamic"}.get(family, "static")
    speed, turn = rng.uniform(0.0, 2.0 * math.pi), 0.0
    velocity = (0.0, 0.0)
    if family == "driven":
        fast = _log(rng, 1.0, 1000.0)
        velocity, turn = (fast * math.cos(speed), fast * math.sin(speed)), float(rng.choice((-1, 0, 1))) * _log(rng, 0.1, 200.0)
    parts = tuple(FixtureSpec(shape, density=density, restitution=bounce, friction=rub) for shape in walls)
    room = world.create_body(BodySpec(parts, room_type, linear_velocity=velocity, angular_velocity=turn))
    n = int(rng.integers(1, 9))
    across = math.ceil(math.sqrt(n + 4))
    cell = 2.0 * (min(half) - thin) / across
    places = [((i + 0.5) * 2.0 * a / across - a, (j + 0.5) * 2.0 * b / across - b) for i in range(across) for j in range(across)]
    places = [places[k] for k in rng.permutation(len(places))]
    words, contents, posts = [], [], []
    if family == "posts":
        for _ in range(3):
            (x, y), r = places.pop(), _log(rng, 0.002, 0.1) * cell
            world.create_body(BodySpec((FixtureSpec(Circle(r), restitution=bounce),), "static", (x, y)))
            posts.append((x, y, r))
    for _ in range(n):
        kind, size = str(rng.choice(KINDS)), _log(rng, 0.05, 0.45) * cell
        fast, spin = _log(rng, 1.0, 3000.0), float(rng.choice((-1, 0, 1))) * _log(rng, 1.0, 2000.0)
        way, angle = rng.uniform(0.0, 2.0 * math.pi, 2)
        at = places.pop()
        heavy = _log(rng, 0.5, 20.0)
        inside = tuple(FixtureSpec(shape, density=heavy, restitution=bounce, friction=rub) for shape in _shapes(rng, kind, size))
        body = BodySpec(
            inside, "dynamic", at, float(angle), linear_velocity=(fast * math.cos(way), fast * math.sin(way)), angular_velocity=spin
        )
        contents.append(world.create_body(body))
        words.append(f"{kind} of {size:.3f} m at {fast:.0f} m/s, {spin:.0f} rad/s")
    if family == "linked":
        for first, other in pairwise(contents):
            (x, y), (u, v) = world.state(first).position, world.state(other).position
            world.create_joint(RevoluteJointSpec(first, other, (0.5 * (x + u), 0.5 * (y + v))))
    how = f"{family} {seed}: {wall}, {2 * thin:.4f} m thick, {2 * a:.1f} x {2 * b:.1f} m, e {bounce:g}, friction {rub:g}"
    how += f", {world.settings.hertz:g} Hz, {world.settings.velocity_iterations} sub-steps"
    return Case(world, room, half, tuple(contents), tuple(posts), "; ".join((how, *words)))


def _middles(case, body):
    pose = case.world.state(body).xf
    middles = []
    for fixture in case.world.body(body).fixtures:
        shape = case.world.fixture(fixture).shape
        middles.append(pose.apply(shape.mass(1.0).centroid if isinstance(shape, Polygon) else tuple(shape.core.mean(axis=0))))
    return middles


def judge(case, steps=STEPS):
    """Run a room and return the first failure, or None."""
    world = case.world
    for step in range(steps):
        before = {body: _middles(case, body) for body in case.contents}
        world.step()
        room = world.state(case.room).xf
        if not math.isfinite(room.position[0]):
            return f"step {step + 1}: the room is at {room}"
        for body in case.contents:
            if not world.body(body).spec.active:
                continue  # faster than any body may be: the world has taken it out
            for was, place in zip(before[body], _middles(case, body), strict=True):
                x, y = Transform(room.position, room.angle).apply_inverse(place)
                if not (abs(x) < case.half[0] and abs(y) < case.half[1]):
                    return f"step {step + 1}: body {body} is outside, at ({x:.4f}, {y:.4f}) m in the room"
                for px, py, r in case.posts:
                    dx, dy = place[0] - was[0], place[1] - was[1]
                    square = dx * dx + dy * dy
                    share = min(1.0, max(0.0, ((px - was[0]) * dx + (py - was[1]) * dy) / square)) if square > 0.0 else 0.0
                    if math.hypot(was[0] + share * dx - px, was[1] + share * dy - py) < 0.5 * r:
                        return f"step {step + 1}: body {body} went through the post at ({px:.3f}, {py:.3f})"
    return None


def main(arguments):
    seeds, first = int(arguments[0]) if arguments else 100, int(arguments[1]) if len(arguments) > 1 else 0
    n_wrong = 0
    for family in arguments[2:] or FAMILIES:
        wrong = 0
        for seed in range(first, first + seeds):
            case = make(family, seed)
            fault = judge(case)
            if fault is not None:
                wrong += 1
                if wrong <= 5:
                    print(f"{fault}\n    {case.words}")
        print(f"{family:8} {seeds:6} rooms, {wrong} that something left", flush=True)
        n_wrong += wrong
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
