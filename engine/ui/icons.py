"""Draws icons, the SVG files in the folder `svg`, at any size and in any color."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import pygame

from engine.render.palette import Color

__all__ = ["draw_icon"]

_FOLDER = Path(__file__).parent / "svg"


def draw_icon(surface: pygame.Surface, name: str, rect: pygame.Rect, color: Color) -> None:
    """Draw an icon in a square."""
    surface.blit(_icon(name, rect.width, color), rect.topleft)


@lru_cache(maxsize=256)
def _icon(name: str, size: int, color: Color) -> pygame.Surface:
    drawing = _file(name).read_text(encoding="utf-8").replace("currentColor", "#{:02x}{:02x}{:02x}".format(*color))
    return pygame.image.load_sized_svg(io.BytesIO(drawing.encode()), (size, size))


def _file(name: str) -> Path:
    return _FOLDER / f"{name.lower().replace(' ', '_')}.svg"
