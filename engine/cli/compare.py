"""``compare``: our answers against Box2D's in bulk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from engine.app.files import check_directory
from engine.cli.options import ALL, MAX_PAIRS, Jobs, JsonFile, Seed, listed, n_jobs, takes_options
from engine.cli.output import (
    LOADING,
    InterruptedRunError,
    SafeConsole,
    check_files,
    people,
    plain_lines,
    waiting,
    warming,
    write_json,
)
from engine.cli.report_folder import page_in, write_report
from engine.common.errors import InvalidInputError
from engine.common.interrupts import raise_lost

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from rich.console import Console

    from engine.compare.bulk.comparison import Tally
    from engine.compare.report.exhibits import Run

__all__ = ["compare_command"]

DEFAULT_PAIRS = 100_000
_SHOWN_UNEXPLAINED = 5
_MIN_SECONDS = 0.005
"""Minimum time of one side's calls for a speed: below it a page fault or another process would decide."""
_UNTOUCHED = ("aabb", "mass", "hull")
"""Queries about one shape, which touches nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Options of ``compare``."""

    pairs: Annotated[int, typer.Option("--pairs", metavar="N", min=1, max=MAX_PAIRS, help="Pairs of shapes for each query.")] = (
        DEFAULT_PAIRS
    )
    seed: Seed = 0
    queries: Annotated[str, typer.Option("--queries", metavar="LIST", help="Which answers, separated by commas; or all.")] = ALL
    kinds: Annotated[str | None, typer.Option("--kinds", metavar="LIST", help="Which kinds of pairs, such as edge/polygon.")] = None
    jobs: Jobs = None
    scheduler: Annotated[str | None, typer.Option("--scheduler", metavar="ADDRESS", help="A Dask cluster instead of processes.")] = None
    report: Annotated[str | None, typer.Option("--report", metavar="DIR", help="Write report.html, and the pairs it shows.")] = None
    json_file: JsonFile = None
    timings: Annotated[bool, typer.Option("--timings", help="Say where the time went.")] = False


@takes_options
def compare_command(args: CompareOptions) -> int:
    """Compare our answers with Box2D's on seeded pairs of shapes; some of them are chosen to be difficult.

    Each pair agrees, or its difference is explained by a proof, or it counts as unexplained, which makes the status 1. Ctrl-C ends with
    what was found so far. The report shows the first and the worst pair of each reason; unexplained ones are made small for it.
    """
    from engine import query
    from engine.compare.bulk import comparison
    from engine.compare.cases import PAIR_KINDS
    from engine.compare.processes.cluster import check_address
    from engine.compare.report.exhibits import Run

    n_pairs, seed = args.pairs, args.seed
    n_processes = n_jobs(args.jobs)
    if args.scheduler is not None:
        check_address("--scheduler", args.scheduler)
        if args.jobs is not None:
            raise InvalidInputError("--jobs", "left out with --scheduler, whose cluster has its own processes", args.jobs)
    chosen = listed("--queries", args.queries, comparison.QUERIES)
    wanted_kinds = PAIR_KINDS if args.kinds is None else listed("--kinds", args.kinds, PAIR_KINDS)
    if args.report is not None:
        check_directory("--report", args.report)
    check_files({}, {"--report": page_in(args.report), "--json": args.json_file})

    if args.scheduler is None:
        with warming():
            query.warm_up(everything=True)  # here, once: each process would compile for itself, and be timed with it
    tallies = comparison.compare_chunks(n_pairs, seed, chosen, n_processes, wanted_kinds, args.scheduler)
    total, is_whole = _with_progress(tallies, n_pairs, chosen[0])
    if total is not None:
        console = people(args.json_file)
        result = total.as_json(with_seconds=args.timings)
        write_json(args.json_file, result if is_whole else {**result, "interrupted": True})
        _print(console, total, args.timings)
        if args.report is not None:
            page = _write_report(args.report, total, Run(n_pairs, seed, chosen, wanted_kinds), is_whole)
            console.print(f"report: {page}", markup=False, soft_wrap=True)
        elif total.unexplained_total:
            console.print("--report DIR makes unexplained pairs small, and writes them as pair files and as pictures")
    if not is_whole:
        compared = 0 if total is None else total.queries[chosen[0]].pairs
        raise InterruptedRunError(f"interrupted after {compared:,} of {n_pairs:,} pairs")
    assert total is not None
    return 1 if total.unexplained_total else 0


def _with_progress(tallies: Generator[Tally, None, None], n_pairs: int, first_query: str) -> tuple[Tally | None, bool]:
    """Run to the end or to Ctrl-C, with a bar on standard error; return what was found and whether that is all."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = SafeConsole(stderr=True, highlight=False)
    rate = TextColumn("{task.fields[rate]} pairs/s, left")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), rate, TimeRemainingColumn())
    total: Tally | None = None
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(LOADING, total=n_pairs, rate="-")  # that of the first chunk
        with plain_lines(lambda: _so_far(bar.tasks[0].description, bar.tasks[0].completed, n_pairs)):
            try:
                for tally in tallies:
                    total = tally
                    raise_lost()
                    speed = bar.tasks[0].speed
                    rate_words = "-" if speed is None else f"{speed:,.0f}"
                    bar.update(task, description="comparing", completed=tally.queries[first_query].pairs, rate=rate_words)
            except KeyboardInterrupt:
                return total, False
            finally:
                tallies.close()  # ends the other processes
    return total, True


def _so_far(doing: str, n_done: float, n_pairs: int) -> str:
    return f"{doing}: {n_done:,.0f} of {n_pairs:,} pairs"


def _write_report(folder: str, total: Tally, run: Run, is_whole: bool) -> Path:
    """Write the page, a file for each pair in it, and of unexplained ones a picture too."""
    from engine.compare.report.document import html_report
    from engine.compare.report.exhibits import exhibits
    from engine.report.charts import standalone_svg

    with waiting("drawing the report"):
        shown = list(exhibits(total, run))
    pictures = {}
    for exhibit in shown:
        if exhibit.example.reason == "unexplained":
            for ending, drawing in zip((".svg", "-close.svg"), exhibit.drawings, strict=False):
                pictures[exhibit.name + ending] = standalone_svg(drawing)
    pairs = {f"{exhibit.name}.json": exhibit.pair for exhibit in shown if exhibit.pair is not None}
    return write_report(folder, html_report(total, run, shown, folder, is_whole), pairs, pictures)


def _print(console: Console, total: Tally, timings: bool) -> None:
    from rich.table import Table

    from engine.contracts.agreement import REASONS

    table = Table("query", "pairs", "touching", "agree", "explained", "unexplained", "max error", box=None, header_style="bold")
    untimed: list[str] = []
    lines: list[str] = []  # what would make the table wider than 80 columns
    for query, tally in total.queries.items():
        numbers = tally.as_json()
        explained = numbers["explained"]
        table.add_row(
            query,
            f"{tally.pairs:,}",
            "-" if query in _UNTOUCHED else f"{tally.touching:,}",
            f"{tally.agree:,}",
            f"{sum(explained.values()):,}",
            f"{tally.unexplained:,}",
            f"{tally.max_point_error:.2g} m",
        )
        if min(tally.seconds["ours"], tally.seconds["box2d"]) >= _MIN_SECONDS:
            lines.append(f"{query}: {tally.per_second('ours'):,.0f} pairs/s, Box2D {tally.per_second('box2d'):,.0f} pairs/s")
        else:
            untimed.append(query)
        if timings:
            lines.append(f"{query} took: " + ", ".join(f"{part} {seconds:,.2f} s" for part, seconds in tally.seconds.items()))
        if "missed_share" in numbers:
            share, depth = numbers["missed_share"], numbers["worst_missed_depth"]
            lines.append(f"{query}: Box2D missed {share:.1%} of the touches, the deepest of {depth:.2g} m")
        if "wrong_axis_share" in numbers:
            share, depth = numbers["wrong_axis_share"], numbers["max_excess_depth"]
            lines.append(f"{query}: Box2D's axis is not that of least depth in {share:.1%} of the contacts, at most {depth:.2g} m deeper")
        if explained:
            lines.append(f"{query} explained: " + ", ".join(f"{count:,} {REASONS[reason].name}" for reason, count in explained.items()))
    if untimed:
        lines.append(f"too few pairs to time: {', '.join(untimed)}")
    console.print(table)
    for line in lines:
        console.print(line, markup=False)
    for query, tally in total.queries.items():
        for pair in tally.unexplained_pairs[:_SHOWN_UNEXPLAINED]:
            console.print(f"unexplained {query}: seed {total.seed}, chunk {pair.chunk}, row {pair.row}: {pair.evidence}", markup=False)
