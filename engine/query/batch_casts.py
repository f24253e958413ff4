"""Queries about motion for many pairs, rays or points at once.

Shapes are packed once; each row has the indices of its shapes and its own poses. Results are read-only columns, bit-identical to those of
the scalar form: both use the same kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.common.arrays import FloatArray, IntArray, frozen
from engine.common.checks import choice, integer, non_negative
from engine.query._checking import check_t_max
from engine.query.shape_batch import ShapeBatch, check_batch, check_indices, check_pairs, finite_columns, turned_poses

__all__ = [
    "RayBatch",
    "SweptBatch",
    "TimeOfImpactBatch",
    "contains",
    "ray_cast",
    "shape_cast",
    "swept_contact",
    "time_of_impact",
]


@dataclass(frozen=True, slots=True)
class RayBatch:
    """Hits of rays or of cast shapes, one row each.

    Attributes
    ----------
    status : int64 (n,)
        HIT or MISS.
    fraction : float64 (n,)
        Infinite on a MISS.
    point, normal : float64 (n, 2)
        Zero on a MISS; the normal is also zero if the start is inside.
    """

    status: IntArray
    fraction: FloatArray
    point: FloatArray
    normal: FloatArray


@dataclass(frozen=True, slots=True)
class SweptBatch:
    """Contacts of translating shapes, one row per pair.

    Attributes
    ----------
    status : int64 (n,)
        HIT, MISS or OVERLAPPING.
    t_first, t_last : float64 (n,)
    normal, point : float64 (n, 2)
        Zero unless HIT.
    contact_count : int64 (n,)
        Number of points of the contact set: 2 for a segment, 1 for a point, 0 unless HIT.
    contact : float64 (n, 2, 2)
        The points; entries past the count are zero.
    """

    status: IntArray
    t_first: FloatArray
    t_last: FloatArray
    normal: FloatArray
    point: FloatArray
    contact_count: IntArray
    contact: FloatArray


@dataclass(frozen=True, slots=True)
class TimeOfImpactBatch:
    """First touches, one row per pair, as in `TimeOfImpact`."""

    fraction: FloatArray
    status: IntArray
    iterations: IntArray


def contains(shapes: ShapeBatch, indices: ArrayLike, xf: ArrayLike, points: ArrayLike) -> NDArray[np.bool_]:
    """Return for each row whether its point lies in its shape; see `engine.query.casts.contains`.

    Parameters
    ----------
    indices : (n,) whole numbers
        Indices into `shapes`.
    xf : (n, 3)
        Poses x, y, angle.
    points : (n, 2)
        World frame, meters.

    Raises
    ------
    InvalidInputError
        An index is out of range, lengths differ, or a number is not finite.
    """
    packed, checked = check_indices("indices", shapes, indices)
    poses, where = turned_poses("xf", xf, len(checked)), finite_columns("points", points, 2, len(checked))
    from engine.continuous import ray_cast as chapter

    return frozen(chapter.contains_rows(packed, checked, poses, where).astype(np.bool_))


def ray_cast(shapes: ShapeBatch, indices: ArrayLike, xf: ArrayLike, origins: ArrayLike, translations: ArrayLike) -> RayBatch:
    """Return for each row where its ray first meets its shape; see `engine.query.casts.ray_cast`.

    Parameters and errors as in `contains`; `origins` and `translations` (n, 2), meters.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> found = ray_cast(ShapeBatch([Circle(1.0)]), [0, 0], [(4, 0, 0)] * 2, [(0, 0), (0, 2)], [(6, 0)] * 2)
    >>> found.fraction.tolist(), found.normal.tolist()
    ([0.5, inf], [[-1.0, 0.0], [0.0, 0.0]])
    """
    packed, checked = check_indices("indices", shapes, indices)
    n, poses = len(checked), turned_poses("xf", xf, len(checked))
    starts, ways = finite_columns("origins", origins, 2, n), finite_columns("translations", translations, 2, n)
    from engine.continuous import ray_cast as chapter

    return _ray_batch(*chapter.ray_rows(packed, checked, poses, starts, ways))


def shape_cast(shapes: ShapeBatch, pairs: ArrayLike, xf: ArrayLike, translations: ArrayLike, xf_target: ArrayLike) -> RayBatch:
    """Cast the first shape of each pair at the second; see `engine.query.casts.shape_cast`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
        Indices of the cast shape and of its target.
    xf, xf_target : (n, 3)
        Poses x, y, angle.
    translations : (n, 2)
        Meters.

    Errors as in `contains`.
    """
    packed, checked = check_pairs(shapes, pairs)
    n = len(checked)
    poses, poses_target = turned_poses("xf", xf, n), turned_poses("xf_target", xf_target, n)
    ways = finite_columns("translations", translations, 2, n)
    from engine.continuous.swept import shape_cast_rows

    return _ray_batch(*shape_cast_rows(packed, checked, poses, ways, poses_target))


def swept_contact(
    shapes: ShapeBatch,
    pairs: ArrayLike,
    xf_a: ArrayLike,
    velocity_a: ArrayLike,
    xf_b: ArrayLike,
    velocity_b: ArrayLike,
    t_max: float,
    threads: int = 1,
) -> SweptBatch:
    """Return for each pair when its translating shapes first and last touch; see `engine.query.casts.swept_contact`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
    xf_a, xf_b : (n, 3)
        Poses x, y, angle at time 0.
    velocity_a, velocity_b : (n, 2)
        m/s.
    t_max : float
        >= 0, seconds, the same for all pairs.
    threads : int
        As in `overlap`.

    Errors as in `contains`.
    """
    packed, indices, poses_a, poses_b = check_batch(shapes, pairs, xf_a, xf_b)
    n = len(indices)
    moves_a, moves_b = finite_columns("velocity_a", velocity_a, 2, n), finite_columns("velocity_b", velocity_b, 2, n)
    duration, n_threads = non_negative("t_max", t_max, "s"), integer("threads", threads, 1)
    from engine.continuous.swept import swept_rows

    status, count, rows = swept_rows(packed, indices, poses_a, moves_a, poses_b, moves_b, duration, n_threads)
    return SweptBatch(
        status=frozen(status),
        t_first=frozen(rows[:, 0]),
        t_last=frozen(rows[:, 1]),
        normal=frozen(rows[:, 2:4]),
        point=frozen(rows[:, 4:6]),
        contact_count=frozen(count),
        contact=frozen(rows[:, 6:].reshape(-1, 2, 2)),
    )


def time_of_impact(
    shapes: ShapeBatch,
    pairs: ArrayLike,
    start_a: ArrayLike,
    end_a: ArrayLike,
    start_b: ArrayLike,
    end_b: ArrayLike,
    t_max: float = 1.0,
    target: Literal["touch", "box2d"] = "touch",
    center_a: ArrayLike | None = None,
    center_b: ArrayLike | None = None,
    threads: int = 1,
) -> TimeOfImpactBatch:
    """Return the first touch of each pair of moving and rotating shapes; see `engine.query.casts.time_of_impact`.

    Parameters
    ----------
    pairs : (n, 2) whole numbers
    start_a, end_a, start_b, end_b : (n, 3)
        Poses x, y, angle at fractions 0 and 1; angles are not wrapped.
    t_max : float
        0 to 1, the same for all pairs.
    target : "touch" or "box2d"
    center_a, center_b : (n, 2), optional
        The points that move on straight lines, body frame; by default the local origins.
    threads : int
        As in `overlap`.

    Raises
    ------
    InvalidInputError
        As in `contains`; or a `t_max` or `target` outside its range.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> still, moves = [(0, 0, 0)], ([(6, 0, 0)], [(-2, 0, 0)])
    >>> float(round(time_of_impact(ShapeBatch([Circle(1.0)]), [(0, 0)], still, still, *moves).fraction[0], 6))
    0.5
    """
    end, word = check_t_max(t_max), choice("target", target, ("touch", "box2d"))
    packed, indices = check_pairs(shapes, pairs)
    n = len(indices)
    centers_a, centers_b = (np.zeros((n, 2)) if center is None else center for center in (center_a, center_b))
    columns = {"start_a": start_a, "end_a": end_a, "center_a": centers_a, "start_b": start_b, "end_b": end_b, "center_b": centers_b}
    widths = {"center_a": 2, "center_b": 2}
    sweeps = tuple(finite_columns(field, column, widths.get(field, 3), n) for field, column in columns.items())
    n_threads = integer("threads", threads, 1)
    from engine.continuous.time_of_impact import METHODS, impact_rows

    rows = impact_rows(packed, indices, sweeps, end, METHODS["advancement"], word == "box2d", threads=n_threads)
    return TimeOfImpactBatch(frozen(rows.fraction), frozen(rows.status), frozen(rows.iterations))


def _ray_batch(status: IntArray, rows: FloatArray) -> RayBatch:
    from engine.contracts import Status

    return RayBatch(
        status=frozen(np.where(status == Status.MISS, int(Status.MISS), int(Status.HIT))),
        fraction=frozen(rows[:, 0].copy()),
        point=frozen(rows[:, 1:3].copy()),
        normal=frozen(rows[:, 3:5].copy()),
    )
