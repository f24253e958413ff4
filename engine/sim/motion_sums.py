"""Energy, momentum and angular momentum of the bodies of a world.

Kinetic energy is ``m v^2 / 2 + I w^2 / 2`` with the velocity of the center of mass and the inertia about it. Potential energy is
``-m s g . c`` with the center c and the body's gravity scale s. Angular momentum is ``c x m v + I w`` about the world's origin. Static
and kinematic bodies have no mass in Box2D and contribute nothing. Bodies that have fallen below everything static are excluded, because
they fall forever and their energy would soon dominate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray
from engine.sim.stage import body_box
from engine.world import World

__all__ = ["SUMS", "BodyMasses", "Motion", "centers_of_mass"]

SUMS = ("kinetic", "potential", "total", "px", "py", "angular")
"""Names of the sums; units J, J, J, kg m/s, kg m/s, kg m²/s."""
_MIN_FALL = 10.0
"""Minimum distance below all static bodies at which a body counts as falling forever, meters."""


@dataclass(frozen=True, slots=True)
class BodyMasses:
    """Per-body mass data for one version of a world's structure; non-dynamic bodies have mass and inertia 0.

    Attributes
    ----------
    version : int
        `World.structure_version`.
    ids : int64 (n,)
    mass, inertia : float64 (n,)
        Mass, kg, and inertia about the center of mass, kg m².
    center : float64 (n, 2)
        Center of mass in the body's frame, meters.
    gravity_scale : float64 (n,)
    gravity : pair of float
        m/s².
    floor : float
        Coordinate along gravity beyond which a body counts as falling forever, meters; infinite if there are no static bodies.
    """

    version: int
    ids: NDArray[np.int64]
    mass: FloatArray
    inertia: FloatArray
    center: FloatArray
    gravity_scale: FloatArray
    gravity: tuple[float, float]
    floor: float

    @classmethod
    def of(cls, world: World) -> BodyMasses:
        """Return the mass data of a world."""
        bodies = [world.body(body) for body in world.body_ids]
        is_dynamic = np.array([body.spec.type == "dynamic" for body in bodies], dtype=np.bool_)
        return cls(
            version=world.structure_version,
            ids=np.array(world.body_ids, dtype=np.int64),
            mass=np.where(is_dynamic, [body.mass for body in bodies], 0.0),
            inertia=np.where(is_dynamic, [body.inertia for body in bodies], 0.0),
            center=np.array([body.local_center for body in bodies], dtype=np.float64).reshape(-1, 2),
            gravity_scale=np.array([body.spec.gravity_scale for body in bodies], dtype=np.float64),
            gravity=world.settings.gravity,
            floor=_floor(world),
        )

    def is_like(self, other: BodyMasses) -> bool:
        """Return True if both have the same gravity and bodies with equal masses, so that their sums are comparable."""
        return self is other or (
            self.gravity == other.gravity
            and np.array_equal(self.ids, other.ids)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("mass", "inertia", "gravity_scale"))
        )


@dataclass(frozen=True)
class Motion:
    """Motion of all bodies of a world: `values` has columns x, y, angle, vx, vy, spin, and optionally more, float32 (n, 6 or more)."""

    masses: BodyMasses
    values: NDArray[np.float32]

    @classmethod
    def of(cls, world: World) -> Motion:
        """Return the current motion of a world."""
        return cls(BodyMasses.of(world), np.hstack([world.poses, world.velocities]).astype(np.float32))

    @property
    def centers(self) -> FloatArray:
        """Centers of mass in the world frame, meters, float64 (n, 2)."""
        return centers_of_mass(self.values[:, :3].astype(np.float64), self.masses.center)

    @cached_property
    def is_lost(self) -> NDArray[np.bool_]:
        """Flags of bodies with mass that fall forever, bool (n,)."""
        masses = self.masses
        if not np.isfinite(masses.floor):
            return np.zeros(len(masses.ids), dtype=np.bool_)
        (x, y), (gx, gy) = self.centers.T, masses.gravity
        below: NDArray[np.bool_] = (gx * x + gy * y) / float(np.hypot(gx, gy)) > masses.floor
        return below & (masses.mass > 0.0)

    @property
    def sums(self) -> tuple[float, ...]:
        """Values of the quantities in `SUMS`."""
        masses, values, (x, y) = self.masses, self.values.astype(np.float64), self.centers.T
        vx, vy, spin = values[:, 3], values[:, 4], values[:, 5]
        mass, inertia = np.where(self.is_lost, 0.0, masses.mass), np.where(self.is_lost, 0.0, masses.inertia)
        kinetic = 0.5 * float(mass @ (vx * vx + vy * vy) + inertia @ (spin * spin))
        potential = -float((mass * masses.gravity_scale) @ (masses.gravity[0] * x + masses.gravity[1] * y))
        angular = float(mass @ (x * vy - y * vx) + inertia @ spin)
        return kinetic, potential, kinetic + potential, float(mass @ vx), float(mass @ vy), angular


def centers_of_mass(poses: FloatArray, local: FloatArray) -> FloatArray:
    """Return centers of mass in the world frame, meters, float64 (n, 2), from poses (n, 3) and the centers in the bodies' frames (n, 2)."""
    (x, y, angle), (cx, cy) = poses.T, local.T
    cos, sin = np.cos(angle), np.sin(angle)
    return np.column_stack((x + cos * cx - sin * cy, y + sin * cx + cos * cy))


def _floor(world: World) -> float:
    """Return `BodyMasses.floor`: past all static bodies along gravity, by at least their extent; infinite if there are none."""
    gravity, pull = world.settings.gravity, float(np.hypot(*world.settings.gravity))
    static = (body_box(world, body) for body in world.body_ids if world.body(body).spec.type == "static")
    boxes = [box for box in static if box is not None]
    if pull == 0.0 or not boxes:
        return float("inf")
    low, high = np.min([box.lower for box in boxes], axis=0), np.max([box.upper for box in boxes], axis=0)
    corners = [(x, y) for x in (low[0], high[0]) for y in (low[1], high[1])]
    deepest = max((gravity[0] * x + gravity[1] * y) / pull for x, y in corners)
    return float(deepest + max(np.max(high - low), _MIN_FALL))
