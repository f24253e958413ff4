"""The user's choices: stored if possible, and harmless otherwise."""

import pytest

from engine.app.files.preferences import Preferences, load_preferences, save_preferences
from engine.app.screen import Appearance, Screen
from engine.render import palette


def test_what_is_saved_is_loaded(tmp_path):
    path = tmp_path / "not yet there" / "preferences.json"
    assert load_preferences(path) == Preferences()
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
def test_a_damaged_file_counts_as_none(tmp_path, content):
    path = tmp_path / "preferences.json"
    path.write_bytes(content)
    assert load_preferences(path) == Preferences()


def test_an_unwritable_file_causes_no_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert not save_preferences(blocked / "sub" / "preferences.json", Preferences())
    assert blocked.read_text() == "in the way"
    assert load_preferences(tmp_path) == Preferences()  # a folder


def test_choices_are_stored(tmp_path):
    path = tmp_path / "preferences.json"
    appearance, screen = Appearance(1.5, Preferences("dark", None), path), Screen((1280, 720), 1.5, is_watched=True)
    try:
        appearance.next_theme()
        assert palette.theme_name() == "light"
    finally:
        palette.use_theme("dark")
    appearance.change_scale(screen, 1, print)
    appearance.toggle_more()
    assert screen.ui_scale == 1.625 and load_preferences(path) == Preferences("light", 1.625, shows_more=True)
    appearance.change_scale(screen, 0, print)
    appearance.remember_folder(tmp_path)
    assert screen.ui_scale == 1.5 and load_preferences(path) == Preferences(
        "light", None, shows_more=True, open_folder=str(tmp_path.resolve())
    )
    assert Appearance(1.5, load_preferences(path)).open_folder == tmp_path.resolve()
