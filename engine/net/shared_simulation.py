"""The simulation of a shared demo: acts by tick, keyframes, and the way back; what a server and its clients have in common.

    keyframe              keyframe        now
    |--a-----aa----------|----a----------|          a: acts, in front of the tick that they belong to; in one tick by user and number
                              ^
                              comes late: back to the keyframe before it, and the ticks again

The order of acts within a tick does not depend on the order in which they came, and every run brings its worlds into canonical form at
each keyframe (`World.canonicalize`): so a client that went back, one that joined, and the server that did neither go through the same
states, bit for bit.
"""

from __future__ import annotations

import time
from bisect import insort
from collections import deque
from typing import Any, NamedTuple

from engine.common.errors import LabError
from engine.sim.action import Action, Input
from engine.sim.demo import Demo, DemoFaultError
from engine.sim.history import demo_hash, repeat
from engine.sim.ids import readable
from engine.sim.state import decode_state, encode_state
from engine.sim.users import KEYFRAME_TICKS

__all__ = ["SharedSimulation", "TooLateError", "UserAction"]

_CLOSE_TICKS = 10
"""From one keyframe to the next where a snapshot is a reference to arrays that change no more: a keyframe costs half a tick of 100 bodies,
and every tick between two is taken again in half of all rollbacks."""
_MAX_FAULTS = 64
"""Told, the last ones."""


class TooLateError(LabError):
    """An act belongs to a tick that cannot be reached any more."""


class UserAction(NamedTuple):
    """An act of a user; `number` ascends for each user. Acts sort in the order in which they are applied."""

    user: int
    number: int
    action: Action

    @property
    def key(self) -> tuple[int, int]:
        """By which it is known."""
        return self.user, self.number


class SharedSimulation:
    """A demo, shared from here on.

    Parameters
    ----------
    demo : Demo
        Between two ticks, at a keyframe: just built, or in the state that a server gave.
    tick : int
        Ticks from the beginning to where it stands.
    window : int
        How many ticks one can go back at least.
    goes_back : bool
        True if keyframes are kept at all: a server never goes back.

    Attributes
    ----------
    now : int
        Ticks taken: the next is `now` itself.
    digests : dict of int to bytes
        Of the state right before a tick, of those kept.
    faults : deque of str
        What went wrong in ticks, the demo's own mistakes too: a shared world goes on, everywhere alike.
    costs : dict of int to float
        Processor seconds that the acts of the last tick took, by user.
    """

    def __init__(self, demo: Demo, tick: int = 0, window: int = 100, goes_back: bool = True) -> None:
        self.demo, self.now, self.window, self.goes_back = demo, tick, window, goes_back
        demo.sim.users.open(tick)
        self.digests: dict[int, bytes] = {tick: demo_hash(demo)}
        self.faults: deque[str] = deque(maxlen=_MAX_FAULTS)
        self.costs: dict[int, float] = {}
        self._acts: dict[int, list[UserAction]] = {}
        self._keyframes: dict[int, bytes] = {}
        self._oldest = tick
        self._keep()
        self._changed: int | None = None
        """The first tick behind whose acts have changed since it was taken."""
        self._n_done = 0
        """Number of acts of the next tick, in order, that have been applied already."""

    @property
    def oldest(self) -> int:
        """The first tick of which anything is known; one that goes back can still change what is done there."""
        return self._oldest

    @property
    def is_behind(self) -> bool:
        """True if acts behind `now` have changed: `replay` is due."""
        return self._changed is not None

    @property
    def changed(self) -> int | None:
        """The first tick behind whose acts have changed since it was taken."""
        return self._changed

    @property
    def n_acts(self) -> int:
        """Acts of all ticks that are kept."""
        return sum(map(len, self._acts.values()))

    def acts(self, tick: int) -> tuple[UserAction, ...]:
        """Return what is done at a tick, in order."""
        return tuple(self._acts.get(tick, ()))

    def inputs(self, tick: int) -> list[Input]:
        """Return what is done at a tick as it stands in a recording."""
        return [Input(act.action, act.user) for act in self._acts.get(tick, ())]

    def add(self, tick: int, act: UserAction) -> bool:
        """Put an act at a tick; False if it is known there already.

        Raises
        ------
        TooLateError
            The tick cannot be reached any more.
        """
        first = self._oldest if self.goes_back else self.now
        if tick < first:
            raise TooLateError(f"an act of user {act.user} belongs to tick {tick}, before the oldest that is kept, {first}")
        acts = self._acts.setdefault(tick, [])
        if any(one.key == act.key for one in acts):
            return False
        insort(acts, act, key=lambda one: one.key)
        self._touch(tick, _place(acts, act.key))
        return True

    def act(self, act: UserAction) -> Any:
        """Do something at the next tick, and at once: who draws a body sees it, and knows its id, before the tick has passed.

        What belongs before it is done first, and what has been done and belongs behind it is done again. Return what it returns.

        Raises
        ------
        LabError
            The demo refuses it, as it will everywhere.
        """
        self.add(self.now, act)
        place = _place(self._acts[self.now], act.key)
        if self.is_behind:
            self._n_done = place
            self.replay()
        self._do(place)
        self._n_done = place + 1
        return self.demo.sim.act(act.action, act.user)

    def _do(self, until: int) -> None:
        """Carry out the acts of the next tick, as far as one, that have not been."""
        for one in self.inputs(self.now)[self._n_done : until]:
            began = time.thread_time()
            error = repeat(self.demo, one)
            if isinstance(error, DemoFaultError):  # it makes the same mistake everywhere
                self._note(f"what user {one.user} did ({type(one.action).__name__})", error)
            self.costs[one.user] = self.costs.get(one.user, 0.0) + time.thread_time() - began
        self._n_done = until

    def _note(self, what: str, error: LabError) -> None:
        self.faults.append(f"tick {self.now}: {what} ended in {readable(str(error))}"[:500])

    def remove(self, tick: int, user: int, number: int) -> bool:
        """Take an act from a tick, for it counts at another; False if it is not there."""
        acts = self._acts.get(tick, [])
        kept = [one for one in acts if one.key != (user, number)]
        if len(kept) == len(acts):
            return False
        self._acts[tick] = kept
        self._touch(tick, _place(acts, (user, number)))
        return True

    def _touch(self, tick: int, place: int) -> None:
        """Note that the acts of a tick are others from a place on."""
        if tick < self.now or (tick == self.now and place < self._n_done):
            self._changed = tick if self._changed is None else min(self._changed, tick)

    def step(self) -> None:
        """Take the next tick, with what is done at it."""
        self.costs.clear()
        self._do(len(self._acts.get(self.now, ())))
        self._n_done = 0
        try:
            self.demo.sim.step()
        except LabError as error:  # it fails everywhere alike
            self._note("the step", error)
        self.now += 1
        self.digests[self.now] = demo_hash(self.demo)
        if self.now % self._spacing == 0:
            self._keep()

    def _keep(self) -> None:
        if self.goes_back:
            self._keyframes[self.now] = encode_state(self.demo, is_kept=True)

    @property
    def _spacing(self) -> int:
        """Ticks from one keyframe to the next: where a world is brought into canonical form all copies must do so at the same ticks."""
        return _CLOSE_TICKS if all(stage.world.is_always_canonical for stage in self.demo.stages) else KEYFRAME_TICKS

    def replay(self, last: int | None = None) -> int:
        """Go back to before the first tick whose acts have changed, and come up again, at most to `last`; return how many ticks it took."""
        if self._changed is None:
            return 0
        was, start = self.now, max(tick for tick in self._keyframes if tick <= self._changed)
        here = was if last is None else min(was, max(start, last))
        n_done, self._n_done, self._changed = self._n_done, 0, None
        self._keyframes = {tick: state for tick, state in self._keyframes.items() if tick <= start}
        decode_state(self.demo, self._keyframes[start], is_kept=True)
        self.now = start
        with self.demo.sim.unchecked():
            while self.now < here:
                self.step()
            if here == was:
                self._do(min(n_done, len(self._acts.get(here, ()))))
        self.demo.sim.use_missing_referees()
        return here - start

    def adopt(self, tick: int) -> None:
        """Note that the demo has been given another's state right before a tick; what was behind is forgotten."""
        self.now, self._changed, self._n_done = tick, None, 0
        self._keyframes, self._oldest = {}, tick
        self._keep()
        self.digests = {tick: demo_hash(self.demo)}
        self._acts = {at: acts for at, acts in self._acts.items() if at >= tick}

    def forget(self, before: int) -> None:
        """Forget what lies before a tick, but for the last keyframe there."""
        first = self._oldest = max((tick for tick in self._keyframes or (before,) if tick <= before), default=self._oldest)
        self._keyframes = {tick: state for tick, state in self._keyframes.items() if tick >= first}
        self._acts = {tick: acts for tick, acts in self._acts.items() if tick >= first}
        self.digests = {tick: digest for tick, digest in self.digests.items() if tick >= first}


def _place(acts: list[UserAction], key: tuple[int, int]) -> int:
    """Return where among acts one is."""
    return next(k for k, one in enumerate(acts) if one.key == key)
