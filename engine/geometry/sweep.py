"""A rigid motion over one step: the center moves on a straight line, the angle grows linearly.

Box2D moves bodies the same way between two steps (b2Sweep), rotating about the center of mass; a motion about any other
point is an arc, and two poses alone do not determine which one is intended.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.checks import finite, point
from engine.common.errors import InvalidInputError
from engine.geometry.transform import Transform

__all__ = ["Sweep"]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Motion from `start` to `end`, rotating about `local_center`.

    Parameters
    ----------
    start, end : Transform
        Poses at fraction 0 and 1. Angles are not wrapped: 0 to 4 pi turns twice.
    local_center : pair of float
        The point that moves on a straight line, body frame, meters.

    Raises
    ------
    InvalidInputError
        `start` or `end` is no pose, or a number is not finite.
    """

    start: Transform
    end: Transform
    local_center: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        for field, pose in (("start", self.start), ("end", self.end)):
            if not isinstance(pose, Transform):
                raise InvalidInputError(field, "a Transform", pose)
        object.__setattr__(self, "local_center", point("local_center", self.local_center))

    def at(self, fraction: float) -> Transform:
        """Return the pose at `fraction` of the motion, 0 to 1; exact at both ends. Other fractions are rejected.

        The center ``c = R(angle) local_center + position`` is interpolated, and the position recovered from it.
        """
        fraction = finite("fraction", fraction)
        if not 0.0 <= fraction <= 1.0:
            raise InvalidInputError("fraction", "from 0 to 1", fraction)
        if fraction == 0.0:
            return self.start
        if fraction == 1.0:
            return self.end
        angle = (1.0 - fraction) * self.start.angle + fraction * self.end.angle
        x0, y0 = self.start.apply(self.local_center)
        x1, y1 = self.end.apply(self.local_center)
        turned = Transform((0.0, 0.0), angle).apply(self.local_center)
        x = (1.0 - fraction) * x0 + fraction * x1 - turned[0]
        y = (1.0 - fraction) * y0 + fraction * y1 - turned[1]
        return Transform((x, y), angle)
