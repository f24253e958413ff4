"""``list``: list all demos."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.cli.options import JsonFile, command
from engine.report import Report, Table

if TYPE_CHECKING:
    from engine.sim.demo import Demo

__all__ = ["list_command"]


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """Options of ``list``."""

    json: JsonFile = None


@command
def list_command(args: ListOptions) -> Report:
    """List the id, category and title of all demos, and the parameters for ``run ID --set NAME=VALUE``."""
    from engine.sim.registry import all_demos

    demos = all_demos()
    rows = tuple((demo.id, demo.category, demo.title, ", ".join(parameter.name for parameter in demo.parameters)) for demo in demos)
    table = Table("", ("id", "category", "title", "--set"), rows, tuple(range(4)))
    return Report({"demos": [_as_json(demo) for demo in demos]}, (table,))


def _as_json(demo: type[Demo]) -> dict[str, object]:
    names = ("name", "default", "low", "high", "unit", "whole", "choices", "several", "description")
    parameters = [{name: getattr(parameter, name) for name in names} for parameter in demo.parameters]
    return {"id": demo.id, "category": demo.category, "title": demo.title, "parameters": parameters}
