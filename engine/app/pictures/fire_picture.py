"""The picture of ``fire``: every shot as a row of dots, where its steps ended, as seen from the target.

phase 1  o     o  |##|  o        a row is a shot; the rows are sorted by phase, so that the dots make slanted lines
         o    o   |##| o         green band: a step that ends here catches the bullet
         o   o    |##|o          red rows went through
phase 0  o  o     o##|
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pygame

from engine.app.files.writing import png_bytes
from engine.experiments.tunneling import hit_chance
from engine.render import palette
from engine.render.camera import Camera
from engine.render.canvas import Canvas
from engine.render.fonts import FontBook
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from engine.experiments.shot import ShotResult, ShotSeries
    from engine.experiments.spec import ShotSpec

__all__ = ["draw_runs"]

_WIDTH, _HEIGHT = 1280, 720
"""Pixels of a picture that a screen shows whole; more than twelve runs make it higher."""
_HEAD, _PANEL, _GAP, _MARGIN = 118, 232, 12, 16
_LOWEST_PANEL = 138
_FEW = 4
"""Runs up to which the panels are large: two in a row, words beside each other."""
_TITLE, _SMALL_TITLE = 64, 74
"""Pixels of a panel above its shots."""
_MAX_ROWS = 400
"""Shots drawn in a panel, evenly chosen of all; more would lie on each other."""
_DOT, _MAX_DOT = 2, 7
"""Pixels, radius of a dot where shots lie close, and where they are few: a third of the room that each has."""
_SCALE, _SMALL_SCALE = 1.5, 1.0
_RULES = {
    "discrete": "discrete steps",
    "default": "CCD by default",
    "bullet": "CCD and bullet flag",
    "substeps": "our sub-steps",
    "swept": "our swept test",
}


def draw_runs(runs: Sequence[ShotSeries]) -> bytes:
    """Return the picture as the content of a PNG file: a panel for each series; twelve fit a screen."""
    n_columns = _columns(runs)
    n_rows = math.ceil(len(runs) / n_columns)
    is_small = len(runs) > _FEW
    panel = min(_PANEL, max(_LOWEST_PANEL, (_HEIGHT - _HEAD - _MARGIN) // n_rows - _GAP)) if is_small else _PANEL
    surface = pygame.Surface((_WIDTH, _HEAD + n_rows * (panel + _GAP) + _MARGIN))
    surface.fill(palette.BACKGROUND)
    canvas = Canvas(surface, Camera(view=(0, 0, *surface.get_size())), FontBook(_SCALE))
    spec = runs[0].spec
    canvas.text_px((_MARGIN, 10), f"{spec.speed:g} m/s at {spec.hertz:g} Hz: {spec.travel:.3g} m per step", palette.TEXT, 17.0, bold=True)
    bullet = f"radius {spec.radius:g} m" if spec.shape == "disc" else f"a box of half side {spec.radius:g} m"
    aimed = f", {math.degrees(spec.angle):g} degrees off the normal" if spec.angle != 0.0 else ""
    canvas.text_px((_MARGIN, 44), f"Bullet: {bullet}{aimed}. Target: {spec.thickness:g} m thick.", palette.CAPTION, 12.0)
    legend = (
        "Each row is a shot, sorted by phase; each dot is where a step ended, "
        "relative to the target. A ring marks where the bullet was stopped."
    )
    canvas.text_px((_MARGIN, 72), legend, palette.CAPTION, 12.0)
    width = (_WIDTH - 2 * _MARGIN - (n_columns - 1) * _GAP) // n_columns
    if is_small:
        canvas = Canvas(surface, canvas.camera, FontBook(_SMALL_SCALE))
    for k, series in enumerate(runs):
        left = _MARGIN + (k % n_columns) * (width + _GAP)
        _draw_panel(canvas, series, (left, _HEAD + (k // n_columns) * (panel + _GAP), width, panel), is_small)
    return png_bytes(surface)


def _columns(runs: Sequence[ShotSeries]) -> int:
    """Return how many panels stand in a row: all rules at one target, or at several, so that a column has one rule."""
    if len(runs) == 1:
        return 1
    if len(runs) <= _FEW:
        return 2
    n_rules = len({(series.spec.solver, series.spec.rule) for series in runs})
    return {1: 4, 2: 4}.get(n_rules, n_rules)


def _draw_panel(canvas: Canvas, series: ShotSeries, box: tuple[int, int, int, int], is_small: bool) -> None:
    left, top, width, height = box
    surface, spec = canvas.surface, series.spec
    pygame.draw.rect(surface, palette.PANEL, box)
    feels = spec.target == "sensor"  # which stops nothing: what tells is whether it felt the bullet
    share = 100.0 * (1.0 - series.hit_share if feels else series.tunneled_share)
    color = palette.UNEXPLAINED if share > 50.0 else palette.WARNING if share > 0.0 else palette.AGREE
    driver = "Box2D" if spec.is_box2d else "the solver"
    rule = _RULES[spec.rule] if spec.is_box2d else f"{spec.solver} {spec.rule}"
    title = f"{rule}, {spec.target.replace('_', '-')}"
    canvas.text_px((left + 10, top + 4), title, palette.TEXT, 13.0, bold=True)
    chance = None if series.chance is None else 1.0 - (hit_chance(spec) or 0.0) if feels else series.chance
    law = "no law derived" if chance is None else f"law {100.0 * chance:.1f} %"
    n_shots = len(series.shots)
    shots_words = f"{n_shots} shot{'s' * (n_shots != 1)}, {100.0 * series.hit_share:.1f} % hit"
    share_words = f"{share:.1f} % {'undetected' if feels else 'tunneled'}"
    steps_words = f"{series.world_steps:.3g} of {driver}'s steps per step"
    if is_small:
        canvas.text_px((left + 10, top + 21), share_words, color, 13.0, bold=True)
        canvas.text_px((left + 10, top + 38), f"{shots_words}; {law}", palette.CAPTION, 11.0)
        canvas.text_px((left + 10, top + 54), steps_words, palette.CAPTION, 11.0)
    else:
        canvas.text_px((left + width - 10, top + 4), share_words, color, 13.0, "topright", bold=True)
        canvas.text_px((left + 10, top + 32), f"{shots_words}; {law}; {steps_words}", palette.CAPTION, 11.0)

    half = max(1.15 * max(spec.closing, 0.0), 2.5 * spec.reach)
    x0, y0, y1 = left + width / 2.0, top + (_SMALL_TITLE if is_small else _TITLE) + 4, top + height - 8
    scale = (width / 2.0 - 10.0) / half
    if spec.rule == "discrete":
        zone = pygame.Rect(round(x0 - scale * spec.reach), y0, max(1, round(scale * spec.reach)), y1 - y0)
        pygame.draw.rect(surface, mix(palette.PANEL, palette.AGREE, 0.3), zone)
    thick = max(2, round(2.0 * scale * spec.half_target))
    pygame.draw.rect(surface, palette.STATIC, (round(x0 - thick / 2), y0, thick, y1 - y0))
    shots = sorted(series.shots, key=lambda shot: shot.spec.phase)
    every = math.ceil(len(shots) / _MAX_ROWS)
    surface.set_clip(pygame.Rect(left + 6, y0 - 2, width - 12, y1 - y0 + 4))
    shown = shots[::every]
    dot = min(_MAX_DOT, max(_DOT, (y1 - y0) // (3 * len(shown))))
    for shot in shown:
        _draw_shot(canvas, shot, (x0, y1 - shot.spec.phase * (y1 - y0)), scale, dot)
    surface.set_clip(None)


def _draw_shot(canvas: Canvas, shot: ShotResult, middle: tuple[float, float], scale: float, dot: int) -> None:
    color = _color_of(shot)
    last = len(shot.positions) if shot.tunneled or shot.impact_time is None else math.ceil(shot.impact_time * shot.spec.hertz)
    for k, (x, _) in enumerate(shot.positions[: last + 1] if shot.tunneled else shot.positions[:last]):
        at = middle[0] + scale * _seen(shot.spec, x, k)
        pygame.draw.circle(canvas.surface, color, (round(at), round(middle[1])), dot)
    if shot.stopped_at is not None and shot.impact_time is not None:
        at = middle[0] + scale * _seen(shot.spec, shot.stopped_at, shot.impact_time * shot.spec.hertz)
        pygame.draw.circle(canvas.surface, palette.AGREE, (round(at), round(middle[1])), dot + dot // 2, max(1, dot // 3))


def _color_of(shot: ShotResult) -> Color:
    if shot.tunneled:
        return palette.AGREE if shot.spec.target == "sensor" and shot.hit else palette.UNEXPLAINED
    return palette.ACCENT if shot.stopped_at is not None else palette.WARNING


def _seen(spec: ShotSpec, x: float, steps: float) -> float:
    """Return how far behind the target's middle a place lies, along the flight, after so many steps."""
    return spec.direction * (x - spec.target_start[0]) + spec.target_travel * steps
