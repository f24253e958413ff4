"""What a world tells: ids, records, poses, contacts. Reading changes nothing."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import IntEnum
from typing import TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.common.checks import boolean
from engine.common.errors import DeadHandleError, WorldLostError, WrongThreadError, shortened
from engine.contracts import StepContacts
from engine.world._state import WorldState
from engine.world.fields import vector
from engine.world.joint_specs import JointSpec
from engine.world.joints import ResolvedJoint, as_it_stands
from engine.world.model import BodyEntry, FixtureEntry
from engine.world.records import Body, BodyState, Fixture, ImpactMoment, Joint, JointState, StepCost
from engine.world.solver import Capabilities, load_solver
from engine.world.specs import WorldSettings

__all__ = ["WorldReadings"]

_T = TypeVar("_T")


class WorldReadings:
    """The half of `World` that only reads; held to the thread that made the world, for a solver knows no locks."""

    __slots__ = ("_busy", "_destroyed_at", "_next_ids", "_thread", "_unguarded")

    def __init__(self, settings: WorldSettings, solver: str) -> None:
        self._thread = threading.get_ident()
        self._unguarded = WorldState(settings, load_solver(solver))
        self._next_ids = {"body": 0, "fixture": 0, "joint": 0}
        self._destroyed_at: dict[tuple[str, int], int] = {}
        self._busy = False

    @property
    def solver(self) -> str:
        """The name of the solver that drives it."""
        return self._unguarded.solver.capabilities.name

    @property
    def capabilities(self) -> Capabilities:
        """What that solver can do."""
        return self._state.solver.capabilities

    @property
    def settings(self) -> WorldSettings:
        """The world's settings; change them with `set_settings`."""
        return self._state.model.settings

    @property
    def step_index(self) -> int:
        """Number of steps made."""
        return self._state.model.step_index

    @property
    def time(self) -> float:
        """Seconds simulated, at the present step rate."""
        return self._state.model.step_index * self._state.model.settings.dt

    @property
    def contacts(self) -> StepContacts:
        """Contacts after the last step."""
        return self._state.solver.contacts

    @property
    def impact_moments(self) -> tuple[ImpactMoment, ...]:
        """Every impact inside the last step, in the order of solving; of a pair that met several times `contacts` has the last one only."""
        return self._state.solver.impact_moments

    def pair_record(self) -> object:
        """Return what tells from now on which pairs touch and what decided it, in the terms of the solver, for a check of the solver by
        another way; None of a solver that tells nothing.
        """
        return self._state.solver.pair_record()

    @property
    def out_of_range(self) -> tuple[int, ...]:
        """Bodies that left the range of positions and speeds that can be borne, and were set inactive for it."""
        return tuple(self._state.model.out_of_range)

    @property
    def last_cost(self) -> StepCost:
        """What the last step cost; zero before the first."""
        return self._state.solver.cost

    @property
    def structure_version(self) -> int:
        """A number that changes whenever bodies, fixtures or joints come, go or change."""
        return self._state.model.structure_version

    @property
    def body_ids(self) -> tuple[int, ...]:
        """Ids of the living bodies, ascending."""
        return self._state.model.body_numbers

    @property
    def fixture_ids(self) -> tuple[int, ...]:
        """Ids of the living fixtures, ascending."""
        return tuple(sorted(self._state.model.fixtures))

    @property
    def joint_ids(self) -> tuple[int, ...]:
        """Ids of the living joints, ascending."""
        return tuple(sorted(self._state.model.joints))

    def is_body(self, body: int) -> bool:
        """Tell whether the id names a living body."""
        return _living(self._state.model.bodies, body) is not None

    def is_fixture(self, fixture: int) -> bool:
        """Tell whether the id names a living fixture."""
        return _living(self._state.model.fixtures, fixture) is not None

    def is_joint(self, joint: int) -> bool:
        """Tell whether the id names a living joint."""
        return _living(self._state.model.joints, joint) is not None

    def body(self, body: int) -> Body:
        """Return a body's record."""
        entry = self._body_entry(body)
        spec = replace(entry.spec, fixtures=tuple(self._state.model.fixtures[fixture].spec for fixture in entry.fixtures))
        return Body(body, spec, tuple(entry.fixtures), tuple(entry.joints), *self._state.solver.mass_data(body))

    def name_of(self, body: int) -> str:
        """Return a body's name, without the rest of its record; empty where it has none."""
        return self._body_entry(body).spec.name

    def fixtures_of(self, body: int) -> tuple[int, ...]:
        """Return the ids of a body's fixtures, without the rest of its record."""
        return tuple(self._body_entry(body).fixtures)

    def fixture(self, fixture: int) -> Fixture:
        """Return a fixture's record."""
        entry = self._fixture_entry(fixture)
        return Fixture(fixture, entry.body, entry.spec, self._state.solver.shape_of(fixture))

    def joint(self, joint: int) -> Joint:
        """Return a joint's record."""
        return Joint(joint, self._joint_entry(joint).spec)

    def joint_now(self, joint: int) -> JointSpec:
        """Return the specification that makes a joint anew between its bodies as they stand now; see `joints.as_it_stands`."""
        return as_it_stands(self._joint_entry(joint), self._state.transform)

    def joint_state(self, joint: int) -> JointState:
        """Return how a joint stands and moves, and what it bore in the last step."""
        self._joint_entry(joint)
        return self._state.solver.joint_state(joint)

    def joint_bodies(self, joint: int) -> tuple[int | None, int]:
        """Return the two bodies of a joint: None and one of a mouse joint, of a gear joint the second ones of its two joints."""
        return self._joint_entry(joint).bodies

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return a joint's two anchors, world frame, metres."""
        self._joint_entry(joint)
        return self._state.solver.joint_anchors(joint)

    def row_of(self, body: int) -> int:
        """Return the body's row in `poses`, `previous_poses`, `velocities` and `awake`."""
        self._body_entry(body)
        return self._state.model.rows[body]

    @property
    def poses(self) -> FloatArray:
        """x, y, angle of every body, float64 (n, 3), read-only, rows as in `body_ids`."""
        return self._state.motion().poses

    @property
    def previous_poses(self) -> FloatArray:
        """Poses before the last step; of a body that is new or was moved by command, the present one."""
        return self._state.motion().previous

    @property
    def velocities(self) -> FloatArray:
        """vx, vy, omega of every body, float64 (n, 3), read-only."""
        return self._state.motion().velocities

    @property
    def awake(self) -> NDArray[np.bool_]:
        """Whether each body is awake, bool (n,)."""
        return self._state.motion().raw.awake

    def state(self, body: int) -> BodyState:
        """Return where a body is and how it moves."""
        row, motion = self.row_of(body), self._state.motion()
        x, y, angle = motion.poses[row].tolist()
        vx, vy, omega = motion.velocities[row].tolist()
        return BodyState((x, y), angle, (vx, vy), omega, bool(motion.raw.awake[row]))

    def body_at(self, point: tuple[float, float], dynamic_only: bool = True) -> int | None:
        """Return the newest body one of whose fixtures contains a world point, or None."""
        return next(self._bodies_at(point, boolean("dynamic_only", dynamic_only)), None)

    def bodies_at(self, point: tuple[float, float]) -> tuple[int, ...]:
        """Return all bodies one of whose fixtures contains a world point, the one with the newest fixture first."""
        return tuple(dict.fromkeys(self._bodies_at(point, dynamic_only=False)))

    def _bodies_at(self, point: tuple[float, float], dynamic_only: bool) -> Iterator[int]:
        at = vector("point", point, "m")
        for fixture in sorted(self._state.model.fixtures, reverse=True):
            body = self._state.model.fixtures[fixture].body
            if dynamic_only and self._state.model.bodies[body].spec.type != "dynamic":
                continue
            if self._state.solver.holds_point(fixture, at):
                yield body

    @property
    def is_lost(self) -> bool:
        """Whether Box2D broke off and the world could not be put back: all that is asked of it raises, until `restore`."""
        return bool(self._unguarded.lost)

    def state_hash(self) -> str:
        """Return a digest of the raw bits of every body's pose and velocity, with ids and wakefulness."""
        motion = self._state.motion()
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self._state.model.body_ids.tobytes())
        digest.update(motion.raw.values.tobytes())
        digest.update(motion.raw.awake.tobytes())
        return digest.hexdigest()

    # -- for the other half ---------------------------------------------------------------------------------------------

    @property
    def _state(self) -> WorldState:
        """The state, for the thread that owns it, while there is one."""
        self._check_thread()
        if self._unguarded.lost:
            raise WorldLostError(self._unguarded.lost)
        return self._unguarded

    def _body_entry(self, body: int) -> BodyEntry:
        return self._entry("body", self._state.model.bodies, body)

    def _fixture_entry(self, fixture: int) -> FixtureEntry:
        return self._entry("fixture", self._state.model.fixtures, fixture)

    def _joint_entry(self, joint: int) -> ResolvedJoint:
        return self._entry("joint", self._state.model.joints, joint)

    def _entry(self, kind: str, living: Mapping[int, _T], number: int) -> _T:
        entry = _living(living, number)
        if entry is None:
            raise self._dead(kind, number)
        return entry

    def _dead(self, kind: str, number: object) -> DeadHandleError:
        if not _is_id(number):
            return DeadHandleError(f"there is no {kind} {shortened(number)}")
        step = self._destroyed_at.get((kind, number))
        if step is not None:
            return DeadHandleError(f"{kind} {number} was destroyed after step {step}")
        if self._busy and number < self._next_ids[kind]:
            return DeadHandleError(f"{kind} {number} comes into being at the end of this step")
        return DeadHandleError(f"there is no {kind} {shortened(number)}")

    def _check_thread(self) -> None:
        if threading.get_ident() != self._thread:
            raise WrongThreadError("a World is used by the thread that made it, and by no other")


def _is_id(value: object) -> TypeGuard[int]:
    return type(value) is int or isinstance(value, IntEnum | np.integer)


def _living(living: Mapping[int, _T], number: object) -> _T | None:
    """Return the entry of an id; None where there is none, whatever was given for one."""
    return living.get(number) if _is_id(number) else None
