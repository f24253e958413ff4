"""Draw the pictures of docs/algorithms, each from answers and traces of the library itself.

python -m docs.pictures            all of them, into docs/img/algorithms
python -m docs.pictures gjk epa    some
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.patches import Polygon as Outline

from engine.broadphase import BruteForce, UniformGrid
from engine.common.tolerances import GRID_MARGIN
from engine.compare.cases import random_shapes
from engine.continuous.bilateral_advancement import bilateral_advancement
from engine.continuous.conservative_advancement import conservative_advancement
from engine.continuous.interval_halving import interval_halving
from engine.geometry import Capsule, Circle, Polygon, Segment, Sweep, Transform, convex_hull
from engine.geometry.hull import HullStep
from engine.geometry.mass import polygon_mass
from engine.narrowphase import closest_iteration, epa, gjk, simple
from engine.narrowphase.sat import NO_AXIS, overlap_remembered
from engine.query import batch, contact_set, distance, manifold, ray_cast, shape_cast, swept_contact

FOLDER = Path(__file__).resolve().parent / "img" / "algorithms"

# Okabe and Ito's colours, which colour-blind readers can tell apart
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666"

HERE = Transform()


# --- helpers


def core(shape) -> np.ndarray:
    if isinstance(shape, Polygon):
        return shape.vertices
    return np.array([shape.center]) if isinstance(shape, Circle) else np.array([shape.p1, shape.p2])


def outline(shape, xf: Transform = HERE) -> np.ndarray:
    """Corners of a polygon, or a dense outline of what is round."""
    if isinstance(shape, Polygon):
        return xf.apply_array(shape.vertices)
    if isinstance(shape, Segment):
        return xf.apply_array(core(shape))
    turn = np.linspace(0.0, 2.0 * math.pi, 128, endpoint=False)
    ring = shape.radius * np.column_stack((np.cos(turn), np.sin(turn)))
    return xf.apply_array(convex_hull((core(shape)[:, None] + ring[None]).reshape(-1, 2)))


def draw(axes, shape, xf: Transform = HERE, color: str = BLUE, alpha: float = 0.2, style: str = "-", label: str = "") -> None:
    points = outline(shape, xf)
    if len(points) == 2:
        axes.plot(*points.T, style, color=color, lw=3, solid_capstyle="round")
    else:
        axes.add_patch(Outline(points, closed=True, facecolor=(*matplotlib.colors.to_rgb(color), alpha), edgecolor=color, lw=1.6, ls=style))
    if label:
        axes.text(*points.mean(axis=0), label, color=color, ha="center", va="center", fontsize=13, weight="bold")


def arrow(axes, start, vector, color: str = "black", text: str = "", width: float = 1.8, at=(4, 4)) -> None:
    end = np.add(start, vector)
    axes.annotate("", xy=end, xytext=start, arrowprops={"arrowstyle": "-|>", "color": color, "lw": width, "shrinkA": 0, "shrinkB": 0})
    if text:
        axes.annotate(text, end, xytext=at, textcoords="offset points", color=color, fontsize=10)


def dot(axes, point, color: str = "black", text: str = "", at=(6, 5), size: float = 7.0) -> None:
    axes.plot(*point, "o", color=color, ms=size, mec="white", mew=0.8, zorder=5)
    if text:
        axes.annotate(text, point, xytext=at, textcoords="offset points", color=color, fontsize=10)


def plane(axes, title: str, x: tuple[float, float] | None = None, y: tuple[float, float] | None = None) -> None:
    axes.set_aspect("equal")
    axes.set_title(title, fontsize=11)
    axes.set(xticks=[], yticks=[])
    if x is not None and y is not None:
        axes.set(xlim=x, ylim=y)
    else:
        axes.margins(0.08)


def chart(axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=11)
    axes.set(xlabel=x, ylabel=y)
    axes.grid(alpha=0.3)


def new(*, rows: int = 1, columns: int = 2, **more):
    return pyplot.subplots(rows, columns, figsize=(9, 6), layout="constrained", **more)


def difference_hull(a, xf_a: Transform, b, xf_b: Transform) -> np.ndarray:
    """Corners of B - A, in A's frame as GJK's and EPA's traces have them; A's pose is to be the identity."""
    p, q = xf_a.apply_array(core(a)), xf_b.apply_array(core(b))
    return convex_hull((q[:, None] - p[None]).reshape(-1, 2))


def separations(shape: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Separation of each edge of a counter-clockwise polygon (n, 2) from other points (m, 2): the least any of them is in front of it."""
    edges = np.roll(shape, -1, axis=0) - shape
    normals = np.column_stack((edges[:, 1], -edges[:, 0])) / np.hypot(*edges.T)[:, None]
    return (normals @ other.T).min(axis=1) - (normals * shape).sum(axis=1)


def used(trace: np.ndarray) -> np.ndarray:
    return trace[~np.isnan(trace[:, 0])]


# --- the opening chapter


def draw_simple() -> None:
    figure, panels = new(rows=2, columns=2)
    disc, circles, box, boxes = panels.ravel()
    rng = np.random.default_rng(4)
    radius = 0.9
    draw(disc, Circle(radius), color=BLUE)
    for point in rng.uniform(-1.5, 1.5, (60, 2)).tolist():
        inside = simple.point_in_circle(tuple(point), (0.0, 0.0), radius)
        disc.plot(*point, "o", color=GREEN if inside else GREY, ms=5)
    arrow(disc, (0.0, 0.0), (radius * math.cos(0.6), radius * math.sin(0.6)), BLUE, "r")
    plane(disc, "a point and a circle: distance against radius", (-1.7, 1.7), (-1.6, 1.6))

    a, b, grown = (0.0, 0.0), (1.35, 0.5), 1.1
    draw(circles, Circle(0.7), Transform(a), BLUE, label="A")
    draw(circles, Circle(0.4), Transform(b), ORANGE, label="B")
    draw(circles, Circle(grown), Transform(a), GREEN, 0.06, "--")
    circles.plot(*np.array([a, b]).T, color="black", lw=1)
    meets = simple.circles_overlap(a, 0.7, b, 0.4)
    assert meets == simple.point_in_circle(b, a, grown)
    circles.set_xlabel(f"B shrinks to a point, A grows by as much: {math.dist(a, b):.2f} > {grown:.2f}" if not meets else "")
    plane(circles, "two circles: a point and a larger circle", (-1.4, 2.1), (-1.4, 1.4))

    rectangle = simple.Rectangle((0.0, 0.0), 1.1, 0.6, 0.5)
    draw(box, Polygon.box(1.1, 0.6, angle=0.5), color=BLUE)
    for point in rng.uniform(-1.6, 1.6, (60, 2)).tolist():
        inside = simple.point_in_rectangle(tuple(point), rectangle)
        box.plot(*point, "o", color=GREEN if inside else GREY, ms=5)
    for axis, size in zip(rectangle.axes(), (1.1, 0.6), strict=True):
        arrow(box, rectangle.center, size * np.array(axis), RED)
    plane(box, "a point and a turned rectangle: one axis at a time", (-1.8, 1.8), (-1.6, 1.6))

    one, two = simple.Rectangle((-0.9, -0.3), 0.7, 0.5), simple.Rectangle((0.75, 0.35), 0.8, 0.35, 0.6)
    for r, color, name in ((one, BLUE, "A"), (two, ORANGE, "B")):
        draw(boxes, Polygon.box(r.half_width, r.half_height, r.center, r.angle), color=color, label=name)
    axis, level = np.array(one.axes()[0]), -1.25
    for r, color, sign in ((one, BLUE, 1.0), (two, ORANGE, -1.0)):
        reach = sum(h * abs(float(np.dot(u, axis))) for h, u in zip((r.half_width, r.half_height), r.axes(), strict=True))
        middle = float(np.dot(r.center, axis))
        boxes.plot([middle - reach, middle + reach], [level, level], color=color, lw=6, solid_capstyle="butt")
        boxes.plot([middle] * 2, [r.center[1], level], ":", color=color, lw=1)
        boxes.annotate("reach", (middle + 0.5 * sign * reach, level), xytext=(0, -14), textcoords="offset points", fontsize=9, ha="center")
    found = simple.rectangles_overlap(one, two)
    plane(boxes, "two rectangles: reaches on one of four axes" + (", apart" if not found else ""), (-1.9, 1.9), (-1.7, 1.2))
    save(figure, "simple")


# --- static tests


def draw_sat() -> None:
    a = Polygon.regular(5, 1.0, 0.3)
    b = Polygon([(-0.8, -0.5), (0.7, -0.6), (0.9, 0.5), (-0.3, 0.8)])
    apart, deep = Transform((1.95, 0.75), 0.35), Transform((1.1, 0.6), 0.35)
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(3, 1.35))
    scene, bars, strip = (figure.add_subplot(part) for part in (grid[0, 0], grid[0, 1], grid[1, :]))

    found = {}
    for name, xf in (("apart", apart), ("overlapping", deep)):
        placed = Polygon(xf.apply_array(b.vertices))
        found[name] = [*separations(a.vertices, placed.vertices), *separations(placed.vertices, a.vertices)]
    placed = Polygon(apart.apply_array(b.vertices))
    best = int(np.argmax(found["apart"]))
    n_a = len(a.vertices)
    normal = a.normals[best] if best < n_a else -placed.normals[best - n_a]
    draw(scene, a, color=BLUE, label="A")
    draw(scene, placed, color=ORANGE, label="B")
    along = np.array([-normal[1], normal[0]])
    base = along * (min((a.vertices @ along).min(), (placed.vertices @ along).min()) - 0.55)
    low, high = (a.vertices @ normal).min(), (placed.vertices @ normal).max()
    arrow(scene, base + (low - 0.3) * normal, (high - low + 0.7) * normal, GREY, width=1.0)
    for points, color in ((a.vertices, BLUE), (placed.vertices, ORANGE)):
        ends = points @ normal
        shadow = np.array([base + s * normal for s in (ends.min(), ends.max())])
        scene.plot(*shadow.T, color=color, lw=6, solid_capstyle="butt")
        for s in (ends.min(), ends.max()):
            corner = points[int(np.argmin(np.abs(ends - s)))]
            scene.plot(*np.array([corner, base + s * normal]).T, ":", color=color, lw=1)
    middle = 0.5 * ((a.vertices @ normal).max() + (placed.vertices @ normal).min())
    scene.annotate("gap", base + middle * normal, xytext=(0, -16), textcoords="offset points", fontsize=10, ha="center")
    plane(scene, "one axis with a gap: the two are apart", (-1.35, 3.3), (-2.2, 2.2))

    names = [f"A{e}" for e in range(n_a)] + [f"B{e}" for e in range(len(b.vertices))]
    at = np.arange(len(names))
    for k, (name, color) in enumerate((("apart", SKY), ("overlapping", RED))):
        bars.bar(at + 0.4 * k - 0.2, found[name], 0.38, color=color, label=name)
        greatest = int(np.argmax(found[name]))
        bars.annotate(
            f"{found[name][greatest]:.2f}", (greatest + 0.4 * k - 0.2, found[name][greatest]), ha="center",
            xytext=(0, -12 if k else 3), textcoords="offset points", fontsize=9, color="black",
        )  # fmt: skip
    bars.axhline(0.0, color="black", lw=0.8)
    bars.set_xticks(at, names)
    bars.legend(fontsize=9, loc="upper left", ncols=2)
    bars.set_ylim(-4.2, 1.4)
    chart(bars, "separation of each edge; in figures the greatest", "edge", "m")

    axis, enough, overlapping = NO_AXIS, [], []
    frames = 60
    for frame in range(frames):
        told = overlap_remembered(a, HERE, b, Transform((-3.2 + 6.4 * frame / (frames - 1), 1.2), 0.03 * frame), axis)
        axis = told.axis
        enough.append(told.was_enough)
        overlapping.append(told.is_overlapping)
    colors = [GREEN if one else RED if two else ORANGE for one, two in zip(enough, overlapping, strict=True)]
    strip.bar(range(frames), [1.0] * frames, 0.9, color=colors)
    for name, color in (("settled by the remembered axis alone", GREEN), ("all axes, apart", ORANGE), ("all axes, overlapping", RED)):
        strip.bar(0, 0, color=color, label=f"{name}: {colors.count(color)}")
    strip.set(yticks=[], ylim=(0.0, 1.0), xlim=(-0.6, frames - 0.4))
    strip.set_title("B flies past A, sixty frames, with the axis of the frame before", fontsize=11)
    strip.set_xlabel("frame")
    strip.legend(ncols=3, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.45), frameon=False)
    save(figure, "sat")


def axis_of(a, b, there: Transform, rule: str) -> tuple[int, int, np.ndarray, float]:
    """Return whose edge carries the axis, 0 A's or 1 B's, which edge, the normal and the separation; A's pose is the identity."""
    rows = batch.manifold(batch.ShapeBatch([a, b]), [(0, 1)], [(0.0, 0.0, 0.0)], [(*there.position, there.angle)], rule)
    return int(rows.reference_side[0]), int(rows.reference_edge[0]), rows.axis[0], float(rows.axis_separation[0])


# a bowl and a chip in it: of 60,000 seeded pairs one of those where Box2D's climb goes most wrong
BOWL = Polygon([(-1.21, 0.26), (-1.09, 0.1), (-0.95, 0.03), (0.83, -0.01), (0.93, 0.04), (1.14, 0.4)])
CHIP, IN_BOWL = Polygon([(-0.2, 0.36), (0.37, -0.22), (0.47, -0.05), (-0.04, 0.36)]), Transform((0.44, 0.23), -2.47)


def draw_manifold() -> None:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1), height_ratios=(1.5, 1))
    clip, climb, hills = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))

    a, b = Polygon.box(1.0, 0.7), Polygon.box(0.9, 0.55)
    there = Transform((0.85, 1.05), 0.28)
    side, edge, _, _ = axis_of(a, b, there, "exact")
    assert side == 0
    normal = a.normals[edge]
    placed = Polygon(there.apply_array(b.vertices))
    found = manifold(a, HERE, b, there)
    incident = int(np.argmin(placed.normals @ normal))
    # a point lies midway: half its separation further is the end on the incident edge
    ends = np.array([point.position + 0.5 * point.separation * normal for point in found.points])
    draw(clip, a, color=BLUE)
    clip.text(0.0, -0.5, "A", color=BLUE, fontsize=13, weight="bold", ha="center", va="center")
    draw(clip, placed, color=ORANGE, label="B")
    r1, r2 = a.vertices[edge], a.vertices[(edge + 1) % 4]
    i1, i2 = placed.vertices[incident], placed.vertices[(incident + 1) % 4]
    clip.plot(*np.array([r1, r2]).T, color=BLUE, lw=4, label="reference edge")
    clip.plot(*np.array([i1, i2]).T, color=ORANGE, lw=4, label="incident edge")
    clip.plot(*ends.T, color=RED, lw=2, label="what the side planes leave of it")
    for k, corner in enumerate((r1, r2)):
        clip.plot(*np.array([corner - 0.5 * normal, corner + 1.0 * normal]).T, "--", color=GREY, lw=1, label="" if k else "side planes")
    for point in found.points:
        key = point.feature_id
        on_a, on_b = ("face" if key >> 24 - 8 * (1 - k) & 1 else "vertex" for k in range(2))
        text = f"{on_a} {key & 255} of A,\n{on_b} {key >> 8 & 255} of B\n{1000 * point.separation:.0f} mm"
        right = point.position[0] > 0.5
        where = (1.35, 0.1) if right else (-0.35, -0.1)
        dot(clip, point.position, "black")
        beside = {"ha": "left" if right else "center", "va": "center", "fontsize": 9}
        clip.annotate(text, point.position, xytext=where, arrowprops={"arrowstyle": "-", "lw": 0.7}, **beside)
    arrow(clip, 0.5 * (r1 + r2) + (-0.6, 0.0), 0.55 * normal, "black", "normal", at=(4, -4))
    clip.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, fontsize=9, frameon=False)
    plane(clip, "clipping, two points and their feature ids", (-1.3, 2.6), (-1.0, 2.1))

    placed = Polygon(IN_BOWL.apply_array(CHIP.vertices))
    draw(climb, BOWL, color=BLUE)
    draw(climb, placed, color=ORANGE)
    chosen = {rule: axis_of(BOWL, CHIP, IN_BOWL, rule) for rule in ("exact", "box2d")}
    for name, color in (("exact", GREEN), ("box2d", RED)):
        _, _, normal, separation = chosen[name]
        draw(climb, Polygon(placed.vertices - separation * normal), color=color, alpha=0.0, style="--")
        arrow(climb, placed.vertices.mean(axis=0), -separation * normal, color)
        climb.plot([], [], "--", color=color, label=f"{name}: {-1000 * separation:.0f} mm")
    climb.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.04), ncols=2, frameon=False)
    plane(climb, "the way apart of B by either rule (A is blue)")

    of_a, of_b = separations(BOWL.vertices, placed.vertices), separations(placed.vertices, BOWL.vertices)
    hills.plot(of_a, "o-", color=BLUE, label="edges of A")
    hills.plot(of_b, "s-", color=ORANGE, label="edges of B")
    for name, color in (("exact", GREEN), ("box2d", RED)):
        side, edge = chosen[name][:2]
        hills.plot(edge, (of_a, of_b)[side][edge], "o", mfc="none", mec=color, mew=2, ms=16)
        hills.annotate(name, (edge, (of_a, of_b)[side][edge]), xytext=(11, -4), textcoords="offset points", color=color, fontsize=10)
    hills.set_xticks(range(len(of_a)))
    hills.legend(fontsize=8)
    hills.margins(0.15)
    chart(hills, "separation, edge by edge: hills", "edge", "m")
    save(figure, "manifold")


GJK_A = Polygon([(-0.9, -0.7), (0.6, -0.9), (1.0, 0.1), (0.3, 0.9), (-0.8, 0.6)])
GJK_B = Polygon.regular(7, 0.9)


def draw_gjk() -> None:
    there = Transform((1.5, 2.0), 0.5)
    trace = gjk.new_trace(16)
    found = gjk.distance(GJK_A, HERE, GJK_B, there, trace)
    steps = used(trace)
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.6, 1))
    shapes, bounds, minkowski = (figure.add_subplot(part) for part in (grid[0, 0], grid[1, 0], grid[:, 1]))
    draw(shapes, GJK_A, color=BLUE, label="A")
    draw(shapes, GJK_B, there, ORANGE, label="B")
    shapes.plot(*np.array([found.point_a, found.point_b]).T, color="black", lw=2)
    dot(shapes, found.point_a)
    dot(shapes, found.point_b, text=f"{found.separation:.3f} m", at=(8, -14))
    plane(shapes, "nearest points")

    draw(minkowski, Polygon(difference_hull(GJK_A, HERE, GJK_B, there)), color=GREY, alpha=0.12)
    colors = (SKY, ORANGE, PURPLE, GREEN, RED)
    for k, row in enumerate(steps):
        n, color = int(row[0]), colors[min(k, len(colors) - 1)]
        corners = row[1 : 1 + 2 * n].reshape(-1, 2)
        minkowski.fill(*corners.T, facecolor=(*matplotlib.colors.to_rgb(color), 0.15), edgecolor=color, lw=1.6)
        v = row[7:9]
        minkowski.plot([0.0, v[0]], [0.0, v[1]], "-", color=color, lw=2.2, label=f"step {k + 1}: |v| = {math.hypot(*v):.3f}")
        minkowski.plot(*corners[-1], "o", color=color, ms=8, mec="white", zorder=5)
    minkowski.plot(0.0, 0.0, "k+", ms=14, mew=2)
    minkowski.annotate("O", (0.0, 0.0), xytext=(-14, -12), textcoords="offset points", fontsize=11)
    minkowski.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.02), frameon=False)
    plane(minkowski, "B - A, its simplexes, the vector v to each;\na dot: the new support w")

    at = np.arange(1, len(steps) + 1)
    bounds.plot(at, np.hypot(steps[:, 7], steps[:, 8]), "v-", color=RED, label="|v|: not farther")
    bounds.plot(at, steps[:, 9], "^-", color=BLUE, label="w.n: not nearer")
    bounds.axhline(found.separation, color=GREY, ls="--", lw=1)
    bounds.set_xticks(at)
    bounds.legend(fontsize=9, loc="lower right")
    chart(bounds, "two bounds that meet", "step", "m")
    save(figure, "gjk")


def draw_epa() -> None:
    a, b, there = Polygon.regular(8, 1.0), Polygon.regular(5, 0.9), Transform((0.45, 0.3), 0.2)
    trace = epa.new_trace(200)
    found = epa.penetration(a, HERE, b, there, trace)
    rows = used(trace)
    last = int(rows[-1, 0])
    figure, panels = new(rows=2, columns=3)
    first, *polytopes = panels.ravel()
    draw(first, a, color=BLUE, label="")
    draw(first, b, there, ORANGE)
    x, y = (p + found.depth * n for p, n in zip(there.position, found.normal, strict=True))
    draw(first, b, Transform((x, y), there.angle), GREEN, 0.0, "--")
    arrow(first, there.position, found.depth * np.array(found.normal), GREEN)
    dot(first, found.point_a, BLUE)
    dot(first, found.point_b, ORANGE)
    plane(first, f"A, B, and B moved out by {found.depth:.3f} m")
    hull = Polygon(difference_hull(a, HERE, b, there))
    shown = [*range(1, last + 1)] if last <= 5 else [1, 2, 3, (last + 3) // 2, last]
    for panel, step in zip(polytopes, shown, strict=False):
        edges = rows[rows[:, 0] == step]
        draw(panel, hull, color=GREY, alpha=0.1)
        panel.fill(*edges[:, 2:4].T, facecolor=(*matplotlib.colors.to_rgb(SKY), 0.3), edgecolor=BLUE, lw=1.6)
        near = edges[edges[:, 7] == 1.0][0]
        panel.plot(near[[2, 4]], near[[3, 5]], color=RED, lw=3.5)
        panel.plot(0.0, 0.0, "k+", ms=11, mew=2)
        plane(panel, f"step {step}: {len(edges)} edges,\nnearest at {near[6]:.3f} m")
    for panel in polytopes[len(shown) :]:
        panel.axis("off")
    figure.suptitle("B - A (grey), the polytope inside it (blue), its edge nearest to the origin (red)", fontsize=11)
    save(figure, "epa")


def draw_contact_set() -> None:
    box, rod = Polygon.box(0.5, 0.5), Capsule((-0.6, 0.0), (0.6, 0.0), 0.25)
    cases = (
        ("edge on edge", box, box, Transform((0.35, 1.0))),
        ("corner on edge", box, Polygon.regular(4, 0.5), Transform((0.2, 1.0))),
        ("corner on corner", box, box, Transform((1.0, 1.0))),
        ("capsule on a box", box, rod, Transform((0.4, 0.75))),
        ("circle on a corner", box, Circle(0.5), Transform((0.8, 0.9))),
        ("capsules end to end", rod, rod, Transform((1.7, 0.0))),
    )
    figure, panels = new(rows=2, columns=3)
    for panel, (title, a, b, there) in zip(panels.ravel(), cases, strict=True):
        found = contact_set(a, HERE, b, there)
        draw(panel, a, color=BLUE, label="A")
        draw(panel, b, there, ORANGE, label="B")
        points = np.array(found.points)
        panel.plot(*points.T, color=RED, lw=4, solid_capstyle="round", zorder=4)
        for point in points:
            dot(panel, point, RED)
        arrow(panel, points.mean(axis=0), 0.4 * np.array(found.normal), "black", width=1.6)
        tangent = np.array([-found.normal[1], found.normal[0]])
        panel.plot(*np.array([points.mean(axis=0) - 1.1 * tangent, points.mean(axis=0) + 1.1 * tangent]).T, ":", color=GREY, lw=1)
        plane(panel, f"{title}: {'a point' if len(points) == 1 else 'a segment'}")
    save(figure, "contact_set")


def draw_closest_iteration() -> None:
    figure, (left, right) = new()
    ray, angle = Segment((2.0, 0.0), (0.0, 0.0)), 0.6
    turned = Transform((0.0, 0.0), angle)
    trace = closest_iteration.new_trace(40)
    closest_iteration.distance(ray, HERE, ray, turned, trace)
    draw(left, ray, color=BLUE)
    draw(left, ray, turned, ORANGE)
    rows = used(trace)
    path = [(2.0, 0.0)]
    for row in rows:
        path += [tuple(row[2:4]), tuple(row[0:2])]
    left.plot(*np.array(path).T, "-", color="black", lw=1)
    for k, point in enumerate(path[:7]):
        below = k % 2 == 0
        name = "start" if k == 0 else f"b{(k - 1) // 2}" if not below else f"a{k // 2}"
        dot(left, point, BLUE if below else ORANGE, name, at=(-8, -16) if below else (-6, 9), size=6)
    plane(left, f"to and fro between two segments at {angle} rad,\nwhich touch at the left end", (-0.2, 2.3), (-0.25, 1.3))

    for angle, color in ((0.7, BLUE), (0.35, GREEN), (0.18, PURPLE), (0.01, RED)):
        trace = closest_iteration.new_trace(60)
        closest_iteration.distance(ray, HERE, ray, Transform((0.0, 0.0), angle), trace)
        rows = used(trace)
        left_over = np.hypot(rows[:, 0], rows[:, 1])
        right.semilogy(np.arange(1, len(rows) + 1), left_over, color=color, lw=2, label=f"{angle} rad")
        turns = np.arange(1, 61, 6)
        right.semilogy(turns, left_over[0] * math.cos(angle) ** (2.0 * (turns - 1)), "o", color=color, ms=4)
    right.plot([], [], "o", color=GREY, ms=4, label="cos² law")
    steps = gjk.distance(ray, HERE, ray, Transform((0.0, 0.0), 0.01)).iterations
    right.axvline(steps, color="black", ls="--", lw=1.2, label=f"GJK is done at 0.01 rad: {steps} steps")
    right.set_ylim(1e-8, 5.0)
    left.legend(*right.get_legend_handles_labels(), fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False)
    chart(right, "distance of A's point from the true one", "turn", "m")
    save(figure, "closest_iteration")


# --- moving shapes


def draw_time_of_impact() -> None:
    blade, disc = Polygon.box(2.0, 0.05), Circle(0.2)
    turning = Sweep(Transform((0.0, 0.0), -1.0), Transform((0.0, 0.0), 1.0))
    resting = Sweep(Transform((1.5, 0.15)), Transform((1.5, 0.15)))
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.25))
    scene, curve, digits = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))
    traces = {}
    for name, way in (("advancement", conservative_advancement), ("halving", interval_halving), ("bilateral", bilateral_advancement)):
        trace = np.empty((500, 2))
        found = way(blade, turning, disc, resting, trace=trace)
        traces[name] = (used(trace), found)
    rows, found = traces["advancement"]
    for k, (t, _) in enumerate(rows):
        draw(scene, blade, turning.at(float(t)), RED if k == len(rows) - 1 else BLUE, 0.05 + 0.1 * (k == len(rows) - 1))
    draw(scene, blade, turning.at(1.0), GREY, 0.0, ":")
    draw(scene, disc, resting.start, ORANGE, 0.5)
    plane(scene, f"conservative advancement:\na touch at t = {found.fraction:.4f}, {len(rows)} poses", (-0.4, 2.3), (-2.0, 2.0))
    scene.text(0.15, 1.75, "dotted: where the blade ends,\napart again", fontsize=9, color=GREY)

    times = np.linspace(0.0, 1.0, 401)
    gaps = []
    for t in times:
        told = distance(blade, turning.at(float(t)), disc, resting.start)
        gaps.append(told.separation if told.normal is not None else math.nan)
    curve.plot(times, gaps, color=GREY, lw=1.5, label="gap, by GJK")
    curve.axhline(0.0, color="black", lw=0.8)
    for name, color, mark in (("halving", PURPLE, "x"), ("bilateral", GREEN, "s"), ("advancement", RED, "o")):
        rows, found = traces[name]
        near = rows[:, 1] < 1.0
        curve.plot(rows[near, 0], rows[near, 1], mark, color=color, ms=6, mfc="none", label=f"{name}: {found.iterations} measurements")
    curve.legend(fontsize=8, loc="upper right")
    curve.set_ylim(-0.3, 2.0)
    chart(curve, "where each way looks", "t", "gap, m")
    for name, color, mark in (("halving", PURPLE, "x"), ("bilateral", GREEN, "s"), ("advancement", RED, "o")):
        rows, _ = traces[name]
        if name == "halving":
            rows = rows[rows[:, 1] > 0.0]
        digits.semilogy(np.arange(1, len(rows) + 1), np.maximum(rows[:, 1], 1e-12), mark + "-", color=color, ms=5, lw=1)
    chart(digits, "the gap left, step by step (halving: of its probes)", "step", "m")
    save(figure, "time_of_impact")


def draw_swept() -> None:
    a, b = Polygon.box(0.6, 0.8), Polygon([(-0.5, -0.4), (0.5, -0.4), (0.5, 0.3), (0.0, 0.7), (-0.5, 0.3)])
    start, velocity, t_max = Transform((-3.0, 0.55)), (2.0, -0.15), 5.0
    found = swept_contact(a, HERE, (0.0, 0.0), b, start, velocity, t_max)
    figure, (scene, lines) = new(rows=2, columns=1)
    draw(scene, a, color=BLUE, label="A")

    def at(t: float) -> Transform:
        return Transform((start.position[0] + t * velocity[0], start.position[1] + t * velocity[1]))

    for t, color, style, name in ((0.0, ORANGE, "-", "B at 0"), (found.t_first, RED, "-", "first"), (found.t_last, PURPLE, "--", "last")):
        draw(scene, b, at(t), color, 0.12, style)
        scene.text(*np.add(at(t).position, (0.0, 0.85)), f"{name}\n{t:.3f} s" if t else name, color=color, ha="center", fontsize=10)
    points = np.array(found.contact_set.points)
    scene.plot(*points.T, color="black", lw=4, zorder=4)
    for point in points:
        dot(scene, point)
    arrow(scene, points.mean(axis=0), 0.45 * np.array(found.normal), "black")
    arrow(scene, start.position, 0.6 * np.array(velocity), ORANGE)
    plane(scene, "B flies past; black: the contact set at the first touch, and its normal", (-3.7, 2.3), (-0.95, 2.2))

    times = np.linspace(0.0, 2.6, 2)
    for shape, other, sign, color, style, name in ((a, b, 1.0, BLUE, "-", "A"), (b, a, -1.0, ORANGE, "--", "B")):
        both = (shape.vertices, start.apply_array(other.vertices)) if sign > 0.0 else (start.apply_array(shape.vertices), other.vertices)
        for edge, s0 in enumerate(separations(*both)):
            rate = sign * float(shape.normals[edge] @ velocity)
            lines.plot(times, s0 + rate * times, color=color, ls=style, lw=2, label=f"edges of {name}" if edge == 0 else "")
    lines.axhline(0.0, color="black", lw=0.8)
    lines.axvspan(found.t_first, found.t_last, color=GREEN, alpha=0.15, label="all below 0: touching")
    lines.set(ylim=(-3.0, 2.2), xlim=(0.0, 2.6))
    lines.legend(fontsize=9, loc="upper right")
    chart(lines, "separation of each edge: a straight line in time", "s", "m")
    save(figure, "swept")


def draw_ray_cast() -> None:
    figure, (scene, intervals) = new()
    shapes = (
        (Polygon.regular(6, 0.7), Transform((0.0, 1.9), 0.2), BLUE),
        (Capsule((-0.6, -0.2), (0.6, 0.2), 0.3), Transform((0.3, 0.2)), GREEN),
        (Circle(0.55), Transform((-0.3, -1.4)), PURPLE),
    )
    for shape, xf, color in shapes:
        draw(scene, shape, xf, color)
    for height in np.linspace(-2.2, 2.8, 15):
        origin, way = (-2.0, float(height)), (4.2, -0.35)
        hits = [ray_cast(shape, xf, origin, way) for shape, xf, _ in shapes]
        first = min(hits, key=lambda hit: hit.fraction)
        share = min(first.fraction, 1.0)
        end = np.add(origin, share * np.array(way))
        scene.plot(*np.array([origin, end]).T, color=GREY, lw=0.9)
        if first.normal is not None:
            dot(scene, first.point, RED, size=5)
            arrow(scene, first.point, 0.3 * np.array(first.normal), RED, width=1.2)
    plane(scene, "first hits and their normals")

    shape, xf = shapes[0][:2]
    placed = Polygon(xf.apply_array(shape.vertices))
    origin, way = np.array((-2.0, 2.3)), np.array((4.2, -0.35))
    hit = ray_cast(shape, xf, tuple(origin), tuple(way))
    for edge in range(6):
        in_front = float(placed.normals[edge] @ (origin - placed.vertices[edge]))
        rate = float(placed.normals[edge] @ way)
        t = -in_front / rate
        color = BLUE if rate < 0.0 else ORANGE
        low, high = (t, 1.6) if rate < 0.0 else (-0.6, t)
        intervals.plot([max(low, -0.6), min(high, 1.6)], [edge, edge], color=color, lw=7, solid_capstyle="butt", alpha=0.8)
        text, side, shift = ("enters", "right", -5) if rate < 0.0 else ("leaves", "left", 5)
        intervals.annotate(text, (t, edge), xytext=(shift, 0), textcoords="offset points", ha=side, va="center", fontsize=9)
    intervals.axvline(hit.fraction, color=RED, lw=2, label=f"last entry = the hit, {hit.fraction:.3f}")
    intervals.set(xlim=(-0.6, 1.6), ylim=(-0.6, 6.2))
    intervals.set_yticks(range(6), [f"edge {edge}" for edge in range(6)])
    intervals.legend(fontsize=9, loc="upper left")
    chart(intervals, "hexagon: what each half-plane leaves of the ray", "fraction of the ray", "")
    save(figure, "ray_cast")


def draw_shape_cast() -> None:
    thrown, target = Capsule((-0.35, -0.15), (0.35, 0.15), 0.25), Polygon([(-0.8, -0.9), (0.7, -0.6), (0.9, 0.5), (-0.2, 1.1)])
    start, way = Transform((-3.4, 0.9), 0.3), (4.6, -0.5)
    hit = shape_cast(thrown, start, way, target, HERE)
    figure, (scene, sums) = new(rows=2, columns=1)

    def at(share: float) -> Transform:
        return Transform(tuple(np.add(start.position, share * np.array(way))), start.angle)

    draw(scene, target, color=BLUE, label="target")
    for share in np.linspace(0.0, hit.fraction, 5):
        draw(scene, thrown, at(float(share)), ORANGE, 0.1 + 0.15 * (share == 0.0))
    draw(scene, thrown, at(hit.fraction), RED, 0.25)
    draw(scene, thrown, at(1.0), GREY, 0.0, ":")
    arrow(scene, start.position, way, GREY, width=1.0)
    dot(scene, hit.point, "black")
    arrow(scene, hit.point, 0.7 * np.array(hit.normal), RED)
    plane(scene, f"thrown, and stopped at {hit.fraction:.3f} of its way", (-4.2, 1.9), (-1.8, 2.4))

    ends = start.apply_array(core(thrown)) - np.array(start.position)
    difference = convex_hull((core(target)[:, None] - ends[None]).reshape(-1, 2))
    rounded = Polygon(difference, thrown.radius)
    turn = np.linspace(0.0, 2.0 * math.pi, 96, endpoint=False)
    ring = thrown.radius * np.column_stack((np.cos(turn), np.sin(turn)))
    draw(sums, Polygon(convex_hull((difference[:, None] + ring[None]).reshape(-1, 2))), color=GREEN, alpha=0.12)
    draw(sums, Polygon(difference), color=BLUE, alpha=0.12, style="--")
    ray = ray_cast(rounded, HERE, start.position, way)
    assert abs(ray.fraction - hit.fraction) < 1e-12
    arrow(sums, start.position, way, GREY, width=1.2)
    dot(sums, start.position, ORANGE, "the origin of the thrown shape", at=(-20, 12))
    dot(sums, ray.point, RED, f"{ray.fraction:.3f}", at=(-6, -18))
    arrow(sums, ray.point, 0.6 * np.array(ray.normal), RED)
    plane(sums, "the same as a ray against the target minus the thrown shape, rounded", (-4.2, 1.9), (-1.8, 2.4))
    save(figure, "shape_cast")


# --- shapes


def rounds(trace: list[HullStep]) -> list[list[HullStep]]:
    """Return the tasks of quickhull round by round: those of the line from left to right first, then their halves, and theirs."""
    at = {(*step.p, *step.q): step for step in trace}
    ends = np.array([end for step in trace for end in (step.p, step.q)])
    low, high = ends[np.lexsort(ends.T[::-1])][[0, -1]]
    rows = [[at[(*low, *high)], at[(*high, *low)]]]
    while any(step.far is not None for step in rows[-1]):
        rows.append([half for s in rows[-1] for half in ((s,) if s.far is None else (at[(*s.p, *s.far)], at[(*s.far, *s.q)]))])
    return rows


def draw_hull() -> None:
    cloud = np.random.default_rng(5).normal(size=(70, 2)) * (1.3, 1.0)
    trace: list[HullStep] = []
    hull = convex_hull(cloud, trace)
    steps = rounds(trace)
    figure, panels = new(rows=2, columns=2)
    titles = ("the line from left to right", "the farthest on each side", "the farthest of each new edge", "and so on: the hull")
    for k, (panel, title) in enumerate(zip(panels.ravel(), titles, strict=True)):
        if title.startswith("and"):
            draw(panel, Polygon(hull), color=GREEN, alpha=0.12)
            inside = cloud
            for corner in hull:
                dot(panel, corner, GREEN, size=6)
        else:
            tasks = steps[k]
            ring = [task.p for task in tasks]
            panel.fill(*np.array(ring).T, facecolor=(*matplotlib.colors.to_rgb(SKY), 0.25), edgecolor=BLUE, lw=1.6)
            inside = cloud
            outside = np.concatenate([task.outside for task in tasks])
            panel.plot(*outside.T, ".", color=ORANGE, ms=7, zorder=4)
            for task in tasks:
                dot(panel, task.p, BLUE, size=7)
            panel.set_xlabel(f"{len(outside)} of {len(cloud)} points still outside")
        panel.plot(*inside.T, ".", color=GREY, ms=4)
        plane(panel, title, (-3.3, 3.3), (-2.3, 2.0))
    panels[1, 1].set_xlabel(f"{len(hull)} vertices")
    save(figure, "hull")


def draw_edges() -> None:
    corners = [(-2.0, 0.0), (0.0, 0.0), (2.0, 0.0), (3.5, 1.0)][::-1]
    box = Polygon.box(0.25, 0.25)
    figure, panels = new(rows=2, columns=2, gridspec_kw={"height_ratios": (1.2, 1)})
    positions = np.linspace(-1.2, 1.2, 241)
    for column, title in enumerate(("edges alone", "edges that know their neighbours")):
        edges = []
        for k in range(3):
            before = corners[k - 1] if column and k > 0 else None
            after = corners[k + 2] if column and k + 2 < 4 else None
            edges.append(Segment(corners[k], corners[k + 1], 0.0, before, after))
        scene, turns = panels[:, column]
        for edge in edges:
            draw(scene, edge, color=BLUE)
        for corner in corners:
            dot(scene, corner, BLUE, size=6)
        for index, (edge, color) in enumerate(zip(edges[1:][::-1], (ORANGE, GREEN), strict=True)):
            angles, shown = [], []
            for x in positions:
                there = Transform((float(x), 0.22))
                found = manifold(edge, HERE, box, there, "box2d")
                if found.normal is not None:
                    shown.append(x)
                    angles.append(math.degrees(math.atan2(found.normal[0], found.normal[1])))
            turns.plot(shown, angles, "os"[index], color=color, ms=4, label=("left edge", "right edge")[index])
        for x in (-0.24,):
            there = Transform((x, 0.22))
            draw(scene, box, there, GREY, 0.12)
            arrow(scene, there.position, (0.45, 0.0), GREY)
            for edge, color in zip(edges[1:][::-1], (ORANGE, GREEN), strict=True):
                found = manifold(edge, HERE, box, there, "box2d")
                for point in found.points:
                    arrow(scene, point.position, 0.4 * np.array(found.normal), color, width=2.0)
                    dot(scene, point.position, color, size=5)
        plane(scene, title, (-1.3, 1.3), (-0.45, 1.1))
        turns.axhline(0.0, color=GREY, lw=0.8)
        turns.set(ylim=(-105, 105), yticks=(-90, -45, 0, 45, 90))
        turns.legend(fontsize=9, loc="upper right")
        chart(turns, "where the normal points as the box slides", "x of the box, m", "degrees from upright")
    save(figure, "edges")


def draw_mass() -> None:
    shape = Polygon([(-1.2, -0.6), (0.9, -0.9), (1.6, 0.3), (0.2, 1.2), (-1.0, 0.8)])
    figure, (scene, errors) = new()
    origin, mass = shape.vertices.mean(axis=0), shape.mass(1.0)
    tints = (BLUE, ORANGE, GREEN, PURPLE, SKY)
    for k, (p, q) in enumerate(pairwise([*shape.vertices, shape.vertices[0]])):
        triangle = np.array([origin, p, q])
        scene.fill(*triangle.T, facecolor=(*matplotlib.colors.to_rgb(tints[k]), 0.3), edgecolor="white")
        area = 0.5 * float(np.cross([*(p - origin), 0.0], [*(q - origin), 0.0])[2])
        scene.text(*triangle.mean(axis=0), f"{area:.2f}", ha="center", va="center", fontsize=10)
    draw(scene, shape, color=GREY, alpha=0.0)
    dot(scene, origin, "black", "o", at=(-14, -4))
    dot(scene, mass.centroid, RED, "centroid", at=(8, -12))
    plane(scene, f"triangles and their areas: {mass.area:.3f} m² in all,\ninertia {mass.inertia:.3f} kg m² about the centroid")

    far = 10.0 ** np.arange(0.0, 8.01, 0.5)
    about_vertices, about_world = [], []
    for x in far:
        moved = shape.vertices + (x, 0.0)
        exact = polygon_mass(moved - (x, 0.0), 1.0).inertia  # of the very numbers that were left, moved back without a rounding
        about_vertices.append(abs(polygon_mass(moved, 1.0).inertia / exact - 1.0))
        e1, e2 = moved, np.roll(moved, -1, axis=0)
        twice = e1[:, 0] * e2[:, 1] - e1[:, 1] * e2[:, 0]
        area, offset = 0.5 * twice.sum(), (twice[:, None] * (e1 + e2)).sum(axis=0) / (3.0 * twice.sum())
        r_sq = (e1 * e1).sum(axis=1) + (e1 * e2).sum(axis=1) + (e2 * e2).sum(axis=1)
        about_world.append(abs(((twice * r_sq).sum() / 12.0 - area * (offset @ offset)) / exact - 1.0))
    floor = 1e-17
    errors.loglog(far, np.maximum(about_world, floor), "s-", color=RED, label="triangles from the world's origin")
    errors.loglog(far, np.maximum(about_vertices, floor), "o-", color=BLUE, label="from the mean of the vertices")
    errors.axhline(1.0, color=GREY, ls="--", lw=1)
    errors.annotate("nothing left", (1.5, 1.0), xytext=(0, 4), textcoords="offset points", color=GREY, fontsize=9)
    errors.legend(fontsize=9, loc="upper left", bbox_to_anchor=(0.0, 0.92))
    chart(errors, "relative error of the inertia (none is drawn at 1e-17)", "distance from the world's origin, m", "")
    save(figure, "mass")


def draw_broad_phase() -> None:
    def scene_of(n: int) -> np.ndarray:
        rng = np.random.default_rng(2)
        center, half = rng.uniform(0.0, math.sqrt(n), (n, 2)), rng.uniform(0.2, 0.6, (n, 2))
        return np.column_stack((center - half, center + half))

    def cells_of(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        low = boxes[:, :2].min(axis=0)
        cell = (boxes[:, 2:] - boxes[:, :2]).max(axis=0) * (1.0 + GRID_MARGIN)
        return low, cell, ((boxes[:, :2] - low) / cell).astype(int)

    boxes = scene_of(36)
    pairs = UniformGrid().pairs(boxes)
    assert np.array_equal(pairs, BruteForce().pairs(boxes))
    low, cell, column_row = cells_of(boxes)
    figure, (scene, growth) = new()
    chosen = int(np.argmin(np.abs(column_row - (2, 2)).sum(axis=1)))
    column, row = column_row[chosen].tolist()
    for dx, dy in ((0, 0), (1, 0), (-1, 1), (0, 1), (1, 1)):
        corner = low + cell * (column + dx, row + dy)
        ring = corner + np.array([(0, 0), (cell[0], 0), cell, (0, cell[1])])
        scene.fill(*ring.T, color=GREEN, alpha=0.32 if (dx, dy) == (0, 0) else 0.15, lw=0)
    last = column_row.max(axis=0)
    for k in range(last[0] + 2):
        scene.plot([low[0] + k * cell[0]] * 2, [low[1], low[1] + (last[1] + 1) * cell[1]], color=GREY, lw=0.7)
    for k in range(last[1] + 2):
        scene.plot([low[0], low[0] + (last[0] + 1) * cell[0]], [low[1] + k * cell[1]] * 2, color=GREY, lw=0.7)
    for k, (x0, y0, x1, y1) in enumerate(boxes):
        color = RED if k == chosen else BLUE
        draw(scene, Polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)]), color=color, alpha=0.12)
        scene.plot(x0, y0, ".", color=color, ms=5)
    middle = 0.5 * (boxes[:, :2] + boxes[:, 2:])
    for i, j in pairs:
        scene.plot(*middle[[i, j]].T, color=ORANGE, lw=2)
    plane(scene, f"{len(pairs)} pairs (orange) of {len(boxes)} boxes.\nGreen: where the red box looks")

    counts = [10, 30, 100, 300, 1000, 3000, 10000]
    by_grid, found = [], []
    for n in counts:
        boxes = scene_of(n)
        column_row = cells_of(boxes)[2]
        number: dict[tuple[int, int], int] = {}
        for key in map(tuple, column_row.tolist()):
            number[key] = number.get(key, 0) + 1
        looked = 0
        for (x, y), here in number.items():
            others = sum(number.get((x + dx, y + dy), 0) for dx, dy in ((1, 0), (-1, 1), (0, 1), (1, 1)))
            looked += here * (here - 1) // 2 + here * others
        by_grid.append(looked)
        found.append(len(UniformGrid().pairs(boxes)))
    growth.loglog(counts, [n * (n - 1) / 2 for n in counts], "s-", color=RED, label="brute force compares")
    growth.loglog(counts, by_grid, "o-", color=BLUE, label="the grid compares")
    growth.loglog(counts, found, "^-", color=ORANGE, label="pairs that overlap")
    growth.legend(fontsize=9)
    chart(growth, "boxes compared, at one density", "boxes", "pairs of boxes")
    save(figure, "broad_phase")


# --- all


# --- many at once


def draw_lanes() -> None:
    rng = np.random.default_rng(12)
    n, slots = 64, 8
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, height_ratios=(1.3, 1))
    table, classes, cost = figure.add_subplot(grid[0, :]), figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])

    # one row of scratch for each edge of A, one column for each pair; a polygon of fewer corners repeats its last one
    rows, sizes = np.empty((slots, n)), rng.integers(5, slots + 1, n)
    for lane in range(n):
        a = Polygon.regular(int(sizes[lane]), 1.0, float(rng.uniform(0.0, 6.0)))
        b = Polygon.regular(int(rng.integers(5, slots + 1)), 1.0, float(rng.uniform(0.0, 6.0)))
        of_a = separations(a.vertices, b.vertices + rng.uniform(-1.6, 1.6, 2))
        rows[:, lane] = of_a[np.minimum(np.arange(slots), len(of_a) - 1)]
    shades = table.imshow(rows, aspect="auto", cmap="RdBu", vmin=-3.0, vmax=3.0, interpolation="nearest")
    table.plot(range(n), rows.argmax(axis=0), ".", color="black", ms=5, label="the greatest: of equals the first, so a copy never wins")
    copies = [(lane, slot) for lane in range(n) for slot in range(int(sizes[lane]), slots)]
    table.plot(*np.array(copies).T, "x", color=GREY, ms=4, label="copy of the last edge")
    table.set_yticks(range(slots), [f"edge {k}" for k in range(slots)])
    table.set_xlabel("lane: one pair each, 64 side by side; one step of the test is one row")
    table.set_title("separations of the edges of 64 polygons, as the kernel holds them", fontsize=11)
    table.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.24), ncols=2, frameon=False)
    figure.colorbar(shades, ax=table, label="m", pad=0.01)

    corners = np.array([[len(shape.vertices) if isinstance(shape, Polygon) else 1 for shape in pair] for pair in random_pairs(rng, 4000)])
    groups = np.where((corners == 1).all(axis=1), 0, -(-corners.max(axis=1) // 4))
    shares = [100.0 * float((groups == k).mean()) for k in range(5)]
    bars = classes.bar(range(5), shares, color=[PURPLE, *[SKY] * 4])
    classes.bar_label(bars, [f"{share:.0f}" for share in shares], fontsize=9)
    classes.set_xticks(range(5), ["circles", "to 4", "to 8", "to 12", "to 16"])
    chart(classes, "pairs are sorted by size into blocks of their own", "corners of the larger", "% of a random scene")
    classes.margins(y=0.15)

    shapes = batch.ShapeBatch([Polygon.regular(6, 0.5)])
    counts = [1, 4, 16, 47, 48, 64, 128, 512, 2048]
    spent = [nanoseconds_a_pair(shapes, count, rng) for count in counts]
    cost.loglog(counts, spent, "o-", color=GREEN)
    cost.axvline(47.5, color=GREY, ls="--", lw=1)
    cost.annotate("lanes from 48 pairs on", (47.5, max(spent)), xytext=(5, -10), textcoords="offset points", fontsize=9, color=GREY)
    chart(cost, "manifolds of hexagons in one call, measured while drawing", "pairs", "ns a pair, checks included")
    save(figure, "lanes")


def random_pairs(rng: np.random.Generator, n: int):
    shapes = random_shapes(rng, 200)
    return [(shapes[a], shapes[b]) for a, b in rng.integers(0, len(shapes), (n, 2)).tolist()]


def nanoseconds_a_pair(shapes: batch.ShapeBatch, n: int, rng: np.random.Generator) -> float:
    """Median of some calls with n pairs, poses and indices given as arrays."""
    pairs, here, there = np.zeros((n, 2), dtype=np.int64), np.zeros((n, 3)), rng.uniform(-0.6, 0.6, (n, 3))
    spent = []
    for _ in range(15):
        began = time.perf_counter_ns()
        batch.manifold(shapes, pairs, here, there)
        spent.append((time.perf_counter_ns() - began) / n)
    return float(np.median(spent[3:]))


def save(figure, name: str) -> None:
    figure.savefig(FOLDER / f"{name}.png", dpi=100)
    pyplot.close(figure)


PICTURES: dict[str, Callable[[], None]] = {
    "simple": draw_simple,
    "sat": draw_sat,
    "manifold": draw_manifold,
    "gjk": draw_gjk,
    "epa": draw_epa,
    "time_of_impact": draw_time_of_impact,
    "swept": draw_swept,
    "ray_cast": draw_ray_cast,
    "shape_cast": draw_shape_cast,
    "contact_set": draw_contact_set,
    "closest_iteration": draw_closest_iteration,
    "hull": draw_hull,
    "edges": draw_edges,
    "mass": draw_mass,
    "broad_phase": draw_broad_phase,
    "lanes": draw_lanes,
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        print(f"no picture {unknown[0]!r}: one of {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names or PICTURES:
        PICTURES[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
