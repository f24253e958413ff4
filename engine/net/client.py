"""The client: it predicts the server's ticks, goes back when it learns better, and knows no socket: bytes in, bytes out, time given.

It is ahead of what the server has closed by the way there and back: what a user does counts for him at once. What others did comes late;
the course then goes back to the keyframe before it and comes up again. An act of its own that came too late for its tick comes back with
another tick, and is moved there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from engine.demo.base import Demo
from engine.history.input_log import Input
from engine.history.recordings.inputs import as_plain, input_of
from engine.net import messages as m
from engine.net.course import Act, Course
from engine.net.scene import made_of

__all__ = ["Client"]

_PING_SECONDS = 0.25
_ASK_SECONDS = 0.25
"""After which what is missing is asked for again, and what has not come back is sent again."""
_HELLO_SECONDS = 0.5
"""After which hello is said again, until the state has come."""


class Client:
    """One who shares a demo that a server has.

    Attributes
    ----------
    course : Course or None
        None until the server's state has come.
    user : int
    outbox : deque of bytes
    refused : str
        Why the server does not let it in, or has dropped it.
    is_server_over : bool
        It says so because it ends.
    present : tuple of Who
    pointers : dict of int to (x, y)
    confirmed : int
        All ticks before it are closed and known whole.
    on_final : callable or None
        Called with each tick and the digest of the state right before it, once nothing can change it any more.
    """

    def __init__(self, name: str, password: str = "", key: str = "") -> None:
        self.name, self.key = name, key
        self.course: Course | None = None
        self.user = 0
        self.outbox: deque[bytes] = deque()
        self.refused, self.is_server_over = "", False
        self.present: tuple[m.Who, ...] = ()
        self.pointers: dict[int, tuple[float, float]] = {}
        self.confirmed = 0
        self.n_rollbacks = self.n_again = self.n_adopted = 0
        self.on_final: Callable[[int, bytes], object] | None = None
        self._final = 0
        """The first tick of which that has not been called."""
        self._welcome: m.Welcome | None = None
        self._counts: dict[int, int] = {}
        """Acts of closed ticks."""
        self._digests: dict[int, bytes] = {}
        self._unheard: dict[int, tuple[int, Input, float]] = {}
        """Own acts that have not come back: by number, the tick, the act, when it was sent."""
        self.fraction = 1.0
        """Of the last tick, at which the picture is to be drawn."""
        self._number = 0
        self._offset: float | None = None
        """The server's clock in ticks minus ours."""
        self._round_trip = 0.0
        self._pinged = self._asked = self._greeted = -1e9
        self._password = password
        self._is_waiting = True
        """For a `Welcome`."""

    def reconnect(self) -> None:
        """Begin anew over another connection: say hello, as the one it was."""
        self.outbox.clear()
        self.refused, self.is_server_over = "", False
        self._greeted, self._is_waiting = -1e9, True

    def say_goodbye(self) -> None:
        """Go."""
        self.send(m.Bye())

    @property
    def is_in(self) -> bool:
        """Whether the server has let it in, over the present connection."""
        return not self._is_waiting

    @property
    def demo(self) -> Demo | None:
        """The demo as this client sees it."""
        return self.course.demo if self.course is not None else None

    def send(self, message: m.FromClient) -> None:
        """Put a message into the outbox."""
        self.outbox.append(m.encode(message))

    # -- what comes ---------------------------------------------------------------------------------------------------

    def receive(self, content: bytes, now: float) -> None:
        """Take in what the server sent."""
        message = m.decode_from_server(content)
        if isinstance(message, m.Welcome):
            if self._is_waiting:  # it may come twice
                self._begin(message)
        elif isinstance(message, m.Refused | m.Dropped):
            self.refused = message.reason
            self.is_server_over = isinstance(message, m.Dropped) and message.is_over
        elif isinstance(message, m.Pong):
            self._round_trip = now - message.sent
            assert self._welcome is not None or self.course is None
            hertz = self._welcome.hertz if self._welcome is not None else 60.0
            self._offset = message.clock - 0.5 * (message.sent + now) * hertz
        elif isinstance(message, m.Present):
            self.present = tuple(message.users)
        elif isinstance(message, m.Pointed):
            self.pointers[message.user] = (message.x, message.y)
        elif self.course is not None:
            if isinstance(message, m.Acted):
                self._take(message)
            elif isinstance(message, m.Closed):
                self._counts[message.tick] = message.count
                if message.digest is not None:
                    self._digests[message.tick] = message.digest
            self._confirm()

    def _begin(self, welcome: m.Welcome) -> None:
        from engine.net.state import decode_state

        demo = made_of(welcome.scene)
        decode_state(demo, welcome.state)
        self._welcome, self.user, self.key = welcome, welcome.user, welcome.key
        self.course = Course(demo, welcome.tick, welcome.window)
        self.confirmed, self._number = welcome.tick, welcome.next_number
        self._final = welcome.tick
        self._is_waiting = False
        self._counts.clear()
        self._digests.clear()
        self._unheard.clear()
        for acted in welcome.acts:
            self._take(acted)

    def _take(self, acted: m.Acted) -> None:
        course = self.course
        assert course is not None
        if acted.tick < self.confirmed:
            return
        if acted.user == self.user:
            sent = self._unheard.pop(acted.number, None)
            if sent is not None and sent[0] != acted.tick:
                course.remove(sent[0], self.user, acted.number)
        course.add(acted.tick, Act(acted.user, acted.number, input_of(acted.act, "act", of_a_user=True)))

    def _confirm(self) -> None:
        """Note up to where everything is known."""
        course = self.course
        assert course is not None
        while (count := self._counts.get(self.confirmed)) is not None:
            acts = course.acts(self.confirmed)
            late = [act for act in acts if act.user == self.user and act.number in self._unheard]
            if len(acts) - len(late) < count:
                return
            del self._counts[self.confirmed]
            self.confirmed += 1
            for act in late:
                self._postpone(act)

    def _postpone(self, act: Act) -> None:
        """Move an own act that did not count at its tick, which is closed, to the next one: where it counts is still to be heard."""
        course = self.course
        assert course is not None
        tick, one, sent = self._unheard[act.number]
        course.remove(tick, self.user, act.number)
        tick = max(course.now, self.confirmed)
        self._unheard[act.number] = tick, one, sent
        course.add(tick, act)

    # -- what is done -------------------------------------------------------------------------------------------------

    def act(self, action: str, *arguments: Any, now: float) -> Any:
        """Do something, at once in this copy, for the server at the next tick; return what it returns, None where that is not known yet.

        Raises
        ------
        LabError
            The demo refuses it. It has been said all the same: for the server it might be right.
        """
        if self.course is None:
            return None
        told = as_plain(self.course.demo.run.told(action, *arguments))
        one = input_of(told, "act", of_a_user=True)  # as the others will read it
        number, tick = self._number, max(self.course.now, self.confirmed)
        self._number += 1
        self._unheard[number] = (tick, one, now)
        self.send(m.Did(number, tick, told))
        if tick == self.course.now:
            return self.course.act(Act(self.user, number, one))
        self.course.add(tick, Act(self.user, number, one))
        return None

    def point(self, point: tuple[float, float], now: float) -> None:
        """Say where the user's pointer is, metres in the picture; beyond what can be said it stays where it was."""
        if self.is_in and max(abs(point[0]), abs(point[1])) <= 1e6:
            self.send(m.Pointing(*point))

    @property
    def next_number(self) -> int:
        """Of its next act."""
        return self._number

    # -- time ---------------------------------------------------------------------------------------------------------

    def clock(self, now: float) -> float | None:
        """Return what the server's clock shows now, in ticks, as far as this client can tell; None before it can."""
        return None if self._welcome is None or self._offset is None else now * self._welcome.hertz + self._offset

    def target(self, now: float) -> float:
        """Return the tick at which this client should be: acts for it arrive before it is closed."""
        assert self._welcome is not None
        hertz = self._welcome.hertz
        ahead = max(0.0, (0.5 * self._round_trip + 0.03) * hertz - self._welcome.delay)
        return now * hertz + (self._offset or 0.0) + ahead

    def advance(self, now: float) -> int:
        """Go back where it must be, and take the ticks that are due; return how many new ones."""
        if self._is_waiting and not self.refused and now - self._greeted >= _HELLO_SECONDS:
            self._greeted = now
            self.send(m.Hello(m.VERSION, self.name, self._password, self.key))
        if now - self._pinged >= _PING_SECONDS:
            self._pinged = now
            self.send(m.Ping(now, self.confirmed, self._round_trip))
        course = self.course
        if course is None or self._offset is None:
            return 0
        self._ask_again(now)
        again = course.replay()
        self.n_again += again
        self.n_rollbacks += again > 0
        taken, target = 0, self.target(now)
        while course.now < target and taken < course.window and course.now - self.confirmed < 2 * course.window:
            course.step()
            taken += 1
        self.fraction = min(max(target - course.now + 1.0, 0.0), 1.0)
        self._tell_final()
        course.forget(min(self.confirmed, course.now))
        return taken

    def _tell_final(self) -> None:
        course = self.course
        assert course is not None
        last = min(self.confirmed, course.now)
        if self.on_final is not None:
            for tick in range(self._final, last + 1):
                self.on_final(tick, course.digests[tick])
        self._final = max(self._final, last + 1)

    def _ask_again(self, now: float) -> None:
        if now - self._asked < _ASK_SECONDS:
            return
        self._asked = now
        last = max(self._counts, default=self.confirmed)
        if last > self.confirmed:
            self.send(m.Missing(list(range(self.confirmed, min(last + 1, self.confirmed + 100)))))
        for number, (tick, one, sent) in self._unheard.items():
            if now - sent > _ASK_SECONDS + 2.0 * self._round_trip:
                self.send(m.Did(number, tick, as_plain(one)))
