"""Users of a shared demo: their grips, keys and pushed bodies, and the common time.

With a single user, a demo has one grip, one set of held keys, and the window's clock. In a shared demo each user has their own grip and
keys, and time is part of the state, measured in *ticks* that the server defines: a tick has no step during a pause, and in slow motion
only some ticks have one. Every action, including a pause, is an input at a tick; equal inputs at equal ticks give bit-identical results.

    sim.act(Join(), user=2)                     user 2 joins; Join(True) rejoins
    sim.act(Grab((1.5, 2.0)), user=2)           grabs a body with the user's own grip
    sim.act(Drive(0, 7), user=2)                the user's force keys push body 7 of stage 0
    sim.act(PressKey("right"), user=2)          one of the force keys, unless the demo uses the key itself
    sim.act(UndoOwn(), user=2)                  undoes the user's last action, if possible

The demo sees the union of all users' held keys. Each user creates objects with ids from their own range, so that ids never collide,
whatever the order of the inputs. A user who leaves releases everything.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from engine.common.errors import LabError
from engine.sim.action import Action, Inverse
from engine.sim.action_codec import encode_action
from engine.sim.grip import Grip
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.stage import Stage

__all__ = ["FORCE", "KEYFRAME_TICKS", "MAX_UNDO", "MAX_USERS", "PUSHES", "SIXTEENTHS", "SPEEDS", "User", "Users"]

KEYFRAME_TICKS = 30
"""Ticks between keyframes of a shared demo, half a second at 60 Hz."""

MAX_USERS = 64
_IDS_AT_ONCE = 1 << 14
"""Number of ids reserved per action, more than any action needs; a dropped file, for example, needs up to `MAX_CONVEX_PIECES`."""
MAX_UNDO = 100
"""Maximum number of actions that a user can undo."""
_MAX_UNDO_BYTES = 1 << 16
"""Maximum MessagePack size of a user's undo records, bytes, not counting the latest; all users' undo history is part of the transmitted
state."""
FORCE = 20.0
"""Force of a force key, N, applied at the body's center of mass."""

SPEEDS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Steps per tick; multiples of 1/16, so that fractions add up without rounding."""
SIXTEENTHS = 16

PUSHES = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 1.0), "down": (0.0, -1.0),
    "a": (-1.0, 0.0), "d": (1.0, 0.0), "w": (0.0, 1.0), "s": (0.0, -1.0),
}  # fmt: skip


_Demo: TypeAlias = Any
"""An `engine.sim.demo.Demo`, which imports this module."""


@dataclass(slots=True)
class User:
    """A user of a shared demo.

    Attributes
    ----------
    grip : Grip or None
        The user's grip; None if nothing is held.
    held : set of str
        Held keys that the demo uses.
    pushes : set of str
        Held force keys, which the demo does not use.
    drives : (stage, body) or None
        Body that the force keys push.
    next_ids : dict of int to (body, fixture, joint)
        Next ids for objects created by the user, by stage.
    undo : list of Inverse
        Inverses of the user's actions, newest last.
    """

    grip: Grip | None = None
    held: set[str] = field(default_factory=set)
    pushes: set[str] = field(default_factory=set)
    drives: tuple[int, int] | None = None
    next_ids: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    undo: list[Inverse] = field(default_factory=list)


class Users:
    """The users of a demo by number, and their common time; part of the demo's state.

    Attributes
    ----------
    users : dict of int to User
    away : dict of int to User
        Users who have left; kept so that a successor with the same number does not reuse their ids.
    is_shared : bool
        True if users can join; time is then counted in ticks.
    ticks : int
        Number of ticks since the demo was shared.
    paused : bool
    speed : float
        Steps per tick, one of `SPEEDS`.
    """

    def __init__(self) -> None:
        self.users: dict[int, User] = {}
        self.away: dict[int, User] = {}
        self.is_shared = False
        self.ticks = 0
        self.paused = False
        self.speed = 1.0
        self._owed = 0
        """Accumulated fraction of a step, in sixteenths."""

    def open(self, tick: int = 0) -> None:
        """Share the demo: users can join, and time is counted in ticks, starting at `tick`."""
        self.is_shared, self.ticks = True, tick

    def close(self, demo: _Demo) -> None:
        """Return to a single user: all users leave, and time is no longer counted in ticks."""
        for number in sorted(self.users):
            self.leave(demo, number)
        self.is_shared = self.paused = False

    @property
    def ticks_to_keyframe(self) -> int:
        """Number of ticks to the next keyframe; 0 if the latest tick is followed by one."""
        return -self.ticks % KEYFRAME_TICKS

    @property
    def fraction(self) -> float:
        """Accumulated fraction of the next step, 0 to 1, for drawing slow motion."""
        return self._owed / SIXTEENTHS

    def tick(self) -> int:
        """Advance by one tick; return the number of steps in it."""
        self.ticks += 1
        if self.paused:
            return 0
        steps, self._owed = divmod(self._owed + round(self.speed * SIXTEENTHS), SIXTEENTHS)
        return steps

    def push(self, stages: Sequence[Stage]) -> None:
        """Apply the forces of all held force keys; called before a step."""
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

    # -- actions of users ---------------------------------------------------------------------------------------------

    def join(self, number: int, is_back: bool) -> None:
        """Add a user; `is_back` means the previous user with this number, who keeps the undo history."""
        self.is_shared = True
        if number not in self.users:
            user = self.users[number] = self.away.pop(number) if number in self.away else User()
            user.undo = user.undo if is_back else []

    def leave(self, demo: _Demo, number: int) -> None:
        """Release everything a user holds, and move the user to `away`."""
        with self.hand_of(demo, number):
            demo.held.clear()
            demo.release()
        user = self.away[number] = self.users.pop(number)
        user.pushes, user.drives = set(), None

    def note(self, number: int, action: Action, inverse: Inverse | None) -> None:
        """Add the inverse of a user's action to the user's undo history."""
        user = self.users.get(number)
        if user is not None and inverse is not None:
            is_same_gesture = action.undoable and not action.begins and user.undo
            before = user.undo.pop() if is_same_gesture else None
            user.undo = _newest([*user.undo, inverse if before is None else before.and_before(inverse)][-MAX_UNDO:])

    def check_ids(self, number: int) -> None:
        """Raise `LabError` if a user's id range is nearly used up."""
        for ids in self.users[number].next_ids.values():
            if any(id % IDS_OF_A_USER > IDS_OF_A_USER - _IDS_AT_ONCE for id in ids):
                raise LabError(f"a user can create at most {IDS_OF_A_USER - _IDS_AT_ONCE} objects")

    @contextlib.contextmanager
    def hand_of(self, demo: _Demo, number: int) -> Iterator[None]:
        """Switch the demo to a user's grip, held keys and id range in the with block."""
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
        """Discard references to worlds that have been rebuilt, because their ids now mean other objects."""
        for user in (*self.users.values(), *self.away.values()):
            if user.grip is not None and user.grip.stage not in demo.stages:
                user.grip = None
            user.drives = None
            user.undo = [inverse for inverse in user.undo if not inverse.is_of_a_world]


def _newest(undo: list[Inverse]) -> list[Inverse]:
    """Return the newest inverses with a total size of at most `_MAX_UNDO_BYTES`; always keeps the last one."""
    n_bytes = 0
    for k in range(len(undo) - 1, -1, -1):
        n_bytes += sum(len(encode_action(part.action)) for part in undo[k].parts)
        if n_bytes > _MAX_UNDO_BYTES:
            return undo[min(k + 1, len(undo) - 1) :]
    return undo
