"""The queries about single shapes and about whole scenes, each on one chunk: boxes, masses, hulls, pairs of boxes."""

from __future__ import annotations

import time

import numpy as np

from engine.box2d.oracle.broad_phase import box2d_scene
from engine.box2d.oracle.hulls import box2d_hulls
from engine.box2d.oracle.properties import ShapeOracle
from engine.compare.bulk.chunks import Chunk, tally_of
from engine.compare.bulk.shown import show_boxes, show_hulls, show_masses, show_scene
from engine.compare.bulk.tally import QueryTally
from engine.compare.cases import SHAPE_KINDS
from engine.compare.cases.properties import HULL_FAMILIES, MASS_FAMILIES, box_rows, mass_chunk, point_sets
from engine.compare.cases.scenes import SCENE_FAMILIES, n_bodies, scene_chunk
from engine.compare.verdicts.box_pairs import judge_pairs, our_scene
from engine.compare.verdicts.boxes import judge_boxes, our_boxes, posed_boxes
from engine.compare.verdicts.hulls import judge_hulls, our_hulls
from engine.compare.verdicts.masses import box2d_masses, judge_masses, our_masses
from engine.geometry import Circle, Polygon, Segment

__all__ = ["compare_boxes", "compare_hulls", "compare_masses", "compare_pairs"]


def compare_boxes(work: Chunk) -> QueryTally:
    """Boxes of the first shapes of the pairs, and of edges; all of them count as touching nothing."""
    shapes, poses = work.packed, work.cases.poses_a
    indices = work.prepare(lambda: box_rows(work.cases, work.seed, work.chunk))
    box2d, box2d_seconds = work.bodies.boxes(indices, poses)
    posed = work.prepare(lambda: posed_boxes(shapes, indices, poses))
    started = time.perf_counter()
    ours = our_boxes(posed)
    our_seconds = time.perf_counter() - started
    verdicts = judge_boxes(posed, box2d, ours)
    order = (Circle, Polygon, Segment)
    kind_of = np.array([order.index(type(shape)) for shape in work.cases.shapes])
    nothing = np.zeros(len(indices), dtype=np.bool_)
    show = show_boxes(work, indices, ours, box2d)
    tally = tally_of(verdicts.differences, work.chunk, SHAPE_KINDS, kind_of[indices], nothing, show=show)
    tally.max_point_error = verdicts.max_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d_seconds
    return tally


def compare_masses(work: Chunk) -> QueryTally:
    """Masses of shapes made from those of the pairs."""
    chunk = work.prepare(lambda: mass_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    oracle = work.prepare(lambda: ShapeOracle(chunk.shapes, chunk.otherwise))
    found = oracle.masses(chunk.density)
    solid = [shape for shape in oracle.shapes if not isinstance(shape, Segment)]
    started = time.perf_counter()
    ours = our_masses(solid, chunk.density)
    our_seconds = time.perf_counter() - started
    box2d = box2d_masses(found, oracle.centroids)
    verdicts = judge_masses(solid, chunk.density, box2d, ours)
    nothing = np.zeros(len(solid), dtype=np.bool_)
    show = show_masses(solid, ours, box2d)
    tally = tally_of(verdicts.differences, work.chunk, MASS_FAMILIES, chunk.family, nothing, show=show)
    tally.max_point_error = verdicts.max_point_error
    tally.maxima = {
        "max_relative_error": verdicts.max_relative_error,
        "worst_inertia_error": verdicts.worst_inertia_error,
        "worst_kept_centroid_error": verdicts.worst_kept_error,
    }
    tally.our_seconds, tally.box2d_seconds = our_seconds, found.seconds
    return tally


def compare_hulls(work: Chunk) -> QueryTally:
    """Hulls of sets of points; those of which Box2D makes a polygon count as touching."""
    sets = work.prepare(lambda: point_sets(work.seed, work.chunk, work.n_pairs))
    box2d = box2d_hulls(sets)
    started = time.perf_counter()
    ours = our_hulls(sets)
    our_seconds = time.perf_counter() - started
    verdicts = judge_hulls(sets, box2d, ours)
    family = np.arange(len(sets)) % len(HULL_FAMILIES)
    is_made = np.array([corners is not None for corners in box2d.corners])
    show = show_hulls(sets, ours, box2d.corners)
    tally = tally_of(verdicts.differences, work.chunk, HULL_FAMILIES, family, is_made, show=show)
    tally.maxima = {"max_tie": verdicts.max_tie}
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d.seconds
    return tally


def compare_pairs(work: Chunk) -> QueryTally:
    """Pairs of boxes of a scene, all of them; those between which Box2D keeps a contact count as touching."""
    chunk = work.prepare(lambda: scene_chunk(work.cases, work.seed, work.chunk, work.n_pairs))
    shapes = work.packed
    scene = work.prepare(lambda: box2d_scene(chunk.shapes, chunk.poses, chunk.moves))
    work.case_seconds -= scene.seconds
    started = time.perf_counter()
    ours = our_scene(shapes, chunk.indices, scene)
    our_seconds = time.perf_counter() - started
    verdicts = judge_pairs(shapes, chunk.indices, scene, work.n_pairs, ours)
    family = np.full(work.n_pairs, work.chunk % len(SCENE_FAMILIES))
    show = show_scene(chunk.shapes, scene.poses, ours.after, scene.boxes, [ours.pairs, scene.pairs])
    tally = tally_of(verdicts.differences, work.chunk, SCENE_FAMILIES, family, verdicts.is_touching, show=show)
    tally.max_point_error = verdicts.max_error
    tally.maxima = {"most_bodies": float(n_bodies(work.n_pairs))}
    tally.our_seconds, tally.box2d_seconds = our_seconds, scene.seconds
    return tally
