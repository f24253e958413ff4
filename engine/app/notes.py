"""What there is to say of a demo that runs: one line for the status strip, which covers nothing of the picture.

What somebody should know at once comes first: why the demo has stopped; then what was told (`engine.demo.messages`); then the state that
the demo is in by itself. Of a state that comes and goes it is said once that it is there, and not again until it has been gone for long.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.demo.costs import FrameTimes
from engine.render import palette
from engine.render.palette import Color

if TYPE_CHECKING:
    from engine.demo.session import Session

__all__ = ["Note", "Notes"]

Note = tuple[str, Color]

_SETTLED = 2.0
"""Seconds for which a state lasts before it is told: the mean of the lag has settled by then, and a single long frame is none."""
_REST = 60.0
"""Seconds for which it must have been gone before it is told again."""
_SLOW_FOR, _SLOW_AT_LEAST = 8.0, 4.0
"""Seconds for which it is told that time runs slowly, and for how many of them even if it ends: it can be read. After that the figure
beside the speed says so."""


class _State:
    """Something that is so or not, and when somebody was told.

    Parameters
    ----------
    least, longest : float
        Seconds for which it is told, even if it is so no more, and at the most.
    """

    def __init__(self, least: float = 0.0, longest: float = math.inf) -> None:
        self._least, self._longest = least, longest
        self._lasted = self._told_for = 0.0
        self._gone_for = math.inf
        self._is_told = False

    def advance(self, elapsed: float, is_so: bool) -> bool:
        """Note whether it has been so for `elapsed` seconds; return whether it is to be told now."""
        if not is_so and not (self._is_told and self._told_for < self._least):
            self._gone_for += elapsed
            self._lasted = 0.0
            self._is_told = False
            if self._gone_for >= _REST:
                self._told_for = 0.0
            return False
        self._lasted += elapsed
        if self._lasted >= _SETTLED:
            self._is_told = self._is_told or self._told_for == 0.0
            self._gone_for = 0.0
        if self._is_told:
            self._told_for += elapsed
            self._is_told = self._told_for <= self._longest
        return self._is_told


class Notes:
    """The line of a window, for whichever demo runs in it: what was told of one is not told of the next at once."""

    def __init__(self) -> None:
        self._slow, self._empty = _State(_SLOW_AT_LEAST, _SLOW_FOR), _State()
        self._is_slow = self._is_empty = False

    def advance(self, elapsed: float, is_slow: bool, shows_nothing: bool) -> None:
        """Let `elapsed` real seconds pass, in which time ran slowly or not, and none of the bodies was in view or some were."""
        self._is_slow = self._slow.advance(elapsed, is_slow)
        self._is_empty = self._empty.advance(elapsed, shows_nothing)

    def now(self, session: Session, is_warming_up: bool) -> Note | None:
        """Return what is to be said of a session, and its colour; nothing, mostly.

        While it is warming up, kernels are being compiled or loaded beside the frames: that takes time from them.
        """
        if session.timeline.failure:
            return f"stopped: {session.timeline.failure}  (R restarts)", palette.UNEXPLAINED
        if (message := session.messages.now) is not None:
            return message.words, message.color
        if self._is_empty:
            return "nothing is in view: Home brings the view back", palette.WARNING
        if self._is_slow:
            what = _what_takes_long(session.costs.shown, is_warming_up)
            return f"runs at {session.clock.share_of_speed} of the speed asked for: {what}", palette.WARNING
        if session.view.focus is not None:
            return "looking closely: Esc returns", palette.TEXT
        return None


def _what_takes_long(times: FrameTimes, is_warming_up: bool) -> str:
    """Return what most of a frame goes to, in words; none of ours, where all of it together is less than half."""
    steps = max(times.steps, 1)
    parts = {
        "drawing takes too long": times.draw,
        "steps take too long": steps * times.step,
        "the check takes too long (8 switches it off)": steps * times.check,
    }
    longest = max(parts, key=lambda words: parts[words])
    if sum(parts.values()) > 0.5 * times.frame:
        return longest
    return "the algorithms are being compiled or loaded" if is_warming_up else "the computer is busy with something else"
