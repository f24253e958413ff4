"""The list of demos by category, filtered by a search text, next to a preview of the chosen demo.

+------------------------+
| [Menu] [Keys]          |  fixed
| [ search box         ] |
+------------------------+
| CATEGORY               |  scrolls
| [ a demo             ] |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pygame

from engine.app.panels.dock import WindowActions
from engine.render import palette
from engine.render.camera import Place
from engine.sim.demo import Demo
from engine.ui.form import Form
from engine.ui.rows import Button, Buttons, Heading, Note, Row, Text
from engine.ui.ui import Item

__all__ = ["Browser", "called", "found_in"]


def found_in(demos: Sequence[type[Demo]], searched: str) -> list[int]:
    """Return the indices of the demos whose title, id, category, description or keywords contain every searched word.

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
    """Return the indices of the demos whose title or id equals the searched text, otherwise of those that begin with it.

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


_ROW = 38.0
"""Height of a button, design pixels."""


class Browser:
    """The list of demos, and the text under the preview of the chosen demo.

    Parameters
    ----------
    form : Form
        At the left of the window.
    demos : sequence of Demo classes
    start, search, step : callable
        Called with the index of the demo to start, with the search text, and with -1 or 1 to choose the previous or next demo.
    actions : WindowActions
        Actions of the window.
    searched : str
        Initial search text.

    Attributes
    ----------
    demos : sequence of Demo classes
    found : list of int
        Indices of the listed demos, which match `searched`.
    """

    def __init__(
        self,
        form: Form,
        demos: Sequence[type[Demo]],
        start: Callable[[int], object],
        search: Callable[[str], object],
        step: Callable[[int], object],
        actions: WindowActions,
        searched: str = "",
    ) -> None:
        self._form, self.demos, self._start, self._search, self._step, self._actions = form, demos, start, search, step, actions
        self._about = Form(form.ui)
        self.searched = searched
        self.show(searched)

    def show(self, searched: str) -> None:
        """List the demos that match the search text."""
        if searched != self.searched:
            self._form.scrolled = 0
        self.searched, self.found = searched, found_in(self.demos, searched)

    def head(self, chosen: int) -> list[Row]:
        """Return the rows above the list, which do not scroll."""
        buttons = [self._actions.button("menu"), self._actions.button("keys")]
        if self.searched:
            buttons.append(Button("× Clear", partial(self._search, ""), "Show all demos (Esc)."))
        tip, hint = "Search titles, categories and keywords.", f"Search {len(self.demos)} demos"
        enter = partial(self._start, chosen) if chosen in self.found else None
        return [
            Buttons(tuple(buttons)),
            Text("", self.searched, self._search, tip=tip, is_live=True, enter=enter, step=self._step, hint=hint),
        ]

    def rows(self, chosen: int) -> list[Row]:
        """Return the rows of the list."""
        rows: list[Row] = []
        if not self.searched:
            rows.append(Note("Collision laboratory", 20.0, palette.TEXT, bold=True))
            rows.append(Note("Box2D simulations in which every contact is computed a second time", 12.5))
        if not self.found:
            return [*rows, Note(f'No demo matches "{self.searched}". Esc shows all demos.', 12.5, palette.TEXT)]
        for category in dict.fromkeys(self.demos[k].category for k in self.found):
            of_it = (k for k in self.found if self.demos[k].category == category)
            buttons = tuple(Button(self.demos[k].title, partial(self._start, k), is_on=k == chosen) for k in of_it)
            rows += [Heading(category), Buttons(buttons, columns=1, height=_ROW, is_list=True)]
        hints = "Esc shows all demos." if self.searched else "Type to search. F1 shows all keys."
        return [*rows, Note(f"Click a demo to open it. {hints}", 12.5)]

    def beside(self, index: int, by: int) -> int:
        """Return the index of the demo `by` places after a given one; the first if that is not listed, itself if the list is empty."""
        if index not in self.found:
            return self.found[0] if self.found else index
        return self.found[min(max(self.found.index(index) + by, 0), len(self.found) - 1)]

    def reveal(self, index: int) -> None:
        """Scroll the button of a demo into view."""
        self._form.reveal((self.demos[index].title, 0))

    def index_of(self, item: Item | None) -> int | None:
        """Return the index of the demo that a control starts, or None."""
        return next((k for k in self.found if item is not None and not item.is_head and self.demos[k].title == item.key[0]), None)

    def type_in(self, event: pygame.event.Event) -> None:
        """Focus the search box."""
        self._form.ui.focus = self._form, ("", 0)
        self._form.ui.handle_key(event)

    def preview_place(self, view: Place, chosen: type[Demo]) -> Place:
        """Return the part of the view that lies above the title and text of the chosen demo."""
        return view[0], view[1], view[2], max(view[3] - self._lay_out_about(view, chosen), 1)

    def draw(self, surface: pygame.Surface, view: Place, chosen: type[Demo]) -> None:
        """Draw the title and text of the chosen demo under its preview, or nothing if no demo matches."""
        if not self.found:
            pygame.draw.rect(surface, palette.BACKGROUND, view)
            return
        self._lay_out_about(view, chosen)
        self._about.draw(surface)
        pygame.draw.line(surface, palette.PANEL_EDGE, self._about.place.topleft, self._about.place.topright)

    def _lay_out_about(self, view: Place, chosen: type[Demo]) -> int:
        """Lay out the text about a demo at the bottom of the view; return its height."""
        rows = [
            Note(chosen.title, 22.0, palette.TEXT, bold=True),
            Note(chosen.id, 14.0),
            Note(chosen.watch, 15.0, palette.TEXT),
            Note("Click to open", 13.0, palette.ACCENT, bold=True),
        ]
        left, top, width, height = view
        self._about.lay_out(rows, view)
        band = min(self._about.height, height)
        self._about.place = pygame.Rect(left, top + height - band, width, band)
        return band
