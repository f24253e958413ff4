"""The disposable `b2World`: built from specifications, read after each step, thrown away whenever it breaks.

Only this module keeps Box2D objects, each under our own id, and drops them the moment Box2D destroys them: a stale one reads
another body's memory (PYBOX2D.md 2, 5, 6, 8). Nothing here checks input: the specifications and `World` have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import Box2D
import numpy as np

from engine.box2d.contacts import EvaluatedPairs, FixtureTable, impulses_of
from engine.box2d.convert import fix
from engine.box2d.internal_state import InternalMemory, InternalState
from engine.box2d.joints import create_joint
from engine.box2d.listener import ContactListener, FixtureHandle
from engine.box2d.memory import RawContacts, Reader
from engine.box2d.profile import phases_of
from engine.common.arrays import IntArray
from engine.common.tolerances import BOX2D_POLYGON_SKIN
from engine.geometry import Circle, FixtureShape
from engine.world.joint_specs import PrismaticJointSpec, RevoluteJointSpec, WheelJointSpec
from engine.world.joints import ResolvedJoint
from engine.world.records import BodyMotion, JointState, Pose
from engine.world.specs import BODY_TYPES, BodySpec, FixtureSpec, WorldSettings

__all__ = ["Box2DCache"]


class Box2DCache:
    """One `b2World` and the handles of everything in it, by id."""

    def __init__(self, settings: WorldSettings, reader: Reader, internal: InternalMemory | None) -> None:
        self.reader = reader
        self.internal = internal
        self._world: Any = Box2D.b2World(gravity=settings.gravity)
        self._settings = settings
        self.set_settings(settings)
        self._bodies: dict[int, Any] = {}
        self._fixtures: dict[int, Any] = {}
        self._fixture_body: dict[int, int] = {}
        self._joints: dict[int, Any] = {}
        self._by_address: dict[int, FixtureHandle] = {}
        self._address: dict[int, int] = {}
        self._skins: dict[int, tuple[float, float]] = {}
        self._definition: Any = Box2D.b2FixtureDef()
        self._bits: tuple[int, int, int] | None = None
        """Category, mask and group in the definition."""
        self._body_definition: Any = Box2D.b2BodyDef()
        self._ground: Any = self._world.CreateStaticBody()
        self.listener = ContactListener(self._by_address)
        self._rows: tuple[IntArray, list[Any], IntArray, dict[int, int]] | None = None
        self._table: FixtureTable | None = None

    def prime(self) -> None:
        """Step the empty world, so that the ratio of step lengths, by which restored impulses are scaled, is not 0."""
        self._world.Step(self._settings.dt, self._settings.velocity_iterations, self._settings.position_iterations)

    def attach_listener(self) -> None:
        """Attach the listener, last, so that building a world causes no events."""
        self._world.contactListener = self.listener

    def close(self) -> None:
        """Drop every Box2D object, the listener first."""
        self._world.contactListener = None
        self._joints.clear()
        self._fixtures.clear()
        self._bodies.clear()
        self._by_address.clear()
        self._ground = None
        self._world = None

    # -- building -----------------------------------------------------------------------------------------------------

    def set_settings(self, settings: WorldSettings) -> None:
        """Apply settings to the world."""
        self._settings = settings
        self._world.gravity = settings.gravity
        self._world.continuousPhysics = settings.continuous
        self._world.warmStarting = settings.warm_starting
        self._world.subStepping = settings.sub_stepping
        self._world.SetAllowSleeping(settings.sleeping)  # the attribute allowSleeping does not reach Box2D

    def add_body(self, body: int, spec: BodySpec, position: tuple[float, float], angle: float, awake: bool, is_active: bool = True) -> None:
        """Create a body without fixtures, at rest; where not `is_active`, inactive until `set_active`."""
        definition = self._body_definition
        definition.type = BODY_TYPES.index(spec.type)
        definition.position, definition.angle = position, angle
        definition.linearDamping, definition.angularDamping = spec.linear_damping, spec.angular_damping
        definition.gravityScale = spec.gravity_scale
        definition.fixedRotation, definition.bullet = spec.fixed_rotation, spec.bullet
        definition.allowSleep, definition.awake, definition.active = spec.allow_sleep, awake, spec.active and is_active
        self._bodies[body] = self._world.CreateBody(definition)
        self._changed_bodies()

    def remove_body(self, body: int, fixtures: tuple[int, ...]) -> None:
        """Destroy a body whose joints are gone already."""
        self._world.DestroyBody(self._bodies[body])  # tells the listener of contacts that end: handles are still known
        for fixture in fixtures:
            self._forget_fixture(fixture)
        del self._bodies[body]
        self._changed_bodies()

    def add_fixture(
        self, fixture: int, body: int, spec: FixtureSpec, box2d_shape: Any, shape: FixtureShape, is_weighed: bool = True
    ) -> None:
        """Fix a shape, converted already, to a body; where not `is_weighed`, without its mass until `weigh`."""
        definition = self._definition
        definition.density = spec.density if is_weighed else 0.0
        definition.friction = spec.friction
        definition.restitution = spec.restitution
        definition.isSensor = spec.sensor
        bits = spec.category, spec.mask, spec.group
        if bits != self._bits:  # as most have the same, and pybox2d makes an object of the filter for each of the three
            self._bits = bits
            definition.categoryBits, definition.maskBits, definition.groupIndex = bits
        made = fix(self._bodies[body], definition, box2d_shape)
        address = hash(made)
        self._fixtures[fixture] = made
        self._fixture_body[fixture] = body
        self._address[fixture] = address
        self._by_address[address] = FixtureHandle(fixture, body, spec.sensor, self._bodies[body])
        self._skins[fixture] = (shape.radius, 0.0) if isinstance(shape, Circle) else (BOX2D_POLYGON_SKIN, BOX2D_POLYGON_SKIN)
        self._table = None

    def weigh(self, body: int, densities: Mapping[int, float]) -> None:
        """Give the fixtures of a new body their density and add up its mass, once: the first of them alone might have none to bear."""
        for fixture, density in densities.items():
            self._fixtures[fixture].density = density
        self._bodies[body].ResetMassData()

    def remove_fixture(self, fixture: int) -> None:
        """Destroy one fixture of a living body."""
        self._bodies[self._fixture_body[fixture]].DestroyFixture(self._fixtures[fixture])
        self._forget_fixture(fixture)

    def change_fixture(self, fixture: int, spec: FixtureSpec) -> None:
        """Bring a fixture's material and filter to `spec`, and the mixed values its contacts keep with them."""
        made = self._fixtures[fixture]
        body = self._bodies[self._fixture_body[fixture]]
        if float(made.density) != spec.density:
            made.density = spec.density
            body.ResetMassData()
        made.friction, made.restitution, made.sensor = spec.friction, spec.restitution, spec.sensor
        for edge in body.contacts:
            edge.contact.ResetFriction()
            edge.contact.ResetRestitution()
        made.filterData = Box2D.b2Filter(categoryBits=spec.category, maskBits=spec.mask, groupIndex=spec.group)
        handle = self._by_address[hash(made)]
        self._by_address[hash(made)] = handle._replace(sensor=spec.sensor)
        self._table = None

    def change_body(self, body: int, spec: BodySpec) -> None:
        """Bring a body's settings, but not its motion, to `spec`."""
        made = self._bodies[body]
        if int(made.type) != BODY_TYPES.index(spec.type):
            made.type = BODY_TYPES.index(spec.type)
        made.linearDamping, made.angularDamping = spec.linear_damping, spec.angular_damping
        made.gravityScale = spec.gravity_scale
        made.bullet, made.sleepingAllowed = spec.bullet, spec.allow_sleep
        if bool(made.fixedRotation) != spec.fixed_rotation:
            made.fixedRotation = spec.fixed_rotation
        if bool(made.active) != spec.active:
            made.active = spec.active

    def add_joint(self, joint: int, resolved: ResolvedJoint) -> None:
        """Join two bodies; None stands for the world's own static body."""
        a, b = resolved.bodies
        ground_or_a = self._ground if a is None else self._bodies[a]
        self._joints[joint] = create_joint(self._world, resolved, ground_or_a, self._bodies[b], self._joints)

    def remove_joint(self, joint: int) -> None:
        """Destroy a joint on which no gear joint stands."""
        self._world.DestroyJoint(self._joints.pop(joint))

    def remake_joints(self, joints: Mapping[int, ResolvedJoint], changed: int) -> None:
        """Make a joint that was changed anew, and after it the gear joints on it, each under its id; Box2D wakes their bodies.

        They keep their impulses, but for those of motor and limits of the changed one, which may push where nothing is any more; and
        their sums, but for that of a gear joint that was itself changed.
        """
        state = self.read_internal()
        for joint in reversed(tuple(joints)):
            self.remove_joint(joint)
        for joint, resolved in joints.items():
            self.add_joint(joint, resolved)
        if state is not None:
            self.write_internal(state.of_joints(tuple(joints), changed, type(self._joints[changed]).__name__))

    # -- moving -------------------------------------------------------------------------------------------------------

    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        """Move a body, broad phase included (assigning to parts of the position would skip it)."""
        self._bodies[body].transform = (position, angle)

    def set_velocity(self, body: int, linear: tuple[float, float], angular: float) -> None:
        """Give a body a velocity; a non-zero one wakes it."""
        self._bodies[body].linearVelocity = linear
        self._bodies[body].angularVelocity = angular

    def set_awake(self, body: int, awake: bool) -> None:
        """Wake a body or put it to sleep."""
        self._bodies[body].awake = awake

    def set_active(self, body: int, active: bool) -> None:
        """Let a body collide and move, or not; its fixtures come into the broad phase, last first."""
        self._bodies[body].active = active

    def push(self, body: int, kind: str, vector: tuple[float, float], point: tuple[float, float] | None) -> None:
        """Apply an "impulse" or a "force" at a world point, or at the center of mass."""
        made = self._bodies[body]
        at = tuple(made.worldCenter) if point is None else point
        (made.ApplyLinearImpulse if kind == "impulse" else made.ApplyForce)(vector, at, True)

    def speed_after(self, body: int, impulse: tuple[float, float], point: tuple[float, float] | None) -> float:
        """Return the greatest of the three speeds, m/s and rad/s, that an impulse would give a dynamic body."""
        made = self._bodies[body]
        velocity, center = made.linearVelocity, made.worldCenter
        _, mass, inertia = self.mass_data(body)
        arm = (0.0, 0.0) if point is None else (point[0] - float(center.x), point[1] - float(center.y))
        twist = 0.0 if made.fixedRotation or inertia <= 0.0 else (arm[0] * impulse[1] - arm[1] * impulse[0]) / inertia
        linear = (float(velocity.x) + impulse[0] / mass, float(velocity.y) + impulse[1] / mass)
        return max(abs(linear[0]), abs(linear[1]), abs(float(made.angularVelocity) + twist))

    def turn(self, body: int, torque: float) -> None:
        """Apply a torque during the next step."""
        self._bodies[body].ApplyTorque(torque, True)

    def set_mouse_target(self, joint: int, target: tuple[float, float]) -> None:
        """Move the point a mouse joint pulls to; Box2D wakes the body."""
        self._joints[joint].target = target

    def step(self, step: int, pose_of: Callable[[int], Pose]) -> None:
        """Advance by one step; the listener keeps what a callback raised. What escapes from here leaves the world unusable."""
        self.listener.start_step(step, pose_of, self._settings.sub_stepping)
        self._world.Step(self._settings.dt, self._settings.velocity_iterations, self._settings.position_iterations)
        self.listener.end_step()

    # -- reading ------------------------------------------------------------------------------------------------------

    @property
    def body_rows(self) -> dict[int, int]:
        """Row of each body id in whatever `read_bodies` returns."""
        return self._body_rows()[3]

    @property
    def body_ids(self) -> IntArray:
        """Ids of the bodies, ascending, int64 (n,)."""
        return self._body_rows()[0]

    def read_bodies(self) -> BodyMotion:
        """Read pose, velocity and wakefulness of every body, in ascending order of id."""
        _, handles, addresses, _ = self._body_rows()
        return self.reader.bodies(handles, addresses)

    def motion_of(self, body: int) -> tuple[tuple[float, ...], bool]:
        """Return x, y, angle, vx, vy, omega of one body, and whether it is awake."""
        made = self._bodies[body]
        position, velocity = made.position, made.linearVelocity
        return (position.x, position.y, made.angle, velocity.x, velocity.y, made.angularVelocity), bool(made.awake)

    def read_internal(self) -> InternalState | None:
        """Read the internal state of bodies and joints, in ascending order of id; None where that is out of reach."""
        if self.internal is None:
            return None
        ids, _, addresses, _ = self._body_rows()
        return self.internal.read(ids, addresses, self._joints)

    def write_internal(self, state: InternalState) -> None:
        """Put back what was read from bodies and joints of the same ids."""
        if self.internal is not None:
            ids, _, addresses, _ = self._body_rows()
            self.internal.write(ids, addresses, self._joints, state)

    def touching(self) -> IntArray:
        """Return the pairs of fixtures that touch by the last events, sensors included, (n, 2): begun and not ended."""
        table = self.fixture_table()
        return table.fixture[np.searchsorted(table.address, self.read_contacts().fixtures)]

    def read_contacts(self) -> RawContacts:
        """Read the contacts that touch."""
        return self.reader.contacts(self._world)

    def fixture_table(self) -> FixtureTable:
        """Return radius, skin, body and sensor flag of every fixture by address; kept until fixtures change."""
        if self._table is None:
            n = len(self._by_address)
            address = np.fromiter(self._by_address, np.int64, n)
            order = np.argsort(address)
            fixtures, bodies, sensors, _ = zip(*self._by_address.values(), strict=True) if n else ((), (), (), ())
            radii = np.array([self._skins[fixture] for fixture in fixtures], dtype=np.float64).reshape(n, 2)[order]
            body = np.array(bodies, dtype=np.int64)[order]
            self._table = FixtureTable(
                address=address[order],
                fixture=np.array(fixtures, dtype=np.int64)[order],
                body=body,
                body_row=np.searchsorted(self.body_ids, body),
                radius=radii[:, 0].copy(),
                skin=radii[:, 1].copy(),
                sensor=np.array(sensors, dtype=np.bool_)[order],
            )
        return self._table

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        """Return local center of mass, mass and inertia about it."""
        made = self._bodies[body]
        center, mass = made.localCenter, float(made.mass)
        x, y = float(center.x), float(center.y)
        return (x, y), mass, float(made.inertia) - mass * (x * x + y * y)

    def phases(self, step_ms: float) -> tuple[float, float, float]:
        """Return what colliding, solving and the impacts inside it took of the last step, which took `whole`, milliseconds."""
        profile = self._world.GetProfile()  # a view into the world, as all that SWIG hands out: read at once
        return phases_of(float(profile.step), float(profile.collide), float(profile.solve), float(profile.solveTOI), step_ms)

    def joint_anchors(self, joint: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return both anchors in the world frame."""
        a, b = self._joints[joint].anchorA, self._joints[joint].anchorB
        return (float(a.x), float(a.y)), (float(b.x), float(b.y))

    def joint_state(self, joint: int, resolved: ResolvedJoint) -> JointState:
        """Return how a joint stands, how it moves, and what it bears."""
        made = self._joints[joint]
        a, b = made.bodyA, made.bodyB
        (ax, ay), (bx, by) = self.joint_anchors(joint)
        va, vb = a.GetLinearVelocityFromWorldPoint((ax, ay)), b.GetLinearVelocityFromWorldPoint((bx, by))
        dx, dy, vx, vy = bx - ax, by - ay, float(vb.x) - float(va.x), float(vb.y) - float(va.y)
        if isinstance(resolved.spec, PrismaticJointSpec | WheelJointSpec):
            axis = a.GetWorldVector(resolved.local_axis_a)
            ux, uy = float(axis.x), float(axis.y)
            turning = float(a.angularVelocity)  # the axis turns with A
        else:
            apart = math.hypot(dx, dy)
            ux, uy = (dx / apart, dy / apart) if apart > 0.0 else (0.0, 0.0)
            turning = 0.0
        hertz = self._settings.hertz
        force, torque = made.GetReactionForce(hertz), float(made.GetReactionTorque(hertz))
        if isinstance(resolved.spec, RevoluteJointSpec):  # whose reaction is that of its limits alone
            torque += float(made.GetMotorTorque(hertz))
        return JointState(
            angle=float(b.angle) - float(a.angle) - resolved.reference_angle,
            spin=float(b.angularVelocity) - float(a.angularVelocity),
            travel=ux * dx + uy * dy,
            speed=ux * vx + uy * vy + turning * (ux * dy - uy * dx),
            force=(float(force.x), float(force.y)),
            torque=torque,
        )

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        """Return whether a fixture's shape contains a world point, by Box2D's own test."""
        return bool(self._fixtures[fixture].TestPoint(point))

    def contact_between(self, fixture_a: int, fixture_b: int) -> tuple[int, int] | None:
        """Return two fixtures in the order in which they stand in the contact that Box2D keeps for them, touching or not; None without."""
        pair = {self._address[fixture_a], self._address[fixture_b]}
        for edge in self._bodies[self._fixture_body[fixture_a]].contacts:
            address_a, address_b = hash(edge.contact.fixtureA), hash(edge.contact.fixtureB)
            if {address_a, address_b} == pair:
                return self._by_address[address_a].fixture, self._by_address[address_b].fixture
        return None

    def make_contacts(self) -> None:
        """Create and evaluate all contacts without moving anything (a step of 0 s)."""
        self._world.Step(0.0, self._settings.velocity_iterations, self._settings.position_iterations)

    def write_impulses(self, pairs: EvaluatedPairs) -> None:
        """Give contact points the impulses that the points of the same fixtures and feature had."""
        raw, table = self.read_contacts(), self.fixture_table()
        at = np.searchsorted(table.address, raw.fixtures)
        impulses = impulses_of((table.fixture[at[:, 0]], table.fixture[at[:, 1]]), raw.manifolds, pairs)
        if self.internal is not None:
            self.internal.write_impulses(raw.contacts, impulses)
            return
        rows = {address: row for row, address in enumerate(raw.contacts.tolist())}
        for contact in self._world.contacts:
            row = rows.get(hash(contact))
            if row is not None:
                for point, (normal, tangent) in zip(contact.manifold.points, impulses[row].tolist(), strict=False):
                    point.normalImpulse, point.tangentImpulse = normal, tangent

    def _body_rows(self) -> tuple[IntArray, list[Any], IntArray, dict[int, int]]:
        if self._rows is None:
            ids = sorted(self._bodies)
            handles = [self._bodies[body] for body in ids]
            addresses = np.array([hash(handle) for handle in handles], dtype=np.int64)
            self._rows = np.array(ids, dtype=np.int64), handles, addresses, {body: row for row, body in enumerate(ids)}
        return self._rows

    def _changed_bodies(self) -> None:
        self._rows = None
        self._table = None

    def _forget_fixture(self, fixture: int) -> None:
        del self._by_address[self._address.pop(fixture)]
        del self._fixtures[fixture]
        del self._fixture_body[fixture]
        del self._skins[fixture]
        self._table = None
