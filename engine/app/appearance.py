"""How everything looks: the theme and the size of text, changed by keys while the window is open, in the browser too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pygame

from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE
from engine.app.preferences import Preferences, save_preferences
from engine.render import palette
from engine.render.themes import THEMES

__all__ = ["Appearance", "Scaled"]

_NOTCH = 0.125
_LARGER = (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS)
_SMALLER = (pygame.K_MINUS, pygame.K_KP_MINUS)
_USUAL = (pygame.K_0, pygame.K_KP_0)


class Scaled(Protocol):
    """What is drawn in the theme, at the scale that was chosen."""

    @property
    def ui_scale(self) -> float:
        """Screen pixels to a design pixel."""

    @property
    def is_text_limited(self) -> bool:
        """Whether text of the size asked for has no room."""

    def rescale(self, ui_scale: float) -> None:
        """Take another size of text, as far as there is room for it."""

    def rebuild(self) -> None:
        """Make everything anew: the colours are others."""

    def answer(self, words: str) -> object:
        """Say a line that answers a key."""


class Appearance:
    """Keeps what is chosen.

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

    def handle(self, event: pygame.event.Event, window: Scaled) -> bool:
        """Take in F10, Ctrl +, Ctrl - and Ctrl 0."""
        if event.type != pygame.KEYDOWN:
            return False
        if event.key == pygame.K_F10:
            names = list(THEMES)
            name = names[(names.index(palette.theme_name()) + 1) % len(names)]
            palette.use_theme(name)
            window.rebuild()
            self._keep(replace(self._preferences, theme=name))
            return True
        if not getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_META):
            return False
        if event.key in _LARGER:
            self._scale(window, window.ui_scale + _NOTCH)
        elif event.key in _SMALLER:
            self._scale(window, window.ui_scale - _NOTCH)
        elif event.key in _USUAL:
            self._scale(window, self._usual_scale)
        else:
            return False
        return True

    def _scale(self, window: Scaled, scale: float) -> None:
        """Take a scale; one for which the window is too small is said to be, and the present one is kept."""
        before, scale = window.ui_scale, min(max(scale, MIN_UI_SCALE), MAX_UI_SCALE)
        window.rescale(scale)
        if window.is_text_limited and scale > before:
            window.answer("no room for larger text in this window: make the window larger")
            window.rescale(scale := max(before, window.ui_scale))
        self._keep(replace(self._preferences, text_scale=None if scale == self._usual_scale else scale))

    def _keep(self, preferences: Preferences) -> None:
        self._preferences = preferences
        if self._path is not None:
            save_preferences(self._path, preferences)
