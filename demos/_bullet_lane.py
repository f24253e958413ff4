"""A lane of the demo `bullet`: a world with one rule, its shot, and the curve of the step that decides."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from engine.common.arrays import FloatArray
from engine.demo import Stage
from engine.experiments.range import build_floor, fire
from engine.experiments.rules import Piece, RuleStepper
from engine.experiments.spec import Rule, ShotSpec
from engine.experiments.tracker import ShotTracker
from engine.geometry import FixtureShape
from engine.render import palette
from engine.render.palette import Color, mix
from engine.sim.stage import StepPiece, WholeStep
from engine.world import accept

if TYPE_CHECKING:
    from engine.experiments.step_curve import MovingShape, StepCurve

__all__ = ["LEFT", "RIGHT", "Impact", "Lane", "Pose"]

LEFT, RIGHT = -5.6, 3.6
"""Ends of the shown part of a lane, meters."""
LOST = 60.0
"""Distance from the target at which bodies are removed, meters."""
TARGET_COLOR = mix(palette.STATIC, palette.TEXT, 0.75)

Point = tuple[float, float]
Pose = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Impact:
    """A pose to which continuous physics moved the bullet during a step, and its contact; the normal pushes the bullet.

    If a pair touched several times in a step, Box2D keeps only the last contact. After the first impact of a step, `fraction` is a lower
    bound.
    """

    step: int
    fraction: float
    pose: Pose
    point: Point | None
    normal: Point | None
    is_ours: bool


class _Motion(NamedTuple):
    """The world at the beginning of a step."""

    body_ids: tuple[int, ...]
    poses: FloatArray
    velocities: FloatArray


class Lane:
    """A world with one rule, a target, a bullet, and the record of its shot."""

    def __init__(self, stage: Stage, rule: Rule) -> None:
        self.stage = stage
        self.rule = rule
        self.watch: ShotTracker | None = None
        self.poses: list[Pose] = []
        self.impacts: list[Impact] = []
        self.pieces: list[list[Pose]] = []
        """For each step of the shot, the poses of the bullet after each of the world's steps."""

    def fire(self, spec: ShotSpec) -> None:
        """Clear the range, create the target, and fire."""
        self.clear()
        world = self.stage.world
        build_floor(world, LEFT, RIGHT)
        shot = fire(spec, world)
        self._stepper, self.watch = RuleStepper(shot), ShotTracker(shot)
        self._fixture = world.body(shot.bullet).fixtures[0]
        self.shape = world.fixture(self._fixture).shape
        self._has_weight = spec.target == "sensor"
        self.poses, self.impacts, self.pieces = [self._pose()], [], []
        self._bullet, self._target = self._shape(shot.bullet), self._shape(shot.target)
        self._motions: list[_Motion] = []
        self._examined = 0
        self._decisive: int | None = None
        self._curves: dict[int, StepCurve] = {}

    @property
    def colors(self) -> dict[int, Color]:
        """Colors of the target and of the bullet, by id."""
        return {} if self.watch is None else {self._target[0]: TARGET_COLOR, self.watch.bullet: palette.NORMAL}

    @property
    def is_decided(self) -> bool:
        """True if there is a verdict."""
        return self.watch is not None and self.watch.is_decided

    def clear(self) -> None:
        """Remove all bodies and the shot."""
        for body in self.stage.world.body_ids:
            self.stage.world.destroy_body(body)
        self.watch = None

    def begin_step(self) -> None:
        """Record the motion before a step."""
        if self.watch is not None and not self.watch.is_over:
            world = self.stage.world
            self._motions.append(_Motion(world.body_ids, world.poses, world.velocities))

    def step(self) -> Iterator[StepPiece]:
        """Step the world by the rule and track the shot."""
        watch = self.watch
        if watch is None:
            yield WholeStep(self.stage.world.step())
            return
        is_watched = not watch.is_over
        if is_watched:
            self.pieces.append([])
        for piece in self._stepper.step():
            if is_watched:
                self._note_impacts(watch, piece)
                watch.observe(piece)
                self.pieces[-1].append(self._pose())
            yield piece

    def end_step(self) -> None:
        """Record the pose after a step; remove lost bodies after the shot, and let the bullet fall after its hit."""
        watch, world = self.watch, self.stage.world
        if watch is None:
            return
        if len(self.pieces) < len(self.poses):
            for body in world.body_ids:
                if max(map(abs, world.state(body).position)) > LOST:
                    world.destroy_body(body)
            return
        self.poses.append(self._pose())
        if watch.hit is not None and not self._has_weight:
            self._has_weight = True
            world.set_body(watch.bullet, gravity_scale=1.0)

    def decisive_step(self) -> tuple[int, StepCurve] | None:
        """Return the first step in which bullet and target touch, or else the last step, and its curve; None before the first step."""
        from engine.experiments.step_curve import step_curve, touches

        while self._decisive is None and self._examined < len(self._motions):
            moving = self.moving_shapes(self._examined)
            if moving is not None and touches(*moving):
                self._decisive = self._examined
            self._examined += 1
        step = self._decisive if self._decisive is not None else len(self._motions) - 1
        moving = self.moving_shapes(step) if step >= 0 else None
        if moving is None:
            return None
        if step not in self._curves:
            self._curves = {step: step_curve(*moving)}
        return step, self._curves[step]

    def moving_shapes(self, step: int) -> tuple[MovingShape, MovingShape] | None:
        """Return the unobstructed motions of the bullet and the target in a step; None if they did not exist."""
        from engine.experiments.lookahead import free_sweep
        from engine.experiments.step_curve import MovingShape

        assert self.watch is not None
        motion, spec = self._motions[step], self.watch.spec

        def moving(body: int, shape: FixtureShape, center: Point) -> MovingShape:
            row = motion.body_ids.index(body)
            pose, velocity = motion.poses[row].tolist(), motion.velocities[row].tolist()
            return MovingShape(shape, free_sweep(tuple(pose), tuple(velocity), 1.0 / spec.hertz, center, spec.most_substeps))

        if self._bullet[0] not in motion.body_ids or self._target[0] not in motion.body_ids:
            return None
        return moving(*self._bullet), moving(*self._target)

    def is_last_step(self, step: int) -> bool:
        """Return True if a step is the present one."""
        return step == len(self._motions) - 1 and self.watch is not None and not self.watch.is_over

    def _shape(self, body: int) -> tuple[int, FixtureShape, Point]:
        """Return a body, its shape as Box2D represents it, because the curve is for Box2D, and its center of mass."""
        world = self.stage.world
        record = world.body(body)
        fixture = world.fixture(record.fixtures[0])
        return body, fixture.shape if world.solver == "box2d" else accept(fixture.spec, "box2d").shape, record.local_center

    def _pose(self) -> Pose:
        assert self.watch is not None
        state = self.stage.world.state(self.watch.bullet)
        return (*state.position, state.angle)

    def _note_impacts(self, watch: ShotTracker, piece: Piece) -> None:
        """Record the poses to which continuous physics, Box2D's or ours, moved the bullet during the current step."""
        world, contacts, step, travel = self.stage.world, piece.contacts, len(self.pieces) - 1, watch.spec.travel
        before = self.poses[-1]
        rows = {(int(contacts.fixture_a[row]), int(contacts.fixture_b[row])): row for row in contacts.in_toi.nonzero()[0].tolist()}
        for moment in world.impact_moments:
            pair = moment.fixture_a, moment.fixture_b
            if self._fixture not in pair:
                continue
            is_b = pair[1] == self._fixture
            pose = moment.pose_b if is_b else moment.pose_a
            fraction = min(math.dist(before[:2], pose[:2]) / travel, 1.0) if travel > 0.0 else 0.0
            if self.impacts and self.impacts[-1].step == step:  # it was pushed since then, so its distance says little about the time
                fraction = max(fraction, self.impacts[-1].fraction)
            point = normal = None
            row = rows.get(pair)
            if row is not None and (contacts.pose_b if is_b else contacts.pose_a)[row].tolist() == list(pose):  # the pair's last impact
                sign = 1.0 if is_b else -1.0
                normal = (sign * float(contacts.normal[row, 0]), sign * float(contacts.normal[row, 1]))
                point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            self.impacts.append(Impact(step, fraction, pose, point, normal, False))
        for impact in piece.impacts:
            self.impacts.append(Impact(step, impact.fraction, (*impact.center, before[2]), impact.point, impact.normal, True))
