"""The contact listener: it copies numbers only, raises no exceptions, and calls Box2D as little as possible.

Most of a listener's cost is incurred by merely having one: two calls per touching pair. It is therefore only attached for steps with
contact hooks or continuous physics, which may compute a manifold at poses that the bodies leave before the step ends. In any other step,
Box2D evaluates each contact once, in the order of its list. `note_changes` then infers the events from the touching contacts before and
after the step.

Callbacks during a step have this order::

    Collide           PreSolve for each touching pair          bodies at their initial poses
    Solve             PostSolve for each solved pair           bodies moved
    SolveTOI  repeat  PreSolve, PostSolve for the pairs hit    bodies at the time of impact

A PreSolve after any PostSolve therefore belongs to an impact, and its poses are copied. The remaining case is a step whose first PreSolve
comes from an impact because nothing touched before: there is no earlier PostSolve, but the bodies are no longer at their initial poses. (If
they are, the impact is at fraction 0, and the initial poses are correct.)

Without contact hooks only the first PreSolve and the first PostSolve matter: they mark the beginning of Collide and Solve.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

import Box2D
import numpy as np

from engine.box2d.memory import RawContacts
from engine.common.limits import MAX_IMPACTS_PER_STEP
from engine.contracts import PairEvent
from engine.world.hooks import StepHooks
from engine.world.records import ImpactPose, Pose

__all__ = ["ContactListener", "FixtureHandle", "Pending"]


class FixtureHandle(NamedTuple):
    """A fixture's data for the listener, stored by the address of the Box2D fixture for as long as that exists."""

    fixture: int
    body: int
    sensor: bool
    radius: float
    skin: float
    box2d_body: Any


class Pending(NamedTuple):
    """Events since the last step, and pairs of fixtures whose begin or end event has not been reported yet."""

    began: tuple[PairEvent, ...]
    ended: tuple[PairEvent, ...]
    unreported: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])


class _Phase(Enum):
    START = 0
    COLLIDE = 1
    SOLVED = 2
    IMPACT = 3


_COLLIDE, _SOLVED = _Phase.COLLIDE, _Phase.SOLVED
"""Module-level aliases, because a class lookup in every callback would be slower."""


class ContactListener(Box2D.b2ContactListener):  # type: ignore[misc]
    """Collects the events of one step.

    Attributes
    ----------
    began, ended : list of PairEvent
        Events since the last `take_events`.
    impacts : dict of (fixture a, fixture b) to ImpactPose
        Poses at the last impact of each pair within the step.
    unreported : tuple of (pairs begun, pairs ended), each of (fixture a, fixture b)
        Changes detected when a world was rebuilt; reported at the start of the next step.
    moments : list of (fixture a, fixture b, ImpactPose)
        All impacts within the step, in Box2D's order.
    settled : dict of (fixture a, fixture b) to ImpactPose
        Pairs last evaluated at an impact within the step: those of `impacts`, and those that had separated.
    impact_impulses : dict of (fixture a, fixture b) to ([normal], [tangent])
        Sums over the impacts of the step, N s; Box2D does not store them in the contact.
    error : BaseException or None
        The first exception of a callback or hook.
    """

    began: list[PairEvent]
    ended: list[PairEvent]
    unreported: tuple[list[tuple[int, int]], list[tuple[int, int]]]

    def __init__(self, handles: Mapping[int, FixtureHandle]) -> None:
        super().__init__()
        self._handles = handles
        self.hooks: StepHooks | None = None
        self.error: BaseException | None = None
        self.set_pending(Pending((), ()))
        self.start_step(0, None)

    def start_step(self, step: int, start_pose: Callable[[int], Pose] | None, may_skip_solving: bool = False) -> None:
        """Reset the data of the last step; `start_pose` returns a body's pose, by id, before the new one.

        With sub-stepping most steps have no Solve phase, so no PostSolve separates Collide from the impacts, and the poses of every pair
        are compared instead. The same applies if a hook may disable contacts.
        """
        hooks = self.hooks
        self._compares_poses = may_skip_solving or (hooks is not None and hooks.pre_solve is not None)
        self._is_plain = not self._compares_poses and (hooks is None or hooks.post_solve is None)
        self.step, self._start_pose, self._phase = step, start_pose, _Phase.START
        self.impacts: dict[tuple[int, int], ImpactPose] = {}
        self.moments: list[tuple[int, int, ImpactPose]] = []
        self.settled: dict[tuple[int, int], ImpactPose] = {}
        self.impact_impulses: dict[tuple[int, int], tuple[list[float], list[float]]] = {}
        (begun, ended), self.unreported = self.unreported, ([], [])
        known = {handle.fixture: handle for handle in self._handles.values()} if begun or ended else {}
        for report, pairs in ((self._begin, begun), (self._end, ended)):
            for a, b in pairs:
                if a in known and b in known:  # otherwise destroyed meanwhile
                    try:
                        report(self._pair_event(known[a], known[b]))
                    except BaseException as error:
                        self._keep(error)

    def note_changes(self, before: RawContacts, after: RawContacts) -> None:
        """Record the events of a step in which the listener was not attached, from the touching contacts, in Box2D's order."""
        changed = np.setxor1d(before.contacts, after.contacts, assume_unique=True)
        for report, raw in ((self._begin, after), (self._end, before)):
            for a, b in raw.fixtures[np.isin(raw.contacts, changed)].tolist() if len(changed) else ():
                report(self._pair_event(self._handles[a], self._handles[b]))

    def end_step(self) -> None:
        """End the step, so that contacts that end later are not attributed to an impact within it."""
        self._start_pose = None

    def take_error(self) -> BaseException | None:
        """Return and clear the first exception since the last call."""
        error, self.error = self.error, None
        return error

    def take_events(self) -> tuple[tuple[PairEvent, ...], tuple[PairEvent, ...]]:
        """Return and clear the begin and end events since the last call."""
        events = tuple(self.began), tuple(self.ended)
        self.began, self.ended = [], []
        return events

    def pending(self) -> Pending:
        """Return the events that the next step will report, without clearing them."""
        return Pending(tuple(self.began), tuple(self.ended), (list(self.unreported[0]), list(self.unreported[1])))

    def set_pending(self, pending: Pending) -> None:
        """Set the events that the next step will report."""
        self.began, self.ended, self.unreported = list(pending.began), list(pending.ended), pending.unreported

    def BeginContact(self, contact: Any) -> None:
        try:
            self._begin(self._event(contact))
        except BaseException as error:
            self._keep(error)

    def EndContact(self, contact: Any) -> None:
        try:
            self._note_parting(contact)
            self._end(self._event(contact))
        except BaseException as error:
            self._keep(error)

    def PreSolve(self, contact: Any, old_manifold: Any) -> None:
        if self._is_plain and self._phase is _COLLIDE:  # most calls, hundreds per step
            return
        try:
            if self._phase is not _Phase.COLLIDE or self._compares_poses:
                self._note_poses(contact)
            if len(self.moments) > MAX_IMPACTS_PER_STEP:
                contact.enabled = False  # Box2D does not evaluate it again in this step
            elif self.hooks is not None and self.hooks.pre_solve is not None and not self.hooks.pre_solve(self._event(contact)):
                contact.enabled = False
        except BaseException as error:
            self._keep(error)

    def PostSolve(self, contact: Any, impulse: Any) -> None:
        if self._is_plain and self._phase is _SOLVED:
            return
        try:
            if self._phase is _Phase.IMPACT:
                self._note_impulse(contact, impulse)
            else:
                self._phase = _Phase.SOLVED
            if self.hooks is not None and self.hooks.post_solve is not None:
                self.hooks.post_solve(self._event(contact), *_impulses(impulse))
        except BaseException as error:
            self._keep(error)

    def _note_poses(self, contact: Any) -> None:
        a, b = self._handles[hash(contact.fixtureA)], self._handles[hash(contact.fixtureB)]
        poses = ImpactPose(_pose(a.box2d_body), _pose(b.box2d_body))
        start = self._start_pose
        is_undecided = self._phase is _Phase.START or self._phase is _Phase.COLLIDE
        if is_undecided and start is not None and poses == (start(a.body), start(b.body)):
            self._phase = _Phase.COLLIDE
            return
        self._phase = _Phase.IMPACT
        self.impacts[a.fixture, b.fixture] = self.settled[a.fixture, b.fixture] = poses
        self.moments.append((a.fixture, b.fixture, poses))

    def _note_parting(self, contact: Any) -> None:
        """Record the poses at an impact at which two bodies proved separated; during Collide, bodies are at their initial poses."""
        start = self._start_pose
        if start is None:
            return
        a, b = self._handles[hash(contact.fixtureA)], self._handles[hash(contact.fixtureB)]
        poses = ImpactPose(_pose(a.box2d_body), _pose(b.box2d_body))
        if poses != (start(a.body), start(b.body)):
            self.settled[a.fixture, b.fixture] = poses

    def _note_impulse(self, contact: Any, impulse: Any) -> None:
        key = self._handles[hash(contact.fixtureA)].fixture, self._handles[hash(contact.fixtureB)].fixture
        total_normal, total_tangent = self.impact_impulses.setdefault(key, ([0.0, 0.0], [0.0, 0.0]))
        normal, tangent = _impulses(impulse)
        for k in range(len(normal)):
            total_normal[k] += normal[k]
            total_tangent[k] += tangent[k]

    def _begin(self, event: PairEvent) -> None:
        self.began.append(event)
        if self.hooks is not None and self.hooks.begin is not None:
            self.hooks.begin(event)

    def _end(self, event: PairEvent) -> None:
        self.ended.append(event)
        if self.hooks is not None and self.hooks.end is not None:
            self.hooks.end(event)

    def _event(self, contact: Any) -> PairEvent:
        return self._pair_event(self._handles[hash(contact.fixtureA)], self._handles[hash(contact.fixtureB)])

    def _pair_event(self, a: FixtureHandle, b: FixtureHandle) -> PairEvent:
        return PairEvent(self.step, a.fixture, b.fixture, a.body, b.body, a.sensor or b.sensor)

    def _keep(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error


def _pose(body: Any) -> Pose:
    position = body.position
    return (float(position.x), float(position.y), float(body.angle))


def _impulses(impulse: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    n_points = int(impulse.count)
    return tuple(impulse.normalImpulses[:n_points]), tuple(impulse.tangentImpulses[:n_points])
