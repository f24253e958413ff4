"""Plates fall on pegs and break if the impact is too strong.

A plate of mass m that falls from a height H and stops gives the peg an impulse of m sqrt(2 g H). Box2D reports the impulse of each solved
contact (`hooks.post_solve`); if the sum over a plate's contacts exceeds the limit, the plate is replaced by its pieces. The plate held
until the limit was reached, so the pieces keep the fraction 1 - limit / impulse of the velocity before the impact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, add_ground, add_shape, label
from engine.common.tolerances import BOX2D_TOI_BACKOFF
from engine.contracts import PairEvent
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import StepHooks

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Breakable"]

RADIUS, PEG = 0.5, 0.15
"""Radii of a plate and of a peg, meters."""
N_PLATES, PITCH = 8, 1.5
"""Number of plates, and their distance, meters."""
LOWEST = 0.5
"""Height of the first plate's fall, meters."""
_TOP = 2.0 * PEG
"""Height of the pegs, meters."""
_WEDGE = math.pi / 3.0


def wedges() -> tuple[Polygon, ...]:
    """Return the six pieces of a plate; the middle of one is the lowest point."""
    pieces = []
    for k in range(6):
        first = -0.5 * math.pi - 0.5 * _WEDGE + k * _WEDGE
        rim = [(RADIUS * math.cos(first + t * _WEDGE), RADIUS * math.sin(first + t * _WEDGE)) for t in (0.0, 0.5, 1.0)]
        pieces.append(Polygon([(0.0, 0.0), *rim]))
    return tuple(pieces)


@register(
    id="breakable",
    category="Materials",
    title="Breakable plates",
    watch="Plates fall from increasing heights; those above the dashed line should break.",
)
class Breakable(Scene):
    """A plate is one body with six fixtures until it breaks."""

    tries = (
        ("Drop new plates (Enter).", "key return"),
        ("Raise the impulse that breaks a plate.", "set limit>"),
        ("Let the plates spin: spinning plates withstand a little more.", "set spin>"),
    )
    keywords = "impulse fracture break strength"
    parameters = (
        Parameter("limit", 4.0, 0.5, 8.0, "N s", "impulse that breaks a plate"),
        Parameter("highest", 6.0, 2.0, 10.0, "m", "height of the last plate"),
        Parameter("spin", 0.0, 0.0, 6.0, "rad/s", "plate spin"),
    )
    keys = (("Enter", "drop new plates"),)
    claims = (
        Claim("broken plates", "", 1.4, lambda demo: demo.n_broken, lambda demo: demo.n_expected, 0.0, 0),
        Claim(
            "impulse on the last plate",
            "N s",
            1.4,
            lambda demo: demo.blows[demo.struck[-1]] if demo.struck else None,
            lambda demo: demo.predicted(demo.struck[-1] if demo.struck else 0),
            lambda demo: demo.allowed(demo.struck[-1]) if demo.struck else None,
        ),
    )
    cycle = 6.0

    def furnish(self) -> None:
        width = N_PLATES * PITCH
        add_ground(self.stage, -1.0, width)
        for k in range(N_PLATES):
            add_disc(self.stage, (k * PITCH, PEG), PEG, type="static", friction=0.3, name="peg")
        self.world.hooks = StepHooks(post_solve=self.note_blow)
        self.plates: dict[int, int] = {}
        self.pieces: list[int] = []
        self._struck: dict[int, float] = {}
        self.again()

    def note_blow(self, event: PairEvent, normal: tuple[float, ...], tangent: tuple[float, ...]) -> None:
        """Add up the impulses of a plate's contacts in this step."""
        for body in (event.body_a, event.body_b):
            if body in self.plates:
                # a solver that stops the plate at the touch also supports its weight for the rest of the step
                weight = 0.0 if self.sim.is_on_box2d else self.mass * self.gravity * self.step_seconds
                self._struck[body] = self._struck.get(body, -weight) + sum(normal)

    def before_step(self) -> None:
        """Remember how the plates move, for their pieces."""
        super().before_step()
        self._struck = {}
        self._moved = {plate: self.world.state(plate) for plate in self.plates if self.world.is_body(plate)}

    def after_step(self) -> None:
        """Break the plates that were hit too hard."""
        for plate, impulse in self._struck.items():
            if not self.world.is_body(plate):
                continue
            k = self.plates[plate]
            self.blows[k] = max(self.blows[k], impulse)
            if impulse > self.parameter("limit"):
                self._break(plate, 1.0 - self.parameter("limit") / impulse)

    def height(self, k: int) -> float:
        """Return the height of plate `k`'s fall, meters."""
        return LOWEST + (self.parameter("highest") - LOWEST) * k / (N_PLATES - 1)

    def predicted(self, k: int) -> float:
        """Return the predicted impulse on plate `k`, N s."""
        return self.mass * math.sqrt(2.0 * self.gravity * self.height(k))

    def allowed(self, k: int) -> float:
        """Return the allowed error of plate `k`'s impulse, N s.

        After n steps from rest the speed is v = n g dt and the distance y = n (n + 1) g dt^2 / 2: v is about sqrt(2 g y) - g dt / 2.
        Box2D stops the plate during the step in which it arrives, with that step's v, so y is up to v dt more than the height of the
        fall. The error of both is at most g dt / 2. The slop shifts the stop by 15 mm, which changes the speed by g / v times as much.
        """
        speed = math.sqrt(2.0 * self.gravity * self.height(k))
        return self.mass * self.gravity * (0.5 * self.step_seconds + BOX2D_TOI_BACKOFF / speed) if speed > 0.0 else 0.0

    def is_as_predicted(self, k: int) -> bool:
        """Return True if plate `k` received the impulse predicted for a plate without spin."""
        return abs(self.blows[k] - self.predicted(k)) <= self.allowed(k)

    @property
    def breaking_height(self) -> float:
        """Height of a fall that gives a plate the limiting impulse, meters."""
        return (self.parameter("limit") / self.mass) ** 2 / (2.0 * self.gravity) if self.gravity > 0.0 else math.inf

    @property
    def struck(self) -> list[int]:
        """The plates that have hit their pegs."""
        return [k for k, blow in enumerate(self.blows) if blow > 0.0]

    @property
    def n_broken(self) -> int:
        """Number of broken plates."""
        return sum(self.blows[k] > self.parameter("limit") for k in self.struck)

    @property
    def n_expected(self) -> int:
        """Number of plates that should have broken so far."""
        return sum(self.height(k) > self.breaking_height for k in self.struck)

    def home(self) -> AABB:
        return AABB((-1.0, -0.6), (N_PLATES * PITCH, _TOP + self.parameter("highest") + 2.0 * RADIUS + 1.2))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the height from which plates should break."""
        y = _TOP + self.breaking_height
        if y < math.inf:
            canvas.dashed((-1.0, y), (N_PLATES * PITCH, y), palette.WARNING, 8.0, 1.5)
            label(canvas, (-0.95, y + 0.22), "plates dropped from above this line break", palette.CAPTION, 6.0, 13.0, "left")
        for k in range(N_PLATES):
            x = k * PITCH
            canvas.segment((x - 0.3, _TOP + self.height(k)), (x + 0.3, _TOP + self.height(k)), palette.GRID_AXIS)

    def draw(self, canvas: Canvas) -> None:
        """Write each impulse under its plate."""
        for k, blow in enumerate(self.blows):
            if blow > 0.0:
                color = palette.AGREE if self.is_as_predicted(k) else palette.WARNING
                if not label(canvas, (k * PITCH, -0.25), f"{blow:.2f} N s", color, 0.75 * PITCH, height=0.5):
                    label(canvas, (k * PITCH, -0.25), f"{blow:.1f}", color, 0.8 * PITCH, height=0.5)

    def status(self) -> Sequence[StatusLine]:
        words = f"a plate of {self.mass:.2f} kg withstands a fall of {self.breaking_height:.2f} m"
        return ((words, palette.CAPTION),)

    def _break(self, plate: int, share: float) -> None:
        """Replace a plate by its pieces, which keep the fraction `share` of the plate's velocity before the impact."""
        now, before = self.world.state(plate), self._moved[plate]
        color = self.painted.pop(plate)
        del self.plates[plate]
        self.world.destroy_body(plate)
        (vx, vy), w = before.linear_velocity, before.angular_velocity
        c, s = math.cos(now.angle), math.sin(now.angle)
        for piece in wedges():
            x, y = piece.mass(1.0).centroid
            arm = (c * x - s * y, s * x + c * y)
            local = Polygon(piece.vertices - (x, y))
            velocity = (share * (vx - w * arm[1]), share * (vy + w * arm[0]))
            at = (now.position[0] + arm[0], now.position[1] + arm[1])
            made = add_shape(self.stage, local, at, now.angle, linear_velocity=velocity, angular_velocity=share * w, name="piece")
            self.pieces.append(self.paint(made, color))

    def again(self) -> None:
        self.began = self.steps
        for body in (*self.plates, *self.pieces):
            if self.world.is_body(body):
                self.world.destroy_body(body)
        self.plates, self.pieces, self._struck = {}, [], {}
        self.blows = [0.0] * N_PLATES
        for k in range(N_PLATES):
            at = (k * PITCH, _TOP + RADIUS + self.height(k))
            plate = add_shape(self.stage, wedges(), at, angular_velocity=self.parameter("spin"), friction=0.3, name="plate")
            self.plates[self.paint(plate, palette.BODY_COLORS[k % len(palette.BODY_COLORS)])] = k
        self.mass = self.world.body(plate).mass
