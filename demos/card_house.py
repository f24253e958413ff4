r"""A house of cards: friction alone holds it, and only above the tangent of the angle at which the cards lean.

  /\        Two cards that lean by a from upright press on each other level, by symmetry. Box2D takes the normal of their contact square
 /  \       to the face of one of them, and so a above the level: of the force's two parts, that along the face is tan a of that along
/    \      the normal, which friction must hold. At the feet (W / 2) tan a must be held by a weight of W, which is half of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from demos._gallery import Scene, add_box, add_disc, add_ground, label, rest_box
from engine.demo import Parameter, StatusLine, register
from engine.geometry import AABB
from engine.render import palette
from engine.world import WorldSettings

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["CardHouse"]

_LENGTH = 1.0
_THICKNESS = 0.04
_CLEAR = 0.06
"""Meters between the feet of two neighbors."""
_FALLEN = 0.9
"""A house stands while its top is above this share of the height at which it was built."""
_MARBLE = 0.25


@register(
    id="card_house",
    category="Stacks and towers",
    title="House of cards",
    watch="Two houses of cards: the left one has less friction. Which one stands?",
)
class CardHouse(Scene):
    """Two houses."""

    tries = (
        ("Roll a marble at the right house: Enter.", "key return"),
        ("Lower its friction until it gives way.", "set friction"),
        ("Change the angle of the cards.", "set angle"),
    )
    keywords = "friction cone stack stability angle"
    parameters = (
        Parameter("storeys", 4, 1, 6, "", "storeys", whole=True),
        Parameter("friction", 0.75, 0.05, 1.0, "", "friction of the house on the right"),
        Parameter("lesser", 0.35, 0.05, 1.0, "", "friction of the house on the left"),
        Parameter("angle", 24.0, 12.0, 35.0, "°", "angle of the cards"),
    )
    keys = (("Enter", "roll a marble"),)

    def settings(self) -> WorldSettings:
        """With Box2D's usual 8 and 3 sweeps a house of four storeys falls at the friction of 0.75 at which it stands with these."""
        return WorldSettings(hertz=120.0, velocity_iterations=50, position_iterations=20)

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
        """Tell whether a house, 0 or 1, still stands."""
        top = self.tops[house]
        return self.alive(top) and self.world.state(top).position[1] > _FALLEN * self.heights[house]

    @property
    def limit(self) -> float:
        """The friction below which two cards that lean on each other slip."""
        return math.tan(math.radians(self.parameter("angle")))

    def on_key(self, key: str) -> bool:
        if key != "return":
            return False
        at = (2.0 * self._apart + 0.6, _MARBLE + rest_box(self))
        self.marbles.append(self.paint(add_disc(self.stage, at, _MARBLE, density=6.0, linear_velocity=(-6.0, 0.0)), palette.NORMAL))
        return True

    def home(self) -> AABB:
        reach = 2.0 * self._apart + 1.0
        return AABB((-reach, -0.6), (reach, max(1.25 * max(self.heights), 0.4 * reach)))

    def draw(self, canvas: Canvas) -> None:
        for house, (side, name) in enumerate(((-1.0, "lesser"), (1.0, "friction"))):
            friction = self.parameter(name)
            color = palette.AGREE if self.standing(house) else palette.WARNING
            words = f"friction {friction:.2f}: {'stands' if self.standing(house) else 'has fallen'}"
            label(canvas, (side * self._apart, -0.25), words, color, 1.8 * self._apart, 15.0, height=0.5)

    def status(self) -> Sequence[StatusLine]:
        lesser, friction = self.parameter("lesser"), self.parameter("friction")
        standing = [("stands" if self.standing(house) else "has fallen") for house in (0, 1)]
        return (
            (f"left: friction {lesser:.2f}, {standing[0]}; right: {friction:.2f}, {standing[1]}", palette.TEXT),
            (f"two cards hold each other from tan {self.parameter('angle'):g}° = {self.limit:.3f} on", palette.CAPTION),
        )

    def _house(self, middle: float, storeys: int, lean: float, friction: float) -> None:
        """Build pairs of leaning cards, and lay a card from each top to the next: it carries the pair above it."""
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
