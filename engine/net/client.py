"""The client: it predicts the server's ticks, rolls back when it learns better, and knows no socket: bytes in, bytes out, time given.

    prediction      is ahead of what the server has closed by a round trip: a user's own action counts for him at once. Others' actions
                    arrive late; the simulation goes back to the keyframe before them and forward again.
    interpolation   shows the past, a buffer behind what has arrived, so that ticks are shown evenly; own actions as they come back.
    lockstep        simulates a tick as soon as all of it is known, and stamps own actions so far ahead that they are there in time.

All three go through the same states (Gambetta, "Fast-paced multiplayer"; Bernier 2001; Bettner and Terrano 2001 for lockstep). An own
action that arrived too late for its tick comes back with another tick, and is moved there. Lost messages are sent or requested
again. The client trusts the server that it joined for the meaning of messages; their sizes, types and counts are bounded
(docs/network.md). What it cannot read or simulate ends the connection with a reason: the world stays, and may go on alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from engine.common.arrays import FloatArray
from engine.common.errors import InvalidInputError, LabError
from engine.net import messages as m
from engine.net.clock import Clock
from engine.net.corrections import Correction, Poses, Smoothing, poses_of
from engine.net.scene import make_demo
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.action import Held
from engine.sim.actions import Action, Leave, decode_action, encode_action
from engine.sim.demo import Demo
from engine.sim.state import decode_state, decompress_state
from engine.sim.users import KEYFRAME_TICKS

__all__ = ["Client"]

_HELLO_SECONDS = 0.5
"""Interval of hellos, until the state has arrived."""
_PING_SECONDS = 0.25
_FIRST_PINGS, _FIRST_PING_SECONDS = 8, 0.1
_RESEND_SECONDS = 0.05
"""By which a message may be overtaken by others before it is requested again."""
_GIVE_UP_SECONDS = 5.0
"""After which an own action that has not come back is not sent again: a server may have forgotten that it had it (600 ticks)."""
_FAR_TICKS = 300
"""Ticks behind the server beyond which the state is requested, rather than all of them simulated."""
_MAX_AHEAD = 200
"""Ticks from the last confirmed one on for which an action may be meant: a server takes none for much later (`Limits.ticks_ahead`)."""
_MAX_KNOWN_TICKS = 4_000
_MAX_ACTIONS = 20_000
"""Closed ticks, and actions of all users, that wait to be simulated; beyond, they are ignored, and requested again."""
_MAX_PENDING = 256
_MAX_REASON = 500
_MAX_SENT_AGAIN = 16
_MAX_REQUESTED = 100
_MAX_OFFLINE_TICKS = 8
"""Ticks of one call without a server."""
_KEYFRAME_SECONDS = 1.0
"""Time until the server's next keyframe."""


@dataclass(slots=True)
class _Pending:
    """An own action that has not come back."""

    tick: int
    action: Action
    content: msgspec.Raw
    since: float
    retry_at: float
    wait: float
    """Seconds until it is sent again, doubled each time."""


class Client:
    """A client of a demo that a server shares.

    Parameters
    ----------
    name, password : str
    key : str
        Of one who comes back: what its `Welcome` contained.
    method : str
        One of `METHODS`; may be changed at any time.
    timer : callable, optional
        Returns seconds, to measure the cost of ticks: with it no call of `advance` is to take longer than `budget`; without, each takes a
        bounded number of ticks. It should measure processor time: the load of the machine says nothing about the cost of a rollback.

    Attributes
    ----------
    simulation : SharedSimulation or None
        None until the server's state has arrived.
    user : int
    outbox : deque of bytes
    end_reason : str
        Why the server refuses or has dropped it, or could not be understood: no more messages are read.
    server_ended : bool
        True if the reason is that the server ends.
    is_joined : bool
        True if the server has let it in, over the present connection.
    is_desynced : bool
        True if its state is known to differ from the server's, which has not arrived yet.
    is_stalled : bool
        True if a tick is due and cannot be simulated, for the server has not closed those long before it.
    users : tuple of UserInfo
    pointers : dict of int to (x, y)
        Of others, meters in the picture.
    denials : deque of str
        Why the server did not apply own actions, the last ones.
    confirmed : int
        All ticks before it are closed and known whole.
    budget : float
        Maximum seconds of a call of `advance`.
    corrections : deque of Correction
        The last.
    latencies : deque of float
        Of the last own actions, seconds until the first tick with it was shown.
    n_rollbacks, n_resimulated, n_corrections : int
        Rollbacks, ticks simulated again, and corrections that could be seen.
    n_compared, n_adopted : int
        Keyframes whose digest was compared with the server's, and states adopted because they differed.
    n_late, n_denied, n_stalls : int
        Own actions that counted at a later tick than they were meant for, and that the server did not apply; calls of `advance` in which a
        tick was due and could not be simulated.
    on_final : callable or None
        Called with each tick and the digest of the state right before it, once nothing can change it any more.
    """

    def __init__(
        self, name: str, password: str = "", key: str = "", method: str = "prediction", timer: Callable[[], float] | None = None
    ) -> None:
        self.name, self.key = name, key
        self.method = method
        self.simulation: SharedSimulation | None = None
        self.user = 0
        self.outbox: deque[bytes] = deque()
        self.end_reason, self.server_ended = "", False
        self.is_joined = self.is_desynced = self.is_stalled = False
        self.users: tuple[m.UserInfo, ...] = ()
        self.pointers: dict[int, tuple[float, float]] = {}
        self.denials: deque[str] = deque(maxlen=16)
        self.confirmed = 0
        self.budget = 0.04
        self.corrections: deque[Correction] = deque(maxlen=256)
        self.latencies: deque[float] = deque(maxlen=4096)
        self.n_rollbacks = self.n_resimulated = self.n_corrections = self.n_compared = self.n_adopted = 0
        self.n_late = self.n_denied = self.n_stalls = 0
        self.on_final: Callable[[int, bytes], object] | None = None
        self.timer = timer
        self._costs: deque[float] = deque(maxlen=15)
        """Seconds of a tick in the last calls: the first may compile, so the median counts."""
        self._cost = 0.0
        self._smoothing = Smoothing()
        self._final = 0
        """The first tick of which `on_final` has not been called."""
        self._welcome: m.Welcome | None = None
        self._clock = Clock(60.0)
        self._now = self._goal = 0.0
        """Time of the last `advance`, and the tick that should be shown then."""
        self._seen = 0
        """The first tick that is not known to be closed, nor any after it."""
        self._counts: dict[int, int] = {}
        """Number of actions of closed ticks."""
        self._digests: dict[int, bytes] = {}
        """The server's, of keyframes that have not been compared."""
        self._state_from: int | None = None
        """The tick from which on the server's state is wanted, because ours differs or is far behind."""
        self._state_retry_at = 0.0
        self._resend_at: dict[int, float] = {}
        """By incomplete tick, when to request it."""
        self._pending: dict[int, _Pending] = {}
        self._unseen: dict[int, tuple[int | None, float]] = {}
        """Own actions that have not been shown: their tick, if it is known, and the time of the action."""
        self.next_number = 0
        """Number of the next own action."""
        self._pinged = self._greeted = -1e9
        self._password = password
        self._is_new_connection = True
        self._offline: tuple[float, int] | None = None
        """Since when it runs without a server, and from which tick on."""

    # -- status -------------------------------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """How it keeps up with the others, one of `METHODS`."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in m.METHODS:
            raise InvalidInputError("method", "one of " + ", ".join(m.METHODS), method)
        self._method: str = method

    @property
    def demo(self) -> Demo | None:
        """The demo as this client sees it: one object, restored in place; another only with a `Welcome`."""
        return self.simulation.demo if self.simulation is not None else None

    @property
    def is_offline(self) -> bool:
        """True if it runs without a server."""
        return self._offline is not None

    @property
    def is_slow(self) -> bool:
        """True if a rollback would take longer than a frame, so that less is predicted."""
        return self.method == "prediction" and self._horizon() < self._window

    @property
    def status(self) -> str:
        """One line for the screen; empty where all is well."""
        if self.is_offline:
            return "going on alone"
        if self.end_reason:
            return self.end_reason
        if not self.is_joined:
            return "waiting for the server's state"
        if self.is_stalled:
            return "waiting for the server"
        return f"a tick takes {1e3 * self._cost:.1f} ms here: less is predicted" if self.is_slow else ""

    @property
    def round_trip(self) -> float:
        """Median round-trip time of the last pings, seconds."""
        return self._clock.round_trip

    @property
    def age(self) -> float:
        """Seconds by which the confirmed state lies behind the server's clock; 0 offline, or where nothing is known yet."""
        tick = self.server_tick(self._now)
        return 0.0 if tick is None or self.is_offline else max(0.0, (tick - self.confirmed) / self._clock.hertz)

    @property
    def fraction(self) -> float:
        """Position of the time between the tick before the last and the last, 0 to 1: there the picture is drawn."""
        if self.simulation is None or (self.method == "lockstep" and not self.is_offline):
            return 1.0
        return min(max(self._goal - self.simulation.now + 1.0, 0.0), 1.0)

    def offsets(self, stage: int) -> FloatArray:
        """Return what is left of corrections, to be added to the poses that are drawn of a stage, never to the state.

        x, y, angle, meters and radians, (n, 3), rows as in `world.body_ids`; it decays within 0.15 s.
        """
        if self.simulation is None or stage >= len(self.simulation.demo.stages):
            return np.zeros((0, 3))
        return self._smoothing.offsets(stage, self.simulation.demo.stages[stage].world.body_ids, self._now)

    @property
    def holders(self) -> dict[int, Held]:
        """Each user who holds something, with the stage, the body, and the point of it in its frame, meters."""
        demo = self.demo
        grips = {} if demo is None else {user: state.grip for user, state in demo.sim.users.users.items()}
        return {
            user: (demo.stages.index(grip.stage), grip.body, grip.point)
            for user, grip in grips.items()
            if demo is not None and grip is not None and grip.stage in demo.stages and grip.is_there
        }

    def server_tick(self, now: float) -> float | None:
        """Return what the server's clock shows now, in ticks, as far as this client can know; None before it can."""
        return self._clock.tick(now) if self._clock.n_samples else None

    # -- the connection -----------------------------------------------------------------------------------------------

    def reconnect(self) -> None:
        """Begin again over another connection, as the same user. The picture stays until the server's state has arrived."""
        self.outbox.clear()
        self.end_reason, self.server_ended = "", False
        self._greeted = self._pinged = -1e9
        self.is_joined, self._is_new_connection = False, True
        self._offline = None

    def go_offline(self, now: float) -> None:
        """Run without a server, from the state that is shown; `reconnect` goes back to a server's."""
        simulation = self.simulation
        if simulation is None or self.is_offline:
            return
        for tick in range(simulation.now, simulation.now + _MAX_KNOWN_TICKS):  # the others' future actions
            for action in simulation.actions(tick):
                if action.user != self.user:
                    simulation.remove(tick, *action.key)
        self._rollback(now)
        self._forget_pending()
        self._counts.clear()
        self._digests.clear()
        self._offline = now, simulation.now
        for user in simulation.demo.sim.users.users:
            if user != self.user:
                simulation.add(simulation.now, UserAction(user, 2**40, Leave()))

    def send(self, message: m.FromClient) -> None:
        """Put a message into the outbox."""
        self.outbox.append(m.encode(message))

    # -- messages of the server ---------------------------------------------------------------------------------------

    def receive(self, content: bytes, now: float) -> None:
        """Handle a message of the server; one that cannot be read ends the connection, with the reason in `end_reason`."""
        if self.end_reason or self.is_offline:
            return
        try:
            self._handle(m.decode_from_server(content), now)
        except LabError as error:
            self._end(f"what the server says is not understood: {error}")
        except Exception as error:  # any that a wrong type can end in
            self._end(f"what the server says is not understood: {type(error).__name__}: {error}")

    def _end(self, reason: str) -> None:
        self.end_reason = " ".join(reason.split())[:_MAX_REASON]

    def _handle(self, message: m.FromServer, now: float) -> None:
        match message:
            case m.Welcome():
                if self.is_joined:
                    self._adopt(message, now)
                else:
                    self._begin(message)
            case m.Refused() | m.Dropped():
                self.end_reason = message.reason or "the server gives no reason"
                self.server_ended = isinstance(message, m.Dropped) and message.is_over
            case m.Pong():
                self._clock.note(message.sent, now, message.clock)
            case m.UserList():
                self.users = tuple(message.users)
            case m.UserPointer():
                self.pointers[message.user] = (message.x, message.y)
            case _ if self.simulation is None:
                return
            case m.RelayedAction():
                self._place(message)
            case m.ActionDenied():
                self._undo_denied(message)
            case m.TickClosed() if len(self._counts) < _MAX_KNOWN_TICKS:
                self._seen = max(self._seen, message.tick + 1)
                for tick, count in zip(range(message.tick, self.confirmed - 1, -1), [message.count, *message.earlier], strict=False):
                    self._counts[tick] = count
                if message.digest is not None:
                    self._digests[message.tick] = message.digest
        if self.simulation is not None:
            self._confirm(now)

    def _begin(self, welcome: m.Welcome) -> None:
        demo = make_demo(welcome.scene)
        decode_state(demo, decompress_state(welcome.state), is_foreign=True)
        user_before, self._welcome, self.key, self.user = self.user, welcome, welcome.key, welcome.user
        self.simulation = SharedSimulation(demo, welcome.tick)
        if self._is_new_connection or self._clock.hertz != welcome.hertz:
            self._clock = Clock(welcome.hertz)
            self._pinged = -1e9
        if self._is_new_connection or user_before != self.user:
            self._forget_pending()
            self.next_number = 0  # actions done offline have no numbers here
        self.is_joined, self._is_new_connection = True, False
        self.next_number = max(self.next_number, welcome.next_number)
        self.confirmed = self._final = self._seen = welcome.tick
        self._counts.clear()
        self._digests.clear()
        self._state_from, self.is_desynced = None, False
        self._smoothing.clear()
        for number, own in self._pending.items():
            self._move(number, max(own.tick, welcome.tick))
        for relayed in welcome.acts:
            self._place(relayed)

    def _place(self, relayed: m.RelayedAction) -> None:
        """Put an action at the tick at which it counts."""
        simulation, tick, user, number = self.simulation, relayed.tick, relayed.user, relayed.number
        assert simulation is not None
        if user == self.user:
            own = self._pending.pop(number, None)
            if own is not None and own.tick != tick:
                simulation.remove(own.tick, user, number)
                self.n_late += own.tick < tick
            if number in self._unseen:
                self._unseen[number] = tick, self._unseen[number][1]
        if tick >= self.confirmed and simulation.n_actions < _MAX_ACTIONS:
            # no file here is opened because somebody names it
            simulation.add(tick, UserAction(user, number, decode_action(relayed.action).without_files()))

    def _undo_denied(self, denied: m.ActionDenied) -> None:
        """Remove an own action that the server does not apply."""
        own = self._pending.pop(denied.number, None)
        self._unseen.pop(denied.number, None)
        if own is not None and self.simulation is not None:
            self.simulation.remove(own.tick, self.user, denied.number)
            self.denials.append(denied.reason)
            self.n_denied += 1

    def _n_relayed(self, tick: int) -> int:
        """Return the number of actions of a tick that came from the server."""
        assert self.simulation is not None
        return sum(action.user != self.user or action.number not in self._pending for action in self.simulation.actions(tick))

    def _confirm(self, now: float) -> None:
        """Note up to where everything is known."""
        while (count := self._counts.get(self.confirmed)) is not None and self._n_relayed(self.confirmed) >= count:
            del self._counts[self.confirmed]
            self.confirmed += 1
            for number, own in self._pending.items():
                if own.tick < self.confirmed:  # closed without it: where it counts is still to be heard
                    self._move(number, self._next_tick(now))

    def _move(self, number: int, tick: int) -> None:
        """Move a pending own action to a tick."""
        simulation, own = self.simulation, self._pending[number]
        assert simulation is not None
        simulation.remove(own.tick, self.user, number)
        own.tick = tick
        if self.method != "interpolation":
            simulation.add(tick, UserAction(self.user, number, own.action))

    def _forget_pending(self) -> None:
        self._pending.clear()
        self._unseen.clear()

    # -- own actions --------------------------------------------------------------------------------------------------

    def act(self, action: Action, now: float) -> Any:
        """Apply an action at once in this copy, and send it to the server for its tick; return its result, None where it is not known yet.

        Raises
        ------
        LabError
            The demo refuses it: it has been sent all the same, for the server may accept it. Or it cannot be sent, and has not been.
        """
        simulation = self.simulation
        if simulation is None or ((self.end_reason or not self.is_joined) and not self.is_offline):
            return None
        action = simulation.demo.sim.resolve(action).without_files()
        number, tick = self.next_number, self._next_tick(now)
        own = UserAction(self.user, number, action)
        if self.is_offline:
            self.next_number += 1
            return simulation.act(own)
        content = msgspec.Raw(encode_action(action))
        message = m.encode(m.ActionRequest(number, tick, content))
        if len(message) > m.MAX_CLIENT_MESSAGE_BYTES:
            raise InvalidInputError("act", f"one of at most {m.MAX_CLIENT_MESSAGE_BYTES} bytes", len(message))
        if len(self._pending) >= _MAX_PENDING:
            raise LabError(f"the server has not answered the last {_MAX_PENDING} acts")
        self.next_number += 1
        wait = self._clock.patience + _RESEND_SECONDS
        self._pending[number] = _Pending(tick, action, content, now, now + wait, wait)
        self.outbox.append(message)
        if len(self._unseen) < _MAX_PENDING:
            self._unseen[number] = (None if self.method == "interpolation" else tick), now
        if self.method == "prediction" and tick == simulation.now:
            self._rollback(now)
            return simulation.act(own)
        if self.method != "interpolation":
            simulation.add(tick, own)
        return None

    def _next_tick(self, now: float) -> int:
        """Return the tick at which an action of now is to count."""
        assert self.simulation is not None
        first = max(self.simulation.now, self.confirmed)
        if self.is_offline or not self._clock.n_samples or self.method == "interpolation":
            return first
        ahead = int(np.ceil(self._clock.tick(now) + self._clock.lead(self._delay)))
        return first if self.method == "prediction" and first >= ahead - 3 else max(first, min(ahead, self.confirmed + _MAX_AHEAD))

    def send_pointer(self, point: tuple[float, float]) -> None:
        """Send where the user's pointer is, meters in the picture; beyond the range of a message it stays where it was."""
        if self.is_joined and max(abs(point[0]), abs(point[1])) <= 1e6:
            self.send(m.PointerMove(*point))

    # -- time ---------------------------------------------------------------------------------------------------------

    def target_tick(self, now: float) -> float:
        """Return the tick at which this client should be: by prediction, so far ahead that actions for it arrive before it is closed."""
        if self._offline is not None:
            since, tick = self._offline
            return tick + (now - since) * self._clock.hertz
        lead = self._clock.lead(self._delay) if self.method == "prediction" else -self._clock.lag(self._delay)
        return self._clock.follow(now, lead)

    @property
    def _delay(self) -> int:
        return self._welcome.delay if self._welcome is not None else 0

    @property
    def _window(self) -> int:
        return min(self._welcome.window, _FAR_TICKS) if self._welcome is not None else 0

    def _max_ticks(self) -> int:
        """Return the maximum number of ticks of one call."""
        ticks = self._window + 2 * KEYFRAME_TICKS
        return ticks if self.timer is None or self._cost <= 0.0 else int(min(max(self.budget / self._cost, 2.0), ticks))

    def _horizon(self) -> int:
        """Return the number of ticks that may be predicted: such that a rollback is over in time, on average."""
        if self.method != "prediction":
            return 0
        return max(0, min(self._window, self._max_ticks() - KEYFRAME_TICKS // 2))

    def advance(self, now: float) -> int:
        """Roll back where it must be, and simulate the ticks that are due; return the number of new ones.

        One call rolls back once, and simulates a bounded number of ticks: a client that has slept long catches up by the server's state.
        """
        self._now = now
        if self.is_offline:
            return self._advance_offline()
        if self.end_reason:
            return self._finish() if self.server_ended else 0
        self._greet_and_ping(now)
        simulation = self.simulation
        if simulation is None or not self._clock.n_samples:
            return 0
        start = self.timer() if self.timer is not None else 0.0
        try:
            if self.is_joined:  # else only hello: the server would believe that its state has arrived
                self._request_again(now)
            self._goal = self.target_tick(now)
            last = self.confirmed + self._horizon()
            n_again = self._rollback(now, last)
            goal = float(self.confirmed) if self.method == "lockstep" else self._goal
            n_new = self._step_until(min(goal, last), max(1, self._max_ticks() - n_again))
            self.is_stalled = n_new == 0 and simulation.now < goal - 1.0 and simulation.now >= last
            self.n_stalls += n_new == 0 and simulation.now <= self._goal - 1.0
            if self.is_joined:
                self._compare(now)
        except Exception as error:  # actions and states are a stranger's
            self._end(f"the world that the server gave cannot go on: {type(error).__name__}: {error}")
            return 0
        if self.timer is not None and n_again + n_new > 0:
            self._costs.append((self.timer() - start) / (n_again + n_new))
            self._cost = sorted(self._costs)[(len(self._costs) - 1) // 2]
        self._note_shown(now)
        self._report_final()
        if self._state_from is None or self.confirmed - simulation.oldest > _FAR_TICKS:
            simulation.forget(min(self.confirmed, simulation.now))
        return n_new

    def _step_until(self, goal: float, max_ticks: int) -> int:
        """Simulate ticks up to one, at most so many; return their number."""
        assert self.simulation is not None
        start = self.simulation.now
        while self.simulation.now < goal and self.simulation.now - start < max_ticks:
            self.simulation.step()
        return self.simulation.now - start

    def _finish(self) -> int:
        """Simulate up to the last state that is known of a server that has ended."""
        if self.simulation is None:
            return 0
        self._rollback(self._now)
        n_new = self._step_until(self.confirmed, self._max_ticks())
        self._report_final()
        return n_new

    def _advance_offline(self) -> int:
        assert self.simulation is not None
        self._goal = self.target_tick(self._now)
        n_new = self._step_until(self._goal, _MAX_OFFLINE_TICKS)
        self.confirmed = self.simulation.now
        if self.confirmed < self._goal:  # it slept, or is too slow: that time is lost
            self._offline = self._now, self.confirmed
        self.simulation.forget(self.confirmed)
        return n_new

    def _greet_and_ping(self, now: float) -> None:
        if not self.is_joined and now - self._greeted >= _HELLO_SECONDS:
            self._greeted = now
            self.send(m.Hello(m.VERSION, self.name, self._password, self.key))
        wait = _PING_SECONDS if self._clock.n_samples >= _FIRST_PINGS else _FIRST_PING_SECONDS
        if self.simulation is not None and not self._is_new_connection and abs(now - self._pinged) >= wait:
            self._pinged = now
            self.send(m.Ping(now, min(self.confirmed, self.simulation.now), self.round_trip))

    def _rollback(self, now: float, last: int | None = None) -> int:
        """Go back where actions have changed, and forward again, at most to a tick; return how many were simulated again."""
        simulation = self.simulation
        assert simulation is not None
        if simulation.changed is None:
            return 0
        here, age, before = simulation.now, simulation.now - simulation.changed, poses_of(simulation.demo)
        n_again = simulation.rollback(last)
        self.n_resimulated += n_again
        self.n_rollbacks += 1
        if simulation.now == here:
            self._correct(before, age, now)
        return n_again

    def _correct(self, before: Poses, age: int, now: float) -> None:
        assert self.simulation is not None
        correction = self._smoothing.note(before, poses_of(self.simulation.demo), age, now)
        if correction is not None:
            self.n_corrections += 1
            self.corrections.append(correction)

    def _note_shown(self, now: float) -> None:
        assert self.simulation is not None
        for number, (tick, since) in list(self._unseen.items()):
            is_shown = tick is not None and tick < self.simulation.now
            if is_shown:
                self.latencies.append(now - since)
            if is_shown or now - since > 2.0 * _GIVE_UP_SECONDS:
                del self._unseen[number]

    def _report_final(self) -> None:
        simulation = self.simulation
        assert simulation is not None
        end = min(self.confirmed, simulation.now) + 1
        for tick in range(max(self._final, simulation.oldest), end):
            if self.on_final is not None:
                self.on_final(tick, simulation.digests[tick])
        self._final = max(self._final, end)

    # -- messages that were lost --------------------------------------------------------------------------------------

    def _request_again(self, now: float) -> None:
        """Request what has not arrived, and send again what has not come back."""
        assert self.simulation is not None
        self._resend_at = {tick: at for tick, at in self._resend_at.items() if tick >= self.confirmed}
        incomplete = []
        if self._state_from is None or self.is_desynced:  # else a state is on its way in place of what is missing
            for tick in range(self.confirmed, min(self._seen, self.confirmed + _MAX_REQUESTED)):
                if tick in self._counts and self._n_relayed(tick) >= self._counts[tick]:
                    continue
                if now >= self._resend_at.setdefault(tick, now + _RESEND_SECONDS + self._clock.jitter):
                    self._resend_at[tick] = now + 0.5 * self._clock.patience
                    incomplete.append(tick)
        if incomplete:
            self.send(m.ResendRequest(incomplete))
        n_sent = 0
        for number, own in list(self._pending.items()):
            if now - own.since > _GIVE_UP_SECONDS:
                self.simulation.remove(own.tick, self.user, number)
                del self._pending[number]
            elif now >= own.retry_at and n_sent < _MAX_SENT_AGAIN:
                own.wait = min(2.0 * own.wait, _GIVE_UP_SECONDS)
                own.retry_at = now + own.wait
                self.send(m.ActionRequest(number, own.tick, own.content))
                n_sent += 1

    # -- where the states differ --------------------------------------------------------------------------------------

    def _compare(self, now: float) -> None:
        """Compare final digests with the server's, and request its state where they differ, or ours is far behind."""
        simulation = self.simulation
        assert simulation is not None
        final = min(self.confirmed, simulation.now)
        for tick in sorted(tick for tick in self._digests if tick <= final):
            theirs, ours = self._digests.pop(tick), simulation.digests.get(tick)
            self.n_compared += ours is not None
            if ours not in (None, theirs) and self._state_from is None:
                self._state_from, self._state_retry_at, self.is_desynced = tick, now, True
        if self._state_from is None and self._clock.tick(now) - final > _FAR_TICKS:
            self._state_from, self._state_retry_at = self.confirmed, now
        if self._state_from is not None and now >= self._state_retry_at:
            self.send(m.StateRequest())
            self._state_retry_at = now + self._clock.patience + _KEYFRAME_SECONDS

    def _adopt(self, welcome: m.Welcome, now: float) -> None:
        """Replace the state by the server's, where it was requested: it may also come twice."""
        simulation = self.simulation
        assert simulation is not None
        if self._state_from is None or welcome.tick < max(self._state_from, simulation.oldest):
            return
        here, before = simulation.now, poses_of(simulation.demo)
        decode_state(simulation.demo, decompress_state(welcome.state), is_foreign=True)
        self.n_adopted += self.is_desynced
        self._state_from, self.is_desynced = None, False
        self.confirmed = max(self.confirmed, welcome.tick)
        self._counts = {tick: count for tick, count in self._counts.items() if tick >= self.confirmed}
        simulation.adopt(welcome.tick)
        for number, own in self._pending.items():
            if own.tick < welcome.tick:
                self._move(number, self._next_tick(now))
        for relayed in welcome.acts:
            self._place(relayed)
        self.n_resimulated += self._step_until(here, self._max_ticks())
        if simulation.now == here:
            self._correct(before, here - welcome.tick, now)
