"""The authoritative server. It has no sockets and no clock: it takes and returns bytes, and is given the time.

Its clock is ``c = (now - start) * hertz`` ticks. It simulates tick n when c reaches n + delay + 1, and closes it `rollback` ticks later: an
action that arrives for a closed tick is moved to the first open one. If its tick is open but has been simulated, the server rolls back to
it before the next tick. Actions are relayed immediately, with their tick; `TickClosed` has their count.

              open_tick           simulation.now              clock            an action's tick t, as predicted by its client
    |---closed----|----simulated--------|--open, not yet due--|-------|-----...-----|
                  ^ t < here: moved here    ^ t here: kept                          ^ beyond `ticks_ahead`: client is dropped

No message can stop the server: a client that sends an invalid message, or exceeds `Limits`, is dropped with a user-readable
reason; an action that exceeds a limit is denied with a reason. A server that is late catches up a few ticks at a time; if
that is not enough, its clock slips.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

import msgspec
import numpy as np

from engine.common.errors import LabError
from engine.common.messagepack import MAX_PLAIN_BYTES, is_bounded
from engine.common.words import counted, shown
from engine.net import messages as m
from engine.net.limits import Limits, has_more_values
from engine.net.scene import check_shareable, shared_scene
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.action import Size
from engine.sim.actions import Action, DestroyBody, Join, Leave, UndoOwn, action_of, encode_action
from engine.sim.demo import Demo
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.state import compress_state, encode_state, size_share
from engine.sim.users import KEYFRAME_TICKS, MAX_USERS
from engine.sim.values import StateError

__all__ = ["MAX_ROLLBACK", "Drop", "Server", "ServerSettings", "ServerStatus", "new_code"]

_CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters of a join code: none that are easily confused. Eight of them make 40 bits: guessing takes years over any network."""

MAX_ROLLBACK = 150
"""Maximum of `ServerSettings.rollback`: clients schedule actions up to 200 ticks after the last closed tick."""
_KEPT_TICKS = 600
"""Number of closed ticks whose actions are kept for resending."""
_MAX_TICKS = 8
"""Maximum number of ticks closed per `advance`, so that a late server still handles messages."""
_LATE_TICKS = 15
"""If the server is then still late by more ticks than this (a quarter of a second), its clock slips."""
_USER_LIST_TICKS = 120
"""Interval at which the user list is sent if nobody joins or leaves."""
_POINTER_TICKS = 2
"""Interval at which pointers are sent, for up to seven connections; multiplied by 1 + connections // 8."""
_MANY_ACTIONS = MAX_PLAIN_BYTES // m.MAX_CLIENT_MESSAGE_BYTES
"""If a `Welcome` has more actions than this, their encoded size is checked."""
_BEFORE_START = 60.0
"""Seconds before the start at which messages are already accepted."""
_SLEPT_SECONDS = 1.0
"""If more seconds than this pass between two calls, the machine was suspended, and clients are not dropped for their silence."""
_TOO_SLOW = 2.0
"""If the median duration of the last half second's ticks exceeds this many tick intervals, the user who causes the most work is dropped."""
_HEAVY = 0.4
"""A user is dropped because of slow ticks only if at least this fraction of all shapes and contacts is theirs."""
_MIN_HEAVY = 500
"""A user is dropped because of slow ticks only if they have at least this number of shapes and contacts."""
_N_REMEMBERED = 64
"""Maximum number of drops, and of troubles, in the status."""
_MEASURED_BYTES = 200_000
"""Bytes of creating actions after which the size of the state is measured again."""
_REMEASURE_TICKS = 300
"""Interval at which the state's size is measured while it is too large for anything to be created."""


def new_code() -> str:
    """Return a random join code, such as ``k7qf-3mxa``."""
    letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Settings of a shared world.

    Attributes
    ----------
    delay : int
        A tick is simulated this number of ticks after its time.
    rollback : int
        Number of simulated ticks that can still change: an action for one of them keeps its tick, and the server rolls back to it. With
        0, a tick is closed when it is simulated, and the server never rolls back.
    window : int
        Maximum number of ticks that clients roll back. Without losses a quarter of the default suffices, and a larger window costs
        nothing; with 5 % loss and 150 ms latency, half the default stalls clients in one of two to seven frames (`docs/network.md`).
    code : str
        The join code, without which a client gets nothing; random by default.
    limits : Limits
    """

    delay: int = 3
    rollback: int = 0
    window: int = 100
    code: str = field(default_factory=new_code)
    limits: Limits = field(default_factory=Limits)

    @property
    def closing_delay(self) -> int:
        """Number of ticks after its time at which a tick is closed."""
        return self.delay + self.rollback


@dataclass(frozen=True, slots=True)
class Drop:
    """A dropped connection: the tick, the name of its user (empty before a hello), and the reason."""

    tick: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Snapshot of the server's status.

    Attributes
    ----------
    tick : int
        First open tick.
    users : tuple of UserInfo
    n_connections : int
        Number of connections, including those without a hello.
    n_received, n_sent : int
        Bytes since the start.
    ms_per_tick, worst_ms : float
        Median and maximum processor time per tick in the last five seconds.
    slipped : float
        Total slip of the clock, ticks.
    restamped : int
        Number of actions that arrived too late for their tick.
    resimulated : int
        Number of ticks that the server resimulated after rolling back.
    drops : tuple of Drop
        Latest drops.
    n_dropped : int
    troubles : tuple of str
        Latest errors on the server, such as a fault in the demo or a failed recording.
    """

    tick: int
    users: tuple[m.UserInfo, ...]
    n_connections: int
    n_received: int
    n_sent: int
    ms_per_tick: float
    worst_ms: float
    slipped: float
    restamped: int
    resimulated: int
    drops: tuple[Drop, ...]
    n_dropped: int
    troubles: tuple[str, ...]


class _Connection:
    """A connection, and what is known of its client."""

    def __init__(self, peer: int, now: float) -> None:
        self.peer = peer
        self.user: _User | None = None
        self.hello: m.Hello | None = None
        self.since = self.heard = now
        self.wants_state = True
        """True if the state should be sent at the next keyframe."""
        self.has_state = False
        """True once a state has been sent; from then on, all broadcasts are sent too."""
        self.shows_state = False
        """True once the client has sent a message that implies that it received the state."""
        self.ping = 0.0

    @property
    def name(self) -> str:
        """Name of the connection's user; empty before a hello."""
        return self.user.name if self.user is not None else shown(self.hello.name) if self.hello is not None else ""


@dataclass(slots=True, eq=False)
class _User:
    """A user, present or away."""

    number: int
    key: str
    next_number: int = 0
    """Number of the next action."""
    floor: int = 0
    """Actions with smaller numbers are too old to be answered."""
    owns: Size = field(default_factory=Size)
    """Numbers of the user's bodies, shapes and joints: those of the last count, plus those created after it."""
    name: str = ""
    connection: _Connection | None = None
    away_since: float = 0.0
    n_actions: int = 0
    answers: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Tick and encoded reply of each recent action, by number."""


class Server:
    """A shared demo and its users.

    Parameters
    ----------
    demo : Demo
        Freshly built demo.
    settings : ServerSettings, optional
    start : float
        Time of tick 0, s, by the clock of all time arguments.

    Attributes
    ----------
    simulation : SharedSimulation
    outbox : deque of (peer, bytes)
        Encoded messages to send, with the connection's number.
    drops : deque of (peer, reason)
        Connections to close after their messages in the outbox have been sent.
    on_tick : callable or None
        Called after each closed tick.
    """

    def __init__(self, demo: Demo, settings: ServerSettings | None = None, start: float = 0.0) -> None:
        check_shareable(demo)
        self.settings = settings if settings is not None else ServerSettings()
        self.simulation = SharedSimulation(demo, goes_back=self.settings.rollback > 0)
        self.outbox: deque[tuple[int, bytes]] = deque()
        self.drops: deque[tuple[int, str]] = deque()
        self.on_tick: Callable[[Server], object] | None = None
        self.hertz = round(1.0 / demo.step_seconds, 6)
        self._start, self._now = start, start - _BEFORE_START
        self._connections: dict[int, _Connection] = {}
        self._users: dict[int, _User] = {}
        self._closed: dict[int, m.TickClosed] = {}
        self._relayed: dict[int, list[m.RelayedAction]] = {}
        """Actions by tick, in order of arrival."""
        self._loads: Counter[tuple[int, int]] = Counter()
        """Number of actions by open tick and user."""
        self._total = _sizes(demo)[1]
        self._state_share = 0.0
        self._unmeasured = 0
        """Bytes of creating actions since the last measurement of the state's size."""
        self._pointers: dict[int, m.UserPointer] = {}
        self._users_changed = False
        self._tick_seconds: deque[float] = deque(maxlen=round(5.0 * self.hertz))
        self._slipped = 0.0
        self._restamped = self._resimulated = self._n_received = self._n_sent = self._n_dropped = 0
        self._dropped: deque[Drop] = deque(maxlen=_N_REMEMBERED)
        self._troubles: deque[str] = deque(maxlen=_N_REMEMBERED)

    @property
    def open_tick(self) -> int:
        """First open tick; the state right before it is final."""
        return max(0, self.simulation.now - self.settings.rollback)

    @property
    def users(self) -> tuple[m.UserInfo, ...]:
        """All users who are present, or are away and may return."""
        return tuple(
            m.UserInfo(number, user.name, user.connection is not None, 0.0 if user.connection is None else user.connection.ping)
            for number, user in sorted(self._users.items())
        )

    @property
    def status(self) -> ServerStatus:
        """Snapshot of the current status."""
        times = sorted(self._tick_seconds) or [0.0]
        return ServerStatus(
            self.open_tick, self.users, len(self._connections), self._n_received, self._n_sent,
            1e3 * times[len(times) // 2], 1e3 * times[-1], self._slipped,
            self._restamped, self._resimulated, tuple(self._dropped), self._n_dropped, tuple(self._troubles),
        )  # fmt: skip

    def _note_trouble(self, words: str) -> None:
        self._troubles.append(f"tick {self.simulation.now}: {words}"[:500])

    # -- connections --------------------------------------------------------------------------------------------------

    def connect(self, peer: int) -> None:
        """Add a connection. `peer` is a number that is never reused."""
        self._connections[peer] = _Connection(peer, self._now)
        if len(self._connections) > self.settings.limits.connections:
            waiting = [connection for connection in self._connections.values() if connection.user is None]
            oldest = min(waiting, key=lambda connection: connection.since)
            self._drop(oldest, f"the server has reached its limit of {self.settings.limits.connections} connections")

    def has_joined(self, peer: int) -> bool:
        """Return True if a user has joined over a connection."""
        connection = self._connections.get(peer)
        return connection is not None and connection.user is not None

    def disconnect(self, peer: int) -> None:
        """Remove a connection that was closed."""
        connection = self._connections.get(peer)
        if connection is not None:
            self._forget(connection)

    def keep_alive(self, peer: int, now: float) -> None:
        """Record activity other than a message, such as a WebSocket pong from a busy client."""
        now, connection = self._pass(now), self._connections.get(peer)
        if connection is not None:
            connection.heard = now

    def drop(self, peer: int, reason: str) -> None:
        """End a connection. Its user leaves and is sent the reason."""
        connection = self._connections.get(peer)
        if connection is not None:
            self._drop(connection, reason)

    def _drop(self, connection: _Connection, reason: str) -> None:
        self._cut_off(connection, reason, m.Dropped(reason[:500]))

    def _refuse(self, connection: _Connection, reason: str) -> None:
        self._cut_off(connection, reason, m.Refused(reason[:500]))

    def _cut_off(self, connection: _Connection, reason: str, message: m.Refused | m.Dropped | None = None) -> None:
        """End a connection; if `message` is None, its client sees a lost connection and reconnects automatically."""
        if connection.peer not in self._connections:
            return
        self._dropped.append(Drop(self.simulation.now, connection.name, reason))
        self._n_dropped += 1
        if message is not None:
            self._send(connection, message)
        self.drops.append((connection.peer, reason))
        self._forget(connection)

    def _forget(self, connection: _Connection) -> None:
        self._connections.pop(connection.peer, None)
        user = connection.user
        if user is not None and user.connection is connection:
            user.connection, user.away_since = None, self._now
            self._pointers.pop(user.number, None)
            self._apply(user, user.next_number, Leave(), self.simulation.now)
            self._users_changed = True

    def receive(self, peer: int, content: bytes, now: float) -> None:
        """Handle a client's message; in the worst case, the client is dropped."""
        now, connection = self._pass(now), self._connections.get(peer)
        if connection is None:
            return
        self._n_received += len(content)
        connection.heard = now
        try:
            self._handle(connection, m.decode_from_client(content), now)
        except LabError as error:
            self._drop(connection, str(error))
        except Exception as error:
            self._drop(connection, f"its message could not be handled ({type(error).__name__})")
            self._note_trouble(f"a message raised {type(error).__name__}: {error}")

    def _handle(self, connection: _Connection, message: m.FromClient, now: float) -> None:
        user = connection.user
        match message:
            case m.Hello():
                self._greet(connection, message)
            case m.Goodbye():
                self.drops.append((connection.peer, "it left"))
                self._forget(connection)
            case _ if user is None:
                return  # its hello is late or lost, and will be resent
            case m.ActionRequest():
                connection.shows_state |= connection.has_state
                self._request_action(connection, user, message)
            case m.Ping():
                connection.shows_state |= connection.has_state and message.confirmed > 0
                connection.ping = max(0.0, message.round_trip)
                self._send(connection, m.Pong(message.sent, self.clock(now)))
            case m.ResendRequest():
                connection.shows_state |= connection.has_state
                self._resend(connection, message.ticks)
            case m.PointerMove():
                self._pointers[user.number] = m.UserPointer(user.number, message.x, message.y)
            case m.StateRequest():
                connection.wants_state = True

    # -- joining ------------------------------------------------------------------------------------------------------

    def _greet(self, connection: _Connection, hello: m.Hello) -> None:
        if connection.hello is not None:
            if (hello.name, hello.key) != (connection.hello.name, connection.hello.key):
                raise m.MessageError("it introduced itself twice, under two names")
            connection.wants_state |= not connection.shows_state  # the reply to its hello was lost
        else:
            returning = self._user_of(hello.key)
            reason = self._reason_against(hello)
            if reason:
                return self._refuse(connection, reason)
            user = returning or self._new_user()
            if user is None:
                return self._refuse(connection, f"the server has reached its limit of {MAX_USERS} users")
            if user.connection is not None:
                self._drop(user.connection, "it joined again through another connection")
            connection.user, connection.hello, user.connection = user, hello, connection
            user.name = self._name_for(user, hello.name)
            self._apply(user, user.next_number, Join(returning is not None), self.simulation.now)
            self._users_changed = True
        if self.simulation.now == 0:
            self._give_states()
        return None

    def _reason_against(self, hello: m.Hello) -> str:
        """Return why a client may not join, or an empty string."""
        if hello.version != m.VERSION:
            return (
                f"this server speaks version {m.VERSION} of the protocol, but your "
                f"program speaks version {hello.version}; use the same program version"
            )
        if not hello.code:
            return "this server requires the join code that its host shows: pass it with --code"
        if not hmac.compare_digest(hello.code.strip().lower().encode(), self.settings.code.encode()):
            return "wrong join code"
        return ""

    def _user_of(self, key: str) -> _User | None:
        """Return the user with a key, or None."""
        return next((user for user in self._users.values() if hmac.compare_digest(user.key.encode(), key.encode())), None)

    def _new_user(self) -> _User | None:
        """Return a new user, or None if no number is free and no user is absent.

        The new user gets a free number, or otherwise that of an absent user, preferably one without actions, otherwise the one absent
        longest.
        """
        number = next((k for k in range(1, MAX_USERS + 1) if k not in self._users), None)
        if number is None:
            away = [(user.n_actions > 0, user.away_since, k) for k, user in self._users.items() if user.connection is None]
            if not away:
                return None
            number = min(away)[2]
        before = self._users.get(number)
        next_number, owns = (0, Size()) if before is None else (before.next_number, before.owns)
        user = self._users[number] = _User(number, secrets.token_hex(16), next_number, next_number, owns)
        return user

    def _name_for(self, user: _User, name: str) -> str:
        """Return a printable name that no other present user has."""
        base = " ".join(shown(name).split())[:36] or "somebody"
        used = {other.name.casefold() for other in self._users.values() if other is not user and other.connection is not None}
        names = (base if k == 1 else f"{base} {k}" for k in range(1, MAX_USERS + 2))
        return next(name for name in names if name.casefold() not in used)

    # -- actions ------------------------------------------------------------------------------------------------------

    def _request_action(self, connection: _Connection, user: _User, request: m.ActionRequest) -> None:
        limits, number, open_tick = self.settings.limits, request.number, self.open_tick
        answer = user.answers.get(number)
        if answer is not None:  # resent: the reply may have been lost
            self._send_bytes(connection, answer[1])
            return
        if number < user.floor:
            return
        if number > user.next_number + limits.numbers_ahead:
            raise m.MessageError(f"its action has number {number}, but its last one had number {user.next_number - 1}")
        ahead = max(limits.ticks_ahead, 4 * self.settings.window) + self.settings.rollback
        if request.tick > open_tick + ahead:
            raise m.MessageError(f"its action {number} is meant for tick {request.tick}, but the first open tick is {open_tick}")
        plain = m.decode_plain(request.action)
        if has_more_values(plain, limits.values_per_act):
            raise m.MessageError(f"its action {number} has more than {limits.values_per_act} values")
        sent = action_of(plain, f"action {number}")
        action = sent.without_files()
        if not action.guests_may:
            raise m.MessageError(f"its action {number} is not available to guests: {type(action).__name__}")
        denial = self._denial(user, action, len(request.action))
        if denial:
            content = m.encode(m.ActionDenied(number, denial))
            user.answers[number] = open_tick, content
            user.next_number = max(user.next_number, number + 1)
            self._send_bytes(connection, content)
            return
        self._restamped += request.tick < open_tick
        tick = max(request.tick, open_tick)
        while self._loads[tick, user.number] >= limits.acts_per_tick:
            tick += 1
        if tick > open_tick + ahead:
            raise m.MessageError(f"it sent more than {limits.acts_per_tick} actions per tick")
        user.n_actions += 1
        self._apply(user, number, action, tick, request.action if action is sent else None)

    def _denial(self, user: _User, action: Action, n_bytes: int) -> str:
        """Return why a user's action is denied, or an empty string after counting what it creates."""
        limits = self.settings.limits
        if action.work(self.simulation.demo.sim) > limits.work:
            return f"guests may not set a solver to more than {limits.work:g} times its default work"
        size = self._undone(user.number) if isinstance(action, UndoOwn) else action.size
        if not any(size) and not action.may_create:
            return ""
        owns, total = user.owns.plus(size), self._total.plus(size)
        for name, count, limit in zip(Size._fields, owns, (limits.bodies, limits.shapes, limits.joints), strict=True):
            if count > limit:
                return f"a user may have at most {limit} {name} here"
        if total.bodies > limits.world_bodies or total.shapes > limits.world_shapes:
            return f"the world is full: it has {counted(self._total.bodies, 'body', 'bodies')}"
        if self._state_share > limits.state_share:
            return "the world is full: a larger state could not be sent to new clients"
        user.owns, self._total = owns, total
        self._unmeasured += n_bytes
        return ""

    def _undone(self, number: int) -> Size:
        """Return how many objects undoing a user's last action would create; an upper bound while the user has pending actions."""
        self._roll_back()
        sim = self.simulation.demo.sim
        user = sim.users.users.get(number)
        ticks = (tick for tick in self._relayed if tick >= self.simulation.now)
        waiting = [own.action for tick in ticks for own in self.simulation.actions(tick) if own.user == number]
        sizes = [inverse.size for inverse in (user.undo[-1 - len(waiting) :] if user is not None else ())]
        sizes += [max(action.size, action.removed(sim)) for action in waiting]
        return Size(*map(max, zip(*sizes, strict=True))) if sizes else Size()

    def _apply(self, user: _User, number: int, action: Action, tick: int, content: msgspec.Raw | None = None) -> None:
        """Add an action at a tick and relay it; `content` is its encoding, if available."""
        relayed = m.RelayedAction(tick, user.number, number, msgspec.Raw(encode_action(action)) if content is None else content)
        message = m.encode(relayed)
        user.answers[number] = tick, message
        user.next_number = max(user.next_number, number + 1)
        self.simulation.add(tick, UserAction(user.number, number, action))
        self._relayed.setdefault(tick, []).append(relayed)
        self._loads[tick, user.number] += 1
        self._send_all(message)

    def _resend(self, connection: _Connection, ticks: list[int]) -> None:
        """Resend all messages of those `ticks` that are closed."""
        oldest = next(iter(self._closed), self.open_tick)
        for tick in ticks:
            if tick < oldest:  # too old to be resent: a state is needed
                connection.wants_state = True
            closed = self._closed.get(tick)
            for message in () if closed is None else (*self._relayed.get(tick, ()), closed):
                self._send(connection, message)

    # -- time ---------------------------------------------------------------------------------------------------------

    def clock(self, now: float) -> float:
        """Return the server's clock, in ticks."""
        return (now - self._start) * self.hertz

    def advance(self, now: float) -> int:
        """Simulate the ticks that are due, and close those that can no longer change; return the number of simulated ticks.

        If too many are due, the clock slips: time lost while the machine was suspended is not made up.
        """
        now = self._pass(now)
        n = 0
        while n < _MAX_TICKS and self.clock(now) >= self._due:
            self._step()
            n += 1
        late = self.clock(now) - self._due
        if late > _LATE_TICKS:
            self._start += late / self.hertz
            self._slipped += late
            if late > self.hertz:
                self._note_trouble(f"the clock fell behind by {late / self.hertz:.1f} s")
        if n:
            self._drop_silent()
            if self._users_changed or self.simulation.now % _USER_LIST_TICKS == 0:
                self._users_changed = False
                self._send_all(m.encode(m.UserList(list(self.users))))
        return n

    @property
    def _due(self) -> int:
        """Clock at which the next tick is simulated, ticks."""
        return self.simulation.now + self.settings.delay + 1

    def _pass(self, now: float) -> float:
        """Update the time and return it; it never decreases."""
        if now - self._now > _SLEPT_SECONDS:
            for connection in self._connections.values():
                connection.heard = connection.since = now
        self._now = max(self._now, now)
        return self._now

    def _drop_silent(self) -> None:
        limits = self.settings.limits
        for connection in list(self._connections.values()):
            if connection.user is None and self._now - connection.since > limits.hello_seconds:
                self._drop(connection, f"it sent no hello message within {limits.hello_seconds:g} s")
            elif self._now - connection.heard > limits.silent_seconds:
                self._cut_off(connection, f"it sent nothing for {limits.silent_seconds:g} s")  # a suspended client may reconnect

    def _roll_back(self) -> None:
        """Roll back to the first tick that late actions changed."""
        self._resimulated += self.simulation.rollback()

    def _close(self, tick: int) -> None:
        """Announce that a tick is closed."""
        simulation = self.simulation
        digest = simulation.digests[tick] if tick % KEYFRAME_TICKS == 0 else None
        before = (self._closed.get(at) for at in range(tick - 1, tick - 1 - m.MAX_EARLIER, -1))
        earlier = [closed.count for closed in before if closed is not None]
        closed = self._closed[tick] = m.TickClosed(tick, len(simulation.actions(tick)), digest, earlier)
        self._send_all(m.encode(closed))

    def _step(self) -> None:
        """Simulate a tick, and close the one that can no longer change."""
        self._roll_back()
        simulation, tick = self.simulation, self.simulation.now - self.settings.rollback
        if tick >= 0:
            self._close(tick)
        start = time.thread_time()
        simulation.step()
        self._tick_seconds.append(time.thread_time() - start)
        while simulation.faults:
            self._troubles.append(simulation.faults.popleft())
        if self.on_tick is not None and tick >= 0:
            try:
                self.on_tick(self)
            except (LabError, OSError) as error:  # for example, the disk is full: the world continues
                self.on_tick = None
                self._note_trouble(str(error))
        for number in self._users:
            self._loads.pop((tick, number), None)
        if simulation.now % KEYFRAME_TICKS == 0:
            self._relieve()
            self._tidy()
            self._count()
            self._measure()
        if tick >= 0 and self.open_tick % KEYFRAME_TICKS == 0:
            self._give_states()
        if self._pointers and simulation.now % (_POINTER_TICKS * (1 + len(self._connections) // 8)) == 0:
            for number, pointer in self._pointers.items():
                self._send_all(m.encode(pointer), but=self._users[number])
            self._pointers.clear()

    def _relieve(self) -> None:
        """If ticks take twice their interval and one user causes most of the work, drop that user and destroy their bodies.

        Limits on shapes are not enough, because the number of pairs of overlapping shapes grows quadratically.
        """
        last = sorted(list(self._tick_seconds)[-KEYFRAME_TICKS:])
        if last[len(last) // 2] < _TOO_SLOW / self.hertz:
            return
        loads = _loads(self.simulation.demo)
        heaviest = max(self._users, key=lambda number: loads[number], default=0)
        others = (user for number, user in self._users.items() if number != heaviest)
        if loads[heaviest] < max(_HEAVY * loads.total(), _MIN_HEAVY) or all(user.connection is None for user in others):
            return
        user, tick = self._users[heaviest], self.simulation.now
        reason = f"its bodies are too expensive for the server: {loads[heaviest]:,} shapes and contacts"
        self._note_trouble(f"the bodies of {user.name} were removed: {reason}")
        was_away = user.connection is None
        if was_away:
            self._apply(user, user.next_number, Join(), tick)
        for k, stage in enumerate(self.simulation.demo.stages):
            for body in stage.world.body_ids:
                if body // IDS_OF_A_USER == heaviest:
                    self._apply(user, user.next_number, DestroyBody(k, body), tick)
        user.key = secrets.token_hex(16)  # so that the user cannot return and undo this
        if was_away:
            self._apply(user, user.next_number, Leave(), tick)
        elif user.connection is not None:
            self._drop(user.connection, reason)

    def _tidy(self) -> None:
        """Discard data too old to be requested."""
        first = self.simulation.now - _KEPT_TICKS
        self.simulation.forget(self.open_tick)
        self._closed = {tick: closed for tick, closed in self._closed.items() if tick >= first}
        self._relayed = {tick: actions for tick, actions in self._relayed.items() if tick >= first}
        for user in self._users.values():
            old = [number for number, (tick, _) in user.answers.items() if tick < first]
            for number in old:
                del user.answers[number]
            user.floor = max(user.floor, *(number + 1 for number in old), 0)

    def _count(self) -> None:
        """Count bodies, shapes and joints, including those that pending actions will create."""
        sizes, self._total = _sizes(self.simulation.demo)
        for tick in self._relayed:
            for action in self.simulation.actions(tick) if tick >= self.simulation.now else ():
                size = action.action.size
                sizes[action.user], self._total = sizes.get(action.user, Size()).plus(size), self._total.plus(size)
        for number, user in self._users.items():
            user.owns = sizes.get(number, Size())

    def _measure(self) -> None:
        """Remeasure the state's size if much has been created since the last measurement, or if the state was too large then."""
        is_full = self._state_share > self.settings.limits.state_share
        if self._unmeasured > _MEASURED_BYTES or (is_full and self.simulation.now % _REMEASURE_TICKS == 0):
            self._unmeasured = 0
            try:
                self._state_share = size_share(encode_state(self.simulation.demo, is_kept=True))
            except StateError:
                self._state_share = 1.0

    def _give_states(self) -> None:
        """Send the state to waiting clients, at a keyframe."""
        simulation, tick, state = self.simulation, self.open_tick, b""
        wanting = (connection for connection in self._connections.values() if connection.user is not None and connection.wants_state)
        waiting = list(islice(wanting, self.settings.limits.states_at_once))
        actions = [relayed for at in sorted(self._relayed) if at >= tick for relayed in self._relayed[at]]
        if not waiting or (len(actions) > _MANY_ACTIONS and not is_bounded(m.encode(actions))):  # fewer actions at the next keyframe
            return
        try:
            with simulation.back_at(tick):
                scene = shared_scene(simulation.demo)
                if tick > 0:
                    state = compress_state(encode_state(simulation.demo))
        except Exception as error:
            if not isinstance(error, StateError):
                self._note_trouble(f"the state cannot be sent ({type(error).__name__}: {error})")
            for connection in waiting:
                self._refuse(connection, f"the state cannot be sent: {error}")
            return
        for connection in waiting:
            user = connection.user
            assert user is not None
            connection.has_state, connection.wants_state = True, False
            welcome = m.Welcome(
                user.number, user.key, tick, scene, state, actions,
                self.hertz, self.settings.closing_delay, self.settings.window + self.settings.rollback, user.next_number,
            )  # fmt: skip
            self._send(connection, welcome)
        self._users_changed = True

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, connection: _Connection, message: m.FromServer) -> None:
        self._send_bytes(connection, m.encode(message))

    def _send_bytes(self, connection: _Connection, content: bytes) -> None:
        self.outbox.append((connection.peer, content))
        self._n_sent += len(content)

    def _send_all(self, content: bytes, but: _User | None = None) -> None:
        """Send a message to all clients that have the state, except those of user `but`."""
        for connection in self._connections.values():
            if connection.has_state and (but is None or connection.user is not but):
                self._send_bytes(connection, content)


def _sizes(demo: Demo) -> tuple[dict[int, Size], Size]:
    """Count bodies, shapes and joints by user, from the ranges of ids (0 is the demo), and in total."""
    counts: Counter[tuple[int, int]] = Counter()
    for stage in demo.stages:
        world = stage.world
        for kind, ids in enumerate((world.body_ids, world.fixture_ids, world.joint_ids)):
            counts.update((id // IDS_OF_A_USER, kind) for id in ids)
    sizes = {user: Size(*(counts[user, kind] for kind in range(3))) for user in {user for user, _ in counts}}
    return sizes, Size(*(sum(count for (_, k), count in counts.items() if k == kind) for kind in range(3)))


def _loads(demo: Demo) -> Counter[int]:
    """Return each user's number of shapes plus contacts; user 0 is the demo."""
    loads: Counter[int] = Counter()
    for stage in demo.stages:
        contacts = stage.world.contacts
        loads.update(fixture // IDS_OF_A_USER for fixture in stage.world.fixture_ids)
        loads.update((np.maximum(contacts.fixture_a, contacts.fixture_b) // IDS_OF_A_USER).tolist())
    return loads
