"""Each bounding volume around the figure, and what the volumes' false hits are."""

from __future__ import annotations

from matplotlib import pyplot
from matplotlib.figure import Figure
from matplotlib.patches import Polygon as Outline

from demos._bounding_outlines import outline_named
from demos._bounding_picture import ring_of
from docs.pictures.kit import BLUE, GRAY, GREEN, ORANGE, PURPLE, RED, SKY, dot, plane
from engine.bounding import cloud_of
from engine.bounding.boxes import calipers
from engine.bounding.kinds import Placed, follower
from engine.geometry import Transform

TURNED = Transform(angle=0.5)
VIEW = ((-1.35, 1.35), (-1.55, 1.55))


def picture() -> Figure:
    figure = pyplot.figure(figsize=(9, 3), layout="constrained")
    panels = figure.subplots(1, 4)
    rings = outline_named("figure")
    cloud = cloud_of(rings[0])

    axes = panels[0]
    _figure(axes, rings, TURNED)
    for kind, color in (("mean_circle", SKY), ("smallest_circle", BLUE)):
        circle = follower(kind, cloud)(TURNED)
        _border(axes, circle, color, "--" if kind == "mean_circle" else "-")
        dot(axes, circle.core[0], color, size=5)
    plane(axes, "circle (mean: dashed)", *VIEW)

    axes = panels[1]
    _figure(axes, rings, TURNED)
    local = follower("refitted_box", cloud)(Transform())
    axes.add_patch(Outline(TURNED.apply_array(ring_of(local)), closed=True, fill=False, edgecolor=GRAY, lw=0.8))
    _border(axes, follower("refitted_box", cloud)(TURNED), ORANGE, "--")
    _border(axes, follower("box", cloud)(TURNED), ORANGE)
    plane(axes, "box (refitted: dashed)", *VIEW)

    axes = panels[2]
    _figure(axes, rings, TURNED)
    _border(axes, follower("oriented_box", cloud)(TURNED), RED)
    best = min(calipers(cloud.points), key=lambda caliper: caliper.width * caliper.height)
    hull = TURNED.apply_array(cloud.points)
    axes.add_patch(Outline(hull, closed=True, fill=False, edgecolor=GRAY, lw=0.8))
    axes.plot(*hull[[best.edge, (best.edge + 1) % len(hull)]].T, color=RED, lw=3.5)
    for corner in (best.right, best.top, best.left):
        dot(axes, hull[corner], RED, size=6)
    plane(axes, "oriented box", *VIEW)

    axes = panels[3]
    _figure(axes, rings, TURNED)
    _border(axes, follower("kdop", cloud, 8)(TURNED), GREEN)
    _border(axes, follower("capsule", cloud)(TURNED), PURPLE)
    _border(axes, follower("hull", cloud)(TURNED), "black")
    plane(axes, "8-DOP, capsule, hull", *VIEW)

    return figure


def _figure(axes, rings, xf: Transform) -> None:
    axes.add_patch(Outline(xf.apply_array(rings[0]), closed=True, facecolor="#DDDDDD", lw=0))


def _border(axes, volume: Placed, color: str, style: str = "-") -> None:
    axes.add_patch(Outline(ring_of(volume), closed=True, fill=False, edgecolor=color, lw=1.7, ls=style))
