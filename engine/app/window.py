"""The whole window: browser or demo, panel, view, status strip; events in, picture out.

It draws on any surface it is given, so that the loop, the tests and the screenshots use the same one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

import pygame
from pygame_gui import UIManager

from engine.app.appearance import Appearance
from engine.app.autosave import Autosave
from engine.app.browser import Browser
from engine.app.demo import Demo
from engine.app.dock import Dock, carve, draw_folded
from engine.app.docks import make_docks
from engine.app.dropper import DROP_EVENTS, Dropper
from engine.app.files_dock import FilesDock
from engine.app.frame import FoundDifference, FramePainter
from engine.app.kept import KeptPictures
from engine.app.keys import HELP, KEY_COMMANDS, LAYER_COMMANDS, NOTES, Command
from engine.app.layout import Place, fitting_scale, lay_out
from engine.app.panel import DemoPanel
from engine.app.recordings import Recording
from engine.app.session import Session
from engine.app.stage import RefereeFactory
from engine.app.theme import theme_for
from engine.app.warmup import LOADING
from engine.common.errors import LabError
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.debug_draw import Layers
from engine.render.hud import draw_help, draw_status
from engine.render.palette import Color
from engine.render.raster import Raster, load_raster

__all__ = ["Window"]

_LEAST_DOCK = 20
"""Pixels: into less than that nothing can be drawn, and a dock need not try."""
_POINTER = (pygame.MOUSEMOTION, pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP, pygame.MOUSEWHEEL)
_CLICK = 4.0
"""Design pixels that a pressed pointer may move and still mean a click."""


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
        self._layers = Layers()
        self._demos = tuple(demos)
        self._seed = seed
        self._is_watched = is_watched
        self._referee: RefereeFactory | None = None
        self._check_note, self._warming_up = LOADING, "check: warming up"
        self._wanted_scale = ui_scale
        self._layout = lay_out(size, fitting_scale(size, ui_scale))
        self._painter = self._new_painter()
        first = type(demo) if demo is not None else next((one for one in self._demos if one.opens_list), None)
        self._chosen = self._demos.index(first) if first in self._demos else 0
        self.browsing = demo is None
        self._docks = make_docks() if is_watched else ()
        self._docked: tuple[float, ...] = ()
        self._n_opened = 0
        self._kept = KeptPictures()
        self._dropper = Dropper()
        self._panning = False
        self._gripping = False
        self._pointed: tuple[int, int] | None = None
        self._over: tuple[int, int] | None = None
        self._clicked: tuple[tuple[int, int], FoundDifference] | None = None
        self._outdated = True
        self._browser: Browser | None = None
        self._scrolled = 0
        self.appearance = Appearance(ui_scale)
        self._view = self._layout.view
        self.session = self._session(demo if demo is not None else self._demos[self._chosen](seed))
        for dock in self._docks:
            dock.begin(self)
        self._rebuild()

    @property
    def size(self) -> tuple[int, int]:
        """Pixels."""
        return self._layout.size

    @property
    def docks(self) -> tuple[Dock, ...]:
        """The parts beside and over the view."""
        return self._docks

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""
        return self._layout.ui_scale

    @property
    def is_text_limited(self) -> bool:
        """Whether text of the size asked for has no room in the window."""
        return self._layout.ui_scale < self._wanted_scale

    @property
    def layers(self) -> Layers:
        """What is shown of the demo that runs."""
        return self.session.layers

    # The referee arrives late

    def use_referee(self, factory: RefereeFactory) -> None:
        """Begin the live check."""
        self._referee = factory
        self.has_referee()
        if not self.browsing or self.session.demo.needs_referee:
            self.session.demo.use_referee(factory)

    def has_referee(self) -> None:
        """Note that there is one, the demo's own or a factory: the kernels are loaded, those that draw too."""
        self._check_note = self._warming_up = ""
        self._painter.raster = load_raster()

    def warms_up(self, words: str, short: str) -> None:
        """Say that the live check is still to come, and how far it is: in a sentence on the panel, and in a few words."""
        if self._warming_up:
            self._check_note, self._warming_up = words, short

    def no_referee(self, reason: str) -> None:
        """Say on the panel why there is no live check."""
        self._warming_up = ""
        self._check_note = f"no live check: {reason}"

    # Events

    def handle(self, event: pygame.event.Event) -> None:
        """Take in one event."""
        if event.type != pygame.MOUSEMOTION:
            self._kept.forget()
        if self.appearance.handle(event, self) or self._offer(event):
            return
        if event.type == pygame.QUIT:
            self.running = False
        elif event.type in (pygame.VIDEORESIZE, pygame.WINDOWSIZECHANGED):
            size = event.size if event.type == pygame.VIDEORESIZE else (event.x, event.y)
            self.resize(size)
        elif event.type == pygame.KEYDOWN:
            self._key(event.key)
        elif event.type == pygame.KEYUP:
            self.session.lift(pygame.key.name(event.key))
        elif event.type == pygame.WINDOWFOCUSLOST:
            self.session.let_go()
            self._let_go()
        elif event.type == pygame.WINDOWLEAVE:
            if not any(pygame.mouse.get_pressed()):  # whoever drags may leave the window
                self.handle(pygame.event.Event(pygame.MOUSEMOTION, pos=(-1, -1), rel=(0, 0), buttons=(0, 0, 0)))
        elif event.type in DROP_EVENTS:
            if self.browsing and event.type == pygame.DROPFILE:  # it falls into the demo that is chosen
                self.start(self._chosen)
            self._dropper.take(event, self.session, self._view)
        elif event.type == pygame.MOUSEWHEEL:
            self._wheel(pygame.mouse.get_pos() if not hasattr(event, "mouse") else event.mouse, event)
        else:
            self._pointer(event)

    def resize(self, size: tuple[int, int]) -> None:
        """Take another size; widgets are built anew before the next frame."""
        layout = lay_out(size, fitting_scale(size, self._wanted_scale))
        if layout != self._layout:
            is_rescaled = layout.ui_scale != self._layout.ui_scale
            self._layout = layout
            self._outdated = True
            if is_rescaled:
                self._painter = self._new_painter(self._painter.raster)

    def rescale(self, ui_scale: float) -> None:
        """Take another size of text and widgets, screen pixels to a design pixel, as far as there is room for it in the window."""
        self._wanted_scale = ui_scale
        self._layout = lay_out(self._layout.size, fitting_scale(self._layout.size, ui_scale))
        self._painter = self._new_painter(self._painter.raster)
        self._outdated = True

    def rebuild(self) -> None:
        """Make everything anew before the next frame: the colours are others."""
        self._outdated = True

    def command(self, command: Command) -> None:
        """Carry out an order, from a key or from a button."""
        session = self.session
        if command is Command.HELP:
            self.help_shown = not self.help_shown
        elif command is Command.BACK:
            self._back()
        elif command in LAYER_COMMANDS:
            setattr(self.layers, command.value, not getattr(self.layers, command.value))
        elif command is Command.PAUSE:
            session.clock.paused = not session.clock.paused
        else:
            orders: dict[Command, Callable[[], None]] = {
                Command.STEP: session.clock.request_step,
                Command.SLOWER: session.slower,
                Command.FASTER: session.faster,
                Command.RESTART: session.restart,
                Command.HOME: session.home,
            }
            orders[command]()

    def start(self, index: int) -> None:
        """Start the demo of that place in the list."""
        self._chosen = index
        self.browsing = False
        self._show(self._demos[index](self._seed, referee=self._referee))

    def play(self, recording: Recording) -> None:
        """Open what was recorded; if it cannot be, say why and stay."""
        try:
            demo = recording.new_demo(self._referee)
        except LabError as error:
            self.session.messages.say(f"the recording cannot be played: {error}", palette.WARNING)
            return
        self.browsing = False
        self._show(demo)
        try:
            self.session.play(recording)
        except LabError as error:
            self.session.messages.say(f"the recording cannot be played: {error}", palette.WARNING)

    def open_demo(self, kind: type[Demo]) -> None:
        """Start a demo that need not be in the list."""
        self.browsing = False
        self._show(kind(self._seed, referee=self._referee))

    @property
    def view(self) -> Place:
        """Where the demo, or the preview behind the browser, is drawn."""
        return self._view

    @property
    def readout(self) -> pygame.Rect:
        """Where the demo's lines stand; empty where it has none."""
        return self._painter.readout

    @property
    def corners(self) -> list[pygame.Rect]:
        """What stands in the lower corners of the view: the scale bar, the sample of an impulse."""
        return self._painter.corners

    def keep_scenes(self, autosave: Autosave) -> None:
        """Keep what is changed by hand, and offer what was left behind."""
        for dock in self._docks:
            if isinstance(dock, FilesDock):
                dock.autosave = autosave

    def leave(self) -> None:
        """Let nothing of what was built be lost: the session ends, or the window closes."""
        for dock in self._docks:
            dock.leave(self)

    def break_off(self) -> None:
        """Leave no half of a file behind: the window ends in the middle."""
        for dock in self._docks:
            dock.break_off(self)

    # Frames

    def update(self, elapsed: float) -> None:
        """Advance by `elapsed` real seconds."""
        self._kept.elapse(elapsed)
        if self._outdated:
            self._rebuild()
        opened = self._dropper.deliver(self.session)
        if isinstance(opened, Recording):
            self.play(opened)
        elif opened is not None:
            self.open_demo(opened)
        if self._panel is not None:
            self._panel.apply()
        for stage in self.session.demo.stages:
            stage.checking = self.layers.check
        for dock in self._active_docks:
            dock.update(self, elapsed)
        if self._has_docks:
            if self._docked != tuple(dock.size for dock in self._docks):  # one has come or gone
                self._carve()
        self.session.advance(elapsed)
        if self._panel is not None:
            self._panel.refresh()
        self._manager.update(elapsed)

    def draw(self, surface: pygame.Surface) -> None:
        """Draw everything."""
        start = perf_counter()
        if self._outdated:
            self._rebuild()
        self._kept.begin()
        over = self._pointed if not self.browsing and not self.help_shown else None
        self._painter.is_warming_up = bool(self._warming_up)
        self._painter.paint(surface, self.session, over, has_readout=not self.browsing, paint_over=self.paint_docks)
        if self._browser is not None:
            self._browser.draw(surface, self._layout.view, self._demos[self._chosen])
        elif self._panel is not None:
            self._panel.refresh()
            words = self._check_words()
            shows = self._panel.shows(words) if self._is_watched else None
            self._kept.draw(surface, "panel", self._layout.panel, shows, partial(self._panel.draw, surface, words))
        self._manager.draw_ui(surface)
        if self._panel is not None:
            self._panel.draw_over(surface)
        elif self._browser is not None:
            self._browser.column.draw_over(surface)
        self._draw_docks(surface)
        session = self.session
        shows = (session.demo.steps, session.shown, session.pace, self._check_note) if self._is_watched and not self.browsing else None
        self._kept.draw(surface, "strip", self._layout.strip, shows, partial(self._strip, surface))
        if self.help_shown:
            own = self.session.demo.keys
            groups = (*((("This demo", own),) if own else ()), *HELP)
            groups += tuple((dock.title, dock.keys) for dock in self._docks if self._has_docks and dock.keys)
            width, height = self._layout.size
            whole = (0, 0, width, height - self._layout.strip[3])
            draw_help(surface, self._painter.fonts, whole, groups, NOTES)
        self.session.drew(1000.0 * (perf_counter() - start))

    # Inside

    @property
    def _has_docks(self) -> bool:
        """Docks are for a demo that runs and remembers."""
        return not self.browsing and self.session.history is not None

    @property
    def _active_docks(self) -> tuple[Dock, ...]:
        return self._docks if self._has_docks else tuple(dock for dock in self._docks if dock.always)

    def _draw_docks(self, surface: pygame.Surface) -> None:
        """Draw the docks beside the view, those last that may write beside their place, and then what lies over the view."""
        for dock in self._active_docks:
            if dock.is_folded and dock.size > 0.0:
                draw_folded(surface, dock, self._over is not None and _inside(self._over, dock.place))
        docks = [dock for dock in self._active_docks if not (dock.is_folded and dock.size > 0.0)]
        beside = [dock for dock in docks if dock.side != "over" and min(dock.place[2:]) >= _LEAST_DOCK]
        shown = [(dock, dock.shows(self)) for dock in beside]
        for dock, shows in sorted(shown, key=lambda one: one[1] is None):
            self._kept.draw(surface, dock, dock.place, shows, partial(dock.draw, surface, self))
        for dock in self._active_docks:
            if dock.side == "over":
                dock.draw(surface, self)

    def _offer(self, event: pygame.event.Event) -> bool:
        """Let the docks take an event; return whether one did. The pointer over a folded one can only unfold it."""
        pointed = hasattr(event, "pos") and self._has_docks
        for dock in self._active_docks:
            if dock.is_folded and pointed and event.type == pygame.MOUSEBUTTONDOWN and _inside(event.pos, dock.place):
                dock.opened = self._n_opened = self._n_opened + 1
                self._carve()
                return True
        if event.type == pygame.MOUSEMOTION:
            self._over = event.pos
        is_hands = event.type in _POINTER
        return any(dock.handle(event, self) for dock in self._active_docks if not (is_hands and dock.is_folded))

    def _carve(self) -> None:
        """Give the docks their places, and the demo what is left of the view."""
        before = self._docked or (0.0,) * len(self._docks)
        self._docked = tuple(dock.size for dock in self._docks)
        for dock, size, was in zip(self._docks, self._docked, before, strict=True):
            if size > 0.0 and not was:
                dock.opened = self._n_opened = self._n_opened + 1
        self._view = carve(self._layout.view, self._layout.ui_scale, self._docks) if self._has_docks else self._layout.view
        if not self.browsing:
            self.session.place(self._view)

    def paint_docks(self, canvas: Canvas) -> None:
        """Draw over the bodies what docks draw there."""
        if self._has_docks:
            for dock in self._docks:
                dock.paint(canvas, self)

    def _session(self, demo: Demo) -> Session:
        demo.interactive = self._is_watched
        if demo.waits is None:  # else a recording says
            demo.waits = self._is_watched
        return Session(demo, self._layout.view, self._layers, remembers=self._is_watched and not self.browsing)

    def _new_painter(self, raster: Raster | None = None) -> FramePainter:
        return FramePainter(self._layout.ui_scale, raster, shrinks=not self._is_watched)

    def _preview(self, index: int) -> Demo:
        kind = self._demos[index]
        return kind(self._seed, referee=self._referee if kind.needs_referee else None)

    def _show(self, demo: Demo) -> None:
        self.leave()
        self.session = self._session(demo)
        self._panning = self._gripping = False
        self._clicked = None
        for dock in self._docks:
            dock.begin(self)
        self._rebuild()

    def _rebuild(self) -> None:
        layout = self._layout
        self._manager = UIManager(layout.size, theme_for(layout.ui_scale), enable_live_theme_updates=False)
        fonts = self._painter.fonts
        if self._browser is not None:
            self._scrolled = self._browser.column.scrolled
        self._browser = None
        self._panel: DemoPanel | None = None
        for dock in self._docks:
            dock.fonts = fonts
        if self.browsing:
            self._view = layout.view
            self._browser = Browser(self._manager, fonts, layout.panel, self._demos, self._chosen, self._scrolled)
            self.session.place(self._browser.preview_place(layout.view, self._demos[self._chosen]))
        else:
            self._carve()
            self._panel = DemoPanel(self._manager, fonts, layout.panel, self.session)
            self._panel.refresh()
        self._manager.update(0.0)
        self._kept.forget()
        self._outdated = False

    def _back(self) -> None:
        if self.help_shown:
            self.help_shown = False
        elif self.browsing:
            self.running = False
        elif not self.session.look_back():
            self.browsing = True
            if type(self.session.demo) in self._demos:
                self._chosen = self._demos.index(type(self.session.demo))
            self._show(self._preview(self._chosen))

    def _choose(self, index: int) -> None:
        if index != self._chosen and 0 <= index < len(self._demos):
            self._chosen = index
            self.session = self._session(self._preview(index))
            if self._browser is not None:
                self._browser.choose(index)
                self.session.place(self._browser.preview_place(self._layout.view, self._demos[index]))

    def _key(self, key: int) -> None:
        command = KEY_COMMANDS.get(key)
        if self.browsing:
            if command in (Command.BACK, Command.HELP):
                self.command(command)
            elif key in (pygame.K_UP, pygame.K_DOWN):
                self._choose(self._chosen + (1 if key == pygame.K_DOWN else -1))
                if self._browser is not None:
                    self._browser.reveal(self._chosen)
            elif key in (pygame.K_RETURN, pygame.K_KP_ENTER):
                self.start(self._chosen)
        elif command is not None:
            self.command(command)
        else:
            self.session.press(pygame.key.name(key))

    def _wheel(self, at: tuple[int, int], event: pygame.event.Event) -> None:
        notches = float(getattr(event, "precise_y", event.y))
        if _inside(at, self._view):
            if not self.browsing and not self.session.act("on_wheel", self.session.camera.to_world(at), notches):
                self.session.zoom(at, notches)
        elif _inside(at, self._layout.panel):
            column = self._browser.column if self._browser is not None else self._panel.column if self._panel is not None else None
            if column is not None:
                column.scroll(notches)

    def _pointer(self, event: pygame.event.Event) -> None:
        if self.help_shown and event.type == pygame.MOUSEBUTTONDOWN:
            self.help_shown = False
            return
        at = getattr(event, "pos", None)
        in_view = at is not None and _inside(at, self._view)
        if event.type == pygame.MOUSEMOTION:
            self._pointed = at if in_view else None
        if not (at is not None and _inside(at, self._layout.strip)):
            self._manager.process_events(event)
        if self._browser is not None:
            index = self._browser.started_by(event)
            if index is not None:
                self.start(index)
            elif event.type == pygame.MOUSEMOTION:
                hovered = self._browser.hovered()
                if hovered is not None:
                    self._choose(hovered)
            elif event.type == pygame.MOUSEBUTTONDOWN and event.button == 1 and in_view:
                self.start(self._chosen)
            return
        command = self._panel.handle(event) if self._panel is not None else None
        if command is not None:
            self.command(command)
        elif event.type == pygame.MOUSEBUTTONDOWN:
            if in_view:
                self._press(event)
            elif at is not None and event.button == 1:
                self._press_panel(at)
        elif event.type == pygame.MOUSEBUTTONUP:
            self._release(event)
        elif event.type == pygame.MOUSEMOTION:
            self._move(event)

    def _press(self, event: pygame.event.Event) -> None:
        if event.button == 1:
            found = self._painter.difference_at(event.pos)
            if found is not None:  # a click looks at it; a drag takes hold of what lies there
                self._clicked = (event.pos, found)
            else:
                self._grip("grab", event.pos)
        elif event.button in (2, 3):
            self._panning = event.button == 2 or not self._grip("turn", event.pos)

    def _press_panel(self, at: tuple[int, int]) -> None:
        """Look at the largest difference of the reason whose line was clicked, at the next one with the next click."""
        reason = self._panel.referee.reason_at(at) if self._panel is not None else None
        found = self._painter.differences_of(reason) if reason is not None else []
        if found:
            focus = self.session.focus
            seen = next((k for k, one in enumerate(found) if focus is not None and focus.is_of(one.stage, one.difference)), -1)
            self.session.look_at(*found[(seen + 1) % len(found)])

    def _release(self, event: pygame.event.Event) -> None:
        if event.button != 1:
            if not self._panning:
                self._ungrip()
            self._panning = False
        elif self._clicked is not None:
            found, self._clicked = self._clicked[1], None
            self.session.look_at(*found)
        else:
            self._ungrip()

    def _move(self, event: pygame.event.Event) -> None:
        if self._clicked is not None and math.dist(self._clicked[0], event.pos) > _CLICK * self._layout.ui_scale:
            self._grip("grab", self._clicked[0])
            self._clicked = None
        if self._panning:
            self.session.pan(*event.rel)
        if self._gripping:
            self.session.act("drag", self.session.camera.to_world(event.pos))

    def _grip(self, how: str, pixel: tuple[int, int]) -> bool:
        """Take hold, to pull or to turn, of what lies under a pixel; return whether there is something."""
        self._gripping = bool(self.session.act(how, self.session.camera.to_world(pixel)))
        return self._gripping

    def _ungrip(self) -> None:
        if self._gripping:
            self._gripping = False
            self.session.act("release")

    def _let_go(self) -> None:
        self._ungrip()
        self._panning = False
        self._clicked = None

    def _check_words(self) -> str:
        if self._check_note:
            return self._check_note
        if self.session.demo.note:
            return self.session.demo.note
        return "" if self.layers.check else "switched off (8)"

    def _bodies_words(self) -> str:
        total, n_asleep = sum(len(stage.world.body_ids) for stage in self.session.demo.stages), self._painter.n_asleep(self.session)
        return f"{total}, {n_asleep} asleep (dim)" if n_asleep else str(total)

    def _strip(self, surface: pygame.Surface) -> None:
        session, times = self.session, self.session.shown
        stages = session.demo.stages
        rate = f"{1000.0 / times.frame:.0f}/s" if times.frame > 0.0 else "-"
        frame, draw = ("frame", f"{times.frame:.1f} ms {rate}", palette.TEXT), ("draw", f"{times.draw:.1f} ms", palette.TEXT)
        cells: list[tuple[str, str, Color]] = [frame, draw]
        if stages:
            cells = [
                frame,
                ("step", f"{times.step:.2f} ms", palette.TEXT),
                ("check", f"{times.check:.2f} ms", palette.TEXT),
                draw,
                ("speed", session.pace, palette.WARNING if session.clock.paused else palette.TEXT),
                ("t", session.moment, palette.TEXT),
                ("bodies", self._bodies_words(), palette.TEXT),
                ("contacts", str(sum(len(stage.world.contacts) for stage in stages)), palette.TEXT),
            ]
        right: list[tuple[str, Color]] = []
        if self._warming_up or (self._check_note and not self.browsing):
            right.append((self._warming_up or "no live check", palette.WARNING))
        elif self.browsing:
            right.append(("preview", palette.CAPTION))
        elif stages:
            unexplained = sum(stage.total.unexplained + stage.pair_total.unexplained for stage in stages)
            explained = sum(stage.total.explained for stage in stages)
            right.append((f"agree {sum(stage.total.agree for stage in stages):,}", palette.AGREE))
            if explained:
                right.append((f"explained {explained:,}", palette.EXPLAINED))
            right.append((f"unexplained {unexplained:,}", palette.UNEXPLAINED if unexplained else palette.CAPTION))
        draw_status(surface, self._painter.fonts, self._layout.strip, cells, right)


def _inside(at: tuple[int, int], place: Place) -> bool:
    return place[0] <= at[0] < place[0] + place[2] and place[1] <= at[1] < place[1] + place[3]
