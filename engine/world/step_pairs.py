"""The inputs from which a step determined which fixtures touch, so that a check can compute the same pairs from the bodies alone.

Box2D updates the touching state of a pair when it evaluates the pair's contact, which it does at two points::

    Collide           at the start of a step, for each pair with an awake body, at the bodies' initial poses
    SolveTOI          at an impact within the step, for the pairs of the bodies involved, at their poses then

Pairs of sleeping bodies keep their state. A step is therefore described by the bodies at its start, which of them were awake, and the poses
of the few pairs that were evaluated again at an impact. Box2D does not report an impact if the pair is apart afterward, but such impacts do
not matter here.

Solvers with speculative contacts determine all pairs at the start of the step, from the shapes' distances and velocities (`Approach`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.geometry import FixtureShape
from engine.world.model import WorldModel
from engine.world.records import ImpactPose
from engine.world.specs import BODY_TYPES

__all__ = ["Approach", "FixtureColumns", "PairRecord", "StepPairs"]


@dataclass(frozen=True, eq=False, slots=True)
class FixtureColumns:
    """Fixtures of active bodies, which can collide, one row per fixture in ascending order of id.

    Attributes
    ----------
    fixture, body, body_row : int64 (n,)
        Ids, and the row of the body in the world's columns.
    shapes : tuple of n shapes
        The shapes as the solver represents them, including skins.
    body_type : int64 (n,)
        0 static, 1 kinematic, 2 dynamic: the index in `BODY_TYPES`.
    is_sensor : bool (n,)
    category, mask, group : int64 (n,)
    joint_filtered : int64 (k, 2)
        Pairs of body ids, the smaller first, that do not collide because of a joint; sorted, without duplicates.
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
class Approach:
    """Motion of the bodies at the start of a step, with speculative contacts.

    Two fixtures touch if their distance is below `touch`, or will be below it after `dt` at their present velocities.

    Attributes
    ----------
    velocity : float64 (m, 3)
        vx, vy, omega of every body, at its center of mass.
    center : float64 (m, 2)
        Centers of mass, world frame, meters.
    dt : float
        Time step, seconds.
    touch : float
        Distance between the surfaces below which fixtures touch, meters.
    """

    velocity: FloatArray
    center: FloatArray
    dt: float
    touch: float


@dataclass(frozen=True, eq=False, slots=True)
class StepPairs:
    """Inputs of the last step, and the pairs that touch after that step.

    Attributes
    ----------
    step : int
    n_builds : int
        Number of times the `b2World` had been rebuilt. A rebuilt `b2World` evaluates all its pairs again, awake or not.
    fixtures : FixtureColumns
        Fixtures during the step; the same object as in the previous step unless something has changed.
    poses : float64 (m, 3)
        x, y, angle of every body at the start of the step.
    active : bool (m,)
        Bodies that were awake and not static at the start; with speculative contacts, those that moved.
    renewed : set of int
        Bodies whose type or active flag a command has changed since the previous step; Box2D destroyed all their contacts.
    touching : int64 (k, 2)
        Pairs of fixtures that touch after the step, sensors included, A and B in Box2D's order.
    moments : dict of (fixture a, fixture b) to ImpactPose
        Pairs last evaluated at an impact within the step, with the poses of the two bodies at that time.
    approach : Approach or None
        None if Box2D's rule for touching applies.
    """

    step: int
    n_builds: int
    fixtures: FixtureColumns
    poses: FloatArray
    active: NDArray[np.bool_]
    renewed: frozenset[int]
    touching: IntArray
    moments: Mapping[tuple[int, int], ImpactPose]
    approach: Approach | None = None


class PairRecord:
    """Pairs of a world's last step; recording starts with the first call of `World.pair_record`.

    Attributes
    ----------
    last : StepPairs or None
        None before the first recorded step and after a failed step.
    contact_between : callable
        Returns two fixtures in the order of the solver's contact between them, touching or not, or None if there is no contact.
    """

    def __init__(
        self,
        model: WorldModel,
        shape_of: Callable[[int], FixtureShape],
        contact_between: Callable[[int, int], tuple[int, int] | None],
    ) -> None:
        self._model = model
        self._shape_of = shape_of
        self._columns_at: tuple[int, FixtureColumns] | None = None
        self.contact_between = contact_between
        self.last: StepPairs | None = None

    def fixture_columns(self) -> FixtureColumns:
        """Return the fixtures with their collision filters, rebuilding them only if the structure has changed."""
        model = self._model
        if self._columns_at is None or self._columns_at[0] != model.structure_version:
            rows = model.rows
            listed = [(fixture, entry, model.bodies[entry.body].spec) for fixture, entry in sorted(model.fixtures.items())]
            listed = [row for row in listed if row[2].active]
            filters = np.array(
                [(entry.spec.category, entry.spec.mask, entry.spec.group) for _, entry, _ in listed], dtype=np.int64
            ).reshape(-1, 3)
            ends = {
                (min(*joint.bodies), max(*joint.bodies))  # type: ignore[type-var]
                for joint in model.joints.values()
                if not joint.spec.collide_connected
            }
            columns = FixtureColumns(
                fixture=np.array([fixture for fixture, _, _ in listed], dtype=np.int64),
                body=np.array([entry.body for _, entry, _ in listed], dtype=np.int64),
                body_row=np.array([rows[entry.body] for _, entry, _ in listed], dtype=np.int64),
                shapes=tuple(self._shape_of(fixture) for fixture, _, _ in listed),
                body_type=np.array([BODY_TYPES.index(body.type) for _, _, body in listed], dtype=np.int64),
                is_sensor=np.array([entry.spec.sensor for _, entry, _ in listed], dtype=np.bool_),
                category=filters[:, 0].copy(),
                mask=filters[:, 1].copy(),
                group=filters[:, 2].copy(),
                joint_filtered=np.array(sorted(ends), dtype=np.int64).reshape(-1, 2),
            )
            self._columns_at = model.structure_version, columns
        return self._columns_at[1]
