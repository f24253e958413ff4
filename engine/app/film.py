"""Films as files: MP4 by the ffmpeg of imageio-ffmpeg, GIF by Pillow. Both are written under another name and moved when whole.

A GIF has at most 256 colours. They are chosen once for the whole film, by median cut over some of its frames, so that nothing flickers; so
all frames are kept, packed, until the last has come. Its times are hundredths of a second: at 30 frames a second they are 3, 3 and 4.
"""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engine.app.files import check_writable
from engine.common.checks import finite
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import real_path, temporary_beside

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["FILM_SUFFIXES", "MOST_GIF_RATE", "MOST_RATE", "Film", "FilmError", "check_film", "open_film", "usual_rate"]

FILM_SUFFIXES = (".mp4", ".gif")
MOST_RATE, MOST_GIF_RATE = 240.0, 50.0
"""Frames a second. Programs that show GIFs slow down whatever lasts less than two hundredths of a second."""
_LARGEST_SIDE = 4096
_SMALLEST_SIDE = 16
_MOST_GIF_PIXELS = 4_000_000_000
"""Pixels of all frames of a GIF: 1,500 of 1280 x 720 have 1.4 milliards."""
_SAMPLES = 24
"""Frames from which the colours of a GIF are chosen."""
_SAMPLE_HEIGHT = 180
_COLORS = 255
"""One of the 256 is left for what has not changed since the frame before."""
_QUALITY = "18"
"""x264's constant rate factor: lines and letters stay sharp; 23 is its own choice."""


class FilmError(LabError):
    """A film could not be written."""


class Film(Protocol):
    """A film being written."""

    def add(self, frame: bytes) -> None:
        """Take the next frame: rows of red, green and blue from the top."""

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        """Finish, and give the file its name; `progress` is called with the share done."""

    def discard(self) -> None:
        """Leave nothing behind."""


def usual_rate(path: str | os.PathLike[str]) -> float:
    """Return the frames a second that a film gets unless told otherwise: 60, and 25 for a GIF."""
    return 25.0 if Path(path).suffix.lower() == ".gif" else 60.0


def check_film(field: str, path: str, rate: float | None, size: tuple[int, int]) -> float:
    """Return the frames a second of a film that can be written.

    Raises
    ------
    InvalidInputError
        The name ends in something else, nothing may be written there, the rate or the size is too large or too small.
    """
    check_writable(field, path, FILM_SUFFIXES)
    most = MOST_GIF_RATE if path.lower().endswith(".gif") else MOST_RATE
    wanted = usual_rate(path) if rate is None else finite("--fps", rate)
    if not 1.0 <= wanted <= most:
        raise InvalidInputError("--fps", f"from 1 to {most:g} frames a second for {Path(path).suffix.lower()}", wanted)
    for side in size:
        if not _SMALLEST_SIDE <= side <= _LARGEST_SIDE:
            raise InvalidInputError("--size", f"from {_SMALLEST_SIDE} to {_LARGEST_SIDE} pixels a side", f"{size[0]}x{size[1]}")
    return wanted


def open_film(path: str | os.PathLike[str], size: tuple[int, int], rate: float) -> Film:
    """Begin a film of frames of that size (width, height); an MP4's sides must be even."""
    target = real_path(Path(path))
    return GifFilm(target, size, rate) if Path(path).suffix.lower() == ".gif" else Mp4Film(target, size, rate)


class Mp4Film:
    """H.264 in MP4, as every browser plays it."""

    def __init__(self, target: Path, size: tuple[int, int], rate: float) -> None:
        if size[0] % 2 or size[1] % 2:
            raise InvalidInputError("size", "even, for an MP4", size)
        from imageio_ffmpeg import write_frames

        self._target, self._part = target, temporary_beside(target)
        self._frames = 0
        self._pipe: Any = write_frames(
            str(self._part),
            size,
            fps=rate,
            codec="libx264",
            pix_fmt_in="rgb24",
            pix_fmt_out="yuv420p",
            quality=None,
            macro_block_size=2,
            ffmpeg_log_level="error",
            output_params=["-crf", _QUALITY, "-preset", "veryfast", "-movflags", "+faststart", "-f", "mp4"],
        )
        with self._told():
            self._pipe.send(None)

    def add(self, frame: bytes) -> None:
        self._frames += 1
        with self._told():
            self._pipe.send(frame)

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        with self._told():
            self._pipe.close()
            if not self._part.exists() or self._part.stat().st_size == 0:
                raise FilmError(f"ffmpeg wrote nothing to {self._target}")
            os.replace(self._part, self._target)

    def discard(self) -> None:
        with contextlib.suppress(Exception):
            self._pipe.close()
        self._part.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except FilmError:
            self.discard()
            raise
        except (OSError, RuntimeError, StopIteration) as error:
            self.discard()
            raise FilmError(f"ffmpeg failed at frame {self._frames} of {self._target.name}: {' '.join(str(error).split())}") from None


class GifFilm:
    """An animated GIF that repeats for ever."""

    def __init__(self, target: Path, size: tuple[int, int], rate: float) -> None:
        self._target, self._part, self._size, self._rate = target, temporary_beside(target), size, rate
        self._packed: list[bytes] = []

    def add(self, frame: bytes) -> None:
        if (len(self._packed) + 1) * self._size[0] * self._size[1] > _MOST_GIF_PIXELS:
            self.discard()
            raise FilmError(f"a GIF of {len(self._packed)} frames of this size is long enough: take an MP4, or a smaller size")
        self._packed.append(zlib.compress(frame, 1))

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        if not self._packed:
            raise FilmError(f"{self._target.name} has no frames")
        from PIL.Image import Dither

        palette, plain = self._palette(), Dither.NONE  # dithered, what stands still would flicker
        total = len(self._packed)

        def frames() -> Iterator[Image]:
            for k in range(1, total):
                if progress is not None:
                    progress(k / total)
                yield self._frame(k).quantize(palette=palette, dither=plain)

        ends = [round(100.0 * (k + 1) / self._rate) for k in range(total)]
        lasting = [10 * (end - start) for start, end in zip([0, *ends], ends, strict=False)]
        try:
            with open(self._part, "xb") as file:
                first = self._frame(0).quantize(palette=palette, dither=plain)
                first.save(file, "GIF", save_all=True, append_images=frames(), duration=lasting, loop=0, optimize=False, disposal=1)
            os.replace(self._part, self._target)
        except OSError as error:
            self.discard()
            raise FilmError(f"{self._target} cannot be written: {error.strerror or error}") from None
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        self._packed.clear()
        self._part.unlink(missing_ok=True)

    def _frame(self, k: int) -> Image:
        from PIL import Image

        return Image.frombytes("RGB", self._size, zlib.decompress(self._packed[k]))

    def _palette(self) -> Image:
        """Return an image that has the colours of the film: some of its frames, small, one under the other."""
        from PIL import Image

        every = max(1, len(self._packed) // _SAMPLES)
        factor = min(1.0, _SAMPLE_HEIGHT / self._size[1])
        size = max(1, round(factor * self._size[0])), max(1, round(factor * self._size[1]))
        chosen = range(0, len(self._packed), every)
        sheet = Image.new("RGB", (size[0], size[1] * len(chosen)))
        for row, k in enumerate(chosen):  # by the nearest pixel, which makes no new colours
            sheet.paste(self._frame(k).resize(size, Image.Resampling.NEAREST), (0, row * size[1]))
        return sheet.quantize(_COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
