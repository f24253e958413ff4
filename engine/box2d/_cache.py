"""The disposable `b2World`, which is built from the model, read after each step, and discarded after a failure.

Only this module keeps Box2D objects, by id, and drops them as soon as Box2D destroys them, because a stale one may read another body's
memory. Nothing here validates input: the specifications and `World` have done so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple

import Box2D
import numpy as np
from numpy.typing import NDArray

from engine.box2d.contacts import EvaluatedPairs, FixtureTable, impulses_of
from engine.box2d.convert import fix, to_fixture_shape
from engine.box2d.internal_state import InternalMemory, InternalState
from engine.box2d.joints import create_joint
from engine.box2d.listener import ContactListener, FixtureHandle
from engine.box2d.memory import RawContacts, Reader
from engine.box2d.profile import phases_of
from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, Transform
from engine.world import commands as c
from engine.world.joints.gear import GearJointSpec
from engine.world.joints.interface import ResolvedJoint, joints_of
from engine.world.joints.pulley import PulleyJointSpec
from engine.world.joints.revolute import RevoluteJointSpec
from engine.world.joints.rows import ALONG
from engine.world.model import WorldModel
from engine.world.records import BodyMotion, Pose
from engine.world.solver import Becomes
from engine.world.specs import BODY_TYPES, BodySpec, FixtureSpec, WorldSettings

__all__ = ["BodyReading", "Box2DCache"]


class BodyReading(NamedTuple):
    """State of all bodies at one time, in ascending order of id."""

    motion: BodyMotion
    internal: InternalState | None

    @property
    def poses(self) -> FloatArray:
        """x, y, angle, float64 (n, 3), read-only."""
        return frozen(np.ascontiguousarray(self.motion.values[:, :3], dtype=np.float64))


class _Bodies(NamedTuple):
    """Bodies in ascending order of id: Box2D objects, their addresses, and whether they are not static."""

    ids: IntArray
    handles: list[Any]
    addresses: IntArray
    movable: NDArray[np.bool_]


class Box2DCache:
    """One `b2World` and the handles of everything in it, by id."""

    def __init__(self, model: WorldModel, reader: Reader, internal: InternalMemory | None) -> None:
        self.reader = reader
        self.internal = internal
        self._model = model
        self._world: Any = Box2D.b2World(gravity=model.settings.gravity)
        self.set_settings(model.settings)
        self._bodies: dict[int, Any] = {}
        self._fixtures: dict[int, Any] = {}
        self._joints: dict[int, Any] = {}
        self._by_address: dict[int, FixtureHandle] = {}
        self._definition: Any = Box2D.b2FixtureDef()
        self._bits: tuple[int, int, int] | None = None
        """Category, mask and group currently set in `_definition`."""
        self._body_definition: Any = Box2D.b2BodyDef()
        self._ground: Any = self._world.CreateStaticBody()
        self.listener = ContactListener(self._by_address)
        self._rows: _Bodies | None = None
        self._table: FixtureTable | None = None
        self._touching: RawContacts | None = None
        """Touching contacts after the last step; None once a command may have changed them."""

    def build(self, read: BodyReading, pairs: EvaluatedPairs) -> None:
        """Create everything in the model, with the bodies' state from `read`, in a world that is still empty.

        The order matters. A step of the empty world comes first, or impulses would be scaled by a time step ratio of 0. Contacts are
        created by a step of zero duration before their impulses are written. Bodies are put to sleep next; internal state comes last.
        """
        model, world = self._model, self._world
        iterations = model.settings.velocity_iterations, model.settings.position_iterations
        world.Step(model.settings.dt, *iterations)
        for body, motion in zip(model.body_ids.tolist(), read.motion.values.astype(np.float64).tolist(), strict=True):
            entry = model.bodies[body]
            self.add_body(body, entry.spec, {fixture: model.fixtures[fixture].spec for fixture in entry.fixtures}, motion)
        for joint in sorted(model.joints):
            self.add_joint(joint, model.joints[joint])
        world.Step(0.0, *iterations)
        self.write_impulses(pairs)
        for body in model.body_ids[~read.motion.awake].tolist():  # static ones too, because an island falls asleep with its ground
            self._bodies[body].awake = False
        if read.internal is not None:
            self.write_internal(read.internal)

    def attach_listener(self) -> None:
        """Attach the listener. Call this last, so that building the world reports no events."""
        self._world.contactListener = self.listener

    def close(self) -> None:
        """Drop every Box2D object, the listener first."""
        self._world.contactListener = None
        for handles in (self._joints, self._fixtures, self._bodies, self._by_address):
            handles.clear()
        self._rows = self._ground = self._world = None

    # -- changes ------------------------------------------------------------------------------------------------------

    def apply(self, command: c.Command, becomes: Becomes) -> None:
        """Apply a command, before the model is updated."""
        self._touching = None
        match command:
            case c.CreateBody(body, spec, fixtures):
                motion = [*spec.position, spec.angle, *spec.linear_velocity, spec.angular_velocity]
                self.add_body(body, spec, dict(zip(fixtures, spec.fixtures, strict=True)), motion)
                self._bodies[body].awake = spec.awake
            case c.DestroyBody(body):
                self.remove_body(body)
            case c.CreateFixture(fixture, body, fixture_spec):
                self.add_fixture(fixture, body, fixture_spec)
            case c.DestroyFixture(fixture):
                self.remove_fixture(fixture)
            case c.CreateJoint(joint, _):
                assert isinstance(becomes, ResolvedJoint)
                self.add_joint(joint, becomes)
            case c.DestroyJoint(joint):
                self.remove_joint(joint)
            case c.SetJoint(joint, _):
                assert isinstance(becomes, ResolvedJoint)
                self.remake_joints({other: self._model.joints[other] for other in self._model.lost_with([joint])} | {joint: becomes}, joint)
            case c.SetMouseTarget(joint, target):
                self._joints[joint].target = target
            case c.SetPose(body, position, angle):
                self._bodies[body].transform = (position, angle)  # also updates the broad phase, unlike setting position
            case c.SetVelocity(body, linear, angular):
                self._bodies[body].linearVelocity, self._bodies[body].angularVelocity = linear, angular
            case c.SetAwake(body, awake):
                self._bodies[body].awake = awake
            case c.SetBody(body, _):
                assert isinstance(becomes, BodySpec)
                self.change_body(body, becomes)
            case c.SetFixture(fixture, _):
                assert isinstance(becomes, FixtureSpec)
                self.change_fixture(fixture, becomes)
            case c.SetSettings():
                assert isinstance(becomes, WorldSettings)
                self.set_settings(becomes)
            case c.ApplyImpulse(body, impulse, point):
                self._bodies[body].ApplyLinearImpulse(impulse, self._point(body, point), True)
            case c.ApplyForce(body, force, point):
                self._bodies[body].ApplyForce(force, self._point(body, point), True)
            case c.ApplyTorque(body, torque):
                self._bodies[body].ApplyTorque(torque, True)

    def _point(self, body: int, point: tuple[float, float] | None) -> tuple[float, float]:
        return tuple(self._bodies[body].worldCenter) if point is None else point

    def set_settings(self, settings: WorldSettings) -> None:
        """Apply settings to the `b2World`."""
        self._world.gravity = settings.gravity
        self._world.continuousPhysics = settings.continuous
        self._world.warmStarting = settings.warm_starting
        self._world.subStepping = settings.sub_stepping
        self._world.SetAllowSleeping(settings.sleeping)  # setting the attribute allowSleeping has no effect

    def add_body(self, body: int, spec: BodySpec, fixtures: Mapping[int, FixtureSpec], motion: list[float]) -> None:
        """Create an awake body with its fixtures, by id, and its motion: x, y, angle, vx, vy, omega.

        Densities of several fixtures are set together, because the mass of the first one alone may be invalid.
        """
        definition = self._body_definition
        definition.type = BODY_TYPES.index(spec.type)
        definition.position, definition.angle = motion[:2], motion[2]
        definition.linearDamping, definition.angularDamping = spec.linear_damping, spec.angular_damping
        definition.gravityScale = spec.gravity_scale
        definition.fixedRotation, definition.bullet = spec.fixed_rotation, spec.bullet
        definition.allowSleep, definition.active = spec.allow_sleep, spec.active
        made = self._bodies[body] = self._world.CreateBody(definition)
        self._rows = None
        for fixture, fixture_spec in fixtures.items():
            self.add_fixture(fixture, body, fixture_spec, is_weighed=len(fixtures) == 1)
        if len(fixtures) > 1:
            for fixture, fixture_spec in fixtures.items():
                self._fixtures[fixture].density = fixture_spec.density
            made.ResetMassData()
        made.linearVelocity, made.angularVelocity = motion[3:5], motion[5]

    def remove_body(self, body: int) -> None:
        """Destroy a body whose joints have already been destroyed."""
        gone = [(fixture, hash(self._fixtures[fixture])) for fixture in self._model.bodies[body].fixtures]
        self._world.DestroyBody(self._bodies[body])  # calls the listener for contacts that end, so the handles must still exist
        for fixture, address in gone:
            del self._fixtures[fixture], self._by_address[address]
        del self._bodies[body]
        self._rows = self._table = None

    def add_fixture(self, fixture: int, body: int, spec: FixtureSpec, is_weighed: bool = True) -> None:
        """Attach a shape to a body; the shape has no mass unless `is_weighed`."""
        definition = self._definition
        definition.density = spec.density if is_weighed else 0.0
        definition.friction = spec.friction
        definition.restitution = spec.restitution
        definition.isSensor = spec.sensor
        bits = spec.category, spec.mask, spec.group
        if bits != self._bits:  # rarely different, and pybox2d creates a filter object for each assignment
            self._bits = bits
            definition.categoryBits, definition.maskBits, definition.groupIndex = bits
        box2d_shape, shape = to_fixture_shape(spec.shape)
        made = self._fixtures[fixture] = fix(self._bodies[body], definition, box2d_shape)
        radius, skin = (shape.radius, 0.0) if isinstance(shape, Circle) else (BOX2D_POLYGON_SKIN, BOX2D_POLYGON_SKIN)
        self._by_address[hash(made)] = FixtureHandle(fixture, body, spec.sensor, radius, skin, self._bodies[body])
        self._table = None

    def remove_fixture(self, fixture: int) -> None:
        """Destroy a fixture, but not its body."""
        made = self._fixtures[fixture]
        address = hash(made)
        self._by_address[address].box2d_body.DestroyFixture(made)
        del self._fixtures[fixture], self._by_address[address]
        self._table = None

    def change_fixture(self, fixture: int, spec: FixtureSpec) -> None:
        """Set a fixture's material and filter to those of `spec`, and update the mixed values in its contacts.

        A fixture that becomes a sensor, or solid, is created anew: its contacts end, and those that still touch begin in the next step.
        Box2D's own `SetSensor` keeps the contacts and reports nothing; between sub-steps, it even keeps times of impact, and then asserts.
        """
        made = self._fixtures[fixture]
        handle = self._by_address[hash(made)]
        if handle.sensor != spec.sensor:
            self._renew_fixture(fixture, handle, spec)
            return
        if float(made.density) != spec.density:
            made.density = spec.density
            handle.box2d_body.ResetMassData()
        made.friction, made.restitution, made.sensor = spec.friction, spec.restitution, spec.sensor
        for edge in handle.box2d_body.contacts:
            edge.contact.ResetFriction()
            edge.contact.ResetRestitution()
        made.filterData = Box2D.b2Filter(categoryBits=spec.category, maskBits=spec.mask, groupIndex=spec.group)
        self._by_address[hash(made)] = handle._replace(sensor=spec.sensor)
        self._table = None

    def _renew_fixture(self, fixture: int, handle: FixtureHandle, spec: FixtureSpec) -> None:
        """Destroy a fixture and create it again under the same id; its body keeps its motion.

        Meanwhile no fixture has mass, because Box2D adds up the mass at each step of this, and that of a part may be invalid.
        """
        motion, box2d_body = self.motion_of(handle.body)[0], handle.box2d_body
        densities = {other: self._model.fixtures[other].spec.density for other in self._model.bodies[handle.body].fixtures}
        for other in densities:
            self._fixtures[other].density = 0.0
        self.remove_fixture(fixture)
        self.add_fixture(fixture, handle.body, spec, is_weighed=False)
        for other, density in (densities | {fixture: spec.density}).items():
            self._fixtures[other].density = density
        box2d_body.ResetMassData()
        box2d_body.linearVelocity, box2d_body.angularVelocity = motion[3:5], motion[5]  # the center of mass was another meanwhile

    def change_body(self, body: int, spec: BodySpec) -> None:
        """Set a body's settings, but not its motion, to those of `spec`."""
        made = self._bodies[body]
        if int(made.type) != BODY_TYPES.index(spec.type):
            made.type = BODY_TYPES.index(spec.type)
            self._rows = None
        made.linearDamping, made.angularDamping = spec.linear_damping, spec.angular_damping
        made.gravityScale = spec.gravity_scale
        made.bullet, made.sleepingAllowed = spec.bullet, spec.allow_sleep
        if bool(made.fixedRotation) != spec.fixed_rotation:
            made.fixedRotation = spec.fixed_rotation
        if bool(made.active) != spec.active:
            made.active = spec.active

    def add_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Create a joint between two bodies; None means the ground body."""
        a, b = resolved.bodies
        ground_or_a = self._ground if a is None else self._bodies[a]
        self._joints[joint] = create_joint(self._world, resolved, ground_or_a, self._bodies[b], self._joints)

    def remove_joint(self, joint: int) -> None:
        """Destroy a joint on which no gear joint depends."""
        self._world.DestroyJoint(self._joints.pop(joint))

    def remake_joints(self, joints: Mapping[int, ResolvedJoint], changed: int) -> None:
        """Recreate a changed joint and the gear joints that depend on it, with the same ids; Box2D wakes their bodies.

        They keep their impulses, except the changed joint's motor and limit impulses, which may no longer apply. Gear joints keep their
        constants, unless the gear joint itself was changed.
        """
        state = self.read_internal()
        for joint in reversed(tuple(joints)):
            self.remove_joint(joint)
        for joint, resolved in joints.items():
            self.add_joint(joint, resolved)
        if state is not None:
            self.write_internal(state.of_joints(tuple(joints), changed, type(self._joints[changed]).__name__))

    def speed_after(self, body: int, impulse: tuple[float, float], point: tuple[float, float] | None) -> float:
        """Return the largest velocity component, |vx|, |vy| or |omega|, of a dynamic body after an impulse, m/s or rad/s."""
        made = self._bodies[body]
        velocity, center = made.linearVelocity, made.worldCenter
        _, mass, inertia = self.mass_data(body)
        arm = (0.0, 0.0) if point is None else (point[0] - float(center.x), point[1] - float(center.y))
        twist = 0.0 if made.fixedRotation or inertia <= 0.0 else (arm[0] * impulse[1] - arm[1] * impulse[0]) / inertia
        linear = (float(velocity.x) + impulse[0] / mass, float(velocity.y) + impulse[1] / mass)
        return max(abs(linear[0]), abs(linear[1]), abs(float(made.angularVelocity) + twist))

    def step(self, number: int, start_pose: Callable[[int], Pose]) -> tuple[RawContacts, float]:
        """Advance by one step; return the touching contacts and the duration of `b2World::Step`, milliseconds.

        Exceptions in callbacks are stored in the listener; any other exception leaves the world unusable.
        """
        settings, listener, world = self._model.settings, self.listener, self._world
        listener.start_step(number, start_pose, settings.sub_stepping)
        needs_calls = settings.continuous or listener.hooks is not None
        before = None if needs_calls else self._touching or self.read_contacts()
        world.contactListener = listener if needs_calls else None
        started = perf_counter()
        world.Step(settings.dt, settings.velocity_iterations, settings.position_iterations)
        step_ms = 1e3 * (perf_counter() - started)
        world.contactListener = listener  # between steps, commands end contacts
        self._touching = self.read_contacts()
        if before is not None:
            listener.note_changes(before, self._touching)
        listener.end_step()
        return self._touching, step_ms

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> _Bodies:
        """Bodies in ascending order of id."""
        if self._rows is None:
            ids = sorted(self._bodies)
            handles = [self._bodies[body] for body in ids]
            movable = np.array([int(handle.type) != 0 for handle in handles], dtype=np.bool_)
            self._rows = _Bodies(np.array(ids, dtype=np.int64), handles, np.array(list(map(hash, handles)), dtype=np.int64), movable)
        return self._rows

    def read_motion(self) -> BodyMotion:
        """Read pose, velocity and awake flag of every body, in ascending order of id."""
        return self.reader.bodies(self.bodies.handles, self.bodies.addresses)

    def motion_of(self, body: int) -> tuple[tuple[float, ...], bool]:
        """Return x, y, angle, vx, vy, omega of one body, and whether it is awake."""
        made = self._bodies[body]
        position, velocity = made.position, made.linearVelocity
        return (position.x, position.y, made.angle, velocity.x, velocity.y, made.angularVelocity), bool(made.awake)

    def read_internal(self) -> InternalState | None:
        """Read the internal state of bodies and joints, in ascending order of id; None if it is not accessible."""
        return None if self.internal is None else self.internal.read(self.bodies.ids, self.bodies.addresses, self._joints)

    def write_internal(self, state: InternalState) -> None:
        """Restore the internal state of the bodies and joints with the ids in `state`."""
        if self.internal is not None:
            self.internal.write(self.bodies.ids, self.bodies.addresses, self._joints, state)

    def read_contacts(self) -> RawContacts:
        """Read the touching contacts."""
        return self.reader.contacts(self._world)

    def touching(self, raw: RawContacts) -> IntArray:
        """Return the fixture ids of each contact, int64 (n, 2)."""
        table = self.fixture_table()
        return table.fixture[table.rows_of(raw.fixtures)]

    def fixture_table(self) -> FixtureTable:
        """Return radius, skin, body and sensor flag of every fixture by address; cached until fixtures change."""
        if self._table is None:
            address = np.array(sorted(self._by_address), dtype=np.int64)
            handles = [self._by_address[at][:-1] for at in address.tolist()]
            fixture, body, sensor, radius, skin = zip(*handles, strict=True) if handles else ((),) * 5
            bodies = np.array(body, dtype=np.int64)
            self._table = FixtureTable(
                address=address,
                fixture=np.array(fixture, dtype=np.int64),
                body=bodies,
                body_row=np.searchsorted(self.bodies.ids, bodies),
                radius=np.array(radius, dtype=np.float64),
                skin=np.array(skin, dtype=np.float64),
                sensor=np.array(sensor, dtype=np.bool_),
            )
        return self._table

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return a body's local center of mass, m, mass, kg, and rotational inertia about the center, kg m^2."""
        made = self._bodies[body]
        center, mass = made.localCenter, float(made.mass)
        x, y = float(center.x), float(center.y)
        return (x, y), mass, float(made.inertia) - mass * (x * x + y * y)

    def phases(self, step_ms: float) -> tuple[float, float, float]:
        """Return the durations of collision, solving and TOI events in the last step, which took `step_ms`, milliseconds."""
        profile = self._world.GetProfile()  # like every SWIG object, a view into the world: read it immediately
        return phases_of(float(profile.step), float(profile.collide), float(profile.solve), float(profile.solveTOI), step_ms)

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return both anchors of a joint, world frame, meters."""
        a, b = self._joints[joint].anchorA, self._joints[joint].anchorB
        return (float(a.x), float(a.y)), (float(b.x), float(b.y))

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        """Return the force, N, and the torque, N m, that a joint exerted on body B in the last step.

        Box2D's functions say "on body B at the anchor", but a pulley's force lacks the direction of the rope's pull and the ratio
        (`b2PulleyJoint::SolveVelocityConstraints`: ``PB = -ratio impulse uB``), and a gear's is the reaction on body A.
        """
        made, hertz, resolved = self._joints[joint], self._model.settings.hertz, self._model.joints[joint]
        force, torque = made.GetReactionForce(hertz), float(made.GetReactionTorque(hertz))
        x, y = float(force.x), float(force.y)
        match resolved.spec:
            case RevoluteJointSpec():  # its reaction torque includes only the limits
                torque += float(made.GetMotorTorque(hertz))
            case PulleyJointSpec(ratio=ratio):
                x, y = -ratio * x, -ratio * y
            case GearJointSpec(ratio=ratio):
                return self._gear_reaction_on_b(resolved, ratio, (x, y), torque)
        return (x, y), torque

    def _gear_reaction_on_b(
        self, gear: ResolvedJoint, ratio: float, force: tuple[float, float], torque: float
    ) -> tuple[tuple[float, float], float]:
        """Return a gear's reaction on body B from that on A; the coordinates are angles, or ways along axes."""
        of_a, of_b = (self._model.joints[other] for other in joints_of(gear.spec))
        along_a, along_b = self._world_axis(of_a), self._world_axis(of_b)
        load = torque if along_a is None else force[0] * along_a[0] + force[1] * along_a[1]
        return ((0.0, 0.0), ratio * load) if along_b is None else ((ratio * load * along_b[0], ratio * load * along_b[1]), 0.0)

    def _world_axis(self, joint: ResolvedJoint) -> tuple[float, float] | None:
        """Return the axis of a prismatic joint, world frame; None for a revolute joint."""
        if joint.spec.coordinate != ALONG:
            return None
        angle = 0.0 if joint.bodies[0] is None else float(self._bodies[joint.bodies[0]].angle)
        return Transform((0.0, 0.0), angle).rotate(joint.local_axis_a)

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Return whether a fixture's shape contains a world point, using b2Fixture::TestPoint."""
        return bool(self._fixtures[fixture].TestPoint(point))

    def contact_between(self, fixture_a: int, fixture_b: int) -> tuple[int, int] | None:
        """Return two fixtures in the order of Box2D's contact between them, touching or not, or None if there is no contact."""
        pair = {hash(self._fixtures[fixture_a]), hash(self._fixtures[fixture_b])}
        for edge in self._by_address[hash(self._fixtures[fixture_a])].box2d_body.contacts:
            addresses = [hash(edge.contact.fixtureA), hash(edge.contact.fixtureB)]
            if set(addresses) == pair:
                return self._by_address[addresses[0]].fixture, self._by_address[addresses[1]].fixture
        return None

    def write_impulses(self, pairs: EvaluatedPairs) -> None:
        """Set each contact point's impulses to those of the point in `pairs` with the same fixtures and feature id."""
        raw = self.read_contacts()
        impulses = impulses_of(self.touching(raw).T, raw.manifolds, pairs)
        if self.internal is not None:
            self.internal.write_impulses(raw.contacts, impulses)
            return
        rows = {address: row for row, address in enumerate(raw.contacts.tolist())}
        for contact in self._world.contacts:
            row = rows.get(hash(contact))
            if row is not None:
                for point, (normal, tangent) in zip(contact.manifold.points, impulses[row].tolist(), strict=False):
                    point.normalImpulse, point.tangentImpulse = normal, tangent
