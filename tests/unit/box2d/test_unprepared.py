"""A world without `prepare` is as fast as any: it reads Box2D's memory from its first step on, with the same bits (issue 29)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
RUN = """
import os
from hashlib import blake2b
from engine.common.jit import MEMORY, hold_back, let_go
from engine.geometry import Circle, Polygon
from engine.world import BodySpec, FixtureSpec, World

import numba  # before the fork: it takes longest
if os.fork():
    os.wait()  # the other process holds it back
else:
    hold_back(MEMORY)
world = World(solver="box2d")
world.create_body(BodySpec((FixtureSpec(Polygon.box(9.0, 0.5)),), "static"))
for k in range(12):
    shape = Circle(0.4) if k % 3 else Polygon.box(0.4, 0.3)
    world.create_body(BodySpec((FixtureSpec(shape),), position=(0.7 * (k % 4), 1.0 + 0.8 * (k // 4)), angle=0.3 * k))
seen = blake2b()
for step in range(56):
    contacts = world.step()
    for name in ("fixture_a", "fixture_b", "position", "normal", "separation", "normal_impulse"):
        seen.update(getattr(contacts, name).tobytes())
    if step == 50:
        let_go(MEMORY)
        World(solver="box2d")  # another one, and the reader is there for both
print(type(world._solver._cache.reader).__name__, seen.hexdigest(), world.state_hash(), flush=True)
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or not hasattr(os, "fork"), reason="memory is out of reach then")
def test_an_unprepared_world_reads_memory_with_the_same_bits():
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT, check=True)
    slow, fast = done.stdout.splitlines()
    assert fast.startswith("MemoryReader ") and fast == slow
