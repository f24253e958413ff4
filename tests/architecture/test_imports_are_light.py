"""Importing the engine loads no optional library, checked in a fresh interpreter without a display."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    *("pygame", "Box2D", "numba", "llvmlite", "scipy", "shapely", "PIL", "contourpy", "wasmtime"),
    *("msgspec", "websockets", "asyncio", "pydantic", "matplotlib", "jinja2"),
)

PROGRAM = """
import sys, time
start = time.perf_counter()
import {modules}
elapsed = time.perf_counter() - start
print(f"{{elapsed:.3f}}", *[name for name in {heavy!r} if name in sys.modules])
"""


@pytest.mark.parametrize("modules", ["engine, engine.geometry, engine.query, engine.world", "engine.cli.main"])
def test_an_import_loads_no_heavy_library(modules):
    environment = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    program = PROGRAM.format(modules=modules, heavy=HEAVY)
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ran.returncode == 0, ran.stderr
    seconds, *loaded = ran.stdout.split()
    print(f"import {modules}: {seconds} s")
    assert loaded == []


def test_the_help_loads_no_heavy_library():
    program = f"import sys; from engine.cli.main import main; main(['--help']); print(*[one for one in {HEAVY!r} if one in sys.modules])"
    command = [sys.executable, "-c", program]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, ""), ran.stderr


def test_the_simulation_loads_no_pygame():
    modules = "engine.demo, engine.sim.history, engine.sim.recordings, engine.sim.comparison"
    program = f"import sys, {modules}; print(*[name for name in ('pygame', 'engine.app') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, []), ran.stderr
