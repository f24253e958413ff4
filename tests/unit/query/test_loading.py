"""Importing is cheap, and after `warm_up` nothing is compiled."""

import subprocess
import sys

import pytest

from engine import query
from engine.compare.bulk import comparison
from engine.geometry import _rotation_kernel
from engine.narrowphase import _extent_kernel, _manifold_kernel, _overlap_kernel
from tests.waiting import PATIENCE

IMPORT = """
import sys
from engine import query
from engine.geometry import Circle, Polygon, Transform
loaded = [name for name in ("numba", "Box2D", "pygame") if name in sys.modules]
assert not loaded, loaded
query.is_warm()
assert "numba" not in sys.modules
assert query.overlap(Circle(1.0), Transform(), Polygon.box(1.0, 1.0), Transform((1.0, 0.0)))
assert "Box2D" not in sys.modules and "pygame" not in sys.modules
"""


def test_importing_loads_neither_kernels_nor_engines():
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


def test_after_warming_up_nothing_is_compiled():
    query.warm_up()
    kernels = (
        _manifold_kernel.manifold_pairs,
        _rotation_kernel.turn_poses,
        _overlap_kernel.overlap_pairs,
        _extent_kernel.gaps_along,
    )
    if not hasattr(kernels[0], "signatures"):
        pytest.skip("NUMBA_DISABLE_JIT is set")
    before = [len(kernel.signatures) for kernel in kernels]
    comparison.compare(500, 1)
    assert [len(kernel.signatures) for kernel in kernels] == before
    assert query.is_warm()


WARMED = """
from engine import query
query.warm_up()
import numpy as np
from engine.geometry import Circle, Polygon
from engine.narrowphase import _core_manifold_kernel, _manifold_kernel
from engine.query import batch

def loaded():
    modules = (_core_manifold_kernel, _manifold_kernel)
    return {name: len(f.signatures) for module in modules for name, f in vars(module).items() if hasattr(f, "signatures")}

before = loaded()
shapes = batch.ShapeBatch([Circle(0.5)] + [Polygon.regular(n, 0.5, skin_radius=0.01) for n in range(3, 17)])
rng = np.random.default_rng(1)
pairs, poses = rng.integers(0, 15, (4000, 2)), rng.uniform(-1.0, 1.0, (2, 4000, 3))
for rule in ("exact", "box2d"):
    batch.manifold(shapes, pairs, *poses, rule=rule)
assert loaded() == before, (before, loaded())
"""


def test_after_warming_up_a_crowded_world_compiles_nothing():
    """It runs in its own process, because other tests have already compiled these kernels here."""
    if not hasattr(_manifold_kernel.manifold_pairs, "signatures"):
        pytest.skip("NUMBA_DISABLE_JIT is set")
    done = subprocess.run([sys.executable, "-c", WARMED], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
