"""What the pictures have in common: colors, shapes, arrows, axes."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
from matplotlib import pyplot
from matplotlib.patches import Polygon as Outline

from engine.geometry import Circle, Polygon, Segment, Transform, convex_hull

# Okabe and Ito's colors, which color-blind readers can tell apart
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GRAY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#666666"


HERE = Transform()


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
