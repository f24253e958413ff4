"""The queries, each judged on one chunk of cases: what Box2D answers, what we answer, the verdicts, and what there is to see of a row."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np

from engine.box2d.oracle.broad_phase import box2d_scene
from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.points import PointOracle
from engine.box2d.oracle.properties import ShapeOracle
from engine.compare.bulk import shown
from engine.compare.bulk.chunks import Chunk, Judged
from engine.compare.bulk.tally import MISSED, WRONG_AXIS
from engine.compare.cases import SHAPE_KINDS, RayChunk, motion_chunk, ray_chunk
from engine.compare.cases.properties import HULL_FAMILIES, MASS_FAMILIES, SCENE_FAMILIES, box_rows, mass_chunk, point_sets, scene_chunk
from engine.compare.queries import (
    Answers,
    Impacts,
    PosedRays,
    Rays,
    moving_pairs,
    our_distances,
    our_impacts,
    our_manifolds,
    our_overlaps,
    our_points,
    our_rays,
    posed_rays,
)
from engine.compare.verdicts.boxes import judge_boxes, judge_pairs, our_boxes, our_scene, posed_boxes
from engine.compare.verdicts.distances import judge_distances, judge_overlaps
from engine.compare.verdicts.hulls import judge_hulls, our_hulls
from engine.compare.verdicts.impacts import judge_impacts
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.masses import box2d_masses, judge_masses, our_masses
from engine.compare.verdicts.rays import judge_points, judge_rays
from engine.geometry import Circle, Polygon, Segment
from engine.narrowphase.packing import pack

__all__ = ["JUDGES"]

_Made = TypeVar("_Made")


def _timed(answer: Callable[[], _Made]) -> tuple[_Made, float]:
    started = time.perf_counter()
    made = answer()
    return made, time.perf_counter() - started


def _manifolds(work: Chunk) -> Judged:
    posed = work.posed
    box2d = work.oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b)
    ours, seconds = _timed(lambda: our_manifolds(posed))
    verdicts = judge_manifolds(posed, Answers.of(box2d), ours)
    return work.judged_pairs(verdicts, (seconds, box2d.seconds), partial(shown.pair, work, "manifold"), WRONG_AXIS)


def _overlaps(work: Chunk) -> Judged:
    posed = work.posed
    box2d, box2d_seconds = work.oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)
    ours, seconds = _timed(lambda: our_overlaps(posed))
    return work.judged_pairs(judge_overlaps(posed, box2d, ours), (seconds, box2d_seconds), partial(shown.pair, work, "overlap"))


def _distances(work: Chunk) -> Judged:
    """Those at 0 count as touching."""
    posed = work.posed
    box2d, box2d_seconds = work.oracle.gaps(posed.pairs, posed.poses_a, posed.poses_b)
    ours, seconds = _timed(lambda: our_distances(posed))
    return work.judged_pairs(judge_distances(posed, box2d, ours), (seconds, box2d_seconds), partial(shown.pair, work, "distance"))


def _impacts(work: Chunk) -> Judged:
    motion = work.prepare(lambda: motion_chunk(work.cases, work.seed, work.chunk))
    impacts = work.oracle.times_of_impact(work.posed.pairs, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(work.posed.shapes, work.posed.pairs, motion)
    ours, seconds = _timed(lambda: our_impacts(moving))
    verdicts = judge_impacts(moving, Impacts(impacts.status, impacts.fraction), ours)
    judged = work.judged_pairs(verdicts, (seconds, impacts.seconds), partial(shown.motion, work, motion), MISSED)
    return judged._replace(is_random=(work.cases.family < 0) & (motion.family < 0))


def _rays(work: Chunk) -> Judged:
    """Rays at the first shapes of the pairs."""
    oracle, rays, posed = _ray_cases(work, with_edges=True)
    box2d = oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    ours, seconds = _timed(lambda: our_rays(posed))
    verdicts, is_random = judge_rays(posed, Rays.of(box2d), ours), (work.cases.family < 0) & (rays.family < 0)
    return Judged(verdicts, (seconds, box2d.seconds), SHAPE_KINDS, rays.kind, partial(shown.ray, work, rays), is_random)


def _points(work: Chunk) -> Judged:
    """Points in and around the same shapes: the origins of rays; an edge contains none."""
    oracle, rays, posed = _ray_cases(work, with_edges=False)
    box2d, box2d_seconds = oracle.contains(rays.indices, rays.poses, rays.origins)
    ours, seconds = _timed(lambda: our_points(posed))
    verdicts, is_random = judge_points(posed, box2d, ours), (work.cases.family < 0) & (rays.family < 0)
    return Judged(verdicts, (seconds, box2d_seconds), SHAPE_KINDS, rays.kind, partial(shown.point, work, rays), is_random)


def _ray_cases(work: Chunk, with_edges: bool) -> tuple[PointOracle, RayChunk, PosedRays]:
    oracle, rays = work.points, work.prepare(lambda: ray_chunk(work.cases, work.seed, work.chunk, with_edges))
    return oracle, rays, work.prepare(lambda: posed_rays(pack(oracle.shapes), rays))


def _boxes(work: Chunk) -> Judged:
    """Boxes of the first shapes of the pairs, and of edges."""
    shapes, poses = work.packed, work.cases.poses_a
    indices = work.prepare(lambda: box_rows(work.cases, work.seed, work.chunk))
    oracle = work.prepare(lambda: ShapeOracle(work.cases.shapes))
    box2d, box2d_seconds = oracle.boxes(indices, poses)
    posed = work.prepare(lambda: posed_boxes(shapes, indices, poses))
    ours, seconds = _timed(lambda: our_boxes(posed))
    order = (Circle, Polygon, Segment)
    kind_of = np.array([order.index(type(shape)) for shape in work.cases.shapes])
    show = partial(shown.boxes, work, indices, ours, box2d)
    return Judged(judge_boxes(posed, box2d, ours), (seconds, box2d_seconds), SHAPE_KINDS, kind_of[indices], show)


def _masses(work: Chunk) -> Judged:
    """Masses of shapes made from those of the pairs."""
    chunk = work.prepare(lambda: mass_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    oracle = work.prepare(lambda: ShapeOracle(chunk.shapes, chunk.otherwise))
    masses = oracle.masses(chunk.density)
    solid = [shape for shape in oracle.shapes if not isinstance(shape, Segment)]
    ours, seconds = _timed(lambda: our_masses(solid, chunk.density))
    box2d = box2d_masses(masses, oracle.centroids)
    verdicts, show = judge_masses(solid, chunk.density, box2d, ours), partial(shown.masses, solid, ours, box2d)
    return Judged(verdicts, (seconds, masses.seconds), MASS_FAMILIES, chunk.family, show)


def _hulls(work: Chunk) -> Judged:
    """Hulls of sets of points; those of which Box2D makes a polygon count as touching."""
    sets = work.prepare(lambda: point_sets(work.seed, work.chunk, work.n_pairs))
    box2d = box2d_hulls(sets)
    ours, seconds = _timed(lambda: our_hulls(sets))
    family, show = np.arange(len(sets)) % len(HULL_FAMILIES), partial(shown.hulls, sets, ours, box2d.corners)
    return Judged(judge_hulls(sets, box2d, ours), (seconds, box2d.seconds), HULL_FAMILIES, family, show)


def _box_pairs(work: Chunk) -> Judged:
    """Pairs of boxes of a scene, all of them; those between which Box2D keeps a contact count as touching."""
    chunk = work.prepare(lambda: scene_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    shapes = work.packed
    scene = work.prepare(lambda: box2d_scene(chunk.shapes, chunk.poses, chunk.moves))
    work.case_seconds -= scene.seconds
    ours, seconds = _timed(lambda: our_scene(shapes, chunk.indices, scene))
    verdicts = judge_pairs(shapes, chunk.indices, scene, work.n_pairs, ours)
    family = np.full(work.n_pairs, work.chunk % len(SCENE_FAMILIES))
    show = partial(shown.box_pair, chunk.shapes, scene.poses, ours.after, scene.boxes, (ours.pairs, scene.pairs))
    return Judged(verdicts, (seconds, scene.seconds), SCENE_FAMILIES, family, show)


JUDGES: dict[str, Callable[[Chunk], Judged]] = {
    "manifold": _manifolds,
    "overlap": _overlaps,
    "distance": _distances,
    "toi": _impacts,
    "ray_cast": _rays,
    "contains": _points,
    "aabb": _boxes,
    "mass": _masses,
    "hull": _hulls,
    "pairs": _box_pairs,
}
