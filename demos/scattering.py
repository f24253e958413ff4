"""Discs bounce off a fixed disc; the direction in which each leaves follows from its offset.

At the touch the centers are D = R + r apart, and for a disc with the offset b the normal is turned by phi:

        ----> o   sin(phi) = b / D            normal component      v cos(phi) becomes -e v cos(phi)
        b   ,-'-.                             tangential component  v sin(phi) stays, as there is no friction
        - -(- + -)- -                         for e = 1 the disc is deflected by pi - 2 phi
            `---'
Box2D's contacts begin up to 3 slops = 15 mm deeper, and it ignores the restitution if the normal speed is below 1 m/s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, place_body
from engine.common.limits import VELOCITY_THRESHOLD
from engine.common.tolerances import BOX2D_TOI_BACKOFF, BOX2D_TOI_TOLERANCE
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.render.palette import mix
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Scattering", "thrown_back"]

TARGET, SHOT = 1.6, 0.09
"""Radii, meters."""
START, AWAY = -6.5, 9.0
_WIDEST = 0.93
"""Largest offset as a fraction of the distance at the touch: beyond it the normal speed is too low for a bounce."""
_OWN_GROUP = -1
_ROUNDING = 1.0e-4
"""Allowance for rounding, radians: a hundred float32 rounding errors of a position in meters."""


def thrown_back(offset: float, reach: float, speed: float, restitution: float) -> float:
    """Return the deflection of a shot, radians, with the sign of the offset; `reach` is the distance of the centers at the touch."""
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
    watch="Parallel shots hit a fixed disc; the dashed lines follow from the law of reflection.",
)
class Scattering(Scene):
    """Shots without gravity or friction that do not collide with each other."""

    tries = (
        ("Fire again (Enter).", "key return"),
        ("Lower the restitution: the shots leave at a smaller angle to the surface.", "set restitution<"),
        ("Raise the shot speed: where do shots and predictions differ?", "set speed>"),
    )
    keywords = "reflection angle bounce scatter"
    parameters = (
        Parameter("shots", 21, 1, 61, "", "number of shots", whole=True),
        Parameter("speed", 10.0, 4.0, 60.0, "m/s", "shot speed"),
        Parameter("restitution", 1.0, 0.0, 1.0, "", "restitution (bounce)"),
    )
    keys = (("Enter", "fire again"),)
    claims = (
        Claim(
            "shots that left at the predicted angle",
            "",
            1.5,
            lambda demo: sum(low - _ROUNDING <= angle <= high + _ROUNDING for angle, low, high in demo.angles()),
            lambda demo: len(demo.turned),
            0.0,
            0,
        ),
    )
    cycle = 6.0
    world_settings = WorldSettings(gravity=(0.0, 0.0))

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
        self.again()

    def before_step(self) -> None:
        """Fire again when all shots have left, or after some time: without restitution the central one stays."""
        super().before_step()
        if all(max(map(abs, self.world.state(shot).position)) > AWAY for shot in self.shots if self.world.is_body(shot)):
            self.again()

    def after_step(self) -> None:
        """Note where each shot bounced, and its velocity."""
        for event in self.world.contacts.began:
            self._note(event.body_a)
            self._note(event.body_b)

    def angles(self) -> list[tuple[float, float, float]]:
        """Return for each shot that has bounced the measured deflection and the range that Box2D's slop allows, radians."""
        speed, bounce = self.parameter("speed"), self.parameter("restitution")
        near, far = TARGET + SHOT - BOX2D_TOI_BACKOFF - BOX2D_TOI_TOLERANCE, TARGET + SHOT
        angles = []
        for shot, (_, _, vx, vy) in self.turned.items():
            offset = self.offsets[self.shots.index(shot)]
            ends = [thrown_back(offset, reach, speed, bounce) for reach in (near, far)]
            angles.append((math.atan2(vy, vx), min(ends), max(ends)))
        return angles

    def home(self) -> AABB:
        return AABB((START - 0.2, -4.2), (4.8, 4.2))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the predicted path of each shot."""
        speed, bounce = self.parameter("speed"), self.parameter("restitution")
        reach = TARGET + SHOT - 0.5 * BOX2D_TOI_BACKOFF
        for offset in self.offsets:
            at = (-math.sqrt(reach * reach - offset * offset), offset)
            angle = thrown_back(offset, reach, speed, bounce)
            out = (at[0] + AWAY * math.cos(angle), at[1] + AWAY * math.sin(angle))
            canvas.segment((START, offset), at, palette.GRID_AXIS)
            canvas.dashed(at, out, mix(palette.BACKGROUND, palette.ACCENT, 0.75))

    def draw(self, canvas: Canvas) -> None:
        """Draw the path of each shot after its bounce."""
        for shot, (x, y, _, _) in self.turned.items():
            if not self.world.is_body(shot):
                continue
            now = self.stage.drawn_pose(shot)
            canvas.segment((x, y), now[:2], palette.NORMAL, 1.5)
            canvas.point((x, y), palette.TEXT, 2.0)

    def status(self) -> Sequence[StatusLine]:
        angles = self.angles()
        if not angles:
            return ()
        error = math.degrees(max(abs(angle - 0.5 * (low + high)) for angle, low, high in angles))
        allowed = math.degrees(max(0.5 * (high - low) for _, low, high in angles))
        return ((f"largest error {error:.2f}°; the slop of 15 mm allows up to {allowed:.2f}°", palette.CAPTION),)

    def again(self) -> None:
        """Fire all shots."""
        self.began = self.steps
        self.turned: dict[int, tuple[float, float, float, float]] = {}
        """Position and new velocity of each shot that has bounced."""
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
