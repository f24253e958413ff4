"""How far an answer may be off and still be right.

The allowance has two parts: the rounding of float64, which is derived, and `DEFAULT_TOLERANCE`, a choice that `--tolerance` changes.

**Rounding.** u = 2**-53, S the sum over both shapes of the greatest ``|x| + |y| + radius``. A function that follows the book takes
differences of coordinates (u S each), makes a unit vector of one of them (relative error 4 u: two squares, a sum, a root, a
division), projects every corner on it (2 products, 1 sum: 3 u S with the vector's own error 7 u S) and subtracts two such
projections: 15 u S for a separation, and as much again where it goes through a center or a second frame. 64 u S is twice
that.
"""

from __future__ import annotations

from engine.common.tolerances import SAT_ROUNDING

__all__ = ["DEFAULT_TOLERANCE", "SURE_ROUNDING", "UNIT_LENGTH", "rounding"]

DEFAULT_TOLERANCE = 1e-9
"""Default tolerance, meters. A nanometer: a thousand times float64 rounding ten meters from the origin, a hundredth of float32's; code
that stops at an epsilon of 1e-9 is accepted."""

UNIT_LENGTH = 1e-6
"""Ratio. How far a normal's length may be from 1: what float32 leaves, ten times over; pushing a meter along it errs by a micrometer."""

_ROUNDINGS = 2.0
"""Rounding allowed, as a multiple of `SAT_ROUNDING`, which is 32 u: see above."""

SURE_ROUNDING = 0.25
"""Share of `rounding` within which our own float64 answer settles that theirs is right. It is an answer about the same shapes before
their corners were rounded into the world (8 u S) and errs by `SAT_ROUNDING`, 32 u S: with this quarter, 16 u S, less than 64 u S."""


def rounding(scale: float) -> float:
    """Return the rounding allowance of a separation in float64, meters; `scale` is S."""
    return _ROUNDINGS * SAT_ROUNDING * scale
