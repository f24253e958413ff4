"""The picture of one lane of the demo `bullet`: ghosts, swept ways, moments of impact. Draws, and decides nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from engine.common.arrays import FloatArray
from engine.contracts import Status
from engine.geometry import Circle, Polygon, Segment, Transform, convex_hull
from engine.render import palette
from engine.render.palette import Color, mix

if TYPE_CHECKING:
    from demos._bullet_timeline import StepRecorder
    from engine.experiments.spec import ShotSpec
    from engine.experiments.step_curve import StepCurve
    from engine.render.canvas import Canvas

__all__ = [
    "Ghost",
    "draw_flight",
    "draw_ghost",
    "draw_heading",
    "draw_impact",
    "draw_moment",
    "draw_numbers",
    "draw_range",
    "draw_target",
    "draw_way",
    "ghosts_shown",
    "shorter",
]

Pose = tuple[float, float, float]
Shape = Circle | Polygon | Segment

_HALF_TURN = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 17)
_SAME_PLACE = 1e-9  # meters
_STEEP = 0.15  # a slope of the flight from which numbers stand beside it


@dataclass(frozen=True, slots=True)
class Ghost:
    """Where the bullet was: after that many steps, at that pose."""

    step: int
    pose: Pose


def ghosts_shown(places: Sequence[tuple[float, float]], gap: float, decisive: Sequence[int]) -> list[int]:
    """Return which of the places are drawn as ghosts: the last, the decisive ones, and of the others those at least `gap` meters apart."""
    kept: list[int] = []
    for k in reversed(range(len(places))):
        if k in decisive or not kept or math.dist(places[kept[-1]], places[k]) >= gap:
            kept.append(k)
    return kept[::-1]


def draw_ghost(canvas: Canvas, shape: Shape, pose: Pose, color: Color, alpha: float = 1.0, filled: float = 0.45) -> None:
    """Draw the bullet's outline at a pose."""
    color = palette.now(color)
    fill = mix(palette.BACKGROUND, color, filled) if filled else None
    if isinstance(shape, Circle):
        canvas.circle(Transform(pose[:2], pose[2]).apply(shape.center), shape.radius, fill, color, alpha)
    else:
        canvas.polygon(_corners(shape, pose), fill, color, alpha)


def draw_way(canvas: Canvas, shape: Shape, start: Pose, end: Pose, color: Color, strong: bool) -> None:
    """Draw the volume swept between two poses on a straight line: the hull of both outlines."""
    if math.dist(start[:2], end[:2]) <= _SAME_PLACE:
        return
    if isinstance(shape, Circle):
        outline = _capsule(shape, start, end)
    else:
        outline = convex_hull(np.concatenate((_corners(shape, start), _corners(shape, end))))
    alpha, color = 0.42 if strong else 0.2, palette.now(color)
    canvas.polygon(outline, color, None, alpha)
    canvas.polygon(outline, None, mix(palette.BACKGROUND, color, alpha))


def draw_flight(canvas: Canvas, shape: Shape, ghosts: Sequence[Ghost], jump: int | None) -> None:
    """Draw ghosts and the ways between them; the step that jumped over the target, from `jump`, in red."""
    for before, after in pairwise(ghosts):
        jumped = jump is not None and before.step <= jump < after.step
        draw_way(canvas, shape, before.pose, after.pose, palette.UNEXPLAINED if jumped else palette.ACCENT, jumped)
    for ghost in ghosts:
        decisive = jump is not None and ghost.step in (jump, jump + 1)
        draw_ghost(canvas, shape, ghost.pose, palette.UNEXPLAINED if decisive else palette.ACCENT, 0.9)


def draw_impact(
    canvas: Canvas,
    shape: Shape,
    pose: Pose,
    point: tuple[float, float] | None,
    normal: tuple[float, float] | None,
    is_first: bool = True,
) -> None:
    """Draw a moment of impact: the bullet there, filled for the first one, the contact point, and the normal that pushes on the bullet."""
    draw_ghost(canvas, shape, pose, palette.AGREE, 1.0 if is_first else 0.8, 0.6 if is_first else 0.0)
    if point is None:
        return
    if normal is not None:
        canvas.arrow(point, normal, 30.0, palette.NORMAL, 2.0)
    canvas.point(point, palette.TEXT, 2.5)


def draw_numbers(
    canvas: Canvas, ghosts: Sequence[Ghost], radius: float, first: Sequence[int], colors: tuple[Color, Color], half_lane: float
) -> None:
    """Write the step under each ghost where there is room; those of `first` come first, in words where they fit, in the first color.

    A lane that is lower than usual, `half_lane` meters to either side, has smaller numbers.
    """
    room = (half_lane - radius) * canvas.camera.scale / canvas.ui_scale
    size, drop = (13.0, 9.0 * canvas.ui_scale) if room >= 30.0 else (10.5, 1.0 * canvas.ui_scale)
    placed: list[tuple[float, float]] = []
    if room < 14.0 or not ghosts:
        return
    order = sorted(ghosts, key=lambda ghost: ghost.step not in first)
    ends = [canvas.camera.to_screen(ghost.pose[:2])[0] for ghost in order if ghost.step in first]
    wide = canvas.fonts.width("step 88", size, True) + 8.0 * canvas.ui_scale
    in_words = len(ends) < 2 or max(ends) - min(ends) > wide
    first_pose, last_pose = ghosts[0].pose, ghosts[-1].pose
    slope = (last_pose[1] - first_pose[1]) / max(last_pose[0] - first_pose[0], _SAME_PLACE) if len(ghosts) > 1 else 0.0
    lowest, height = canvas.camera.to_screen((0.0, -half_lane))[1], 1.4 * size * canvas.ui_scale
    reach = radius * canvas.camera.scale
    for ghost in order:
        x, y = canvas.camera.to_screen(ghost.pose[:2])
        words = f"step {ghost.step}" if ghost.step in first and in_words else f"{ghost.step}"
        half = 0.5 * canvas.fonts.width(words, size, ghost.step in first) + 3.0 * canvas.ui_scale
        top = y + reach + drop
        below = top + height <= lowest or drop <= 2.0 * canvas.ui_scale
        if not below:
            top = y - reach - drop - height
        if abs(slope) > _STEEP:  # beside the way: under it on the left where it falls, on the right where it rises
            x += math.copysign(half, slope) if below else math.copysign(half, -slope)
        if all(x + half <= low or x - half >= high for low, high in placed):
            color = colors[0] if ghost.step in first else colors[1]
            canvas.text_px((x, top), words, color, size, "midtop", bold=ghost.step in first)
            placed.append((x - half, x + half))


def draw_heading(
    canvas: Canvas, place: tuple[float, float, float], name: str, means: str, verdicts: Sequence[str], color: Color, rows: int
) -> None:
    """Write over a lane, (left, top, right) pixels: its name and what it means at the left, its verdict at the right or on a second row.

    Of `verdicts`, the longest first, that one is written which leaves room for what the name means, or else the first that fits.
    """
    left, top, right = place
    ui, fonts = canvas.ui_scale, canvas.fonts
    name = fonts.shortened(name, 14.0, max(round(right - left), 1), bold=True)
    after = canvas.text_px((left, top), name, palette.TEXT, 14.0, "topleft", bold=True).right + 9.0 * ui
    room = right - after - 14.0 * ui
    meaning = fonts.width(means, 12.0)
    widths = {words: fonts.width(words, 14.0, True) for words in verdicts}
    if rows > 1:
        verdict = next((words for words in verdicts if widths[words] <= right - left), "")
        canvas.text_px((left, top + 19.0 * ui), verdict, color, 14.0, "topleft", bold=True)
        free = room
    else:
        verdict = next((words for words in verdicts if widths[words] + meaning <= room), "")
        verdict = verdict or next((words for words in verdicts if widths[words] <= room), "")
        if verdict:  # else the lane shows it in its colors
            canvas.text_px((right, top), verdict, color, 14.0, "topright", bold=True)
        free = room - widths.get(verdict, 0)
    if meaning <= free:
        canvas.text_px((after, top + 2.0 * ui), means, palette.CAPTION, 12.0, "topleft")


def shorter(verdict: str) -> list[str]:
    """Return a verdict and its beginnings, cut where a part of the sentence ends, the longest first.

    Examples
    --------
    >>> shorter("stopped at x = 1 m, inside step 3")
    ['stopped at x = 1 m, inside step 3', 'stopped at x = 1 m', 'stopped']
    """
    cuts = {match.start() for match in re.finditer("[:,;]| at x", verdict)}
    return [verdict, *(verdict[:cut] for cut in sorted(cuts, reverse=True))]


def draw_range(canvas: Canvas, spec: ShotSpec, half: float, with_zone: bool) -> None:
    """Draw what lies under the bodies: the line of fire, the gun, and (without CCD) the zone that catches."""
    (x, y), r = spec.start, spec.radius
    along = math.cos(spec.angle), -math.sin(spec.angle)
    canvas.segment((x - 9.0 * along[0], y - 9.0 * along[1]), (x + 20.0 * along[0], y + 20.0 * along[1]), palette.GRID_AXIS)
    wide, up = 1.5 * r + 0.03, (-along[1], along[0])
    barrel = [
        (x + a * along[0] + b * up[0], y + a * along[1] + b * up[1]) for a, b in ((-0.75, -wide), (r, -wide), (r, wide), (-0.75, wide))
    ]
    canvas.polygon(barrel, palette.PANEL_RAISED, palette.PANEL_EDGE)
    if with_zone:
        zone = ((-spec.reach, -half), (0.0, -half), (0.0, half), (-spec.reach, half))
        canvas.polygon(zone, palette.AGREE, None, 0.28)


def draw_target(canvas: Canvas, recorder: StepRecorder, step: int, curve: StepCurve) -> None:
    """Draw the outline that the target had at the moment of the touch, where it has gone since."""
    moving = recorder.sweeps(step)
    if moving is None or curve.touch.status is not Status.HIT:
        return
    other = moving[1][curve.other]
    xf = other.sweep.at(curve.touch.fraction)
    draw_ghost(canvas, other.shape, (*xf.position, xf.angle), mix(palette.STATIC, palette.TEXT, 0.75), 0.55, 0.0)


def draw_moment(canvas: Canvas, recorder: StepRecorder, step: int, fraction: float) -> None:
    """Draw bullet and target where they would be at a fraction of the step that the pointer shows on the time line."""
    moving = recorder.sweeps(step)
    if moving is None:
        return
    bullet, others = moving
    for one, color in ((bullet, palette.TEXT), *((other, palette.CAPTION) for other in others)):
        xf = one.sweep.at(fraction)
        draw_ghost(canvas, one.shape, (*xf.position, xf.angle), color, 0.9, 0.0)


def _capsule(disc: Circle, start: Pose, end: Pose) -> FloatArray:
    """Return the outline of a disc's way: half a circle about either end."""
    (x0, y0), (x1, y1) = (Transform(pose[:2], pose[2]).apply(disc.center) for pose in (start, end))
    ahead = math.atan2(y1 - y0, x1 - x0) + _HALF_TURN
    front = np.column_stack((np.cos(ahead), np.sin(ahead))) * disc.radius
    return np.concatenate((front + (x1, y1), (x0, y0) - front))


def _corners(shape: Polygon | Segment, pose: Pose) -> FloatArray:
    xf = Transform(pose[:2], pose[2])
    return np.array([xf.apply((x, y)) for x, y in shape.core.tolist()])
