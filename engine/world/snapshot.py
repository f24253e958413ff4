"""Complete state of a world at a step boundary."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts import PairEvent, StepContacts
from engine.world.joints.interface import ResolvedJoint
from engine.world.records import BodyMotion
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["SolverState", "WorldSnapshot"]


@dataclass(frozen=True, slots=True)
class SolverState:
    """State of a solver, in addition to the model.

    Attributes
    ----------
    motion : BodyMotion
    contacts : StepContacts
        Contacts of the last step; the next step compares its own contacts with them.
    touching : frozenset of (fixture id, fixture id)
        Touching pairs, sensors included; empty if `memory` contains them.
    events : tuple of (begun, ended)
        Events caused by commands since the last step, to be reported by the next step.
    memory : frozen dataclass or None
        Solver-specific state that affects the next step, if any.
    is_whole : bool
        True if the state contains everything that affects the next step.
    """

    motion: BodyMotion
    contacts: StepContacts
    touching: frozenset[tuple[int, int]]
    events: tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]]
    memory: object
    is_whole: bool = True


@dataclass(frozen=True)
class WorldSnapshot:
    """Specifications with their ids, and the state of the solver.

    Attributes
    ----------
    solver : str
        Name of the world's solver.
    bodies : tuple of (id, BodySpec, fixture ids)
        In ascending order of id, like the rows of `motion`.
    fixtures : tuple of (id, body id, FixtureSpec)
    joints : tuple of (id, ResolvedJoint)
    state : SolverState
    next_ids : tuple of int
        Ids of the next body, fixture and joint; ids are never reused.
    out_of_range : tuple of int
        Bodies deactivated for leaving the supported range.
    rate_since : (float, int)
        Time, s, and step since which the step rate has been the present one.
    """

    solver: str
    settings: WorldSettings
    step_index: int
    bodies: tuple[tuple[int, BodySpec, tuple[int, ...]], ...]
    fixtures: tuple[tuple[int, int, FixtureSpec], ...]
    joints: tuple[tuple[int, ResolvedJoint], ...]
    state: SolverState
    next_ids: tuple[int, int, int]
    out_of_range: tuple[int, ...]
    rate_since: tuple[float, int] = (0.0, 0)

    @property
    def motion(self) -> BodyMotion:
        """Motion of all bodies."""
        return self.state.motion

    @property
    def contacts(self) -> StepContacts:
        """Contacts of the last step."""
        return self.state.contacts
