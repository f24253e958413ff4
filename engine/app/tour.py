"""Runs `python main.py` on a machine without a display: each demo runs off-screen for a few seconds and leaves a picture.

Everything that a demo needs is compiled first, so that no picture shows a loading message. If a demo takes very long on a busy machine, its
picture shows the step that it reached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

from engine.app.files.writing import check_directory, check_writable
from engine.app.headless import RunReport, picture_of, run_headless
from engine.common.checks import positive
from engine.common.files import write_atomically
from engine.sim.demo import Demo
from engine.sim.stage import RefereeFactory

__all__ = ["LONGEST", "TourStop", "run_tour"]

LONGEST = 240.0
"""Real seconds for the steps of all demos; five simulated seconds of each take one minute on an idle machine. Each demo gets an equal share
of the remaining time.
"""


@dataclass(frozen=True, slots=True)
class TourStop:
    """One demo of the tour: its report, its picture, and the simulated seconds."""

    report: RunReport
    title: str
    picture: Path
    seconds: float


def run_tour(
    demos: Iterable[type[Demo]],
    out_dir: Path,
    seconds: float = 5.0,
    seed: int = 0,
    referee: RefereeFactory | None = None,
    on_step: Callable[[Demo], None] | None = None,
) -> tuple[TourStop, ...]:
    """Run every demo for `seconds` of simulated time and write ``out_dir/ID.png``.

    Parameters
    ----------
    demos : iterable of Demo classes
    out_dir : path
        Created if missing.
    seconds : float
        > 0; simulated time. A demo stops earlier if its share of the `LONGEST` real seconds is used up.
    seed : int
    referee : callable, optional
        As in `run_headless`.
    on_step : callable, optional
        Called with the demo after each step.

    Raises
    ------
    InvalidInputError
        The directory cannot be created or written to; no demo has run.
    """
    seconds = positive("seconds", seconds, "s")
    out_dir = check_directory("out", out_dir)
    stops: list[TourStop] = []
    kinds, left = tuple(demos), LONGEST
    for demo in kinds:
        picture = check_writable("out", out_dir / f"{demo.id}.png")
        steps = max(1, round(seconds / demo(seed).step_seconds))
        start = perf_counter()
        is_late = partial(_is_past, start + left / (len(kinds) - len(stops)))
        report, running = run_headless(demo, steps, seed, None, referee, on_step, is_enough=is_late)
        left = max(left - (perf_counter() - start), 0.0)
        write_atomically(picture, picture_of(running))
        stops.append(TourStop(report, demo.title, picture, report.steps * running.step_seconds))
    return tuple(stops)


def _is_past(moment: float) -> bool:
    return perf_counter() > moment
