"""``list``: all demos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from engine.cli.output import check_json_target, people, write_json

if TYPE_CHECKING:
    from engine.demo.base import Demo

__all__ = ["list_command"]


def list_command(
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
) -> None:
    """Print all demos: id, category, title, and the parameters that ``run ID --set NAME=VALUE`` takes."""
    check_json_target(json_file)
    from rich.table import Table

    from engine.demo.registry import all_demos

    demos = all_demos()
    table = Table("id", "category", "title", "--set", box=None, header_style="bold", pad_edge=False)
    for demo in demos:
        table.add_row(demo.id, demo.category, demo.title, ", ".join(parameter.name for parameter in demo.parameters))
    people(json_file).print(table)
    write_json(json_file, {"demos": [_as_json(demo) for demo in demos]})


def _as_json(demo: type[Demo]) -> dict[str, object]:
    parameters = [
        {
            "name": parameter.name,
            "default": parameter.default,
            "low": parameter.low,
            "high": parameter.high,
            "unit": parameter.unit,
            "whole": parameter.whole,
            "choices": list(parameter.choices),
            "several": parameter.several,
            "description": parameter.description,
        }
        for parameter in demo.parameters
    ]
    return {"id": demo.id, "category": demo.category, "title": demo.title, "parameters": parameters}
