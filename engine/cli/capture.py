"""Records the video and the page of a run; the options are checked before the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from engine.cli.options import named
from engine.cli.output import waiting
from engine.common.files import write_atomically
from engine.report import Value

if TYPE_CHECKING:
    from engine.app.film import Film
    from engine.app.headless import Filming
    from engine.player.capture import Capture
    from engine.sim.comparison import Comparison
    from engine.sim.demo import Demo

__all__ = ["RunCapture", "write_page"]


class RunCapture:
    """Films a demo and captures it for a page, each only if its path is given, once `start` is called.

    Parameters
    ----------
    film, html : str, optional
        Paths of the film and of the page.
    fps, size : optional
        Frames per second and ``WIDTHxHEIGHT`` of the film as given; None for the defaults.
    speed : float
        Playback speed of the film.

    Raises
    ------
    InvalidInputError
        The film cannot be written.
    """

    def __init__(self, film: str | None, html: str | None, fps: float | None, size: str | None, speed: float = 1.0) -> None:
        self._film_path, self._html, self._speed, self._title = film, html, speed, ""
        self._film: Film | None = None
        self._filming: Filming | None = None
        self._page: Capture | None = None
        if film is not None:
            from engine.app.film import check_film
            from engine.app.headless import film_size

            self._size, self._rate = film_size(size), check_film("--record", film, fps)

    def start(self, demo: Demo, n_steps: int, length: str, beside: Comparison | None = None) -> None:
        """Capture the current state of a demo and of its comparison; `length` is the option that gives the number of steps."""
        if self._film_path is not None:
            from engine.app.film import Film, FrameTimes
            from engine.app.headless import Filming

            self._film = Film(self._film_path, self._size, self._rate)
            self._filming = Filming(demo, self._film, self._size, FrameTimes(self._rate, self._speed))
        if self._html is not None:
            from engine.app.dropped_picture import DroppedPainter
            from engine.player.capture import Capture

            with named(lambda field: length if field == "seconds" else "--html"):
                self._page, self._title = Capture(demo, beside, DroppedPainter().draw, n_steps), demo.title

    def stepped(self) -> None:
        """Capture the state after a step."""
        if self._filming is not None:
            self._filming.stepped()
        if self._page is not None:
            self._page.update()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Save the film if the with block completes; discard it otherwise."""
        from engine.app.headless import no_screen

        with contextlib.nullcontext() if self._film_path is None else no_screen():
            try:
                yield
            except BaseException:
                if self._film is not None:
                    self._film.discard()
                raise
            if self._film is not None:
                self._film.close()

    def written(self) -> dict[str, Value]:
        """Write the page; return summary rows of the closed film and of the page, with their paths and sizes."""
        rows: dict[str, Value] = {}
        if self._film is not None:
            rows["film"] = f"{self._film_path}, {self._film.words} of {self._size[0]} x {self._size[1]}"
        if self._html is not None and self._page is not None:
            with waiting("writing the page"):
                rows |= write_page(self._html, self._title, [self._page.packed()])
        return rows


def write_page(path: str, title: str, recordings: Sequence[str]) -> dict[str, Value]:
    """Write a page that plays recordings; return a summary row with its path and size."""
    from engine.player.page import player_page

    content = player_page(title, recordings).encode()
    write_atomically(path, content)
    return {"page": f"{path}, {len(content) / 1000.0:,.0f} kB"}
