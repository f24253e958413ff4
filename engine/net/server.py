"""The server: it has authority over the ticks, and knows no socket and no clock: bytes in, bytes out, the time as an argument.

Its clock shows tick ``c = (now - start) * hertz``. It closes tick n when c reaches n + delay + 1, and never goes back: an act that comes
for a closed tick counts at the first open one. Acts are relayed as they come, in their place; `Closed` says how many belong to a tick.

                     simulation.now                    clock             an act's tick t, as its client has predicted
    |------closed------|--open, not yet due--|-------|-----...-----|
                       ^ t < here counts here       ^ t here waits  ^ beyond `ticks_ahead` nobody can be: dropped

Nothing that a client sends can stop it: what is no message, or more than `Limits` allow, drops that client with a reason in words; what it
may not do, or not so much of, does not count, and it is told why. A
server that comes too late itself catches up a few ticks at a time, and where that does not help lets its clock slip.
"""

from __future__ import annotations

import hmac
import math
import secrets
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

import msgspec

from engine.common.errors import LabError
from engine.common.messagepack import MAX_PLAIN_BYTES, is_bounded
from engine.common.words import counted, shown
from engine.net import messages as m
from engine.net.guesses import Guesses
from engine.net.limits import Bucket, Limits, has_more_values, loads, owned
from engine.net.scene import check_shareable, scene_of
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.action import Size
from engine.sim.actions import Action, DestroyBody, Join, Leave, UndoOwn, action_of, encode_action
from engine.sim.demo import Demo
from engine.sim.ids import IDS_OF_A_USER
from engine.sim.state import compress_state, encode_state
from engine.sim.users import KEYFRAME_TICKS, MAX_USERS
from engine.sim.values import StateError

__all__ = ["Drop", "Server", "ServerSettings", "ServerStatus", "UserStatus"]

_KEPT_TICKS = 600
"""Ticks whose acts are kept for those who miss some."""
_TICKS_AT_ONCE = 8
"""Closed in one `advance` at the most: a server that is late leaves time for what comes in."""
_LATE_TICKS = 15
"""By which it may be late after that, before its clock slips: a quarter of a second."""
_PRESENT_TICKS = 120
"""After which all are told who is here even if nobody has come or gone."""
_POINTER_TICKS = 2
"""From one relay of pointers to the next, for up to eight users; of more, as many times as there are eights."""
_MANY_ACTS = MAX_PLAIN_BYTES // m.MAX_CLIENT_MESSAGE_BYTES
"""To be told to one who joins, from which on it is looked at how much that is."""
_BEFORE_START = 60.0
"""Seconds by which somebody may come before the first tick, and is told what the clock shows."""
_STOOD_STILL = 1.0
"""Seconds between two calls after which the machine has slept: nobody is blamed for its silence meanwhile."""
_MAX_COST = 0.25
"""Seconds that one message or act counts for at the most: a kernel may have been compiled for it."""
_COST_SECONDS = 4.0
"""Seconds' worth of `Limits.processor_share` that may be taken at once."""
_TOO_SLOW = 2.0
"""Times the time of a tick, that half of the last half second's took."""
_HEAVY = 0.4
"""Share of all shapes and contacts."""
_HEAVY_FROM = 500
"""Shapes and contacts: a user with fewer is not to blame for a slow solver."""
_REMEMBERED = 64
"""Drops and troubles told in the status, and connections that are over and still told so."""
_ASKED_AGAIN = 0.25
"""Seconds after which one whose connection is over is told again."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a world is shared.

    Attributes
    ----------
    delay : int
        Ticks by which a tick is closed after its time.
    window : int
        Ticks that clients can go back: without losses a fourth is enough, and more cost nothing; with 5 % of messages lost, and 150 ms each
        way, they stand still in every seventh to second frame with half of them (`docs/network.md`).
    password : str
        Empty for none.
    limits : Limits
    forbidden : frozenset of str
        Kinds of actions, such as "Restart", that do not count from guests.
    """

    delay: int = 3
    window: int = 100
    password: str = ""
    limits: Limits = field(default_factory=Limits)
    forbidden: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Drop:
    """Somebody who was dropped: at which tick, under which name (empty before a hello), and why."""

    tick: int
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class UserStatus:
    """A user, here or away: round trip in seconds, bytes and acts since the connection began, count of its bodies, shapes and joints."""

    user: int
    name: str
    is_here: bool
    ping: float
    n_received: int
    n_sent: int
    n_acts: int
    owns: Size


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The server at a moment.

    Attributes
    ----------
    tick : int
        The first that is not closed.
    users : tuple of UserStatus
    n_connections : int
        Those that have not said hello included.
    n_received, n_sent : int
        Bytes since the beginning.
    ms_per_tick, worst_ms : float
        Processor time of the ticks of the last five seconds: the median, the longest.
    ticks_late : float
        By which the last tick was closed too late.
    slipped : float
        Ticks that its clock has lost in all.
    restamped : int
        Acts that came too late for their tick.
    drops : tuple of Drop
        The last ones.
    n_dropped : int
    troubles : tuple of str
        What went wrong here: the demo's own faults, a recording that broke off; the last ones.
    """

    tick: int
    users: tuple[UserStatus, ...]
    n_connections: int
    n_received: int
    n_sent: int
    ms_per_tick: float
    worst_ms: float
    ticks_late: float
    slipped: float
    restamped: int
    drops: tuple[Drop, ...]
    n_dropped: int
    troubles: tuple[str, ...]


class _Peer:
    """One connection."""

    def __init__(self, limits: Limits, now: float, origin: str = "") -> None:
        self.origin = origin
        self.user: int | None = None
        self.hello: m.Hello | None = None
        self.since = self.heard = now
        self.wants_state = True
        """It gets the state at the next keyframe."""
        self.has_state = False
        """It has been sent one, and so is sent all that comes after."""
        self.is_lost = False
        """True if its state differs from the server's, or lacks too much: it must adopt the server's, and goes on."""
        self.shows_state = False
        """It has said something that only one who has the state can say."""
        self.n_received = self.n_sent = 0
        self.ping = 0.0
        self.messages = Bucket(limits.messages_per_s, now)
        self.bytes = Bucket(limits.bytes_per_s, now, 2.0 * m.MAX_CLIENT_MESSAGE_BYTES)
        self.replies = Bucket(limits.replies_per_s, now)
        self.states = Bucket(limits.states_per_s, now, 4.0)
        self.shapes = Bucket(limits.shapes_per_s, now)
        self.denials = Bucket(limits.denials_per_s, now)
        self.cost = Bucket(limits.processor_share, now, _COST_SECONDS * limits.processor_share)


@dataclass(slots=True)
class _Member:
    """A user, here or away."""

    name: str
    key: str
    peer: int | None
    away_since: float = 0.0
    n_acts: int = 0
    next_number: int = 0
    floor: int = 0
    """Numbers below it are of acts long past."""
    said: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Results of its last acts, by number: the tick, and the answer sent."""
    owns: Size = field(default_factory=Size)
    """As it was counted last, and what it has created since."""


@dataclass(slots=True)
class _Over:
    """A connection that is over: who was at it, what was said in the end, and when."""

    name: str
    content: bytes
    at: float


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
    simulation : SharedSimulation
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
        self.simulation = SharedSimulation(demo, window=self.settings.window, goes_back=False)
        self.outbox: deque[tuple[int, bytes]] = deque()
        self.drops: deque[tuple[int, str]] = deque()
        self.on_tick: Callable[[Server], object] | None = None
        self.hertz = round(1.0 / demo.step_seconds, 6)
        self._start, self._now = start, start - _BEFORE_START
        self._peers: dict[int, _Peer] = {}
        self._over: dict[int, _Over] = {}
        self._members: dict[int, _Member] = {}
        self._joins = Bucket(self.settings.limits.joins_per_s, start, MAX_USERS)
        self._guesses = Guesses(self.settings.limits.free_guesses, self.settings.limits.guess_seconds)
        self._closed: dict[int, m.TickClosed] = {}
        self._acted: dict[int, list[m.RelayedAction]] = {}
        self._loads: Counter[tuple[int, int]] = Counter()
        """Acts by tick and user, of open ticks."""
        self._total = owned(demo, IDS_OF_A_USER)[1]
        self._pointers: dict[int, m.UserPointer] = {}
        self._is_present_told = True
        self._ticks: deque[float] = deque(maxlen=round(5.0 * self.hertz))
        self._late = self._slipped = 0.0
        self._restamped = self._n_received = self._n_sent = self._n_dropped = 0
        self._dropped: deque[Drop] = deque(maxlen=_REMEMBERED)
        self._troubles: deque[str] = deque(maxlen=_REMEMBERED)

    @property
    def present(self) -> tuple[m.UserInfo, ...]:
        """Clients that are here, or were and may come back."""
        return tuple(
            m.UserInfo(user, member.name, member.peer is not None, self._peers[member.peer].ping if member.peer is not None else 0.0)
            for user, member in sorted(self._members.items())
        )

    def name_of(self, peer: int) -> str:
        """Return the name of who is, or just was, at a connection; empty for a stranger."""
        one = self._peers.get(peer)
        if one is None:
            return self._over[peer].name if peer in self._over else ""
        return self._members[one.user].name if one.user is not None else shown(one.hello.name) if one.hello is not None else ""

    # -- connections --------------------------------------------------------------------------------------------------

    def connect(self, peer: int, origin: str = "") -> None:
        """Note a new connection, under a number that is not used twice; it begins at the time of the last call that had one.

        `origin` is the address that it comes from, for who tries passwords.
        """
        if len(self._peers) >= self.settings.limits.connections:
            silent = [(one.since, at) for at, one in self._peers.items() if one.user is None]
            at = min(silent)[1] if silent else peer
            self._peers.setdefault(at, _Peer(self.settings.limits, self._now))
            self.drop(at, f"there are {self.settings.limits.connections} connections already")
            if at == peer:
                return
        self._peers[peer] = _Peer(self.settings.limits, self._now, origin)

    def is_in(self, peer: int) -> bool:
        """Tell whether somebody was let in over a connection."""
        one = self._peers.get(peer)
        return one is not None and one.user is not None

    def disconnect(self, peer: int) -> None:
        """Note that a connection is gone."""
        self._over.pop(peer, None)
        self._forget(peer)

    def note_alive(self, peer: int, now: float) -> None:
        """Note a sign of life that is no message: who is busy is not silent."""
        now, one = self._pass(now), self._peers.get(peer)
        if one is not None:
            one.heard = now

    def receive(self, peer: int, content: bytes, now: float) -> None:
        """Take in what a client sent: whatever it is, nothing worse comes of it than that the client is dropped."""
        now = self._pass(now)
        one = self._peers.get(peer)
        if one is None:
            self._tell_again(peer, now)
            return
        limits, began = self.settings.limits, time.thread_time()
        self._n_received += len(content)
        one.n_received += len(content)
        one.heard = now
        try:
            if not one.messages.take(1, now):
                raise m.MessageError(f"it sent more than {limits.messages_per_s:g} messages a second")
            if not one.bytes.take(len(content), now):
                raise m.MessageError(f"it sent more than {limits.bytes_per_s:,.0f} bytes a second")
            self._take(peer, one, m.decode_from_client(content), now)
        except LabError as error:
            self.drop(peer, str(error))
        except Exception as error:
            self.drop(peer, f"its message could not be taken ({type(error).__name__})")
            self._troubles.append(f"tick {self.simulation.now}: a message ended in {type(error).__name__}: {error}"[:500])
        self._charge(one, peer, time.thread_time() - began)

    def _take(self, peer: int, one: _Peer, message: m.FromClient, now: float) -> None:
        if isinstance(message, m.Hello):
            self._greet(peer, one, message, now)
        elif isinstance(message, m.Goodbye):
            self.drops.append((peer, "it said goodbye"))
            self._forget(peer)
        elif one.user is None:
            return  # its hello is late, or lost: it says it again
        elif isinstance(message, m.ActionRequest):
            one.shows_state |= one.has_state
            self._did(one, peer, message, now)
        elif isinstance(message, m.Ping):
            one.shows_state |= one.has_state and message.confirmed > 0
            one.ping = max(0.0, message.round_trip)
            self._send(peer, m.Pong(message.sent, self.clock(now)))
        elif isinstance(message, m.ResendRequest):
            one.shows_state |= one.has_state
            self._repeat(one, peer, message.ticks, now)
        elif isinstance(message, m.PointerMove):
            self._pointers[one.user] = m.UserPointer(one.user, message.x, message.y)
        else:
            one.wants_state = one.is_lost = True

    def _greet(self, peer: int, one: _Peer, hello: m.Hello, now: float) -> None:
        if one.hello is not None:
            if (hello.name, hello.key) != (one.hello.name, one.hello.key):
                raise m.MessageError("it said hello twice, under two names")
            one.wants_state |= not one.shows_state  # what it got for its hello was lost
        else:
            reason = self._reason_against(hello, one.origin, now)
            if reason:
                return self._refuse(peer, reason)
            if not self._joins.take(1, now):
                return None  # it says hello again
            user = self._user_of(hello.key)
            if user is None:
                user = self._new_user()
                if user is None:
                    return self._refuse(peer, f"there are {MAX_USERS} users already")
            self._let_in(peer, one, user, hello, now)
        if self.simulation.now == 0:
            self._give_states()
        return None

    def _reason_against(self, hello: m.Hello, origin: str, now: float) -> str:
        """Return why one does not come in, or nothing."""
        if hello.version != m.VERSION:
            return f"this server speaks version {m.VERSION}, you speak {hello.version}: use the same program"
        if not self.settings.password and not hello.password:
            return ""
        if not hello.password:
            return "a password is asked for: --password gives it"
        has_been_in = self._user_of(hello.key) is not None  # he comes back, whoever beside him guesses
        wait = self._guesses.wait(origin, now)
        if wait > 0.0 and not has_been_in:
            return f"too many wrong passwords came from your address: try again in {math.ceil(wait)} s"
        if not hmac.compare_digest(hello.password.encode(), self.settings.password.encode()):
            self._guesses.wrong(origin, now)
            return "the password is another"
        if not has_been_in:
            self._guesses.right(origin)
        return ""

    def _user_of(self, key: str) -> int | None:
        """Return whose key it is."""
        given = key.encode()
        return next((user for user, member in self._members.items() if hmac.compare_digest(member.key.encode(), given)), None)

    def _new_user(self) -> int | None:
        """Return a number that is free; where there is none, of those away the one that did nothing, or is away longest, gives up his."""
        user = next((k for k in range(1, MAX_USERS + 1) if k not in self._members), None)
        if user is None:
            away = [(member.n_acts > 0, member.away_since, user) for user, member in self._members.items() if member.peer is None]
            user = min(away)[2] if away else None
        return user

    def _let_in(self, peer: int, one: _Peer, user: int, hello: m.Hello, now: float) -> None:
        member = self._members.get(user)
        if member is not None and member.peer is not None:
            self.drop(member.peer, "it came in again from elsewhere")
        is_back = member is not None and hmac.compare_digest(member.key.encode(), hello.key.encode())
        if member is None or not is_back:
            number = member.next_number if member is not None else 0
            owns = member.owns if member is not None else Size()
            member = self._members[user] = _Member("", secrets.token_hex(16), peer, next_number=number, floor=number, owns=owns)
        one.user, one.hello = user, hello
        member.peer, member.name = peer, self._name_for(user, hello.name)
        self._act(user, member.next_number, Join(is_back), self.simulation.now)
        self._is_present_told = False

    def _name_for(self, user: int, name: str) -> str:
        """Return a name that no other has who is here, of letters that can be seen."""
        base = " ".join(shown(name).split())[:36] or "somebody"
        taken = {member.name.casefold() for other, member in self._members.items() if other != user and member.peer is not None}
        return next(found for k in range(1, MAX_USERS + 2) if (found := base if k == 1 else f"{base} {k}").casefold() not in taken)

    def _refuse(self, peer: int, reason: str) -> None:
        self._cut_off(peer, m.Refused(reason), reason)

    def drop(self, peer: int, reason: str) -> None:
        """Have done with a connection: its user goes, and it is told why."""
        self._cut_off(peer, m.Dropped(reason[:500]), reason)

    def _cut_off(self, peer: int, message: m.Refused | m.Dropped | None, reason: str) -> None:
        """End a connection; without a message it is one that has broken off, which its client takes up again by itself."""
        if peer not in self._peers:
            return
        name = self.name_of(peer)
        self._dropped.append(Drop(self.simulation.now, name, reason))
        self._n_dropped += 1
        if message is not None:
            self._send(peer, message)
        self.drops.append((peer, reason))
        self._forget(peer)
        if message is None:
            return
        self._over[peer] = _Over(name, m.encode(message), self._now)
        if len(self._over) > _REMEMBERED:
            del self._over[next(iter(self._over))]

    def _tell_again(self, peer: int, now: float) -> None:
        """Tell one that goes on sending why its connection is over: that message may have been lost."""
        over = self._over.get(peer)
        if over is not None and now - over.at >= _ASKED_AGAIN:
            over.at = now
            self._send_bytes(peer, over.content)

    def _forget(self, peer: int) -> None:
        one = self._peers.pop(peer, None)
        if one is None or one.user is None:
            return
        member = self._members[one.user]
        member.peer, member.away_since = None, self._now
        self._pointers.pop(one.user, None)
        self._act(one.user, member.next_number, Leave(), self.simulation.now)
        self._is_present_told = False

    def _charge(self, one: _Peer, peer: int, seconds: float) -> None:
        """Count processor time that a client's messages and acts have taken."""
        if not one.cost.take(min(seconds, _MAX_COST), self._now):
            self.drop(peer, f"what it does takes more than {self.settings.limits.processor_share:.0%} of this machine's time")

    # -- acts ---------------------------------------------------------------------------------------------------------

    def _did(self, one: _Peer, peer: int, message: m.ActionRequest, now: float) -> None:
        """Take in an act of a user's."""
        assert one.user is not None
        member, limits, simulation = self._members[one.user], self.settings.limits, self.simulation
        known = member.said.get(message.number)
        if known is not None:  # sent twice: perhaps what came of it was lost
            self._reply(one, peer, known[1], now)
            return
        if message.number < member.floor:
            return
        if message.number > member.next_number + limits.numbers_ahead:
            raise m.MessageError(f"its act has the number {message.number}, and the last one had {member.next_number - 1}")
        ahead = max(limits.ticks_ahead, 4 * self.settings.window)
        if message.tick > simulation.now + ahead:
            raise m.MessageError(f"its act {message.number} is meant for tick {message.tick}, and it is tick {simulation.now}")
        plain = msgspec.msgpack.decode(message.action)
        if has_more_values(plain, limits.values_per_act):
            raise m.MessageError(f"its act {message.number} has more than {limits.values_per_act} values")
        given = action_of(plain, f"act {message.number}")
        action = given.without_files()
        if not action.guests_may:
            raise m.MessageError(f"its act {message.number} is none that a user can do: {type(action).__name__}")
        denial = self._denial(one, member, action, now)
        if denial:
            if not one.denials.take(1, now):
                raise m.MessageError(f"it goes on although it was told: {denial}")
            content = m.encode(m.ActionDenied(message.number, denial))
            member.said[message.number] = simulation.now, content
            member.next_number = max(member.next_number, message.number + 1)
            self._send_bytes(peer, content)
            return
        tick = max(message.tick, simulation.now)
        self._restamped += tick > message.tick
        while self._loads[tick, one.user] >= limits.acts_per_tick:
            tick += 1
        if tick > simulation.now + ahead:
            raise m.MessageError(f"it does more than {limits.acts_per_tick} things a tick")
        member.n_acts += 1
        self._act(one.user, message.number, action, tick, message.action if action is given else None)

    def _denial(self, one: _Peer, member: _Member, action: Action, now: float) -> str:
        """Return why an act of a user's does not count; "" if it does, and then it is counted as made."""
        assert one.user is not None
        limits, kind = self.settings.limits, type(action).__name__
        if kind in self.settings.forbidden:
            return f"guests may not use {kind} here"
        if action.work(self.simulation.demo.sim) > limits.work:
            return f"guests may set a solver to {limits.work:g} times the work of its defaults"
        size = self._undone(one.user) if isinstance(action, UndoOwn) else action.size
        if not any(size) and not action.may_create:
            return ""
        owns, total = member.owns.plus(size), self._total.plus(size)
        for name, count, most in (
            ("bodies", owns.bodies, limits.bodies),
            ("shapes", owns.shapes, limits.shapes),
            ("joints", owns.joints, limits.joints),
        ):
            if count > most:
                return f"one user has at most {most} {name} here"
        if total.bodies > limits.world_bodies or total.shapes > limits.world_shapes:
            return f"the world is full: it has {counted(self._total.bodies, 'body', 'bodies')}"
        if not one.shapes.take(sum(size), now):
            return f"one user makes at most {limits.shapes_per_s:g} bodies, shapes and joints a second here"
        member.owns, self._total = owns, total
        return ""

    def _undone(self, number: int) -> Size:
        """Return how much taking back a user's last action makes; the most that it may, where some of his are still to be carried out."""
        user = self.simulation.demo.sim.users.users.get(number)
        ticks = (tick for tick, some in self._acted.items() if tick >= self.simulation.now and some)
        waiting = [act.action for tick in ticks for act in self.simulation.acts(tick) if act.user == number]
        sizes = [inverse.size for inverse in (user.undo[-1 - len(waiting) :] if user is not None else ())]
        sizes += [max(action.size, action.removed(self.simulation.demo.sim)) for action in waiting]
        return Size(*map(max, zip(*sizes, strict=True))) if sizes else Size()

    def _act(self, user: int, number: int, action: Action, tick: int, sent: msgspec.Raw | None = None) -> None:
        """Let an act count at a tick, and relay it, as it came if its content is given."""
        member = self._members[user]
        acted = m.RelayedAction(tick, user, number, msgspec.Raw(encode_action(action)) if sent is None else sent)
        content = m.encode(acted)
        member.said[number] = tick, content
        member.next_number = max(member.next_number, number + 1)
        self.simulation.add(tick, UserAction(user, number, action))
        self._acted.setdefault(tick, []).append(acted)
        self._loads[tick, user] += 1
        self._send_all(content)

    def _repeat(self, one: _Peer, peer: int, ticks: list[int], now: float) -> None:
        """Send all that belongs to ticks again, as far as they are closed, and as much as one may ask for."""
        oldest = next(iter(self._closed), self.simulation.now)
        for tick in ticks:
            if tick < oldest:  # it cannot catch up
                one.wants_state = one.is_lost = True
            closed = self._closed.get(tick)
            for message in () if closed is None else (*self._acted.get(tick, ()), closed):
                if not self._reply(one, peer, m.encode(message), now):
                    return

    def _reply(self, one: _Peer, peer: int, content: bytes, now: float) -> bool:
        """Send again, within the limits; one that gets nothing asks again."""
        if not one.replies.take(len(content), now):
            return False
        self._send_bytes(peer, content)
        return True

    # -- time ---------------------------------------------------------------------------------------------------------

    def clock(self, now: float) -> float:
        """Return the time in ticks."""
        return (now - self._start) * self.hertz

    def advance(self, now: float) -> int:
        """Close the ticks that are due; return how many.

        Where more are due than can be taken by and by, the clock slips: the time that a sleeping machine has lost does not come back.
        """
        now = self._pass(now)
        taken = 0
        while taken < _TICKS_AT_ONCE and self.clock(now) >= self._due:
            self._late = self.clock(now) - self._due
            self._close()
            taken += 1
        late = self.clock(now) - self._due
        if late > _LATE_TICKS:
            self._start += late / self.hertz
            self._slipped += late
            if late > self.hertz:
                self._troubles.append(f"tick {self.simulation.now}: the clock slipped by {late / self.hertz:.1f} s")
        if taken:
            self._drop_silent()
            self._tell_present()
        return taken

    @property
    def _due(self) -> int:
        """When the next tick is closed, in ticks."""
        return self.simulation.now + self.settings.delay + 1

    def _pass(self, now: float) -> float:
        """Note the time, which never goes back."""
        if now - self._now > _STOOD_STILL:
            for one in self._peers.values():
                one.heard = one.since = now
        self._now = max(self._now, now)
        return self._now

    def _drop_silent(self) -> None:
        limits = self.settings.limits
        for peer, one in list(self._peers.items()):
            if one.user is None and self._now - one.since > limits.hello_seconds:
                self.drop(peer, f"it said no hello within {limits.hello_seconds:g} s")
            elif self._now - one.heard > limits.silent_seconds:
                self._cut_off(peer, None, f"nothing was heard of it for {limits.silent_seconds:g} s")  # it may come back when it wakes

    def _close(self) -> None:
        simulation, tick = self.simulation, self.simulation.now
        digest = simulation.digests[tick] if tick % KEYFRAME_TICKS == 0 else None
        closed = self._closed[tick] = m.TickClosed(tick, len(simulation.acts(tick)), digest, self._counts_before(tick))
        self._send_all(m.encode(closed))
        began = time.thread_time()
        simulation.step()
        self._ticks.append(time.thread_time() - began)
        self._blame()
        if self.on_tick is not None:
            try:
                self.on_tick(self)
            except (LabError, OSError) as error:  # a full disk does not end the world
                self.on_tick = None
                self._troubles.append(f"tick {tick}: {error}"[:500])
        for user in self._members:
            self._loads.pop((tick, user), None)
        if simulation.now % KEYFRAME_TICKS == 0:
            self._relieve()
            self._tidy()
            self._count()
            self._give_states()
        self._relay_pointers()

    def _blame(self) -> None:
        """Note what went wrong in a tick, and who took how much time in it."""
        while self.simulation.faults:
            self._troubles.append(self.simulation.faults.popleft())
        for user, seconds in self.simulation.costs.items():
            member = self._members.get(user)
            if member is not None and member.peer is not None:
                self._charge(self._peers[member.peer], member.peer, seconds)

    def _relieve(self) -> None:
        """Drop a user and his bodies if ticks take twice the time that there is, and his shapes most of it.

        However many shapes one may have, they can be piled up in one place, and their pairs grow with the square.
        """
        last = sorted(list(self._ticks)[-KEYFRAME_TICKS:])
        if last[len(last) // 2] < _TOO_SLOW / self.hertz:
            return
        made = loads(self.simulation.demo, IDS_OF_A_USER)
        user = max((one for one in made if one in self._members), key=made.__getitem__, default=0)
        is_in_the_way = any(member.peer is not None for other, member in self._members.items() if other != user)
        if not user or not is_in_the_way or made[user] < max(_HEAVY * sum(made.values()), _HEAVY_FROM):
            return
        member, reason = self._members[user], f"what it made is too heavy for this machine: {made[user]:,} shapes and contacts"
        self._troubles.append(f"tick {self.simulation.now}: the bodies of {member.name} are taken away: {reason}")
        if member.peer is None:
            self._act(user, member.next_number, Join(), self.simulation.now)
        for k, stage in enumerate(self.simulation.demo.stages):
            for body in stage.world.body_ids:
                if body // IDS_OF_A_USER == user:
                    self._act(user, member.next_number, DestroyBody(k, body), self.simulation.now)
        member.key = secrets.token_hex(16)  # nor does he come back to take that back
        if member.peer is None:
            self._act(user, member.next_number, Leave(), self.simulation.now)
        else:
            self.drop(member.peer, reason)

    def _tidy(self) -> None:
        """Forget what nobody can ask for any more."""
        first = self.simulation.now - _KEPT_TICKS
        self.simulation.forget(self.simulation.now)
        self._closed = {tick: one for tick, one in self._closed.items() if tick >= first}
        self._acted = {tick: some for tick, some in self._acted.items() if tick >= first}
        for member in self._members.values():
            old = [number for number, (tick, _) in member.said.items() if tick < first]
            for number in old:
                del member.said[number]
            member.floor = max(member.floor, *(number + 1 for number in old), 0)

    def _count(self) -> None:
        """Count what there is, and what those acts will create that have not been carried out."""
        sizes, self._total = owned(self.simulation.demo, IDS_OF_A_USER)
        for tick, some in self._acted.items():
            if tick >= self.simulation.now and some:
                for act in self.simulation.acts(tick):
                    size = act.action.size
                    sizes[act.user], self._total = sizes.get(act.user, Size()).plus(size), self._total.plus(size)
        for user, member in self._members.items():
            member.owns = sizes.get(user, Size())

    def _counts_before(self, tick: int) -> list[int]:
        """Return how many acts belong to the last ticks before one, newest first."""
        before = (self._closed.get(at) for at in range(tick - 1, tick - 1 - m.MAX_EARLIER, -1))
        return [closed.count for closed in before if closed is not None]

    def _give_states(self) -> None:
        """Give the state to those who wait for it, at a keyframe."""
        asking = ((peer, one) for peer, one in self._peers.items() if one.user is not None and one.wants_state)
        waiting = list(islice((each for each in asking if each[1].states.take(1, self._now)), self.settings.limits.states_at_once))
        if not waiting:
            return
        simulation = self.simulation
        tick, scene, state = simulation.now, scene_of(simulation.demo), b""
        acts = [acted for at in sorted(self._acted) if at >= tick for acted in self._acted[at]]
        if len(acts) > _MANY_ACTS and not is_bounded(m.encode_acts(acts)):  # by the next keyframe some are done
            return
        try:
            if tick > 0:
                state = compress_state(encode_state(simulation.demo))
        except Exception as error:
            if not isinstance(error, StateError):
                self._troubles.append(f"tick {tick}: the state cannot be sent ({type(error).__name__}: {error})"[:500])
            for peer, _ in waiting:
                self._refuse(peer, f"the state cannot be sent: {error}"[:500])
            return
        for peer, one in waiting:
            assert one.user is not None
            is_in, one.is_lost = one.is_lost and one.shows_state and tick > 0, False
            member, one.has_state, one.wants_state, one.shows_state = self._members[one.user], True, False, is_in
            if is_in:
                self._send(peer, m.Keyframe(tick, state))
                continue
            welcome = m.Welcome(
                one.user, member.key, tick, scene, state, acts,
                self.hertz, self.settings.delay, self.settings.window, member.next_number,
            )  # fmt: skip
            self._send(peer, welcome)
        self._is_present_told = False

    # -- sending ------------------------------------------------------------------------------------------------------

    def _send(self, peer: int, message: m.FromServer) -> None:
        self._send_bytes(peer, m.encode(message))

    def _send_bytes(self, peer: int, content: bytes) -> None:
        self.outbox.append((peer, content))
        self._n_sent += len(content)
        one = self._peers.get(peer)
        if one is not None:
            one.n_sent += len(content)

    def _send_all(self, content: bytes, but: int | None = None) -> None:
        """Send to all who have the state."""
        for peer, one in self._peers.items():
            if one.has_state and one.user != but:
                self._send_bytes(peer, content)

    def _relay_pointers(self) -> None:
        """Tell where those pointers are that have moved, the last place of each."""
        if self._pointers and self.simulation.now % (_POINTER_TICKS * (1 + len(self._peers) // 8)) == 0:
            for user, pointed in self._pointers.items():
                self._send_all(m.encode(pointed), but=user)
            self._pointers.clear()

    def _tell_present(self) -> None:
        """Tell all who is here, when that has changed or was told long ago."""
        if self._is_present_told and self.simulation.now % _PRESENT_TICKS:
            return
        self._is_present_told = True
        self._send_all(m.encode(m.UserList(list(self.present))))

    # -- looking ------------------------------------------------------------------------------------------------------

    @property
    def status(self) -> ServerStatus:
        """How it stands now."""
        users = []
        for user, member in sorted(self._members.items()):
            one = self._peers.get(member.peer) if member.peer is not None else None
            ping, n_received, n_sent = (one.ping, one.n_received, one.n_sent) if one is not None else (0.0, 0, 0)
            users.append(UserStatus(user, member.name, one is not None, ping, n_received, n_sent, member.n_acts, member.owns))
        times = sorted(self._ticks) or [0.0]
        return ServerStatus(
            self.simulation.now, tuple(users), len(self._peers), self._n_received, self._n_sent,
            1e3 * times[len(times) // 2], 1e3 * times[-1], self._late, self._slipped,
            self._restamped, tuple(self._dropped), self._n_dropped, tuple(self._troubles),
        )  # fmt: skip
