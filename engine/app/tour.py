"""Runs `python main.py` on a machine without a display: each demo runs off-screen for a few seconds and leaves a picture.

The demos that need the fewest kernels come first. If a demo takes very long on a busy machine, its picture shows the step that it reached.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from engine.app.files.writing import check_directory, check_writable
from engine.app.headless import RunReport, picture_of, run_headless
from engine.common.checks import positive
from engine.common.files import write_atomically
from engine.compare.live.referee import live_referee
from engine.compare.processes.workers import run_tasks
from engine.sim.demo import Demo

__all__ = ["LONGEST", "TourStop", "run_tour"]

LONGEST = 20.0
"""Real seconds for the steps of one demo after its first, in which kernels are compiled; most take less than one."""


@dataclass(frozen=True, slots=True)
class TourStop:
    """One demo of the tour: its report, its picture, and the simulated seconds."""

    report: RunReport
    title: str
    picture: Path
    seconds: float


@dataclass(frozen=True, slots=True)
class _Visit:
    kind: type[Demo]
    picture: Path
    seconds: float
    seed: int
    longest: float

    def make(self) -> TourStop:
        """Run the demo and write its picture."""
        began: list[float] = []

        def is_late() -> bool:
            began.append(perf_counter())
            return began[-1] > began[0] + self.longest

        steps = max(1, round(self.seconds / self.kind(self.seed).step_seconds))
        report, running = run_headless(self.kind, steps, self.seed, None, live_referee, is_enough=is_late)
        write_atomically(self.picture, picture_of(running))
        return TourStop(report, self.kind.title, self.picture, report.steps * running.step_seconds)


def run_tour(
    demos: Sequence[type[Demo]], out_dir: Path, seconds: float = 5.0, seed: int = 0, n_jobs: int = 1
) -> Generator[TourStop, None, None]:
    """Run every demo for `seconds` of simulated time, write ``out_dir/ID.png``, and yield each stop as soon as its picture is there.

    Parameters
    ----------
    demos : sequence of Demo classes
    out_dir : path
        Created if missing.
    seconds : float
        > 0; simulated time. A demo stops earlier after `LONGEST` real seconds.
    seed : int
    n_jobs : int
        Number of processes for the demos after the first.

    Raises
    ------
    InvalidInputError
        The directory cannot be created or written to; no demo has run.
    """
    seconds = positive("seconds", seconds, "s")
    out_dir = check_directory("out", out_dir)
    first, *rest = [
        _Visit(kind, check_writable("out", out_dir / f"{kind.id}.png"), seconds, seed, LONGEST)
        for kind in sorted(demos, key=lambda kind: kind.needs_kernels)
    ]
    yield first.make()
    yield from run_tasks(_Visit.make, rest, n_jobs)
