"""Importing is cheap: it loads neither kernels nor engines."""

import subprocess
import sys

from tests.waiting import PATIENCE

IMPORT = """
import sys
from engine import query
from engine.geometry import Circle, Polygon, Transform
loaded = [name for name in ("numba", "Box2D", "pygame") if name in sys.modules]
assert not loaded, loaded
assert query.overlap(Circle(1.0), Transform(), Polygon.box(1.0, 1.0), Transform((1.0, 0.0)))
assert "Box2D" not in sys.modules and "pygame" not in sys.modules
"""


def test_importing_loads_neither_kernels_nor_engines():
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
