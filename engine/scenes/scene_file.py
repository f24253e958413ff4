"""Scenes as JSON files, written by hand or by the window. Errors name the line.

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

Meters, kilograms, seconds, radians; y up. Bodies are `BodySpec`; joints are joint specifications plus a kind. Settings are `WorldSettings`,
plus an optional ``"solver"`` that simulates the world. Omitted fields take their defaults (`engine.scenes.codec`). A joint refers to its
bodies by name or by index, from 0; a gear joint refers to two joints by index. The schema is `docs/scene.schema.json`.

If there are several worlds, all except the first are in ``"worlds"``, a list of objects with their own settings, bodies and joints. Each
world then has an ``"offset"``, the position of its origin in the view, and a ``"label"``. ``"pictures"`` has the images of bodies that were
made from a picture (`engine.scenes.pictures`), and ``"colors"`` the bodies that are not drawn in the default color of their index.
``"demo"`` is the id of the demo with whose keys and parameters the scene opens, and ``"values"`` has those parameters.

`engine.scenes.scene` lists what a scene of a running world does not contain.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.common.checks import choice
from engine.common.errors import Described, InvalidInputError, renamed
from engine.common.files import open_plain, write_atomically
from engine.common.json_file import json_text, read_json
from engine.common.words import path_below
from engine.geometry import AABB
from engine.scenes.codec import Precision, Reading, specification, to_plain
from engine.scenes.json_lines import line_of
from engine.scenes.pictures import BodyPicture, png_of
from engine.scenes.scene import MAX_NOTES, Scene, SceneWorld, as_notes, build_all
from engine.world import load_solver, solvers
from engine.world.fields import named_values
from engine.world.solver import DEFAULT, solver_name

if TYPE_CHECKING:
    from engine.scenes.models import CameraModel, ColorModel, PictureModel, WorldModel

__all__ = [
    "FORMAT",
    "MAX_FILE_BYTES",
    "VERSION",
    "load_scene",
    "save_scene",
    "scene_as_json",
    "scene_from_json",
    "with_line",
]

FORMAT = "collision scene"
VERSION = 1
MAX_FILE_BYTES = 16_000_000
"""Maximum size of a scene file, bytes; ten thousand boxes take three million bytes."""


def load_scene(path: str | os.PathLike[str], solver: str | None = None) -> Scene:
    """Read a scene from a file and check that it can be built.

    `solver` replaces the solvers that the file names, whose settings are then dropped. A file that names none is for Box2D.

    Raises
    ------
    InvalidInputError
        The file is missing or not JSON, or a value in it is invalid; the message names the line and the field.
    """
    plain = read_json(path, "scene file", MAX_FILE_BYTES)
    name = os.fspath(path)
    with renamed(partial(with_line, name)):
        scene = scene_from_json(plain, solver)
        build_all(scene)
        return scene


def save_scene(path: str | os.PathLike[str], scene: Scene) -> None:
    """Write a scene to a file atomically, after checking that it can be loaded again.

    Raises
    ------
    InvalidInputError
        The file would be too large to load, or a count or the length of a text exceeds its limit.
    OSError
        The file cannot be written.
    """
    from engine.common.file_schema import validated
    from engine.scenes.models import SceneModel

    plain = scene_as_json(scene)
    validated(SceneModel, plain)
    content = json_text(plain)
    if len(content) > MAX_FILE_BYTES:
        raise InvalidInputError(os.fspath(path), f"a scene file, at most {MAX_FILE_BYTES} bytes", Described(str(len(content))))
    write_atomically(path, content)


def scene_as_json(scene: Scene) -> dict[str, Any]:
    """Return a scene as the plain data of a file; a joint refers to a body by name if the name is unique."""
    plain: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    plain.update((name, getattr(scene, name)) for name in ("title", "watch", "demo") if getattr(scene, name))
    if scene.values:
        plain["values"] = dict(scene.values)
    plain |= _world_as_json(scene)
    if scene.worlds:
        plain["worlds"] = [_world_as_json(world) for world in scene.worlds]
    if scene.camera is not None:
        plain["camera"] = {"lower": list(scene.camera.lower), "upper": list(scene.camera.upper)}
    if scene.paused:
        plain["paused"] = True
    if scene.notes:
        plain["notes"] = list(scene.notes)
    return plain


def _untagged(value: object, precision: Precision) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(value, precision)
    del plain["kind"]
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
            to_plain(joint, precision) | {name: names[getattr(joint, name)] for name in joint.body_fields} for joint in world.joints
        ]
    if world.pictures:
        plain["pictures"] = [picture.as_json(dict(enumerate(names))) for picture in world.pictures]
    if world.colors:
        bodies_of: dict[str, list[str | int]] = {}
        for body, (red, green, blue) in world.colors:
            bodies_of.setdefault(f"#{red:02x}{green:02x}{blue:02x}", []).append(names[body])
        plain["colors"] = [{"color": color, "bodies": bodies} for color, bodies in bodies_of.items()]
    return plain


def scene_from_json(plain: object, solver: str | None = None) -> Scene:
    """Return the scene described by the plain data of a file; `solver` as in `load_scene`.

    Raises
    ------
    InvalidInputError
        A value is invalid; the field is its path in the data.
    """
    from engine.common.file_schema import validated
    from engine.scenes.models import SceneModel

    with renamed(lambda field: field or "the file"):
        model = validated(SceneModel, plain)
    left_out: list[str] = []
    first = _world_parts(model, "", left_out, solver)
    worlds = []
    for k, world in enumerate(model.worlds):
        parts = _world_parts(world, f"worlds[{k}]", left_out, solver)
        with renamed(partial(path_below, f"worlds[{k}]")):
            worlds.append(SceneWorld(**parts))
    return Scene(
        title=model.title,
        watch=model.watch,
        camera=None if model.camera is None else _camera(model.camera),
        paused=model.paused,
        notes=(*model.notes, *as_notes(left_out, MAX_NOTES - len(model.notes))),
        worlds=tuple(worlds),
        demo=model.demo,
        values=named_values("values", model.values),
        **first,
    )


def _world_parts(model: WorldModel, path: str, left_out: list[str], solver: str | None) -> dict[str, Any]:
    """Return the arguments of `SceneWorld` from the model of a world."""
    settings = model.settings
    if solver is None:
        solver = settings.solver
        with renamed(partial(path_below, path)):
            choice("settings.solver", solver, solvers())
    elif solver_name("solver", solver) != settings.solver:
        settings = settings.model_copy(update={"solver_settings": {}})
    reading = Reading(solver, load_solver(solver).capabilities.precision, left_out)
    bodies = [specification(body, path_below(path, f"bodies[{k}]"), reading) for k, body in enumerate(model.bodies)]
    places: dict[str, list[int]] = {}
    for k, body in enumerate(bodies):
        places.setdefault(body.name, []).append(k)
    joints = []
    joint: Any
    for k, joint in enumerate(model.joints):
        where = path_below(path, f"joints[{k}]")
        named = {name: getattr(joint, name) for name in _REFERENCES if isinstance(getattr(joint, name, None), str)}
        placed = {name: _place(reference, path_below(where, name), places) for name, reference in named.items()}
        joints.append(specification(joint.model_copy(update=placed), where, Reading(None, np.float32, None)))
    return {
        "settings": specification(settings, path_below(path, "settings"), Reading(solver, np.float32, None)),
        "bodies": tuple(bodies),
        "joints": tuple(joints),
        "pictures": tuple(_picture(picture, path_below(path, f"pictures[{k}]"), places) for k, picture in enumerate(model.pictures)),
        "colors": tuple(
            color for k, model in enumerate(model.colors) for color in _colors(model, path_below(path, f"colors[{k}]"), places)
        ),
        "offset": tuple(model.offset),
        "label": model.label,
        "solver": solver,
    }


_REFERENCES = ("body", "body_a", "body_b")


def _picture(model: PictureModel, path: str, places: Mapping[str, Sequence[int]]) -> BodyPicture:
    bodies: list[Any] = [_place(body, path_below(path, f"bodies[{k}]"), places) for k, body in enumerate(model.bodies)]
    with renamed(partial(path_below, path)):
        return BodyPicture(tuple(bodies), png_of(model.png), (model.lower[0], model.lower[1]), (model.upper[0], model.upper[1]))


def _colors(model: ColorModel, path: str, places: Mapping[str, Sequence[int]]) -> list[Any]:
    color = tuple(bytes.fromhex(model.color[1:]))
    return [(_place(body, path_below(path, f"bodies[{k}]"), places), color) for k, body in enumerate(model.bodies)]


def _place(reference: object, path: str, places: Mapping[str, Sequence[int]]) -> object:
    """Return the index of a body that is referred to by name or by index."""
    if not isinstance(reference, str):
        return reference
    matches = places.get(reference, ())
    if len(matches) != 1:
        raise InvalidInputError(path, "the name of one body" + (f" ({len(matches)} have it)" if matches else " (none has it)"), reference)
    return matches[0]


def _camera(model: CameraModel) -> AABB:
    (left, bottom), (right, top) = model.lower, model.upper
    if not (left < right and bottom < top):
        raise InvalidInputError("camera.upper", "right of and above camera.lower", model.upper)
    return AABB((left, bottom), (right, top))


def with_line(file: str, field: str) -> str:
    """Return ``file, line 12: field``, without the line if the file no longer exists."""
    try:
        with open_plain(file) as opened:
            text = opened.read(MAX_FILE_BYTES).decode("utf-8-sig")
        return f"{file}, line {line_of(text, field)}: {field}"
    except (OSError, ValueError, IndexError):
        return f"{file}: {field}"
