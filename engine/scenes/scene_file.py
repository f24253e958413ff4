"""A world as a JSON file: written by hand or by the window, read with the line of every mistake.

    {
      "format": "collision scene", "version": 1,
      "title": "A seesaw", "watch": "The box falls on the short end.",
      "settings": {"gravity": [0, -10], "hertz": 60},
      "bodies": [
        {"type": "static", "name": "ground",
         "fixtures": [{"shape": {"kind": "polygon", "vertices": [[-9, -1], [9, -1], [9, 0], [-9, 0]]}}]},
        {"position": [0, 1], "name": "plank",
         "fixtures": [{"shape": {"kind": "polygon", "vertices": [[-3, -0.1], [3, -0.1], [3, 0.1], [-3, 0.1]]}, "density": 2}]}
      ],
      "joints": [{"kind": "revolute", "body_a": "ground", "body_b": "plank", "anchor": [0, 1]}],
      "camera": {"lower": [-10, -2], "upper": [10, 8]}
    }

Metres, kilograms, seconds, radians; y up. A body is a `BodySpec`, a joint one of the joint specifications with its kind, settings are
`WorldSettings`, and may name the ``"solver"`` that drives the world; what is left out has its default (`engine.scenes.codec`). A joint
names its bodies, by name or by their place in the list, from 0; a gear joint two joints by their places. The schema is
`docs/scene.schema.json`.

Where several worlds stand side by side the others are in ``"worlds"``, a list of objects with settings, bodies and joints of their own, and
each world has an ``"offset"``, where its origin is in the picture, and a ``"label"``. What bodies look like, of those that came from a
picture, is in ``"pictures"`` (`engine.scenes.pictures`).

`engine.scenes.scene` says what a scene of a running world does not hold.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from engine.common.checks import point
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.files import write_atomically
from engine.common.json_file import json_text, read_json
from engine.geometry import AABB
from engine.scenes.codec import JOINT_KINDS, Precision, at, from_plain, to_plain
from engine.scenes.json_lines import line_of
from engine.scenes.pictures import MOST_PICTURES, BodyPicture, png_of
from engine.scenes.scene import (
    MOST_BODIES,
    MOST_JOINTS,
    MOST_NOTES,
    MOST_WORLDS,
    Scene,
    SceneWorld,
    as_notes,
    build,
    build_all,
    scene_of,
)
from engine.world import BodySpec, JointSpec, WorldSettings, load_solver, solvers
from engine.world.joint_specs import body_fields
from engine.world.solver import DEFAULT

__all__ = [
    "FORMAT",
    "LARGEST_FILE",
    "VERSION",
    "Scene",
    "build",
    "build_all",
    "load_scene",
    "save_scene",
    "scene_as_json",
    "scene_from_json",
    "scene_of",
    "with_line",
]

FORMAT = "collision scene"
VERSION = 1
LARGEST_FILE = 16_000_000
"""Bytes; ten thousand boxes take three million."""

_BODY = {"body": BodySpec}
_SETTINGS = {"settings": WorldSettings}


def load_scene(path: str | os.PathLike[str]) -> Scene:
    """Read a scene; what is returned can be built.

    Raises
    ------
    InvalidInputError
        There is no such file, it is no JSON, or something in it is wrong: the message has the line and the field.
    """
    plain = read_json(path, "scene file", LARGEST_FILE)
    name = os.fspath(path)
    with renamed(partial(with_line, name)):
        scene = scene_from_json(plain)
        build_all(scene)
        return scene


def save_scene(path: str | os.PathLike[str], scene: Scene) -> None:
    """Write a scene, whole or not at all; what is written can be loaded, or nothing is.

    Raises
    ------
    InvalidInputError
        The file would be larger than can be loaded.
    OSError
        The file cannot be written.
    """
    content = json_text(scene_as_json(scene))
    if len(content) > LARGEST_FILE:
        raise InvalidInputError(os.fspath(path), f"a scene file, at most {LARGEST_FILE} bytes", Described(str(len(content))))
    write_atomically(path, content)


def scene_as_json(scene: Scene) -> dict[str, Any]:
    """Return the plain data of the file; a joint names its bodies by name where no other body has it."""
    plain: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    plain.update((name, getattr(scene, name)) for name in ("title", "watch") if getattr(scene, name))
    plain |= _world_as_json(scene)
    if scene.worlds:
        plain["worlds"] = [_world_as_json(one) for one in scene.worlds]
    if scene.camera is not None:
        plain["camera"] = {"lower": list(scene.camera.lower), "upper": list(scene.camera.upper)}
    if scene.notes:
        plain["notes"] = list(scene.notes)
    return plain


def _world_as_json(world: SceneWorld) -> dict[str, Any]:
    plain: dict[str, Any] = {"label": world.label} if world.label else {}
    if world.offset != (0.0, 0.0):
        plain["offset"] = list(world.offset)
    precision = load_solver(world.solver).capabilities.precision
    plain["settings"] = _untagged(world.settings, precision)
    if world.solver != DEFAULT:
        plain["settings"]["solver"] = world.solver
    plain["bodies"] = [_untagged(body, precision) for body in world.bodies]
    times = Counter(body.name for body in world.bodies)
    names = [body.name if body.name and times[body.name] == 1 else place for place, body in enumerate(world.bodies)]
    if world.joints:
        plain["joints"] = [
            to_plain(joint, precision) | {name: names[getattr(joint, name)] for name in body_fields(joint)} for joint in world.joints
        ]
    if world.pictures:
        plain["pictures"] = [picture.as_json(dict(enumerate(names))) for picture in world.pictures]
    return plain


def scene_from_json(plain: object) -> Scene:
    """Return the scene that the plain data of a file describe.

    Raises
    ------
    InvalidInputError
        Something is wrong; the field is its path in the data.
    """
    if not isinstance(plain, Mapping):
        raise InvalidInputError("the file", "an object", plain)
    for name, right in (("format", FORMAT), ("version", VERSION)):
        if plain.get(name) != right or isinstance(plain[name], bool):
            raise InvalidInputError(name, str(right), plain.get(name, Described("nothing")))
    _check_names(plain, "", (*_NAMES, *_WORLD_NAMES))
    left_out: list[str] = []
    first = _world_from_json(plain, "", left_out)
    worlds = tuple(_world(one, f"worlds[{k}]", left_out) for k, one in enumerate(_list(plain, "worlds", MOST_WORLDS - 1)))
    notes = _list(plain, "notes", MOST_NOTES)
    return Scene(
        title=plain.get("title", ""),
        watch=plain.get("watch", ""),
        camera=_camera(plain["camera"]) if "camera" in plain else None,
        notes=(*notes, *as_notes(left_out, MOST_NOTES - len(notes))),
        worlds=worlds,
        **first,
    )


def _world(plain: object, path: str, left_out: list[str]) -> SceneWorld:
    if not isinstance(plain, Mapping):
        raise InvalidInputError(path, "an object", plain)
    _check_names(plain, path, _WORLD_NAMES)
    given = _world_from_json(plain, path, left_out)
    with renamed(partial(at, path)):
        return SceneWorld(**given)


def _world_from_json(plain: Mapping[str, Any], path: str, left_out: list[str]) -> dict[str, Any]:
    settings, solver = plain.get("settings", {}), DEFAULT
    if isinstance(settings, Mapping) and "solver" in settings:
        solver = _solver(settings["solver"], at(path, "settings.solver"))
        settings = {name: value for name, value in settings.items() if name != "solver"}
    precision = load_solver(solver).capabilities.precision
    listed = enumerate(_list(plain, "bodies", MOST_BODIES, path))
    bodies = [from_plain(one, at(path, f"bodies[{k}]"), _BODY, solver, precision, left_out) for k, one in listed]
    places: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        places.setdefault(body.name, []).append(k)
    joints = enumerate(_list(plain, "joints", MOST_JOINTS, path))
    pictures = _list(plain, "pictures", MOST_PICTURES, path)
    return {
        "settings": from_plain(settings, at(path, "settings"), _SETTINGS, solver),
        "bodies": tuple(bodies),
        "joints": tuple(_joint(one, at(path, f"joints[{k}]"), places) for k, one in joints),
        "pictures": tuple(_picture(one, at(path, f"pictures[{k}]"), places) for k, one in enumerate(pictures)),
        "offset": point(at(path, "offset"), plain.get("offset", (0.0, 0.0)), "m"),
        "label": plain.get("label", ""),
        "solver": solver,
    }


def _solver(name: object, path: str) -> str:
    if not isinstance(name, str) or name not in solvers():
        raise InvalidInputError(path, "one of " + ", ".join(solvers()), name)
    return name


def _check_names(plain: Mapping[str, Any], path: str, known: Sequence[str]) -> None:
    for name in plain:
        if name not in known:
            raise InvalidInputError(at(path, str(name)), "one of " + ", ".join(known), Described("a name that means nothing here"))


_NAMES = ("format", "version", "title", "watch", "camera", "notes", "worlds")
_WORLD_NAMES = ("settings", "bodies", "joints", "offset", "label", "pictures")
_PICTURE_NAMES = ("bodies", "lower", "upper", "png")


def _untagged(value: object, precision: Precision) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(value, precision)
    del plain["kind"]
    return plain


def _joint(plain: object, path: str, places: Mapping[str, Sequence[int]]) -> JointSpec:
    if isinstance(plain, Mapping):
        plain = {key: _place(value, at(path, str(key)), places) if key in _REFERENCES else value for key, value in plain.items()}
    joint: JointSpec = from_plain(plain, path, JOINT_KINDS)
    return joint


def _picture(plain: object, path: str, places: Mapping[str, Sequence[int]]) -> BodyPicture:
    if not isinstance(plain, Mapping) or set(plain) != set(_PICTURE_NAMES):
        raise InvalidInputError(path, "an object with " + ", ".join(_PICTURE_NAMES), Described("something else"))
    listed: list[Any] = [_place(one, at(path, f"bodies[{k}]"), places) for k, one in enumerate(_list(plain, "bodies", MOST_BODIES, path))]
    with renamed(partial(at, path)):
        return BodyPicture(tuple(listed), png_of(plain["png"]), plain["lower"], plain["upper"])


_REFERENCES = ("body", "body_a", "body_b")


def _place(reference: object, path: str, places: Mapping[str, Sequence[int]]) -> object:
    """Return the place of a body that is named; a number is one already."""
    if not isinstance(reference, str):
        return reference
    found = places.get(reference, ())
    if len(found) != 1:
        raise InvalidInputError(path, "the name of one body" + (f" ({len(found)} have it)" if found else " (none has it)"), reference)
    return found[0]


def _camera(plain: object) -> AABB:
    if not isinstance(plain, Mapping) or set(plain) != {"lower", "upper"}:
        raise InvalidInputError("camera", 'an object with "lower" and "upper"', plain)
    lower, upper = point("camera.lower", plain["lower"]), point("camera.upper", plain["upper"])
    if not (lower[0] < upper[0] and lower[1] < upper[1]):
        raise InvalidInputError("camera.upper", "right of and above camera.lower", list(upper))
    return AABB(lower, upper)


def _list(plain: Mapping[str, object], name: str, most: int, path: str = "") -> list[Any]:
    found = plain.get(name, [])
    if not isinstance(found, list):
        raise InvalidInputError(at(path, name), "a list", found)
    if len(found) > most:
        raise InvalidInputError(at(path, name), f"a list of at most {most}", Described(str(len(found))))
    return found


def with_line(file: str, field: str) -> str:
    """Return ``file, line 12: field``; without a line where the file has gone meanwhile."""
    try:
        with open(file, encoding="utf-8-sig") as opened:
            return f"{file}, line {line_of(opened.read(LARGEST_FILE), field)}: {field}"
    except (OSError, ValueError, IndexError):
        return f"{file}: {field}"
