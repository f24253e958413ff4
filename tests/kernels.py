"""Compiles the kernels that the tests use, once and before they begin: each test process would compile them for itself otherwise.

As many processes as there will be of tests share the work by chapters: a chapter is done by whoever is the first to make its file in
the folder that is named to them. A kernel that two chapters use is compiled by the first that comes to it, and the other waits for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["compile_all"]

ROOT = Path(__file__).resolve().parents[1]
_LOOK = 0.02
"""Seconds from one look whether another process has compiled a kernel to the next."""


def compile_all(n_processes: int) -> None:
    """Let so many processes compile them. What goes wrong there goes wrong in a test, too, and is told there."""
    with tempfile.TemporaryDirectory() as folder:
        program = "import sys; from tests.kernels import share; share(sys.argv[1])"
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        started = [subprocess.Popen([sys.executable, "-c", program, folder], cwd=ROOT, env=environment) for _ in range(n_processes)]
        for process in started:
            process.wait()


def share(folder: str) -> None:
    """Compile the chapters that nobody else has begun."""
    _compile_one_after_the_other(Path(folder))
    for chapter in CHAPTERS:
        try:
            Path(folder, chapter.__name__).touch(exist_ok=False)
        except FileExistsError:
            continue
        chapter()


def _compile_one_after_the_other(folder: Path) -> None:
    """Keep a second process from compiling what a first one is at; nor may two write the list of a kernel's compiled forms at once."""
    from numba.core.dispatcher import Dispatcher

    from engine.common.locks import held

    at_will, mine = Dispatcher.compile, set()

    def compile_in_turn(self: Any, signature: object) -> object:
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if name in mine:
            return at_will(self, signature)
        while True:
            with held(folder / f"{name}.lock") as is_held:
                if is_held:
                    mine.add(name)
                    try:
                        return at_will(self, signature)
                    finally:
                        mine.remove(name)
            time.sleep(_LOOK)

    Dispatcher.compile = compile_in_turn


def _live() -> None:
    """The live check, of which `engine.common.jit.cache_is_warm` tells."""
    from engine.query import warm_up

    warm_up()


def _broad_phases() -> None:
    import numpy as np

    from engine.broadphase import STRUCTURES

    rng = np.random.default_rng(0)
    low = rng.uniform(0.0, 30.0, (400, 2))
    boxes = np.column_stack((low, low + rng.uniform(0.1, 2.0, (400, 2))))
    for structure in STRUCTURES:
        phase = structure()
        phase.pairs(boxes)
        phase.move(np.arange(5), boxes[:5] + 0.5)
        phase.remove(phase.insert(boxes[:3]))
        phase.pairs(), phase.regions(boxes[:40]), phase.rays(low[:40], np.ones((40, 2)))


def _volumes() -> None:
    import numpy as np

    from engine.bounding.batch import VolumeBatch
    from engine.bounding.kinds import KINDS
    from engine.bounding.trade_off import outlines_meeting

    star = np.array([(2.0, 0.0), (0.5, 0.5), (0.0, 2.0), (-0.5, 0.5), (-2.0, 0.0), (0.0, -0.5)])
    poses = np.zeros((4, 3))
    for kind in KINDS:
        batch = VolumeBatch(kind, [star], 12)
        batch.overlap(batch.update(np.zeros(4, dtype=int), poses), np.array([(0, 1), (2, 3)]))
    outlines_meeting([star], poses)


def _box2d() -> None:
    import numpy as np

    from engine.box2d import memory
    from engine.box2d.hull_oracle import box2d_hulls

    memory.load()
    box2d_hulls([np.array([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)])])


def _casts() -> None:
    from engine.query import casts

    casts.warm()


def _distances() -> None:
    from engine.query import contact_sets, distances

    distances.warm()
    contact_sets.warm()


def _traces() -> None:
    from engine.geometry import Polygon, Transform
    from engine.narrowphase import manifold, sat

    box, here = Polygon.box(0.5, 0.5), Transform()
    manifold.manifold(box, here, box, here, trace=manifold.new_trace(1))
    sat.overlap_polygons(box, here, box, here, trace=sat.new_trace(1))


CHAPTERS: tuple[Callable[[], None], ...] = (_live, _broad_phases, _volumes, _box2d, _casts, _distances, _traces)
"""The longest first, and first those that have little in common: the live check takes as long as the three after it together."""
