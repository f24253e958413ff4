"""Draws a comparison world over the first: outlines, names, and the bodies that are farthest apart and that parted first."""

from __future__ import annotations

from typing import NamedTuple

from engine.app.session import Session
from engine.common.words import plain_number
from engine.geometry import Transform
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from engine.render.differences import length_words
from engine.render.second_world import draw_apart, draw_first_apart, draw_second_world
from engine.sim.comparison import Comparison
from engine.sim.demo import StatusLine
from engine.sim.figures import Figures
from engine.sim.stage import Stage
from engine.world import load_solver

__all__ = ["Farthest", "farthest_of", "figure_words", "heading", "paint_second", "title_of"]

Point = tuple[float, float]
_NO_OVERLAP = 1e-6
"""Smallest overlap that is reported, meters: a thousandth of a pixel."""


class Farthest(NamedTuple):
    """The body farthest from its counterpart: its stages in both worlds, and the distance, meters."""

    stage: Stage
    other: Stage
    body: int
    meters: float

    @property
    def first(self) -> Point:
        """Center of mass at which the first world's body is drawn, that world's frame, meters."""
        return _drawn_center(self.stage, self.body)

    @property
    def second(self) -> Point:
        """Center of mass of the other world's body, meters."""
        return _drawn_center(self.other, self.body)


def _drawn_center(stage: Stage, body: int) -> Point:
    x, y, angle = stage.drawn_pose(body)
    return Transform((x, y), angle).apply(stage.world.body(body).local_center)


def title_of(beside: Comparison) -> str:
    """Return the name of a comparison's solver."""
    return load_solver(beside.solver).capabilities.title


def figure_words(figures: Figures) -> str:
    """Return the standing bodies, the deepest overlap and the energy, in one line."""
    overlap = "no overlap" if figures.overlap < _NO_OVERLAP else f"overlap {length_words(figures.overlap)}"
    return f"{figures.standing}, {overlap}, {plain_number(figures.energy.end)} J"


def farthest_of(beside: Comparison) -> Farthest | None:
    """Return the body that is farthest from its counterpart; None while the comparison is catching up, or without one."""
    apart = beside.apart
    return None if apart is None else Farthest(*beside.pairs[apart.stage], apart.body, apart.meters)


def first_of(beside: Comparison) -> Farthest | None:
    """Return the body that was the first to part since the last restart; None if none has, or it does not exist now."""
    parted = beside.distances.run(beside.now).parted
    if parted is None or parted.stage >= len(beside.pairs):
        return None
    stage, other = beside.pairs[parted.stage]
    is_there = stage.world.is_body(parted.body) and other.world.is_body(parted.body)
    return Farthest(stage, other, parted.body, parted.meters) if is_there else None


def heading(session: Session, farthest: Farthest | None) -> list[StatusLine]:
    """Return the lines above the demo's own: both solvers, and how far their worlds are apart."""
    if session.beside is None:
        return []
    apart = "" if farthest is None else f"farthest apart: {length_words(farthest.meters)}"
    stopped = [f"stopped: {figure.stopped}" for figure in session.figures[1:] if figure.stopped]
    words = (f"{session.demo.sim.solver_title}; outlined: {title_of(session.beside)}", apart, *stopped)
    return [(line, palette.BESIDE) for line in words if line]


def paint_second(canvas: Canvas, debug: DebugDraw, beside: Comparison, farthest: Farthest | None) -> None:
    """Draw the bodies of a comparison over the first, a line where they are farthest apart, and a mark on the body that parted first."""
    for stage, other in beside.pairs:
        own = canvas.at(stage.offset)
        with own.clipped(stage.window):
            draw_second_world(own, debug.packed(other.world), other.drawn_poses)
    first = first_of(beside)
    if first is not None:
        draw_first_apart(canvas.at(first.stage.offset), first.first)
    if farthest is not None:
        draw_apart(canvas.at(farthest.stage.offset), farthest.first, farthest.second, farthest.meters)
