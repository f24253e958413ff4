"""``studies``: comparisons that others have made, made again here."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.options import JsonFile
from engine.cli.output import InterruptedRunError, check_files, people, progress, write_json
from engine.cli.report_folder import page_in, write_report
from engine.common.words import counted

if TYPE_CHECKING:
    from pathlib import Path

    from engine.experiments.studies import Finding, Study

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

    chosen_studies = chosen(dict.fromkeys(names or STUDIES))
    done: list[tuple[Study, Finding]] = []
    with progress("measuring", len(chosen_studies)) as one_done, contextlib.suppress(KeyboardInterrupt):
        for study in chosen_studies:
            done.append((study, study.measure(quick)))
            one_done()
    studies = [{"name": study.name, "title": study.title, "said": study.said, **finding.as_json()} for study, finding in done]
    result: dict[str, Any] = {"quick": quick, "studies": studies}
    write_json(json_file, result if len(done) == len(chosen_studies) else {**result, "interrupted": True})
    for study, finding in done:
        _print(study, finding, json_file)
    if report is not None and done:
        people(json_file).print(f"report: {_write_report(report, done)}", markup=False, soft_wrap=True)
    if len(done) < len(chosen_studies):
        raise InterruptedRunError(f"interrupted after {len(done)} of {counted(len(chosen_studies), 'study', 'studies')}")


def _print(study: Study, finding: Finding, json_file: str | None) -> None:
    console = people(json_file)
    console.print(f"{study.name}: {study.title}", style="bold", markup=False)
    console.print(f"They: {study.said}", markup=False)
    for table in finding.tables:
        console.print(f"\n{table.title}", markup=False)
        console.print(table.as_rich())
    console.print("")
    for sentence in finding.found:
        console.print(f"Here: {sentence}", markup=False)
    console.print("")


def _write_report(folder: str, done: list[tuple[Study, Finding]]) -> Path:
    """Write the page, and a picture of the charts of each study."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    figures = [draw_charts(finding.charts, study.title) for study, finding in done]
    studies = [(study, finding, as_svg(figure, study.title)) for (study, finding), figure in zip(done, figures, strict=True)]
    pictures = {f"{study.name}.png": as_png(figure) for (study, _), figure in zip(done, figures, strict=True)}
    return write_report(folder, render_page("studies.html", title="Studies repeated", studies=studies), {}, pictures)
