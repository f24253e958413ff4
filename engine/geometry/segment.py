"""The line segment, alone or one link of a chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import non_negative, point
from engine.common.errors import InvalidInputError, InvalidShapeError
from engine.geometry.convex import TwoPoints
from engine.geometry.kinds import SEGMENT

__all__ = ["Segment"]


@dataclass(frozen=True, slots=True)
class Segment(TwoPoints):
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

    kind: ClassVar[int] = SEGMENT
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

    @property
    def radius(self) -> float:
        """The skin."""
        return self.skin_radius

    def mapped(self, place: Callable[[FloatArray], FloatArray], radius: float | None = None) -> Segment:
        """Return the segment and its ghosts elsewhere; see `ConvexShape`."""
        ghosts = [None if ghost is None else place(np.array([ghost]))[0] for ghost in (self.ghost1, self.ghost2)]
        p1, p2 = place(self.core)
        return Segment(p1, p2, self.skin_radius if radius is None else radius, *ghosts)
