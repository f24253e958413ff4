"""Many shots of one kind in one world, each in a lane of its own: the atlas's gun.

A shot alone costs a world, a target and some sixty steps. In a batch the lanes lie side by side, so that Box2D steps them all at once::

        y
        |   o -->              #
        |        o -->         #      one lane a shot: the same start but for its phase
        |     o -->            #
        +----------------------+---> x

What Box2D does to a lane does not depend on its y, as long as the bullet flies along the normal: the wall stands upright, its normal is
(1, 0) or (-1, 0) to the last bit, and every product with y is a product with 0. So a batch's shot has the same outcome as the shot alone
(`engine.experiments.shot.run_shot`), which a test holds over thousands. At an angle y is rounded coarser in a lane far out, and a shot
whose step ends just at the zone's border may differ. (A single shot records more: when, where, and how it was stopped.)

The bullets' filter group lets none meet another. A wall that cannot move is one for all lanes, higher by a power of two, which
multiplies its corners and leaves its normals to the bit; anything that can move is there once a lane. Steps in which the bullet is not yet
near are not made by Box2D: `_coasted` adds the same float32 numbers. A disc that was caught, so that it could not come past the target's
middle any more at the speed that is left, is followed no longer: from there contacts push it back only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.common.tolerances import LINEAR_SLOP
from engine.contracts import StepContacts
from engine.experiments.range import Panel, build_range, fire_bullet, range_world
from engine.experiments.shot import run_shot
from engine.experiments.spec import Rule, ShotSpec, Target
from engine.experiments.tracker import MARGIN_STEPS, SETTLING_STEPS, STEPS_BEHIND, TURN
from engine.experiments.tunneling import capped_velocity
from engine.geometry import Polygon
from engine.world import BodySpec, FixtureSpec, load_solver

__all__ = ["ShotBatch", "has_lanes", "run_batch"]

Flags = NDArray[np.bool_]

_LANE_TARGETS: tuple[Target, ...] = ("static", "kinematic", "dynamic", "sensor", "head_on")
"""Those of one body that does not turn before it is struck."""
_LANE_RULES: tuple[Rule, ...] = ("discrete", "default", "bullet")
"""Those under which all bullets of a world go on by the same steps."""
_BULLETS = -1
"""Filter group of the bullets: a negative one keeps its members apart."""
_STEPS_AHEAD = 2
"""Steps that Box2D makes itself before the bullet can be in contact, in the least: its boxes and pairs are as if it had made all."""


@dataclass(frozen=True, slots=True)
class ShotBatch:
    """Outcome of shots of one kind.

    Attributes
    ----------
    hit, tunneled : bool (n,)
        As in `ShotResult`.
    turned : bool (n,)
        Whether, after the hit, target or box-shaped bullet turned by more than `TURN`: then it is no longer the shape that was shot at.
    n_steps : int
        Steps that Box2D made for all of them together.
    seconds : float
        What those steps took; differs from run to run.
    """

    hit: Flags
    tunneled: Flags
    turned: Flags
    n_steps: int
    seconds: float


def run_batch(spec: ShotSpec, at: Sequence[float]) -> ShotBatch:
    """Fire one shot for each phase in `at`, together where the target allows it, and one after the other where not."""
    load_solver(spec.solver).prepare()  # contacts are read many times as fast; nothing where that was done
    return _Lanes(spec, at).run() if has_lanes(spec) else _one_by_one(spec, at)


def has_lanes(spec: ShotSpec) -> bool:
    """Return True if shots of this kind can share a world; the others take some ten times as long."""
    return spec.target in _LANE_TARGETS and spec.rule in _LANE_RULES


def _one_by_one(spec: ShotSpec, at: Sequence[float]) -> ShotBatch:
    start = perf_counter()
    shots = [run_shot(replace(spec, phase=phase)) for phase in at]
    n_steps = sum(len(shot.positions) - 1 for shot in shots)
    hit, tunneled = (np.array([getattr(shot, name) for shot in shots]) for name in ("hit", "tunneled"))
    return ShotBatch(hit, tunneled, np.zeros(len(shots), np.bool_), n_steps, perf_counter() - start)


class _Lanes:
    """The world of a batch, and what `ShotTracker` notes of a shot, for all lanes in arrays."""

    def __init__(self, spec: ShotSpec, at: Sequence[float]) -> None:
        self.spec = spec
        shots = [replace(spec, phase=phase) for phase in at]
        self.n = len(shots)
        self.world = range_world(spec)
        self.panel, target, bullet = _pattern(spec)
        width = 2.0 * (self.panel.half_height + spec.radius) + MAX_TRANSLATION_PER_STEP
        self.y = 2.0 ** math.ceil(math.log2(width)) * np.arange(self.n)
        exact = np.float32 if spec.is_box2d else np.float64
        bullets_at: Any = np.array([shot.start for shot in shots], exact)
        starts = [shot.target_start for shot in (shots if spec.target_travel else shots[:1])]
        targets_at = np.broadcast_to(np.array(starts, exact), bullets_at.shape)
        first, last = (replace(spec, phase=phase) for phase in (min(at), max(at)))
        self.steps = min(_free_steps(first), _free_steps(last))
        bullets_at = _coasted(spec, bullets_at, spec.velocity, self.steps)
        targets_at = _coasted(spec, targets_at, spec.target_velocity, self.steps)
        # a wall that cannot move is one body for all, and their lanes stay at its middle's height where the lane is the first
        shared = self.world.create_body(_higher(target, self.y[-1] + width)) if target.type == "static" else None
        panels, bullets = [], []
        for bullet_at, target_at, y in zip(bullets_at.tolist(), targets_at.tolist(), self.y.tolist(), strict=True):
            own = replace(target, position=(target_at[0], target_at[1] + y)) if shared is None else target
            panels.append(self.world.create_body(own) if shared is None else shared)
            bullets.append(self.world.create_body(replace(bullet, position=(bullet_at[0], bullet_at[1] + y))))
        self.panel_rows: IntArray = np.array([self.world.row_of(body) for body in panels])
        self.bullet_rows: IntArray = np.array([self.world.row_of(body) for body in bullets])
        self.panel_y = self.y if shared is not None else np.zeros(self.n)
        self.lane_of = np.full(max(*panels, *bullets) + 1, -1)
        self.lane_of[bullets] = np.arange(self.n)
        self.flight = np.array((spec.direction * math.cos(spec.angle), -math.sin(spec.angle)))
        self.hit, self.jumped, self.turned = (np.zeros(self.n, np.bool_) for _ in range(3))
        may_turn = [self.panel_rows] if spec.shape == "disc" else [self.panel_rows, self.bullet_rows]
        self.may_turn = [(rows, self.world.poses[rows, 2]) for rows in may_turn]
        self.last_step: IntArray = np.full(self.n, max(_steps_to_middle(first), _steps_to_middle(last)) + MARGIN_STEPS)

    def run(self) -> ShotBatch:
        """Step until every shot is over, by the rules of `ShotTracker`."""
        first, seconds = self.steps, 0.0
        before = self.world.poses[self.bullet_rows, :2]
        while True:
            tracked = self.steps < self.last_step
            if not tracked.any():
                return ShotBatch(self.hit, self.jumped, self.turned, self.steps - first, seconds)
            start = perf_counter()
            contacts = self.world.step()
            seconds += perf_counter() - start
            after = self.world.poses[self.bullet_rows, :2]
            self.steps += 1
            self._note(contacts, before, after, tracked)
            before = after

    def _note(self, contacts: StepContacts, before: FloatArray, after: FloatArray, tracked: Flags) -> None:
        touched = np.zeros(self.n + 1, np.bool_)  # the last place: lane -1, no bullet
        touched[np.maximum(self.lane_of[contacts.body_a], self.lane_of[contacts.body_b])] = True
        for event in contacts.began:
            touched[max(self.lane_of[event.body_a], self.lane_of[event.body_b])] = True
        is_new = tracked & touched[:-1] & ~self.hit
        self.hit |= is_new
        self.last_step[is_new] = self.steps + SETTLING_STEPS
        for rows, at_first in self.may_turn:
            self.turned |= tracked & self.hit & (np.abs(self.world.poses[rows, 2] - at_first) > TURN)
        if self.spec.shape == "disc" and not self.panel.is_round:
            self.last_step[tracked & self._is_held(after)] = self.steps
        through = tracked & ~self.jumped & self._passed(before, after)
        self.jumped |= through
        self.last_step[through] = self.steps + STEPS_BEHIND
        self.last_step[tracked & self.hit & self.jumped] = self.steps  # nothing else can be noted

    def _is_held(self, after: FloatArray) -> Flags:
        """Return True for each disc that was hit and lies before an upright panel, whose middle it cannot pass while tracked."""
        pose, at_first = self.world.poses[self.panel_rows], self.may_turn[0][1]
        velocity = self.world.velocities
        seconds = SETTLING_STEPS / self.spec.hertz
        ahead = self.spec.direction * (pose[:, 0] - after[:, 0])
        closing = self.spec.direction * (velocity[self.bullet_rows, 0] - velocity[self.panel_rows, 0])
        turns = np.abs(pose[:, 2] - at_first) + np.abs(velocity[self.panel_rows, 2]) * seconds
        held: Flags = self.hit & (ahead > np.maximum(closing, 0.0) * seconds) & (turns * self.panel.half_height < LINEAR_SLOP)
        return held

    def _passed(self, before: FloatArray, after: FloatArray) -> Flags:
        """Return True for each bullet that passed its panel's far face in this step; `ShotTracker` derives it."""
        start, end = self.world.previous_poses[self.panel_rows], self.world.poses[self.panel_rows]
        n_pieces = 1 + int(np.abs(end[:, 2] - start[:, 2]).max() / TURN)
        passed = np.zeros(self.n, np.bool_)
        was: FloatArray | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            pose = (1.0 - share) * start + share * end
            way = (1.0 - share) * before + share * after - pose[:, :2]
            x, y = way[:, 0], way[:, 1] - self.panel_y
            if self.panel.is_round:  # it has no faces: it is passed along the line of flight
                here = np.stack((self.flight[0] * x + self.flight[1] * y, self.flight[0] * y - self.flight[1] * x))
            else:
                cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
                here = np.stack((self.spec.direction * (cos * x + sin * y), cos * y - sin * x))
            if was is not None:
                passed |= _crosses(self.panel, was, here)
            was = here
        return passed


def _pattern(spec: ShotSpec) -> tuple[Panel, BodySpec, BodySpec]:
    """Return the panel, its body and the bullet's as the range builds them for a shot alone, the bullet in the group of bullets."""
    world = range_world(spec)
    (panel,) = build_range(world, spec)
    bullet = world.body(fire_bullet(world, spec)).spec
    fixtures = tuple(replace(fixture, group=_BULLETS) for fixture in bullet.fixtures)
    return panel, world.body(panel.body).spec, replace(bullet, fixtures=fixtures)


def _higher(target: BodySpec, height: float) -> BodySpec:
    """Return the same wall at least this high, its corners' y times a power of two."""
    (fixture,) = target.fixtures
    assert isinstance(fixture.shape, Polygon)
    corners = fixture.shape.vertices
    factor = 2.0 ** max(0, math.ceil(math.log2(2.0 * height / np.ptp(corners[:, 1]))))
    taller: FixtureSpec = replace(fixture, shape=Polygon(corners * (1.0, factor)))
    return replace(target, fixtures=(taller,))


def _steps_to_middle(shot: ShotSpec) -> int:
    """Return the steps after which bullet and target would be at the same place."""
    return math.ceil(shot.gap / shot.closing) if shot.closing > 0.0 else 0


def _free_steps(shot: ShotSpec) -> int:
    """Return the steps in which nothing can touch anything, with `_STEPS_AHEAD` to spare."""
    if shot.closing <= 0.0:
        return 0
    return max(0, math.floor((shot.gap - shot.reach) / shot.closing) - _STEPS_AHEAD)


def _coasted(spec: ShotSpec, at: Any, velocity: tuple[float, float], n_steps: int) -> Any:
    """Return where bodies are after steps in which nothing acts on them, (n, 2).

    The operations are those of `b2Island::Solve`, in float32: the velocity capped, ``c += h v``. Our solver's float64 needs no such care.
    """
    if not spec.is_box2d:
        return at + n_steps / spec.hertz * np.array(velocity)
    hertz = spec.hertz
    h, v = np.float32(1.0 / hertz), np.array(velocity, np.float32)
    for _ in range(n_steps):
        v = np.array(capped_velocity(v[0], v[1], hertz))
        at = at + h * v
    return at


def _crosses(panel: Panel, was: FloatArray, here: FloatArray) -> Flags:
    """Return True for each straight path from `was` to `here` (2, n), panel's frame, that leaves through its far face."""
    far = panel.half_thickness
    leaves = (was[0] <= far) & (far < here[0])
    length = np.where(leaves, here[0] - was[0], 1.0)
    fraction = (far - was[0]) / length
    crossed: Flags = leaves & (np.abs(was[1] + fraction * (here[1] - was[1])) <= panel.half_height)
    return crossed
