"""Which way an event takes: to theme and text size, to the overlay of keys while it is shown, to the docks, to the window, to the demo.

The first that takes an event keeps it from the others. A demo gets what is left: keys that the window has no use for, and the pointer in
the view, by way of `Pointing`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import pygame

from engine.app.browser import Browser, edited
from engine.app.dropper import DROP_EVENTS, Dropper
from engine.app.keys import FILE_COMMANDS, LAYER_COMMANDS, Command, command_of, is_plain
from engine.app.layout import is_inside
from engine.app.panel import DemoPanel
from engine.app.pointing import Pointing
from engine.demo.messages import Message

if TYPE_CHECKING:
    from pygame_gui import UIManager

    from engine.app.frame import FramePainter
    from engine.app.layout import Layout
    from engine.app.panels.dock_area import DockArea
    from engine.app.panels.files_dock import FilesDock
    from engine.app.panels.menu_dock import MenuDock
    from engine.app.preferences import Appearance
    from engine.app.widgets import ScrollPanel
    from engine.demo.session import Session
    from engine.render.camera import Place
    from engine.render.views import Layers

__all__ = ["EventRouter", "RoutedWindow"]

_BUTTONS = (1, 2, 3)
"""Of the pointer; what pygame calls 4 and 5 are notches of the wheel."""
_ENTER = (pygame.K_RETURN, pygame.K_KP_ENTER)
_BESIDE = (
    *(pygame.K_LSHIFT, pygame.K_RSHIFT, pygame.K_LCTRL, pygame.K_RCTRL, pygame.K_LALT, pygame.K_RALT, pygame.K_LMETA, pygame.K_RMETA),
    *(pygame.K_CAPSLOCK, pygame.K_NUMLOCKCLEAR, pygame.K_MODE),
)
"""Keys that are held down beside another, and mean nothing alone."""
_PAGES = {pygame.K_PAGEUP: 6.0, pygame.K_PAGEDOWN: -6.0}
"""Keys that scroll the overlay of keys, in notches of the wheel."""
_NOTCH = 48.0
"""Design pixels that a notch of the wheel scrolls it."""


class RoutedWindow(Protocol):
    """What events come to: the parts of a window, and the orders that it takes."""

    running: bool
    help_shown: bool
    help_scrolled: int
    chosen: int
    searched: str
    session: Session
    appearance: Appearance
    dock_area: DockArea
    layout: Layout
    painter: FramePainter
    manager: UIManager
    browser: Browser | None
    panel: DemoPanel | None
    browsing: bool

    @property
    def view(self) -> Place:
        """Where the demo is drawn."""

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""

    @property
    def is_text_limited(self) -> bool:
        """Whether text of the size asked for has no room."""

    @property
    def layers(self) -> Layers:
        """What is shown of the demo."""

    @property
    def column(self) -> ScrollPanel:
        """What is at the left, and can be scrolled."""

    @property
    def files(self) -> FilesDock | None:
        """The part that saves and opens."""

    @property
    def menu(self) -> MenuDock | None:
        """What can be done, to choose from."""

    def resize(self, size: tuple[int, int]) -> None:
        """Take another size."""

    def rescale(self, ui_scale: float) -> None:
        """Take another size of text."""

    def rebuild(self) -> None:
        """Make everything anew."""

    def answer(self, words: str) -> None:
        """Say a line that answers a key."""

    def start(self, index: int) -> None:
        """Start the demo of that place in the list."""

    def choose(self, index: int) -> None:
        """Mark a demo of the list."""

    def search(self, words: str) -> None:
        """List the demos that have some words."""

    def browse(self) -> None:
        """Go to the list."""


class EventRouter:
    """Takes the events of a window.

    Attributes
    ----------
    dropper : Dropper
        Reads the files that are dropped.
    pointed : (x, y) or None
        The pixel of the view that the pointer is at.
    """

    def __init__(self, window: RoutedWindow) -> None:
        self.dropper = Dropper()
        self.pointed: tuple[int, int] | None = None
        self._window = window
        self._pointing = Pointing(window.session)
        self._asked: Message | None = None
        """The question whether to quit; it holds as long as it is shown."""

    def begin(self, session: Session) -> None:
        """Steer another session: the window's has changed."""
        self._pointing = Pointing(session)

    def handle(self, event: pygame.event.Event) -> None:
        """Take in one event."""
        window = self._window
        if window.appearance.handle(event, window) or self._is_of_the_overlay(event) or window.dock_area.offer(event, window.session):
            return
        if event.type == pygame.QUIT:
            window.running = False
        elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
            window.resize(event.size if event.type == pygame.VIDEORESIZE else (event.x, event.y))
        elif event.type == pygame.KEYDOWN:
            self._key(event)
        elif event.type == pygame.KEYUP:
            window.session.release_key(pygame.key.name(event.key))
        elif event.type == pygame.WINDOWFOCUSLOST:
            window.session.release_all()
            self._pointing.let_go()
        elif event.type == pygame.WINDOWLEAVE:
            if not any(pygame.mouse.get_pressed()):  # whoever drags may leave the window
                self.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(-1, -1), rel=(0, 0), buttons=(0, 0, 0)))
        elif event.type in DROP_EVENTS:
            if window.browsing and event.type == pygame.DROPFILE:  # it falls into the demo that is chosen
                window.start(window.chosen)
            self.dropper.take(event, window.session, window.view)
        elif event.type == pygame.MOUSEWHEEL:
            self._wheel(pygame.mouse.get_pos() if not hasattr(event, "mouse") else event.mouse, event)
        else:
            self._pointer(event)

    def command(self, command: Command) -> None:
        """Carry out an order, from a key or from a button."""
        window, session = self._window, self._window.session
        if command in LAYER_COMMANDS:
            setattr(window.layers, command.value, not getattr(window.layers, command.value))
            return
        if command in FILE_COMMANDS:
            if window.files is not None:
                window.files.order(command)
            return
        orders: dict[Command, Callable[[], None]] = {
            Command.HELP: self._show_help,
            Command.BACK: self._back,
            Command.PAUSE: session.clock.toggle_pause,
            Command.STEP: session.clock.request_step,
            Command.SLOWER: session.clock.slower,
            Command.FASTER: session.clock.faster,
            Command.RESTART: session.restart,
            Command.HOME: session.view.home,
            Command.MENU: self._open_menu,
            Command.QUIT: lambda: self.handle(pygame.event.Event(pygame.QUIT)),
        }
        orders[command]()

    def _show_help(self) -> None:
        self._window.help_shown, self._window.help_scrolled = True, 0

    def _open_menu(self) -> None:
        if self._window.menu is not None:
            self._window.menu.open(self._window.session)

    def _back(self) -> None:
        """Go back: from a close look, from a demo to the list, from there out, if that is what is wanted."""
        window = self._window
        if not window.browsing:
            if not window.session.look_back():
                window.browse()
        elif self._asked is not None and window.session.messages.now is self._asked:
            window.running = False
        else:
            lost = window.files.would_lose() if window.files is not None else ""
            self._asked = window.session.messages.answer(f"Esc once more: quit{f'; what you built in {lost} is lost' if lost else ''}")

    def _is_of_the_overlay(self, event: pygame.event.Event) -> bool:
        """Scroll the overlay of keys, or close it: Esc, F1, a click do nothing else, any other key was looked up and does what it does."""
        window = self._window
        if not window.help_shown:
            return False
        if event.type == pygame.MOUSEWHEEL or (event.type == pygame.KEYDOWN and event.key in _PAGES):
            notches = float(getattr(event, "precise_y", event.y)) if event.type == pygame.MOUSEWHEEL else _PAGES[event.key]
            window.help_scrolled = max(window.help_scrolled - round(_NOTCH * notches * window.layout.ui_scale), 0)
            return True
        if event.type == pygame.KEYDOWN and event.key not in _BESIDE:
            window.help_shown = False
            return event.key in (pygame.K_ESCAPE, pygame.K_F1)
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in _BUTTONS:
            window.help_shown = False
            return True
        return event.type == pygame.MOUSEBUTTONDOWN

    # -- keys ---------------------------------------------------------------------------------------------------------

    def _key(self, event: pygame.event.Event) -> None:
        command, window = command_of(event), self._window
        if window.browser is not None:
            self._key_in_list(event, window.browser, command)
        elif command is not None:
            self.command(command)
        elif is_plain(event):
            window.session.press(pygame.key.name(event.key))

    def _key_in_list(self, event: pygame.event.Event, browser: Browser, command: Command | None) -> None:
        window = self._window
        if command is Command.BACK and window.searched:
            window.search("")
        elif command in (Command.BACK, Command.HELP):
            self.command(command)
        elif event.key in (pygame.K_UP, pygame.K_DOWN):
            window.choose(browser.beside(window.chosen, 1 if event.key == pygame.K_DOWN else -1))
            browser.reveal(window.chosen)
        elif event.key in _ENTER:
            if window.chosen in browser.found:
                window.start(window.chosen)
        else:
            window.search(edited(event, window.searched))

    # -- the pointer --------------------------------------------------------------------------------------------------

    def _wheel(self, at: tuple[int, int], event: pygame.event.Event) -> None:
        window, notches = self._window, float(getattr(event, "precise_y", event.y))
        if is_inside(at, window.layout.panel):
            window.column.scroll(notches)
        elif is_inside(at, window.view) and not window.browsing:
            self._pointing.wheel(at, notches)

    def _pointer(self, event: pygame.event.Event) -> None:
        window, at = self._window, getattr(event, "pos", None)
        in_view = at is not None and is_inside(at, window.view)
        if event.type == pygame.MOUSEMOTION:
            self.pointed = at if in_view else None
        if at is None or not (is_inside(at, window.layout.strip) or (window.browser is not None and window.browser.is_head(at))):
            window.manager.process_events(event)
        if window.browser is not None:
            self._point_at_list(event, window.browser, in_view)
        elif window.panel is not None:
            self._point_at_demo(event, window.panel, in_view)

    def _point_at_list(self, event: pygame.event.Event, browser: Browser, in_view: bool) -> None:
        window, index = self._window, browser.started_by(event)
        if event.type == pygame.MOUSEMOTION:
            browser.point_at(event.pos)
        is_click = event.type == pygame.MOUSEBUTTONDOWN and event.button == 1
        if is_click and browser.opens_menu(event.pos):
            self.command(Command.MENU)
        elif is_click and browser.empties(event.pos):
            window.search("")
        elif index is not None:
            window.start(index)
        elif event.type == pygame.MOUSEMOTION:
            hovered = browser.hovered()
            if hovered is not None:
                window.choose(hovered)
        elif is_click and in_view:
            window.start(window.chosen)

    def _point_at_demo(self, event: pygame.event.Event, panel: DemoPanel, in_view: bool) -> None:
        command = panel.handle(event)
        if command is not None:
            self.command(command)
        elif event.type == pygame.MOUSEBUTTONDOWN and in_view:
            self._pointing.press(event, self._window.painter.difference_at(event.pos))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1:
            self._look_at_the_next(panel.referee.reason_at(event.pos))
        elif event.type == pygame.MOUSEBUTTONUP:
            self._pointing.release(event)
        elif event.type == pygame.MOUSEMOTION:
            self._pointing.move(event, self._window.ui_scale)

    def _look_at_the_next(self, reason: str | None) -> None:
        """Look at the largest difference of a reason, at the next one if that is looked at already."""
        session = self._window.session
        found = self._window.painter.differences_of(reason) if reason is not None else []
        if found:
            focus = session.view.focus
            seen = next((k for k, one in enumerate(found) if focus is not None and focus.is_of(one.stage, one.difference)), -1)
            session.look_at(*found[(seen + 1) % len(found)])
