"""Durations of the frames of a session, averaged so that the displayed numbers can be read."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from engine.sim.stage import StepTimes

__all__ = ["FrameCosts", "FrameTimes"]

_FRAMES = 30
"""Averaging time, half a second."""
_REFRESH = 0.25
"""Interval between updates of the displayed figures, seconds."""


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Durations in milliseconds: the frame, one step, its check, and the drawing; `steps` is the number of steps taken.

    `beside` is the duration of the same step in the comparison demo, if there is one.
    """

    frame: float = 0.0
    step: float = 0.0
    check: float = 0.0
    draw: float = 0.0
    steps: int = 0
    beside: float = 0.0


class FrameCosts:
    """The last frames."""

    def __init__(self) -> None:
        self.shown = FrameTimes()
        """Means, updated four times a second."""
        self._recent: deque[FrameTimes] = deque(maxlen=_FRAMES)
        self._since_refresh = _REFRESH

    @property
    def latest(self) -> FrameTimes:
        """Durations of the last frame; until it is drawn, with the previous frame's drawing time."""
        return self._recent[-1] if self._recent else FrameTimes()

    def advanced(self, elapsed: float, taken: Sequence[StepTimes]) -> None:
        """Record a frame that came `elapsed` seconds after the previous one, and its steps."""
        n, draw = max(len(taken), 1), self.latest.draw
        step, check, beside = (sum(getattr(times, name) for times in taken) / n for name in ("step", "check", "beside"))
        self._recent.append(FrameTimes(1000.0 * elapsed, step, check, draw, len(taken), beside))
        self._since_refresh += elapsed

    def drew(self, milliseconds: float) -> None:
        """Record the duration of drawing the frame."""
        if not self._recent:
            return
        self._recent[-1] = replace(self._recent[-1], draw=milliseconds)
        if self._since_refresh >= _REFRESH:
            self._since_refresh = 0.0
            stepped = [times for times in self._recent if times.steps > 0] or [self.shown]
            frame, draw = (fmean(getattr(times, name) for times in self._recent) for name in ("frame", "draw"))
            step, check, beside = (fmean(getattr(times, name) for times in stepped) for name in ("step", "check", "beside"))
            self.shown = FrameTimes(frame, step, check, draw, beside=beside)

    def observe(self, times: StepTimes) -> None:
        """Show the cost of a step taken elsewhere, and of the last drawing; headless runs have no frame rate."""
        draw = self.latest.draw
        self.shown = FrameTimes(times.step + times.check + times.beside + draw, times.step, times.check, draw, beside=times.beside)
        self._recent.append(self.shown)
        self._since_refresh = 0.0
