"""Our answers against Box2D's over many seeded pairs, shared among processes."""

from __future__ import annotations

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.box2d.oracle import BOX2D_VERSION, PairOracle
from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.compare.cases import case_chunk, chunk_sizes
from engine.compare.judge import judge_manifolds
from engine.compare.posed import Answers, PosedPairs, our_manifolds, posed_pairs
from engine.compare.ties import explain_overlap
from engine.narrowphase import batched
from engine.narrowphase.packing import pack

__all__ = ["MAX_PAIRS", "QUERIES", "QueryTally", "Tally", "UnexplainedPair", "compare", "compare_chunks"]

QUERIES = ("manifold", "overlap")
"""What can be compared so far."""

MAX_PAIRS = 1_000_000_000

_KEPT_UNEXPLAINED = 20


@dataclass(frozen=True, slots=True)
class UnexplainedPair:
    """Where to find a pair again, and what was seen."""

    chunk: int
    row: int
    evidence: str


@dataclass(slots=True)
class QueryTally:
    """Counts of one query; the sums and maxima of two tallies do not depend on their order."""

    pairs: int = 0
    touching: int = 0
    agree: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    unexplained: int = 0
    max_point_error: float = 0.0
    max_normal_error: float = 0.0
    our_seconds: float = 0.0
    box2d_seconds: float = 0.0
    unexplained_pairs: list[UnexplainedPair] = field(default_factory=list)

    def add(self, other: QueryTally) -> None:
        """Add another tally to this one."""
        self.pairs += other.pairs
        self.touching += other.touching
        self.agree += other.agree
        self.explained.update(other.explained)
        self.unexplained += other.unexplained
        self.max_point_error = max(self.max_point_error, other.max_point_error)
        self.max_normal_error = max(self.max_normal_error, other.max_normal_error)
        self.our_seconds += other.our_seconds
        self.box2d_seconds += other.box2d_seconds
        kept = sorted(self.unexplained_pairs + other.unexplained_pairs, key=lambda pair: (pair.chunk, pair.row))
        self.unexplained_pairs = kept[:_KEPT_UNEXPLAINED]

    def as_json(self) -> dict[str, Any]:
        """Return the plain data of DESIGN.md 5; rates are per second of one process."""
        return {
            "pairs": self.pairs,
            "touching": self.touching,
            "agree": self.agree,
            "explained": dict(sorted(self.explained.items())),
            "unexplained": self.unexplained,
            "max_point_error": self.max_point_error,
            "max_normal_error": self.max_normal_error,
            "ours_per_s": self.pairs / self.our_seconds if self.our_seconds > 0.0 else 0.0,
            "box2d_per_s": self.pairs / self.box2d_seconds if self.box2d_seconds > 0.0 else 0.0,
        }


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


def compare(pairs: int, seed: int, queries: Sequence[str] = QUERIES, jobs: int = 1) -> dict[str, Any]:
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


def compare_chunks(pairs: int, seed: int, queries: Sequence[str] = QUERIES, jobs: int = 1) -> Generator[Tally, None, None]:
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
    judges: dict[str, Callable[[PosedPairs, PairOracle, int], QueryTally]] = {"manifold": _manifolds, "overlap": _overlaps}
    return Tally(seed, {query: judges[query](posed, oracle, chunk) for query in queries})


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


def _manifolds(posed: PosedPairs, oracle: PairOracle, chunk: int) -> QueryTally:
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
        unexplained_pairs=unexplained[:_KEPT_UNEXPLAINED],
    )


def _overlaps(posed: PosedPairs, oracle: PairOracle, chunk: int) -> QueryTally:
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
    tally.unexplained_pairs = tally.unexplained_pairs[:_KEPT_UNEXPLAINED]
    return tally


def _queries(queries: Sequence[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(queries))
    unknown = [query for query in wanted if query not in QUERIES]
    if unknown or not wanted:
        raise InvalidInputError("queries", "one or more of " + ", ".join(QUERIES), unknown[0] if unknown else "none")
    return wanted
