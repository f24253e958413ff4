"""A server's sockets: a thread of its own with an asyncio loop, in which the `Server`, its world and its connections live.

    the caller's thread            the hosting's thread
    Hosting(make_demo).start() ->  makes the demo; accepts connections; takes the ticks that are due
    .status                    <-  a snapshot, twice a second
    .close("words")            ->  tells all, and ends within a second

Nothing here waits for a client. What is sent is handed to the connection's buffer at once; one whose buffer grows too long, who has not
said hello in time, who does not answer pings or sends too much is cut off. A tick never waits for any of that. If the machine cannot keep
up, or has slept, the ticks are not made up for: the server's clock loses that time, and the clients follow it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import itertools
import logging
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.demo.base import Demo
from engine.demo.users import KEYFRAME_TICKS, MOST_USERS
from engine.net import messages as m
from engine.net.server import Server, ServerSettings

if TYPE_CHECKING:
    import ssl

__all__ = ["BIND", "Drop", "Hosting", "HostingStatus", "close_reason"]

BIND = "127.0.0.1"
"""This machine alone."""

MOST_UNSENT = 2_000_000
"""Bytes that may wait for a client beside the largest message to it: a minute of a busy world."""
MOST_CONNECTIONS = 2 * MOST_USERS
"""Those that have said nothing yet included."""
MOST_BYTES_A_SECOND = 1_000_000
MOST_FRAMES_A_SECOND = 5_000
"""From one connection, on the socket, before anything of it is looked at; a tenth of it costs the server no time to speak of."""
HELLO_SECONDS = 5.0
"""For the handshake, and as long again until the server lets it in."""
PING_SECONDS = 5.0
SILENT_SECONDS = 10.0
"""For the answer to a ping."""
_CLOSE_SECONDS = 0.5
_RECEIVE_BUFFER = 65_536
"""Bytes of a connection that are looked at in one go: few, so that a flood holds nobody up before it is cut off."""
_MOST_LATE = 15
"""Ticks that are made up for at once; what is more is left out of the server's clock."""
_STATUS_SECONDS = 0.5
_KEPT_DROPS = 100
_LONGEST_REASON = 120
"""Bytes: of a close frame's 125, two are its code."""

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False  # every broken handshake of a stranger would be a traceback on standard error


def close_reason(words: str) -> str:
    """Return as much of a reason as a close frame holds."""
    return words.encode()[:_LONGEST_REASON].decode(errors="ignore")


@dataclass(frozen=True, slots=True)
class Drop:
    """A connection that was cut off or refused: at which tick, who (a name, or an address where it had said none), and why."""

    tick: int
    who: str
    reason: str


@dataclass(frozen=True, slots=True)
class HostingStatus:
    """How it goes, at one time.

    Attributes
    ----------
    tick : int
        The first that is not closed.
    users : tuple of str
        Names of those who are here.
    n_connections : int
        Open ones, strangers included.
    sent, received : float
        Bytes a second, of messages, over the last half second or so.
    n_sent, n_received : int
        Bytes of messages, from the beginning.
    tick_ms, longest_ms : float
        What a tick costs on average and at most, of that time, ms.
    lost_seconds : float
        That the machine could not keep up, or slept.
    drops : tuple of Drop
        The last hundred.
    n_drops : int
    keyframe : int
        The last tick of a keyframe.
    state_hash : str
        Of the state right before it.
    """

    tick: int = 0
    users: tuple[str, ...] = ()
    n_connections: int = 0
    sent: float = 0.0
    received: float = 0.0
    n_sent: int = 0
    n_received: int = 0
    tick_ms: float = 0.0
    longest_ms: float = 0.0
    lost_seconds: float = 0.0
    drops: tuple[Drop, ...] = ()
    n_drops: int = 0
    keyframe: int = 0
    state_hash: str = ""


class _Socket(ServerConnection):
    """A connection, counted and limited from its first byte on."""

    def __init__(self, hosting: Hosting, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.hosting = hosting
        self.largest = self.n_bytes = self.n_frames = 0
        """Of what was sent; of what came within this second."""
        self.why = ""
        """It was cut off."""
        self.since = 0.0
        self.peer = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.since = self.loop.time()
        if len(self.hosting.sockets) >= MOST_CONNECTIONS:
            self.hosting.cut(self, f"there are {MOST_CONNECTIONS} connections already")
        else:
            self.hosting.sockets.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.hosting.sockets.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.n_bytes += len(data)
        if self.why:
            return
        if self.n_bytes > MOST_BYTES_A_SECOND:
            self.hosting.cut(self, f"it sends more than {MOST_BYTES_A_SECOND} bytes a second")
        else:
            super().data_received(data)

    def process_event(self, event: Any) -> None:
        self.n_frames += 1
        if self.n_frames <= MOST_FRAMES_A_SECOND:
            super().process_event(event)
        elif not self.why:
            self.hosting.cut(self, f"it sends more than {MOST_FRAMES_A_SECOND} messages a second")

    @property
    def address(self) -> str:
        """Where it comes from."""
        found = self.remote_address
        return f"{found[0]}:{found[1]}" if isinstance(found, tuple) else "a stranger"


class Hosting:
    """A shared world that others may join, over sockets.

    Parameters
    ----------
    make_demo : callable
        Makes the demo, on the thread on which it then lives.
    settings : ServerSettings, optional
    bind : str
        Address at which it listens: of this machine alone, or of one of its networks, or ``0.0.0.0`` or ``::`` for all of them.
    port : int
        0 for any that is free.
    tls : ssl.SSLContext, optional
        With the server's certificate (`engine.net.tls`).
    until : int, optional
        Ticks after which it ends by itself.
    on_server : callable, optional
        Called with the server on its thread before the first tick: to record its ticks, as `Server.on_tick` is told of them.
    on_end : callable, optional
        Called there in the end, whatever happens.

    Attributes
    ----------
    port : int
        At which it listens, once it has started.
    status : HostingStatus
    failure : str
        What ended it that should not have.
    sockets : set
        Its connections; of its own thread.
    """

    def __init__(
        self,
        make_demo: Callable[[], Demo],
        settings: ServerSettings | None = None,
        bind: str = BIND,
        port: int = m.PORT,
        tls: ssl.SSLContext | None = None,
        until: int | None = None,
        on_server: Callable[[Server], object] | None = None,
        on_end: Callable[[], object] | None = None,
    ) -> None:
        self.bind, self.port = bind, integer("port", port, 0, 65535)
        self.status = HostingStatus()
        self.failure = ""
        self.sockets: set[_Socket] = set()
        self._make_demo, self._settings, self._tls, self._until = make_demo, settings, tls, until
        self._on_server, self._on_end = on_server, on_end
        self._thread: threading.Thread | None = None
        self._begun, self._ended = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._reason = "the server ends"
        self._drops: deque[Drop] = deque(maxlen=_KEPT_DROPS)
        self._n_drops = self._n_sent = self._n_received = 0
        self._lost = 0.0
        self._peers: dict[int, _Socket] = {}
        self._numbers = itertools.count(1)
        self._leaving: set[asyncio.Future[None]] = set()
        self._costs: list[float] = []
        self._seen = (0.0, 0, 0)
        """When the status was last told, with what had been sent and had come by then."""

    # -- from any thread ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, make the demo, and begin; return when that is done.

        Raises
        ------
        LabError
            The port is taken, or may not be used, or there is no such address; or the demo cannot be made or shared.
        """
        listening = _listen(self.bind, self.port)
        self.port = listening.getsockname()[1]
        self._thread = threading.Thread(target=self._run, args=(listening,), name="hosting", daemon=True)
        self._thread.start()
        try:
            self._begun.wait()
        except BaseException:  # Ctrl-C, while kernels are compiled
            self.close("the server was interrupted")
            raise
        if self._error is not None:
            raise self._error

    @property
    def is_over(self) -> bool:
        """Whether it has ended: asked to, after its ticks, or by a failure."""
        return self._ended.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; return whether it has."""
        return self._ended.wait(seconds)

    def close(self, reason: str = "the server ends") -> None:
        """Tell all why, and end; returns within a second or so, whatever others do. Closed twice is closed."""
        self._reason = reason
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(2.0 * _CLOSE_SECONDS)

    # -- on its own thread --------------------------------------------------------------------------------------------

    def _run(self, listening: socket.socket) -> None:
        try:
            with listening:
                asyncio.run(self._host(listening))
        except BaseException as error:
            if self._begun.is_set():
                self.failure = self.failure or f"the server failed: {error or type(error).__name__}"
            else:
                self._error = error
        finally:
            try:
                if self._on_end is not None:
                    self._on_end()
            except (LabError, OSError) as error:
                self.failure = self.failure or str(error)
            self._ended.set()
            self._begun.set()

    async def _host(self, listening: socket.socket) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda loop, context: None)  # of connections that break off in the middle of a handshake
        self._server = server = Server(self._make_demo(), self._settings, start=self._loop.time())
        if self._on_server is not None:
            self._on_server(server)
        made = cast(type[ServerConnection], lambda *given, **options: _Socket(self, *given, **options))
        async with contextlib.AsyncExitStack() as stack:
            accepting = await serve(
                self._attend, sock=listening, ssl=self._tls, create_connection=made, compression=None, max_size=m.LARGEST_FROM_CLIENT,
                open_timeout=HELLO_SECONDS, ping_interval=PING_SECONDS, ping_timeout=SILENT_SECONDS, close_timeout=_CLOSE_SECONDS,
                server_header=None, logger=_logger,
            )  # fmt: skip
            stack.callback(accepting.close, close_connections=False)
            stack.push_async_callback(self._dismiss)
            self._tell_status()
            self._begun.set()
            await self._tick()

    def _now(self) -> float:
        """Return seconds of the server's clock."""
        assert self._loop is not None
        return self._loop.time() - self._lost

    async def _tick(self) -> None:
        """Take the ticks as they are due, until the end."""
        assert self._stop is not None
        server, hertz = self._server, self._server.hertz
        told = second = 0.0
        while not self._stop.is_set():
            now = self._now()
            wanted = server.course.now + server.settings.delay + 1
            late = server.clock(now) - wanted - _MOST_LATE
            if late > 0.0:
                self._lost += late / hertz
                now -= late / hertz
            if self._until is not None:  # and no tick more
                now = min(now, now + (self._until + server.settings.delay + 0.5 - server.clock(now)) / hertz)
            begun = time.perf_counter()
            taken = server.advance(now)
            self.flush()
            if taken:
                self._costs += [1000.0 * (time.perf_counter() - begun) / taken] * taken
            if self._until is not None and server.course.now >= self._until:
                self._reason = f"the server has taken its {self._until} ticks"
                return
            here = self._now()
            if here - second >= 1.0:
                second = here
                self._check_sockets()
            if here - told >= _STATUS_SECONDS:
                told = here
                self._tell_status()
            due = (server.course.now + server.settings.delay + 1 - server.clock(self._now())) / hertz
            await asyncio.sleep(min(max(due, 0.0), _STATUS_SECONDS))

    async def _attend(self, connection: ServerConnection) -> None:
        """Hand the server what comes from a connection, until that is gone."""
        assert isinstance(connection, _Socket)
        peer = connection.peer = next(self._numbers)
        self._peers[peer] = connection
        self._server.connect(peer)
        try:
            while True:
                content = await connection.recv(decode=False)
                self._n_received += len(content)
                self._server.receive(peer, content, self._now())
                self.flush()
        except ConnectionClosed as closed:
            if closed.sent is not None and closed.sent.code not in (CloseCode.NORMAL_CLOSURE, CloseCode.GOING_AWAY) and not connection.why:
                self._note(connection, _words_of(closed))
        finally:
            del self._peers[peer]
            self._server.disconnect(peer)
            self.flush()

    def flush(self) -> None:
        """Hand over what the server has to say, and cut off whom it has done with."""
        server = self._server
        while server.outbox:
            peer, content = server.outbox.popleft()
            to = self._peers.get(peer)
            if to is None or to.why:
                continue
            self._n_sent += len(content)
            to.largest = max(to.largest, len(content))
            broadcast((to,), content)  # into its buffer: it does not wait
            self._check_buffer(to)
        while server.drops:
            peer, reason = server.drops.popleft()
            to = self._peers.get(peer)
            if to is not None and not to.why:
                self._note(to, reason)
                to.why = reason
                leaving = asyncio.ensure_future(self._close(to, CloseCode.POLICY_VIOLATION, reason))
                self._leaving.add(leaving)
                leaving.add_done_callback(self._leaving.discard)

    async def _close(self, connection: _Socket, code: CloseCode, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            await connection.close(code, close_reason(reason))
        connection.transport.abort()

    def cut(self, connection: _Socket, reason: str) -> None:
        """End a connection at once: what waits to be sent to it is thrown away."""
        connection.why = reason
        self._note(connection, reason)
        connection.transport.abort()

    def _note(self, connection: _Socket, reason: str) -> None:
        self._n_drops += 1
        self._drops.append(Drop(self._server.course.now, self._server.name_of(connection.peer) or connection.address, reason))

    def _check_buffer(self, connection: _Socket) -> None:
        waiting = connection.transport.get_write_buffer_size()
        if waiting > MOST_UNSENT + connection.largest:
            self.cut(connection, f"it is too slow: {waiting} bytes wait to be sent to it")

    def _check_sockets(self) -> None:
        """Look at every connection, once a second: those with whom nobody speaks too."""
        assert self._loop is not None
        now = self._loop.time()
        for connection in tuple(self.sockets):
            connection.n_bytes = connection.n_frames = 0
            if connection.why:
                continue
            self._check_buffer(connection)
            if now - connection.since > 2.0 * HELLO_SECONDS and not self._server.name_of(connection.peer):
                self.cut(connection, f"it has not said hello within {2.0 * HELLO_SECONDS:g} s")

    def _tell_status(self) -> None:
        server, now = self._server, time.monotonic()
        before, sent, received = self._seen
        self._seen = (now, self._n_sent, self._n_received)
        passed, costs, self._costs = max(now - before, 1e-3), self._costs or [0.0], []
        keyframe = max((tick for tick in server.course.digests if tick % KEYFRAME_TICKS == 0), default=0)
        self.status = HostingStatus(
            server.course.now,
            tuple(who.name for who in server.present if who.is_here),
            len(self.sockets),
            (self._n_sent - sent) / passed,
            (self._n_received - received) / passed,
            self._n_sent,
            self._n_received,
            sum(costs) / len(costs),
            max(costs),
            self._lost,
            tuple(self._drops),
            self._n_drops,
            keyframe,
            server.course.digests[keyframe].hex() if keyframe in server.course.digests else "",
        )

    async def _dismiss(self) -> None:
        """Tell all that it is over, and let them go."""
        last = self.status
        self._tell_status()
        self.status = replace(self.status, sent=last.sent, received=last.received) if last.tick else self.status
        over = m.encode(m.Dropped(self._reason[:500], is_over=True))
        for connection in self._peers.values():
            if not connection.why:
                broadcast((connection,), over)
        leaving = [asyncio.ensure_future(self._close(one, CloseCode.GOING_AWAY, self._reason)) for one in self._peers.values()]
        if leaving:
            await asyncio.wait(leaving, timeout=_CLOSE_SECONDS)
        for connection in tuple(self.sockets):
            connection.transport.abort()


def _words_of(closed: ConnectionClosed) -> str:
    """Return why we closed a connection."""
    assert closed.sent is not None
    known = {
        CloseCode.MESSAGE_TOO_BIG: f"it sent a message of more than {m.LARGEST_FROM_CLIENT} bytes",
        CloseCode.PROTOCOL_ERROR: "what it sent is no WebSocket protocol",
        CloseCode.INVALID_DATA: "what it sent is no WebSocket protocol",
        CloseCode.INTERNAL_ERROR: f"it has not answered for {SILENT_SECONDS:g} s",
    }
    return known.get(CloseCode(closed.sent.code), closed.sent.reason or "the connection broke off")


def _listen(bind: str, port: int) -> socket.socket:
    """Return a socket that listens."""
    at = f"[{bind}]:{port}" if ":" in bind else f"{bind}:{port}"
    try:
        family, _, _, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        both = bind == "::" and socket.has_dualstack_ipv6()
        listening = socket.create_server(cast(Any, address), family=family, dualstack_ipv6=both)
    except (socket.gaierror, UnicodeError, ValueError):
        raise InvalidInputError("--bind", "an address of this machine, such as 127.0.0.1 or 0.0.0.0", bind) from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE or getattr(error, "winerror", 0) == 10048:
            raise LabError(f"port {port} is taken: another program listens at {at}; --port 0 takes one that is free") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise LabError(f"port {port} may not be used ({os.strerror(error.errno)}): one from 1024 to 65535 may") from None
        if error.errno == errno.EADDRNOTAVAIL or getattr(error, "winerror", 0) == 10049:
            raise InvalidInputError("--bind", "an address of this machine, such as 127.0.0.1 or 0.0.0.0", bind) from None
        raise LabError(f"nothing can listen at {at}: {error.strerror or error}") from None
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    return listening
