"""The parts that are compiled ahead of time, and the processes that compile them.

The parts are listed in the order of likely use and distributed to the processes in turn. A process prints a line after each part, whose
kernels are then on disk; another process loads them by running the same part.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product, zip_longest
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

from engine.common import compile_notice
from engine.common.interrupts import DeferredInterrupt
from engine.world import load_solver, solvers

__all__ = [
    "ASKED",
    "CHECK",
    "EDGES",
    "EVERYTHING",
    "IMPACTS",
    "LONGEST",
    "RUNNING",
    "Compilers",
    "elsewhere",
    "grouped",
    "n_cores",
    "note_duration",
    "run_part",
    "usual_duration",
]

_ROOT = Path(__file__).resolve().parents[2]
_COMPILE = "import sys; from engine.app.compiling import compile_parts; compile_parts(sys.argv[1:])"
_LOW_PRIORITY = 5
"""Niceness of the processes after their first two parts, so that the window takes precedence."""
LONGEST = 1800.0
"""Maximum duration of a part, seconds. It takes a minute on an idle machine, ten on a busy one; giving up sooner would stall the window."""
_durations: deque[float] = deque(maxlen=20)
"""Durations of the latest parts in this session, seconds."""
_LOOK = 0.1
"""Polling interval for finished parts, seconds."""


def _questions(*names: str) -> None:
    from engine.query import warming

    for name in names:
        for question in {**warming.SANDBOX, **warming.LIBRARY}[name]():
            with DeferredInterrupt():
                question()


def _world() -> None:
    """Kernels of the live check besides the manifolds, and of drawing."""
    from engine.broadphase import automatic
    from engine.compare.questions.manifolds import compile_ahead
    from engine.render.raster import load_raster

    load_raster()
    load_solver().prepare()
    compile_ahead()
    _questions("boxes", "overlaps", "gaps")
    automatic.warm()


def _broad_phases() -> None:
    """All operations of all broad phases, with few boxes and with many."""
    import numpy as np

    from engine.broadphase import STRUCTURES, TopDownTree, quality

    rng = np.random.default_rng(0)
    for n in (8, 400):
        low = rng.uniform(0.0, 30.0, (n, 2))
        boxes = np.column_stack((low, low + rng.uniform(0.1, 2.0, (n, 2))))
        for structure in STRUCTURES:
            phase = structure()
            for k in range(3):
                phase.pairs(boxes + 0.01 * k)
            phase.move(np.arange(0, n, 3), boxes[::3])
            phase.remove(phase.insert(boxes[:3]))
            phase.pairs(), phase.regions(boxes[:40]), phase.rays(low[:40], np.ones((len(low[:40]), 2))), phase.sketch()
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
    load_solver(name).prepare()


def _motion() -> None:
    """Kernels of the referee of motion besides those of the two solvers."""
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


def _step_curves() -> None:
    """Kernels of the bullets' timeline: distances and depths in bulk, which neither the live check nor a shot needs."""
    from engine.experiments.step_curve import MovingShape, step_curve, touches
    from engine.geometry import Circle, Polygon, Sweep, Transform
    from engine.world import FixtureSpec, accept

    still, across = Sweep(Transform(), Transform()), Sweep(Transform((-2.0, 0.1), 0.1), Transform((2.0, 0.1), 0.3))
    shapes: list[Any] = [accept(FixtureSpec(shape)).shape for shape in (Circle(0.1), Polygon.box(0.25, 0.125))]
    for shape, target in product(shapes, shapes):
        bullet, resting = MovingShape(shape, across), MovingShape(target, still)
        touches(bullet, resting)
        step_curve(bullet, resting)


CHECK: dict[str, Callable[[], None]] = {"manifolds": partial(_questions, "manifolds"), "worlds": _world}
"""Parts that the live check of discs and polygons needs; they take about equally long."""

IMPACTS = "distances"
"""The short part that locates an impact of Box2D's; the lanes of a bullet wait for it."""
EDGES = "manifolds with edges"
"""The part needed to check pairs with edges."""
_BULLETS = ("times of impact", "sweeps")
_MANY = ("simple overlaps", "pairs of a scene", "outlines of pictures")

ASKED: dict[str, Callable[[], None]] = {
    IMPACTS: partial(_questions, IMPACTS),
    **CHECK,
    **{name: partial(_questions, name) for name in (EDGES, *_BULLETS)},
}
"""Parts without which demos cannot run: first those that others depend on, then the longest."""

RUNNING: dict[str, Callable[[], None]] = {**ASKED, **{name: partial(_questions, name) for name in _MANY}}
"""Parts that demos use, except the bullets' timeline and the race of broad phases, which load separately."""

EVERYTHING: dict[str, Callable[[], None]] = {
    **RUNNING,
    "step curves": _step_curves,
    "distances and depths": partial(_questions, "distances and depths"),
    "casts": partial(_questions, "casts"),
    "broad phases": _broad_phases,
    "bounding volumes": _volumes,
    "contact sets": partial(_questions, "contact sets"),
    **{f"solver {name}": partial(_solver, name) for name in solvers()},
    "the motion referee": _motion,
}
"""All parts."""

loaded: set[str] = set()
"""Parts loaded by this process."""

_APART = ("outlines of pictures", "broad phases", "bounding volumes", "the motion referee")
"""Parts that, like the solvers, share few kernels with the queries."""


def grouped(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names with the solvers and their companions in every second place.

    Each process compiles again the kernels that are inlined into others. Two processes that receive the names in turn then have few such
    kernels in common.
    """
    queries: list[str] = []
    others: list[str] = []
    for name in names:
        (others if name in _APART or name.startswith("solver ") else queries).append(name)
    return tuple(name for pair in zip_longest(queries, others) for name in pair if name is not None)


def run_part(name: str) -> None:
    """Run one part in this process: load its kernels, or compile those that are not on disk."""
    EVERYTHING[name]()
    loaded.add(name)


def compile_parts(names: Iterable[str]) -> None:
    """Run the parts and print "done NAME" or "failed NAME" after each; the main function of a compiling process."""
    compile_notice.wait_in_silence()
    for k, name in enumerate(names):
        if k == 2 and hasattr(os, "nice"):  # the window waits only for the first parts
            os.nice(_LOW_PRIORITY)
        try:
            run_part(name)
        except Exception:  # loading fails again in the window, which shows the reason
            print("failed", name, flush=True)
        else:
            print("done", name, flush=True)


def note_duration(seconds: float) -> None:
    """Record how long a part took, to estimate the next ones."""
    _durations.append(seconds)


def usual_duration() -> float | None:
    """Return the median duration of the latest parts in this session, seconds; None before the first has ended."""
    return statistics.median(_durations) if _durations else None


def n_cores() -> int:
    """Return the number of processor cores that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Compilers:
    """Processes that compile parts; they end with the `with` block.

    Parameters
    ----------
    names : sequence of str
        Parts of `EVERYTHING`, in the order in which they are compiled.
    n_processes : int
    """

    def __init__(self, names: Sequence[str], n_processes: int) -> None:
        self.names = tuple(names)
        self._outcomes: dict[str, str] = {}
        """Result by part: "done", "failed" or "lost" (its process ended before it)."""
        self._changed = threading.Condition()
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        for k in range(min(n_processes, len(self.names))):
            share = self.names[k::n_processes]
            process = elsewhere(_COMPILE, *share, stdout=subprocess.PIPE)
            self._processes.append(process)
            self._readers.append(threading.Thread(target=self._read, args=(process, share), name="compiling", daemon=True))
            self._readers[-1].start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def done(self) -> tuple[str, ...]:
        """The parts whose kernels are on disk."""
        return tuple(name for name in self.names if self._outcomes.get(name) == "done")

    @property
    def ended(self) -> tuple[str, ...]:
        """Parts that are done, failed or lost."""
        return tuple(name for name in self.names if name in self._outcomes)

    @property
    def is_over(self) -> bool:
        """True if every part has ended."""
        return len(self._outcomes) == len(self.names)

    def each_ended(self) -> Iterator[str]:
        """Yield each part once, when it has ended."""
        yielded: set[str] = set()
        while len(yielded) < len(self.names):
            new = [name for name in self.ended if name not in yielded]
            yielded.update(new)
            yield from new
            if not new:
                self.wait(_LOOK)

    def wait(self, seconds: float) -> None:
        """Wait until every part has ended, or until a timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self.is_over, seconds)

    def close(self) -> None:
        """Stop the processes."""
        for process in self._processes:
            process.terminate()
            process.wait()
        for reader in self._readers:
            reader.join()

    def _read(self, process: subprocess.Popen[str], share: Sequence[str]) -> None:
        assert process.stdout is not None
        began = monotonic()
        with process.stdout:
            for line in process.stdout:
                outcome, _, name = line.rstrip("\n").partition(" ")
                self._note(name, outcome)
                note_duration(monotonic() - began)
                began = monotonic()
        for name in share:
            if name not in self._outcomes:
                self._note(name, "lost")

    def _note(self, name: str, outcome: str) -> None:
        with self._changed:
            self._outcomes[name] = outcome
            self._changed.notify_all()


def elsewhere(statement: str, *arguments: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """Start another Python process that runs a statement, without input and with its errors discarded."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", statement, *arguments]
    return subprocess.Popen(command, env=environment, stdin=quiet, stdout=stdout, stderr=quiet, text=True, encoding="utf-8")
