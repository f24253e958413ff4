"""A scene file as a demo: it runs, rewinds and is edited by hand like any other.

The class is made for the file, so that every run of it, a restart or a rewinding, begins from the same scene.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

from engine.common.errors import Described, InvalidInputError
from engine.common.installation import program
from engine.common.json_file import glance
from engine.common.words import counted
from engine.geometry import AABB
from engine.scenes import Scene, build_all, load_rube, load_scene
from engine.scenes.rube import is_rube
from engine.scenes.scene_file import FORMAT, MAX_FILE_BYTES, scene_as_json, scene_from_json
from engine.sim.demo import Demo, StatusLine
from engine.sim.dropping import DroppedBody
from engine.sim.stage import Stage

__all__ = [
    "SCENE_SUFFIXES",
    "SceneDemo",
    "file_stem",
    "is_own_scene",
    "is_scene_file",
    "kept_scene_demo",
    "load_any_scene",
    "plain_title",
    "scene_class",
    "scene_demo",
    "scenes_in",
]

SCENE_SUFFIXES = (".json", ".svg")
"""Suffixes of files that ``run`` takes in place of a demo's id."""
_MAX_STEM = 60
"""Characters of a scene's name in that of a file."""
_KEPT_NAME = re.compile(r"-kept-\d{4}-\d\d-\d\d-\d{4}(-\d+)?$")
_MAX_NOTES = 3
"""Notes of an import that the readout has room for; the command ``scene`` tells all."""


class SceneDemo(Demo):
    """The scene of a file.

    Attributes
    ----------
    scene : Scene
        Of the class.
    opened_from : str
        The file's name, "" for a scene that comes from elsewhere.
    """

    id = "scene"
    category = "Files"
    scene: ClassVar[Scene] = Scene()
    opened_from: ClassVar[str] = ""

    @classmethod
    def scene_content(cls) -> dict[str, Any]:
        """Return the plain data from which `scene_class` makes this class again."""
        return scene_as_json(cls.scene)

    def build(self) -> None:
        for world, one in zip(build_all(self.scene, self.sim.solver, self.sim.solver_settings), self.scene.all_worlds, strict=True):
            stage = self.add_stage(world, one.offset, one.label)
            for picture in one.pictures:
                self.dropped += [DroppedBody(stage, world, body, None, picture) for body in picture.bodies]

    def home(self) -> AABB:
        return self.scene.camera if self.scene.camera is not None else super().home()

    def status(self) -> list[StatusLine]:
        lines: list[StatusLine] = [f"{Path(self.opened_from).name}: {_counted(self.stages)}"] if self.opened_from else []
        lines += self.scene.notes[:_MAX_NOTES]
        more = len(self.scene.notes) - _MAX_NOTES
        if more > 0:
            lines.append(f"and {more} more notes: {program()} scene {Path(self.opened_from).name}")
        return lines

    def summary(self) -> tuple[str, ...]:
        return self.scene.notes


def kept_scene_demo(scene: Scene, file: str, written: datetime) -> type[SceneDemo]:
    """Return the demo of a scene that was kept without being saved, with the time in its title.

    Examples
    --------
    >>> kept_scene_demo(Scene(title="Hills"), "x.json", datetime(2026, 5, 1, 14, 2)).title
    'Hills, kept 14:02'
    """
    return scene_demo(replace(scene, title=f"{plain_title(scene.title or 'A scene')}, kept {written:%H:%M}"), file)


def plain_title(title: str) -> str:
    """Return a title without the time at which the scene was kept."""
    return _KEPT.sub("", title)


_KEPT = re.compile(r", kept \d\d:\d\d$")


def scene_demo(scene: Scene, file: str = "") -> type[SceneDemo]:
    """Return the demo of a scene."""
    title = scene.title or Path(file).stem or "A scene"
    watch = scene.watch or "A scene of a file. Grab what moves; Ctrl S saves it, as it was built or as you see it."
    return type("SceneDemo", (SceneDemo,), {"scene": scene, "opened_from": file, "title": title, "watch": watch, "__module__": __name__})


def scene_class(content: dict[str, Any]) -> type[SceneDemo]:
    """Return the demo of the content of a scene file; `SceneDemo.scene_content` is its reverse.

    Raises
    ------
    InvalidInputError
        It is none; the field is its path in the content.
    """
    return scene_demo(scene_from_json(content))


def load_any_scene(path: str, pixels_per_metre: float | None = None) -> Scene:
    """Read a scene file, an export of R.U.B.E., or a drawing.

    Raises
    ------
    InvalidInputError
        It is none of these, or something in it is wrong: the message has the line and the field.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".svg":
        from engine.scenes.svg_scene import load_svg_scene

        return load_svg_scene(path) if pixels_per_metre is None else load_svg_scene(path, pixels_per_metre)
    if suffix != ".json":
        wanted = f"a scene: a file that ends in {' or '.join(SCENE_SUFFIXES)}"
        raise InvalidInputError(path, wanted, Described(suffix or "no ending"))
    if pixels_per_metre is not None:
        raise InvalidInputError("pixels_per_metre", "left out for a file that is in meters", pixels_per_metre)
    return load_rube(path) if is_rube(glance(path, MAX_FILE_BYTES)) else load_scene(path)


def file_stem(demo: Demo) -> str:
    """Return what files written out of a demo are called: its id, or the name of the scene file that it is of."""
    if not isinstance(demo, SceneDemo):
        return demo.id or "demo"
    return _KEPT_NAME.sub("", Path(demo.opened_from).stem)[:_MAX_STEM] or demo.id


def is_own_scene(path: str) -> bool:
    """Tell whether a JSON file says that it is a scene of this program."""
    plain = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    return isinstance(plain, dict) and plain.get("format") == FORMAT


def scenes_in(folder: Path, most: int) -> list[Path]:
    """Return scene files of a folder, the newest first, by what the first of their characters say."""
    found: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.glob("*.json"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if f'"{FORMAT}"'.encode() in file.read(_BEGINNING):
                    found.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(found, reverse=True)[:most]]


_BEGINNING = 200
"""Bytes of a scene file within which it says what it is, as this program writes it."""


def is_scene_file(path: str) -> bool:
    """Tell whether a JSON file says that it is a scene, or looks like an export of R.U.B.E.; what cannot be read is none."""
    plain = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    return is_rube(plain) or (isinstance(plain, dict) and plain.get("format") == FORMAT)


def _counted(stages: Sequence[Stage]) -> str:
    bodies, joints = (sum(len(getattr(stage.world, name)) for stage in stages) for name in ("body_ids", "joint_ids"))
    worlds = f" in {counted(len(stages), 'world')}" if len(stages) > 1 else ""
    return f"{counted(bodies, 'body', 'bodies')}, {counted(joints, 'joint')}{worlds}"
