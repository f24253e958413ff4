"""What `python main.py` does on a machine without a display: every demo off-screen for a few seconds, a picture of each.

The pictures come first. Where the algorithms are still being compiled no demo waits for them: other processes compile, a few contacts a
step are checked without the compiler until the live check is there, and what a demo asks beside it is left out of its picture. And a demo
for whose seconds a busy machine takes very long is shown as far as it came.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from engine.app.files import check_directory, check_writable, write_atomically
from engine.app.headless import RunReport, picture_of, run_headless
from engine.app.plain_check import PlainCheck
from engine.app.warmup import RefereeWarmup
from engine.common.checks import positive
from engine.demo.base import Demo, DemoRun
from engine.demo.stage import RefereeFactory
from engine.history.history import History

__all__ = ["LONGEST", "TourStop", "run_tour"]

LONGEST = 240.0
"""Seconds by the clock for the steps of all demos; five of each take one minute where nothing else runs. Each has an even share of
what is left, so that the last are not worse off than the first."""


@dataclass(frozen=True, slots=True)
class TourStop:
    """One demo of the tour: its report, where its picture lies, and which of its contacts were checked: "all", "in part", "none".

    `seconds` are those of its own time.
    """

    report: RunReport
    title: str
    picture: Path
    checked: str
    seconds: float


class _Guide:
    """Gives each demo of a tour its check: a `referee` from the beginning, or the one `coming`, and `plain` till then."""

    def __init__(
        self, referee: RefereeFactory | None, coming: RefereeWarmup | None, plain: PlainCheck, on_step: Callable[[Demo], None] | None
    ) -> None:
        self._referee, self._coming, self._plain, self._on_step = referee, coming, plain, on_step
        self._until = 0.0
        self._is_whole = True

    def factory(self, kind: type[Demo]) -> RefereeFactory | None:
        """Return the factory for a demo, if it is there; one that needs more than the check gets it when all is."""
        if self._coming is None or (kind.needs_referee and not self._coming.is_complete):
            return self._referee
        return self._coming.factory

    def begin(self, until: float) -> None:
        """Begin with another demo, which has time until then."""
        self._until, self._is_whole = until, True

    def prepare(self, acting: DemoRun | History[Demo]) -> None:
        """Let a demo not wait for what is on its way."""
        if self._coming is not None:
            acting.demo.viewer.interactive = acting.demo.run.waits = True

    def stepped(self, demo: Demo) -> None:
        """Look at a step, and give the demo what has come."""
        if self._coming is not None:
            lacks = [stage for stage in demo.stages if stage.referee is None]
            self._is_whole = self._is_whole and not lacks and self._coming.is_complete
            self._plain.look(lacks, has_stepped=True)
            factory = self.factory(type(demo)) if lacks else None
            if factory is not None:
                demo.run.use_missing_referees(factory)
            for what in demo.arrivals():
                if what not in demo.ready:
                    demo.run.resource_ready(what)
        if self._on_step is not None:
            self._on_step(demo)

    def is_late(self) -> bool:
        """Whether the demo has had its time."""
        return perf_counter() > self._until

    def checked(self, demo: Demo) -> str:
        """Say which contacts of the demo were checked."""
        if self._is_whole:
            return "all" if demo.stages and demo.stages[0].referee is not None else "none"
        return "in part" if any(stage.total.compared for stage in demo.stages) else "none"


def run_tour(
    demos: Iterable[type[Demo]],
    out_dir: Path,
    seconds: float = 5.0,
    seed: int = 0,
    referee: RefereeFactory | None = None,
    on_step: Callable[[Demo], None] | None = None,
    coming: RefereeWarmup | None = None,
) -> tuple[TourStop, ...]:
    """Run every demo for `seconds` of its own time and write ``out_dir/ID.png``.

    Parameters
    ----------
    demos : iterable of Demo classes
    out_dir : path
        Made if it is missing.
    seconds : float
        > 0; world time, not real time. A demo takes no more of it than its share of `LONGEST` seconds of real time is enough for.
    seed : int
    referee : callable, optional
        As in `run_headless`.
    on_step : callable, optional
        Called with the demo after each step.
    coming : RefereeWarmup, optional
        Already started: demos use what it gives as soon as it is there, and are not kept waiting for it.

    Raises
    ------
    InvalidInputError
        The directory cannot be made or written to; nothing has run then.
    """
    seconds = positive("seconds", seconds, "s")
    out_dir = check_directory("out", out_dir)
    stops: list[TourStop] = []
    kinds, left = tuple(demos), LONGEST
    with contextlib.closing(PlainCheck()) as plain:
        guide = _Guide(referee, coming, plain, on_step)
        for demo in kinds:
            picture = check_writable("out", out_dir / f"{demo.id}.png")
            steps = max(1, round(seconds / demo(seed).step_seconds))
            start = perf_counter()
            guide.begin(start + left / (len(kinds) - len(stops)))
            report, running = run_headless(
                demo, steps, seed, None, guide.factory(demo), guide.stepped, guide.prepare, is_enough=guide.is_late
            )
            left = max(left - (perf_counter() - start), 0.0)
            write_atomically(picture, picture_of(running))
            stops.append(TourStop(report, demo.title, picture, guide.checked(running), report.steps * running.step_seconds))
    return tuple(stops)
