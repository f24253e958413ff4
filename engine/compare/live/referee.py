"""The referee of a running world: it judges its contacts after each step, depending on the solver."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from engine.compare.live.manifolds import FixtureShapes, ReportedShapes
from engine.compare.live.pairs import LivePairs
from engine.contracts import StepAgreement, StepContacts
from engine.geometry import FixtureShape
from engine.world import World
from engine.world.solver import Capabilities

__all__ = ["LiveReferee", "live_referee"]


def _packed(solver: Capabilities, by_id: Mapping[int, FixtureShape]) -> FixtureShapes | ReportedShapes:
    """Return the shapes of fixtures by id, packed for judging a solver's report."""
    return FixtureShapes(by_id) if solver.name == "box2d" else ReportedShapes(by_id, solver.margin)


class LiveReferee:
    """The referee of one world.

    Parameters
    ----------
    world : World
        Read-only; its fixtures' shapes are read again whenever `structure_version` changes.
    pairs : LivePairs, optional
        The check of which pairs touch, for callers that want it; `check` does not make it.

    Attributes
    ----------
    ready : bool
        False while the kernels are not loaded; `check` then judges nothing. The window sets it once they are loaded.
    enabled : bool
        False to disable `check`.
    total : StepAgreement
        Sums over all checks; its `differences` are those of the last one.
    last_ms : float
        Duration of the last check, milliseconds.
    """

    def __init__(self, world: World, pairs: LivePairs | None = None) -> None:
        self._world = world
        self.pairs = pairs
        self._version: int | None = None
        self._solver = world.capabilities
        self._shapes = _packed(self._solver, {})
        self.ready = True
        self.enabled = True
        self.total = StepAgreement()
        self.last_ms = 0.0

    def check(self, contacts: StepContacts) -> StepAgreement:
        """Judge the manifolds of one step; ignored if the referee does not support the solver."""
        if not (self.ready and self.enabled and self._world.capabilities.is_refereed):
            return StepAgreement()
        started = time.perf_counter()
        if self._version != self._world.structure_version:
            self._repack(contacts)
        step = self._shapes.judge(contacts)
        self.total += step
        self.last_ms = 1000.0 * (time.perf_counter() - started)
        return step

    def reset(self) -> None:
        """Reset the totals."""
        self.total = StepAgreement()

    def _repack(self, contacts: StepContacts) -> None:
        """Update the fixtures: one that was destroyed within the step still has contacts there, and is removed the next time."""
        world, known = self._world, self._shapes.by_id
        if world.capabilities is not self._solver:  # another solver represents shapes differently
            self._solver, known = world.capabilities, {}
        living = {fixture: known.get(fixture) or world.fixture(fixture).shape for fixture in world.fixture_ids}
        named = np.unique((contacts.fixture_a, contacts.fixture_b)).tolist()
        self._shapes = _packed(world.capabilities, {**{fixture: known[fixture] for fixture in named if fixture in known}, **living})
        self._version = world.structure_version


def live_referee(world: World) -> LiveReferee:
    """Return a referee that judges a world's contacts, with the check of which pairs touch."""
    return LiveReferee(world, LivePairs(world))
