"""Several people in one demo: who holds what, who drives which body, and how time passes for all of them.

A demo that one person plays has one hand, one set of keys and a clock of the window's. Shared, each user has a hand and keys of its own,
and time is part of the state: a *tick* is what the server closes, of which a pause makes one without a step and slow motion lets only
some have one. So everything that is done, a pause too, is an input at a tick, and the same inputs at the same ticks give the same bits.

    sim.act(Join(), user=2)                     user 2 comes; Join(True): comes back
    sim.act(Grab((1.5, 2.0)), user=2)           takes hold with its own hand
    sim.act(Drive(0, 7), user=2)                its force keys push body 7 of stage 0
    sim.act(PressKey("right"), user=2)          as this one, unless the demo itself has a use for the key
    sim.act(UndoOwn(), user=2)                  takes back what user 2 did last, if that can be

For the demo all users' keys are held together. What a user creates has ids of a range of its own: no two users' ids collide, in whichever
order their inputs come to be. A user who leaves lets go of everything.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.common.errors import LabError
from engine.sim.action import Action, Inverse
from engine.sim.action_fields import encode_action
from engine.sim.grip import Grip
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.stage import Stage

__all__ = ["FORCE", "KEYFRAME_TICKS", "MAX_UNDO", "MAX_USERS", "PUSHES", "SIXTEENTHS", "SPEEDS", "User", "Users"]

KEYFRAME_TICKS = 30
"""From one keyframe of a shared demo to the next: half a second at 60 Hz."""

MAX_USERS = 64
_IDS_AT_ONCE = 1 << 14
"""More than one action creates: of a file that is dropped, `MAX_CONVEX_PIECES`."""
MAX_UNDO = 100
"""Actions that a user can take back."""
_MAX_UNDO_BYTES = 1 << 16
"""MessagePack of what takes back a user's actions, but for the last one: the undo of all users is part of the state that is sent."""
FORCE = 20.0
"""N, of a force key, at the center of the body that its user drives."""

SPEEDS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Steps to a tick; sixteenths, so that what is owed adds up without rounding."""
SIXTEENTHS = 16

PUSHES = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 1.0), "down": (0.0, -1.0),
    "a": (-1.0, 0.0), "d": (1.0, 0.0), "w": (0.0, 1.0), "s": (0.0, -1.0),
}  # fmt: skip


class _Demo(Protocol):
    """A demo, as far as its users are concerned."""

    stages: list[Stage]
    held: set[str]
    _grip: Grip | None

    def release(self) -> None:
        """Let go of what the hand holds."""


@dataclass(slots=True)
class User:
    """One of those who share a demo.

    Attributes
    ----------
    grip : Grip or None
        Its hand, where it holds something.
    held : set of str
        Keys of the demo's that it holds down.
    pushes : set of str
        Force keys that it holds down: those that the demo has no use for.
    drives : (stage, body) or None
        What its force keys push.
    next_ids : dict of int to (body, fixture, joint)
        By stage, the ids that what it creates gets next.
    undo : list of Inverse
        What takes back what it did, the newest last.
    """

    grip: Grip | None = None
    held: set[str] = field(default_factory=set)
    pushes: set[str] = field(default_factory=set)
    drives: tuple[int, int] | None = None
    next_ids: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    undo: list[Inverse] = field(default_factory=list)


class Users:
    """The users of a demo, by number, and their common time; part of the demo's past.

    Attributes
    ----------
    users : dict of int to User
    away : dict of int to User
        Those who have left: who comes under such a number creates nothing under an id that has been used.
    is_shared : bool
        True if they can come: time passes in ticks then.
    ticks : int
        Since then.
    paused : bool
    speed : float
        Steps to a tick, one of `SPEEDS`.
    """

    def __init__(self) -> None:
        self.users: dict[int, User] = {}
        self.away: dict[int, User] = {}
        self.is_shared = False
        self.ticks = 0
        self.paused = False
        self.speed = 1.0
        self._owed = 0
        """Sixteenths of a step."""

    def open(self, tick: int = 0) -> None:
        """Let users come, and time pass in ticks, of which there have been so many."""
        self.is_shared, self.ticks = True, tick

    def close(self, demo: _Demo) -> None:
        """Let all users leave, and time pass in steps: one goes on alone."""
        for number in sorted(self.users):
            self.leave(demo, number)
        self.is_shared = self.paused = False

    @property
    def ticks_to_keyframe(self) -> int:
        """How many ticks from now the demo is next brought into canonical form; 0 if it is after the tick just taken."""
        return -self.ticks % KEYFRAME_TICKS

    @property
    def fraction(self) -> float:
        """How much of the next step is owed already: for the picture of slow motion."""
        return self._owed / SIXTEENTHS

    def tick(self) -> int:
        """Let a tick pass; return how many steps are taken in it."""
        self.ticks += 1
        if self.paused:
            return 0
        steps, self._owed = divmod(self._owed + round(self.speed * SIXTEENTHS), SIXTEENTHS)
        return steps

    def push(self, stages: Sequence[Stage]) -> None:
        """Let the force keys that are held push, before a step."""
        for _, user in sorted(self.users.items()):
            if user.drives is None:
                continue
            stage, body = user.drives
            if stage >= len(stages) or not stages[stage].world.is_body(body):
                user.drives = None
                continue
            x, y = (FORCE * sum(PUSHES[key][axis] for key in sorted(user.pushes)) for axis in (0, 1))
            if x or y:
                world = stages[stage].world
                with contextlib.suppress(LabError):
                    world.set_awake(body, True)
                    world.apply_force(body, (x, y))

    # -- what users do ------------------------------------------------------------------------------------------------

    def join(self, number: int, is_back: bool) -> None:
        """Let a user come, as a newcomer or, `is_back`, as who had this number before: then what was done can be taken back still."""
        self.is_shared = True
        if number not in self.users:
            user = self.users[number] = self.away.pop(number) if number in self.away else User()
            user.undo = user.undo if is_back else []

    def leave(self, demo: _Demo, number: int) -> None:
        """Let a user let go of everything, and be away."""
        with self.hand_of(demo, number):
            demo.held.clear()
            demo.release()
        user = self.away[number] = self.users.pop(number)
        user.pushes, user.drives = set(), None

    def note(self, number: int, action: Action, inverse: Inverse | None) -> None:
        """Note what takes an action of a user's back."""
        user = self.users.get(number)
        if user is not None and inverse is not None:
            is_same_gesture = action.undoable and not action.begins and user.undo
            before = user.undo.pop() if is_same_gesture else None
            user.undo = _newest([*user.undo, inverse if before is None else before.and_before(inverse)][-MAX_UNDO:])

    def check_ids(self, number: int) -> None:
        """Refuse what creates something where a user has created too much."""
        for ids in self.users[number].next_ids.values():
            if any(id % IDS_OF_A_USER > IDS_OF_A_USER - _IDS_AT_ONCE for id in ids):
                raise LabError(f"a user can create {IDS_OF_A_USER - _IDS_AT_ONCE} things, and you have")

    @contextlib.contextmanager
    def hand_of(self, demo: _Demo, number: int) -> Iterator[None]:
        """Give the demo the hand, the keys and the new ids of a user for a while."""
        user = self.users[number]
        first = number * IDS_OF_A_USER
        worlds = [stage.world for stage in demo.stages]
        usual = [world.hand_out(user.next_ids.get(k, (first, first, first))) for k, world in enumerate(worlds)]
        before, others = demo._grip, set().union(*(other.held for other in self.users.values() if other is not user))
        demo._grip = user.grip if user.grip is not None and user.grip.stage in demo.stages else None
        demo.held = set(user.held)
        try:
            yield
        finally:
            for k, (world, ids) in enumerate(zip(worlds, usual, strict=True)):
                user.next_ids[k] = world.hand_out(ids)
            user.grip, demo._grip = demo._grip, before
            user.held, demo.held = demo.held, others | demo.held
            if [stage.world for stage in demo.stages] != worlds:
                self.leave_worlds(demo)

    def leave_worlds(self, demo: _Demo) -> None:
        """Forget what was of worlds that have been built anew: a body's id is another body's there."""
        for user in (*self.users.values(), *self.away.values()):
            if user.grip is not None and user.grip.stage not in demo.stages:
                user.grip = None
            user.drives = None
            user.undo = [inverse for inverse in user.undo if not inverse.is_of_a_world]


def _newest(undo: list[Inverse]) -> list[Inverse]:
    """Return the newest inverses that take `_MAX_UNDO_BYTES` together; the last one in any case."""
    n_bytes = 0
    for k in range(len(undo) - 1, -1, -1):
        n_bytes += sum(len(encode_action(part.action)) for part in undo[k].parts)
        if n_bytes > _MAX_UNDO_BYTES:
            return undo[min(k + 1, len(undo) - 1) :]
    return undo
