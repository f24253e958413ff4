"""Volumes of many bodies at once: packed once for the shapes, updated for all poses in one call, tested in one call for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.bounding._hull_kernel import hulls_overlap, posed_hulls
from engine.bounding._kdop_kernel import kdops_overlap, posed_kdops
from engine.bounding._volumes_kernel import (
    boxes_overlap,
    capsules_overlap,
    circles_overlap,
    oriented_boxes_overlap,
    posed_capsules,
    posed_circles,
    posed_oriented_boxes,
    rebuilt_boxes,
    refitted_boxes,
)  # fmt: skip
from engine.bounding.boxes import fitted_box, least_area_box
from engine.bounding.capsule import least_area_capsule
from engine.bounding.circles import BoundingCircle, mean_circle, smallest_circle
from engine.bounding.cloud import Cloud, Points, cloud_of
from engine.bounding.hull import bounding_hull, span_of
from engine.bounding.kdop import fitted_kdop, kdop_axes, kdop_cloud
from engine.bounding.kinds import KINDS
from engine.common.arrays import FloatArray, IntArray, finite_rows, index_column, index_pairs
from engine.common.checks import choice
from engine.common.errors import Described, InvalidInputError
from engine.geometry._rotation_kernel import turn_poses

__all__ = ["VolumeBatch"]


class VolumeBatch:
    """Volumes of one kind around several shapes, which can be placed at many poses.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    shapes : sequence
        For each body, an argument of `cloud_of`: points (n, 2), a shape, or several shapes; body frame, meters.
    k : int
        Sides of a k-DOP, even, 4 to 32; ignored for other kinds.

    Attributes
    ----------
    width : int
        Numbers in a row of `update`. Circles: x, y, radius. Boxes: lower, upper. Oriented boxes: center, axis, half sizes. k-DOPs: all
        lower ends, all upper ones, on `kdop_axes(k)`. Capsules: both ends, radius. Hulls: count, radius, span, corners.

    Raises
    ------
    InvalidInputError
        The kind or `k` is invalid, there is no shape, or one has no points.

    Examples
    --------
    >>> square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    >>> boxes = VolumeBatch("oriented_box", [square])
    >>> rows = boxes.update([0, 0], [(0.0, 0.0, 0.0), (2.1, 0.0, 0.7)])
    >>> boxes.overlap(rows, [(0, 1)]).tolist()
    [True]
    """

    def __init__(self, kind: str, shapes: Sequence[Points], k: int = 16) -> None:
        self.kind = choice("kind", kind, KINDS)
        self._form = _FORMS[kind]
        axes = kdop_axes(k).copy()  # writable, because a read-only array would compile the kernel again
        clouds = [cloud_of(shape) for shape in shapes]
        if not clouds:
            raise InvalidInputError("shapes", "at least one", Described("none"))
        self._n_shapes, self.width = len(clouds), self._form.width
        self._packed: tuple[FloatArray | IntArray, ...]
        if self._form.row is not None:
            self._packed = (np.array([self._form.row(cloud) for cloud in clouds]),)
            return
        if kind == "refitted_kdop":
            clouds = [kdop_cloud(fitted_kdop(cloud, k)) for cloud in clouds]
        if kind == "hull":
            hulls = [bounding_hull(cloud) for cloud in clouds]
            self._packed = _packed([(hull.vertices, hull.radius, hull.reach) for hull in hulls])
            self.width = 3 + 2 * max(len(hull.vertices) for hull in hulls)
            return
        self._packed = _packed([(cloud.points, cloud.radius, cloud.extent) for cloud in clouds])
        if kind != "box":
            self._packed, self.width = (*self._packed, axes), k

    def update(self, which: ArrayLike, poses: ArrayLike) -> FloatArray:
        """Return the volumes of bodies at poses.

        Parameters
        ----------
        which : array_like, (n,)
            The shape of each body.
        poses : array_like, (n, 3)
            World x, y, angle; meters, radians.

        Returns
        -------
        float64 (n, width)
        """
        shapes = index_column("which", which, self._n_shapes)
        checked_poses = finite_rows("poses", poses, 3, len(shapes))
        turned = np.empty((len(checked_poses), 4))
        turn_poses(checked_poses if checked_poses.flags.writeable else checked_poses.copy(), turned)
        return self.update_turned(shapes if shapes.flags.writeable else shapes.copy(), turned, np.empty((len(checked_poses), self.width)))

    def update_turned(self, which: IntArray, poses: FloatArray, rows: FloatArray) -> FloatArray:
        """Fill `rows` (n, width) for poses (n, 4) x, y, cos, sin; arrays are checked by the caller, and writable."""
        self._form.place(*self._packed, which, poses, rows)
        return rows

    def overlap(self, rows: FloatArray, pairs: ArrayLike) -> NDArray[np.bool_]:
        """Return True for each of `pairs` (m, 2) of rows of `update` if the volumes share a point; touching counts."""
        volumes = finite_rows("rows", rows, self.width) if self.kind != "hull" else _hull_rows(rows, self.width)
        return self.overlap_checked(volumes if volumes.flags.writeable else volumes.copy(), index_pairs("pairs", pairs, len(volumes)))

    def overlap_checked(self, rows: FloatArray, pairs: IntArray) -> NDArray[np.bool_]:
        """Same as `overlap`, for writable arrays that the caller has checked."""
        overlapping: NDArray[np.bool_] = self._form.overlap(rows, pairs)
        return overlapping


def _packed(parts: list[tuple[FloatArray, float, float]]) -> tuple[IntArray, IntArray, FloatArray, FloatArray]:
    """Return the first corner and corner count of each shape, all corners, and the radius, reach and span of each shape."""
    count: IntArray = np.array([len(corners) for corners, _, _ in parts], dtype=np.int64)
    first: IntArray = np.concatenate(([0], np.cumsum(count)[:-1])).astype(np.int64)
    rounded = np.array([(radius, reach, span_of(corners)) for corners, radius, reach in parts])
    return first, count, np.concatenate([corners for corners, _, _ in parts]), rounded


def _circle_row(circle: BoundingCircle) -> tuple[float, ...]:
    reach = float(np.hypot(*circle.center)) + circle.radius
    return (*circle.center, circle.radius, reach)


def _box_row(cloud: Cloud) -> tuple[float, ...]:
    box = fitted_box(cloud)
    middle = [0.5 * (low + high) for low, high in zip(box.lower, box.upper, strict=True)]
    half = np.maximum(np.subtract(box.upper, middle), np.subtract(middle, box.lower)).tolist()
    return (*middle, *half, max(abs(number) for number in (*box.lower, *box.upper)))


def _oriented_row(cloud: Cloud) -> tuple[float, ...]:
    box = least_area_box(cloud)
    return (*box.center, *box.axis, box.half_width, box.half_height, box.reach)


def _capsule_row(cloud: Cloud) -> tuple[float, ...]:
    capsule = least_area_capsule(cloud)
    return (*capsule.p1, *capsule.p2, capsule.radius, capsule.reach)


class _Form(NamedTuple):
    """Kernels of a kind of volume, for placing and testing; numbers per row; and the local row of a shape, if the kind has one."""

    place: Callable[..., None]
    overlap: Callable[..., Any]
    width: int = 4
    row: Callable[[Cloud], tuple[float, ...]] | None = None


_FORMS = {
    "mean_circle": _Form(posed_circles, circles_overlap, 3, lambda cloud: _circle_row(mean_circle(cloud))),
    "smallest_circle": _Form(posed_circles, circles_overlap, 3, lambda cloud: _circle_row(smallest_circle(cloud))),
    "refitted_box": _Form(refitted_boxes, boxes_overlap, 4, _box_row),
    "box": _Form(rebuilt_boxes, boxes_overlap),
    "oriented_box": _Form(posed_oriented_boxes, oriented_boxes_overlap, 6, _oriented_row),
    "capsule": _Form(posed_capsules, capsules_overlap, 5, _capsule_row),
    "refitted_kdop": _Form(posed_kdops, kdops_overlap),
    "kdop": _Form(posed_kdops, kdops_overlap),
    "hull": _Form(posed_hulls, hulls_overlap),
}


def _hull_rows(rows: FloatArray, width: int) -> FloatArray:
    """Check rows of hulls; shorter hulls have unused space after their corners."""
    values = np.ascontiguousarray(rows, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != width:
        raise InvalidInputError("rows", f"a (n, {width}) array of numbers", Described(f"shape {values.shape}"))
    count = values[:, 0]
    is_wrong = ~((count >= 1.0) & (count <= (width - 3) // 2) & (count == np.floor(count)))
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        raise InvalidInputError(f"rows[{row}, 0]", f"a count of corners from 1 to {(width - 3) // 2}", float(count[row]))
    return values
