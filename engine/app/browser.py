"""The list of demos by category, beside a preview of the one that is chosen."""

from __future__ import annotations

from collections.abc import Sequence

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton

from engine.app.demo import Demo
from engine.app.layout import Place
from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.fonts import FontBook
from engine.render.hud import draw_paragraph

__all__ = ["Browser"]

_ROW = 38.0
"""Design pixels of a button's height."""


class Browser:
    """Buttons for all demos.

    Parameters
    ----------
    manager : UIManager
    fonts : FontBook
    place : (left, top, width, height)
    demos : sequence of Demo classes
        Those of a category together.
    chosen : int
        Index of the one marked; it is brought into view.
    scrolled : int
        Pixels of the list above its place: where it stood when it was left.
    """

    def __init__(
        self, manager: UIManager, fonts: FontBook, place: Place, demos: Sequence[type[Demo]], chosen: int, scrolled: int = 0
    ) -> None:
        self.column = ScrollPanel(manager, fonts, place)
        self._fonts = fonts
        self._demos = demos
        self._buttons: list[UIButton] = []
        self._tops: list[int] = []
        column = self.column
        y = column.add_text(column.px(14), "Collision laboratory", 20.0, palette.TEXT, bold=True)
        y = column.add_text(y, "Box2D, and every contact computed a second time", 12.5, palette.CAPTION) + column.px(12)
        category = ""
        for demo in demos:
            if demo.category != category:
                category = demo.category
                y = column.add_text(y + column.px(8), category.upper(), 11.0, palette.CAPTION, bold=True) + column.px(3)
            self._tops.append(y)
            self._buttons.append(column.add_button((column.left, y, column.width, column.px(_ROW)), demo.title, "entry"))
            y += column.px(44)
        words = "Click or Enter starts, arrows choose, F1 shows all keys, Esc twice quits."
        column.add_text(y + column.px(10), words, 12.5, palette.CAPTION)
        column.scroll_to(scrolled)
        self.choose(chosen)
        self.reveal(chosen)

    def choose(self, index: int) -> None:
        """Mark one demo."""
        for k, button in enumerate(self._buttons):
            if (k == index) != button.is_selected:
                mark(button, k == index)

    def reveal(self, index: int) -> None:
        """Bring the button of one demo into view."""
        if 0 <= index < len(self._tops):
            self.column.reveal(self._tops[index], self.column.px(_ROW))

    def started_by(self, event: pygame.event.Event) -> int | None:
        """Return the index of the demo whose button was pressed."""
        if event.type == pygame_gui.UI_BUTTON_PRESSED and event.ui_element in self._buttons:
            return self._buttons.index(event.ui_element)
        return None

    def hovered(self) -> int | None:
        """Return the index of the demo under the cursor."""
        return next((k for k, button in enumerate(self._buttons) if button.hovered), None)

    def preview_place(self, view: Place, chosen: type[Demo]) -> Place:
        """Return the part of the view above the chosen demo's title and text."""
        return view[0], view[1], view[2], max(view[3] - self._band(view, chosen), 1)

    def draw(self, surface: pygame.Surface, view: Place, chosen: type[Demo]) -> None:
        """Draw the panel's ground, and the chosen demo's title and text under its preview."""
        self.column.draw_ground(surface)
        ui = self.column.px
        left, top, width, height = view
        y = top + height - self._band(view, chosen)
        pygame.draw.rect(surface, palette.PANEL, (left, y, width, top + height - y))
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, y), (left + width, y))
        title = self._fonts.render(chosen.title, 22, palette.TEXT, True)
        surface.blit(title, (left + ui(28), y + ui(12)))
        known_as = self._fonts.render(chosen.id, 14, palette.CAPTION)
        surface.blit(known_as, known_as.get_rect(bottomleft=(left + ui(40) + title.get_width(), y + ui(9) + title.get_height())))
        draw_paragraph(surface, self._fonts, chosen.watch, (left + ui(28), y + ui(48), self._inner(view)), palette.TEXT, 15.0)

    def _band(self, view: Place, chosen: type[Demo]) -> int:
        lines = len(self._fonts.wrapped(chosen.watch, 15.0, self._inner(view)))
        return min(round(1.42 * 15 * self._fonts.ui_scale) * lines + self.column.px(64), view[3])

    def _inner(self, view: Place) -> int:
        return max(view[2] - self.column.px(56), 1)
