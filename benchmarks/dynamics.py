"""A step of our rigid bodies against `b2World::Step`: piles that have come to rest, small worlds, fast bodies, sleep, growth, memory.

Both engines build the same scene and settle it by themselves; then they step in turn. Box2D 2.3 is stepped through pybox2d, which costs a
microsecond a step, native inside, with 8 velocity and 3 position iterations. In both no body may sleep and nothing is continuous, where the
row does not say otherwise. Ours is the whole of `World.step`.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from engine.common.installation import BOX2D
from engine.common.rng import stream
from engine.experiments.scenes import piled
from engine.geometry import Circle, Polygon, Segment
from engine.world import BodySpec, FixtureSpec, World, WorldSettings

__all__ = ["HERTZ", "SOLVER", "Scene", "box2d_world", "box_pile", "run", "stack"]

SOLVER = "soft_step"
HERTZ = 60.0
SETTLING = 240
"""Steps before anything is measured: the piles lie by then."""

STEPS = 20
"""Steps in a turn, each measured by itself. The first few find the cache filled by the other library; the median ignores them."""

GROWTH = (100, 300, 1_000, 3_000, 10_000, 20_000)
"""Boxes in piles of one height."""

Scene = list[BodySpec]


def run(quick: bool = False) -> list[Record]:
    """Measure piles at 4 and 8 sub-steps, small worlds, fast bodies, sleep, snapshots, growth and memory."""
    rounds = 5 if quick else 20
    piles: dict[str, Scene] = {"pyramid of 30 rows": pyramid(30)}
    if not quick:
        piles |= {"2,000 mixed shapes, piled": mixed_pile(2_000), "5,000 boxes, piled": box_pile(5_000)}
    records: list[Record] = []
    for name, scene in piles.items():
        records += _against_box2d(name, scene, rounds)
    for name, scene in (("stack of 15", stack(15)), ("one box", stack(1))):
        records += _against_box2d(name, scene, 2 * rounds)
    records += _fast(1_000, 2 * rounds)
    records += _box2d_world(1_000, rounds)
    records += _asleep(1_000, 10 * rounds)
    records += _kept(1_000, 10 * rounds)
    records += _grown(GROWTH[:3] if quick else GROWTH, 2 * rounds)
    records += _resident(1_000 if quick else 10_000, 100 if quick else 500)
    return records


# Scenes


def _floor() -> BodySpec:
    return BodySpec((FixtureSpec(Segment((-1000.0, 0.0), (1000.0, 0.0)), friction=0.6),), "static")


def _box(x: float, y: float, angle: float = 0.0) -> BodySpec:
    return BodySpec((FixtureSpec(Polygon.box(0.5, 0.5), friction=0.6),), "dynamic", (x, y), angle)


def stack(n: int) -> Scene:
    """Return `n` boxes on each other, on a floor."""
    return [_floor(), *(_box(*at) for (at,) in piled((1,) * n))]


def pyramid(rows: int) -> Scene:
    """Return a pyramid of boxes with so many in its lowest row."""
    return [_floor(), *(_box(*at) for row in piled(range(rows, 0, -1), x=-0.5) for at in row)]


def _pit(width: float, height: float) -> Scene:
    walls = [Segment((x, 0.0), (x, height)) for x in (-0.5 * width, 0.5 * width)]
    return [_floor(), BodySpec(tuple(FixtureSpec(wall, friction=0.6) for wall in walls), "static")]


def box_pile(n: int, height: int = 40) -> Scene:
    """Return `n` boxes that fall into a pit of such a width that they lie about `height` boxes deep."""
    rng = stream(0, "benchmarks", "dynamics", "boxes", n)
    per_row = max(1, math.ceil(n / height))
    scene = _pit(1.45 * per_row + 0.4, 2.0 * height)
    for number in range(n):
        row, at = divmod(number, per_row)
        scene.append(_box(1.45 * (at - 0.5 * (per_row - 1)), 0.8 + 1.45 * row, rng.uniform(-math.pi, math.pi)))
    return scene


def mixed_pile(n: int) -> Scene:
    """Return `n` discs, boxes and convex polygons of three to eight corners, in a pit."""
    rng = stream(0, "benchmarks", "dynamics", "mixed", n)
    per_row = max(1, math.ceil(n / 40))
    scene = _pit(1.25 * per_row + 0.4, 100.0)
    for number in range(n):
        row, at = divmod(number, per_row)
        size, corners = rng.uniform(0.3, 0.55), int(rng.integers(3, 9))
        turns = 2.0 * math.pi / corners
        ring = [(size * math.cos(k * turns), size * math.sin(k * turns)) for k in range(corners)]
        shape = (Circle(size), Polygon.box(0.8 * size, 0.8 * size), Polygon(ring))[number % 3]
        position = (1.25 * (at - 0.5 * (per_row - 1)) + rng.uniform(-0.05, 0.05), 0.6 + 1.2 * row)
        scene.append(BodySpec((FixtureSpec(shape, friction=0.6),), "dynamic", position, rng.uniform(-math.pi, math.pi)))
    return scene


def room(n: int, speed: float) -> Scene:
    """Return `n` elastic discs that fly about in a room, all as bullets."""
    rng = stream(0, "benchmarks", "dynamics", "room", n)
    half, per_row = float(math.ceil(math.sqrt(n))), math.ceil(math.sqrt(n))
    sides = ((0.0, half, half, 0.1), (0.0, -half, half, 0.1), (half, 0.0, 0.1, half), (-half, 0.0, 0.1, half))
    scene = [BodySpec((FixtureSpec(Polygon.box(w, h), restitution=1.0, friction=0.0),), "static", (x, y)) for x, y, w, h in sides]
    for number in range(n):
        row, at = divmod(number, per_row)
        place, way = ((2.0 * at + 1.0) - half, (2.0 * row + 1.0) - half), rng.uniform(0.0, 2.0 * math.pi)
        velocity = speed * math.cos(way), speed * math.sin(way)
        disc = FixtureSpec(Circle(0.1), restitution=1.0, friction=0.0)
        scene.append(BodySpec((disc,), "dynamic", place, linear_velocity=velocity, gravity_scale=0.0, bullet=True))
    return scene


def _ours(scene: Scene, substeps: int, sleeping: bool = False, continuous: bool = False, solver: str = SOLVER) -> World:
    settings = WorldSettings(hertz=HERTZ, velocity_iterations=substeps, continuous=continuous, sleeping=sleeping)
    world = World(settings, solver)
    for spec in scene:
        world.create_body(spec)
    return world


def box2d_world(scene: Scene, continuous: bool = False) -> Any:
    """Return the scene as a world of the bare library."""
    require_peer(BOX2D)
    import Box2D

    world = Box2D.b2World(gravity=WorldSettings().gravity, doSleep=False)
    world.continuousPhysics = continuous
    for spec in scene:
        make = world.CreateDynamicBody if spec.type == "dynamic" else world.CreateStaticBody
        body = make(position=spec.position, angle=spec.angle, allowSleep=False)  # Box2D 2.3.0 lets them sleep whatever its world is told
        body.linearVelocity, body.bullet, body.gravityScale = spec.linear_velocity, spec.bullet, spec.gravity_scale
        for fixture in spec.fixtures:
            shape = fixture.shape
            if isinstance(shape, Circle):
                native = Box2D.b2CircleShape(radius=shape.radius)
            elif isinstance(shape, Polygon):
                native = Box2D.b2PolygonShape(vertices=shape.core.tolist())
            else:
                native = Box2D.b2EdgeShape(vertices=shape.core.tolist())
            body.CreateFixture(shape=native, density=fixture.density, friction=fixture.friction, restitution=fixture.restitution)
    return world


def _box2d_step(scene: Scene, continuous: bool = False, listener: bool = False) -> Callable[[], None]:
    """Return what steps the scene in the bare library, with a contact listener that does nothing where asked for."""
    world = box2d_world(scene, continuous)
    import Box2D

    heard = type("Silent", (Box2D.b2ContactListener,), {})() if listener else None  # no call comes from the class itself
    world.contactListener = heard

    def step() -> None:
        world.Step(1.0 / HERTZ, 8, 3)
        assert world.contactListener is heard  # which Box2D does not keep alive

    return step


# Measurements


def _against_box2d(name: str, scene: Scene, rounds: int) -> list[Record]:
    """Time a step at 4 and at 8 sub-steps, and Box2D's, in turn."""
    worlds = {substeps: _ours(scene, substeps) for substeps in (4, 8)}
    calls: dict[str, Callable[[], object]] = {f"{substeps}": world.step for substeps, world in worlds.items()}
    missing = ""
    try:
        calls["Box2D"] = _box2d_step(scene)
    except MissingPeerError as error:
        missing = str(error)
    for _ in range(SETTLING):
        for call in calls.values():
            call()
    records = []
    for substeps, world in worlds.items():  # one at a time against the rival: a third world would only take the cache from both
        times = _in_turn({key: calls[key] for key in (f"{substeps}", "Box2D") if key in calls}, rounds)
        ours, peer = times[f"{substeps}"], times.get("Box2D")
        worst = max(ours) / statistics.median(ours)
        note = missing or (
            f"{len(scene) - 1:,} bodies, {len(world.contacts):,} contacts; slowest step {worst:.1f} times the median; "
            f"{_asked_for(world) / 1e3:.0f} KB of new objects and arrays per step, at most"
        )
        records.append(record(f"step, {name}, {substeps} sub-steps", "us", ours, peer, "b2World::Step" if peer else "", note))
    return records


def _fast(n: int, rounds: int) -> list[Record]:
    """Time discs that fly about in a room with continuous collision on, all of them fast, and none."""
    records = []
    for name, speed in (("fast", 100.0), ("slow", 2.0)):
        scene = room(n, speed)
        world = _ours(scene, 8, continuous=True)
        calls: dict[str, Callable[[], object]] = {"ours": world.step}
        missing = ""
        try:
            calls["Box2D"] = _box2d_step(scene, continuous=True)
        except MissingPeerError as error:
            missing = str(error)
        times = seconds_in_turn({key: lambda call=call: _done(call()) for key, call in calls.items()}, rounds)
        note = missing or f"{speed:g} m/s, all bullets"
        records.append(
            record(
                f"step, {n:,} {name} discs, continuous", "us", times["ours"], times.get("Box2D"), "" if missing else "b2World::Step", note
            )
        )
    return records


def _box2d_world(n: int, rounds: int) -> list[Record]:
    """Time worlds that Box2D drives, made as anybody makes one, and Box2D with an empty listener, against Box2D stepped bare.

    No contact is read. A world listens to Box2D for continuous physics and for hooks.
    """
    scene = box_pile(n, 10)
    records = []
    for continuous in (False, True):
        try:
            calls = {"Box2D": _box2d_step(scene, continuous), "heard": _box2d_step(scene, continuous, listener=True)}
        except MissingPeerError:
            return []
        world = _ours(scene, 8, continuous=continuous, solver="box2d")
        calls["ours"] = world.step
        for _ in range(SETTLING):
            for call in calls.values():
                call()
        times = _in_turn(calls, rounds)
        note, kind = f"{len(world.contacts):,} contacts, kept for readers", ", continuous" if continuous else ""
        records += [
            record(f"step of a World on Box2D, {n:,} boxes{kind}", "us", times["ours"], times["Box2D"], "b2World::Step", note),
            record("  pybox2d with an empty listener", "us", times["heard"], times["Box2D"], "b2World::Step", "two calls per contact"),
        ]
    return records


def _asked_for(world: World) -> float:
    """Return the most bytes that Python and NumPy ask for within one of a few steps; what kernels ask for by themselves is not seen."""
    for _ in range(5):
        _done(world.step())
    tracemalloc.start()
    most = 0
    for _ in range(10):
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        _done(world.step())
        most = max(most, tracemalloc.get_traced_memory()[1] - before)
    tracemalloc.stop()
    return most


def _asleep(n: int, rounds: int) -> list[Record]:
    world = _ours(box_pile(n, 10), 8, sleeping=True)
    for _ in range(3_000):
        world.step()
        if not world.awake[2:].any():
            break
    awake = int(world.awake[2:].sum())
    times = seconds_in_turn({"ours": lambda: _done(world.step())}, rounds)["ours"]
    return [record(f"step, {n:,} bodies asleep", "us", times, note=f"{awake} awake; {len(world.contacts):,} contacts")]


def _kept(n: int, rounds: int) -> list[Record]:
    """Time keeping and restoring a pile; and weigh a snapshot, for a contact's share."""
    world = _ours(box_pile(n, 10), 8)
    for _ in range(SETTLING):
        world.step()
    snapshots = [world.snapshot()]

    def keep() -> None:
        world.step()
        started = time.perf_counter()
        snapshots[0] = world.snapshot()
        times.append(time.perf_counter() - started)

    times: list[float] = []
    for _ in range(rounds):
        keep()
    kept, times = times, []
    for _ in range(rounds):
        world.step()
        started = time.perf_counter()
        world.restore(snapshots[0])
        times.append(time.perf_counter() - started)
    tracemalloc.start()
    held = []
    for _ in range(3):
        world.step()
    before, n_bodies = tracemalloc.get_traced_memory()[0], n
    for _ in range(20):
        world.step()
        held.append(world.snapshot())
    each = (tracemalloc.get_traced_memory()[0] - before) / len(held)
    tracemalloc.stop()
    contacts = len(world.contacts)
    note = f"{contacts:,} contacts, {each / 1e3:.0f} KB kept per step: {(each - 100.0 * n_bodies) / contacts:.0f} bytes per contact"
    return [record(f"snapshot, {n:,} bodies", "us", kept, note=note), record(f"restore, {n:,} bodies", "us", times, note=note)]


def _grown(sizes: tuple[int, ...], rounds: int) -> list[Record]:
    """Time piles of one height; report the exponent with which a step's time grows with the number of bodies."""
    records, middles = [], []
    for n in sizes:
        world = _ours(box_pile(n, 10), 4)
        for _ in range(SETTLING // 2):
            world.step()
        times = seconds_in_turn({"ours": lambda world=world: _done(world.step())}, max(10, rounds // 3))["ours"]
        middles.append(statistics.median(times))
        power = math.log(middles[-1] / middles[0]) / math.log(n / sizes[0]) if len(middles) > 1 else 0.0
        note = f"{len(world.contacts):,} contacts" + (f"; grows as the number of bodies to the power {power:.2f}" if power else "")
        records.append(record(f"step of a pile, {n:,} boxes", "us", times, note=note))
    return records


def _resident(n: int, n_steps: int) -> list[Record]:
    """Measure the peak resident memory of processes that make a pile, and that make it and step it."""
    made, stepped = (_peak_in_process(n, steps) for steps in (0, n_steps))
    note = f"{n_steps} steps; {made / 1e6:.0f} MB before the first one"
    return [record(f"peak resident memory, {n:,} boxes", "MB", [1e6 / stepped], note=note, amount=1.0)]


def _peak_in_process(n: int, n_steps: int) -> float:
    """Return the peak resident memory, in bytes, of a new process that makes a pile of boxes and steps it."""
    command = [sys.executable, "-m", "benchmarks.dynamics", "peak", str(n), str(n_steps)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    return float(answer.stdout)


def _print_peak(n: int, n_steps: int) -> None:
    import resource  # not on Windows

    world = _ours(box_pile(n), 4)
    for _ in range(n_steps):
        world.step()
    unit = 1 if sys.platform == "darwin" else 1024
    print(unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _in_turn(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Return the processor time of each of `STEPS` steps of each call in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            for _ in range(STEPS):
                started = time.thread_time()
                call()
                times[name].append(time.thread_time() - started)
    return times


def _done(_contacts: object) -> None:
    """Drop the contacts, without reading them."""


if __name__ == "__main__":
    if sys.argv[1:2] == ["peak"]:
        _print_peak(*map(int, sys.argv[2:]))
    else:
        for row in run("quick" in sys.argv):
            print(f"{row.name:50s} {row.ours:10.1f} {row.unit}  {'' if row.ratio is None else f'{row.ratio:.2f}'}  {row.note}")
