"""Drawing of the demo `bullet`: ghosts, swept areas and impacts of a lane, and the close-up of a step."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts import Status
from engine.geometry import Circle, FixtureShape, Polygon, Transform, convex_hull
from engine.render import palette
from engine.render.gap_plot import GapPlot, Heading, Mark
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from demos._bullet_lane import Impact, Lane, Pose
    from engine.experiments.spec import ShotSpec
    from engine.experiments.step_curve import StepCurve
    from engine.render.canvas import Canvas

__all__ = [
    "draw_flight",
    "draw_impact",
    "draw_numbers",
    "draw_range",
    "draw_shape",
    "draw_swept",
    "ghosts_shown",
    "shorter",
    "step_plot",
]

Point = tuple[float, float]

_CORNERS = 2.0 * math.pi * np.arange(32) / 32
"""Angles of the corners of a drawn disc."""
_SAME_PLACE = 1e-9
"""Distance below which two poses are the same, meters."""
_STEEP = 0.15
"""Slope of the flight from which step numbers are written beside it."""
_OPEN = 1e-4
"""Gap at the end of a step from which there is clearly no touch, meters."""


def ghosts_shown(places: Sequence[Point], gap: float, decisive: Sequence[int]) -> list[int]:
    """Return the positions that are drawn: the last one, the decisive ones, and others at least `gap` meters apart."""
    shown: list[int] = []
    for k in reversed(range(len(places))):
        if k in decisive or not shown or math.dist(places[shown[-1]], places[k]) >= gap:
            shown.append(k)
    return shown[::-1]


def draw_shape(canvas: Canvas, shape: FixtureShape, pose: Pose, color: Color, alpha: float = 1.0, fill: float = 0.0) -> None:
    """Draw a shape's outline at a pose, filled with a share `fill` of the color."""
    color = palette.now(color)
    inside = mix(palette.BACKGROUND, color, fill) if fill else None
    if isinstance(shape, Circle):
        canvas.circle(Transform(pose[:2], pose[2]).apply(shape.center), shape.radius, inside, color, alpha)
    else:
        canvas.polygon(_outline(shape, pose), inside, color, alpha)


def draw_swept(canvas: Canvas, shape: FixtureShape, start: Pose, end: Pose, color: Color, strong: bool) -> None:
    """Draw the area swept between two poses on a straight line: the hull of both outlines."""
    if math.dist(start[:2], end[:2]) > _SAME_PLACE:
        hull = convex_hull(np.concatenate((_outline(shape, start), _outline(shape, end))))
        alpha, color = 0.42 if strong else 0.2, palette.now(color)
        canvas.polygon(hull, color, None, alpha)
        canvas.polygon(hull, None, mix(palette.BACKGROUND, color, alpha))


def draw_flight(canvas: Canvas, shape: FixtureShape, ghosts: Sequence[tuple[int, Pose]], jump: int | None) -> None:
    """Draw ghosts, (step, pose) each, and the swept areas between them; the step that jumped over the target, `jump`, in red."""
    for (before, start), (after, end) in pairwise(ghosts):
        jumped = jump is not None and before <= jump < after
        draw_swept(canvas, shape, start, end, palette.UNEXPLAINED if jumped else palette.ACCENT, jumped)
    for step, pose in ghosts:
        decisive = jump is not None and step in (jump, jump + 1)
        draw_shape(canvas, shape, pose, palette.UNEXPLAINED if decisive else palette.ACCENT, 0.9, 0.45)


def draw_impact(canvas: Canvas, shape: FixtureShape, pose: Pose, point: Point | None, normal: Point | None, is_first: bool = True) -> None:
    """Draw an impact: the bullet, filled for the first one, the contact point, and the normal that pushes on the bullet."""
    draw_shape(canvas, shape, pose, palette.AGREE, 1.0 if is_first else 0.8, 0.6 if is_first else 0.0)
    if point is not None:
        if normal is not None:
            canvas.arrow(point, normal, 30.0, palette.NORMAL, 2.0)
        canvas.point(point, palette.TEXT, 2.5)


def draw_numbers(
    canvas: Canvas, ghosts: Sequence[tuple[int, Pose]], radius: float, first: Sequence[int], color: Color, half_lane: float
) -> None:
    """Write the step numbers next to the ghosts where there is room, those in `first` first, in words and in `color`; smaller in a low
    lane.
    """
    ui, reach = canvas.ui_scale, radius * canvas.camera.scale
    room = half_lane * canvas.camera.scale - reach
    if room < 14.0 * ui or not ghosts:
        return
    size, gap = (13.0, 9.0) if room >= 30.0 * ui else (10.5, 2.0)
    (x0, y0), (x1, y1) = ghosts[0][1][:2], ghosts[-1][1][:2]
    lowest = canvas.camera.to_screen((0.0, -half_lane))[1] - reach - (gap + 1.4 * size) * ui
    for step, pose in sorted(ghosts, key=lambda ghost: ghost[0] not in first):
        at, is_first = canvas.camera.to_screen(pose[:2]), step in first
        side = (0, 1 if at[1] <= lowest or room < 30.0 * ui else -1)
        if abs(y1 - y0) > _STEEP * max(x1 - x0, _SAME_PLACE):  # beside the flight
            side = (side[1] if y1 > y0 else -side[1], side[1])
        words, shade = (f"step {step}", color) if is_first else (f"{step}", palette.CAPTION)
        beside = reach if step else _muzzle(radius) * canvas.camera.scale  # the first number stands below the muzzle's edge
        sides = [side]
        if is_first and len(first) > 1 and not side[0]:  # the target is between them, so the words stand on their own sides of it
            out = -1 if step == min(first) else 1
            sides = [(out, side[1]), (out, -side[1]), (out, 0)]
        elif is_first:  # neighbors are too close for words on one side
            sides = [side, (-side[0], -side[1])]
        canvas.label(at, words, shade, size, gap + beside / ui, bold=is_first, sides=sides)


def shorter(verdict: str) -> list[str]:
    """Return a verdict without parenthetical text and its prefixes that end at a clause, the longest first.

    Examples
    --------
    >>> shorter("stopped at x = 1 m (inside), at once")
    ['stopped at x = 1 m (inside), at once', 'stopped at x = 1 m, at once', 'stopped at x = 1 m', 'stopped']
    """
    brief = re.sub(r" \([^)]*\)", "", verdict)
    cuts = {match.start() for match in re.finditer("[:,;]| at x", brief)}
    return [*dict.fromkeys((verdict, brief)), *(brief[:cut] for cut in sorted(cuts, reverse=True))]


def draw_range(canvas: Canvas, spec: ShotSpec, half: float, with_zone: bool) -> None:
    """Draw the line of fire, the gun, and the zone in which a discrete step catches the bullet."""
    (x, y), r = spec.start, spec.radius
    along = math.cos(spec.angle), -math.sin(spec.angle)
    canvas.segment((x - 9.0 * along[0], y - 9.0 * along[1]), (x + 20.0 * along[0], y + 20.0 * along[1]), palette.GRID_AXIS)
    barrel = Polygon.box(0.5 * (0.75 + r), _muzzle(r), (0.5 * (r - 0.75), 0.0))
    canvas.polygon(_outline(barrel, (x, y, -spec.angle)), palette.PANEL_RAISED, palette.PANEL_EDGE)
    if with_zone:
        canvas.polygon(((-spec.reach, -half), (0.0, -half), (0.0, half), (-spec.reach, half)), palette.AGREE, None, 0.28)


def _muzzle(radius: float) -> float:
    """Return half of the gun's width, meters."""
    return 1.5 * radius + 0.03


def step_plot(lanes: Sequence[Lane], step: int, curve: StepCurve, noun: str, solver: str, names: Sequence[str], now: float) -> GapPlot:
    """Return the close-up of a step.

    Parameters
    ----------
    lanes : sequence of Lane
        The first one has the step's curve.
    step : int
        Number of steps before it.
    curve : StepCurve
    noun, solver : str
        Names of the target and of the solver.
    names : sequence of str
        Names of the lanes' rules.
    now : float
        Fraction of the step that is drawn.
    """
    watch, first, last = lanes[0].watch, float(curve.gaps[0]), float(curve.gaps[-1])
    assert watch is not None
    is_hit = curve.touch.status is Status.HIT
    marks: list[Mark] = []
    if any(lane.rule == "discrete" for lane in lanes):
        color = palette.UNEXPLAINED if is_hit and last > _OPEN else palette.CAPTION
        for at, gap, end in ((0.0, first, "beginning"), (1.0, last, "end")):
            words = f"a discrete engine checks the {end} of the step: {'no contact' if gap > _OPEN else 'contact'}"
            marks.append(Mark(at, gap, "ring", color, words, "a discrete engine checks only these moments"))
    n_substeps = next((len(lane.pieces[step]) for lane in lanes if lane.rule == "substeps" and step < len(lane.pieces)), 0)
    for k in range(1, n_substeps):
        words = f"end of our sub-step {k} of {n_substeps}"
        marks.append(Mark(k / n_substeps, None, "tick", mix(palette.CAPTION, palette.ACCENT, 0.5), words, f"our {n_substeps} sub-steps"))
    if is_hit:
        words = f"our first contact, after {curve.touch.iterations} iterations"
        marks.append(Mark(curve.touch.fraction, 0.0, "diamond", palette.AGREE, words, "our first contact"))
    if curve.box2d.status is Status.HIT:
        at = curve.box2d.fraction
        error = 1e3 * abs(curve.gap_at(at) - curve.target)
        words = f"b2TimeOfImpact stopped here, {error:.2g} mm from its target gap; our result for that gap: t = {curve.aimed.fraction:.4f}"
        marks.append(Mark(at, curve.gap_at(at), "triangle", palette.IMPULSE, words, "Box2D's time of impact"))
    for lane, name in zip(lanes, names, strict=True):
        impact: Impact | None = next(iter(lane.impacts), None)
        if impact is not None and impact.step == step:
            at, gap = impact.fraction, curve.gap_at(impact.fraction)
            who, legend, color = (
                ("our swept test", "our stop", palette.AGREE) if impact.is_ours else (solver, "the solver's stop", palette.IMPULSE)
            )
            words = f"{name}: {who} stopped the bullet here, at t = {at:.4f}, with a gap of {1e3 * gap:.1f} mm"
            marks.append(Mark(at, gap, "ring", color, words, legend))
    return GapPlot(
        title=_title(step, curve, noun, last),
        fractions=curve.fractions,
        gaps=curve.gaps,
        marks=marks,
        milliseconds=1000.0 / watch.spec.hertz,
        now=now if lanes[0].is_last_step(step) else None,
    )


def _title(step: int, curve: StepCurve, noun: str, last: float) -> tuple[Heading, ...]:
    """Return the heading in several lengths, the longest first."""
    touch, color = f"{curve.touch.fraction:.3f}", palette.CAPTION
    if curve.touch.status is Status.OVERLAPPING:
        words, brief = "They touch from the start of the step.", "touch"
    elif curve.touch.status is not Status.HIT:
        words, brief = "No contact in this step.", "no contact"
    elif curve.box2d.status is Status.MISS:
        words, brief, color = (
            f"They touch at t = {touch}; b2TimeOfImpact misses the contact.",
            f"b2TimeOfImpact misses t = {touch}",
            palette.UNEXPLAINED,
        )
    elif last > _OPEN:
        words, brief = (
            "There is a gap at both ends of the step, so checking only the ends misses the contact in between.",
            "no contact at the ends, but contact in between",
        )
        color = palette.UNEXPLAINED
    else:
        words, brief, color = f"They touch at t = {touch} and still touch at the end.", f"contact at t = {touch}", palette.AGREE
    head = f"Close-up of step {step + 1}"
    headings = ((f"{head}: the gap between bullet and {noun}.  ", words), (f"{head}.  ", words), (f"{head}, gap to {noun}:  ", brief))
    return tuple(((start, palette.TEXT), (finding, color)) for start, finding in headings)


def _outline(shape: FixtureShape, pose: Pose) -> FloatArray:
    """Return the corners of a shape at a pose, (n, 2); a disc has 32."""
    if isinstance(shape, Circle):
        corners = shape.radius * np.column_stack((np.cos(_CORNERS), np.sin(_CORNERS))) + shape.center
    else:
        corners = shape.core
    return Transform(pose[:2], pose[2]).apply_array(corners)
