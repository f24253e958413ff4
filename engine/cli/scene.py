"""``scene``: what is in a scene file, and scene files of the levels of other editors."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from engine.app.files import write_atomically
from engine.cli.options import JsonFile, named
from engine.cli.output import check_files, people, print_rows, write_json
from engine.common.errors import Described, InvalidInputError
from engine.common.words import shown

if TYPE_CHECKING:
    from engine.scenes import Scene

__all__ = ["scene_command"]


def scene_command(
    file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A scene, an export of R.U.B.E. (.json), or an SVG.")] = None,
    out: Annotated[str | None, typer.Option("--out", metavar="F.json", help="Write it as a scene file.")] = None,
    pixels_per_metre: Annotated[float | None, typer.Option("--pixels-per-metre", metavar="N", help="Of an SVG; 100.")] = None,
    json_file: JsonFile = None,
    schema: Annotated[str | None, typer.Option("--schema", metavar="F.json", help="Write the JSON schema of scene files.")] = None,
) -> int:
    """Check a scene file and say what is in it, and what an import left out or changed.

    With --out an export of R.U.B.E. or a drawing becomes a scene file. A mistake in the file is reported with its line.
    """
    if file is None and schema is None:
        raise InvalidInputError("FILE", "a scene file, or --schema F.json", Described("nothing"))
    check_files({"FILE": file}, {"--out": out, "--schema": schema, "--json": json_file})
    if schema is not None:
        from engine.common.json_file import json_text
        from engine.scenes.models import scene_schema

        write_atomically(schema, json_text(scene_schema()))
    if file is not None:
        _tell(file, out, pixels_per_metre, json_file)
    elif out is not None or json_file is not None or pixels_per_metre is not None:
        raise InvalidInputError("FILE", "a scene file", Described("nothing"))
    return 0


def _tell(file: str, out: str | None, pixels_per_metre: float | None, json_file: str | None) -> None:
    from engine.app.scene_files import load_any_scene
    from engine.scenes import save_scene

    with named("--pixels-per-metre", "pixels_per_metre"):
        scene = load_any_scene(file, pixels_per_metre)
    if out is not None:
        save_scene(out, scene)
    counts = _counts(scene)
    write_json(json_file, {"file": file, "title": scene.title, **counts, "notes": list(scene.notes)})
    screen = people(json_file)
    screen.print(shown(scene.title or file), style="bold", markup=False)
    if scene.watch:
        screen.print(f"  {shown(scene.watch)}", markup=False)
    n_worlds, n_pictures = len(scene.all_worlds), sum(len(world.pictures) for world in scene.all_worlds)
    print_rows(screen, [("worlds", n_worlds)] if scene.worlds else [])
    print_rows(screen, [(name, _listed(count)) for name, count in counts.items()])
    print_rows(screen, [("pictures", n_pictures)] if n_pictures else [])
    for note in scene.notes:
        screen.print(f"  {shown(note)}", markup=False)
    if out is not None:
        screen.print(f"written to {out}", markup=False)


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


def _listed(counts: dict[str, int]) -> str:
    return f"{sum(counts.values())}" + (": " + ", ".join(f"{count} {name}" for name, count in counts.items()) if counts else "")
