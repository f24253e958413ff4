"""The second of two worlds in the picture: an outline over the first, and the body that is farthest from its counterpart."""

from __future__ import annotations

from typing import NamedTuple

from engine.demo.base import Demo, StatusLine
from engine.demo.beside import Beside
from engine.demo.stage import Stage
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.debug_draw import DebugDraw
from engine.render.differences import length_words
from engine.render.second_world import draw_apart, draw_second_world
from engine.world import load_solver

__all__ = ["Farthest", "farthest_of", "heading_of", "paint_outline", "solver_words"]

Point = tuple[float, float]


class Farthest(NamedTuple):
    """The body that is farthest from its counterpart, its stages in both worlds, and how far, metres."""

    stage: Stage
    other: Stage
    body: int
    metres: float

    @property
    def first(self) -> Point:
        """Where the first world's is drawn, that world's frame."""
        return self.stage.drawn_pose(self.body)[:2]

    @property
    def second(self) -> Point:
        """Where the second world's is."""
        return self.other.drawn_pose(self.body)[:2]


def solver_words(demo: Demo) -> str:
    """Return the name of what drives a demo's worlds; of several, all."""
    return ", ".join(load_solver(name).capabilities.title for name in demo.run.solvers)


def farthest_of(beside: Beside) -> Farthest | None:
    """Return what is farthest apart; None while the second is on its way, and where nothing is compared."""
    apart = beside.distances.at(beside.now) if beside.has_arrived else None
    if apart is None:
        return None
    one, other = beside.first.demo.stages[apart.stage], beside.demo.stages[apart.stage]
    if not (one.world.is_body(apart.body) and other.world.is_body(apart.body)):  # erased since
        return None
    return Farthest(one, other, apart.body, apart.metres)


def heading_of(beside: Beside, farthest: Farthest | None, has_lane: bool) -> list[StatusLine]:
    """Return what stands over the demo's own lines: which solver is which, and how far they are apart."""
    first, second = solver_words(beside.first.demo), solver_words(beside.demo)
    apart = "" if farthest is None else f"farthest apart: {length_words(farthest.metres)}"
    if has_lane:
        return [f"{first}; {apart}" if apart else first]
    return [(line, palette.BESIDE) for line in (f"{first}; dashed: {second}", apart) if line]


def paint_outline(canvas: Canvas, debug: DebugDraw, beside: Beside, farthest: Farthest | None) -> None:
    """Draw the second world's bodies over the first's, and a line where they are farthest apart."""
    for one, other in beside.pairs:
        own = canvas.at(one.offset)
        with own.clipped(one.window):
            draw_second_world(own, debug.packed(other.world), other.drawn_poses)
    if farthest is not None:
        draw_apart(canvas.at(farthest.stage.offset), farthest.first, farthest.second, farthest.metres)
