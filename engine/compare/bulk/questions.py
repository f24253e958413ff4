"""The queries on one chunk of cases: what Box2D answers, how we answer, how that is judged, and what a report shows of a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from engine.box2d.oracle.broad_phase import box2d_scene
from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.properties import ShapeOracle
from engine.compare.bulk import shown
from engine.compare.bulk.chunks import Chunk, Question
from engine.compare.bulk.tally import MISSED, WRONG_AXIS
from engine.compare.cases import SHAPE_KINDS, RayChunk, motion_chunk, ray_chunk
from engine.compare.cases.properties import HULL_FAMILIES, MASS_FAMILIES, SCENE_FAMILIES, box_rows, mass_chunk, point_sets, scene_chunk
from engine.compare.queries import (
    Answers,
    Impacts,
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

__all__ = ["QUESTIONS"]


def _manifolds(work: Chunk) -> Question:
    cases = work.cases
    box2d = work.oracle.manifolds(cases.pairs, cases.poses_a, cases.poses_b)
    return work.by_kind_of_pair(
        lambda: work.posed,
        our_manifolds,
        lambda posed, ours: judge_manifolds(posed, Answers.of(box2d), ours),
        box2d.seconds,
        partial(shown.pair, work, "manifold"),
        WRONG_AXIS,
    )


def _overlaps(work: Chunk) -> Question:
    cases = work.cases
    box2d, seconds = work.oracle.overlaps(cases.pairs, cases.poses_a, cases.poses_b)
    return work.by_kind_of_pair(
        lambda: work.posed,
        our_overlaps,
        lambda posed, ours: judge_overlaps(posed, box2d, ours),
        seconds,
        partial(shown.pair, work, "overlap"),
    )


def _distances(work: Chunk) -> Question:
    """Those at 0 count as touching."""
    cases = work.cases
    box2d, seconds = work.oracle.gaps(cases.pairs, cases.poses_a, cases.poses_b)
    return work.by_kind_of_pair(
        lambda: work.posed,
        our_distances,
        lambda posed, ours: judge_distances(posed, box2d, ours),
        seconds,
        partial(shown.pair, work, "distance"),
    )


def _impacts(work: Chunk) -> Question:
    pairs, motion = work.cases.pairs, work.prepare(lambda: motion_chunk(work.cases, work.seed, work.chunk))
    impacts = work.oracle.times_of_impact(pairs, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    box2d = Impacts(impacts.status, impacts.fraction)
    question = work.by_kind_of_pair(
        lambda: moving_pairs(work.packed, pairs, motion),
        our_impacts,
        lambda moving, ours: judge_impacts(moving, box2d, ours),
        impacts.seconds,
        partial(shown.motion, work, motion),
        MISSED,
    )
    return question._replace(is_random=(work.cases.family < 0) & (motion.family < 0))


def _rays(work: Chunk) -> Question:
    """Rays at the first shapes of the pairs."""
    rays = _ray_cases(work, with_edges=True)
    box2d = work.points.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    return Question(
        lambda: posed_rays(pack(work.points.shapes), rays),
        our_rays,
        lambda posed, ours: judge_rays(posed, Rays.of(box2d), ours),
        box2d.seconds,
        SHAPE_KINDS,
        rays.kind,
        lambda _, row: shown.ray(work, rays, row),
        (work.cases.family < 0) & (rays.family < 0),
    )


def _points(work: Chunk) -> Question:
    """Points in and around the same shapes: the origins of rays; an edge contains none."""
    rays = _ray_cases(work, with_edges=False)
    box2d, seconds = work.points.contains(rays.indices, rays.poses, rays.origins)
    return Question(
        lambda: posed_rays(pack(work.points.shapes), rays),
        our_points,
        lambda posed, ours: judge_points(posed, box2d, ours),
        seconds,
        SHAPE_KINDS,
        rays.kind,
        lambda _, row: shown.point(work, rays, row),
        (work.cases.family < 0) & (rays.family < 0),
    )


def _ray_cases(work: Chunk, with_edges: bool) -> RayChunk:
    return work.prepare(lambda: ray_chunk(work.cases, work.seed, work.chunk, with_edges))


def _boxes(work: Chunk) -> Question:
    """Boxes of the first shapes of the pairs, and of edges."""
    poses = work.cases.poses_a
    indices = work.prepare(lambda: box_rows(work.cases, work.seed, work.chunk))
    box2d, seconds = work.prepare(lambda: ShapeOracle(work.cases.shapes)).boxes(indices, poses)
    order = (Circle, Polygon, Segment)
    kind_of = np.array([order.index(type(shape)) for shape in work.cases.shapes])
    return Question(
        lambda: posed_boxes(work.packed, indices, poses),
        our_boxes,
        lambda posed, ours: judge_boxes(posed, box2d, ours),
        seconds,
        SHAPE_KINDS,
        kind_of[indices],
        lambda ours, row: shown.boxes(work, indices, ours, box2d, row),
    )


def _masses(work: Chunk) -> Question:
    """Masses of shapes made from those of the pairs."""
    chunk = work.prepare(lambda: mass_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    oracle = work.prepare(lambda: ShapeOracle(chunk.shapes, chunk.otherwise))
    masses = oracle.masses(chunk.density)
    solid = [shape for shape in oracle.shapes if not isinstance(shape, Segment)]
    box2d = box2d_masses(masses, oracle.centroids)
    return Question(
        lambda: solid,
        lambda shapes: our_masses(shapes, chunk.density),
        lambda shapes, ours: judge_masses(shapes, chunk.density, box2d, ours),
        masses.seconds,
        MASS_FAMILIES,
        chunk.family,
        lambda ours, row: shown.masses(solid, ours, box2d, row),
    )


def _hulls(work: Chunk) -> Question:
    """Hulls of sets of points; those of which Box2D makes a polygon count as touching."""
    sets = work.prepare(lambda: point_sets(work.seed, work.chunk, work.n_pairs))
    box2d = box2d_hulls(sets)
    return Question(
        lambda: sets,
        our_hulls,
        lambda sets, ours: judge_hulls(sets, box2d, ours),
        box2d.seconds,
        HULL_FAMILIES,
        np.arange(len(sets)) % len(HULL_FAMILIES),
        lambda ours, row: shown.hulls(sets, ours, box2d.corners, row),
    )


def _box_pairs(work: Chunk) -> Question:
    """Pairs of boxes of a scene, all of them; those between which Box2D keeps a contact count as touching."""
    chunk = work.prepare(lambda: scene_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    scene = work.prepare(lambda: box2d_scene(chunk.shapes, chunk.poses, chunk.moves))
    work.case_seconds -= scene.seconds
    return Question(
        lambda: work.packed,
        lambda shapes: our_scene(shapes, chunk.indices, scene),
        lambda shapes, ours: judge_pairs(shapes, chunk.indices, scene, work.n_pairs, ours),
        scene.seconds,
        SCENE_FAMILIES,
        np.full(work.n_pairs, work.chunk % len(SCENE_FAMILIES)),
        lambda ours, row: shown.box_pair(chunk.shapes, scene.poses, ours.after, scene.boxes, (ours.pairs, scene.pairs), row),
    )


QUESTIONS: dict[str, Callable[[Chunk], Question]] = {
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
