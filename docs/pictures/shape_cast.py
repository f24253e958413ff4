"""One shape pushed towards another."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from docs.pictures.kit import BLUE, GRAY, GREEN, HERE, ORANGE, RED, arrow, core, dot, draw, new, plane
from engine.geometry import Capsule, Polygon, Transform, convex_hull
from engine.query import ray_cast, shape_cast


def picture() -> Figure:
    thrown, target = Capsule((-0.35, -0.15), (0.35, 0.15), 0.25), Polygon([(-0.8, -0.9), (0.7, -0.6), (0.9, 0.5), (-0.2, 1.1)])
    start, way = Transform((-3.4, 0.9), 0.3), (4.6, -0.5)
    hit = shape_cast(thrown, start, way, target, HERE)
    figure, (scene, sums) = new(rows=2, columns=1)

    def at(share: float) -> Transform:
        return Transform(tuple(np.add(start.position, share * np.array(way))), start.angle)

    draw(scene, target, color=BLUE)
    scene.text(-0.05, -0.5, "target", color=BLUE, ha="center", va="center", fontsize=12, weight="bold")
    for share in np.linspace(0.0, hit.fraction, 5):
        draw(scene, thrown, at(float(share)), ORANGE, 0.1 + 0.15 * (share == 0.0))
    draw(scene, thrown, at(hit.fraction), RED, 0.25)
    draw(scene, thrown, at(1.0), GRAY, 0.0, ":")
    arrow(scene, start.position, way, GRAY, width=1.0)
    dot(scene, hit.point, "black")
    arrow(scene, hit.point, 0.7 * np.array(hit.normal), RED)
    plane(scene, f"the cast shape stops at {hit.fraction:.3f} of its motion", (-4.2, 1.9), (-1.8, 2.4))

    ends = start.apply_array(core(thrown)) - np.array(start.position)
    difference = convex_hull((core(target)[:, None] - ends[None]).reshape(-1, 2))
    rounded = Polygon(difference, thrown.radius)
    turn = np.linspace(0.0, 2.0 * math.pi, 96, endpoint=False)
    ring = thrown.radius * np.column_stack((np.cos(turn), np.sin(turn)))
    draw(sums, Polygon(convex_hull((difference[:, None] + ring[None]).reshape(-1, 2))), color=GREEN, alpha=0.12)
    draw(sums, Polygon(difference), color=BLUE, alpha=0.12, style="--")
    ray = ray_cast(rounded, HERE, start.position, way)
    assert abs(ray.fraction - hit.fraction) < 1e-12
    arrow(sums, start.position, way, GRAY, width=1.2)
    dot(sums, start.position, ORANGE, "the origin of\nthe cast shape", at=(-20, 12))
    dot(sums, ray.point, RED, f"{ray.fraction:.3f}", at=(-38, -16))
    arrow(sums, ray.point, 0.6 * np.array(ray.normal), RED)
    plane(sums, "the same as a ray cast at the target minus the cast shape", (-4.2, 1.9), (-1.8, 2.4))
    return figure
