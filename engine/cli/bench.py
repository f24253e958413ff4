"""``bench``: run the benchmarks in `benchmarks/`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from engine.cli.options import JsonFile, argument, command, entries, option
from engine.cli.output import collected, unfinished
from engine.common.installation import laboratory
from engine.report import Report, Table

__all__ = ["NAMES", "bench_command"]

NAMES = (
    "manifold, overlap, distance, time_of_impact, threads, broad_phase, growth, trace, "
    "scalar_query, waiting, compiling, rewind, history, frame, network, player, worlds, dynamics"
)
"""Names in `benchmarks.registry`, repeated to avoid importing it for the help text."""


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """Options of ``bench``."""

    names: list[str] | None = argument("NAMES", f"Benchmarks: {NAMES}. Without: all but compiling, history, player and waiting.", None)
    quick: bool = option("", "Run a reduced version as a smoke test; the times are not meaningful.", False)
    json: JsonFile = None


@command
def bench_command(args: BenchOptions) -> Report:
    """Measure our speed on one thread, alternating with a peer library if there is one. Ctrl-C prints the results so far."""
    registry = _registry()
    known: dict[str, str] = registry.BENCHMARKS
    chosen = entries(args.names or [name for name in known if name not in registry.LONG], {name: name for name in known})

    done = collected("measuring", (registry.load(name)(args.quick) for name in chosen), len(chosen))
    records: list[Any] = [record for measured in done for record in measured]
    result = {"quick": args.quick, "records": [record.as_json() for record in records]}
    parts: list[Any] = []
    if records:
        versions = ", ".join(f"{name} {version}" for name, version in records[0].versions.items())
        heads = ("name", "ours", "peer", "ratio", "spread", "note")
        parts = [Table("", heads, tuple(map(_row, records)), tuple(range(len(heads)))), f"{records[0].machine}; {versions}"]
    return Report(result, parts, interrupted=unfinished(len(done), len(chosen), "benchmark"))


def _row(record: Any) -> tuple[str, ...]:
    peer = "" if record.peer is None else f"{_number(record.peer, record.unit)} {record.peer_name}"
    ratio = "" if record.ratio is None else f"{record.ratio:.3g}x"
    return record.name, _number(record.ours, record.unit), peer, ratio, f"{record.spread:.0%}", record.note


def _registry() -> Any:
    laboratory()
    return importlib.import_module("benchmarks.registry")


def _number(value: float, unit: str) -> str:
    return f"{value / 1e6:.2f} M pairs/s" if unit == "pairs/s" else f"{value:.3g} {unit}"
