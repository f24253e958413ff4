"""Runs a `Server`, its world and its connections on a dedicated thread with an asyncio loop.

    the caller's thread               the server's thread
    ServerThread(make_demo).start() ->  builds the demo, accepts connections, simulates the ticks that are due
    .status                         <-  snapshot, twice a second
    .close("reason")                ->  sends the reason to all clients, and ends within a second

The server never waits for a client: messages are written to the connection's buffer. A connection is closed if its buffer grows too large,
or if it does not complete the handshake in time, does not respond to pings, or floods the socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import itertools
import logging
import os
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, cast

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, PayloadTooBig
from websockets.frames import CloseCode, Opcode

from engine.common.checks import integer
from engine.common.errors import LabError
from engine.common.words import brief
from engine.net import messages as m
from engine.net.addresses import own_addresses
from engine.net.server import Drop, Server, ServerSettings, ServerStatus
from engine.sim.demo import Demo
from engine.sim.recordings import TickRecorder
from engine.sim.replaying import record_ticks
from engine.sim.users import KEYFRAME_TICKS

__all__ = ["HostStatus", "ServerThread", "origin_of"]

MAX_UNSENT_BYTES = 2_000_000
"""Maximum bytes waiting for a client, in addition to the size of the largest message sent to it; a busy world sends these in a minute."""
MAX_BYTES_PER_S = 1_000_000
MAX_FRAMES_PER_S = 2_000
"""Maximum WebSocket frames from one connection, including protocol pings; messages are also limited by the server's `Limits`."""
OPEN_SECONDS = 5.0
"""Handshake timeout."""
PING_SECONDS = 4.0
SILENT_SECONDS = 8.0
"""Ping timeout. The ping interval plus this timeout must be less than `Limits.silent_seconds`, so that a suspended laptop finds its
connection lost and reconnects."""
_CLOSE_SECONDS = 0.5
_END_SECONDS = 5.0
"""Maximum wait for the last tick in `close`; a tick that compiles kernels takes seconds."""
_CHUNK_BYTES = 1_024
"""Maximum bytes parsed at a time, so that a flood is detected before all of it has been parsed."""
_BACKLOG = 128
"""Maximum number of connections that the operating system queues until they are accepted."""
_ACCEPTED_AT_ONCE = 4
"""Maximum number of connections accepted per iteration of the event loop, so that a flood neither delays a tick nor makes `make_room` drop
a new connection before it could complete the handshake."""
_STATUS_SECONDS = 0.5
_KEPT_DROPS = 64
_MAX_REASON_BYTES = 120
"""Maximum bytes of the reason for closing; a close frame holds 125 bytes including the code."""

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False  # otherwise every failed handshake prints a traceback to stderr


def origin_of(address: str) -> str:
    """Return the address to which connections are attributed: the IPv4 address, or the /64 network of an IPv6 address.

    Examples
    --------
    >>> origin_of("192.0.2.7"), origin_of("::ffff:192.0.2.7"), origin_of("2001:db8::5:0:0:7")
    ('192.0.2.7', '192.0.2.7', '2001:db8::')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((parsed, 64), strict=False).network_address)


@dataclass(frozen=True, slots=True)
class HostStatus:
    """Snapshot of the status of a server and its sockets.

    Attributes
    ----------
    server : ServerStatus
    drops : tuple of Drop
        Latest drops, including connections that did not complete the handshake.
    n_dropped : int
    n_sockets : int
        Number of open sockets, including those in a handshake.
    keyframe : int
        Tick of the last keyframe.
    state_hash : str
        Digest of the state right before the keyframe, hexadecimal.
    recording : str
        Why the recording ended; empty while it continues or if there is none.
    """

    server: ServerStatus
    drops: tuple[Drop, ...] = ()
    n_dropped: int = 0
    n_sockets: int = 0
    keyframe: int = 0
    state_hash: str = ""
    recording: str = ""

    @property
    def tick(self) -> int:
        """First open tick."""
        return self.server.tick

    @property
    def users(self) -> tuple[str, ...]:
        """Names of the users who are present."""
        return tuple(user.name for user in self.server.users if user.is_here)


class _Socket(ServerConnection):
    """A connection, which is counted and limited even before its first byte."""

    def __init__(self, host: ServerThread, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.host = host
        self.opened, self.origin = time.monotonic(), ""
        """When the connection was opened, s, and the address to which it is attributed (`origin_of`)."""
        self.max_sent = self.n_bytes = self.n_frames = 0
        """Size of the largest message sent, and numbers of bytes and frames received in the current second."""
        self.why = ""
        """Reason why the connection was closed; empty while it is open."""
        self.peer: int | None = None
        self._is_begun = False
        """True once the connection has been passed to the WebSocket library."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.origin = origin_of(self.address.rpartition(":")[0])
        self.host.make_room(self)
        if self.why:
            return
        self.host.sockets.add(self)
        self._is_begun = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.host.sockets.discard(self)
        if self._is_begun:
            super().connection_lost(exc)
        else:
            self.protocol.receive_eof()  # end the protocol's parser, which would otherwise be part of a reference cycle

    def eof_received(self) -> None:
        if self._is_begun:
            super().eof_received()

    def data_received(self, data: bytes) -> None:
        self.n_bytes += len(data)
        if self.n_bytes > MAX_BYTES_PER_S:
            self.host.cut(self, f"it sent more than {MAX_BYTES_PER_S} bytes per second")
            return
        for at in range(0, len(data), _CHUNK_BYTES):
            if self.why:
                return
            super().data_received(data[at : at + _CHUNK_BYTES])
            error = self.protocol.parser_exc
            if error is not None:  # otherwise the library would wait for a close frame
                large = f"it sent a message of more than {m.MAX_CLIENT_MESSAGE_BYTES} bytes"
                self.host.cut(self, large if isinstance(error, PayloadTooBig) else "it violated the WebSocket protocol")

    def process_event(self, event: Any) -> None:
        self.n_frames += 1
        if self.peer is not None and getattr(event, "opcode", None) is Opcode.PONG:
            self.host.keep_alive(self.peer)
        if self.n_frames > MAX_FRAMES_PER_S:
            self.host.cut(self, f"it sent more than {MAX_FRAMES_PER_S} messages per second")
        else:
            super().process_event(event)

    @property
    def address(self) -> str:
        """Remote address and port."""
        address = self.remote_address
        return f"{address[0]}:{address[1]}" if isinstance(address, tuple) else "a stranger"


class ServerThread:
    """A server on its own thread that others can join over sockets.

    Parameters
    ----------
    make_demo : callable
        Builds the demo; called on the server's thread.
    settings : ServerSettings, optional
    lan : bool
        Whether other computers of the network can reach the server; otherwise, only this one.
    port : int
        0 for any free port.
    until : int, optional
        Number of ticks after which the server ends.
    record : path-like, optional
        File for a recording; must not exist yet.
    on_tick : callable, optional
        Called with the `Server` after each tick, on the server's thread.

    Attributes
    ----------
    port : int
        Port at which the server listens, once started.
    status : HostStatus
        Updated twice a second, once started.
    settings : ServerSettings
    failure : str
        Error that ended the server; empty if there was none.
    sockets : set
        Open connections; to be used only on the server's thread.
    """

    def __init__(
        self,
        make_demo: Callable[[], Demo],
        settings: ServerSettings | None = None,
        lan: bool = False,
        port: int = m.PORT,
        until: int | None = None,
        record: str | os.PathLike[str] | None = None,
        on_tick: Callable[[Server], object] | None = None,
    ) -> None:
        self.lan, self.bind, self.port = lan, "0.0.0.0" if lan else "127.0.0.1", integer("port", port, 0, 65535)
        self.status: HostStatus
        self.failure = ""
        self.sockets: set[_Socket] = set()
        self._make_demo, self._until = make_demo, until
        self.settings = settings if settings is not None else ServerSettings()
        self.record, self._on_tick = record, on_tick
        self._hosts: list[str] = []
        self._recorder: TickRecorder | None = None
        self._thread: threading.Thread | None = None
        self._started, self._ended = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._reason = "the server has shut down"
        self._strangers: deque[Drop] = deque(maxlen=_KEPT_DROPS)
        self._n_strangers = 0
        self._peers: dict[int, _Socket] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Future[None]] = set()
        """Connections being closed."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """host:port at which others can reach the server, one per network; THIS-COMPUTER is the host if there is none."""
        return tuple(f"{f'[{host}]' if ':' in host else host}:{self.port}" for host in self._hosts or ["THIS-COMPUTER"])

    @property
    def invitation(self) -> str:
        """Arguments that others pass to the join command: host and port, and the join code."""
        return f"{self.addresses[0]} --code {self.settings.code}"

    # -- from any thread ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, build the demo and start the server; returns once it has started.

        Raises
        ------
        LabError
            The port is in use or not permitted, the address does not exist, or the demo cannot be built or shared.
        """
        listening = _listen(self.bind, self.port)
        self.port = listening.getsockname()[1]
        self._hosts = own_addresses() if self.lan else [self.bind]
        self._thread = threading.Thread(target=self._run, args=(listening,), name="host", daemon=True)
        self._thread.start()
        try:
            self._started.wait()
        except BaseException:  # Ctrl-C while kernels are being compiled
            self.close("the server was interrupted")
            raise
        if self._error is not None:
            raise self._error

    @property
    def is_over(self) -> bool:
        """True once the server has ended: by `close`, after `until` ticks, or by an error."""
        return self._ended.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the server has ended; return False if that takes longer than `seconds`."""
        return self._ended.wait(seconds)

    def close(self, reason: str = "the server has shut down") -> None:
        """Send the reason to all clients and end the server; takes about a second after the present tick."""
        self._reason = reason
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join(_END_SECONDS)

    # -- on its own thread --------------------------------------------------------------------------------------------

    def _run(self, listening: socket.socket) -> None:
        try:
            with listening:
                asyncio.run(self._serve(listening))
        except BaseException as error:
            if self._started.is_set():
                self.failure = f"the server failed: {error or type(error).__name__}"
            else:
                self._error = error
        finally:
            if self._recorder is not None:
                self._recorder.close()
                self.status = replace(self.status, recording=self._recorder.ended)
            self._ended.set()
            self._started.set()

    async def _serve(self, listening: socket.socket) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda loop, context: None)  # ignore connections lost in a handshake
        self._server = server = Server(self._make_demo(), self.settings, start=self._loop.time())
        if self.record is not None:
            self._recorder = record_ticks(server.simulation.demo, self.record)
        server.on_tick = self._after_tick
        self._update_status()
        create = cast(type[ServerConnection], lambda *arguments, **options: _Socket(self, *arguments, **options))
        async with contextlib.AsyncExitStack() as stack:
            accepting = await serve(
                self._attend, sock=listening, backlog=_ACCEPTED_AT_ONCE, create_connection=create, compression=None,
                max_size=m.MAX_CLIENT_MESSAGE_BYTES, open_timeout=OPEN_SECONDS, ping_interval=PING_SECONDS, ping_timeout=SILENT_SECONDS,
                close_timeout=_CLOSE_SECONDS, server_header=None, logger=_logger,
            )  # fmt: skip
            listening.listen(_BACKLOG)  # asyncio uses `backlog` for both
            stack.callback(accepting.close, close_connections=False)
            stack.push_async_callback(self._dismiss)
            self._started.set()
            try:
                await self._tick()
            except Exception as error:
                self._reason = f"the server failed: {error or type(error).__name__}"
                raise

    async def _tick(self) -> None:
        """Simulate ticks when they are due, until the server ends."""
        assert self._stop is not None
        server, clock, until = self._server, asyncio.get_running_loop().time, self._until
        updated = checked = clock()
        while not self._stop.is_set():
            now = clock()
            if until is not None:  # do not simulate more ticks
                now = min(now, now + (until + server.settings.closing_delay + 0.5 - server.clock(now)) / server.hertz)
            server.advance(now)
            self.flush()
            if until is not None and server.open_tick >= until:
                self._reason = f"the server has finished its {until} steps"
                return
            if now - checked >= 1.0:
                checked = now
                self._check_sockets()
            if now - updated >= _STATUS_SECONDS:
                updated = now
                self._update_status()
            due = (server.simulation.now + server.settings.delay + 1 - server.clock(clock())) / server.hertz
            await asyncio.sleep(min(max(due, 0.0), _STATUS_SECONDS))

    def _after_tick(self, server: Server) -> None:
        simulation, tick = server.simulation, server.open_tick
        if self._recorder is not None:
            self._recorder.tick(simulation.inputs(tick - 1), simulation.digests[tick])
        if self._on_tick is not None:
            self._on_tick(server)

    async def _attend(self, connection: ServerConnection) -> None:
        """Pass a connection's messages to the server until the connection ends."""
        assert isinstance(connection, _Socket)
        peer = connection.peer = next(self._numbers)
        self._peers[peer] = connection
        self._server.connect(peer)
        clock = asyncio.get_running_loop().time
        try:
            while True:
                content = await connection.recv(decode=False)
                self._server.receive(peer, content, clock())
                self.flush()
                await asyncio.sleep(0)  # let other connections run, even if more messages wait here
        except ConnectionClosed as closed:
            if closed.rcvd is None and closed.sent is not None and not connection.why:
                self.cut(connection, f"it has not responded for {SILENT_SECONDS:g} s")
        finally:
            del self._peers[peer]
            self._server.disconnect(peer)
            self.flush()

    def flush(self) -> None:
        """Send the server's messages, and close the connections that it has dropped."""
        server = self._server
        while server.outbox:
            peer, content = server.outbox.popleft()
            connection = self._peers.get(peer)
            if connection is not None and not connection.why:
                connection.max_sent = max(connection.max_sent, len(content))
                broadcast((connection,), content)  # writes to the buffer without blocking
                self._check_buffer(connection)
        while server.drops:
            peer, reason = server.drops.popleft()
            connection = self._peers.get(peer)
            if connection is not None and not connection.why:
                connection.why = reason
                self.keep(self._close(connection, CloseCode.POLICY_VIOLATION, reason))

    def keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Run a coroutine in the background, keeping a reference to its task."""
        future = asyncio.ensure_future(work)
        self._tasks.add(future)
        future.add_done_callback(self._tasks.discard)
        return future

    async def _close(self, connection: _Socket, code: CloseCode, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            await connection.close(code, reason.encode()[:_MAX_REASON_BYTES].decode(errors="ignore"))
        connection.transport.abort()

    def cut(self, connection: _Socket, reason: str) -> None:
        """Abort a connection at once; unsent messages are discarded."""
        if not connection.why and connection.peer is not None:
            self._server.drop(connection.peer, reason)
        elif not connection.why:
            self._n_strangers += 1
            self._strangers.append(Drop(self._server.open_tick, connection.address, reason))
        connection.why = connection.why or reason
        self.sockets.discard(connection)
        connection.transport.abort()

    def make_room(self, newcomer: _Socket) -> None:
        """Abort a connection that has not joined if there are too many, either from the newcomer's address or in total.

        If there are too many in total, the address with the most of them is chosen; its oldest connection is aborted, rather one that has
        not completed the handshake.
        """
        limits = self.settings.limits
        strangers = [other for other in self.sockets if other.peer is None or not self._server.has_joined(other.peer)]
        counts = Counter(other.origin for other in strangers)
        if counts[newcomer.origin] >= limits.half_open:
            origin, reason = newcomer.origin, f"more than {limits.half_open} connections from its address have not sent a hello"
        elif len(self.sockets) >= limits.connections:
            origin = max(counts, key=counts.__getitem__, default="")
            reason = f"the server has reached its limit of {limits.connections} connections"
        else:
            return
        crowded = [other for other in strangers if other.origin == origin]
        self.cut(min(crowded, key=lambda other: (other.peer is not None, other.opened), default=newcomer), reason)

    def keep_alive(self, peer: int) -> None:
        """Record a pong: a client that is busy compiling may send no messages."""
        self._server.keep_alive(peer, asyncio.get_running_loop().time())

    def _check_buffer(self, connection: _Socket) -> None:
        waiting = connection.transport.get_write_buffer_size()
        if waiting > MAX_UNSENT_BYTES + connection.max_sent:
            self.cut(connection, f"it is too slow: {waiting} bytes are waiting to be sent to it")

    def _check_sockets(self) -> None:
        """Reset every connection's counts and check its send buffer; called once a second."""
        for connection in tuple(self.sockets):
            connection.n_bytes = connection.n_frames = 0
            if not connection.why:
                self._check_buffer(connection)

    def _update_status(self) -> None:
        status, digests = self._server.status, self._server.simulation.digests
        keyframe = max((tick for tick in digests if tick % KEYFRAME_TICKS == 0 and tick <= status.tick), default=0)
        drops = sorted((*status.drops, *self._strangers), key=lambda drop: drop.tick)
        self.status = HostStatus(
            status, tuple(drops), status.n_dropped + self._n_strangers, len(self.sockets),
            keyframe, digests[keyframe].hex() if keyframe in digests else "", "" if self._recorder is None else self._recorder.ended,
        )  # fmt: skip

    async def _dismiss(self) -> None:
        """Send the shutdown reason to all clients, and close the connections in parallel."""
        self._update_status()
        broadcast(
            [connection for connection in self._peers.values() if not connection.why],
            m.encode(m.Dropped(brief(self._reason, 500), is_over=True)),
        )
        closing = [self.keep(self._close(connection, CloseCode.GOING_AWAY, self._reason)) for connection in self._peers.values()]
        if closing:
            await asyncio.wait(closing, timeout=_CLOSE_SECONDS)
        for connection in tuple(self.sockets):
            connection.transport.abort()


def _listen(bind: str, port: int) -> socket.socket:
    """Return a listening socket."""
    at = f"{bind}:{port}"
    try:
        return socket.create_server((bind, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LabError(f"port {port} is in use: another program listens at {at}; --port 0 chooses a free one") from None
        hint = ": choose a port from 1024 to 65535" if error.errno in (errno.EACCES, errno.EPERM) else ""
        raise LabError(f"cannot listen at {at} ({error.strerror or error}){hint}") from None
