"""The whole window: the list of demos with a preview, or a demo with panel, view, docks and status strip.

Which way an event takes, and what it does, is told in `engine.app.event_router`; what lies beside the view, and how the view is shared
out, in `engine.app.panels.dock_area`. Here are the parts that it consists of, what is shown in it, and its frames. It draws on any
surface it is given, so that the loop, the tests and the screenshots use the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

import pygame
from pygame_gui import UIManager

from engine.app.autosave import Autosave
from engine.app.browser import Browser, called, found_in
from engine.app.event_router import EventRouter
from engine.app.frame import FramePainter
from engine.app.keys import HELP, NOTES, Command
from engine.app.layout import fitting_scale, lay_out
from engine.app.left import LeftSessions
from engine.app.panel import DemoPanel
from engine.app.panels.all_docks import make_docks
from engine.app.panels.dock import Dock
from engine.app.panels.dock_area import DockArea
from engine.app.panels.files_dock import FilesDock
from engine.app.panels.menu_dock import MenuDock
from engine.app.plain_check import PlainCheck
from engine.app.preferences import Appearance
from engine.app.status_strip import CheckNote, Note, Notes, draw_strip
from engine.app.surface_cache import KeptPictures
from engine.app.widgets import ScrollPanel, theme_for
from engine.common.errors import LabError
from engine.demo.base import Demo
from engine.demo.replaying import demo_kind, new_demo
from engine.demo.session import Session
from engine.demo.stage import RefereeFactory
from engine.history.recordings import Recording
from engine.render import palette
from engine.render.camera import Place
from engine.render.canvas import Canvas
from engine.render.hud import draw_help
from engine.render.raster import Raster, load_raster
from engine.render.views import Layers

__all__ = ["Window"]


class Window:
    """State of the window between two events.

    Parameters
    ----------
    size : (width, height)
        Pixels.
    demos : sequence of Demo classes
        What the browser lists.
    demo : Demo, optional
        Begin in this one instead of the browser; Esc then goes to the browser.
    seed : int
        For demos started from the browser.
    ui_scale : float
        Screen pixels to a design pixel.
    is_watched : bool
        False off-screen, where a picture waits for whatever it needs.

    Attributes
    ----------
    running : bool
        False once the user has asked to close.
    session : Session
        The demo that runs, or the preview behind the browser.
    browsing : bool
    help_shown : bool
    help_scrolled : int
        Pixels of the overlay of keys above its plate.
    chosen : int
        Place of the demo that is marked in the list.
    searched : str
        What was typed there to find demos.
    layout : Layout
    painter : FramePainter
    manager : UIManager
        Of the widgets, which are made anew with every change of the layout or of what is shown.
    browser : Browser or None
        The list, while somebody browses.
    panel : DemoPanel or None
        The demo's, else.
    dock_area : DockArea
    left : LeftSessions
        Demos that were left, and are found again as they were.
    appearance : Appearance
    """

    def __init__(
        self,
        size: tuple[int, int],
        demos: Sequence[type[Demo]],
        demo: Demo | None = None,
        seed: int = 0,
        ui_scale: float = 1.0,
        is_watched: bool = True,
    ) -> None:
        self.running = True
        self.help_shown = False
        self.help_scrolled = 0
        self.browsing = demo is None
        self.appearance = Appearance(ui_scale)
        self._demos = tuple(demos)
        self._seed = seed
        self._is_watched = is_watched
        self._layers = Layers()
        self._referee: RefereeFactory | None = None
        self._is_complete = False
        self._check = CheckNote()
        self._notes = Notes()
        self._plain: PlainCheck | None = None
        self._wanted_scale = ui_scale
        self.layout = lay_out(size, fitting_scale(size, ui_scale))
        self._view = self.layout.view
        self.painter = self._new_painter()
        self._kept = KeptPictures()
        self.dock_area = DockArea(make_docks(self) if is_watched else (), lambda: self.has_docks)
        self.browser: Browser | None = None
        self.panel: DemoPanel | None = None
        self._scrolled = 0
        self.searched = ""
        first = type(demo) if demo is not None else next((one for one in self._demos if one.opens_list), None)
        self.chosen = self._demos.index(first) if first in self._demos else 0
        self.left = LeftSessions()
        self.session: Session = self._session(demo if demo is not None else self._preview(self.chosen))
        self._router = EventRouter(self)
        self.dock_area.begin(self.session)
        self._rebuild()

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def size(self) -> tuple[int, int]:
        """Pixels."""
        return self.layout.size

    @property
    def view(self) -> Place:
        """Where the demo, or the preview behind the browser, is drawn."""
        return self._view

    @property
    def readout(self) -> pygame.Rect:
        """Where the demo's lines stand; empty where it has none."""
        return self.painter.readout

    @property
    def corners(self) -> list[pygame.Rect]:
        """What stands in the lower corners of the view: the scale bar, the sample of an impulse."""
        return self.painter.corners

    @property
    def note(self) -> Note | None:
        """What is said in the status strip, and its colour."""
        return self._notes.now(self.session, self._check.is_warming_up) or self.dock_area.note(self.session)

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""
        return self.layout.ui_scale

    @property
    def is_text_limited(self) -> bool:
        """Whether text of the size asked for has no room in the window."""
        return self.layout.ui_scale < self._wanted_scale

    @property
    def docks(self) -> tuple[Dock, ...]:
        """The parts beside and over the view."""
        return self.dock_area.docks

    @property
    def files(self) -> FilesDock | None:
        """The part that saves and opens; None off-screen."""
        return next((dock for dock in self.docks if isinstance(dock, FilesDock)), None)

    @property
    def menu(self) -> MenuDock | None:
        """What can be done, to choose from; None off-screen."""
        return next((dock for dock in self.docks if isinstance(dock, MenuDock)), None)

    @property
    def has_docks(self) -> bool:
        """Whether they are shown: they are for a demo that runs and remembers."""
        return not self.browsing and self.session.timeline.history is not None

    @property
    def column(self) -> ScrollPanel:
        """What is at the left, and can be scrolled: the list, or the demo's panel."""
        column = self.browser.column if self.browser is not None else self.panel.column if self.panel is not None else None
        assert column is not None
        return column

    @property
    def layers(self) -> Layers:
        """What is shown of the demo that runs."""
        return self.session.layers

    # -- the live check arrives late ----------------------------------------------------------------------------------

    def use_referee(self, factory: RefereeFactory, is_complete: bool = True) -> None:
        """Begin the live check; not `is_complete`: what a demo asks beside it is there when `has_everything` says so."""
        self._referee, self._is_complete = factory, is_complete
        self.has_referee()
        if not self.browsing or self.session.demo.needs_referee:
            self.session.demo.run.use_referee(factory, is_complete)

    def has_everything(self) -> None:
        """Note that all is there that a demo can ask."""
        if not self._is_complete:
            self._is_complete = True
            if not self.browsing or self.session.demo.needs_referee:
                self.session.demo.run.use_missing_referees(self._referee)

    def _referee_of(self, kind: type[Demo]) -> RefereeFactory | None:
        """Return what a new demo of this kind may take for granted by now."""
        return self._referee if self._is_complete or not kind.needs_referee else None

    def has_referee(self, is_loaded: bool = True) -> None:
        """Note that there is one, the demo's own or a factory, or that it needs none; where kernels are loaded, those that draw are too."""
        self._plain = None
        self._check.is_there()
        if is_loaded:
            self.painter.raster = load_raster()

    def use_plain_check(self, check: PlainCheck) -> None:
        """Check a few contacts a frame with this until the live check is there, of the demo that runs."""
        self._plain = check

    def checks_a_few(self, words: str, short: str) -> None:
        """Say how few contacts were checked while the live check is still to come, of a demo that is not run here."""
        self._check.comes("", short)
        self._check.meanwhile = words

    def warms_up(self, words: str, short: str) -> None:
        """Say that the live check is still to come, and how far it is: in a sentence on the panel, and in a few words."""
        self._check.comes(words, short)

    def no_referee(self, reason: str) -> None:
        """Say on the panel why there is no live check."""
        self._plain = None
        self._check.fails(reason)

    # -- from one demo to another -------------------------------------------------------------------------------------

    def start(self, index: int) -> None:
        """Start the demo of that place in the list, or from the list come back to it as it was left."""
        self.chosen = index
        left = self.left.of(self._demos[index]) if self.browsing else None
        if left is not None:
            self.come_back(left)
        else:
            self.open_demo(self._demos[index])

    def come_back(self, session: Session) -> None:
        """Go on in a demo that was left."""
        self.left.take(session)
        self.browsing = False
        self._show(session)
        referee = self._referee_of(type(session.demo))
        if referee is not None:
            session.demo.run.use_missing_referees(referee)
        now = 0 if session.timeline.history is None else session.timeline.history.now
        session.messages.answer(f"as you left it, at step {now}{', paused' if session.clock.paused else ''}; R begins anew")

    def is_listed(self, demo: Demo) -> bool:
        """Tell whether a demo is one of the list."""
        return type(demo) in self._demos

    def choose(self, index: int) -> None:
        """Mark a demo of the list, and show its preview; nothing happens where there is none."""
        if self.browser is not None and index != self.chosen and 0 <= index < len(self._demos):
            self.chosen = index
            self._take_up(self._session(self._preview(index)))
            self.browser.choose(index)
            self.session.view.place(self.browser.preview_place(self.layout.view, self._demos[index]))

    def search(self, words: str) -> None:
        """List the demos that have some words; where the one marked is none of them, or another is called so, the first such is marked."""
        if self.browser is None or words == self.searched:
            return
        self.searched = words
        self.browser.show(words)
        meant = called(self._demos, words) or self.browser.found
        if meant and self.chosen not in meant:
            self.choose(meant[0])
        self.browser.choose(self.chosen)
        self.browser.reveal(self.chosen)

    def browse(self) -> None:
        """Go to the list."""
        self.browsing = True
        if type(self.session.demo) in self._demos:
            self.chosen = self._demos.index(type(self.session.demo))
        if self.chosen not in found_in(self._demos, self.searched):
            self.searched = ""
        self._show(self._session(self._preview(self.chosen)))

    def open_demo(self, kind: type[Demo]) -> bool:
        """Start a demo that need not be in the list; if it cannot be built, say why, stay, and return False."""
        return self._open(lambda: kind(self._seed, referee=self._referee_of(kind)), kind.title or "this")

    def play(self, recording: Recording) -> None:
        """Open what was recorded; if it cannot be, say why. What was recorded in a demo that is still here is gone back to there."""
        here = next((one for one in (self.session, *reversed(self.left.all)) if one.has_been(recording)), None)
        if here is not None:
            if here is not self.session:
                self.come_back(here)
            here.timeline.play_from(recording.begun, recording.steps)
            here.messages.say(f"recorded here: steps {recording.begun:,} to {recording.steps:,} of the time line, which has all of it")
            return
        if self._open(lambda: new_demo(recording, self._referee_of(demo_kind(recording))), "the recording"):
            try:
                self.session.play(recording)
            except LabError as error:
                self.session.messages.say(f"the recording cannot be played: {error}", palette.WARNING)

    def keep_scenes(self, autosave: Autosave) -> None:
        """Keep what is changed by hand, and offer what was left behind."""
        if self.files is not None:
            self.files.autosave = autosave

    def leave(self) -> None:
        """Let nothing of what was built be lost: the session ends, or the window closes."""
        self.dock_area.leave(self.session)

    def break_off(self) -> None:
        """Leave no half of a file behind: the window ends in the middle."""
        self.dock_area.break_off(self.session)

    def _open(self, make: Callable[[], Demo], what: str) -> bool:
        try:
            demo = make()
        except LabError as error:
            self.session.messages.say(f"{what} cannot be opened: {error}", palette.WARNING)
            return False
        self.browsing = False
        self._show(self._session(demo))
        return True

    def _show(self, session: Session) -> None:
        """Leave the demo that is seen, which is kept as it is, and show another."""
        before = self.session
        before.timeline.guarded(before.release_all)
        self.leave()
        given_up = self.left.keep(before)
        self._take_up(session)
        self.dock_area.begin(self.session)
        self._rebuild()
        for one in given_up:
            if one.timeline.history is not None and one.timeline.history.marks:
                words = f"what you did in {one.demo.title} can be taken back no more: only the last demos are kept as they were left"
                session.messages.say(words)

    def _take_up(self, session: Session) -> None:
        """Let a demo be the one that is seen."""
        self.session = session
        self._router.begin(session)

    def _session(self, demo: Demo) -> Session:
        demo.viewer.interactive = self._is_watched
        if demo.run.waits is None:  # else a recording says
            demo.run.waits = self._is_watched
        if self._referee is not None and not (self._is_complete or self.browsing):
            demo.run.use_referee(self._referee, is_complete=False)
        return Session(demo, self.layout.view, self._layers, has_history=self._is_watched and not self.browsing)

    def _preview(self, index: int) -> Demo:
        kind = self._demos[index]
        return kind(self._seed, referee=self._referee_of(kind) if kind.needs_referee else None)

    # -- events -------------------------------------------------------------------------------------------------------

    def handle(self, event: pygame.event.Event) -> None:
        """Take in one event."""
        if event.type != pygame.MOUSEMOTION:
            self._kept.forget()
        self._router.handle(event)

    def command(self, command: Command) -> None:
        """Carry out an order, from a key or from a button."""
        self._router.command(command)

    # -- its size -----------------------------------------------------------------------------------------------------

    def resize(self, size: tuple[int, int]) -> None:
        """Take another size; widgets are built anew before the next frame."""
        self._lay_out(size, self._wanted_scale)

    def rescale(self, ui_scale: float) -> None:
        """Take another size of text and widgets, screen pixels to a design pixel, as far as there is room for it in the window."""
        self._lay_out(self.size, ui_scale)

    def answer(self, words: str) -> None:
        """Say a line that answers a key."""
        self.session.messages.answer(words)

    def rebuild(self) -> None:
        """Make everything anew before the next frame: the colours are others."""
        self._outdated = True

    def _lay_out(self, size: tuple[int, int], wanted_scale: float) -> None:
        before, self._wanted_scale = self.layout, wanted_scale
        self.layout = lay_out(size, fitting_scale(size, wanted_scale))
        if self.layout != before:
            self._outdated = True
        if self.layout.ui_scale != before.ui_scale:
            self.painter = self._new_painter(self.painter.raster)

    def _new_painter(self, raster: Raster | None = None) -> FramePainter:
        return FramePainter(self.layout.ui_scale, raster, shrinks=not self._is_watched)

    def _rebuild(self) -> None:
        """Build the widgets: those of the list, or the demo's."""
        layout, fonts = self.layout, self.painter.fonts
        self.manager = UIManager(layout.size, theme_for(layout.ui_scale), enable_live_theme_updates=False)
        self.dock_area.use_fonts(fonts)
        if self.browser is not None:
            self._scrolled = self.browser.column.scrolled
        self.browser = self.panel = None
        if self.browsing:
            self._view = layout.view
            self.browser = Browser(self.manager, fonts, layout.panel, self._demos, self.chosen, self._scrolled, self.searched)
            self.session.view.place(self.browser.preview_place(layout.view, self._demos[self.chosen]))
        else:
            self._carve()
            self.panel = DemoPanel(self.manager, fonts, layout.panel, self.session)
            self.panel.refresh()
        self.manager.update(0.0)
        self._kept.forget()
        self._outdated = False

    def _carve(self, is_cut: bool = False) -> None:
        """Give the docks their places, and the demo what is left of the view; the picture stays where it is if that is all that changes."""
        self._view = self.dock_area.carve(self.layout.view, self.ui_scale)
        self.session.view.place(self._view, is_cut)

    # -- frames -------------------------------------------------------------------------------------------------------

    def update(self, elapsed: float) -> None:
        """Advance by `elapsed` real seconds."""
        self._kept.elapse(elapsed)
        if self._outdated:
            self._rebuild()
        opened = self._router.dropper.deliver(self.session)
        if isinstance(opened, Recording):
            self.play(opened)
        elif opened is not None:
            self.open_demo(opened)
        if self.panel is not None:
            self.panel.apply()
        for stage in self.session.demo.stages:
            stage.checking = self.layers.check
        self.dock_area.update(self.session, elapsed)
        if self.has_docks and self.dock_area.is_outdated:
            self._carve(is_cut=True)
        session, is_run = self.session, not self.browsing
        session.advance(elapsed)
        self._notes.advance(elapsed, is_run and session.clock.is_slow, is_run and self.painter.shows_nothing)
        if self._plain is not None and is_run and self.layers.check:
            self._plain.look(session.demo.stages, has_stepped=session.costs.latest.steps > 0)
            self._check.meanwhile = self._plain.words
        if self.panel is not None:
            self.panel.refresh()
        self.manager.update(elapsed)

    @property
    def is_at_work(self) -> bool:
        """Whether the demo has to go on where nobody sees it: it is recorded, or the history is on its way, into a file or elsewhere."""
        session = self.session
        return session.recorder is not None or session.timeline.is_on_the_way or any(dock.is_at_work for dock in self.docks)

    def rest(self, elapsed: float) -> None:
        """Let real seconds pass in which the demo stands still because nobody looks: what is to be kept is kept."""
        self.dock_area.update(self.session, elapsed)

    def show(self, surface: pygame.Surface) -> None:
        """Prepare the next picture and draw it."""
        start = perf_counter()
        self._prepare()
        self._draw(surface)
        self.session.costs.drew(1000.0 * (perf_counter() - start))

    @property
    def _pointed(self) -> tuple[int, int] | None:
        """What of the demo is pointed at, pixels."""
        return self._router.pointed if not self.browsing and not self.help_shown else None

    def _prepare(self) -> None:
        """Settle what the picture shows: widgets, the room of the camera, the moment between two steps."""
        if self._outdated:
            self._rebuild()
        self.painter.prepare(self.session, self._pointed, has_readout=not self.browsing)

    def _draw(self, surface: pygame.Surface) -> None:
        """Draw everything, and change nothing of the session."""
        session, painter, layout = self.session, self.painter, self.layout
        self._kept.begin()
        painter.paint(surface, session, self._pointed, paint_over=self.paint_docks)
        self._draw_panel(surface)
        self.dock_area.draw(surface, self.session, self._kept)
        note = self.note
        shows = (session.demo.steps, session.costs.shown, session.clock.pace, self._check.short, note)
        strip = partial(draw_strip, surface, painter, layout.strip, session, self._check, self.browsing, note)
        self._kept.draw(surface, "strip", layout.strip, shows if self._is_watched and not self.browsing else None, strip)
        if self.help_shown:
            own = ((("This demo", session.demo.keys),) if session.demo.keys else ()) + HELP
            whole = (0, 0, layout.size[0], layout.size[1] - layout.strip[3])
            groups = own + self.dock_area.keys()
            self.help_scrolled = min(self.help_scrolled, draw_help(surface, painter.fonts, whole, groups, NOTES, self.help_scrolled))

    def paint_docks(self, canvas: Canvas) -> None:
        """Draw over the bodies what docks draw there."""
        self.dock_area.paint(canvas, self.session)

    def _draw_panel(self, surface: pygame.Surface) -> None:
        """Draw the list of demos, or the demo's panel, and the widgets."""
        if self.browser is not None:
            self.browser.draw(surface, self.layout.view, self._demos[self.chosen])
            self.manager.draw_ui(surface)
            self.browser.draw_over(surface)
        elif self.panel is not None:
            self.panel.refresh()
            missing, partly = self._check.words(self.session), self._check.until(self.session)
            shows = self.panel.shows(missing + partly) if self._is_watched else None
            self._kept.draw(surface, "panel", self.layout.panel, shows, partial(self.panel.draw, surface, missing, partly))
            self.manager.draw_ui(surface)
            self.panel.draw_over(surface)
