"""The inputs by which a step decided which fixtures touch, for a check that finds the same pairs from the bodies alone.

Box2D settles whether a pair touches when it evaluates the pair's contact, and it does so at two kinds of moments::

    Collide           at the start of a step, of each pair with an awake body, where the step found the bodies
    SolveTOI          at an impact inside the step, of the pairs of the bodies hit, where the impact finds them

A pair of sleepers is left as it was. So a step is described by the bodies at its start, by which were awake, and by the poses of the few
pairs that an impact evaluated again. Box2D does not report an impact that leaves the pair apart; nor does it matter here.

Solvers that look ahead settle all at the start of the step, by how near two shapes are and how fast they come nearer (`Approach`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.geometry import FixtureShape
from engine.world.joint_specs import MouseJointSpec
from engine.world.model import WorldModel
from engine.world.records import ImpactPose
from engine.world.specs import BODY_TYPES

__all__ = ["Approach", "FixtureColumns", "PairRecord", "StepPairs"]


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
class Approach:
    """How the bodies moved at the start of a step: two fixtures touch that are nearer than `touch`, or will be after `dt` as they move.

    Attributes
    ----------
    velocity : float64 (m, 3)
        vx, vy, omega of every body, of its center of mass.
    center : float64 (m, 2)
        The centers of mass, world frame, meters.
    dt : float
        Seconds.
    touch : float
        Meters between the surfaces.
    """

    velocity: FloatArray
    center: FloatArray
    dt: float
    touch: float


@dataclass(frozen=True, eq=False, slots=True)
class StepPairs:
    """The last step: what the solver started from, and which pairs touch after it.

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
        Bodies that were awake and not static at the start; of a solver that looks ahead, those that moved.
    renewed : set of int
        Bodies that a command just before the step made another kind, active or inactive: Box2D let go of all their contacts then.
    touching : int64 (k, 2)
        Fixtures that touch after the step, sensors included, A and B as Box2D ordered them.
    moments : dict of (fixture a, fixture b) to ImpactPose
        Pairs that an impact inside the step settled last, and where it found the two bodies.
    approach : Approach or None
        None where touching is Box2D's rule.
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
    """The pairs of the last step of one world, from the moment on at which `World.pair_record` was asked for.

    Attributes
    ----------
    last : StepPairs or None
        None before the first step since, and after one that broke off.
    contact_between : callable
        Two fixtures to the two in the order of the contact that the solver keeps for them, touching or not; None where it keeps none.
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
        """Return what decides which fixtures may meet; made again only when the structure has changed."""
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
                if not isinstance(joint.spec, MouseJointSpec) and not joint.spec.collide_connected
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
