"""A world under random commands, in separate processes: no abort, no unexpected exception, and reproducible runs.

By default, one seed per mode; the slow tests run two modes again with prefilled memory. More:
``FUZZ_SEEDS=200 FUZZ_COMMANDS=2000 python -m pytest tests/hazards/test_fuzz.py``.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from engine.world.solver import DEFAULT
from tests.hazards.fuzz import MODES
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SEEDS = int(os.environ.get("FUZZ_SEEDS", "1"))
COMMANDS = int(os.environ.get("FUZZ_COMMANDS", "300"))
LONGEST = PATIENCE + COMMANDS
"""Seconds that a mode and seed may take."""


def run(modes, seeds, memory="0", solver=DEFAULT):
    """Return the reports of the runs. If `memory` is not "0", it is a byte with which malloc fills memory (glibc only)."""
    command = [sys.executable, "-m", "tests.hazards.fuzz", ",".join(modes), ",".join(map(str, seeds)), str(COMMANDS), solver]
    environment = {**os.environ, "MALLOC_PERTURB_": memory}
    longest = LONGEST * len(modes) * len(seeds)
    done = subprocess.run(command, capture_output=True, text=True, timeout=longest, cwd=ROOT, env=environment)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, f"{' '.join(command[1:])} ended with {done.returncode} after {lines[-1:]}:\n{done.stderr[-3000:]}"
    runs = {}
    for line in lines:
        seen = json.loads(line)
        del seen["slowest_ms"]  # which no two runs have alike
        runs[seen.pop("mode"), seen.pop("seed")] = seen
    return runs


@pytest.mark.parametrize("solver", [DEFAULT, pytest.param("soft_step", marks=pytest.mark.slow)])
def test_random_commands_neither_crash_nor_change_a_replay(solver):
    modes = [mode for mode in MODES if mode != "solvers" or solver == DEFAULT]  # that mode chooses solvers by itself
    runs = {}
    for seeds in (range(0, SEEDS, 2), range(1, SEEDS, 2)):  # of one parity, see `main`
        if seeds:
            runs.update(run(modes, seeds, solver=solver))
    assert len(runs) == len(modes) * SEEDS
    for mode in modes:
        seen = Counter()
        for seed in range(SEEDS):
            runs[mode, seed].pop("hash")
            seen.update(runs[mode, seed])
        assert seen["step"] > 0.2 * COMMANDS * SEEDS
        changes = ("set_body", "set_fixture", "set_joint", "set_settings", "apply_impulse")
        for name in ("create_body", "destroy_body", "create_joint", *changes, "refused"):
            assert seen[name] > 0, (mode, name, seen)
        if mode == "hooks":
            assert seen["raised by a hook"] > 0
        if mode == "solvers":
            assert seen["set_solver"] > 0 and seen["from_snapshot"] > 0
        if mode in ("snapshot", "solvers"):
            assert seen["restore"] > 0 and seen["restored"] == SEEDS


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "solver"), [("plain", DEFAULT), ("solvers", DEFAULT), ("plain", "soft_step")])
def test_what_memory_held_before_changes_no_run(mode, solver):
    """Box2D reads what it never wrote in a wheel joint without a spring: by chance a NaN, and a run that is not its replay."""
    assert run([mode], [0], solver=solver) == run([mode], [0], "1", solver)


def test_a_crashed_run_is_detected(monkeypatch):
    """An abort by one of Box2D's assertions fails the run with its seed."""
    monkeypatch.setattr(sys, "executable", "/bin/false") if os.name == "posix" else pytest.skip("needs /bin/false")
    with pytest.raises(AssertionError, match=r"tests.hazards.fuzz plain 7 .* ended with 1"):
        run(["plain"], [7])
