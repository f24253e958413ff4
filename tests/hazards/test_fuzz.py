"""A world under random commands, each run in a process of its own: no abort, no stray exception, and the same run twice.

One seed a mode by default, two modes run twice, with memory as it comes and filled. More:
``FUZZ_SEEDS=200 FUZZ_COMMANDS=2000 python -m pytest tests/hazards/test_fuzz.py``.
"""

from __future__ import annotations

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
"""Seconds a run may take."""


def run(mode, seed, memory="0", solver=DEFAULT):
    """What a run saw. `memory` other than "0" is a byte that malloc fills what it hands out with (the C library of Linux only)."""
    command = [sys.executable, "-m", "tests.hazards.fuzz", mode, str(seed), str(COMMANDS), solver]
    environment = {**os.environ, "MALLOC_PERTURB_": memory}
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, cwd=ROOT, env=environment)
    assert done.returncode == 0, f"{' '.join(command[1:])} ended with {done.returncode}:\n{done.stderr[-3000:]}"
    found = json.loads(done.stdout.splitlines()[-1])
    del found["slowest_ms"]  # which no two runs have alike
    return found


CASES = [
    *((mode, DEFAULT) for mode in MODES),  # where the mode chooses solvers by itself, this is none
    *(pytest.param(mode, "soft_step", marks=pytest.mark.slow) for mode in MODES if mode != "solvers"),
]


@pytest.mark.parametrize(("mode", "solver"), CASES)
def test_random_commands_neither_crash_nor_change_a_replay(mode, solver):
    seen = Counter()
    for seed in range(SEEDS):
        found = run(mode, seed, solver=solver)
        # Box2D reads what it never wrote in a wheel joint without a spring: by chance a NaN, and a run that is not its replay
        if mode in ("plain", "solvers"):
            assert run(mode, seed, "1", solver) == found, f"seed {seed}: what memory held before changes the run"
        assert (found.pop("mode"), found.pop("seed")) == (mode, seed)
        found.pop("hash")
        seen.update(found)
    assert seen["step"] > 0.2 * COMMANDS * SEEDS
    changes = ("set_body", "set_fixture", "set_joint", "set_settings", "apply_impulse")
    for name in ("create_body", "destroy_body", "create_joint", *changes, "refused"):
        assert seen[name] > 0, (name, seen)
    if mode == "hooks":
        assert seen["raised by a hook"] > 0
    if mode == "solvers":
        assert seen["set_solver"] > 0 and seen["from_snapshot"] > 0
    if mode in ("snapshot", "solvers"):
        assert seen["restore"] > 0 and seen["restored"] == SEEDS


def test_a_run_that_ends_badly_is_noticed(monkeypatch):
    """An abort, as Box2D's asserts make it, fails the run with the seed that shows it."""
    monkeypatch.setattr(sys, "executable", "/bin/false") if os.name == "posix" else pytest.skip("needs /bin/false")
    with pytest.raises(AssertionError, match=r"tests.hazards.fuzz plain 7 .* ended with 1"):
        run("plain", 7)
