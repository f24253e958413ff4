"""Predicts the server's ticks and rolls back. The client has no sockets and no clock: it takes and returns bytes, and is given the time.

    prediction      runs a round trip ahead of the closed ticks, so that the user's own actions take effect at once. Others' actions arrive
                    late; the simulation rolls back to the keyframe before them and resimulates.
    interpolation   shows the past, a buffer behind the received ticks, so that ticks are shown evenly; own actions appear once relayed.
    lockstep        simulates a tick once all its actions are known, and schedules own actions far enough ahead to arrive in time.

All three go through the same states (Gambetta, "Fast-paced multiplayer"; Bernier 2001; Bettner and Terrano 2001 for lockstep). If an own
action arrives too late for its tick, the server relays it with a later tick, to which the client moves it. Lost messages are resent or
requested again. The client trusts the content of its server's messages; their sizes, types and counts are bounded (docs/network.md). A
message that it cannot decode or simulate ends the connection with a reason; the world is kept and can continue offline.
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
"""Interval at which the hello is repeated until the state arrives."""
_PING_SECONDS = 0.25
_FIRST_PINGS, _FIRST_PING_SECONDS = 8, 0.1
_RESEND_SECONDS = 0.05
"""Seconds to wait for an out-of-order message before requesting it again."""
_GIVE_UP_SECONDS = 5.0
"""Seconds after which an unconfirmed own action is no longer resent: the server may have forgotten it (it keeps 600 ticks)."""
_FAR_TICKS = 300
"""If the client is more ticks than this behind the server, it requests the server's state instead of simulating all of them."""
_MAX_AHEAD = 200
"""An action is scheduled at most this number of ticks after the last confirmed tick (cf. `Limits.ticks_ahead`)."""
_MAX_KNOWN_TICKS = 4_000
_MAX_ACTIONS = 20_000
"""Maximum numbers of closed ticks, and of actions, waiting to be simulated; further ones are ignored and requested again later."""
_MAX_PENDING = 256
_MAX_REASON = 500
_MAX_SENT_AGAIN = 16
_MAX_REQUESTED = 100
_MAX_OFFLINE_TICKS = 8
"""Maximum number of ticks simulated per call while offline."""
_KEYFRAME_SECONDS = 1.0
"""Time to wait for the server's next keyframe."""


@dataclass(slots=True)
class _Pending:
    """An own action that the server has not relayed yet."""

    tick: int
    action: Action
    content: msgspec.Raw
    since: float
    retry_at: float
    wait: float
    """Interval before the next resend, s; doubled each time."""


class Client:
    """A client of a shared demo.

    Parameters
    ----------
    name, code : str
    key : str
        Key from the `Welcome` of a returning user; empty for a new one.
    method : str
        One of `METHODS`; may be changed at any time.
    timer : callable, optional
        Returns seconds, preferably of processor time. If given, `advance` limits its ticks so as to take no longer than `budget`; otherwise
        only their number is bounded.

    Attributes
    ----------
    simulation : SharedSimulation or None
        None until the server's state has arrived.
    user : int
        Own user number; 0 before the first `Welcome`.
    outbox : deque of bytes
        Encoded messages to send.
    end_reason : str
        Why the server refused or dropped the client, or why a message could not be handled; empty while messages are processed.
    server_ended : bool
        True if the server is shutting down.
    is_joined : bool
        True if the server has admitted the client over the current connection.
    is_forgotten : bool
        True if the server did not know the key with which the client returned: the server was restarted, and so was its world.
    is_desynced : bool
        True if the state is known to differ from the server's, until the server's state has arrived.
    is_stalled : bool
        True if the server's closed ticks have not arrived, so that simulating the tick that is due would exceed the prediction limit.
    users : tuple of UserInfo
    pointers : dict of int to (x, y)
        Other users' pointers, m, in picture coordinates.
    denials : deque of str
        Reasons for the server's latest denials of own actions.
    confirmed : int
        First tick that is not confirmed; all actions of earlier ticks are known.
    budget : float
        Target maximum duration of a call of `advance`, s.
    corrections : deque of Correction
        Latest corrections.
    latencies : deque of float
        Seconds from each recent own action to the first displayed tick that includes it.
    n_rollbacks, n_resimulated, n_corrections : int
        Numbers of rollbacks, resimulated ticks and visible corrections.
    n_compared, n_adopted : int
        Number of keyframes whose digest was compared with the server's, and number of server states adopted because of a difference.
    n_late, n_denied, n_stalls : int
        Number of own actions applied later than requested, number of denied own actions, and number of `advance` calls that simulated no
        tick although one was due.
    on_final : callable or None
        Called with each tick and the digest of the state right before it, once that state is final.
    """

    def __init__(
        self, name: str, code: str = "", key: str = "", method: str = "prediction", timer: Callable[[], float] | None = None
    ) -> None:
        self.name, self.key = name, key
        self.method = method
        self.simulation: SharedSimulation | None = None
        self.user = 0
        self.outbox: deque[bytes] = deque()
        self.end_reason, self.server_ended = "", False
        self.is_joined = self.is_desynced = self.is_stalled = self.is_forgotten = False
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
        """Seconds per tick in each of the latest calls; the median is used, because the first call may compile kernels."""
        self._cost = 0.0
        self._smoothing = Smoothing()
        self._final = 0
        """First tick for which `on_final` has not been called."""
        self._welcome: m.Welcome | None = None
        self._clock = Clock(60.0)
        self._now = self._goal = 0.0
        """Time of the last call of `advance`, and the target tick at that time."""
        self._seen = 0
        """One past the latest tick known to be closed."""
        self._counts: dict[int, int] = {}
        """Number of actions, by closed tick."""
        self._digests: dict[int, bytes] = {}
        """Digests of the server that have not been compared yet, by keyframe."""
        self._state_from: int | None = None
        """Earliest tick at which a state of the server is accepted; None if no state is needed."""
        self._state_retry_at = 0.0
        self._resend_at: dict[int, float] = {}
        """When to request each incomplete tick again, by tick."""
        self._pending: dict[int, _Pending] = {}
        self._unseen: dict[int, tuple[int | None, float]] = {}
        """Tick (None if unknown) and time of each own action that has not been displayed yet, by the action's number."""
        self.next_number = 0
        """Number of the next own action."""
        self._pinged = self._greeted = -1e9
        self._code = code
        self._is_new_connection = True
        self._offline: tuple[float, int] | None = None
        """Time and tick at which the client went offline; None while online."""

    # -- status -------------------------------------------------------------------------------------------------------

    @property
    def method(self) -> str:
        """Synchronization method, one of `METHODS`."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in m.METHODS:
            raise InvalidInputError("method", "one of " + ", ".join(m.METHODS), method)
        self._method: str = method

    @property
    def demo(self) -> Demo | None:
        """This client's copy of the demo. Rollbacks restore it in place; only joining replaces the object."""
        return self.simulation.demo if self.simulation is not None else None

    @property
    def is_offline(self) -> bool:
        """True while the client runs without a server."""
        return self._offline is not None

    @property
    def is_slow(self) -> bool:
        """True if prediction is shortened because a full rollback would exceed the budget."""
        return self.method == "prediction" and self._horizon() < self._window

    @property
    def status(self) -> str:
        """One-line status for display; empty if there is nothing to report."""
        if self.is_offline:
            return "offline"
        if self.end_reason:
            return self.end_reason
        if not self.is_joined:
            return "waiting for the server's state"
        if self.is_stalled:
            return "waiting for the server"
        return f"slow computer ({1e3 * self._cost:.1f} ms per tick): prediction is shortened" if self.is_slow else ""

    @property
    def round_trip(self) -> float:
        """Median round-trip time of the latest pings, s."""
        return self._clock.round_trip

    @property
    def age(self) -> float:
        """Age of the confirmed state by the server's clock, s; 0 while offline or before the first pong."""
        tick = self.server_tick(self._now)
        return 0.0 if tick is None or self.is_offline else max(0.0, (tick - self.confirmed) / self._clock.hertz)

    @property
    def fraction(self) -> float:
        """Interpolation factor for drawing between the last two states, 0 to 1."""
        if self.simulation is None or (self.method == "lockstep" and not self.is_offline):
            return 1.0
        return min(max(self._goal - self.simulation.now + 1.0, 0.0), 1.0)

    def offsets(self, stage: int) -> FloatArray:
        """Return the remaining visual error of corrections, to be added to a stage's drawn poses, never to its state.

        x, y, angle, m and rad, (n, 3), rows as in `world.body_ids`. The error decays within 0.15 s.
        """
        if self.simulation is None or stage >= len(self.simulation.demo.stages):
            return np.zeros((0, 3))
        return self._smoothing.offsets(stage, self.simulation.demo.stages[stage].world.body_ids, self._now)

    @property
    def holders(self) -> dict[int, Held]:
        """For each user who is holding a body: stage index, body id and body-local grab point, m."""
        demo = self.demo
        grips = {} if demo is None else {user: state.grip for user, state in demo.sim.users.users.items()}
        return {
            user: (demo.stages.index(grip.stage), grip.body, grip.point)
            for user, grip in grips.items()
            if demo is not None and grip is not None and grip.stage in demo.stages and grip.is_there
        }

    def server_tick(self, now: float) -> float | None:
        """Return the estimated server clock, in ticks; None before the first pong."""
        return self._clock.tick(now) if self._clock.n_samples else None

    # -- the connection -----------------------------------------------------------------------------------------------

    def reconnect(self) -> None:
        """Prepare for a new connection as the same user. The current world is shown until the server's state arrives."""
        self.outbox.clear()
        self.end_reason, self.server_ended = "", False
        self._greeted = self._pinged = -1e9
        self.is_joined, self._is_new_connection = False, True
        self._offline = None

    def go_offline(self, now: float) -> None:
        """Continue without a server from the displayed state; `reconnect` returns to a server."""
        simulation = self.simulation
        if simulation is None or self.is_offline:
            return
        for tick in range(simulation.now, simulation.now + _MAX_KNOWN_TICKS):  # other users' future actions
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
        """Handle a message from the server; an invalid one ends the session with a reason in `end_reason`."""
        if self.end_reason or self.is_offline:
            return
        try:
            self._handle(m.decode_from_server(content), now)
        except LabError as error:
            self._end(f"invalid message from the server: {error}")
        except Exception as error:  # a value of the wrong type may raise anything
            self._end(f"invalid message from the server: {type(error).__name__}: {error}")

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
                self.end_reason = message.reason or "the server gave no reason"
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
        self.is_forgotten = self.key not in ("", welcome.key)
        user_before, self._welcome, self.key, self.user = self.user, welcome, welcome.key, welcome.user
        self.simulation = SharedSimulation(demo, welcome.tick)
        if self._is_new_connection or self._clock.hertz != welcome.hertz:
            self._clock = Clock(welcome.hertz)
            self._pinged = -1e9
        if self._is_new_connection or user_before != self.user:
            self._forget_pending()
            self.next_number = 0  # the server does not know the numbers of offline actions
        self.is_joined, self._is_new_connection = True, False
        self.next_number = max(self.next_number, welcome.next_number)
        self.confirmed = self._final = self._seen = welcome.tick
        self._counts.clear()
        self._digests.clear()
        self._state_from, self.is_desynced = None, False
        self._smoothing.clear()
        for number, pending in self._pending.items():
            self._move(number, max(pending.tick, welcome.tick))
        for relayed in welcome.acts:
            self._place(relayed)

    def _place(self, relayed: m.RelayedAction) -> None:
        """Add a relayed action at its final tick."""
        simulation, tick, user, number = self.simulation, relayed.tick, relayed.user, relayed.number
        assert simulation is not None
        if user == self.user:
            pending = self._pending.pop(number, None)
            if pending is not None and pending.tick != tick:
                simulation.remove(pending.tick, user, number)
                self.n_late += pending.tick < tick
            if number in self._unseen:
                self._unseen[number] = tick, self._unseen[number][1]
        if tick >= self.confirmed and simulation.n_actions < _MAX_ACTIONS:
            # never open a local file named by another user
            simulation.add(tick, UserAction(user, number, decode_action(relayed.action).without_files()))

    def _undo_denied(self, denied: m.ActionDenied) -> None:
        """Remove an own action that the server denied."""
        pending = self._pending.pop(denied.number, None)
        self._unseen.pop(denied.number, None)
        if pending is not None and self.simulation is not None:
            self.simulation.remove(pending.tick, self.user, denied.number)
            self.denials.append(denied.reason)
            self.n_denied += 1

    def _n_relayed(self, tick: int) -> int:
        """Return how many of a tick's actions the server has relayed."""
        assert self.simulation is not None
        return sum(action.user != self.user or action.number not in self._pending for action in self.simulation.actions(tick))

    def _confirm(self, now: float) -> None:
        """Advance `confirmed` past the ticks whose actions are all known."""
        while (count := self._counts.get(self.confirmed)) is not None and self._n_relayed(self.confirmed) >= count:
            del self._counts[self.confirmed]
            self.confirmed += 1
            for number, pending in self._pending.items():
                if pending.tick < self.confirmed:  # the tick was closed without this action: the server will relay it with another tick
                    self._move(number, self._next_tick(now))

    def _move(self, number: int, tick: int) -> None:
        """Move a pending own action to another tick."""
        simulation, pending = self.simulation, self._pending[number]
        assert simulation is not None
        simulation.remove(pending.tick, self.user, number)
        pending.tick = tick
        if self.method != "interpolation":
            simulation.add(tick, UserAction(self.user, number, pending.action))

    def _forget_pending(self) -> None:
        self._pending.clear()
        self._unseen.clear()

    # -- own actions --------------------------------------------------------------------------------------------------

    def act(self, action: Action, now: float) -> Any:
        """Send an action to the server; with prediction, also apply it here at once. Return its result, or None if it is not known yet.

        Raises
        ------
        LabError
            The demo rejects the action (it was sent anyway, because the server may accept it), or it cannot be sent.
        """
        simulation = self.simulation
        if simulation is None or ((self.end_reason or not self.is_joined) and not self.is_offline):
            return None
        action = simulation.demo.sim.resolve(action).without_files()
        number, tick = self.next_number, self._next_tick(now)
        user_action = UserAction(self.user, number, action)
        if self.is_offline:
            self.next_number += 1
            return simulation.act(user_action)
        content = msgspec.Raw(encode_action(action))
        message = m.encode(m.ActionRequest(number, tick, content))
        if len(message) > m.MAX_CLIENT_MESSAGE_BYTES:
            raise InvalidInputError("act", f"at most {m.MAX_CLIENT_MESSAGE_BYTES} bytes long", len(message))
        if len(self._pending) >= _MAX_PENDING:
            raise LabError(f"the server has not confirmed the last {_MAX_PENDING} actions")
        self.next_number += 1
        wait = self._clock.patience + _RESEND_SECONDS
        self._pending[number] = _Pending(tick, action, content, now, now + wait, wait)
        self.outbox.append(message)
        if len(self._unseen) < _MAX_PENDING:
            self._unseen[number] = (None if self.method == "interpolation" else tick), now
        if self.method == "prediction" and tick == simulation.now:
            self._rollback(now)
            return simulation.act(user_action)
        if self.method != "interpolation":
            simulation.add(tick, user_action)
        return None

    def _next_tick(self, now: float) -> int:
        """Return the tick for which an action issued now is scheduled."""
        assert self.simulation is not None
        first = max(self.simulation.now, self.confirmed)
        if self.is_offline or not self._clock.n_samples or self.method == "interpolation":
            return first
        ahead = int(np.ceil(self._clock.tick(now) + self._clock.lead(self._delay)))
        return first if self.method == "prediction" and first >= ahead - 3 else max(first, min(ahead, self.confirmed + _MAX_AHEAD))

    def send_pointer(self, point: tuple[float, float]) -> None:
        """Send the user's pointer, m, in picture coordinates; ignored if outside the range of a message."""
        if self.is_joined and max(abs(point[0]), abs(point[1])) <= 1e6:
            self.send(m.PointerMove(*point))

    # -- time ---------------------------------------------------------------------------------------------------------

    def target_tick(self, now: float) -> float:
        """Return the tick up to which to simulate. With prediction, actions for this tick reach the server before it is closed."""
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
        """Return the maximum number of ticks simulated per call."""
        ticks = self._window + 2 * KEYFRAME_TICKS
        return ticks if self.timer is None or self._cost <= 0.0 else int(min(max(self.budget / self._cost, 2.0), ticks))

    def _horizon(self) -> int:
        """Return the maximum number of predicted ticks for which an average rollback fits the budget."""
        if self.method != "prediction":
            return 0
        return max(0, min(self._window, self._max_ticks() - KEYFRAME_TICKS // 2))

    def advance(self, now: float) -> int:
        """Roll back if necessary, and simulate the ticks that are due; return the number of new ticks.

        One call rolls back at most once and simulates a bounded number of ticks. A client that was suspended for long adopts the server's
        state.
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
            if self.is_joined:  # before that, any other message would imply that the state has arrived
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
        except Exception as error:  # actions and states come from untrusted peers
            self._end(f"the shared world could not be simulated: {type(error).__name__}: {error}")
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
        """Simulate up to tick `goal`, at most `max_ticks`; return the number of ticks."""
        assert self.simulation is not None
        start = self.simulation.now
        while self.simulation.now < goal and self.simulation.now - start < max_ticks:
            self.simulation.step()
        return self.simulation.now - start

    def _finish(self) -> int:
        """Simulate up to the last confirmed state of a server that has ended."""
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
        if self.confirmed < self._goal:  # suspended or too slow: skip the lost time
            self._offline = self._now, self.confirmed
        self.simulation.forget(self.confirmed)
        return n_new

    def _greet_and_ping(self, now: float) -> None:
        if not self.is_joined and now - self._greeted >= _HELLO_SECONDS:
            self._greeted = now
            self.send(m.Hello(m.VERSION, self.name, self._code, self.key))
        wait = _PING_SECONDS if self._clock.n_samples >= _FIRST_PINGS else _FIRST_PING_SECONDS
        if self.simulation is not None and not self._is_new_connection and abs(now - self._pinged) >= wait:
            self._pinged = now
            self.send(m.Ping(now, min(self.confirmed, self.simulation.now), self.round_trip))

    def _rollback(self, now: float, last: int | None = None) -> int:
        """Roll back to the first changed action and resimulate, at most to tick `last`; return the number of resimulated ticks."""
        simulation = self.simulation
        assert simulation is not None
        if simulation.changed is None:
            return 0
        tick_before, age, before = simulation.now, simulation.now - simulation.changed, poses_of(simulation.demo)
        n_again = simulation.rollback(last)
        self.n_resimulated += n_again
        self.n_rollbacks += 1
        if simulation.now == tick_before:
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

    # -- lost messages ------------------------------------------------------------------------------------------------

    def _request_again(self, now: float) -> None:
        """Request missing messages, and resend unconfirmed actions."""
        assert self.simulation is not None
        self._resend_at = {tick: at for tick, at in self._resend_at.items() if tick >= self.confirmed}
        incomplete = []
        if self._state_from is None or self.is_desynced:  # otherwise the state, once it arrives, will replace the missing ticks
            for tick in range(self.confirmed, min(self._seen, self.confirmed + _MAX_REQUESTED)):
                if tick in self._counts and self._n_relayed(tick) >= self._counts[tick]:
                    continue
                if now >= self._resend_at.setdefault(tick, now + _RESEND_SECONDS + self._clock.jitter):
                    self._resend_at[tick] = now + 0.5 * self._clock.patience
                    incomplete.append(tick)
        if incomplete:
            self.send(m.ResendRequest(incomplete))
        n_sent = 0
        for number, pending in list(self._pending.items()):
            if now - pending.since > _GIVE_UP_SECONDS:
                self.simulation.remove(pending.tick, self.user, number)
                del self._pending[number]
            elif now >= pending.retry_at and n_sent < _MAX_SENT_AGAIN:
                pending.wait = min(2.0 * pending.wait, _GIVE_UP_SECONDS)
                pending.retry_at = now + pending.wait
                self.send(m.ActionRequest(number, pending.tick, pending.content))
                n_sent += 1

    # -- differing states ---------------------------------------------------------------------------------------------

    def _compare(self, now: float) -> None:
        """Compare final digests with the server's; request the server's state if one differs or if this client is far behind."""
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
        """Replace the state by a state of the server that was requested; duplicates are ignored."""
        simulation = self.simulation
        assert simulation is not None
        if self._state_from is None or welcome.tick < max(self._state_from, simulation.oldest):
            return
        tick_before, before = simulation.now, poses_of(simulation.demo)
        decode_state(simulation.demo, decompress_state(welcome.state), is_foreign=True)
        self.n_adopted += self.is_desynced
        self._state_from, self.is_desynced = None, False
        self.confirmed = max(self.confirmed, welcome.tick)
        self._counts = {tick: count for tick, count in self._counts.items() if tick >= self.confirmed}
        simulation.adopt(welcome.tick)
        for number, pending in self._pending.items():
            if pending.tick < welcome.tick:
                self._move(number, self._next_tick(now))
        for relayed in welcome.acts:
            self._place(relayed)
        self.n_resimulated += self._step_until(tick_before, self._max_ticks())
        if simulation.now == tick_before:
            self._correct(before, tick_before - welcome.tick, now)
