"""The picture of docs/network.md, drawn from the result of `netlab --method all --sweep latency=...`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["draw_methods"]

_METHODS = ("prediction", "interpolation", "lockstep")
_LATENCY = "one-way latency, s"


def draw_methods(result: Path, path: Path) -> Path:
    """Draw the charts of a JSON result of netlab; return the path of the picture."""
    from engine.report import Chart, Curve
    from engine.report.charts import as_png, draw_charts

    runs: list[dict[str, Any]] = json.loads(result.read_text(encoding="utf-8"))["runs"]
    figures = {
        "time until an own action appears": ("ms", lambda run: 1e3 * run["own_act_shown"]["median"]),
        "corrections: one in twenty is larger": ("mm", lambda run: 1e3 * (run["corrections"]["metres"]["p95"] or 0.0)),
        "resimulated steps per step": ("", lambda run: run["resimulated_steps"] / run["compared_steps"]),
        "bytes per second and client": ("kB/s", lambda run: run["bytes_per_s"] / 1e3),
    }
    charts = []
    for title, (unit, value) in figures.items():
        of_method = {name: [run for run in runs if run["method"] == name] for name in _METHODS}
        curves = (Curve(name, tuple(run["link"]["latency"] for run in own), tuple(map(value, own))) for name, own in of_method.items())
        charts.append(Chart(title, _LATENCY, unit, tuple(curves), limit=0.0))  # from zero up
    path.write_bytes(as_png(draw_charts(charts)))
    return path
