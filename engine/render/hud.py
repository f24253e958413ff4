"""Readouts over the picture: status strip, notices, wrapped text. Sizes in design pixels times the UI scale."""

from __future__ import annotations

from collections.abc import Sequence

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import Color

__all__ = ["draw_lines", "draw_notice", "draw_paragraph", "draw_status", "lines_size"]

_Place = tuple[int, int, int, int]


def draw_paragraph(surface: pygame.Surface, fonts: FontBook, text: str, place: tuple[int, int, int], color: Color, size: float) -> int:
    """Write `text` wrapped into (left, top, width); return the y under its last line."""
    left, top, width = place
    step = round(1.42 * size * fonts.ui_scale)
    for line in fonts.wrapped(text, size, width):
        surface.blit(fonts.render(line, size, color), (left, top))
        top += step
    return top


def draw_status(
    surface: pygame.Surface, fonts: FontBook, place: _Place, cells: Sequence[tuple[str, str, Color]], right: Sequence[tuple[str, Color]]
) -> None:
    """Draw the strip at the bottom: captions with values from the left, coloured words from the right.

    Cells that find no room are left out, from the last one, never drawn over others.
    """
    ui = fonts.ui_scale
    left, top, width, height = place
    pygame.draw.rect(surface, palette.PANEL, place)
    pygame.draw.line(surface, palette.PANEL_EDGE, (left, top), (left + width, top))
    middle = top + height // 2 + 1
    edge = left + width - round(12 * ui)
    for text, color in reversed(right):
        picture = fonts.render(text, 13, color, True)
        edge -= picture.get_width()
        surface.blit(picture, picture.get_rect(midleft=(edge, middle)))
        edge -= round(14 * ui)
    x = left + round(12 * ui)
    for caption, value, color in cells:
        name, figure = fonts.render(caption, 12, palette.CAPTION), fonts.render(value, 13, color)
        wide = max(figure.get_width(), round(30 * ui))
        if x + name.get_width() + round(5 * ui) + wide > edge:
            break
        surface.blit(name, name.get_rect(midleft=(x, middle)))
        x += name.get_width() + round(5 * ui)
        surface.blit(figure, figure.get_rect(midleft=(x, middle)))
        x += wide + round(14 * ui)


def draw_lines(
    surface: pygame.Surface,
    fonts: FontBook,
    place: tuple[int, int],
    lines: Sequence[tuple[str, Color]],
    size: float = 14.0,
    alpha: int = 215,
) -> None:
    """Write lines on a translucent plate with its upper left corner at `place`."""
    if not lines:
        return
    ui = fonts.ui_scale
    pad, step = round(9 * ui), round(1.45 * size * ui)
    pictures = [fonts.render(text, size, color) for text, color in lines]
    _plate(surface, fonts, (*place, *lines_size(fonts, lines, size)), alpha, round(6 * ui))
    for k, picture in enumerate(pictures):
        surface.blit(picture, (place[0] + pad, place[1] + round(0.6 * pad) + k * step))


def lines_size(fonts: FontBook, lines: Sequence[tuple[str, Color]], size: float = 14.0) -> tuple[int, int]:
    """Return width and height of the plate that `draw_lines` makes, pixels."""
    pad, step = round(9 * fonts.ui_scale), round(1.45 * size * fonts.ui_scale)
    return max((fonts.width(text, size) for text, _ in lines), default=0) + 2 * pad, step * len(lines) + round(1.4 * pad)


def draw_notice(
    surface: pygame.Surface, fonts: FontBook, view: _Place, text: str, color: Color, keep: Sequence[pygame.Rect] = ()
) -> pygame.Rect:
    """Write on a plate at the bottom middle of the view, above those of the places in `keep` that it would lie on; return its place.

    In as many lines as are needed; where they are higher than the view, the last that fits ends in "…".
    """
    ui = fonts.ui_scale
    room = view[2] - round(40 * ui)
    lines = fonts.wrapped(text, 14, max(room, 1), bold=True)
    most = max((view[3] - round(60 * ui)) // fonts.font(14, True).get_linesize(), 1)
    if len(lines) > most:
        lines = [*lines[: most - 1], fonts.shortened(f"{lines[most - 1]} …", 14, max(room, 1), bold=True)]
    pictures = [fonts.render(line, 14, color, True) for line in lines]
    height = sum(picture.get_height() for picture in pictures)
    rect = pygame.Rect(0, 0, max(picture.get_width() for picture in pictures), height)
    rect.midbottom = view[0] + view[2] // 2, view[1] + view[3] - round(18 * ui)
    outer = rect.inflate(round(24 * ui), round(12 * ui))
    hit = [place.top for place in keep if place.colliderect(outer)]
    if hit:
        rise = outer.bottom - min(hit) + round(6 * ui)
        rect.y, outer.y = rect.y - rise, outer.y - rise
    _plate(surface, fonts, (outer.x, outer.y, outer.w, outer.h), 225, round(6 * ui), color)
    top = rect.top
    for picture in pictures:
        surface.blit(picture, picture.get_rect(midtop=(rect.centerx, top)))
        top += picture.get_height()
    return outer


def _plate(surface: pygame.Surface, fonts: FontBook, place: _Place, alpha: int, radius: int, edge: Color | None = None) -> None:
    surface.blit(fonts.plate(place[2:], palette.PANEL, alpha, radius, palette.PANEL_EDGE if edge is None else edge), place[:2])
