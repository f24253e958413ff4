"""A demo shared by users: actions by tick, keyframes, and rollback; what a server and its clients have in common.

    keyframe              keyframe        now
    |--a-----aa----------|----a----------|          a: actions, in front of their tick; within a tick by user and number
                              ^
                              arrives late: back to the keyframe before it, and the ticks again

The order of actions within a tick does not depend on their order of arrival, and every run brings its worlds into canonical form at
each keyframe (`World.canonicalize`): so a client that rolled back, one that joined, and the server that did neither go through the same
states, bit for bit.
"""

from __future__ import annotations

import math
import time
from collections import deque
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
"""Interval of keyframes where a snapshot refers to arrays that no longer change: a keyframe costs half a tick of 100 bodies, and every tick
between two is simulated again in half of all rollbacks."""
_MAX_FAULTS = 64
_FIRST, _LAST = (-1.0, 0.0), (math.inf, 0.0)
"""Keys before and after those of all actions."""


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
    """A demo that users share from here on.

    Parameters
    ----------
    demo : Demo
        Between two ticks, at a keyframe: just built, or in the state that a server sent.
    tick : int
        Ticks from the beginning to where it stands.
    goes_back : bool
        False for a server, which keeps no keyframes.

    Attributes
    ----------
    now : int
        Ticks simulated: the next is `now` itself.
    oldest : int
        The first tick of which anything is kept; after it actions can still change.
    changed : int or None
        The first simulated tick whose actions have changed since: `rollback` is due.
    digests : dict of int to bytes
        Digest of the state right before each tick that is kept.
    faults : deque of str
        Errors in ticks, the demo's own included: a shared world goes on, everywhere alike.
    costs : dict of int to float
        Processor seconds that the actions of the last tick took, by user.
    """

    def __init__(self, demo: Demo, tick: int = 0, goes_back: bool = True) -> None:
        self.demo, self.now, self.goes_back = demo, tick, goes_back
        demo.sim.users.open(tick)
        self.digests: dict[int, bytes] = {tick: demo_hash(demo)}
        self.faults: deque[str] = deque(maxlen=_MAX_FAULTS)
        self.costs: dict[int, float] = {}
        self.oldest = tick
        self.changed: int | None = None
        self._actions: dict[int, dict[tuple[int, int], UserAction]] = {}
        self._keyframes: dict[int, bytes] = {}
        self._bound: tuple[float, float] = _FIRST
        """Actions of the next tick with keys below it have been applied already."""
        self._keep()

    @property
    def n_actions(self) -> int:
        """Actions of all ticks that are kept."""
        return sum(map(len, self._actions.values()))

    def actions(self, tick: int) -> list[UserAction]:
        """Return the actions of a tick, in order."""
        return sorted(self._actions.get(tick, {}).values(), key=lambda action: action.key)

    def inputs(self, tick: int) -> list[Input]:
        """Return the actions of a tick as they stand in a recording."""
        return [Input(action.action, action.user) for action in self.actions(tick)]

    def add(self, tick: int, action: UserAction) -> None:
        """Add an action at a tick, once.

        Raises
        ------
        LabError
            The tick cannot be reached any more.
        """
        first = self.oldest if self.goes_back else self.now
        if tick < first:
            raise LabError(f"an action of user {action.user} belongs to tick {tick}, before the oldest that is kept, {first}")
        if self._actions.setdefault(tick, {}).setdefault(action.key, action) is action:
            self._mark_changed(tick, action.key)

    def remove(self, tick: int, user: int, number: int) -> None:
        """Remove an action from a tick, if it is there: it counts at another."""
        if self._actions.get(tick, {}).pop((user, number), None) is not None:
            self._mark_changed(tick, (user, number))

    def _mark_changed(self, tick: int, key: tuple[int, int]) -> None:
        if tick < self.now or (tick == self.now and key < self._bound):
            self.changed = tick if self.changed is None else min(self.changed, tick)

    def act(self, action: UserAction) -> Any:
        """Apply an action of the next tick at once, and return its result: a user sees a new body, and knows its id, before the tick.

        Actions that belong before it are applied first, those that belong behind it again.

        Raises
        ------
        LabError
            The demo refuses it, as it will everywhere.
        """
        self.add(self.now, action)
        if self.changed is not None:
            self._bound = action.key
            self.rollback()
        self._apply(action.key)
        self._bound = action.user, action.number + 1
        return self.demo.sim.act(action.action, action.user)

    def _apply(self, bound: tuple[float, float]) -> None:
        """Apply the actions of the next tick up to a key that have not been applied."""
        for action in self.actions(self.now):
            if self._bound <= action.key < bound:
                start = time.thread_time()
                error = repeat(self.demo, Input(action.action, action.user))
                if isinstance(error, DemoFaultError):  # a fault of the demo, the same everywhere
                    self._note(f"{type(action.action).__name__} of user {action.user}", error)
                self.costs[action.user] = self.costs.get(action.user, 0.0) + time.thread_time() - start
        self._bound = bound

    def _note(self, what: str, error: LabError) -> None:
        self.faults.append(f"tick {self.now}: {what} ended in {readable(str(error))}"[:500])

    def step(self) -> None:
        """Simulate the next tick, with its actions."""
        self.costs.clear()
        self._apply(_LAST)
        self._bound = _FIRST
        try:
            self.demo.sim.step()
        except LabError as error:  # it fails everywhere alike
            self._note("the step", error)
        self.now += 1
        self.digests[self.now] = demo_hash(self.demo)
        dense = all(stage.world.is_always_canonical for stage in self.demo.stages)  # else all copies canonicalize at the same ticks
        if self.now % (_DENSE_TICKS if dense else KEYFRAME_TICKS) == 0:
            self._keep()

    def _keep(self) -> None:
        if self.goes_back:
            self._keyframes[self.now] = encode_state(self.demo, is_kept=True)

    def rollback(self, last: int | None = None) -> int:
        """Go back before the first changed tick, and forward again, at most to `last`; return how many ticks were simulated again."""
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

    def adopt(self, tick: int) -> None:
        """Note that the demo has been given another's state right before a tick; what was before is forgotten."""
        self.now, self.oldest, self.changed, self._bound = tick, tick, None, _FIRST
        self._keyframes = {}
        self._keep()
        self.digests = {tick: demo_hash(self.demo)}
        self._actions = {at: actions for at, actions in self._actions.items() if at >= tick}

    def forget(self, before: int) -> None:
        """Forget what lies before a tick, except for the last keyframe there."""
        first = self.oldest = max((tick for tick in self._keyframes or (before,) if tick <= before), default=self.oldest)
        self._keyframes = {tick: state for tick, state in self._keyframes.items() if tick >= first}
        self._actions = {tick: actions for tick, actions in self._actions.items() if tick >= first}
        self.digests = {tick: digest for tick, digest in self.digests.items() if tick >= first}
