"""What `python main.py` does on a machine without a display: every demo off-screen for a few seconds, a picture of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from engine.app.demo import Demo
from engine.app.files import check_directory, check_writable, write_atomically
from engine.app.headless import RunReport, picture_of, run_headless
from engine.app.stage import RefereeFactory
from engine.common.checks import positive

__all__ = ["TourStop", "run_tour"]


@dataclass(frozen=True, slots=True)
class TourStop:
    """One demo of the tour: its report, and where its picture lies."""

    report: RunReport
    title: str
    picture: Path


def run_tour(
    demos: Iterable[type[Demo]],
    out_dir: Path,
    seconds: float = 5.0,
    seed: int = 0,
    referee: RefereeFactory | None = None,
    on_step: Callable[[Demo], None] | None = None,
) -> tuple[TourStop, ...]:
    """Run every demo for `seconds` of its own time and write ``out_dir/ID.png``.

    Parameters
    ----------
    demos : iterable of Demo classes
    out_dir : path
        Made if it is missing.
    seconds : float
        > 0; world time, not real time.
    seed : int
    referee : callable, optional
        As in `run_headless`.
    on_step : callable, optional
        Called with the demo after each step.

    Raises
    ------
    InvalidInputError
        The directory cannot be made or written to; nothing has run then.
    """
    seconds = positive("seconds", seconds, "s")
    out_dir = check_directory("out", out_dir)
    stops = []
    for demo in demos:
        picture = check_writable("out", out_dir / f"{demo.id}.png")
        steps = max(1, round(seconds / demo(seed).step_seconds))
        report, running = run_headless(demo, steps, seed, None, referee, on_step)
        write_atomically(picture, picture_of(running))
        stops.append(TourStop(report, demo.title, picture))
    return tuple(stops)
