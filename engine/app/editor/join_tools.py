"""Tools that join two bodies, or a body and the ground, with two clicks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

from engine.app.editor.editor import Chosen, Gesture
from engine.app.editor.picking import bodies_under
from engine.app.editor.placing import PlacingError, anchor_spec
from engine.app.editor.tool import Pointer, Tool, outline_bodies
from engine.common.tolerances import LINEAR_SLOP
from engine.render import palette
from engine.sim.actions import CreateBody, CreateJoint, SetAwake
from engine.sim.stage import stage_under
from engine.world import DistanceJointSpec, PrismaticJointSpec, RevoluteJointSpec, WeldJointSpec, WheelJointSpec

if TYPE_CHECKING:
    from engine.app.editor.editor import Editor
    from engine.render.canvas import Canvas
    from engine.sim.stage import Stage
    from engine.world.joints.interface import JointSpec

__all__ = ["DistanceTool", "PrismaticTool", "RevoluteTool", "WeldTool", "WheelTool"]

Point = tuple[float, float]

_ANCHOR = 6.0
"""Radius of the disc that stands for the ground, design pixels."""
_CENTER = 10.0
"""Distance from a body's center within which a wheel attaches to it, design pixels."""
_MIN_AXIS = 10.0
"""Minimum distance between two clicks that defines a direction, design pixels."""


class JoinTool(Tool):
    """Base class: the first click chooses a body, the second the other body, or the ground if there is none."""

    kind: ClassVar[type[RevoluteJointSpec | WeldJointSpec | WheelJointSpec]]

    def __init__(self, editor: Editor) -> None:
        super().__init__(editor)
        self._first: tuple[Chosen, Point] | None = None
        """The body, and the clicked point in its own frame, because it may move between the clicks."""
        self._at: Pointer | None = None

    def spec(self, first: int, second: int, a: Point, b: Point, axis: Point | None) -> JointSpec:
        """Return the joint between two bodies clicked at `a` and `b` (world, m); `axis` points from a to b if they are far enough apart."""
        return self.kind(second, first, a)

    def anchor_at(self, a: Point, b: Point) -> Point:
        """Return the anchor on the ground for a second click at `b`, where there is no body."""
        return a

    @property
    def is_busy(self) -> bool:
        return self._first is not None

    def press(self, at: Pointer) -> None:
        self._at = at
        first = self._alive()
        if first is None:
            self._take(at)
            return
        (stage, _), _ = first
        with self.editor.change() as gesture:
            self._join(gesture, self.editor.stages[stage], first, at)
        self._first = None

    def move(self, at: Pointer) -> None:
        self._at = at

    def cancel(self) -> None:
        self._first = None

    def paint(self, canvas: Canvas) -> None:
        first, at = self._alive(), self._at
        if at is None:
            return
        if first is None:
            pointed = self._pointed(at)
            outline_bodies(canvas, self.editor, [] if pointed is None else [pointed], palette.JOINT, 1.5)
            words = "click the first body" if pointed is None else f"a click chooses {self._name(pointed.stage, pointed.body)}"
            canvas.label(canvas.camera.to_screen(at.free), words, palette.TEXT, 13.0, 12.0, plate=True)
            return
        chosen, _ = first
        stage = self.editor.stages[chosen.stage]
        outline_bodies(canvas, self.editor, [chosen], palette.JOINT)
        start = self._world_point(first)
        start = start[0] + stage.offset[0], start[1] + stage.offset[1]
        canvas.dashed(start, at.free, palette.JOINT, width=1.5)
        canvas.point(start, palette.JOINT, 4.0)
        second = self._other(stage, chosen.body, at)
        if second is not None:
            outline_bodies(canvas, self.editor, [Chosen(chosen.stage, second)], palette.JOINT, 1.5)
        joins = f"a click joins it to {self._name(chosen.stage, second)}"
        words = "click the second body; a click here joins it to the ground" if second is None else joins
        canvas.label(canvas.camera.to_screen(at.free), words, palette.TEXT, 13.0, 12.0, plate=True)

    # Inside

    def _pointed(self, at: Pointer) -> Chosen | None:
        """Return the body that a first click chooses: one that can move, if there is one."""
        index = stage_under(self.editor.stages, at.free)
        stage = self.editor.stages[index]
        bodies = bodies_under(stage, at.free, at.reach)
        moving = [body for body in bodies if stage.world.body(body).spec.type == "dynamic"]
        return Chosen(index, (moving or list(bodies))[0]) if bodies else None

    def _take(self, at: Pointer) -> None:
        pointed = self._pointed(at)
        if pointed is None:
            self.editor.say(f"{self.name}: click a body first, then the body to join it to")
            return
        stage = self.editor.stages[pointed.stage]
        self._first = pointed, stage.world.state(pointed.body).xf.apply_inverse(stage.local(at.free))

    def _name(self, stage: int, body: int | None) -> str:
        return "the ground" if body is None else self.editor.session.body_name(stage, body)

    def _alive(self) -> tuple[Chosen, Point] | None:
        if self._first is not None and not self.editor.is_alive(self._first[0]):
            self._first = None
        return self._first

    def _world_point(self, first: tuple[Chosen, Point]) -> Point:
        chosen, point = first
        return self.editor.world(chosen.stage).state(chosen.body).xf.apply(point)

    def _other(self, stage: Stage, first: int, at: Pointer) -> int | None:
        return next((body for body in bodies_under(stage, at.free, at.reach) if body != first), None)

    def _join(self, gesture: Gesture, stage: Stage, first: tuple[Chosen, Point], at: Pointer) -> None:
        chosen, _ = first
        index, body, world = chosen.stage, chosen.body, stage.world
        a, b = self._world_point(first), stage.local(at.free)
        second = self._other(stage, body, at)
        is_to_ground = second is None
        away = math.dist(a, b) * at.meter
        axis = (b[0] - a[0], b[1] - a[1]) if away >= _MIN_AXIS else None
        if "dynamic" not in {world.body(end).spec.type for end in (body, second) if end is not None}:
            raise PlacingError("one of the two bodies must be able to move: P makes a selected body dynamic")
        a = self._start(stage, body, a, at)
        if second is None:
            self.spec(body, body + 1, a, b, axis)  # reject the joint before creating anything
            anchor = self.anchor_at(a, b)
            second = gesture.edit(CreateBody.of(index, anchor_spec(anchor, _ANCHOR / at.meter)))
        gesture.edit(CreateJoint.of(index, self.spec(body, second, a, b, axis)))
        for end in (body, second):
            if world.body(end).spec.type == "dynamic":
                gesture.edit(SetAwake(index, end, True))
        if is_to_ground:
            name = self._name(index, body)
            self.editor.session.messages.answer(f"{self.name} from {name} to the ground. To join two bodies, click where they overlap.")

    def _start(self, stage: Stage, body: int, a: Point, at: Pointer) -> Point:
        """Return the first point, snapped to the likely target."""
        return a


class RevoluteTool(JoinTool):
    """Creates a hinge."""

    name, letter = "Hinge", "H"
    hint = "click a body where the hinge should be, then another body, or empty space for the ground"
    kind = RevoluteJointSpec


class WeldTool(JoinTool):
    """Welds two bodies."""

    name, letter = "Weld", "W"
    hint = "click a body, then the body to weld it to, or empty space for the ground"
    kind = WeldJointSpec


class DistanceTool(JoinTool):
    """Creates a rod."""

    name, letter = "Rod", "D"
    hint = "click a body, then another, or empty space for the ground; the two points stay the same distance apart"

    def spec(self, first: int, second: int, a: Point, b: Point, axis: Point | None) -> JointSpec:
        if math.dist(a, b) < LINEAR_SLOP:
            raise PlacingError("a rod needs two separate points: click the second one elsewhere")
        return DistanceJointSpec(first, second, a, b, collide_connected=True)

    def anchor_at(self, a: Point, b: Point) -> Point:
        return b


class PrismaticTool(JoinTool):
    """Creates a slider."""

    name, letter = "Slider", "L"
    hint = "click a body, then another, or empty space for the ground; they slide along the line between the points"

    def spec(self, first: int, second: int, a: Point, b: Point, axis: Point | None) -> JointSpec:
        if axis is None:
            raise PlacingError("a slider needs a direction: click the second point farther away, in the direction of sliding")
        return PrismaticJointSpec(second, first, a, axis)


class WheelTool(JoinTool):
    """Creates a wheel with a suspension."""

    name, letter = "Wheel", "O"
    hint = "click the wheel, then the body it carries, or empty space for the ground; the wheel turns freely on a spring"
    kind = WheelJointSpec

    def _start(self, stage: Stage, body: int, a: Point, at: Pointer) -> Point:
        middle = stage.world.state(body).xf.apply(stage.world.body(body).local_center)
        return middle if math.dist(middle, a) * at.meter <= _CENTER else a
