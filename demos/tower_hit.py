"""A shot at a tower of thin bricks, with and without the bullet flag: with it, the tower is hit; without it, chance decides.

Without the flag, Box2D checks two dynamic bodies only at the ends of steps. The shot hits if one of these positions, x0 + k v h, is closer
to the tower's center than half a brick, the shot's radius and the skin together; this is computed before the shot.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from demos._gallery import Scene, add_box, add_disc, add_ground, label, place_body, rest_box
from engine.app.clock import SPEEDS
from engine.demo import Claim, Parameter, Stage, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import World

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["TowerHit"]

LANES = ("bullet flag on", "bullet flag off")
LANE = 5.6
"""Distance of the lanes, meters."""
BRICK = (0.3, 0.45)
N_BRICKS = 9
START = -7.0
_AIM = 6
"""Index of the brick that the shot hits, counted from below."""
_SIZES = {"bullet": (0.1, 60.0), "ball": (0.45, 12.0)}
"""Radius, meters, and density, kg/m^2."""
_LINE = 0.55
"""Distance of two lines of text, meters."""
_WATCHED = 4.0
"""Travel of the shot per second of real time, meters, slow enough to follow."""
_STRIKE, _FALL = 0.1, 0.8
"""Seconds after the impact up to which the speed stays low, and then up to which it is at most a quarter of real time."""
_MAX_ENDS = 60
"""Maximum number of step ends that are drawn."""


@register(
    id="tower_hit",
    category="Fast bullets",
    title="Shooting at a tower",
    watch="Both lanes fire the same shot; without the bullet flag, it can fly through the tower. Rings mark where steps end.",
)
class TowerHit(Scene):
    """Two worlds, one above the other; the shot has no gravity."""

    tries = (
        ("Fire again (Enter).", "key return"),
        ("Change the phase: if a step ends inside the bricks, both shots hit.", "set phase"),
        ("Shoot a ball instead of a bullet.", "set shot=ball"),
    )
    keywords = "tunneling tunnelling ccd continuous bullet flag bricks"
    parameters = (
        Parameter("speed", 100.0, 5.0, 115.0, "m/s", "shot speed"),
        Parameter("phase", 0.6, 0.0, 1.0, "", "phase (where the steps end)"),
        Parameter.choice("shot", tuple(_SIZES), "projectile"),
    )
    keys = (("Enter", "fire again"),)
    claims = (
        Claim(
            "shots that hit without the flag",
            "",
            0.2,
            lambda demo: demo.hit[1] if demo.is_past or demo.hit[1] else None,
            lambda demo: demo.predicted,
            0.0,
            0,
        ),
    )
    cycle = 4.0

    def build(self) -> None:
        """Create a tower in each lane."""
        self.painted = {}
        self.shots: list[int] = []
        self.bricks: list[list[int]] = []
        for lane in range(len(LANES)):
            self._build_lane(self.add_stage(World(), (0.0, -LANE * lane)), lane)
        self.stage: Stage = self.stages[0]
        self._at_start = [[(body, stage.world.state(body)) for body in stage.world.body_ids] for stage in self.stages]
        self.again()

    def after_step(self) -> None:
        """Note the ends of the steps, and whether a brick was hit."""
        for lane, (stage, shot) in enumerate(zip(self.stages, self.shots, strict=True)):
            if not stage.world.is_body(shot):
                continue
            contacts = stage.world.contacts
            self.hit[lane] = self.hit[lane] or any(shot in (event.body_a, event.body_b) for event in contacts.began)
            if len(self.ends[lane]) < _MAX_ENDS:
                self.ends[lane].append(stage.world.state(shot).position)
        if self._came is None and (any(self.hit) or self.is_past):
            self._came = self.steps
        since = None if self._came is None else self.steps - self._came
        if since == round(_STRIKE / self.step_seconds):
            self.viewer.wanted_speed = max(self._slowly, 1 / 4)
        elif since == round(_FALL / self.step_seconds):
            self.viewer.wanted_speed = 1.0

    @property
    def predicted(self) -> bool:
        """True if the shot without the flag should hit the tower."""
        if self.stages[0].world.capabilities.sweeps_all:
            return True
        way = self.parameter("speed") * self.step_seconds
        radius, _ = _SIZES[self._kind]
        reach = 0.5 * BRICK[0] + radius + self.stages[0].world.capabilities.skin_radius
        first = math.ceil((-reach - self._start) / way)
        return self._start + first * way < reach

    def home(self) -> AABB:
        return AABB((START - 0.6, -LANE - 0.6), (6.0, N_BRICKS * BRICK[1] + 0.75))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the positions of the shot at the ends of the steps."""
        radius, _ = _SIZES[self._kind]
        for lane, stage in enumerate(self.stages):
            there = canvas.at(stage.offset)
            for at in self.ends[lane]:
                there.circle(at, radius, None, palette.NORMAL, 0.6)

    def draw(self, canvas: Canvas) -> None:
        """Write the name and the outcome of each lane."""
        for lane, (stage, name) in enumerate(zip(self.stages, LANES, strict=True)):
            there = canvas.at(stage.offset)
            if not label(there, (5.9, 4.1), name, palette.TEXT, 4.0, 15.0, "right", _LINE):
                label(there, (5.9, 4.1), name, palette.TEXT, 4.0, 15.0, "right")  # there is no room for the outcome below
            if self.is_past or self.hit[lane]:
                words, color = ("hit", palette.AGREE) if self.hit[lane] else ("passed through", palette.UNEXPLAINED)
                label(there, (5.9, 4.1 - _LINE), words, color, 4.0, 15.0, "right", _LINE)

    @property
    def is_past(self) -> bool:
        """True if an unobstructed shot would have passed the tower."""
        return (self.steps - self.began) * self.step_seconds * self.parameter("speed") > 2.0 - self._start

    def status(self) -> Sequence[StatusLine]:
        way = self.parameter("speed") * self.step_seconds
        lines: list[StatusLine] = [(f"the shot moves {way:.2f} m per step, and a brick is {BRICK[0]:g} m wide", palette.TEXT)]
        for lane, stage in enumerate(self.stages):
            fallen = sum(
                stage.world.is_body(body) and math.dist(stage.world.state(body).position, state.position) > BRICK[0]
                for body, state in self._at_start[lane]
                if body in self.bricks[lane]
            )
            lines.append((f"{LANES[lane]}: {fallen} of {N_BRICKS} bricks displaced", palette.CAPTION))
        return lines

    @property
    def _kind(self) -> str:
        return tuple(_SIZES)[round(self.parameter("shot"))]

    @property
    def _slowly(self) -> float:
        """Speed of the slow motion at which one can follow the shot."""
        target = min(_WATCHED / self.parameter("speed"), 1.0)
        return min(SPEEDS, key=lambda speed: max(speed / target, target / speed))

    @property
    def _start(self) -> float:
        return START + self.parameter("phase") * self.parameter("speed") * self.step_seconds

    def _build_lane(self, stage: Stage, lane: int) -> None:
        add_ground(stage, START - 0.6, 6.0, friction=0.6)
        width, height = BRICK
        pitch = height + rest_box(self)
        ups = [rest_box(self) + 0.5 * height + k * pitch for k in range(N_BRICKS)]
        self.bricks.append([add_box(stage, (0.0, y), width, height, friction=0.5, name="brick") for y in ups])
        radius, density = _SIZES[self._kind]
        flags: dict[str, Any] = {"bullet": lane == 0, "gravity_scale": 0.0}
        shot = add_disc(stage, (self._start, ups[_AIM]), radius, density=density, name=self._kind, **flags)
        self.shots.append(self.paint(shot, palette.NORMAL))

    def again(self) -> None:
        """Rebuild the towers and fire."""
        self.began = self.steps
        self.hit = [False] * len(LANES)
        self._came: int | None = None
        self.viewer.wanted_speed = self._slowly
        self.ends: list[list[tuple[float, float]]] = [[] for _ in LANES]
        for stage, states, shot in zip(self.stages, self._at_start, self.shots, strict=True):
            for body, state in states:
                place_body(stage.world, body, state.position, state.angle, (self.parameter("speed") if body == shot else 0.0, 0.0))
