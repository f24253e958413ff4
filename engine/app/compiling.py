"""Compiles kernels in one other process, so that no frame waits for the compiler, and loads them in a thread.

The window starts the process. It runs the parts below in the order in which a first user needs them; their machine code is then on disk.
A thread of the window loads each part by running it too. If the first part was on disk already, only the parts that are asked for follow.
The process ends with the window, because its input ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from queue import Queue
from typing import Self, get_args

from engine.common import compile_notice, jit
from engine.common.errors import InvalidInputError
from engine.common.interrupts import DeferredInterrupt
from engine.common.switch_interval import short_turns
from engine.geometry import AnyShape, Capsule, Circle, Polygon, Segment, Sweep, Transform
from engine.sim.demo import Demo
from engine.sim.registry import all_demos, find_demo
from engine.world import load_solver, solvers
from engine.world.solver import DEFAULT

__all__ = ["CHECK", "Compiler", "everything", "is_ready", "kernels_of", "run_part", "solver_part"]

_ROOT = Path(__file__).resolve().parents[2]
CHECK = "the live check"
CROWDS = "crowds in wide worlds"
_SERVE = "from engine.app.compiling import serve; serve()"
_LOW_PRIORITY = 5
"""Niceness of the process after the first part, so that the window takes precedence."""


def solver_part(name: str) -> str:
    """Return the name of the part with a solver's kernels."""
    return f"solver {name}"


def kernels_of(demo: Demo) -> tuple[str, ...]:
    """Return the parts that a demo needs before its first step."""
    own = (f"demo {demo.id}",) if demo.needs_kernels else ()
    return (*own, *(solver_part(name) for name in demo.sim.solvers if name != DEFAULT))


def parts() -> tuple[str, ...]:
    """Return the parts in the order in which a first user needs them."""
    return (CHECK, CROWDS, *map(solver_part, solvers()), *(f"demo {kind.id}" for kind in all_demos() if kind.needs_kernels))


def everything() -> tuple[str, ...]:
    """Return `parts`, and those with the other kernels of the library."""
    return (*parts(), *(name for name in _LIBRARY if name not in (CHECK, CROWDS)))


def run_part(name: str) -> int:
    """Load the kernels of a part of `everything`, by running what needs them; return how many were not on disk and have been compiled."""
    kind, _, which = name.partition(" ")
    n_before = compile_notice.n_compiled()
    with DeferredInterrupt():
        if kind == "demo":
            find_demo(which).load_kernels()
        elif kind == "solver":
            load_solver(which).prepare()
        else:
            _LIBRARY[name]()
    return compile_notice.n_compiled() - n_before


def _check() -> None:
    """Draw, and check worlds of few and of many bodies, with edges and sensors."""
    import numpy as np

    from engine.broadphase import Automatic
    from engine.compare.live.pairs import LivePairs
    from engine.compare.live.referee import live_referee
    from engine.compare.questions._error_kernel import manifold_errors
    from engine.narrowphase import batched
    from engine.query.batch import ShapeBatch
    from engine.render.raster import load_raster
    from engine.world import BodySpec, FixtureSpec, World

    load_raster()
    boxes = np.arange(64.0)[:, None] + (0.0, 0.0, 1.5, 1.5)
    Automatic().pairs(boxes)
    world = World()
    world.create_body(BodySpec((FixtureSpec(Segment((-9.0, 0.0), (9.0, 0.0), ghost1=(-10.0, 0.0))),), "static"))
    shapes: tuple[AnyShape, ...] = (Circle(0.5), Polygon.box(0.5, 0.5), Polygon.regular(9, 0.5))
    for k, shape in enumerate(2 * shapes):
        world.create_body(BodySpec((FixtureSpec(shape, sensor=k == 5),), position=(0.9 * k - 2.0, 0.45)))
    referee, pairs_of = live_referee(world), LivePairs(world)
    for _ in range(2):
        contacts = world.step()
        referee.check(contacts)
        pairs_of.check(contacts)
    # only if an answer differs
    poses, pairs = batched.poses_with_rotation(np.zeros((2, 3))), np.array([(0, 1)])
    batched.gap_rows(ShapeBatch(shapes).packed, pairs, poses, poses, np.array([(1.0, 0.0)]))
    manifold_errors(
        np.zeros(1, dtype=np.int64), np.zeros((1, 6)), np.zeros((1, 2, 3)), np.zeros((1, 2)), np.zeros((1, 2, 3)), np.zeros(1), np.zeros(1)
    )


def _crowds() -> None:
    """Boxes that crowd together in a wide world, and rare ones in between."""
    import numpy as np

    from engine.broadphase import Automatic

    low = np.append(np.linspace(0.0, 1.0, 400), 1e6)[:, None] + (0.0, 0.0)
    crowds = Automatic()
    for _ in range(2):
        crowds.pairs(np.hstack((low, low + 0.5)))


def _queries() -> None:
    from engine.query import contact_set, distance, manifold, overlap, penetration

    for a, b in product(_shapes(), repeat=2):
        for question in (overlap, distance, penetration, manifold, contact_set):
            with suppress(InvalidInputError):  # two segments have no contact
                question(a, _HERE, b, _THERE)


def _casts() -> None:
    from engine.query import contains, ray_cast, shape_cast, swept_contact, time_of_impact
    from engine.query.casts import Method

    disc, *_, box = _shapes()
    contains(disc, _HERE, (0.0, 0.0))
    ray_cast(disc, _HERE, (2.0, 0.0), (-4.0, 0.0))
    for a, b in product((disc, box), repeat=2):
        shape_cast(a, _AWAY, (-4.0, 0.0), b, _HERE)
        swept_contact(a, _HERE, (1.0, 0.0), b, _AWAY, (0.0, 0.0), 5.0)
        for method in get_args(Method):
            time_of_impact(a, Sweep(_HERE, _HERE), b, Sweep(_AWAY, _HERE), method=method)


def _batches() -> None:
    import numpy as np

    from engine.query import batch

    shapes, n = batch.ShapeBatch([shape for shape in _shapes() if not isinstance(shape, Segment)]), 40
    pairs, still = np.tile(((0, 1), (1, 2), (2, 2)), (n, 1)), np.zeros((3 * n, 3))
    for question in (batch.overlap, batch.manifold, batch.distance, batch.penetration, batch.contact_set):
        question(shapes, pairs, still, still + (0.75, 0.1, 0.3))
    away, turned = still + (3.0, 0.0, 0.0), still + (0.0, 0.0, 1.0)
    batch.time_of_impact(shapes, pairs, still, still, away, turned)
    batch.swept_contact(shapes, pairs, still, still[:, :2], away, still[:, :2] - (1.0, 0.0), 5.0)


def _motion() -> None:
    """The referee of motion, on both solvers."""
    from engine.compare.motion import judge_step
    from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec, World

    for solver in ("box2d", "soft_step"):
        world = World(solver=solver)
        ground = world.create_body(BodySpec((FixtureSpec(Polygon.box(5.0, 0.5)),), "static"))
        shapes: tuple[AnyShape, ...] = (Circle(0.3), Polygon.box(0.3, 0.3))
        for k, shape in enumerate(shapes):
            world.create_body(BodySpec((FixtureSpec(shape),), position=(float(k), 0.79), linear_velocity=(1.0, -2.0)))
        arm = world.create_body(BodySpec((FixtureSpec(Circle(0.2)),), position=(-2.0, 3.0)))
        world.create_joint(RevoluteJointSpec(ground, arm, anchor=(-3.0, 3.0)))
        for _ in range(3):
            judge_step(world)
            world.step()


_LIBRARY: dict[str, Callable[[], None]] = {
    CHECK: _check,
    CROWDS: _crowds,
    "queries": _queries,
    "casts": _casts,
    "queries of many pairs": _batches,
    "the motion referee": _motion,
}
_HERE, _THERE, _AWAY = Transform(), Transform((0.75, 0.1), 0.3), Transform((3.0, 0.0))


def _shapes() -> tuple[AnyShape, ...]:
    return Circle(0.5), Segment((-1.0, 0.0), (1.0, 0.0)), Capsule((-0.5, 0.0), (0.5, 0.0), 0.25), Polygon.box(0.5, 0.5)


# -- the process -------------------------------------------------------------------------------------------------------


def serve() -> None:
    """Run the parts named by the lines of the standard input, and print how many functions each compiled, or why it failed."""
    compile_notice.wait_in_silence()
    names: Queue[str] = Queue()
    threading.Thread(target=_take_names, args=(names,), daemon=True).start()
    while True:
        name, n_before = names.get(), compile_notice.n_compiled()
        failure = _error_of(partial(run_part, name))
        print(compile_notice.n_compiled() - n_before, failure, flush=True)
        if name == CHECK and hasattr(os, "nice"):
            os.nice(_LOW_PRIORITY)


def _error_of(work: Callable[[], object]) -> str:
    """Return the error of some work in one line, for the window to show; empty if it succeeds."""
    try:
        with short_turns():
            work()
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())
    return ""


def _take_names(names: Queue[str]) -> None:
    for line in sys.stdin:
        names.put(line.rstrip("\n"))
    os._exit(0)  # the window has ended, whatever is being compiled


# -- in the window -----------------------------------------------------------------------------------------------------


class Compiler:
    """The window's process, and the thread that loads the parts; both end with the `with` block.

    Attributes
    ----------
    doing : str
        The part that is being compiled or loaded; empty at rest.
    n_compiled : int
        Number of functions compiled so far.
    """

    def __init__(self) -> None:
        self.doing, self.n_compiled = "", 0
        self._todo, self._outcomes = list(parts()), dict[str, str]()
        self._changed, self._is_open = threading.Condition(), True
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        _open.append(self)
        threading.Thread(target=self._run, name="compiling", daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        _open.remove(self)
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        if self._process is not None:
            self._process.kill()

    def is_ready(self, part: str) -> bool:
        """Return True if a part is loaded, or cannot be; otherwise compile it next."""
        if part not in self._outcomes and self._todo[:1] != [part] and self.doing != part:
            with self._changed:
                self._todo = [part, *(name for name in self._todo if name != part)]
                self._changed.notify_all()
        return part in self._outcomes

    def failure(self, part: str) -> str:
        """Return why a part could not be loaded; empty if it could, or is not loaded yet."""
        return self._outcomes.get(part, "")

    def _run(self) -> None:
        command = [sys.executable, "-c", _SERVE]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))}
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, encoding="utf-8") as process:
            self._process = process
            while (name := self._next()) is not None:
                failure = self._compile(process, name)
                if not failure and self._is_open:
                    failure = _error_of(partial(run_part, name))
                self._outcomes[name] = failure
            process.kill()

    def _next(self) -> str | None:
        """Wait for a part; return None once the window is closed."""
        with self._changed:
            self.doing = ""
            self._changed.wait_for(lambda: self._todo or not self._is_open)
            if not self._is_open:
                return None
            self.doing = self._todo.pop(0)
            return self.doing

    def _compile(self, process: subprocess.Popen[str], name: str) -> str:
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
        except OSError:
            pass  # the process has ended, which reading shows
        n, _, failure = process.stdout.readline().rstrip("\n").partition(" ")
        if not n:
            return "the process that compiles has ended"
        self.n_compiled += int(n)
        if name == CHECK and self.n_compiled == 0:  # everything is probably on disk
            self._todo.clear()
        return failure


_open: list[Compiler] = []


def is_ready(part: str) -> bool:
    """Return True if a frame may use a part: it is loaded, or no window is open, so that nobody waits for a frame."""
    return not _open or not jit.is_compiling() or _open[-1].is_ready(part)
