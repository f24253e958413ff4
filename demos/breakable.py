"""Plates fall on pegs, and break where the blow is more than they bear.

A plate of mass m that falls from the height H and stops gives the peg the impulse m sqrt(2 g H). Box2D tells the impulse of each contact
that it has solved (`hooks.post_solve`); if the sum over a plate's contacts is beyond the limit, it becomes its pieces. The plate held until
the limit was reached: so the pieces keep the share 1 - limit / impulse of the velocity before the blow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_disc, add_ground, add_shape, beside, label
from engine.common.tolerances import BOX2D_TOI_BACKOFF
from engine.contracts import PairEvent
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.world import StepHooks

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Breakable"]

RADIUS, PEG = 0.5, 0.15
"""Meters: radii of a plate and of a peg."""
N_PLATES, PITCH = 8, 1.5
"""How many, and meters from one to the next."""
LOWEST = 0.5
"""Meters that the first plate falls."""
_SECONDS = 6.0
"""Until there are new plates."""
_TOP = 2.0 * PEG
"""Meters: the height of the pegs."""
_WEDGE = math.pi / 3.0


def wedges() -> tuple[Polygon, ...]:
    """Return the six pieces of a plate; the middle of one lies lowest."""
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
    watch="Plates fall from rising heights; those above the dashed line should break.",
)
class Breakable(Scene):
    """A plate is one body of six fixtures, until it breaks."""

    tries = (
        ("Drop new plates: Enter.", "key return"),
        ("Raise the impulse that breaks a plate.", "set limit"),
        ("Let the plates spin: they bear a little more.", "set spin"),
    )
    keywords = "impulse fracture break strength"
    parameters = (
        Parameter("limit", 4.0, 0.5, 8.0, "N s", "impulse that breaks a plate"),
        Parameter("highest", 6.0, 2.0, 10.0, "m", "height of the last plate"),
        Parameter("spin", 0.0, 0.0, 6.0, "rad/s", "spin of the plates"),
    )
    keys = (("Enter", "new plates"),)

    def furnish(self) -> None:
        width = N_PLATES * PITCH
        add_ground(self.stage, -1.0, width)
        for k in range(N_PLATES):
            add_disc(self.stage, (k * PITCH, PEG), PEG, type="static", friction=0.3, name="peg")
        self.world.hooks = StepHooks(post_solve=self.note_blow)
        self.plates: dict[int, int] = {}
        self._pieces: list[int] = []
        self._struck: dict[int, float] = {}
        self._begin()

    def note_blow(self, event: PairEvent, normal: tuple[float, ...], tangent: tuple[float, ...]) -> None:
        """Sum up what a plate's contacts give it in this step."""
        for body in (event.body_a, event.body_b):
            if body in self.plates:
                # where the step stops the plate at its touch, its contacts bear the weight of the step besides
                weight = 0.0 if self.sim.is_on_box2d else self.mass * self.gravity * self.step_seconds
                self._struck[body] = self._struck.get(body, -weight) + sum(normal)

    def on_key(self, key: str) -> bool:
        """Bring new plates with Enter."""
        if key == "return":
            self._begin()
        return key == "return"

    def before_step(self) -> None:
        """Remember how the plates move, for their pieces; bring new plates after a while."""
        if self.steps - self._since >= _SECONDS / self.step_seconds:
            self._begin()
        self._struck = {}
        self._moved = {plate: self.world.state(plate) for plate in self.plates if self.world.is_body(plate)}

    def after_step(self) -> None:
        """Break what was struck too hard."""
        for plate, impulse in self._struck.items():
            if not self.world.is_body(plate):
                continue
            k = self.plates[plate]
            self.blows[k] = max(self.blows[k], impulse)
            if impulse > self.parameter("limit"):
                self._break(plate, 1.0 - self.parameter("limit") / impulse)

    def height(self, k: int) -> float:
        """Return how far plate `k` falls, meters."""
        return LOWEST + (self.parameter("highest") - LOWEST) * k / (N_PLATES - 1)

    def predicted(self, k: int) -> float:
        """Return the impulse of plate `k`'s blow, N s."""
        return self.mass * math.sqrt(2.0 * self.gravity * self.height(k))

    def allowed(self, k: int) -> float:
        """Return the N s by which the blow of plate `k` may differ.

        After n steps from rest the speed is v = n g dt and the way y = n (n + 1) g dt^2 / 2: v = sqrt(2 g y) - g dt / 2 nearly. Box2D stops
        the plate inside the step in which it arrives, with that step's v, so that y is up to v dt more than the fall: together give or
        take g dt / 2. And the slop stops it 15 mm lower or higher, which is g / v times as much speed.
        """
        speed = math.sqrt(2.0 * self.gravity * self.height(k))
        return self.mass * self.gravity * (0.5 * self.step_seconds + BOX2D_TOI_BACKOFF / speed) if speed > 0.0 else 0.0

    def is_as_predicted(self, k: int) -> bool:
        """Whether the blow of plate `k` was as strong as predicted for one that does not spin."""
        return abs(self.blows[k] - self.predicted(k)) <= self.allowed(k)

    @property
    def breaking_height(self) -> float:
        """Meters of fall at which a plate reaches its limit."""
        return (self.parameter("limit") / self.mass) ** 2 / (2.0 * self.gravity) if self.gravity > 0.0 else math.inf

    def home(self) -> AABB:
        return AABB((-1.0, -0.6), (N_PLATES * PITCH, _TOP + self.parameter("highest") + 2.0 * RADIUS + 1.2))

    def draw_background(self, canvas: Canvas) -> None:
        """Draw the height from which plates break."""
        y = _TOP + self.breaking_height
        if y < math.inf:
            canvas.dashed((-1.0, y), (N_PLATES * PITCH, y), palette.WARNING, 8.0, 1.5)
            label(canvas, (-0.95, y + 0.22), "from here on they break", palette.CAPTION, 3.0, 13.0, "left")
        for k in range(N_PLATES):
            x = k * PITCH
            canvas.segment((x - 0.3, _TOP + self.height(k)), (x + 0.3, _TOP + self.height(k)), palette.GRID_AXIS)

    def draw(self, canvas: Canvas) -> None:
        """Write each blow under its plate."""
        for k, blow in enumerate(self.blows):
            if blow > 0.0:
                color = palette.AGREE if self.is_as_predicted(k) else palette.WARNING
                label(canvas, (k * PITCH, -0.25), f"{blow:.2f} N s", color, 0.9 * PITCH, height=0.5)

    def status(self) -> Sequence[StatusLine]:
        struck = [k for k, blow in enumerate(self.blows) if blow > 0.0]
        broken = sum(self.blows[k] > self.parameter("limit") for k in struck)
        expected = sum(self.height(k) > self.breaking_height for k in struck)
        color = palette.AGREE if broken == expected else palette.WARNING
        bears = f"{self.mass:.2f} kg bear {self.parameter('limit'):g} N s: a fall of {self.breaking_height:.2f} m"
        lines: list[StatusLine] = [(f"{broken} of {len(struck)} broke (predicted {expected})", color), (bears, palette.CAPTION)]
        if struck:
            k = struck[-1]
            lines.append(beside("last blow", self.blows[k], self.predicted(k), "N s", self.allowed(k)))
        return lines

    def _break(self, plate: int, share: float) -> None:
        """Replace a plate by its pieces, each with its share of the velocity that the plate had there before the blow."""
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
            made = self.paint(
                add_shape(self.stage, local, at, now.angle, linear_velocity=velocity, angular_velocity=share * w, name="piece"), color
            )
            self._pieces.append(made)

    def _begin(self) -> None:
        self._since = self.steps
        for body in (*self.plates, *self._pieces):
            if self.world.is_body(body):
                self.world.destroy_body(body)
        self.plates, self._pieces, self._struck = {}, [], {}
        self.blows = [0.0] * N_PLATES
        for k in range(N_PLATES):
            at = (k * PITCH, _TOP + RADIUS + self.height(k))  # a corner lies lowest
            plate = self.paint(
                add_shape(
                    self.stage,
                    wedges(),
                    at,
                    angular_velocity=self.parameter("spin"),
                    friction=0.3,
                    name="plate",
                ),
                palette.BODY_COLORS[k % len(palette.BODY_COLORS)],
            )
            self.plates[plate] = k
        self.mass = self.world.body(plate).mass
