"""A recording in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.history.branch import Branch
from engine.sim.actions import KeepSolverState, SetSolver
from engine.world.solver import DEFAULT, NamedValues, load_solver, solvers

__all__ = ["Recording", "present_makers"]


@dataclass(frozen=True, slots=True)
class Recording:
    """What happened in a demo.

    Attributes
    ----------
    demo : str
        Its id.
    scene : mapping or None
        The content of the scene file that the demo was made of, for one that was.
    seed : int
    values : mapping of str to float
        Its parameters at the beginning.
    step_seconds : float
        At the beginning.
    makers : mapping of str to str
        What recorded it: versions of the program, the solver's library, numpy and Python, and the platform.
    branch : Branch
        Inputs, hashes and digests of bodies, step by step; raw states at keyframes.
    branches : int
        How often the user went back and did something else; what was given up there is in the file, and not here.
    is_ended : bool
        False of one that was cut off: the program that recorded it did not come to an end in the usual way.
    keeps_solver_state : bool
        Whether the demo's worlds kept the whole state of their solver at the beginning.
    waits : bool
        Whether it waited for what comes in the background.
    begun : int
        The step at which recording was begun: what had been before it is there too.
    solver : str
        What drove its worlds; of several, the first.
    chosen_solver, chosen_settings : str or None, pairs or None
        What it was to be driven by, and with which settings of the solver's own, in place of what the demo, or its scene file, takes.
    is_shared : bool
        Whether several users could come from the beginning on: its steps are ticks then (`engine.sim.users`).
    """

    demo: str
    scene: Mapping[str, Any] | None
    seed: int
    values: Mapping[str, float]
    step_seconds: float
    makers: Mapping[str, str]
    branch: Branch = field(repr=False)
    branches: int = 0
    is_ended: bool = True
    keeps_solver_state: bool = True
    waits: bool = False
    begun: int = 0
    solver: str = DEFAULT
    chosen_solver: str | None = None
    chosen_settings: NamedValues | None = None
    is_shared: bool = False

    @property
    def steps(self) -> int:
        """How many."""
        return self.branch.last

    @property
    def n_inputs(self) -> int:
        """How many things were done."""
        return sum(len(given) for given in self.branch.inputs)

    @property
    def solvers(self) -> tuple[str, ...]:
        """What drove its worlds at first, and those of this program's solvers that were asked for under way, each once."""
        changes = (one.action.solver for given in self.branch.inputs for one in given if isinstance(one.action, SetSolver))
        return tuple(dict.fromkeys((self.solver, *(name for name in changes if name in solvers()))))

    @property
    def needs_solver_state(self) -> bool:
        """Whether the worlds kept the whole state of their solver, from the beginning or from the moment at which it came into reach."""
        return self.keeps_solver_state or any(isinstance(one.action, KeepSolverState) for given in self.branch.inputs for one in given)

    @property
    def foreign(self) -> str:
        """What was otherwise where it was recorded, in words; nothing if nothing was."""
        here = present_makers(self.solver)
        others = [f"{name} {made} (here {here[name]})" for name, made in self.makers.items() if name in here and here[name] != made]
        if self.needs_solver_state:
            problem = load_solver(self.solver).prepare()
            if problem is not None:
                others.append(f"{load_solver(self.solver).capabilities.title}'s memory in reach (here not: {problem})")
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
