"""What ten minutes of the past weigh, with a hand that pulls, plots, the log and a recorder beside."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.measuring import Record, record

__all__ = ["run"]

_TEN_MINUTES = 36_000
_SLOWEST = 3600.0
"""Seconds for ten minutes of a demo, on however busy a machine."""
_SCENES: tuple[tuple[str, Mapping[str, float]], ...] = (
    ("simple_shapes", {"count": 200}),
    ("ragdoll_pile", {}),
    ("simple_shapes", {"count": 1000}),
)


def run(quick: bool = False) -> list[Record]:
    """Weigh ten minutes of three scenes, one after the other: a quarter of an hour of processor time."""
    if quick:
        return _ten_minutes("simple_shapes", 600, {"count": 40})
    return [one for demo, values in _SCENES for one in _ten_minutes(demo, _TEN_MINUTES, values)]


def _ten_minutes(demo: str, steps: int, values: Mapping[str, float]) -> list[Record]:
    """Weigh a history in a process of its own, by what the operating system says of it."""
    given = [f"{name}={value}" for name, value in values.items()]
    command = [sys.executable, "-m", "benchmarks.history_memory", demo, str(steps), *given]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SLOWEST, check=True, cwd=Path(__file__).parents[1])
    found: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    seconds = steps / 60.0
    note = f"{demo}, {seconds:.0f} s, {found['inputs']} inputs"
    rest = found["grown"] - found["chronicle"] - found["measured_keyframes"]
    demo = f"{demo} with {found['bodies']} bodies"
    keyframes = f"{found['keyframes']} keyframes, {found['own_count'] / 1e6:.3g} MB by the history's own count"

    def megabytes(name: str, n_bytes: float, more: str = note) -> Record:
        return record(name, "MB", [1.0], note=more, amount=n_bytes / 1e6)

    return [
        megabytes(f"total memory, {demo}", found["grown"], "history, plots, log, an open recorder"),
        megabytes("  history", found["grown"] - found["chronicle"]),
        megabytes("    keyframes", found["measured_keyframes"], keyframes),
        megabytes("    inputs, hashes, digests", rest, f"{rest / steps:.0f} bytes per step"),
        megabytes("  plots and log", found["chronicle"], "only the newest steps, but the sums of all"),
        megabytes("one minute in a file", found["file"] / (seconds / 60.0)),
        record(f"going to any step of {seconds:.0f} s, {demo}", "ms", found["seeks"], note=f"{len(found['seeks'])} targets, elapsed time"),
        record("  the slowest", "ms", [max(found["seeks"])], note="elapsed time"),
    ]
