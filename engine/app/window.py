"""The whole window: the list of demos with a preview, or a demo with panel, view, docks and status strip.

`engine.app.navigator` decides which demo is shown, `engine.app.screen` lays out the parts, `engine.app.event_router` dispatches the events,
and `engine.app.panels.dock_area` places the docks. This module runs their frames. The window draws on any given surface, so the loop, the
tests and the screenshots share one implementation.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import pygame

from engine.app.app import App
from engine.app.browser import Browser
from engine.app.commands import button_of, find, run
from engine.app.event_router import EventRouter
from engine.app.files.recovery import Recovery
from engine.app.layout import is_inside
from engine.app.navigator import Navigator
from engine.app.panels.dock import Dock, WindowActions
from engine.app.panels.dock_area import DockArea, make_docks
from engine.app.panels.files_dock import FilesDock
from engine.app.screen import Screen
from engine.app.session import Session
from engine.app.status_strip import CheckNote, Note, Notes, draw_strip, verdict_at
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.raster import load_raster
from engine.sim.demo import Demo
from engine.sim.stage import RefereeFactory
from engine.ui.rows import Row

if TYPE_CHECKING:
    from engine.net.client_session import ClientSession
    from engine.net.server_thread import ServerThread

__all__ = ["TITLE", "Window"]

TITLE = "Collision laboratory"


class Window:
    """The parts of a window, and its frames.

    Parameters
    ----------
    size : (width, height)
        Pixels.
    demos : sequence of Demo classes
        Demos listed in the browser.
    demo : Demo, optional
        Start in this demo instead of the browser; Esc then switches to the browser.
    seed : int
        For demos started from the browser.
    ui_scale : float
        Screen pixels per design pixel.
    is_watched : bool
        False off-screen, where a picture waits until everything is loaded.
    client_session, server_thread : ClientSession and ServerThread, optional
        Start in the client's shared world; the server, if this program runs it.

    Attributes
    ----------
    check : CheckNote
        State of a missing live check.
    """

    def __init__(
        self,
        size: tuple[int, int],
        demos: Sequence[type[Demo]],
        demo: Demo | None = None,
        seed: int = 0,
        ui_scale: float = 1.0,
        is_watched: bool = True,
        client_session: ClientSession | None = None,
        server_thread: ServerThread | None = None,
    ) -> None:
        self._is_watched = is_watched
        self.check = CheckNote("loading the compiled algorithms", "check: loading", is_warming_up=True)
        self._notes = Notes()
        self._panel_rows: tuple[tuple[Row, ...], tuple[Row, ...]] = ((), ())
        self.screen = Screen(size, ui_scale, is_watched)
        self.navigator = Navigator(demos, demo, seed, is_watched, self.screen, self._leave, self._begin, client_session, server_thread)
        self.screen.ui.refuse = lambda words: self.session.messages.answer(words, palette.WARNING)
        self._actions = actions = WindowActions(
            lambda id, words="{title}", **more: button_of(find(id), lambda command: run(command, self.app), words, **more),
            lambda path: self.app.open_file(path),
            self.show,
            lambda: self.note,
            self._paint_docks,
            lambda choice: self.app.choose(choice),
            lambda reason: self.app.look_at_the_next(reason),
            lambda reason: self.app.step_through_the_largest(reason),
        )
        self.dock_area = DockArea(make_docks(self.navigator, self.screen, actions) if is_watched else (), self.navigator, self.screen.ui)
        self.app = App(self.navigator, self.screen, self.dock_area)
        self.router = EventRouter(self.app)
        self._begin(self.session)

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """False once the user has asked to close."""
        return self.app.running

    @property
    def caption(self) -> str:
        """The window's title: in a shared world, the user's name and the host, then the program's name."""
        network = self.navigator.network
        return TITLE if network is None else f"{network.caption} - {TITLE}"

    @property
    def session(self) -> Session:
        """The running demo, or the preview behind the list."""
        return self.navigator.session

    @property
    def browsing(self) -> bool:
        """True if the list of demos is shown."""
        return self.navigator.browsing

    @property
    def size(self) -> tuple[int, int]:
        """Size of the window, pixels."""
        return self.screen.layout.size

    @property
    def docks(self) -> tuple[Dock, ...]:
        """The docks."""
        return self.dock_area.docks

    @property
    def note(self) -> Note | None:
        """Text and color of the status strip's note."""
        note, state = self._notes.now(self.session, self.check.is_warming_up), self.dock_area.note(self.session)
        message = self.session.messages.now
        if state is None or message is None or note is None or message.words != note[0]:
            return note or state
        if message.is_passing:
            return f"{state[0]}  |  {note[0]}", state[1]  # a tool's hint does not hide that the user is offline
        return state if self.session.is_shared and not message.is_answer else note  # the state of a shared world outlasts messages

    # -- the live check, loaded later ----------------------------------------------------------------------------------

    def use_referee(self, factory: RefereeFactory) -> None:
        """Start the live check."""
        self.has_referee()
        self.navigator.use_referee(factory)

    def has_referee(self) -> None:
        """Record that the check is ready or not needed: kernels are loaded, including those for drawing."""
        self.check = CheckNote()
        self.screen.painter.raster = load_raster()

    # -- its end ------------------------------------------------------------------------------------------------------

    def recover(self, recovery: Recovery) -> None:
        """Start keeping recovery files, and offer the existing ones."""
        self.app.dock(FilesDock).recovery = recovery

    def leave(self) -> None:
        """Close the window: write recovery files, and leave the shared world."""
        self._leave(self.session)
        self._end()

    def break_off(self) -> None:
        """Delete unfinished files, because the program is about to end."""
        for dock in self.docks:
            dock.break_off(self.session)
        self._end()

    def _end(self) -> None:
        recovery = self.app.dock(FilesDock).recovery
        if recovery is not None:
            recovery.wait()
        if self.navigator.network is not None:
            self.navigator.network.client_session.leave()

    def _leave(self, session: Session) -> None:
        for dock in self.docks:
            dock.leave(session)

    def _begin(self, session: Session) -> None:
        self.router.begin(session)
        for dock in self.docks:
            dock.begin(session)
        self._build()

    # -- frames -------------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> None:
        """Handle an event."""
        if event.type != pygame.MOUSEMOTION:
            self.screen.cache.forget()
        self.router.handle(event)

    def update(self, elapsed: float) -> None:
        """Advance by `elapsed` real seconds."""
        screen = self.screen
        if screen.is_outdated:
            self._build()
        self.app.dropper.deliver(self.navigator)
        if (door := self.session.pop_stepper_request()) is not None:
            self.navigator.watch(door)
        self.app.apply_waiting_choice()
        screen.ui.advance(elapsed)
        self.session.demo.sim.is_checked = self.session.layers.check
        self.dock_area.update(self.session, elapsed)
        self.navigator.keep_up(elapsed)
        session, is_run = self.session, not self.browsing
        if self.navigator.has_docks and self.dock_area.is_outdated:
            screen.place(session, self.dock_area.carve(screen.layout.view, screen.ui_scale), is_cut=True)
            if self.dock_area.pop_request() or self.app.pointed is None:
                session.view.refit()
        session.advance(elapsed)
        self._notes.advance(elapsed, is_run and session.clock.is_slow, is_run and screen.painter.shows_nothing)

    @property
    def is_at_work(self) -> bool:
        """True if the demo must continue while hidden: it is shared, being recorded, or moving through its history."""
        session = self.session
        return (
            self.navigator.shared is not None
            or session.recorder is not None
            or session.timeline.is_on_the_way
            or any(dock.is_at_work for dock in self.docks)
        )

    def rest(self, elapsed: float) -> None:
        """Let real seconds pass while the demo is paused because the window is hidden; recovery files are still written."""
        self.dock_area.update(self.session, elapsed)

    def show(self, surface: pygame.Surface) -> None:
        """Prepare the next picture and draw it."""
        start = perf_counter()
        if self.screen.is_outdated:
            self._build()
        self.screen.painter.prepare(self.session, self._pointed, has_readout=not self.browsing)
        self._draw(surface)
        self.session.costs.drew(1000.0 * (perf_counter() - start))

    def _build(self) -> None:
        """Rebuild the widgets: those of the list, or the demo's."""
        navigator, screen = self.navigator, self.screen
        self.dock_area.use_fonts(screen.painter.fonts)
        if navigator.browsing:
            browser = Browser(
                screen.form, navigator.demos, navigator.start, navigator.search, navigator.step, self._actions, navigator.searched
            )
            screen.build_list(browser, navigator.chosen, navigator.session)
        else:
            view = self.dock_area.carve(screen.layout.view, screen.ui_scale)
            screen.build_panel(navigator.session, view, self._actions)

    @property
    def _pointed(self) -> tuple[int, int] | None:
        """The pointer's position in the demo's view, pixels."""
        return self.app.pointed if not self.browsing and self.screen.ui.modal is None else None

    def _draw(self, surface: pygame.Surface) -> None:
        """Draw everything, without changing the session."""
        session, screen = self.session, self.screen
        layout, painter = screen.layout, screen.painter
        screen.cache.begin()
        screen.ui.begin()
        painter.paint(surface, session, self._pointed, paint_over=self._paint_docks)
        self._draw_panel(surface)
        self.dock_area.draw(surface, session, screen.cache)
        note = self.note
        strip = partial(draw_strip, surface, painter, layout.strip, session, self.check, self.browsing, note)
        is_kept = self._is_watched and not self.browsing
        screen.cache.draw(surface, "strip", layout.strip, self._strip_shows if is_kept else None, strip, note)
        for overlay in self.router.overlays:
            overlay.draw(surface)
        screen.ui.draw_tip(surface)
        pointer = screen.ui.pointer
        if note is None and pointer is not None and is_inside(pointer, layout.strip):
            verdict = verdict_at(painter, layout.strip, session, self.check, self.browsing, pointer)
            if verdict is not None:
                screen.ui.draw_tip_at(surface, *verdict)

    def _paint_docks(self, canvas: Canvas) -> None:
        """Draw the docks' drawings over the bodies."""
        self.dock_area.paint(canvas, self.session)

    def _draw_panel(self, surface: pygame.Surface) -> None:
        """Draw the list of demos, or the demo's panel."""
        screen, chosen = self.screen, self.navigator.chosen
        if screen.browser is not None:
            screen.browser.draw(surface, screen.layout.view, self.navigator.demos[chosen])

        def shows() -> Hashable:
            self._panel_rows = self._rows_of_panel()
            return self._panel_rows

        def draw() -> None:
            if not self._is_watched:
                shows()
            head, rows = self._panel_rows
            screen.form.lay_out(rows, screen.layout.panel, head)
            screen.form.draw(surface)
            left, top, width, height = screen.layout.panel
            pygame.draw.line(surface, palette.PANEL_EDGE, (left + width - 1, top), (left + width - 1, top + height))

        screen.cache.draw(surface, "panel", screen.layout.panel, shows if self._is_watched else None, draw, screen.form.show())

    def _rows_of_panel(self) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
        """Return the rows on the left: the fixed ones and the scrolled ones."""
        screen = self.screen
        if screen.browser is not None:
            return tuple(screen.browser.head(self.navigator.chosen)), tuple(screen.browser.rows(self.navigator.chosen))
        assert screen.panel is not None
        rows = screen.panel.rows(self.check.words(self.session), self.app.appearance.shows_more)
        return screen.panel.head(), tuple(rows)

    def _strip_shows(self) -> Hashable:
        session = self.session
        return session.demo.steps, session.costs.shown, session.clock.pace, self.check.short
