"""A client and its connection: what comes goes into the one, what it says into the other, and what breaks off is taken up again."""

from __future__ import annotations

import time

from engine.net.client import Client
from engine.net.connection import Connection
from engine.net.simulated_network import SimulatedConnection

__all__ = ["ClientSession"]

_FIRST_WAIT, _MAX_WAIT = 0.5, 8.0
"""Seconds until it is tried again, doubled each time."""


class ClientSession:
    """To be advanced once a frame.

    Parameters
    ----------
    client : Client
    connection : Connection or SimulatedConnection
        To the server in which it is to take part.

    Attributes
    ----------
    is_over : bool
        The server has ended, refuses the client or has dropped it, or could not be reached in the first place; or `leave` was called.
        `rejoin` tries once more.
    reason : str
        Why it is over, or broke off the last time.
    server_ended : bool
        The server said that it ends.
    retry_at : float or None
        When it is tried again, in the time of `advance`; None while it is connected, or being tried.
    n_disconnects : int
        How many times the connection broke off.
    disconnected_since : float or None
        Since when it is not in, in the time of `advance`, however often it has been tried again; None while it is, and before it was.
    """

    def __init__(self, client: Client, connection: Connection | SimulatedConnection) -> None:
        self.client, self.connection = client, connection
        self.is_over = self.server_ended = False
        self.reason = ""
        self.n_disconnects = 0
        self._wait = _FIRST_WAIT
        self._is_open = False
        self.retry_at: float | None = None
        self.disconnected_since: float | None = None

    @property
    def status_text(self) -> str:
        """How it stands, for people."""
        at = self.connection.address
        if self.is_over:
            return self.reason
        if self.retry_at is not None:
            return f"{self.reason}; trying again"
        if self.connection.state != "open":
            return f"connecting to {at}"
        return f"joined {at}" if self.client.is_joined else f"waiting for the state of {at}"

    def now(self) -> float:
        """Return the time of `advance`, seconds: that of `time.monotonic`, of a server in this process its own."""
        connection = self.connection
        return connection.now if isinstance(connection, SimulatedConnection) else time.monotonic()

    def advance(self, now: float) -> int:
        """Take in what came, take the ticks that are due, and send what is to be said; return how many ticks were new.

        `now` is the time in which the connection tells when things came.
        """
        client, connection = self.client, self.connection
        was_closed = connection.state == "closed"  # asked before what came last is taken
        for content, at in connection.receive():
            client.receive(content, at)
        if client.end_reason and not self.is_over:
            self.server_ended = client.server_ended
            self._end(client.end_reason)
        if was_closed and not self.is_over:
            self._take_up_again(now)
        is_open = connection.state == "open" and not self.is_over
        if is_open and not self._is_open:
            client.reconnect()
        self._is_open = is_open
        taken = client.advance(now)
        if is_open:
            if client.outbox:
                connection.send(*client.outbox)
            if client.is_joined:
                self._wait, self.disconnected_since = _FIRST_WAIT, None
        client.outbox.clear()
        return taken

    def leave(self) -> None:
        """Say goodbye, and close; the client keeps what it has, and may go on alone."""
        if not self.is_over:
            self.client.say_goodbye()
            self.connection.send(*self.client.outbox)
            self.client.outbox.clear()
            self._end("left")

    def rejoin(self) -> None:
        """Try once more, under the number and the name that the client had."""
        self.connection.close()
        self.client.end_reason, self.client.server_ended = "", False  # else it would be over again before it is tried
        self.is_over = self.server_ended = False
        self.retry_at = None
        self.connection.open()

    def _take_up_again(self, now: float) -> None:
        """The connection has broken off: try again after a while, if it ever was one."""
        if self.retry_at is None:
            self.reason = self.connection.reason
            if self.client.simulation is None and self.n_disconnects == 0:
                self._end(self.reason)
                return
            self.n_disconnects += 1
            self.disconnected_since = now if self.disconnected_since is None else self.disconnected_since
            self.retry_at = now + self._wait
            self._wait = min(2.0 * self._wait, _MAX_WAIT)
        elif now >= self.retry_at:
            self.retry_at = None
            self.connection.open()

    def _end(self, reason: str) -> None:
        self.is_over, self.reason = True, reason
        self.connection.close()
