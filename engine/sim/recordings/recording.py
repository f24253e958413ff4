"""A recording in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

from engine.common.notebook import Shown
from engine.sim.actions import KeepSolverState, SetSolver
from engine.sim.branch import Branch
from engine.sim.recordings.records import Header
from engine.world.solver import DEFAULT, load_solver, solvers

__all__ = ["Recording", "present_makers"]


@dataclass(frozen=True, slots=True)
class Recording(Shown):
    """A recorded history of a demo.

    Attributes
    ----------
    header : Header
    branch : Branch
        Inputs, hashes and body digests by step; raw states at keyframes.
    branches : int
        Number of times the user rewound and started a new branch; the abandoned branches are in the file, but not loaded.
    is_ended : bool
        False if the file is truncated because the recording program terminated unexpectedly.
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
        """Step at which recording started; earlier steps are included."""
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
        """Distinct solvers, consisting of the initial one and of those selected later that this program has."""
        changes = (done.action.solver for done in chain.from_iterable(self.branch.inputs) if isinstance(done.action, SetSolver))
        return tuple(dict.fromkeys((self.header.solver, *(name for name in changes if name in solvers()))))

    @property
    def needs_solver_state(self) -> bool:
        """True if the worlds preserved the complete solver state, from the beginning or from a later step on."""
        return self.header.keeps_solver_state or any(
            isinstance(done.action, KeepSolverState) for done in chain.from_iterable(self.branch.inputs)
        )

    @property
    def foreign(self) -> str:
        """Description of the differences between this computer and the one that made the recording; empty if there are none."""
        here = present_makers(self.header.solver)
        others = [f"{name} {made} (here {here[name]})" for name, made in self.header.makers.items() if name in here and here[name] != made]
        if self.needs_solver_state:
            problem = load_solver(self.header.solver).prepare()
            if problem is not None:
                others.append(f"{load_solver(self.header.solver).capabilities.title}'s readable memory (not readable here: {problem})")
        return ", ".join(others)


def present_makers(solver: str = DEFAULT) -> dict[str, str]:
    """Return the versions of the program and its libraries, and the platform: runs are bit-identical only if these are equal."""
    import platform

    from engine import __version__
    from engine.common.installation import version_of

    library = load_solver(solver).capabilities.title
    return {
        "program": __version__,
        library: version_of(library),
        "numpy": version_of("numpy"),
        "Python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
    }
