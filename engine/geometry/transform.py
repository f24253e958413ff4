"""A rigid pose: rotate, then translate."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import finite, point
from engine.common.errors import InvalidInputError
from engine.geometry.rotation import cosine_and_sine

__all__ = ["Transform", "posed"]


@dataclass(frozen=True, slots=True)
class Transform:
    """Pose of a body: ``world = R(angle) local + position``.

    Parameters
    ----------
    position : pair of float
        Position of the local origin, world frame, meters.
    angle : float
        Radians, counter-clockwise.

    Raises
    ------
    InvalidInputError
        A number is not finite.

    Examples
    --------
    >>> import math
    >>> Transform((1.0, 0.0), math.pi / 2).apply((2.0, 0.0))
    (1.0000000000000002, 2.0)
    """

    position: tuple[float, float] = (0.0, 0.0)
    angle: float = 0.0
    cos: float = field(init=False, repr=False, compare=False)
    sin: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", point("position", self.position))
        object.__setattr__(self, "angle", finite("angle", self.angle, "rad"))
        cos, sin = cosine_and_sine(self.angle)  # the kernels' own: batches are bit-identical to single queries
        object.__setattr__(self, "cos", cos)
        object.__setattr__(self, "sin", sin)

    def apply(self, local: tuple[float, float]) -> tuple[float, float]:
        """Transform a point from the body frame to the world frame."""
        x, y = local
        return (self.cos * x - self.sin * y + self.position[0], self.sin * x + self.cos * y + self.position[1])

    def apply_inverse(self, world: tuple[float, float]) -> tuple[float, float]:
        """Transform a point from the world frame to the body frame."""
        x, y = world[0] - self.position[0], world[1] - self.position[1]
        return (self.cos * x + self.sin * y, -self.sin * x + self.cos * y)

    def rotate(self, local: tuple[float, float]) -> tuple[float, float]:
        """Transform a direction from the body frame to the world frame."""
        x, y = local
        return (self.cos * x - self.sin * y, self.sin * x + self.cos * y)

    def apply_array(self, local: FloatArray) -> FloatArray:
        """Transform points, float64 (n, 2), from the body frame to the world frame."""
        rotation = np.array([[self.cos, -self.sin], [self.sin, self.cos]])
        world: FloatArray = local @ rotation.T + np.array(self.position)
        return world


def posed(xf: object) -> Transform:
    """Return `xf` if it is a `Transform`.

    Raises
    ------
    InvalidInputError
        It is not a `Transform`.
    """
    if not isinstance(xf, Transform):
        raise InvalidInputError("xf", "a Transform", xf)
    return xf
