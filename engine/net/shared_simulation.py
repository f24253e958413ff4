"""Runs a demo shared by users, with actions by tick, keyframes and rollback; used by both server and client.

    keyframe              keyframe        now
    |--a-----aa----------|----a----------|          a: actions, applied before their tick, ordered by user and number
                              ^
                              late action: roll back to the keyframe before it and resimulate

The order of actions within a tick does not depend on their order of arrival, and every copy brings its worlds into canonical form at
each keyframe (`World.canonicalize`). Therefore a client that rolled back, a client that joined later and the server all go through the same
states, bit for bit.
"""

from __future__ import annotations

import contextlib
import math
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.common.errors import LabError
from engine.sim.action import Action, Input
from engine.sim.demo import Demo, DemoFaultError
from engine.sim.history import demo_hash, repeat
from engine.sim.ids import readable
from engine.sim.state import decode_state, encode_state
from engine.sim.users import KEYFRAME_TICKS

__all__ = ["SharedSimulation", "UserAction"]

_DENSE_TICKS = 10
"""Interval of keyframes for worlds that are always canonical; a keyframe costs as much as half a tick of 100 bodies, and a rollback
resimulates on average half an interval needlessly."""
_MAX_FAULTS = 64
_FIRST, _LAST = (-1.0, 0.0), (math.inf, 0.0)
"""Keys that sort before and after those of all actions."""


class UserAction(NamedTuple):
    """An action of a user; `number` ascends for each user."""

    user: int
    number: int
    action: Action

    @property
    def key(self) -> tuple[int, int]:
        """Identifies the action; actions of a tick are applied in the order of their keys."""
        return self.user, self.number


class SharedSimulation:
    """A shared demo with its actions by tick.

    Parameters
    ----------
    demo : Demo
        Demo at a keyframe: freshly built, or in a state sent by a server.
    tick : int
        Tick of the demo's present state.
    goes_back : bool
        False for a server that keeps no keyframes and never rolls back.

    Attributes
    ----------
    now : int
        Next tick to simulate; ticks before it have been simulated.
    oldest : int
        First tick that is kept; the actions of this and later ticks can still change.
    changed : int or None
        First simulated tick whose actions have changed since it was simulated, to be handled by `rollback`; None if there is none.
    digests : dict of int to bytes
        Digest of the state right before each kept tick.
    faults : deque of str
        Latest errors in ticks, including the demo's own; the shared world continues identically in all copies.
    """

    def __init__(self, demo: Demo, tick: int = 0, goes_back: bool = True) -> None:
        self.demo, self.now, self.goes_back = demo, tick, goes_back
        demo.sim.users.open(tick)
        self.digests: dict[int, bytes] = {tick: demo_hash(demo)}
        self.faults: deque[str] = deque(maxlen=_MAX_FAULTS)
        self.oldest = tick
        self.changed: int | None = None
        self._actions: dict[int, dict[tuple[int, int], UserAction]] = {}
        self._keyframes: dict[int, bytes] = {}
        self._bound: tuple[float, float] = _FIRST
        """Those actions of the next tick whose keys are smaller have already been applied."""
        self._keep()

    @property
    def n_actions(self) -> int:
        """Number of actions in all kept ticks."""
        return sum(map(len, self._actions.values()))

    def actions(self, tick: int) -> list[UserAction]:
        """Return the actions of a tick, in order."""
        return sorted(self._actions.get(tick, {}).values(), key=lambda action: action.key)

    def inputs(self, tick: int) -> list[Input]:
        """Return the actions of a tick in the form used by recordings."""
        return [Input(action.action, action.user) for action in self.actions(tick)]

    def add(self, tick: int, action: UserAction) -> None:
        """Add an action at a tick; duplicates are ignored.

        Raises
        ------
        LabError
            The tick is no longer kept.
        """
        first = self.oldest if self.goes_back else self.now
        if tick < first:
            raise LabError(f"an action by user {action.user} belongs to tick {tick}, but the oldest tick kept is {first}")
        if self._actions.setdefault(tick, {}).setdefault(action.key, action) is action:
            self._mark_changed(tick, action.key)

    def remove(self, tick: int, user: int, number: int) -> None:
        """Remove an action from a tick; do nothing if the tick does not have it."""
        if self._actions.get(tick, {}).pop((user, number), None) is not None:
            self._mark_changed(tick, (user, number))

    def _mark_changed(self, tick: int, key: tuple[int, int]) -> None:
        if tick < self.now or (tick == self.now and key < self._bound):
            self.changed = tick if self.changed is None else min(self.changed, tick)

    def act(self, action: UserAction) -> Any:
        """Apply an action of the next tick at once and return its result, so that a user sees a new body and its id before the tick.

        Actions that sort before it are applied first; those that sort after it are rolled back and reapplied later.

        Raises
        ------
        LabError
            The demo rejects the action, as all copies will.
        """
        self.add(self.now, action)
        if self.changed is not None:
            self._bound = action.key
            self.rollback()
        self._apply(action.key)
        self._bound = action.user, action.number + 1
        return self.demo.sim.act(action.action, action.user)

    def _apply(self, bound: tuple[float, float]) -> None:
        """Apply the pending actions of the next tick with keys below `bound`."""
        for action in self.actions(self.now):
            if self._bound <= action.key < bound:
                error = repeat(self.demo, Input(action.action, action.user))
                if isinstance(error, DemoFaultError):  # a fault in the demo; it occurs in all copies
                    self._note(f"{type(action.action).__name__} by user {action.user}", error)
        self._bound = bound

    def _note(self, what: str, error: LabError) -> None:
        self.faults.append(f"tick {self.now}: {what} failed: {readable(str(error))}"[:500])

    def step(self) -> None:
        """Apply the next tick's actions and simulate it."""
        self._apply(_LAST)
        self._bound = _FIRST
        try:
            self.demo.sim.step()
        except LabError as error:  # the step fails in all copies
            self._note("the step", error)
        self.now += 1
        self.digests[self.now] = demo_hash(self.demo)
        # other worlds are canonicalized at keyframes, which therefore must be at the same ticks in all copies
        dense = all(stage.world.is_always_canonical for stage in self.demo.stages)
        if self.now % (_DENSE_TICKS if dense else KEYFRAME_TICKS) == 0:
            self._keep()

    def _keep(self) -> None:
        if self.goes_back:
            self._keyframes[self.now] = encode_state(self.demo, is_kept=True)

    def rollback(self, last: int | None = None) -> int:
        """Roll back before the first changed tick and resimulate, at most to `last`; return the number of resimulated ticks."""
        if self.changed is None:
            return 0
        before, start = self.now, max(tick for tick in self._keyframes if tick <= self.changed)
        end = before if last is None else min(before, max(start, last))
        bound, self._bound, self.changed = self._bound, _FIRST, None
        self._keyframes = {tick: state for tick, state in self._keyframes.items() if tick <= start}
        decode_state(self.demo, self._keyframes[start], is_kept=True)
        self.now = start
        with self.demo.sim.unchecked():
            while self.now < end:
                self.step()
            if end == before:
                self._apply(bound)
        self.demo.sim.use_missing_referees()
        return end - start

    @contextlib.contextmanager
    def back_at(self, tick: int) -> Iterator[None]:
        """Go back to the keyframe at `tick` in the with block, then resimulate; at the present tick, do neither."""
        before = self.now
        if tick < before:
            self.changed = tick
            self.rollback(tick)
        try:
            yield
        finally:
            with self.demo.sim.unchecked():
                while self.now < before:
                    self.step()

    def adopt(self, tick: int) -> None:
        """Update the bookkeeping after the demo's state was replaced by another copy's at `tick`; earlier ticks are discarded."""
        self.now, self.oldest, self.changed, self._bound = tick, tick, None, _FIRST
        self._keyframes = {}
        self._keep()
        self.digests = {tick: demo_hash(self.demo)}
        self._actions = {at: actions for at, actions in self._actions.items() if at >= tick}

    def forget(self, before: int) -> None:
        """Discard everything before the last keyframe that is not later than the tick `before`."""
        first = self.oldest = max((tick for tick in self._keyframes or (before,) if tick <= before), default=self.oldest)
        self._keyframes = {tick: state for tick, state in self._keyframes.items() if tick >= first}
        self._actions = {tick: actions for tick, actions in self._actions.items() if tick >= first}
        self.digests = {tick: digest for tick, digest in self.digests.items() if tick >= first}
