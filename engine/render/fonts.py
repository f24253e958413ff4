"""Cached text and plates, and the free room for labels in a picture.

The fonts are Noto Sans, and Fira Code for code, in the folder `typefaces`: no font of the system is needed. A label can be placed on any of
eight sides of its point. The first side on which it touches no other label, no plate and no edge of the view is used; if there is none, the
label is omitted, so that no text overlaps. A demo's own text has a fixed place. Movable labels are deferred until the fixed text has been
written (`wait`, `settle`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pygame

from engine.common.arrays import FloatArray
from engine.common.words import shown
from engine.render import palette
from engine.render.palette import Color

__all__ = ["ALL_SIDES", "FontBook", "LabelRoom", "font_file"]

_MAX_TEXTS = 1024
"""Maximum number of cached texts; a readout that changes every frame would fill memory otherwise."""
_MAX_PLATES = 128
_WORDS = re.compile(r"[-+]?\d[\d.,e+-]* (?:m|s|N|kg|degrees)\b\S*|\S+")
"""A word, or a number with its unit, which are not separated by the end of a line."""


_TYPEFACES = Path(__file__).parent / "typefaces"


def font_file(bold: bool = False, is_code: bool = False) -> str:
    """Return the path of a font."""
    return str(_TYPEFACES / ("FiraCode-Regular.ttf" if is_code else "NotoSans-Bold.ttf" if bold else "NotoSans-Regular.ttf"))


class FontBook:
    """Fonts by size, rendered texts and the plates under them, for one UI scale.

    Parameters
    ----------
    ui_scale : float
        Screen pixels per design pixel; all sizes are in design pixels.
    """

    def __init__(self, ui_scale: float = 1.0) -> None:
        if not pygame.font.get_init():
            pygame.font.init()
        self.ui_scale = ui_scale
        self._fonts: dict[tuple[float, bool, bool], pygame.font.Font] = {}
        # entries used in every frame stay cached, and those that change in every frame are dropped
        self._texts = lru_cache(_MAX_TEXTS)(self._rendered)
        self._widths = lru_cache(_MAX_TEXTS)(self._measured)
        self._lines = lru_cache(_MAX_TEXTS)(self._broken)
        self._beginnings = lru_cache(_MAX_TEXTS)(self._cut)
        self._plates = lru_cache(_MAX_PLATES)(_plate)

    def font(self, size: float, bold: bool = False, is_code: bool = False) -> pygame.font.Font:
        """Return the font of `size` design pixels."""
        key = (size, bold, is_code)
        font = self._fonts.get(key)
        if font is None:
            font = self._fonts[key] = pygame.font.Font(font_file(bold, is_code), max(6, round(size * self.ui_scale)))
        return font

    def render(self, text: str, size: float, color: Color, bold: bool = False, is_code: bool = False) -> pygame.Surface:
        """Return the text as a surface with a transparent background; the same surface for the same text."""
        return self._texts(text, size, palette.now(color), bold, is_code)

    def plate(self, size: tuple[int, int], ground: Color, alpha: int, radius: int, edge: Color | None = None) -> pygame.Surface:
        """Return a rounded plate of `size` pixels for text, opaque at an `alpha` of 255; the same surface for the same plate."""
        return self._plates(size, ground, alpha, radius, edge)

    def width(self, text: str, size: float, bold: bool = False) -> int:
        """Return the width of the text in screen pixels."""
        return self._widths(text, size, bold)

    def wrapped(self, text: str, size: float, width: int, bold: bool = False) -> list[str]:
        """Break the text into lines of at most `width` screen pixels; a longer word, such as a path, is broken too."""
        return self._lines(text, size, width, bold)

    def shortened(self, text: str, size: float, width: int, bold: bool = False) -> str:
        """Return the text, shortened with "…" if it is wider than `width` screen pixels."""
        return self._beginnings(text, size, width, bold)

    def _rendered(self, text: str, size: float, color: Color, bold: bool, is_code: bool) -> pygame.Surface:
        return self.font(size, bold, is_code).render(shown(text), True, color)

    def _measured(self, text: str, size: float, bold: bool) -> int:
        return self.font(size, bold).size(shown(text))[0]

    def _cut(self, text: str, size: float, width: int, bold: bool) -> str:
        if self.width(text, size, bold) <= width:
            return text
        return text[: self._n_fitting(text, size, width, bold, "…")].rstrip(" .,:…") + "…"

    def _n_fitting(self, text: str, size: float, width: int, bold: bool, tail: str = "") -> int:
        """Return the number of characters of a text that, followed by a tail, fit in `width` screen pixels."""
        low, high = 0, len(text)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.width(text[:middle] + tail, size, bold) <= width else (low, middle - 1)
        return low

    def _broken(self, text: str, size: float, width: int, bold: bool) -> list[str]:
        lines: list[str] = []
        for paragraph in text.split("\n"):
            joined = " ".join(paragraph.split())
            if self.width(joined, size, bold) <= width:  # most texts fit, so measure the whole before single words
                lines.append(joined)
                continue
            line = ""
            for word in _WORDS.findall(joined):
                longer = f"{line} {word}" if line else word
                if self.width(longer, size, bold) <= width:
                    line = longer
                    continue
                if line:
                    lines.append(line)
                while (n := max(self._n_fitting(word, size, width, bold), 1)) < len(word):
                    lines.append(word[:n])
                    word = word[n:]
                line = word
            lines.append(line)
        return lines


def _plate(size: tuple[int, int], ground: Color, alpha: int, radius: int, edge: Color | None) -> pygame.Surface:
    plate = pygame.Surface(size, pygame.SRCALPHA)
    pygame.draw.rect(plate, (*ground, alpha), plate.get_rect(), border_radius=radius)
    if edge is not None:
        pygame.draw.rect(plate, edge, plate.get_rect(), width=1, border_radius=radius)
    return plate


ALL_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
"""Directions from a point to the center of its label: right, left, above, below, and the corners between."""


class LabelRoom:
    """Occupied areas of a view.

    Parameters
    ----------
    view : (left, top, width, height)
        Pixels.
    """

    def __init__(self, view: tuple[int, int, int, int]) -> None:
        self._view = pygame.Rect(view)
        self._taken: list[pygame.Rect] = []
        self._words: list[pygame.Rect] = []
        self._lines: list[tuple[float, float, float, float]] = []
        self._waiting: list[Callable[[], object]] = []

    def wait(self, write: Callable[[], object]) -> None:
        """Defer a function that writes labels until all text with a fixed place has been written."""
        self._waiting.append(write)

    def settle(self) -> None:
        """Call the deferred functions."""
        waiting, self._waiting = self._waiting, []
        for write in waiting:
            write()

    def take(self, place: pygame.Rect) -> None:
        """Mark an area as occupied by text."""
        self._taken.append(place)
        self._words.append(place)

    def keep_off(self, place: pygame.Rect) -> None:
        """Mark an area that no label may cover."""
        self._taken.append(place)

    def keep_off_lines(self, ends: FloatArray) -> None:
        """Let labels avoid lines if possible; `ends` are pixels, float64 (n, 2, 2)."""
        self._lines += [(x0, y0, x1, y1) for x0, y0, x1, y1 in ends.reshape(-1, 4).tolist()]

    def part(self, view: tuple[int, int, int, int]) -> LabelRoom:
        """Return the room in a part of the view; it shares the occupied areas."""
        room = LabelRoom(view)
        room._taken, room._words, room._lines = [*self._taken], [*self._words], [*self._lines]
        return room

    def has_words(self, place: pygame.Rect) -> bool:
        """Return True if text other than labels has been written there."""
        return place.collidelist(self._words) >= 0

    def is_free(self, place: pygame.Rect) -> bool:
        """Return True if a rectangle is free and inside the view."""
        return self._view.contains(place) and place.collidelist(self._taken) < 0

    def beside(
        self, point: tuple[float, float], size: tuple[int, int], gap: float, sides: Sequence[tuple[int, int]] = ALL_SIDES
    ) -> pygame.Rect | None:
        """Reserve and return a free rectangle of `size` pixels at `gap` from a point, preferably one that no line crosses; or None."""
        width, height = size
        free: list[pygame.Rect] = []
        for across, down in sides:
            slant = 0.7 if across and down else 1.0
            left = point[0] + across * (slant * gap + 0.5 * width) - 0.5 * width
            top = point[1] + down * (slant * gap + 0.5 * height) - 0.5 * height
            place = pygame.Rect(round(left), round(top), width, height)
            if self.is_free(place):
                free.append(place)
                if not any(place.clipline(line) for line in self._lines):
                    break
        else:
            free = free[:1]
        self._taken += free[-1:]
        return free[-1] if free else None
