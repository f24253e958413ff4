"""Everything that is compiled ahead, part by part, by as many processes as are wanted.

The parts stand in the order of likely use. Each process takes the first part that no process has begun, by being the first to make its file
in a folder that all of them share, and makes a second file when it is done with it: then its kernels are on disk, and a process
that wants them loads them from there, by running the part too. The processes live through all parts: what a kernel has in common
with one before, and Numba itself, each makes ready once, a fifth of the time of those that a demo waits for.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.common import compile_notice
from engine.common.interrupts import DeferredInterrupt
from engine.common.jit import compile_in_turn
from engine.world import load_solver, solvers

__all__ = ["ASKED", "CHECK", "EDGES", "EVERYTHING", "LONGEST", "RUNNING", "Compilers", "elsewhere", "n_cores", "run_part"]

_ROOT = Path(__file__).resolve().parents[2]
_SHARE = "import sys; from engine.app.compiling import share; share(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5:])"
_LOW_PRIORITY = 5
"""Of what is not waited for, as `nice` has it."""
_UNCLEARED = 10.0
"""Seconds of processor time after which a process looks for memory to give back: less than the longest part takes, which leaves as much."""
LONGEST = 1800.0
"""Seconds: a minute where nothing else runs, ten on a busy machine. To give up sooner would be to compile here, and stall the window."""
_LOOK = 0.1
"""Seconds from one look which parts have ended to the next."""


def _questions(*names: str) -> None:
    from engine.query import warming

    for name in names:
        for question in {**warming.SANDBOX, **warming.LIBRARY}[name]():
            with DeferredInterrupt():
                question()


def _world() -> None:
    """What the check of a world needs beside the manifolds, and what draws it."""
    import numpy as np

    from engine.broadphase import Grid
    from engine.compare.verdicts.manifolds import compile_ahead
    from engine.render.raster import load_raster

    load_raster()
    load_solver().prepare()
    compile_ahead()
    _questions("boxes", "overlaps", "gaps")
    Grid().pairs(np.tile((0.0, 0.0, 1.0, 1.0), (3, 1)))


def _broad_phases() -> None:
    """What no demo asks of them: boxes that come and go, and how good a tree is."""
    import numpy as np

    from engine.broadphase import STRUCTURES, TopDownTree, quality

    rng = np.random.default_rng(0)
    low = rng.uniform(0.0, 30.0, (400, 2))
    boxes = np.column_stack((low, low + rng.uniform(0.1, 2.0, (400, 2))))
    for structure in STRUCTURES:
        phase = structure()
        phase.pairs(boxes)
        phase.move(np.arange(5), boxes[:5] + 0.5)
        phase.remove(phase.insert(boxes[:3]))
        phase.pairs(), phase.regions(boxes[:40]), phase.rays(low[:40], np.ones((40, 2)))
        phase.move(np.arange(1), boxes[:1] + 0.25)
        phase.pairs()
    tree = TopDownTree()
    tree.pairs(boxes)
    quality(tree.tree)


def _volumes() -> None:
    import numpy as np

    from engine.bounding.batch import VolumeBatch
    from engine.bounding.kinds import KINDS
    from engine.bounding.outlines import outlines_meeting

    star = np.array([(2.0, 0.0), (0.5, 0.5), (0.0, 2.0), (-0.5, 0.5), (-2.0, 0.0), (0.0, -0.5)])
    poses = np.zeros((4, 3))
    for kind in KINDS:
        batch = VolumeBatch(kind, [star], 12)
        batch.overlap(batch.update(np.zeros(4, dtype=int), poses), np.array([(0, 1), (2, 3)]))
    outlines_meeting([star], poses)


def _solver(name: str) -> None:
    """What a solver runs, and what only its judges run."""
    load_solver(name).prepare()
    load_solver(name).compile_rest()


def _motion() -> None:
    """What the referee of motion asks beside the two solvers."""
    from engine.compare.motion import judge_step
    from engine.geometry import Circle, Polygon
    from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World

    for solver in ("box2d", "soft_step"):
        world = World(solver=solver)
        ground = world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static"))
        shapes: tuple[Circle | Polygon, ...] = (Circle(0.3), Polygon.box(0.3, 0.3))
        for k, shape in enumerate(shapes):
            world.create_body(BodySpec((FixtureSpec(shape),), position=(float(k), 0.79), linear_velocity=(1.0, -2.0)))
        arm = world.create_body(BodySpec((FixtureSpec(Circle(0.2)),), position=(-2.0, 3.0)))
        world.create_joint(RevoluteJointSpec(ground, arm, anchor=(-3.0, 3.0)))
        for _ in range(3):
            judge_step(world)
            world.step()


def _load_of(module: str) -> None:
    importlib.import_module(module).load()


CHECK: dict[str, Callable[[], None]] = {"manifolds": partial(_questions, "manifolds"), "worlds": _world}
"""What the live check of discs and polygons needs: two parts that take about as long, each five to eight seconds of processor time."""

EDGES = "manifolds with edges"
"""The part that lets pairs with edges be judged."""
_BULLETS = ("times of impact", "distances", "sweeps")
_MANY = ("manifolds of many pairs", "overlaps of many pairs", "pairs of a scene", "outlines of pictures")

ASKED: dict[str, Callable[[], None]] = {**CHECK, **{name: partial(_questions, name) for name in (EDGES, *_BULLETS)}}
"""What the demos ask that cannot do without: the longest parts first, so that two processes end at about the same time."""

RUNNING: dict[str, Callable[[], None]] = {**ASKED, **{name: partial(_questions, name) for name in _MANY}}
"""What a demo can ask, those of the bullets' time line and of the race of broad phases left out, which wait for themselves."""

EVERYTHING: dict[str, Callable[[], None]] = {
    **RUNNING,
    "the bullets' time line": partial(_load_of, "demos._bullet_kernels"),
    "distances and depths": partial(_questions, "distances and depths"),
    "casts": partial(_questions, "casts"),
    "broad phases": partial(_load_of, "demos._broadphase_race"),
    "bounding volumes": _volumes,
    "boxes that come and go": _broad_phases,
    "contact sets": partial(_questions, "contact sets"),
    "traces": partial(_questions, "traces"),
    **{f"solver {name}": partial(_solver, name) for name in solvers()},
    "the referee of motion": _motion,
}
"""All of it."""


def run_part(name: str) -> None:
    """Run one part here: its kernels are loaded, or compiled where they are not on disk."""
    EVERYTHING[name]()


def share(folder: str, process: int, n_urgent: int, n_own: int, names: Sequence[str]) -> None:
    """Compile those of the first `n_own` parts that no other process has begun; what another process does."""
    compile_notice.wait_in_silence()
    compile_in_turn()
    gc.disable()  # the compiler makes much that lasts: to look through all of it again and again costs a twelfth of the time
    is_low, cleared = False, time.process_time()
    for number, name in enumerate(names[:n_own]):
        try:
            with open(Path(folder, f"{number}.begun"), "x", encoding="utf-8") as begun:
                begun.write(str(process))
        except FileExistsError:
            continue
        if number >= n_urgent and not is_low and hasattr(os, "nice"):
            os.nice(_LOW_PRIORITY)
            is_low = True
        try:
            run_part(name)
        except Exception:  # it fails again where it is loaded, and is told there
            Path(folder, f"{number}.failed").touch()
        else:
            Path(folder, f"{number}.done").touch()
        if time.process_time() - cleared > _UNCLEARED:
            gc.collect()
            gc.freeze()  # what is there now lasts: the next look leaves it out
            cleared = time.process_time()


def n_cores() -> int:
    """Return how many processor cores this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Compilers:
    """Processes that compile parts; they end with the `with` block.

    Parameters
    ----------
    names : sequence of str
        Of `EVERYTHING`, in the order in which they are begun.
    n_processes : int
    n_urgent : int, optional
        How many of the parts, the first ones, are waited for; else all.
    n_by_all : int, optional
        How many of the parts, the first ones, all processes share; what comes after is left to one less, if there is another.
    """

    def __init__(self, names: Sequence[str], n_processes: int, n_urgent: int | None = None, n_by_all: int | None = None) -> None:
        self.names = tuple(names)
        self._folder = tempfile.TemporaryDirectory(prefix="kernels-", ignore_cleanup_errors=True)
        self._processes = []
        for process in range(min(n_processes, len(self.names))):
            n_own = n_by_all if process > 0 and process == n_processes - 1 else None
            numbers = (process, *(len(self.names) if n is None else n for n in (n_urgent, n_own)))
            self._processes.append(elsewhere(_SHARE, self._folder.name, *map(str, numbers), *self.names))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def done(self) -> tuple[str, ...]:
        """The parts that are on disk."""
        return tuple(name for number, name in enumerate(self.names) if self._is_there(f"{number}.done"))

    @property
    def ended(self) -> tuple[str, ...]:
        """The parts that no process compiles any more, nor will: done, or failed, or their process has ended."""
        is_over = self.is_over
        return tuple(name for number, name in enumerate(self.names) if is_over or self._has_ended(number))

    @property
    def is_over(self) -> bool:
        """Whether all processes have ended, well or not."""
        return all(process.poll() is not None for process in self._processes)

    def each_ended(self) -> Iterator[str]:
        """Yield each part, once, as soon as it has ended."""
        told: set[str] = set()
        while len(told) < len(self.names):
            new = [name for name in self.ended if name not in told]
            told.update(new)
            yield from new
            if not new:
                self.wait(_LOOK)

    def wait(self, seconds: float) -> None:
        """Wait until one of the processes has ended that are at work now, at most so long."""
        for process in self._processes:
            if process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(seconds)
                return

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
                process.wait()
        self._folder.cleanup()

    def _has_ended(self, number: int) -> bool:
        if self._is_there(f"{number}.done") or self._is_there(f"{number}.failed"):
            return True
        with contextlib.suppress(OSError):
            process = Path(self._folder.name, f"{number}.begun").read_text(encoding="utf-8")
            return process != "" and self._processes[int(process)].poll() is not None
        return False

    def _is_there(self, name: str) -> bool:
        return Path(self._folder.name, name).exists()


def elsewhere(statement: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Let a second Python run a statement, quietly."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", statement, *arguments]
    return subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
