"""The client: it predicts the server's ticks, goes back when it learns better, and knows no socket: bytes in, bytes out, time given.

    prediction      is ahead of what the server has closed by the way there and back: what a user does counts for him at once. What others
                    did comes late; the simulation goes back to the keyframe before it and comes up again.
    interpolation   shows the past, a buffer behind what has come, so that ticks are shown evenly; its own acts as they come back.
    lockstep        takes a tick as soon as all of it is known, and stamps its own acts so far ahead that they are there in time.

All three go through the same states (Gambetta, "Fast-paced multiplayer"; Bernier 2001; Bettner and Terrano 2001 for lockstep). An act of
its own that came too late for its tick comes back with another tick, and is moved there. Whatever message is lost is sent or asked for
again. What a server says is checked, and what cannot be so ends the connection with a reason: the world stays, and may go on alone.
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
from engine.net.scene import made_of
from engine.net.shared_simulation import SharedSimulation, UserAction
from engine.sim.action import Held
from engine.sim.actions import Action, Leave, decode_action, encode_action
from engine.sim.demo import Demo
from engine.sim.state import decode_state, decompress_state
from engine.sim.users import KEYFRAME_TICKS

__all__ = ["Client"]

_HELLO_SECONDS = 0.5
"""After which hello is said again, until the state has come."""
_PING_SECONDS = 0.25
_FIRST_PINGS, _FIRST_PING_SECONDS = 8, 0.1
_ASK_SECONDS = 0.05
"""By which a message may be overtaken by others before it is asked for again."""
_GIVE_UP_SECONDS = 5.0
"""After which an act of one's own that has not come back is not sent again: a server may have forgotten that it had it (600 ticks)."""
_FAR_TICKS = 300
"""Ticks behind the server beyond which the state is asked for anew, rather than all of them taken."""
_MAX_AHEAD = 200
"""Ticks from the last confirmed one on for which an act may be meant: a server takes none for much later (`Limits.ticks_ahead`)."""
_KNOWN_TICKS = 1200
"""Ticks from the last confirmed one on of which anything is kept."""
_MAX_ACTS = 20_000
"""Acts that wait for their tick, of all users."""
_HEAD_BYTES = 64
_MAX_UNHEARD = 256
_MAX_WORDS = 500
_MAX_SENT_AGAIN = 16
_MAX_MISSING = 100
_MAX_DENIALS = 16
_MAX_ALONE = 8
"""Ticks of one call, without a server."""
_KEYFRAME_SECONDS = 1.0
"""By which the server's next keyframe comes."""
_MAX_COSTS = 15
"""Calls of which the median says what a tick costs: the first may compile."""


@dataclass(slots=True)
class _Own:
    """An act of one's own that has not come back."""

    tick: int
    action: Action
    content: msgspec.Raw
    since: float
    retry_at: float = 0.0
    wait: float = 0.0
    """Seconds until it is sent again, doubled each time."""


@dataclass(slots=True)
class _Lost:
    """Asking for the server's state, for ours is another or far behind: from which tick on, when to ask again, and why."""

    tick: int
    retry_at: float
    differs: bool


class Client:
    """One who shares a demo that a server has.

    Parameters
    ----------
    name, password, key : str
        `key` of one who comes back: what its `Welcome` said.
    method : str
        One of `METHODS`; may be changed at any time.
    timer : callable, optional
        Returns seconds, to measure what ticks cost: with it no call of `advance` is to take longer than `budget`; without, each takes a
        bounded number of ticks. Of the processor: how busy others keep the machine says nothing of what going back costs.

    Attributes
    ----------
    simulation : SharedSimulation or None
        None until the server's state has come.
    user : int
    outbox : deque of bytes
    end_reason : str
        Why the server does not let it in, has dropped it, or cannot be believed: nothing more is taken from it.
    server_ended : bool
        It says so because it ends.
    present : tuple of Who
    pointers : dict of int to (x, y)
        Of others, meters in the picture.
    denials : deque of str
        Why the server did not let own acts count, the last ones.
    confirmed : int
        All ticks before it are closed and known whole.
    budget : float
        Seconds that a call of `advance` is to take at the most.
    corrections : deque of Correction
        The last.
    latencies : deque of float
        Of the last own acts, seconds until the first tick with it was shown.
    n_rollbacks, n_resimulated, n_corrections : int
        How many times it went back, ticks taken again, and corrections that could be seen.
    n_compared, n_adopted : int
        Keyframes of which the server's digest was compared, and those that were taken over for theirs was another.
    n_late, n_denied, n_stalls, n_lost : int
        Own acts that counted at a later tick than they were meant for, and that the server did not let count; calls of `advance` in which a
        tick was due and could not be taken; ticks asked for and acts sent again.
    on_final : callable or None
        Called with each tick and the digest of the state right before it, once nothing can change it any more.
    on_correction : callable or None
        Called with each.
    """

    def __init__(
        self,
        name: str,
        password: str = "",
        key: str = "",
        method: str = "prediction",
        timer: Callable[[], float] | None = None,
    ) -> None:
        self.name, self.key = name, key
        self.method = method
        self.simulation: SharedSimulation | None = None
        self.user = 0
        self.outbox: deque[bytes] = deque()
        self.end_reason, self.server_ended = "", False
        self.present: tuple[m.UserInfo, ...] = ()
        self.pointers: dict[int, tuple[float, float]] = {}
        self.denials: deque[str] = deque(maxlen=_MAX_DENIALS)
        self.confirmed = 0
        self.budget = 0.04
        self.corrections: deque[Correction] = deque(maxlen=256)
        self.latencies: deque[float] = deque(maxlen=4096)
        self.n_rollbacks = self.n_resimulated = self.n_corrections = self.n_compared = self.n_adopted = self.n_late = self.n_denied = (
            self.n_stalls
        ) = self.n_lost = 0
        self.on_final: Callable[[int, bytes], object] | None = None
        self.on_correction: Callable[[Correction], object] | None = None
        self.timer = timer
        self._costs: deque[float] = deque(maxlen=_MAX_COSTS)
        self._cost = 0.0
        """Seconds of a tick."""
        self._smoothing = Smoothing()
        self._final = 0
        """The first tick of which `on_final` has not been called."""
        self._welcome: m.Welcome | None = None
        self._clock = Clock(60.0)
        self._now = self._goal = 0.0
        """When `advance` was called last, and the tick that should be shown then."""
        self._is_stalled = False
        self._seen = 0
        """The first tick that is not known to be closed, nor any after it."""
        self._counts: dict[int, int] = {}
        """Acts of closed ticks."""
        self._digests: dict[int, bytes] = {}
        """The server's, of keyframes that have not been compared."""
        self._lost: _Lost | None = None
        self._n_given = 0
        """Acts that came with the state."""
        self._missing: dict[int, float] = {}
        """Ticks of which something has not come, and when to ask for it."""
        self._unheard: dict[int, _Own] = {}
        self._unseen: dict[int, tuple[int | None, float]] = {}
        """Own acts that have not been shown: their tick, if it is known, and when they were done."""
        self._number = 0
        self._pinged = self._greeted = -1e9
        self._pings: deque[float] = deque(maxlen=64)
        self._password = password
        self._is_waiting = True
        """For a `Welcome`."""
        self._is_anew = True
        """It is one over a new connection."""
        self._alone: tuple[float, int] | None = None
        """Since when it goes on without a server, and from which tick on."""

    # -- how it stands ------------------------------------------------------------------------------------------------

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
    def is_joined(self) -> bool:
        """True if the server has let it in, over the present connection."""
        return not self._is_waiting

    @property
    def is_offline(self) -> bool:
        """True if it goes on without a server."""
        return self._alone is not None

    @property
    def is_desynced(self) -> bool:
        """True if its state is known to be another than the server's, and that has not come yet."""
        return self._lost is not None and self._lost.differs

    @property
    def is_stalled(self) -> bool:
        """True if a tick was due and could not be taken, for the server has not closed those long before it."""
        return self._is_stalled

    @property
    def is_slow(self) -> bool:
        """True if going back would take longer than a frame, so that less is predicted."""
        return self.method == "prediction" and self._horizon() < self._window

    @property
    def status(self) -> str:
        """How it stands, in one line for the screen; empty where all is well."""
        if self.is_offline:
            return "going on alone"
        if self.end_reason:
            return self.end_reason
        if self._is_waiting:
            return "waiting for the server's state"
        if self.simulation is not None and self._is_stalled:
            return "waiting for the server"
        if self.is_slow:
            return f"a tick takes {1e3 * self._cost:.1f} ms here: less is predicted"
        return ""

    @property
    def round_trip(self) -> float:
        """Seconds there and back, the median of the last."""
        return self._clock.round_trip

    @property
    def jitter(self) -> float:
        """Seconds by which most messages are at most later than the quickest."""
        return self._clock.jitter

    @property
    def age(self) -> float:
        """Seconds by which what is confirmed lies behind the server's clock; 0 of one that is alone, or knows nothing yet."""
        clock = self.clock(self._now)
        return 0.0 if clock is None or self.is_offline else max(0.0, (clock - self.confirmed) / self._clock.hertz)

    @property
    def fraction(self) -> float:
        """How far the time has come from the tick before the last to the last, 0 to 1: where between the two the picture is drawn."""
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
        if demo is None:
            return {}
        grips = {user: one.grip for user, one in demo.sim.users.users.items()}
        return {
            user: (demo.stages.index(grip.stage), grip.body, grip.point)
            for user, grip in grips.items()
            if grip is not None and grip.stage in demo.stages and grip.is_there
        }

    @property
    def next_number(self) -> int:
        """Number of its next act."""
        return self._number

    # -- the connection -----------------------------------------------------------------------------------------------

    def reconnect(self) -> None:
        """Begin anew over another connection: say hello, as the one it was. What it shows stays until the server's state has come."""
        self.outbox.clear()
        self.end_reason, self.server_ended = "", False
        self._greeted = self._pinged = -1e9
        self._is_waiting = self._is_anew = True
        self._pings.clear()
        self._alone = None

    def go_offline(self, now: float) -> None:
        """Go on without a server, from the state that is shown; `reconnect` goes back to a server's."""
        simulation = self.simulation
        if simulation is None or self.is_offline:
            return
        for tick in range(simulation.now, simulation.now + _KNOWN_TICKS):  # what others were about to do
            for act in simulation.acts(tick):
                if act.user != self.user:
                    simulation.remove(tick, act.user, act.number)
        self._replay(now)
        self._forget_unheard()
        self._counts.clear()
        self._digests.clear()
        self._alone = now, simulation.now
        for user in [user for user in simulation.demo.sim.users.users if user != self.user]:
            simulation.add(simulation.now, UserAction(user, 2**40, Leave()))

    def say_goodbye(self) -> None:
        """Go."""
        self.send(m.Goodbye())

    def send(self, message: m.FromClient) -> None:
        """Put a message into the outbox."""
        self.outbox.append(m.encode(message))

    # -- what comes ---------------------------------------------------------------------------------------------------

    def receive(self, content: bytes, now: float) -> None:
        """Take in what the server sent; what cannot be so is said in `refused`, and ends it."""
        if self.end_reason or self.is_offline:
            return
        try:
            message = m.decode_from_server(content)
            if isinstance(message, m.RelayedAction) and len(content) > m.MAX_CLIENT_MESSAGE_BYTES + _HEAD_BYTES:
                raise InvalidInputError("act", f"one of at most {m.MAX_CLIENT_MESSAGE_BYTES} bytes", len(content))
            self._receive(message, now)
        except LabError as error:
            self.end_reason = _line(f"what the server says is not understood: {error}")
        except Exception as error:  # whatever a wrong type ends in
            self.end_reason = _line(f"what the server says is not understood: {type(error).__name__}: {error}")

    def _receive(self, message: m.FromServer, now: float) -> None:
        if isinstance(message, m.Welcome):
            if self._is_waiting or (self._lost is not None and message.tick >= self._lost.tick):  # it may come twice
                self._begin(message, now)
        elif isinstance(message, m.Refused | m.Dropped):
            self.end_reason = message.reason or "the server gives no reason"
            self.server_ended = isinstance(message, m.Dropped) and message.is_over
        elif isinstance(message, m.Pong):
            if message.sent in self._pings:
                self._pings.remove(message.sent)
                self._clock.note(message.sent, now, message.clock)
        elif isinstance(message, m.UserList):
            self.present = tuple(message.users)
        elif isinstance(message, m.UserPointer):
            self.pointers[message.user] = (message.x, message.y)
        elif self.simulation is not None:
            if isinstance(message, m.RelayedAction):
                self._take(message, now)
            elif isinstance(message, m.ActionDenied):
                self._take_back(message)
            elif isinstance(message, m.Keyframe):
                self._adopt(message, now)
            elif self._is_kept(message.tick, now):
                self._seen = max(self._seen, message.tick + 1)
                for tick, count in zip(range(message.tick, self.confirmed - 1, -1), [message.count, *message.earlier], strict=False):
                    self._counts[tick] = count
                if message.digest is not None and message.tick % KEYFRAME_TICKS == 0:
                    self._digests[message.tick] = message.digest
            self._confirm(now)

    def _is_kept(self, tick: int, now: float) -> bool:
        """Tell whether what is said of a tick may be of use: soon, or behind the state that was asked for."""
        if self.confirmed <= tick < self.confirmed + _KNOWN_TICKS:
            return True
        return self._is_far_behind and abs(tick - self._clock.tick(now)) < _FAR_TICKS

    @property
    def _is_far_behind(self) -> bool:
        """True if the server's state was asked for in place of the ticks up to it."""
        return self._lost is not None and not self._lost.differs

    def _begin(self, welcome: m.Welcome, now: float) -> None:
        demo = made_of(welcome.scene)
        decode_state(demo, decompress_state(welcome.state), is_foreign=True)
        before, self._welcome, self.key = self.user, welcome, welcome.key
        self.user = welcome.user
        self.simulation = SharedSimulation(demo, welcome.tick, welcome.window)
        if self._is_anew or self._clock.hertz != welcome.hertz:
            self._clock = Clock(welcome.hertz)
            self._pinged = -1e9
        if self._is_anew or before != self.user:
            self._forget_unheard()
            self._number = 0  # what was done alone has no numbers here
        self._is_waiting = self._is_anew = False
        self._number = max(self._number, welcome.next_number)
        self.confirmed = self._final = self._seen = welcome.tick
        self._counts.clear()
        self._digests.clear()
        self._lost = None
        self._smoothing.clear()
        for number, own in list(self._unheard.items()):
            if own.tick < welcome.tick:
                self._place(number, own, now)
            elif self.method != "interpolation":
                self.simulation.add(own.tick, UserAction(self.user, number, own.action))
        for acted in welcome.acts:
            self._take(acted, now, is_welcome=True)
        self._n_given = len(welcome.acts)

    def _take(self, acted: m.RelayedAction, now: float, is_welcome: bool = False) -> None:
        """Put what a user did where it counts."""
        simulation = self.simulation
        assert simulation is not None
        own = self._unheard.pop(acted.number, None) if acted.user == self.user else None
        if own is not None and own.tick != acted.tick:
            simulation.remove(own.tick, self.user, acted.number)
            self.n_late += own.tick < acted.tick
        if acted.user == self.user and acted.number in self._unseen:
            self._unseen[acted.number] = acted.tick, self._unseen[acted.number][1]
        if acted.tick < self.confirmed or not (is_welcome or self._is_kept(acted.tick, now)):
            return
        action = decode_action(acted.action).without_files()  # no file here is opened because somebody names it
        simulation.add(acted.tick, UserAction(acted.user, acted.number, action))
        if not is_welcome and simulation.n_acts - self._n_given > _MAX_ACTS:
            raise InvalidInputError("acts", f"at most {_MAX_ACTS} that wait", simulation.n_acts)

    def _take_back(self, denied: m.ActionDenied) -> None:
        """Take an own act back that the server does not let count."""
        own = self._unheard.pop(denied.number, None)
        self._unseen.pop(denied.number, None)
        if own is not None:
            assert self.simulation is not None
            self.simulation.remove(own.tick, self.user, denied.number)
            self.denials.append(denied.reason)
            self.n_denied += 1

    def _confirm(self, now: float) -> None:
        """Note up to where everything is known."""
        simulation = self.simulation
        assert simulation is not None
        while (count := self._counts.get(self.confirmed)) is not None:
            acts = simulation.acts(self.confirmed)
            late = [act for act in acts if act.user == self.user and act.number in self._unheard]
            if len(acts) - len(late) < count:
                return
            del self._counts[self.confirmed]
            self.confirmed += 1
            for act in late:
                self._place(act.number, self._unheard[act.number], now)

    def _place(self, number: int, own: _Own, now: float) -> None:
        """Move an own act that did not count at its tick, which is closed, to the next one: where it counts is still to be heard."""
        simulation = self.simulation
        assert simulation is not None
        simulation.remove(own.tick, self.user, number)
        own.tick = self._next_tick(now)
        if self.method != "interpolation":
            simulation.add(own.tick, UserAction(self.user, number, own.action))

    def _forget_unheard(self) -> None:
        self._unheard.clear()
        self._unseen.clear()

    # -- what is done -------------------------------------------------------------------------------------------------

    def act(self, action: Action, now: float) -> Any:
        """Apply an action at once in this copy, for the server at the next tick; return its result, None where that is not known yet.

        Raises
        ------
        LabError
            The demo refuses it: it has been sent all the same, for the server it might be right. Or it cannot be sent, and has not been.
        """
        simulation = self.simulation
        if simulation is None or ((self.end_reason or self._is_waiting) and not self.is_offline):
            return None
        action = simulation.demo.sim.resolve(action).without_files()
        content = msgspec.Raw(encode_action(action))
        number, tick = self._number, self._next_tick(now)
        if self.is_offline:
            self._number += 1
            return simulation.act(UserAction(self.user, number, action))
        message = m.encode(m.ActionRequest(number, tick, content))
        if len(message) > m.MAX_CLIENT_MESSAGE_BYTES:
            raise InvalidInputError("act", f"one of at most {m.MAX_CLIENT_MESSAGE_BYTES} bytes", len(message))
        if len(self._unheard) >= _MAX_UNHEARD:
            raise LabError(f"the server has not answered the last {_MAX_UNHEARD} acts")
        self._number += 1
        wait = self._clock.patience + _ASK_SECONDS
        self._unheard[number] = _Own(tick, action, content, now, now + wait, wait)
        self.outbox.append(message)
        if len(self._unseen) < _MAX_UNHEARD:
            self._unseen[number] = (None if self.method == "interpolation" else tick), now
        act = UserAction(self.user, number, action)
        if self.method == "interpolation":
            return None
        if tick == simulation.now and self.method == "prediction":
            self._replay(now)
            return simulation.act(act)
        simulation.add(tick, act)
        return None

    def _next_tick(self, now: float) -> int:
        """Return the tick at which an act of now is to count."""
        simulation = self.simulation
        assert simulation is not None
        first = max(simulation.now, self.confirmed)
        if self.is_offline or not self._clock.is_set or self.method == "interpolation":
            return first
        ahead = int(np.ceil(self._clock.tick(now) + self._clock.lead(self._delay)))
        return first if self.method == "prediction" and first >= ahead - 3 else max(first, min(ahead, self.confirmed + _MAX_AHEAD))

    def point(self, point: tuple[float, float], now: float) -> None:
        """Say where the user's pointer is, meters in the picture; beyond what can be said it stays where it was."""
        if self.is_joined and max(abs(point[0]), abs(point[1])) <= 1e6:
            self.send(m.PointerMove(*point))

    # -- time ---------------------------------------------------------------------------------------------------------

    def clock(self, now: float) -> float | None:
        """Return what the server's clock shows now, in ticks, as far as this client can tell; None before it can."""
        return self._clock.tick(now) if self._clock.is_set else None

    def target(self, now: float) -> float:
        """Return the tick at which this client should be: by prediction, so far ahead that acts for it arrive before it is closed."""
        if self._alone is not None:
            since, tick = self._alone
            return tick + (now - since) * self._clock.hertz
        if not self._clock.is_set:
            return 0.0
        lead = -self._clock.lag(self._delay) if self.method != "prediction" else self._clock.lead(self._delay)
        return self._clock.follow(now, lead)

    @property
    def _delay(self) -> int:
        return self._welcome.delay if self._welcome is not None else 0

    @property
    def _window(self) -> int:
        return min(self._welcome.window, _FAR_TICKS) if self._welcome is not None else 0

    def _most_ticks(self) -> int:
        """Return how many ticks one call may take."""
        most = self._window + 2 * KEYFRAME_TICKS
        return most if self.timer is None or self._cost <= 0.0 else int(min(max(self.budget / self._cost, 2.0), most))

    def _horizon(self) -> int:
        """Return how many ticks beyond the last confirmed one may be taken: such that one call goes back, on the average, in time."""
        if self.method != "prediction":
            return 0
        return max(0, min(self._window, self._most_ticks() - KEYFRAME_TICKS // 2))

    def advance(self, now: float) -> int:
        """Go back where it must be, and take the ticks that are due; return how many new ones.

        In one call it goes back once, and takes a bounded number of ticks: who has slept long catches up by the server's state.
        """
        if self.is_offline:
            return self._advance_offline(now)
        self._now = now
        if self.end_reason:
            return self._finish() if self.server_ended else 0
        self._greet_and_ping(now)
        simulation = self.simulation
        if simulation is None or not self._clock.is_set:
            return 0
        begun = self.timer() if self.timer is not None else 0.0
        try:
            if not self._is_waiting:  # only hello: the server would believe that its state has come
                self._ask_again(now)
            self._goal = goal = self.target(now)
            last = self.confirmed + self._horizon()
            again = self._replay(now, last)
            most, taken = max(1, self._most_ticks() - again), 0
            goal = float(self.confirmed) if self.method == "lockstep" else goal
            while simulation.now < goal and simulation.now < last and taken < most:
                simulation.step()
                taken += 1
            self._is_stalled = taken == 0 and simulation.now < goal - 1.0 and simulation.now >= last
            self.n_stalls += taken == 0 and simulation.now <= self._goal - 1.0
            if not self._is_waiting:
                self._compare(now)
        except Exception as error:  # acts and states are a stranger's
            self.end_reason = _line(f"the world that the server gave cannot go on: {type(error).__name__}: {error}")
            return 0
        if self.timer is not None and again + taken > 0:
            self._costs.append((self.timer() - begun) / (again + taken))
            self._cost = sorted(self._costs)[(len(self._costs) - 1) // 2]
        self._note_shown(now)
        self._tell_final()
        if self._lost is None or self.confirmed - simulation.oldest > _FAR_TICKS:
            simulation.forget(min(self.confirmed, simulation.now))
        return taken

    def _finish(self) -> int:
        """The server has ended: come to the last state that is known."""
        simulation, taken = self.simulation, 0
        if simulation is not None:
            self._replay(self._now)
            while simulation.now < self.confirmed and taken < self._most_ticks():
                simulation.step()
                taken += 1
            self._tell_final()
        return taken

    def _advance_offline(self, now: float) -> int:
        simulation = self.simulation
        assert simulation is not None
        self._now, self._goal = now, self.target(now)
        taken = 0
        while simulation.now < self._goal and taken < _MAX_ALONE:
            simulation.step()
            taken += 1
        if simulation.now < self._goal:  # it slept, or is too slow: that time is lost
            self._alone = now, simulation.now
        self.confirmed = simulation.now
        simulation.forget(simulation.now)
        return taken

    def _greet_and_ping(self, now: float) -> None:
        if self._is_waiting and now - self._greeted >= _HELLO_SECONDS:
            self._greeted = now
            self.send(m.Hello(m.VERSION, self.name, self._password, self.key))
        wait = _PING_SECONDS if self._clock.n_samples >= _FIRST_PINGS else _FIRST_PING_SECONDS
        if self.simulation is not None and not self._is_anew and abs(now - self._pinged) >= wait:
            self._pinged = now
            self._pings.append(now)
            self.send(m.Ping(now, min(self.confirmed, self.simulation.now), self.round_trip))

    def _replay(self, now: float, last: int | None = None) -> int:
        """Go back where acts have changed, and come up again, as far as a tick; return how many were taken again."""
        simulation = self.simulation
        assert simulation is not None
        if simulation.changed is None:
            return 0
        here, age, before = simulation.now, simulation.now - simulation.changed, poses_of(simulation.demo)
        again = simulation.replay(last)
        self.n_resimulated += again
        self.n_rollbacks += 1
        if simulation.now == here:
            self._correct(before, age, now)
        return again

    def _correct(self, before: Poses, age: int, now: float) -> None:
        simulation = self.simulation
        assert simulation is not None
        correction = self._smoothing.note(before, poses_of(simulation.demo), simulation.now, age, now)
        if correction is not None:
            self.n_corrections += 1
            self.corrections.append(correction)
            if self.on_correction is not None:
                self.on_correction(correction)

    def _note_shown(self, now: float) -> None:
        simulation = self.simulation
        assert simulation is not None
        for number, (tick, since) in list(self._unseen.items()):
            if tick is not None and tick < simulation.now:
                self.latencies.append(now - since)
                del self._unseen[number]
            elif now - since > 2.0 * _GIVE_UP_SECONDS:
                del self._unseen[number]

    def _tell_final(self) -> None:
        simulation = self.simulation
        assert simulation is not None
        last = min(self.confirmed, simulation.now)
        if self.on_final is not None:
            for tick in range(max(self._final, simulation.oldest), last + 1):
                self.on_final(tick, simulation.digests[tick])
        self._final = max(self._final, last + 1)

    # -- what is missing ----------------------------------------------------------------------------------------------

    def _ask_again(self, now: float) -> None:
        """Ask for what has not come, and send what has not come back."""
        simulation = self.simulation
        assert simulation is not None
        self._missing = {tick: at for tick, at in self._missing.items() if tick >= self.confirmed}
        wanted = []
        if self._is_far_behind:  # a state is on its way in place of what is missing
            last, behind = self.confirmed + _KNOWN_TICKS, self._clock.tick(now) - _FAR_TICKS
            self._counts = {tick: count for tick, count in self._counts.items() if tick < last or tick > behind}
        for tick in () if self._is_far_behind else range(self.confirmed, min(self._seen, self.confirmed + _MAX_MISSING)):
            count = self._counts.get(tick)
            if (
                count is not None
                and sum(act.user != self.user or act.number not in self._unheard for act in simulation.acts(tick)) >= count
            ):
                continue
            if now >= self._missing.setdefault(tick, now + _ASK_SECONDS + self._clock.jitter):
                self._missing[tick] = now + 0.5 * self._clock.patience
                wanted.append(tick)
        if wanted:
            self.send(m.ResendRequest(wanted))
        n_sent = 0
        for number, own in list(self._unheard.items()):
            if now - own.since > _GIVE_UP_SECONDS:
                simulation.remove(own.tick, self.user, number)
                del self._unheard[number]
            elif now >= own.retry_at and n_sent < _MAX_SENT_AGAIN:
                own.wait = min(2.0 * own.wait, _GIVE_UP_SECONDS)
                own.retry_at = now + own.wait
                self.send(m.ActionRequest(number, own.tick, own.content))
                n_sent += 1
        self.n_lost += len(wanted) + n_sent

    # -- where the digests differ -------------------------------------------------------------------------------------

    def _compare(self, now: float) -> None:
        """Compare digests of keyframes that are final with the server's, and ask for its state where they differ."""
        simulation = self.simulation
        assert simulation is not None
        for tick in sorted(tick for tick in self._digests if tick <= min(self.confirmed, simulation.now)):
            theirs, ours = self._digests.pop(tick), simulation.digests.get(tick)
            if ours is None:
                continue
            self.n_compared += 1
            if ours != theirs and self._lost is None:
                self._lost = _Lost(tick, now, True)
        behind = self._clock.tick(now) - min(self.confirmed, simulation.now)
        if behind > _FAR_TICKS and self._lost is None:
            self._lost = _Lost(self.confirmed, now, False)
        if self._lost is not None and now >= self._lost.retry_at:
            self.send(m.StateRequest(self._lost.tick, simulation.digests.get(self._lost.tick, simulation.digests[simulation.now])))
            self._lost.retry_at = now + self._clock.patience + _KEYFRAME_SECONDS

    def _adopt(self, keyframe: m.Keyframe, now: float) -> None:
        """Take over the server's state, for ours is another; acts since then are known."""
        simulation = self.simulation
        assert simulation is not None
        if self._lost is None or keyframe.tick < max(self._lost.tick, simulation.oldest):
            return
        here, before = simulation.now, poses_of(simulation.demo)
        decode_state(simulation.demo, decompress_state(keyframe.state), is_foreign=True)
        self.n_adopted += self._lost.differs
        self._lost = None
        self.confirmed = max(self.confirmed, keyframe.tick)
        self._counts = {tick: count for tick, count in self._counts.items() if tick >= self.confirmed}
        simulation.adopt(keyframe.tick)
        for number, own in list(self._unheard.items()):
            if own.tick < keyframe.tick:
                self._place(number, own, now)
        for _ in range(min(max(here - simulation.now, 0), self._most_ticks())):
            simulation.step()
            self.n_resimulated += 1
        if simulation.now == here:
            self._correct(before, here - keyframe.tick, now)


def _line(words: str) -> str:
    """Return words in one line."""
    return " ".join(words.split())[:_MAX_WORDS]
