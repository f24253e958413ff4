"""A Box2D 3.1 world with our ids.

| ours | Box2D 3.1 |
|---|---|
| `sub_steps` | of `b2World_Step`, 4 by default |
| ghost vertices | an open chain, because its segments have none; it collides only with what is to the left of the way from p1 to p2 |
| contacts | pyb2d3 gives the manifold when a pair begins to touch; afterwards only that the pair touches |
| hit events | not read: they add only an approach speed, for which `StepContacts` has no place; `begin` has their points and normals |
| sensors | pyb2d3 counts the sensor events of a step without naming shapes: a world may have one sensor and one shape that it can sense |
| hooks | `begin` and `end`; there are no callbacks for `pre_solve` and `post_solve` |
| destroying a fixture | pyb2d3 cannot, so the body is created anew |
| angle | Box2D stores sine and cosine; full turns are counted here |
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import WeakSet

import numpy as np
import pyb2d3

from engine.box2d3.joints import create_joint
from engine.box2d3.shapes import create_shapes, rotation
from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError, LabError
from engine.common.limits import VELOCITY_THRESHOLD
from engine.world.records import BodyMotion
from engine.world.replaying import ContactRow, EngineWorld, Point
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["Box2D3World", "sensed_pairs"]

_TYPES = {"static": pyb2d3.BodyType.STATIC, "kinematic": pyb2d3.BodyType.KINEMATIC, "dynamic": pyb2d3.BodyType.DYNAMIC}
_MAX_WORLDS = 120
"""Box2D 3.1 has room for 128 worlds in a process and does not check it."""
_living: WeakSet[Box2D3World] = WeakSet()


class Box2D3World(EngineWorld):
    """A `pyb2d3.World`."""

    def __init__(self, settings: WorldSettings, own: Any, step_index: int, touching: Iterable[tuple[int, int]]) -> None:
        super().__init__(settings, own, step_index, touching)
        if len(_living) >= _MAX_WORLDS:
            raise LabError(f"Box2D 3.1 supports at most {_MAX_WORLDS} worlds at once")
        _living.add(self)
        self._world = pyb2d3.World(gravity=settings.gravity)
        self._ground = self._world.create_static_body(position=(0.0, 0.0))
        self._bodies: dict[int, pyb2d3.Body] = {}
        self._shapes: dict[int, tuple[pyb2d3.Shape, ...]] = {}
        self._fixture_of: dict[int, int] = {}
        """Fixtures by Box2D's shape ids."""
        self.sensors: set[int] = set()
        """Fixtures that are sensors."""
        self._joints: dict[int, Any] = {}
        self._angles: dict[int, float] = {}
        """Angles with full turns, rad, when the batch was last made; since then they are in `_turned`."""
        self._turned: FloatArray = np.zeros(0)
        self._batch: tuple[list[int], pyb2d3.Bodies] | None = None
        self._start: dict[int, tuple[float, ...]] = {}
        """Poses at the start of the last step, for which Box2D computed its contacts, of bodies that began to touch then."""
        self._begun: list[ContactRow] = []
        self.change_settings()

    # -- bodies -------------------------------------------------------------------------------------------------------

    def create_body(self, body: int, fixtures: Iterable[int]) -> None:
        spec = self.bodies[body]
        self._make(body, (*spec.position, spec.angle, *spec.linear_velocity, spec.angular_velocity), spec.awake)

    def _make(self, body: int, values: tuple[float, ...], is_awake: bool) -> None:
        spec, (x, y, angle, vx, vy, omega) = self.bodies[body], values
        made = self._world.create_body(
            type=_TYPES[spec.type],
            position=(x, y),
            rotation=rotation(angle),
            linear_velocity=(vx, vy),
            angular_velocity=omega,
            linear_damping=spec.linear_damping,
            angular_damping=spec.angular_damping,
            gravity_scale=spec.gravity_scale,
            fixed_rotation=spec.fixed_rotation,
            is_bullet=spec.bullet,
            enable_sleep=spec.allow_sleep,
        )
        self._drop_batch()
        self._bodies[body], self._angles[body] = made, angle
        for fixture in self.fixtures_of(body):
            self._make_shapes(fixture)
        self._set_empty_mass(body)
        if vx or vy or omega:  # creating shapes may have moved the center of mass
            made.linear_velocity, made.angular_velocity = (vx, vy), omega
        if not spec.active:
            made.enabled = False
        elif not is_awake:
            self.set_awake(body, False)

    def _set_empty_mass(self, body: int) -> None:
        """Give a massless dynamic body 1 kg, as Box2D 2.3 does; in Box2D 3.1, it would not react to forces."""
        made = self._bodies[body]
        if self.is_dynamic(body) and made.mass == 0.0:
            data = pyb2d3.MassData()
            data.mass, data.center, data.rotational_inertia = 1.0, (0.0, 0.0), 0.0
            made.mass_data = data

    def destroy_body(self, body: int) -> None:
        for fixture in self.fixtures_of(body):
            self.sensors.discard(fixture)
            for shape in self._shapes.pop(fixture):
                del self._fixture_of[shape.id]
        self._drop_batch()
        self._bodies.pop(body).destroy()
        del self._angles[body]

    def _renew(self, body: int) -> None:
        """Recreate a body with its current motion, fixtures and joints."""
        values = self.motion_of(body)
        is_awake = self._bodies[body].awake or not self.sleeps_by_itself(body)
        joints = self.joints_of(body)
        for joint in joints:
            self.destroy_joint(joint)
        self.doubt(body)
        for shape in [shape for shape, fixture in self._fixture_of.items() if self.fixtures.get(fixture, (body,))[0] == body]:
            self._shapes.pop(self._fixture_of.pop(shape), None)
        self._bodies.pop(body).destroy()
        self._make(body, values, is_awake)
        for joint in joints:
            self.create_joint(joint)

    def change_body(self, body: int, before: BodySpec) -> None:
        spec, made = self.bodies[body], self._bodies[body]
        if spec.type != before.type:
            made.type = _TYPES[spec.type]
            self._set_empty_mass(body)
            if spec.type == "static":
                made.linear_velocity, made.angular_velocity = (0.0, 0.0), 0.0
        if spec.fixed_rotation != before.fixed_rotation:
            made.fixed_rotation = spec.fixed_rotation
        made.linear_damping, made.angular_damping, made.gravity_scale = spec.linear_damping, spec.angular_damping, spec.gravity_scale
        made.bullet, made.enabled_sleep = spec.bullet, spec.allow_sleep
        if spec.active != before.active:
            made.enabled = spec.active
        if (spec.type, spec.active) != (before.type, before.active):
            for pair in [pair for pair in self.touching if {self.fixtures[fixture][0] for fixture in pair} & {body}]:
                self.note_end(*pair)

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        if not self.is_dynamic(body):
            return (0.0, 0.0), 0.0, 0.0
        data = self._bodies[body].mass_data
        return (data.center.x, data.center.y), data.mass, 0.0 if self.bodies[body].fixed_rotation else data.rotational_inertia

    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        self._bodies[body].set_transform(position, rotation(angle))
        self._drop_batch()
        self._angles[body] = angle

    def set_velocity(self, body: int, linear: tuple[float, float], angular: float) -> None:
        made = self._bodies[body]
        made.linear_velocity, made.angular_velocity = linear, angular

    def set_awake(self, body: int, awake: bool) -> None:
        made = self._bodies[body]
        if self.sleeps_by_itself(body) and made.awake != awake and (awake or self.settings.sleeping):
            if not awake:
                made.linear_velocity, made.angular_velocity = (0.0, 0.0), 0.0
            made.awake = awake

    def apply_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float]) -> None:
        self._bodies[body].apply_linear_impulse(impulse, point, True)

    def apply_force(self, body: int, force: tuple[float, float], point: tuple[float, float]) -> None:
        self._bodies[body].apply_force(force, point, True)

    def apply_torque(self, body: int, torque: float) -> None:
        self._bodies[body].apply_torque(torque, True)

    # -- fixtures -----------------------------------------------------------------------------------------------------

    def create_fixture(self, fixture: int) -> None:
        self._make_shapes(fixture)

    def _make_shapes(self, fixture: int) -> None:
        body, spec = self.fixtures[fixture]
        made = self._shapes[fixture] = create_shapes(self._bodies[body], spec)
        if spec.sensor:
            self.sensors.add(fixture)
        else:
            self.sensors.discard(fixture)
        self._fixture_of.update({shape.id: fixture for shape in made})

    def destroy_fixture(self, fixture: int) -> None:
        body, spec = self.fixtures.pop(fixture)
        for pair in [pair for pair in self.touching if fixture in pair]:
            self.fixtures[fixture] = body, spec
            self.note_end(*pair)
            del self.fixtures[fixture]
        self._renew(body)
        self.sensors.discard(fixture)
        self.fixtures[fixture] = body, spec

    def change_fixture(self, fixture: int, before: FixtureSpec) -> None:
        body, spec = self.fixtures[fixture]
        if spec.sensor != before.sensor:
            for pair in [pair for pair in self.touching if fixture in pair]:
                self.note_end(*pair)
            self._renew(body)
            return
        for shape in self._shapes[fixture]:
            shape.friction, shape.restitution = spec.friction, spec.restitution
            if spec.density != before.density:
                shape.set_density(spec.density, True)
            if (spec.category, spec.mask, spec.group) != (before.category, before.mask, before.group):
                shape.filter = pyb2d3.make_filter(category_bits=spec.category, mask_bits=spec.mask, group_index=spec.group)

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        return any(shape.test_point(point) for shape in self._shapes[fixture])

    # -- joints -------------------------------------------------------------------------------------------------------

    def create_joint(self, joint: int) -> None:
        resolved = self.joints[joint]
        a, b = (self._ground if body is None else self._bodies[body] for body in resolved.bodies)
        self._joints[joint] = create_joint(self._world, resolved, a, b)

    def destroy_joint(self, joint: int) -> None:
        self._joints.pop(joint).destroy()

    def set_target(self, joint: int) -> None:
        self._joints[joint].target = self.joints[joint].spec.target  # type: ignore[attr-defined]

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        made = self._joints[joint]
        force = made.get_constraint_force()
        return (force.x, force.y), made.get_constraint_torque()

    # -- time ---------------------------------------------------------------------------------------------------------

    def change_settings(self) -> None:
        world, settings, own = self._world, self.settings, self.own
        world.gravity = settings.gravity
        world.sleeping_enabled, world.continuous_enabled = settings.sleeping, settings.continuous
        threshold = settings.restitution_threshold
        world.restitution_threshold = VELOCITY_THRESHOLD if threshold is None else threshold
        world.set_contact_tuning(own["contact_hertz"], own["contact_damping_ratio"], own["contact_push_speed"])

    def step(self) -> None:
        for name, is_wanted in (("pre_solve", self.listener.asks), ("post_solve", self.listener.reports)):
            if is_wanted:
                raise InvalidInputError(f"hooks.{name}", "None with Box2D 3.1: pyb2d3 has no such callback", "a callable")
        before = self._poses()
        self._world.step(self.settings.dt, self.own["sub_steps"])
        self._begun, self._start = [], {}
        contacts = self._world.get_contact_events()
        for event in contacts.begin_events() if contacts.begin_count else ():
            pair = self._pair(event)
            if pair is not None:
                self._begin(pair, event.manifold, before)
        for event in contacts.end_events() if contacts.end_count else ():
            pair = self._pair(event)
            if pair is not None:
                self.note_end(*pair)
        self._sense()
        self._track_angles()

    def _pair(self, event: Any) -> tuple[int, int] | None:
        """Return the fixtures of an event; None if one has been destroyed."""
        shapes = event.shape_a, event.shape_b
        if any(shape is None for shape in shapes):
            return None
        a, b = (self._fixture_of.get(shape.id) for shape in shapes)
        return None if a is None or b is None else (a, b)

    def _begin(self, pair: tuple[int, int], manifold: Any, before: FloatArray) -> None:
        self.note_begin(*pair)
        normal = manifold.normal
        points = tuple(
            Point((point.point.x, point.point.y), point.separation, point.total_normal_impulse, point.tangent_impulse)
            for point in list(manifold.points())[: manifold.point_count]
        )
        self._begun.append(ContactRow(*pair, (normal.x, normal.y), points, True))
        ids = self._bodies_in_order()[0]
        for fixture in pair:
            body = self.fixtures[fixture][0]
            self._start[body] = tuple(before[bisect_left(ids, body)].tolist())

    def _sense(self) -> None:
        events = self._world.get_sensor_events()
        if not (events.begin_count or events.end_count):
            return
        for pair in sensed_pairs([(fixture, spec, self.bodies[body].type) for fixture, (body, spec) in self.fixtures.items()]):
            if events.begin_count:
                self.note_begin(*pair)
            if events.end_count:
                self.note_end(*pair)

    # -- reading ------------------------------------------------------------------------------------------------------

    def contact_pose(self, body: int) -> tuple[float, ...]:
        return self._start.get(body) or self.motion_of(body)[:3]

    def contact_rows(self) -> Iterator[ContactRow]:
        begun = {tuple(sorted(row[:2])): row for row in self._begun}
        for (a, b), is_sensor in self.touching.items():
            if not is_sensor:
                yield begun.get((a, b)) or ContactRow(a, b, (0.0, 0.0), (), False)

    def _bodies_in_order(self) -> tuple[list[int], pyb2d3.Bodies]:
        if self._batch is None:
            ids, bodies = sorted(self.bodies), pyb2d3.Bodies()
            for body in ids:
                bodies.append(self._bodies[body].id)
            self._batch, self._turned = (ids, bodies), np.array([self._angles[body] for body in ids])
        return self._batch

    def _drop_batch(self) -> None:
        """Rebuild the batch when it is next needed, because bodies or their angles change."""
        if self._batch is not None:
            self._angles.update(zip(self._batch[0], self._turned.tolist(), strict=True))
            self._batch = None

    def _poses(self) -> FloatArray:
        """Return x, y, angle of all bodies, float64 (n, 3)."""
        ids, bodies = self._bodies_in_order()
        values = np.zeros((len(ids), 3))
        if ids:
            values[:, :2], values[:, 2] = bodies.get_positions(), self._turned
        return values

    def _track_angles(self) -> None:
        """Count full turns: Box2D limits rotation to less than half a turn per step."""
        ids, bodies = self._bodies_in_order()
        if ids:
            turned = bodies.get_rotations().astype(np.float64)
            now = np.arctan2(turned[:, 1], turned[:, 0])
            self._turned += (now - self._turned + np.pi) % (2.0 * np.pi) - np.pi

    def motion(self) -> BodyMotion:
        ids, bodies = self._bodies_in_order()
        values = np.zeros((len(ids), 6), dtype=np.float32)
        if ids:
            values[:, :3] = self._poses()
            values[:, 3:5], values[:, 5] = bodies.get_linear_velocities(), bodies.get_angular_velocities()
        return BodyMotion(values, self.awake_of(ids, lambda body: bool(self._bodies[body].awake)))

    def motion_of(self, body: int) -> tuple[float, ...]:
        made = self._bodies[body]
        position, velocity = made.position, made.linear_velocity
        if self._batch is None:
            angle = self._angles[body]
        else:
            angle = self._turned[bisect_left(self._batch[0], body)]
        return position.x, position.y, float(np.float32(angle)), velocity.x, velocity.y, made.angular_velocity


def sensed_pairs(fixtures: Iterable[tuple[int, FixtureSpec, str]]) -> list[tuple[int, int]]:
    """Return all pairs of a sensor and a shape that it can detect, from fixture ids, specifications and body types."""
    listed = list(fixtures)
    sensors = [fixture for fixture, spec, _ in listed if spec.sensor]
    others = [fixture for fixture, spec, kind in listed if not spec.sensor and kind != "static"]
    return [(sensor, other) for sensor in sensors for other in others]
