"""The colors of a film that may have only 256; a film that cannot be written."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.app.film import FilmError, film_colors, open_film


def test_few_colors_are_kept_as_they_are() -> None:
    pixels = np.array([(0, 0, 0), (255, 128, 1), (255, 128, 1), (7, 8, 9)], dtype=np.uint8)
    assert {tuple(color) for color in film_colors([pixels]).tolist()} == {(0, 0, 0), (255, 128, 1), (7, 8, 9)}


@pytest.mark.parametrize("n_gray", [0, 200])
def test_a_small_mark_keeps_its_color_beside_large_shades(n_gray: int) -> None:
    """A hinge of thirty pixels, green, on a picture of gradients and blends."""
    rng = np.random.default_rng(3)
    ground = np.repeat(np.array([(20, 22, 30), (200, 70, 60), (240, 150, 40)], dtype=np.uint8), 60_000, axis=0)
    shades = np.repeat(np.arange(n_gray, dtype=np.uint8)[:, None], 3, axis=1)
    blends = rng.integers(0, 256, (4_000, 3)).astype(np.uint8)
    hinge = np.tile(np.array([(64, 200, 96)], dtype=np.uint8), (30, 1))
    colors = film_colors([np.concatenate((ground, np.repeat(shades, 10, axis=0), blends)), hinge])
    assert len(colors) <= 255
    listed = {tuple(color) for color in colors.tolist()}
    assert {(64, 200, 96), (20, 22, 30), (200, 70, 60), (240, 150, 40)} <= listed
    nearest = np.abs(blends[:, None, :].astype(int) - colors[None, :, :].astype(int)).max(axis=2).min(axis=1)
    assert np.median(nearest) < 40


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_film_that_ffmpeg_could_not_finish_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk ffmpeg reads all frames, writes what there is room for, and ends with status 1."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\necho "No space left on device" >&2\nexit 1\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("imageio_ffmpeg.get_ffmpeg_exe", lambda: str(program))
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / "a.mp4").write_bytes(b"before")
    film = open_film(folder / "a.mp4", (16, 16), 60.0)
    film.add(bytes(3 * 16 * 16))
    with pytest.raises(FilmError, match=r"^ffmpeg failed at frame 1 of a\.mp4: No space left on device$"):
        film.close()
    assert [path.name for path in folder.iterdir()] == ["a.mp4"] and (folder / "a.mp4").read_bytes() == b"before"
