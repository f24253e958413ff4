"""A touch that b2TimeOfImpact passes over: the pair file pairs/toi_through.json, flown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demos._promises import MEASURED, Promise
from engine.demo import Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.missed_touch import MISSED, Passage, measure_missed
from engine.geometry import AABB, Transform
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseMissedTouch"]

LANE = 3.7  # meters from the left lane to the right one
TABLE = -1.75  # meters: y of the first line under the lanes
LINE = 0.23
COLUMNS = (3.1, 4.3)
COLUMN = 1.1
LEFT = -1.5
N_BETWEEN = 8  # outlines of the rod on its way


@register(
    id="promise_missed_touch",
    category="Where Box2D surprises",
    title="A missed collision",
    watch="In one step the rod turns right through the plate, and Box2D reports no contact.",
)
class PromiseMissedTouch(Promise):
    """The same step twice: with Box2D's time of impact, and with ours."""

    tries = (
        ("Start again: R.", "restart"),
        ("Step through it: N.", "step"),
        ("Pause (Space) and compare the two lanes: ours stops at the first touch.", "pause"),
    )
    keywords = "toi tunneling time of impact missed bullet rotation"
    run_steps = 4
    slow_motion = 1 / 64

    def setup(self) -> None:
        self.lanes: list[Stage] = []
        self.passages = (Passage(), Passage())
        for lane, passage in enumerate(self.passages):
            stage = self.add_stage(passage.world, (LANE * lane, 0.0))
            self.lanes.append(stage)

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return {self.passages[self.lanes.index(stage)].rod: palette.NORMAL}

    def began_again(self) -> None:
        for passage in self.passages:
            passage.n_contacts = 0

    def before_step(self) -> None:
        super().before_step()
        world, rod = self.passages[1].world, self.passages[1].rod
        linear, angular = MISSED.velocity()
        found = self.finding(0) if self.has(MEASURED) else None
        share = found.measured if found is not None and self.age == 0 else 0.0  # while it is not known the rod waits
        world.set_velocity(rod, (share * linear[0], share * linear[1]), share * angular)

    def after_step(self) -> None:
        for passage in self.passages:
            passage.take_in(len(passage.world.contacts.began))
        if self.age == 1:  # stays where the step has left it, to be looked at
            self.passages[0].world.set_velocity(self.passages[0].rod, (0.0, 0.0))

    def measured(self) -> tuple[Finding, ...]:
        return measure_missed()

    def home(self) -> AABB:
        return AABB((LEFT, TABLE - 8.5 * LINE), (LANE + 2.0, 1.5))

    def draw_background(self, canvas: Canvas) -> None:
        found = self.findings()
        if not found:
            return
        touch, deepest = found[0].measured, found[1].measured
        for lane, moments in enumerate(((0.0, deepest, 1.0), (0.0, touch))):
            here = canvas.at(self.lanes[lane].offset)
            for between in range(1, N_BETWEEN):
                corners = MISSED.sweep.at(moments[-1] * between / N_BETWEEN).apply_array(MISSED.shapes[1].vertices)
                here.polygon(corners, None, mix(palette.BACKGROUND, palette.NORMAL, 0.22))
            for moment in moments:
                color = palette.UNEXPLAINED if moment == deepest else palette.AGREE if moment == touch else palette.NORMAL
                _ghost(here, MISSED.sweep.at(moment), color)

    def draw(self, canvas: Canvas) -> None:
        found = self.findings()
        left, right = (canvas.at(stage.offset) for stage in self.lanes)
        title = f"{self.sim.solver_title}, bullet flag and continuous physics on"
        self.write(left, (LEFT, 1.3), title, palette.TEXT, LANE - 0.3, 15.0, bold=True)
        self.write(right, (LEFT, 1.3), "our time of impact", palette.TEXT, LANE - 0.3, 15.0, bold=True)
        if self.age >= 1 and found:
            behind = ", the rod is behind the plate" if self.sim.is_on_box2d else ""
            self.write(left, (LEFT, 1.05), f"{self.passages[0].n_contacts} contacts{behind}", palette.UNEXPLAINED, 3.4, 14.0)
            self.write(right, (LEFT, 1.05), f"stopped at {found[0].measured:.4f} of the step", palette.AGREE, 3.4, 14.0)
        for moment in (0.0, 1.0):
            _face(left, MISSED.sweep.at(moment))
        self.draw_heads(canvas, COLUMNS, TABLE + 0.02, COLUMN)
        for line, one in enumerate(found):
            y = TABLE - LINE * (line + 1) * 0.85
            self.write(canvas, (LEFT, y), one.what, palette.TEXT, COLUMNS[0] - LEFT - 0.1, 13.0)
            self.draw_finding(canvas, COLUMNS, y, COLUMN, one, 13.0)


def _ghost(canvas: Canvas, pose: Transform, color: Color) -> None:
    corners = pose.apply_array(MISSED.shapes[1].vertices)
    canvas.polygon(corners, mix(palette.BACKGROUND, color, 0.35), color, 0.55)


def _face(canvas: Canvas, pose: Transform) -> None:
    """Draw the line of the face that the plate lies beyond."""
    y = -MISSED.rod[1]
    canvas.dashed(pose.apply((-1.05, y)), pose.apply((1.05, y)), palette.ACCENT, 5.0)
