"""Tuk's true outline, and four ways of holding Tuk in fixtures; plain shapes, no picture and no pygame.

All in the figure's frame: meters, y up, the origin on the ground between the feet, looking right; `mirrored` gives the figure
that looks left. The outline is written by `sprites.draw_figure` from the geometry that the picture is painted with; it is
that of the standing frame.

The boxes are drawn in by Box2D's skin, so that the skin and not the core ends where the figure does. The fourth way is not made by hand:
the picture's first frame, traced and cut into convex pieces, as ``python main.py trace`` does it. Its cores end where the figure does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engine.common.arrays import FloatArray, frozen
from engine.common.tolerances import BOX2D_POLYGON_SKIN, LINEAR_SLOP
from engine.decompose import BodyFile, load_body
from engine.geometry import Circle, Polygon

__all__ = ["FEET", "FRAME_LOWER", "FRAME_UPPER", "HOLDS", "N_FRAMES", "OUTLINE", "PICTURE", "PIXELS_PER_METRE", "TRACED", "Hold"]

_FOLDER = Path(__file__).parent
_DRAWN = json.loads((_FOLDER / "figure.json").read_text(encoding="utf-8"))

PICTURE: Path = _FOLDER / "figure.png"
PIXELS_PER_METRE: float = float(_DRAWN["pixels_per_metre"])
N_FRAMES: int = int(_DRAWN["frames"])
"""Frames side by side in the picture: the first stands, the others walk."""
FRAME_LOWER: tuple[float, float] = (float(_DRAWN["lower"][0]), float(_DRAWN["lower"][1]))
FRAME_UPPER: tuple[float, float] = (float(_DRAWN["upper"][0]), float(_DRAWN["upper"][1]))
"""Corners of what one frame shows, meters."""

OUTLINE: FloatArray = frozen(np.array(_DRAWN["outline"], dtype=np.float64))
"""The outer edge of the standing figure, float64 (n, 2), counter-clockwise, not convex."""

TRACED: BodyFile = load_body(_FOLDER / "figure_body.json")
"""The standing figure traced from the picture and cut into convex pieces, about the middle of its box; written by `sprites.draw_figure`."""


def _feet() -> tuple[float, float]:
    """Leftmost and rightmost x where the outline comes within Box2D's slop of the ground: what the figure truly stands on."""
    on_ground = []
    for (ax, ay), (bx, by) in zip(OUTLINE, np.roll(OUTLINE, -1, axis=0), strict=True):
        low, high = sorted(((float(ay), float(ax)), (float(by), float(bx))))
        if low[0] > LINEAR_SLOP:
            continue
        on_ground.append(low[1])
        share = 1.0 if high[0] <= LINEAR_SLOP else (LINEAR_SLOP - low[0]) / (high[0] - low[0])
        on_ground.append(low[1] + share * (high[1] - low[1]))
    return min(on_ground), max(on_ground)


FEET: tuple[float, float] = _feet()
"""From heel to toe, x in meters."""


@dataclass(frozen=True, slots=True)
class Hold:
    """One way of holding the figure: its shapes, looking right."""

    title: str
    shapes: tuple[Circle | Polygon, ...]

    def mirrored(self) -> Hold:
        """Return the hold of the figure looking left."""
        return replace(self, shapes=tuple(_mirror(shape) for shape in self.shapes))


def _mirror(shape: Circle | Polygon) -> Circle | Polygon:
    return shape.mapped(lambda points: points * (-1.0, 1.0))


def _box(left: float, right: float, bottom: float, top: float) -> Polygon:
    skin = BOX2D_POLYGON_SKIN
    center = (0.5 * (left + right), 0.5 * (bottom + top))
    return Polygon.box(0.5 * (right - left) - skin, 0.5 * (top - bottom) - skin, center)


def _around(points: FloatArray) -> Polygon:
    (left, bottom), (right, top) = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return _box(left, right, bottom, top)


def _traced() -> Hold:
    """Return the traced pieces in the figure's frame: where the picture lies tells how far the two frames are apart."""
    assert TRACED.picture is not None
    dx, dy = FRAME_LOWER[0] - TRACED.picture.lower[0], FRAME_LOWER[1] - TRACED.picture.lower[1]
    pieces = tuple(piece.mapped(lambda points: points + (dx, dy)) for piece in TRACED.pieces)
    return Hold(f"its traced outline, {len(pieces)} pieces", pieces)


HOLDS: tuple[Hold, ...] = (
    Hold("one box", (_around(OUTLINE),)),
    Hold("two boxes", (_box(-0.26, 0.93, 0.75, 1.53), _box(-0.37, 0.27, 0.0, 0.75))),
    Hold(
        "a circle and three boxes",
        (
            Circle(0.355, (0.10, 1.17)),
            _box(0.36, 0.92, 1.00, 1.32),
            _box(-0.25, 0.25, 0.27, 0.90),
            _box(-0.19, 0.255, 0.0, 0.27),
        ),
    ),
    _traced(),
)
"""The whole outline in one box; head and body in a box each, tail and crest left out; head, beak, body and feet; what tracing finds."""
