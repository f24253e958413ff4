"""Runs a client's connection to a server in an asyncio loop on its own thread, with queues and a simulated link in each direction.

    send(bytes) -> [link] -> socket -> the server
    receive()   <- [link] <- socket <-

The link (`engine.net.link`) degrades the connection for experiments; its settings may be changed at any time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import re
import socket
import threading
import time
from collections import deque
from typing import Literal

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed, InvalidHandshake, WebSocketException

from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net import messages as m
from engine.net.link import Link, LinkSettings

__all__ = ["Connection", "parse_address"]

OPEN_SECONDS = 5.0
PING_SECONDS = 2.0
SILENT_SECONDS = 8.0
"""Ping timeout, s; long, because a busy server or a simulated link answers slowly."""
MAX_UNSENT_BYTES = 2_000_000
MAX_UNREAD_BYTES = 16_000_000
"""If more bytes than the first limit wait to be sent, the connection is closed. If more than the second wait for `receive`, including
those in the link, reading pauses. One message being read and one in the library (`_MAX_QUEUED`) are not counted."""
_MAX_QUEUED = 0
"""Maximum number of messages in the library's receive queue; its default of 16 would let a server fill a gigabyte with large messages."""
_CLOSE_SECONDS = 0.3
_LAST_SECONDS = 2.0
"""Maximum time to deliver messages still in the link after the connection ended, s."""
_JOIN_SECONDS = 1.0

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+(?:%[^\]/\s]+)?)\]|(?P<name>[^][:/@?#\s]+))(?::(?P<port>[0-9]{1,9}))?")


def parse_address(text: str) -> tuple[str, int]:
    """Return the host and the port of ``HOST``, ``HOST:PORT`` or ``[IPv6]:PORT``.

    Raises
    ------
    InvalidInputError
        `text` is not an address.

    Examples
    --------
    >>> parse_address("lab.example"), parse_address("[::1]:99")
    (('lab.example', 1234), ('::1', 99))
    """
    match = _ADDRESS.fullmatch(text.strip())
    if match is None:
        raise InvalidInputError("HOST", "a host, such as lab.example, 192.168.0.7:1234 or [::1]:1234", text)
    port = integer("HOST: port", int(match["port"] or m.PORT), 1, 65535)
    return match["six"] or match["name"], port


class Connection:
    """A connection to a server; connects on construction.

    Parameters
    ----------
    host : str
        Host name or IP address.
    port : int

    Attributes
    ----------
    state : "connecting", "open" or "closed"
    reason : str
        User-readable reason for the closure.
    n_sent, n_received : int
        Message bytes sent and received over the socket.
    """

    def __init__(self, host: str, port: int = m.PORT) -> None:
        self.host, self.port = host, integer("port", port, 1, 65535)
        self.n_sent = self.n_received = 0
        self._n_opened = 0
        self._link = LinkSettings()
        self.open()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def now(self) -> float:
        """Clock of the arrival times, s."""
        return time.monotonic()

    def open(self) -> None:
        """Connect or reconnect; unsent messages are discarded."""
        self.state: Literal["connecting", "open", "closed"] = "connecting"
        self.reason = ""
        self._out: deque[tuple[float, bytes]] = deque()
        self._in: deque[tuple[bytes, float]] = deque()
        self._n_in = self._n_taken = 0
        """Bytes put into `_in` and taken out of it; each counter is written by one thread only."""
        self._up, self._down = (Link(self._link, stream(0, way, self._n_opened)) for way in ("up", "down"))
        self._n_opened += 1
        self._socket: ClientConnection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ends = asyncio.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, args=(self._n_opened,), name="connection", daemon=True)
        self._thread.start()

    # -- from any thread ----------------------------------------------------------------------------------------------

    @property
    def link(self) -> LinkSettings:
        """Settings of the simulated link in each direction; may be changed at any time."""
        return self._link

    @link.setter
    def link(self, settings: LinkSettings) -> None:
        self._link = self._up.settings = self._down.settings = settings

    def send(self, *contents: bytes) -> None:
        """Send messages: queued until the connection is open, discarded once it is closed."""
        if self.state != "closed":
            now = time.monotonic()
            self._out.extend((now, content) for content in contents)
            self._wake()

    def receive(self) -> list[tuple[bytes, float]]:
        """Return the messages received so far, each with its arrival time, s of `time.monotonic`; works after closing, too."""
        arrived = [self._in.popleft() for _ in range(len(self._in))]
        self._n_taken += sum(len(content) for content, _ in arrived)
        return arrived

    def close(self, reason: str = "it was closed") -> None:
        """Send the queued messages and close; returns within about a second, even if the server does not respond."""
        if not self._is_closing and self.state != "closed":
            self._is_closing, self.reason = True, reason
            self._wake()
        self._thread.join(_JOIN_SECONDS)
        self.state = "closed"

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has just closed
                loop.call_soon_threadsafe(self._pump)

    # -- on its own thread --------------------------------------------------------------------------------------------

    def _run(self, n: int) -> None:
        """Run the n-th connection; do nothing if a newer one was opened while the host was being looked up."""
        try:  # look up the host here, because a look-up by the loop could not be interrupted
            entries = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            reason = "" if n != self._n_opened else asyncio.run(self._talk([str(entry[4][0]) for entry in entries]))
        except (socket.gaierror, UnicodeError):
            reason = f"host {self.host} not found"
        except Exception as error:
            reason = self._reason_for(error)
        if n == self._n_opened:
            self.reason = self.reason if self._is_closing else reason
            self._loop, self.state = None, "closed"

    async def _talk(self, addresses: list[str]) -> str:
        """Connect to the first address that responds, exchange messages, and return why the connection ended."""
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(lambda loop, context: None)  # ignore lost connections
        reason, end = "", asyncio.ensure_future(self._ends.wait())
        for address in dict.fromkeys(addresses):
            opening = asyncio.ensure_future(self._connect(address))
            self._pump()  # `close` may have been called meanwhile
            await asyncio.wait((opening, end), return_when=asyncio.FIRST_COMPLETED)
            if end.done():
                opening.cancel()
                await asyncio.wait((opening,))
                return self.reason
            error = opening.exception()
            if error is None:
                self._socket = opening.result()
                break
            reason = self._reason_for(error)
        if self._socket is None:
            return reason
        self.state = "open"
        reading = asyncio.ensure_future(self._read(self._socket))
        try:
            self._pump()
            await asyncio.wait((reading, end), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reason = reading.result()
                last = time.monotonic() + _LAST_SECONDS  # the server's reason may still be in the link
                while not self._is_closing and self._down.due is not None and time.monotonic() < last:
                    await asyncio.sleep(0.01)
                    self._pump()
            with contextlib.suppress(ConnectionClosed, OSError):
                await self._socket.close()
        finally:
            self._socket.transport.abort()
        return reason

    async def _connect(self, address: str) -> ClientConnection:
        host = f"[{self.host.partition('%')[0]}]" if ":" in self.host else self.host.encode("idna").decode()
        return await connect(
            f"ws://{host}:{self.port}/", host=address, port=self.port, proxy=None,
            compression=None, max_size=m.MAX_SERVER_MESSAGE_BYTES, max_queue=_MAX_QUEUED, open_timeout=OPEN_SECONDS,
            ping_interval=PING_SECONDS, ping_timeout=SILENT_SECONDS, close_timeout=_CLOSE_SECONDS, user_agent_header=None, logger=_logger,
        )  # fmt: skip

    async def _read(self, connection: ClientConnection) -> str:
        """Receive messages until the connection ends; return why it ended."""
        try:
            while True:
                while self._n_in - self._n_taken + self._down.n_held > MAX_UNREAD_BYTES:  # wait for `receive`
                    await asyncio.sleep(0.05)
                content = await connection.recv(decode=False)
                self.n_received += len(content)
                self._down.put(content, time.monotonic())
                self._pump()
        except ConnectionClosed as closed:
            return self._reason_for(closed)

    def _pump(self) -> None:
        """Move due messages through the links, and schedule the next call."""
        now, connection = time.monotonic(), self._socket
        if self._is_closing:
            self._ends.set()
        while self._out and connection is not None:
            sent, content = self._out.popleft()
            self._up.put(content, sent)
        for content, at in self._down.take(now):
            self._n_in += len(content)
            self._in.append((content, at))
        if connection is None:
            return
        for content, _ in self._up.take(math.inf if self._is_closing else now):
            self.n_sent += len(content)
            broadcast((connection,), content)  # writes to the buffer without blocking
        if connection.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._is_closing, self.reason = True, f"{self.address} has stopped reading messages"
            connection.transport.abort()
        if self._timer is not None:
            self._timer.cancel()
        due = [link.due for link in (self._up, self._down) if link.due is not None]
        self._timer = self._loop.call_at(min(due), self._pump) if due and self._loop is not None else None

    def _reason_for(self, error: BaseException) -> str:
        """Return a user-readable reason for a failed or lost connection."""
        at = self.address
        match error:
            case ConnectionClosed(sent=sent, rcvd=None) if sent is not None and "keepalive" in sent.reason:
                return f"{at} has not responded for {SILENT_SECONDS:g} s"
            case ConnectionClosed(rcvd=received) if received is not None and "keepalive" in received.reason:
                return f"{at} closed the connection: it received no response to its pings"
            case ConnectionClosed(rcvd=received):
                return received.reason if received is not None and received.reason else f"the connection to {at} was lost"
            case TimeoutError():
                return f"{at} does not respond"
            case ConnectionRefusedError():
                return f"nothing is listening at {at}: check that the server is running and that the port is right"
            case InvalidHandshake() | WebSocketException() | EOFError() | ConnectionResetError():
                return f"{at} is not a compatible server"
            case OSError():
                return f"{at} is unreachable: {error.strerror or error}"
        return f"the connection to {at} failed: {error or type(error).__name__}"
