"""Draws the shots of ``fire`` with matplotlib: each row of dots shows a shot's positions after its steps, relative to the target.

The dots of a row are one step's travel apart, and the rows are sorted by the phase of the first step. A shot that tunneled has dots on both
sides of the target and none inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.experiments.tunneling import predict
from engine.report.charts import COLORS, as_png, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from engine.experiments.shot import ShotResult, ShotSeries
    from engine.experiments.spec import ShotSpec

__all__ = ["draw_runs"]

_DPI = 100
_WIDTH, _PANEL, _HEAD = 12.8, 2.2, 0.6
"""Width of the picture, height of a panel, and margin above all panels, inches."""
_FEW = 4
"""Maximum number of runs for which there are two panels per row."""
_MAX_ROWS = 400
"""Maximum number of shots drawn in a panel, chosen at even intervals; more would overlap."""
_RULES = {
    "discrete": "discrete steps",
    "default": "CCD by default",
    "bullet": "CCD and bullet flag",
    "substeps": "our sub-steps",
    "swept": "our swept test",
}


@styled
def draw_runs(runs: Sequence[ShotSeries]) -> bytes:
    """Return the picture as a PNG, with a panel for each series."""
    from matplotlib.figure import Figure

    spec, n_rules = runs[0].spec, len({(series.spec.solver, series.spec.rule) for series in runs})
    n_columns = min(len(runs), 2) if len(runs) <= _FEW else {1: 4, 2: 4}.get(n_rules, n_rules)
    n_rows = math.ceil(len(runs) / n_columns)
    figure = Figure(figsize=(_WIDTH, _HEAD + n_rows * _PANEL), layout="constrained")
    bullet = f"radius {spec.radius:g} m" if spec.shape == "disc" else f"a box with a half side length of {spec.radius:g} m"
    aimed = f", {math.degrees(spec.angle):g} degrees off the normal" if spec.angle != 0.0 else ""
    figure.suptitle(
        f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m per step. "
        f"Bullet: {bullet}{aimed}. Target: {spec.thickness:g} m thick.\n"
        "Each row is one shot, and rows are sorted by phase; each dot shows where a step ended, relative to the target. "
        "A ring marks where the bullet was stopped.",
        fontsize=11,
    )
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    for panel, series in zip(panels, runs, strict=False):
        _draw_panel(panel, series)
    for panel in panels[len(runs) :]:
        panel.set_visible(False)
    return as_png(figure, _DPI)


def _draw_panel(panel: Axes, series: ShotSeries) -> None:
    spec, n_shots = series.spec, len(series.shots)
    is_sensor = spec.target == "sensor"  # a sensor stops nothing: the criterion is whether it detected the bullet
    share = 100.0 * (1.0 - series.hit_share if is_sensor else series.tunneled_share)
    chance = None if series.chance is None else 1.0 - (predict(spec).hit_chance or 0.0) if is_sensor else series.chance
    law = "no law derived" if chance is None else f"law {100.0 * chance:.1f} %"
    rule = _RULES[spec.rule] if spec.is_box2d else f"{spec.solver} {spec.rule}"
    panel.set_title(
        f"{rule}, {spec.target.replace('_', '-')}\n{share:.1f} % {'undetected' if is_sensor else 'tunneled'}",
        fontsize=10,
        fontweight="bold",
        color=COLORS["wrong"] if share > 50.0 else COLORS["box2d"] if share > 0.0 else COLORS["ours"],
    )
    panel.set_xlabel(
        f"{n_shots} shot{'s' * (n_shots != 1)}, {100.0 * series.hit_share:.1f} % hit; {law}\n"
        f"{series.world_steps:.3g} {'Box2D' if spec.is_box2d else 'solver'} steps per step of the rule",
        fontsize=8,
        color=COLORS["soft"],
    )
    half = max(1.15 * max(spec.closing, 0.0), 2.5 * spec.reach)
    panel.set(xlim=(-half, half), ylim=(0.0, 1.0), xticks=[], yticks=[], facecolor=COLORS["raised"])
    if spec.rule == "discrete":
        panel.axvspan(-spec.reach, 0.0, color=COLORS["ours"], alpha=0.2)
    panel.axvspan(-spec.half_target, spec.half_target, color=COLORS["soft"])
    shots = sorted(series.shots, key=lambda shot: shot.spec.phase)[:: math.ceil(n_shots / _MAX_ROWS)]
    size = min(max(60.0 / len(shots), 2.0), 8.0)
    for shot in shots:
        _draw_shot(panel, shot, size)


def _draw_shot(panel: Axes, shot: ShotResult, size: float) -> None:
    n_after = None if shot.impact_time is None else math.ceil(shot.impact_time * shot.spec.hertz)
    positions = shot.positions[:n_after]
    if shot.tunneled:
        color = COLORS["ours"] if shot.spec.target == "sensor" and shot.hit else COLORS["wrong"]
        positions = shot.positions
    else:
        color = COLORS["link"] if shot.stopped_at is not None else COLORS["box2d"]
    xs = [_seen(shot.spec, x, k) for k, (x, _) in enumerate(positions)]
    panel.plot(xs, [shot.spec.phase] * len(xs), "o", color=color, ms=size, mew=0.0)
    if shot.stopped_at is not None and shot.impact_time is not None:
        at = _seen(shot.spec, shot.stopped_at, shot.impact_time * shot.spec.hertz)
        panel.plot(at, shot.spec.phase, "o", color=COLORS["ours"], ms=1.5 * size, mfc="none")


def _seen(spec: ShotSpec, x: float, steps: float) -> float:
    """Return the bullet's position relative to the target, along the shot, m."""
    return x - spec.target_start[0] + spec.target_travel * steps
