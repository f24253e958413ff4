"""Several people in one demo: who holds what, who drives which body, and how time passes for all of them.

A demo that one person plays has one hand, one set of keys and a clock of the window's. Shared, each user has a hand and keys of its own,
and time is part of the state: a *tick* is what the server closes, of which a pause makes one without a step and slow motion lets only
some have one. So everything that is done, a pause too, is an input at a tick, and the same inputs at the same ticks give the same bits.

    run.act("by", 2, Input("join", ()))                     user 2 comes; join(True): comes back
    run.act("by", 2, Input("grab", ((1.5, 2.0),)))          takes hold with its own hand
    run.act("by", 2, Input("drive", (0, 7)))                its force keys push body 7 of stage 0
    run.act("by", 2, Input("press", ("right",)))            as this one, unless the demo itself has a use for the key
    run.act("by", 2, Input("undo_own", ()))                 takes back what user 2 did last, if that can be (`engine.sim.inverse`)

For the demo all users' keys are held together. What a user creates has ids of a range of its own: no two users' ids collide, in whichever
order their inputs come to be. A user who leaves lets go of everything.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.common.checks import boolean, integer
from engine.common.errors import InvalidInputError, LabError
from engine.sim.dropping import DroppedBody
from engine.sim.grip import Grip
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.input_log import ACTIONS, USER_ACTIONS, Input
from engine.sim.inverse import Inverse, Part, inverse_after, inverse_before, take_back
from engine.sim.stage import Stage

__all__ = ["FORCE", "KEYFRAME_TICKS", "MOST_UNDO", "MOST_USERS", "PUSHES", "SPEEDS", "User", "Users"]

KEYFRAME_TICKS = 30
"""From one keyframe of a shared demo to the next: half a second at 60 Hz."""

MOST_USERS = 64
_IDS_AT_ONCE = 1 << 14
"""More than one action creates: of a file that is dropped, `MAX_CONVEX_PIECES`."""
MOST_UNDO = 100
"""Actions that a user can take back."""
FORCE = 20.0
"""N, of a force key, at the centre of the body that its user drives."""

SPEEDS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Steps to a tick; sixteenths, so that what is owed adds up without rounding."""
_SIXTEENTHS = 16

PUSHES = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 1.0), "down": (0.0, -1.0),
    "a": (-1.0, 0.0), "d": (1.0, 0.0), "w": (0.0, 1.0), "s": (0.0, -1.0),
}  # fmt: skip
_NOT_BY_A_USER = frozenset({"by", "go_alone", "keep_solver_state", "resource_ready"})
_CREATING = frozenset({"edit", "amend_edit", "grab", "hold", "press", "drop", "turn", "on_wheel"})


class _Simulation(Protocol):
    """What steps a demo."""

    def has_body(self, stage: int, body: int) -> bool:
        """Tell whether there is such a stage, and such a body in its world."""

    def act(self, action: str, *arguments: Any) -> Any:
        """Do something to the demo."""


class _Demo(Protocol):
    """What is needed of a demo here."""

    stages: list[Stage]
    values: dict[str, float]
    dropped: list[DroppedBody]
    held: set[str]
    _grip: Grip | None

    @property
    def no_edits(self) -> str:
        """Why its worlds cannot be changed by hand."""

    @property
    def sim(self) -> _Simulation:
        """What steps it."""


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
        Whether they can come: time passes in ticks then.
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
            self._leave(demo, number)
        self.is_shared = self.paused = False

    @property
    def ticks_to_keyframe(self) -> int:
        """How many ticks from now the demo is next brought into canonical form; 0 if it is after the tick just taken."""
        return -self.ticks % KEYFRAME_TICKS

    @property
    def fraction(self) -> float:
        """How much of the next step is owed already: for the picture of slow motion."""
        return self._owed / _SIXTEENTHS

    def tick(self) -> int:
        """Let a tick pass; return how many steps are taken in it."""
        self.ticks += 1
        if self.paused:
            return 0
        steps, self._owed = divmod(self._owed + round(self.speed * _SIXTEENTHS), _SIXTEENTHS)
        return steps

    def push(self, demo: _Demo) -> None:
        """Let the force keys that are held push, before a step."""
        for _, user in sorted(self.users.items()):
            if user.drives is None:
                continue
            stage, body = user.drives
            if not demo.sim.has_body(stage, body):
                user.drives = None
                continue
            x, y = (FORCE * sum(PUSHES[key][axis] for key in sorted(user.pushes)) for axis in (0, 1))
            if x or y:
                world = demo.stages[stage].world
                with contextlib.suppress(LabError):
                    world.set_awake(body, True)
                    world.apply_force(body, (x, y))

    def act(self, demo: _Demo, number: int, one: Input) -> Any:
        """Do something as a user; return what it returns.

        Raises
        ------
        InvalidInputError
            There is no such user, or it may not do that.
        LabError
            The demo refuses it, or it cannot be taken back.
        """
        integer("user", number, 1, MOST_USERS)
        if one.action not in USER_ACTIONS and (one.action not in ACTIONS or one.action in _NOT_BY_A_USER):
            raise InvalidInputError("action", "one that a user can do", one.action)
        if one.action == "join":
            return self._join(number, *one.arguments)
        user = self.users.get(number)
        if user is None:
            raise InvalidInputError("user", "one who has joined", number)
        if one.action in USER_ACTIONS:
            return getattr(self, "_" + one.action)(demo, number, *one.arguments)
        with self._as(demo, number):
            return self._act(demo, user, one)

    def _act(self, demo: _Demo, user: User, one: Input) -> Any:
        if one.action in _CREATING:
            self._check_ids(user)
        if one.action in ("edit", "amend_edit") and demo.no_edits:
            raise LabError(demo.no_edits)
        if one.action in ("release_key", "release_all"):
            user.pushes = user.pushes - set(one.arguments) if one.arguments else set()
        before = inverse_before(demo, one)
        result = demo.sim.act(one.action, *one.arguments)
        if one.action == "press" and result is False and user.drives is not None and one.arguments[0] in PUSHES:
            user.pushes.add(one.arguments[0])
            return True
        inverse = inverse_after(demo, one, result, before)
        if inverse is not None and one.action.startswith("amend") and user.undo:
            user.undo[-1] = user.undo[-1].and_before(inverse)
        elif inverse is not None:
            self._note(user, inverse)
        return result

    def _note(self, user: User, inverse: Inverse) -> None:
        user.undo = [*user.undo, inverse][-MOST_UNDO:]

    def _check_ids(self, user: User) -> None:
        for ids in user.next_ids.values():
            if any(one % IDS_OF_A_USER > IDS_OF_A_USER - _IDS_AT_ONCE for one in ids):
                raise LabError(f"a user can create {IDS_OF_A_USER - _IDS_AT_ONCE} things, and you have")

    @contextlib.contextmanager
    def _as(self, demo: _Demo, number: int) -> Iterator[None]:
        """Let the demo's hand, its keys and new ids be a user's."""
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

    # What a user does, and no demo

    def _join(self, number: int, is_back: bool = False) -> None:
        """Come, as a newcomer or, `is_back`, as who had this number before: then what was done can be taken back still."""
        self.is_shared = True
        if number not in self.users:
            user = self.users[number] = self.away.pop(number) if number in self.away else User()
            user.undo = user.undo if is_back else []

    def _leave(self, demo: _Demo, number: int) -> None:
        """Let go of everything, and be away."""
        with self._as(demo, number):
            demo.sim.act("release_all")
        user = self.away[number] = self.users.pop(number)
        user.pushes, user.drives = set(), None

    def _drive(self, demo: _Demo, number: int, stage: int, body: int) -> None:
        """Let the user's force keys push a body; stage -1 is none."""
        user = self.users[number]
        before = user.drives if user.drives is not None else (-1, 0)
        self._let_drive(demo, user, stage, body)
        self._note(user, Inverse("the choice of what is driven", (Part(Input("drive", before)),)))

    def _let_drive(self, demo: _Demo, user: User, stage: int, body: int) -> None:
        if stage >= 0 and not demo.sim.has_body(stage, body):
            raise InvalidInputError("body", "one that there is", body)
        user.drives = (stage, body) if stage >= 0 else None
        if user.drives is None:
            user.pushes = set()

    def _undo_own(self, demo: _Demo, number: int) -> None:
        """Take the user's last action back that can be; what cannot be is forgotten, so that the one before it comes next."""
        user = self.users[number]
        if not user.undo:
            raise LabError("there is nothing of yours to take back")
        self._check_ids(user)
        inverse = user.undo.pop()

        def act(one: Input) -> Any:
            return self._let_drive(demo, user, *one.arguments) if one.action == "drive" else demo.sim.act(one.action, *one.arguments)

        with self._as(demo, number):
            new = take_back(demo, inverse, act)
        for other in (*self.users.values(), *self.away.values()) if new else ():
            other.undo = [one.renumbered(new) for one in other.undo]

    def _pause(self, demo: _Demo, number: int, paused: bool) -> None:
        self.paused = boolean("paused", paused)

    def _set_speed(self, demo: _Demo, number: int, speed: float) -> None:
        if speed not in SPEEDS:
            raise InvalidInputError("speed", "one of " + ", ".join(map(str, SPEEDS)), speed)
        self.speed = float(speed)
