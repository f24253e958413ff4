"""A Chipmunk space with our ids.

Chipmunk first moves the bodies, then finds the contacts at the new poses, then changes the velocities. Contacts after a step therefore
belong to the poses after that step.

| ours | Chipmunk |
|---|---|
| friction, restitution | it multiplies those of two shapes, so each shape gets the square root: equal materials behave as given |
| density | mass, moment and center of gravity of the body, computed from our shapes |
| category, mask, negative group | the same; a positive group, which would force a collision, does not exist |
| skin radius | radius of polygon or segment |
| ghost vertices | neighbors of a segment |
| bullet | no effect: Chipmunk has no continuous collision detection |
| damping, gravity scale | `velocity_func` of the body |
| sleeping | `sleep_time_threshold` of half a second |
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any
from weakref import ref

import numpy as np
import pymunk
from pymunk import batch

from engine.chipmunk.joints import ROTARY, constraints_of
from engine.common.errors import InvalidInputError
from engine.geometry import Capsule, Circle, Polygon, Segment
from engine.world.body_mass import mass_properties
from engine.world.records import BodyMotion
from engine.world.replaying import ContactRow, EngineWorld, Point
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["ChipmunkWorld"]

_TYPES = {"static": pymunk.Body.STATIC, "kinematic": pymunk.Body.KINEMATIC, "dynamic": pymunk.Body.DYNAMIC}
_TIME_TO_SLEEP = 0.5
"""Seconds of rest after which bodies fall asleep, as in Box2D. Chipmunk's own default is never."""
_RESTING = 0.01
"""Speed, m/s or rad/s, below which damping does nothing: setting a velocity would keep the body awake."""
_FIELDS = (
    batch.BodyFields.BODY_ID
    | batch.BodyFields.POSITION
    | batch.BodyFields.ANGLE
    | batch.BodyFields.VELOCITY
    | batch.BodyFields.ANGULAR_VELOCITY
)


class ChipmunkWorld(EngineWorld):
    """A `pymunk.Space`."""

    def __init__(self, settings: WorldSettings, own: Any, step_index: int, touching: Iterable[tuple[int, int]]) -> None:
        super().__init__(settings, own, step_index, touching)
        self._space = pymunk.Space()
        self._bodies: dict[int, pymunk.Body] = {}
        self._shapes: dict[int, pymunk.Shape] = {}
        self._fixture_of: dict[pymunk.Shape, int] = {}
        self._constraints: dict[int, list[pymunk.Constraint]] = {}
        self._force: dict[int, tuple[float, float, float]] = {}
        """Pending force, N, and torque, N m, of bodies."""
        self._buffer = batch.Buffer()
        self._rows: tuple[Any, Any] | None = None
        """Chipmunk's body ids, ascending, and their rows in `motion`."""
        self._space.on_collision(begin=_weakly(self, "_on_begin"), separate=_weakly(self, "_on_separate"))
        self._hooks_installed = (False, False)
        self.change_settings()

    # -- bodies -------------------------------------------------------------------------------------------------------

    def create_body(self, body: int, fixtures: Iterable[int]) -> None:
        spec = self.bodies[body]
        self._make(body, (*spec.position, spec.angle, *spec.linear_velocity, spec.angular_velocity), spec.awake)

    def _make(self, body: int, values: tuple[float, ...], is_awake: bool) -> None:
        spec, (x, y, angle, vx, vy, omega) = self.bodies[body], values
        made = pymunk.Body(body_type=_TYPES[spec.type])
        self._bodies[body], self._rows = made, None
        self._set_mass(body)
        self._set_integration(body)
        made.angle, made.position = angle, (x, y)
        made.velocity, made.angular_velocity = (vx, vy), omega
        if spec.active:
            self._space.add(made)
        for fixture in self.fixtures_of(body):
            self._make_shape(fixture)
        if not is_awake:
            self.set_awake(body, False)

    def destroy_body(self, body: int) -> None:
        for fixture in self.fixtures_of(body):
            self._drop_shape(fixture)
        made = self._bodies.pop(body)
        if made.space is not None:
            self._space.remove(made)
        self._force.pop(body, None)
        self._rows = None

    def change_body(self, body: int, before: BodySpec) -> None:
        spec = self.bodies[body]
        if (spec.type, spec.active) != (before.type, before.active):
            values = self.motion_of(body)
            values = (*values[:3], 0.0, 0.0, 0.0) if spec.type == "static" else values
            joints = self.joints_of(body)
            for joint in joints:
                self.destroy_joint(joint)
            self.destroy_body(body)
            self._make(body, values, True)
            for joint in joints:
                self.create_joint(joint)
        else:
            if spec.fixed_rotation != before.fixed_rotation:
                self._set_mass(body)
                if spec.fixed_rotation:
                    self._bodies[body].angular_velocity = 0.0
            self._set_integration(body)

    def _set_mass(self, body: int) -> None:
        """Set mass, moment and center of gravity; the body's origin stays where it is, and its motion is the same rigid motion."""
        if not self.is_dynamic(body):
            return
        made, (center, mass, inertia) = self._bodies[body], self.mass_data(body)
        position, before = made.position, made.local_to_world(made.center_of_gravity)
        made.mass, made.moment = mass, inertia if inertia > 0.0 else math.inf
        made.center_of_gravity = center
        made.position = position
        now, spin = made.local_to_world(center), made.angular_velocity
        made.velocity += (-spin * (now.y - before.y), spin * (now.x - before.x))

    def _set_integration(self, body: int) -> None:
        """Give a body with damping or a gravity scale its own integration of velocity, as Chipmunk's manual suggests."""
        spec, made = self.bodies[body], self._bodies[body]
        if not self.is_dynamic(body):
            return
        if (spec.linear_damping, spec.angular_damping, spec.gravity_scale) == (0.0, 0.0, 1.0):
            made.velocity_func = pymunk.Body.update_velocity
            return
        scale, linear, angular = spec.gravity_scale, spec.linear_damping, spec.angular_damping

        def update(moved: pymunk.Body, gravity: pymunk.Vec2d, damping: float, dt: float) -> None:
            shrink = 1.0 / (1.0 + dt * linear)
            spin = moved.angular_velocity
            if angular != linear and abs(spin) > _RESTING:
                moved.angular_velocity = spin * (1.0 + dt * linear) / (1.0 + dt * angular)
            pymunk.Body.update_velocity(moved, gravity * scale, damping * shrink, dt)

        made.velocity_func = update

    def mass_data(self, body: int) -> tuple[tuple[float, float], float, float]:
        spec = self.bodies[body]
        if spec.type != "dynamic":
            return (0.0, 0.0), 0.0, 0.0
        center, mass, inertia = mass_properties([self.fixtures[fixture][1] for fixture in self.fixtures_of(body)])
        return center, mass, 0.0 if spec.fixed_rotation else inertia

    def set_pose(self, body: int, position: tuple[float, float], angle: float) -> None:
        made = self._bodies[body]
        made.angle, made.position = angle, position
        if made.space is not None:
            self._space.reindex_shapes_for_body(made)

    def set_velocity(self, body: int, linear: tuple[float, float], angular: float) -> None:
        made = self._bodies[body]
        made.velocity, made.angular_velocity = linear, 0.0 if self.bodies[body].fixed_rotation else angular

    def set_awake(self, body: int, awake: bool) -> None:
        made = self._bodies[body]
        if not self.is_dynamic(body) or made.space is None or made.is_sleeping == (not awake):
            return
        if awake:
            made.activate()
        elif self.settings.sleeping:
            made.velocity, made.angular_velocity = (0.0, 0.0), 0.0
            self._force.pop(body, None)
            made.sleep()

    def apply_impulse(self, body: int, impulse: tuple[float, float], point: tuple[float, float]) -> None:
        self._bodies[body].apply_impulse_at_world_point(impulse, point)

    def apply_force(self, body: int, force: tuple[float, float], point: tuple[float, float]) -> None:
        (x, y), (fx, fy, torque) = self.center(body), self._force.get(body, (0.0, 0.0, 0.0))
        turning = (point[0] - x) * force[1] - (point[1] - y) * force[0]
        self._force[body] = fx + force[0], fy + force[1], torque + turning

    def apply_torque(self, body: int, torque: float) -> None:
        fx, fy, before = self._force.get(body, (0.0, 0.0, 0.0))
        self._force[body] = fx, fy, before + torque

    # -- fixtures -----------------------------------------------------------------------------------------------------

    def create_fixture(self, fixture: int) -> None:
        self._set_mass(self.fixtures[fixture][0])
        self._make_shape(fixture)

    def destroy_fixture(self, fixture: int) -> None:
        body = self.fixtures[fixture][0]
        self._drop_shape(fixture)
        if self.is_dynamic(body):
            kept = self.fixtures.pop(fixture)
            self._set_mass(body)
            self.fixtures[fixture] = kept

    def change_fixture(self, fixture: int, before: FixtureSpec) -> None:
        body, spec = self.fixtures[fixture]
        if spec.density != before.density:
            self._set_mass(body)
        shape = self._shapes[fixture]
        _set_material(shape, spec)
        if (spec.category, spec.mask, spec.group, spec.sensor) != (before.category, before.mask, before.group, before.sensor):
            self._drop_shape(fixture)
            self._make_shape(fixture)

    def _make_shape(self, fixture: int) -> None:
        body, spec = self.fixtures[fixture]
        made = _shape(self._bodies[body], spec)
        self._shapes[fixture], self._fixture_of[made] = made, fixture
        if self._bodies[body].space is not None:
            self._space.add(made)

    def _drop_shape(self, fixture: int) -> None:
        made = self._shapes.pop(fixture)
        if made.space is not None:
            self._space.remove(made)  # calls `separate` for each pair that touches
        made.body = None
        del self._fixture_of[made]

    def holds_point(self, fixture: int, point: tuple[float, float]) -> bool:
        shape = self._shapes[fixture]
        shape.cache_bb()
        return bool(shape.point_query(point).distance <= 0.0)

    # -- joints -------------------------------------------------------------------------------------------------------

    def create_joint(self, joint: int) -> None:
        resolved = self.joints[joint]
        a, b = (self._space.static_body if body is None else self._bodies[body] for body in resolved.bodies)
        made = self._constraints[joint] = list(constraints_of(resolved, a, b, self.pose, self.settings.hertz))
        for constraint in made:
            constraint.collide_bodies = getattr(resolved.spec, "collide_connected", True)
            if a.space is not None and b.space is not None:
                self._space.add(constraint)

    def destroy_joint(self, joint: int) -> None:
        for constraint in self._constraints.pop(joint):
            if constraint in self._space.constraints:
                self._space.remove(constraint)

    def set_target(self, joint: int) -> None:
        (hand,) = self._constraints[joint]
        assert isinstance(hand, pymunk.PivotJoint)
        hand.anchor_a = self.joints[joint].spec.target  # type: ignore[attr-defined]
        hand.activate_bodies()

    def joint_reaction(self, joint: int) -> tuple[tuple[float, float], float]:
        """Return the force and torque. Chipmunk gives magnitudes only: the force is reported along the line between the anchors, or along x
        where they coincide."""
        hertz = self.settings.hertz * self.own["sub_steps"]
        force = torque = 0.0
        for constraint in self._constraints[joint]:
            if isinstance(constraint, ROTARY):
                torque += hertz * constraint.impulse
            else:
                force += hertz * constraint.impulse
        resolved = self.joints[joint]
        (ax, ay), (bx, by) = (
            self.pose(body).apply(anchor)
            for body, anchor in zip(resolved.bodies, (resolved.local_anchor_a, resolved.local_anchor_b), strict=True)
        )
        length = math.hypot(ax - bx, ay - by)
        if length < 1.0e-3:
            return (force, 0.0), torque
        return (force * (ax - bx) / length, force * (ay - by) / length), torque

    # -- time ---------------------------------------------------------------------------------------------------------

    def change_settings(self) -> None:
        space, settings = self._space, self.settings
        space.gravity = settings.gravity
        space.iterations = self.own["iterations"]
        space.collision_slop = self.own["collision_slop"]
        space.collision_bias = self.own["collision_bias"]
        space.sleep_time_threshold = _TIME_TO_SLEEP if settings.sleeping else math.inf
        if not settings.sleeping:
            for body in self._bodies.values():
                if body.body_type == pymunk.Body.DYNAMIC and body.is_sleeping:
                    body.activate()

    def step(self) -> None:
        self._install_hooks()
        for body, spec in self.bodies.items():
            if not spec.allow_sleep and self.sleeps_by_itself(body):
                self._bodies[body].activate()
        n = self.own["sub_steps"]
        for _ in range(n):
            for body, (fx, fy, torque) in self._force.items():
                made = self._bodies[body]
                if made.space is not None:
                    made.force, made.torque = (fx, fy), torque
            self._space.step(self.settings.dt / n)
        self._force.clear()

    def _install_hooks(self) -> None:
        """Let Chipmunk call Python for each contact only if a hook wants it."""
        needed = self.listener.asks, self.listener.reports
        if needed != self._hooks_installed:
            pre_solve = _weakly(self, "_on_pre_solve") if needed[0] else pymunk.empty_callback
            post_solve = _weakly(self, "_on_post_solve") if needed[1] else pymunk.empty_callback
            self._space.on_collision(pre_solve=pre_solve, post_solve=post_solve)
            self._hooks_installed = needed

    def _pair(self, arbiter: pymunk.Arbiter) -> tuple[int, int] | None:
        """Return the fixtures of an arbiter; None if neither body is dynamic, because such pairs have no events."""
        a, b = (self._fixture_of[shape] for shape in arbiter.shapes)
        return (a, b) if self._is_moved(a) or self._is_moved(b) else None

    def _is_moved(self, fixture: int) -> bool:
        return self.is_dynamic(self.fixtures[fixture][0])

    def _on_begin(self, arbiter: pymunk.Arbiter) -> None:
        pair = self._pair(arbiter)
        if pair is not None:
            self.note_begin(*pair)

    def _on_separate(self, arbiter: pymunk.Arbiter) -> None:
        self.note_end(*(self._fixture_of[shape] for shape in arbiter.shapes))

    def _on_pre_solve(self, arbiter: pymunk.Arbiter) -> None:
        pair = self._pair(arbiter)
        if pair is not None and not self.event_of(*pair).sensor:
            arbiter.process_collision = self.listener.allows(self.event_of(*pair))

    def _on_post_solve(self, arbiter: pymunk.Arbiter) -> None:
        pair = self._pair(arbiter)
        if pair is not None:
            points = self._row(arbiter).sorted().points
            normal, tangent = tuple(point.normal_impulse for point in points), tuple(point.tangent_impulse for point in points)
            self.listener.solved(self.event_of(*pair), normal, tangent)

    # -- reading ------------------------------------------------------------------------------------------------------

    def contact_rows(self) -> Iterator[ContactRow]:
        rows: dict[tuple[int, int], ContactRow] = {}

        def read(arbiter: pymunk.Arbiter) -> None:
            row = self._row(arbiter).sorted()
            rows.setdefault(row[:2], row)

        for body in self.bodies:
            if self.sleeps_by_itself(body):
                self._bodies[body].each_arbiter(read)
        yield from rows.values()

    def _row(self, arbiter: pymunk.Arbiter) -> ContactRow:
        """Return a contact. Chipmunk gives the impulse of the whole pair, here divided equally among its points."""
        a, b = (self._fixture_of[shape] for shape in arbiter.shapes)
        manifold, (ix, iy) = arbiter.contact_point_set, arbiter.total_impulse
        (nx, ny), points = manifold.normal, manifold.points
        n = max(1, len(points))
        normal_impulse, tangent_impulse = -(ix * nx + iy * ny) / n, -(ix * ny - iy * nx) / n
        made = tuple(
            Point(
                (0.5 * (point.point_a.x + point.point_b.x), 0.5 * (point.point_a.y + point.point_b.y)),
                point.distance,
                normal_impulse,
                tangent_impulse,
            )
            for point in points
        )
        return ContactRow(a, b, (nx, ny), made, arbiter.is_first_contact)

    def motion(self) -> BodyMotion:
        ids = sorted(self.bodies)
        values = np.zeros((len(ids), 6))
        self._buffer.clear()
        batch.get_space_bodies(self._space, _FIELDS, self._buffer)
        if self._rows is None:
            handles = np.array([self._bodies[body].id for body in ids], dtype=np.uintp)
            order = np.argsort(handles)
            self._rows = handles[order], order
        handles, order = self._rows
        present = np.frombuffer(self._buffer.int_buf(), dtype=np.uintp)
        if len(handles):
            at = np.minimum(np.searchsorted(handles, present), len(handles) - 1)
            known = handles[at] == present  # the space's own static body is not one of ours
            values[order[at[known]]] = np.frombuffer(self._buffer.float_buf()).reshape(-1, 6)[known]
        for row, body in enumerate(ids) if len(self._space.bodies) < len(ids) else ():
            if self._bodies[body].space is None:  # an inactive one
                values[row] = self.motion_of(body)
        return BodyMotion(values, self.awake_of(ids, lambda body: not self._bodies[body].is_sleeping))

    def motion_of(self, body: int) -> tuple[float, ...]:
        made = self._bodies[body]
        return (*made.position, made.angle, *made.velocity, made.angular_velocity)


def _weakly(world: ChipmunkWorld, name: str) -> Any:
    """Return a callback that does not keep the world alive."""
    kept = ref(world)

    def call(arbiter: pymunk.Arbiter, space: pymunk.Space, data: Any) -> None:
        living = kept()
        if living is not None:
            getattr(living, name)(arbiter)

    return call


def _shape(body: pymunk.Body, spec: FixtureSpec) -> pymunk.Shape:
    shape = spec.shape
    made: pymunk.Shape
    match shape:
        case Circle():
            made = pymunk.Circle(body, shape.radius, shape.center)
        case Polygon():
            made = pymunk.Poly(body, [(float(x), float(y)) for x, y in shape.vertices], radius=shape.skin_radius)
        case Capsule():
            made = pymunk.Segment(body, shape.p1, shape.p2, shape.radius)
        case Segment():
            made = pymunk.Segment(body, shape.p1, shape.p2, shape.skin_radius)
            made.set_neighbors(shape.ghost1 or shape.p1, shape.ghost2 or shape.p2)
        case _:
            raise InvalidInputError("shape", "a Circle, a Polygon, a Capsule or a Segment", shape)
    made.filter = pymunk.ShapeFilter(group=max(0, -spec.group), categories=spec.category, mask=spec.mask)
    made.sensor = spec.sensor
    _set_material(made, spec)
    return made


def _set_material(shape: pymunk.Shape, spec: FixtureSpec) -> None:
    shape.friction, shape.elasticity = math.sqrt(spec.friction), math.sqrt(spec.restitution)
