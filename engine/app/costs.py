"""Times of the frames of a session, and their means that are shown: a number that changes with every frame cannot be read."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from engine.sim.stage import StepTimes

__all__ = ["FrameCosts", "FrameTimes"]

_FRAMES = 30
"""Over which the means are taken: half a second."""
_REFRESH = 0.25
"""Seconds from one renewal of what is shown to the next."""


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Milliseconds: the frame from one to the next, one step, its check, and the drawing; `steps` were taken.

    `beside` is the same step of the demo beside, where there is one.
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
        """Means, renewed four times a second."""
        self._recent: deque[FrameTimes] = deque(maxlen=_FRAMES)
        self._since_refresh = _REFRESH

    @property
    def latest(self) -> FrameTimes:
        """Times of the last frame; until it is drawn, with the drawing of the frame before."""
        return self._recent[-1] if self._recent else FrameTimes()

    def advanced(self, elapsed: float, taken: Sequence[StepTimes]) -> None:
        """Note a frame that came `elapsed` seconds after the one before, and the steps taken in it."""
        n, draw = max(len(taken), 1), self.latest.draw
        step, check, beside = (sum(getattr(times, name) for times in taken) / n for name in ("step", "check", "beside"))
        self._recent.append(FrameTimes(1000.0 * elapsed, step, check, draw, len(taken), beside))
        self._since_refresh += elapsed

    def drew(self, milliseconds: float) -> None:
        """Note what drawing the frame took."""
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
        """Show what a step taken elsewhere has cost, and the last drawing: off-screen there is no frame rate."""
        draw = self.latest.draw
        self.shown = FrameTimes(times.step + times.check + times.beside + draw, times.step, times.check, draw, beside=times.beside)
        self._recent.append(self.shown)
        self._since_refresh = 0.0
