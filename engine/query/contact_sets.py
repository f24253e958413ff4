"""Where two shapes touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.query._checking import check_pair

if TYPE_CHECKING:
    from engine.contracts import ContactSet
    from engine.geometry import AnyShape, Transform

__all__ = ["contact_set", "warm"]


def contact_set(a: AnyShape, xf_a: Transform, b: AnyShape, xf_b: Transform) -> ContactSet:
    """Return the point or the segment where two shapes touch; see `engine.narrowphase.contact_set.contact_set`.

    Raises
    ------
    InvalidInputError
        A shape or pose is not one.

    Examples
    --------
    >>> from engine.geometry import Circle, Transform
    >>> found = contact_set(Circle(1.0), Transform(), Circle(2.0), Transform((3.0, 0.0)))
    >>> found.status.name, found.normal, found.points
    ('TOUCHING', (1.0, 0.0), ((1.0, 0.0),))
    """
    check_pair(a, xf_a, b, xf_b)
    from engine.narrowphase import contact_set as chapter

    return chapter.contact_set(a, xf_a, b, xf_b)


def warm() -> None:
    """Load the kernels behind this module's questions, and those of manifolds and overlap for capsules and segments."""
    from engine.geometry import Capsule, Circle, Polygon, Segment, Transform
    from engine.narrowphase import contact_set as chapter
    from engine.narrowphase import manifold, sat

    here, there = Transform(), Transform((0.75, 0.1), 0.3)
    box, segment = Polygon.box(0.5, 0.5), Segment((-1.0, 0.0), (1.0, 0.0))
    for a, b in ((box, Capsule((0.0, 0.0), (1.0, 0.0), 0.5)), (segment, Circle(0.5))):
        chapter.contact_set(a, here, b, there)
        sat.overlap(a, here, b, there)
        manifold.manifold(a, here, b, there)
    sat.overlap_remembered(box, here, box, there)
    sat.overlap_plain_form(box, here, box, there)
    for other in (box, Circle(0.5)):
        manifold.manifold(segment, here, other, there, "box2d")
