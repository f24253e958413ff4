"""Small buttons that a dock draws itself: words on a plate, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pygame

from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.palette import mix

__all__ = ["Chip", "Chips"]

_SIZE = 11.5
_HEIGHT = 18.0
_GAP = 3.0


@dataclass(frozen=True, slots=True)
class Chip:
    """A button: its words, whether it is chosen, what a click does, and design pixels kept free in front of the words."""

    words: str
    chosen: bool
    action: Callable[[], object]
    lead: float = 0.0


class Chips:
    """Chips in a place; laid out anew whenever they are drawn."""

    def __init__(self) -> None:
        self.shown: list[tuple[pygame.Rect, Chip]] = []

    def clear(self) -> None:
        """Forget what was drawn, so that nothing old can be clicked."""
        self.shown.clear()

    def draw(
        self, surface: pygame.Surface, fonts: FontBook, place: tuple[int, int, int], chips: Sequence[Chip], pointer: tuple[int, int] | None
    ) -> int:
        """Draw chips into (left, top, width), add them to what can be clicked, and return the y under them."""
        ui = fonts.ui_scale
        left, top, width = place
        x, y, high, gap = left, top, round(_HEIGHT * ui), round(_GAP * ui)
        for chip in chips:
            wide = min(fonts.width(chip.words, _SIZE) + round((10.0 + chip.lead) * ui), width)
            if x > left and x + wide > left + width:
                x, y = left, y + high + gap
            rect = pygame.Rect(x, y, wide, high)
            ground = mix(palette.PANEL, palette.ACCENT, 0.3) if chip.chosen else palette.PANEL_RAISED
            if pointer is not None and rect.collidepoint(pointer):
                ground = mix(ground, palette.TEXT, 0.12)
            pygame.draw.rect(surface, ground, rect, border_radius=round(4 * ui))
            if chip.chosen:  # told by its edge too, not by its colour alone
                pygame.draw.rect(surface, palette.ACCENT, rect, 1, border_radius=round(4 * ui))
            room = rect.width - round((8.0 + chip.lead) * ui)
            words = fonts.render(fonts.shortened(chip.words, _SIZE, room), _SIZE, palette.TEXT)
            surface.blit(words, words.get_rect(midleft=(rect.left + round((5.0 + chip.lead) * ui), rect.centery)))
            self.shown.append((rect, chip))
            x += wide + gap
        return y + high + gap if chips else top

    def at(self, pixel: tuple[int, int]) -> Chip | None:
        """Return the chip under a pixel."""
        return next((chip for rect, chip in self.shown if rect.collidepoint(pixel)), None)
