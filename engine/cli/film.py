"""Records the video of a run; its options are checked before the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.app.film import Film
    from engine.app.headless import Filming
    from engine.sim.demo import Demo

__all__ = ["Camera"]


class Camera:
    """Films a demo after `start` is called; does nothing if `path` is None.

    Parameters
    ----------
    option : str
        Option that errors name.
    path : str, optional
    rate, size : optional
        Frames per second and ``WIDTHxHEIGHT`` as given; None for the defaults.
    speed : float
        Playback speed.

    Raises
    ------
    InvalidInputError
        The video cannot be written.
    """

    def __init__(self, option: str, path: str | None, rate: float | None, size: str | None, speed: float = 1.0) -> None:
        self._path = path
        self._film: Film | None = None
        self._filming: Filming | None = None
        if path is not None:
            from engine.app.film import check_film
            from engine.app.headless import film_size

            self._size, self._rate, self._speed = film_size(size), check_film(option, path, rate), speed

    def start(self, demo: Demo) -> None:
        """Open the video file and take the first frame."""
        if self._path is not None:
            from engine.app.film import Film, FrameTimes
            from engine.app.headless import Filming

            self._film = Film(self._path, self._size, self._rate)
            self._filming = Filming(demo, self._film, self._size, FrameTimes(self._rate, self._speed))

    def stepped(self) -> None:
        """Take the frames that are due after a step."""
        if self._filming is not None:
            self._filming.stepped()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Save the film if the with block completes; discard it otherwise."""
        from engine.app.headless import no_screen

        with contextlib.nullcontext() if self._path is None else no_screen():
            try:
                yield
            except BaseException:
                if self._film is not None:
                    self._film.discard()
                raise
            if self._film is not None:
                self._film.close()

    @property
    def row(self) -> dict[str, str]:
        """Summary row with the path, length and size of the closed film; empty if no film was made."""
        if self._film is None:
            return {}
        return {"film": f"{self._path}, {self._film.words} of {self._size[0]} x {self._size[1]}"}
