"""Films: a GIF of a still scene, colors, and a film that cannot be written."""

import sys

import numpy as np
import pytest
from PIL import Image

from engine.app.film import Film, FilmError


def test_a_gif_keeps_times_colors_and_a_still_scene(tmp_path):
    """A still scene, in which a green mark of nine pixels appears at the end."""
    picture = np.full((32, 48, 3), (20, 22, 30), dtype=np.uint8)
    film = Film(tmp_path / "a.gif", (48, 32), 25.0)
    for _ in range(30):
        film.add(picture.tobytes())
    picture[4:7, 4:7] = (64, 200, 96)
    film.add(picture.tobytes())
    film.close()
    assert film.words == "1.24 s in 31 frames" and [path.name for path in tmp_path.iterdir()] == ["a.gif"]
    with Image.open(tmp_path / "a.gif") as image:
        lasting = []
        for k in range(image.n_frames):
            image.seek(k)
            lasting.append(image.info["duration"])
        last = np.asarray(image.convert("RGB"), dtype=int)
        assert lasting == [40] * 31 and image.info["loop"] == 0
    assert np.abs(last - picture).max() <= 3


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.parametrize("name", ["a.mp4", "a.gif"])
def test_a_film_that_ffmpeg_cannot_finish_leaves_no_file(tmp_path, monkeypatch, name):
    """On a full disk, ffmpeg reads all frames, writes what fits, and exits with status 1."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\n[ "$last" = - ] || cat > "$last"\nexit 1\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    folder = tmp_path / "films"
    folder.mkdir()
    (folder / name).write_bytes(b"before")
    film = Film(folder / name, (16, 16), 60.0)
    film.add(bytes(3 * 16 * 16))
    with pytest.raises(FilmError, match=f"^{name} cannot be written: .* 1 frame$"):
        film.close()
    assert [path.name for path in folder.iterdir()] == [name] and (folder / name).read_bytes() == b"before"


def test_a_film_without_frames_is_rejected(tmp_path):
    with pytest.raises(FilmError):
        Film(tmp_path / "a.gif", (16, 16), 25.0).close()
    assert not list(tmp_path.iterdir())
