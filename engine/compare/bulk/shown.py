"""The content of a row of a chunk: the pair as compared, or a sketch of a question that is not a pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.compare.bulk.tally import Point, Sketch
from engine.compare.pair.file import Pair
from engine.geometry import AnyShape, Circle, Polygon, Transform

if TYPE_CHECKING:
    from engine.common.arrays import FloatArray, IntArray
    from engine.compare.bulk.chunks import Chunk
    from engine.compare.cases import MotionChunk, RayChunk
    from engine.compare.verdicts.masses import Masses

__all__ = ["box_pair", "boxes", "hulls", "masses", "motion", "outline", "pair", "point", "ray"]

_ROUND = np.arange(0.0, 2.0 * math.pi, math.radians(5.0))


def pair(work: Chunk, query: str, row: int) -> Pair:
    """Return a pair at its poses."""
    cases = work.cases
    a, b = cases.pairs[row].tolist()
    return Pair(query, cases.shapes[a], _pose(cases.poses_a[row]), cases.shapes[b], _pose(cases.poses_b[row]))


def motion(work: Chunk, motion: MotionChunk, row: int) -> Pair:
    """Return a pair on its way."""
    cases = work.cases
    a, b = cases.pairs[row].tolist()
    start_a, start_b, end_a, end_b = (_pose(poses[row]) for poses in (motion.start_a, motion.start_b, motion.end_a, motion.end_b))
    return Pair("toi", cases.shapes[a], start_a, cases.shapes[b], start_b, end_a, end_b)


def ray(work: Chunk, rays: RayChunk, row: int) -> Pair:
    """Return a ray at its shape."""
    ends = _point(rays.origins[row]), _point(rays.ends[row])
    return Pair("ray_cast", work.cases.shapes[int(rays.indices[row])], _pose(rays.poses[row]), ray=ends)


def point(work: Chunk, rays: RayChunk, row: int) -> Pair:
    """Return a ray's origin and its shape."""
    shape = work.cases.shapes[int(rays.indices[row])]
    return Pair("contains", shape, _pose(rays.poses[row]), point=_point(rays.origins[row]))


def boxes(work: Chunk, indices: IntArray, ours: FloatArray, box2d: FloatArray, row: int) -> Sketch:
    """Return a shape with both boxes."""
    shape = outline(work.cases.shapes[int(indices[row])], _pose(work.cases.poses_a[row]))
    return Sketch((shape,), (), (_box(ours[row]),), (_box(box2d[row]),), _box_words(ours[row]), _box_words(box2d[row]))


def masses(shapes: Sequence[Circle | Polygon], ours: Masses, box2d: Masses, row: int) -> Sketch:
    """Return a shape with both centroids."""

    def words(masses: Masses) -> str:
        if masses.is_refused[row]:
            return "no mass"
        (x, y), (u, v) = masses.centroid[row].tolist(), masses.kept[row].tolist()
        kept = "" if (u, v) == (x, y) else f", kept for collision ({u:.9g}, {v:.9g})"
        return f"mass {masses.mass[row]:.9g} kg, centroid ({x:.9g}, {y:.9g}){kept}, inertia {masses.inertia[row]:.9g} kg m^2"

    places = [() if masses.is_refused[row] else ((_point(masses.centroid[row]),), (_point(masses.kept[row]),)) for masses in (ours, box2d)]
    return Sketch((outline(shapes[row], Transform()),), (), places[0], places[1], words(ours), words(box2d))


def hulls(sets: Sequence[FloatArray], ours: Sequence[FloatArray | None], box2d: Sequence[FloatArray | None], row: int) -> Sketch:
    """Return points with both hulls."""
    both = [() if hull is None else (_points(hull),) for hull in (ours[row], box2d[row])]
    words = ["no hull" if hull is None else f"{len(hull)} corners" for hull in (ours[row], box2d[row])]
    return Sketch((), _points(sets[row]), both[0], both[1], words[0], words[1])


def box_pair(
    shapes: Sequence[Circle | Polygon], poses: FloatArray, tight: FloatArray, wide: FloatArray, pairs: tuple[IntArray, IntArray], row: int
) -> Sketch:
    """Return two bodies with our boxes and those of Box2D's tree; `pairs` are ours and Box2D's."""
    b = (1 + math.isqrt(1 + 8 * row)) // 2
    a = row - b * (b - 1) // 2
    bodies = tuple(outline(shapes[at], _pose(poses[at])) for at in (a, b))
    words = [f"{'a' if (np.sort(found_pairs, axis=1) == (a, b)).all(axis=1).any() else 'no'} pair" for found_pairs in pairs]
    ours, box2d = (tuple(_box(some[at]) for at in (a, b)) for some in (tight, wide))
    return Sketch(bodies, (), ours, box2d, f"{words[0]} (tight boxes)", f"{words[1]} (boxes of its tree)")


def outline(shape: AnyShape, pose: Transform) -> tuple[Point, ...]:
    """Return the corners of a shape's core in the world; of a circle as many on it as look round."""
    if isinstance(shape, Circle):
        local = np.array(shape.center) + shape.radius * np.column_stack((np.cos(_ROUND), np.sin(_ROUND)))
    else:
        local = shape.core
    return _points(pose.apply_array(local))


def _pose(row: FloatArray) -> Transform:
    x, y, angle = row.tolist()
    return Transform((x, y), angle)


def _point(row: FloatArray) -> Point:
    x, y = row.tolist()
    return x, y


def _points(rows: FloatArray) -> tuple[Point, ...]:
    return tuple((x, y) for x, y in rows.tolist())


def _box(row: FloatArray) -> tuple[Point, ...]:
    left, bottom, right, top = row.tolist()
    return (left, bottom), (right, bottom), (right, top), (left, top)


def _box_words(row: FloatArray) -> str:
    left, bottom, right, top = row.tolist()
    return f"from ({left:.9g}, {bottom:.9g}) to ({right:.9g}, {top:.9g})"
