"""Builds the tables and the HTML page of ``netlab``, with charts over the swept parameter or, without a sweep, of the corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from engine.common.words import counted
from engine.net.netlab.result import AGES, SIZES
from engine.report import Cell, Chart, Curve, Page, Table

if TYPE_CHECKING:
    from engine.net.netlab.experiment import Experiment
    from engine.net.netlab.result import ExperimentResult

__all__ = ["about", "clients_table", "netlab_page", "runs_table"]

CHART = "netlab.png"
TABLES = "tables.md"


def about(experiment: Experiment) -> str:
    """Return a one-line summary of an experiment with its title, clients, steps, seed and links."""
    link = ", ".join(f"{name} {value:g}" for name, value in asdict(experiment.link).items() if value) or "ideal"
    size = f"{counted(experiment.n_clients, 'client')}, {counted(experiment.steps, 'step')}"
    return f"{experiment.title}, {size}, seed {experiment.seed}; link: {link}"


def _swept_value(run: ExperimentResult, name: str) -> float:
    """Return a run's value of the swept parameter."""
    from engine.net.netlab.experiment import LINK_FIELDS, SWEPT

    return float(getattr(run.experiment.link if name in LINK_FIELDS else run.experiment, SWEPT[name]))


def _scaled(value: float | None, factor: float) -> Cell:
    return None if value is None else factor * value


def runs_table(results: Sequence[ExperimentResult], swept: str | None) -> Table:
    """Return the table of medians, one row per run; traffic (both directions) and processor time are per client."""
    rows = [
        (
            run.experiment.method, *([] if swept is None else [_swept_value(run, swept)]),
            f"{run.total('differing_steps')} of {run.total('compared_steps')}", run.acts, _scaled(run.own_act_shown.median, 1e3),
            _scaled(run.time_to_agree.median, 1e3), run.sizes.n, _scaled(run.sizes.median, 1e3), _scaled(run.sizes.max, 1e3),
            run.resimulated_per_step, _scaled(run.mean("stalled_share"), 100.0), run.bytes_per_s / 1e3, run.mean("ms_per_step"),
            run.server_ms_per_step,
        )
        for run in results
    ]  # fmt: skip
    heads = (
        "method", *((swept,) if swept else ()), "differ", "acts", "own action, ms", "agreed, ms", "corrections", "size, mm", "max, mm",
        "resim./step", "stalled, %", "kB/s", "ms per step", "server ms",
    )  # fmt: skip
    return Table("", heads, tuple(rows))


def clients_table(run: ExperimentResult) -> Table:
    """Return the table of a run's clients, one row per client."""
    heads = (
        "client", "from step", "differ", "skipped", "corrections", "max, mm", "rollbacks", "resim.", "adopted", "up, B/s",
        "down, B/s", "ms per step",
    )  # fmt: skip
    rows = [
        (
            client.name, client.first_step, client.differing_steps, client.skipped_steps, client.corrections,
            _scaled(client.largest_correction, 1e3), client.rollbacks, client.resimulated_steps, client.adopted_keyframes,
            round(client.bytes_up_per_s), round(client.bytes_down_per_s), client.ms_per_step,
        )
        for client in run.clients
    ]  # fmt: skip
    return Table("", heads, tuple(rows))


def netlab_page(results: Sequence[ExperimentResult], swept: str | None) -> Page:
    """Return the HTML page and its files, which are the charts as PNG and the summary table as Markdown."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    figure = draw_charts(_swept_charts(results, swept) if swept else _correction_charts(results))
    runs = []
    for run in results:
        value = "" if swept is None else f", {swept} {_swept_value(run, swept):g}"
        runs.append((run.experiment.method + value, clients_table(run), (*run.problems, *run.drops)))
    summary = runs_table(results, swept)
    page = render_page(
        "netlab.html",
        title=f"netlab: {results[0].experiment.title}",
        about=f"{about(results[0].experiment)}.",
        is_whole=results[-1].is_whole,
        n_problems=sum(len(run.problems) for run in results),
        summary=summary,
        svg=as_svg(figure, "plots of the table"),
        runs=runs,
    )
    return page, {CHART: as_png(figure), TABLES: summary.as_markdown().encode("utf-8")}


def _swept_charts(results: Sequence[ExperimentResult], swept: str) -> list[Chart]:
    """Return four charts over the swept parameter, with one curve per method."""
    panels: tuple[tuple[str, Callable[[ExperimentResult], float | None], float], ...] = (
        ("delay until own action is shown, ms", lambda run: run.own_act_shown.median, 1e3),
        ("corrections: 95th percentile, mm", lambda run: run.sizes.p95, 1e3),
        ("resimulated steps per step", lambda run: run.resimulated_per_step, 1.0),
        ("kB/s per client, both directions", lambda run: run.bytes_per_s, 1e-3),
    )
    axis = swept + (", s" if swept in ("latency", "jitter") else "")
    runs = {
        method: [run for run in results if run.experiment.method == method]
        for method in dict.fromkeys(run.experiment.method for run in results)
    }
    charts = []
    for title, value, factor in panels:
        curves = [
            Curve(method, tuple(_swept_value(run, swept) for run in own), tuple(factor * (value(run) or 0.0) for run in own))
            for method, own in runs.items()
        ]
        charts.append(Chart(title, axis, "", tuple(curves), from_zero=True))
    return charts


def _correction_charts(results: Sequence[ExperimentResult]) -> list[Chart]:
    """Return bar charts that count the corrections by size and by age, with one series per method."""
    sizes = [f"{1e3 * bound:g}" for bound in SIZES]
    charts = []
    for title, bounds, name in (
        ("corrections by size, mm", sizes, "by_size"),
        ("corrections by age, ticks", [str(bound) for bound in AGES], "by_age"),
    ):
        labels = (*(f"< {bound}" for bound in bounds), f">= {bounds[-1]}")
        curves = tuple(Curve(run.experiment.method, (), tuple(getattr(run, name))) for run in results)
        charts.append(Chart(title, "", "", curves, labels=labels))
    return charts
