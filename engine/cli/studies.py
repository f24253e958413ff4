"""``studies``: comparisons that others have made, made again here."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import JsonFile
from engine.cli.output import InterruptedRunError, check_files, people, progress, text_table, write_json
from engine.cli.report_folder import page_in, write_report
from engine.common.words import counted

if TYPE_CHECKING:
    from engine.experiments.studies import Finding, Study
    from engine.experiments.studies.study import Cell, Table

__all__ = ["studies_command"]


def studies_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAMES", help="Which: integrators... Without any, all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small and few: whether it runs, not what is true.")] = False,
    report: Annotated[str | None, typer.Option("--report", metavar="DIR", help="Write a page with tables, and a picture of each.")] = None,
    json_file: JsonFile = None,
) -> None:
    """Repeat a study and print what it finds. Costs are processor time, measured in turn: trust the ratios."""
    from engine.app.files import check_directory

    if report is not None:
        check_directory("--report", report)
    check_files({}, {"--json": json_file, "--report": page_in(report)})

    from engine.experiments.studies import STUDIES, chosen

    wanted = chosen(dict.fromkeys(names or STUDIES))
    done: list[tuple[Study, Finding]] = []
    with progress("measuring", len(wanted)) as one_done, contextlib.suppress(KeyboardInterrupt):
        for one in wanted:
            done.append((one, one.measure(quick)))
            one_done()
    studies = [{"name": one.name, "title": one.title, "said": one.said, **finding.as_json()} for one, finding in done]
    result: dict[str, Any] = {"quick": quick, "studies": studies}
    write_json(json_file, result if len(done) == len(wanted) else {**result, "interrupted": True})
    for one, finding in done:
        _print(one, finding, json_file)
    if report is not None and done:
        from engine.cli.study_chart import draw_charts

        pictures = {f"{one.name}.png": draw_charts(one.title, finding.charts) for one, finding in done}
        people(json_file).print(f"report: {write_report(report, _page(done), {}, pictures)}", markup=False, soft_wrap=True)
    if len(done) < len(wanted):
        raise InterruptedRunError(f"interrupted after {len(done)} of {counted(len(wanted), 'study', 'studies')}")


def _print(study: Study, finding: Finding, json_file: str | None) -> None:
    console = people(json_file)
    console.print(f"{study.name}: {study.title}", style="bold", markup=False)
    console.print(f"They: {study.said}", markup=False)
    for one in finding.tables:
        first, *others = one.columns
        shown = text_table(first, right=others)
        for row in one.rows:
            shown.add_row(*(_cell(cell) for cell in row))
        console.print(f"\n{one.title}", markup=False)
        console.print(shown)
    console.print("")
    for sentence in finding.found:
        console.print(f"Here: {sentence}", markup=False)
    console.print("")


def _cell(cell: Cell) -> str:
    if isinstance(cell, float):
        return f"{cell:.3g}"
    return "-" if cell is None else str(cell)


def _page(done: list[tuple[Study, Finding]]) -> str:
    from html import escape

    from engine.compare.report.page import numbers, page, table

    def shown(one: Table) -> str:
        rows = [[escape(_cell(row[0])), *numbers(_cell(cell) for cell in row[1:])] for row in one.rows]
        return f"<h3>{escape(one.title)}</h3>" + table([escape(one.columns[0]), *numbers(one.columns[1:])], rows)

    body = ["<h1>Studies repeated</h1>"]
    for study, finding in done:
        body += [f"<h2>{escape(study.title)}</h2>", f"<p>They: {escape(study.said)}</p>"]
        body += [f'<figure><img src="{study.name}.png" alt="{escape(study.title)}"></figure>', *map(shown, finding.tables)]
        body += ["<ul>", *(f"<li>{escape(one)}</li>" for one in finding.found), "</ul>"]
    return page("Studies repeated", body)
