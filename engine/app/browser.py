"""The list of demos by category, those that have what is typed, beside a preview of the one that is chosen.

+------------------------+
| [Menu] [ search box  ] |  stays where it is
+------------------------+
| CATEGORY               |  scrolls
| [ a demo             ] |
"""

from __future__ import annotations

from collections.abc import Sequence

import pygame
import pygame_gui
from pygame_gui import UIManager
from pygame_gui.elements import UIButton

from engine.app.widgets import ScrollPanel, mark
from engine.render import palette
from engine.render.camera import Place
from engine.render.fonts import FontBook
from engine.render.hud import draw_paragraph
from engine.render.palette import mix
from engine.sim.demo import Demo

__all__ = ["Browser", "called", "draw_box", "edited", "found_in"]

_MAX_TYPED = 40
_SIZE = 13.0
_CONTROL = pygame.KMOD_CTRL | pygame.KMOD_META


def found_in(demos: Sequence[type[Demo]], searched: str) -> list[int]:
    """Return the places of the demos that have every word of what is searched in title, id, category, description or keywords.

    Examples
    --------
    >>> class Gears(Demo):
    ...     id, category, title, watch = "gears", "Joints", "Clockwork", "Wheels that turn each other."
    >>> found_in([Demo, Gears], "wheel CLOCK"), found_in([Demo, Gears], ""), found_in([Demo, Gears], "wheel bridge")
    ([1], [0, 1], [])
    """
    words = searched.casefold().split()
    texts = (" ".join((demo.title, demo.id, demo.category, demo.watch, demo.keywords)).casefold() for demo in demos)
    return [k for k, text in enumerate(texts) if all(word in text for word in words)]


def called(demos: Sequence[type[Demo]], searched: str) -> list[int]:
    """Return the places of the demos whose title or id is what is searched, or else of those whose title or id begins with it.

    Examples
    --------
    >>> class Cards(Demo):
    ...     id, title = "card_house", "House of cards"
    >>> class Car(Demo):
    ...     id, title = "car", "Car over hills"
    >>> called([Cards, Car], "Car "), called([Cards, Car], "ca"), called([Cards, Car], "hills"), called([Cards, Car], "")
    ([1], [0, 1], [], [])
    """
    words = " ".join(searched.casefold().split())
    names = [(demo.title.casefold(), demo.id.casefold()) for demo in demos]
    exactly = [k for k, name in enumerate(names) if words in name]
    return exactly or [k for k, (title, name) in enumerate(names) if words and (title.startswith(words) or name.startswith(words))]


def edited(event: pygame.event.Event, searched: str) -> str:
    """Return what is searched after a key: a letter more, or one less with Backspace, with Ctrl none at all."""
    if event.key == pygame.K_BACKSPACE:
        return "" if event.mod & _CONTROL else searched[:-1]
    if event.unicode and event.unicode.isprintable() and not event.mod & _CONTROL:
        return f"{searched}{event.unicode}".lstrip()[:_MAX_TYPED]
    return searched


def draw_box(surface: pygame.Surface, fonts: FontBook, box: pygame.Rect, searched: str, n_demos: int) -> pygame.Rect:
    """Draw the box with what is searched, its end in sight; return where a click empties it, a place without room where it is empty."""
    ui, line = fonts.ui_scale, max(1, round(fonts.ui_scale))
    pygame.draw.rect(surface, palette.BACKGROUND, box, border_radius=round(5 * ui))
    pygame.draw.rect(surface, palette.ACCENT if searched else palette.PANEL_EDGE, box, line, border_radius=round(5 * ui))
    reach = round(4 * ui)
    x, y = box.left + round(13 * ui), box.centery - round(ui)
    pygame.draw.circle(surface, palette.CAPTION, (x, y), reach, line)
    pygame.draw.line(surface, palette.CAPTION, (x + round(0.7 * reach), y + round(0.7 * reach)), (x + 2 * reach, y + 2 * reach), line)
    left = box.left + round(25 * ui)
    away = pygame.Rect(box.right - box.height, box.top, box.height, box.height) if searched else pygame.Rect(box.topright, (0, 0))
    room = (away.left if searched else box.right) - left - round(6 * ui)
    if not searched:
        hints = (f"Search {n_demos} demos", "Search")
        hint = next((one for one in hints if fonts.width(one, _SIZE) <= room), hints[-1])
        words = fonts.render(fonts.shortened(hint, _SIZE, max(room, 1)), _SIZE, palette.CAPTION)
        surface.blit(words, words.get_rect(midleft=(left, box.centery)))
        return away
    shown = searched
    while len(shown) > 1 and fonts.width(shown, _SIZE) > room:  # its end is what is typed at
        shown = shown[1:]
    words = fonts.render(shown, _SIZE, palette.TEXT)
    at = words.get_rect(midleft=(left, box.centery))
    surface.blit(words, at)
    pygame.draw.line(surface, palette.ACCENT, (at.right + line, at.top + 2), (at.right + line, at.bottom - 2), line)
    cross = fonts.render("×", 15.0, palette.TEXT)
    surface.blit(cross, cross.get_rect(center=away.center))
    return away


_ROW = 38.0
"""Design pixels of a button's height."""
_HEAD = 42.0
"""Design pixels of the head, which does not scroll."""
_OPEN = "Click to open"
_MENU = 62.0
"""Design pixels of the button for the menu."""


class Browser:
    """Buttons for the demos, those of a category together, in a place (left, top, width, height).

    The one `chosen` is brought into view, in a list that is `scrolled` by as many pixels as when it was left.

    Attributes
    ----------
    found : list of int
        Indices of the demos that are listed: those that have what is `searched`.
    head : pygame.Rect
        What lies over the list that is scrolled under it.
    cross : pygame.Rect
        Where a click empties the search box.
    """

    def __init__(
        self,
        manager: UIManager,
        fonts: FontBook,
        place: Place,
        demos: Sequence[type[Demo]],
        chosen: int,
        scrolled: int = 0,
        searched: str = "",
    ) -> None:
        left, top, width, height = place
        head = min(round(_HEAD * fonts.ui_scale), height)
        self.head = pygame.Rect(left, top, width, head)
        self.column = ScrollPanel(manager, fonts, (left, top + head, width, height - head))
        self._fonts = fonts
        self._demos = demos
        self._buttons: dict[int, UIButton] = {}
        self._tops: dict[int, int] = {}
        self._pointer: tuple[int, int] | None = None
        self.cross = pygame.Rect(0, 0, 0, 0)
        self.show(searched)
        self.column.scroll_to(scrolled)
        self.choose(chosen)
        self.reveal(chosen)

    def show(self, searched: str) -> None:
        """List the demos that have what is searched."""
        self.searched = searched
        self.found = found_in(self._demos, searched)
        self._buttons.clear()
        self._tops.clear()
        column = self.column
        column.clear()
        y = column.place[1] + column.px(10)
        if not searched:
            y = column.add_text(y, "Collision laboratory", 20.0, palette.TEXT, bold=True)
            y = column.add_text(y, "Box2D, with every contact computed a second time", 12.5, palette.CAPTION) + column.px(12)
        if not self.found:
            words = f'No demo matches "{searched}". Esc shows all demos.'
            column.add_text(y, words, 12.5, palette.TEXT)
            return
        category = ""
        for k in self.found:
            demo = self._demos[k]
            if demo.category != category:
                category = demo.category
                y = column.add_text(y + column.px(8), category.upper(), 11.0, palette.CAPTION, bold=True) + column.px(3)
            self._tops[k] = y
            self._buttons[k] = column.add_button((column.left, y, column.width, column.px(_ROW)), demo.title, "entry")
            y += column.px(44)
        hints = "Esc shows all demos." if searched else "Type to search. F1 shows all keys."
        column.add_text(y + column.px(10), f"Click a demo to open it. {hints}", 12.5, palette.CAPTION)
        column.scroll_to(0)

    def choose(self, index: int) -> None:
        """Mark one demo."""
        for k, button in self._buttons.items():
            if (k == index) != button.is_selected:
                mark(button, k == index)

    def beside(self, index: int, by: int) -> int:
        """Return the demo so many places after another in the list; the first where that one is not listed, that one where none is."""
        if index not in self.found:
            return self.found[0] if self.found else index
        return self.found[min(max(self.found.index(index) + by, 0), len(self.found) - 1)]

    def reveal(self, index: int) -> None:
        """Bring the button of one demo into view."""
        if index in self._tops:
            self.column.reveal(self._tops[index], self.column.px(_ROW))

    def started_by(self, event: pygame.event.Event) -> int | None:
        """Return the index of the demo whose button was pressed."""
        if event.type != pygame_gui.UI_BUTTON_PRESSED:
            return None
        return next((k for k, button in self._buttons.items() if button is event.ui_element), None)

    def hovered(self) -> int | None:
        """Return the index of the demo under the cursor."""
        if self._pointer is not None and self.head.collidepoint(self._pointer):
            return None
        return next((k for k, button in self._buttons.items() if button.hovered), None)

    def point_at(self, pixel: tuple[int, int]) -> None:
        """Take in where the pointer is."""
        self._pointer = pixel

    def preview_place(self, view: Place, chosen: type[Demo]) -> Place:
        """Return the part of the view above the chosen demo's title and text."""
        return view[0], view[1], view[2], max(view[3] - self._band(view, chosen), 1)

    def draw(self, surface: pygame.Surface, view: Place, chosen: type[Demo]) -> None:
        """Draw the panel's ground, and the chosen demo's title and text under its preview; nothing in its place where none is found."""
        self.column.draw_ground(surface)
        ui = self.column.px
        left, top, width, height = view
        if not self.found:
            pygame.draw.rect(surface, palette.BACKGROUND, view)
            return
        y = top + height - self._band(view, chosen)
        pygame.draw.rect(surface, palette.PANEL, (left, y, width, top + height - y))
        pygame.draw.line(surface, palette.PANEL_EDGE, (left, y), (left + width, y))
        title = self._fonts.render(chosen.title, 22, palette.TEXT, True)
        surface.blit(title, (left + ui(28), y + ui(12)))
        known_as = self._fonts.render(chosen.id, 14, palette.CAPTION)
        surface.blit(known_as, known_as.get_rect(bottomleft=(left + ui(40) + title.get_width(), y + ui(9) + title.get_height())))
        end = draw_paragraph(surface, self._fonts, chosen.watch, (left + ui(28), y + ui(48), self._inner(view)), palette.TEXT, 15.0)
        surface.blit(self._fonts.render(_OPEN, 13.0, palette.ACCENT, True), (left + ui(28), end + ui(4)))

    def draw_over(self, surface: pygame.Surface) -> None:
        """Draw what lies over the widgets: the head with its button and the search box, the hint that there is more."""
        self.column.draw_over(surface)
        surface.blit(self._fonts.plate(self.head.size, palette.PANEL, 255, 0), self.head.topleft)
        right, bottom = self.head.right - 1, self.head.bottom - 1
        pygame.draw.line(surface, palette.PANEL_EDGE, (right, self.head.top), (right, bottom))
        pygame.draw.line(surface, palette.PANEL_EDGE, (self.head.left, bottom), (right, bottom))
        is_under = self._pointer is not None and self.menu.collidepoint(self._pointer)
        ground = mix(palette.PANEL_RAISED, palette.ACCENT, 0.18) if is_under else palette.PANEL_RAISED
        pygame.draw.rect(surface, ground, self.menu, border_radius=self.column.px(5))
        pygame.draw.rect(surface, palette.PANEL_EDGE, self.menu, 1, border_radius=self.column.px(5))
        words = self._fonts.render("Menu", 13.0, palette.TEXT)
        surface.blit(words, words.get_rect(center=self.menu.center))
        self.cross = draw_box(surface, self._fonts, self._box, self.searched, len(self._demos))

    @property
    def menu(self) -> pygame.Rect:
        """Where a click opens the menu."""
        column = self.column
        return pygame.Rect(column.left, self.head.top + column.px(8), column.px(_MENU), self.head.height - column.px(15))

    @property
    def _box(self) -> pygame.Rect:
        menu = self.menu
        left = menu.right + self.column.px(6)
        return pygame.Rect(left, menu.top, max(self.column.left + self.column.width - left, 1), menu.height)

    def _band(self, view: Place, chosen: type[Demo]) -> int:
        lines = len(self._fonts.wrapped(chosen.watch, 15.0, self._inner(view)))
        return min(round(1.42 * 15 * self._fonts.ui_scale) * lines + self.column.px(90), view[3])

    def _inner(self, view: Place) -> int:
        return max(view[2] - self.column.px(56), 1)
