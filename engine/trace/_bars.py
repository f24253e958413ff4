"""Times of a motion as bars: when each axis is crossed, what each leaves, and what they leave together."""

from __future__ import annotations

import math

from engine.common.words import decimals
from engine.contracts.trace import Mark, Role, View

__all__ = ["TIMES", "Bars", "bar", "moment", "step_of_time"]

TIMES = View("times", "time intervals, one bar per axis", x="fraction of the motion", y="axis")

_FIRST, _LAST = -0.25, 1.25
"""Range of fractions shown by the bars; they are cut off beyond it."""


def moment(t: float, width: float = 1.0) -> str:
    """Return a time for a sentence, with enough digits to separate the ends of an interval of `width`.

    Examples
    --------
    >>> moment(0.42), moment(0.42, 1e-5), moment(-math.inf)
    ('t = 0.420', 't = 0.420000', 'never')
    """
    if math.isinf(t):
        return "never"
    digits = 3 if not 0.0 < width < 0.01 else min(1 - math.floor(math.log10(width)), 16)
    return f"t = {decimals(t, digits) if abs(t) < 1e4 and (abs(t) >= 5e-4 or t == 0.0 or digits > 3) else f'{t:.3g}'}"


def _shown(t: float) -> float:
    return min(max(t, _FIRST), _LAST)


def bar(y: float, start: float, end: float, role: Role, text: str = "") -> tuple[Mark, ...]:
    """Return a bar from one time to another, as far as it shows; a dot where it is one moment or lies beyond; none where it is empty."""
    if not start <= end:
        return ()
    first, last = _shown(start), _shown(end)
    if first == last:
        return (Mark("point", role, ((first, y),), "times", text),)
    return (Mark("path", role, ((first, y), (last, y)), "times", text),)


class Bars:
    """The bars so far; only the newest is labeled, as there is no room for many labels."""

    def __init__(self) -> None:
        self._known: list[Mark] = []
        self._newest: tuple[Mark, ...] = ()

    def add(self, y: float, start: float, end: float, text: str) -> None:
        """Add a bar."""
        self._known += bar(y, start, end, "kept")
        self._newest = bar(y, start, end, "looked_at", text)

    def shown(self) -> tuple[Mark, ...]:
        """Return the marks of one step."""
        newest, self._newest = self._newest, ()
        return (*self._known, *newest)


def step_of_time(n_axes: float) -> tuple[Mark, ...]:
    """Return the beginning and the end of the motion, for `n_axes` bars from 0 upward."""
    return tuple(Mark("path", "ghost", ((t, -0.6), (t, n_axes + 0.6)), "times", text) for t, text in ((0.0, "start"), (1.0, "end")))
