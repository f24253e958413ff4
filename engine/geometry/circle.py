"""The disc."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import non_negative, point, positive
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.aabb import AABB
from engine.geometry.convex import ConvexShape
from engine.geometry.kinds import CIRCLE
from engine.geometry.mass import MassProperties
from engine.geometry.transform import Transform, posed

__all__ = ["Circle"]


@dataclass(frozen=True, slots=True)
class Circle(ConvexShape):
    """A solid disc.

    Parameters
    ----------
    radius : float
        > 0, metres.
    center : pair of float
        Body frame, metres.

    Raises
    ------
    InvalidShapeError
        The radius is not positive, or a number is not finite.
    """

    kind: ClassVar[int] = CIRCLE
    skin_radius: ClassVar[float] = 0.0
    radius: float
    center: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "radius", positive("radius", self.radius, "m"))
            object.__setattr__(self, "center", point("center", self.center))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    @property
    def core(self) -> FloatArray:
        """The centre, (1, 2)."""
        return np.array([self.center])

    @property
    def centroid(self) -> tuple[float, float]:
        """The centre."""
        return self.center

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Circle:
        """Return the disc elsewhere; see `ConvexShape`."""
        return Circle(self.radius if radius is None else radius, place(self.core)[0])

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the disc at the pose `xf`."""
        x, y = posed(xf).apply(self.center)
        return AABB((x - self.radius, y - self.radius), (x + self.radius, y + self.radius))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid (``m r^2 / 2``) for `density` kg/m^2."""
        density = non_negative("density", density, "kg/m^2")
        area = math.pi * self.radius**2
        return MassProperties(area, density * area, self.center, 0.5 * density * area * self.radius**2)
