"""What is true of a world, whatever drives it: its settings, and its bodies, fixtures and joints by id, as specifications.

The model changes once the solver has followed a command (`engine.world._state`); until the command is done every change can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from engine.common.arrays import IntArray
from engine.world.fields import changed
from engine.world.joint_specs import GearJointSpec
from engine.world.joints import ResolvedJoint
from engine.world.snapshot import WorldSnapshot
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["BodyEntry", "FixtureEntry", "WorldModel"]

_RESTORED = ("settings", "step_index", "out_of_range", "bodies", "fixtures", "joints", "gears")
"""What a snapshot puts others in the place of."""


_Listed: TypeAlias = tuple[
    tuple[tuple[int, BodySpec, tuple[int, ...]], ...], tuple[tuple[int, int, FixtureSpec], ...], tuple[tuple[int, ResolvedJoint], ...]
]
"""Bodies, fixtures and joints of `WorldSnapshot`."""


@dataclass(slots=True)
class BodyEntry:
    """A living body; the specifications of its fixtures are theirs."""

    spec: BodySpec
    fixtures: list[int]
    joints: list[int] = field(default_factory=list)

    def copied(self) -> BodyEntry:
        """Return a copy with lists of its own."""
        return BodyEntry(self.spec, list(self.fixtures), list(self.joints))


@dataclass(frozen=True, slots=True)
class FixtureEntry:
    """A living fixture."""

    spec: FixtureSpec
    body: int


class WorldModel:
    """Specifications by id.

    Attributes
    ----------
    settings : WorldSettings
    step_index : int
        Number of steps made.
    structure_version : int
        Changes whenever bodies, fixtures or joints come, go or change, and with every snapshot taken over.
    structure : object
        Another one whenever they come, go or change; a snapshot of the same ones leaves it.
    bodies, fixtures, joints : dict
        Entries by id; a joint is kept as it was resolved when it was made.
    gears : dict
        The gear joints among the joints: nothing that one stands on may go, or leave its island, before it.
    out_of_range : list of int
        Bodies that were taken out.
    """

    def __init__(self, settings: WorldSettings) -> None:
        self.settings = settings
        self.step_index = 0
        self.structure_version = 0
        self.structure: object = None
        self._listed: _Listed | None = None
        self.bodies: dict[int, BodyEntry] = {}
        self.fixtures: dict[int, FixtureEntry] = {}
        self.joints: dict[int, ResolvedJoint] = {}
        self.gears: dict[int, GearJointSpec] = {}
        self.out_of_range: list[int] = []
        self._undo: list[tuple[dict[int, Any], int, Any]] = []
        """The entries that the command under way has changed or added, as they were; None where there was none."""
        self._rows: tuple[IntArray, dict[int, int], tuple[int, ...]] | None = None

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def body_ids(self) -> IntArray:
        """Ids of the bodies, ascending, int64 (n,)."""
        return self._ids_and_rows()[0]

    @property
    def rows(self) -> dict[int, int]:
        """The row of each body in all columns; another object whenever a body has come or gone."""
        return self._ids_and_rows()[1]

    @property
    def body_numbers(self) -> tuple[int, ...]:
        """The same ids; another object whenever a body has come or gone."""
        return self._ids_and_rows()[2]

    def _ids_and_rows(self) -> tuple[IntArray, dict[int, int], tuple[int, ...]]:
        if self._rows is None:
            ids = tuple(sorted(self.bodies))
            self._rows = np.array(ids, dtype=np.int64), {body: row for row, body in enumerate(ids)}, ids
        return self._rows

    def listed(self) -> _Listed:
        """Return bodies, fixtures and joints as snapshots list them; the same tuples until something changes."""
        if self._listed is None:
            self._listed = (
                tuple((body, self.bodies[body].spec, tuple(self.bodies[body].fixtures)) for body in sorted(self.bodies)),
                tuple((fixture, entry.body, entry.spec) for fixture, entry in sorted(self.fixtures.items())),
                tuple(sorted(self.joints.items())),
            )
        return self._listed

    def lost_with(self, joints: Iterable[int]) -> tuple[int, ...]:
        """Return joints, and the gear joints that cannot be without them."""
        lost = dict.fromkeys(joints)
        lost.update((gear, None) for gear, spec in self.gears.items() if spec.joint_a in lost or spec.joint_b in lost)
        return tuple(lost)

    def changed_body(self, body: int, changes: dict[str, object]) -> BodySpec:
        """Return what a change makes of a body's specification; one that becomes static rests."""
        spec = self.bodies[body].spec
        if changes.get("type") == "static":
            spec = replace(spec, linear_velocity=(0.0, 0.0), angular_velocity=0.0)
        return changed(spec, "body", changes)

    def changed_fixture(self, fixture: int, changes: dict[str, object]) -> FixtureSpec:
        """Return what a change makes of a fixture's specification."""
        return changed(self.fixtures[fixture].spec, "fixture", changes)

    # -- changing -----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Let what changes from now on be undone together."""
        self._undo.clear()

    def undo(self) -> None:
        """Take back what has changed since `begin`."""
        for table, key, entry in reversed(self._undo):
            if entry is None:
                table.pop(key, None)
            else:
                table[key] = entry
        if self._undo:  # what was taken out and put in again stands last now
            self.bodies, self.fixtures = dict(sorted(self.bodies.items())), dict(sorted(self.fixtures.items()))
            self.joints, self.gears = dict(sorted(self.joints.items())), dict(sorted(self.gears.items()))
            self._undo.clear()
        self._rows = self._listed = None
        self._restructure()

    def _restructure(self) -> None:
        self.structure_version += 1
        self.structure = object()

    def _note(self, table: dict[int, Any], key: int) -> None:
        self._listed = None
        entry = table.get(key)
        self._undo.append((table, key, entry.copied() if isinstance(entry, BodyEntry) else entry))

    def add_body(self, body: int, spec: BodySpec, fixtures: tuple[int, ...]) -> None:
        """Take in a body with its fixtures."""
        self._note(self.bodies, body)
        self.bodies[body] = BodyEntry(replace(spec, fixtures=()), [])
        for fixture, one in zip(fixtures, spec.fixtures, strict=True):
            self.add_fixture(fixture, body, one)
        self._rows = None
        self._restructure()

    def remove_body(self, body: int) -> None:
        """Strike a body, whose joints are gone already, with its fixtures."""
        self._note(self.bodies, body)
        for fixture in self.bodies.pop(body).fixtures:
            self._note(self.fixtures, fixture)
            del self.fixtures[fixture]
        self._rows = None
        self._restructure()

    def set_body(self, body: int, spec: BodySpec) -> None:
        """Let a body have another specification."""
        self._note(self.bodies, body)
        self.bodies[body].spec = spec
        self._restructure()

    def add_fixture(self, fixture: int, body: int, spec: FixtureSpec) -> None:
        """Take in a fixture of a body."""
        self._note(self.fixtures, fixture)
        self._note(self.bodies, body)
        self.fixtures[fixture] = FixtureEntry(spec, body)
        self.bodies[body].fixtures.append(fixture)
        self._restructure()

    def remove_fixture(self, fixture: int) -> None:
        """Strike a fixture."""
        self._note(self.bodies, self.fixtures[fixture].body)
        self._note(self.fixtures, fixture)
        self.bodies[self.fixtures.pop(fixture).body].fixtures.remove(fixture)
        self._restructure()

    def set_fixture(self, fixture: int, spec: FixtureSpec) -> None:
        """Let a fixture have another specification."""
        self._note(self.fixtures, fixture)
        self.fixtures[fixture] = replace(self.fixtures[fixture], spec=spec)
        self._restructure()

    def add_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Take in a joint."""
        self.set_joint(joint, resolved)
        for body in resolved.bodies:
            if body is not None:
                self._note(self.bodies, body)
                self.bodies[body].joints.append(joint)

    def remove_joint(self, joint: int) -> None:
        """Strike a joint on which no gear joint stands."""
        self._note(self.joints, joint)
        self._note(self.gears, joint)
        self.gears.pop(joint, None)
        for body in self.joints.pop(joint).bodies:
            if body is not None:
                self._note(self.bodies, body)
                self.bodies[body].joints.remove(joint)
        self._restructure()

    def set_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Let a joint be another between the same bodies."""
        self._note(self.joints, joint)
        self._note(self.gears, joint)
        self.joints[joint] = resolved
        if isinstance(resolved.spec, GearJointSpec):
            self.gears[joint] = resolved.spec
        self._restructure()

    def set_mouse_target(self, joint: int, resolved: ResolvedJoint) -> None:
        """Let a mouse joint pull to another point, which is no change of structure."""
        self._note(self.joints, joint)
        self.joints[joint] = resolved

    # -- as a whole ---------------------------------------------------------------------------------------------------

    def take_over(self, snapshot: WorldSnapshot) -> dict[str, Any]:
        """Become the model of a snapshot; return what it was, for `give_back`."""
        before = {name: getattr(self, name) for name in _RESTORED}
        self.settings, self.step_index, self.out_of_range = snapshot.settings, snapshot.step_index, list(snapshot.out_of_range)
        listed = (snapshot.bodies, snapshot.fixtures, snapshot.joints)
        if self._listed is not None and all(one is other for one, other in zip(listed, self._listed, strict=True)):
            self.structure_version += 1
            return before
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
        return before

    def give_back(self, before: dict[str, Any]) -> None:
        """Become again what it was before `take_over`."""
        for name, value in before.items():
            setattr(self, name, value)
        self._rows = self._listed = None
