"""An empty world to build in: only a ground, optionally with walls or endless."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from demos._gallery import add_shape, label
from engine.app.editor.placing import ANCHOR
from engine.common.arrays import FloatArray
from engine.common.words import counted
from engine.demo import Demo, Parameter, StatusLine, register
from engine.geometry import AABB, Polygon
from engine.render import palette
from engine.sim.scene_demo import BUILDING
from engine.world import FixtureSpec, MouseJointSpec, World

if TYPE_CHECKING:
    from engine.render.canvas import Canvas

__all__ = ["Workbench"]

_ENDLESS = 1000.0
"""Meters to both sides of a ground that is called endless: farther than anything rolls."""
_THICKNESS = 0.5
"""Meters of the ground and the walls."""
_FRICTION = 0.6
_GROUND, _NO_BODY = "ground", -1
"""Name of the ground's body, and what stands for its id after it was deleted."""
_FALLEN = 20.0
"""Meters below the ground at which a body counts as fallen."""
_SHAPE = 0.5
"""Height of what is shown, and of the walls, as a share of the ground's width."""
_LINES = (
    "The bench is empty. Shift plus a letter selects a tool:",
    "B  box     C  circle     P  polygon     F  outline     (hold Shift while drawing: static)",
    "H  hinge     D  rod     W  weld     L  slider     O  wheel     S  select",
    "A picture, an SVG or a body file dropped here becomes a body.",
)
_ALONE, _SHARED = "R restores what you built, Ctrl Z undoes, Ctrl S saves.", "Ctrl Z undoes your last action, Ctrl S saves."
"""The last line, by whether others are in it too, whose time no one takes back."""
_BRIEF = "The bench is empty. F1 shows the tools."
_READABLE = 9.0
"""Design pixels of the lines below the first: smaller ones are left out."""
_ROOM, _LEAD = 0.9, 0.08
"""Share of the ground's width that a line takes at the most, and from one line to the next, of the height shown."""


@dataclass(frozen=True)
class _Motion:
    """Bodies and joints of a world, without the hand, and the motion of the bodies.

    Attributes
    ----------
    bodies, joints : tuple of int
    poses, velocities : float64 (n, 3)
        x, y, angle of each body, and its velocity; meters, radians, seconds.
    """

    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    poses: FloatArray
    velocities: FloatArray

    @classmethod
    def of(cls, world: World) -> _Motion:
        joints = tuple(joint for joint in world.joint_ids if not isinstance(world.joint(joint).spec, MouseJointSpec))
        return cls(world.body_ids, joints, world.poses.copy(), world.velocities.copy())

    def is_of(self, world: World) -> bool:
        """Return True if no body or joint was created, removed or moved in a world."""
        now = _Motion.of(world)
        is_same = (self.bodies, self.joints) == (now.bodies, now.joints)
        return is_same and np.array_equal(self.poses, now.poses) and np.array_equal(self.velocities, now.velocities)

    def below(self, y: float) -> list[int]:
        """Return the bodies whose origins are below a height, meters."""
        return [body for body, height in zip(self.bodies, self.poses[:, 1].tolist(), strict=True) if height < y]

    def put_back(self, world: World) -> None:
        """Restore the motion of the bodies that still exist."""
        for body, (x, y, angle), (vx, vy, spin) in zip(self.bodies, self.poses.tolist(), self.velocities.tolist(), strict=True):
            if world.is_body(body) and world.body(body).spec.type != "static":
                world.set_pose(body, (x, y), angle)
                world.set_velocity(body, (vx, vy), spin)
                world.set_awake(body, True)


@register(
    id="workbench",
    category="Build your own",
    title="Workbench",
    watch="Build in an empty world: draw bodies, join them, and throw them.",
)
class Workbench(Demo):
    """A ground in a default world; constructions survive changes of the ground and restarts."""

    tries = BUILDING
    keywords = "build create draw scene editor sandbox"
    parameters = (
        Parameter.choice(
            "walls", ("none", "both sides", "endless"), "ends of the ground", note="The ground can end in walls or be endless."
        ),
        Parameter("width", 20.0, 4.0, 200.0, "m", "ground width", slider_high=60.0, idle_with=("walls", "endless")),
    )
    keys = (("C", "clear the bench"),)
    clear_key = "c"
    keeps_scenes = True

    def build(self) -> None:
        add_shape(self.add_stage(World()), self._shapes(), (0.0, 0.0), type="static", friction=_FRICTION, name=_GROUND)
        self.on_scene()

    def on_scene(self) -> None:
        """Find the ground: the first static body with its name."""
        self.stage = self.stages[0]
        world = self.stage.world
        specs = ((body, world.body(body).spec) for body in world.body_ids)
        self._ground = next((body for body, spec in specs if spec.type == "static" and spec.name == _GROUND), _NO_BODY)
        self._left = self._start = _Motion.of(world)

    def restart(self) -> None:
        """Move every body back to its pose when time continued after the last manual change; build the ground if there is none."""
        if not self.stages or self.stage.world.is_lost:
            self.clock_start = 0.0, 0
            super().restart()
            return
        self.release()
        self._start.put_back(self.stage.world)
        self.clock_start = self.stage.world.time, self.stage.world.step_index

    def before_step(self) -> None:
        """Store all poses if something was built or moved by hand since the last step."""
        if not self._left.is_of(self.stage.world):
            self._start = _Motion.of(self.stage.world)

    def after_step(self) -> None:
        self._left = _Motion.of(self.stage.world)

    def on_key(self, key: str) -> bool:
        if key != self.clear_key:
            return False
        world = self.stage.world
        self.release()
        for body in world.body_ids:
            if body != self._ground:
                world.destroy_body(body)
        self.dropped.clear()
        return True

    def home(self) -> AABB:
        """Show the ground and the area above it, half as high as the ground is wide."""
        half = 0.5 * self.parameter("width") + _THICKNESS
        return AABB((-half, -_THICKNESS), (half, _SHAPE * self.parameter("width")))

    def on_parameter(self, name: str) -> None:
        """Change the ground under the bodies on it; joints to it are kept. A deleted ground is not recreated."""
        world = self.stage.world
        if not world.is_body(self._ground):
            return
        before = world.fixtures_of(self._ground)
        for shape in self._shapes():
            world.create_fixture(self._ground, FixtureSpec(shape, friction=_FRICTION))
        for fixture in before:
            world.destroy_fixture(fixture)
        for body in world.body_ids:
            if world.body(body).spec.type == "dynamic":
                world.set_awake(body, True)

    def status(self) -> Sequence[StatusLine]:
        """Count bodies and joints; a joint to the ground has its own body, the anchor."""
        world, grip = self.stage.world, self.grip
        ground = " with the ground" if world.is_body(self._ground) else ""
        n_anchors = sum(world.body(body).spec.name == ANCHOR for body in world.body_ids)
        anchors = f", {counted(n_anchors, 'anchor')} on the ground" if n_anchors else ""
        bodies = counted(len(world.body_ids) - n_anchors, "body", "bodies")
        joints = counted(len(world.joint_ids) - (grip is not None), "joint")  # the hand's does not count
        counts = f"{bodies}{ground}, {joints}{anchors}"
        low = np.flatnonzero(world.poses[:, 1] < -_FALLEN)
        below = [body for body in (world.body_ids[row] for row in low) if world.body(body).spec.type == "dynamic"]
        if not ground or not below:
            return (counts,)
        fallen = f"{counted(len(below), 'body has', 'bodies have')} fallen off the ground."
        is_back = not self.sim.is_shared and not set(below) & set(self._start.below(-_FALLEN))
        again = f" R puts {'them' if len(below) > 1 else 'it'} back." if is_back else ""
        endless = "" if self.parameter("walls") == 2.0 else " An endless ground has no edge."
        return counts, (fallen + again + endless, palette.WARNING)

    def draw_background(self, canvas: Canvas) -> None:
        """Explain how to start, until something has been built."""
        if any(body != self._ground for body in self.stage.world.body_ids):
            return
        width = self.parameter("width")
        top, step = 0.8 * _SHAPE * width, _LEAD * _SHAPE * width
        head, *rest = *_LINES, _SHARED if self.sim.is_shared else _ALONE
        longest = max(canvas.fonts.width(words, 15.0) for words in rest)
        size = min(15.0, float(int(15.0 * _ROOM * width * canvas.camera.scale / longest)))  # one for all of them
        is_readable = size >= _READABLE
        label(canvas, (0.0, top), head if is_readable else _BRIEF, palette.TEXT, _ROOM * width, size + 2.0 if is_readable else 15.0)
        for k, words in enumerate(rest if is_readable else (), 1):
            label(canvas, (0.0, top - k * step), words, palette.CAPTION, _ROOM * width, size, height=step)

    def _shapes(self) -> list[Polygon]:
        half, high = 0.5 * self.parameter("width"), _SHAPE * self.parameter("width")
        wide = (half, half + _THICKNESS, _ENDLESS)[round(self.parameter("walls"))]
        shapes = [Polygon.box(wide, 0.5 * _THICKNESS, (0.0, -0.5 * _THICKNESS))]
        if self.parameter("walls") == 1.0:
            sides = (-half - 0.5 * _THICKNESS, half + 0.5 * _THICKNESS)
            shapes += [Polygon.box(0.5 * _THICKNESS, 0.5 * high, (x, 0.5 * high)) for x in sides]
        return shapes
