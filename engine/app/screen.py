"""What lies where in the window: layout and text size, the widgets of the list or of a demo, the view, the overlay of keys.

A plot or a table of numbers that is drawn sixty times a second costs as much as the scene, and cannot be read that fast. So of the
parts that change by themselves, as time goes on, one is drawn anew in a frame, the one that has waited longest; of five that change in
every frame each is drawn twelve times a second. What a click or a key changes is seen everywhere in the next frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import pygame
from msgspec.structs import replace
from pygame_gui import UIManager

from engine.app.browser import Browser
from engine.app.files.preferences import Preferences, save_preferences
from engine.app.frame import FramePainter
from engine.app.keys import Label
from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE, best_columns, fitting_scale, lanes, lay_out
from engine.app.panel import DemoPanel
from engine.app.session import Session
from engine.app.widgets import ScrollPanel, theme_for
from engine.render import palette
from engine.render.camera import Place
from engine.render.palette import THEMES
from engine.sim.demo import Demo

__all__ = ["Appearance", "Screen", "SurfaceCache"]

_LONGEST_WAIT = 0.1
"""Seconds after which a part is drawn however many others are: a tenth is as long as an answer may take and still seem immediate
(Miller, "Response time in man-computer conversational transactions", AFIPS 1968)."""
_UP_TO_DATE = -1.0


class _Part:
    """A picture, what it shows, and for how long it has shown what is no more, seconds; below 0: it is up to date."""

    def __init__(self, size: tuple[int, int], surface: pygame.Surface) -> None:
        self.picture = pygame.Surface(size, 0, surface)
        self.shows: tuple[Hashable, Place, str] | None = None
        self.waited = _UP_TO_DATE
        self.is_in_frame = True


class SurfaceCache:
    """The pictures, by the names of their parts."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, _Part] = {}
        self._first: Hashable = None
        self._elapsed = 0.0

    def forget(self) -> None:
        """Draw everything anew in the next frame: something was done."""
        self._parts.clear()

    def elapse(self, seconds: float) -> None:
        """Note that so much time has gone by."""
        self._elapsed += seconds

    def begin(self) -> None:
        """Begin a frame: choose the part that has waited longest, and forget those that are shown no more."""
        self._parts = {name: part for name, part in self._parts.items() if part.is_in_frame}
        waiting = {name: part.waited for name, part in self._parts.items() if part.waited >= 0.0}
        self._first = max(waiting, key=lambda name: waiting[name]) if waiting else None
        for part in self._parts.values():
            part.is_in_frame = False
            if part.waited >= 0.0:
                part.waited += self._elapsed
        self._elapsed = 0.0

    def draw(self, surface: pygame.Surface, name: Hashable, place: Place, shows: Hashable, paint: Callable[[], object]) -> None:
        """Draw a part of the window.

        Parameters
        ----------
        surface : pygame.Surface
        name : hashable
            Of the part.
        place : (left, top, width, height)
            Pixels, all of which `paint` covers, and no others.
        shows : hashable
            All that the picture depends on and that changes by itself, but for the theme. With None it is drawn in every
            frame, and not kept.
        paint : callable
            Draws it on the surface.
        """
        if shows is None:
            self._parts.pop(name, None)
            paint()
            return
        now = (shows, place, palette.theme_name())
        part = self._parts.get(name)
        if part is not None:
            part.is_in_frame = True
            if part.shows == now:
                part.waited = _UP_TO_DATE
                surface.blit(part.picture, place[:2])
                return
            if part.shows is not None and part.shows[1:] == now[1:] and not self._has_turn(name, part):
                surface.blit(part.picture, place[:2])
                return
        if part is None or part.picture.get_size() != place[2:]:
            part = self._parts[name] = _Part(place[2:], surface)
        part.shows, part.waited = now, _UP_TO_DATE
        paint()
        part.picture.blit(surface, (0, 0), place)

    def _has_turn(self, name: Hashable, part: _Part) -> bool:
        """Return True if a part that has changed is drawn in this frame: the first of those that wait, and any that has waited too long."""
        part.waited = max(part.waited, 0.0)
        if self._first is None:  # nothing waited before this frame
            self._first = name
        return self._first == name or part.waited >= _LONGEST_WAIT


_NOTCH = 0.125


class Screen:
    """The surface of a window, shared out; `ui_scale` is screen pixels to a design pixel that are wanted, `is_watched` is false off-screen.

    Attributes
    ----------
    view : (left, top, width, height)
        Where the demo, or the preview behind the browser, is drawn.
    manager : UIManager
        Of the widgets, which are made anew with every change of the layout or of what is shown.
    browser : Browser or None
        The list, while it is shown.
    panel : DemoPanel or None
        The demo's, else.
    help_scrolled : int
        Pixels of the overlay of keys above its plate, while it is shown.
    is_outdated : bool
        Whether everything has to be made anew before the next frame.
    """

    def __init__(self, size: tuple[int, int], ui_scale: float, is_watched: bool) -> None:
        self._wanted_scale, self._is_watched = ui_scale, is_watched
        self.layout = lay_out(size, fitting_scale(size, ui_scale))
        self.view = self.layout.view
        self.painter = FramePainter(self.ui_scale, shrinks=not is_watched)
        self.cache = SurfaceCache()
        self.manager: UIManager
        self.browser: Browser | None = None
        self.panel: DemoPanel | None = None
        self._scrolled = 0
        self.help_shown = False
        self.help_scrolled = 0
        self.is_outdated = False
        self._columns = 1

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""
        return self.layout.ui_scale

    @property
    def is_text_limited(self) -> bool:
        """Whether text of the size asked for has no room in the window."""
        return self.ui_scale < self._wanted_scale

    @property
    def column(self) -> ScrollPanel:
        """What is at the left, and can be scrolled: the list, or the demo's panel."""
        column = self.browser.column if self.browser is not None else self.panel.column if self.panel is not None else None
        assert column is not None
        return column

    def resize(self, size: tuple[int, int]) -> None:
        """Take another size; widgets are built anew before the next frame."""
        self._lay_out(size, self._wanted_scale)

    def rescale(self, ui_scale: float) -> None:
        """Take another size of text and widgets, as far as there is room for it in the window."""
        self._lay_out(self.layout.size, ui_scale)

    def build_list(self, demos: Sequence[type[Demo]], chosen: int, searched: str, preview: Session) -> None:
        """Build the widgets of the list, and give the preview its place."""
        self._clear()
        self.view = self.layout.view
        self.browser = Browser(self.manager, self.painter.fonts, self.layout.panel, demos, chosen, self._scrolled, searched)
        preview.view.place(self.browser.preview_place(self.view, demos[chosen]))
        self.manager.update(0.0)

    def build_panel(self, session: Session, view: Place, label: Callable[[str], Label], is_unfolded: bool) -> None:
        """Build the widgets of a demo, and give it its view; a panel that is made anew stays where it was scrolled to."""
        before = self.panel if self.panel is not None and self.panel.is_of(session) else None
        self._clear()
        self.place(session, view)
        motion = before.motion if before is not None else None
        self.panel = DemoPanel(self.manager, self.painter.fonts, self.layout.panel, session, label, is_unfolded, motion)
        if before is not None:
            self.panel.column.scroll_to(before.column.scrolled)
        self.panel.refresh()
        self.manager.update(0.0)

    def place(self, session: Session, view: Place, is_cut: bool = False) -> None:
        """Give a demo its view, and each one beside it a lane in it; the picture stays where it is if it is only cut."""
        self.view = view
        n = session.n_lanes
        if not n:
            session.view.place(view, is_cut)
            return
        if len(session.view.lanes) != n or not is_cut:
            box = session.demo.home()
            self._columns = best_columns(view, (box.upper[0] - box.lower[0], box.upper[1] - box.lower[1]), n + 1)
        first, *others = lanes(view, n + 1, self._columns)
        session.view.place(first, is_cut, tuple(others))

    def _clear(self) -> None:
        self.manager = UIManager(self.layout.size, theme_for(self.ui_scale), enable_live_theme_updates=False)
        if self.browser is not None:
            self._scrolled = self.browser.column.scrolled
        self.browser = self.panel = None
        self.cache.forget()
        self.is_outdated = False

    def _lay_out(self, size: tuple[int, int], wanted_scale: float) -> None:
        before, self._wanted_scale = self.layout, wanted_scale
        self.layout = lay_out(size, fitting_scale(size, wanted_scale))
        self.is_outdated = self.is_outdated or self.layout != before
        if self.ui_scale != before.ui_scale:
            self.painter = FramePainter(self.ui_scale, self.painter.raster, shrinks=not self._is_watched)


class Appearance:
    """Keeps the theme and the size of text that were chosen, and changes them.

    Without a `path` choices last as long as the window.
    """

    def __init__(self, usual_scale: float, preferences: Preferences | None = None, path: Path | None = None) -> None:
        self._usual_scale = usual_scale
        self._preferences = preferences if preferences is not None else Preferences(palette.theme_name())
        self._path = path

    def next_theme(self, screen: Screen) -> None:
        """Switch to the other theme."""
        names = list(THEMES)
        name = names[(names.index(palette.theme_name()) + 1) % len(names)]
        palette.use_theme(name)
        screen.is_outdated = True
        self._keep(replace(self._preferences, theme=name))

    @property
    def shows_more(self) -> bool:
        """Whether *More* is unfolded in the panel."""
        return self._preferences.shows_more

    def toggle_more(self, screen: Screen) -> None:
        """Unfold *More*, or fold it."""
        screen.is_outdated = True
        self._keep(replace(self._preferences, shows_more=not self.shows_more))

    def change_scale(self, screen: Screen, notches: int, answer: Callable[[str], object]) -> None:
        """Make text larger or smaller, or as usual with 0 notches; a size for which the window is too small is refused."""
        before = screen.ui_scale
        wanted = before + notches * _NOTCH if notches else self._usual_scale
        scale = min(max(wanted, MIN_UI_SCALE), MAX_UI_SCALE)
        screen.rescale(scale)
        if screen.is_text_limited and scale > before:
            answer("No room for larger text: make the window larger.")
            screen.rescale(scale := max(before, screen.ui_scale))
        self._keep(replace(self._preferences, text_scale=None if scale == self._usual_scale else scale))

    @property
    def open_folder(self) -> Path:
        """Folder from which a file was opened last; the present one if there is none."""
        folder = Path(self._preferences.open_folder)
        return folder if folder.is_dir() else Path()

    def remember_folder(self, folder: Path) -> None:
        """Note the folder from which a file was opened."""
        self._keep(replace(self._preferences, open_folder=str(folder)))

    def _keep(self, preferences: Preferences) -> None:
        self._preferences = preferences
        if self._path is not None:
            save_preferences(self._path, preferences)
