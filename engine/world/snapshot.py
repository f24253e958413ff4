"""All of a world that can be kept, at one step boundary."""

from __future__ import annotations

from dataclasses import dataclass

from engine.contracts import PairEvent, StepContacts
from engine.world.joints import ResolvedJoint
from engine.world.records import BodyMotion
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["SolverState", "WorldSnapshot"]


@dataclass(frozen=True, slots=True)
class SolverState:
    """What a solver has made of the model so far.

    Attributes
    ----------
    motion : BodyMotion
        Of every body, in ascending order of id.
    contacts : StepContacts
        Those of the last step, from which begin, end and point states go on.
    touching : frozenset of (fixture id, fixture id)
        The pairs that have begun to touch and not ended, sensors included; none where `memory` has them.
    events : tuple of (begun, ended)
        What commands since the last step have brought about, and the next step will tell.
    memory : frozen dataclass or None
        What else the next step depends on, which this solver alone can read; None where it needs nothing.
    is_whole : bool
        Whether nothing that the next step depends on was out of reach.
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
        The next body, fixture and joint id, so that ids are never handed out twice.
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
