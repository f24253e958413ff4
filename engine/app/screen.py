"""The parts of the window: layout and text size, the list or the panel of a demo, the view, the page of keys.

Drawing a plot or a table of numbers sixty times a second costs as much as the scene, and nobody can read it that fast. So the rows of a
part are rebuilt twenty times a second, and each frame redraws only the changed part that has waited longest. The effect of a click or a key
is visible everywhere in the next frame.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import NamedTuple

import pygame
from msgspec.structs import replace

from engine.app.asking import Asking
from engine.app.browser import Browser
from engine.app.files.preferences import Preferences, save_preferences
from engine.app.frame import FramePainter
from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE, fitting_scale, lay_out
from engine.app.panel import DemoPanel
from engine.app.panels.dock import WindowActions
from engine.app.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.render.palette import THEMES
from engine.ui.form import Form
from engine.ui.ui import Ui

__all__ = ["Appearance", "Screen", "SurfaceCache"]


class _Part(NamedTuple):
    """A cached image, what it shows, and its other state."""

    picture: pygame.Surface
    shows: Hashable
    state: Hashable


class SurfaceCache:
    """Cached images of the window's parts, by name. Each frame checks one of them, in turn, and redraws it if it has changed."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, _Part] = {}
        """Names of the parts, the one checked longest ago first."""
        self._turn: Hashable = None

    def forget(self) -> None:
        """Redraw everything in the next frame, after an action."""
        self._parts.clear()

    def begin(self) -> None:
        """Begin a frame: choose the part to check."""
        self._turn = next(iter(self._parts), None)
        if self._turn is not None:
            self._parts[self._turn] = self._parts.pop(self._turn)

    def draw(
        self,
        surface: pygame.Surface,
        name: Hashable,
        place: Place,
        shows: Callable[[], Hashable] | None,
        paint: Callable[[], object],
        state: Hashable = None,
    ) -> None:
        """Draw a part of the window.

        Parameters
        ----------
        surface : pygame.Surface
        name : hashable
            Name of the part.
        place : (left, top, width, height)
            Pixels; `paint` covers exactly these.
        shows : callable
            Returns everything that the picture depends on and that changes by itself, except the theme. With None, the part is drawn in
            every frame without a cache.
        paint : callable
            Draws the part on the surface.
        state : hashable
            Further input of the picture, such as the pointer's position; a change redraws the part immediately.
        """
        if shows is None:
            self._parts.pop(name, None)
            paint()
            return
        state = state, place, palette.theme_name()
        part = self._parts.get(name)
        is_kept = part is not None and part.state == state
        now = part.shows if part is not None and is_kept and name != self._turn else shows()
        if part is not None and is_kept and part.shows == now:
            surface.blit(part.picture, place[:2])
            return
        paint()
        picture = pygame.Surface(place[2:], 0, surface)
        picture.blit(surface, (0, 0), place)
        self._parts[name] = _Part(picture, now, state)


_NOTCH = 0.125


class Screen:
    """Divides the surface of a window; `ui_scale` is the requested scale, and `is_watched` is false off-screen.

    Attributes
    ----------
    view : (left, top, width, height)
        Rectangle of the demo, or of the preview behind the browser.
    ui : Ui
        State shared by all forms.
    form : Form
        The form on the left: the list, or the demo's panel.
    asking : Asking
        Asks questions over the view.
    browser : Browser or None
        The list while it is shown.
    panel : DemoPanel or None
        The demo's panel otherwise.
    is_outdated : bool
        True if all widgets must be rebuilt before the next frame.
    """

    def __init__(self, size: tuple[int, int], ui_scale: float, is_watched: bool) -> None:
        self._wanted_scale, self._is_watched = ui_scale, is_watched
        self.layout = lay_out(size, fitting_scale(size, ui_scale))
        self.view = self.layout.view
        self.painter = FramePainter(self.ui_scale, shrinks=not is_watched)
        self.cache = SurfaceCache()
        self.ui = Ui(self.painter.fonts, lambda words: None)
        self.form = Form(self.ui)
        self.asking = Asking(self.ui, lambda: self.layout.size, lambda: self.view)
        self.browser: Browser | None = None
        self.panel: DemoPanel | None = None
        self._scrolled = 0
        """Scroll position of the list when it was left."""
        self.is_outdated = False

    @property
    def ui_scale(self) -> float:
        """Screen pixels per design pixel."""
        return self.layout.ui_scale

    @property
    def is_text_limited(self) -> bool:
        """True if the requested text size does not fit in the window."""
        return self.ui_scale < self._wanted_scale

    def resize(self, size: tuple[int, int]) -> None:
        """Resize the window; widgets are rebuilt before the next frame."""
        self._lay_out(size, self._wanted_scale)

    def rescale(self, ui_scale: float) -> None:
        """Change the size of text and widgets, as far as the window is large enough."""
        self._lay_out(self.layout.size, ui_scale)

    def build_list(self, browser: Browser, chosen: int, preview: Session) -> None:
        """Show the list at its last scroll position, and place the preview of the chosen demo."""
        scrolled = self.form.scrolled if self.browser is not None else self._scrolled
        self._clear()
        self.view, self.browser = self.layout.view, browser
        preview.view.place(browser.preview_place(self.view, browser.demos[chosen]))
        self.form.lay_out(browser.rows(chosen), self.layout.panel, browser.head(chosen))
        self.form.scroll(scrolled - self.form.scrolled)
        browser.reveal(chosen)

    def build_panel(self, session: Session, view: Place, actions: WindowActions) -> None:
        """Show the panel of a demo, and place its view; an existing panel keeps its scroll position."""
        before = self.panel if self.panel is not None and self.panel.is_of(session) else None
        scrolled = self.form.scrolled
        self._clear()
        self.form.scrolled = scrolled if before is not None else 0
        self.place(session, view)
        self.panel = before if before is not None else DemoPanel(session, actions, lambda: self.ui.fonts)

    def place(self, session: Session, view: Place, is_cut: bool = False) -> None:
        """Place a demo's view; a view that only shrinks keeps its picture in place."""
        self.view = view
        session.view.place(view, is_cut)

    def _clear(self) -> None:
        self.ui.finish()
        if self.browser is not None:
            self._scrolled = self.form.scrolled
        self.browser = self.panel = None
        self.cache.forget()
        self.is_outdated = False

    def _lay_out(self, size: tuple[int, int], wanted_scale: float) -> None:
        before, self._wanted_scale = self.layout, wanted_scale
        self.layout = lay_out(size, fitting_scale(size, wanted_scale))
        self.is_outdated = self.is_outdated or self.layout != before
        if self.ui_scale != before.ui_scale:
            self.painter = FramePainter(self.ui_scale, self.painter.raster, shrinks=not self._is_watched)
            self.ui.fonts = self.painter.fonts


class Appearance:
    """Stores and changes the theme and the text size.

    Without a `path`, choices are lost when the window closes.
    """

    def __init__(self, usual_scale: float, preferences: Preferences | None = None, path: Path | None = None) -> None:
        self._usual_scale = usual_scale
        self._preferences = preferences if preferences is not None else Preferences(palette.theme_name())
        self._path = path

    def next_theme(self) -> None:
        """Switch to the other theme."""
        names = list(THEMES)
        name = names[(names.index(palette.theme_name()) + 1) % len(names)]
        palette.use_theme(name)
        self._keep(replace(self._preferences, theme=name))

    @property
    def shows_more(self) -> bool:
        """True if *More* is unfolded in the panel."""
        return self._preferences.shows_more

    def toggle_more(self) -> None:
        """Unfold or fold *More*."""
        self._keep(replace(self._preferences, shows_more=not self.shows_more))

    @property
    def open_folder(self) -> Path:
        """Folder from which a file was opened last; otherwise the working directory."""
        folder = Path(self._preferences.open_folder)
        return folder if folder.is_dir() else Path()

    def remember_folder(self, folder: Path) -> None:
        """Record the folder from which a file was opened."""
        self._keep(replace(self._preferences, open_folder=str(folder)))

    def change_scale(self, screen: Screen, notches: int, answer: Callable[[str], object]) -> None:
        """Enlarge or shrink the text, or reset its size with 0 notches; sizes that do not fit the window are rejected."""
        before = screen.ui_scale
        requested = before + notches * _NOTCH if notches else self._usual_scale
        scale = min(max(requested, MIN_UI_SCALE), MAX_UI_SCALE)
        screen.rescale(scale)
        if screen.is_text_limited and scale > before:
            answer("No room for larger text: make the window larger.")
            screen.rescale(scale := max(before, screen.ui_scale))
        self._keep(replace(self._preferences, text_scale=None if scale == self._usual_scale else scale))

    def _keep(self, preferences: Preferences) -> None:
        self._preferences = preferences
        if self._path is not None:
            save_preferences(self._path, preferences)
