"""Icons: drawn in a square from a few strokes, sharp at every scale and in the colors of the theme."""

from __future__ import annotations

import math

import pygame

from engine.render.palette import Color

__all__ = ["ICONS", "draw_icon"]

Spots = tuple[tuple[float, float], ...]
Stroke = tuple[str, Spots, float]
"""What is drawn, through which spots of the unit square, y down, and how large: the radius of a disc or a ring, the thickness of a line."""

_THIN = 1.0 / 13.0
_PENTAGON: Spots = ((0.22, 0.42), (0.5, 0.18), (0.8, 0.4), (0.66, 0.8), (0.32, 0.78))


def draw_icon(surface: pygame.Surface, name: str, rect: pygame.Rect, color: Color) -> None:
    """Draw the icon of that name in a square."""
    for kind, spots, size in ICONS[name]:
        pixels = [(round(rect.left + x * rect.width), round(rect.top + y * rect.height)) for x, y in spots]
        if kind in ("disc", "ring"):
            wide = 0 if kind == "disc" else max(2, int(_THIN * rect.width))
            pygame.draw.circle(surface, color, pixels[0], max(2, round(size * rect.width)), wide)
        elif kind == "fill":
            pygame.draw.polygon(surface, color, pixels)
        else:
            pygame.draw.lines(surface, color, kind == "loop", pixels, max(1 if size < _THIN else 2, int(size * rect.width)))


def _line(*spots: tuple[float, float]) -> Stroke:
    return "line", spots, _THIN


def _loop(*spots: tuple[float, float], thickness: float = _THIN) -> Stroke:
    return "loop", spots, thickness


def _fill(*spots: tuple[float, float]) -> Stroke:
    return "fill", spots, 0.0


def _disc(x: float, y: float, radius: float) -> Stroke:
    return "disc", ((x, y),), radius


def _ring(x: float, y: float, radius: float) -> Stroke:
    return "ring", ((x, y),), radius


def _box(left: float, top: float, right: float, bottom: float) -> Spots:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _bar(x: float) -> Stroke:
    """An upright bar of the time line's buttons, its middle so far from that of the square."""
    return _fill(*_box(0.45 + x, 0.26, 0.55 + x, 0.74))


def _triangle(x: float, reach: float) -> Stroke:
    """A triangle that points to the right, or with a reach below 0 to the left."""
    back = 0.5 + x - 0.7 * reach
    return _fill((0.5 + x + reach, 0.5), (back, 0.5 - reach), (back, 0.5 + reach))


def _bent(sign: int) -> tuple[Stroke, Stroke]:
    """An arrow that turns back: over the top, its head at the left (-1) or the right."""
    turns = (math.pi * (1.0 - 1.35 * k / 24.0) for k in range(25))
    tip = 0.5 + 0.24 * sign
    arc = tuple((0.5 - sign * -0.24 * math.cos(turn), 0.56 - 0.24 * math.sin(turn)) for turn in turns)
    return _line(*((1.0 - x, y) for x, y in arc)), _fill((tip - 0.16, 0.48), (tip + 0.16, 0.48), (tip, 0.72))


def _wavy() -> Spots:
    """The corners of an outline drawn by hand."""
    turns = [2.0 * math.pi * k / 40 for k in range(40)]
    reaches = [0.27 + 0.06 * math.sin(3.0 * turn) + 0.03 * math.cos(5.0 * turn) for turn in turns]
    return tuple((0.5 + reach * math.cos(turn), 0.5 + reach * math.sin(turn)) for turn, reach in zip(turns, reaches, strict=True))


ICONS: dict[str, tuple[Stroke, ...]] = {
    # the tools, by their names
    "Hand": (
        *(_line((x, y), (x, 0.52)) for x, y in ((0.36, 0.2), (0.48, 0.15), (0.6, 0.2))),
        _line((0.2, 0.47), (0.36, 0.64), (0.36, 0.5)),
        _line((0.72, 0.34), (0.72, 0.66), (0.62, 0.84), (0.42, 0.84), (0.2, 0.47)),
    ),
    "Select": (_fill((0.28, 0.16), (0.28, 0.76), (0.43, 0.62), (0.55, 0.86), (0.65, 0.81), (0.54, 0.58), (0.74, 0.56)),),
    "Box": (_loop(*_box(0.2, 0.26, 0.8, 0.74)),),
    "Circle": (_ring(0.5, 0.5, 0.3),),
    "Polygon": (_loop(*_PENTAGON), *(_disc(*corner, 0.07) for corner in _PENTAGON)),
    "Outline": (_loop(*_wavy()),),
    "Hinge": (_line((0.18, 0.78), (0.5, 0.4), (0.82, 0.78)), _ring(0.5, 0.36, 0.13)),
    "Rod": (_line((0.26, 0.74), (0.74, 0.26)), _disc(0.24, 0.76, 0.1), _disc(0.76, 0.24, 0.1)),
    "Weld": (_loop(*_box(0.16, 0.34, 0.5, 0.66)), _loop(*_box(0.5, 0.34, 0.84, 0.66)), _disc(0.5, 0.5, 0.12)),
    "Slider": (
        _line((0.14, 0.5), (0.86, 0.5)),
        _fill(*_box(0.36, 0.36, 0.64, 0.65)),
        _line((0.24, 0.38), (0.14, 0.5), (0.24, 0.62)),
        _line((0.76, 0.38), (0.86, 0.5), (0.76, 0.62)),
    ),
    "Wheel": (_ring(0.5, 0.64, 0.22), _disc(0.5, 0.64, 0.06), _line((0.5, 0.4), (0.42, 0.35), (0.58, 0.28), (0.42, 0.21), (0.5, 0.14))),
    "Eraser": (
        _loop((0.18, 0.62), (0.56, 0.2), (0.82, 0.44), (0.46, 0.84), (0.36, 0.84)),
        _fill((0.18, 0.62), (0.34, 0.44), (0.61, 0.67), (0.46, 0.84), (0.36, 0.84)),
    ),
    "Inspector": tuple(
        stroke for y, x in ((0.28, 0.62), (0.5, 0.34), (0.72, 0.54)) for stroke in (_line((0.18, y), (0.82, y)), _disc(x, y, 0.1))
    ),
    # the time line's
    "play": (_triangle(0.0, 0.28),),
    "pause": (_bar(-0.12), _bar(0.12)),
    "step on": (_bar(-0.2), _triangle(0.08, 0.22)),
    "step back": (_bar(0.2), _triangle(-0.08, -0.22)),
    "to start": (_bar(-0.26), _triangle(-0.06, -0.18), _triangle(0.2, -0.18)),
    "to end": (_bar(0.26), _triangle(-0.2, 0.18), _triangle(0.06, 0.18)),
    "undo": _bent(-1),
    "redo": _bent(1),
    "tick": (_line((0.1, 0.5), (0.4, 0.8), (0.95, 0.2)),),
    "record": (_disc(0.5, 0.5, 0.26),),
    "stop": (_fill(*_box(0.28, 0.28, 0.72, 0.72)),),
    "film": (
        _loop(*_box(0.19, 0.25, 0.81, 0.75), thickness=0.04),
        *(_fill(*_box(x - 0.03, y - 0.03, x + 0.03, y + 0.03)) for x in (0.27, 0.42, 0.58, 0.73) for y in (0.36, 0.64)),
    ),
}
