"""The line segment, alone or one link of a chain."""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.checks import non_negative, point
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.aabb import AABB
from engine.geometry.transform import Transform, posed

__all__ = ["Segment"]


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment from `p1` to `p2`, body frame, metres; a point where they are the same.

    Parameters
    ----------
    p1, p2 : pair of float
    skin_radius : float
        >= 0, metres; Box2D's edges have `BOX2D_POLYGON_SKIN`.
    ghost1, ghost2 : pair of float, optional
        The neighbours in a chain: the vertex before `p1` and the one after `p2`. They collide with nothing; they tell which
        normals at the ends belong to a neighbour, so that a body slides over the joint.

    Raises
    ------
    InvalidShapeError
        A number is not finite, the skin is negative, or a ghost lies on its end.
    """

    p1: tuple[float, float]
    p2: tuple[float, float]
    skin_radius: float = 0.0
    ghost1: tuple[float, float] | None = None
    ghost2: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "p1", point("p1", self.p1))
            object.__setattr__(self, "p2", point("p2", self.p2))
            object.__setattr__(self, "skin_radius", non_negative("skin_radius", self.skin_radius, "m"))
            for name, end in (("ghost1", self.p1), ("ghost2", self.p2)):
                if getattr(self, name) is not None:
                    object.__setattr__(self, name, point(name, getattr(self, name)))
                    if getattr(self, name) == end:
                        raise InvalidInputError(name, "another point than the end it continues", end)
        except InvalidInputError as error:
            raise InvalidShapeError(error.field, error.requirement, error.value) from None

    def aabb(self, xf: Transform) -> AABB:
        """Return the tight box around the segment and its skin at the pose `xf`."""
        (x1, y1), (x2, y2), r = posed(xf).apply(self.p1), xf.apply(self.p2), self.skin_radius
        return AABB((min(x1, x2) - r, min(y1, y2) - r), (max(x1, x2) + r, max(y1, y2) + r))
