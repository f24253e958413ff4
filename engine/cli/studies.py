"""``studies``: repeat published comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from engine.cli.options import JsonFile, ReportFolder, argument, command, entries, option
from engine.cli.output import collected, unfinished
from engine.report import Link, Page, Part, Report

if TYPE_CHECKING:
    from engine.experiments.studies import Results, Study

__all__ = ["studies_command"]


@dataclass(frozen=True, kw_only=True)
class StudiesOptions:
    """Options of ``studies``."""

    names: list[str] | None = argument("NAMES", "Names of studies, such as integrators; by default, all are run.", None)
    quick: bool = option("", "Run a reduced version as a smoke test; its results are not meaningful.", False)
    report: ReportFolder = None
    json: JsonFile = None


@command
def studies_command(args: StudiesOptions) -> Report:
    """Repeat studies and print the results. Costs are CPU times from interleaved runs, so compare only their ratios."""
    from engine.experiments.studies import STUDIES

    studies = entries(args.names or (), STUDIES)
    done = collected("measuring", ((study, study.measure(args.quick)) for study in studies), len(studies))
    plain = [{"name": study.name, "title": study.title, "said": study.said, **finding.as_json()} for study, finding in done]
    parts: list[Part] = []
    for study, finding in done:
        parts += [Link(f"{study.name}: {study.title}", "title"), f"Published result: {study.said}", f"Here: {study.here}", ""]
        parts += [*finding.beside, *finding.tables, ""]
        parts += [*(f"Measured here: {sentence}" for sentence in finding.sentences), ""]
    page = partial(_page, done) if done else None
    return Report({"quick": args.quick, "studies": plain}, parts, 0, page, unfinished(len(done), len(studies), "study", "studies"))


def _page(done: Sequence[tuple[Study, Results]]) -> Page:
    """Return the HTML page, and the charts of each study as PNG."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    figures = [draw_charts(finding.charts, study.title) for study, finding in done]
    studies = [(study, finding, as_svg(figure, study.title)) for (study, finding), figure in zip(done, figures, strict=True)]
    pictures = {f"{study.name}.png": as_png(figure) for (study, _), figure in zip(done, figures, strict=True)}
    return render_page("studies.html", title="Studies repeated", studies=studies), pictures
