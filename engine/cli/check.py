"""``check``: test a user's collision function."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli.options import MAX_PAIRS, JsonFile, ReportFolder, Seed, argument, command, option
from engine.cli.output import LOADING, progress
from engine.common.checks import choice
from engine.common.errors import InvalidInputError, LabError
from engine.common.files import read_at_most
from engine.common.limits import MAX_PYTHON_BYTES
from engine.report import Link, Page, Part, Report

if TYPE_CHECKING:
    from engine.check.trial import Tally, Task

__all__ = ["check_command", "find_functions", "function_files"]

DEFAULT_FUNCTION = "collide"
_MAX_TIME_LIMIT = 3600.0
"""Maximum of --time-limit, seconds."""
_MIN_TIME_LIMIT = 1e-3
PairFiles = Mapping[tuple[int, str], str]
"""Path of each pair file, by (index of the function's file, kind of wrong answer)."""


def find_functions(option: str, target: str) -> tuple[list[Path], str, bool]:
    """Parse a target; return its files, the function name, and True if the target is a folder.

    Raises
    ------
    InvalidInputError
        A file is missing, not regular or too large, or the folder has no .py file; the error names `option`.
    """
    name, colon, function = target.rpartition(":")
    if not colon or not function.isidentifier():  # C:\\file.py also contains a colon
        name, function = target, DEFAULT_FUNCTION
    path = Path(name)
    is_folder = os.path.isdir(name)
    paths = sorted(file for file in path.glob("*.py") if file.is_file() and not file.name.startswith(("__", "."))) if is_folder else [path]
    if not paths:
        raise InvalidInputError(option, "a folder with .py files", target)
    for file in paths:
        read_at_most(file, option, MAX_PYTHON_BYTES, f"a Python file of at most {MAX_PYTHON_BYTES} bytes")
    return paths, function, is_folder


def function_files(target: str) -> list[str]:
    """Return the paths of a target's files; raises the same errors as `find_functions`."""
    return [str(path) for path in find_functions("FILE.py:FUNCTION", target)[0]]


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Options of ``check``."""

    target: str = argument(
        "FILE.py:FUNCTION", "File with your function (default: collide), or a folder of such files.", reads=function_files
    )
    query: str | None = option("Q", "Query that the function answers: manifold, overlap or distance.", shown="manifold")
    pairs: int = option("N", "Number of shape pairs.", 10_000, low=1, high=MAX_PAIRS)
    seed: Seed = 0
    time_limit: float = option("SECONDS", "Time limit per call.", 1.0, low=_MIN_TIME_LIMIT, high=_MAX_TIME_LIMIT, unit="s")
    tolerance: float = option("M", "Maximum error of an answer, in addition to float64 rounding.", 1e-9, low=0.0, high=1e6, unit="m")
    pair: str | None = option("FILE", "Test only the pair in this file.", reads=True)
    report: ReportFolder = None
    json: JsonFile = None


@command
def check_command(args: CheckOptions) -> Report:
    """Call your function on seeded shape pairs and check each answer against exact arithmetic.

    collide(a, b) gets lists of (x, y), counter-clockwise, or (x, y, radius) for a circle, and returns None or a dict with any of
    normal (from a to b), points, depth. It runs in a separate process, so that a crash does not end the check. The first failure of each
    kind is shrunk and shown.
    """
    from engine.check.kinds import QUERIES
    from engine.check.report import as_json
    from engine.check.trial import Task
    from engine.world import load_solver

    if args.query is not None:
        choice("--query", args.query, QUERIES)
    paths, function, is_folder = find_functions("FILE.py:FUNCTION", args.target)
    tasks = [Task(path, function, args.query or QUERIES[0], args.pairs, args.seed, args.tolerance, args.time_limit) for path in paths]
    is_whole = True
    if args.pair is not None:
        tallies = _on_one_pair(tasks, args.query, args.pair)
    else:
        tallies, is_whole = _on_many(tasks, may_be_refused=is_folder)
    files = _pair_files(tallies, args.report, args.pair)
    head = {
        "seed": args.seed,
        "box2d": load_solver("box2d").capabilities.version,
        "query": tasks[0].query,
        "tolerance": args.tolerance,
        "time_limit": args.time_limit,
    }
    plain: dict[str, Any] = {**head, "files": [as_json(tally) for tally in tallies]}
    done = sum(tally.pairs for tally in tallies)
    interrupted = "" if is_whole else f"interrupted after {done:,} of {args.pairs * len(tasks):,} pairs"
    status = int(not all(tally.is_right for tally in tallies))
    return Report(plain, _parts(tallies, files), status, partial(_page, tallies, files), interrupted)


def _on_one_pair(tasks: Sequence[Task], query: str | None, file: str) -> list[Tally]:
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
    """Check the functions one after another, with a progress bar; return the tallies, and False if interrupted."""
    from engine.check.trial import check_function

    tallies: list[Tally] = []

    def words() -> str:
        if not tallies:
            return LOADING
        tally = tallies[-1]
        is_shrinking = tally.wrong and (tally.is_whole or tally.gave_up)
        return f"{tally.task.path.name}, {'shrinking the failures' if is_shrinking else f'{tally.wrong:,} wrong'}"

    with progress(words, sum(task.pairs for task in tasks), "pairs") as advance:
        for task in tasks:
            n_before = sum(tally.pairs for tally in tallies)
            trial = check_function(task)
            try:
                for tally in trial:
                    if not tallies or tallies[-1] is not tally:
                        tallies.append(tally)
                    advance(n_before + tally.pairs)
            except KeyboardInterrupt:
                return tallies, False
            finally:
                trial.close()  # stops its process
            if not may_be_refused:
                _refuse(tallies[-1])
    return tallies, True


def _refuse(tally: Tally) -> None:
    if tally.refused is not None:
        raise LabError(f"{tally.task.path}: {tally.refused.message}")


def _pair_files(tallies: Sequence[Tally], folder: str | None, pair_file: str | None) -> PairFiles:
    """Return the pair file for each kind of wrong answer, which is in the report folder, or is the given pair file."""
    findings = [(number, tally.task, finding.kind) for number, tally in enumerate(tallies) for finding in tally.findings]
    if folder is not None:
        return {(number, kind): str(Path(folder) / f"{task.path.stem}-{task.function}-{kind}.json") for number, task, kind in findings}
    return {} if pair_file is None else {(number, kind): pair_file for number, _, kind in findings}


def _parts(tallies: Sequence[Tally], files: PairFiles) -> Iterator[Part]:
    from engine.check.kinds import KINDS
    from engine.check.report import command_of, functions_table, kinds_table, name_of, page_path, step_command_of, summary_lines

    if len(tallies) > 1:
        yield functions_table(tallies)
        for tally in tallies:
            yield from (f"{name_of(tally.task)}: {line}" for line in summary_lines(tally))
        return
    (tally,) = tallies
    task = tally.task
    yield f"{name_of(task)}, {task.query}: {tally.right:,} of {tally.pairs:,} pairs right, {tally.wrong:,} wrong"
    yield from summary_lines(tally)
    if tally.kinds:
        yield kinds_table(tally)
    for finding in tally.findings:
        kind, shown = KINDS[finding.kind], finding.shown
        page = page_path(kind.page, Path.cwd())
        yield Link(f"\n{kind.name}: {shown.fault.evidence}", "title")
        yield from (f"  {cause}" for cause in finding.causes)
        yield f"a = {_written(shown.pair.a)}\nb = {_written(shown.pair.b)}\nBox2D: {finding.right.box2d}\n{kind.hint} {page}"
        if not finding.is_alone:
            yield "In a fresh process, the function does not fail on this pair alone: it keeps state between calls or is random."
        pair_file = files.get((0, finding.kind))
        for line in (command_of(task, finding, pair_file), step_command_of(task, finding, pair_file)):
            if line is not None:
                yield Link(line, "caption")


def _written(shape: object) -> str:
    return repr(list(shape)) if isinstance(shape, tuple) and isinstance(shape[0], tuple) else repr(shape)


def _page(tallies: Sequence[Tally], names: PairFiles) -> Page:
    """Return the HTML page and its files, which are a picture, a pair file and a player's page per function and kind of wrong answer."""
    from engine.check.report import html_report, pair_of
    from engine.cli.check_picture import draw_finding
    from engine.compare.pair.file import pair_content
    from engine.player import show

    pictures: dict[tuple[int, str], tuple[bytes, str, str]] = {}
    files: dict[str, bytes] = {}
    for number, tally in enumerate(tallies):
        for finding in tally.findings:
            name, task = names[number, finding.kind], tally.task
            picture = draw_finding(finding, f"{task.path.name}:{task.function}")
            stem, pair = Path(name).stem, pair_of(task, finding)
            files |= {f"{stem}.png": picture, f"{stem}.json": pair_content(pair)}
            player = f"{stem}.html"
            try:
                files[player] = show(pair).html.encode()
            except LabError:  # neither Box2D nor our algorithms can compute the pair
                player = ""
            pictures[number, finding.kind] = picture, name, player
    return html_report(tallies, pictures), files
