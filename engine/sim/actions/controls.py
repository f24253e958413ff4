"""Actions that affect a demo as a whole: they press its keys, set its parameters, change its solver, or restart it."""

from __future__ import annotations

from engine.common.errors import InvalidInputError
from engine.sim.action import Action, Inverse, Part, Text
from engine.sim.actions.edits import Continuing, work_of_settings
from engine.sim.demo import Simulation
from engine.sim.users import PUSHES
from engine.world import load_solver

__all__ = ["KeepSolverState", "PressKey", "ReleaseAll", "ReleaseKey", "Restart", "SetParameter", "SetSolver"]


class PressKey(Action, frozen=True):
    """Press a key and hold it down; returns False if the demo does not use the key."""

    key: Text
    may_create = True

    def apply(self, sim: Simulation) -> bool:
        demo, user = sim.demo, sim.user
        demo.held.add(self.key)
        if demo.on_key(self.key):
            return True
        demo.held.discard(self.key)
        if user is None or user.drives is None or self.key not in PUSHES:
            return False
        user.pushes.add(self.key)
        return True


class ReleaseKey(Action, frozen=True):
    """Release a key."""

    key: Text
    undoable = False

    def apply(self, sim: Simulation) -> None:
        if sim.user is not None:
            sim.user.pushes.discard(self.key)
        sim.demo.held.discard(self.key)


class ReleaseAll(Action, frozen=True):
    """Release all keys and the grabbed body."""

    undoable = False

    def apply(self, sim: Simulation) -> None:
        if sim.user is not None:
            sim.user.pushes.clear()
        sim.demo.held.clear()
        sim.demo.release()


class SetParameter(Action, frozen=True):
    """Set a parameter of the demo; `value` is a number, or the name of a choice."""

    name: Text
    value: int | float | Text
    takes_back = True

    def apply(self, sim: Simulation) -> None:
        sim.demo.set_parameter(self.name, self.value)

    def perform(self, sim: Simulation) -> tuple[None, Inverse | None]:
        before = sim.demo.values.get(self.name)
        self.apply(sim)
        if before is None or before == sim.demo.values[self.name]:
            return None, None
        return None, Inverse(f"the change to {self.name}", (Part(SetParameter(self.name, before)),))

    @property
    def target(self) -> tuple[object, ...]:
        return SetParameter, self.name


class SetSolver(Continuing, frozen=True):
    """Change the solver of all worlds of the demo; `settings` are solver-specific."""

    solver: Text
    settings: tuple[tuple[Text, int | float | Text], ...] = ()

    def apply(self, sim: Simulation) -> None:
        sim.set_solver(self.solver, self.settings)

    def check(self, sim: Simulation) -> None:
        if load_solver(self.solver).capabilities.replays:  # every correction would repeat the whole run
            raise InvalidInputError("solver", "a solver that can save its state, for a shared world", self.solver)

    def perform(self, sim: Simulation) -> tuple[None, Inverse | None]:
        before = {(stage.world.solver, stage.world.settings.solver_settings) for stage in sim.demo.stages}
        self.apply(sim)
        return None, Inverse("the change of solver", tuple(Part(SetSolver(*solver)) for solver in before) if len(before) == 1 else ())

    @property
    def target(self) -> tuple[object, ...]:
        return (SetSolver,)

    def work(self, sim: Simulation) -> float:
        return work_of_settings(self.solver, {}, self.settings)


class Restart(Action, frozen=True):
    """Rebuild the worlds from the seed and the parameters."""

    def apply(self, sim: Simulation) -> None:
        sim.demo.restart()

    def perform(self, sim: Simulation) -> tuple[None, Inverse | None]:
        self.apply(sim)
        return None, Inverse("a restart")


class KeepSolverState(Action, frozen=True):
    """Preserve the complete solver state from now on, because it became accessible (`Solver.prepare`) only after the demo had started.

    Before this, worlds lose their joint impulses at keyframes, which affects the motion; so the change is part of the history.
    """

    undoable = guests_may = False
    is_by_program = True

    def apply(self, sim: Simulation) -> None:
        sim.keep_solver_state()
