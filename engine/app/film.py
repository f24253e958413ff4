"""Writes films, and computes the times of their frames.

`imageio` passes the frames to the ffmpeg of the package `imageio-ffmpeg`, which writes H.264 in MP4, playable in every browser, or a GIF
that repeats forever. ffmpeg writes to a temporary file, which is renamed once its frames have been counted.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from engine.app.files.writing import check_writable
from engine.common.checks import finite
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import real_path, temporary_beside
from engine.common.words import counted, decimals

__all__ = ["MAX_GIF_RATE", "MAX_RATE", "MAX_SIDE", "MIN_SIDE", "Film", "FilmError", "FrameTimes", "check_film", "usual_rate"]

FILM_SUFFIXES = (".mp4", ".gif")
MAX_RATE, MAX_GIF_RATE = 240.0, 50.0
"""Frames per second. Viewers slow down GIF frames shorter than two hundredths of a second."""
MAX_SIDE = 4096
MIN_SIDE = 16
_QUALITY = "18"
"""Constant rate factor of x264: lines and text stay sharp; the default of x264 is 23."""
_PALETTE = "split[a][b];[a]palettegen=stats_mode=single[colors];[b][colors]paletteuse=new=1:dither=none"
"""ffmpeg filter that chooses 256 colors for each frame of a GIF. Dithering would flicker; a palette for the whole film would keep every
frame in memory until the last."""
_EPSILON = 1e-9
"""Fraction of a step by which rounding may delay a frame that is due exactly at the end of a step."""


class FilmError(LabError):
    """A film could not be written."""


class Film:
    """A film that is being written.

    Parameters
    ----------
    path : path-like
        Ends in .mp4 or .gif.
    size : (width, height)
        Pixels; both even for an MP4.
    rate : float
        Frames per second.
    """

    def __init__(self, path: str | os.PathLike[str], size: tuple[int, int], rate: float) -> None:
        from imageio.v2 import get_writer

        self._target, self._size, self._rate, self._n_frames = real_path(Path(path)), size, rate, 0
        is_gif = self._target.suffix.lower() == ".gif"
        if not is_gif and (size[0] % 2 or size[1] % 2):
            raise InvalidInputError("size", "even, for an MP4", size)
        self._part = temporary_beside(self._target)
        output = ["-crf", _QUALITY, "-preset", "veryfast", "-movflags", "+faststart", "-f", "mp4"]
        if is_gif:
            output = ["-vf", _PALETTE, "-loop", "0", "-f", "gif"]
        self._writer = get_writer(
            self._part,
            format=".mp4",  # imageio's writer through ffmpeg, which writes GIF too
            fps=rate,
            codec="gif" if is_gif else "libx264",
            pixelformat="pal8" if is_gif else "yuv420p",
            quality=None,
            macro_block_size=1,
            ffmpeg_log_level="quiet",
            output_params=output,
        )

    @property
    def words(self) -> str:
        """Duration and number of frames."""
        return f"{decimals(self._n_frames / self._rate, 2)} s in {counted(self._n_frames, 'frame')}"

    def add(self, frame: bytes) -> None:
        """Append a frame: rows of red, green and blue from the top."""
        try:
            self._writer.append_data(np.frombuffer(frame, dtype=np.uint8).reshape(self._size[1], self._size[0], 3))
        except OSError:
            self._fail()
        self._n_frames += 1

    def close(self) -> None:
        """Finish the film and rename its file.

        Raises
        ------
        FilmError
            ffmpeg could not write all frames, for example because the disk is full.
        """
        from imageio_ffmpeg import count_frames_and_secs

        self._writer.close()
        try:
            if count_frames_and_secs(self._part)[0] == self._n_frames > 0:
                os.replace(self._part, self._target)
                return
        except (OSError, RuntimeError):  # ffmpeg cannot read its own output
            pass
        self._fail()

    def discard(self) -> None:
        """Delete the unfinished file."""
        self._writer.close()
        self._part.unlink(missing_ok=True)

    def _fail(self) -> None:
        self.discard()
        raise FilmError(f"{self._target.name} cannot be written: ffmpeg failed after {counted(self._n_frames, 'frame')}")


def usual_rate(path: str | os.PathLike[str]) -> float:
    """Return the default frames per second of a film: 60, or 25 for a GIF."""
    return 25.0 if Path(path).suffix.lower() == ".gif" else 60.0


def check_film(field: str, path: str, rate: float | None) -> float:
    """Return the frames per second of a film, after checking that it can be written.

    Raises
    ------
    InvalidInputError
        The file name has another ending, nothing may be written there, or the rate or the size is out of range.
    """
    check_writable(field, path, FILM_SUFFIXES)
    highest = MAX_GIF_RATE if path.lower().endswith(".gif") else MAX_RATE
    frames = usual_rate(path) if rate is None else finite("--fps", rate)
    if not 1.0 <= frames <= highest:
        raise InvalidInputError("--fps", f"from 1 to {highest:g} frames per second for {Path(path).suffix.lower()}", frames)
    return frames


class FrameTimes:
    """Computes at which fractions of a step frames are due.

    Parameters
    ----------
    rate : float
        Frames a second.
    speed : float
        World seconds per second of the film.

    Examples
    --------
    >>> times = FrameTimes(64.0, 0.5)
    >>> times.first(), times.after_step(1 / 64), times.after_step(1 / 64)
    ([1.0], [0.5, 1.0], [0.5, 1.0])
    """

    def __init__(self, rate: float, speed: float = 1.0) -> None:
        self._every = speed / rate
        self._count = 0
        self._elapsed = 0.0

    def first(self) -> list[float]:
        """Return the frames due before the first step: one frame of the initial state."""
        self._count = 1
        return [1.0]

    def after_step(self, seconds: float) -> list[float]:
        """Return the fractions, more than 0 and at most 1, of a step of so many seconds at which frames are due."""
        start, self._elapsed = self._elapsed, self._elapsed + seconds
        due = []
        while self._count * self._every <= self._elapsed + _EPSILON * seconds:
            due.append(min(max((self._count * self._every - start) / seconds, 0.0), 1.0))
            self._count += 1
        return due
