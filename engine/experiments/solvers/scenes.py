"""The scenes in which methods are judged. Each has its own criterion, with the reason in the docstring of its function.

There are two kinds: standing scenes must stay standing, which is checked ten times a second; others must have reached their outcome at the
end. Many are those of `engine.experiments.references`, built by the same functions. `write_scenes` writes them as scene files for the
window.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.experiments import scenes
from engine.experiments.references.lab import (
    GRAVITY,
    energy,
    worst_joint,
)
from engine.experiments.scenes import UNIT, body, ground, stack
from engine.geometry import AABB, Circle, Polygon, Segment
from engine.scenes import save_scene, scene_of
from engine.world import World, WorldSettings

__all__ = ["GROUPS", "SCENES", "BenchScene", "Judged", "camera_of", "new_world", "write_scenes"]

Layers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Judged:
    """Criteria of a scene.

    Attributes
    ----------
    holds : callable
        Called with the world ten times a second: True if it stands.
    ends : callable, optional
        Called with the world and the lasting overlap, m, at the end of the scene's own time; True if the outcome was reached.
    error : callable, optional
        Called with the final world; returns the error, m. By default, the lasting overlap is the error.
    joints : sequence of int
        Joints whose error is measured.
    layers : sequence of tuples of int
        Groups of bodies that carry only their own weight: at rest, contacts push such a group up with exactly that force.
    free : str
        ``"xy"`` or ``"x"``, the conserved components of momentum; otherwise empty.
    rests : bool
        True if it comes to rest.
    """

    holds: Callable[[World], bool]
    ends: Callable[[World, float], bool] | None = None
    error: Callable[[World], float] | None = None
    joints: tuple[int, ...] = ()
    layers: Layers = ()
    free: str = ""
    rests: bool = True


@dataclass(frozen=True)
class BenchScene:
    """A scene of the bench.

    Attributes
    ----------
    name, title : str
    standing : str
        Criterion of standing, or of the right outcome.
    seconds : float
        Its own duration.
    can_stand : bool
        True if it must stand, False if it has an outcome.
    build : callable
        Fills an empty world with the scene.
    gravity : pair of float
        m/s^2.
    """

    name: str
    title: str
    standing: str
    seconds: float
    can_stand: bool
    build: Callable[[World], Judged]
    gravity: tuple[float, float] = (0.0, -GRAVITY)


SCENES: dict[str, BenchScene] = {}
"""All of them by name."""

GROUPS: dict[str, list[str]] = {}
"""Names that stand for several scenes: ``all``, ``standing`` and the scenes of several sizes."""


def _enter(name: str, title: str, seconds: float, build: Callable[[World], Judged], *groups: str, **more: Any) -> None:
    doc = build.func.__doc__ if isinstance(build, partial) else build.__doc__
    assert doc is not None
    scene = BenchScene(name, title, " ".join(doc.split()), seconds, build=build, **more)
    SCENES[name] = scene
    for group in ("all", *(["standing"] if scene.can_stand else []), *groups):
        GROUPS.setdefault(group, []).append(name)


def _scene(
    title: str, seconds: float, can_stand: bool = True, **more: Any
) -> Callable[[Callable[[World], Judged]], Callable[[World], Judged]]:
    """Register a function in `SCENES` under its own name."""

    def enter(build: Callable[[World], Judged]) -> Callable[[World], Judged]:
        _enter(build.__name__.removeprefix("_"), title, seconds, build, can_stand=can_stand, **more)
        return build

    return enter


def new_world(scene: BenchScene, solver: str, **settings: Any) -> World:
    """Return an empty world for a scene, by default without sleeping."""
    chosen: dict[str, Any] = {"gravity": scene.gravity, "sleeping": False} | settings
    return World(WorldSettings(**chosen), solver=solver)


def write_scenes(folder: Path, scenes: Iterable[BenchScene]) -> list[Path]:
    """Write scene files to an existing folder, each named after its scene; return them."""
    written = []
    for scene in scenes:
        world = new_world(scene, "soft_step")
        scene.build(world)
        path = folder / f"{scene.name}.json"
        save_scene(path, scene_of(world, title=scene.title, watch=scene.standing, camera=camera_of(world)))
        written.append(path)
    return written


def camera_of(world: World) -> AABB:
    """Return the initial view: all moving bodies, a margin of a quarter, and room to fall."""
    moving = [world.poses[k, :2] for k, body in enumerate(world.body_ids) if world.body(body).spec.type == "dynamic"]
    (left, low), (right, high) = np.min(moving, axis=0).tolist(), np.max(moving, axis=0).tolist()
    around = 0.25 * max(right - left, high - low) + 1.0
    depth = 0.5 * (right - left) if world.joint_ids else 4.0 if high - low < 4.0 else 0.0
    return AABB((left - around, low - around - depth), (right + around, high + around))


# --- criteria


def _places(world: World, bodies: Iterable[int]) -> dict[int, tuple[float, float]]:
    return {body: world.state(body).position for body in bodies}


def _farthest(world: World, places: dict[int, tuple[float, float]]) -> float:
    """Return the largest distance of a body from its initial position, m."""
    return max(math.dist(world.state(body).position, at) for body, at in places.items())


def _standing(world: World, bodies: Iterable[int], within: float, layers: Layers = ()) -> Judged:
    """Criterion: bodies stay close to their initial positions, which are the exact ones."""
    places = _places(world, bodies)
    return Judged(lambda world: _farthest(world, places) <= within, error=lambda world: _farthest(world, places), layers=layers)


def _jointed(joints: list[int], most: float, rests: bool, at_last: float = math.inf) -> Judged:
    """Criterion: joints never open farther than a limit."""

    def error(world: World) -> float:
        return worst_joint(world, joints)

    return Judged(lambda world: error(world) <= most, lambda world, overlap: error(world) <= at_last, error, tuple(joints), rests=rests)


def _above(layers: list[list[int]]) -> Layers:
    """Return each layer with the layers that it carries."""
    return tuple(tuple(body for layer in layers[k:] for body in layer) for k in range(len(layers)))


# --- standing


@_scene("Single box", 5.0)
def _single_box(world: World) -> Judged:
    """The box, which falls 3 m, comes to rest level and within 5 cm of its exact height."""
    box = scenes.falling_box(world)

    def off(world: World) -> float:
        return abs(world.state(box).position[1] - 1.0)

    def lies(world: World, overlap: float) -> bool:
        return off(world) < 0.05 and abs(world.state(box).angle) < 0.05

    return Judged(lambda world: world.state(box).position[1] > 0.5, lies, off, layers=((box,),))


def _stack(world: World, n: int) -> Judged:
    """Every box stays within half a meter, half its width, of its initial position. Beyond that, its center is not above the box below."""
    boxes = scenes.boxes_in_a_column(world, n)
    return _standing(world, boxes, 0.5, _above([[box] for box in boxes]))


for _n in (10, 15, 20, 30):
    _enter(f"stack_{_n}", f"Stack of {_n}", 20.0, partial(_stack, n=_n), "stack", can_stand=True)


@_scene("Pyramid of 20 rows", 10.0)
def _pyramid(world: World) -> Judged:
    """Every box stays within 0.25 m of its initial position, which is half of its overhang over the gap below."""
    rows = scenes.boxes_in_a_pyramid(world, 20)
    return _standing(world, [box for row in rows for box in row], 0.25, _above(rows))


@_scene("Five-story card house", 20.0)
def _card_house(world: World) -> Judged:
    """The top card stays within 0.1 m of its initial position, a quarter of a card. Each story is 0.37 m high."""
    return _standing(world, [scenes.cards(world)], 0.1)


@_scene("Arch under four slabs", 15.0)
def _arch(world: World) -> Judged:
    """The top slab sinks by at most half a slab, 0.5 m. In the exact solution, nothing moves: the friction is 0.6, and 0.482 is enough."""
    stones, slabs = scenes.stones_under_slabs(world)
    places, keystone = _places(world, slabs[-1:]), _places(world, stones[8:9])
    layers = tuple(tuple(slabs[k:]) for k in range(4))
    return Judged(lambda world: _farthest(world, places) <= 0.5, error=lambda world: _farthest(world, keystone), layers=layers)


@_scene("Stack of ten discs", 5.0)
def _circle_stack(world: World) -> Judged:
    """Every disc stays within 0.1 m. The discs are exactly above each other, in unstable equilibrium, and nothing disturbs them."""
    discs = scenes.discs_in_a_column(world)
    return _standing(world, discs, 0.1, _above([[disc] for disc in discs]))


@_scene("Friction ramp", 10.0)
def _friction_ramp(world: World) -> Judged:
    """The box stays within 5 cm, because a slipping box does not stop. Friction 0.6 holds up to 31 degrees; this slope is at 17."""
    box = scenes.box_on_a_ramp(world)
    return _standing(world, [box], 0.05, ((box,),))


def _heavy_stack(world: World, ratio: float) -> Judged:
    """The heavy box on a light one of the same size stays within 0.25 m, a quarter of a box."""
    ground(world, friction=0.5)
    light = body(world, UNIT, (0.0, 0.5), friction=0.5)
    heavy = body(world, UNIT, (0.0, 1.5), density=ratio, friction=0.5)
    return _standing(world, [heavy], 0.25, _above([[light], [heavy]]))


def _heavy_house(world: World, ratio: float) -> Judged:
    """The beam on two light boxes stays within 0.25 m, a quarter of a box. The number is its mass ratio to each box."""
    ground(world, friction=0.5)
    feet = [body(world, UNIT, (x, 0.5), friction=0.5) for x in (-2.0, 2.0)]
    beam = body(world, Polygon.box(2.5, 0.5), (0.0, 1.5), density=ratio / 5.0, friction=0.5)
    return _standing(world, [beam], 0.25, _above([feet, [beam]]))


def _heavy_pyramid(world: World, ratio: float) -> Judged:
    """The heavy box on a pyramid of four rows stays within 0.25 m, a quarter of a box."""
    rows = scenes.boxes_in_a_pyramid(world, 4)
    top = body(world, UNIT, (-0.5, 4.5), density=ratio, friction=0.6)
    return _standing(world, [top], 0.25, _above([*rows, [top]]))


for _kind, _build, _title in (
    ("stack", _heavy_stack, "Heavy box on a light one"),
    ("house", _heavy_house, "Heavy beam on two light boxes"),
    ("pyramid", _heavy_pyramid, "Heavy box on a light pyramid"),
):
    for _ratio in (10, 100, 1000, 10000):
        _words = f"{_title}, {_ratio:,} times"
        _enter(f"heavy_{_kind}_{_ratio}", _words, 5.0, partial(_build, ratio=float(_ratio)), "heavy", f"heavy_{_kind}", can_stand=True)


@_scene("Hanging bridge of 160 links", 10.0)
def _bridge(world: World) -> Judged:
    """No joint opens by 0.5 m, half a link; a wider gap counts as torn."""
    return _jointed(scenes.hanging_bridge(world), 0.5, rests=False)


@_scene("Ball and chain", 10.0)
def _ball_and_chain(world: World) -> Judged:
    """No joint opens by 0.5 m, half a link, although the ball weighs as much as 200 links."""
    return _jointed(scenes.ball_on_a_chain(world), 0.5, rests=False)


@_scene("Joint grid of 20 x 20", 5.0)
def _joint_grid(world: World) -> Judged:
    """No joint opens by 0.4 m, the radius of the discs."""
    return _jointed(scenes.net_of_discs(world), 0.4, rests=False)


@_scene("Pile 20 km from the origin", 10.0)
def _far(world: World) -> Judged:
    """The upper box stays on the lower one, at least half a meter above the floor, although float32 has steps of 1 to 2 mm there."""
    upper = scenes.piled_afar(world, 1.6e4, -1.2e4)
    return Judged(lambda world: world.state(upper).position[1] > -1.2e4 + 0.5 + 0.5)


@_scene("Ladder against a smooth wall", 5.0)
def _ladder(world: World) -> Judged:
    """The ladder stays within 5 cm, because a slipping ladder does not stop. It leans at 46 degrees and would slip below 44.715."""
    return _standing(world, [scenes.ladder_on_a_wall(world, math.radians(46.0))], 0.05)


# --- outcomes


@_scene("Confined: 625 discs in too small a box", 5.0, can_stand=False, gravity=(0.0, 0.0))
def _confined(world: World) -> Judged:
    """No center leaves the box or ends inside another disc. Discs of 491 m^2 in a box of 390 m^2 overlap by at least 0.15 m."""
    discs = scenes.discs_in_a_box(world)
    inside = AABB((-10.0, 0.5), (10.0, 20.0))

    def kept(world: World) -> bool:
        at = world.poses[[world.row_of(disc) for disc in discs], :2]
        return bool((at > inside.lower).all() and (at < inside.upper).all())

    return Judged(kept, lambda world, overlap: overlap < 0.5)


@_scene("Double domino", 10.0, can_stand=False)
def _double_domino(world: World) -> Judged:
    """All fifteen dominoes have fallen at the end, but none falls before it is hit: the last one still stands after 0.5 s."""
    dominoes = scenes.dominoes_in_a_row(world)

    def in_order(world: World) -> bool:
        return world.time > 0.5 or abs(world.state(dominoes[-1]).angle) < 0.1

    return Judged(in_order, lambda world, overlap: all(abs(world.state(domino).angle) > 0.5 for domino in dominoes))


@_scene("Overlap recovery", 5.0, can_stand=False)
def _overlap_recovery(world: World) -> Judged:
    """The boxes separate to an overlap below 2 cm, and none rises above 4.5 m, one meter above the top box of a pyramid of four rows."""
    boxes = scenes.boxes_in_each_other(world)
    return Judged(lambda world: max(world.state(box).position[1] for box in boxes) < 4.5, lambda world, overlap: overlap < 0.02)


@_scene("Stretched chain", 10.0, can_stand=False)
def _stretched_chain(world: World) -> Judged:
    """The joints start with gaps of 0.25 m, never open to 1 m, and have all closed to 5 cm at the end."""
    return _jointed(scenes.torn_chain(world), 1.0, rests=False, at_last=0.05)


_RUSH = 10.0
"""m/s."""


@_scene("Rush: 200 discs meet in the middle", 5.0, can_stand=False, gravity=(0.0, 0.0))
def _rush(world: World) -> Judged:
    """No disc ever exceeds 15 m/s. All start at 10 m/s and do not bounce, so an overlap must not be turned into speed."""
    discs: list[int] = []
    for ring in range(9):
        radius = 8.0 + 1.5 * ring
        n = 12 + 4 * ring if ring < 5 else 20
        for k in range(n):
            angle = 2.0 * math.pi * (k + 0.5 * (ring % 2)) / n
            x, y = math.cos(angle), math.sin(angle)
            discs.append(body(world, Circle(0.5), (radius * x, radius * y), linear_velocity=(-_RUSH * x, -_RUSH * y)))

    def slow(world: World) -> bool:
        return bool(np.hypot(world.velocities[:, 0], world.velocities[:, 1]).max() <= 1.5 * _RUSH)

    return Judged(slow, free="xy", rests=False)


@_scene("Spinning top on an edge", 10.0, can_stand=False)
def _spinning_top(world: World) -> Judged:
    """The top's center never falls below the edge, its energy never rises by 1 %, and it is at rest at the end."""
    ground(world, friction=0.5)
    top = body(world, Polygon([(0.0, -0.8), (0.5, 0.1), (0.0, 0.4), (-0.5, 0.1)]), (0.0, 0.81), angular_velocity=30.0, friction=0.5)
    most = 1.01 * energy(world, [top])

    def keeps(world: World) -> bool:
        return world.state(top).position[1] > 0.0 and energy(world, [top]) <= most

    def still(world: World, overlap: float) -> bool:
        state = world.state(top)
        return math.hypot(*state.linear_velocity) < 0.05 and abs(state.angular_velocity) < 0.05

    return Judged(keeps, still)


@_scene("Newton's cradle", 2.0, can_stand=False, gravity=(0.0, 0.0))
def _newtons_cradle(world: World) -> Judged:
    """Every ball ends within 0.1 m, a tenth of its diameter, of its exact position. Four touch at rest; the last one leaves at 4 m/s."""
    balls = scenes.balls_in_a_row(world)
    exact = (0.0, 1.0, 2.0, 3.0, 10.0)  # met after 0.5 s; then 1.5 s at 4 m/s

    def off(world: World) -> float:
        return max(math.dist(world.state(ball).position, (x, 0.0)) for ball, x in zip(balls, exact, strict=True))

    return Judged(lambda world: True, lambda world, overlap: off(world) < 0.1, off, free="xy", rests=False)


@_scene("Block on a free wedge", 0.75, can_stand=False)
def _wedge(world: World) -> Judged:
    """The wedge ends within 5 % of its exact displacement ``A t^2 / 2`` with ``A = m g sin cos / (M + m sin^2)``, without friction."""
    slope = math.radians(30.0)
    free, block = scenes.block_on_a_wedge(world, slope)
    wedge_mass, part = world.body(free).mass, world.body(block).mass
    pull = part * GRAVITY * math.sin(slope) * math.cos(slope) / (wedge_mass + part * math.sin(slope) ** 2)

    def off(world: World) -> float:
        return abs(world.state(free).position[0] + 0.5 * pull * world.time**2)

    return Judged(lambda world: True, lambda world, overlap: off(world) < 0.05 * 0.5 * pull * world.time**2, off, free="x", rests=False)


def _keeping(world: World, bodies: list[int], ends: Callable[[World, float], bool], more: Callable[[World], bool]) -> Judged:
    """Criterion: bodies never gain a hundredth of their energy, relative to the lowest one, and meet another condition."""
    low = min(world.state(body).position[1] for body in bodies)
    ground_level = sum(world.body(body).mass for body in bodies) * GRAVITY * low
    most = energy(world, bodies) + 0.01 * (energy(world, bodies) - ground_level)
    return Judged(lambda world: energy(world, bodies) <= most and more(world), ends)


@_scene("Catapult", 4.0, can_stand=False)
def _catapult(world: World) -> Judged:
    """The energy of the falling weight lifts the stone to 3 m, and the total energy never rises by 1 %."""
    ground(world, friction=0.6)
    body(world, Polygon([(-0.4, 0.0), (0.4, 0.0), (0.0, 0.8)]), (0.0, 0.0), type="static", friction=0.6)
    body(world, Polygon.box(0.2, 0.4), (-2.7, 0.4), type="static", friction=0.6)
    plank = body(world, Polygon.box(3.0, 0.1), (0.0, 0.9), friction=0.6)
    stone = body(world, Polygon.box(0.2, 0.2), (-2.7, 1.2), density=5.0, friction=0.6)
    weight = body(world, UNIT, (2.4, 5.0), density=10.0, friction=0.6)
    highest = [0.0]

    def flies(world: World) -> bool:
        highest[0] = max(highest[0], world.state(stone).position[1])
        return True

    return _keeping(world, [plank, stone, weight], lambda world, overlap: highest[0] > 3.0, flies)


@_scene("Block hits a tower", 6.0, can_stand=False)
def _tower_hit(world: World) -> Judged:
    """The top of the tower ends below half its height, nothing sinks below the floor, and no energy is gained."""
    ground(world, friction=0.6)
    tower = stack(world, 10, friction=0.6)
    block = body(world, UNIT, (-8.0, 6.5), density=5.0, linear_velocity=(15.0, 0.0), friction=0.6)

    def above(world: World) -> bool:
        return min(world.state(body).position[1] for body in (*tower, block)) > 0.0

    return _keeping(world, [*tower, block], lambda world, overlap: world.state(tower[-1]).position[1] < 5.0, above)


@_scene("Two ramps with thin blocks", 10.0, can_stand=False)
def _two_ramps(world: World) -> Judged:
    """No block, 5 cm thick, passes through a ramp or the floor, and all slide down, because friction 0.1 holds only up to 6 degrees."""
    slope, blocks = math.radians(30.0), []
    for side in (-1.0, 1.0):
        foot = 2.0 * side
        top = (foot + side * 10.0 * math.cos(slope), 10.0 * math.sin(slope))
        ends = ((foot, 0.0), top) if side > 0.0 else (top, (foot, 0.0))
        body(world, Segment(*ends), (0.0, 0.0), type="static", friction=0.1)
        for k in range(4):
            along, up = 2.0 + 2.0 * k, 0.025
            at = (foot + side * (along * math.cos(slope) - up * math.sin(slope)), along * math.sin(slope) + up * math.cos(slope))
            blocks.append(body(world, Polygon.box(0.6, 0.025), at, side * slope, friction=0.1))
    ground(world, friction=0.5)

    def above(world: World) -> bool:
        at = [world.state(block).position for block in blocks]
        return all(y > (abs(x) - 2.0) * math.tan(slope) - 0.1 and y > -0.1 for x, y in at)

    return Judged(above, lambda world, overlap: all(world.state(block).position[1] < 2.0 for block in blocks))
