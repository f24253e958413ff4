"""The questions a caller asks, one function each.

World frame, metres, radians. Shapes are closed and solid. The compiled kernels are loaded by the first question, not by the
import: about 0.3 s once their machine code is on disk, some seconds the very first time (`warm_up` brings it forward,
`is_warm` tells which of the two it will be).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.common.jit import cache_is_warm
from engine.geometry import Transform
from engine.query._checking import check_pair
from engine.query.casts import contains, ray_cast, shape_cast, swept_contact, time_of_impact
from engine.query.contact_sets import contact_set
from engine.query.distances import distance, penetration

if TYPE_CHECKING:
    from engine.contracts import Manifold
    from engine.geometry import AnyShape
    from engine.narrowphase.rules import Rule

__all__ = [
    "contact_set",
    "contains",
    "distance",
    "is_warm",
    "manifold",
    "overlap",
    "penetration",
    "ray_cast",
    "shape_cast",
    "swept_contact",
    "time_of_impact",
    "warm_up",
]


def overlap(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> bool:
    """Tell whether two shapes share a point, radii and skins included; a touch within rounding and containment count.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> overlap(Circle(1.0), Transform(), Circle(1.0), Transform((2.0, 0.0)))
    True
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import sat

    return sat.overlap(a, xf_a, b, xf_b)


def manifold(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform, rule: Rule = "exact") -> Manifold:
    """Return normal (A to B) and contact points of two shapes; see `engine.narrowphase.manifold.manifold`.

    Between two polygons skins are square at the corners, by either rule, for separations are measured along a face's normal: corner to
    corner a contact begins up to sqrt 2 as far out as for `overlap`, `distance`, `penetration` and `contact_set`, whose skins are round.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one, the rule is neither "exact" nor "box2d", or it is "box2d" and Box2D does not collide the two.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> manifold(Circle(1.0), Transform(), Circle(1.0), Transform((1.5, 0.0))).points[0].separation
    -0.5
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import manifold as chapter

    return chapter.manifold(a, xf_a, b, xf_b, rule)


def is_warm() -> bool:
    """Tell, without loading anything, whether the machine code of what a running world is checked with is on disk already."""
    return cache_is_warm()


def warm_up(everything: bool = False) -> None:
    """Load the kernels a running world is checked with, or those of every question; compiles what is not on disk yet.

    A question asked afterwards costs microseconds. Ctrl-C waits until it is done: it would be lost in the compiler.
    """
    from engine.query import warming

    warming.warm_up(everything)
