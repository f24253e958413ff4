"""The user's choices: kept where they can be, and harmless where they cannot."""

from __future__ import annotations

import json
from pathlib import Path

import pygame
import pytest

from engine.app.preferences import Preferences, load_preferences, preferences_path, save_preferences
from engine.app.screen import Appearance, Screen
from engine.render import palette


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "not yet there" / "preferences.json"
    assert load_preferences(path) == Preferences() and load_preferences(None) == Preferences()
    assert save_preferences(path, Preferences("light", 1.25))
    assert load_preferences(path) == Preferences("light", 1.25)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'"dark"',
        b"\xff\xfe",
        b'{"theme": 3, "text_scale": "large"}',
        b'{"theme": "sepia", "text_scale": 99}',
        b"[" * 9000,
    ],
)
def test_a_damaged_file_counts_as_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "preferences.json"
    path.write_bytes(content)
    assert load_preferences(path) == Preferences()


def test_a_file_that_cannot_be_written_hurts_nobody(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert not save_preferences(blocked / "sub" / "preferences.json", Preferences())
    assert not save_preferences(None, Preferences())
    assert blocked.read_text() == "in the way"
    assert load_preferences(tmp_path) == Preferences()  # a folder


def test_the_place_is_the_systems() -> None:
    def at(environment: dict[str, str], platform: str) -> str | None:
        path = preferences_path(environment, platform)
        return path.as_posix() if path is not None else None

    end = "collision-laboratory/preferences.json"
    assert at({"HOME": "/h"}, "linux") == f"/h/.config/{end}"
    assert at({"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "linux") == f"/h/.config/{end}"
    assert at({"HOME": "/h"}, "darwin") == f"/h/Library/Application Support/{end}"
    assert at({"APPDATA": "/a"}, "win32") == f"/a/{end}"
    assert at({}, "linux") is at({}, "win32") is at({}, "darwin") is None


def test_keys_choose_and_the_choice_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "preferences.json"
    appearance, screen = Appearance(1.5, Preferences("dark", None), path), Screen((1280, 720), 1.5, is_watched=True)

    def key(code: int, mod: int = 0) -> bool:
        return appearance.handle(pygame.event.Event(pygame.KEYDOWN, key=code, mod=mod, unicode=""), screen, print)

    try:
        assert key(pygame.K_F10) and palette.theme_name() == "light" and screen.is_outdated
    finally:
        palette.use_theme("dark")
    assert key(pygame.K_PLUS, pygame.KMOD_LCTRL) and screen.ui_scale == 1.625
    assert json.loads(path.read_text()) == {"theme": "light", "text_scale": 1.625}
    assert key(pygame.K_0, pygame.KMOD_RCTRL) and screen.ui_scale == 1.5
    assert load_preferences(path) == Preferences("light", None)
    assert not key(pygame.K_PLUS) and not key(pygame.K_x, pygame.KMOD_LCTRL)
