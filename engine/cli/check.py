"""``check``: a user's collision function on the bench."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.app.files import check_directory
from engine.cli.options import MAX_PAIRS, JsonFile, Seed, takes_options
from engine.cli.output import (
    LOADING,
    InterruptedRunError,
    SafeConsole,
    check_files,
    people,
    plain_lines,
    warming,
    write_json,
)
from engine.cli.report_folder import page_in, write_report
from engine.common.checks import choice, non_negative, positive
from engine.common.errors import InvalidInputError, LabError
from engine.common.interrupts import raise_lost

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from engine.check.trial import Tally, Task

__all__ = ["check_command", "find_functions"]

DEFAULT_PAIRS = 10_000
DEFAULT_FUNCTION = "collide"
_MAX_TIME_LIMIT = 3600.0
"""Seconds that a call may be allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Options of ``check``."""

    target: Annotated[str, typer.Argument(metavar="FILE.py:FUNCTION", help="Your function; without :FUNCTION it is collide. Or a folder.")]
    query: Annotated[str | None, typer.Option("--query", metavar="Q", help="manifold, overlap or distance.", show_default="manifold")] = (
        None
    )
    pairs: Annotated[int, typer.Option("--pairs", metavar="N", min=1, max=MAX_PAIRS, help="Pairs of shapes it is called on.")] = (
        DEFAULT_PAIRS
    )
    seed: Seed = 0
    time_limit: Annotated[float, typer.Option("--time-limit", metavar="SECONDS", help="What a call may take.")] = 1.0
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="M", help="Meters an answer may be off, beside what float64 loses.")
    ] = 1e-9
    pair_file: Annotated[str | None, typer.Option("--pair", metavar="FILE", help="Call it on this one pair only.")] = None
    report: Annotated[str | None, typer.Option("--report", metavar="DIR", help="Write report.html, pictures and pairs.")] = None
    json_file: JsonFile = None


@takes_options
def check_command(args: CheckOptions) -> int:
    """Call your function on seeded pairs of shapes and judge each answer against exact arithmetic.

    collide(a, b) gets lists of (x, y), counter-clockwise, or (x, y, radius) for a circle, and returns None or a dict with any of
    normal (from a to b), points, depth. It runs in a process of its own: whatever it does there, the check goes on. Of each kind of
    wrong answer the first is made as small as possible and shown.
    """
    from engine.check.kinds import QUERIES

    if args.query is not None:
        choice("--query", args.query, QUERIES)
    n_pairs, seed = args.pairs, args.seed
    seconds = positive("--time-limit", args.time_limit, "s")
    if seconds > _MAX_TIME_LIMIT:
        raise InvalidInputError("--time-limit", f"at most {_MAX_TIME_LIMIT:g} s", args.time_limit)
    slack = non_negative("--tolerance", args.tolerance, "m")
    paths, function, is_folder = find_functions("FILE.py:FUNCTION", args.target)
    if args.report is not None:
        check_directory("--report", args.report)
    check_files(
        {**{str(path): str(path) for path in paths}, "--pair": args.pair_file}, {"--report": page_in(args.report), "--json": args.json_file}
    )

    from engine.check.trial import Task

    tasks = [Task(path, function, args.query or QUERIES[0], n_pairs, seed, slack, seconds) for path in paths]
    if args.pair_file is not None:
        tallies, is_whole = _on_one_pair(tasks, args.query, args.pair_file), True
    else:
        from engine.check.trial import warm_up

        if not is_folder:
            _load_once(tasks[0])
        with warming():
            warm_up()
        tallies, is_whole = _on_many(tasks, may_be_refused=is_folder)
    console = people(args.json_file)
    pair_files = {(0, finding.kind): args.pair_file for finding in tallies[0].findings} if args.pair_file is not None else {}
    if args.report is not None:
        pair_files = _write_report(args.report, tallies)
    write_json(args.json_file, _as_json(tasks[0], tallies, is_whole))
    _print(console, tallies, pair_files)
    if args.report is not None:
        console.print(f"report: {page_in(args.report)}", markup=False)
    if not is_whole:
        done = sum(tally.pairs for tally in tallies)
        raise InterruptedRunError(f"interrupted after {done:,} of {n_pairs * len(tasks):,} pairs")
    return 0 if all(tally.is_right for tally in tallies) else 1


def find_functions(option: str, target: str) -> tuple[list[Path], str, bool]:
    """Return the files that a target names, the function's name, and whether it is a folder.

    Raises
    ------
    InvalidInputError
        There is no such file, or no .py file in the folder; it names `option`.
    """
    name, colon, function = target.rpartition(":")
    if not colon or not function.isidentifier():  # C:\file.py has a colon too
        name, function = target, DEFAULT_FUNCTION
    path = Path(name)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except (OSError, ValueError):
        is_folder = is_file = False
    if is_folder:
        paths = sorted(file for file in path.glob("*.py") if file.is_file() and not file.name.startswith(("__", ".")))
        if not paths:
            raise InvalidInputError(option, "a folder with .py files", target)
        return paths, function, True
    if not is_file:
        raise InvalidInputError(option, "a file that exists, with a function's name behind a colon, or a folder", target)
    if not os.access(path, os.R_OK):
        raise InvalidInputError(option, "a file that may be read", target)
    return [path], function, False


def _load_once(task: Task) -> None:
    """Tell a mistake in the file at once, before anything is compiled."""
    from engine.check.runner import RefusedFunctionError, Runner

    with Runner(task.path, task.function, task.query, task.time_limit) as runner:
        try:
            runner.start()
        except RefusedFunctionError as refusal:
            raise LabError(f"{task.path}: {refusal.message}") from None


def _on_one_pair(tasks: Sequence[Task], query: str | None, file: str) -> list[Tally]:
    from dataclasses import replace

    from engine.check.kinds import QUERIES
    from engine.check.plain import plain_pair
    from engine.check.trial import check_pair
    from engine.compare.pair.file import load_pair
    from engine.geometry import Circle, Polygon

    loaded = load_pair(file)
    a, b = loaded.shape_a, loaded.shape_b
    if not isinstance(a, Circle | Polygon) or not isinstance(b, Circle | Polygon):
        raise InvalidInputError("--pair", "two shapes, each a polygon or a circle", file)
    name = query or (loaded.query if loaded.query in QUERIES else QUERIES[0])
    pair = plain_pair(a, loaded.pose_a, b, loaded.pose_b)
    tallies = [check_pair(replace(task, query=name, pairs=1), pair) for task in tasks]
    if len(tallies) == 1:
        _refuse(tallies[0])
    return tallies


def _on_many(tasks: Sequence[Task], may_be_refused: bool) -> tuple[list[Tally], bool]:
    """Try one function after the other, with a bar on standard error; return what was found, and whether that is all."""
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = SafeConsole(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[state]}"),
        TimeRemainingColumn(),
    )
    tallies: list[Tally] = []

    def so_far() -> str:
        return "; ".join(f"{row.description}: {row.completed:,.0f} of {row.total:,.0f} pairs" for row in bar.tasks[-1:]) or LOADING

    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar, plain_lines(so_far):
        try:
            for task in tasks:
                row = bar.add_task(escape(task.path.name), total=task.pairs, state="")
                _try(task, tallies, bar, row)
                if not may_be_refused:
                    _refuse(tallies[-1])
        except KeyboardInterrupt:
            return tallies, False
    return tallies, True


def _try(task: Task, tallies: list[Tally], bar: Progress, row: object) -> None:
    from engine.check.trial import check_function

    trial = check_function(task)
    try:
        for tally in trial:
            raise_lost()
            if not tallies or tallies[-1] is not tally:
                tallies.append(tally)
            state = "making the failures small" if tally.wrong and (tally.is_whole or tally.gave_up) else f"{tally.wrong:,} wrong"
            bar.update(row, completed=tally.pairs, state=state)  # type: ignore[arg-type] # rich's TaskID
    finally:
        trial.close()  # ends its process


def _refuse(tally: Tally) -> None:
    if tally.refused is not None:
        raise LabError(f"{tally.task.path}: {tally.refused.message}")


def _print(console: Console, tallies: Sequence[Tally], pair_files: Mapping[tuple[int, str], str]) -> None:
    from engine.check.report import functions_table, name_of, summary_lines

    if len(tallies) == 1:
        _print_one(console, tallies[0], pair_files)
        return
    console.print(functions_table(tallies).as_rich())
    for tally in tallies:
        for line in summary_lines(tally):
            console.print(f"{name_of(tally.task)}: {line}", markup=False)


def _print_one(console: Console, tally: Tally, pair_files: Mapping[tuple[int, str], str]) -> None:
    from engine.check.kinds import KINDS
    from engine.check.report import command_of, kinds_table, name_of, step_command_of, summary_lines

    task = tally.task
    console.print(f"{name_of(task)}, {task.query}: {tally.right:,} of {tally.pairs:,} pairs right, {tally.wrong:,} wrong", markup=False)
    for line in summary_lines(tally):
        console.print(line, markup=False)
    if not tally.kinds:
        return
    console.print(kinds_table(tally).as_rich())
    for finding in tally.findings:
        kind_of, shown = KINDS[finding.kind], finding.shown
        console.print(f"\n{kind_of.name}: {shown.fault.told}", markup=False, style="bold")
        console.print(f"a = {_written(shown.pair.a)}\nb = {_written(shown.pair.b)}", markup=False, soft_wrap=True)
        console.print(f"Box2D: {finding.right.box2d}", markup=False)
        console.print(f"{kind_of.hint} docs/{kind_of.page}", markup=False)
        if not finding.is_alone:
            console.print("alone, in a fresh process, it does not fail on this pair: something is kept between calls, or random")
        pair_file = pair_files.get((0, finding.kind))
        for command in (command_of(task, finding, pair_file), step_command_of(task, finding, pair_file)):
            if command is not None:
                console.print(command, markup=False, style="dim", soft_wrap=True)


def _written(shape: object) -> str:
    return repr(list(shape)) if isinstance(shape, tuple) and isinstance(shape[0], tuple) else repr(shape)


def _write_report(folder: str, tallies: Sequence[Tally]) -> dict[tuple[int, str], str]:
    """Write the report, a picture and a pair file for each kind of wrong answer of each function; return the names of the pair files."""
    from engine.app.pictures.check_picture import draw_finding
    from engine.check.report import html_report, pair_of

    pictures: dict[tuple[int, str], tuple[bytes, str]] = {}
    pairs, files = {}, {}
    for number, tally in enumerate(tallies):
        for finding in tally.findings:
            stem = f"{tally.task.path.stem}-{tally.task.function}-{finding.kind}"
            picture = draw_finding(finding, f"{tally.task.path.name}:{tally.task.function}")
            files[f"{stem}.png"], pairs[f"{stem}.json"] = picture, pair_of(tally.task, finding)
            pictures[number, finding.kind] = (picture, str(Path(folder) / f"{stem}.json"))
    write_report(folder, html_report(tallies, pictures), pairs, files)
    return {key: name for key, (_, name) in pictures.items()}


def _as_json(task: Task, tallies: Sequence[Tally], is_whole: bool) -> dict[str, Any]:
    from engine.check.report import as_json
    from engine.world import load_solver

    head = {
        "seed": task.seed,
        "box2d": load_solver("box2d").capabilities.version,
        "query": task.query,
        "tolerance": task.tolerance,
        "time_limit": task.time_limit,
    }
    result = {**head, "files": [as_json(tally) for tally in tallies]}
    return result if is_whole else {**result, "interrupted": True}
