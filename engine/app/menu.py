"""The menu: the commands for files, films, comparisons, panels and the window, each with its key.

+----------------------------------------------+
| FILE                                         |
| Open...                         Ctrl Shift O |
| Save                                  Ctrl S |   gray where it cannot be used now
| ...                                          |
|----------------------------------------------|
| Open a scene, recording or picture.          |   what the marked entry does, or why it cannot be used
+----------------------------------------------+
"""

from __future__ import annotations

import pygame

from engine.app.app import App
from engine.app.commands import Command, command_of, menu_groups, run
from engine.app.panels.recording_dock import RecordingDock
from engine.app.session import Session
from engine.render import palette
from engine.render.palette import mix

__all__ = ["Menu"]

_SIZE, _SMALL, _HEADING = 13.0, 12.0, 11.0
_ROW, _MIN_ROW = 24.0, 16.0
"""Design pixels of an entry, and where there is less room."""
_PAD, _GAP = 10.0, 16.0
_COLUMN = 240.0
"""Design pixels of a column of entries."""
_FOOT_LINES = 2
_TOP = 40.0
"""Design pixels from the window's upper edge: under the button that opens it."""


_Group = tuple[str, tuple[Command, ...]]


class Menu:
    """Lies over the window while it is open; the demo stands still meanwhile."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._session: Session | None = None
        """The session that is paused while the menu is open."""
        self._was_paused = False
        self._groups: tuple[_Group, ...] = ()
        self._marked = 0
        self._rects: list[pygame.Rect] = []
        self._plate = pygame.Rect(0, 0, 0, 0)

    @property
    def is_open(self) -> bool:
        """True while it is shown."""
        return self._session is not None

    @property
    def places(self) -> dict[str, pygame.Rect]:
        """Where its entries were drawn last, by their ids."""
        return {command.id: rect for command, rect in zip(self._entries, self._rects, strict=False)}

    def open(self) -> None:
        """Show it; nothing happens while a film is written or a recording is played through."""
        app, session = self._app, self._app.session
        if self.is_open or (app.navigator.has_docks and app.dock(RecordingDock).is_busy):
            return
        session.driver.release_all()
        self._session, self._rects = session, []
        self._was_paused, session.clock.paused = session.clock.paused, True
        self._groups = menu_groups(app)
        self._marked = next((k for k, command in enumerate(self._entries) if not command.disabled(app)), 0)

    def close(self) -> None:
        """Let time go on as it did."""
        if self._session is not None:
            self._session.clock.paused, self._session = self._was_paused, None

    def handle(self, event: pygame.event.Event) -> bool:
        """Handle an event; return True if no one else is to."""
        if not self.is_open:
            return False
        if event.type == pygame.MOUSEMOTION:
            self._marked = next((k for k, rect in enumerate(self._rects) if rect.collidepoint(event.pos)), self._marked)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            hit = next((k for k, rect in enumerate(self._rects) if rect.collidepoint(event.pos)), None)
            if hit is not None and event.button == 1:
                self._take(hit)
            elif not self._plate.collidepoint(event.pos):
                self.close()
        elif event.type == pygame.KEYDOWN:
            self._key(event)
        return event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEWHEEL, pygame.KEYDOWN, pygame.DROPFILE)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw it while it is open."""
        if not self.is_open:
            return
        fonts = self._app.screen.painter.fonts
        ui = fonts.ui_scale
        self._lay_out(ui)
        radius, pad = round(8 * ui), round(_PAD * ui)
        surface.blit(fonts.plate(self._plate.size, palette.PANEL, 255, radius, palette.ACCENT), self._plate.topleft)
        k = 0
        for heading, commands in self._groups:
            first = self._rects[k]
            picture = fonts.render(heading.upper(), _HEADING, palette.CAPTION, True)
            surface.blit(picture, picture.get_rect(bottomleft=(first.left + pad // 2, first.top - round(ui))))
            for command in commands:
                self._draw_entry(surface, command, self._rects[k], k == self._marked)
                k += 1
        marked = self._entries[self._marked]
        refusal = marked.disabled(self._app)
        foot = self._foot
        pygame.draw.line(surface, palette.PANEL_EDGE, (foot.left, foot.top - pad // 2), (foot.right, foot.top - pad // 2))
        words = f"Not now: {refusal}." if refusal else marked.help
        step = round(1.42 * _SMALL * ui)
        for line, text in enumerate(fonts.wrapped(words, _SMALL, foot.width)[:_FOOT_LINES]):
            color = palette.WARNING if refusal else palette.CAPTION
            surface.blit(fonts.render(text, _SMALL, color), (foot.left, foot.top + line * step))

    # -- inside -------------------------------------------------------------------------------------------------------

    @property
    def _entries(self) -> list[Command]:
        return [command for _, commands in self._groups for command in commands]

    def _key(self, event: pygame.event.Event) -> None:
        command = command_of(event)
        if command is not None and command.id in ("demos", "menu"):
            self.close()
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
            self._take(self._marked)
        elif event.key in (pygame.K_DOWN, pygame.K_UP, pygame.K_TAB):
            is_back = event.key == pygame.K_UP or (event.key == pygame.K_TAB and event.mod & pygame.KMOD_SHIFT)
            self._marked = (self._marked + (-1 if is_back else 1)) % len(self._entries)
        elif event.key in (pygame.K_HOME, pygame.K_END):
            self._marked = 0 if event.key == pygame.K_HOME else len(self._entries) - 1
        elif command in self._entries:  # its key works without closing the menu first
            self._take(self._entries.index(command))

    def _take(self, k: int) -> None:
        """Run an entry; one that cannot be used says at the foot why."""
        self._marked = k
        if not self._entries[k].disabled(self._app):
            self.close()
            run(self._entries[k], self._app)

    def _lay_out(self, ui: float) -> None:
        """Place the entries: in one column where there is room for it, else in two, and closer together where there is none so either."""
        layout = self._app.screen.layout
        pad, gap = round(_PAD * ui), round(_GAP * ui)
        room = layout.size[1] - layout.strip[3] - 2 * round(4 * ui)
        foot = round(_FOOT_LINES * 1.42 * _SMALL * ui) + pad
        for n_columns, row in ((1, _ROW), (2, _ROW), (2, _MIN_ROW)):
            columns = _dealt(self._groups, n_columns)
            high = round(row * ui)
            height = max(sum(len(entries) * high + gap for _, entries in column) for column in columns) + pad + foot
            if height <= room - (round(_TOP * ui) if n_columns == 1 else 0):
                break
        wide = min(round(_COLUMN * ui), (layout.size[0] - 3 * pad) // n_columns)
        self._plate = pygame.Rect(round(14 * ui), round(_TOP * ui), n_columns * wide + (n_columns + 1) * pad, height)
        self._plate.clamp_ip(pygame.Rect(0, round(4 * ui), layout.size[0], room))
        self._rects = []
        for c, column in enumerate(columns):
            left, top = self._plate.left + pad + c * (wide + pad), self._plate.top + pad // 2
            for _, entries in column:
                top += gap
                for _ in entries:
                    self._rects.append(pygame.Rect(left, top, wide, high))
                    top += high
        inner = pad + pad // 2
        self._foot = pygame.Rect(self._plate.left + inner, self._plate.bottom - foot, self._plate.width - 2 * inner, foot)

    def _draw_entry(self, surface: pygame.Surface, command: Command, rect: pygame.Rect, is_marked: bool) -> None:
        fonts, refusal = self._app.screen.painter.fonts, command.disabled(self._app)
        ui = fonts.ui_scale
        inset = round(_PAD * ui) // 2
        if is_marked:
            ground = palette.PANEL_RAISED if refusal else mix(palette.PANEL, palette.ACCENT, 0.42)
            pygame.draw.rect(surface, ground, rect, border_radius=round(4 * ui))
        color = palette.CAPTION if refusal else palette.TEXT
        key = fonts.render(command.key or " ", _SMALL, color if is_marked else palette.CAPTION)
        surface.blit(key, key.get_rect(midright=(rect.right - inset, rect.centery)))
        room = max(rect.width - key.get_width() - 3 * inset, 1)
        words = fonts.render(fonts.shortened(command.title, _SIZE, room), _SIZE, color)
        surface.blit(words, words.get_rect(midleft=(rect.left + inset, rect.centery)))


def _dealt(groups: tuple[_Group, ...], n_columns: int) -> list[tuple[_Group, ...]]:
    """Return the groups in so many columns, one or two, as even as they can be."""
    if n_columns == 1:
        return [groups]
    sizes = [len(entries) + 1 for _, entries in groups]
    cut = min(range(1, len(groups)), key=lambda k: max(sum(sizes[:k]), sum(sizes[k:])))
    return [groups[:cut], groups[cut:]]
