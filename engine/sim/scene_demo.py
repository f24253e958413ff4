"""Demos made from scene files; they can be run, rewound and edited like any other demo.

Each file gets its own class, so that every run and restart begins from the same scene.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from engine.common.errors import InvalidInputError, renamed
from engine.common.installation import program
from engine.common.words import counted, path_below
from engine.geometry import AABB
from engine.scenes import Scene, build_all
from engine.scenes.scene_file import scene_as_json, scene_from_json
from engine.sim.demo import Color, Demo, StatusLine
from engine.sim.dropping import DroppedBody
from engine.sim.parameters import parameter_values
from engine.sim.registry import all_demos
from engine.sim.stage import Stage

__all__ = ["BUILDING", "SceneDemo", "scene_class", "scene_demo"]

_MAX_NOTES = 3
"""Maximum number of import notes in the readout; the command ``scene`` prints all."""


BUILDING = (
    ("Pick a shape in the tool bar at the right, such as the box (Shift B), and drag in the view to draw it; Space pauses.", "CreateBody"),
    ("Draw two bodies that overlap. Pick a joint, such as the hinge (Shift H), and click the overlap once per body.", "CreateJoint"),
    (
        "For a car, join two circles to a box with the wheel tool (Shift O), and click a wheel's ring (Shift S) to switch on its motor.",
        "ChangeJoint",
    ),
    ("Press Ctrl S to save your scene.", "saved"),
)
"""Steps suggested to someone who builds a scene, each with the action that ticks it off."""


class SceneDemo(Demo):
    """A demo that shows a scene loaded from a file.

    Attributes
    ----------
    scene : Scene
        The scene, a class attribute.
    opened_from : str
        Name of the file; "" if the scene is from another source.
    """

    id = "scene"
    category = "Files"
    tries = BUILDING
    scene: ClassVar[Scene]
    opened_from: ClassVar[str] = ""

    @classmethod
    def scene_content(cls) -> dict[str, Any]:
        """Return the scene as plain data, from which `scene_class` recreates this class."""
        return scene_as_json(cls.scene)

    def build(self) -> None:
        for world, plan in zip(build_all(self.scene, self.sim.solver, self.sim.solver_settings), self.scene.all_worlds, strict=True):
            stage = self.add_stage(world, plan.offset, plan.label)
            for picture in plan.pictures:
                self.dropped += [DroppedBody(stage, world, body, None, picture) for body in picture.bodies]
        self.on_scene()
        for parameter in self.parameters:
            if self.values[parameter.name] != parameter.default:  # the scene is as its own values have it
                self.on_parameter(parameter.name)

    def body_colors(self, stage: Stage) -> Mapping[int, Color]:
        plan = self.scene.all_worlds[self.stages.index(stage)]
        return {body: color for body, color in plan.colors if stage.world.is_body(body) and _type_of(stage, body) == plan.bodies[body].type}

    def home(self) -> AABB:
        is_as_saved = all(self.values[parameter.name] == parameter.default for parameter in self.parameters)
        return self.scene.camera if self.scene.camera is not None and is_as_saved else super().home()

    def status(self) -> list[StatusLine]:
        name, of_demo = Path(self.opened_from).name, super().status()
        lines: list[StatusLine] = [name if of_demo else f"{name}: {self._counts}"] if name else []
        lines += of_demo
        lines += self.scene.notes[:_MAX_NOTES]
        more = len(self.scene.notes) - _MAX_NOTES
        if more > 0:
            lines.append(f"and {more} more notes: {program()} scene {Path(self.opened_from).name}")
        return lines

    def summary(self) -> tuple[str, ...]:
        return self.scene.notes

    @property
    def _counts(self) -> str:
        """The numbers of bodies and joints in words; the hand's joint does not count."""
        bodies, joints = (sum(len(getattr(stage.world, name)) for stage in self.stages) for name in ("body_ids", "joint_ids"))
        worlds = f" in {counted(len(self.stages), 'world')}" if len(self.stages) > 1 else ""
        return f"{counted(bodies, 'body', 'bodies')}, {counted(joints - (self.grip is not None), 'joint')}{worlds}"


def scene_demo(scene: Scene, file: str = "") -> type[SceneDemo]:
    """Return a demo class for a scene; it derives from the demo in which the scene was built if that demo keeps its scenes.

    Raises
    ------
    InvalidInputError
        There is no such demo, or a value is not one of its parameters.
    """
    title = scene.title or Path(file).stem or "A scene"
    watch = scene.watch or "A scene from a file. Drag the bodies; Ctrl S saves the scene in its initial or current state."
    more: dict[str, Any] = {"scene": scene, "opened_from": file, "title": title, "watch": watch, "__module__": __name__}
    known = {kind.id: kind for kind in all_demos() if kind.keeps_scenes} if scene.demo else {}
    if scene.demo and scene.demo not in known:
        raise InvalidInputError("demo", f"one of {', '.join(sorted(known))}, or omitted", scene.demo)
    of_demo = known[scene.demo].parameters if scene.demo else ()
    with renamed(partial(path_below, "values")):
        defaults = parameter_values(of_demo, dict(scene.values))
    if scene.demo:
        more["parameters"] = tuple(replace(parameter, default=defaults[parameter.name]) for parameter in of_demo)
    return type("SceneDemo", (SceneDemo, *([known[scene.demo]] if scene.demo else [])), more)


def scene_class(content: dict[str, Any]) -> type[SceneDemo]:
    """Return a demo class for the content of a scene file; the inverse of `SceneDemo.scene_content`.

    Raises
    ------
    InvalidInputError
        The content is not a valid scene; the error's field is a path in the content.
    """
    return scene_demo(scene_from_json(content))


def _type_of(stage: Stage, body: int) -> str:
    return stage.world.body(body).spec.type
