"""Many shots of one kind in one world, each in its own lane, for the atlas.

A single shot costs a world, a target and about sixty steps. In a batch, the lanes are side by side, and Box2D steps them all at once::

        y
        |   o -->              #
        |        o -->         #      one lane per shot: the same start except for its phase
        |     o -->            #
        +----------------------+---> x

Box2D's result for a lane does not depend on its y if the bullet flies along the normal: the wall is upright, its normal is exactly (1, 0)
or (-1, 0), and every product with y is a product with 0. So a shot in a batch has the same outcome as a single shot
(`engine.experiments.shot.run_shot`); a test checks thousands of them. At an angle, y has a coarser rounding in distant lanes, and a shot
whose step ends at the zone's border may differ. (A single shot also records when, where, and how it was stopped.)

The bullets' filter group prevents collisions between them. An immovable wall is shared by all lanes; its height does not change its
normals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.contracts import StepContacts
from engine.experiments.range import bullet_of, target_of, world_of
from engine.experiments.shot import run_shot
from engine.experiments.spec import Rule, ShotSpec, Target
from engine.experiments.tracker import SETTLING_STEPS, STEPS_BEHIND, TURN, flight_steps
from engine.geometry import Polygon
from engine.world import BodySpec, load_solver

__all__ = ["ShotBatch", "has_lanes", "run_batch"]

Flags = NDArray[np.bool_]

_LANE_TARGETS: tuple[Target, ...] = ("static", "kinematic", "dynamic", "sensor", "head_on")
"""Targets that are one body without rotation before the impact."""
_LANE_RULES: tuple[Rule, ...] = ("discrete", "default", "bullet")
"""Rules under which all bullets of a world have the same steps."""
_BULLETS = -1
"""Filter group of the bullets; members of a negative group do not collide."""


@dataclass(frozen=True, slots=True)
class ShotBatch:
    """Outcome of shots of one kind.

    Attributes
    ----------
    hit, tunneled : bool (n,)
        As in `ShotResult`.
    turned : bool (n,)
        True if the target or a box-shaped bullet turned by more than `TURN` after the hit, so that the law no longer applies.
    n_steps : int
        Number of Box2D's steps for all shots together.
    seconds : float
        Duration of these steps; varies between runs.
    """

    hit: Flags
    tunneled: Flags
    turned: Flags
    n_steps: int
    seconds: float


def run_batch(spec: ShotSpec, at: Sequence[float]) -> ShotBatch:
    """Fire one shot for each phase in `at`, together if the target allows it, otherwise one after the other."""
    load_solver(spec.solver).prepare()  # reads contacts many times as fast; no-op if done before
    return _Lanes(spec, at).run() if has_lanes(spec) else _one_by_one(spec, at)


def has_lanes(spec: ShotSpec) -> bool:
    """Return True if shots of this kind can share a world; the others take some ten times as long."""
    has_one_sensor = spec.solver == "box2d3" and spec.target == "sensor"  # in this engine, a world has only one sensor and one visitor
    return spec.target in _LANE_TARGETS and spec.rule in _LANE_RULES and not has_one_sensor


def _one_by_one(spec: ShotSpec, at: Sequence[float]) -> ShotBatch:
    start = perf_counter()
    shots = [run_shot(replace(spec, phase=phase)) for phase in at]
    n_steps = sum(len(shot.positions) - 1 for shot in shots)
    hit, tunneled = (np.array([getattr(shot, name) for shot in shots]) for name in ("hit", "tunneled"))
    return ShotBatch(hit, tunneled, np.zeros(len(shots), np.bool_), n_steps, perf_counter() - start)


class _Lanes:
    """The world of a batch, with the records of `ShotTracker` as arrays over all lanes."""

    def __init__(self, spec: ShotSpec, at: Sequence[float]) -> None:
        self.spec, self.n = spec, len(at)
        self.world, (self.panel, target), bullet = world_of(spec), target_of(spec), bullet_of(spec)
        width = 2.0 * (self.panel.half_height + spec.radius) + MAX_TRANSLATION_PER_STEP
        lanes: list[float] = (2.0 ** math.ceil(math.log2(width)) * np.arange(self.n)).tolist()
        shots = [replace(spec, phase=phase) for phase in at]
        bullet = replace(bullet, fixtures=tuple(replace(fixture, group=_BULLETS) for fixture in bullet.fixtures))

        def in_lanes(body: BodySpec, places: list[tuple[float, float]]) -> list[int]:
            return [self.world.create_body(replace(body, position=(x, y + lane))) for (x, y), lane in zip(places, lanes, strict=True)]

        self.middle_y = np.zeros(self.n)
        if target.type == "static":  # one wall for all lanes
            wall = replace(target.fixtures[0], shape=Polygon.box(self.panel.half_thickness, lanes[-1] + width))
            targets, self.middle_y = [self.world.create_body(replace(target, fixtures=(wall,)))] * self.n, np.array(lanes)
        else:
            targets = in_lanes(target, [shot.target_start for shot in shots])
        bullets = in_lanes(bullet, [shot.start for shot in shots])
        self.target_rows: IntArray = np.array([self.world.row_of(body) for body in targets])
        self.bullet_rows: IntArray = np.array([self.world.row_of(body) for body in bullets])
        self.lane_of = np.full(max(*targets, *bullets) + 1, -1)
        self.lane_of[bullets] = np.arange(self.n)
        self.flight = np.array((math.cos(spec.angle), -math.sin(spec.angle)))
        self.hit, self.jumped, self.turned = (np.zeros(self.n, np.bool_) for _ in range(3))
        may_turn = [self.target_rows] if spec.shape == "disc" else [self.target_rows, self.bullet_rows]
        self.may_turn = [(rows, self.world.poses[rows, 2]) for rows in may_turn]
        self.last_step: IntArray = np.array([flight_steps(shot) for shot in shots])
        self.steps = 0

    def run(self) -> ShotBatch:
        """Step until every shot is over, by the rules of `ShotTracker`."""
        seconds = 0.0
        before = self.world.poses[self.bullet_rows, :2]
        while True:
            tracked = self.steps < self.last_step
            if not tracked.any():
                return ShotBatch(self.hit, self.jumped, self.turned, self.steps, seconds)
            start = perf_counter()
            contacts = self.world.step()
            seconds += perf_counter() - start
            after = self.world.poses[self.bullet_rows, :2]
            self.steps += 1
            self._note(contacts, before, after, tracked)
            before = after

    def _note(self, contacts: StepContacts, before: FloatArray, after: FloatArray, tracked: Flags) -> None:
        touched = np.zeros(self.n + 1, np.bool_)  # the last entry is for lane -1, which has no bullet
        touched[np.maximum(self.lane_of[contacts.body_a], self.lane_of[contacts.body_b])] = True
        for event in contacts.began:
            touched[max(self.lane_of[event.body_a], self.lane_of[event.body_b])] = True
        is_new = tracked & touched[:-1] & ~self.hit
        self.hit |= is_new
        if self.spec.target != "sensor":  # which leaves the bullet to fly on
            self.last_step[is_new] = self.steps + SETTLING_STEPS
        for rows, at_first in self.may_turn:
            self.turned |= tracked & self.hit & (np.abs(self.world.poses[rows, 2] - at_first) > TURN)
        through = tracked & ~self.jumped & self._passed(before, after)
        self.jumped |= through
        self.last_step[through] = self.steps + STEPS_BEHIND
        self.last_step[tracked & self.hit & self.jumped] = self.steps  # nothing else can be recorded

    def _passed(self, before: FloatArray, after: FloatArray) -> Flags:
        """Return True for each bullet that passed its panel's far face in this step; `ShotTracker` derives it."""
        start, end = self.world.previous_poses[self.target_rows], self.world.poses[self.target_rows]
        n_pieces = 1 + int(np.abs(end[:, 2] - start[:, 2]).max() / TURN)
        passed, far = np.zeros(self.n, np.bool_), 0.0 if self.panel.is_round else self.panel.half_thickness
        was: FloatArray | None = None
        for k in range(n_pieces + 1):
            share = k / n_pieces
            pose = (1.0 - share) * start + share * end
            way = (1.0 - share) * before + share * after - pose[:, :2]
            x, y = way[:, 0], way[:, 1] - self.middle_y
            if self.panel.is_round:  # a disc has no faces, so it is passed along the line of flight
                here = np.stack((self.flight[0] * x + self.flight[1] * y, self.flight[0] * y - self.flight[1] * x))
            else:
                cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
                here = np.stack((cos * x + sin * y, cos * y - sin * x))
            if was is not None:
                leaves = (was[0] <= far) & (far < here[0])
                fraction = (far - was[0]) / np.where(leaves, here[0] - was[0], 1.0)
                passed |= leaves & (np.abs(was[1] + fraction * (here[1] - was[1])) <= self.panel.half_height)
            was = here
        return passed
