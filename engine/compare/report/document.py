"""The report of a run of `compare`: the tables, charts and exhibits that the template ``compare.html`` puts into one page.

Apart from the rates it depends only on the request, not on the machine or on the number of processes.
"""

from __future__ import annotations

import json
import math
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from engine.box2d import BOX2D_VERSION
from engine.common.installation import program
from engine.compare.bulk.comparison import Tally
from engine.compare.bulk.tally import EDGES, KindTally, QueryTally, Wrong
from engine.compare.pair.file import ANSWERED_BY, pair_as_json
from engine.compare.report.exhibits import Exhibit, Run
from engine.contracts.agreement import REASONS
from engine.report import Cell, Link, Table, meters
from engine.report.charts import COLORS, as_svg, styled
from engine.report.page import render_page

__all__ = ["histogram_svg", "html_report", "summary_table"]

_ERRORS = {
    "point_error": ("Error of a point, for pairs that agree", "m"),
    "normal_error": ("Error of a component of the normal, for pairs that agree", ""),
    "fraction_error": ("Difference between the times of impact, for pairs that agree", ""),
}
_ERRORS_OF = {
    ("distance", "point_error"): "Difference between the distances, for pairs that agree",
}

_SIZES = {
    "float32_tie": "margin of the tie",
    "face_preference": "excess depth of Box2D's axis",
    "local_maximum": "excess depth of Box2D's axis",
    "skin": "shortfall of the gap along Box2D's axis",
    "toi_missed": "missed depth",
    "graze": "gap between the cores",
    "starts_inside": "depth of the ray's start",
    "short_ray": "length of the ray",
    "local_normal": "distance between the hits",
    "unexplained": "difference",
}
"""Meaning of the size of a difference, by its reason; a reason without one is left out."""

_WRONG = {
    "wrong_axis_share": ("Touching pairs for which Box2D's axis is not the one of least depth", "mean excess depth", "largest"),
    "missed_share": ("Contacts within a step that b2TimeOfImpact misses", "mean missed depth", "largest"),
}


_MIN_SECONDS = 0.005
"""Minimum time of one side's calls for a speed: below it a page fault or another process would decide."""
_FLOOR = 0.5
"""Number of pairs at which bars of the logarithmic histograms begin."""


def html_report(total: Tally, run: Run, exhibits: Sequence[Exhibit], folder: str, is_whole: bool = True) -> str:
    """Return the report as the text of an HTML file.

    `folder` is the folder of the saved pairs as named by the user, used in the commands that open them.
    """
    return render_page(
        "compare.html",
        title="compare: our answers against Box2D's",
        total=total,
        run=run,
        box2d=BOX2D_VERSION,
        is_whole=is_whole,
        n_compared=max((tally.pairs for tally in total.queries.values()), default=0),
        summary=summary_table(total),
        wrong=[_wrong_table(tally, tally.wrong) for tally in total.queries.values() if tally.wrong is not None and tally.touching],
        queries=[
            _query(name, tally, [exhibit for exhibit in exhibits if exhibit.query == name], folder) for name, tally in total.queries.items()
        ],
    )


def summary_table(total: Tally) -> Table:
    """Return a row for each query; speeds, in pairs per second, are given only if timed for long enough."""
    rows: list[tuple[Cell, ...]] = []
    for query, tally in total.queries.items():
        unexplained = Link(f"{tally.unexplained:,}", "wrong" if tally.unexplained else "right")
        is_timed = min(tally.seconds["ours"], tally.seconds["box2d"]) >= _MIN_SECONDS
        rates = [round(tally.per_second(part)) if is_timed else None for part in ("ours", "box2d")]
        counts = (tally.pairs, tally.touching, tally.agree, tally.explained.total())
        rows.append((Link(query, href=f"#{query}"), *counts, unexplained, meters(tally.max_point_error), *rates))
    heads = ("query", "pairs", "touching", "agree", "explained", "unexplained", "largest error", "ours, pairs/s", "Box2D, pairs/s")
    return Table("", heads, tuple(rows))


def _wrong_table(tally: QueryTally, wrong: Wrong) -> Table:
    """Return frequency and sizes of Box2D's wrong answers, as opposed to different ones."""
    title, mean, largest = _WRONG[wrong.share]
    rows = [(name, *_wrong_cells(wrong, kind)) for name, kind in (*tally.shown_kinds, ("all", tally))]
    return Table(title, ("kind of pair", "touching", "wrong", "share", mean, largest), tuple(rows))


def _wrong_cells(wrong: Wrong, kind: KindTally) -> tuple[Cell, ...]:
    sizes = wrong.sizes(kind)
    share = sizes.count / max(1, kind.touching)
    return kind.touching, sizes.count, f"{share:.2%}", meters(sizes.mean), meters(sizes.largest)


def _query(query: str, tally: QueryTally, exhibits: Sequence[Exhibit], folder: str) -> dict[str, Any]:
    explained = sorted(tally.explained.items(), key=lambda item: (-item[1], item[0]))
    counts = [("unexplained", tally.unexplained)] if tally.unexplained else []
    reasons = []
    for reason, count in [*counts, *explained]:
        shown = [exhibit for exhibit in exhibits if exhibit.example.verdict.reason == reason]
        only_first = f" These are the first {len(shown):,}:" if reason == "unexplained" and len(shown) < count else ""
        meaning = REASONS[reason]
        reasons.append(
            {
                "id": reason,
                "name": meaning.name,
                "count": count,
                "sentence": meaning.sentence + only_first,
                "exhibits": [_shown(exhibit, folder) for exhibit in shown],
            }
        )
    kinds = _kinds(tally, [reason for reason, _ in explained])
    return {"name": query, "kinds": kinds, "charts": _charts(query, tally), "reasons": reasons}


def _kinds(tally: QueryTally, reasons: Sequence[str]) -> Table:
    rows = []
    for name, kind in tally.shown_kinds:
        explained = kind.explained
        counts = (kind.pairs, kind.touching, kind.agree, *(explained[reason] for reason in reasons), kind.unexplained)
        rows.append((name, *(count or None for count in counts)))
    heads = ("kind", "pairs", "touching", "agree", *(REASONS[reason].name for reason in reasons), "unexplained")
    return Table("", heads, tuple(rows))


def _charts(query: str, tally: QueryTally) -> list[tuple[str, str]]:
    """Return the titles of the histograms, and the histograms as SVG."""
    charts = []
    for name in [*_ERRORS, "unexplained", *sorted(tally.explained, key=lambda reason: (-tally.explained[reason], reason))]:
        if not tally.histograms.get(name):
            continue
        if name in _ERRORS:
            title, unit = _ERRORS[name]
            title, color = _ERRORS_OF.get((query, name), title), "link"
        elif name in _SIZES:
            title, unit, color = f"{REASONS[name].name}: {_SIZES[name]}", "m", "wrong" if name == "unexplained" else "box2d"
        else:
            continue
        charts.append((title, histogram_svg(tally.histograms[name], title, unit, color)))
    return charts


@styled
def histogram_svg(counts: Counter[int], title: str, unit: str = "m", color: str = "link") -> str:
    """Return a histogram with logarithmic axes: sizes to the right, a decade apart, numbers of pairs upwards.

    Parameters
    ----------
    counts : Counter of int
        Number of pairs by bin of `EDGES`; at least one.
    title : str
    unit : str
        "m" or empty.
    color : str
        One of `COLORS`.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    figure = Figure(figsize=(5.0, 2.6))
    panel = figure.add_axes((0.11, 0.12, 0.82, 0.84))
    bins = sorted(counts)
    lows = [EDGES[at - 1] if at > 0 else 0.5 * EDGES[0] for at in bins]
    highs = [EDGES[at] if at < len(EDGES) else 2.0 * EDGES[-1] for at in bins]
    widths = [high - low for low, high in zip(lows, highs, strict=True)]
    heights = [counts[at] - _FLOOR for at in bins]
    panel.bar(lows, heights, widths, _FLOOR, align="edge", color=COLORS[color], edgecolor=COLORS["paper"], linewidth=0.8)
    first, last = math.floor(math.log10(lows[0])), math.ceil(math.log10(highs[-1]) - 1e-9)
    top = 1.2 * 10.0 ** math.ceil(math.log10(max(counts.values()) + 1))
    panel.set(xscale="log", yscale="log", xlim=(10.0**first, 10.0 ** max(last, first + 1)), ylim=(_FLOOR, top))
    panel.xaxis.set_major_locator(LogLocator(numticks=5))
    panel.xaxis.set_major_formatter(FuncFormatter(lambda size, _: meters(size) if unit == "m" else f"{size:g}"))
    panel.yaxis.set_major_locator(LogLocator(numticks=5))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:,.0f}"))
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_minor_locator(NullLocator())
    panel.set_axisbelow(True)
    panel.grid(axis="y")
    panel.spines[["top", "right", "left"]].set_visible(False)
    return as_svg(figure, title)


def _shown(exhibit: Exhibit, folder: str) -> dict[str, Any]:
    """Return the data of an exhibit for the page."""
    example, (reason, length, evidence) = exhibit.example, exhibit.example.verdict
    size = f", {_SIZES[reason]} {meters(length)}" if reason in _SIZES else ""
    commands = [exhibit.command]
    if exhibit.pair is not None:
        file = str(PurePath(folder) / f"{exhibit.name}.json")
        commands.append(shlex.join([*program().split(), "run", "--pair", file]))
        if exhibit.pair.query in ANSWERED_BY:
            commands.append(shlex.join([*program().split(), "step", ANSWERED_BY[exhibit.pair.query], "--pair", file]))
    place = f"Chunk {example.place.chunk}, row {example.place.row} of the sequence"
    ours, box2d = _answers(exhibit)
    return {
        "exhibit": exhibit,
        "heading": f"{exhibit.role[:1].upper() + exhibit.role[1:]}: {example.kind}{size}",
        "ours": ours,
        "box2d": box2d,
        "evidence": exhibit.answers.evidence if exhibit.shrunk is not None and exhibit.answers is not None else evidence,
        "commands": commands,
        "pair": "" if exhibit.pair is None else json.dumps(pair_as_json(exhibit.pair), allow_nan=False),
        "place": place if exhibit.shrunk is None else f"{place}; there: {evidence}",
    }


def _answers(exhibit: Exhibit) -> tuple[str, str]:
    """Return our answer and Box2D's in words, empty where there is none to show."""
    if exhibit.answers is None:
        return "", ""
    return exhibit.answers.ours.words, exhibit.answers.box2d.words if exhibit.answers.box2d is not None else "not applicable"
