"""The whole state of a world at a step boundary."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts import PairEvent, StepContacts
from engine.world.joints import ResolvedJoint
from engine.world.records import BodyMotion
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["SolverState", "WorldSnapshot"]


@dataclass(frozen=True, slots=True)
class SolverState:
    """The state of a solver beside the model.

    Attributes
    ----------
    motion : BodyMotion
        Motion of every body, in ascending order of id.
    contacts : StepContacts
        Contacts of the last step, with which the next step compares its own.
    touching : frozenset of (fixture id, fixture id)
        The pairs that have begun to touch and not ended, sensors included; none where `memory` has them.
    events : tuple of (begun, ended)
        Events caused by commands since the last step, which the next step will report.
    memory : frozen dataclass or None
        Further state of the next step, which only this solver can read; None where it needs none.
    is_whole : bool
        True if the state has everything that the next step depends on.
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
        The name of the solver that drove it.
    bodies : tuple of (id, BodySpec, fixture ids)
        In ascending order of id; `motion` has a row for each.
    fixtures : tuple of (id, body id, FixtureSpec)
    joints : tuple of (id, ResolvedJoint)
    state : SolverState
    next_ids : tuple of int
        The next body, fixture and joint id, so that ids are never assigned twice.
    out_of_range : tuple of int
        Bodies that were taken out.
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

    @property
    def motion(self) -> BodyMotion:
        """The motion of every body."""
        return self.state.motion

    @property
    def contacts(self) -> StepContacts:
        """The contacts of the last step."""
        return self.state.contacts
