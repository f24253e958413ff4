"""``list``: all demos."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cli.options import JsonFile
from engine.cli.output import check_files, people, text_table, write_json

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["list_command"]


def list_command(json_file: JsonFile = None) -> None:
    """Print all demos: id, category, title, and the parameters that ``run ID --set NAME=VALUE`` takes."""
    check_files({}, {"--json": json_file})
    from engine.sim.registry import all_demos

    demos = all_demos()
    table = text_table("id", "category", "title", "--set")
    for demo in demos:
        table.add_row(demo.id, demo.category, demo.title, ", ".join(parameter.name for parameter in demo.parameters))
    write_json(json_file, {"demos": [_as_json(demo) for demo in demos]})
    people(json_file).print(table)


def _as_json(demo: type[Demo]) -> dict[str, object]:
    names = ("name", "default", "low", "high", "unit", "whole", "choices", "several", "description")
    parameters = [{name: getattr(parameter, name) for name in names} for parameter in demo.parameters]
    return {"id": demo.id, "category": demo.category, "title": demo.title, "parameters": parameters}
