"""A client and its connection: carries messages between them, and reconnects after the connection broke off."""

from __future__ import annotations

from engine.net import messages as m
from engine.net.client import Client
from engine.net.connection import Connection
from engine.net.simulated_network import SimulatedConnection

__all__ = ["ClientSession"]

_FIRST_WAIT, _MAX_WAIT = 0.5, 8.0
"""Seconds until it reconnects, doubled each time."""


class ClientSession:
    """A client's part in a shared world; `advance` is to be called once a frame.

    Parameters
    ----------
    client : Client
    connection : Connection or SimulatedConnection
        To the server.

    Attributes
    ----------
    is_over : bool
        True if the server has ended, refuses the client or has dropped it, or could not be reached in the first place; or after `leave`.
        `rejoin` tries once more.
    reason : str
        Why it is over, or broke off last.
    server_ended : bool
        True if the server said that it ends.
    retry_at : float or None
        When it reconnects, in the time of `advance`; None while it is connected, or connecting.
    n_disconnects : int
        How many times the connection broke off.
    disconnected_since : float or None
        Since when it is not joined, in the time of `advance`, across all attempts; None while it is, and before it was.
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
        """One line for people."""
        at = self.connection.address
        if self.is_over:
            return self.reason
        if self.retry_at is not None:
            return f"{self.reason}; trying again"
        if self.connection.state != "open":
            return f"connecting to {at}"
        return f"joined {at}" if self.client.is_joined else f"waiting for the state of {at}"

    def now(self) -> float:
        """Return the time of `advance`, seconds: that of the connection."""
        return self.connection.now

    def advance(self, now: float) -> int:
        """Receive messages, simulate the ticks that are due, and send; return how many ticks were new."""
        client, connection = self.client, self.connection
        was_closed = connection.state == "closed"  # before the last messages are received
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
        """Say goodbye, and close; the client keeps its state, and may go on offline."""
        if not self.is_over:
            self.connection.send(*self.client.outbox, m.encode(m.Goodbye()))
            self.client.outbox.clear()
            self._end("left")

    def rejoin(self) -> None:
        """Connect once more, as the same user."""
        self.connection.close()
        self.client.end_reason, self.client.server_ended = "", False  # else it would be over before it is tried
        self.is_over = self.server_ended = False
        self.retry_at = None
        self.connection.open()

    def _reconnect(self, now: float) -> None:
        """Connect again after a while, if there was a connection."""
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
