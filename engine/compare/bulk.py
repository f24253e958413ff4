"""Our answers against Box2D's over many seeded pairs, shared among processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.box2d.oracle import BOX2D_VERSION
from engine.box2d.point_oracle import PointOracle
from engine.common.arrays import FloatArray
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.compare.cases import PAIR_KINDS, SHAPE_KINDS, RayChunk, chunk_sizes
from engine.compare.chunks import Chunk, tally_of
from engine.compare.cluster import check_address, run_on_cluster
from engine.compare.distances import judge_distances, our_distances
from engine.compare.histogram import Histogram
from engine.compare.impacts import Impacts, judge_impacts, moving_pairs, our_impacts
from engine.compare.judge import Explanation, judge_manifolds
from engine.compare.posed import Answers, our_manifolds
from engine.compare.property_queries import compare_boxes, compare_hulls, compare_masses, compare_pairs
from engine.compare.rays import PosedRays, Rays, judge_points, judge_rays, our_points, our_rays, posed_rays
from engine.compare.shown import show_motions, show_pairs, show_points, show_rays
from engine.compare.tally import MISSED, WRONG_AXIS, QueryTally
from engine.compare.ties import explain_overlap
from engine.compare.workers import run_tasks
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["MAX_PAIRS", "QUERIES", "QueryTally", "Tally", "compare", "compare_chunks"]

QUERIES = ("manifold", "overlap", "distance", "toi", "ray_cast", "contains", "aabb", "mass", "hull", "pairs")
"""What can be compared."""

MAX_PAIRS = 1_000_000_000


@dataclass(slots=True)
class Tally:
    """All queries of a run."""

    seed: int
    queries: dict[str, QueryTally]

    @property
    def unexplained_total(self) -> int:
        """Pairs of any query without a proved reason."""
        return sum(tally.unexplained for tally in self.queries.values())

    def add(self, other: Tally) -> None:
        """Add the counts of another part of the same run."""
        for query, tally in other.queries.items():
            self.queries[query].add(tally)

    def as_json(self, with_seconds: bool = False) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5; `with_seconds` also where the time went."""
        return {
            "seed": self.seed,
            "box2d": BOX2D_VERSION,
            "unexplained_total": self.unexplained_total,
            "queries": {query: tally.as_json(with_seconds) for query, tally in self.queries.items()},
        }


def compare(pairs: int, seed: int, queries: Sequence[str] = QUERIES, jobs: int = 1, kinds: Sequence[str] = PAIR_KINDS) -> dict[str, Any]:
    """Compare our answers with Box2D's on `pairs` seeded pairs a query, and return the JSON of DESIGN.md 5.

    Only the rates depend on `jobs`, the number of processes. `kinds` are the kinds of pairs, some of `PAIR_KINDS`.

    Raises
    ------
    InvalidInputError
        A number out of range, an unknown query or kind.
    """
    total = Tally(seed, {})
    for tally in compare_chunks(pairs, seed, queries, jobs, kinds):
        total = tally
    return total.as_json()


def compare_chunks(
    pairs: int,
    seed: int,
    queries: Sequence[str] = QUERIES,
    jobs: int = 1,
    kinds: Sequence[str] = PAIR_KINDS,
    scheduler: str | None = None,
) -> Generator[Tally, None, None]:
    """Do the same, yielding the tally so far after each chunk, so that a caller can show progress or stop.

    With the address of a Dask `scheduler`, its cluster does the chunks in place of `jobs` processes.

    Raises
    ------
    InvalidInputError
        As `compare`, or no address, before the first chunk.
    ClusterError
        With the first chunk: the cluster cannot be used.
    """
    n_pairs = integer("pairs", pairs, 1, MAX_PAIRS)
    seed = integer("seed", seed, 0)
    n_jobs = integer("jobs", jobs, 1, 1024)
    wanted, wanted_kinds = _known("queries", queries, QUERIES), _known("kinds", kinds, PAIR_KINDS)
    address = None if scheduler is None else check_address("scheduler", scheduler)
    return _compare_chunks(n_pairs, seed, wanted, wanted_kinds, n_jobs, address)


_Task = tuple[int, int, int, tuple[str, ...], tuple[str, ...]]


def compare_chunk(task: _Task) -> Tally:
    """Judge one chunk: (seed, chunk, pairs in it, queries, kinds of pairs)."""
    seed, chunk, n_pairs, queries, kinds = task
    work = Chunk(seed, chunk, n_pairs, kinds)
    return Tally(seed, {query: _timed(query, work) for query in queries})


def _timed(query: str, work: Chunk) -> QueryTally:
    """Ask one query; what the cases, ours and Box2D's calls did not take went into judging."""
    cases_before, started = work.case_seconds, time.perf_counter()
    tally = _JUDGES[query](work)
    tally.case_seconds = work.case_seconds - cases_before
    tally.judging_seconds = time.perf_counter() - started - tally.case_seconds - tally.our_seconds - tally.box2d_seconds
    return tally


def _compare_chunks(
    n_pairs: int, seed: int, queries: tuple[str, ...], kinds: tuple[str, ...], n_jobs: int, address: str | None
) -> Generator[Tally, None, None]:
    total = Tally(seed, {query: QueryTally() for query in queries})
    tasks = [(seed, chunk, n, queries, kinds) for chunk, n in chunk_sizes(n_pairs)]
    # one pair, twice done: it compiles every kernel before the other processes start, and loads them before their clocks do
    rehearsal = (seed, 0, 1, queries, kinds)
    if address is None:
        answers = run_tasks(compare_chunk, tasks, n_jobs, rehearsal)
    else:
        answers = run_on_cluster(compare_chunk, tasks, address, rehearsal)
    try:
        for tally in answers:
            total.add(tally)
            yield total
    finally:
        answers.close()


def _manifolds(work: Chunk) -> QueryTally:
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


def _overlaps(work: Chunk) -> QueryTally:
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


def _distances(work: Chunk) -> QueryTally:
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


def _impacts(work: Chunk) -> QueryTally:
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


def _rays(work: Chunk) -> QueryTally:
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


def _points(work: Chunk) -> QueryTally:
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


_JUDGES: dict[str, Callable[[Chunk], QueryTally]] = {
    "manifold": _manifolds,
    "overlap": _overlaps,
    "distance": _distances,
    "toi": _impacts,
    "ray_cast": _rays,
    "contains": _points,
    "aabb": compare_boxes,
    "mass": compare_masses,
    "hull": compare_hulls,
    "pairs": compare_pairs,
}


def _known(field: str, given: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(given))
    unknown = [one for one in wanted if one not in known]
    if unknown or not wanted:
        raise InvalidInputError(field, "one or more of " + ", ".join(known), unknown[0] if unknown else "none")
    return wanted
