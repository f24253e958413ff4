"""Rays and points at shapes as they are put to both sides, and the answers.

Box2D's TestPoint and RayCast know a polygon without its skin, so ours are asked for that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray
from engine.compare import allowances
from engine.compare.cases import RayChunk
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes

__all__ = ["PosedRays", "Rays", "our_points", "our_rays", "posed_rays"]


@dataclass(frozen=True, slots=True)
class Rays:
    """Somebody's answers: numbers of `Status` (OVERLAPPING for a start inside), fractions, world normals (n, 2)."""

    status: IntArray
    fraction: FloatArray
    normal: FloatArray


@dataclass(frozen=True, slots=True)
class PosedRays:
    """Shapes (n,) into packed ones, poses (n, 3) and the same (n, 4), rays; b of a point (`point_bound`) and of a ray (`ray_bound`)."""

    shapes: PackedShapes
    indices: IntArray
    poses: FloatArray
    turned: FloatArray
    origins: FloatArray
    translations: FloatArray
    point_bound: FloatArray
    ray_bound: FloatArray

    def __len__(self) -> int:
        return len(self.indices)

    def take(self, rows: IntArray) -> PosedRays:
        """Return these rows only."""
        return PosedRays(
            self.shapes, self.indices[rows], self.poses[rows], self.turned[rows], self.origins[rows], self.translations[rows],
            self.point_bound[rows], self.ray_bound[rows],
        )  # fmt: skip


def posed_rays(shapes: PackedShapes, rays: RayChunk) -> PosedRays:
    """Prepare rays for judgement, and their origins as points; inputs must have been checked."""
    extent, radius = shapes.extent[rays.indices], shapes.radius[rays.indices]
    at_origin = np.abs(rays.poses[:, :2]).sum(axis=1) + extent + np.abs(rays.origins).sum(axis=1)
    scale = at_origin + np.abs(rays.ends).sum(axis=1)
    away = np.abs(rays.origins - rays.poses[:, :2]).sum(axis=1) + extent
    is_circle = shapes.n_vertices[rays.indices] == 1
    bound = allowances.surface_allowance(scale)
    bound = bound + np.where(is_circle, allowances.discriminant_allowance(away, np.where(is_circle, radius, 1.0)), 0.0)
    return PosedRays(
        shapes, rays.indices, rays.poses, batched.poses_with_rotation(rays.poses), rays.origins, rays.ends - rays.origins,
        allowances.surface_allowance(at_origin), bound,
    )  # fmt: skip


def our_points(posed: PosedRays) -> NDArray[np.bool_]:
    """Tell which origins lie in their shapes, by our algorithm."""
    from engine.continuous.ray_cast import contains_rows

    return contains_rows(posed.shapes, posed.indices, posed.turned, posed.origins).astype(np.bool_)


def our_rays(posed: PosedRays) -> Rays:
    """Return our ray casts."""
    from engine.continuous.ray_cast import ray_rows

    status, rows = ray_rows(posed.shapes, posed.indices, posed.turned, posed.origins, posed.translations)
    return Rays(status, rows[:, 0], rows[:, 3:5])
