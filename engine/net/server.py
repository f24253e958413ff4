"""The server: it has authority over the ticks, and knows no socket and no clock: bytes in, bytes out, the time as an argument.

Its clock shows tick ``c = (now - start) * hertz``. It closes tick n when c reaches n + delay + 1, and never goes back: an act that comes
for a closed tick counts at the first open one. Acts are relayed as they come, in their place; `Closed` says how many belong to a tick.
"""

from __future__ import annotations

import hmac
import secrets
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.common.errors import LabError
from engine.demo.base import Demo
from engine.demo.users import KEYFRAME_TICKS, MOST_USERS
from engine.history.input_log import Input
from engine.history.recordings.inputs import as_plain, input_of
from engine.net import messages as m
from engine.net.course import Act, Course
from engine.net.scene import check_shareable, scene_of

__all__ = ["Server", "ServerSettings"]

_KEPT_TICKS = 600
"""Ticks whose acts are kept for those who miss some."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a world is shared.

    Attributes
    ----------
    delay : int
        Ticks by which a tick is closed after its time.
    window : int
        Ticks that clients can go back.
    password : str
        Empty for none.
    """

    delay: int = 3
    window: int = 50
    password: str = ""


@dataclass(slots=True)
class _Peer:
    """One connection."""

    user: int | None = None
    name: str = ""
    wants_state: bool = True
    """It gets the state at the next keyframe."""
    has_state: bool = False
    """It has been sent one, and so is sent all that comes after."""


@dataclass(slots=True)
class _Member:
    """A user, here or away."""

    name: str
    key: str
    peer: int | None
    next_number: int = 0
    done: dict[int, int] = field(default_factory=dict)
    """By number, the tick at which its last acts count."""


class Server:
    """A shared demo, and all who are in it.

    Parameters
    ----------
    demo : Demo
        As it was built.
    settings : ServerSettings
    start : float
        Seconds of the clock that all times here are of.

    Attributes
    ----------
    course : Course
    outbox : deque of (peer, bytes)
        What is to be sent.
    drops : deque of (peer, reason)
        Who is to be cut off, once what is for it in the outbox has been sent.
    on_tick : callable or None
        Called after each tick.
    """

    def __init__(self, demo: Demo, settings: ServerSettings | None = None, start: float = 0.0) -> None:
        check_shareable(demo)
        self.settings = settings if settings is not None else ServerSettings()
        self.course = Course(demo, window=self.settings.window, goes_back=False)
        self.outbox: deque[tuple[int, bytes]] = deque()
        self.drops: deque[tuple[int, str]] = deque()
        self.on_tick: Callable[[Server], object] | None = None
        self.hertz = round(1.0 / demo.step_seconds, 6)
        self._start = start
        self._peers: dict[int, _Peer] = {}
        self._members: dict[int, _Member] = {}
        self._closed: dict[int, m.Closed] = {}

    @property
    def present(self) -> tuple[m.Who, ...]:
        """Who is here, or was and may come back."""
        return tuple(m.Who(user, member.name, member.peer is not None) for user, member in self._members.items())

    def name_of(self, peer: int) -> str:
        """Return the name of who is at a connection; empty for a stranger."""
        return self._peers[peer].name if peer in self._peers else ""

    # -- connections --------------------------------------------------------------------------------------------------

    def connect(self, peer: int) -> None:
        """Note a new connection, under a number that is not used twice."""
        self._peers[peer] = _Peer()

    def disconnect(self, peer: int) -> None:
        """Note that a connection is gone."""
        gone = self._peers.pop(peer, None)
        if gone is not None and gone.user is not None and self._members[gone.user].peer == peer:
            member = self._members[gone.user]
            member.peer = None
            self._act(gone.user, member.next_number, Input("leave", ()), self.course.now)
            self._tell_present()

    def receive(self, peer: int, content: bytes, now: float) -> None:
        """Take in what a client sent."""
        if peer not in self._peers:
            return
        try:
            message = m.decode_from_client(content)
            self._take(peer, message, now)
        except LabError as error:
            self._drop(peer, str(error))

    def _take(self, peer: int, message: m.FromClient, now: float) -> None:
        one = self._peers[peer]
        if isinstance(message, m.Hello):
            self._greet(peer, one, message)
        elif one.user is None:
            return  # its hello is late, or lost: it says it again
        elif isinstance(message, m.Did):
            self._did(one.user, message)
        elif isinstance(message, m.Ping):
            self._send(peer, m.Pong(message.sent, self.clock(now)))
        elif isinstance(message, m.Missing):
            for tick in message.ticks:
                self._repeat(peer, tick)
        elif isinstance(message, m.Pointing):
            self._send_all(m.Pointed(one.user, message.x, message.y), but=peer)
        elif isinstance(message, m.Lost):
            one.wants_state = True
        else:
            self._drop(peer, "it said goodbye")

    def _greet(self, peer: int, one: _Peer, hello: m.Hello) -> None:
        if one.user is not None:  # its hello came twice, or what it got for it was lost
            one.wants_state = True
            if self.course.now == 0:
                self._give_states()
            return None
        if hello.version != m.VERSION:
            return self._refuse(peer, f"this server speaks version {m.VERSION}, you speak {hello.version}: use the same program")
        if not hmac.compare_digest(hello.password.encode(), self.settings.password.encode()):
            return self._refuse(peer, "the password is another")
        user = next((user for user, member in self._members.items() if hello.key and hmac.compare_digest(member.key, hello.key)), None)
        if user is None:
            user = next((k for k in range(1, MOST_USERS + 1) if k not in self._members), None)
            if user is None:
                return self._refuse(peer, f"there are {MOST_USERS} users already")
            self._members[user] = _Member(hello.name, secrets.token_hex(16), peer)
        one.user, one.name, member = user, hello.name, self._members[user]
        member.peer, member.name = peer, hello.name
        self._act(user, member.next_number, Input("join", ()), self.course.now)
        if self.course.now == 0:
            self._give_states()
        self._tell_present()
        return None

    def _refuse(self, peer: int, reason: str) -> None:
        self._send(peer, m.Refused(reason))
        self.drops.append((peer, reason))

    def _drop(self, peer: int, reason: str) -> None:
        self._send(peer, m.Dropped(reason[:500]))
        self.drops.append((peer, reason))
        self.disconnect(peer)

    # -- acts ---------------------------------------------------------------------------------------------------------

    def _did(self, user: int, message: m.Did) -> None:
        member = self._members[user]
        if message.number in member.done:  # sent twice
            return
        one = input_of(message.act, f"act {message.number}", of_a_user=True)
        self._act(user, message.number, one, max(message.tick, self.course.now))

    def _act(self, user: int, number: int, one: Input, tick: int) -> None:
        """Let an act count at a tick, and relay it."""
        member = self._members[user]
        member.done[number] = tick
        member.next_number = max(member.next_number, number + 1)
        self.course.add(tick, Act(user, number, one))
        self._send_all(m.Acted(tick, user, number, as_plain(one)))

    def _repeat(self, peer: int, tick: int) -> None:
        """Send all that belongs to a tick again."""
        for act in self.course.acts(tick):
            self._send(peer, m.Acted(tick, act.user, act.number, as_plain(act.one)))
        closed = self._closed.get(tick)
        if closed is not None:
            self._send(peer, closed)

    # -- time ---------------------------------------------------------------------------------------------------------

    def clock(self, now: float) -> float:
        """Return the time in ticks."""
        return (now - self._start) * self.hertz

    def advance(self, now: float) -> int:
        """Close the ticks that are due; return how many."""
        taken = 0
        while self.clock(now) >= self.course.now + self.settings.delay + 1:
            self._close()
            taken += 1
        return taken

    def _close(self) -> None:
        course, tick = self.course, self.course.now
        digest = course.digests[tick] if tick % KEYFRAME_TICKS == 0 else None
        closed = self._closed[tick] = m.Closed(tick, len(course.acts(tick)), digest)
        self._send_all(closed)
        course.step()
        if self.on_tick is not None:
            self.on_tick(self)
        if course.now % KEYFRAME_TICKS == 0:
            self._give_states()
            course.forget(course.now - _KEPT_TICKS)
            for member in self._members.values():
                member.done = {number: at for number, at in member.done.items() if at >= course.now - _KEPT_TICKS}
            self._closed = {at: one for at, one in self._closed.items() if at >= course.oldest}

    def _give_states(self) -> None:
        """Give the state to those who wait for it, at a keyframe."""
        waiting = [(peer, one) for peer, one in self._peers.items() if one.user is not None and one.wants_state]
        if not waiting:
            return
        from engine.net.state import encode_state

        course = self.course
        scene, state = scene_of(course.demo), encode_state(course.demo) if course.now else b""
        for peer, one in waiting:
            assert one.user is not None
            member, one.has_state, one.wants_state = self._members[one.user], True, False
            acts = [
                m.Acted(tick, act.user, act.number, as_plain(act.one))
                for tick in range(course.now, course.now + _KEPT_TICKS)
                for act in course.acts(tick)
            ]
            welcome = m.Welcome(
                one.user, member.key, course.now, scene, state, acts, course.now,
                self.hertz, self.settings.delay, self.settings.window, member.next_number,
            )  # fmt: skip
            self._send(peer, welcome)
        self._tell_present()

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, peer: int, message: m.FromServer) -> None:
        self.outbox.append((peer, m.encode(message)))

    def _send_all(self, message: m.FromServer, but: int | None = None) -> None:
        """Send to all who have the state."""
        content = m.encode(message)
        self.outbox.extend((peer, content) for peer, one in self._peers.items() if one.has_state and peer != but)

    def _tell_present(self) -> None:
        self._send_all(m.Present(list(self.present)))
