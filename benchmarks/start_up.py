"""Importing the engine in a fresh interpreter, against importing NumPy, which it needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import Record, record

__all__ = ["run"]

_ROOT = Path(__file__).resolve().parent.parent
_PROGRAM = "import time; start = time.process_time(); import {}; print(time.process_time() - start)"


def run(quick: bool = False) -> list[Record]:
    """Time the imports; the interpreter's own start is not in them."""
    names = ("engine, engine.geometry, engine.query", "engine.query.batch", "numpy")
    milliseconds: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(3 if quick else 9):
        for name in names:
            milliseconds[name].append(_import(name))
    ours = [name for name in names if name != "numpy"]
    return [record(f"import {name}", "ms", milliseconds[name], milliseconds["numpy"], "import numpy") for name in ours]


def _import(modules: str) -> float:
    command = [sys.executable, "-c", _PROGRAM.format(modules)]
    ran = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=True, timeout=60)
    return float(ran.stdout)
