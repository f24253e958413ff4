"""The charts of a study as one picture; matplotlib is loaded when that is drawn."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.experiments.studies import Chart

__all__ = ["draw_charts"]

_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666", "#000000")
"""Okabe and Ito's, which colour-blind readers can tell apart; marks and dashes need no colour."""
_MARKS = "os^vDP*X"
_DASHES = ("-", "--", "-.", ":")
_WIDE, _HIGH, _DPI = 4.8, 4.4, 72
_FEW = 8
"""Points of a curve, up to which each is named on the axis."""


def draw_charts(title: str, charts: tuple[Chart, ...]) -> bytes:
    """Return a PNG with the charts side by side, four as two by two; the same ones give the same bytes, with the same matplotlib."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = 2 if len(charts) in (2, 4) else min(3, len(charts))
    rows = -(-len(charts) // columns)
    figure = Figure(figsize=(_WIDE * columns, _HIGH * rows + 0.4), dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=13)
    for panel, chart in zip(figure.subplots(rows, columns, squeeze=False).flat, charts, strict=False):
        for k, curve in enumerate(chart.curves):
            style = {"color": _COLORS[k % len(_COLORS)], "marker": _MARKS[k % len(_MARKS)], "linestyle": _DASHES[k % len(_DASHES)]}
            panel.plot(curve.x, curve.y, label=curve.name, markersize=5, linewidth=1.6, **style)
        panel.set_title(chart.title, fontsize=11)
        x_scale, y_scale = ("log" if is_log else "linear" for is_log in chart.is_log)
        panel.set(xlabel=chart.x, ylabel=chart.y, xscale=x_scale, yscale=y_scale)
        if chart.is_log[0] or len(chart.curves[0].x) <= _FEW:
            panel.set_xticks(chart.curves[0].x, [f"{x:.3g}" for x in chart.curves[0].x], fontsize=8)
            panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, fontsize=8, frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, format="png", metadata={"Software": None}, pil_kwargs={"optimize": True})
    return picture.getvalue()
