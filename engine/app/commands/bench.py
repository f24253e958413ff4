"""``bench``: the measurements of `benchmarks/`, as a table."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import typer

from engine.app.commands.output import check_json_target, people, progress, warming, write_json
from engine.common.errors import InvalidInputError

__all__ = ["bench_command"]


def bench_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAMES]...", help="Which; without any, all.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small and few: whether it runs, not how fast it is.")] = False,
    json_file: Annotated[str | None, typer.Option("--json", metavar="FILE", help="Write JSON; - is standard output.")] = None,
) -> None:
    """Measure our speed, each time in turn with a peer where there is one: one thread, medians."""
    registry = _registry()
    known: dict[str, str] = registry.BENCHMARKS
    wanted = list(dict.fromkeys(names or known))
    for name in wanted:
        if name not in known:
            raise InvalidInputError("NAMES", "among " + ", ".join(known), name)
    check_json_target(json_file)

    from engine import query

    with warming():
        query.warm_up()
    records: list[Any] = []
    with progress("measuring", len(wanted)) as one_done:
        for name in wanted:
            records += registry.load(name)(quick)
            one_done()

    from rich.table import Table

    table = Table("name", "ours", "peer", "ratio", "spread", "note", box=None, header_style="bold")
    for one in records:
        peer = "" if one.peer is None else f"{_number(one.peer, one.unit)} {one.peer_name}"
        ratio = "" if one.ratio is None else f"{one.ratio:.3g}x"
        table.add_row(one.name, _number(one.ours, one.unit), peer, ratio, f"{one.spread:.0%}", one.note)
    console = people(json_file)
    console.print(table)
    if records:
        console.print(f"{records[0].machine}; " + ", ".join(f"{name} {version}" for name, version in records[0].versions.items()))
    write_json(json_file, {"quick": quick, "records": [one.as_json() for one in records]})


def _registry() -> Any:
    try:
        return importlib.import_module("benchmarks.registry")
    except ModuleNotFoundError:
        raise InvalidInputError("bench", "run from the project's folder, where benchmarks/ lies", "no such folder") from None


def _number(value: float, unit: str) -> str:
    if unit == "pairs/s":
        return f"{value / 1e6:.2f} M pairs/s"
    return f"{value:.3g} {unit}"
