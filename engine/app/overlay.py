"""Overlays: the menu, a question, a page of docs and the page of keys cover the window and receive all events until they are closed."""

from __future__ import annotations

import pygame

from engine.app.session import Session
from engine.ui.form import Form
from engine.ui.ui import Ui

__all__ = ["Overlay"]

_TAKEN = (pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN, pygame.MOUSEMOTION, pygame.MOUSEWHEEL, pygame.DROPFILE, pygame.TEXTINPUT)
"""Events that an overlay receives exclusively; releases are not among them."""
_SCROLLS = {pygame.K_PAGEUP: -0.9, pygame.K_PAGEDOWN: 0.9, pygame.K_HOME: -1e6, pygame.K_END: 1e6}
"""Keys that scroll, in heights of the form."""


class Overlay:
    """Base class. The demo is paused while an overlay is open, and resumes afterwards."""

    def __init__(self, ui: Ui) -> None:
        self.form = Form(ui)
        self._session: Session | None = None
        """The session that is paused."""
        self._was_paused = False

    @property
    def is_open(self) -> bool:
        """True while it is open."""
        return self._session is not None

    def show(self, session: Session) -> None:
        """Open the overlay, replacing an open one."""
        self.close()
        self._session = session
        self._was_paused, session.clock.paused = session.clock.paused, True
        self.form.scrolled = 0
        self.form.ui.open(self.form)
        self.lay_out()

    def close(self) -> None:
        """Close the overlay if it is open."""
        if self._session is not None:
            self.form.ui.close(self.form)
            self._session.clock.paused, self._session = self._was_paused, None

    def handle(self, event: pygame.event.Event) -> bool:
        """Handle an event; return True if no other part should."""
        if not self.is_open:
            return False
        if event.type == pygame.KEYDOWN:
            return self.take_key(event)
        if event.type == pygame.MOUSEBUTTONDOWN and not self.form.place.collidepoint(event.pos):
            self.click_outside()
        else:
            self.form.handle(event)
        return event.type in _TAKEN

    def draw(self, surface: pygame.Surface) -> None:
        """Draw the overlay if it is open."""
        if self.is_open:
            self.form.show()
            self.lay_out()
            self.form.draw_plate(surface)

    def lay_out(self) -> None:
        """Lay out its rows in the form."""
        raise NotImplementedError

    def take_key(self, event: pygame.event.Event) -> bool:
        """Handle a key press; return True if no other part should."""
        if event.key == pygame.K_ESCAPE:
            self.close()
        elif event.key in _SCROLLS and self.form.ui.typing is None:
            self.form.scroll(round(_SCROLLS[event.key] * self.form.place.height))
        else:
            self.form.ui.handle_key(event)
        return True

    def click_outside(self) -> None:
        """Handle a click outside."""
        self.close()
