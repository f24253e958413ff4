"""Folders in which the program keeps the user's files; where the system has them, says platformdirs."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_config_path, user_data_path, user_pictures_path

__all__ = ["pictures_folder", "preferences_file", "recovery_folder"]

_NAME = "collision-laboratory"


def preferences_file() -> Path:
    """Return the file of the user's preferences."""
    return user_config_path(_NAME, appauthor=False, roaming=True) / "preferences.json"


def recovery_folder() -> Path:
    """Return the folder of scenes that are not saved."""
    return user_data_path(_NAME, appauthor=False) / "unsaved"


def pictures_folder() -> Path:
    """Return the folder for pictures of the window, which is made if it is missing; `OSError` if it cannot be."""
    folder = user_pictures_path() / _NAME
    folder.mkdir(parents=True, exist_ok=True)
    return folder
