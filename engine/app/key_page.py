"""The page of keys, which covers the window and lists every key with its meaning."""

from __future__ import annotations

import pygame

from engine.app.app import App
from engine.app.commands import key_rows
from engine.app.overlay import Overlay

__all__ = ["KeyPage"]

_COLUMN, _MAX_COLUMNS = 290.0, 4
"""Width of a column, design pixels, and maximum number of columns."""
_BUTTONS = (1, 2, 3)
_MODIFIERS = (
    *(pygame.K_LSHIFT, pygame.K_RSHIFT, pygame.K_LCTRL, pygame.K_RCTRL, pygame.K_LALT, pygame.K_RALT, pygame.K_LMETA, pygame.K_RMETA),
    *(pygame.K_CAPSLOCK, pygame.K_NUMLOCKCLEAR, pygame.K_MODE),
)
"""Modifier keys, which mean nothing alone."""
_SCROLLS = (pygame.K_PAGEUP, pygame.K_PAGEDOWN)


class KeyPage(Overlay):
    """The page of keys. Any click or key closes it; keys other than Esc and F1 then act as usual."""

    def __init__(self, app: App) -> None:
        super().__init__(app.screen.ui)
        self._app = app

    def handle(self, event: pygame.event.Event) -> bool:
        if self.is_open and event.type == pygame.MOUSEBUTTONDOWN and event.button in _BUTTONS:
            self.close()
            return True
        return super().handle(event)

    def take_key(self, event: pygame.event.Event) -> bool:
        if event.key in _SCROLLS:
            return super().take_key(event)
        if event.key not in _MODIFIERS:
            self.close()
        return event.key in (*_MODIFIERS, pygame.K_ESCAPE, pygame.K_F1)

    def lay_out(self) -> None:
        layout, px = self._app.screen.layout, self.form.ui.px
        room = pygame.Rect(0, 0, layout.size[0], layout.strip[1]).inflate(-px(20), -px(20))
        n_columns = min(max(room.width // px(_COLUMN), 1), _MAX_COLUMNS)
        self.form.lay_plate(key_rows(self._app, self._app.dock_area.keys()), room, room.width, n_columns=n_columns)
