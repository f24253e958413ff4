"""Rows of constraints, of which joints consist. A row is a condition on a coordinate of two bodies.

With d the vector from the anchor on A to that on B and u an axis fixed to A, the coordinates are

=======  =======================================
POINT    d, both parts
ANGLE    angle of B less that of A
ALONG    u . d
LENGTH   abs(d)
SUM      C_1 + ratio C_2 of the two rows before
=======  =======================================

`engine.dynamics._joint_kernel` derives their solution, and defines the modes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

__all__ = [
    "ALONG", "ANGLE", "DRIVE", "HIGH", "HOLD", "LENGTH", "LOW", "POINT", "READ", "SPRING", "SUM", "Row", "Rows", "across", "limits",
]  # fmt: skip

POINT, ANGLE, ALONG, LENGTH, SUM = range(5)
"""Coordinates."""
HOLD, SPRING, LOW, HIGH, DRIVE, READ = range(6)
"""Modes. READ constrains nothing: a SUM uses its coordinate."""


class Row(NamedTuple):
    """A row of a joint, between its bodies and anchors unless others are given.

    Attributes
    ----------
    kind, mode : int
    target, speed : float
        Target of the coordinate, m or rad; of its rate for DRIVE, m/s or rad/s.
    max_force : float
        Force or torque, N or N m, of DRIVE and of a mouse's SPRING.
    spring : (float, float)
        Frequency in Hz and damping ratio; for DRIVE, the fraction of the error to correct per step, and 1 if the correction may be no
        faster than the force can stop, else 0.
    ratio : float
        Factor of the second coordinate of a SUM.
    ends : (body id, body id) or None
        None as the first body means the world.
    local : (point, point) or None
        Anchors relative to the bodies' origins, body frames, m.
    axis : (float, float)
        u of ALONG, frame of A.
    """

    kind: int
    mode: int
    target: float = 0.0
    speed: float = 0.0
    max_force: float = math.inf
    spring: tuple[float, float] = (0.0, 0.0)
    ratio: float = 1.0
    ends: tuple[int | None, int] | None = None
    local: tuple[tuple[float, float], tuple[float, float]] | None = None
    axis: tuple[float, float] = (1.0, 0.0)


Rows: TypeAlias = Iterator[Row]


def limits(row: Row, low: float, high: float) -> Rows:
    """Yield one row per limit, or a single equality row if the limits are equal: redundant rows cannot be solved in one block.

    Box2D has one row with a state instead.
    """
    if low == high:
        yield row._replace(mode=HOLD, target=low)
    else:
        yield row._replace(mode=LOW, target=low)
        yield row._replace(mode=HIGH, target=high)


def across(axis: tuple[float, float]) -> tuple[float, float]:
    """Return an axis rotated by 90 degrees."""
    return -axis[1], axis[0]
