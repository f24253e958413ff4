"""``list``: all demos."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.app.commands.output import check_json_target, people, write_json

__all__ = ["list_command"]


def list_command(
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
) -> None:
    """Print all demos: id, category, title."""
    check_json_target(json_file)
    from rich.table import Table

    from engine.app.registry import all_demos

    demos = all_demos()
    table = Table("id", "category", "title", box=None, header_style="bold", pad_edge=False)
    for demo in demos:
        table.add_row(demo.id, demo.category, demo.title)
    people(json_file).print(table)
    write_json(json_file, {"demos": [{"id": demo.id, "category": demo.category, "title": demo.title} for demo in demos]})
