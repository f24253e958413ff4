"""Elastic discs without forces: each collision at its own time, by bisection and rewind, or all at the end of the step.

**Now.** All discs are moved to the end of the step. If any pair overlaps there and approaches, the whole scene is rewound and the time is
bisected until the deepest such overlap vanishes; that pair gets its impulse, and the rest of the step starts again (Baraff's course, "The
time of collision"). With c collisions in a step and n bodies this needs c log(1 / tolerance) moves and searches of n bodies each, and c
grows with n: the cost grows with n^2.

**Later.** All discs are moved to the end of the step, and all pairs that overlap and approach there get their impulses along the normals at
that time. *Pair by pair*: each pair is solved as if it were alone, until none approaches (Guendelman, Bridson, Fedkiw 2003). *All at once*:
the impulses P >= 0 with which each pair that overlaps or touches separates at least as fast as it approached,

    v+ = v- + A P >= u,    P >= 0,    P (v+ - u) = 0    with    u = max(-v-, 0)

(a linear complementarity problem, solved by projected Gauss-Seidel until convergence). Either searches for overlaps once per step. *One
disc after the other*: each is moved and collides before the next one is moved, so it can hit a disc that is about to leave.

**The exact solution** proceeds event by event in closed form: two discs with the relative position d and the relative velocity v meet at
the smaller root of ``|d + v t| = r_a + r_b``. For simultaneous contacts it is defined only by the order that small gaps between them would
give.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.broadphase import BroadPhase, DynamicTree
from engine.common.arrays import FloatArray, IntArray
from engine.common.rng import stream
from engine.experiments.scenes import body
from engine.experiments.studies.study import Results, Row, curves_by, growth, seconds_in_turn, study
from engine.geometry import Capsule, Circle, Segment
from engine.query import batch
from engine.query.batch import ShapeBatch
from engine.report import Chart, Table
from engine.world import World, WorldSettings
from engine.world.snapshot import WorldSnapshot

__all__ = [
    "WAYS",
    "Discs",
    "at_once",
    "collision_time",
    "cradle",
    "exactly",
    "false_collisions",
    "gas",
    "now",
    "one_by_one",
    "pair_by_pair",
    "parted_at",
    "swept_hits",
]

_RADIUS = 0.25
"""Radius of all discs, m; each has 1 kg."""
_DEPTH = 1e-6
"""Overlap, m, at which a bisection ends."""
_APPROACH = 1e-12
"""m/s."""
_MAX_PASSES = 10_000
_AREA = 1.0
"""Area per disc of a gas, m^2: a fifth is covered."""


class Contacts(NamedTuple):
    """Pairs that overlap and approach: bodies, unit normals from a to b, overlaps. Body n is the walls."""

    a: IntArray
    b: IntArray
    normal: FloatArray
    depth: FloatArray


@dataclass
class Discs:
    """Discs in a square box or without walls.

    Attributes
    ----------
    position, velocity : float64 (n, 2)
        m, m/s.
    half : float
        Half the box's side, m; infinite without walls.
    n_searches : int
        Number of times that all discs were moved and searched for overlaps.
    """

    position: FloatArray
    velocity: FloatArray
    half: float = math.inf
    n_searches: int = 0
    _broad_phase: BroadPhase = field(default_factory=DynamicTree)

    def copy(self) -> Discs:
        """Return a copy of the scene, with no searches counted."""
        return Discs(self.position.copy(), self.velocity.copy(), self.half)

    def contacts_at(self, position: FloatArray, *, is_touch_enough: bool = False) -> Contacts:
        """Return the pairs that overlap and approach, with the current velocities; or all that overlap or touch."""
        self.n_searches += 1
        near = self._broad_phase.pairs(np.column_stack((position - _RADIUS - _DEPTH, position + _RADIUS + _DEPTH)))
        between = position[near[:, 1]] - position[near[:, 0]]
        distance = np.hypot(*between.T)
        n = len(position)
        walls = [
            np.column_stack((np.arange(n), np.full(n, n)))[side * position[:, axis] > self.half - _RADIUS - _DEPTH] for axis, side in _SIDES
        ]
        outward = [np.tile(side * np.eye(2)[axis], (len(rows), 1)) for (axis, side), rows in zip(_SIDES, walls, strict=True)]
        beyond = [side * position[rows[:, 0], axis] - self.half + _RADIUS for (axis, side), rows in zip(_SIDES, walls, strict=True)]
        a, b = np.concatenate((near, *walls)).T
        normal = np.concatenate((between / distance[:, None], *outward))
        depth = np.concatenate((2.0 * _RADIUS - distance, *beyond))
        contacts = Contacts(a, b, normal, depth)
        return _chosen(contacts, depth > -_DEPTH if is_touch_enough else (depth > 0.0) & (self.approach(contacts) < -_APPROACH))

    def approach(self, contacts: Contacts) -> FloatArray:
        """Return the velocities of b relative to a along the normals."""
        velocity = np.concatenate((self.velocity, np.zeros((1, 2))))
        rates: FloatArray = ((velocity[contacts.b] - velocity[contacts.a]) * contacts.normal).sum(axis=1)
        return rates

    def push(self, a: int, b: int, impulse: FloatArray) -> None:
        """Apply an impulse, kg m/s, to b, and the opposite one to a."""
        self.velocity[a] -= impulse
        if b < len(self.velocity):
            self.velocity[b] += impulse


_SIDES = ((0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0))


def _chosen(contacts: Contacts, which: NDArray[np.bool_]) -> Contacts:
    a, b, normal, depth = contacts
    return Contacts(a[which], b[which], normal[which], depth[which])


def _mass(discs: Discs, b: int) -> float:
    """Return the effective mass of a pair of discs, or of one and a wall, kg."""
    return 0.5 if b < len(discs.velocity) else 1.0


def _collide(discs: Discs, contacts: Contacts, row: int) -> bool:
    """Reflect the approach velocity of a pair; return True if it approached."""
    a, b, normal = int(contacts.a[row]), int(contacts.b[row]), contacts.normal[row]
    other = discs.velocity[b] if b < len(discs.velocity) else 0.0
    speed = float((other - discs.velocity[a]) @ normal)
    if speed >= -_APPROACH:
        return False
    discs.push(a, b, -2.0 * _mass(discs, b) * speed * normal)
    return True


def now(discs: Discs, h: float) -> None:
    """Advance by `h` seconds, each collision at its time, found by bisection with rewind of the whole scene."""
    left = h
    while True:
        contacts = discs.contacts_at(discs.position + left * discs.velocity)
        if not len(contacts.a):
            discs.position = discs.position + left * discs.velocity
            return
        low, high = 0.0, left
        while contacts.depth.max() > _DEPTH and high - low > 1e-15:
            middle = 0.5 * (low + high)
            earlier = discs.contacts_at(discs.position + middle * discs.velocity)
            if len(earlier.a):
                high, contacts = middle, earlier
            else:
                low = middle
        discs.position = discs.position + high * discs.velocity
        _collide(discs, contacts, int(contacts.depth.argmax()))
        left -= high


def pair_by_pair(discs: Discs, h: float) -> None:
    """Advance by `h` seconds, then collide all pairs that overlap and approach, one after the other, until none approaches."""
    discs.position = discs.position + h * discs.velocity
    contacts = discs.contacts_at(discs.position)
    for _ in range(_MAX_PASSES):
        collided = [_collide(discs, contacts, row) for row in range(len(contacts.a))]
        if not any(collided):
            return


def at_once(discs: Discs, h: float) -> None:
    """Advance by `h` seconds, then collide all pairs that overlap and approach, with impulses that satisfy all pairs' laws together."""
    discs.position = discs.position + h * discs.velocity
    contacts = discs.contacts_at(discs.position, is_touch_enough=True)
    target, total = np.maximum(-discs.approach(contacts), 0.0), np.zeros(len(contacts.a))
    for _ in range(_MAX_PASSES):
        change = 0.0
        for row in range(len(contacts.a)):
            a, b, normal = int(contacts.a[row]), int(contacts.b[row]), contacts.normal[row]
            other = discs.velocity[b] if b < len(discs.velocity) else 0.0
            missing = target[row] - float((other - discs.velocity[a]) @ normal)
            after = max(0.0, total[row] + _mass(discs, b) * missing)
            discs.push(a, b, (after - total[row]) * normal)
            change, total[row] = max(change, abs(after - total[row])), after
        if change < _APPROACH:
            return


def exactly(discs: Discs, seconds: float) -> int:
    """Advance event by event, each in closed form; return the number of events."""
    left, n_events, n = seconds, 0, len(discs.position)
    i, j = np.triu_indices(n, 1)
    while True:
        d, v = discs.position[j] - discs.position[i], discs.velocity[j] - discs.velocity[i]
        along, square = (d * v).sum(axis=1), (v * v).sum(axis=1)
        inside = along**2 - square * ((d * d).sum(axis=1) - 4.0 * _RADIUS**2)
        meets = (along < 0.0) & (inside > 0.0)
        times = np.full(len(i), math.inf)
        times[meets] = (-along[meets] - np.sqrt(inside[meets])) / square[meets]
        with np.errstate(divide="ignore", invalid="ignore"):
            to_wall = (discs.half - _RADIUS - np.sign(discs.velocity) * discs.position) / np.abs(discs.velocity)
        to_wall[~np.isfinite(to_wall)] = math.inf
        soonest = min(float(times.min(initial=math.inf)), float(to_wall.min()))
        if soonest >= left:
            discs.position = discs.position + left * discs.velocity
            return n_events
        discs.position = discs.position + max(soonest, 0.0) * discs.velocity
        left -= max(soonest, 0.0)
        n_events += 1
        if to_wall.min() <= times.min(initial=math.inf):
            disc, axis = np.unravel_index(int(to_wall.argmin()), to_wall.shape)
            discs.velocity[disc, axis] *= -1.0
        else:
            at = int(times.argmin())
            normal = discs.position[j[at]] - discs.position[i[at]]
            normal /= math.hypot(*normal)
            impulse = -float((discs.velocity[j[at]] - discs.velocity[i[at]]) @ normal) * normal
            discs.push(int(i[at]), int(j[at]), impulse)


def one_by_one(discs: Discs, h: float) -> None:
    """Advance one disc after the other by `h` seconds; each collides with the others at their current positions, some not moved yet."""
    for disc in range(len(discs.position)):
        discs.position = discs.position.copy()
        discs.position[disc] += h * discs.velocity[disc]
        contacts = discs.contacts_at(discs.position)
        for row in np.flatnonzero((contacts.a == disc) | (contacts.b == disc)):
            _collide(discs, contacts, int(row))


Advance = Callable[[Discs, float], None]

WAYS: dict[str, Advance] = {"now, one at a time": now, "later, pair by pair": pair_by_pair, "later, all at once": at_once}


def gas(n: int, seed: int = 0) -> Discs:
    """Return `n` discs without overlap, with speeds about 2 m/s, in a box of 1 m^2 per disc."""
    rng = stream(seed, "collision time", n)
    half = 0.5 * math.sqrt(_AREA * n)
    side = math.ceil(math.sqrt(n))
    room = (2.0 * half - 2.0 * _RADIUS) / side
    cells = np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2)[:n]
    jitter = rng.uniform(_RADIUS, room - _RADIUS, (n, 2))
    return Discs(cells * room + jitter - half + _RADIUS, rng.normal(0.0, math.sqrt(2.0), (n, 2)), half)


Places = Sequence[tuple[float, float]]
_After = Callable[[Places, Places, float, int], FloatArray]
"""Function from positions, velocities, h and a number of steps to the velocities (n, 2) of discs after them."""


def _after(advance: Advance, places: Places, velocities: Places, h: float, n_steps: int) -> FloatArray:
    discs = Discs(np.array(places), np.array(velocities))
    for _ in range(n_steps):
        advance(discs, h)
    return discs.velocity


def _after_in_world(solver: str, places: Places, velocities: Places, h: float, n_steps: int) -> FloatArray:
    world = _world_of(Discs(np.array(places), np.array(velocities)), solver, 1.0 / h)
    for _ in range(n_steps):
        world.step()
    return world.velocities[:, :2]


def cradle(advance: Advance, h: float) -> FloatArray:
    """Return the speeds, after 1 s, of five touching discs in a row, the first of which starts at 4 m/s."""
    places = [(-1.0, 0.0), *((2.0 * _RADIUS * k, 0.0) for k in range(4))]
    return _after(advance, places, [(4.0, 0.0), *[(0.0, 0.0)] * 4], h, round(1.0 / h))[:, 0]


def _break(advance: Advance, h: float) -> float:
    """Return the asymmetry, m/s, after 1 s of a break of ten discs in a triangle, hit in the middle."""
    rows = [(math.sqrt(3.0) * _RADIUS * row, 2.0 * _RADIUS * (k - 0.5 * row)) for row in range(4) for k in range(row + 1)]
    velocity = _after(advance, [(-1.0, 0.0), *rows], [(4.0, 0.0), *[(0.0, 0.0)] * 10], h, round(1.0 / h))
    mirror = [0, *(1 + row * (row + 1) // 2 + row - k for row in range(4) for k in range(row + 1))]
    return float(np.abs(velocity - velocity[mirror] * (1.0, -1.0)).max())


def _hit(after: _After, start: float, speed: float, h: float, n_steps: int) -> FloatArray:
    """Return the velocity with which a disc at (0, 0.6 r) leaves after it was hit by one from `start` on the x axis."""
    velocity: FloatArray = after([(start, 0.0), (0.0, 0.6 * _RADIUS)], [(speed, 0.0), (0.0, 0.0)], h, n_steps)[1]
    return velocity


def _deflection(after: _After, h: float) -> float:
    """Return the mean error, degrees, of the direction of a disc hit off center, over 32 times of contact within the step."""
    true, errors = math.asin(0.3), []
    for phase in range(32):
        x, y = _hit(after, -1.0 - 4.0 * h * phase / 32.0, 4.0, h, math.ceil(0.5 / h) + 1)
        errors.append(abs(math.degrees(math.atan2(y, x) - true)))
    return float(np.mean(errors))


def _missed(after: _After, speed: float) -> float:
    """Return the share of discs at a given speed that tunnel through one in their path, at 60 Hz, over times within the step."""
    h = 1.0 / 60.0
    return sum(not _hit(after, -1.0 - speed * h * (1.0 + phase / 64.0), speed, h, 8).any() for phase in range(64)) / 64.0


def false_collisions(advance: Advance, h: float) -> float:
    """Return the share of discs that collide although they pass up to 10 cm behind one that crosses their path at the same speed."""
    n_false = 0
    for phase in range(64):
        gap = 0.1 * (phase + 0.5) / 64.0
        behind = math.sqrt(2.0) * (2.0 * _RADIUS + gap)  # the relative motion is along the diagonal
        nearest = (behind - 0.4) / (2.0 * _CROSSING)
        places, velocities = [(0.2 - behind, 0.0), (0.0, 0.2)], [(_CROSSING, 0.0), (0.0, _CROSSING)]
        velocity = _after(advance, places, velocities, h, math.ceil(nearest / h) + 2)
        n_false += bool(velocity[0, 1] or velocity[1, 0])
    return n_false / 64.0


class SweptHits(NamedTuple):
    """Pairs of discs in a step whose swept boxes overlap, whose swept discs overlap, and that meet."""

    boxes: int
    capsules: int
    meetings: int


def swept_hits(discs: Discs, h: float) -> SweptHits:
    """Count pairs by the area that the discs sweep in `h` seconds: a disc swept along a segment is a capsule."""
    start, end = discs.position, discs.position + h * discs.velocity
    i, j = np.triu_indices(len(start), 1)
    lower, upper = np.minimum(start, end) - _RADIUS, np.maximum(start, end) + _RADIUS
    boxes = ((lower[i] <= upper[j]) & (lower[j] <= upper[i])).all(axis=1)
    shapes = ShapeBatch(Capsule(tuple(p), tuple(q), _RADIUS) for p, q in zip(start.tolist(), end.tolist(), strict=True))
    at_home = np.zeros((len(i), 3))
    capsules = batch.overlap(shapes, np.column_stack((i, j)), at_home, at_home)
    apart, motion = start[j] - start[i], h * (discs.velocity[j] - discs.velocity[i])
    nearest = np.clip(-(apart * motion).sum(axis=1) / np.maximum((motion * motion).sum(axis=1), 1e-300), 0.0, 1.0)
    meets = np.hypot(*(apart + nearest[:, None] * motion).T) <= 2.0 * _RADIUS
    return SweptHits(int(boxes.sum()), int(capsules.sum()), int(meets.sum()))


def parted_at(advance: Advance, discs: Discs, h: float, seconds: float, far: float = 0.1) -> float:
    """Return the time, s, at which a disc is first `far` m from its exact position."""
    ours, true = discs.copy(), discs.copy()
    for step in range(round(seconds / h)):
        advance(ours, h)
        exactly(true, h)
        if np.hypot(*(ours.position - true.position).T).max() > far:
            return (step + 1) * h
    return seconds


def _steps(advance: Advance, discs: Discs, n: int) -> Discs:
    ours = discs.copy()
    for _ in range(n):
        advance(ours, 1.0 / 60.0)
    return ours


def _world_of(discs: Discs, solver: str, hertz: float = 60.0) -> World:
    world, half = World(WorldSettings(gravity=(0.0, 0.0), hertz=hertz, sleeping=False), solver=solver), discs.half
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    for k in range(4) if math.isfinite(half) else ():
        body(world, Segment(corners[k - 1], corners[k]), (0.0, 0.0), type="static", friction=0.0, restitution=1.0)
    for (x, y), velocity in zip(discs.position.tolist(), discs.velocity.tolist(), strict=True):
        body(world, Circle(_RADIUS), (x, y), linear_velocity=tuple(velocity), friction=0.0, restitution=1.0)
    return world


def _steps_of_world(world: World, snapshot: WorldSnapshot, n: int) -> None:
    world.restore(snapshot)
    for _ in range(n):
        world.step()


@study(
    "collision now or later",
    "The question concerns Baraff's bisection; we know of no published figures.",
)
def collision_time(quick: bool) -> Results:
    """The motion of discs is compared with closed forms and between methods. The costs are those of gases of constant density."""
    hertz, numbers, n_steps, rounds, n_gases = ((60.0,), (8, 16), 5, 1, 1) if quick else (_HERTZ, (16, 32, 64, 128, 256, 512), 10, 3, 5)
    parting: list[Row] = []
    for rate in hertz:
        for name, advance in WAYS.items():
            apart = float(np.mean([parted_at(advance, gas(16, seed), 1.0 / rate, 8.0) for seed in range(n_gases)]))
            parting.append((1e3 / rate, name, _deflection(partial(_after, advance), 1.0 / rate), apart))
        parting += [(1e3 / rate, solver, _deflection(partial(_after_in_world, solver), 1.0 / rate), None) for solver in _SOLVERS]
    together: list[Row] = []
    for name, advance in {**WAYS, "later, one disc after another": one_by_one}.items():
        after = [float(speed) for speed in cradle(advance, 1.0 / 60.0)]
        missed = 100.0 * _missed(partial(_after, advance), _FAST)
        false = 100.0 * false_collisions(advance, 1.0 / 60.0)
        together.append((name, *after, _break(advance, 1.0 / 60.0), missed, false))
    costs: list[Row] = []
    ms: dict[str, list[float]] = {name: [] for name in (*WAYS, *_TIMED)}
    moved: dict[str, list[float]] = {name: [] for name in WAYS}
    for n in numbers:
        discs = gas(n)
        events = exactly(discs.copy(), n_steps / 60.0) / n_steps
        calls: dict[str, Callable[[], object]] = {name: partial(_steps, advance, discs, n_steps) for name, advance in WAYS.items()}
        for solver in _TIMED if n <= _MAX_IN_WORLDS else ():
            world = _world_of(discs, solver)
            calls[solver] = partial(_steps_of_world, world, world.snapshot(), n_steps)
        for name, seconds in seconds_in_turn(calls, rounds).items():
            ms[name].append(1e3 * seconds / n_steps)
        for name, advance in WAYS.items():
            searches = _steps(advance, discs, n_steps).n_searches / n_steps
            moved[name].append(searches * n)
            costs.append((n, name, events, searches, moved[name][-1], ms[name][-1]))
    small = [n for n in numbers if n <= _MAX_IN_WORLDS]
    solved: tuple[Row, ...] = tuple((solver, *ms[solver], growth(small, np.maximum(ms[solver], 1e-9))) for solver in _TIMED)
    ways = [row for row in parting if row[1] in WAYS]
    timed = [(n, name, value) for name, values in ms.items() for n, value in zip(numbers, values, strict=False)]
    charts = (
        Chart("a disc hit off center", "step, ms", "error, degrees", curves_by(parting, 1, 0, 2), (True, True)),
        Chart("16 discs: time to an error of 10 cm", "step, ms", "time, s", curves_by(ways, 1, 0, 3), (True, False)),
        Chart("cost", "discs", "ms per step", curves_by(timed, 1, 0, 2), (True, True)),
    )
    early, other, _ = WAYS
    wrong = {row[1]: float(row[2] or 0.0) for row in parting if row[0] == 1e3 / 60.0}
    apart_last = {row[1]: float(row[3] or 0.0) for row in ways if row[0] == 1e3 / hertz[-1]}
    exponents = [growth(numbers, np.maximum(values[name], 1e-9)) for values in (moved, ms) for name in (early, other)]
    last = [float(row[5] or 0.0) for row in together]
    ratio, dear = (ms[slow][-1] / max(ms[fast][-1], 1e-9) for slow, fast in ((early, other), ("contact_forces", "soft_step")))
    sentences = (
        f"At 60 Hz, a disc hit off center deviates by {wrong[other]:.1f} degrees if it collides at the end of the "
        f"step, and by {wrong[early]:.0e} degrees if it collides at the time of impact.",
        f"16 discs are 10 cm from the exact solution after {apart_last[other]:.1f} s if they collide at the end of each step, and after "
        f"{apart_last[early]:.1f} s if they collide at the time of impact ({hertz[-1]:.0f} Hz).",
        f"The last disc of a cradle should leave at 4 m/s. It leaves at {last[0]:.2f} m/s with collisions at the time of impact, at "
        f"{last[1]:.2f} m/s pair by pair, and at {last[2]:.2f} m/s all at once.",
        f"With n discs, the number of bodies moved and searched per step grows as n to the power {exponents[0]:.1f} with collisions at "
        f"the time of impact, and {exponents[1]:.1f} at the end of the step; the exponents of the time are {exponents[2]:.1f} and "
        f"{exponents[3]:.1f}. With {numbers[-1]} discs, the first method costs {ratio:.0f} times as much.",
        f"In a world of {small[-1]} discs, `contact_forces` costs {dear:.0f} times as much as the soft step, with an error of "
        f"{wrong['contact_forces']:.0e} degrees.",
    )
    swept: list[Row] = []
    for rate in (2.0, 7.5, 15.0, 30.0):
        hits = swept_hits(gas(numbers[-1]), 1.0 / rate)
        swept.append((f"1/{rate:g} s", *hits, *(100.0 * (1.0 - hits.meetings / max(n, 1)) for n in hits[:2])))
    tables = (
        Table(
            "divergence from the exact solution",
            ("step", "method", "error of the deflection, degrees", "time until 16 discs diverge, s"),
            tuple((f"{1e3 / float(row[0] or 0.0):.0f} Hz", *row[1:]) for row in parting),
        ),
        Table(
            "simultaneous contacts",
            (
                "method",
                *(f"cradle {k}, m/s" for k in range(1, 6)),
                "asymmetry of the break, m/s",
                f"missed at {_FAST:.0f} m/s, %",
                "false, %",
            ),
            tuple(together),
        ),
        Table(
            f"swept volumes of {numbers[-1]} discs in a step",
            ("step", "boxes overlap", "capsules overlap", "discs meet", "false hits of boxes, %", "of capsules, %"),
            tuple(swept),
        ),
        Table("cost of a step at 60 Hz", ("discs", "method", "collisions", "searches", "bodies moved", "ms"), tuple(costs)),
        Table("the same gas in the laboratory's worlds, ms per step", ("solver", *(f"{n} discs" for n in small), "power"), solved),
    )
    return Results(tables, charts, sentences)


_CROSSING = 4.0
"""m/s."""
_FAST = 60.0
"""m/s: 1 m per step, twice the discs' diameter."""
_TIMED = ("contact_forces", "shock_propagation", "soft_step")
_SOLVERS = (*_TIMED, "box2d")
"""Worlds compared with them: by a disc hit off center and, if restoring the start is cheap, by the cost of a step of a gas."""
_MAX_IN_WORLDS = 128
_HERTZ = (30.0, 60.0, 120.0, 240.0, 480.0)
