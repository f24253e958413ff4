"""Films and recordings in the command line: the options, checked before anything runs, and the film that is made while it runs."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.app.files import check_writable
from engine.common.checks import finite
from engine.common.errors import InvalidInputError

if TYPE_CHECKING:
    from engine.app.film import Film
    from engine.app.headless import Filming
    from engine.demo.base import Demo

__all__ = ["RECORDING_SUFFIX", "Camera", "WantedFilm", "check_new_recording", "filmed", "wanted_film"]

_SLOWEST, _FASTEST = 1e-3, 1e3
RECORDING_SUFFIX = ".rec"


@dataclass(frozen=True, slots=True)
class WantedFilm:
    """A film that was asked for: where, how large, how many frames a second, and how fast the world goes in it."""

    path: str
    size: tuple[int, int]
    rate: float
    speed: float
    with_panel: bool


class Camera:
    """Films a demo from the moment it is started; of no film, does nothing."""

    def __init__(self, wanted: WantedFilm | None) -> None:
        self._wanted = wanted
        self._film: Film | None = None
        self._filming: Filming | None = None

    def start(self, demo: Demo) -> None:
        """Take the first frame."""
        if self._wanted is not None:
            from engine.app.film import FrameTimes, open_film
            from engine.app.headless import Filming

            wanted = self._wanted
            self._film = open_film(wanted.path, wanted.size, wanted.rate)
            times = FrameTimes(wanted.rate, wanted.speed)
            self._filming = Filming(demo, self._film, wanted.size, times, wanted.with_panel)

    def stepped(self) -> None:
        """Take the frames that are due after a step."""
        if self._filming is not None:
            self._filming.stepped()

    @property
    def words(self) -> str:
        """How long the film is, and in how many frames, once it is closed."""
        return self._film.words if self._film is not None else ""

    def close(self) -> None:
        """Finish the film."""
        if self._film is not None:
            self._film.close()

    def discard(self) -> None:
        """Leave no half of a film behind."""
        if self._film is not None:
            self._film.discard()


def wanted_film(
    field: str, path: str | None, rate: float | None, size: str | None, with_panel: bool, speed: float = 1.0
) -> WantedFilm | None:
    """Return the film that options ask for, None if they ask for none.

    Raises
    ------
    InvalidInputError
        It cannot be written, or there are options of a film without one.
    """
    if path is None:
        for option, value in (("--fps", rate), ("--size", size), ("--with-panel", with_panel or None)):
            if value is not None:
                raise InvalidInputError(option, f"given with {field}, of whose film it speaks", value)
        return None
    from engine.app.film import check_film
    from engine.app.headless import film_size

    pixels = film_size(size)
    if not _SLOWEST <= finite("--speed", speed) <= _FASTEST:
        raise InvalidInputError("--speed", f"from {_SLOWEST:g} to {_FASTEST:g}", speed)
    try:
        frames = check_film(field, path, rate, pixels)
    except InvalidInputError as error:  # a film's sides are even; what was asked for may be odd
        raise InvalidInputError(error.field, error.requirement, size if error.field == "--size" else error.value) from None
    return WantedFilm(path, pixels, frames, speed, with_panel)


def check_new_recording(path: str) -> None:
    """Make sure that a recording can be made there, and overwrites nothing.

    Raises
    ------
    InvalidInputError
        It cannot, or would.
    """
    check_writable("--record-inputs", path, (RECORDING_SUFFIX,))
    if os.path.lexists(path):
        raise InvalidInputError("--record-inputs", "a file that is not there yet", path)


@contextlib.contextmanager
def filmed(wanted: WantedFilm | None) -> Iterator[Camera]:
    """Yield what films; the film is there when the body has come to its end, and nothing of it if it has not."""
    camera = Camera(wanted)
    if wanted is None:
        yield camera
        return
    from engine.app.headless import no_screen

    with no_screen():
        try:
            yield camera
        except BaseException:
            camera.discard()
            raise
        camera.close()
