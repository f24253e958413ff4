"""Our answers against Box2D's over many seeded pairs, shared among processes."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.box2d.distance_oracle import DistanceOracle
from engine.box2d.oracle import BOX2D_VERSION, PairOracle
from engine.box2d.point_oracle import PointOracle
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.compare.cases import CaseChunk, RayChunk, case_chunk, chunk_sizes, motion_chunk, ray_chunk
from engine.compare.distances import judge_distances, our_distances
from engine.compare.impacts import Impacts, judge_impacts, moving_pairs, our_impacts
from engine.compare.judge import Explanation, judge_manifolds
from engine.compare.posed import Answers, PosedPairs, our_manifolds, posed_pairs
from engine.compare.rays import PosedRays, Rays, judge_points, judge_rays, our_points, our_rays, posed_rays
from engine.compare.tally import KEPT_UNEXPLAINED, QueryTally, UnexplainedPair
from engine.compare.ties import explain_overlap
from engine.contracts.status import Status
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["DEFAULT_QUERIES", "MAX_PAIRS", "QUERIES", "QueryTally", "Tally", "UnexplainedPair", "compare", "compare_chunks"]

QUERIES = ("manifold", "overlap", "distance", "toi", "ray_cast", "contains")
"""What can be compared so far."""

DEFAULT_QUERIES = ("manifold", "overlap")
"""What is compared unless asked for more."""

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

    def as_json(self) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5."""
        return {
            "seed": self.seed,
            "box2d": BOX2D_VERSION,
            "unexplained_total": self.unexplained_total,
            "queries": {query: tally.as_json() for query, tally in self.queries.items()},
        }


def compare(pairs: int, seed: int, queries: Sequence[str] = DEFAULT_QUERIES, jobs: int = 1) -> dict[str, Any]:
    """Compare our answers with Box2D's on `pairs` seeded pairs a query, and return the JSON of DESIGN.md 5.

    Only the rates depend on `jobs`, the number of processes.

    Raises
    ------
    InvalidInputError
        A number out of range, or an unknown query.
    """
    total = Tally(seed, {})
    for tally in compare_chunks(pairs, seed, queries, jobs):
        total = tally
    return total.as_json()


def compare_chunks(pairs: int, seed: int, queries: Sequence[str] = DEFAULT_QUERIES, jobs: int = 1) -> Generator[Tally, None, None]:
    """Do the same, yielding the tally so far after each chunk, so that a caller can show progress or stop.

    Raises
    ------
    InvalidInputError
        As `compare`, before the first chunk.
    """
    n_pairs = integer("pairs", pairs, 1, MAX_PAIRS)
    seed = integer("seed", seed, 0)
    n_jobs = integer("jobs", jobs, 1, 1024)
    wanted = _queries(queries)
    return _compare_chunks(n_pairs, seed, wanted, n_jobs)


def compare_chunk(task: tuple[int, int, int, tuple[str, ...]]) -> Tally:
    """Judge one chunk: (seed, chunk, pairs in it, queries)."""
    seed, chunk, n_pairs, queries = task
    cases = case_chunk(seed, chunk, n_pairs)
    oracle = PairOracle(cases.shapes)
    packed = pack(oracle.shapes, oracle.centroids)
    posed = posed_pairs(packed, cases.pairs, cases.poses_a, cases.poses_b)
    work = _Chunk(seed, chunk, cases, oracle, posed)
    return Tally(seed, {query: _JUDGES[query](work) for query in queries})


@dataclass(frozen=True, slots=True)
class _Chunk:
    """What the judges of a chunk share."""

    seed: int
    chunk: int
    cases: CaseChunk
    oracle: PairOracle
    posed: PosedPairs


def _compare_chunks(n_pairs: int, seed: int, queries: tuple[str, ...], n_jobs: int) -> Generator[Tally, None, None]:
    total = Tally(seed, {query: QueryTally() for query in queries})
    compare_chunk((seed, 0, 1, queries))  # loads or compiles every kernel, before the clocks and the other processes start
    tasks = [(seed, chunk, n, queries) for chunk, n in chunk_sizes(n_pairs)]
    for tally in _run(tasks, min(n_jobs, len(tasks))):
        total.add(tally)
        yield total


def _run(tasks: list[tuple[int, int, int, tuple[str, ...]]], n_jobs: int) -> Iterable[Tally]:
    if n_jobs == 1:
        yield from map(compare_chunk, tasks)
        return
    # fresh interpreters: a fork would copy Numba's and Box2D's state, and is not to be had on every platform
    with multiprocessing.get_context("spawn").Pool(n_jobs, initializer=_ignore_interrupts) as pool:
        yield from pool.imap_unordered(compare_chunk, tasks)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent, which ends the others."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _manifolds(work: _Chunk) -> QueryTally:
    posed, oracle, chunk = work.posed, work.oracle, work.chunk
    box2d = oracle.manifolds(posed.pairs, posed.poses_a, posed.poses_b)
    started = time.perf_counter()
    ours = our_manifolds(posed)
    our_seconds = time.perf_counter() - started
    points = np.concatenate((box2d.position, box2d.separation[:, :, None]), axis=2)
    verdicts = judge_manifolds(posed, Answers(box2d.count, box2d.normal, points), ours)
    explained = Counter(one.reason for one in verdicts.differences if one.reason != "unexplained")
    unexplained = [UnexplainedPair(chunk, one.row, one.evidence) for one in verdicts.differences if one.reason == "unexplained"]
    return QueryTally(
        pairs=verdicts.n_pairs,
        touching=verdicts.n_touching,
        agree=verdicts.n_agree,
        explained=explained,
        unexplained=len(unexplained),
        max_point_error=verdicts.max_point_error,
        max_normal_error=verdicts.max_normal_error,
        our_seconds=our_seconds,
        box2d_seconds=box2d.seconds,
        unexplained_pairs=unexplained[:KEPT_UNEXPLAINED],
    )


def _overlaps(work: _Chunk) -> QueryTally:
    posed, oracle, chunk = work.posed, work.oracle, work.chunk
    box2d, box2d_seconds = oracle.overlaps(posed.pairs, posed.poses_a, posed.poses_b)
    started = time.perf_counter()
    ours = batched.overlap_rows(posed.shapes, posed.pairs, posed.turned_a, posed.turned_b)
    our_seconds = time.perf_counter() - started
    tally = QueryTally(pairs=len(posed), touching=int(box2d.sum()), our_seconds=our_seconds, box2d_seconds=box2d_seconds)
    differing = np.flatnonzero(box2d != ours).tolist()
    tally.agree = len(posed) - len(differing)
    for row in differing:
        found = explain_overlap(posed, row, bool(box2d[row]))
        if found is not None:
            tally.explained[found[0]] += 1
        else:
            tally.unexplained += 1
            told = f"Box2D says {bool(box2d[row])}, ours {bool(ours[row])}, farther from the limit than rounding reaches"
            tally.unexplained_pairs.append(UnexplainedPair(chunk, row, told))
    tally.unexplained_pairs = tally.unexplained_pairs[:KEPT_UNEXPLAINED]
    return tally


def _distances(work: _Chunk) -> QueryTally:
    posed, box2d = work.posed, DistanceOracle(work.oracle.shapes).distances(work.posed.pairs, work.posed.poses_a, work.posed.poses_b)
    started = time.perf_counter()
    ours = our_distances(posed)
    our_seconds = time.perf_counter() - started
    verdicts = judge_distances(posed, box2d.distance, ours)
    tally = _tally_of(verdicts.differences, work.chunk)
    tally.pairs, tally.touching, tally.agree = len(posed), int((box2d.distance == 0.0).sum()), verdicts.n_agree
    tally.max_point_error = verdicts.max_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d.seconds
    return tally


def _impacts(work: _Chunk) -> QueryTally:
    motion = motion_chunk(work.cases, work.seed, work.chunk)
    found = work.oracle.times_of_impact(work.posed.pairs, motion.start_a, motion.end_a, motion.start_b, motion.end_b)
    moving = moving_pairs(work.posed.shapes, work.posed.pairs, motion)
    started = time.perf_counter()
    ours = our_impacts(moving)
    our_seconds = time.perf_counter() - started
    verdicts = judge_impacts(moving, Impacts(found.status, found.fraction), ours)
    tally = _tally_of(verdicts.differences, work.chunk)
    tally.pairs, tally.touching, tally.agree = len(moving), verdicts.n_touching, verdicts.n_agree
    tally.maxima = {"max_fraction_error": verdicts.max_fraction_error, "worst_missed_depth": verdicts.worst_missed_depth}
    tally.our_seconds, tally.box2d_seconds = our_seconds, found.seconds
    return tally


def _rays(work: _Chunk) -> QueryTally:
    oracle, posed, rays = _ray_cases(work)
    box2d = oracle.rays(rays.indices, rays.poses, rays.origins, rays.ends)
    started = time.perf_counter()
    ours = our_rays(posed)
    our_seconds = time.perf_counter() - started
    status = np.where(box2d.hit, int(Status.HIT), int(Status.MISS))
    verdicts = judge_rays(posed, Rays(status, box2d.fraction, box2d.normal), ours)
    tally = _tally_of(verdicts.differences, work.chunk)
    tally.pairs, tally.touching, tally.agree = len(posed), int(box2d.hit.sum()), verdicts.n_agree
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d.seconds
    return tally


def _points(work: _Chunk) -> QueryTally:
    oracle, posed, rays = _ray_cases(work)
    box2d, box2d_seconds = oracle.contains(rays.indices, rays.poses, rays.origins)
    started = time.perf_counter()
    ours = our_points(posed)
    our_seconds = time.perf_counter() - started
    verdicts = judge_points(posed, box2d, ours)
    tally = _tally_of(verdicts.differences, work.chunk)
    tally.pairs, tally.touching, tally.agree = len(posed), int(box2d.sum()), verdicts.n_agree
    tally.our_seconds, tally.box2d_seconds = our_seconds, box2d_seconds
    return tally


def _ray_cases(work: _Chunk) -> tuple[PointOracle, PosedRays, RayChunk]:
    oracle, rays = PointOracle(work.oracle.shapes), ray_chunk(work.cases, work.seed, work.chunk)
    return oracle, posed_rays(pack(oracle.shapes), rays), rays


def _tally_of(differences: Sequence[Explanation], chunk: int) -> QueryTally:
    explained = Counter(one.reason for one in differences if one.reason != "unexplained")
    unexplained = [UnexplainedPair(chunk, one.row, one.evidence) for one in differences if one.reason == "unexplained"]
    return QueryTally(explained=explained, unexplained=len(unexplained), unexplained_pairs=unexplained[:KEPT_UNEXPLAINED])


_JUDGES: dict[str, Callable[[_Chunk], QueryTally]] = {
    "manifold": _manifolds,
    "overlap": _overlaps,
    "distance": _distances,
    "toi": _impacts,
    "ray_cast": _rays,
    "contains": _points,
}


def _queries(queries: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(queries))
    unknown = [query for query in wanted if query not in QUERIES]
    if unknown or not wanted:
        raise InvalidInputError("queries", "one or more of " + ", ".join(QUERIES), unknown[0] if unknown else "none")
    return wanted
