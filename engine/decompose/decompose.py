"""One function for all methods of decomposing an outline into pieces that Box2D accepts, with the error of each.

    method           pieces                                                     excess   missed   default k
    exact            convex ones, by leaving out diagonals (`hertel_mehlhorn`)  0        0
    hull             a hull around each part, merged down to k (`approximate`)  some     0        1
    box, boxes       k least rectangles (`coarse`)                              some     0        1, 2
    aabb             k upright rectangles (`coarse`)                            some     0        1
    circles          k circles inside (`circles`)                               0        some     8

``exact`` with a number of pieces is an approximation by at most that many (`approximate`), without loss if that many suffice.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.checks import choice, finite, integer
from engine.common.errors import Described, InvalidInputError, InvalidShapeError
from engine.common.limits import MAX_CONVEX_PIECES, MAX_PART_CORNERS, MAX_POLYGON_VERTICES
from engine.decompose.approximate import covering_hull, merged_to
from engine.decompose.circles import circles_inside
from engine.decompose.coarse import boxes_around
from engine.decompose.grid import on_grid
from engine.decompose.hertel_mehlhorn import merged, triangulate
from engine.decompose.limits import clean, is_large_enough, within_limits
from engine.decompose.measures import Cover
from engine.decompose.outline import Outline, signed_area
from engine.geometry import Circle, Polygon

__all__ = ["EXACT_SHARE", "MAX_PIECES", "METHODS", "Decomposition", "decompose"]

METHODS = ("exact", "hull", "box", "boxes", "aabb", "circles")
"""Methods, the most accurate first."""

DEFAULT_PIECES = {"hull": 1, "box": 1, "boxes": 2, "aabb": 1, "circles": 8}

MAX_PIECES = 1000
"""Maximum number of pieces that can be requested."""

EXACT_SHARE = 1e-6
"""Comparison, relative: the fraction of its area that an outline may lose to Box2D's limits and still count as preserved."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The pieces that represent an outline.

    Attributes
    ----------
    pieces : tuple of Polygon or Circle
        In the outline's frame, meters, each one within Box2D's limits.
    outline : Outline
    method : str
        One of `METHODS`.
    max_pieces : int or None
        As requested.
    n_dropped : int
        Number of pieces omitted because they are too small for Box2D; their area counts as missed by the cover.
    """

    pieces: tuple[Polygon | Circle, ...]
    outline: Outline
    method: str
    max_pieces: int | None = None
    n_dropped: int = 0

    @cached_property
    def cover(self) -> Cover:
        """Quality of the pieces as an approximation of the outline."""
        return Cover(self.outline, self.pieces)


def decompose(
    outline: Outline,
    method: str = "exact",
    max_pieces: int | None = None,
    *,
    max_vertices: int = MAX_POLYGON_VERTICES,
    max_lost: float = EXACT_SHARE,
) -> Decomposition:
    """Cut an outline into convex pieces, or cover it by few, or fill it with circles.

    Parameters
    ----------
    outline : Outline
        Meters, near the origin of the future body: the spacing of float32 is 6e-8 of the distance from there.
    method : str
        One of `METHODS`; see the module.
    max_pieces : int, optional
        1 to 1,000. Makes ``exact`` approximate; the others have a default.
    max_vertices : int
        4 to 16, corners of one polygon; plain Box2D allows 8.
    max_lost : float
        0 to 1: maximum fraction of the outline's area that ``exact`` may lose to the limits of Box2D, such as specks that are too small; a
        larger loss is an error. Lost area counts as `missed`.

    Returns
    -------
    Decomposition
        Deterministic for a given outline.

    Raises
    ------
    InvalidShapeError
        The outline is too small or too thin for Box2D, loses more than `max_lost`, or falls into more than `MAX_CONVEX_PIECES`.
    InvalidInputError
        Another argument is out of range.

    Examples
    --------
    >>> ell = Outline.of_polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    >>> [len(decompose(ell, method).pieces) for method in ("exact", "hull", "boxes")]
    [3, 1, 2]
    >>> decompose(ell, "exact", max_pieces=1).cover.excess
    0.5
    """
    if not isinstance(outline, Outline):
        raise InvalidInputError("outline", "an Outline", outline)
    method = choice("method", method, METHODS)
    if max_pieces is not None:
        max_pieces = integer("max_pieces", max_pieces, 1, MAX_PIECES)
    max_vertices = integer("max_vertices", max_vertices, 4, MAX_POLYGON_VERTICES)
    max_lost = finite("max_lost", max_lost)
    if not 0.0 <= max_lost <= 1.0:
        raise InvalidInputError("max_lost", "from 0 to 1", max_lost)

    n_dropped = 0
    n_pieces = max_pieces if max_pieces is not None else DEFAULT_PIECES.get(method, MAX_PIECES)
    if method == "exact":
        loops, n_dropped = _exact_pieces(outline, max_vertices, max_lost)
        if max_pieces is not None:
            loops = merged_to(outline, loops, max_pieces, max_vertices)
    elif method == "hull":
        _check_pieces(len(outline.parts))
        hulls = _good([covering_hull(part.outer, max_vertices) for part in outline.parts])
        n_dropped = len(outline.parts) - len(hulls)
        loops = merged_to(outline, hulls, n_pieces, max_vertices) if hulls else []
    elif method == "circles":
        circles = circles_inside(outline.as_shapely(), n_pieces)
        if not circles:
            raise _too_small(outline)
        return Decomposition(tuple(circles), outline, method, max_pieces)
    else:
        loops = boxes_around(outline.as_shapely(), n_pieces, method == "aabb")
    pieces = tuple(Polygon(loop) for loop in _good(loops))
    if not pieces:
        raise _too_small(outline)
    return Decomposition(pieces, outline, method, max_pieces, n_dropped + len(loops) - len(pieces))


def _exact_pieces(outline: Outline, max_vertices: int, max_lost: float) -> tuple[list[FloatArray], int]:
    """Return the pieces and the number dropped."""
    loops: list[FloatArray] = []
    n_dropped = 0
    _check_pieces(len(outline.parts))
    parts = on_grid(outline)
    n_corners = max(len(part.points) for part in parts)
    if n_corners > MAX_PART_CORNERS:
        requirement = f"an outline whose parts have at most {MAX_PART_CORNERS} corners, for an exact cut (a larger tolerance gives fewer)"
        raise InvalidShapeError("outline", requirement, Described(str(n_corners)))
    for part in parts:
        pieces = merged(part, triangulate(part))
        _check_pieces(len(loops) + len(pieces))
        made, dropped = within_limits(part, pieces, max_vertices)
        loops.extend(made)
        n_dropped += dropped
    if not loops:
        raise _too_small(outline)
    # partitions do not overlap, so areas can be summed
    lost = 1.0 - sum(signed_area(loop) for loop in loops) / outline.area
    if lost > max_lost:
        requirement = f"large, thick and close enough to its origin that Box2D can represent all but {max_lost:g} of it (max_lost)"
        raise InvalidShapeError("outline", requirement, Described(f"{lost:.2g} of it in {n_dropped} pieces too small for Box2D"))
    return loops, n_dropped


def _check_pieces(n_pieces: int) -> None:
    """Reject a result that is not a valid body."""
    if n_pieces > MAX_CONVEX_PIECES:
        requirement = f"an outline that yields at most {MAX_CONVEX_PIECES} convex pieces (a larger tolerance gives fewer corners)"
        raise InvalidShapeError("outline", requirement, Described(f"{n_pieces} or more"))


def _good(loops: list[FloatArray]) -> list[FloatArray]:
    cleaned = [clean(np.asarray(loop)) for loop in loops]
    return [loop for loop in cleaned if is_large_enough(loop)]


def _too_small(outline: Outline) -> InvalidShapeError:
    box = outline.aabb
    size = f"{box.upper[0] - box.lower[0]:.3g} m x {box.upper[1] - box.lower[1]:.3g} m"
    return InvalidShapeError(
        "outline",
        "large enough, and close enough to its origin, for Box2D to represent a piece of it (an area > 1.2e-7 m^2)",
        Described(size),
    )
