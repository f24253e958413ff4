"""Actions that create, change and destroy bodies, fixtures and joints, and change a world's settings."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from engine.common.errors import LabError, renamed
from engine.geometry import Transform
from engine.scenes.codec import from_plain, to_plain
from engine.scenes.kinds import JOINT_KINDS
from engine.sim.action import Action, Index, Inverse, NewIds, Number, Part, Point, Pose, Size
from engine.sim.demo import Simulation
from engine.sim.dropping import forget_gone
from engine.sim.ids import called
from engine.world import BodySpec, FixtureSpec, MouseJointSpec, World, WorldSettings, load_solver
from engine.world.fields import check_names, named_values
from engine.world.joints.interface import bodies_of, changeable, joints_of
from engine.world.world import BODY_SETTINGS, FIXTURE_SETTINGS

__all__ = [
    "ApplyImpulse",
    "ChangeBody",
    "ChangeFixture",
    "ChangeJoint",
    "ChangeWorld",
    "Continuing",
    "CreateBody",
    "CreateFixture",
    "CreateJoint",
    "DestroyBody",
    "DestroyFixture",
    "DestroyJoint",
    "Edit",
    "SetAwake",
    "SetPose",
    "SetVelocity",
    "work_of_settings",
]

Spec = dict[str, Any]
"""A specification as plain data in the format of scene files (`engine.scenes.codec`), with float64 precision."""
Changes = Annotated[dict[str, Any], Meta(max_length=64)]
"""New values by name of the setting."""
_WORLD_SETTINGS = tuple(field.name for field in dataclasses.fields(WorldSettings))


class Continuing(Action, frozen=True, kw_only=True):
    """Base class for actions that may be part of a gesture. If `continues` is set, undo reverts it together with the previous action."""

    continues: bool = False
    takes_back = True

    def continued(self) -> Self:
        """Return the action with `continues` set."""
        return replace(self, continues=True)

    @property
    def begins(self) -> bool:
        return not self.continues


class Edit(Continuing, frozen=True):
    """Base class of actions that edit the world of a stage."""

    stage: Index
    is_of_a_world = True
    sets_value: ClassVar[bool] = False
    """True if the last of several such actions on the same object decides (`target`)."""
    deed: ClassVar[str] = "change of"
    """Words for the action in undo messages; the name of the object follows."""

    @property
    def target(self) -> tuple[object, ...] | None:
        if not self.sets_value:
            return None
        return type(self), self.stage, *self._named().values(), *sorted(getattr(self, "changes", ()))

    def _named(self) -> dict[str, int]:
        """Return the ids in the action's own fields, by kind of object."""
        return {kind: getattr(self, kind) for kind in ("body", "fixture", "joint") if kind in self.__struct_fields__}

    def world(self, sim: Simulation) -> World:
        """Return the world to edit."""
        return sim.world(self.stage)

    def check(self, sim: Simulation) -> None:
        if sim.demo.no_edits:
            raise LabError(sim.demo.no_edits)

    def renumbered(self, ids: NewIds) -> Action:
        return replace(self, **{kind: ids.get((self.stage, kind, number), number) for kind, number in self._named().items()})

    def perform(self, sim: Simulation) -> tuple[Any, Inverse | None]:
        inverse = Inverse(self._words(), self._parts(sim, self.world(sim)))
        result = self.apply(sim)
        world = self.world(sim)  # most edits leave the joints in place
        parts = (part for part in inverse.parts if not (isinstance(part.action, CreateJoint) and world.is_joint(part.old[0])))
        return result, dataclasses.replace(inverse, parts=tuple(parts))

    def _words(self) -> str:
        """Return a description of the edit for undo messages."""
        ((kind, number),) = self._named().items()
        return f"the {self.deed} {called('shape' if kind == 'fixture' else kind, number)}"

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        """Return the parts of the inverse; called before the edit is applied."""
        raise NotImplementedError


class _Create(Edit, frozen=True):
    """Base class of actions that create a body, a fixture or a joint."""

    may_create = True
    kind: ClassVar[str]

    @classmethod
    def of(cls, stage: int, *place_and_spec: Any) -> Self:
        """Return the action that creates an object from a specification; a fixture's body comes before it."""
        *place, spec = place_and_spec
        return cls(stage, *place, to_plain(spec, np.float64))  # type: ignore[call-arg]

    def perform(self, sim: Simulation) -> tuple[int, Inverse | None]:
        made = self.apply(sim)
        destroy = {"body": DestroyBody, "shape": DestroyFixture, "joint": DestroyJoint}[self.kind]
        return made, Inverse(f"the creation of a {self.kind}", (Part(destroy(self.stage, made)),))


# -- bodies -----------------------------------------------------------------------------------------------------------


class CreateBody(_Create, frozen=True):
    """Create a body; returns its id."""

    spec: Spec
    kind = "body"

    def apply(self, sim: Simulation) -> int:
        return self.world(sim).create_body(_spec(self.spec, {"body": BodySpec}))

    @property
    def size(self) -> Size:
        fixtures = self.spec.get("fixtures")
        return Size(1, len(fixtures) if isinstance(fixtures, list | tuple) else 0)

    def placed(self, sim: Simulation, part: Part, inverse: Inverse) -> Action:
        """Return the action with the body moved along with a body it was joined to."""
        world = self.world(sim)
        for other in inverse.parts:
            if isinstance(other.action, CreateJoint) and len(other.poses) == 2:
                bodies = bodies_of(other.action.joint_spec)
                partner = bodies[1 - bodies.index(part.old[0])] if part.old[0] in bodies else None
                if partner is not None and world.is_body(partner):
                    pose = other.poses[bodies.index(partner)]
                    spec = _spec(self.spec, {"body": BodySpec})
                    position, turned = _carried(world, partner, pose)(spec.position), world.state(partner).angle - pose[2]
                    return CreateBody.of(self.stage, dataclasses.replace(spec, position=position, angle=spec.angle + turned))
        return self

    def note_created(self, sim: Simulation, part: Part, made: int, ids: NewIds) -> None:
        demo, stage, old = sim.demo, sim.demo.stages[self.stage], part.old[0]
        ids[self.stage, "body", old] = made
        for was, fixture in zip(part.old[1:], stage.world.fixtures_of(made), strict=True):
            ids[self.stage, "fixture", was] = fixture
        for dropped in tuple(demo.dropped):
            if dropped.world is stage.world and dropped.body == old:
                demo.dropped.append(dataclasses.replace(dropped, body=made))
                forget_gone(demo.dropped)


class _OfBody(Edit, frozen=True):
    """Base class of edits of one body."""

    body: Index

    def _velocity(self, world: World) -> Action:
        state = world.state(self.body)
        return SetVelocity(self.stage, self.body, state.linear_velocity, state.angular_velocity)


class DestroyBody(_OfBody, frozen=True):
    """Destroy a body and its joints."""

    deed = "deletion of"

    def apply(self, sim: Simulation) -> None:
        self.world(sim).destroy_body(self.body)

    def removed(self, sim: Simulation) -> Size:
        with contextlib.suppress(LabError):  # the body may not exist, or not yet
            record = self.world(sim).body(self.body)
            return Size(1, len(record.fixtures), len(record.joints))
        return Size()

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        record, state = world.body(self.body), world.state(self.body)
        spec = dataclasses.replace(record.spec, position=state.position, angle=state.angle, awake=state.awake)
        if spec.type != "static":
            spec = dataclasses.replace(spec, linear_velocity=state.linear_velocity, angular_velocity=state.angular_velocity)
        create = Part(CreateBody.of(self.stage, spec), (self.body, *record.fixtures))
        return create, *_joints(world, self.stage, record.joints)


class SetPose(_OfBody, frozen=True):
    """Teleport a body to a new origin, meters, and angle, radians."""

    position: Point
    angle: Number
    sets_value = True
    deed = "move of"

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_pose(self.body, self.position, self.angle)

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        state = world.state(self.body)
        return (Part(SetPose(self.stage, self.body, state.position, state.angle)),)


class SetVelocity(_OfBody, frozen=True):
    """Set the velocity of a body, m/s and rad/s."""

    linear: Point
    angular: Number = 0.0
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_velocity(self.body, self.linear, self.angular)

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        return (Part(self._velocity(world)),)


class ApplyImpulse(_OfBody, frozen=True):
    """Apply an impulse to a body, N s, at a world point; None means its center of mass."""

    impulse: Point
    at: Point | None = None
    deed = "push at"

    def apply(self, sim: Simulation) -> None:
        self.world(sim).apply_impulse(self.body, self.impulse, self.at)

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        return (Part(self._velocity(world)),)


class SetAwake(_OfBody, frozen=True):
    """Wake a body, or put it to sleep."""

    awake: bool
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_awake(self.body, self.awake)

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        return (Part(SetAwake(self.stage, self.body, world.state(self.body).awake)),)


class ChangeBody(_OfBody, frozen=True):
    """Change settings of a body (`World.set_body`)."""

    changes: Changes
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_body(self.body, **_values("body", self.changes, BODY_SETTINGS))

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        record = world.body(self.body)
        back = ChangeBody(self.stage, self.body, _before(record.spec, self.changes))
        is_moved = record.spec.type != "static" and "type" in self.changes
        velocity = (Part(self._velocity(world)),) if is_moved else ()
        return Part(back), *velocity, *_joints(world, self.stage, record.joints)


# -- fixtures ---------------------------------------------------------------------------------------------------------


class CreateFixture(_Create, frozen=True):
    """Add a fixture to a body; returns its id."""

    body: Index
    spec: Spec
    kind = "shape"

    def apply(self, sim: Simulation) -> int:
        return self.world(sim).create_fixture(self.body, _spec(self.spec, {"fixture": FixtureSpec}))

    @property
    def size(self) -> Size:
        return Size(0, 1)

    def note_created(self, sim: Simulation, part: Part, made: int, ids: NewIds) -> None:
        ids[self.stage, "fixture", part.old[0]] = made


class DestroyFixture(Edit, frozen=True):
    """Destroy a fixture."""

    fixture: Index
    deed = "deletion of"

    def apply(self, sim: Simulation) -> None:
        self.world(sim).destroy_fixture(self.fixture)

    def removed(self, sim: Simulation) -> Size:
        with contextlib.suppress(LabError):  # the fixture may not exist, or not yet
            world = self.world(sim)
            return Size(0, 1, len(world.body(world.fixture(self.fixture).body).joints))
        return Size()

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        record = world.fixture(self.fixture)
        create = Part(CreateFixture.of(self.stage, record.body, record.spec), (self.fixture,))
        return create, *_joints(world, self.stage, world.body(record.body).joints)


class ChangeFixture(Edit, frozen=True):
    """Change settings of a fixture (`World.set_fixture`)."""

    fixture: Index
    changes: Changes
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_fixture(self.fixture, **_values("fixture", self.changes, FIXTURE_SETTINGS))

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        record = world.fixture(self.fixture)
        back = Part(ChangeFixture(self.stage, self.fixture, _before(record.spec, self.changes)))
        return back, *_joints(world, self.stage, world.body(record.body).joints)


# -- joints -----------------------------------------------------------------------------------------------------------


class CreateJoint(_Create, frozen=True):
    """Create a joint between two bodies, or a gear joint between two joints; returns its id."""

    spec: Spec
    kind = "joint"

    @property
    def joint_spec(self) -> Any:
        """The decoded joint specification."""
        return _spec(self.spec, JOINT_KINDS)

    def apply(self, sim: Simulation) -> int:
        return self.world(sim).create_joint(self.joint_spec)

    @property
    def size(self) -> Size:
        return Size(0, 0, 1)

    def renumbered(self, ids: NewIds) -> Action:
        kinds = {name: name.partition("_")[0] for name in ("body", "body_a", "body_b", "joint_a", "joint_b") if name in self.spec}
        new = {name: ids.get((self.stage, kind, self.spec[name]), self.spec[name]) for name, kind in kinds.items()}
        return replace(self, spec={**self.spec, **new})

    def placed(self, sim: Simulation, part: Part, inverse: Inverse) -> Action:
        """Return the action with its anchors and axis moved along with its bodies."""
        if len(part.poses) != 2:
            return self
        world, spec = self.world(sim), self.joint_spec
        on_a, on_b = (_carried(world, body, pose) for body, pose in zip(bodies_of(spec), part.poses, strict=True))
        places = {"anchor": on_a, "anchor_a": on_a, "anchor_b": on_b}
        changes = {name: moved(value) for name, moved in places.items() if (value := getattr(spec, name, None)) is not None}
        if hasattr(spec, "axis"):
            start, end = on_a((0.0, 0.0)), on_a(spec.axis)
            changes["axis"] = end[0] - start[0], end[1] - start[1]
        return CreateJoint.of(self.stage, dataclasses.replace(spec, **changes))

    def note_created(self, sim: Simulation, part: Part, made: int, ids: NewIds) -> None:
        ids[self.stage, "joint", part.old[0]] = made


class DestroyJoint(Edit, frozen=True):
    """Destroy a joint and the gear joints on it."""

    joint: Index
    deed = "deletion of"

    def apply(self, sim: Simulation) -> None:
        self.world(sim).destroy_joint(self.joint)

    def removed(self, sim: Simulation) -> Size:
        return Size(0, 0, 1)

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        return _joints(world, self.stage, (self.joint,))


class ChangeJoint(Edit, frozen=True):
    """Change settings of a joint (`World.set_joint`)."""

    joint: Index
    changes: Changes
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        world = self.world(sim)
        world.set_joint(self.joint, **_values("joint", self.changes, changeable(world.joint(self.joint).spec)))

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        known = changeable(world.joint(self.joint).spec)
        changes = {name: None for name in self.changes if name in known}
        return (Part(ChangeJoint(self.stage, self.joint, _before(world.joint_now(self.joint), changes))),)


# -- the world --------------------------------------------------------------------------------------------------------


class ChangeWorld(Edit, frozen=True):
    """Change settings of the world (`World.set_settings`)."""

    changes: Changes
    sets_value = True

    def apply(self, sim: Simulation) -> None:
        self.world(sim).set_settings(**_values("WorldSettings", self.changes, _WORLD_SETTINGS))

    def work(self, sim: Simulation) -> float:
        named = dict(self.changes)
        own = named.pop("solver_settings", ())
        return max(work_of_settings(solver, named, own) for solver in sim.solvers)

    def _words(self) -> str:
        return "the change to the world's settings"

    def _parts(self, sim: Simulation, world: World) -> tuple[Part, ...]:
        return (Part(ChangeWorld(self.stage, _before(world.settings, self.changes))),)


def work_of_settings(solver: str, named: Mapping[str, object], own: object) -> float:
    """Return the cost per step relative to the solver's defaults, at least 1, for world settings `named` and solver-specific ones `own`."""
    with contextlib.suppress(LabError):  # invalid settings are rejected when the action is applied
        usual = {each.name: each.default for each in dataclasses.fields(WorldSettings)} | load_solver(solver).own_settings(WorldSettings())
        settings = {**named, **dict(named_values("solver_settings", own))}
        return max(1.0, math.prod(_work_of_setting(name, value, usual.get(name)) for name, value in settings.items()))
    return 1.0


_MATRIX_SIZES = frozenset({"largest"})
"""Solver settings that limit the size of a dense matrix, whose factorization cost grows with the cube of the size."""


def _work_of_setting(name: str, value: object, default: object) -> float:
    """Return a setting's cost relative to its default, at least 1. It is 1 unless the setting is a count, and infinite beyond floats."""
    if type(default) is not int or not isinstance(value, int | float):
        return 1.0
    try:
        times = max(value / max(default, 1), 1.0) if math.isfinite(value) else 1.0
        return times**3 if name in _MATRIX_SIZES else times
    except OverflowError:
        return math.inf


# -- inside -----------------------------------------------------------------------------------------------------------


def _spec(plain: Spec, kinds: Mapping[str, type]) -> Any:
    with renamed(lambda field: f"spec.{field}" if field else "spec"):
        return from_plain(plain, "", kinds, precision=np.float64)


def _values(owner: str, changes: Changes, known: Iterable[str]) -> dict[str, Any]:
    check_names(owner, changes, known)  # before the call: a name could match a parameter of the method
    pairs = {
        name: sorted(value.items()) if name == "solver_settings" and isinstance(value, dict) else value for name, value in changes.items()
    }
    return {name: from_plain(value, name, precision=np.float64) for name, value in pairs.items()}


def _before(thing: Any, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the current values of the settings in `changes`; unknown names are rejected when the action is applied."""
    known = sorted({field.name for field in dataclasses.fields(thing)} & changes.keys())
    return {name: to_plain(getattr(thing, name), np.float64) for name in known}


def _joints(world: World, stage: int, joints: Iterable[int]) -> tuple[Part, ...]:
    """Return parts that recreate joints and the gear joints on them, except for mouse joints."""
    chosen = dict.fromkeys(joints)
    for joint in tuple(chosen):
        for body in world.joint_bodies(joint):
            for other in world.body(body).joints if body is not None else ():
                spec = world.joint(other).spec
                if joint in joints_of(spec):
                    chosen[other] = None
    parts: list[Part] = []
    gears: list[Part] = []
    for joint in sorted(chosen):
        with contextlib.suppress(LabError):  # for instance, a rod whose ends coincide cannot be recreated
            spec = world.joint_now(joint)
            if not isinstance(spec, MouseJointSpec):
                poses = tuple(_pose(world, body) for body in bodies_of(spec))
                (gears if spec.joint_fields else parts).append(Part(CreateJoint.of(stage, spec), (joint,), poses))
    return (*parts, *gears)


def _carried(world: World, body: int, pose: Pose) -> Callable[[Point], Point]:
    """Return a function that moves world points with a body as it has moved since `pose`; exactly the identity if it has not moved."""
    if not world.is_body(body) or _pose(world, body) == pose:
        return lambda point: point
    before, now = Transform(pose[:2], pose[2]), world.state(body).xf
    return lambda point: now.apply(before.apply_inverse(point))


def _pose(world: World, body: int) -> Pose:
    state = world.state(body)
    return (*state.position, state.angle)
