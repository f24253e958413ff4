"""The queries about pairs of shapes, and about rays and points at a shape, each on one chunk."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle.points import PointOracle
from engine.common.arrays import FloatArray
from engine.compare.asked.motions import Impacts, moving_pairs, our_impacts
from engine.compare.asked.pairs import Answers, our_manifolds
from engine.compare.asked.rays import PosedRays, Rays, our_points, our_rays, posed_rays
from engine.compare.bulk.chunks import Chunk, tally_of
from engine.compare.bulk.histogram import Histogram
from engine.compare.bulk.shown import show_motions, show_pairs, show_points, show_rays
from engine.compare.bulk.tally import MISSED, WRONG_AXIS, QueryTally
from engine.compare.cases import PAIR_KINDS, SHAPE_KINDS, RayChunk
from engine.compare.proofs.touching_limit import explain_overlap
from engine.compare.verdicts.distances import judge_distances, our_distances
from engine.compare.verdicts.explanation import Explanation
from engine.compare.verdicts.impacts import judge_impacts
from engine.compare.verdicts.manifolds import judge_manifolds
from engine.compare.verdicts.rays import judge_points, judge_rays
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["compare_distances", "compare_impacts", "compare_manifolds", "compare_overlaps", "compare_points", "compare_rays"]


def compare_manifolds(work: Chunk) -> QueryTally:
    """Manifolds of the pairs at their poses."""
    posed, oracle, chunk = work.posed, work.oracle, work.chunk
    box2d = oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b)
    started = time.perf_counter()
    ours = our_manifolds(posed)
    our_seconds = time.perf_counter() - started
    points = np.concatenate((box2d.position, box2d.separation[:, :, None]), axis=2)
    verdicts = judge_manifolds(posed, Answers(box2d.count, box2d.normal, points), ours)
    is_random = work.cases.family < 0
    tally = tally_of(verdicts.differences, chunk, PAIR_KINDS, work.cases.kind, box2d.count > 0, is_random, show_pairs(work, "manifold"))
    tally.wrong = WRONG_AXIS
    tally.histograms["point_error"] = Histogram.of(verdicts.point_errors)
    tally.histograms["normal_error"] = Histogram.of(verdicts.normal_errors)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d.seconds
    return tally


def compare_overlaps(work: Chunk) -> QueryTally:
    """Whether they overlap."""
    posed, oracle, chunk = work.posed, work.oracle, work.chunk
    box2d, box2d_seconds = oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)
    started = time.perf_counter()
    ours = batched.overlap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)
    our_seconds = time.perf_counter() - started
    differences = []
    for row in np.flatnonzero(box2d != ours).tolist():
        told = f"Box2D says {bool(box2d[row])}, ours {bool(ours[row])}, farther from the limit than rounding reaches"
        differences.append(Explanation(row, *(explain_overlap(posed, row, bool(box2d[row])) or ("unexplained", 0.0, told))))
    is_random = work.cases.family < 0
    tally = tally_of(differences, chunk, PAIR_KINDS, work.cases.kind, box2d, is_random, show_pairs(work, "overlap"))
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d_seconds
    return tally


def compare_distances(work: Chunk) -> QueryTally:
    """Their distances; those at 0 count as touching."""
    posed = work.posed
    distance, box2d_seconds = work.distances.gaps(posed.pairs, posed.poses_a, posed.poses_b)
    started = time.perf_counter()
    ours = our_distances(posed)
    our_seconds = time.perf_counter() - started
    verdicts = judge_distances(posed, distance, ours)
    is_random, is_zero = work.cases.family < 0, distance == 0.0
    tally = tally_of(verdicts.differences, work.chunk, PAIR_KINDS, work.cases.kind, is_zero, is_random, show_pairs(work, "distance"))
    tally.histograms["point_error"] = _of_agreeing(np.abs(ours - distance), ~is_zero, verdicts.differences)
    tally.max_point_error = verdicts.max_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d_seconds
    return tally


def compare_impacts(work: Chunk) -> QueryTally:
    """Times of impact of the pairs on their way."""
    motion = work.motion
    found = work.oracle.times_of_impact(work.posed.pairs, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(work.posed.shapes, work.posed.pairs, motion)
    started = time.perf_counter()
    ours = our_impacts(moving)
    our_seconds = time.perf_counter() - started
    verdicts = judge_impacts(moving, Impacts(found.status, found.fraction), ours)
    is_random = (work.cases.family < 0) & (motion.family < 0)
    touches = ours.status == Status.HIT
    tally = tally_of(verdicts.differences, work.chunk, PAIR_KINDS, work.cases.kind, touches, is_random, show_motions(work))
    tally.wrong = MISSED
    both_touch = touches & (found.status == Status.HIT)
    tally.histograms["fraction_error"] = _of_agreeing(np.abs(ours.fraction - found.fraction), both_touch, verdicts.differences)
    tally.maxima = {"max_fraction_error": verdicts.max_fraction_error, "worst_missed_depth": verdicts.worst_missed_depth}
    tally.our_seconds, tally.box2d_seconds = our_seconds, found.seconds
    return tally


def compare_rays(work: Chunk) -> QueryTally:
    """Rays at the first shapes of the pairs."""
    oracle, posed, rays = _ray_cases(work)
    box2d = oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    started = time.perf_counter()
    ours = our_rays(posed)
    our_seconds = time.perf_counter() - started
    status = np.where(box2d.hit, int(Status.HIT), int(Status.MISS))
    verdicts = judge_rays(posed, Rays(status, box2d.fraction, box2d.normal), ours)
    is_random = (work.cases.family < 0) & (rays.family < 0)
    tally = tally_of(verdicts.differences, work.chunk, SHAPE_KINDS, rays.kind, box2d.hit, is_random, show_rays(work))
    both_hit = box2d.hit & (ours.status == Status.HIT)
    apart = np.abs(np.where(both_hit, ours.fraction, 0.0) - np.where(both_hit, box2d.fraction, 0.0))
    tally.histograms["point_error"] = _of_agreeing(apart * np.hypot(*posed.translations.T), both_hit, verdicts.differences)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d.seconds
    return tally


def compare_points(work: Chunk) -> QueryTally:
    """Points in and around the same shapes: the origins of rays; an edge contains none."""
    oracle, posed, rays = _ray_cases(work, with_edges=False)
    box2d, box2d_seconds = oracle.contains(rays.indices, rays.poses, rays.origins)
    started = time.perf_counter()
    ours = our_points(posed)
    our_seconds = time.perf_counter() - started
    verdicts = judge_points(posed, box2d, ours)
    is_random = (work.cases.family < 0) & (rays.family < 0)
    tally = tally_of(verdicts.differences, work.chunk, SHAPE_KINDS, rays.kind, box2d, is_random, show_points(work))
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d_seconds
    return tally


def _of_agreeing(error: FloatArray, counts: NDArray[np.bool_], differences: Sequence[Explanation]) -> Histogram:
    """Return the histogram of the errors of those rows that count and agree."""
    counts = counts.copy()
    counts[[one.row for one in differences]] = False
    return Histogram.of(error[counts])


def _ray_cases(work: Chunk, with_edges: bool = True) -> tuple[PointOracle, PosedRays, RayChunk]:
    oracle, rays = work.points, work.rays(with_edges)
    return oracle, work.prepare(lambda: posed_rays(pack(oracle.shapes), rays)), rays
