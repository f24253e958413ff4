"""The allowed error of a correct answer.

The allowance has two parts: the rounding of float64, which is derived, and `DEFAULT_TOLERANCE`, a choice that `--tolerance` changes.

**Rounding.** u = 2**-53, S the sum over both shapes of the greatest ``|x| + |y| + radius``. A textbook function computes differences of
coordinates (u S each), normalizes one of them (relative error 4 u: two squares, a sum, a root, a division), projects every corner on it (2
products, 1 sum: 3 u S, or 7 u S with the vector's error) and subtracts two such projections: 15 u S for a separation, and as much again if
it uses a center or a second frame. 64 u S is twice
that.
"""

from __future__ import annotations

from engine.common.tolerances import SAT_ROUNDING

__all__ = ["DEFAULT_TOLERANCE", "SURE_ROUNDING", "UNIT_LENGTH", "rounding"]

DEFAULT_TOLERANCE = 1e-9
"""Default tolerance, meters. A nanometer is a thousand times the rounding of float64 ten meters from the origin, and a hundredth of
float32's; code that stops at an epsilon of 1e-9 is accepted.
"""

UNIT_LENGTH = 1e-6
"""Maximum deviation of a normal's length from 1: ten times the error of float32; a displacement of a meter along it errs by a
micrometer.
"""

_ROUNDINGS = 2.0
"""Rounding allowed, as a multiple of `SAT_ROUNDING`, which is 32 u: see above."""

SURE_ROUNDING = 0.25
"""Share of `rounding` within which our float64 answer proves that theirs is right. Ours is for the same shapes before their corners were
rounded into the world (8 u S), and errs by `SAT_ROUNDING`, 32 u S: with this quarter, 16 u S, the sum is less than 64 u S.
"""


def rounding(scale: float) -> float:
    """Return the rounding allowance of a separation in float64, meters; `scale` is S."""
    return _ROUNDINGS * SAT_ROUNDING * scale
