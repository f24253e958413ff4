"""All kinds of bounding volumes by name, and how each follows its body; used by tables, batches and scenes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.bounding.boxes import OrientedBox, box_area, fitted_box, least_area_box, refitted_box
from engine.bounding.capsule import BoundingCapsule, least_area_capsule
from engine.bounding.circles import BoundingCircle, mean_circle, smallest_circle
from engine.bounding.cloud import Cloud, Points, cloud_of
from engine.bounding.hull import BoundingHull, bounding_hull
from engine.bounding.kdop import KDop, fitted_kdop, kdop_axes, kdop_cloud
from engine.common.checks import choice
from engine.geometry import AABB, Transform

__all__ = ["KINDS", "TURN_ALONG", "Placed", "Volume", "area_of", "follower", "overlap", "volume_name"]

Placed = BoundingCircle | AABB | OrientedBox | KDop | BoundingCapsule | BoundingHull
"""A placed volume, in the world frame."""

Volume = tuple[str, int]
"""A kind of `KINDS`, and the sides of a k-DOP (0 for the others)."""

_Follower = Callable[[Transform], "Placed"]


class _Kind(NamedTuple):
    """Display name of a kind, the functions that build and place it, and whether it rotates with its body, so that its area is constant."""

    name: str
    follow: Callable[[Cloud, int], _Follower]
    turns_along: bool = False


def _kdop_follower(cloud: Cloud, k: int) -> _Follower:
    kdop_axes(k)  # refuses a k that there is not
    return partial(fitted_kdop, cloud, k)


_KINDS = {
    "mean_circle": _Kind("circle, mean center", lambda cloud, k: mean_circle(cloud).at, True),
    "smallest_circle": _Kind("circle, smallest", lambda cloud, k: smallest_circle(cloud).at, True),
    "refitted_box": _Kind("box, refitted", lambda cloud, k: partial(refitted_box, fitted_box(cloud))),
    "box": _Kind("box, rebuilt", lambda cloud, k: partial(fitted_box, cloud)),
    "oriented_box": _Kind("oriented box", lambda cloud, k: least_area_box(cloud).at, True),
    "capsule": _Kind("capsule", lambda cloud, k: least_area_capsule(cloud).at, True),
    "refitted_kdop": _Kind("{k}-DOP, refitted", lambda cloud, k: _kdop_follower(kdop_cloud(fitted_kdop(cloud, k)), k)),
    "kdop": _Kind("{k}-DOP, rebuilt", _kdop_follower),
    "hull": _Kind("hull", lambda cloud, k: bounding_hull(cloud).at, True),
}

KINDS = tuple(_KINDS)
"""All kinds of volume, from the simplest to the tightest."""

TURN_ALONG = tuple(kind for kind, volume in _KINDS.items() if volume.turns_along)
"""Kinds that rotate with their body, so that their area is constant."""


def volume_name(volume: Volume) -> str:
    """Return the display name.

    Examples
    --------
    >>> [volume_name(one) for one in (("refitted_kdop", 8), ("smallest_circle", 0), ("box", 0))]
    ['8-DOP, refitted', 'circle, smallest', 'box, rebuilt']
    """
    return _KINDS[volume[0]].name.format(k=volume[1])


def follower(kind: str, points: Points, k: int = 16) -> Callable[[Transform], Placed]:
    """Build a volume, and return a function that places it at a pose.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    points
        As for `cloud_of`, body frame.
    k : int
        Sides of a k-DOP, even, 4 to 32; ignored for other kinds.

    Raises
    ------
    InvalidInputError
        There is no such kind, or no such k-DOP.

    Examples
    --------
    >>> place = follower("box", [(0.0, 0.0), (2.0, 0.0), (0.0, 1.0)])
    >>> round(area_of(place(Transform((10.0, 0.0)))), 9)
    2.0
    """
    return _KINDS[choice("kind", kind, KINDS)].follow(cloud_of(points), k)


def area_of(volume: Placed) -> float:
    """Return the area of any volume, square meters."""
    return box_area(volume) if isinstance(volume, AABB) else volume.area


def overlap(a: Placed, b: Placed) -> bool:
    """Return True if two volumes of one kind share a point; touching counts."""
    return a.overlaps(b)  # type: ignore[arg-type]
