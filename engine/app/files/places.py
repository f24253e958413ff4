"""Folders for the user's files, in the system's standard locations (platformdirs)."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path, user_data_path, user_pictures_path

__all__ = ["pictures_folder", "preferences_file", "recovery_folder"]

_NAME = "collision-laboratory"


def preferences_file() -> Path:
    """Return the path of the preferences file."""
    return user_config_path(_NAME, appauthor=False, roaming=True) / "preferences.json"


def recovery_folder() -> Path:
    """Return the folder of unsaved scenes."""
    return user_data_path(_NAME, appauthor=False) / "unsaved"


def pictures_folder() -> Path:
    """Return the folder for screenshots, creating it if necessary; raises `OSError` if that fails."""
    folder = user_pictures_path() / _NAME
    folder.mkdir(parents=True, exist_ok=True)
    return folder
