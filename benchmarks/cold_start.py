"""The first start of all: how long compiling into an empty cache takes, as the window goes about it.

The window itself is not open, so all the machine's cores are the compiler's, but for whatever else runs. Seconds are the clock's, because
somebody waits for them; beside them stands the processor time of all processes, which says what they would be alone (of those that still
compile only on Linux, which reports it).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.measuring import Record, record

__all__ = ["run"]

_ROOT = Path(__file__).resolve().parent.parent
_PROGRAM = """
import glob, json, os, sys, time
started = time.perf_counter()
from engine.app.warmup import RefereeWarmup
from engine.common.jit import n_in_cache

def of_those_that_run():
    ticks = 0
    for children in glob.glob("/proc/self/task/*/children"):
        for process in open(children).read().split():
            ticks += sum(map(int, open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0

def stage():
    times = os.times()
    own = times.user + times.system
    return time.perf_counter() - started, n_in_cache(), own, own + times.children_user + times.children_system + of_those_that_run()

warmup, stages = RefereeWarmup(), []
warmup.start()
while warmup.factory is None and not warmup.wait(0.02):
    pass
stages.append(stage())
if len(sys.argv) > 1:
    warmup.close()
else:
    while not warmup.is_complete and not warmup.wait(0.02):
        pass
    stages.append(stage())
    warmup.wait(1e6)
    stages.append(stage())
print(json.dumps([warmup.failure, stages]))
"""
_STAGES = ("the live check of discs and polygons works", "every demo can start", "everything is compiled")


def run(quick: bool = False) -> list[Record]:
    """Start once, in an empty cache; `quick` only until the live check answers."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "NUMBA_DISABLE_JIT": "0"}
        command = [sys.executable, "-c", _PROGRAM, *(["quick"] if quick else [])]
        ran = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=True)
    failure, stages = json.loads(ran.stdout)
    if failure:
        raise RuntimeError(failure)
    records = []
    for what, (seconds, n_functions, own, everybody) in zip(_STAGES, stages, strict=False):
        note = f"{n_functions} functions; processor time {everybody:.1f} s, {own:.1f} s of it in the window's process"
        records.append(replace(record(f"until {what}", "s", [seconds]), note=note))
    return records
