"""Tools that draw bodies: a box, a circle, a polygon corner by corner, and a freehand outline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from engine.app.editor.placing import MIN_SIZE, box_spec, circle_spec, crossings, outline_spec
from engine.app.editor.tool import KeyPress, Pointer, Tool, ghost
from engine.common.errors import LabError
from engine.render import palette
from engine.sim.stage import stage_under

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.app.editor.editor import Editor
    from engine.render.canvas import Canvas
    from engine.world import BodySpec
    from engine.world.specs import BodyType

__all__ = ["BoxTool", "CircleTool", "FreehandTool", "PolygonTool"]

Point = tuple[float, float]

_CLOSE = 9.0
"""Distance from the first corner that closes a polygon, design pixels."""
_SAMPLE = 3.0
"""Distance between two points of a stroke, design pixels."""
_STROKE_ERROR = 1.75
"""Maximum deviation of a body from its stroke, design pixels: about as much as a hand trembles."""
_MAX_SAMPLES = 4000
_MAX_CORNERS = 200


class _DrawTool(Tool):
    """Base class of the drawing tools: the new body is created in the world under the first point and named after its kind."""

    kind: ClassVar[str]

    def _make_outline(self, points: Sequence[Point], error: float, is_static: bool) -> bool:
        """Create the body of an outline, once the cutting algorithm is loaded. If it is rejected, show why and return False."""
        editor = self.editor
        index = stage_under(editor.stages, points[0])
        placed = [editor.stages[index].local(point) for point in points]  # in the demo's present layout

        drawn = tuple(points)

        def cut() -> BodySpec | LabError:
            try:
                return outline_spec(placed, "static" if is_static else "dynamic", error)
            except LabError as refusal:
                return refusal

        def create(spec: BodySpec | LabError) -> None:
            if drawn in editor.being_cut:
                editor.being_cut.remove(drawn)
            if isinstance(spec, LabError):
                raise spec
            if index < len(editor.stages):
                editor.gesture().create(index, spec, self.kind)

        changed = False
        with editor.telling():
            if not editor.background.do(editor.session, cut, create):
                editor.being_cut.append(drawn)
                editor.say(f"the {self.kind} is being cut into convex pieces; this takes longer the first time")
            changed = True
        return changed


class _DragTool(_DrawTool):
    """Base class of shapes drawn by a drag from press to release.

    Attributes
    ----------
    make : callable
        Returns the body of a drag between two points, world frame, meters.
    """

    make: ClassVar[staticmethod[[Point, Point, BodyType], BodySpec]]

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self._from: Pointer | None = None
        self._to: Pointer | None = None

    @property
    def is_busy(self) -> bool:
        return self._from is not None

    def press(self, at: Pointer) -> None:
        self._from = self._to = at

    def move(self, at: Pointer) -> None:
        self._to = at

    def release(self, at: Pointer) -> None:
        editor, start = self.editor, self._from
        self.cancel()
        if start is not None:
            index = stage_under(editor.stages, start.point)
            to_world = editor.stages[index].local
            with editor.telling():
                spec = self.make(to_world(start.point), to_world(at.point), "static" if at.shift else "dynamic")
                editor.gesture().create(index, spec, self.kind)

    def cancel(self) -> None:
        self._from = self._to = None


class BoxTool(_DragTool):
    """Draws an axis-aligned box."""

    name, letter, kind = "Box", "B", "box"
    hint = "drag from corner to corner; hold Shift for a static body, Ctrl to snap to the grid"
    make = staticmethod(box_spec)

    def paint(self, canvas: Canvas) -> None:
        if self._from is None or self._to is None:
            return
        a, b = self._from.point, self._to.point
        width, height = abs(b[0] - a[0]), abs(b[1] - a[1])
        ghost(canvas, [a, (b[0], a[1]), b, (a[0], b[1])], min(width, height) >= MIN_SIZE)
        _label(canvas, self._to, f"{width:.2f} x {height:.2f} m")


class CircleTool(_DragTool):
    """Draws a circle."""

    name, letter, kind = "Circle", "C", "circle"
    hint = "drag from the center to the rim; hold Shift for a static body, Ctrl to snap to the grid"
    make = staticmethod(circle_spec)

    def paint(self, canvas: Canvas) -> None:
        if self._from is None or self._to is None:
            return
        center, radius = self._from.point, math.dist(self._from.point, self._to.point)
        turn = [2.0 * math.pi * k / 64 for k in range(64)]
        ring = [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a)) for a in turn]
        ghost(canvas, ring, radius >= MIN_SIZE)
        canvas.segment(center, self._to.point, palette.ACCENT, 1.0)
        _label(canvas, self._to, f"radius {radius:.2f} m")


class PolygonTool(_DrawTool):
    """Draws a polygon corner by corner; a concave polygon is cut into convex pieces."""

    name, letter, kind = "Polygon", "P", "polygon"
    hint = (
        "click the corners; press Enter or click the first corner to close "
        "the polygon (hold Shift for a static body); Backspace removes the last one"
    )

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self._corners: list[Point] = []
        self._refused: list[Point] = []
        """The corners that were not closed because their outline crosses itself."""
        self._at: Pointer | None = None

    @property
    def is_busy(self) -> bool:
        return bool(self._corners)

    def press(self, at: Pointer) -> None:
        self._at = at
        if len(self._corners) >= 3 and self._is_home(at):
            self._close(at.shift)
        elif self._corners and math.dist(self._corners[-1], at.point) * at.meter < 2.0:
            return  # the second click of a double click
        elif len(self._corners) >= _MAX_CORNERS:
            self.editor.say(f"A polygon can have at most {_MAX_CORNERS} corners here; Enter closes it.")
        else:
            self._corners.append(at.point)

    def move(self, at: Pointer) -> None:
        self._at = at

    def key(self, key: KeyPress, at: Pointer | None) -> bool:
        if self._corners and key.name in ("return", "enter"):
            self._close(key.shift)
        elif self._corners and key.name in ("backspace", "delete"):
            self._corners.pop()
        else:
            return False
        return True

    def cancel(self) -> None:
        self._corners = []

    def paint(self, canvas: Canvas) -> None:
        if not self._corners:
            return
        for a, b in zip(self._corners, self._corners[1:], strict=False):
            canvas.segment(a, b, palette.ACCENT, 1.75)
        if self._at is not None:
            is_home = len(self._corners) >= 3 and self._is_home(self._at)
            to = self._corners[0] if is_home else self._at.point
            canvas.segment(self._corners[-1], to, palette.ACCENT, 1.25)
            if len(self._corners) >= 2 and not is_home:
                canvas.dashed(to, self._corners[0], palette.CAPTION)
            canvas.point(self._corners[0], palette.ACCENT, 6.0 if is_home else 4.0, ring=not is_home)
            if len(self._corners) >= 3:
                _label(canvas, self._at, "click closes" if is_home else "Enter closes")
            is_closed = is_home or self._refused == self._corners
            for crossing in crossings(self._corners if is_closed else [*self._corners, to], is_closed):
                canvas.point(crossing, palette.UNEXPLAINED, 9.0, ring=True)
        for corner in self._corners:
            canvas.point(corner, palette.ACCENT, 2.5)

    def _is_home(self, at: Pointer) -> bool:
        return math.dist(self._corners[0], at.free) * at.meter <= _CLOSE

    def _close(self, is_static: bool) -> None:
        if crossings(self._corners, is_closed=True):
            self._refused = list(self._corners)
            self.editor.say("The outline crosses itself where it is marked: Backspace removes the last corner.")
        elif self._make_outline(list(self._corners), 0.0, is_static):
            self._corners = []


class FreehandTool(_DrawTool):
    """Draws a body's outline in one stroke."""

    name, letter, kind = "Outline", "F", "outline"
    hint = "draw the body's outline in one stroke and release to close it; hold Shift for a static body"

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self._stroke: list[Point] = []
        self._at: Pointer | None = None

    @property
    def is_busy(self) -> bool:
        return bool(self._stroke)

    def press(self, at: Pointer) -> None:
        self._stroke, self._at = [at.free], at

    def move(self, at: Pointer) -> None:
        self._at = at
        if self._stroke and len(self._stroke) < _MAX_SAMPLES and math.dist(self._stroke[-1], at.free) * at.meter >= _SAMPLE:
            self._stroke.append(at.free)

    def release(self, at: Pointer) -> None:
        stroke, self._stroke = self._stroke, []
        if stroke:
            self._make_outline(stroke, _STROKE_ERROR / at.meter, at.shift)

    def cancel(self) -> None:
        self._stroke = []

    def paint(self, canvas: Canvas) -> None:
        for a, b in zip(self._stroke, self._stroke[1:], strict=False):
            canvas.segment(a, b, palette.ACCENT, 1.75)
        if len(self._stroke) > 2:
            canvas.dashed(self._stroke[-1], self._stroke[0], palette.CAPTION)
            if self._at is not None:
                _label(canvas, self._at, "release closes")


def _label(canvas: Canvas, at: Pointer, words: str) -> None:
    """Write beside the pointer what is being drawn, and whether the body will be static."""
    rule = "static" if at.shift else "Shift: static"
    canvas.label(canvas.camera.to_screen(at.point), f"{words}   {rule}", palette.TEXT, 13.0, 10.0, plate=True)
