"""Draws one wrong answer with matplotlib: on the left what the function said, on the right what is right."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.check.kinds import KINDS
from engine.check.plain import PlainPair, PlainShape, Point, core_of, is_circle
from engine.check.trial import Finding
from engine.report.charts import COLORS, as_png, styled

if TYPE_CHECKING:
    import shapely
    from matplotlib.axes import Axes

__all__ = ["SIZE", "draw_finding"]

SIZE = (1280, 740)
"""Pixels."""
_DPI = 100
_WIDTH = 72
"""Characters in a line under a panel."""
_NEAR = 2.5
"""Largest extent of the picture, in extents of the pair: what a function puts farther away is left out."""
_ARROW, _SPACE = 0.3, 0.12
"""Length of a normal, and space around the shapes, in extents of the pair."""


@styled
def draw_finding(finding: Finding, function: str) -> bytes:
    """Return the picture of a finding as the content of a PNG file of `SIZE`; `function` names what was called."""
    from matplotlib.figure import Figure

    pair, reply, right = finding.shown.pair, finding.shown.reply, finding.right
    size = _extent([*_outline(pair.a), *_outline(pair.b)])
    figure = Figure(figsize=(SIZE[0] / _DPI, SIZE[1] / _DPI))
    figure.subplots_adjust(left=0.02, right=0.98, top=0.78, bottom=0.17, wspace=0.04)
    figure.text(0.02, 0.93, KINDS[finding.kind].name, fontsize=17, fontweight="bold")
    figure.text(0.98, 0.94, _plain(function), fontsize=11, color=COLORS["soft"], ha="right", parse_math=False)
    figure.text(0.02, 0.91, textwrap.fill(KINDS[finding.kind].hint, 150), fontsize=11, color=COLORS["soft"], va="top")
    left, truth = figure.subplots(1, 2)

    normal = reply.keys.get("normal", (0.0, 0.0))
    moved = _moved(pair.b, normal, reply.keys["depth"]) if any(normal) and "depth" in reply.keys else None
    if moved is not None and not _extent([*_outline(pair.a), *_outline(moved)]) < _NEAR * size:
        moved = None
    points = [(x, y) for x, y, *_ in reply.keys.get("points", [])]
    ends = [tuple(reply.keys[name][:2]) for name in ("point_a", "point_b") if name in reply.keys]
    near = [point for point in (*points, *ends) if _extent([*_outline(pair.a), *_outline(pair.b), point]) < _NEAR * size]
    _draw_pair(left, pair)
    if moved is not None:
        _draw_dashed(left, moved, COLORS["wrong"])
    if len(ends) == 2 and all(end in near for end in ends):
        left.plot(*zip(*ends, strict=True), color=COLORS["wrong"])
    if any(normal):
        _draw_arrow(left, _anchor(pair, near or right.points), normal, _ARROW * size, COLORS["wrong"])
    _draw_points(left, near, COLORS["wrong"])
    _finish(left, "your answer", COLORS["wrong"], _their_words(finding), moved is not None)

    _draw_pair(truth, pair)
    if right.separation < 0.0:
        _draw_dashed(truth, _moved(pair.b, right.normal, -right.separation), COLORS["ours"])
        _draw_arrow(truth, _anchor(pair, right.points), right.normal, _ARROW * size, COLORS["ours"])
        _draw_points(truth, right.points, COLORS["ours"])
    elif right.nearest is not None and "distance" in reply.keys:
        truth.plot(*zip(*right.nearest, strict=True), color=COLORS["ours"])
        _draw_points(truth, right.nearest, COLORS["ours"])
    elif right.separation > 0.0:
        import shapely

        (ax, ay), (bx, by) = shapely.shortest_line(_area(pair.a), _area(pair.b)).coords
        middle, (nx, ny) = (0.5 * (ax + bx), 0.5 * (ay + by)), right.normal
        truth.axline(middle, (middle[0] - ny, middle[1] + nx), color=COLORS["ours"], ls="--")
    _finish(truth, "right answer", COLORS["ours"], _right_words(finding), right.separation < 0.0)

    xs, ys = zip(*(corner for panel in (left, truth) for corner in panel.dataLim.corners().tolist()), strict=True)
    for panel in (left, truth):
        ratio = panel.get_window_extent().width / panel.get_window_extent().height
        half = 0.5 * max((max(xs) - min(xs)) / ratio, max(ys) - min(ys)) + _SPACE * size
        x, y = 0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))
        panel.set(xlim=(x - ratio * half, x + ratio * half), ylim=(y - half, y + half))
    return as_png(figure, _DPI)


def _draw_pair(panel: Axes, pair: PlainPair) -> None:
    for shape, other, name in ((pair.a, pair.b, "A"), (pair.b, pair.a, "B")):
        color = COLORS[name.lower()]
        panel.fill(*zip(*_outline(shape), strict=True), facecolor=f"{color}40", edgecolor=color, lw=1.5)
        own = _area(shape).difference(_area(other))
        at = (own if own.area > 0.0 else _area(shape)).representative_point()
        panel.text(at.x, at.y, name, color=color, fontsize=15, fontweight="bold", ha="center", va="center")


def _draw_dashed(panel: Axes, shape: PlainShape, color: str) -> None:
    panel.fill(*zip(*_outline(shape), strict=True), fill=False, edgecolor=color, ls="--")


def _draw_arrow(panel: Axes, start: Point, direction: Sequence[float], length: float, color: str) -> None:
    share = length / math.hypot(*direction)
    end = start[0] + share * direction[0], start[1] + share * direction[1]
    panel.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2.5, "mutation_scale": 20})


def _draw_points(panel: Axes, points: Sequence[Sequence[float]], color: str) -> None:
    for x, y in points:
        panel.plot(x, y, "o", color=color, markeredgecolor=COLORS["ink"])


def _finish(panel: Axes, name: str, color: str, lines: Sequence[str], is_moved: bool) -> None:
    panel.set_title(name, color=color, fontsize=13, fontweight="bold", loc="left")
    panel.set(xticks=[], yticks=[])
    shown = [textwrap.fill(_plain(line), _WIDTH) for line in lines] + ["dashed: B moved by the depth along the normal"] * is_moved
    panel.text(0.0, -0.03, "\n".join(shown), color=color, fontsize=12, va="top", transform=panel.transAxes, parse_math=False)


def _their_words(finding: Finding) -> list[str]:
    reply: Any = finding.shown.reply
    if reply.said != "answer":
        return [finding.shown.fault.message]
    parts = [f"distance {reply.keys['distance']:.4g} m" if "distance" in reply.keys else "contact" if reply.contact else "no contact"]
    if "normal" in reply.keys:
        parts.append("normal ({:.4g}, {:.4g})".format(*(value + 0.0 for value in reply.keys["normal"])))
    if "depth" in reply.keys:
        parts.append(f"depth {reply.keys['depth']:.4g} m")
    if "points" in reply.keys:
        n_points = len(reply.keys["points"])
        parts.append(f"{n_points} point{'s' * (n_points != 1)}")
    has_more = finding.kind in ("wrong_points", "wrong_normal", "not_repeatable")
    return [", ".join(parts), *([finding.shown.fault.message] if has_more else [])]


def _right_words(finding: Finding) -> list[str]:
    right = finding.right
    if right.separation > 0.0:
        words = f"{'distance' if 'distance' in finding.shown.reply.keys else 'no contact, gap'} {right.separation:.4g} m"
    else:
        words = f"contact, normal ({right.normal[0]:.4g}, {right.normal[1]:.4g}), depth {-right.separation:.4g} m"
    return [words, f"Box2D: {right.box2d}"]


def _anchor(pair: PlainPair, points: Sequence[Sequence[float]]) -> Point:
    """Return where a normal starts: the middle of the contact points, or of what the shapes share, or of both."""
    if points:
        return sum(point[0] for point in points) / len(points), sum(point[1] for point in points) / len(points)
    a, b = _area(pair.a), _area(pair.b)
    middle = a.intersection(b).centroid
    if middle.is_empty:
        middle = a.union(b).centroid
    return middle.x, middle.y


def _area(shape: PlainShape) -> shapely.Polygon:
    import shapely

    return shapely.Polygon(_outline(shape))


def _outline(shape: PlainShape) -> list[Point]:
    corners, radius = core_of(shape)
    if not is_circle(shape):
        return list(corners)
    (x, y), turns = corners[0], (2.0 * math.pi * k / 96 for k in range(96))
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns]


def _moved(shape: PlainShape, direction: Sequence[float], by: float) -> PlainShape:
    corners, radius = core_of(shape)
    moved = tuple((x + by * direction[0], y + by * direction[1]) for x, y in corners)
    return (*moved[0], radius) if is_circle(shape) else moved


def _extent(points: Sequence[Sequence[float]]) -> float:
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return max(max(xs) - min(xs), max(ys) - min(ys))


def _plain(words: str) -> str:
    """Return words without letters that the font may lack."""
    return words.encode("latin-1", "backslashreplace").decode("latin-1")
