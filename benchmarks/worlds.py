"""Many worlds of ten bodies at once (`engine.world.Worlds`), against worlds in a loop, and against the copies of other libraries.

A search copies a world, steps the copy and looks at the result. pybox2d cannot copy a world, so its users build it anew from its
definition, which has not settled yet; pymunk has `Space.copy`. All bodies stay awake, and nothing is continuous. Times are per world, so
the number of worlds in a loop does not matter; the loops have fewer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.dynamics import HERTZ, SOLVER, Scene, box2d_world, box_pile, stack
from benchmarks.measuring import MissingPeerError, Record, record, require_peer, seconds_in_turn
from engine.common.installation import BOX2D
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, World, Worlds, WorldSettings

__all__ = ["run"]

BODIES = 10
STEPS = 30
"""Steps of each copy, as in a search."""
SETTLING = 240


def run(quick: bool = False) -> list[Record]:
    """Measure a step of many worlds, by scene, and a copy with some steps."""
    n, n_loop, rounds = (100, 10, 2) if quick else (1_000, 50, 10)
    scenes: dict[str, Scene] = {"free flight": _flight(), "stack": stack(BODIES), "pile": box_pile(BODIES, 5)}
    records: list[Record] = []
    for name, scene in scenes.items():
        for substeps in (4, 8):
            records += _stepped(f"{name}, {substeps} sub-steps", scene, substeps, n, n_loop, rounds)
        records += _copied(name, scene, n, n_loop, max(2, rounds // 3))
    return records


def _flight() -> Scene:
    box = (FixtureSpec(Polygon.box(0.5, 0.5)),)
    return [BodySpec(box, "dynamic", (2.0 * k, 0.0), linear_velocity=(0.0, 1.0), gravity_scale=0.0) for k in range(BODIES)]


def _settled(scene: Scene, substeps: int) -> World:
    world = World(WorldSettings(hertz=HERTZ, velocity_iterations=substeps, continuous=False, sleeping=False), SOLVER)
    for spec in scene:
        world.create_body(spec)
    for _ in range(SETTLING):
        world.step()
    return world


def _stepped(name: str, scene: Scene, substeps: int, n: int, n_loop: int, rounds: int) -> list[Record]:
    """Time a step of all worlds, of clones in a loop, and of native worlds in a loop."""
    world = _settled(scene, substeps)
    worlds, clones = Worlds(world, n), [world.clone() for _ in range(n_loop)]

    def step_clones() -> None:
        for clone in clones:
            clone.step()

    calls: dict[str, Callable[[], None]] = {"ours": worlds.step, "clones": step_clones}
    missing = ""
    try:
        natives = [box2d_world(scene) for _ in range(n_loop)]
        for _ in range(SETTLING):
            _step_all(natives)
        calls["Box2D"] = lambda: _step_all(natives)
    except MissingPeerError as error:
        missing = str(error)
    times = _per_world(calls, rounds, {"ours": n}, n_loop)
    note = f"per world; {n:,} worlds at once, {BODIES} bodies and {len(world.contacts)} contacts each"
    records = [record(f"step, {name}", "us", times["ours"], times["clones"], "World.step in a loop", note)]
    native = times.get("Box2D")
    return [*records, record("  against pybox2d", "us", times["ours"], native, "b2World::Step in a loop" if native else "", missing)]


def _step_all(natives: list[Any]) -> None:
    for native in natives:
        native.Step(1.0 / HERTZ, 8, 3)


def _copied(name: str, scene: Scene, n: int, n_loop: int, rounds: int) -> list[Record]:
    """Time a copy of a world and `STEPS` steps of it."""
    worlds = Worlds(_settled(scene, 4), n)

    def ours() -> None:
        worlds.reset()
        worlds.step(STEPS)

    calls: dict[str, Callable[[], None]] = {"ours": ours}
    notes = {}
    for peer, library, prepare in (("rebuilt and stepped", "pybox2d", _box2d_copies), ("Space.copy and step", "pymunk", _pymunk_copies)):
        try:
            calls[library] = prepare(scene, n_loop)
            notes[library] = peer
        except MissingPeerError as error:
            notes[library] = str(error)
    times = _per_world(calls, rounds, {"ours": n}, n_loop)
    return [
        record(f"copy and {STEPS} steps, {name}, against {library}", "us", times["ours"], times.get(library), library, note)
        for library, note in notes.items()
    ]


def _box2d_copies(scene: Scene, n: int) -> Callable[[], None]:
    require_peer(BOX2D)

    def call() -> None:
        for _ in range(n):
            native = box2d_world(scene)
            for _ in range(STEPS):
                native.Step(1.0 / HERTZ, 8, 3)

    return call


def _pymunk_copies(scene: Scene, n: int) -> Callable[[], None]:
    require_peer("pymunk")
    import pymunk

    space = pymunk.Space()
    if any(spec.gravity_scale for spec in scene):  # all of a scene or none of it
        space.gravity = WorldSettings().gravity
    for spec in scene:
        body = pymunk.Body(body_type=pymunk.Body.DYNAMIC if spec.type == "dynamic" else pymunk.Body.STATIC)
        body.position, body.angle, body.velocity = spec.position, spec.angle, spec.linear_velocity
        space.add(body)
        for fixture in spec.fixtures:
            corners = [tuple(corner) for corner in fixture.shape.core.tolist()]
            shape = pymunk.Poly(body, corners) if len(corners) > 2 else pymunk.Segment(body, *corners, 0.0)
            shape.density, shape.friction = fixture.density, fixture.friction
            space.add(shape)
    for _ in range(SETTLING):
        space.step(1.0 / HERTZ)

    def call() -> None:
        for _ in range(n):
            copied = space.copy()
            for _ in range(STEPS):
                copied.step(1.0 / HERTZ)

    return call


def _per_world(calls: dict[str, Callable[[], None]], rounds: int, sizes: dict[str, int], n_loop: int) -> dict[str, list[float]]:
    """Return the processor time of each call per world, in seconds."""
    times = seconds_in_turn(calls, rounds)
    return {name: [seconds / sizes.get(name, n_loop) for seconds in times] for name, times in times.items()}
