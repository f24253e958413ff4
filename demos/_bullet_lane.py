"""One lane of the demo `bullet`: a world under one rule, and the record of its shot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from demos._bullet_timeline import StepRecorder
from engine.demo import Stage
from engine.experiments.range import build_floor, build_range, fire_bullet
from engine.experiments.rules import Piece, RuleStepper
from engine.experiments.spec import Rule, ShotSpec
from engine.experiments.tracker import Outcome, ShotTracker
from engine.render import palette
from engine.render.palette import Color, mix
from engine.sim.stage import StepPiece, WholeStep

__all__ = ["LEFT", "RIGHT", "TARGET_COLOR", "Lane", "Toi"]

LEFT, RIGHT = -5.6, 3.6  # meters: the part of a lane that is shown
LOST = 60.0  # meters from the target, where whatever flew or fell away is taken out of the world
TARGET_COLOR = mix(palette.STATIC, palette.TEXT, 0.75)

Pose = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Toi:
    """Where continuous physics put the bullet inside a step, and the contact that it found there; the normal pushes on the bullet.

    Of a pair that met several times in a step Box2D keeps the last contact only. The fraction of what follows a step's first impact is a
    lower bound.
    """

    step: int
    fraction: float
    pose: Pose
    point: tuple[float, float] | None
    normal: tuple[float, float] | None
    is_ours: bool


class Lane:
    """One world under one rule, with a target, a bullet, and the record of its shot."""

    def __init__(self, stage: Stage, rule: Rule) -> None:
        self.stage = stage
        self.rule = rule
        self.watch: ShotTracker | None = None
        self.recorder: StepRecorder
        self._targets: list[int] = []
        self.poses: list[Pose] = []
        self.tois: list[Toi] = []
        self.tally: list[Outcome] = []
        self.pieces: list[list[Pose]] = []
        """Of each step of the shot, where the bullet was after each of the steps that the world took for it."""

    def fire(self, spec: ShotSpec) -> None:
        """Clear the range, set up the target, fire."""
        self.clear()
        world = self.stage.world
        floor = build_floor(world, LEFT, RIGHT)
        panels = build_range(world, spec)
        self._targets = [body for body in world.body_ids if body != floor]
        bullet = fire_bullet(world, spec)
        self._stepper = RuleStepper(world, spec, bullet)
        self.watch = ShotTracker(world, spec, bullet, panels)
        self._fixture = world.body(bullet).fixtures[0]
        self.shape = world.fixture(self._fixture).shape
        self.recorder = StepRecorder(world, bullet, self._targets)
        self._has_weight, self._is_sensor = False, spec.target == "sensor"
        self.poses, self.tois, self.pieces = [self._pose()], [], []

    @property
    def colors(self) -> dict[int, Color]:
        """Colors of the target's bodies and of the bullet, by id."""
        if self.watch is None:
            return {}
        return {**dict.fromkeys(self._targets, TARGET_COLOR), self.watch.bullet: palette.NORMAL}

    def clear(self) -> None:
        """Take everything out of the world: no shot."""
        for body in self.stage.world.body_ids:
            self.stage.world.destroy_body(body)
        self.watch = None

    def begin_step(self) -> None:
        """Note how things move, as long as the shot is watched."""
        watch = self.watch
        if watch is not None and not watch.is_over:
            self.recorder.note(self.stage.world, 1.0 / watch.spec.hertz, watch.spec.most_substeps)

    def step(self) -> Iterator[StepPiece]:
        """Take a step under the rule, and let the watch look at each piece of it; without a shot, a plain step."""
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

    def look(self) -> None:
        """Take in the step; what was hit falls from then on."""
        watch, world = self.watch, self.stage.world
        if watch is None:
            return
        if len(self.pieces) < len(self.poses):
            for body in world.body_ids:
                x, y = world.state(body).position
                if max(abs(x), abs(y)) > LOST:
                    world.destroy_body(body)
            return
        self.poses.append(self._pose())
        if watch.hit is not None and not self._has_weight and not self._is_sensor:
            self._has_weight = True
            world.set_body(watch.bullet, gravity_scale=1.0)

    @property
    def is_decided(self) -> bool:
        """Whether there is a verdict."""
        return self.watch is not None and self.watch.is_decided

    def _pose(self) -> Pose:
        assert self.watch is not None
        state = self.stage.world.state(self.watch.bullet)
        return (*state.position, state.angle)

    def _note_impacts(self, watch: ShotTracker, piece: Piece) -> None:
        """Keep where continuous physics, Box2D's or ours, put the bullet inside the step that is being taken."""
        world, contacts, step, travel = self.stage.world, piece.contacts, len(self.pieces) - 1, watch.spec.travel
        before = self.poses[-1]
        rows = {(int(contacts.fixture_a[row]), int(contacts.fixture_b[row])): row for row in contacts.in_toi.nonzero()[0].tolist()}
        for moment in world.impact_moments:
            pair = moment.fixture_a, moment.fixture_b
            if self._fixture not in pair:
                continue
            is_b = pair[1] == self._fixture
            pose = moment.pose_b if is_b else moment.pose_a
            gone = math.dist(before[:2], pose[:2])
            fraction = min(gone / travel, 1.0) if travel > 0.0 else 0.0
            if self.tois and self.tois[-1].step == step:  # it has been pushed since: how far it is says little about when
                fraction = max(fraction, self.tois[-1].fraction)
            point = normal = None
            row = rows.get(pair)
            if row is not None and (contacts.pose_b if is_b else contacts.pose_a)[row].tolist() == list(pose):  # the pair's last one
                sign = 1.0 if is_b else -1.0
                normal = (sign * float(contacts.normal[row, 0]), sign * float(contacts.normal[row, 1]))
                point = (float(contacts.position[row, 0, 0]), float(contacts.position[row, 0, 1]))
            self.tois.append(Toi(step, fraction, pose, point, normal, False))
        for impact in piece.impacts:
            self.tois.append(Toi(step, impact.fraction, (*impact.center, before[2]), impact.point, impact.normal, True))
