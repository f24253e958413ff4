"""All of a world that can be kept, at one step boundary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.contracts import PairEvent
from engine.world.joints import ResolvedJoint
from engine.world.records import BodyMotion
from engine.world.specs import BodySpec, FixtureSpec, WorldSettings

__all__ = ["WorldSnapshot"]


@dataclass(frozen=True)
class WorldSnapshot:
    """Specifications with their ids, the motion of every body, and the contact impulses the solver would start from.

    Attributes
    ----------
    solver : str
        The name of the solver that drove it.
    bodies : tuple of (id, BodySpec, fixture ids)
        In ascending order of id; `motion` has a row for each.
    fixtures : tuple of (id, body id, FixtureSpec)
    joints : tuple of (id, ResolvedJoint)
    motion : BodyMotion
        float32 bits as read.
    hidden : HiddenState or None
        What bodies and joints remember besides, as raw words; None where it was out of reach.
    pairs : EvaluatedPairs
        The last step's contacts with their impulses, from which begin, end and point states go on.
    touching : frozenset of (fixture id, fixture id)
        The pairs that have begun to touch and not ended, sensors included.
    events : tuple of (begun, ended)
        What commands since the last step have brought about, and the next step will tell.
    next_ids : tuple of int
        The next body, fixture and joint id, so that ids are never handed out twice.
    strays : tuple of int
        Bodies that were taken out.
    """

    solver: str
    settings: WorldSettings
    step_index: int
    bodies: tuple[tuple[int, BodySpec, tuple[int, ...]], ...]
    fixtures: tuple[tuple[int, int, FixtureSpec], ...]
    joints: tuple[tuple[int, ResolvedJoint], ...]
    motion: BodyMotion
    hidden: Any
    pairs: Any
    touching: frozenset[tuple[int, int]]
    events: tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]]
    next_ids: tuple[int, int, int]
    strays: tuple[int, ...]
