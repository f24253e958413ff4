"""Passes messages between a client and its connection, and reconnects after the connection is lost."""

from __future__ import annotations

from engine.net import messages as m
from engine.net.client import Client
from engine.net.connection import Connection
from engine.net.simulated_network import SimulatedConnection

__all__ = ["ClientSession"]

_FIRST_WAIT, _MAX_WAIT = 0.5, 8.0
"""First and maximum reconnection delay, s; doubled after each attempt."""


class ClientSession:
    """A client's session with a server; call `advance` once per frame.

    Parameters
    ----------
    client : Client
    connection : Connection or SimulatedConnection
        Connection to the server.

    Attributes
    ----------
    is_over : bool
        True after `leave`, if the server ended, if it refused or dropped the client, or if it could never be reached. `rejoin` tries again.
    reason : str
        Reason for the end of the session or of the last connection.
    server_ended : bool
        True if the server announced that it is shutting down.
    retry_at : float or None
        Time of the next reconnection attempt, in the time of `advance`; None while connected or connecting.
    n_disconnects : int
        Number of times the connection was lost.
    disconnected_since : float or None
        Time at which the connection was lost, in the time of `advance`; unchanged by failed attempts. None while joined or before any loss.
    """

    def __init__(self, client: Client, connection: Connection | SimulatedConnection) -> None:
        self.client, self.connection = client, connection
        self.is_over = self.server_ended = False
        self.reason = ""
        self.n_disconnects = 0
        self.retry_at: float | None = None
        self.disconnected_since: float | None = None
        self._wait = _FIRST_WAIT
        self._was_open = False

    @property
    def status_text(self) -> str:
        """One-line description of the connection's state."""
        at = self.connection.address
        if self.is_over:
            return self.reason
        if self.retry_at is not None:
            return f"{self.reason}; trying again"
        if self.connection.state != "open":
            return f"connecting to {at}"
        return f"joined {at}" if self.client.is_joined else f"waiting for the state of {at}"

    def now(self) -> float:
        """Return the connection's clock, s, which is the time to pass to `advance`."""
        return self.connection.now

    def advance(self, now: float) -> int:
        """Receive messages, simulate the ticks that are due, and send; return the number of new ticks."""
        client, connection = self.client, self.connection
        was_closed = connection.state == "closed"  # checked before the last messages are received
        for content, at in connection.receive():
            client.receive(content, at)
        if client.end_reason and not self.is_over:
            self.server_ended = client.server_ended
            self._end(client.end_reason)
        if was_closed and not self.is_over:
            self._reconnect(now)
        is_open = connection.state == "open" and not self.is_over
        if is_open and not self._was_open:
            client.reconnect()
        self._was_open = is_open
        n_new = client.advance(now)
        if is_open and client.outbox:
            connection.send(*client.outbox)
        if is_open and client.is_joined:
            self._wait, self.disconnected_since = _FIRST_WAIT, None
        client.outbox.clear()
        return n_new

    def leave(self) -> None:
        """Send a goodbye and close the connection; the client keeps its state and may continue offline."""
        if not self.is_over:
            self.connection.send(*self.client.outbox, m.encode(m.Goodbye()))
            self.client.outbox.clear()
            self._end("left")

    def rejoin(self) -> None:
        """Reconnect as the same user."""
        self.connection.close()
        self.client.end_reason, self.client.server_ended = "", False  # otherwise `advance` would end the session again at once
        self.is_over = self.server_ended = False
        self.retry_at = None
        self.connection.open()

    def _reconnect(self, now: float) -> None:
        """Reconnect after a delay; end the session if the first connection failed."""
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
