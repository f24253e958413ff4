"""A fan of discs bounces off a fixed disc: each leaves at the angle that its offset predicts.

At the touch both centers are D = R + r apart, and a disc whose line passes the middle at the offset b meets a normal turned by phi:

        ----> o   sin(phi) = b / D            along the normal  v cos(phi) becomes  -e v cos(phi)
        b   ,-'-.                             across it         v sin(phi) stays: there is no friction
        - -(- + -)- -                         e = 1: thrown back by pi - 2 phi
            `---'
Box2D lets two bodies come 3 slops = 15 mm nearer before it answers, and does not bounce what comes slower than 1 m/s along the normal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, place_body
from engine.common.limits import VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import mix
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Scattering", "thrown_back"]

TARGET, SHOT = 1.6, 0.09
"""Meters: radii."""
START, AWAY = -6.5, 9.0
_WIDEST = 0.93
"""Largest offset as a share of the distance at the touch: beyond it what comes is too slow along the normal to bounce."""
_OWN_GROUP = -1
_SECONDS = 6.0
"""Until they are fired again, though one has not gone: without restitution the one in the middle stays."""
_ROUNDING = 1.0e-4
"""Radians: a hundred float32 roundings of a position in meters."""


def thrown_back(offset: float, reach: float, speed: float, restitution: float) -> float:
    """Return the angle of the way out, from straight on, for a center distance at the touch; radians, of the offset's sign."""
    sine = offset / reach
    cosine = math.sqrt(1.0 - sine * sine)
    bounce = restitution if speed * cosine > VELOCITY_THRESHOLD else 0.0
    # the normal points back, at (-cosine, sine); the tangent at (sine, cosine)
    vx = -bounce * speed * cosine * cosine + speed * sine * sine
    vy = bounce * speed * cosine * sine + speed * sine * cosine
    return math.atan2(vy, vx)


@register(
    id="scattering",
    category="Impacts",
    title="Scattering by a disc",
    watch="Parallel shots hit a fixed disc; dashed lines show the directions that the law of reflection predicts.",
)
class Scattering(Scene):
    """No gravity, no friction; the shots do not meet each other."""

    tries = (
        ("Fire again: Enter.", "key return"),
        ("Lower the restitution: reflections become flatter.", "set restitution"),
        ("Fire faster: where do prediction and shot part?", "set speed"),
    )
    keywords = "reflection angle bounce scatter"
    parameters = (
        Parameter("shots", 21, 1, 61, "", "shots", whole=True),
        Parameter("speed", 10.0, 4.0, 60.0, "m/s", "speed of the shots"),
        Parameter("restitution", 1.0, 0.0, 1.0, "", "restitution (bounce)"),
    )
    keys = (("Enter", "fire again"),)

    def settings(self) -> WorldSettings:
        return WorldSettings(gravity=(0.0, 0.0))

    def furnish(self) -> None:
        bounce = self.parameter("restitution")
        add_disc(self.stage, (0.0, 0.0), TARGET, type="static", friction=0.0, restitution=bounce, name="target")
        n = int(self.parameter("shots"))
        reach = _WIDEST * (TARGET + SHOT - BOX2D_TOI_BACKOFF)
        self.offsets = [0.0] if n == 1 else [reach * (2.0 * k / (n - 1) - 1.0) for k in range(n)]
        self.shots = [
            add_disc(self.stage, (START, y), SHOT, friction=0.0, restitution=bounce, group=_OWN_GROUP, allow_sleep=False, name="shot")
            for y in self.offsets
        ]
        self._fire()

    def on_key(self, key: str) -> bool:
        """Fire again with Enter."""
        if key == "return":
            self._fire()
        return key == "return"

    def before_step(self) -> None:
        """Fire again when all are gone, or after a while."""
        late = (self.steps - self._since) * self.step_seconds > _SECONDS
        if late or all(max(map(abs, self.world.state(shot).position)) > AWAY for shot in self.shots if self.world.is_body(shot)):
            self._fire()

    def after_step(self) -> None:
        """Note where each shot turned, and how it left."""
        for event in self.world.contacts.began:
            self._note(event.body_a)
            self._note(event.body_b)

    def angles(self) -> list[tuple[float, float, float]]:
        """Return for each shot that has turned the measured angle and both ends of what Box2D's slop allows; radians."""
        speed, bounce = self.parameter("speed"), self.parameter("restitution")
        near, far = TARGET + SHOT - BOX2D_TOI_BACKOFF - BOX2D_TOI_TOLERANCE, TARGET + SHOT
        found = []
        for shot, (_, _, vx, vy) in self.turned.items():
            offset = self.offsets[self.shots.index(shot)]
            ends = [thrown_back(offset, reach, speed, bounce) for reach in (near, far)]
            found.append((math.atan2(vy, vx), min(ends), max(ends)))
        return found

    def home(self) -> AABB:
        return AABB((START - 0.2, -4.2), (4.8, 4.2))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the way each shot came, and the way that is predicted."""
        speed, bounce = self.parameter("speed"), self.parameter("restitution")
        reach = TARGET + SHOT - 0.5 * BOX2D_TOI_BACKOFF
        for offset in self.offsets:
            at = (-math.sqrt(reach * reach - offset * offset), offset)
            angle = thrown_back(offset, reach, speed, bounce)
            out = (at[0] + AWAY * math.cos(angle), at[1] + AWAY * math.sin(angle))
            canvas.segment((START, offset), at, palette.GRID_AXIS)
            canvas.dashed(at, out, mix(palette.BACKGROUND, palette.ACCENT, 0.75))

    def draw(self, canvas: Canvas) -> None:
        """Draw the way each shot took, with a dot where it turned."""
        for shot, (x, y, _, _) in self.turned.items():
            if not self.world.is_body(shot):
                continue
            now = self.stage.drawn_pose(shot)
            canvas.segment((x, y), now[:2], palette.NORMAL, 1.5)
            canvas.point((x, y), palette.TEXT, 2.0)

    def status(self) -> Sequence[StatusLine]:
        found = self.angles()
        if not found:
            return ((f"{len(self.shots)} shots at {self.parameter('speed'):g} m/s", palette.TEXT),)
        inside = sum(low - _ROUNDING <= angle <= high + _ROUNDING for angle, low, high in found)
        worst = math.degrees(max(abs(angle - 0.5 * (low + high)) for angle, low, high in found))
        room = math.degrees(max(0.5 * (high - low) for _, low, high in found))
        color = palette.AGREE if inside == len(found) else palette.WARNING
        return (
            (f"{inside} of {len(found)} left as predicted", color),
            (f"worst {worst:.2f}° off; the slop of 15 mm allows up to {room:.2f}°", palette.CAPTION),
        )

    def _fire(self) -> None:
        self._since = self.steps
        self.turned: dict[int, tuple[float, float, float, float]] = {}
        """Of each shot that has turned: x, y where it did, and the velocity after it."""
        for shot, y in zip(self.shots, self.offsets, strict=True):
            place_body(self.world, shot, (START, y), velocity=(self.parameter("speed"), 0.0))

    def _note(self, body: int) -> None:
        if body in self.shots and body not in self.turned and self.world.is_body(body):
            state = self.world.state(body)
            at = state.position
            for moment in self.world.impact_moments:
                for fixture, pose in ((moment.fixture_a, moment.pose_a), (moment.fixture_b, moment.pose_b)):
                    if self.world.is_fixture(fixture) and self.world.fixture(fixture).body == body:
                        at = pose[:2]
            self.turned[body] = (*at, *state.linear_velocity)
