"""The trade-off between tight and cheap bounding volumes, measured on an outline.

A volume's *area over the outline's* says how loose it is. What it costs a program are its *false hits*: pairs whose volumes
overlap and whose outlines do not, each handed to the narrow phase for nothing. The two go together, but not one to one: a false
hit is a matter of both volumes, at the poses that occur. So it is counted: pairs of the same outline, both turned by random
angles, at random places::

            .  -  .
         .           .          B's circle somewhere in the disc of 3 R around A's, uniformly, R the radius of the
        .    .---.  (b)         smallest circle; up to 2 R the circles overlap, so that they say yes to 4 / 9 of the
        .   ( a   ) R  .        pairs, and no volume that lies within them ever says yes beyond
         .   `---'    .
            .  -  .

The rate of false hits is their number over that of the pairs truly apart. It depends on how far away neighbors may be; the false
hits *for each true one* do not, once none can lie beyond: they say how many times the narrow phase is asked for one contact, less
one. The cost of test and update in nanoseconds depends on the machine and is measured by ``python main.py bench bounding``.

Source of the question: C. Ericson, Real-Time Collision Detection, 2005, 4.1 and 6.1, after S. Gottschalk, M. Lin, D. Manocha,
"OBBTree", 1996: cost = n_v c_v + n_p c_p + n_u c_u, the number of volume tests, of narrow tests and of updates, each times what
one costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from engine.bounding.batch import VolumeBatch
from engine.bounding.circles import smallest_circle
from engine.bounding.cloud import Points, cloud_of
from engine.bounding.kdop import MAX_SIDES
from engine.bounding.kinds import TURN_ALONG, Volume, area_of, follower
from engine.bounding.outlines import outline_area, outlines_meeting, rings_of
from engine.common.arrays import FloatArray
from engine.common.checks import integer
from engine.common.errors import Described, InvalidShapeError
from engine.common.rng import stream
from engine.geometry import Transform

__all__ = ["ALL_VOLUMES", "REACH", "TradeOff", "mean_area", "neighbors", "trade_offs"]

REACH = 3.0
"""Maximum distance between the bodies of a pair, in radii of the smallest circle."""

ALL_VOLUMES: tuple[Volume, ...] = (
    ("mean_circle", 0),
    ("smallest_circle", 0),
    ("refitted_box", 0),
    ("box", 0),
    ("oriented_box", 0),
    ("capsule", 0),
    ("refitted_kdop", 8),
    ("kdop", 8),
    ("refitted_kdop", 16),
    ("kdop", 16),
    ("kdop", 32),
    ("hull", 0),
)

_ANGLES = 37
"""Number of poses over which an angle-dependent area is averaged: a prime, so that no pose repeats another by symmetry."""


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Measurements of one bounding volume for one outline.

    Attributes
    ----------
    volume : (str, int)
    area_ratio : float
        Its area over the outline's, averaged over all angles where it changes.
    false_rate : float
        Pairs whose volumes overlap, of those whose outlines do not.
    false_per_hit : float
        The same pairs for each whose outlines overlap.
    missed : int
        Pairs whose outlines overlap and whose volumes do not: 0, or something is broken.
    n_pairs, n_hits : int
        Pairs in all, and of those the outlines that overlap.
    """

    volume: Volume
    area_ratio: float
    false_rate: float
    false_per_hit: float
    missed: int
    n_pairs: int
    n_hits: int


def trade_offs(
    rings: Sequence[ArrayLike], volumes: Sequence[Volume] = ALL_VOLUMES, n_pairs: int = 2_000, seed: int = 0
) -> tuple[TradeOff, ...]:
    """Measure volumes around one outline; see the module.

    Parameters
    ----------
    rings : sequence of array_like, (n, 2)
        The outline by the even-odd rule, meters.
    volumes : sequence of (kind, k)
    n_pairs : int
        Random neighbors asked.

    Raises
    ------
    InvalidInputError
        A kind is unknown, or the rings are no outline.
    """
    outline = rings_of(rings)
    n = integer("n_pairs", n_pairs, 1)
    cloud = cloud_of(np.concatenate(outline))
    poses = neighbors(cloud, n, seed)
    truth = outlines_meeting(outline, poses)
    which, pairs = np.zeros(2 * n, dtype=np.int64), np.column_stack((np.arange(n), np.arange(n, 2 * n)))
    area, n_hits = outline_area(outline), int(truth.sum())
    if not area > 0.0:
        raise InvalidShapeError("rings", "an outline with an area", Described(f"{area:g} m^2"))
    rows = []
    for kind, k in volumes:
        batch = VolumeBatch(kind, [cloud], k or 4)
        says = batch.overlap_checked(batch.update(which, poses), pairs)
        n_false = int((says & ~truth).sum())
        rows.append(
            TradeOff(
                volume=(kind, k),
                area_ratio=mean_area(kind, cloud, k) / area,
                false_rate=n_false / max(n - n_hits, 1),
                false_per_hit=n_false / n_hits if n_hits else math.inf,
                missed=int((truth & ~says).sum()),
                n_pairs=n,
                n_hits=n_hits,
            )
        )
    return tuple(rows)


def neighbors(points: Points, n: int, seed: int = 0) -> FloatArray:
    """Return poses (2 n, 3) of n bodies and then of n neighbors, one for each, as the module says."""
    rng = stream(seed, "neighbors")
    circle = smallest_circle(points)
    poses = np.zeros((2 * n, 3))
    poses[:, 2] = rng.uniform(-math.pi, math.pi, 2 * n)
    away, around = REACH * circle.radius * np.sqrt(rng.uniform(0.0, 1.0, n)), rng.uniform(-math.pi, math.pi, n)
    poses[n:, 0], poses[n:, 1] = away * np.cos(around), away * np.sin(around)
    # the circles' centers are to lie there, not the bodies' origins
    cos, sin, (x, y) = np.cos(poses[:, 2]), np.sin(poses[:, 2]), circle.center
    poses[:, 0] -= cos * x - sin * y
    poses[:, 1] -= sin * x + cos * y
    return poses


def mean_area(kind: str, points: Points, k: int = 0) -> float:
    """Return the area of a volume, averaged over the angles of the body."""
    place = follower(kind, points, k or MAX_SIDES)
    angles = [2.0 * math.pi * at / _ANGLES for at in range(1 if kind in TURN_ALONG else _ANGLES)]
    return float(np.mean([area_of(place(Transform(angle=angle))) for angle in angles]))
