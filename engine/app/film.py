"""Films as files, and when their frames are due.

MP4 is written by the ffmpeg of imageio-ffmpeg, GIF by Pillow, both under another name and moved when whole.

A GIF has at most 256 colors. They are chosen once for the whole film, out of some of its frames (`film_colors`), so that nothing flickers;
so all frames are kept, packed, until the last has come. Its times are hundredths of a second: at 30 frames a second they are 3, 3 and 4.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.app.files import check_writable
from engine.common.checks import finite
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import real_path, temporary_beside
from engine.common.words import counted, decimals

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = [
    "FILM_SUFFIXES",
    "MAX_GIF_RATE",
    "MAX_RATE",
    "MAX_SIDE",
    "MIN_SIDE",
    "Film",
    "FilmError",
    "FrameTimes",
    "check_film",
    "open_film",
    "usual_rate",
]

FILM_SUFFIXES = (".mp4", ".gif")
MAX_RATE, MAX_GIF_RATE = 240.0, 50.0
"""Frames a second. Programs that show GIFs slow down whatever lasts less than two hundredths of a second."""
MAX_SIDE = 4096
MIN_SIDE = 16
_MAX_GIF_PIXELS = 4_000_000_000
"""Pixels of all frames of a GIF: 1,500 of 1280 x 720 have 1.4 milliards."""
_SAMPLES = 24
"""Frames from which the colors of a GIF are chosen."""
_FLAT_COLORS = 160
"""Of the colors of a GIF, those that are taken as they are."""
_COLORS = 255
"""One of the 256 is left for what has not changed since the frame before."""
_QUALITY = "18"
"""x264's constant rate factor: lines and letters stay sharp; 23 is its own choice."""
_EPSILON = 1e-9
"""Of a step: a frame that is due right after a step is drawn there, however its time was rounded."""
_MAX_SAID = 1_000
"""Bytes of what ffmpeg says of a failure."""


class FilmError(LabError):
    """A film could not be written."""


class Film:
    """A film being written.

    Attributes
    ----------
    written : int
        Frames in the file, once it is closed: of a GIF fewer than were added, since equal ones become one that lasts longer.
    """

    def __init__(self, target: Path, rate: float) -> None:
        self._target, self._part, self._rate = target, temporary_beside(target), rate
        self._n_frames = self.written = 0

    @property
    def words(self) -> str:
        """How long it is, and in how many frames, once it is closed."""
        return f"{decimals(self._n_frames / self._rate, 2)} s in {counted(self.written, 'frame')}"

    def add(self, frame: bytes) -> None:
        """Take the next frame: rows of red, green and blue from the top."""
        raise NotImplementedError

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        """Finish, and give the file its name; `progress` is called with the share done."""
        raise NotImplementedError

    def discard(self) -> None:
        """Leave nothing behind."""
        self._part.unlink(missing_ok=True)


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
    most = MAX_GIF_RATE if path.lower().endswith(".gif") else MAX_RATE
    wanted = usual_rate(path) if rate is None else finite("--fps", rate)
    if not 1.0 <= wanted <= most:
        raise InvalidInputError("--fps", f"from 1 to {most:g} frames a second for {Path(path).suffix.lower()}", wanted)
    check_size(*size)
    return wanted


def check_size(width: int, height: int) -> None:
    """Refuse a size that no picture of a run has, in pixels."""
    if not (MIN_SIDE <= width <= MAX_SIDE and MIN_SIDE <= height <= MAX_SIDE):
        raise InvalidInputError("--size", f"from {MIN_SIDE} to {MAX_SIDE} pixels a side", f"{width}x{height}")


def open_film(path: str | os.PathLike[str], size: tuple[int, int], rate: float) -> Film:
    """Begin a film of frames of that size (width, height); an MP4's sides must be even."""
    target = real_path(Path(path))
    return GifFilm(target, size, rate) if Path(path).suffix.lower() == ".gif" else Mp4Film(target, size, rate)


class Mp4Film(Film):
    """H.264 in MP4, as every browser plays it.

    Through a pipe of our own: `imageio_ffmpeg.write_frames` tells neither with which status ffmpeg ended nor what it said.
    """

    def __init__(self, target: Path, size: tuple[int, int], rate: float) -> None:
        if size[0] % 2 or size[1] % 2:
            raise InvalidInputError("size", "even, for an MP4", size)
        super().__init__(target, rate)
        self._said: IO[bytes] | None = None
        self._ffmpeg: subprocess.Popen[bytes] | None = None
        with self._told():
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 - until `_end`; a pipe that nothing reads would stop ffmpeg one day
            self._ffmpeg = _ffmpeg(self._part, size, rate, self._said)

    def add(self, frame: bytes) -> None:
        self._n_frames += 1
        with self._told() as ffmpeg:
            ffmpeg.stdin.write(frame)

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        with self._told() as ffmpeg:
            ffmpeg.stdin.close()
            if ffmpeg.wait() != 0:
                raise OSError(f"it ended with status {ffmpeg.returncode}")
            os.replace(self._part, self._target)
        self._end()
        self.written = self._n_frames

    def discard(self) -> None:
        self._end()
        super().discard()

    def _end(self) -> str:
        """End ffmpeg, if it still runs, and return what it has said."""
        ffmpeg, self._ffmpeg = self._ffmpeg, None
        if ffmpeg is not None:
            ffmpeg.kill()
            with contextlib.suppress(OSError):  # what it has not read goes nowhere
                ffmpeg.communicate()
        said, self._said = self._said, None
        if said is None:
            return ""
        with said:
            said.seek(0)
            return said.read(_MAX_SAID).decode(errors="replace")

    @contextlib.contextmanager
    def _told(self) -> Iterator[Any]:
        """Give ffmpeg; let whatever fails leave nothing behind, and be told with what ffmpeg says itself."""
        try:
            yield self._ffmpeg
        except (OSError, RuntimeError, ValueError) as error:
            said = self._end()
            self.discard()
            reason = " ".join((said or str(error)).split())
            raise FilmError(f"ffmpeg failed at frame {self._n_frames} of {self._target.name}: {reason}") from None


def _ffmpeg(path: Path, size: tuple[int, int], rate: float, says: IO[bytes]) -> subprocess.Popen[bytes]:
    """Begin to write H.264 from frames of red, green and blue on its standard input; out of reach of Ctrl-C, which is ours."""
    from imageio_ffmpeg import get_ffmpeg_exe

    frames = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(Fraction(rate).limit_denominator()), "-i", "-"]
    codec = ["-an", "-vcodec", "libx264", "-pix_fmt", "yuv420p", "-crf", _QUALITY, "-preset", "veryfast"]
    command = [get_ffmpeg_exe(), "-y", "-v", "error", *frames, *codec, "-movflags", "+faststart", "-f", "mp4", str(path)]
    alone: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        alone = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=says, **alone)


class GifFilm(Film):
    """An animated GIF that repeats for ever."""

    def __init__(self, target: Path, size: tuple[int, int], rate: float) -> None:
        super().__init__(target, rate)
        self._size = size
        self._packed: list[bytes] = []

    def add(self, frame: bytes) -> None:
        if (len(self._packed) + 1) * self._size[0] * self._size[1] > _MAX_GIF_PIXELS:
            self.discard()
            raise FilmError(f"a GIF of {len(self._packed)} frames of this size is long enough: take an MP4, or a smaller size")
        self._packed.append(zlib.compress(frame, 1))
        self._n_frames += 1

    def close(self, progress: Callable[[float], object] | None = None) -> None:
        if not self._packed:
            raise FilmError(f"{self._target.name} has no frames")
        import PIL.Image

        palette, plain = self._palette(), PIL.Image.Dither.NONE  # dithered, what stands still would flicker
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
            with PIL.Image.open(self._part) as image:  # Pillow makes one frame of those that are equal
                self.written = int(getattr(image, "n_frames", 1))
            os.replace(self._part, self._target)
        except OSError as error:
            self.discard()
            raise FilmError(f"{self._target} cannot be written: {error.strerror or error}") from None
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        self._packed.clear()
        super().discard()

    def _frame(self, k: int) -> Image:
        from PIL import Image

        return Image.frombytes("RGB", self._size, zlib.decompress(self._packed[k]))

    def _palette(self) -> Image:
        """Return an image that has the colors of the film, chosen from some of its frames."""
        from PIL import Image

        every = max(1, len(self._packed) // _SAMPLES)
        frames = (np.asarray(self._frame(k)).reshape(-1, 3) for k in range(0, len(self._packed), every))
        chosen = Image.new("P", (1, 1))
        chosen.putpalette(film_colors(frames).tobytes())
        return chosen


def film_colors(frames: Iterable[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Return at most 255 colors (n, 3) for pictures, each given as its pixels (m, 3).

    The commonest colors are taken as they are: a scene is drawn in some dozens of flat colors, which mean something, and a hinge of
    thirty pixels must not become the mean of what is blended around it. The rest, blends along smoothed edges for the most part, are
    cut at their medians, each counted as the root of how often it occurs, so that large areas do not take all there is.
    """
    from PIL import Image

    counts: Counter[int] = Counter()
    for pixels in frames:
        wide = pixels.astype(np.uint32)
        found, n = np.unique(wide[:, 0] << 16 | wide[:, 1] << 8 | wide[:, 2], return_counts=True)
        counts.update(dict(zip(found.tolist(), n.tolist(), strict=True)))
    ranked = [color for color, _ in counts.most_common()]
    kept, others = ranked[:_FLAT_COLORS], ranked[_FLAT_COLORS:]
    colors = _rgb(kept)
    if others:
        often = np.sqrt([counts[color] for color in others])
        row = np.repeat(_rgb(others), np.maximum(1, np.rint(often)).astype(np.int64), axis=0)
        blended = Image.fromarray(row[None, :, :], "RGB").quantize(_COLORS - len(kept), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        used = blended.getpalette() or []
        colors = np.concatenate((colors, np.array(used, dtype=np.uint8).reshape(-1, 3)))[:_COLORS]
    return colors


def _rgb(packed: Sequence[int]) -> NDArray[np.uint8]:
    words = np.array(packed, dtype=np.uint32)
    return np.column_stack((words >> 16 & 255, words >> 8 & 255, words & 255)).astype(np.uint8)


class FrameTimes:
    """Says at which fractions of a step frames are due.

    Parameters
    ----------
    rate : float
        Frames a second.
    speed : float
        World seconds to a second of the film.

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
        """Return what is due before the first step: one frame of the beginning."""
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
