"""A box or a disc slides over the seams of a floor without friction, and may trip."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from demos._limitations import Limitation
from engine.demo import Parameter, Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.seams import (
    DEPTH,
    FINISH,
    GROUNDS,
    N_TILES,
    SLIDERS,
    SOLVER_SHARE,
    Bump,
    Slide,
    first_bump,
    measure_seams,
)
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseSeams"]

NAMES = {
    "tiles": "tiles: separate boxes",
    "edges": "edges without ghost vertices",
    "chain": "chain: edges with ghost vertices",
    "merged": "merged: one polygon",
}
LANE = 2.15
"""Distance of the lanes, meters."""
COLUMNS, LAST_COLUMN = (10.4, 11.8), 13.3
"""Left ends of the columns, meters."""


@register(
    id="promise_seams",
    category="Limitations of Box2D",
    title="Tripping on a level floor",
    watch="The same body slides over four kinds of level floors. On some of them, it trips at the seams.",
)
class PromiseSeams(Limitation):
    """One lane per floor."""

    tries = (
        ("Slide a disc: it hops at every corner.", "set slider"),
        ("Change the phase: a box trips only where a step ends just before a tile.", "set phase"),
        ("Change the speed.", "set speed"),
    )
    keywords = "ghost vertices edges tiles seams chain"
    parameters = (
        Parameter.choice("slider", SLIDERS, "sliding body"),
        Parameter("speed", 7.0, 2.0, 15.0, "m/s", "slider speed"),
        Parameter("phase", 0.56, 0.0, 1.0, "", "phase (where the steps end)", note="Initial head start, as a fraction of a step."),
    )
    slow_motion = 1 / 4
    pitch = 1e3, LANE

    def setup(self) -> None:
        slider, speed, phase = SLIDERS[round(self.parameter("slider"))], self.parameter("speed"), self.parameter("phase")
        self.lanes: list[tuple[Slide, Stage, Bump | None]] = []
        for lane, ground in enumerate(GROUNDS):
            slide = Slide(ground, slider, speed, (phase,), skin_radius=self.sim.skin_radius)
            stage = self.add_stage(slide.world, (0.0, -LANE * lane))
            self.lanes.append((slide, stage, first_bump(ground, slider, speed, slide.track[0][0][0], slide.hertz)))

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return {slide.sliders[0]: palette.NORMAL for slide, other, _ in self.lanes if other is stage}

    def reset(self) -> None:
        for slide, _, _ in self.lanes:
            slide.begin_again()

    @property
    def period(self) -> int:
        """Steps of a run: three times the duration of an undisturbed slide."""
        slide = self.lanes[0][0]
        return round(3.0 * (FINISH - slide.track[0][0][0]) / slide.speed * slide.hertz)

    def after_step(self) -> None:
        for slide, stage, _ in self.lanes:
            slide.observe()
            if slide.track[0][-1][0] >= FINISH:
                stage.world.set_velocity(slide.sliders[0], (0.0, 0.0))

    def measured(self) -> tuple[Finding, ...]:
        return measure_seams(SLIDERS[round(self.parameter("slider"))], self.parameter("speed"))

    def frame(self, has_table: bool) -> AABB:
        return AABB((-0.1, -LANE * (len(GROUNDS) - 1) - 0.5), (LAST_COLUMN + 1.3 if has_table else COLUMNS[0] - 0.2, 1.85))

    def draw_background(self, canvas: Canvas) -> None:
        for slide, stage, _ in self.lanes:
            lane = canvas.at(stage.offset)
            for k in range(N_TILES + 1) if slide.ground in ("edges", "chain") else ():
                lane.point((k, 0.0), palette.STATIC, 2.5)
            color = mix(palette.BACKGROUND, palette.NORMAL, 0.75)
            way = slide.track[0]
            for (x0, y0, _, _), (x1, y1, _, _) in pairwise(way):
                lane.segment((x0, y0), (x1, y1), color, 1.5)
            lane.segment((FINISH, -DEPTH), (FINISH, 0.9), palette.GRID_AXIS)

    def draw(self, canvas: Canvas) -> None:
        self.draw_heads(canvas, COLUMNS, 1.05, "speed after the first bump")
        self.write(canvas, (LAST_COLUMN, 1.05), "finish", palette.CAPTION, 14.0)
        for slide, stage, predicted in self.lanes:
            lane = canvas.at(stage.offset)
            self.write(lane, (0.0, 1.0), NAMES[slide.ground], palette.TEXT, bold=True)
            step, way = slide.first_bump(0), slide.track[0]
            if step is not None:
                x, y, vx, _ = way[step]
                lane.point((x, y), palette.UNEXPLAINED, 4.0, ring=True)
                finding = Finding("", None if predicted is None else predicted.vx, vx, "m/s", SOLVER_SHARE * slide.speed)
                self.draw_finding(lane, COLUMNS, 0.3, finding)
            else:
                self.write(lane, (COLUMNS[0], 0.3), "no bump" if predicted is None else f"{predicted.vx:.2f} m/s", palette.TEXT)
                if predicted is None:
                    self.write(lane, (COLUMNS[1], 0.3), "no bump", palette.AGREE if slide.is_over else palette.CAPTION)
            if slide.is_over or 2 * self.age > self.period:
                color = palette.AGREE if slide.speed - way[-1][2] < SOLVER_SHARE * slide.speed else palette.UNEXPLAINED
                self.write(lane, (LAST_COLUMN, 0.46), f"{way[-1][2]:.2f} m/s", color)
                self.write(lane, (LAST_COLUMN, 0.08), f"rise {1000.0 * slide.height(0):.0f} mm", palette.CAPTION, 13.0)
