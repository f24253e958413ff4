"""Tables of ``netlab``, and the page with them and with charts of what a method costs over what was swept, or of one run's corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from engine.common.words import counted
from engine.net.netlab.result import AGES, SIZES
from engine.report import Cell, Chart, Curve, Page, Table

if TYPE_CHECKING:
    from engine.net.netlab.plan import Plan
    from engine.net.netlab.result import ExperimentResult

__all__ = ["about", "clients_table", "netlab_page", "runs_table"]

CHART = "netlab.png"
TABLES = "tables.md"


def about(plan: Plan) -> str:
    """Return what is shared, among how many, for how long, over which links."""
    link = _link_words(plan.up) if plan.up == plan.down else f"up {_link_words(plan.up)}; down {_link_words(plan.down)}"
    return f"{plan.title}, {counted(plan.n_clients, 'client')}, {counted(plan.steps, 'step')}, seed {plan.seed}; link: {link}"


def _link_words(link: Any) -> str:
    words = [f"{1e3 * link.latency:g} ms" + (f" +- {1e3 * link.jitter:g}" if link.jitter else "")]
    for name, word in (("loss", "lost"), ("reorder", "overtaking"), ("duplicate", "twice")):
        share = getattr(link, name)
        words += [f"{100.0 * share:g} % {word}"] if share else []
    words += [f"{link.bandwidth:,.0f} bytes/s"] if link.bandwidth else []
    return ", ".join([*words, *(["a stream"] if link.is_stream else [])])


def _swept_value(run: ExperimentResult, name: str) -> float:
    """Return the value that a run had of what was swept."""
    from engine.net.netlab.plan import LINK_FIELDS, SWEPT

    return float(getattr(run.plan.up if name in LINK_FIELDS else run.plan, SWEPT[name]))


def _scaled(value: float | None, factor: float) -> Cell:
    return None if value is None else factor * value


def runs_table(findings: Sequence[ExperimentResult], swept: str | None) -> Table:
    """Return a row for each run: medians of what was measured; bytes both ways and processor time are those of a client."""
    rows = []
    for run in findings:
        costs = [client.ms_per_step for client in run.clients if client.ms_per_step is not None]
        rows.append(
            (
                run.plan.method, *([] if swept is None else [_swept_value(run, swept)]),
                f"{run.differing_steps} of {run.total('compared_steps')}", run.acts, _scaled(run.own_act_shown.median, 1e3),
                _scaled(run.time_to_agree.median, 1e3), run.correction.n, _scaled(run.correction.median, 1e3),
                _scaled(run.correction.max, 1e3), run.again_per_step, _scaled(run.stalled_share, 100.0), run.bytes_per_s / 1e3,
                sum(costs) / len(costs) if costs else None, run.server_ms_per_step,
            )
        )  # fmt: skip
    heads = (
        "method", *((swept,) if swept else ()), "differ", "acts", "own act, ms", "agreed, ms", "corrections", "size, mm", "most, mm",
        "again a step", "stalled, %", "kB/s", "ms a step", "server's",
    )  # fmt: skip
    return Table("", heads, tuple(rows))


def clients_table(run: ExperimentResult) -> Table:
    """Return a row for each client of a run."""
    heads = (
        "client", "from step", "differ", "skipped", "corrections", "most, mm", "rollbacks", "again", "adopted", "agreed, ms", "clock, ms",
        "up, B/s", "down, B/s", "ms a step",
    )  # fmt: skip
    rows = [
        (
            client.name, client.first_step, client.differing_steps, client.skipped_steps, client.corrections,
            _scaled(client.largest_correction, 1e3), client.rollbacks, client.resimulated_steps, client.adopted_keyframes,
            _scaled(client.time_to_agree.median, 1e3), _scaled(client.clock_error.median, 1e3), round(client.bytes_up_per_s),
            round(client.bytes_down_per_s), client.ms_per_step,
        )
        for client in run.clients
    ]  # fmt: skip
    return Table("", heads, tuple(rows))


def netlab_page(findings: Sequence[ExperimentResult], swept: str | None) -> Page:
    """Return the page, and the files beside it: its chart as a picture, and its table as Markdown."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    figure = draw_charts(_swept_charts(findings, swept) if swept else _correction_charts(findings))
    runs = []
    for run in findings:
        value = "" if swept is None else f", {swept} {_swept_value(run, swept):g}"
        runs.append((run.plan.method + value, clients_table(run), (*run.problems, *run.drops)))
    summary = runs_table(findings, swept)
    page = render_page(
        "netlab.html",
        title=f"netlab: {findings[0].plan.title}",
        about=f"{about(findings[0].plan)}.",
        is_whole=findings[-1].is_whole,
        n_problems=sum(len(run.problems) for run in findings),
        summary=summary,
        svg=as_svg(figure, "plots of the table"),
        runs=runs,
    )
    return page, {CHART: as_png(figure), TABLES: summary.as_markdown().encode("utf-8")}


def _swept_charts(findings: Sequence[ExperimentResult], swept: str) -> list[Chart]:
    """Return four charts over what was swept, with a curve for each method."""
    panels: tuple[tuple[str, Callable[[ExperimentResult], float | None], float], ...] = (
        ("own act is shown after, ms", lambda run: run.own_act_shown.median, 1e3),
        ("corrections: one in twenty exceeds, mm", lambda run: run.correction.p95, 1e3),
        ("steps again, for each step", lambda run: run.again_per_step, 1.0),
        ("kB/s of a client, both ways", lambda run: run.bytes_per_s, 1e-3),
    )
    axis = swept + (", s" if swept in ("latency", "jitter") else "")
    runs = {method: [run for run in findings if run.plan.method == method] for method in dict.fromkeys(run.plan.method for run in findings)}
    charts = []
    for title, value, factor in panels:
        curves = [
            Curve(method, tuple(_swept_value(run, swept) for run in own), tuple(factor * (value(run) or 0.0) for run in own))
            for method, own in runs.items()
        ]
        charts.append(Chart(title, axis, "", tuple(curves), from_zero=True))
    return charts


def _correction_charts(findings: Sequence[ExperimentResult]) -> list[Chart]:
    """Return the numbers of corrections by size and by age, with bars for each method."""
    sizes = [f"{1e3 * bound:g}" for bound in SIZES]
    charts = []
    for title, bounds, name in (
        ("corrections by size, mm", sizes, "by_size"),
        ("corrections by age, ticks", [str(bound) for bound in AGES], "by_age"),
    ):
        labels = (*(f"< {bound}" for bound in bounds), f">= {bounds[-1]}")
        curves = tuple(Curve(run.plan.method, (), tuple(getattr(run, name))) for run in findings)
        charts.append(Chart(title, "", "", curves, labels=labels))
    return charts
