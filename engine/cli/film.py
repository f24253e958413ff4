"""Validates the video options of commands before the run, and records the video during the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.app.film import Film
    from engine.app.headless import Filming
    from engine.sim.demo import Demo

__all__ = ["Camera", "WantedFilm", "filmed", "wanted_film"]


@dataclass(frozen=True)
class WantedFilm:
    """The settings of a video: path, size in pixels, frames per second and playback speed."""

    path: str
    size: tuple[int, int]
    rate: float
    speed: float


class Camera:
    """Films a demo after `start` is called; does nothing if `wanted` is None."""

    def __init__(self, wanted: WantedFilm | None) -> None:
        self._wanted = wanted
        self.film: Film | None = None
        self._filming: Filming | None = None

    def start(self, demo: Demo) -> None:
        """Open the video file and take the first frame."""
        if self._wanted is not None:
            from engine.app.film import Film, FrameTimes
            from engine.app.headless import Filming

            settings = self._wanted
            self.film = Film(settings.path, settings.size, settings.rate)
            times = FrameTimes(settings.rate, settings.speed)
            self._filming = Filming(demo, self.film, settings.size, times)

    def stepped(self) -> None:
        """Take the frames that are due after a step."""
        if self._filming is not None:
            self._filming.stepped()

    @property
    def row(self) -> dict[str, str]:
        """Summary row with the path, length and size of the closed film; empty if no film was made."""
        if self._wanted is None or self.film is None:
            return {}
        return {"film": f"{self._wanted.path}, {self.film.words} of {self._wanted.size[0]} x {self._wanted.size[1]}"}


def wanted_film(option: str, path: str | None, rate: float | None, size: str | None, speed: float = 1.0) -> WantedFilm | None:
    """Return the video settings given by the options, or None if `path` is None.

    Raises
    ------
    InvalidInputError
        The video cannot be written.
    """
    if path is None:
        return None
    from engine.app.film import check_film
    from engine.app.headless import film_size

    return WantedFilm(path, film_size(size), check_film(option, path, rate), speed)


@contextlib.contextmanager
def filmed(wanted: WantedFilm | None) -> Iterator[Camera]:
    """Yield the camera. The film is saved only if the with block completes; otherwise it is discarded."""
    from engine.app.headless import no_screen

    camera = Camera(wanted)
    with contextlib.nullcontext() if wanted is None else no_screen():
        try:
            yield camera
        except BaseException:
            if camera.film is not None:
                camera.film.discard()
            raise
        if camera.film is not None:
            camera.film.close()
