"""Captures a demo during a run, and writes the page that plays it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.options import named
from engine.cli.output import waiting
from engine.common.files import write_atomically
from engine.report import Value

if TYPE_CHECKING:
    from engine.player.capture import Capture
    from engine.sim.comparison import Comparison
    from engine.sim.demo import Demo

__all__ = ["PageCapture", "write_page"]


class PageCapture:
    """Captures a demo after `start` is called; does nothing if `path` is None."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._capture: Capture | None = None
        self._title = ""

    def start(self, demo: Demo, n_steps: int, length: str, besides: Sequence[Comparison] = ()) -> None:
        """Capture the present state of a demo and of the copies beside it; `length` is the option that gives the number of steps."""
        if self._path is not None:
            from engine.app.dropped_picture import DroppedPainter
            from engine.player.capture import Capture

            with named(lambda field: length if field == "seconds" else "--html"):
                self._capture, self._title = Capture(demo, besides, DroppedPainter().draw, n_steps), demo.title

    def stepped(self) -> None:
        """Capture the state after a step."""
        if self._capture is not None:
            self._capture.update()

    def write(self) -> dict[str, Value]:
        """Write the page; return a summary row with its path and size, or nothing if no page is wanted."""
        if self._path is None or self._capture is None:
            return {}
        with waiting("writing the page"):
            return write_page(self._path, self._title, [self._capture.packed()])


def write_page(path: str, title: str, recordings: Sequence[str]) -> dict[str, Value]:
    """Write a page that plays recordings; return a summary row with its path and size."""
    from engine.player.page import player_page

    content = player_page(title, recordings).encode()
    write_atomically(path, content)
    return {"page": f"{path}, {len(content) / 1000.0:,.0f} kB"}
