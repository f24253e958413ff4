r"""A house of cards stands only if its friction exceeds the tangent of the cards' lean angle.

  /\        Two cards that lean by a from the vertical press on each other horizontally, by symmetry. Box2D's contact normal is
 /  \       perpendicular to the face of one card, so it points up by a: the force along the face is tan a times the normal force, and
/    \      friction must hold it. The feet need half of that: (W / 2) tan a is held by the weight W.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_box, add_disc, add_ground, label, rest_box
from engine.common.tolerances import LINEAR_SLOP
from engine.demo import Claim, Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["CardHouse"]

_LENGTH = 1.0
_THICKNESS = 0.04
_CLEAR = 0.06
"""Gap between the feet of two neighbors, meters."""
_FALLEN = 0.9
"""A house stands while its top is above this fraction of its initial height."""
_MARBLE = 0.25


@register(
    id="card_house",
    category="Stacks and towers",
    title="House of cards",
    watch="The left house of cards has less friction than the right one. Which one stays up?",
)
class CardHouse(Scene):
    """Two houses."""

    tries = (
        ("Roll a marble at the right house (Enter).", "key return"),
        ("Lower the right house's friction until it collapses.", "set friction<"),
        ("Change the angle of the cards.", "set angle"),
    )
    keywords = "friction cone stack stability angle"
    parameters = (
        Parameter("storeys", 4, 1, 6, "", "stories", whole=True),
        Parameter("friction", 0.75, 0.05, 1.0, "", "friction of the right house"),
        Parameter("lesser", 0.35, 0.05, 1.0, "", "friction of the left house"),
        Parameter("angle", 24.0, 12.0, 35.0, "°", "lean angle of the cards"),
    )
    keys = (("Enter", "roll a marble"),)
    claims = (
        Claim(
            "height of the right house",
            "m",
            2.5,
            lambda demo: demo.top_height(1) if demo.standing(1) else None,
            lambda demo: demo.heights[1],
            lambda demo: 2.0 * demo.parameter("storeys") * LINEAR_SLOP,
            3,
        ),
    )
    world_settings = WorldSettings(hertz=120.0, velocity_iterations=50, position_iterations=20)
    """Use more iterations: with the defaults, 8 and 3, four stories with a friction of 0.75 collapse."""

    def furnish(self) -> None:
        storeys = int(self.parameter("storeys"))
        lean = math.radians(self.parameter("angle"))
        self._half_width = _LENGTH * math.sin(lean) + _THICKNESS * math.cos(lean) + 0.5 * rest_box(self)
        self._pitch = 2.0 * self._half_width + _CLEAR
        self._apart = 0.5 * self._pitch * storeys + 1.2
        self.tops: list[int] = []
        self.heights: list[float] = []
        self.marbles: list[int] = []
        for side, name in ((-1.0, "lesser"), (1.0, "friction")):
            friction = self.parameter(name)
            middle = side * self._apart
            ends = sorted((middle - side * self._apart, middle + side * (self._apart + 1.0)))
            add_ground(self.stage, ends[0], ends[1], friction=friction)
            self._house(middle, storeys, lean, friction)

    def standing(self, house: int) -> bool:
        """Return True if a house, 0 or 1, still stands."""
        return self.top_height(house) > _FALLEN * self.heights[house]

    def top_height(self, house: int) -> float:
        """Return the height of a house's top card, meters; 0 if it was deleted."""
        top = self.tops[house]
        return self.world.state(top).position[1] if self.alive(top) else 0.0

    @property
    def limit(self) -> float:
        """Friction below which two leaning cards slip."""
        return math.tan(math.radians(self.parameter("angle")))

    def again(self) -> None:
        at = (2.0 * self._apart + 0.6, _MARBLE + rest_box(self))
        self.marbles.append(self.paint(add_disc(self.stage, at, _MARBLE, density=6.0, linear_velocity=(-6.0, 0.0)), palette.NORMAL))

    def home(self) -> AABB:
        reach = 2.0 * self._apart + 1.0
        return AABB((-reach, -0.6), (reach, max(1.25 * max(self.heights), 0.4 * reach)))

    def draw(self, canvas: Canvas) -> None:
        for house, (side, name) in enumerate(((-1.0, "lesser"), (1.0, "friction"))):
            friction = self.parameter(name)
            color = palette.AGREE if self.standing(house) else palette.WARNING
            words = f"friction {friction:.2f}: {'standing' if self.standing(house) else 'collapsed'}"
            label(canvas, (side * self._apart, -0.25), words, color, 1.8 * self._apart, 15.0, height=0.5)

    def status(self) -> Sequence[StatusLine]:
        words = f"two cards need a friction coefficient of at least tan {self.parameter('angle'):g}° = {self.limit:.3f}"
        return ((words, palette.CAPTION),)

    def _house(self, middle: float, storeys: int, lean: float, friction: float) -> None:
        """Build a house: each story has pairs of leaning cards, and horizontal cards from top to top that carry the next story."""
        rise = _LENGTH * math.cos(lean) + _THICKNESS * math.sin(lean)
        base = rest_box(self)
        for storey in range(storeys):
            n_pairs = storeys - storey
            for k in range(n_pairs):
                x = middle + (k - 0.5 * (n_pairs - 1)) * self._pitch
                for side in (-1.0, 1.0):
                    at = (x + side * 0.5 * (self._half_width + 0.5 * rest_box(self)), base + 0.5 * rise)
                    top = self._card(at, _LENGTH, 0.5 * math.pi + side * lean, friction, 0)
            base += rise + rest_box(self)
            for k in range(n_pairs - 1):
                x = middle + (k - 0.5 * (n_pairs - 2)) * self._pitch
                self._card((x, base + 0.5 * _THICKNESS), self._pitch - 2.0 * rest_box(self), 0.0, friction, 3)
            base += _THICKNESS + rest_box(self)
        self.tops.append(top)
        self.heights.append(self.world.state(top).position[1])

    def _card(self, at: tuple[float, float], length: float, angle: float, friction: float, color: int) -> int:
        return self.paint(add_box(self.stage, at, length, _THICKNESS, angle, friction=friction, name="card"), palette.BODY_COLORS[color])
