"""The disc."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.common.checks import non_negative, point, positive
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.aabb import AABB
from engine.geometry.mass import MassProperties
from engine.geometry.transform import Transform, posed

__all__ = ["Circle"]


@dataclass(frozen=True, slots=True)
class Circle:
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

    radius: float
    center: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "radius", positive("radius", self.radius, "m"))
            object.__setattr__(self, "center", point("center", self.center))
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the disc at the pose `xf`."""
        x, y = posed(xf).apply(self.center)
        return AABB((x - self.radius, y - self.radius), (x + self.radius, y + self.radius))

    def mass(self, density: float = 1.0) -> MassProperties:
        """Return area, mass, centroid and inertia about the centroid (``m r^2 / 2``) for `density` kg/m^2."""
        density = non_negative("density", density, "kg/m^2")
        area = math.pi * self.radius**2
        return MassProperties(area, density * area, self.center, 0.5 * density * area * self.radius**2)
