"""Compiles the kernels once, before the test processes start: each would compile them for itself otherwise, all at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

QUESTIONS = "from engine.query import warm_up; warm_up(everything=True)"
"""Of which `engine.common.jit.cache_is_warm` tells."""

STRUCTURES = """
import numpy as np
from engine.broadphase import STRUCTURES
from engine.broadphase.tree_pairs import pairs_between
from engine.decompose import Outline
from engine.decompose.decompose import METHODS, decompose
rng = np.random.default_rng(0)
low = rng.uniform(0.0, 30.0, (400, 2))
boxes = np.column_stack((low, low + rng.uniform(0.1, 2.0, (400, 2))))
for structure in STRUCTURES:
    phase = structure()
    phase.pairs(boxes)
    phase.move(np.arange(5), boxes[:5] + 0.5)
    phase.remove(phase.insert(boxes[:3]))
    phase.pairs(), phase.regions(boxes[:40]), phase.rays(low[:40], np.ones((40, 2)))
star = Outline.of_polygon([(2.0, 0.0), (0.5, 0.5), (0.0, 2.0), (-0.5, 0.5), (-2.0, 0.0), (0.0, -0.5)])
for method in METHODS:
    decompose(star, method)
"""


def pytest_sessionstart(session: pytest.Session) -> None:
    """In the process that hands out the tests, if any others are to run them and nothing is compiled yet."""
    from engine.common.jit import cache_is_warm

    hands_out = not hasattr(session.config, "workerinput") and bool(getattr(session.config.option, "numprocesses", 0))
    if not hands_out or cache_is_warm() or os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return
    started = [subprocess.Popen([sys.executable, "-c", program], cwd=ROOT) for program in (STRUCTURES, QUESTIONS)]
    for process in started:
        process.wait()  # what goes wrong there goes wrong in a test, too, and is told there
