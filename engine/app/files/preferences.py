"""The user's preferences, kept in a file if possible (`engine.app.files.places`). Reading and writing never fail."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from engine.app.layout import MAX_UI_SCALE, MIN_UI_SCALE
from engine.common.files import write_atomically
from engine.render.palette import DARK, THEMES

__all__ = ["Preferences", "load_preferences", "save_preferences"]


class Preferences(msgspec.Struct, frozen=True):
    """Choices that persist between runs.

    Parameters
    ----------
    theme : str
        A key of `engine.render.palette.THEMES`.
    text_scale : float or None
        Screen pixels per design pixel; None for the usual scale of the display.
    shows_more : bool
        Whether *More* is unfolded in a demo's panel.
    open_folder : str
        Folder from which a file was opened last; empty for the present folder.
    """

    theme: str = DARK.name
    text_scale: Annotated[float, msgspec.Meta(ge=MIN_UI_SCALE, le=MAX_UI_SCALE)] | None = None
    shows_more: bool = False
    open_folder: str = ""


def load_preferences(path: Path) -> Preferences:
    """Return the preferences in a file; the defaults if it is missing or damaged."""
    try:
        preferences = msgspec.json.decode(path.read_bytes(), type=Preferences)
    except (OSError, ValueError, RecursionError):
        return Preferences()
    return preferences if preferences.theme in THEMES else msgspec.structs.replace(preferences, theme=DARK.name)


def save_preferences(path: Path, preferences: Preferences) -> bool:
    """Write the file atomically; return False if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(preferences)) + b"\n")
    except OSError:
        return False
    return True
