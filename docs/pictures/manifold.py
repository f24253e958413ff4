"""Reference edge, incident edge, clipping."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, RED, arrow, chart, dot, draw, plane, separations
from engine import trace
from engine.geometry import Polygon, Transform
from engine.query import batch


def axis_of(a, b, there: Transform, rule: str) -> tuple[int, int, np.ndarray, float]:
    """Return whose edge carries the axis, 0 A's or 1 B's, which edge, the normal and the separation; A's pose is the identity."""
    rows = batch.manifold(batch.ShapeBatch([a, b]), [(0, 1)], [(0.0, 0.0, 0.0)], [(*there.position, there.angle)], rule)
    return int(rows.reference_side[0]), int(rows.reference_edge[0]), rows.axis[0], float(rows.axis_separation[0])


# a bowl and a chip in it: of 60,000 seeded pairs one of those where Box2D's climb goes most wrong
BOWL = Polygon([(-1.21, 0.26), (-1.09, 0.1), (-0.95, 0.03), (0.83, -0.01), (0.93, 0.04), (1.14, 0.4)])


CHIP, IN_BOWL = Polygon([(-0.2, 0.36), (0.37, -0.22), (0.47, -0.05), (-0.04, 0.36)]), Transform((0.44, 0.23), -2.47)


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 6), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=(1.15, 1), height_ratios=(1.5, 1))
    clip, climb, hills = (figure.add_subplot(part) for part in (grid[:, 0], grid[0, 1], grid[1, 1]))

    a, b = Polygon.box(1.0, 0.7), Polygon.box(0.9, 0.55)
    there = Transform((0.85, 1.05), 0.28)
    steps = trace.steps("manifold", a, HERE, b, there)
    found = steps[-1].result
    reference, incident = (next(step for step in steps if step.kind == kind) for kind in ("reference", "incident"))
    edge, normal = reference.looked_at[0].index, np.array(reference.axis)
    assert reference.looked_at[0].whose == "a"
    ends = np.array([step.points[0] for step in steps if step.kind == "point"])
    draw(clip, a, color=BLUE)
    clip.text(0.0, -0.5, "A", color=BLUE, fontsize=13, weight="bold", ha="center", va="center")
    draw(clip, b, there, ORANGE, label="B")
    r1, r2 = a.vertices[edge], a.vertices[(edge + 1) % 4]
    clip.plot(*np.array([r1, r2]).T, color=BLUE, lw=4, label="reference edge")
    clip.plot(*np.array(incident.points).T, color=ORANGE, lw=4, label="incident edge")
    clip.plot(*ends.T, color=RED, lw=2, label="part left by the side planes")
    for k, corner in enumerate((r1, r2)):
        clip.plot(*np.array([corner - 0.5 * normal, corner + 1.0 * normal]).T, "--", color=GRAY, lw=1, label="" if k else "side planes")
    for point in found.points:
        key = point.feature_id
        on_a, on_b = ("face" if key >> 24 - 8 * (1 - k) & 1 else "vertex" for k in range(2))
        text = f"{on_a} {key & 255} of A,\n{on_b} {key >> 8 & 255} of B\n{1000 * point.separation:.0f} mm"
        right = point.position[0] > 0.5
        where = (1.35, 0.1) if right else (-0.35, -0.1)
        dot(clip, point.position, "black")
        beside = {"ha": "left" if right else "center", "va": "center", "fontsize": 9}
        clip.annotate(text, point.position, xytext=where, arrowprops={"arrowstyle": "-", "lw": 0.7}, **beside)
    arrow(clip, 0.5 * (r1 + r2) + (-0.6, 0.0), 0.55 * normal, "black", "normal", at=(-18, 6))
    clip.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=2, fontsize=9, frameon=False)
    plane(clip, "clipping: two points and their feature ids", (-1.3, 2.6), (-1.0, 2.1))

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
    plane(climb, "how each rule moves B out (A is blue)")

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
    chart(hills, "separation of each edge: local maxima", "edge", "m")
    return figure
