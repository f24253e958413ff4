"""A recording in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from engine.sim.actions import KeepSolverState, SetSolver
from engine.sim.branch import Branch
from engine.sim.recordings.records import Header
from engine.world.solver import DEFAULT, load_solver, solvers

__all__ = ["Recording", "present_makers"]


@dataclass(frozen=True, slots=True)
class Recording:
    """The recorded course of a demo.

    Attributes
    ----------
    header : Header
    branch : Branch
        Inputs, hashes and digests of bodies, step by step; raw states at keyframes.
    branches : int
        How often the user went back and did something else; what was given up there is in the file, and not here.
    is_ended : bool
        False of one that was cut off: the program that recorded it did not come to an end in the usual way.
    """

    header: Header
    branch: Branch = field(repr=False)
    branches: int = 0
    is_ended: bool = True

    @property
    def seed(self) -> int:
        """Seed of the demo."""
        return int(self.header.seed)

    @property
    def begun(self) -> int:
        """The step at which recording was begun: what had been before it is there too."""
        return min(self.header.begun, self.branch.last)

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.branch.last

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return sum(map(len, self.branch.inputs))

    @property
    def solvers(self) -> tuple[str, ...]:
        """The solver of its worlds at first, and those of this program that were chosen later, each once."""
        changes = (done.action.solver for done in chain.from_iterable(self.branch.inputs) if isinstance(done.action, SetSolver))
        return tuple(dict.fromkeys((self.header.solver, *(name for name in changes if name in solvers()))))

    @property
    def needs_solver_state(self) -> bool:
        """True if the worlds kept the whole state of their solver, from the beginning or from a later step on."""
        return self.header.keeps_solver_state or any(
            isinstance(done.action, KeepSolverState) for done in chain.from_iterable(self.branch.inputs)
        )

    @property
    def foreign(self) -> str:
        """Differences between this computer and the one that recorded, in words; empty if there are none."""
        here = present_makers(self.header.solver)
        others = [f"{name} {made} (here {here[name]})" for name, made in self.header.makers.items() if name in here and here[name] != made]
        if self.needs_solver_state:
            problem = load_solver(self.header.solver).prepare()
            if problem is not None:
                others.append(f"{load_solver(self.header.solver).capabilities.title}'s memory in reach (here not: {problem})")
        return ", ".join(others)


def present_makers(solver: str = DEFAULT) -> dict[str, str]:
    """Return what decides whether two runs are alike to the last bit: versions of program and libraries, the platform."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    from engine import __version__

    def of(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "unknown"

    library = load_solver(solver).capabilities.title
    return {
        "program": __version__,
        library: of(library),
        "numpy": of("numpy"),
        "Python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
