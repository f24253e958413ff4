"""The menu: commands for files, films, comparisons, panels and the window, each with its key; disabled ones are gray.

The tooltip of an entry explains its effect, or why it is disabled.
"""

from __future__ import annotations

from functools import partial

import pygame

from engine.app.app import App
from engine.app.commands import Command, command_of, menu_groups, run
from engine.app.overlay import Overlay
from engine.app.panels.recording_dock import RecordingDock
from engine.ui.rows import Button, Buttons, Heading, Row

__all__ = ["Menu"]

_COLUMN = 240.0
"""Width of a column of entries, design pixels."""
_ROWS = (24.0, 16.0)
"""Height of an entry, and its height if there is less room, design pixels."""
_TOP = 44.0
"""Distance from the window's upper edge, design pixels: below the button that opens it."""


class Menu(Overlay):
    """The menu."""

    def __init__(self, app: App) -> None:
        super().__init__(app.screen.ui)
        self._app = app

    def open(self) -> None:
        """Open the menu; ignored while a film is written or a recording is played."""
        app = self._app
        if not self.is_open and not (app.navigator.has_docks and app.dock(RecordingDock).is_busy):
            app.session.driver.release_all()
            self.show(app.session)
            self.form.ui.go(1)

    def take_key(self, event: pygame.event.Event) -> bool:
        command = command_of(event)
        if command is not None and command.id in ("demos", "menu"):
            self.close()
        elif not self.form.ui.handle_key(event) and command is not None:  # its key works while the menu is open
            self._take(command)
        return True

    def _take(self, command: Command) -> None:
        if not command.disabled(self._app):
            self.close()
            run(command, self._app)

    def lay_out(self) -> None:
        """Lay out the entries in one column if they fit, otherwise in two, with smaller entries if necessary."""
        layout, px = self._app.screen.layout, self.form.ui.px
        room = pygame.Rect(px(14), px(4), layout.size[0] - px(18), layout.strip[1] - px(8))
        for n_columns, row in ((1, _ROWS[0]), (2, _ROWS[0]), (2, _ROWS[1])):
            width = min(px(_COLUMN) * n_columns + px(24), room.width)
            self.form.lay_plate(self._rows(row), room, width, n_columns=n_columns)
            if self.form.height <= room.height:
                break
        self.form.place = self.form.place.move(0, px(_TOP)).clamp(room)

    def _rows(self, height: float) -> list[Row]:
        rows: list[Row] = []
        for heading, commands in menu_groups(self._app):
            rows += [Heading(heading), Buttons(tuple(map(self._entry, commands)), columns=1, height=height)]
        return rows

    def _entry(self, command: Command) -> Button:
        refusal = command.disabled(self._app)
        tip = f"Not available: {refusal}." if refusal else command.help
        return Button(command.title, partial(self._take, command), tip, command.key or " ", is_off=bool(refusal))
