"""Measure the memory of ten minutes of history while the pointer drags bodies and plots, log and recorder run."""

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
    return [row for demo, values in _SCENES for row in _ten_minutes(demo, _TEN_MINUTES, values)]


def _ten_minutes(demo: str, steps: int, values: Mapping[str, float]) -> list[Record]:
    """Weigh a history in a process of its own, by what the operating system says of it."""
    settings = [f"{name}={value}" for name, value in values.items()]
    command = [sys.executable, "-m", "benchmarks.history_memory", demo, str(steps), *settings]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=_SLOWEST, check=True, cwd=Path(__file__).parents[1])
    measured: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    seconds = steps / 60.0
    note = f"{demo}, {seconds:.0f} s, {measured['inputs']} inputs"
    rest = measured["grown"] - measured["chronicle"] - measured["measured_keyframes"]
    demo = f"{demo} with {measured['bodies']} bodies"
    keyframes = f"{measured['keyframes']} keyframes, {measured['own_count'] / 1e6:.3g} MB by the history's own count"

    def megabytes(name: str, n_bytes: float, more: str = note) -> Record:
        return record(name, "MB", [1.0], note=more, amount=n_bytes / 1e6)

    return [
        megabytes(f"total memory, {demo}", measured["grown"], "history, plots, log, an open recorder"),
        megabytes("  history", measured["grown"] - measured["chronicle"]),
        megabytes("    keyframes", measured["measured_keyframes"], keyframes),
        megabytes("    inputs, hashes, digests", rest, f"{rest / steps:.0f} bytes per step"),
        megabytes("  plots and log", measured["chronicle"], "only the newest steps, but the sums of all"),
        megabytes("one minute in a file", measured["file"] / (seconds / 60.0)),
        record(
            f"going to any step of {seconds:.0f} s, {demo}", "ms", measured["seeks"], note=f"{len(measured['seeks'])} targets, elapsed time"
        ),
        record("  the slowest", "ms", [max(measured["seeks"])], note="elapsed time"),
    ]
