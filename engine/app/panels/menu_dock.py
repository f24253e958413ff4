"""The menu: what can be done with files, films, panels and the session, each with its key.

+----------------------------------------------+
| FILE                                         |
| Open a file...                  Ctrl Shift O |
| Save                                  Ctrl S |   gray where it cannot be done now; why, stands at the foot
| ...                                          |
|----------------------------------------------|
| A scene, a recording, a picture: anything... |   what the marked entry does, or why not
+----------------------------------------------+

Most entries do what their key does by handing the window that key: so a menu never does anything else than its keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pygame

from engine.app.keys import Command
from engine.app.motion_panel import next_words
from engine.app.navigator import Navigator
from engine.app.network_driver import NO_PAST
from engine.app.panels.dock import Dock, WindowActions
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.recording_dock import RecordingDock
from engine.app.screen import Screen
from engine.app.stepper_requests import door_of_demo
from engine.render import palette
from engine.render.palette import mix

if TYPE_CHECKING:
    from engine.app.session import Session

__all__ = ["MenuDock"]

_ALL_SO_FAR = "everything so far (Shift drag on the time line marks a span)"
_CTRL, _SHIFT = pygame.KMOD_LCTRL, pygame.KMOD_LSHIFT
_SIZE, _SMALL, _HEADING = 13.0, 12.0, 11.0
_ROW, _LEAST_ROW = 24.0, 16.0
"""Design pixels of an entry, and where there is less room."""
_PAD, _GAP = 10.0, 16.0
_COLUMN = 240.0
"""Design pixels of a column of entries."""
_FOOT_LINES = 2
_TOP = 40.0
"""Design pixels from the window's upper edge: under the button that opens it."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """Words, the key beside them, what is said at the foot, and what is done: a key, with what is held down beside it, or an order."""

    words: str
    key: str
    says: str
    does: tuple[int, int] | Command
    refusal: str = ""
    """Why it cannot be done now; empty if it can."""


_Group = tuple[str, tuple[_Entry, ...]]


class MenuDock(Dock):
    """Opened by its button in the list and in a demo's panel, or by Ctrl M; the demo stands still meanwhile."""

    side = "over"
    always = True

    def __init__(self, recording: RecordingDock, files: FilesDock, navigator: Navigator, screen: Screen, actions: WindowActions) -> None:
        self._recording, self._files = recording, files
        self._navigator, self._screen, self._actions = navigator, screen, actions
        self._session: Session | None = None
        """The one that stands still while the menu is open."""
        self._was_paused = False
        self._marked = 0
        self._rects: list[pygame.Rect] = []
        self._plate = pygame.Rect(0, 0, 0, 0)

    @property
    def is_open(self) -> bool:
        """Whether it is shown."""
        return self._session is not None

    def open(self, session: Session) -> None:
        """Show it."""
        if self.is_open or (self._navigator.has_docks and self._recording.is_busy):
            return
        session.driver.release_all()
        self._session, self._rects = session, []
        self._was_paused, session.clock.paused = session.clock.paused, True
        entries = self._entries(session)
        self._marked = next((k for k, entry in enumerate(entries) if not entry.refusal), 0)

    def close(self) -> None:
        """Let time go on as it did."""
        if self._session is not None:
            self._session.clock.paused, self._session = self._was_paused, None

    def begin(self, session: Session) -> None:
        self.close()

    def handle(self, event: pygame.event.Event, session: Session) -> bool:
        if not self.is_open:
            if event.type == pygame.KEYDOWN and event.key == pygame.K_m and event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META):
                self.open(session)
                return True
            return False
        if event.type == pygame.MOUSEMOTION:
            self._marked = next((k for k, rect in enumerate(self._rects) if rect.collidepoint(event.pos)), self._marked)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            hit = next((k for k, rect in enumerate(self._rects) if rect.collidepoint(event.pos)), None)
            if hit is not None and event.button == 1:
                self._take(hit, session)
            elif not self._plate.collidepoint(event.pos):
                self.close()
        elif event.type == pygame.KEYDOWN:
            self._key(event, session)
        return event.type in (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEWHEEL, pygame.KEYDOWN, pygame.DROPFILE)

    def draw(self, surface: pygame.Surface, session: Session) -> None:
        if not self.is_open:
            return
        groups = self._groups(session)
        self._lay_out(groups)
        ui, fonts = self.fonts.ui_scale, self.fonts
        radius, pad = round(8 * ui), round(_PAD * ui)
        surface.blit(fonts.plate(self._plate.size, palette.PANEL, 255, radius, palette.ACCENT), self._plate.topleft)
        k = 0
        for heading, entries in groups:
            first = self._rects[k]
            words = fonts.render(heading.upper(), _HEADING, palette.CAPTION, True)
            surface.blit(words, words.get_rect(bottomleft=(first.left + pad // 2, first.top - round(ui))))
            for entry in entries:
                self._draw_entry(surface, entry, self._rects[k], k == self._marked)
                k += 1
        marked = [entry for _, entries in groups for entry in entries][self._marked]
        foot = self._foot
        pygame.draw.line(surface, palette.PANEL_EDGE, (foot.left, foot.top - pad // 2), (foot.right, foot.top - pad // 2))
        words_of = f"Not now: {marked.refusal}." if marked.refusal else marked.says
        step = round(1.42 * _SMALL * ui)
        for line, text in enumerate(fonts.wrapped(words_of, _SMALL, foot.width)[:_FOOT_LINES]):
            color = palette.WARNING if marked.refusal else palette.CAPTION
            surface.blit(fonts.render(text, _SMALL, color), (foot.left, foot.top + line * step))

    # Inside

    def _key(self, event: pygame.event.Event, session: Session) -> None:
        n = len(self._entries(session))
        is_again = event.key == pygame.K_m and event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        if event.key == pygame.K_ESCAPE or is_again:
            self.close()
        elif event.key in (pygame.K_RETURN, pygame.K_KP_ENTER, pygame.K_SPACE):
            self._take(self._marked, session)
        elif event.key in (pygame.K_DOWN, pygame.K_UP, pygame.K_TAB):
            is_back = event.key == pygame.K_UP or (event.key == pygame.K_TAB and event.mod & pygame.KMOD_SHIFT)
            self._marked = (self._marked + (-1 if is_back else 1)) % n
        elif event.key in (pygame.K_HOME, pygame.K_END):
            self._marked = 0 if event.key == pygame.K_HOME else n - 1
        else:  # a key works without closing the menu before
            entries = self._entries(session)
            hit = next((k for k, one in enumerate(entries) if isinstance(one.does, tuple) and _is_key(event, *one.does)), None)
            if hit is not None:
                self._take(hit, session)

    def _take(self, k: int, session: Session) -> None:
        """Do what an entry does; one that cannot be done says at the foot why."""
        self._marked = k
        entry = self._entries(session)[k]
        if entry.refusal:
            return
        self.close()
        if isinstance(entry.does, Command):
            self._actions.command(entry.does)
            return
        key, mod = entry.does
        for kind in (pygame.KEYDOWN, pygame.KEYUP):
            self._actions.handle(pygame.event.Event(kind, key=key, mod=mod, unicode=""))

    def _entries(self, session: Session) -> list[_Entry]:
        return [entry for _, entries in self._groups(session) for entry in entries]

    def _groups(self, session: Session) -> tuple[_Group, ...]:
        """Return what can be done, as things stand."""
        no_demo = "start a demo first" if self._navigator.browsing else ""
        no_world = no_demo or ("" if session.demo.stages else "this demo has no world")
        no_door = no_demo or (
            "" if session.demo.stages or door_of_demo(session.demo) is not None else "nothing of this demo can be watched so"
        )
        no_docks = no_demo or ("" if self._navigator.has_docks else "this demo keeps no past")
        no_past = no_docks or (NO_PAST if session.is_shared else "")
        nothing_yet = no_past or (
            "" if session.timeline.history is not None and session.timeline.history.last > 0 else "nothing has happened yet"
        )
        nothing_left = "" if self._files.has_left() else "nothing was left unsaved"
        span = "the marked span" if self._recording.span is not None else "everything so far" if session.is_shared else _ALL_SO_FAR
        lost = self._files.would_lose()
        unsaved = f"what you built in {lost} is lost" if lost else "what was built and not saved is kept"
        in_list = "this is the list" if self._navigator.browsing else ""
        records = session.recorder is not None
        after, beside = next_words(session)
        themes = "Light" if palette.theme_name() == "dark" else "Dark"
        return (
            (
                "File",
                (
                    _Entry("Open a file…", "Ctrl Shift O", "A scene, a recording, a picture: its name is asked for.", Command.OPEN),
                    _Entry("What was left unsaved", "Ctrl O", "Opens what you built and did not save.", (pygame.K_o, _CTRL), nothing_left),
                    _Entry("Save", "Ctrl S", "The scene, in the same file again.", Command.SAVE, no_world),
                    _Entry("Save as…", "Ctrl Shift S", "The scene, under a name that is asked for.", Command.SAVE_AS, no_world),
                ),
            ),
            (
                "Export",
                (
                    _Entry("Picture", "F12", "A picture of the session, as PNG.", (pygame.K_F12, 0), no_demo),
                    _Entry("Film, MP4", "Ctrl F", f"A film of {span}.", (pygame.K_f, _CTRL), nothing_yet),
                    _Entry("Film, GIF", "Ctrl Shift F", f"A GIF of {span}.", (pygame.K_f, _CTRL | _SHIFT), nothing_yet),
                    _Entry(
                        "Tables, CSV",
                        "Ctrl T",
                        "Contacts, states and times of the span or the last minute.",
                        (pygame.K_t, _CTRL),
                        no_past if session.is_shared else no_world,
                    ),
                    _Entry(
                        "End the recording" if records else "Record",
                        "Ctrl R",
                        "The recording ends, and is written." if records else "Into a file that plays again to the last bit.",
                        (pygame.K_r, _CTRL),
                        no_past,
                    ),
                ),
            ),
            (
                "Motion",
                (
                    _Entry(f"Solver: {after}", "Shift F11", "Another solver drives the scene from here on.", Command.SOLVER, no_world),
                    _Entry(f"Beside it: {beside}", "F11", "Another world that gets all that this one gets.", Command.BESIDE, no_past),
                ),
            ),
            (
                "Panels",
                (
                    _Entry("Inspector", "I", "Properties of what is selected, settings of the world.", (pygame.K_i, 0), no_docks),
                    _Entry("Plots", "F7", "Plots of any quantity over time.", (pygame.K_F7, 0), no_past),
                    _Entry("Event log", "F8", "What met and parted, when, and how fast.", (pygame.K_F8, 0), no_past),
                    *(
                        (_Entry("Network", "F3", "Users, bytes, corrections, and a simulated link.", (pygame.K_F3, 0)),)
                        if session.is_shared and not no_demo
                        else ()
                    ),
                    _Entry("Step times", "F9", "What each step costs, by phase.", (pygame.K_F9, 0), no_past),
                    _Entry(
                        "Step through it", "F6", "The algorithm that answered, every step of it, on these shapes.", Command.WATCH, no_door
                    ),
                    _Entry(
                        "Step through the solver", "Shift F6", "The world's next step, impulse by impulse.", Command.WATCH_SOLVER, no_world
                    ),
                ),
            ),
            (
                "Window",
                (
                    _Entry("All keys", "F1", "What every key and the pointer do.", Command.HELP),
                    _Entry(f"{themes} theme", "F10", "Other colors.", (pygame.K_F10, 0)),
                    _Entry("Larger text", "Ctrl +", "Larger text and buttons, as far as there is room.", (pygame.K_PLUS, _CTRL)),
                    _Entry("Smaller text", "Ctrl -", "Smaller text and buttons.", (pygame.K_MINUS, _CTRL)),
                    _Entry("Back to the demos", "Esc", "The list of all demos.", Command.BACK, in_list),
                    _Entry("Quit", "", f"The window closes; {unsaved}.", Command.QUIT),
                ),
            ),
        )

    def _lay_out(self, groups: tuple[_Group, ...]) -> None:
        """Place the entries: in one column where there is room for it, else in two, and closer together where there is none so either."""
        ui = self.fonts.ui_scale
        pad, gap = round(_PAD * ui), round(_GAP * ui)
        room = self._screen.layout.size[1] - self._screen.layout.strip[3] - 2 * round(4 * ui)
        foot = round(_FOOT_LINES * 1.42 * _SMALL * ui) + pad
        for n_columns, row in ((1, _ROW), (2, _ROW), (2, _LEAST_ROW)):
            columns = _dealt(groups, n_columns)
            high = round(row * ui)
            height = max(sum(len(entries) * high + gap for _, entries in column) for column in columns) + pad + foot
            if height <= room - (round(_TOP * ui) if n_columns == 1 else 0):
                break
        wide = min(round(_COLUMN * ui), (self._screen.layout.size[0] - 3 * pad) // n_columns)
        self._plate = pygame.Rect(round(14 * ui), round(_TOP * ui), n_columns * wide + (n_columns + 1) * pad, height)
        self._plate.clamp_ip(pygame.Rect(0, round(4 * ui), self._screen.layout.size[0], room))
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

    def _draw_entry(self, surface: pygame.Surface, entry: _Entry, rect: pygame.Rect, is_marked: bool) -> None:
        ui, fonts = self.fonts.ui_scale, self.fonts
        inset = round(_PAD * ui) // 2
        if is_marked:
            ground = palette.PANEL_RAISED if entry.refusal else mix(palette.PANEL, palette.ACCENT, 0.42)
            pygame.draw.rect(surface, ground, rect, border_radius=round(4 * ui))
        color = palette.CAPTION if entry.refusal else palette.TEXT
        key = fonts.render(entry.key or " ", _SMALL, color if is_marked else palette.CAPTION)
        surface.blit(key, key.get_rect(midright=(rect.right - inset, rect.centery)))
        room = max(rect.width - key.get_width() - 3 * inset, 1)
        words = fonts.render(fonts.shortened(entry.words, _SIZE, room), _SIZE, color)
        surface.blit(words, words.get_rect(midleft=(rect.left + inset, rect.centery)))


def _dealt(groups: tuple[_Group, ...], n_columns: int) -> list[tuple[_Group, ...]]:
    """Return the groups in so many columns, one or two, as even as they can be."""
    if n_columns == 1:
        return [groups]
    sizes = [len(entries) + 1 for _, entries in groups]
    cut = min(range(1, len(groups)), key=lambda k: max(sum(sizes[:k]), sum(sizes[k:])))
    return [groups[:cut], groups[cut:]]


def _is_key(event: pygame.event.Event, key: int, mod: int) -> bool:
    """Tell whether a key was pressed, with Ctrl and Shift held down as they are to be."""
    control, shift = bool(event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)), bool(event.mod & pygame.KMOD_SHIFT)
    return bool(event.key == key and control == bool(mod & _CTRL) and shift == bool(mod & _SHIFT))
