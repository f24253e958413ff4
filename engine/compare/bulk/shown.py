"""What there is to see of a row of a chunk: the pair as it was asked, or a sketch of a question that is no pair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from engine.compare.bulk.example import Point, Sketch
from engine.compare.pair.file import Pair
from engine.geometry import Circle, Polygon, Segment, Transform

if TYPE_CHECKING:
    from engine.common.arrays import FloatArray, IntArray
    from engine.compare.bulk.chunks import Chunk, Show
    from engine.compare.verdicts.masses import Masses

__all__ = ["show_boxes", "show_hulls", "show_masses", "show_motions", "show_pairs", "show_points", "show_rays", "show_scene"]

_ROUND = np.arange(0.0, 2.0 * math.pi, math.radians(5.0))


def show_pairs(work: Chunk, query: str) -> Show:
    """Return what shows the pairs of a chunk at their poses."""

    def show(row: int) -> Pair:
        cases = work.cases
        a, b = cases.pairs[row].tolist()
        return Pair(query, cases.shapes[a], _pose(cases.poses_a[row]), cases.shapes[b], _pose(cases.poses_b[row]))

    return show


def show_motions(work: Chunk) -> Show:
    """Return what shows them on their way."""

    def show(row: int) -> Pair:
        cases, motion = work.cases, work.motion
        a, b = cases.pairs[row].tolist()
        starts_ends = (_pose(poses[row]) for poses in (motion.start_a, motion.start_b, motion.end_a, motion.end_b))
        start_a, start_b, end_a, end_b = starts_ends
        return Pair("toi", cases.shapes[a], start_a, cases.shapes[b], start_b, end_a, end_b)

    return show


def show_rays(work: Chunk) -> Show:
    """Return what shows the rays of a chunk."""
    rays = work.rays(with_edges=True)

    def show(row: int) -> Pair:
        ray = _point(rays.origins[row]), _point(rays.ends[row])
        return Pair("ray_cast", work.cases.shapes[int(rays.indices[row])], _pose(rays.poses[row]), ray=ray)

    return show


def show_points(work: Chunk) -> Show:
    """Return what shows the points of a chunk."""
    rays = work.rays(with_edges=False)

    def show(row: int) -> Pair:
        shape = work.cases.shapes[int(rays.indices[row])]
        return Pair("contains", shape, _pose(rays.poses[row]), point=_point(rays.origins[row]))

    return show


def show_boxes(work: Chunk, indices: IntArray, ours: FloatArray, box2d: FloatArray) -> Show:
    """Return what shows a shape with both boxes."""

    def show(row: int) -> Sketch:
        shape = outline(work.cases.shapes[int(indices[row])], _pose(work.cases.poses_a[row]))
        return Sketch((shape,), (), (_box(ours[row]),), (_box(box2d[row]),), _box_words(ours[row]), _box_words(box2d[row]))

    return show


def show_masses(shapes: list[Circle | Polygon], ours: Masses, box2d: Masses) -> Show:
    """Return what shows a shape with both centroids."""

    def words(one: Masses, row: int) -> str:
        if one.is_refused[row]:
            return "no mass"
        (x, y), (u, v) = one.centroid[row].tolist(), one.kept[row].tolist()
        kept = "" if (u, v) == (x, y) else f", kept for collision ({u:.9g}, {v:.9g})"
        return f"mass {one.mass[row]:.9g} kg, centroid ({x:.9g}, {y:.9g}){kept}, inertia {one.inertia[row]:.9g} kg m^2"

    def show(row: int) -> Sketch:
        places = [() if one.is_refused[row] else ((_point(one.centroid[row]),), (_point(one.kept[row]),)) for one in (ours, box2d)]
        shape = outline(shapes[row], Transform())
        return Sketch((shape,), (), places[0], places[1], words(ours, row), words(box2d, row))

    return show


def show_hulls(sets: list[FloatArray], ours: list[FloatArray | None], box2d: tuple[FloatArray | None, ...]) -> Show:
    """Return what shows points with both hulls."""

    def show(row: int) -> Sketch:
        hulls = [() if hull is None else (_points(hull),) for hull in (ours[row], box2d[row])]
        words = ["no hull" if hull is None else f"{len(hull)} corners" for hull in (ours[row], box2d[row])]
        return Sketch((), _points(sets[row]), hulls[0], hulls[1], words[0], words[1])

    return show


def show_scene(
    shapes: tuple[Circle | Polygon, ...], poses: FloatArray, tight: FloatArray, wide: FloatArray, is_pair: list[IntArray]
) -> Show:
    """Return what shows two bodies with our boxes and those of Box2D's tree; `is_pair` has our pairs and Box2D's."""

    def show(row: int) -> Sketch:
        b = (1 + math.isqrt(1 + 8 * row)) // 2
        a = row - b * (b - 1) // 2
        bodies = tuple(outline(shapes[at], _pose(poses[at])) for at in (a, b))
        both = [bool((np.sort(pairs, axis=1) == (a, b)).all(axis=1).any()) for pairs in is_pair]
        words = [f"{'a' if found else 'no'} pair" for found in both]
        ours, box2d = (tuple(_box(boxes[at]) for at in (a, b)) for boxes in (tight, wide))
        return Sketch(bodies, (), ours, box2d, f"{words[0]} (tight boxes)", f"{words[1]} (the boxes of its tree)")

    return show


def outline(shape: Circle | Polygon | Segment, pose: Transform) -> tuple[Point, ...]:
    """Return the corners of a shape in the world; of a circle as many as look round."""
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
