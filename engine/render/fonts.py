"""Text: the bundled Noto Sans (it comes with pygame_gui, so nothing depends on the system's fonts), rendered once and kept."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import pygame

from engine.render import palette
from engine.render.palette import Color

__all__ = ["FontBook", "font_file"]

_LARGEST_CACHE = 1024
"""Rendered texts kept; a readout that changes every frame would fill memory otherwise."""


@cache
def font_file(bold: bool = False) -> str | None:
    """Return the path of the bundled font, None (pygame's own) where pygame_gui is missing."""
    spec = importlib.util.find_spec("pygame_gui")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "data" / ("NotoSans-Bold.ttf" if bold else "NotoSans-Regular.ttf")
    return str(path) if path.is_file() else None


class FontBook:
    """Fonts by size and rendered texts, for one UI scale.

    Parameters
    ----------
    ui_scale : float
        Pixels of the screen to a design pixel; sizes are given in design pixels.
    """

    def __init__(self, ui_scale: float = 1.0) -> None:
        if not pygame.font.get_init():
            pygame.font.init()
        self.ui_scale = ui_scale
        self._fonts: dict[tuple[float, bool], pygame.font.Font] = {}
        self._texts: dict[tuple[str, float, Color, bool], pygame.Surface] = {}
        self._lines: dict[tuple[str, float, int, bool], list[str]] = {}

    def font(self, size: float, bold: bool = False) -> pygame.font.Font:
        """Return the font of `size` design pixels."""
        key = (size, bold)
        found = self._fonts.get(key)
        if found is None:
            found = self._fonts[key] = pygame.font.Font(font_file(bold), max(6, round(size * self.ui_scale)))
        return found

    def render(self, text: str, size: float, color: Color, bold: bool = False) -> pygame.Surface:
        """Return the text as a surface with transparent ground; the same surface for the same text."""
        color = palette.now(color)
        key = (text, size, color, bold)
        found = self._texts.get(key)
        if found is None:
            if len(self._texts) >= _LARGEST_CACHE:
                self._texts.clear()
            found = self._texts[key] = self.font(size, bold).render(text.replace("\0", ""), True, color)
        return found

    def width(self, text: str, size: float, bold: bool = False) -> int:
        """Return the width of the text in screen pixels."""
        return self.font(size, bold).size(text)[0]

    def wrapped(self, text: str, size: float, width: int, bold: bool = False) -> list[str]:
        """Break the text into lines of at most `width` screen pixels; a longer word gets a line of its own."""
        key = (text, size, width, bold)
        if key not in self._lines:
            if len(self._lines) >= _LARGEST_CACHE:
                self._lines.clear()
            self._lines[key] = self._broken(text, size, width, bold)
        return self._lines[key]

    def _broken(self, text: str, size: float, width: int, bold: bool) -> list[str]:
        lines: list[str] = []
        for paragraph in text.split("\n"):
            line = ""
            for word in paragraph.split():
                longer = f"{line} {word}" if line else word
                if line and self.width(longer, size, bold) > width:
                    lines.append(line)
                    line = word
                else:
                    line = longer
            lines.append(line)
        return lines
