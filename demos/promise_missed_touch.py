"""A touch that `b2TimeOfImpact` misses: the motion of pairs/toi_through.json in a world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from demos._limitations import Limitation
from engine.demo import Stage, register
from engine.experiments.limitations.finding import Finding
from engine.experiments.limitations.missed_touch import MISSED, Passage, measure_missed
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["PromiseMissedTouch"]

LANE = 3.7
"""Distance of the lanes, meters."""
TABLE, LINE = -1.75, 0.23
"""Height of the table's first line, and distance of its lines, meters."""
LEFT, COLUMNS = -1.5, (3.1, 4.3)
"""Left ends of the table and of its columns, meters."""
N_OUTLINES = 8
"""Number of outlines that show the rod's motion."""


@register(
    id="promise_missed_touch",
    category="Limitations of Box2D",
    title="A missed collision",
    watch="In one step the rod passes through the plate, and Box2D reports no contact.",
)
class PromiseMissedTouch(Limitation):
    """The same step twice: with Box2D's time of impact, and with ours."""

    tries = (
        ("Start again (R).", "restart"),
        ("Step through the motion (N).", "step"),
        ("Pause (Space) and compare the two lanes: our rod stops at the first contact.", "pause"),
    )
    keywords = "toi tunneling time of impact missed bullet rotation"
    run_steps = 4
    needs_kernels = True
    slow_motion = 1 / 64
    pitch = LANE, 1e3

    def setup(self) -> None:
        self.passages = (Passage(), Passage())
        for lane, passage in enumerate(self.passages):
            self.add_stage(passage.world, (LANE * lane, 0.0))

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        return {self.passages[self.stages.index(stage)].rod: palette.NORMAL}

    def reset(self) -> None:
        for passage in self.passages:
            passage.n_contacts = 0

    def before_step(self) -> None:
        super().before_step()
        world, rod = self.passages[1].world, self.passages[1].rod
        linear, angular = MISSED.velocity()
        touch = self.finding(0) if self.age == 0 else None
        share = touch.measured if touch is not None else 0.0  # the rod waits until the time of its touch is known
        world.set_velocity(rod, (share * linear[0], share * linear[1]), share * angular)

    def after_step(self) -> None:
        for passage in self.passages:
            passage.take_in(len(passage.world.contacts.began))
        if self.age == 1:  # keep it where it is, for inspection
            self.passages[0].world.set_velocity(self.passages[0].rod, (0.0, 0.0))

    def measured(self) -> tuple[Finding, ...]:
        return measure_missed()

    def frame(self, has_table: bool) -> AABB:
        return AABB((LEFT, TABLE - 8.5 * LINE if has_table else TABLE), (LANE + 2.0, 1.5))

    def draw_background(self, canvas: Canvas) -> None:
        findings = self.findings()
        if not findings:
            return
        touch, deepest = findings[0].measured, findings[1].measured
        for lane, moments in enumerate(((0.0, deepest, 1.0), (0.0, touch))):
            here = canvas.at(self.stages[lane].offset)
            for between in range(1, N_OUTLINES):
                corners = MISSED.sweep.at(moments[-1] * between / N_OUTLINES).apply_array(MISSED.shapes[1].vertices)
                here.polygon(corners, None, mix(palette.BACKGROUND, palette.NORMAL, 0.22))
            for moment in moments:
                color = palette.UNEXPLAINED if moment == deepest else palette.AGREE if moment == touch else palette.NORMAL
                corners = MISSED.sweep.at(moment).apply_array(MISSED.shapes[1].vertices)
                here.polygon(corners, mix(palette.BACKGROUND, color, 0.35), color, 0.55)

    def draw(self, canvas: Canvas) -> None:
        findings = self.findings()
        left, right = (canvas.at(stage.offset) for stage in self.stages)
        title = f"{self.sim.solver_title}, bullet flag and CCD on"
        self.write(left, (LEFT, 1.3), title, palette.TEXT, 14.0, bold=True)
        self.write(right, (LEFT, 1.3), "our time of impact", palette.TEXT, 14.0, bold=True)
        if self.age >= 1 and findings:
            behind = "; the rod is beyond the plate" if self.sim.is_on_box2d else ""
            self.write(left, (LEFT, 1.05), f"{self.passages[0].n_contacts} contacts{behind}", palette.UNEXPLAINED, 14.0)
            self.write(right, (LEFT, 1.05), f"stopped at {findings[0].measured:.4f} of the step", palette.AGREE, 14.0)
        for moment in (0.0, 1.0):  # the rod's face that points to the plate
            pose, y = MISSED.sweep.at(moment), -MISSED.rod[1]
            left.dashed(pose.apply((-1.05, y)), pose.apply((1.05, y)), palette.ACCENT, 5.0)
        self.draw_heads(canvas, COLUMNS, TABLE + 0.02)
        for line, finding in enumerate(findings):
            y = TABLE - LINE * (line + 1) * 0.85
            self.write(canvas, (LEFT, y), finding.what, palette.TEXT, 13.0)
            self.draw_finding(canvas, COLUMNS, y, finding, 13.0)
