"""A board tilts slowly, and boxes with increasing friction begin to slide, each when tan(angle) = mu.

On a slope, gravity pulls with m g sin(angle) and friction holds at most mu m g cos(angle), whatever the mass and size. Box2D uses the
geometric mean of both frictions; the board has a friction of 1, so a box that should slide at mu has mu^2.

Two corrections are subtracted from the measured angle. With the board turning at w, the speed of a sliding box grows as
v = g w t^2 / (2 cos(angle)), and the slide is detected at `NOTICED` m/s, when the board has turned by w t. And a box at a distance r from
the pivot moves on a circle, which needs an acceleration w^2 r toward the pivot, downhill: friction need not hold that part of the pull, so
the box slides later by asin(w^2 r cos(angle) / g).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_box, add_ground, label, place_body, rest_box
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import BodySpec, FixtureSpec

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["NOTICED", "TiltedBoard"]

LENGTH, THICKNESS = 9.0, 0.2
BOX_WIDTH, BOX_HEIGHT = 0.7, 0.35
FIRST, PITCH = 1.1, 1.35
"""Distance of the first box from the pivot, and distance of two boxes, meters."""
N_BOXES = 6
MIN_ANGLE, MAX_ANGLE = math.radians(2.0), math.radians(50.0)
NOTICED = 0.01
"""Speed along the board from which a box slides, m/s. A displacement would not do: each straight step on the turning board carries a box
outward by r (w h)^2 / 2."""
_FALL = 2.0
"""Height of the board's lower end above the ground, meters."""


@register(
    id="tilted_board",
    category="Materials",
    title="Tilted board",
    watch="The board tilts; each box begins to slide at the angle whose tangent is its friction.",
)
class TiltedBoard(Scene):
    """A kinematic board and boxes."""

    tries = (
        ("Start again (Enter).", "key return"),
        ("Tilt the board faster.", "set turn>"),
        ("Pause (Space) and compare the ticks on the arc: the outer ones are predicted, and the inner ones are measured.", "pause"),
    )
    keywords = "friction slope angle ramp slide coefficient"
    parameters = (
        Parameter("turn", 5.0, 1.0, 20.0, "°/s", "turning speed"),
        Parameter("least", 0.1, 0.05, 0.4, "", "lowest friction"),
        Parameter("most", 0.9, 0.5, 1.1, "", "highest friction"),
    )
    keys = (("Enter", "start again"),)
    claims = (
        Claim(
            "boxes that began to slide at the predicted angle",
            "",
            9.6,
            lambda demo: sum(map(demo.is_as_predicted, range(N_BOXES))),
            lambda demo: sum(angle is not None for angle in demo.slid),
            0.0,
            0,
        ),
    )

    def furnish(self) -> None:
        add_ground(self.stage, -5.0, LENGTH, top=-_FALL, friction=0.8)
        slab = Polygon.box(0.5 * LENGTH, 0.5 * THICKNESS, (0.5 * LENGTH, -0.5 * THICKNESS))
        board = FixtureSpec(slab, friction=1.0)
        self.board = self.world.create_body(BodySpec((board,), type="kinematic", angle=MIN_ANGLE, name="board"))
        least, most = self.parameter("least"), self.parameter("most")
        self.frictions = [least + (most - least) * k / (N_BOXES - 1) for k in range(N_BOXES)]
        self.boxes = [
            add_box(self.stage, (0.0, 10.0 + k), BOX_WIDTH, BOX_HEIGHT, friction=mu * mu, allow_sleep=False, name=f"mu = {mu:.2f}")
            for k, mu in enumerate(self.frictions)
        ]
        self.again()

    def before_step(self) -> None:
        """Stop the board at its maximum angle, and start again a second later."""
        if not self.world.is_body(self.board) or self.world.state(self.board).angle < MAX_ANGLE:
            return
        if self._waited == 0:
            self._turn(self.world.state(self.board).angle, 0.0)
        self._waited += 1
        if self._waited > 1.0 / self.step_seconds:
            self.again()

    def after_step(self) -> None:
        """Note the angle at which each box begins to slide."""
        if not self.world.is_body(self.board):
            return
        board = self.world.state(self.board)
        # Box2D solved for velocities and friction at the poses before the step
        dt, turning = self.step_seconds if self.sim.is_on_box2d else 0.0, board.angular_velocity
        c, s = math.cos(board.angle - turning * dt), math.sin(board.angle - turning * dt)
        for k, box in enumerate(self.boxes):
            if self.slid[k] is None and self.world.is_body(box):
                state = self.world.state(box)
                vx, vy = state.linear_velocity
                x, y = state.position[0] - vx * dt, state.position[1] - vy * dt
                if abs((vx + turning * y) * c + (vy - turning * x) * s) > NOTICED:
                    self.slid[k] = board.angle - self.late(k)

    def late(self, k: int) -> float:
        """Return the delay of box `k`'s detected slide, as an angle of the board beyond atan(mu), radians."""
        speed = math.radians(self.parameter("turn"))
        cosine = math.cos(math.atan(self.frictions[k]))
        if self.gravity == 0.0:
            return 0.0
        longer = math.asin(min(speed * speed * (FIRST + k * PITCH) * cosine / self.gravity, 1.0))
        return longer + speed * math.sqrt(2.0 * NOTICED * cosine / (self.gravity * speed))

    def is_as_predicted(self, k: int) -> bool:
        """Return True if box `k` began to slide at atan(mu), within two steps and a tenth of the delay."""
        angle, speed = self.slid[k], math.radians(self.parameter("turn"))
        return angle is not None and abs(angle - math.atan(self.frictions[k])) <= 2.0 * speed * self.step_seconds + 0.1 * self.late(k)

    def home(self) -> AABB:
        return AABB((-5.0, -_FALL - 0.5), (LENGTH + 0.6, 7.2))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw an arc with ticks at the predicted and the measured angles."""
        reach = LENGTH + 0.25
        arc = [MIN_ANGLE + (MAX_ANGLE - MIN_ANGLE) * k / 32 for k in range(33)]
        points = [(reach * math.cos(a), reach * math.sin(a)) for a in arc]
        for a, b in pairwise(points):
            canvas.segment(a, b, palette.GRID_AXIS)
        for k, mu in enumerate(self.frictions):
            self._tick(canvas, math.atan(mu), reach, 0.25, palette.CAPTION)
            angle = self.slid[k]
            if angle is not None:
                self._tick(canvas, angle, reach - 0.25, 0.25, palette.AGREE if self.is_as_predicted(k) else palette.WARNING)

    def draw(self, canvas: Canvas) -> None:
        """Write the friction on each box."""
        for box, mu in zip(self.boxes, self.frictions, strict=True):
            if not self.world.is_body(box):
                continue
            x, y, _ = self.stage.drawn_pose(box)
            label(canvas, (x, y), f"{mu:.2f}", palette.TEXT, 0.9 * BOX_WIDTH, 12.0)

    def status(self) -> Sequence[StatusLine]:
        angle = math.degrees(self.world.state(self.board).angle) if self.world.is_body(self.board) else 0.0
        return ((f"angle of the board {angle:.1f}°, slope {math.tan(math.radians(angle)):.2f}", palette.TEXT),)

    def _tick(self, canvas: Canvas, angle: float, reach: float, length: float, color: palette.Color) -> None:
        c, s = math.cos(angle), math.sin(angle)
        canvas.segment((reach * c, reach * s), ((reach + length) * c, (reach + length) * s), color, 2.5)

    def again(self) -> None:
        self._waited = 0
        self.slid: list[float | None] = [None] * N_BOXES
        speed, angle = math.radians(self.parameter("turn")), MIN_ANGLE
        self._turn(angle, speed)
        c, s = math.cos(angle), math.sin(angle)
        up = 0.5 * BOX_HEIGHT + rest_box(self)
        for k, box in enumerate(self.boxes):
            along = FIRST + k * PITCH
            x, y = along * c - up * s, along * s + up * c
            place_body(self.world, box, (x, y), angle, (-speed * y, speed * x), speed)

    def _turn(self, angle: float, speed: float) -> None:
        place_body(self.world, self.board, (0.0, 0.0), angle, spin=speed)
