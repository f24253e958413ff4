"""Scenes of rows: a lane for each rule, in it a few bullets that differ in their phase only, and the share of many beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from demos._promises import Promise
from engine.demo import Parameter, Stage
from engine.experiments.limitations.rows import PITCH, Rows, RowsSpec, even_phases
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["N_SHOTS", "RowsScene"]

N_ROWS = 6
N_SHOTS = 200
LEFT, RIGHT = -3.7, 2.6  # meters: what is shown of a row
WORDS = 3.4  # meters: where the words about a row end, which no bullet gets to
COLUMNS = (3.75, 5.15)  # meters: where the columns begin
COLUMN = 1.25  # meters: how wide they are
LANE = 1.95  # meters from lane to lane
AWAY = 50.0  # meters: where bullets are put that have flown out of the picture
TARGET_COLOR = mix(palette.STATIC, palette.TEXT, 0.75)


class RowsScene(Promise):
    """Lanes of bullets; `lanes` says what is in each."""

    parameters = (
        Parameter("speed", 100.0, 10.0, 400.0, "m/s", "speed of the bullets", slider_high=200.0),
        Parameter("thickness", 0.1, 0.005, 0.2, "m", "thickness of the targets"),
    )
    run_steps = 16
    column_title: ClassVar[str] = f"share that goes through, of {N_SHOTS} shots"

    def lanes(self) -> tuple[tuple[str, RowsSpec], ...]:
        """Return the name and the rule of each lane, from the top."""
        raise NotImplementedError

    def setup(self) -> None:
        self.rows: list[tuple[str, Rows, Stage]] = []
        for lane, (name, spec) in enumerate(self.lanes()):
            rows = Rows(spec, even_phases(N_ROWS))
            stage = self.add_stage(rows.world, (0.0, -LANE * lane))
            self.rows.append((name, rows, stage))

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        rows = next(rows for _, rows, other in self.rows if other is stage)
        bullets = dict.fromkeys(rows.bullets, palette.NORMAL)
        return bullets if rows.spec.target == "sensor" else bullets | dict.fromkeys(rows.targets, TARGET_COLOR)

    def began_again(self) -> None:
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

    def counted(self, rows: Rows) -> tuple[str, list[tuple[str, Color]]]:
        """Return the words under a lane's name, and those at the end of each row with their color."""
        words = [("through", palette.UNEXPLAINED) if passed else ("stopped", palette.AGREE) for passed in rows.passed]
        return f"{sum(rows.passed)} of {len(rows.passed)} go through", words

    def home(self) -> AABB:
        bottom = -LANE * (len(self.lanes()) - 1) - PITCH * (N_ROWS - 1) - 0.35
        return AABB((LEFT, bottom), (COLUMNS[1] + COLUMN, 0.8))

    def draw_background(self, canvas: Canvas) -> None:
        for _, rows, stage in self.rows:
            _draw_zone(canvas.at(stage.offset), rows)

    def draw(self, canvas: Canvas) -> None:
        self.draw_heads(canvas, COLUMNS, 0.36, COLUMN, self.column_title)
        middle = -0.5 * PITCH * (N_ROWS - 1)
        for at, (name, rows, stage) in enumerate(self.rows):
            lane = canvas.at(stage.offset)
            self.write(lane, (LEFT, 0.36), name, palette.TEXT, 4.0, 15.0, bold=True)
            words, ends = self.counted(rows)
            arrived = all(way[-1] > 0.0 or len(way) > 4 for way in rows.ways)
            if arrived:
                self.write(lane, (WORDS, 0.36), words, palette.TEXT, 2.0, 14.0, "right")
            self._draw_rows(lane, rows, ends if arrived else [])
            self.draw_finding(lane, COLUMNS, middle, COLUMN, self.finding(at), 19.0)

    def _draw_rows(self, canvas: Canvas, rows: Rows, ends: list[tuple[str, Color]]) -> None:
        for row, (y, way) in enumerate(zip(rows.heights, rows.ways, strict=True)):
            for x in way:
                if LEFT <= x <= RIGHT:
                    canvas.circle((x, y), rows.spec.radius, None, mix(palette.BACKGROUND, palette.NORMAL, 0.75))
            if ends:
                words, color = ends[row]
                self.write(canvas, (WORDS, y), words, color, WORDS - RIGHT, 12.0, "right")


def _draw_zone(canvas: Canvas, rows: Rows) -> None:
    """Draw the way of each bullet, and where a step must end for the target to be seen, or for the bullet to be stopped by it."""
    spec, half = rows.spec, 0.42 * PITCH
    for y in rows.heights:
        canvas.segment((LEFT, y), (RIGHT, y), palette.GRID_AXIS)
        if not spec.is_swept:
            end = spec.reach if spec.target == "sensor" else 0.0
            corners = ((-spec.reach, y - half), (end, y - half), (end, y + half), (-spec.reach, y + half))
            canvas.polygon(corners, palette.AGREE, None, 0.25)
