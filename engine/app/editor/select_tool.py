"""Tool that selects, moves, turns, copies, pins and deletes bodies, and selects and deletes joints.

A click on the mark of an anchor selects the joint, even if bodies are there; another click there selects the next joint, and then the body.
A drag from there moves the body. A click on the line between two anchors selects the joint only where no body is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.app.editor.clipboard import copy_of, put_at, put_down
from engine.app.editor.editor import Chosen, ChosenJoint, Gesture
from engine.app.editor.picking import bodies_under, bodies_within, joints_under
from engine.app.editor.tool import KeyPress, Pointer, Tool, grid_step, mark_joint, outline_bodies
from engine.geometry import Transform
from engine.render import palette
from engine.sim.actions import SetAwake, SetPose, SetVelocity
from engine.sim.stage import stage_under

if TYPE_CHECKING:
    from engine.app.editor.editor import Editor
    from engine.render.canvas import Canvas

__all__ = ["SelectTool"]

Point = tuple[float, float]
Pose = tuple[float, float, float]

_CLICK = 4.0
"""Maximum pointer motion of a click, design pixels."""
_HANDLE = 26.0
"""Distance of the rotation handle above the selection's box, design pixels."""
_GRIP = 9.0
"""Radius around the handle in which a press grabs it, design pixels."""
_NOTCH = math.radians(15.0)
"""Angle step of the handle with Ctrl."""
_EDITS = 3
"""Number of edits per moved body: pose, velocity, awake."""
_COPY_SHIFT = 30.0
"""Offset of a duplicate from its body, design pixels."""


class SelectTool(Tool):
    """Selects, moves and turns bodies and joints. The selection has an outline and a handle, and the inspector shows it."""

    name, letter = "Select", "S"
    hint = "click a body or a joint's ring, or drag a frame (Shift adds); drag to move, use the handle to rotate; Del deletes, P pins"

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self._pressed: Pointer | None = None
        self._at: Pointer | None = None
        self._mode = ""
        """The current drag: "frame", "move", "turn" or "joint"; empty for none."""
        self._start: dict[Chosen, Pose] = {}
        self._pivot: Point = (0.0, 0.0)
        self._angle = 0.0
        self._gesture: Gesture | None = None
        self._placed: tuple[Point, float, int] | None = None
        self._placed_at = 0
        """Time by `Session.now`."""
        self._narrows: Chosen | None = None
        self._joints: list[ChosenJoint] = []
        """Joints that repeated clicks select in turn."""

    @property
    def is_busy(self) -> bool:
        return self._mode != ""

    def press(self, at: Pointer) -> None:
        self._pressed = self._at = at
        self._narrows = None
        handle = self._handle(at.meter)
        if handle is not None and math.dist(handle, at.free) * at.meter <= _GRIP:
            self._begin("turn")
            return
        hit = self._hit(at)
        self._joints = [] if at.shift else self._joints_at(at, hit)
        if self._joints:
            self._mode = "joint"
        else:
            self._take(hit, at)

    def _take(self, hit: Chosen | None, at: Pointer) -> None:
        """Begin the action of a press on a body or on empty space."""
        editor = self.editor
        if hit is None:
            self._mode = "frame"
            if not at.shift:
                editor.selection = []
            return
        if at.shift:
            if hit in editor.selection:
                editor.selection.remove(hit)
                self._mode = "none"
                return
            editor.selection = [*editor.selection, hit]
        elif hit not in editor.selection:
            editor.selection = [hit]
        else:
            self._narrows = hit  # a click on one of several keeps that one; a drag moves them all
        self._begin("move")

    def move(self, at: Pointer) -> None:
        self._at = at
        if self._mode == "joint" and self._pressed is not None and self._is_drag(at):
            self._take(self._hit(self._pressed), self._pressed)

    def release(self, at: Pointer) -> None:
        self.move(at)
        self._put(is_last=True)
        pressed, mode = self._pressed, self._mode
        if pressed is not None and mode == "frame":
            self._choose_within(pressed, at)
        elif mode == "move" and self._narrows is not None and not self._is_drag(at):
            self.editor.selection = [self._narrows]
        elif pressed is not None and mode == "joint":
            self._choose_next(self._hit(pressed))
        self.cancel()

    def cancel(self) -> None:
        self._mode, self._pressed, self._gesture, self._placed = "", None, None, None
        self._start = {}

    def key(self, key: KeyPress, at: Pointer | None) -> bool:
        editor, control = self.editor, key.ctrl
        if control and key.name == "a":
            editor.selection = [Chosen(k, body) for k, stage in enumerate(editor.stages) for body in stage.world.body_ids]
        elif control and key.name == "v":
            self._paste(at)
        elif control and key.name in ("c", "x") and editor.selection:
            editor.copied = copy_of(editor, editor.selection)
            if key.name == "x":
                self.cancel()
                editor.destroy(editor.selection)
        elif control and key.name == "d" and editor.selection:
            self._duplicate(at)
        elif not control and key.name in ("delete", "backspace") and (editor.selection or editor.joint is not None):
            self.cancel()
            editor.destroy(editor.selection)
            editor.destroy_joint()
        elif not control and key.name == "p" and editor.selection:
            editor.pin()
        else:
            return False
        return True

    def update(self) -> None:
        """Move the dragged objects to the pointer, once per frame and after each step, so that gravity does not carry them away."""
        self._put()

    def _put(self, is_last: bool = False) -> None:
        """Move them; in a shared world, where every edit is a message, at a limited rate."""
        at, pressed = self._at, self._pressed
        if at is None or pressed is None or self._mode not in ("move", "turn"):
            return
        shift = (0.0, 0.0)
        if self._mode == "turn":
            if not self._is_drag(at) and self._gesture is not None and not self._gesture.has_begun:
                return
            self._angle = self._turned(pressed, at)
        elif self._is_drag(at):
            shift = at.free[0] - pressed.free[0], at.free[1] - pressed.free[1]
            if at.ctrl:
                step = grid_step(at.meter)
                shift = round(shift[0] / step) * step, round(shift[1] / step) * step
        else:
            return
        session = self.editor.session
        placement = shift, self._angle, session.driver.now
        driver = session.driver
        is_early = driver.now - self._placed_at < driver.steps_between(_EDITS * len(self._start)) and self._placed is not None
        if placement != self._placed and (is_last or not is_early):
            self._placed, self._placed_at = placement, session.driver.now
            self._place(shift)

    def paint(self, canvas: Canvas) -> None:
        editor = self.editor
        editor.prune()
        outline_bodies(canvas, editor, editor.selection, palette.ACCENT)
        if editor.joint is not None:
            stage, joint = editor.joint
            joined = [Chosen(stage, body) for body in editor.world(stage).joint_bodies(joint) if body is not None]
            outline_bodies(canvas, editor, joined, palette.JOINT, 1.5)
            mark_joint(canvas, editor, editor.joint, palette.ACCENT)
        if self._mode == "frame" and self._pressed is not None and self._at is not None:
            a, b = self._pressed.free, self._at.free
            corners = [a, (b[0], a[1]), b, (a[0], b[1])]
            for k, corner in enumerate(corners):
                canvas.dashed(corners[k - 1], corner, palette.ACCENT)
        elif editor.selection:
            meter = canvas.camera.scale / canvas.ui_scale
            handle, box = self._handle(meter), self.box_of(editor.selection)
            if handle is not None and box is not None:
                canvas.segment((handle[0], box.upper[1]), handle, palette.ACCENT, 1.25)
                canvas.point(handle, palette.BACKGROUND, 6.0)
                canvas.point(handle, palette.ACCENT, 6.0, ring=True)
            if self._mode == "turn":
                canvas.point(self._pivot, palette.ACCENT, 3.0)
                canvas.text(_above(handle, meter), f"{math.degrees(self._angle):+.1f}°", palette.TEXT, 13.0, "bottom", plate=True)

    # Inside

    def _hit(self, at: Pointer) -> Chosen | None:
        """Return the body that a press selects: a selected one at the point, otherwise the newest."""
        for k in _nearest_first(self.editor, at.free):
            bodies = bodies_under(self.editor.stages[k], at.free, at.reach)
            if bodies:
                held = [item for item in self.editor.selection if item.stage == k and item.body in bodies]
                return held[0] if held else Chosen(k, bodies[0])
        return None

    def _joints_at(self, at: Pointer, hit: Chosen | None) -> list[ChosenJoint]:
        """Return the joints that a click selects, if joints are shown: by their marks, or where there is no body by their lines."""
        editor = self.editor
        if not editor.session.layers.joints:
            return []
        for k in _nearest_first(editor, at.free) if hit is None else [hit.stage]:
            marks, lines = joints_under(editor.stages[k], at.free, at.reach)
            joints = marks if hit is not None else marks + lines
            if joints:
                return [ChosenJoint(k, joint) for joint in joints]
        return []

    def _choose_next(self, hit: Chosen | None) -> None:
        """Select the first joint of the click, or the next one or the body if one of the joints is already selected."""
        editor, there = self.editor, self._joints
        at = there.index(editor.joint) + 1 if editor.joint in there else 0
        if at < len(there):
            editor.joint = there[at]
        elif hit is not None:
            editor.selection = [hit]
        else:
            editor.joint = there[0]

    def _is_drag(self, at: Pointer) -> bool:
        pressed = self._pressed
        return pressed is not None and math.dist(pressed.pixel, at.pixel) > _CLICK

    def _begin(self, mode: str) -> None:
        editor = self.editor
        self._mode, self._angle, self._placed = mode, 0.0, None
        self._gesture = editor.gesture()
        self._start = {}
        for item in editor.selection:
            state = editor.world(item.stage).state(item.body)
            self._start[item] = (*state.position, state.angle)
        box = self.box_of(editor.selection)
        if box is not None:
            self._pivot = 0.5 * (box.lower[0] + box.upper[0]), 0.5 * (box.lower[1] + box.upper[1])

    def _turned(self, pressed: Pointer, at: Pointer) -> float:
        before = math.atan2(pressed.free[1] - self._pivot[1], pressed.free[0] - self._pivot[0])
        now = math.atan2(at.free[1] - self._pivot[1], at.free[0] - self._pivot[0])
        angle = (now - before + math.pi) % (2.0 * math.pi) - math.pi
        return round(angle / _NOTCH) * _NOTCH if at.ctrl else angle

    def _place(self, shift: Point) -> None:
        editor, gesture = self.editor, self._gesture
        assert gesture is not None
        if not gesture.has_begun:
            editor.wake_around(gesture, list(self._start))
        turn = Transform((0.0, 0.0), self._angle)
        with editor.telling():
            for item, (x, y, angle) in self._start.items():
                if not editor.is_alive(item):
                    continue
                offset = editor.stages[item.stage].offset
                px, py = self._pivot[0] - offset[0], self._pivot[1] - offset[1]
                rx, ry = turn.rotate((x - px, y - py))
                gesture.edit(SetPose(item.stage, item.body, (px + rx + shift[0], py + ry + shift[1]), angle + self._angle))
                if editor.world(item.stage).body(item.body).spec.type != "static":
                    gesture.edit(SetVelocity(item.stage, item.body, (0.0, 0.0)))
                    gesture.edit(SetAwake(item.stage, item.body, True))

    def _handle(self, meter: float) -> Point | None:
        box = self.box_of(self.editor.selection) if self.editor.selection else None
        if box is None:
            return None
        top = 0.5 * (box.lower[0] + box.upper[0]), box.upper[1] + _HANDLE / meter
        if self._mode == "turn":  # the handle turns with the pointer
            reach = top[1] - self._pivot[1]
            return self._pivot[0] - reach * math.sin(self._angle), self._pivot[1] + reach * math.cos(self._angle)
        return top

    def _choose_within(self, a: Pointer, b: Pointer) -> None:
        if not self._is_drag(b):
            return
        lower = min(a.free[0], b.free[0]), min(a.free[1], b.free[1])
        upper = max(a.free[0], b.free[0]), max(a.free[1], b.free[1])
        inside = [Chosen(k, body) for k, stage in enumerate(self.editor.stages) for body in bodies_within(stage, lower, upper)]
        self.editor.selection += [item for item in inside if item not in self.editor.selection]

    def _paste(self, at: Pointer | None) -> None:
        editor = self.editor
        if editor.copied is None:
            editor.say("Nothing has been copied yet: select something and press Ctrl C.")
            return
        self.cancel()
        with editor.telling():
            editor.selection = put_at(editor, editor.copied, at.point if at is not None else editor.session.view.camera.center)

    def _duplicate(self, at: Pointer | None) -> None:
        editor = self.editor
        copied = copy_of(editor, editor.selection)
        if copied is None:
            return
        self.cancel()
        step = _COPY_SHIFT / (at.meter if at is not None else editor.session.view.camera.scale)
        with editor.telling():
            editor.selection = put_down(editor, copied, editor.selection[0].stage, (step, step))


def _nearest_first(editor: Editor, point: Point) -> list[int]:
    """Return all stages, the one at the point first."""
    first = stage_under(editor.stages, point)
    return [first, *(k for k in range(len(editor.stages)) if k != first)] if first >= 0 else []


def _above(point: Point | None, meter: float) -> Point:
    assert point is not None
    return point[0], point[1] + 12.0 / meter
