"""Files of scenes: which are, what they are called, and the demo of each."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from engine.common.errors import Described, InvalidInputError
from engine.common.json_file import glance
from engine.scenes import Scene, load_rube, load_scene
from engine.scenes.rube import is_rube
from engine.scenes.scene_file import FORMAT, MAX_FILE_BYTES
from engine.sim.demo import Demo
from engine.sim.scene_demo import SceneDemo, scene_demo

__all__ = ["SCENE_SUFFIXES", "file_stem", "is_own_scene", "is_scene_file", "kept_scene_demo", "load_any_scene", "plain_title", "scenes_in"]

SCENE_SUFFIXES = (".json", ".svg")
"""Suffixes of files that ``run`` takes in place of a demo's id."""
_MAX_STEM = 60
"""Characters of a scene's name in that of a file."""
_KEPT_NAME = re.compile(r"-kept-\d{4}-\d\d-\d\d-\d{4}(-\d+)?$")


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
        requirement = f"a scene: a file that ends in {' or '.join(SCENE_SUFFIXES)}"
        raise InvalidInputError(path, requirement, Described(suffix or "no ending"))
    if pixels_per_metre is not None:
        raise InvalidInputError("pixels_per_metre", "left out for a file that is in meters", pixels_per_metre)
    return load_rube(path) if is_rube(glance(path, MAX_FILE_BYTES)) else load_scene(path)


def file_stem(demo: Demo) -> str:
    """Return what files written out of a demo are called: its id, or the name of the scene file that it is of."""
    if not isinstance(demo, SceneDemo):
        return demo.id or "demo"
    return _KEPT_NAME.sub("", Path(demo.opened_from).stem)[:_MAX_STEM] or demo.id


def is_own_scene(path: str) -> bool:
    """Return True if a JSON file says that it is a scene of this program."""
    plain = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    return isinstance(plain, dict) and plain.get("format") == FORMAT


def scenes_in(folder: Path, most: int) -> list[Path]:
    """Return scene files of a folder, the newest first, by what the first of their characters say."""
    dated: list[tuple[float, Path]] = []
    with contextlib.suppress(OSError):
        for path in folder.glob("*.json"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                if f'"{FORMAT}"'.encode() in file.read(_BEGINNING):
                    dated.append((path.stat().st_mtime, path))
    return [path for _, path in sorted(dated, reverse=True)[:most]]


_BEGINNING = 200
"""Bytes of a scene file within which it says what it is, as this program writes it."""


def is_scene_file(path: str) -> bool:
    """Return True if a JSON file says that it is a scene, or looks like an export of R.U.B.E.; what cannot be read is none."""
    plain = glance(path, MAX_FILE_BYTES) if path.lower().endswith(".json") else None
    return is_rube(plain) or (isinstance(plain, dict) and plain.get("format") == FORMAT)
