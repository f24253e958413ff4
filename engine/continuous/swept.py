"""First and last contact of two translating shapes, with their contact set at the first; and shape casts, which are rays with a shape.

A shape S that translates meets a shape T when its path, a ray, meets the set of all t - s, the Minkowski difference; so a shape cast is the
swept contact of `_swept_kernel` with one side at rest, and its answer is read as a ray's: where on T, and which way T faces there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.common._record_kernel import checked_trace
from engine.common.arrays import FloatArray, IntArray, finite_rows, index_pairs
from engine.common.errors import InvalidInputError
from engine.common.jit import has_wide_registers
from engine.common.threads import in_parts
from engine.continuous._swept_kernel import SWEPT_SIZE, TIMES_SIZE, swept_pairs
from engine.continuous._swept_simd_kernel import SCRATCH, swept_simd
from engine.contracts import ContactSet, RayHit, Status, SweptContact
from engine.geometry import AnyShape, Transform
from engine.geometry._rotation_kernel import turn_poses
from engine.narrowphase.packing import SIMD_FROM, PackedShapes, cached_pack
from engine.narrowphase.scratch import ONE_PAIR, pose_row

__all__ = ["shape_cast", "shape_cast_rows", "swept_contact", "swept_rows"]


def swept_contact(
    a: AnyShape,
    xf_a: Transform,
    velocity_a: tuple[float, float],
    b: AnyShape,
    xf_b: Transform,
    velocity_b: tuple[float, float],
    t_max: float,
    trace: FloatArray | None = None,
) -> SweptContact:
    """Find when and where two shapes that translate at constant velocity first touch, and when they separate again.

    Parameters
    ----------
    a, b : Circle, Polygon, Capsule or Segment
        Body frame, meters; radii and skins count as part of the shape.
    xf_a, xf_b : Transform
        World poses at time 0; the angles stay.
    velocity_a, velocity_b : pair of float
        m/s.
    t_max : float
        >= 0, seconds. A first contact later than this is a miss.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps; see `engine.common._record_kernel`; the answer is the same to the bit.

    Returns
    -------
    SweptContact
        OVERLAPPING: they touch at time 0 (within rounding). HIT: `t_first` in ``[0, t_max]``; a graze counts. MISS: neither.
        `t_last` may exceed `t_max`, and is infinite where they never part.

    References
    ----------
    See `engine.continuous._swept_kernel`, which derives it.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> wall = Polygon.box(0.5, 5.0)
    >>> hit = swept_contact(wall, Transform(), (0.0, 0.0), Circle(0.25), Transform((-4.75, 1.0)), (8.0, 0.0), 1.0)
    >>> hit.status.name, hit.t_first, hit.point
    ('HIT', 0.5, (-0.5, 1.0))
    >>> box = Polygon.box(1.0, 1.0)
    >>> swept_contact(wall, Transform(), (0.0, 0.0), box, Transform((5.5, 0.0)), (-8.0, 0.0), 1.0).contact_set.points
    ((0.5, -1.0), (0.5, 1.0))
    """
    status, counts, results = _one_by_one(
        cached_pack(a, b), ONE_PAIR, pose_row(xf_a)[None], np.array([velocity_a], dtype=np.float64),
        pose_row(xf_b)[None], np.array([velocity_b], dtype=np.float64), float(t_max), checked_trace(trace),
    )  # fmt: skip
    ended = Status(int(status[0]))
    t_first, t_last, normal_x, normal_y, x, y, x1, y1, x2, y2 = results[0].tolist()
    if ended is not Status.HIT:
        nothing = ContactSet(Status.OVERLAPPING if ended is Status.OVERLAPPING else Status.SEPARATED, None, ())
        return SweptContact(ended, t_first, t_last, None, None, nothing)
    normal = (normal_x, normal_y)
    ends = ((x1, y1), (x2, y2)) if counts[0] > 1 else ((x, y),)
    return SweptContact(ended, t_first, t_last, normal, (x, y), ContactSet(Status.TOUCHING, normal, ends))


def shape_cast(
    shape: AnyShape,
    xf: Transform,
    translation: tuple[float, float],
    target: AnyShape,
    xf_target: Transform,
    trace: FloatArray | None = None,
) -> RayHit:
    """Cast `shape` from its pose along `translation`, without rotation, at a `target` at rest.

    Parameters
    ----------
    shape, target : Circle, Polygon, Capsule or Segment
        Body frame, meters; radii and skins count as part of the shape.
    xf, xf_target : Transform
        World poses.
    translation : pair of float
        Meters.
    trace : float64 (k, TRACE_WIDTH), optional
        Receives the steps, in the target's frame: there A is the target.

    Returns
    -------
    RayHit
        HIT: `fraction` of the translation at the first touch, a point of the target that is touched (of a segment its middle) and
        the target's outward normal there. Overlap at the start is a HIT at 0 with point and normal None. MISS: none.

    Examples
    --------
    >>> from engine.geometry import Circle, Polygon
    >>> hit = shape_cast(Circle(0.5), Transform((-4.0, 0.0)), (6.0, 0.0), Polygon.box(0.5, 2.0), Transform())
    >>> hit.fraction, hit.point
    (0.5, (-0.5, 0.0))
    """
    status, _, rows = _one_by_one(
        cached_pack(target, shape), ONE_PAIR, pose_row(xf_target)[None], np.zeros((1, 2)),
        pose_row(xf)[None], np.array([translation], dtype=np.float64), 1.0, checked_trace(trace),
    )  # fmt: skip
    results = _ray_columns(rows)
    fraction, point_x, point_y, normal_x, normal_y = results[0].tolist()
    if status[0] == Status.HIT:
        return RayHit(Status.HIT, fraction, (point_x, point_y), (normal_x, normal_y))
    if status[0] == Status.OVERLAPPING:
        return RayHit(Status.HIT, 0.0, None, None)
    return RayHit(Status.MISS, fraction, None, None)


def swept_rows(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
    with_contact: bool = True,
    threads: int = 1,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return status (n,), ends of the contact (n,) and results (n, `SWEPT_SIZE`) of `pairs` at poses (n, 3) x, y, angle.

    Arrays are contiguous and writable. Indices and numbers need not be checked before: the kernels do so. Polygons without skins and sharp
    corners are processed in SIMD lanes if there are many, with bit-identical results. Without contact, the ends are not counted, and the
    results are `TIMES_SIZE` wide. The pairs are divided among `threads`.

    Raises
    ------
    InvalidInputError
        An index out of range, or a number in `xf_a`, `xf_b`, `velocity_a` or `velocity_b` that is not finite.
    """
    n = len(pairs)
    moves = (poses_a, velocities_a, poses_b, velocities_b)
    if n < SIMD_FROM or not has_wide_registers():
        _refuse_wrong(shapes, pairs, *moves)
        status, counts, results = _one_by_one(shapes, pairs, *_turned(moves), t_max)
        return status, counts, results if with_contact else results[:, :TIMES_SIZE]
    rows = _empty_rows(n, SWEPT_SIZE if with_contact else TIMES_SIZE)

    def fill(part: slice) -> None:
        some = (poses_a[part], velocities_a[part], poses_b[part], velocities_b[part])
        _fill(shapes, pairs[part], some, t_max, with_contact, (rows[0][part], rows[1][part], rows[2][part]))

    try:
        in_parts(n, threads, fill)
    except InvalidInputError:  # of a part, in which its rows were counted
        _refuse_wrong(shapes, pairs, poses_a, velocities_a, poses_b, velocities_b)
        raise
    return rows


def _fill(
    shapes: PackedShapes,
    pairs: IntArray,
    moves: tuple[FloatArray, FloatArray, FloatArray, FloatArray],
    t_max: float,
    with_contact: bool,
    rows: tuple[IntArray, IntArray, FloatArray],
) -> None:
    status, counts, results = rows
    rest = np.empty(len(pairs) + 1).view(np.int64)
    n_rest = swept_simd(
        shapes.simd_vertices, shapes.records, pairs, *moves, t_max, with_contact, status, counts, results, np.empty(SCRATCH), rest
    )  # fmt: skip
    if n_rest != 0:
        _refuse_wrong(shapes, pairs, *moves)
        rest = rest[:n_rest]
        others = _one_by_one(shapes, pairs[rest], *_turned([column[rest] for column in moves]), t_max)
        status[rest], counts[rest], results[rest] = others[0], others[1], others[2][:, : results.shape[1]]


def _empty_rows(n: int, width: int) -> tuple[IntArray, IntArray, FloatArray]:
    """Allocate status, counts and results of `n` pairs, in one block of memory."""
    piece = np.empty((width + 2) * n)
    integers = piece.view(np.int64)
    return integers[:n], integers[n : 2 * n], piece[2 * n :].reshape(n, width)


def _refuse_wrong(
    shapes: PackedShapes, pairs: IntArray, poses_a: FloatArray, velocities_a: FloatArray, poses_b: FloatArray, velocities_b: FloatArray
) -> None:
    index_pairs("pairs", pairs, len(shapes))
    finite_rows("xf_a", poses_a, 3)
    finite_rows("xf_b", poses_b, 3)
    finite_rows("velocity_a", velocities_a, 2)
    finite_rows("velocity_b", velocities_b, 2)


def _turned(moves: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the same with poses (n, 4) x, y, cos, sin."""
    poses_a, velocities_a, poses_b, velocities_b = moves
    turned_a, turned_b = np.empty((len(poses_a), 4)), np.empty((len(poses_b), 4))
    turn_poses(poses_a, turned_a)
    turn_poses(poses_b, turned_b)
    return turned_a, velocities_a, turned_b, velocities_b


def _one_by_one(
    shapes: PackedShapes,
    pairs: IntArray,
    poses_a: FloatArray,
    velocities_a: FloatArray,
    poses_b: FloatArray,
    velocities_b: FloatArray,
    t_max: float,
    trace: FloatArray | None = None,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the same, contacts included, by the scalar kernel: poses (n, 4) x, y, cos, sin; inputs checked and writable."""
    rows = _empty_rows(len(pairs), SWEPT_SIZE)
    swept_pairs(shapes.arrays, pairs, poses_a, velocities_a, poses_b, velocities_b, t_max, *rows, trace)
    return rows


def shape_cast_rows(
    shapes: PackedShapes, pairs: IntArray, poses: FloatArray, translations: FloatArray, poses_target: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return status (n,), OVERLAPPING where they do at 0, and fraction, point, normal (n, 5), for pairs of a shape and its target.

    Poses are (n, 3) x, y, angle. Inputs checked and writable.
    """
    turned = np.ascontiguousarray(pairs[:, ::-1])
    status, _, rows = swept_rows(shapes, turned, poses_target, np.zeros((len(pairs), 2)), poses, translations, 1.0)
    return status, _ray_columns(rows)


def _ray_columns(found: FloatArray) -> FloatArray:
    return np.column_stack((found[:, 0], found[:, 4:6], found[:, 2:4]))
