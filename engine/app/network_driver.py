"""The driver of a shared demo: actions are sent to the server, and pause and speed apply to all users.

All input from docks, tools and keys goes through `Session.act` to the client (`engine.net.client`), which applies it immediately to its own
copy of the world and sends it to the server. Pause, speed and restart are ordinary actions. Features that cannot be shared are rejected
with a message: rewinding, single steps, and comparison worlds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.app.clock import FixedClock
from engine.app.messages import Messages
from engine.app.timeline import Timeline
from engine.common.arrays import FloatArray
from engine.common.errors import LabError
from engine.common.words import counted
from engine.render import palette
from engine.sim.actions import (
    Action,
    Drag,
    Drive,
    Drop,
    Edit,
    Grab,
    Pause,
    PressKey,
    Release,
    ReleaseAll,
    ReleaseKey,
    SetSpeed,
    Turn,
    TurnWheel,
    UndoOwn,
)
from engine.sim.ids import called, readable
from engine.sim.stage import Stage, StepTimes
from engine.sim.users import SPEEDS, Users

if TYPE_CHECKING:
    from engine.net.client import Client
    from engine.net.client_session import ClientSession
    from engine.net.messages import UserInfo
    from engine.net.server_thread import ServerThread

__all__ = ["NO_PAST", "NO_REDO", "NetworkDriver", "SharedClock"]

NO_PAST = "a shared world cannot be rewound or stepped by one user"
"""Message that rejects actions that need a history."""
NO_REDO = "redo is not available in a shared world"
"""Message that rejects a redo."""

_POINTING = 1.0 / 20.0
"""Minimum interval between pointer messages, s."""
_EDITS_PER_SECOND = 120.0
"""Maximum rate of edits while dragging with the select tool; with the pointer messages, less than half of the server's limit."""
_WAITING = 1.0
"""Age of the confirmed state, s, from which a stalled client reports that it is waiting for the server."""


class SharedClock(FixedClock):
    """The clock of a shared demo: its state is part of the shared world, and actions change it."""

    def __init__(self, driver: NetworkDriver) -> None:
        self._driver = driver
        super().__init__(driver.demo.step_seconds)

    @property
    def _users(self) -> Users:
        return self._driver.demo.sim.users

    @property
    def paused(self) -> bool:
        """True if the world is paused for all users; setting it has no effect, so a menu that opens here does not pause the others."""
        return self._users.paused

    @paused.setter
    def paused(self, value: bool) -> None:
        return

    @property
    def speed(self) -> float:
        """Steps per tick."""
        return self._users.speed

    @speed.setter
    def speed(self, value: float) -> None:
        return

    @property
    def fraction(self) -> float:
        """Interpolation factor for drawing between the last two states, 0 to 1."""
        users, share = self._users, self._driver.client.fraction
        return 1.0 if users.paused else min(users.fraction + share * min(users.speed, 1.0), 1.0)

    def toggle_pause(self) -> None:
        """Pause or resume the world for all users."""
        self._driver.act(Pause(not self.paused))

    def slower(self) -> None:
        """Decrease the speed for all users."""
        self._driver.act(SetSpeed(max((speed for speed in SPEEDS if speed < self.speed), default=SPEEDS[0])))

    def faster(self) -> None:
        """Increase the speed for all users."""
        self._driver.act(SetSpeed(min((speed for speed in SPEEDS if speed > self.speed), default=SPEEDS[-1])))

    def request_step(self) -> None:
        """Reject a single step, because it would affect all users."""
        self._driver.refuse(NO_PAST)


class NetworkDriver:
    """A client's copy of a shared simulation.

    Parameters
    ----------
    client_session : ClientSession
        Session whose client has received the state.
    server_thread : ServerThread, optional
        The server, if it runs in this program.

    Attributes
    ----------
    smooths, shows_ghosts : bool
        True if corrections are smoothed visually, and if the previous outlines of corrected bodies are drawn.
    """

    is_shared = True
    no_past = "a comparison cannot follow the rollbacks of a shared world"

    def __init__(self, client_session: ClientSession, server_thread: ServerThread | None = None) -> None:
        demo = client_session.client.demo
        if demo is None:
            raise LabError("the state of the shared world has not arrived yet")
        self.demo, self.client_session, self.server_thread = demo, client_session, server_thread
        self.clock: FixedClock = SharedClock(self)
        self.messages = Messages()
        self.timeline = Timeline(demo, self.clock, self.messages, has_history=False)
        self.times: Sequence[StepTimes] = ()
        self.smooths = self.shows_ghosts = True
        self._n_adopted = client_session.client.n_adopted
        self._drag: Drag | None = None
        """Last drag of this frame; earlier ones in the same frame are not sent."""
        self._down: set[str] = set()
        self._is_holding = False
        self._pointed_at = 0.0
        self._pointed: tuple[float, float] | None = None
        self._present: dict[int, tuple[str, bool]] | None = None

    @property
    def _names(self) -> dict[int, str]:
        """Names of all users, present or away, by number."""
        return {user.user: user.name for user in self.client.users}

    @property
    def maker(self) -> str:
        return f"{self._names.get(self.client.user, self.client.name)}'s "

    def called(self, kind: str, number: int) -> str:
        return called(kind, number, self._names)

    @property
    def client(self) -> Client:
        """The session's client."""
        return self.client_session.client

    @property
    def is_outdated(self) -> bool:
        """True if the client has replaced its demo because it joined again."""
        return self.client.demo is not self.demo

    @property
    def now(self) -> int:
        return 0 if self.client.simulation is None else int(self.client.simulation.now)

    def steps_between(self, n_edits: int) -> int:
        return math.ceil(n_edits / (self.demo.step_seconds * _EDITS_PER_SECOND))

    # -- acting -------------------------------------------------------------------------------------------------------

    def act(self, action: Action) -> Any:
        """Apply an action here at once and send it to the server; return its result.

        Raises
        ------
        LabError
            The world rejects an edit or a drop. Other rejections are shown in the status strip.
        """
        if isinstance(action, Drag):
            self._drag = action
            return None
        self._pull()
        if isinstance(action, PressKey):
            self._down.add(action.key)
        if isinstance(action, Grab):
            return self._grab(action)
        if isinstance(action, Turn | TurnWheel) and not action.is_taken_by(self.demo):
            return False
        done = self._send(action)
        if done is None and isinstance(action, Edit) and action.may_create:
            raise LabError(self._why_unmade())
        return done

    def _why_unmade(self) -> str:
        """Return why a created object is not available yet."""
        if self.client.end_reason:
            return "objects cannot be created without a connection: press F4 to continue alone"
        if not self.client.is_joined:
            return "objects cannot be created until the server's state has arrived"
        if self.client.method != "prediction":
            return f"the object appears once the server has confirmed it ({self.client.method} does not predict)"
        return "the object appears once the server has confirmed it"

    def _send(self, action: Action) -> Any:
        try:
            return self.client.act(action, now=self.client_session.now())
        except LabError as error:
            words = readable(str(error), self._names)
            if isinstance(action, Edit | Drop):
                raise error if words == str(error) else LabError(words) from None
            return self.refuse(words)

    def refuse(self, why: str) -> None:
        """Show why something cannot be done."""
        self.messages.answer(why, palette.WARNING)

    def _grab(self, action: Grab) -> bool:
        """Grab the body at a point of the picture; return False if there is none."""
        if isinstance(self.demo.sim.resolve(action), Release):
            return False
        done = self._send(action)
        self._is_holding = done is not False
        return self._is_holding

    def _pull(self) -> None:
        """Send the last drag of the frame."""
        if self._drag is not None:
            action, self._drag = self._drag, None
            self._send(action)

    def drive(self, body: tuple[int, int] | None) -> None:
        """Assign the user's force keys to a body, given as stage and id; None, or the body already driven, stops driving."""
        me = self.demo.sim.users.users.get(self.client.user)
        before = None if me is None else me.drives
        if body is None or body == before:
            if before is None:
                return self.refuse("point at a dynamic body to push it with the arrow keys or W A S D")
            self._send(Drive(-1, 0))
            self.messages.answer("You no longer drive a body.")
            return
        stage, number = body
        world = self.demo.stages[stage].world
        if world.body(number).spec.type != "dynamic":
            return self.refuse("only dynamic bodies can be pushed")
        self._send(Drive(stage, number))
        self.messages.answer(
            f"you drive {world.body(number).spec.name or self.called('body', number)}: push it with the arrow keys or W A S D (20 N)"
        )

    def release_key(self, key: str) -> None:
        if key in self._down:
            self._down.discard(key)
            self.act(ReleaseKey(key))

    def release(self) -> None:
        self._is_holding = False
        self.act(Release())

    def release_all(self) -> None:
        if self._down or self._is_holding:
            self._down.clear()
            self._is_holding = False
            self.act(ReleaseAll())

    def undo(self) -> None:
        """Undo the user's own last action."""
        self.act(UndoOwn())

    # -- time passes --------------------------------------------------------------------------------------------------

    def advance(self, elapsed: float) -> int:
        """Process messages, simulate the ticks that are due, and send the pointer; return the number of new ticks."""
        self._pull()
        self._point()
        n_ticks = self.client_session.advance(self.client_session.now())
        self.timeline.failure = ""
        self.demo.viewer.wanted_speed = None  # the speed applies to all users
        self._report_news()
        self.times = [self.demo.sim.times] * n_ticks
        return n_ticks

    def _point(self) -> None:
        """Send the pointer if it moved within the picture, at a limited rate."""
        pointed, now = self.demo.viewer.pointed, self.client_session.now()
        if pointed is not None and pointed != self._pointed and now - self._pointed_at >= _POINTING:
            self._pointed, self._pointed_at = pointed, now
            self.client.send_pointer(pointed)

    def _report_news(self) -> None:
        """Report users who joined or left, denied actions, and adopted states."""
        client = self.client
        while client.denials:
            self.refuse(client.denials.popleft())
        present = {user.user: (user.name, user.is_here) for user in client.users if user.user != client.user}
        if self._present is None and client.users:
            others = [name for name, is_here in present.values() if is_here]
            if client.is_forgotten:
                self.messages.say("The host was restarted; this is its new world.", palette.WARNING)
            self.messages.say(f"You share this world with {', '.join(others)}." if others else "You are the first user here.")
            self._present = present
        elif self._present is not None and present != self._present:
            for user, (name, is_here) in present.items():
                before = self._present.get(user)
                if is_here and (before is None or not before[1]):
                    self.messages.say(f"{name} {'joined' if before is None else 'is back'}")
                elif not is_here and (before is None or before[1]):
                    self.messages.say(f"{name} left")
            self._present = present
        if client.n_adopted > self._n_adopted:
            n, self._n_adopted = client.n_adopted - self._n_adopted, client.n_adopted
            times = "" if n == 1 else f", {counted(n, 'time')}"
            self.messages.say(f"This copy differed from the server's and adopted the server's state{times}", palette.WARNING)

    # -- users --------------------------------------------------------------------------------------------------------

    @property
    def people(self) -> list[UserInfo]:
        """Users for display: the own user, those present, then those away; one entry per name."""
        users: dict[str, UserInfo] = {}
        for user in sorted(self.client.users, key=lambda user: (user.user != self.client.user, not user.is_here, user.user)):
            users.setdefault(user.name.casefold(), user)
        return list(users.values())

    @property
    def address(self) -> str:
        """The server's address; if this program runs the server, the arguments with which others call the command join."""
        return self.client_session.connection.address if self.server_thread is None else self.server_thread.invitation

    @property
    def caption(self) -> str:
        """Window caption: the user's name, and the host of the world."""
        me = self._names.get(self.client.user, self.client.name)
        if self.client.is_offline:
            return f"{me}, alone: {self.demo.title}"
        at = self.address.partition(" --code")[0]
        return f"{me}, host of {self.demo.title} at {at}" if self.server_thread is not None else f"{me}, guest in {self.demo.title} at {at}"

    @property
    def is_apart(self) -> bool:
        """True if the client is not joined: offline, or without a connection."""
        return self.client_session.is_over or self.client_session.connection.state != "open" or not self.client.is_joined

    @property
    def trouble(self) -> str:
        """Why the world may differ from the others', and which keys help; empty if there is no problem."""
        session, client = self.client_session, self.client
        if client.is_offline and session.is_over:
            return "you are offline; press Shift F4 to rejoin"
        if session.is_over:
            return f"{session.reason}; press F4 to continue alone or Shift F4 to try again"
        if session.retry_at is not None:
            return f"{session.reason}; trying again in {max(session.retry_at - session.now(), 0.0):.0f} s; press F4 to continue alone"
        if session.connection.state != "open" or not client.is_joined:
            return f"{session.status_text}; press F4 to continue alone"
        return "waiting for the server; press F4 to continue alone" if client.is_stalled and client.age > _WAITING else ""

    def go_offline(self) -> None:
        """Leave, and continue offline from the present state."""
        self.client_session.leave()
        self.client.go_offline(self.client_session.now())

    def rejoin(self) -> None:
        """Rejoin the server and adopt its present state."""
        if self.client_session.is_over:
            self.client_session.rejoin()

    def drawn(self, stage: Stage, poses: FloatArray) -> FloatArray:
        """Return the poses to draw: those given, plus the smoothed error of corrections."""
        if not self.smooths:
            return poses
        offsets = self.client.offsets(self.demo.stages.index(stage))
        return poses + offsets if offsets.shape == poses.shape else poses
