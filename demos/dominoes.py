"""A wave of falling dominoes reaches a speed of its own, whatever the push."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._domino_wave import domino_wave_speed
from demos._gallery import Scene, add_box, add_ground, label, rest_box
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Dominoes"]

_HEIGHT = 1.0
_THICKNESS = 0.14
_COUNT = 32
_LAYOUTS = ("row", "stair", "growing")
_STAIR = 0.22
"""Height of a stair, meters."""
_GROWTH = 1.06
"""Ratio of the sizes of consecutive dominoes in the layout "growing"."""
_GROWING = 26
_MOVED = 0.02
"""Angle from which a domino counts as hit, radians."""
_PUSH = 2.0
"""Initial angular velocity of the first domino, rad/s."""
_SETTLED = 10
"""Number of initial dominoes that are not measured, because the wave is still accelerating."""
_MIN_HITS = 5
"""Minimum number of later hits for a measurement of the speed."""
_CHART = 1.6
"""Vertical scale of the chart, meters per second."""
_OVER, _CHART_HEIGHT = 1.0, 6.0
"""Gap between the tallest domino and the chart, and the height of the chart, meters."""
_LYING = 0.5
"""Angle from which a domino has fallen, radians."""


@register(
    id="dominoes",
    category="Stacks and towers",
    title="Dominoes",
    watch="One push starts a wave; the dashed line shows its predicted speed.",
)
class Dominoes(Scene):
    """Dominoes in a row, on a stair, or each larger than the one before."""

    tries = (
        ("Set the dominoes up again (Enter).", "key return"),
        ("Change the gap: does the wave travel faster?", "set gap"),
        ("Choose the growing layout: the last domino is eighteen times as heavy as the first.", "set layout=growing"),
    )
    keywords = "wave chain friction stack"
    parameters = (
        Parameter.choice("layout", _LAYOUTS, "layout"),
        Parameter("gap", 0.35, 0.15, 0.7, "m", "gap between dominoes 1 m high"),
        Parameter("friction", 0.2, 0.0, 0.4, "", "friction between dominoes"),
    )
    keys = (("Enter", "set the dominoes up again"),)
    claims = (
        Claim(
            "wave speed",
            "m/s",
            3.0,
            lambda demo: demo.speed,
            lambda demo: demo.predicted,
            lambda demo: demo.allowed if demo.hits[-1] is not None else None,  # until then the wave may still accelerate
        ),
    )
    world_settings = WorldSettings(hertz=240.0, velocity_iterations=12, position_iterations=6)
    """Use 240 steps per second, because the hits are only a tenth of a second apart."""

    def furnish(self) -> None:
        layout, gap, friction = _LAYOUTS[round(self.parameter("layout"))], self.parameter("gap"), self.parameter("friction")
        self.dominoes: list[int] = []
        self.places: list[tuple[float, float]] = []
        own = max(friction, 0.01)
        ground_friction = 4.0 / own  # the geometric mean of both is 2, so a foot does not slip
        x, y, size = 0.0, 0.0, 1.0
        count = _GROWING if layout == "growing" else _COUNT
        for k in range(count):
            pitch = (gap + _THICKNESS) * size
            if layout == "stair" and k > 0:
                y -= _STAIR
            if layout == "stair":
                add_ground(self.stage, x - 0.5 * _THICKNESS - 0.02, x - 0.5 * _THICKNESS - 0.02 + pitch, y, 0.5, ground_friction)
            self._domino((x, y), size, own, k)
            grown = size * (_GROWTH if layout == "growing" else 1.0)
            x += pitch if layout != "growing" else 0.5 * (pitch + (gap + _THICKNESS) * grown)
            size = grown
        self._end = x
        self._drop = y
        self._base = _HEIGHT * (size if layout == "growing" else 1.0) + _OVER
        if layout != "stair":
            add_ground(self.stage, -1.0, x + 1.5 * size, 0.0, 0.5, ground_friction)
        self.world.set_velocity(self.dominoes[0], (0.5 * _PUSH * _HEIGHT, 0.0), -_PUSH)
        self.hits: list[float | None] = [None] * count
        self.predicted = None
        if layout == "row":
            self.predicted = domino_wave_speed(_HEIGHT, _THICKNESS, gap, friction, self.gravity)

    @property
    def speed(self) -> float | None:
        """Speed of the settled wave, m/s; None before it can be measured."""
        measured = [(x, hit) for (x, _), hit in zip(self.places, self.hits, strict=True) if hit is not None][_SETTLED:]
        if len(measured) < _MIN_HITS:
            return None
        return (measured[-1][0] - measured[0][0]) / (measured[-1][1] - measured[0][1])

    @property
    def allowed(self) -> float:
        """Allowed error of the speed, m/s: each hit is delayed by up to a step."""
        speed = self.predicted or 0.0
        return speed * speed * self.step_seconds / (self.parameter("gap") + _THICKNESS)

    @property
    def n_fallen(self) -> int:
        """Number of dominoes that have fallen."""
        return sum(self.alive(body) and self.world.state(body).angle < -_LYING for body in self.dominoes)

    def after_step(self) -> None:
        world = self.world
        angles = world.poses[:, 2]
        for k, body in enumerate(self.dominoes):
            if self.hits[k] is None and world.is_body(body) and angles[world.row_of(body)] < -_MOVED:
                self.hits[k] = self.seconds

    def home(self) -> AABB:
        return AABB((-1.6, self._drop - 1.2), (self._end + 0.8, self._base + _CHART_HEIGHT))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the time of each hit above its domino, and the predicted speed as a dashed line."""
        base = self._base
        known = [((x, base + _CHART * hit), hit) for (x, _), hit in zip(self.places, self.hits, strict=True) if hit is not None]
        if not known:
            return
        canvas.segment((0.0, base), (self._end, base), palette.GRID_AXIS, 1.5)
        label(canvas, (self._end, base - 0.35), "dots: time of each hit", palette.CAPTION, self._end, 12.0, "right")
        for second in range(1, int(known[-1][1]) + 2):
            canvas.text((-0.15, base + _CHART * second), f"{second} s", palette.CAPTION, 12.0, "right")
            canvas.segment((0.0, base + _CHART * second), (self._end, base + _CHART * second), palette.GRID_AXIS)
        if self.predicted and len(known) > _SETTLED:
            (x, y), _ = known[_SETTLED]
            canvas.dashed((x, y), (self._end, y + _CHART * (self._end - x) / self.predicted), palette.AGREE, 6.0, 1.5)
        for at, _ in known:
            canvas.point(at, palette.NORMAL, 3.0)

    def status(self) -> Sequence[StatusLine]:
        count = f"{self.n_fallen} of {len(self.dominoes)} have fallen"
        if self.predicted is None and self.speed is not None:
            count += f"; wave speed {self.speed:.2f} m/s"
        return ((count, palette.TEXT),)

    def _domino(self, foot: tuple[float, float], size: float, friction: float, k: int) -> None:
        at = (foot[0], foot[1] + 0.5 * _HEIGHT * size + rest_box(self))
        color = palette.BODY_COLORS[k % len(palette.BODY_COLORS)]
        domino = add_box(self.stage, at, _THICKNESS * size, _HEIGHT * size, friction=friction, name=f"domino {k + 1}")
        self.dominoes.append(self.paint(domino, color))
        self.places.append(foot)
