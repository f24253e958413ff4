"""The capsule: everything within a radius of a segment."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import non_negative, point, positive
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.convex import TwoPoints
from engine.geometry.kinds import CAPSULE
from engine.geometry.mass import MassProperties

__all__ = ["Capsule"]


@dataclass(frozen=True, slots=True)
class Capsule(TwoPoints):
    """A solid capsule; a disc where its two points are the same.

    Parameters
    ----------
    p1, p2 : pair of float
        Ends of the core, body frame, metres.
    radius : float
        > 0, metres.

    Raises
    ------
    InvalidShapeError
        The radius is not positive, or a number is not finite.
    """

    kind: ClassVar[int] = CAPSULE
    skin_radius: ClassVar[float] = 0.0
    p1: tuple[float, float]
    p2: tuple[float, float]
    radius: float

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "p1", point("p1", self.p1))
            object.__setattr__(self, "p2", point("p2", self.p2))
            object.__setattr__(self, "radius", positive("radius", self.radius, "m"))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Capsule:
        """Return the capsule elsewhere; see `ConvexShape`."""
        p1, p2 = place(self.core)
        return Capsule(p1, p2, self.radius if radius is None else radius)

    def outline(self, n_arc: int = 16) -> FloatArray:
        """Return corners of its surface, counter-clockwise, `n_arc` + 1 on each of its two round ends, float64 (2 n_arc + 2, 2), metres."""
        along = math.atan2(self.p2[1] - self.p1[1], self.p2[0] - self.p1[0])
        turns = along + np.linspace(-0.5 * math.pi, 0.5 * math.pi, n_arc + 1)
        end = self.radius * np.column_stack((np.cos(turns), np.sin(turns)))
        return np.concatenate((np.array(self.p2) + end, np.array(self.p1) - end))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid for `density` kg/m^2.

        A rectangle of length l and width 2 r, and two half discs at its ends. A half disc's centroid lies 4 r / (3 pi) from its
        flat side, so about the capsule's centre the two have, by the parallel axes through their centroids and back,
        ``m_d (r^2 / 2 + l^2 / 4 + l 4 r / (3 pi))`` with m_d the mass of the whole disc.
        """
        density = non_negative("density", density, "kg/m^2")
        (x1, y1), (x2, y2), r = self.p1, self.p2, self.radius
        length = math.hypot(x2 - x1, y2 - y1)
        box, disc = density * 2.0 * r * length, density * math.pi * r * r
        inertia = box * (length**2 + 4.0 * r * r) / 12.0
        inertia += disc * (0.5 * r * r + 0.25 * length**2 + length * 4.0 * r / (3.0 * math.pi))
        area = 2.0 * r * length + math.pi * r * r
        return MassProperties(area, box + disc, (0.5 * (x1 + x2), 0.5 * (y1 + y2)), inertia)
