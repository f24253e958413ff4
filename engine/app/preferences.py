"""What the user chose last: the theme and the size of text, kept in a file of the user's, where one can be written.

The file is `preferences.json` in a folder `collision-laboratory` where the system keeps such things: ``$XDG_CONFIG_HOME`` or
``~/.config``; ``%APPDATA%`` on Windows; ``~/Library/Application Support`` on macOS. One that is damaged, foreign or from a later version
counts as none, and one that cannot be written is not: nothing here ever fails.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE
from engine.common.files import write_atomically
from engine.render.palette import DARK, THEMES

__all__ = ["Preferences", "load_preferences", "preferences_path", "save_preferences"]

_FOLDER, _FILE = "collision-laboratory", "preferences.json"
_LARGEST = 100_000
"""Bytes of a file that is read at all."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """The choices.

    Parameters
    ----------
    theme : str
        A key of `engine.render.palette.THEMES`.
    text_scale : float or None
        Screen pixels to a design pixel; None takes what suits the display.
    shows_more : bool
        Whether *More* is unfolded in a demo's panel.
    """

    theme: str = DARK.name
    text_scale: float | None = None
    shows_more: bool = False


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
    """Return what the file says, field by field; what it does not say, or says wrongly, is as if it had not been chosen."""
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
    theme = theme if isinstance(theme, str) and theme in THEMES else DARK.name
    return Preferences(theme, None if scale is None else float(scale), found.get("shows_more") is True)


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
