"""What lies where in the window: layout and text size, the widgets of the list or of a demo, the view, the overlay of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pygame
from pygame_gui import UIManager

from engine.app.browser import Browser
from engine.app.frame import FramePainter
from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE, fitting_scale, lay_out
from engine.app.panel import DemoPanel
from engine.app.preferences import Preferences, save_preferences
from engine.app.surface_cache import KeptPictures
from engine.app.widgets import ScrollPanel, theme_for
from engine.demo.base import Demo
from engine.demo.session import Session
from engine.render import palette
from engine.render.camera import Place
from engine.render.themes import THEMES

__all__ = ["Appearance", "Screen"]

_NOTCH = 0.125
_LARGER = (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS)
_SMALLER = (pygame.K_MINUS, pygame.K_KP_MINUS)
_USUAL = (pygame.K_0, pygame.K_KP_0)


class Screen:
    """The surface of a window, shared out.

    Parameters
    ----------
    size : (width, height)
        Pixels.
    ui_scale : float
        Screen pixels to a design pixel that are wanted.
    is_watched : bool
        False off-screen, where words become smaller in a small view.

    Attributes
    ----------
    layout : Layout
    view : (left, top, width, height)
        Where the demo, or the preview behind the browser, is drawn.
    painter : FramePainter
    manager : UIManager
        Of the widgets, which are made anew with every change of the layout or of what is shown.
    browser : Browser or None
        The list, while it is shown.
    panel : DemoPanel or None
        The demo's, else.
    kept : KeptPictures
        Parts of the picture that are not drawn anew in every frame.
    help_shown : bool
    help_scrolled : int
        Pixels of the overlay of keys above its plate.
    is_outdated : bool
        Whether everything has to be made anew before the next frame.
    """

    def __init__(self, size: tuple[int, int], ui_scale: float, is_watched: bool) -> None:
        self._wanted_scale, self._is_watched = ui_scale, is_watched
        self.layout = lay_out(size, fitting_scale(size, ui_scale))
        self.view = self.layout.view
        self.painter = FramePainter(self.ui_scale, shrinks=not is_watched)
        self.kept = KeptPictures()
        self.manager: UIManager
        self.browser: Browser | None = None
        self.panel: DemoPanel | None = None
        self._scrolled = 0
        self.help_shown = False
        self.help_scrolled = 0
        self.is_outdated = False

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

    def build_panel(self, session: Session, view: Place) -> None:
        """Build the widgets of a demo, and give it its view."""
        self._clear()
        self.place(session, view)
        self.panel = DemoPanel(self.manager, self.painter.fonts, self.layout.panel, session)
        self.panel.refresh()
        self.manager.update(0.0)

    def place(self, session: Session, view: Place, is_cut: bool = False) -> None:
        """Give a demo its view; the picture stays where it is if it is only cut."""
        self.view = view
        session.view.place(view, is_cut)

    def _clear(self) -> None:
        self.manager = UIManager(self.layout.size, theme_for(self.ui_scale), enable_live_theme_updates=False)
        if self.browser is not None:
            self._scrolled = self.browser.column.scrolled
        self.browser = self.panel = None
        self.kept.forget()
        self.is_outdated = False

    def _lay_out(self, size: tuple[int, int], wanted_scale: float) -> None:
        before, self._wanted_scale = self.layout, wanted_scale
        self.layout = lay_out(size, fitting_scale(size, wanted_scale))
        self.is_outdated = self.is_outdated or self.layout != before
        if self.ui_scale != before.ui_scale:
            self.painter = FramePainter(self.ui_scale, self.painter.raster, shrinks=not self._is_watched)


class Appearance:
    """Keeps the theme and the size of text that were chosen, and changes them by keys, in the browser too.

    Parameters
    ----------
    usual_scale : float
        The scale that Ctrl 0 returns to.
    preferences : Preferences
        What was chosen before.
    path : Path, optional
        Where choices are written; without one they last as long as the window.
    """

    def __init__(self, usual_scale: float, preferences: Preferences | None = None, path: Path | None = None) -> None:
        self._usual_scale = usual_scale
        self._preferences = preferences if preferences is not None else Preferences(palette.theme_name())
        self._path = path

    def handle(self, event: pygame.event.Event, screen: Screen, answer: Callable[[str], object]) -> bool:
        """Take in F10, Ctrl +, Ctrl - and Ctrl 0; what is to be said of it goes to `answer`."""
        if event.type != pygame.KEYDOWN:
            return False
        if event.key == pygame.K_F10:
            names = list(THEMES)
            name = names[(names.index(palette.theme_name()) + 1) % len(names)]
            palette.use_theme(name)
            screen.is_outdated = True
            self._keep(replace(self._preferences, theme=name))
            return True
        if not getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_META):
            return False
        if event.key in _LARGER:
            self._scale(screen, screen.ui_scale + _NOTCH, answer)
        elif event.key in _SMALLER:
            self._scale(screen, screen.ui_scale - _NOTCH, answer)
        elif event.key in _USUAL:
            self._scale(screen, self._usual_scale, answer)
        else:
            return False
        return True

    def _scale(self, screen: Screen, scale: float, answer: Callable[[str], object]) -> None:
        """Take a scale; one for which the window is too small is said to be, and the present one is kept."""
        before, scale = screen.ui_scale, min(max(scale, MIN_UI_SCALE), MAX_UI_SCALE)
        screen.rescale(scale)
        if screen.is_text_limited and scale > before:
            answer("no room for larger text in this window: make the window larger")
            screen.rescale(scale := max(before, screen.ui_scale))
        self._keep(replace(self._preferences, text_scale=None if scale == self._usual_scale else scale))

    def _keep(self, preferences: Preferences) -> None:
        self._preferences = preferences
        if self._path is not None:
            save_preferences(self._path, preferences)
