"""``compare``: compare our query results with Box2D's in bulk."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.cli.options import ALL, MAX_PAIRS, Jobs, JsonFile, ReportFolder, Seed, command, listed, n_jobs, option
from engine.cli.output import LOADING, progress, waiting
from engine.report import Page, Part, Report

if TYPE_CHECKING:
    from engine.compare.bulk.comparison import Tally
    from engine.compare.report.exhibits import Run

__all__ = ["compare_command"]

_SHOWN_UNEXPLAINED = 5


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Options of ``compare``."""

    pairs: int = option("N", "Number of shape pairs per query.", 100_000, low=1, high=MAX_PAIRS)
    seed: Seed = 0
    queries: str = option("LIST", "Queries to compare, separated by commas, or all.", ALL)
    kinds: str | None = option("LIST", "Kinds of shape pairs, such as edge/polygon.")
    jobs: Jobs = None
    scheduler: str | None = option("ADDRESS", "Use a Dask cluster instead of local processes.", excludes=("jobs",))
    report: ReportFolder = None
    json: JsonFile = None
    timings: bool = option("", "Print the time spent in each part.", False)


@command
def compare_command(args: CompareOptions) -> Report | None:
    """Compare our query results with Box2D's on seeded shape pairs, including difficult ones.

    Each pair agrees, is explained by a proof, or counts as unexplained. The status is 1 if any is unexplained. Ctrl-C prints the
    results so far. The report shows the first and the worst pair for each reason; unexplained pairs are shrunk first.
    """
    from engine.compare.bulk import comparison
    from engine.compare.cases import PAIR_KINDS
    from engine.compare.processes.cluster import check_address
    from engine.compare.report.exhibits import Run

    if args.scheduler is not None:
        check_address("--scheduler", args.scheduler)
    chosen = listed("--queries", args.queries, comparison.QUERIES)
    kinds = PAIR_KINDS if args.kinds is None else listed("--kinds", args.kinds, PAIR_KINDS)
    tallies = comparison.compare_chunks(args.pairs, args.seed, chosen, n_jobs(args.jobs), kinds, args.scheduler)
    total, is_whole = _with_progress(tallies, args.pairs, chosen[0])
    compared = 0 if total is None else total.queries[chosen[0]].pairs
    interrupted = "" if is_whole else f"interrupted after {compared:,} of {args.pairs:,} pairs"
    if total is None:
        return Report({}, interrupted=interrupted)
    page = partial(_page, args.report or "", total, Run(args.pairs, args.seed, chosen, kinds), is_whole)
    plain, status = total.as_json(with_seconds=args.timings), int(total.unexplained_total > 0)
    return Report(plain, _parts(total, args.timings, args.report is not None), status, page, interrupted)


def _with_progress(tallies: Generator[Tally, None, None], n_pairs: int, first_query: str) -> tuple[Tally | None, bool]:
    """Run with a progress bar until completion or Ctrl-C; return the last tally (None if there is none), and False if interrupted."""
    total: Tally | None = None
    with progress(lambda: LOADING if total is None else "comparing", n_pairs, "pairs") as advance:
        try:
            for total in tallies:
                advance(total.queries[first_query].pairs)
        except KeyboardInterrupt:
            return total, False
        finally:
            tallies.close()  # stops the worker processes
    return total, True


def _page(folder: str, total: Tally, run: Run, is_whole: bool) -> Page:
    """Return the HTML page and its files: a pair file and a player's page for each exhibit, and pictures of unexplained pairs."""
    from engine.compare.pair.file import pair_content
    from engine.compare.report.document import html_report
    from engine.compare.report.exhibits import exhibits
    from engine.player import show
    from engine.report.charts import standalone_svg

    with waiting("drawing the report"):
        shown = list(exhibits(total, run))
    files = {f"{exhibit.name}.json": pair_content(exhibit.pair) for exhibit in shown if exhibit.pair is not None}
    for exhibit in shown:
        if exhibit.pair is not None and exhibit.answers is not None:
            files[f"{exhibit.name}.html"] = show(exhibit.answers).html.encode()
        if exhibit.example.verdict.reason == "unexplained":
            for ending, drawing in zip((".svg", "-close.svg"), exhibit.drawings, strict=False):
                files[exhibit.name + ending] = standalone_svg(drawing)
    return html_report(total, run, shown, folder, is_whole), files


def _parts(total: Tally, timings: bool, has_page: bool) -> Iterator[Part]:
    from engine.compare.report.document import summary_table
    from engine.contracts.agreement import REASONS

    yield summary_table(total)
    for query, tally in total.queries.items():
        if timings:
            yield f"{query} took: " + ", ".join(f"{part} {seconds:,.2f} s" for part, seconds in tally.seconds.items())
        reasons = ", ".join(f"{count:,} {REASONS[reason].name}" for reason, count in sorted(tally.explained.items()))
        if reasons:
            yield f"{query} explained: {reasons}"
        for example in tally.unexplained_pairs[:_SHOWN_UNEXPLAINED]:
            seed, chunk, row = example.place
            yield f"unexplained {query}: seed {seed}, chunk {chunk}, row {row}: {example.verdict.evidence}"
    if total.unexplained_total and not has_page:
        yield "--report DIR shrinks unexplained pairs and writes them as pair files and pictures"
