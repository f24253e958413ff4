"""Pictures of the tools, in a square; drawn, so that they are sharp at every scale and have the theme's colours."""

from __future__ import annotations

import math
from collections.abc import Callable

import pygame

from engine.render.palette import Color

__all__ = ["ICONS", "Drawing"]

Drawing = Callable[[pygame.Surface, pygame.Rect, Color], None]

Spot = tuple[float, float]


def _at(rect: pygame.Rect, spot: Spot) -> tuple[int, int]:
    """Return the pixel of a spot of the unit square, y down."""
    return round(rect.left + spot[0] * rect.width), round(rect.top + spot[1] * rect.height)


def _lines(surface: pygame.Surface, rect: pygame.Rect, color: Color, spots: list[Spot], closed: bool = False) -> None:
    wide = max(2, rect.width // 13)
    pygame.draw.lines(surface, color, closed, [_at(rect, spot) for spot in spots], wide)


def _disc(surface: pygame.Surface, rect: pygame.Rect, color: Color, spot: Spot, radius: float, filled: bool = True) -> None:
    wide = 0 if filled else max(2, rect.width // 13)
    pygame.draw.circle(surface, color, _at(rect, spot), max(2, round(radius * rect.width)), wide)


def _hand(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    fingers = ((0.36, 0.2), (0.48, 0.15), (0.6, 0.2))
    for x, y in fingers:
        _lines(surface, rect, color, [(x, y), (x, 0.52)])
    _lines(surface, rect, color, [(0.2, 0.47), (0.36, 0.64), (0.36, 0.5)])
    _lines(surface, rect, color, [(0.72, 0.34), (0.72, 0.66), (0.62, 0.84), (0.42, 0.84), (0.2, 0.47)])


def _select(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    tip = [(0.28, 0.16), (0.28, 0.76), (0.43, 0.62), (0.55, 0.86), (0.65, 0.81), (0.54, 0.58), (0.74, 0.56)]
    pygame.draw.polygon(surface, color, [_at(rect, spot) for spot in tip])


def _box(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _lines(surface, rect, color, [(0.2, 0.26), (0.8, 0.26), (0.8, 0.74), (0.2, 0.74)], closed=True)


def _circle(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _disc(surface, rect, color, (0.5, 0.5), 0.3, filled=False)


def _polygon(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    corners = [(0.22, 0.42), (0.5, 0.18), (0.8, 0.4), (0.66, 0.8), (0.32, 0.78)]
    _lines(surface, rect, color, corners, closed=True)
    for corner in corners:
        _disc(surface, rect, color, corner, 0.07)


def _outline(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    spots = []
    for k in range(40):
        turn = 2.0 * math.pi * k / 40
        reach = 0.27 + 0.06 * math.sin(3.0 * turn) + 0.03 * math.cos(5.0 * turn)
        spots.append((0.5 + reach * math.cos(turn), 0.5 + reach * math.sin(turn)))
    _lines(surface, rect, color, spots, closed=True)


def _hinge(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _lines(surface, rect, color, [(0.18, 0.78), (0.5, 0.4), (0.82, 0.78)])
    _disc(surface, rect, color, (0.5, 0.36), 0.13, filled=False)


def _rod(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _lines(surface, rect, color, [(0.26, 0.74), (0.74, 0.26)])
    _disc(surface, rect, color, (0.24, 0.76), 0.1)
    _disc(surface, rect, color, (0.76, 0.24), 0.1)


def _weld(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _lines(surface, rect, color, [(0.16, 0.34), (0.5, 0.34), (0.5, 0.66), (0.16, 0.66)], closed=True)
    _lines(surface, rect, color, [(0.5, 0.34), (0.84, 0.34), (0.84, 0.66), (0.5, 0.66)], closed=True)
    _disc(surface, rect, color, (0.5, 0.5), 0.12)


def _slider(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _lines(surface, rect, color, [(0.14, 0.5), (0.86, 0.5)])
    pygame.draw.rect(surface, color, pygame.Rect(_at(rect, (0.36, 0.36)), (round(0.28 * rect.width), round(0.29 * rect.height))))
    _lines(surface, rect, color, [(0.24, 0.38), (0.14, 0.5), (0.24, 0.62)])
    _lines(surface, rect, color, [(0.76, 0.38), (0.86, 0.5), (0.76, 0.62)])


def _wheel(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    _disc(surface, rect, color, (0.5, 0.64), 0.22, filled=False)
    _disc(surface, rect, color, (0.5, 0.64), 0.06)
    _lines(surface, rect, color, [(0.5, 0.4), (0.42, 0.35), (0.58, 0.28), (0.42, 0.21), (0.5, 0.14)])


def _eraser(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    corners = [(0.18, 0.62), (0.56, 0.2), (0.82, 0.44), (0.46, 0.84), (0.36, 0.84)]
    _lines(surface, rect, color, corners, closed=True)
    half = [(0.18, 0.62), (0.34, 0.44), (0.61, 0.67), (0.46, 0.84), (0.36, 0.84)]
    pygame.draw.polygon(surface, color, [_at(rect, spot) for spot in half])


def _inspector(surface: pygame.Surface, rect: pygame.Rect, color: Color) -> None:
    for y, x in ((0.28, 0.62), (0.5, 0.34), (0.72, 0.54)):
        _lines(surface, rect, color, [(0.18, y), (0.82, y)])
        _disc(surface, rect, color, (x, y), 0.1)


ICONS: dict[str, Drawing] = {
    "Hand": _hand,
    "Select": _select,
    "Box": _box,
    "Circle": _circle,
    "Polygon": _polygon,
    "Outline": _outline,
    "Hinge": _hinge,
    "Rod": _rod,
    "Weld": _weld,
    "Slider": _slider,
    "Wheel": _wheel,
    "Eraser": _eraser,
    "Inspector": _inspector,
}
"""By the names of the tools."""
