"""The page of ``netlab``: its tables, and plots of what a method costs over what was swept, or of the corrections of one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from engine.common.words import counted
from engine.net.netlab.result import AGES, SIZES
from engine.report import Chart, Curve, Table

if TYPE_CHECKING:
    from engine.net.netlab.plan import Plan
    from engine.net.netlab.result import ExperimentResult, Spread

__all__ = ["link_words", "milliseconds", "netlab_report", "runs_table", "spread_words"]

CHART = "netlab.png"
TABLES = "tables.md"
COLUMNS = ("differ", "own act, ms", "agreed, ms", "corrections", "size, mm", "most, mm", "again a step", "stalled, %", "kB/s", "ms a step")
"""Columns of the table of runs, after the method and the swept value: medians; bytes both ways and processor time are those of a client."""


def link_words(plan: Plan) -> str:
    """Say what the links of a plan are like."""
    words = [_way_words(plan.up)] if plan.up == plan.down else [f"up {_way_words(plan.up)}", f"down {_way_words(plan.down)}"]
    return "; ".join(words)


def _way_words(link: Any) -> str:
    words = [f"{1e3 * link.latency:g} ms" + (f" +- {1e3 * link.jitter:g}" if link.jitter else "")]
    for name, word in (("loss", "lost"), ("reorder", "overtaking"), ("duplicate", "twice")):
        share = getattr(link, name)
        words += [f"{100.0 * share:g} % {word}"] if share else []
    words += [f"{link.bandwidth:,.0f} bytes/s"] if link.bandwidth else []
    return ", ".join([*words, *(["a stream"] if link.is_stream else [])])


def spread_words(spread: Spread, factor: float, unit: str) -> str:
    """Say a spread: "33 ms, 5 % over 67, at most 83"."""
    if spread.median is None or spread.p95 is None or spread.max is None:
        return "-"
    median, high, most = (_scaled(value, factor) for value in (spread.median, spread.p95, spread.max))
    return f"{median} {unit}, 5 % over {high}, at most {most}"


def milliseconds(ms: float | None) -> str:
    """Say milliseconds, or that there are none."""
    return "-" if ms is None else f"{ms:.2f} ms"


def _swept_value(one: ExperimentResult, name: str) -> float:
    """Return the value that a run had of what was swept."""
    from engine.net.netlab.plan import LINK_FIELDS, SWEPT

    return float(getattr(one.plan.up if name in LINK_FIELDS else one.plan, SWEPT[name]))


def _values(one: ExperimentResult, swept: str | None) -> list[str]:
    """Return the value of what was swept, if anything was, and those of `COLUMNS`."""
    costs = [client.ms_per_step for client in one.clients if client.ms_per_step is not None]
    return [
        *([] if swept is None else [f"{_swept_value(one, swept):g}"]),
        f"{one.differing_steps} of {one.total('compared_steps')}",
        _scaled(one.own_act_shown.median, 1e3),
        _scaled(one.time_to_agree.median, 1e3),
        str(one.correction.n),
        _scaled(one.correction.median, 1e3),
        _scaled(one.correction.max, 1e3),
        f"{one.again_per_step:.2f}",
        _scaled(one.stalled_share, 100.0),
        f"{one.bytes_per_s / 1e3:.1f}",
        f"{sum(costs) / len(costs):.2f}" if costs else "-",
    ]


def _scaled(value: float | None, factor: float) -> str:
    if value is None:
        return "-"
    return f"{factor * value:,.0f}" if factor * value >= 1000.0 else f"{factor * value:.3g}"


def runs_table(findings: Sequence[ExperimentResult], swept: str | None) -> Table:
    """Return a row for each run: its method, the value of what was swept, and the medians of what was measured."""
    heads = ("method", *((swept,) if swept else ()), *COLUMNS)
    return Table("", heads, tuple((run.plan.method, *_values(run, swept)) for run in findings))


def netlab_report(findings: Sequence[ExperimentResult], swept: str | None, is_whole: bool) -> tuple[str, dict[str, bytes]]:
    """Return the page, and the files beside it: its chart as a picture, and its table as Markdown."""
    from engine.report.charts import as_png, as_svg, draw_charts
    from engine.report.page import render_page

    plan = findings[0].plan
    about = f"{counted(plan.n_clients, 'client')}, {counted(plan.steps, 'step')}, seed {plan.seed}"
    figure = draw_charts(_swept_charts(findings, swept) if swept else _correction_charts(findings))
    runs = []
    for run in findings:
        value = "" if swept is None else f", {swept} {_swept_value(run, swept):g}"
        runs.append((run.plan.method + value, _clients(run), (*run.problems, *run.drops)))
    page = render_page(
        "netlab.html",
        title=f"netlab: {plan.title}",
        about=f"{about}; link: {link_words(plan)}.",
        is_whole=is_whole,
        n_problems=sum(len(run.problems) for run in findings),
        summary=runs_table(findings, swept),
        svg=as_svg(figure, "plots of the table"),
        runs=runs,
    )
    return page, {CHART: as_png(figure), TABLES: runs_table(findings, swept).as_markdown().encode("utf-8")}


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


def _clients(one: ExperimentResult) -> Table:
    heads = (
        "client", "from step", "differ", "corrections", "most, mm", "rollbacks", "again", "adopted", "agreed, ms", "clock, ms", "up, B/s",
        "down, B/s", "ms a step",
    )  # fmt: skip
    rows = [
        (
            client.name, client.first_step, client.differing_steps, client.corrections, _scaled(client.largest_correction, 1e3),
            client.rollbacks, client.resimulated_steps, client.adopted_keyframes, _scaled(client.time_to_agree.median, 1e3),
            _scaled(client.clock_error.median, 1e3), f"{client.bytes_up_per_s:.0f}", f"{client.bytes_down_per_s:.0f}",
            _scaled(client.ms_per_step, 1.0),
        )
        for client in one.clients
    ]  # fmt: skip
    return Table("", heads, tuple(rows))
