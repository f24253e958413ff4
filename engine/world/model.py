"""Solver-independent model of a world: its settings, and the specifications of its bodies, fixtures and joints by id.

The model is updated after the solver has applied a command (`engine.world.world`). Every change is journaled and can be undone until the
next command or step begins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from engine.common.arrays import IntArray
from engine.world import commands as c
from engine.world.fields import changed
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import ResolvedJoint
from engine.world.snapshot import WorldSnapshot
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["BodyEntry", "FixtureEntry", "WorldModel"]

_RESTORED = ("settings", "step_index", "rate_since", "out_of_range", "bodies", "fixtures", "joints", "gears")
"""Attributes that `WorldModel.take_over` replaces."""


_Listed: TypeAlias = tuple[
    tuple[tuple[int, BodySpec, tuple[int, ...]], ...], tuple[tuple[int, int, FixtureSpec], ...], tuple[tuple[int, ResolvedJoint], ...]
]
"""Bodies, fixtures and joints, as in `WorldSnapshot`."""


@dataclass(slots=True)
class BodyEntry:
    """A body; `spec.fixtures` is empty, because fixtures have their own entries."""

    spec: BodySpec
    fixtures: list[int]
    joints: list[int] = field(default_factory=list)

    def copied(self) -> BodyEntry:
        """Return a copy with its own lists."""
        return BodyEntry(self.spec, list(self.fixtures), list(self.joints))


@dataclass(frozen=True, slots=True)
class FixtureEntry:
    """A fixture."""

    spec: FixtureSpec
    body: int


class WorldModel:
    """Settings and specifications of a world, with an undo journal.

    Attributes
    ----------
    settings : WorldSettings
    step_index : int
        Number of completed steps.
    rate_since : (float, int)
        Time, s, and step since which the step rate has been the present one.
    structure_version : int
        Incremented whenever bodies, fixtures or joints are added, removed or changed, and whenever a snapshot is restored.
    structure : object
        Replaced whenever bodies, fixtures or joints are added, removed or changed, but not when a snapshot with the same objects is taken
        over.
    bodies, fixtures, joints : dict
        Entries by id, ascending; joints are resolved.
    gears : dict
        Specifications of the gear joints by id. A gear joint must be removed before any joint or body that it depends on.
    out_of_range : list of int
        Bodies deactivated for leaving the supported range.
    """

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self.step_index = 0
        self.rate_since = 0.0, 0
        self.structure_version = 0
        self.structure: object = None
        self._listed: _Listed | None = None
        self.bodies: dict[int, BodyEntry] = {}
        self.fixtures: dict[int, FixtureEntry] = {}
        self.joints: dict[int, ResolvedJoint] = {}
        self.gears: dict[int, GearJointSpec] = {}
        self.out_of_range: list[int] = []
        self._journal: list[Callable[[], object]] = []
        """Callables that undo the changes since `begin`, oldest first."""
        self._rows: tuple[IntArray, dict[int, int], tuple[int, ...]] | None = None

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """Simulated time, s: the sum of the steps taken."""
        time, step = self.rate_since
        return time + (self.step_index - step) * self.settings.dt

    @property
    def body_ids(self) -> IntArray:
        """Ids of the bodies, ascending, int64 (n,)."""
        return self._ids_and_rows()[0]

    @property
    def rows(self) -> dict[int, int]:
        """Row of each body in all per-body arrays; a new object whenever a body has been added or removed."""
        return self._ids_and_rows()[1]

    @property
    def body_numbers(self) -> tuple[int, ...]:
        """`body_ids` as a tuple; a new object whenever a body has been added or removed."""
        return self._ids_and_rows()[2]

    @property
    def tables(self) -> dict[str, Mapping[int, object]]:
        """The tables of bodies, fixtures and joints, in this order, by `Handle` kind."""
        return {"body": self.bodies, "fixture": self.fixtures, "joint": self.joints}

    def _ids_and_rows(self) -> tuple[IntArray, dict[int, int], tuple[int, ...]]:
        if self._rows is None:
            ids = tuple(sorted(self.bodies))
            self._rows = np.array(ids, dtype=np.int64), {body: row for row, body in enumerate(ids)}, ids
        return self._rows

    def listed(self) -> _Listed:
        """Return bodies, fixtures and joints in the format of snapshots; the same tuples until something changes."""
        if self._listed is None:
            self._listed = (
                tuple((body, self.bodies[body].spec, tuple(self.bodies[body].fixtures)) for body in sorted(self.bodies)),
                tuple((fixture, entry.body, entry.spec) for fixture, entry in sorted(self.fixtures.items())),
                tuple(sorted(self.joints.items())),
            )
        return self._listed

    def lost_with(self, joints: Iterable[int]) -> tuple[int, ...]:
        """Return the given joints and all gear joints that depend on them."""
        lost = dict.fromkeys(joints)
        lost.update((gear, None) for gear, spec in self.gears.items() if spec.joint_a in lost or spec.joint_b in lost)
        return tuple(lost)

    def body_of(self, command: c.Command) -> int | None:
        """Return the body that a command may move, directly or by changing its center of mass; None for other commands."""
        match command:
            case c.SetFixture(fixture, _) | c.DestroyFixture(fixture):
                return self.fixtures[fixture].body
            case (
                c.CreateFixture(_, body, _) | c.SetBody(body, _) | c.SetPose(body, _, _) | c.ApplyImpulse(body, _, _) | c.DestroyBody(body)
            ):
                return body
        return None

    def changed_body(self, body: int, changes: dict[str, object]) -> BodySpec:
        """Return a body's specification with changes; the velocity of a body that becomes static is set to zero."""
        spec = self.bodies[body].spec
        if changes.get("type") == "static":
            spec = replace(spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0)
        return changed(spec, "body", changes)

    def changed_fixture(self, fixture: int, changes: dict[str, object]) -> FixtureSpec:
        """Return a fixture's specification with changes."""
        return changed(self.fixtures[fixture].spec, "fixture", changes)

    # -- changing -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a new journal: earlier changes can no longer be undone."""
        self._journal.clear()

    def undo(self) -> None:
        """Undo the changes since `begin`."""
        for inverse in reversed(self._journal):
            inverse()
        self._journal.clear()
        self._rows = self._listed = None
        self._restructure()

    def _restructure(self) -> None:
        self.structure_version += 1
        self.structure = object()

    def _note(self, table: dict[int, Any], key: int) -> None:
        """Journal a table entry that is about to change."""
        self._listed = None
        if key not in table:
            self._journal.append(partial(table.pop, key, None))
        else:
            entry = table[key]
            self._journal.append(partial(_put_back, table, key, entry.copied() if isinstance(entry, BodyEntry) else entry))

    def _note_attributes(self, *names: str) -> None:
        """Journal attributes that are about to be replaced."""
        for name in names:
            self._journal.append(partial(setattr, self, name, getattr(self, name)))

    def set_settings(self, settings: WorldSettings) -> None:
        """Replace the settings."""
        self._note_attributes("settings", "rate_since")
        if settings.hertz != self.settings.hertz:
            self.rate_since = self.time, self.step_index
        self.settings = settings

    def note_out_of_range(self, body: int) -> None:
        """Add a body to `out_of_range`."""
        self._note_attributes("out_of_range")
        self.out_of_range = [*self.out_of_range, body]

    def add_body(self, body: int, spec: BodySpec, fixtures: tuple[int, ...]) -> None:
        """Add a body with its fixtures."""
        self._note(self.bodies, body)
        self.bodies[body] = BodyEntry(replace(spec, fixtures=()), [])
        for fixture, fixture_spec in zip(fixtures, spec.fixtures, strict=True):
            self.add_fixture(fixture, body, fixture_spec)
        self._rows = None
        self._restructure()

    def remove_body(self, body: int) -> None:
        """Remove a body and its fixtures; its joints must already have been removed."""
        self._note(self.bodies, body)
        for fixture in self.bodies.pop(body).fixtures:
            self._note(self.fixtures, fixture)
            del self.fixtures[fixture]
        self._rows = None
        self._restructure()

    def set_body(self, body: int, spec: BodySpec) -> None:
        """Replace a body's specification."""
        self._note(self.bodies, body)
        self.bodies[body].spec = spec
        self._restructure()

    def add_fixture(self, fixture: int, body: int, spec: FixtureSpec) -> None:
        """Add a fixture to a body."""
        self._note(self.fixtures, fixture)
        self._note(self.bodies, body)
        self.fixtures[fixture] = FixtureEntry(spec, body)
        self.bodies[body].fixtures.append(fixture)
        self._restructure()

    def remove_fixture(self, fixture: int) -> None:
        """Remove a fixture."""
        self._note(self.bodies, self.fixtures[fixture].body)
        self._note(self.fixtures, fixture)
        self.bodies[self.fixtures.pop(fixture).body].fixtures.remove(fixture)
        self._restructure()

    def set_fixture(self, fixture: int, spec: FixtureSpec) -> None:
        """Replace a fixture's specification."""
        self._note(self.fixtures, fixture)
        self.fixtures[fixture] = replace(self.fixtures[fixture], spec=spec)
        self._restructure()

    def add_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Add a joint."""
        self.set_joint(joint, resolved)
        for body in resolved.bodies:
            if body is not None:
                self._note(self.bodies, body)
                self.bodies[body].joints.append(joint)

    def remove_joint(self, joint: int) -> None:
        """Remove a joint on which no gear joint depends."""
        self._note(self.joints, joint)
        self._note(self.gears, joint)
        self.gears.pop(joint, None)
        for body in self.joints.pop(joint).bodies:
            if body is not None:
                self._note(self.bodies, body)
                self.bodies[body].joints.remove(joint)
        self._restructure()

    def set_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Replace a joint with one between the same bodies."""
        self._note(self.joints, joint)
        self._note(self.gears, joint)
        self.joints[joint] = resolved
        if isinstance(resolved.spec, GearJointSpec):
            self.gears[joint] = resolved.spec
        self._restructure()

    def set_mouse_target(self, joint: int, resolved: ResolvedJoint) -> None:
        """Replace a mouse joint with one that has another target, without incrementing the structure version."""
        self._note(self.joints, joint)
        self.joints[joint] = resolved

    # -- snapshots ----------------------------------------------------------------------------------------------------

    def take_over(self, snapshot: WorldSnapshot) -> None:
        """Replace the contents with those of a snapshot."""
        self._note_attributes(*_RESTORED)
        self.settings, self.step_index, self.rate_since = snapshot.settings, snapshot.step_index, snapshot.rate_since
        self.out_of_range = list(snapshot.out_of_range)
        listed = (snapshot.bodies, snapshot.fixtures, snapshot.joints)
        if self._listed is not None and all(own is other for own, other in zip(self._listed, listed, strict=True)):
            self.structure_version += 1
            return
        self.bodies = {body: BodyEntry(spec, list(fixtures)) for body, spec, fixtures in snapshot.bodies}
        self.fixtures = {fixture: FixtureEntry(spec, owner) for fixture, owner, spec in snapshot.fixtures}
        self.joints = dict(snapshot.joints)
        self.gears = {joint: resolved.spec for joint, resolved in snapshot.joints if isinstance(resolved.spec, GearJointSpec)}
        for joint, resolved in snapshot.joints:
            for body in resolved.bodies:
                if body is not None:
                    self.bodies[body].joints.append(joint)
        self._rows, self._listed = None, listed
        self._restructure()


def _put_back(table: dict[int, Any], key: int, entry: object) -> None:
    """Restore an entry, keeping its table in ascending order."""
    was_removed = key not in table
    table[key] = entry
    if was_removed:
        entries = sorted(table.items())
        table.clear()
        table.update(entries)
