"""Rows of bullets at thin targets: what sensors detect, which bodies stop a bullet, and what two switches do.

A lane is a rule. Its rows differ only in the phase of the steps; the share of many shots is shown next to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from demos._limitations import Limitation
from engine.demo import Parameter, Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.rows import (
    PITCH,
    SWITCHES,
    TARGETS,
    FlaggedShot,
    Rows,
    even_phases,
    first_swept_touch,
    flagged,
    measure_sensors,
    measure_switches,
    measure_thin_bodies,
)
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseSensors", "PromiseSwitches", "PromiseThinBodies"]

N_ROWS, N_SHOTS = 6, 200
LEFT, RIGHT = -3.7, 2.6
"""Ends of the shown part of a row, meters."""
WORDS = 3.4
"""Right end of the text about a row, beyond the reach of the bullets, meters."""
COLUMNS = (3.75, 5.15)
"""Left ends of the columns, meters."""
LANE = 1.95
"""Distance of the lanes, meters."""
AWAY = 50.0
"""Place of the bullets that have left the view, meters."""
TARGET_COLOR = mix(palette.STATIC, palette.TEXT, 0.75)

Lane = tuple[str, FlaggedShot]
"""Name and rule."""


def _flag(bullet: bool) -> str:
    return f"bullet flag {'on' if bullet else 'off'}"


class RowsScene(Limitation):
    """Lanes of bullets."""

    parameters = (
        Parameter("speed", 100.0, 10.0, 400.0, "m/s", "bullet speed", slider_high=200.0),
        Parameter("thickness", 0.1, 0.005, 0.2, "m", "target thickness"),
    )
    run_steps = 16
    pitch = 1e3, LANE
    outcomes: ClassVar[tuple[str, str]] = ("tunneled", "stopped")
    """The outcome that is counted, and the other one."""

    def lanes(self, speed: float, thickness: float) -> tuple[Lane, ...]:
        """Return the lanes, from the top."""
        raise NotImplementedError

    def setup(self) -> None:
        self.rows: list[tuple[str, Rows, Stage]] = []
        for k, (name, shot) in enumerate(self.lanes(self.parameter("speed"), self.parameter("thickness"))):
            rows = Rows(shot, even_phases(N_ROWS))
            self.rows.append((name, rows, self.add_stage(rows.world, (0.0, -LANE * k))))

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        rows = next(rows for _, rows, other in self.rows if other is stage)
        bullets = dict.fromkeys(rows.bullets, palette.NORMAL)
        return bullets if rows.spec.target == "sensor" else bullets | dict.fromkeys(rows.targets, TARGET_COLOR)

    def reset(self) -> None:
        for _, rows, _ in self.rows:
            rows.begin_again()

    def after_step(self) -> None:
        for _, rows, stage in self.rows:
            if not rows.is_over:
                rows.observe(stage.world.contacts)
            for bullet, y in zip(rows.bullets, rows.heights, strict=True):
                if RIGHT < stage.world.state(bullet).position[0] < AWAY:
                    stage.world.set_pose(bullet, (AWAY, y), 0.0)
                    stage.world.set_velocity(bullet, (0.0, 0.0))

    def frame(self, has_table: bool) -> AABB:
        bottom = -LANE * (len(self.rows) - 1) - PITCH * (N_ROWS - 1) - 0.35
        return AABB((LEFT, bottom), (COLUMNS[1] + 1.25 if has_table else RIGHT, 0.8))

    def draw_background(self, canvas: Canvas) -> None:
        for _, rows, stage in self.rows:
            lane, spec, half = canvas.at(stage.offset), rows.spec, 0.42 * PITCH
            for y in rows.heights:
                lane.segment((LEFT, y), (RIGHT, y), palette.GRID_AXIS)
                if not spec.looks_between_steps:  # where a step must end for the target to notice the bullet
                    end = spec.reach if spec.target == "sensor" else 0.0
                    lane.polygon(
                        ((-spec.reach, y - half), (end, y - half), (end, y + half), (-spec.reach, y + half)), palette.AGREE, None, 0.25
                    )

    def draw(self, canvas: Canvas) -> None:
        self.draw_heads(canvas, COLUMNS, 0.36, f"fraction {self.outcomes[0]} ({N_SHOTS} shots)")
        for k, (name, rows, stage) in enumerate(self.rows):
            lane = canvas.at(stage.offset)
            is_sensor = "detected" in self.outcomes
            counted = rows.seen if is_sensor else rows.passed
            self.write(lane, (LEFT, 0.36), name, palette.TEXT, bold=True)
            self.draw_finding(lane, COLUMNS, -0.5 * PITCH * (N_ROWS - 1), self.finding(k), 19.0)
            has_arrived = all(way[-1] > 0.0 or len(way) > 4 for way in rows.ways)
            if has_arrived:
                self.write(lane, (WORDS, 0.36), f"{sum(counted)} of {N_ROWS} {self.outcomes[0]}", palette.TEXT, 14.0, "right")
            for y, way, is_counted in zip(rows.heights, rows.ways, counted, strict=True):
                for x in way:
                    if LEFT <= x <= RIGHT:
                        lane.circle((x, y), rows.spec.radius, None, mix(palette.BACKGROUND, palette.NORMAL, 0.75))
                if has_arrived:
                    color = palette.AGREE if is_counted == is_sensor else palette.UNEXPLAINED
                    self.write(lane, (WORDS, y), self.outcomes[not is_counted], color, 12.0, "right")


@register(
    id="promise_sensors",
    category="Limitations of Box2D",
    title="Sensors miss bullets",
    watch="A sensor detects a bullet only if a step ends in the green zone, regardless of the bullet flag.",
)
class PromiseSensors(RowsScene):
    """Continuous collision detection ignores sensors."""

    needs_kernels = True
    tries = (
        ("Slow the bullets down until the sensors detect them.", "set speed<"),
        ("Make the targets thicker.", "set thickness>"),
        ("Start again (R).", "restart"),
    )
    keywords = "sensor tunneling ccd bullet flag trigger"
    outcomes = ("detected", "missed")

    def lanes(self, speed: float, thickness: float) -> tuple[Lane, ...]:
        sensors = [(f"sensor, {_flag(bullet)}", flagged("sensor", speed, thickness, bullet=bullet)) for bullet in (True, False)]
        return (*sensors, ("wall, bullet flag on", flagged("static", speed, thickness)))

    def measured(self) -> tuple[Finding, ...]:
        return measure_sensors(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)

    def draw(self, canvas: Canvas) -> None:
        super().draw(canvas)
        for _, rows, stage in self.rows:
            if rows.spec.target == "sensor" and self.findings():  # by then the swept test is loaded
                for row, y in enumerate(rows.heights):
                    time = first_swept_touch(rows, row)
                    if time is not None:
                        x = rows.ways[row][0] + rows.spec.travel * rows.spec.hertz * time
                        canvas.at(stage.offset).circle((x, y), rows.spec.radius, None, palette.AGREE)


@register(
    id="promise_switches",
    category="Limitations of Box2D",
    title="The flag alone does nothing",
    watch="Bullets are fired at a static wall with every combination of two switches; only continuous physics stops them.",
)
class PromiseSwitches(RowsScene):
    """The bullet flag has no effect if the world's continuous physics is off."""

    tries = (
        ("Change the speed of the bullets.", "set speed"),
        ("Make the wall thicker.", "set thickness>"),
        ("Start again (R).", "restart"),
    )
    keywords = "bullet flag ccd continuous physics switch tunneling"

    def lanes(self, speed: float, thickness: float) -> tuple[Lane, ...]:
        return tuple(
            (
                f"CCD {'on' if continuous else 'off'}, {_flag(bullet)}",
                flagged("static", speed, thickness, continuous=continuous, bullet=bullet),
            )
            for continuous, bullet in SWITCHES
        )

    def measured(self) -> tuple[Finding, ...]:
        return measure_switches(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)


@register(
    id="promise_thin_bodies",
    category="Limitations of Box2D",
    title="Through thin bodies",
    watch="Continuous physics is on in every row, yet a body without the bullet flag flies through a dynamic plate.",
)
class PromiseThinBodies(RowsScene):
    """Without the bullet flag Box2D checks static and kinematic bodies only."""

    tries = (
        ("Change the speed of the bullets.", "set speed"),
        ("Make the plates thicker.", "set thickness>"),
        ("Start again (R).", "restart"),
    )
    keywords = "tunneling ccd bullet flag plate dynamic"

    def lanes(self, speed: float, thickness: float) -> tuple[Lane, ...]:
        return tuple(
            (f"{target} {'plate' if target == 'dynamic' else 'wall'}, {_flag(bullet)}", flagged(target, speed, thickness, bullet=bullet))
            for target, bullet in TARGETS
        )

    def measured(self) -> tuple[Finding, ...]:
        return measure_thin_bodies(self.parameter("speed"), self.parameter("thickness"), N_SHOTS)
