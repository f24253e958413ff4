"""A client's connection to a server: a thread of its own with an asyncio loop, queues to and from it, and a simulated link both ways.

    send(bytes) -> [link] -> socket -> the server
    receive()   <- [link] <- socket <-

The link (`engine.net.link`) makes the connection worse than it is, for experiments; its settings may be changed while it is open.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import socket
import ssl
import threading
import time
from collections import deque
from typing import Any, Literal, TypeAlias

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.connection import broadcast
from websockets.exceptions import ConnectionClosed, InvalidHandshake, WebSocketException

from engine.common.checks import integer
from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.net import messages as m
from engine.net.link import Link, LinkSettings

__all__ = ["Connection", "ConnectionState", "address_of"]

ConnectionState: TypeAlias = Literal["connecting", "open", "closed"]

OPEN_SECONDS = 5.0
PING_SECONDS = 2.0
SILENT_SECONDS = 8.0
"""For the answer to a ping: a server that is simulated to be far, or is busy, takes a while."""
MAX_UNSENT_BYTES = 2_000_000
MAX_UNREAD_BYTES = 16_000_000
"""Bytes that may wait to be sent, and to be received by the program, what the link holds included; then it ends, and then it is not read
for a while. What comes beyond is one message that is being read, and one in the library (`_MAX_QUEUED`), each as large as it may be."""
_MAX_QUEUED = 0
"""Messages that wait in the library when it stops reading: with its 16, a server that sends large ones costs a gigabyte."""
_CLOSE_SECONDS = 0.3
_LAST_SECONDS = 2.0
"""Within which what is still in the link is handed out after the end."""
_JOIN_SECONDS = 1.0

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False

_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+(?:%[^\]/\s]+)?)\]|(?P<name>[^][:/@?#\s]+))(?::(?P<port>[0-9]+))?")


def address_of(text: str) -> tuple[str, int]:
    """Return the host and the port of ``HOST``, ``HOST:PORT`` or ``[IPv6]:PORT``.

    Raises
    ------
    InvalidInputError
        It is none.

    Examples
    --------
    >>> address_of("lab.example"), address_of("[::1]:99")
    (('lab.example', 1234), ('::1', 99))
    """
    found = _ADDRESS.fullmatch(text.strip())
    if found is None:
        raise InvalidInputError("HOST", "a host, such as lab.example, 192.168.0.7:1234 or [::1]:1234", text)
    port = int(found["port"]) if found["port"] is not None and len(found["port"]) <= 9 else m.PORT if found["port"] is None else -1
    if not 1 <= port <= 65535:
        raise InvalidInputError("HOST: port", "from 1 to 65535", found["port"])
    return found["six"] or found["name"], port


class Connection:
    """A connection to a server; it begins to connect at once.

    Parameters
    ----------
    host : str
        A name or an address.
    port : int
    tls : ssl.SSLContext, optional
        What makes sure who the server is, and that nobody listens (`engine.net.tls`).
    link : LinkSettings, or two of them
        Of the simulated link, of each way; or of the way up, to the server, and of the way down.
    seed : int
        Of its random numbers.

    Attributes
    ----------
    state : "connecting", "open" or "closed"
    reason : str
        Why it is closed, in words.
    n_sent, n_received : int
        Bytes of messages that have gone through the socket.
    """

    def __init__(
        self,
        host: str,
        port: int = m.PORT,
        tls: ssl.SSLContext | None = None,
        link: LinkSettings | tuple[LinkSettings, LinkSettings] | None = None,
        seed: int = 0,
    ) -> None:
        self.host, self.port = host, integer("port", port, 1, 65535)
        self.n_sent = self.n_received = 0
        self._tls, self._seed, self._n_opened = tls, seed, 0
        self._links = link if isinstance(link, tuple) else (link, link) if link is not None else (LinkSettings(), LinkSettings())
        self.open()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def open(self) -> None:
        """Connect, once more if it is closed: what waited to be sent is forgotten."""
        self.state: ConnectionState = "connecting"
        self.reason = ""
        self._out: deque[tuple[float, bytes]] = deque()
        self._in: deque[tuple[bytes, float]] = deque()
        self._n_in = self._n_taken = 0
        """Bytes that were put in, and taken out, each by one thread."""
        ways = zip(("up", "down"), self._links, strict=True)
        self._up, self._down = (Link(settings, stream(self._seed, way, self._n_opened)) for way, settings in ways)
        self._n_opened += 1
        self._socket: ClientConnection | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._is_wanted = True
        self._thread = threading.Thread(target=self._run, args=(self._n_opened,), name="connection", daemon=True)
        self._thread.start()

    # -- from any thread ----------------------------------------------------------------------------------------------

    @property
    def link(self) -> LinkSettings:
        """Settings of each way of the simulated link; where they differ, those of the way up."""
        return self._links[0]

    @link.setter
    def link(self, settings: LinkSettings) -> None:
        self.links = settings, settings

    @property
    def links(self) -> tuple[LinkSettings, LinkSettings]:
        """Settings of the simulated link: of the way up and the way down."""
        return self._links

    @links.setter
    def links(self, settings: tuple[LinkSettings, LinkSettings]) -> None:
        self._links = self._up.settings, self._down.settings = settings

    def send(self, *contents: bytes) -> None:
        """Send messages; before it is open they wait, and once it is closed they are lost."""
        if self.state == "closed":
            return
        now = time.monotonic()
        self._out.extend((now, content) for content in contents)
        self._wake()

    def receive(self) -> list[tuple[bytes, float]]:
        """Return what has come, each with when it did, seconds of `time.monotonic`; also after the end."""
        found = []
        while self._in:
            found.append(self._in.popleft())
        self._n_taken += sum(len(content) for content, _ in found)
        return found

    def close(self, reason: str = "it was closed") -> None:
        """Send what waits, and end; returns within a second or so, whatever the server does. Closed twice is closed."""
        if self._is_wanted and self.state != "closed":
            self._is_wanted, self.reason = False, reason
            self._wake()
        self._thread.join(_JOIN_SECONDS)
        self.state = "closed"

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has just ended
                loop.call_soon_threadsafe(self._pump)

    # -- on its own thread --------------------------------------------------------------------------------------------

    def _run(self, n: int) -> None:
        """Be connected for the n-th time."""
        reason = "the program failed"
        try:
            reason = self._talked(n)
        except Exception as error:  # a thread has nobody to tell but by the reason
            reason = self._words_of(error)
        finally:
            if n == self._n_opened:
                if self._is_wanted:
                    self.reason = reason
                self._loop = None
                self.state = "closed"

    def _talked(self, n: int) -> str:
        """Look for the host, try each of its addresses, talk, and return why that is over."""
        try:  # here, where nobody waits for it: a loop's own look-up could not be broken off
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return f"there is no host {self.host}, or it cannot be found from here"
        if n != self._n_opened:
            return ""  # the look-up took so long that it was closed, and opened anew
        with asyncio.Runner() as runner:
            runner.get_loop().set_exception_handler(lambda loop, context: None)  # of a connection that breaks off
            return runner.run(self._talk([str(one[4][0]) for one in found]))

    async def _talk(self, addresses: list[str]) -> str:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        reason, over = "", asyncio.ensure_future(self._over.wait())
        for address in dict.fromkeys(addresses):
            opening = asyncio.ensure_future(self._opened(address))
            self._pump()  # closed meanwhile
            await asyncio.wait((opening, over), return_when=asyncio.FIRST_COMPLETED)
            if over.done():
                opening.cancel()
                await asyncio.wait((opening,))
                return self.reason
            error = opening.exception()
            if error is None:
                self._socket = opening.result()
                break
            reason = self._words_of(error)
        else:
            over.cancel()
            return reason
        self.state = "open"
        reading = asyncio.ensure_future(self._read(self._socket))
        try:
            self._pump()
            await asyncio.wait((reading, over), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reason = reading.result()
                await self._hand_out_rest()
            with contextlib.suppress(ConnectionClosed, OSError):
                await self._socket.close()
        finally:
            over.cancel()
            reading.cancel()
            self._socket.transport.abort()
        return reason

    async def _opened(self, address: str) -> ClientConnection:
        secure = self._tls is not None
        host = f"[{self.host.partition('%')[0]}]" if ":" in self.host else self.host.encode("idna").decode()
        options: dict[str, Any] = {"ssl": self._tls} if secure else {}
        return await connect(
            f"{'wss' if secure else 'ws'}://{host}:{self.port}/", host=address, port=self.port, proxy=None, compression=None,
            max_size=m.MAX_SERVER_MESSAGE_BYTES, max_queue=_MAX_QUEUED, open_timeout=OPEN_SECONDS, ping_interval=PING_SECONDS,
            ping_timeout=SILENT_SECONDS, close_timeout=_CLOSE_SECONDS, user_agent_header=None, logger=_logger, **options,
        )  # fmt: skip

    async def _read(self, connection: ClientConnection) -> str:
        """Take in what comes, and return why nothing more does."""
        try:
            while True:
                while self._n_in - self._n_taken + self._down.n_held > MAX_UNREAD_BYTES:  # nobody takes it: the server cuts us off
                    await asyncio.sleep(0.05)
                content = await connection.recv(decode=False)
                self.n_received += len(content)
                self._down.put(content, time.monotonic())
                self._pump()
        except ConnectionClosed as closed:
            return self._words_of(closed)

    def _pump(self) -> None:
        """Move what is due through the links, and come again when more is."""
        now, connection = time.monotonic(), self._socket
        if not self._is_wanted and self._over is not None:
            self._over.set()
        while self._out and connection is not None:
            sent, content = self._out.popleft()
            self._up.put(content, sent)
        for at, content in self._down.take_with_times(now):
            self._n_in += len(content)
            self._in.append((content, at))
        if connection is None:
            return
        for content in self._up.take(now if self._is_wanted else float("inf")):
            self.n_sent += len(content)
            broadcast((connection,), content)  # into its buffer: it does not wait
        if connection.transport.get_write_buffer_size() > MAX_UNSENT_BYTES:
            self._is_wanted, self.reason = False, f"{self.address} does not read what is sent to it"
            connection.transport.abort()
        due = min((link.due for link in (self._up, self._down) if link.due is not None), default=None)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if due is None or self._loop is None else self._loop.call_at(due, self._pump)

    async def _hand_out_rest(self) -> None:
        """Wait for what is on its way in the link: the reason for the end may be among it."""
        end = time.monotonic() + _LAST_SECONDS
        while self._is_wanted and self._down.due is not None and time.monotonic() < end:
            await asyncio.sleep(0.01)
            self._pump()

    def _words_of(self, error: BaseException) -> str:
        """Say why there is no connection, or none any more."""
        at = self.address
        if isinstance(error, ConnectionClosed):
            if error.sent is not None and error.rcvd is None and "keepalive" in error.sent.reason:
                return f"{at} has not answered for {SILENT_SECONDS:g} s"
            if error.rcvd is not None and "keepalive" in error.rcvd.reason:
                return f"{at} had no answer from here for a while"
            return error.rcvd.reason if error.rcvd is not None and error.rcvd.reason else f"the connection to {at} broke off"
        if isinstance(error, ssl.SSLCertVerificationError):
            return f"the certificate of {at} is not trusted ({error.verify_message}): --tls-ca FILE trusts one that you know"
        if isinstance(error, ssl.SSLError):
            return f"{at} speaks no TLS, or no version of it that is safe: one without --tls, or another program"
        if isinstance(error, TimeoutError):
            return f"{at} does not answer"
        if isinstance(error, ConnectionRefusedError):
            return f"nothing listens at {at}: is the server running, and is that its port?"
        if isinstance(error, InvalidHandshake | WebSocketException | EOFError | ConnectionResetError):
            return f"what answers at {at} is another program, or one {'without' if self._tls is not None else 'that wants'} --tls"
        if isinstance(error, OSError):
            return f"{at} cannot be reached: {error.strerror or error}"
        return f"the connection to {at} failed: {error or type(error).__name__}"
