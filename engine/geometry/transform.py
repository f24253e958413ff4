"""A rigid pose: rotate, then translate."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import finite, point

__all__ = ["Transform"]


@dataclass(frozen=True, slots=True)
class Transform:
    """Pose of a body: ``world = R(angle) local + position``.

    Parameters
    ----------
    position : pair of float
        Where the local origin lies, world frame, metres.
    angle : float
        Radians, counter-clockwise.

    Raises
    ------
    InvalidInputError
        A number is not finite.

    Examples
    --------
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
        object.__setattr__(self, "cos", math.cos(self.angle))
        object.__setattr__(self, "sin", math.sin(self.angle))

    def apply(self, local: tuple[float, float]) -> tuple[float, float]:
        """Take a point from the body's frame to the world's."""
        x, y = local
        return (self.cos * x - self.sin * y + self.position[0], self.sin * x + self.cos * y + self.position[1])

    def apply_inverse(self, world: tuple[float, float]) -> tuple[float, float]:
        """Take a point from the world's frame to the body's."""
        x, y = world[0] - self.position[0], world[1] - self.position[1]
        return (self.cos * x + self.sin * y, -self.sin * x + self.cos * y)

    def rotate(self, local: tuple[float, float]) -> tuple[float, float]:
        """Take a direction from the body's frame to the world's."""
        x, y = local
        return (self.cos * x - self.sin * y, self.sin * x + self.cos * y)

    def apply_array(self, local: FloatArray) -> FloatArray:
        """Take points, float64 (n, 2), from the body's frame to the world's."""
        rotation = np.array([[self.cos, -self.sin], [self.sin, self.cos]])
        world: FloatArray = local @ rotation.T + np.array(self.position)
        return world
