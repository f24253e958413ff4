"""Exports one map of an atlas as CSV and as a self-explanatory picture; matplotlib is only imported for drawing."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.arrays import FloatArray
from engine.common.limits import MAX_TRANSLATION_PER_STEP
from engine.experiments import tunneling
from engine.experiments.atlas import MAX_ERRORS, AtlasMap
from engine.experiments.atlas_plan import PARAMETERS, Axis
from engine.report.charts import as_png, set_log_ticks, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patheffects import AbstractPathEffect

__all__ = ["as_csv", "draw_map"]

_DIGITS = 9
"""Number of significant digits of the shares in the CSV."""

_COLORS = "cividis"
"""Blue to yellow, perceptually uniform; readable with any color vision and in grayscale."""
_SIZE, _DPI = (12.6, 6.4), 110
_FINE = 80
"""Number of points along each axis at which the law is evaluated; finer than the cells."""
_DECADE = 10.0
"""Log axes with a smaller high/low ratio have ticks at every digit, others at 1, 2 and 5."""
_SHARES = {"tunneled": (0.5, 0.9), "hit": (0.5, 0.1)}
"""Contour levels drawn in addition to the boundary."""
_LINE, _CAP, _MARK = "white", "#d55e00", "#d55e00"
"""Colors of the law, the cap and the deviating cells; the orange-red is distinct from blue, yellow and white with any color vision."""


def as_csv(rule_map: AtlasMap) -> bytes:
    """Return a map as CSV; each cell has a row with measured and predicted shares, 0 to 1, and their difference in standard errors."""
    plan = rule_map.plan
    x_name, y_name = (f"{axis.name} ({axis.parameter.unit})" if axis.parameter.unit else axis.name for axis in (plan.x, plan.y))
    shares = {
        "tunneled": rule_map.tunneled,
        "predicted tunneled": rule_map.predicted_tunneled,
        "hit": rule_map.hit,
        "predicted hit": rule_map.predicted_hit,
    }
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((x_name, y_name, "shots", *shares, "difference in tunneled share, standard errors"))
    for row, y in enumerate(plan.y.values):
        for column, x in enumerate(plan.x.values):
            measured = (f"{values[row, column]:.{_DIGITS}g}" for values in shares.values())
            writer.writerow((repr(x), repr(y), plan.n_shots, *measured, f"{rule_map.errors[row, column]:.3f}"))
    return text.getvalue().encode()


@styled
def draw_map(rule_map: AtlasMap) -> bytes:
    """Return a PNG of a map that shows the shares that tunneled and that hit, with the boundaries predicted by the law.

    Deterministic for a given matplotlib version.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    figure.suptitle(_title(rule_map), fontsize=13)
    x, y = (axis.spread(_FINE) for axis in (rule_map.plan.x, rule_map.plan.y))
    law = rule_map.plan.over(x, y, rule_map.rule, lambda spec: (*tunneling.chances(spec), spec.speed / spec.hertz / spec.longest_travel))
    hit, tunneled, ways = np.moveaxis(law, -1, 0)
    mesh = _draw_panel(left, rule_map, "tunneled", rule_map.tunneled, x, y, tunneled, ways)
    _draw_panel(right, rule_map, "hit", rule_map.hit, x, y, hit, ways)
    left.set_title("tunneled: the bullet emerged behind the target", fontsize=11)
    right.set_title("hit: contact in at least one step", fontsize=11)
    _set_label(left, "y", rule_map.plan.y)
    bar = figure.colorbar(mesh, ax=(left, right), format=lambda share, _: f"{100 * share:.0f} %", fraction=0.045, pad=0.015)
    bar.set_label(f"share of {rule_map.plan.n_shots} shots per cell")
    return as_png(figure, _DPI)


def _title(rule_map: AtlasMap) -> str:
    plan = rule_map.plan
    shown = {name: value for name, value in plan.fixed.items() if value != 0.0 or name == "target_speed"}
    fixed = ", ".join(f"{PARAMETERS[name].title} {value:g} {PARAMETERS[name].unit}".strip() for name, value in shown.items())
    kind = f"rule {rule_map.rule}, target {plan.base.target}, solver {plan.base.solver}, bullet: {plan.base.shape}"
    return f"{kind}\n{fixed}; x: more than 3 standard errors from the law"


def _draw_panel(
    panel: Axes,
    rule_map: AtlasMap,
    what: str,
    shares: FloatArray,
    x: Sequence[float],
    y: Sequence[float],
    chance: FloatArray,
    ways: FloatArray,
) -> Any:
    """Draw the measured shares of `what`, the contours of its `chance` by the law, and of `ways`, the travel per step over the cap."""
    plan = rule_map.plan
    mesh = panel.pcolormesh(plan.x.edges, plan.y.edges, shares, cmap=_COLORS, vmin=0.0, vmax=1.0, rasterized=True)
    _set_label(panel, "x", plan.x)
    if np.ptp(chance) > 0.0:
        half_a_shot = 0.5 / plan.n_shots  # the boundary needs an offset, because the probability is exactly 0, or 1, in a whole region
        border = (half_a_shot, "law: 0 %") if what == "tunneled" else (1.0 - half_a_shot, "law: 100 %")
        _draw_line(panel, x, y, chance, *border, "-", 2.4)
        for share in _SHARES[what]:
            _draw_line(panel, x, y, chance, share, f"{100.0 * share:.0f} %", "--", 1.4)
    else:
        words = f"law: {100.0 * chance.max():.0f} % everywhere"
        panel.text(0.03, 0.04, words, transform=panel.transAxes, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85})
    words = (
        f"speed cap: {MAX_TRANSLATION_PER_STEP:g} m per {'sub-step' if rule_map.rule == 'substeps' else 'step'}"
        if plan.base.is_box2d
        else f"speed cap: {plan.base.longest_travel * plan.base.hertz:g} m/s"
    )
    _draw_line(panel, x, y, ways, 1.0, words, ":", 2.4, _CAP)
    rows, columns = np.nonzero(rule_map.errors > MAX_ERRORS)
    if what == "tunneled" and len(rows):
        panel.plot(np.array(plan.x.values)[columns], np.array(plan.y.values)[rows], "x", color=_MARK, ms=7, mew=1.8)
    return mesh


def _draw_line(
    panel: Axes,
    x: Sequence[float],
    y: Sequence[float],
    values: FloatArray,
    level: float,
    words: str,
    style: str,
    width: float,
    color: str = _LINE,
) -> None:
    """Draw and label the contour of `values` (rows, columns) at `level`, if it is on the map."""
    from matplotlib.patheffects import withStroke

    if not values.min() < level < values.max():
        return
    outline: list[AbstractPathEffect] = [withStroke(linewidth=width + 1.6, foreground="black")]
    lines = panel.contour(x, y, values, levels=[level], colors=color, linestyles=style, linewidths=width)
    lines.set_path_effects(outline)
    for text in panel.clabel(lines, fmt={level: words}, fontsize=9, colors="white"):
        text.set_path_effects(outline)


def _set_label(panel: Axes, side: str, axis: Axis) -> None:
    """Set the label, scale and ticks of an axis."""
    getattr(panel, f"set_{side}label")(axis.parameter.label)
    if axis.scale == "log":
        getattr(panel, f"set_{side}scale")("log")
        set_log_ticks(getattr(panel, f"{side}axis"), range(1, 10) if axis.high < _DECADE * axis.low else (1, 2, 5))
