"""All of a world that can be kept outside Box2D, at one step boundary."""

from __future__ import annotations

from dataclasses import dataclass

from engine.box2d.contacts import EvaluatedPairs
from engine.box2d.hidden import HiddenState
from engine.box2d.joints import ResolvedJoint
from engine.box2d.reading import RawBodies
from engine.box2d.specs import BodySpec, FixtureSpec, WorldSettings
from engine.contracts import PairEvent

__all__ = ["WorldSnapshot"]


@dataclass(frozen=True)
class WorldSnapshot:
    """Specifications with their ids, the motion of every body, and the contact impulses the solver would start from.

    Attributes
    ----------
    bodies : tuple of (id, BodySpec, fixture ids)
        In ascending order of id; `motion` has a row for each.
    fixtures : tuple of (id, body id, FixtureSpec)
    joints : tuple of (id, ResolvedJoint)
    motion : RawBodies
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

    settings: WorldSettings
    step_index: int
    bodies: tuple[tuple[int, BodySpec, tuple[int, ...]], ...]
    fixtures: tuple[tuple[int, int, FixtureSpec], ...]
    joints: tuple[tuple[int, ResolvedJoint], ...]
    motion: RawBodies
    hidden: HiddenState | None
    pairs: EvaluatedPairs
    touching: frozenset[tuple[int, int]]
    events: tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]]
    next_ids: tuple[int, int, int]
    strays: tuple[int, ...]
