"""The one contact listener: it copies plain numbers, lets nothing escape, and asks Box2D for as little as it can.

Most of a listener's price is paid by merely having one (PYBOX2D.md, costs), so what can be read after the step is read
then. Two things cannot: the order of begin and end events within a step, and the poses at which continuous physics
computed a manifold, since the bodies move on to the end of the step afterwards.

A step calls back in this order::

    Collide           PreSolve for each touching pair          bodies where the step found them
    Solve             PostSolve for each solved pair           bodies moved
    SolveTOI  repeat  PreSolve, PostSolve for the pairs hit    bodies at the moment of impact

so a PreSolve after any PostSolve belongs to an impact, and its poses are copied. One case is left: a step whose first
PreSolve comes from an impact because nothing touched before. Then no PostSolve went before it, but the bodies are no longer
where the step found them. (If they are, the impact is at fraction 0 and the poses are those of the
start anyway.)

Without a hook on contacts only the first PreSolve and the first PostSolve matter: they mark where Collide and Solve begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

import Box2D

from engine.common.limits import MAX_IMPACTS_PER_STEP
from engine.contracts import PairEvent
from engine.world.hooks import StepHooks
from engine.world.records import ImpactPose, Pose

__all__ = ["ContactListener", "FixtureHandle", "Pending"]


class FixtureHandle(NamedTuple):
    """A fixture as the listener needs it, by the address of the Box2D fixture, which lives as long."""

    fixture: int
    body: int
    sensor: bool
    radius: float
    skin: float
    box2d_body: Any


class Pending(NamedTuple):
    """Events noted since the last step, and pairs of fixtures whose beginning or end has not been reported."""

    began: tuple[PairEvent, ...]
    ended: tuple[PairEvent, ...]
    unreported: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])


class _Phase(Enum):
    START = 0
    COLLIDE = 1
    SOLVED = 2
    IMPACT = 3


_COLLIDE, _SOLVED = _Phase.COLLIDE, _Phase.SOLVED
"""Bound once: these callbacks run for every contact, and a lookup in the class would add to each."""


class ContactListener(Box2D.b2ContactListener):  # type: ignore[misc]
    """Collects the events of one step.

    Attributes
    ----------
    began, ended : list of PairEvent
        Since the last `take_events`.
    impacts : dict of (fixture a, fixture b) to ImpactPose
    unreported : tuple of (pairs begun, pairs ended), each of (fixture a, fixture b)
        Found while a world was built again: reported as the next step starts.
    moments : list of (fixture a, fixture b, ImpactPose)
        Every impact inside the step, in the order in which Box2D came to them.
    settled : dict of (fixture a, fixture b) to ImpactPose
        Pairs of which an impact inside the step decided last whether they touch: as `impacts`, and those that it found parted.
    impact_impulses : dict of (fixture a, fixture b) to ([normal], [tangent])
        N s, summed over the impacts of the step; Box2D does not keep them in the contact.
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
        """Forget the last step; `start_pose` returns the pose of a body, by id, before the step.

        Sub-stepping leaves Solve out of most steps, and then no PostSolve separates Collide from the impacts: the poses of every pair are
        compared instead. So they are where a hook may disable every contact.
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
                if a in known and b in known:  # else destroyed meanwhile
                    try:
                        report(self._pair_event(known[a], known[b]))
                    except BaseException as error:
                        self._keep(error)

    def end_step(self) -> None:
        """Note that the step is over: what ends after it has no moment inside it."""
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
        """Return the events that the next step will report."""
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
        if self._is_plain and self._phase is _COLLIDE:  # of all contacts but the first, in most steps: hundreds of calls
            return
        try:
            if self._phase is not _Phase.COLLIDE or self._compares_poses:
                self._note_poses(contact)
            if len(self.moments) > MAX_IMPACTS_PER_STEP:
                contact.enabled = False  # Box2D does not look at it again in this step
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
        """Note where an impact found two bodies no longer touching; one that Collide parts is where the step found it."""
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
