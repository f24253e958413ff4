"""``bench``: the measurements of `benchmarks/`, as a table."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from engine.cli.options import JsonFile
from engine.cli.output import InterruptedRunError, check_files, people, progress, warming, write_json
from engine.common.errors import InvalidInputError
from engine.common.words import counted, meant

__all__ = ["NAMES", "bench_command"]

NAMES = (
    "manifold, overlap, distance, time_of_impact, swept, threads, bounding, broad_phase, broad_phase_growth, scene, growth, trace, "
    "scalar_query, cold_start, tracing, start_up, rewind, history, frame, network, dynamics"
)
"""Those of `benchmarks.registry`, which is not imported for the sake of a line of help."""


def bench_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAMES", help=f"Which: {NAMES}. Without any, all but two long ones.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small and few: whether it runs, not how fast it is.")] = False,
    json_file: JsonFile = None,
) -> None:
    """Measure our speed, each time in turn with a peer where there is one: one thread, medians. Ctrl-C ends with what was measured."""
    registry = _registry()
    known: dict[str, str] = registry.BENCHMARKS
    chosen = list(dict.fromkeys(names or [name for name in known if name not in registry.LONG]))
    for name in chosen:
        if name not in known:
            raise InvalidInputError("NAMES", "among " + ", ".join(known) + meant(name, known), name)
    check_files({}, {"--json": json_file})

    from engine import query

    if not registry.COLD.issuperset(chosen):
        with warming():
            query.warm_up()
    records: list[Any] = []
    n_done = 0
    with progress("measuring", len(chosen)) as one_done, contextlib.suppress(KeyboardInterrupt):
        for name in chosen:
            records += registry.load(name)(quick)
            n_done += 1
            one_done()
    result = {"quick": quick, "records": [record.as_json() for record in records]}
    write_json(json_file, result if n_done == len(chosen) else {**result, "interrupted": True})
    if records:
        _print(records, json_file)
    if n_done < len(chosen):
        raise InterruptedRunError(f"interrupted after {n_done} of {counted(len(chosen), 'benchmark')}")


def _print(records: Sequence[Any], json_file: str | None) -> None:
    from rich.table import Table

    table = Table("name", "ours", "peer", "ratio", "spread", "note", box=None, header_style="bold")
    for record in records:
        peer = "" if record.peer is None else f"{_number(record.peer, record.unit)} {record.peer_name}"
        ratio = "" if record.ratio is None else f"{record.ratio:.3g}x"
        table.add_row(record.name, _number(record.ours, record.unit), peer, ratio, f"{record.spread:.0%}", record.note)
    console = people(json_file)
    console.print(table)
    console.print(f"{records[0].machine}; " + ", ".join(f"{name} {version}" for name, version in records[0].versions.items()))


def _registry() -> Any:
    try:
        return importlib.import_module("benchmarks.registry")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "benchmarks":
            raise
        raise InvalidInputError("bench", "run from the project's folder, where benchmarks/ lies", "no such folder") from None


def _number(value: float, unit: str) -> str:
    if unit == "pairs/s":
        return f"{value / 1e6:.2f} M pairs/s"
    return f"{value:.3g} {unit}"
