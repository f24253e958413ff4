"""What decided, in one step, which fixtures touch: for somebody who wants to find the same pairs from the bodies alone.

Box2D settles whether a pair touches when it evaluates the pair's contact, and it does so at two kinds of moments::

    Collide           at the start of a step, of each pair with an awake body, where the step found the bodies
    SolveTOI          at an impact inside the step, of the pairs of the bodies hit, where the impact finds them

A pair of sleepers is left as it was. So a step is described by the bodies at its start, by who was awake, and by the poses of the few
pairs that an impact settled anew. Of an impact that changes nothing and leaves the pair apart Box2D tells nobody; nor does it matter here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.geometry import FixtureShape
from engine.world.records import ImpactPose

__all__ = ["FixtureColumns", "StepPairs"]


@dataclass(frozen=True, eq=False, slots=True)
class FixtureColumns:
    """The fixtures that can meet others, those of active bodies, a row each in ascending order of id.

    Attributes
    ----------
    fixture, body, body_row : int64 (n,)
        Ids, and the row of the body in the world's columns.
    shapes : tuple of n shapes
        As Box2D holds them, skins included.
    body_type : int64 (n,)
        0 static, 1 kinematic, 2 dynamic: the place in `BODY_TYPES`.
    is_sensor : bool (n,)
    category, mask, group : int64 (n,)
    joint_filtered : int64 (k, 2)
        Ids of bodies, the smaller first, that a joint keeps from colliding; sorted, each pair once.
    """

    fixture: IntArray
    body: IntArray
    body_row: IntArray
    shapes: tuple[FixtureShape, ...]
    body_type: IntArray
    is_sensor: NDArray[np.bool_]
    category: IntArray
    mask: IntArray
    group: IntArray
    joint_filtered: IntArray


@dataclass(frozen=True, eq=False, slots=True)
class StepPairs:
    """The last step: what Box2D started from, and which pairs touch after it.

    Attributes
    ----------
    step : int
    n_builds : int
        How often the `b2World` had been built anew: then it evaluated all its pairs once more, awake or not.
    fixtures : FixtureColumns
        As they were in the step; the same object as in the step before, unless something has changed.
    poses : float64 (m, 3)
        x, y, angle of every body at the start of the step.
    active : bool (m,)
        Bodies that were awake and not static at the start.
    renewed : set of int
        Bodies that a command just before the step made another kind, active or inactive: Box2D let go of all their contacts then.
    touching : int64 (k, 2)
        Fixtures that touch after the step, sensors included, A and B as Box2D ordered them.
    moments : dict of (fixture a, fixture b) to ImpactPose
        Pairs that an impact inside the step settled last, and where it found the two bodies.
    """

    step: int
    n_builds: int
    fixtures: FixtureColumns
    poses: FloatArray
    active: NDArray[np.bool_]
    renewed: frozenset[int]
    touching: IntArray
    moments: Mapping[tuple[int, int], ImpactPose]
