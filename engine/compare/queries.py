"""Queries in columns, the input of both sides, and their answers in one form: manifolds, times of impact, rays and points.

All input numbers are float32 values. Box2D's TestPoint and RayCast ignore a polygon's skin, so our queries get polygons without it;
b2TimeOfImpact aims at cores D = max(slop, radii - 3 slop) apart, and our search has the same target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.common.arrays import FloatArray, IntArray, any_of_rows, largest_of_rows
from engine.common.tolerances import BOX2D_TOI_BACKOFF, LINEAR_SLOP
from engine.compare import allowances
from engine.compare.cases import MotionChunk, RayChunk
from engine.contracts.status import Status
from engine.geometry import FixtureShape, Polygon
from engine.geometry.kinds import CIRCLE, SEGMENT
from engine.narrowphase import batched
from engine.narrowphase.packing import PackedShapes
from engine.narrowphase.rules import BOX2D, EXACT

if TYPE_CHECKING:
    from engine.box2d.oracle.pairs import OracleManifolds
    from engine.box2d.oracle.points import OracleRays
    from engine.contracts import StepContacts

__all__ = [
    "Answers",
    "Flags",
    "Impacts",
    "MovingPairs",
    "PosedPairs",
    "PosedRays",
    "Rays",
    "centroid_errors",
    "moving_pairs",
    "our_distances",
    "our_impacts",
    "our_manifolds",
    "our_overlaps",
    "our_points",
    "our_rays",
    "posed_pairs",
    "posed_rays",
]

Flags: TypeAlias = NDArray[np.bool_]
"""True or False for each row."""


# --- Pairs at rest


@dataclass(frozen=True, slots=True)
class PosedPairs:
    """Pairs (n, 2) of packed shapes, with poses (n, 3) of float32 numbers, and the same (n, 4) with cosine and sine.

    Rounding is proportional to `scale` (n,); `is_polygons` (n,) is True if neither is a circle, and `is_edge` (n,) if one is an edge.
    `centroid_error` (a row for each *shape*, meters) is the allowed error of Box2D's centroid.
    """

    shapes: PackedShapes
    pairs: IntArray
    poses_a: FloatArray
    poses_b: FloatArray
    turned_a: FloatArray
    turned_b: FloatArray
    scale: FloatArray
    is_polygons: Flags
    is_edge: Flags
    centroid_error: FloatArray

    def __len__(self) -> int:
        return len(self.pairs)

    def take(self, rows: IntArray) -> PosedPairs:
        """Return only these rows."""
        columns = ("pairs", "poses_a", "poses_b", "turned_a", "turned_b", "scale", "is_polygons", "is_edge")
        return replace(self, **{name: getattr(self, name).take(rows, axis=0) for name in columns})


@dataclass(frozen=True, slots=True)
class Answers:
    """One side's manifolds: count (n,), normal (n, 2), points (n, 2, 3) x, y, separation; zero past the count."""

    count: IntArray
    normal: FloatArray
    points: FloatArray

    @classmethod
    def of(cls, manifolds: OracleManifolds | StepContacts, rows: IntArray | None = None) -> Answers:
        """Return Box2D's manifolds, or some rows of them."""
        at = np.arange(len(manifolds.count)) if rows is None else rows
        points = np.empty((len(at), 2, 3))
        points[:, :, :2], points[:, :, 2] = manifolds.position.take(at, axis=0), manifolds.separation.take(at, axis=0)
        return cls(manifolds.count[at], manifolds.normal.take(at, axis=0), points)

    @classmethod
    def of_ours(cls, rows: batched.ManifoldRows) -> Answers:
        """Return our kernel's rows as answers."""
        return cls(rows.count, np.where(rows.count[:, None] > 0, rows.axis[:, :2], 0.0), rows.points)

    def take(self, rows: IntArray) -> Answers:
        """Return only these rows."""
        return Answers(self.count[rows], self.normal.take(rows, axis=0), self.points.take(rows, axis=0))


def posed_pairs(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, poses_b: FloatArray, centroid_error: FloatArray | None = None
) -> PosedPairs:
    """Prepare pairs for judgment; inputs must have been checked."""
    extent = shapes.extent[pairs]
    if shapes.has_ghost.any():  # a neighbor's far end enters the computation as well
        reach = np.where(shapes.has_ghost, np.hypot(shapes.ghosts[:, 0::2], shapes.ghosts[:, 1::2]), 0.0)
        extent = np.maximum(extent, largest_of_rows(reach)[pairs])
    kinds = shapes.kind[pairs]
    # copies are writable, while read-only columns of a step would be another type for Numba
    pairs, poses_a, poses_b = pairs.copy(), poses_a.copy(), poses_b.copy()
    return PosedPairs(
        shapes,
        pairs,
        poses_a,
        poses_b,
        batched.poses_with_rotation(poses_a),
        batched.poses_with_rotation(poses_b),
        allowances.scale_of(poses_a, poses_b, extent[:, 0], extent[:, 1]),
        ~any_of_rows(kinds == CIRCLE),
        any_of_rows(kinds == SEGMENT),
        np.zeros(len(shapes)) if centroid_error is None else centroid_error,
    )


def centroid_errors(packed: PackedShapes, shapes: Sequence[FixtureShape]) -> FloatArray:
    """Return the allowed error of Box2D's centroid for each shape, meters; 0 for circles and edges."""
    is_polygon = np.array([isinstance(shape, Polygon) for shape in shapes], dtype=np.bool_)
    area = np.array([shape.mass().area if isinstance(shape, Polygon) else 1.0 for shape in shapes])
    return np.where(is_polygon, allowances.centroid_allowance(packed.n_vertices, packed.extent, area), 0.0)


def our_manifolds(posed: PosedPairs, exact: bool = True) -> batched.ManifoldRows:
    """Return our manifolds by the exact rule, or by Box2D's.

    Manifolds of edges always use Box2D's rule, because only that rule defines an edge's sides and the effect of its neighbors.
    """
    is_edge = posed.is_edge
    if not exact or is_edge.all():
        return batched.manifold_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, BOX2D)
    if not is_edge.any():
        return batched.manifold_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b, EXACT)
    parts = [(where, our_manifolds(posed.take(where), exact)) for where in (np.flatnonzero(is_edge), np.flatnonzero(~is_edge))]
    columns = []
    for name in batched.ManifoldRows.__slots__:
        some = getattr(parts[0][1], name)
        column = np.empty((len(posed), *some.shape[1:]), dtype=some.dtype)
        for where, rows in parts:
            column[where] = getattr(rows, name)
        columns.append(column)
    return batched.ManifoldRows(*columns)


def our_overlaps(posed: PosedPairs) -> Flags:
    """Return which pairs overlap."""
    return batched.overlap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)


def our_distances(posed: PosedPairs) -> FloatArray:
    """Return our separations with radii and skins; negative ones become 0."""
    from engine.narrowphase.batched_distances import distance_rows

    _, _, rows = distance_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)
    return np.maximum(rows[:, 0], 0.0)


# --- Moving pairs


@dataclass(frozen=True, slots=True)
class Impacts:
    """One side's times of impact: values of `Status`, and fractions of the sweep."""

    status: IntArray
    fraction: FloatArray


@dataclass(frozen=True, slots=True)
class MovingPairs:
    """Pairs (n, 2) into packed shapes and their poses (n, 3) at both ends; the aim D, and r, meters.

    Rounding is proportional to `scale`, meters; `speed` is the maximum approach of any two points of a pair over the whole sweep, meters.
    """

    shapes: PackedShapes
    pairs: IntArray
    motion: MotionChunk
    aim: FloatArray
    scale: FloatArray
    rounding: FloatArray
    speed: FloatArray

    def __len__(self) -> int:
        return len(self.pairs)

    def poses(self, rows: IntArray, fraction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the poses (n, 4) x, y, cosine, sine of A and of B of some rows, each at its fraction."""
        motion, t = self.motion, fraction[:, None]
        a = (1.0 - t) * motion.start_a[rows] + t * motion.end_a[rows]
        b = (1.0 - t) * motion.start_b[rows] + t * motion.end_b[rows]
        return batched.poses_with_rotation(a), batched.poses_with_rotation(b)


def moving_pairs(shapes: PackedShapes, motion: MotionChunk) -> MovingPairs:
    """Prepare pairs for judgment; inputs must have been checked."""
    pairs = motion.pairs
    radii = shapes.radius[pairs].sum(axis=1)
    extent_a, extent_b = shapes.extent[pairs].T
    scale = np.zeros(len(pairs))
    for start, end, extent in ((motion.start_a, motion.end_a, extent_a), (motion.start_b, motion.end_b, extent_b)):
        place = np.maximum(np.abs(start[:, :2]).sum(axis=1), np.abs(end[:, :2]).sum(axis=1))
        scale += place + extent * (1.0 + np.maximum(np.abs(start[:, 2]), np.abs(end[:, 2])))
    move_a, move_b = motion.end_a - motion.start_a, motion.end_b - motion.start_b
    speed = np.hypot(*(move_b - move_a)[:, :2].T) + extent_a * np.abs(move_a[:, 2]) + extent_b * np.abs(move_b[:, 2])
    aim = np.maximum(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF)
    return MovingPairs(shapes, pairs.copy(), motion, aim, scale, allowances.impact_allowance(scale), speed)


def our_impacts(moving: MovingPairs) -> Impacts:
    """Return our times of impact with Box2D's aim."""
    from engine.continuous.time_of_impact import METHODS, impact_rows

    center, motion = np.zeros((len(moving), 2)), moving.motion
    sweeps = motion.start_a, motion.end_a, center, motion.start_b, motion.end_b, center
    rows = impact_rows(moving.shapes, moving.pairs, sweeps, 1.0, METHODS["advancement"], is_box2d=True)
    return Impacts(rows.status, rows.fraction)


# --- Rays and points at a shape


@dataclass(frozen=True, slots=True)
class Rays:
    """One side's ray casts: numbers of `Status` (OVERLAPPING for a start inside), fractions, world normals (n, 2)."""

    status: IntArray
    fraction: FloatArray
    normal: FloatArray

    @classmethod
    def of(cls, rays: OracleRays) -> Rays:
        """Return Box2D's ray casts."""
        return cls(np.where(rays.hit, int(Status.HIT), int(Status.MISS)), rays.fraction, rays.normal)


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


def posed_rays(shapes: PackedShapes, rays: RayChunk) -> PosedRays:
    """Prepare rays for judgment, and their origins as points; inputs must have been checked."""
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


def our_points(posed: PosedRays) -> Flags:
    """Return which origins are inside their shapes, by our algorithm."""
    from engine.continuous.ray_cast import contains_rows

    return contains_rows(posed.shapes, posed.indices, posed.turned, posed.origins).astype(np.bool_)


def our_rays(posed: PosedRays) -> Rays:
    """Return our ray casts."""
    from engine.continuous.ray_cast import ray_rows

    status, rows = ray_rows(posed.shapes, posed.indices, posed.turned, posed.origins, posed.translations)
    return Rays(status, rows[:, 0], rows[:, 3:5])
