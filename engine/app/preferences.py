"""The theme and the size of text: changed by keys while the window is open, and kept in a file of the user's, where one can be written.

The file is `preferences.json` in a folder `collision-laboratory` where the system keeps such things: ``$XDG_CONFIG_HOME`` or
``~/.config``; ``%APPDATA%`` on Windows; ``~/Library/Application Support`` on macOS. One that is damaged, foreign or from a later version
counts as none, and one that cannot be written is not: nothing here ever fails.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Protocol

import pygame

from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE
from engine.common.files import write_atomically
from engine.render import palette
from engine.render.themes import DARK, THEMES

__all__ = ["Appearance", "Preferences", "Scaled", "load_preferences", "preferences_path", "save_preferences"]

_FOLDER, _FILE = "collision-laboratory", "preferences.json"
_LARGEST = 100_000
"""Bytes of a file that is read at all."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices.

    Parameters
    ----------
    theme : str
        A key of `engine.render.themes.THEMES`.
    text_scale : float or None
        Screen pixels to a design pixel; None takes what suits the display.
    """

    theme: str = DARK.name
    text_scale: float | None = None


def preferences_path(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """Return where the file is, or would be; None where the system names no such place.

    Examples
    --------
    >>> preferences_path({"XDG_CONFIG_HOME": "/tmp/conf"}, "linux").as_posix()
    '/tmp/conf/collision-laboratory/preferences.json'
    """
    if platform == "win32":
        base = environment.get("APPDATA", "")
        return Path(base) / _FOLDER / _FILE if base else None
    home = environment.get("HOME", "")
    if platform == "darwin":
        return Path(home) / "Library" / "Application Support" / _FOLDER / _FILE if home else None
    base = environment.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(base):  # a relative one is to be ignored, says the XDG Base Directory Specification
        return Path(base) / _FOLDER / _FILE
    return Path(home) / ".config" / _FOLDER / _FILE if home else None


def load_preferences(path: Path | None) -> Preferences:
    """Return what the file says, field by field; what it does not say, or says wrongly, is as if nobody had chosen."""
    found: object = None
    try:
        if path is not None and path.is_file() and path.stat().st_size <= _LARGEST:
            found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return Preferences()
    theme, scale = found.get("theme"), found.get("text_scale")
    if not isinstance(scale, int | float) or isinstance(scale, bool) or not MIN_UI_SCALE <= scale <= MAX_UI_SCALE:
        scale = None
    return Preferences(theme if isinstance(theme, str) and theme in THEMES else DARK.name, None if scale is None else float(scale))


def save_preferences(path: Path | None, preferences: Preferences) -> bool:
    """Write the file, whole or not at all; return whether it could be written."""
    if path is None:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(asdict(preferences), indent=2) + "\n").encode())
    except OSError:
        return False
    return True


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
