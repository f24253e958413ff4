"""All kinds of volume by name, and how each follows its body: what tables, batches and scenes choose from."""

from __future__ import annotations

from collections.abc import Callable

from engine.bounding.capsule import BoundingCapsule, least_area_capsule
from engine.bounding.circle import BoundingCircle, mean_circle
from engine.bounding.cloud import Points, cloud_of
from engine.bounding.hull import BoundingHull, bounding_hull
from engine.bounding.kdop import KDop, fitted_kdop, kdop_axes, kdop_cloud
from engine.bounding.oriented_box import OrientedBox, least_area_box
from engine.bounding.smallest_circle import smallest_circle
from engine.bounding.upright_box import box_area, fitted_box, refitted_box
from engine.common.checks import choice
from engine.geometry import AABB, Transform

__all__ = ["KINDS", "TURN_ALONG", "Placed", "Volume", "area_of", "follower", "overlap", "volume_name"]

Placed = BoundingCircle | AABB | OrientedBox | KDop | BoundingCapsule | BoundingHull
"""A volume in the world."""

Volume = tuple[str, int]
"""A kind of `KINDS`, and the sides of a k-DOP (0 for the others)."""

_NAMES = {
    "mean_circle": "circle, mean centre",
    "smallest_circle": "circle, smallest",
    "refitted_box": "box, re-fitted",
    "box": "box, rebuilt",
    "oriented_box": "oriented box",
    "capsule": "capsule",
    "refitted_kdop": "{k}-DOP, re-fitted",
    "kdop": "{k}-DOP, rebuilt",
    "hull": "hull",
}

KINDS = tuple(_NAMES)
"""All kinds of volume, from the simplest to the tightest."""

TURN_ALONG = ("mean_circle", "smallest_circle", "oriented_box", "capsule", "hull")
"""Those that turn with their body, so that their area never changes."""


def volume_name(volume: Volume) -> str:
    """Return the name for people.

    Examples
    --------
    >>> [volume_name(one) for one in (("refitted_kdop", 8), ("smallest_circle", 0), ("box", 0))]
    ['8-DOP, re-fitted', 'circle, smallest', 'box, rebuilt']
    """
    return _NAMES[volume[0]].format(k=volume[1])


def follower(kind: str, points: Points, k: int = 16) -> Callable[[Transform], Placed]:
    """Build a volume, and return the function that places it where the body is.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    points
        As for `cloud_of`, body frame.
    k : int
        Sides of a k-DOP, even, 4 to 32; of no meaning to others.

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
    cloud = cloud_of(points)
    choice("kind", kind, KINDS)
    if kind == "box":
        return lambda xf: fitted_box(cloud, xf)
    if kind == "refitted_box":
        box = fitted_box(cloud)
        return lambda xf: refitted_box(box, xf)
    if kind in ("kdop", "refitted_kdop"):
        kdop_axes(k)
        held = cloud if kind == "kdop" else kdop_cloud(fitted_kdop(cloud, k))
        return lambda xf: fitted_kdop(held, k, xf)
    if kind == "mean_circle":
        return mean_circle(cloud).at
    if kind == "smallest_circle":
        return smallest_circle(cloud).at
    if kind == "oriented_box":
        return least_area_box(cloud).at
    return least_area_capsule(cloud).at if kind == "capsule" else bounding_hull(cloud).at


def area_of(volume: Placed) -> float:
    """Return the area of any volume, square metres."""
    return box_area(volume) if isinstance(volume, AABB) else volume.area


def overlap(a: Placed, b: Placed) -> bool:
    """Tell whether two volumes of one kind share a point; touching counts."""
    return a.overlaps(b)  # type: ignore[arg-type]
