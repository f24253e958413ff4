"""``engines``: compare physics engines on scenes whose result is known from a law or an exact answer."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.cli import options
from engine.cli.options import listed, option
from engine.cli.output import collected, unfinished
from engine.common.errors import LabError
from engine.common.machine import machine_facts
from engine.common.words import counted
from engine.report import Cell as TableCell
from engine.report import Link, Page, Part, Report, Table

if TYPE_CHECKING:
    from engine.experiments.engines import Cell, Row, Task, Test
    from engine.experiments.engines.rows_file import EngineRows

__all__ = ["engines_command"]

_ENGINES = ("box2d", "box2d3", "chipmunk", "soft_step")
_KINDS = {"passes": "right", "fails": "wrong", "measured": "", "not supported": "caption"}
_MAX_FILE = 10_000_000
"""Maximum size of a file of rows, bytes."""
_MAX_PLAYED = 200_000
"""Maximum number of bodies times steps of a played case, for a page of a few megabytes."""


@dataclass(frozen=True, kw_only=True)
class EnginesOptions:
    """Options of ``engines``."""

    engines: str | None = option(
        "LIST", "Names of installed solvers, such as box2d3,chipmunk,xpbd, or all.", shown=f"all installed ones of {', '.join(_ENGINES)}"
    )
    tests: str = option("LIST", "Names of tests, such as tunneling,seams, or all.", options.ALL)
    quick: bool = option("", "Run fewer rows and shots, and shorter simulations; this takes about two minutes.", False)
    rows: str | None = option("FILE", "Add the results of another engine from a JSON file (docs/engines.md).")
    jobs: options.Jobs = None
    report: options.ReportFolder = None
    json: options.JsonFile = None


@options.command
def engines_command(args: EnginesOptions) -> Report:
    """Run physics engines on the same tests and compare their results with laws and exact answers.

    Each cell has a value and a verdict: it passes, fails, or is not supported. An engine has a second column if its manual recommends
    other settings for the case. The report has a page that plays each failing case. docs/engines.md describes the method.
    """
    from engine.experiments.engines import TESTS, Task, columns_of
    from engine.world import solvers

    known, chosen = solvers(), listed("--tests", args.tests, tuple(TESTS))
    tests = [test for test in TESTS.values() if test.name in chosen]
    engines = tuple(name for name in _ENGINES if name in known) if args.engines is None else listed("--engines", args.engines, known)
    added = None if args.rows is None else _rows_of(args.rows)
    tasks = [
        Task(test.name, row.name, engine, column.settings, args.quick)
        for test in tests
        for row in test.rows
        if row.is_quick or not args.quick
        for engine in engines
        for column in columns_of(engine, test.name)
    ]
    n_jobs = options.n_jobs(args.jobs)
    cells, pages = _measured(tasks, n_jobs, args.report is not None)
    done = len(cells)
    if added is not None:
        cells += [cell for cell in added[1] if cell.task.test in {test.name for test in tests}]
        engines = (*engines, added[0].engine)
    plain = _plain(engines, tests, cells, args.quick, None if added is None else added[0])

    def parts() -> Iterator[Part]:
        yield _table(engines, tests, cells, {})
        yield Link(f"Machine: {_machine_words(plain)}.", "caption")
        yield Link("Recommended settings are those that the engine's manual gives for the case. A dash (-) means not supported.", "caption")
        if any(test.name == "tunneling" for test in tests):
            yield Link("`python main.py atlas --solver NAME` maps tunneling over two parameters of a shot.", "caption")
        for engine in engines:
            own = [cell for cell in cells if cell.task.solver == engine and cell.task.settings == "default"]
            counts = [sum(cell.verdict == verdict for cell in own) for verdict in ("passes", "fails", "not supported")]
            yield f"{engine}: {counts[0]} pass, {counts[1]} fail, {counts[2]} not supported"

    page = partial(_page, engines, tests, cells, plain, pages)
    return Report(plain, parts(), 0, page, unfinished(done, len(tasks), "cell"))


def _rows_of(path: str) -> tuple[EngineRows, list[Cell]]:
    from engine.common.json_file import read_json
    from engine.experiments.engines.rows_file import read_rows

    return read_rows(read_json(path, "file of rows", _MAX_FILE), path)


def _measured(tasks: Sequence[Task], n_jobs: int, has_pages: bool) -> tuple[list[Cell], dict[str, bytes]]:
    """Measure all cells except the speed cells in several processes, then the speed cells one by one, so that nothing else runs at the same
    time.
    """
    from engine.compare.processes.workers import run_tasks

    together, alone = ([task for task in tasks if (task.test == "speed") is kind] for kind in (False, True))
    work = partial(_measure, has_pages)

    def answers() -> Generator[tuple[Cell, bytes], None, None]:
        yield from run_tasks(work, together, n_jobs)  # closes the processes when this generator is closed
        yield from run_tasks(work, alone, 1)

    measured = {cell.task: (cell, page) for cell, page in collected("measuring", answers(), len(tasks), "cells")}
    done = [measured[task] for task in tasks if task in measured]
    return [cell for cell, _ in done], {_file(cell.task): page for cell, page in done if page}


def _measure(has_pages: bool, task: Task) -> tuple[Cell, bytes]:
    """Return a cell, and a page that plays it if it fails."""
    from engine.experiments.engines import measure_cell

    cell = measure_cell(task)
    return cell, _played(cell) if has_pages and cell.verdict == "fails" else b""


def _played(cell: Cell) -> bytes:
    from engine import player
    from engine.demo import Demo
    from engine.world import World

    row, column = cell.task.place
    if row.start is None:
        return b""
    try:
        start = row.start(column).snapshot()

        class Case(Demo):
            id, title = "case", f"{row.title}: {cell.task.solver}, {cell.task.settings}"

            def build(self) -> None:
                self.add_stage(World.from_snapshot(start))

        seconds = min(row.seconds, _MAX_PLAYED / max(1, len(start.bodies)) * start.settings.dt)
        return player.show(Case(), seconds).html.encode()
    except LabError:
        return b""


def _file(task: Task) -> str:
    return re.sub(r"[^\w.-]+", "-", f"{task.test}-{task.row}-{task.solver}-{task.settings}.html")


def _plain(
    engines: Sequence[str], tests: Sequence[Test], cells: Sequence[Cell], is_quick: bool, added: EngineRows | None
) -> dict[str, Any]:
    from engine.experiments.engines import columns_of
    from engine.world import load_solver

    def described(engine: str) -> dict[str, str]:
        if added is not None and engine == added.engine:
            return {"title": engine, "version": added.engine_version, "machine": added.machine, "method": added.method}
        can = load_solver(engine).capabilities
        return {"title": can.title, "version": can.version, "machine": "", "method": ""}

    return {
        "quick": is_quick,
        "machine": machine_facts(),
        "engines": [{"name": engine, **described(engine)} for engine in engines],
        "tests": [
            {
                "name": test.name,
                "title": test.title,
                "right": test.right,
                "allowance": test.allowance,
                "promises": {
                    engine: [quote._asdict() for quote in quotes] for engine, quotes in test.promises.items() if engine in engines
                },
                "recommended": {
                    column.solver: {"words": column.advice.words, "page": column.advice.page, "address": column.advice.address}
                    for engine in engines
                    if added is None or engine != added.engine
                    for column in columns_of(engine, test.name)
                    if column.settings == "recommended"
                },
            }
            for test in tests
        ],
        "cells": [
            {
                "engine": cell.task.solver,
                "settings": cell.task.settings,
                "test": cell.task.test,
                "row": cell.task.row,
                "unit": _row(tests, cell.task).unit,
                "value": cell.value,
                "verdict": cell.verdict,
                "note": cell.note,
            }
            for cell in cells
        ],
    }


def _machine_words(plain: Mapping[str, Any]) -> str:
    return "{processor}, {cores} cores, {system} ({machine}), Python {python}".format(**plain["machine"])


def _row(tests: Sequence[Test], task: Task) -> Row:
    return next(row for test in tests if test.name == task.test for row in test.rows if row.name == task.row)


def _table(engines: Sequence[str], tests: Sequence[Test], cells: Sequence[Cell], files: Mapping[str, bytes]) -> Table:
    """Return one row per row of a test, with one or two columns per engine."""
    at = {(cell.task.test, cell.task.row, cell.task.solver, str(cell.task.settings)): cell for cell in cells}
    columns = [
        (engine, settings)
        for engine in engines
        for settings in ("default", "recommended")
        if any(cell.task.solver == engine and cell.task.settings == settings for cell in cells)
    ]
    rows: list[tuple[TableCell, ...]] = []
    for test in tests:
        first = True
        for row in test.rows:
            own = [at.get((test.name, row.name, *column)) for column in columns]
            if any(own):
                rows.append((test.name if first else "", row.title, *(_shown(cell, row, files) for cell in own)))
                first = False
    heads = ("test", "case", *(engine if settings == "default" else f"{engine}, recommended" for engine, settings in columns))
    return Table("", heads, tuple(rows), tuple(range(len(heads))))


def _shown(cell: Cell | None, row: Row, files: Mapping[str, bytes]) -> TableCell:
    if cell is None:
        return ""
    if cell.verdict == "not supported":
        return Link("-", "caption")
    number = "" if cell.value is None else f"{100.0 * cell.value:.3g}%" if row.unit == "%" else f"{cell.value:.3g} {row.unit}".rstrip()
    words = " ".join(part for part in ({"fails": "fails", "passes": "ok"}.get(cell.verdict, ""), number) if part)
    return Link(words, _KINDS[cell.verdict], _file(cell.task) if _file(cell.task) in files else "")


def _page(
    engines: Sequence[str], tests: Sequence[Test], cells: Sequence[Cell], plain: Mapping[str, Any], pages: Mapping[str, bytes]
) -> Page:
    """Return the HTML page, with a page for each failing case."""
    from engine.report.page import render_page

    notes = [
        (test, [cell for cell in cells if cell.task.test == test.name and cell.note], plain["tests"][number])
        for number, test in enumerate(tests)
    ]
    page = render_page(
        "engines.html",
        title="Comparison of physics engines",
        about=f"{counted(len(tests), 'test')}, {counted(len(engines), 'engine')}.",
        engines=plain["engines"],
        machine=_machine_words(plain),
        tables=[(test, _table(engines, [test], cells, pages), test_notes, facts) for test, test_notes, facts in notes],
        first=next(iter(pages), ""),
    )
    return page, pages
