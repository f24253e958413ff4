"""The page of ``netlab``: its tables, and plots of what a method costs over what was swept, or of the corrections of one run."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from engine.common.words import counted
from engine.compare.report.page import numbers, page, table
from engine.net.netlab.finding import AGES, SIZES

if TYPE_CHECKING:
    from engine.net.netlab.finding import Finding, Spread
    from engine.net.netlab.plan import Plan

__all__ = [
    "CHART", "COLUMNS", "TABLES", "drawn", "link_words", "milliseconds", "netlab_page", "row_of", "spread_words", "tables_as_text",
]  # fmt: skip

CHART = "netlab.png"
TABLES = "tables.md"
COLUMNS = ("differ", "own act, ms", "agreed, ms", "corrections", "size, mm", "most, mm", "again a step", "stalled, %", "kB/s", "ms a step")
"""Of the table of several runs, behind the method and what was swept: medians; bytes both ways, and processor time, of a client."""
_COLORS = {"prediction": "#0072B2", "interpolation": "#E69F00", "lockstep": "#009E73"}
_MARKS = {"prediction": "o", "interpolation": "s", "lockstep": "^"}
_FEW = 8
"""Values of what is swept, up to which each is named on the axis."""
_WIDE, _HIGH, _DPI = 4.4, 3.2, 80


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


def _swept_value(one: Finding, name: str) -> float:
    """Return the value that a run had of what was swept."""
    from engine.net.netlab.plan import LINK_FIELDS, SWEPT

    return float(getattr(one.plan.up if name in LINK_FIELDS else one.plan, SWEPT[name]))


def row_of(one: Finding, swept: str | None) -> list[str]:
    """Return the row of a run: its method, the value of what was swept, and `COLUMNS`."""
    costs = [client.ms_per_step for client in one.clients if client.ms_per_step is not None]
    return [
        one.plan.method,
        "" if swept is None else f"{_swept_value(one, swept):g}",
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


def tables_as_text(findings: Sequence[Finding], swept: str | None) -> str:
    """Return the table of all runs as Markdown: that of ``docs/network.md``."""
    heads = ["method", *([swept] if swept else []), *COLUMNS]
    rows = [row_of(one, swept) for one in findings]
    if swept is None:
        rows = [[row[0], *row[2:]] for row in rows]
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def drawn(findings: Sequence[Finding], swept: str | None) -> dict[str, bytes]:
    """Return the pictures of the page by the names of their files; the same findings give the same bytes, with one matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2 * _WIDE, (2 if swept else 1) * _HIGH + 0.3), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    if swept is not None:
        _draw_sweep(figure, findings, swept)
    else:
        _draw_corrections(figure, findings)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None}, pil_kwargs={"optimize": True})
    return {CHART: picture.getvalue()}


def _draw_sweep(figure: Any, findings: Sequence[Finding], swept: str) -> None:
    """Draw four panels over what was swept, a line for each method."""
    panels: tuple[tuple[str, list[float | None], float], ...] = (
        ("own act is shown after, ms", [one.own_act_shown.median for one in findings], 1e3),
        ("corrections: one in twenty exceeds, mm", [one.correction.p95 for one in findings], 1e3),
        ("steps again, for each step", [one.again_per_step for one in findings], 1.0),
        ("kB/s of a client, both ways", [one.bytes_per_s for one in findings], 1e-3),
    )
    methods = list(dict.fromkeys(one.plan.method for one in findings))
    for axes, (title, values, factor) in zip(figure.subplots(2, 2).flat, panels, strict=True):
        for method in methods:
            own = [
                (_swept_value(one, swept), factor * (y or 0.0))
                for one, y in zip(findings, values, strict=True)
                if one.plan.method == method
            ]
            style: dict[str, Any] = {"color": _COLORS[method], "marker": _MARKS[method], "markersize": 5, "linewidth": 1.6}
            axes.plot([x for x, _ in own], [y for _, y in own], label=method, **style)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(swept + (", s" if swept in ("latency", "jitter") else ""), fontsize=9)
        places = sorted({_swept_value(one, swept) for one in findings})
        if len(places) <= _FEW:
            axes.set_xticks(places, [f"{place:g}" for place in places])
        axes.set_ylim(bottom=0.0)
        axes.grid(alpha=0.3)
    handles, names = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3, fontsize=9, frameon=False)


def _draw_corrections(figure: Any, findings: Sequence[Finding]) -> None:
    """Draw how many corrections there were, by size and by age, a bar for each method."""
    sizes = [f"{1e3 * bound:g}" for bound in SIZES]
    ages = [str(bound) for bound in AGES]
    for axes, title, bounds, name in zip(
        figure.subplots(1, 2), ("corrections by size, mm", "corrections by age, ticks"), (sizes, ages), ("by_size", "by_age"), strict=True
    ):
        labels = [*(f"< {bound}" for bound in bounds), f">= {bounds[-1]}"]
        width = 0.8 / len(findings)
        for k, one in enumerate(findings):
            places = [place + (k - 0.5 * (len(findings) - 1)) * width for place in range(len(labels))]
            axes.bar(places, getattr(one, name), width, color=_COLORS[one.plan.method], label=one.plan.method)
        axes.set_xticks(range(len(labels)), labels, rotation=45, fontsize=8, ha="right")
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3, axis="y")
        if len(findings) > 1:
            axes.legend(fontsize=8, frameon=False)


def netlab_page(findings: Sequence[Finding], swept: str | None, pictures: Mapping[str, bytes], is_whole: bool) -> str:
    """Return the page; `pictures` are the files beside it."""
    plan = findings[0].plan
    cut = "" if is_whole else ' <span class="wrong">Interrupted: this is what was done.</span>'
    n_problems = sum(len(one.problems) for one in findings)
    verdict = "All copies went through the same states." if not n_problems else counted(n_problems, "problem") + ", below."
    heads = ["method", *numbers([swept or "", *COLUMNS])]
    rows = [[escape(row[0]), *numbers(row[1:])] for row in (row_of(one, swept) for one in findings)]
    body = [
        f"<h1>netlab: {escape(plan.title)}</h1>",
        f"<p>{counted(plan.n_clients, 'client')}, {counted(plan.steps, 'step')}, seed {plan.seed}; "
        f'link: {escape(link_words(plan))}.{cut} <span class="{"wrong" if n_problems else "right"}">{verdict}</span> '
        "What is measured, and how: <code>docs/network.md</code>.</p>",
        table(heads, rows),
        *(f'<figure><img src="{name}" alt="plots of the table"></figure>' for name in pictures),
    ]
    for one in findings:
        value = "" if swept is None else f", {swept} {_swept_value(one, swept):g}"
        body += [f"<h2>{escape(one.plan.method)}{escape(value)}</h2>", _clients(one)]
        body += [f'<p class="wrong">{escape(words)}</p>' for words in (*one.problems, *one.drops)]
    return page(f"netlab: {plan.title}", body)


def _clients(one: Finding) -> str:
    heads = (
        "from step", "differ", "corrections", "most, mm", "rollbacks", "again", "adopted", "agreed, ms", "clock, ms", "up, B/s",
        "down, B/s", "ms a step",
    )  # fmt: skip
    rows = []
    for client in one.clients:
        figures = (
            "-" if client.first_step is None else str(client.first_step), str(client.differing_steps), str(client.corrections),
            _scaled(client.largest_correction, 1e3), str(client.rollbacks), str(client.resimulated_steps), str(client.adopted_keyframes),
            _scaled(client.time_to_agree.median, 1e3), _scaled(client.clock_error.median, 1e3), f"{client.bytes_up_per_s:.0f}",
            f"{client.bytes_down_per_s:.0f}", _scaled(client.ms_per_step, 1.0),
        )  # fmt: skip
        rows.append([escape(client.name), *numbers(figures)])
    return table(["client", *numbers(heads)], rows)
