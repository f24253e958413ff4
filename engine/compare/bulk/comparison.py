"""Our answers against Box2D's over many seeded pairs, shared among processes."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engine.box2d import BOX2D_VERSION
from engine.common.checks import integer, seed_number
from engine.common.errors import InvalidInputError
from engine.common.notebook import Shown
from engine.compare.bulk.tally import KEPT_UNEXPLAINED, Example, Examples, KindTally, QueryTally, histogram
from engine.compare.cases import PAIR_KINDS, chunk_sizes
from engine.compare.pair.file import Provenance
from engine.compare.processes.cluster import check_address, run_on_cluster
from engine.compare.processes.workers import run_tasks
from engine.compare.questions.question import Chunk, Question
from engine.compare.questions.registry import QUESTIONS

__all__ = ["MAX_PAIRS", "QUERIES", "QueryTally", "Tally", "compare", "compare_chunks"]

QUERIES = tuple(QUESTIONS)
"""Queries that can be compared."""

MAX_PAIRS = 1_000_000_000


@dataclass(slots=True)
class Tally(Shown):
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
        """Return the plain data of docs/json.md; `with_seconds` adds the times."""
        return {
            "seed": self.seed,
            "box2d": BOX2D_VERSION,
            "unexplained_total": self.unexplained_total,
            "queries": {query: tally.as_json(with_seconds) for query, tally in self.queries.items()},
        }


def compare(pairs: int, seed: int, queries: Sequence[str] = QUERIES, jobs: int = 1, kinds: Sequence[str] = PAIR_KINDS) -> dict[str, Any]:
    """Compare our answers with Box2D's on `pairs` seeded pairs a query, and return the JSON of docs/json.md.

    Only the rates depend on `jobs`, the number of processes. `kinds` are the kinds of pairs, some of `PAIR_KINDS`.

    Raises
    ------
    InvalidInputError
        A number is out of range, or a query or kind is unknown.
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
    """Compare as `compare` does, yielding the tally so far after each chunk, so that a caller can show progress or stop.

    With the address of a Dask `scheduler`, its cluster processes the chunks instead of `jobs` processes.

    Raises
    ------
    InvalidInputError
        As for `compare`, or the address is invalid; raised before the first chunk.
    ClusterError
        The cluster cannot be used; raised with the first chunk.
    """
    n_pairs = integer("pairs", pairs, 1, MAX_PAIRS)
    seed = seed_number("seed", seed)
    n_jobs = integer("jobs", jobs, 1, 1024)
    chosen, wanted_kinds = _known("queries", queries, QUERIES), _known("kinds", kinds, PAIR_KINDS)
    address = None if scheduler is None else check_address("scheduler", scheduler)
    return _compare_chunks(n_pairs, seed, chosen, wanted_kinds, n_jobs, address)


_Task = tuple[int, int, int, tuple[str, ...], tuple[str, ...]]


def compare_chunk(task: _Task) -> Tally:
    """Judge one chunk: (seed, chunk, pairs in it, queries, kinds of pairs)."""
    seed, chunk, n_pairs, queries, kinds = task
    work = Chunk(seed, chunk, n_pairs, kinds)
    return Tally(seed, {query: tally_of(QUESTIONS[query], work) for query in queries})


def tally_of(question: Question[Any, Any, Any], work: Chunk) -> QueryTally:
    """Run a query on a chunk, judge the answers, and count the verdicts.

    ``seconds`` has the times for creating cases, for our answers and for Box2D's; the rest was spent on judging.
    """
    cases_before, started = work.case_seconds, time.perf_counter()
    cases = work.prepare(lambda: question.cases(work))
    box2d, box2d_seconds = work.prepare(lambda: question.box2d(cases))
    work.case_seconds -= box2d_seconds  # the code around Box2D's calls is preparation
    columns = work.prepare(lambda: question.columns(cases))
    before_ours = time.perf_counter()
    ours = question.ours(columns)
    our_seconds = time.perf_counter() - before_ours
    verdicts = question.judge(columns, box2d, ours)
    names, kind, is_random = question.names, question.kind(cases), question.is_random(work, cases)
    tally = QueryTally(verdicts.n_pairs, verdicts.n_touching)
    tally.max_point_error, tally.max_normal_error = verdicts.max_point_error, verdicts.max_normal_error
    tally.maxima, tally.wrong = verdicts.maxima, question.wrong
    counts, touches = np.bincount(kind, minlength=len(names)), np.bincount(kind[verdicts.is_touching], minlength=len(names))
    for name, n, n_touching in zip(names, counts.tolist(), touches.tolist(), strict=True):
        if n:
            tally.kinds[name] = KindTally(n, n_touching)
    tally.random = KindTally(int(is_random.sum()), int((is_random & verdicts.is_touching).sum()))

    by_reason: dict[str, list[Example]] = {}
    for row, verdict in sorted(verdicts.differences.items()):
        name, is_plain = names[int(kind[row])], bool(is_random[row])
        for part in (tally, tally.kinds[name], *([tally.random] if is_plain else [])):
            part.note(verdict)
        example = Example(Provenance(work.seed, work.chunk, row), verdict, name, is_random=is_plain)
        by_reason.setdefault(verdict.reason, []).append(example)

    def shown(example: Example) -> Example:
        return replace(example, shown=question.shown(work, cases, example.place.row))

    for reason, examples in by_reason.items():
        tally.examples[reason] = Examples.of([shown(example) for example in Examples.of(examples)])
    errors = {
        **verdicts.errors,
        **{reason: np.array([example.verdict.size for example in examples]) for reason, examples in by_reason.items()},
    }
    tally.histograms = {name: histogram(values) for name, values in errors.items()}
    tally.unexplained_pairs = [shown(example) for example in by_reason.get("unexplained", ())[:KEPT_UNEXPLAINED]]
    tally.seconds.update(ours=our_seconds, box2d=box2d_seconds, cases=work.case_seconds - cases_before)
    tally.seconds["judging"] = time.perf_counter() - started - sum(tally.seconds.values())
    return tally


def _compare_chunks(
    n_pairs: int, seed: int, queries: tuple[str, ...], kinds: tuple[str, ...], n_jobs: int, address: str | None
) -> Generator[Tally, None, None]:
    total = Tally(seed, {query: QueryTally() for query in queries})
    tasks = [(seed, chunk, n, queries, kinds) for chunk, n in chunk_sizes(n_pairs)]
    # one pair, processed twice: this compiles every kernel before the other processes start, and loads them before the timing
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


def _known(field: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise InvalidInputError(field, "one or more of " + ", ".join(known), unknown[0] if unknown else "none")
    return chosen
