"""Draws comparison worlds over the first: outlines, names and figures, and the body farthest from its counterpart."""

from __future__ import annotations

from typing import NamedTuple

from engine.app.session import Session
from engine.geometry import Transform
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from engine.render.differences import length_words
from engine.render.second_world import draw_apart, draw_second_world
from engine.sim.comparison import Comparison
from engine.sim.demo import StatusLine
from engine.sim.figures import Figures
from engine.sim.stage import Stage
from engine.world import load_solver

__all__ = ["Farthest", "farthest_of", "figure_words", "first_heading", "lane_heading", "paint_outlines", "title_of"]

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
    """Return the name of a comparison's solver, with the step from which it differs."""
    return load_solver(beside.solver).capabilities.title


def figure_words(figures: Figures) -> str:
    """Return the standing bodies, the deepest overlap and the energy, in one line."""
    overlap = "no overlap" if figures.overlap < _NO_OVERLAP else f"overlap {length_words(figures.overlap)}"
    return f"{figures.standing}, {overlap}, {figures.energy.end:,.4g} J"


def farthest_of(beside: Comparison) -> Farthest | None:
    """Return the farthest body; None while the comparison is catching up, or without one."""
    apart = beside.distances.at(beside.now) if beside.is_caught_up else None
    if apart is None or apart.stage >= len(beside.first.demo.stages):
        return None
    first, other = beside.first.demo.stages[apart.stage], beside.demo.stages[apart.stage]
    if not (first.world.is_body(apart.body) and other.world.is_body(apart.body)):  # erased in the meantime
        return None
    return Farthest(first, other, apart.body, apart.meters)


def first_heading(session: Session, farthest: list[Farthest | None]) -> list[StatusLine]:
    """Return the lines above the first demo's own: the solvers, and how far their worlds are apart."""
    first = session.demo.sim.solver_title
    if session.n_lanes:
        return [first, *(figure_words(figures) for figures in session.figures[:1])]
    if len(session.besides) == 1:
        apart = "" if farthest[0] is None else f"farthest apart: {length_words(farthest[0].meters)}"
        words = (f"{first}; outlined: {title_of(session.besides[0])}", apart)
        return [(line, palette.BESIDES[0]) for line in words if line]
    lines: list[StatusLine] = [first]
    for k, (beside, far) in enumerate(zip(session.besides, farthest, strict=True)):
        apart = "" if far is None else f", {length_words(far.meters)} apart"
        lines.append((f"outlined: {title_of(beside)}{apart}", palette.BESIDES[k]))
    return lines


def lane_heading(session: Session, k: int, farthest: Farthest | None) -> list[StatusLine]:
    """Return the lines above those of a demo in a lane."""
    figures = session.figures[k + 1 : k + 2]
    apart = [f"stopped: {figure.stopped}" for figure in figures if figure.stopped]
    apart += [] if farthest is None else [f"farthest apart: {length_words(farthest.meters)}"]
    words = (title_of(session.besides[k]), *(figure_words(figure) for figure in figures), *apart)
    return [(line, palette.BESIDES[k]) for line in words]


def paint_outlines(canvas: Canvas, debug: DebugDraw, session: Session, farthest: list[Farthest | None]) -> None:
    """Draw the bodies of all comparison worlds over the first, with lines where they are farthest apart."""
    for k, beside in enumerate(session.besides):
        for stage, other in beside.pairs:
            own = canvas.at(stage.offset)
            with own.clipped(stage.window):
                draw_second_world(own, debug.packed(other.world), other.drawn_poses, k)
    for k, far in enumerate(farthest):
        if far is not None:
            draw_apart(canvas.at(far.stage.offset), far.first, far.second, far.meters, k)
