"""Selecting, moving, turning, copying, pinning and deleting bodies; selecting and deleting joints.

A click on the mark of an anchor takes the joint, though bodies lie there too; another click there the next joint, and then the body. A drag
from there takes the body at once. The line between two anchors takes the joint only where no body is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pygame

from engine.app.hands.copying import copy_of, put_at, put_down
from engine.app.hands.hands import Chosen, ChosenJoint, Gesture
from engine.app.hands.picking import bodies_under, bodies_within, joints_under, stage_under
from engine.app.hands.tool import Pointer, Tool, grid_step, mark_joint, outline_bodies, outline_body
from engine.geometry import Transform
from engine.render import palette

if TYPE_CHECKING:
    from engine.app.hands.hands import Hands
    from engine.render.canvas import Canvas

__all__ = ["SelectTool"]

Point = tuple[float, float]
Pose = tuple[float, float, float]

_CLICK = 4.0
"""Design pixels that a pressed pointer may move and still mean a click."""
_HANDLE = 26.0
"""Design pixels of the handle that turns above the selection's box."""
_GRIP = 9.0
"""Design pixels around the handle that take hold of it."""
_NOTCH = math.radians(15.0)
"""Turn of a wheel's notch, and with Ctrl the step of the handle."""
_FINE_NOTCH = math.radians(1.0)
_COPY_SHIFT = 30.0
"""Design pixels from a body to its duplicate."""


class SelectTool(Tool):
    """What is selected has an outline and a handle; the inspector shows it."""

    name, letter = "Select", "S"
    hint = "click a body or a joint's ring (5 shows it), or drag a frame (Shift: more); drag moves, the handle turns; Del deletes, P pins"

    def __init__(self, hands: Hands) -> None:
        super().__init__(hands)
        self._pressed: Pointer | None = None
        self._at: Pointer | None = None
        self._mode = ""
        """What the press began: "frame", "move", "turn", "joint", or nothing."""
        self._start: dict[Chosen, Pose] = {}
        self._pivot: Point = (0.0, 0.0)
        self._angle = 0.0
        self._gesture: Gesture | None = None
        self._placed: tuple[Point, float, int] | None = None
        self._narrows: Chosen | None = None
        self._joints: list[ChosenJoint] = []
        """Joints that a click takes, one after another."""

    @property
    def is_busy(self) -> bool:
        return self._mode != ""

    def press(self, at: Pointer) -> None:
        self._pressed = self._at = at
        self._narrows = None
        handle = self._handle(at.metre)
        if handle is not None and math.dist(handle, at.free) * at.metre <= _GRIP:
            self._begin("turn")
            return
        hit = self._hit(at)
        self._joints = [] if at.shift else self._joints_at(at, hit)
        if self._joints:
            self._mode = "joint"
        else:
            self._take(hit, at)

    def _take(self, hit: Chosen | None, at: Pointer) -> None:
        """Begin what a press on a body, or beside all, means."""
        hands = self.hands
        if hit is None:
            self._mode = "frame"
            if not at.shift:
                hands.selection = []
            return
        if at.shift:
            if hit in hands.selection:
                hands.selection.remove(hit)
                self._mode = "none"
                return
            hands.selection = [*hands.selection, hit]
        elif hit not in hands.selection:
            hands.selection = [hit]
        else:
            self._narrows = hit  # a click on one of several keeps that one; a drag moves them all
        self._begin("move")

    def move(self, at: Pointer) -> None:
        self._at = at
        if self._mode == "joint" and self._pressed is not None and self._is_drag(at):
            self._take(self._hit(self._pressed), self._pressed)

    def release(self, at: Pointer) -> None:
        self.move(at)
        self.update()
        pressed, mode = self._pressed, self._mode
        if pressed is not None and mode == "frame":
            self._choose_within(pressed, at)
        elif mode == "move" and self._narrows is not None and not self._is_drag(at):
            self.hands.selection = [self._narrows]
        elif pressed is not None and mode == "joint":
            self._choose_next(self._hit(pressed))
        self.cancel()

    def cancel(self) -> None:
        self._mode, self._pressed, self._gesture, self._placed = "", None, None, None
        self._start = {}

    def wheel(self, notches: float, at: Pointer) -> bool:
        if self._mode != "move":
            return False
        self._angle += notches * (_FINE_NOTCH if at.shift else _NOTCH)
        self._at = at
        return True

    def key(self, event: pygame.event.Event, at: Pointer | None) -> bool:
        hands, control = self.hands, event.mod & (pygame.KMOD_CTRL | pygame.KMOD_META)
        if control and event.key == pygame.K_a:
            hands.selection = [Chosen(k, body) for k, stage in enumerate(hands.stages) for body in stage.world.body_ids]
        elif control and event.key == pygame.K_v:
            self._paste(at)
        elif control and event.key in (pygame.K_c, pygame.K_x) and hands.selection:
            hands.copied = copy_of(hands, hands.selection)
            if event.key == pygame.K_x:
                self.cancel()
                hands.destroy(hands.selection)
        elif control and event.key == pygame.K_d and hands.selection:
            self._duplicate(at)
        elif not control and event.key in (pygame.K_DELETE, pygame.K_BACKSPACE) and (hands.selection or hands.joint is not None):
            self.cancel()
            hands.destroy(hands.selection)
            hands.destroy_joint()
        elif not control and event.key == pygame.K_p and hands.selection:
            hands.pin()
        else:
            return False
        return True

    def update(self) -> None:
        """Put what is held where the pointer is: once a frame, and again after each step, or gravity would carry it off."""
        at, pressed, history = self._at, self._pressed, self.hands.session.history
        if at is None or pressed is None or self._mode not in ("move", "turn"):
            return
        shift = (0.0, 0.0)
        if self._mode == "turn":
            if not self._is_drag(at) and self._gesture is not None and not self._gesture.has_begun:
                return
            self._angle = self._turned(pressed, at)
        elif self._is_drag(at) or self._angle != 0.0:
            shift = at.free[0] - pressed.free[0], at.free[1] - pressed.free[1]
            if at.ctrl:
                step = grid_step(at.metre)
                shift = round(shift[0] / step) * step, round(shift[1] / step) * step
        else:
            return
        wanted = shift, self._angle, -1 if history is None else history.now
        if wanted != self._placed:
            self._placed = wanted
            self._place(shift)

    def paint(self, canvas: Canvas) -> None:
        hands = self.hands
        hands.prune()
        outline_bodies(canvas, hands, hands.selection, palette.ACCENT)
        if hands.joint is not None:
            stage, joint = hands.joint
            for body in hands.world(stage).joint_bodies(joint):
                if body is not None:
                    outline_body(canvas, hands, Chosen(stage, body), palette.JOINT, 1.5)
            mark_joint(canvas, hands, hands.joint, palette.ACCENT)
        if self._mode == "frame" and self._pressed is not None and self._at is not None:
            a, b = self._pressed.free, self._at.free
            corners = [a, (b[0], a[1]), b, (a[0], b[1])]
            for k, corner in enumerate(corners):
                canvas.dashed(corners[k - 1], corner, palette.ACCENT)
        elif hands.selection:
            metre = canvas.camera.scale / canvas.ui_scale
            handle, box = self._handle(metre), self.box_of(hands.selection)
            if handle is not None and box is not None:
                canvas.segment((handle[0], box.upper[1]), handle, palette.ACCENT, 1.25)
                canvas.point(handle, palette.BACKGROUND, 6.0)
                canvas.point(handle, palette.ACCENT, 6.0, ring=True)
            if self._mode == "turn":
                canvas.point(self._pivot, palette.ACCENT, 3.0)
                canvas.text(_above(handle, metre), f"{math.degrees(self._angle):+.1f}°", palette.TEXT, 13.0, "bottom", plate=True)

    # Inside

    def _hit(self, at: Pointer) -> Chosen | None:
        """Return what a press means: of what is selected and lies there, that; else the newest body there."""
        for k in _nearest_first(self.hands, at.free):
            bodies = bodies_under(self.hands.stages[k], at.free, at.reach)
            if bodies:
                held = [one for one in self.hands.selection if one.stage == k and one.body in bodies]
                return held[0] if held else Chosen(k, bodies[0])
        return None

    def _joints_at(self, at: Pointer, hit: Chosen | None) -> list[ChosenJoint]:
        """Return the joints that a click there means, as far as joints are shown: by their marks, and without a body by their lines."""
        hands = self.hands
        if not hands.session.layers.joints:
            return []
        for k in _nearest_first(hands, at.free) if hit is None else [hit.stage]:
            marks, lines = joints_under(hands.stages[k], at.free, at.reach)
            found = marks if hit is not None else marks + lines
            if found:
                return [ChosenJoint(k, joint) for joint in found]
        return []

    def _choose_next(self, hit: Chosen | None) -> None:
        """Select the first joint of the click; the next, or the body, where one of them is selected already."""
        hands, there = self.hands, self._joints
        at = there.index(hands.joint) + 1 if hands.joint in there else 0
        if at < len(there):
            hands.joint = there[at]
        elif hit is not None:
            hands.selection = [hit]
        else:
            hands.joint = there[0]

    def _is_drag(self, at: Pointer) -> bool:
        pressed = self._pressed
        return pressed is not None and math.dist(pressed.pixel, at.pixel) > _CLICK

    def _begin(self, mode: str) -> None:
        hands = self.hands
        self._mode, self._angle, self._placed = mode, 0.0, None
        self._gesture = hands.gesture()
        self._start = {}
        for one in hands.selection:
            state = hands.world(one.stage).state(one.body)
            self._start[one] = (*state.position, state.angle)
        box = self.box_of(hands.selection)
        if box is not None:
            self._pivot = 0.5 * (box.lower[0] + box.upper[0]), 0.5 * (box.lower[1] + box.upper[1])

    def _turned(self, pressed: Pointer, at: Pointer) -> float:
        before = math.atan2(pressed.free[1] - self._pivot[1], pressed.free[0] - self._pivot[0])
        now = math.atan2(at.free[1] - self._pivot[1], at.free[0] - self._pivot[0])
        angle = (now - before + math.pi) % (2.0 * math.pi) - math.pi
        return round(angle / _NOTCH) * _NOTCH if at.ctrl else angle

    def _place(self, shift: Point) -> None:
        hands, gesture = self.hands, self._gesture
        assert gesture is not None
        if not gesture.has_begun:
            hands.wake_around(gesture, list(self._start))
        turn = Transform((0.0, 0.0), self._angle)
        with hands.telling():
            for one, (x, y, angle) in self._start.items():
                if not hands.is_alive(one):
                    continue
                offset = hands.stages[one.stage].offset
                px, py = self._pivot[0] - offset[0], self._pivot[1] - offset[1]
                rx, ry = turn.rotate((x - px, y - py))
                gesture.edit(one.stage, "set_pose", one.body, (px + rx + shift[0], py + ry + shift[1]), angle + self._angle)
                if hands.world(one.stage).body(one.body).spec.type != "static":
                    gesture.edit(one.stage, "set_velocity", one.body, (0.0, 0.0), 0.0)
                    gesture.edit(one.stage, "set_awake", one.body, True)

    def _handle(self, metre: float) -> Point | None:
        box = self.box_of(self.hands.selection) if self.hands.selection else None
        if box is None:
            return None
        top = 0.5 * (box.lower[0] + box.upper[0]), box.upper[1] + _HANDLE / metre
        if self._mode == "turn":  # it goes round with the hand
            reach = top[1] - self._pivot[1]
            return self._pivot[0] - reach * math.sin(self._angle), self._pivot[1] + reach * math.cos(self._angle)
        return top

    def _choose_within(self, a: Pointer, b: Pointer) -> None:
        if not self._is_drag(b):
            return
        lower = min(a.free[0], b.free[0]), min(a.free[1], b.free[1])
        upper = max(a.free[0], b.free[0]), max(a.free[1], b.free[1])
        found = [Chosen(k, body) for k, stage in enumerate(self.hands.stages) for body in bodies_within(stage, lower, upper)]
        self.hands.selection += [one for one in found if one not in self.hands.selection]

    def _paste(self, at: Pointer | None) -> None:
        hands = self.hands
        if hands.copied is None:
            hands.say("nothing was copied yet: select something, then Ctrl C")
            return
        self.cancel()
        with hands.telling():
            hands.selection = put_at(hands, hands.copied, at.point if at is not None else hands.session.camera.center)

    def _duplicate(self, at: Pointer | None) -> None:
        hands = self.hands
        copied = copy_of(hands, hands.selection)
        if copied is None:
            return
        self.cancel()
        step = _COPY_SHIFT / (at.metre if at is not None else hands.session.camera.scale)
        with hands.telling():
            hands.selection = put_down(hands, copied, hands.selection[0].stage, (step, step))


def _nearest_first(hands: Hands, point: Point) -> list[int]:
    """Return all stages, the one at a point first."""
    first = stage_under(hands.stages, point)
    return [first, *(k for k in range(len(hands.stages)) if k != first)] if first >= 0 else []


def _above(point: Point | None, metre: float) -> Point:
    assert point is not None
    return point[0], point[1] + 12.0 / metre
