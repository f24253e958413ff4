"""All kinds of bounding volumes by name, and how each follows its body; used by tables, batches and scenes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from engine.bounding.boxes import box_area, fitted_box, least_area_box, refitted_box
from engine.bounding.capsule import least_area_capsule
from engine.bounding.circles import mean_circle, smallest_circle
from engine.bounding.cloud import Cloud, Points, cloud_of
from engine.bounding.kdop import KDop, fitted_kdop, kdop_axes, kdop_cloud
from engine.bounding.volume import Volume, bounding_hull
from engine.common.checks import choice
from engine.geometry import AABB, Transform

__all__ = ["KINDS", "Placed", "area_of", "follower", "overlap", "volume_name"]

Placed = AABB | KDop | Volume
"""A placed volume, in the world frame."""

_Follower = Callable[[Transform], "Placed"]


class _Kind(NamedTuple):
    """Display name of a kind, and the function that builds it and returns one that places it."""

    name: str
    follow: Callable[[Cloud, int], _Follower]


def _kdop_follower(cloud: Cloud, k: int) -> _Follower:
    kdop_axes(k)  # refuses a k that there is not
    return partial(fitted_kdop, cloud, k)


_KINDS = {
    "mean_circle": _Kind("circle, mean center", lambda cloud, k: mean_circle(cloud).at),
    "smallest_circle": _Kind("circle, smallest", lambda cloud, k: smallest_circle(cloud).at),
    "refitted_box": _Kind("box, refitted", lambda cloud, k: partial(refitted_box, fitted_box(cloud))),
    "box": _Kind("box, rebuilt", lambda cloud, k: partial(fitted_box, cloud)),
    "oriented_box": _Kind("oriented box", lambda cloud, k: least_area_box(cloud).at),
    "capsule": _Kind("capsule", lambda cloud, k: least_area_capsule(cloud).at),
    "refitted_kdop": _Kind("{k}-DOP, refitted", lambda cloud, k: _kdop_follower(kdop_cloud(fitted_kdop(cloud, k)), k)),
    "kdop": _Kind("{k}-DOP, rebuilt", _kdop_follower),
    "hull": _Kind("hull", lambda cloud, k: bounding_hull(cloud).at),
}

KINDS = tuple(_KINDS)
"""All kinds of volume, from the simplest to the tightest."""


def volume_name(kind: str, k: int = 16) -> str:
    """Return the display name of a kind; `k` are the sides of a k-DOP.

    Examples
    --------
    >>> volume_name("refitted_kdop", 8), volume_name("smallest_circle")
    ('8-DOP, refitted', 'circle, smallest')
    """
    return _KINDS[kind].name.format(k=k)


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
