"""Base class of the tools: their reactions to presses, drags and keys."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.app.editor.editor import Chosen, ChosenJoint, Editor
from engine.common.arrays import FloatArray
from engine.geometry import AABB, Capsule, Circle, Transform
from engine.render import palette
from engine.render.canvas import Canvas
from engine.render.palette import Color
from engine.sim.stage import Stage, body_box, union

__all__ = ["KeyPress", "Pointer", "Tool", "body_rings", "draw_rings", "ghost", "grid_step", "mark_joint", "outline_bodies"]

Point = tuple[float, float]

_REACH = 7.0
"""Distance within which a thin object can be clicked, design pixels."""
_MANY = 60
"""Number of bodies from which boxes of the selection are measured by origins only, to stay within a frame."""
_N_ROUND = 32
"""Vertices of the ring around a disc."""
_MIN_GRID = 14.0
"""Minimum distance of two grid lines, design pixels."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Position of the pointer: `pixel` in design pixels, `free` in meters of the picture; `meter` is design pixels per meter."""

    pixel: Point
    free: Point
    meter: float
    shift: bool = False
    ctrl: bool = False

    @property
    def point(self) -> Point:
        """The point in meters, snapped to the grid while Ctrl is held."""
        if not self.ctrl:
            return self.free
        step = grid_step(self.meter)
        return round(self.free[0] / step) * step, round(self.free[1] / step) * step

    @property
    def reach(self) -> float:
        """Distance within which a thin object can be clicked, meters."""
        return _REACH / self.meter


@dataclass(frozen=True, slots=True)
class KeyPress:
    """A key press: its name, such as "a", "delete" or "return", and its modifiers; `ctrl` includes Command."""

    name: str
    shift: bool = False
    ctrl: bool = False


def grid_step(meter: float) -> float:
    """Return the grid spacing, meters: 1, 2 or 5 times a power of ten, as fine as the view allows.

    Examples
    --------
    >>> grid_step(40.0), grid_step(200.0)
    (0.5, 0.1)
    """
    least = _MIN_GRID / meter
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= least)


class Tool:
    """Base class. Without overrides, a tool is the hand, which leaves everything to the window."""

    name: ClassVar[str] = ""
    letter: ClassVar[str] = ""
    """The key that, with Shift, selects the tool."""
    hint: ClassVar[str] = ""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor

    @property
    def is_busy(self) -> bool:
        """True if something has been started that Esc cancels."""
        return False

    def press(self, at: Pointer) -> None:
        """Handle a press of the left button in the view."""

    def move(self, at: Pointer) -> None:
        """Handle pointer motion, over the view or dragged out of it."""

    def release(self, at: Pointer) -> None:
        """Handle the release of the left button."""

    def key(self, key: KeyPress, at: Pointer | None) -> bool:
        """Handle a key press; return True if the tool used it."""
        return False

    def cancel(self) -> None:
        """Cancel what has been started."""

    def update(self) -> None:
        """Update the tool, once per frame before the demo's steps."""

    def paint(self, canvas: Canvas) -> None:
        """Draw over the bodies."""

    def box_of(self, chosen: list[Chosen]) -> AABB | None:
        """Return the bounding box of bodies in the picture; of very many bodies, that of their origins."""
        boxes = []
        if len(chosen) > _MANY:
            for k in sorted({item.stage for item in chosen}):
                stage = self.editor.stages[k]
                at = stage.world.poses[[stage.world.row_of(item.body) for item in chosen if item.stage == k], :2] + np.array(stage.offset)
                (left, bottom), (right, top) = at.min(axis=0).tolist(), at.max(axis=0).tolist()
                boxes.append(AABB((left, bottom), (right, top)))
            return union(boxes)
        for item in chosen:
            box, offset = body_box(self.editor.world(item.stage), item.body), self.editor.stages[item.stage].offset
            if box is not None:
                boxes.append(AABB(_moved(box.lower, offset), _moved(box.upper, offset)))
        return union(boxes)


def draw_rings(canvas: Canvas, rings: Iterable[FloatArray], color: Color, width: float) -> None:
    """Draw closed lines, such as those of `body_rings`."""
    for corners in rings:
        canvas.segments(np.roll(corners, 1, axis=0), corners, color, width)


def mark_joint(canvas: Canvas, editor: Editor, chosen: ChosenJoint, color: Color) -> None:
    """Draw a joint in a color, wider than usual, if its bodies are in this picture."""
    stage = editor.stages[chosen.stage]
    world, ends = stage.world, []
    for anchor, body in zip(world.joint_anchors(chosen.joint), world.joint_bodies(chosen.joint), strict=True):
        if body is not None:
            x, y, angle = stage.drawn_pose(body)
            anchor = Transform((x, y), angle).apply(world.state(body).xf.apply_inverse(anchor))
        ends.append(anchor)
    canvas = canvas.at(stage.offset)
    canvas.segment(ends[0], ends[1], color, 3.0)
    canvas.point(ends[0], color, 6.0, ring=True)
    canvas.point(ends[1], color, 3.5)


def outline_bodies(canvas: Canvas, editor: Editor, chosen: Iterable[Chosen], color: Color, width: float = 2.0) -> None:
    """Draw a line around bodies."""
    for item in chosen:
        stage = editor.stages[item.stage]
        draw_rings(canvas.at(stage.offset), body_rings(stage, item.body), color, width)


def body_rings(stage: Stage, body: int, pose: tuple[float, float, float] | None = None) -> Iterator[FloatArray]:
    """Yield the outline of each fixture of a body, float64 (n, 2), world frame: at a pose (x, y, angle), or as drawn."""
    x, y, angle = stage.drawn_pose(body) if pose is None else pose
    cos, sin = math.cos(angle), math.sin(angle)
    turn = np.array(((cos, sin), (-sin, cos)))
    for fixture in stage.world.fixtures_of(body):
        shape = stage.world.fixture(fixture).shape
        match shape:
            case Circle():
                around = np.arange(_N_ROUND) * (2.0 * math.pi / _N_ROUND)
                local = shape.core + shape.radius * np.column_stack((np.cos(around), np.sin(around)))
            case Capsule():
                local = shape.outline()
            case _:
                local = shape.core
        yield local @ turn + np.array((x, y))


def ghost(canvas: Canvas, corners: list[Point], is_good: bool = True) -> None:
    """Draw the outline of the body that would be created."""
    color = palette.ACCENT if is_good else palette.WARNING
    for k, corner in enumerate(corners):
        canvas.segment(corners[k - 1], corner, color, 1.75)


def _moved(point: Point, offset: Point) -> Point:
    return point[0] + offset[0], point[1] + offset[1]
