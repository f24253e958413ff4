"""Several people in one demo: who holds what, who drives which body, and how time passes for all of them.

A demo that one person plays has one hand, one set of keys and a clock of the window's. Shared, each user has a hand and keys of its own,
and time is part of the state: a *tick* is what the server closes, of which a pause makes one without a step and slow motion lets only
some have one. So everything that is done, a pause too, is an input at a tick, and the same inputs at the same ticks give the same bits.

    run.act("by", 2, Input("join", ()))                     user 2 comes
    run.act("by", 2, Input("grab", ((1.5, 2.0),)))          takes hold with its own hand
    run.act("by", 2, Input("drive", (0, 7)))                its force keys push body 7 of stage 0
    run.act("by", 2, Input("press", ("right",)))

What a user creates has ids of a range of its own: no two users' ids collide, in whichever order their inputs come to be.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.common.checks import boolean, integer
from engine.common.errors import InvalidInputError, LabError
from engine.demo.grip import Grip
from engine.demo.stage import Stage
from engine.history.input_log import ACTIONS, USER_ACTIONS, Input

__all__ = ["FORCE", "IDS_OF_A_USER", "KEYFRAME_TICKS", "MOST_USERS", "SPEEDS", "User", "Users"]

KEYFRAME_TICKS = 30
"""From one keyframe of a shared demo to the next: half a second at 60 Hz."""

MOST_USERS = 64
IDS_OF_A_USER = 1 << 20
"""Bodies, fixtures and joints each that one number of a user may create, all its holders together."""
FORCE = 20.0
"""N, of a force key, at the centre of the body that its user drives."""

SPEEDS = (0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
"""Steps to a tick; sixteenths, so that what is owed adds up without rounding."""
_SIXTEENTHS = 16

_PUSHES = {
    "left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 1.0), "down": (0.0, -1.0),
    "a": (-1.0, 0.0), "d": (1.0, 0.0), "w": (0.0, 1.0), "s": (0.0, -1.0),
}  # fmt: skip
_NOT_BY_A_USER = frozenset({"by", "keep_solver_state", "resource_ready"})


class _Run(Protocol):
    """What steps a demo."""

    def has_body(self, stage: int, body: int) -> bool:
        """Tell whether there is such a stage, and such a body in its world."""

    def act(self, action: str, *arguments: Any) -> Any:
        """Do something to the demo."""


class _Demo(Protocol):
    """What is needed of a demo here."""

    stages: list[Stage]
    held: set[str]
    _grip: Grip | None

    @property
    def run(self) -> _Run:
        """What steps it."""


@dataclass(slots=True)
class User:
    """One of those who share a demo.

    Attributes
    ----------
    grip : Grip or None
        Its hand, where it holds something.
    held : set of str
        Keys that it holds down.
    drives : (stage, body) or None
        What its force keys push.
    next_ids : dict of int to (body, fixture, joint)
        By stage, the ids that what it creates gets next.
    """

    grip: Grip | None = None
    held: set[str] = field(default_factory=set)
    drives: tuple[int, int] | None = None
    next_ids: dict[int, tuple[int, int, int]] = field(default_factory=dict)


class Users:
    """The users of a demo, by number, and their common time; part of the demo's past.

    Attributes
    ----------
    users : dict of int to User
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
        self.is_shared = False
        self.ticks = 0
        self.paused = False
        self.speed = 1.0
        self._owed = 0
        """Sixteenths of a step."""

    def open(self, tick: int = 0) -> None:
        """Let users come, and time pass in ticks, of which there have been so many."""
        self.is_shared, self.ticks = True, tick

    @property
    def is_keyframe(self) -> bool:
        """Whether the demo is brought into canonical form after the tick just taken."""
        return self.ticks % KEYFRAME_TICKS == 0

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
        for user in self.users.values():
            if user.drives is None:
                continue
            stage, body = user.drives
            if not demo.run.has_body(stage, body):
                user.drives = None
                continue
            pushes = [_PUSHES[key] for key in sorted(user.held) if key in _PUSHES]
            x, y = FORCE * sum(push[0] for push in pushes), FORCE * sum(push[1] for push in pushes)
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
            The demo refuses it.
        """
        integer("user", number, 1, MOST_USERS)
        if one.action not in USER_ACTIONS and (one.action not in ACTIONS or one.action in _NOT_BY_A_USER):
            raise InvalidInputError("action", "one that a user can do", one.action)
        if one.action == "join":
            self.is_shared = True
            self.users.setdefault(number, User())
            return None
        user = self.users.get(number)
        if user is None:
            raise InvalidInputError("user", "one who has joined", number)
        if one.action == "leave":
            if user.grip is not None:
                user.grip.let_go()
            del self.users[number]
            demo.held = set().union(*(other.held for other in self.users.values()))
            return None
        if one.action in USER_ACTIONS:
            return getattr(self, "_" + one.action)(demo, user, *one.arguments)
        with self._as(demo, number, user):
            return demo.run.act(one.action, *one.arguments)

    @contextlib.contextmanager
    def _as(self, demo: _Demo, number: int, user: User) -> Iterator[None]:
        """Let the demo's hand, its keys and new ids be a user's."""
        before, others = demo._grip, set().union(*(other.held for other in self.users.values() if other is not user))
        demo._grip = user.grip if user.grip is not None and user.grip.stage in demo.stages else None
        demo.held = set(user.held)
        first = number * IDS_OF_A_USER
        worlds = [stage.world for stage in demo.stages]
        usual = [world.hand_out(user.next_ids.get(k, (first, first, first))) for k, world in enumerate(worlds)]
        try:
            yield
        finally:
            for k, (world, ids) in enumerate(zip(worlds, usual, strict=True)):
                user.next_ids[k] = world.hand_out(ids)
            user.grip, demo._grip = demo._grip, before
            user.held, demo.held = demo.held, others | demo.held
            for other in self.users.values():  # a restart has made other worlds
                if other.grip is not None and other.grip.stage not in demo.stages:
                    other.grip = None

    # What a user does, and no demo

    def _drive(self, demo: _Demo, user: User, stage: int, body: int) -> None:
        """Let the user's force keys push a body; stage -1 is none."""
        if stage >= 0 and not demo.run.has_body(stage, body):
            raise InvalidInputError("body", "one that there is", body)
        user.drives = (stage, body) if stage >= 0 else None

    def _pause(self, demo: _Demo, user: User, paused: bool) -> None:
        self.paused = boolean("paused", paused)

    def _set_speed(self, demo: _Demo, user: User, speed: float) -> None:
        if speed not in SPEEDS:
            raise InvalidInputError("speed", "one of " + ", ".join(map(str, SPEEDS)), speed)
        self.speed = speed
