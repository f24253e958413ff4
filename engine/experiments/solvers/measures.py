"""Measurements of a world, from poses alone where possible, so that they do not depend on the methods' own reports."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from engine.common.arrays import FloatArray, IntArray
from engine.common.errors import LabError
from engine.dynamics.exact_forces import MAX_CONTACTS, Resting, exact_contact_forces
from engine.experiments.lookahead import extent
from engine.query import batch
from engine.world import FixtureSpec, World
from engine.world.specs import filters_agree

__all__ = ["Moving", "Overlaps", "force_error", "force_past_bounds"]


class Overlaps:
    """Overlaps of a world's bodies, computed by the library's algorithms from the specified shapes.

    All pairs whose circles around their bodies' origins overlap are tested, except those that never touch: sensors, pairs disabled by
    filters or joints, and pairs without a dynamic body. The bodies must stay the same.
    """

    def __init__(self, world: World) -> None:
        fixtures = [world.fixture(fixture) for fixture in world.fixture_ids]
        self._shapes = batch.ShapeBatch([fixture.spec.shape for fixture in fixtures])
        self._row = np.array([world.row_of(fixture.body) for fixture in fixtures])
        self._reach = np.array([extent(fixture.spec.shape) for fixture in fixtures])
        n = len(fixtures)
        is_dynamic = np.array([world.body(fixture.body).spec.type == "dynamic" for fixture in fixtures])
        allowed = np.triu(is_dynamic[:, None] | is_dynamic, 1) & (self._row[:, None] != self._row)
        kinds = {spec: k for k, spec in enumerate(dict.fromkeys(_filter(fixture.spec) for fixture in fixtures))}
        kind = np.array([kinds[_filter(fixture.spec)] for fixture in fixtures])
        specs = {_filter(fixture.spec): fixture.spec for fixture in fixtures}
        meets = np.array([[filters_agree(a, b) and not (a.sensor or b.sensor) for b in specs.values()] for a in specs.values()])
        allowed &= meets[kind[:, None], kind]
        for joint in world.joint_ids:
            if not getattr(world.joint(joint).spec, "collide_connected", True):
                ends = [self._row == (-1 if body is None else world.row_of(body)) for body in world.joint_bodies(joint)]
                allowed &= ~(ends[0][:, None] & ends[1]) & ~(ends[1][:, None] & ends[0])
        self._pairs: IntArray = np.column_stack(np.nonzero(allowed)).reshape(-1, 2) if n else np.empty((0, 2), dtype=np.int64)

    def deepest(self, world: World) -> float:
        """Return the deepest present overlap, m; 0 without any, infinite if a body's pose is not finite."""
        poses = world.poses[self._row]
        if not np.isfinite(poses).all():
            return math.inf
        a, b = self._pairs.T
        near = np.hypot(*(poses[a, :2] - poses[b, :2]).T) < self._reach[a] + self._reach[b]
        pairs = self._pairs[near]
        if not len(pairs):
            return 0.0
        return float(batch.penetration(self._shapes, pairs, poses[pairs[:, 0]], poses[pairs[:, 1]]).depth.max())


def _filter(spec: FixtureSpec) -> tuple[object, ...]:
    return spec.category, spec.mask, spec.group, spec.sensor


class Moving:
    """The dynamic bodies of a world, which must stay the same: their energy, momentum and motion.

    Attributes
    ----------
    bodies : list of int
    scale : float
        Reference of energies, J: initial kinetic energy, plus total weight times the longer side of the initial box around moving bodies.
    """

    def __init__(self, world: World) -> None:
        self.bodies = [body for body in world.body_ids if world.body(body).spec.type == "dynamic"]
        self._rows = np.array([world.row_of(body) for body in self.bodies], dtype=np.int64)
        known = [world.body(body) for body in self.bodies]
        self._mass = np.array([info.mass for info in known])
        self._inertia = np.array([info.inertia for info in known])
        self._center = np.array([info.local_center for info in known]).reshape(-1, 2)
        self._gravity = np.array(world.settings.gravity)
        boxes = [world.fixture(k).spec.shape.aabb(world.state(body).xf) for body in self.bodies for k in world.fixtures_of(body)]
        corners = np.array([(box.lower, box.upper) for box in boxes]).reshape(-1, 2)
        extent = float(np.ptp(corners, axis=0).max()) if boxes else 0.0
        weight = float(self._mass.sum() * np.hypot(*self._gravity))
        kinetic = self.energy(world) + float(self._mass @ (self._centers(world) @ self._gravity))
        self.scale = kinetic + weight * extent

    def _centers(self, world: World) -> FloatArray:
        """Return centers of mass, m, float64 (n, 2)."""
        x, y, angle = self.poses(world).T
        (cx, cy), cos, sin = self._center.T, np.cos(angle), np.sin(angle)
        return np.column_stack((x + cos * cx - sin * cy, y + sin * cx + cos * cy))

    def poses(self, world: World) -> FloatArray:
        """Return x, y, angle, float64 (n, 3)."""
        return world.poses[self._rows]

    def energy(self, world: World) -> float:
        """Return kinetic and potential energy, J, above y = 0 of the centers of mass."""
        velocity = world.velocities[self._rows]
        kinetic = 0.5 * self._mass * (velocity[:, :2] ** 2).sum(axis=1) + 0.5 * self._inertia * velocity[:, 2] ** 2
        return float((kinetic - self._mass * (self._centers(world) @ self._gravity)).sum())

    def momentum(self, world: World) -> tuple[FloatArray, float]:
        """Return the momentum, kg m/s, float64 (2,), and the sum of the magnitudes of all bodies'."""
        parts = self._mass[:, None] * world.velocities[self._rows, :2]
        return parts.sum(axis=0), float(np.hypot(*parts.T).sum())


def force_error(world: World, layers: Sequence[Sequence[int]]) -> float | None:
    """Return the largest relative error of the contact forces on groups of bodies in the last step compared to their weights.

    The force on a group at rest from all other bodies is exactly its weight, upward; its distribution over several contacts is not
    determined for rigid bodies. None without groups, or if no contact has reported an impulse.
    """
    contacts, dt = world.contacts, world.settings.dt
    if not layers or not len(contacts):
        return None
    count = np.arange(2) < contacts.count[:, None]
    normal = contacts.normal
    tangent = np.column_stack((normal[:, 1], -normal[:, 0]))
    along, across = (np.where(count, p, 0.0).sum(axis=1)[:, None] for p in (contacts.normal_impulse, contacts.tangent_impulse))
    force = (along * normal + across * tangent) / dt
    worst = 0.0
    for layer in layers:
        weight = sum(world.body(body).mass for body in layer) * np.array(world.settings.gravity)
        inside = set(layer)
        a, b = (np.array([body in inside for body in side.tolist()]) for side in (contacts.body_a, contacts.body_b))
        got = force[b & ~a].sum(axis=0) - force[a & ~b].sum(axis=0)
        worst = max(worst, float(np.hypot(*(got + weight)) / np.hypot(*weight)))
    return worst


def force_past_bounds(world: World) -> float | None:
    """Return how far a contact's force in the last step is outside its admissible range, as a share of the largest required force.

    The admissible forces of contacts at rest, within friction, are exact (`exact_contact_forces`): each contact has a minimum and a
    maximum, which are equal unless forces can cancel each other. None if there are too many contacts, if there are joints, or if no forces
    hold the contacts.
    """
    contacts = world.contacts
    if not 0 < len(contacts) <= MAX_CONTACTS or world.joint_ids:
        return None
    try:
        exact = exact_contact_forces(Resting.of(world), has_friction=True)
    except LabError:
        return None
    forces = contacts.normal_impulse.sum(axis=1) / world.settings.dt
    largest = float(exact.low.max())
    return float(np.maximum(exact.low - forces, forces - exact.high).max(initial=0.0)) / largest if largest > 0.0 else None
