"""``scene``: check a scene file, or convert a level from another editor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.cli.options import JsonFile, argument, command, named, option
from engine.common.errors import Described, InvalidInputError
from engine.common.files import write_atomically
from engine.report import Link, Part, Report, facts

if TYPE_CHECKING:
    from engine.scenes import Scene

__all__ = ["scene_command"]


@dataclass(frozen=True, kw_only=True)
class SceneOptions:
    """Options of ``scene``."""

    file: str | None = argument("[FILE]", "Scene file, R.U.B.E. export (.json) or SVG.", None, reads=True)
    out: str | None = option("F.json", "Write the scene as a scene file.", writes=(".json",), needs=("file",))
    pixels_per_metre: float | None = option("N", "Scale of an SVG in user units per meter; default 100.", needs=("file",))
    json: JsonFile = None
    schema: str | None = option("F.json", "Write the JSON schema of scene files.", writes=(".json",))


@command
def scene_command(args: SceneOptions) -> Report | None:
    """Check a scene file and print its contents and what an import omitted or changed.

    --out converts a R.U.B.E. export or an SVG to a scene file. Errors in the file are reported with line numbers.
    """
    if args.schema is not None:
        from engine.common.json_file import json_text
        from engine.scenes.models import scene_schema

        write_atomically(args.schema, json_text(scene_schema()))
    if args.file is None:
        if args.schema is None or args.json is not None:
            raise InvalidInputError("FILE", "a scene file, or --schema F.json", Described("nothing"))
        return None
    from engine.app.files.opening import load_any_scene
    from engine.scenes import save_scene

    with named("--pixels-per-metre", "pixels_per_metre"):
        scene = load_any_scene(args.file, args.pixels_per_metre)
    if args.out is not None:
        save_scene(args.out, scene)
    counts = _counts(scene)
    totals = {f"number of {name}": sum(count.values()) for name, count in counts.items()}
    totals |= {"worlds": len(scene.all_worlds), "pictures": sum(len(world.pictures) for world in scene.all_worlds)}
    parts: list[Part] = [Link(scene.title or args.file, "title"), scene.watch, facts({**counts, **totals}), *scene.notes]
    if args.out is not None:
        parts.append(f"written to {args.out}")
    return Report({"file": args.file, "title": scene.title, **counts, "notes": list(scene.notes)}, parts)


def _counts(scene: Scene) -> dict[str, dict[str, int]]:
    from engine.scenes.kinds import JOINT_KINDS, SHAPE_KINDS

    bodies = [body for world in scene.all_worlds for body in world.bodies]
    shapes = Counter(type(fixture.shape) for body in bodies for fixture in body.fixtures)
    joints = Counter(type(joint) for world in scene.all_worlds for joint in world.joints)
    return {
        "bodies": dict(Counter(body.type for body in bodies)),
        "fixtures": {name: shapes[kind] for name, kind in SHAPE_KINDS.items() if shapes[kind]},
        "joints": {name: joints[kind] for name, kind in JOINT_KINDS.items() if joints[kind]},
    }
