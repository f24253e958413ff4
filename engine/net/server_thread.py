"""The sockets of a server: a thread with an asyncio loop, in which the `Server`, its world and its connections live.

    the caller's thread               the server's thread
    ServerThread(make_demo).start() ->  makes the demo; accepts connections; simulates the ticks that are due
    .status                         <-  a snapshot, twice a second
    .close("reason")                ->  sends all the reason, and ends within a second

Nothing here waits for a client. What is sent goes into the connection's buffer at once; a connection whose buffer grows too long, that does
not shake hands in time, does not answer pings or floods the socket is cut off.
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
import traceback
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from websockets.asyncio.connection import broadcast
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, PayloadTooBig
from websockets.frames import CloseCode, Opcode

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import brief
from engine.net import messages as m
from engine.net.addresses import own_addresses
from engine.net.server import Drop, Server, ServerSettings, ServerStatus
from engine.sim.demo import Demo
from engine.sim.recordings import TickRecorder
from engine.sim.replaying import record_ticks
from engine.sim.users import KEYFRAME_TICKS

if TYPE_CHECKING:
    import ssl

__all__ = ["HostStatus", "ServerThread", "origin_of"]

MAX_UNSENT_BYTES = 2_000_000
"""Bytes that may wait for a client beside the largest message to it: a minute of a busy world."""
MAX_BYTES_PER_S = 1_000_000
MAX_FRAMES_PER_S = 2_000
"""From one connection, on the socket, pings of its protocol included; the content is limited by the server's `Limits`."""
OPEN_SECONDS = 5.0
"""For the handshake."""
PING_SECONDS = 4.0
SILENT_SECONDS = 8.0
"""For the answer to a ping. Both together are less than `Limits.silent_seconds`: a laptop that slept finds its connection broken, and
reconnects, and is not dropped for good."""
_CLOSE_SECONDS = 0.5
_END_SECONDS = 5.0
"""For the last tick: one that compiles takes seconds."""
_CHUNK_BYTES = 1_024
"""Bytes that are parsed at a time: a flood is noticed before all of it is parsed."""
_BACKLOG = 128
"""Connections that wait to be accepted, in the operating system's queue."""
_ACCEPTED_AT_ONCE = 4
"""Waiting connections accepted between two turns of the present ones: a flood of new ones neither holds up a tick nor pushes a newcomer out
(`Limits.half_open`) before he has had a few turns to shake hands."""
_STATUS_SECONDS = 0.5
_KEPT_DROPS = 64
_MAX_REASON_BYTES = 120
"""Bytes: of a close frame's 125, two are its code."""

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False  # every broken handshake of a stranger would be a traceback on standard error


def origin_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the network that one connection to the internet has, 64 bits.

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
    """The server and its connections at a moment.

    Attributes
    ----------
    server : ServerStatus
    drops : tuple of Drop
        The last of the server's, and of strangers who did not even shake hands.
    n_dropped : int
    n_sockets : int
        Open ones, in the middle of a handshake too.
    keyframe : int
        The last tick of a keyframe.
    state_hash : str
        Of the state right before it.
    recording : str
        Why the recording ended; empty if it did not.
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
        """The first that is not closed."""
        return self.server.tick

    @property
    def users(self) -> tuple[str, ...]:
        """Names of those who are here."""
        return tuple(user.name for user in self.server.users if user.is_here)


class _Socket(ServerConnection):
    """A connection, counted and limited from before its first byte on.

    With TLS it is accepted as plain TCP, and the handshake begins when it has its place among those who have not joined: what TLS keeps of
    a stranger, 250 kB in asyncio alone, is bounded by their number.
    """

    def __init__(self, host: ServerThread, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.host = host
        self.opened, self.origin = time.monotonic(), ""
        """When, and what counts as its address."""
        self.max_sent = self.n_bytes = self.n_frames = 0
        """Bytes of the largest message that was sent; bytes and frames that arrived within this second."""
        self.why = ""
        """Reason for which it was cut off; empty if it was not."""
        self.peer: int | None = None
        self._early = bytearray()
        """Bytes that arrived with the end of the TLS handshake."""
        self._is_begun = False
        """True once the library has the connection, after TLS."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.origin = origin_of(self.address.rpartition(":")[0])
        self.host.make_room(self)
        if self.why:
            return
        self.host.sockets.add(self)
        if self.host.tls is None:
            self._begin(transport)
        else:
            self.transport.pause_reading()  # until TLS reads
            self.host.keep(self._encrypt(self.host.tls))

    async def _encrypt(self, tls: ssl.SSLContext) -> None:
        """Perform the TLS handshake, and begin; a connection that fails, or takes too long, is gone at once, with all its memory."""
        try:
            transport = await self.loop.start_tls(
                self.transport, self, tls, server_side=True, ssl_handshake_timeout=OPEN_SECONDS, ssl_shutdown_timeout=_CLOSE_SECONDS
            )
        except Exception as error:  # whatever the library makes of a stranger's bytes
            traceback.clear_frames(error.__traceback__)  # which hold TLS's buffers, and are held by the error: a circle
            transport = None
        if transport is None or transport.is_closing() or self.why:
            self.transport.abort()
            self.connection_lost(None)
        else:
            self._begin(transport)
            self._parse(bytes(self._early))

    def _begin(self, transport: asyncio.BaseTransport) -> None:
        self._is_begun = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.host.sockets.discard(self)
        if self._is_begun:
            super().connection_lost(exc)
        else:
            self.protocol.receive_eof()  # ends its parser, which else is part of a circle

    def eof_received(self) -> None:
        if self._is_begun:
            super().eof_received()

    def data_received(self, data: bytes) -> None:
        self.n_bytes += len(data)
        if self.n_bytes > MAX_BYTES_PER_S:
            self.host.cut(self, f"it sends more than {MAX_BYTES_PER_S} bytes a second")
        elif self._is_begun:
            self._parse(data)
        else:
            self._early += data

    def _parse(self, data: bytes) -> None:
        for at in range(0, len(data), _CHUNK_BYTES):
            if self.why:
                return
            super().data_received(data[at : at + _CHUNK_BYTES])
            error = self.protocol.parser_exc
            if error is not None:  # the library would wait for an answer
                large = f"it sent a message of more than {m.MAX_CLIENT_MESSAGE_BYTES} bytes"
                self.host.cut(self, large if isinstance(error, PayloadTooBig) else "what it sends is no WebSocket protocol")

    def process_event(self, event: Any) -> None:
        self.n_frames += 1
        if self.peer is not None and getattr(event, "opcode", None) is Opcode.PONG:
            self.host.keep_alive(self.peer)
        if self.n_frames > MAX_FRAMES_PER_S:
            self.host.cut(self, f"it sends more than {MAX_FRAMES_PER_S} messages a second")
        else:
            super().process_event(event)

    @property
    def stage(self) -> int:
        """Progress of joining: 0 without TLS, 1 with it, 2 with a WebSocket."""
        return self._is_begun + (self.peer is not None)

    @property
    def address(self) -> str:
        """Address from which it comes, with the port."""
        address = self.remote_address
        return f"{address[0]}:{address[1]}" if isinstance(address, tuple) else "a stranger"


class ServerThread:
    """A shared world that others may join over sockets.

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
    record : path-like, optional
        A file, which does not exist yet, for a recording.
    on_tick : callable, optional
        Called with the server, on its thread, after each tick.

    Attributes
    ----------
    port : int
        At which it listens, once it has started.
    status : HostStatus
        Updated twice a second, once it has started.
    settings : ServerSettings
    failure : str
        The error that ended it; empty without.
    sockets : set
        Its connections; of its own thread.
    """

    def __init__(
        self,
        make_demo: Callable[[], Demo],
        settings: ServerSettings | None = None,
        bind: str = "127.0.0.1",
        port: int = m.PORT,
        tls: ssl.SSLContext | None = None,
        until: int | None = None,
        record: str | os.PathLike[str] | None = None,
        on_tick: Callable[[Server], object] | None = None,
    ) -> None:
        self.bind, self.port = bind, integer("port", port, 0, 65535)
        self.status: HostStatus
        self.failure = ""
        self.sockets: set[_Socket] = set()
        self.tls, self._make_demo, self._until = tls, make_demo, until
        self.settings = settings if settings is not None else ServerSettings()
        self.record, self._on_tick = record, on_tick
        self._hosts: list[str] = []
        self._recorder: TickRecorder | None = None
        self._thread: threading.Thread | None = None
        self._started, self._ended = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._reason = "the server ends"
        self._strangers: deque[Drop] = deque(maxlen=_KEPT_DROPS)
        self._n_strangers = 0
        self._peers: dict[int, _Socket] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Future[None]] = set()
        """Handshakes, and connections that are being closed."""

    @property
    def is_open_to_others(self) -> bool:
        """True if other computers can reach it."""
        return not (self.bind in ("localhost", "::1") or self.bind.startswith("127."))

    @property
    def addresses(self) -> tuple[str, ...]:
        """Host and port at which others reach it, in each network of this computer; THIS-COMPUTER where it is in none."""
        return tuple(f"{f'[{host}]' if ':' in host else host}:{self.port}" for host in self._hosts or ["THIS-COMPUTER"])

    @property
    def invitation(self) -> str:
        """Arguments of the command join for others: host and port, and --tls where it is encrypted."""
        return self.addresses[0] + (" --tls" if self.tls is not None else "")

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
        self._hosts = own_addresses(self.bind)
        self._thread = threading.Thread(target=self._run, args=(listening,), name="host", daemon=True)
        self._thread.start()
        try:
            self._started.wait()
        except BaseException:  # Ctrl-C, while kernels are compiled
            self.close("the server was interrupted")
            raise
        if self._error is not None:
            raise self._error

    @property
    def is_over(self) -> bool:
        """True if it has ended: by `close`, after its ticks, or by a failure."""
        return self._ended.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; return whether it has."""
        return self._ended.wait(seconds)

    def close(self, reason: str = "the server ends") -> None:
        """Send all the reason, and end; returns within a second or so, whatever others do, once the present tick is done."""
        self._reason = reason
        if self._loop is not None and self._stop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended
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
        self._loop.set_exception_handler(lambda loop, context: None)  # of connections that break off in the middle of a handshake
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
            listening.listen(_BACKLOG)  # asyncio takes one number for both
            stack.callback(accepting.close, close_connections=False)
            stack.push_async_callback(self._dismiss)
            self._started.set()
            try:
                await self._tick()
            except Exception as error:
                self._reason = f"the server failed: {error or type(error).__name__}"
                raise

    async def _tick(self) -> None:
        """Simulate the ticks as they are due, until the end."""
        assert self._stop is not None
        server, clock, until = self._server, asyncio.get_running_loop().time, self._until
        updated = checked = clock()
        while not self._stop.is_set():
            now = clock()
            if until is not None:  # and no tick more
                now = min(now, now + (until + server.settings.delay + 0.5 - server.clock(now)) / server.hertz)
            server.advance(now)
            self.flush()
            if until is not None and server.simulation.now >= until:
                self._reason = f"the server has taken its {until} steps"
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
        simulation = server.simulation
        if self._recorder is not None:
            self._recorder.tick(simulation.inputs(simulation.now - 1), simulation.digests[simulation.now])
        if self._on_tick is not None:
            self._on_tick(server)

    async def _attend(self, connection: ServerConnection) -> None:
        """Hand the server the messages of a connection, until it is gone."""
        assert isinstance(connection, _Socket)
        peer = connection.peer = next(self._numbers)
        self._peers[peer] = connection
        self._server.connect(peer, connection.origin)
        clock = asyncio.get_running_loop().time
        try:
            while True:
                content = await connection.recv(decode=False)
                self._server.receive(peer, content, clock())
                self.flush()
                await asyncio.sleep(0)  # others' turn, though more messages wait here
        except ConnectionClosed as closed:
            if closed.rcvd is None and closed.sent is not None and not connection.why:
                self.cut(connection, f"it has not answered for {SILENT_SECONDS:g} s")
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
                broadcast((connection,), content)  # into its buffer: it does not wait
                self._check_buffer(connection)
        while server.drops:
            peer, reason = server.drops.popleft()
            connection = self._peers.get(peer)
            if connection is not None and not connection.why:
                connection.why = reason
                self.keep(self._close(connection, CloseCode.POLICY_VIOLATION, reason))

    def keep(self, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Run something beside the rest, to its end."""
        future = asyncio.ensure_future(work)
        self._tasks.add(future)
        future.add_done_callback(self._tasks.discard)
        return future

    async def _close(self, connection: _Socket, code: CloseCode, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            await connection.close(code, reason.encode()[:_MAX_REASON_BYTES].decode(errors="ignore"))
        connection.transport.abort()

    def cut(self, connection: _Socket, reason: str) -> None:
        """End a connection at once: what waits to be sent to it is thrown away."""
        if not connection.why and connection.peer is not None:
            self._server.drop(connection.peer, reason)
        elif not connection.why:
            self._n_strangers += 1
            self._strangers.append(Drop(self._server.simulation.now, connection.address, reason))
        connection.why = connection.why or reason
        self.sockets.discard(connection)
        connection.transport.abort()

    def make_room(self, newcomer: _Socket) -> None:
        """Cut off a connection that has not joined where there are too many: from the newcomer's address, or from that with most of them.

        Of an address it is the oldest of those at the stage, TLS, WebSocket or hello, at which most of them are: connections that go from
        one stage to the next are not cut off for those that stay behind.
        """
        limits = self.settings.limits
        strangers = [other for other in self.sockets if other.peer is None or not self._server.has_joined(other.peer)]
        counts = Counter(other.origin for other in strangers)
        if counts[newcomer.origin] >= limits.half_open:
            origin, reason = newcomer.origin, f"more than {limits.half_open} connections from its address say no hello"
        elif len(self.sockets) >= limits.connections:
            origin, reason = max(counts, key=counts.__getitem__, default=""), f"there are {limits.connections} connections already"
        else:
            return
        stages = Counter(other.stage for other in strangers if other.origin == origin)
        crowded = [other for other in strangers if other.origin == origin and stages[other.stage] == max(stages.values())]
        self.cut(min(crowded, key=lambda other: other.opened, default=newcomer), reason)

    def keep_alive(self, peer: int) -> None:
        """Note that a connection answers pings: its program may be busy compiling, and send nothing."""
        self._server.keep_alive(peer, asyncio.get_running_loop().time())

    def _check_buffer(self, connection: _Socket) -> None:
        waiting = connection.transport.get_write_buffer_size()
        if waiting > MAX_UNSENT_BYTES + connection.max_sent:
            self.cut(connection, f"it is too slow: {waiting} bytes wait to be sent to it")

    def _check_sockets(self) -> None:
        """Check every connection, once a second, those to which nothing is sent too."""
        for connection in tuple(self.sockets):
            connection.n_bytes = connection.n_frames = 0
            if not connection.why:
                self._check_buffer(connection)

    def _update_status(self) -> None:
        server, digests = self._server, self._server.simulation.digests
        keyframe = max((tick for tick in digests if tick % KEYFRAME_TICKS == 0), default=0)
        drops = sorted((*server.status.drops, *self._strangers), key=lambda drop: drop.tick)
        self.status = HostStatus(
            server.status, tuple(drops), server.status.n_dropped + self._n_strangers, len(self.sockets),
            keyframe, digests[keyframe].hex() if keyframe in digests else "", "" if self._recorder is None else self._recorder.ended,
        )  # fmt: skip

    async def _dismiss(self) -> None:
        """Send all the reason for the end, and close; no connection keeps the others from it."""
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
    """Return a socket that listens."""
    at = f"[{bind}]:{port}" if ":" in bind else f"{bind}:{port}"
    wrong_address = InvalidInputError("--bind", "an address of this machine, such as 127.0.0.1 or 0.0.0.0", bind)
    try:
        family, _, _, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        both = bind == "::" and socket.has_dualstack_ipv6()
        return socket.create_server(cast(Any, address), family=family, dualstack_ipv6=both)
    except (socket.gaierror, UnicodeError, ValueError):
        raise wrong_address from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise LabError(f"port {port} is taken: another program listens at {at}; --port 0 takes one that is free") from None
        if error.errno == errno.EADDRNOTAVAIL:
            raise wrong_address from None
        hint = ": one from 1024 to 65535 may" if error.errno in (errno.EACCES, errno.EPERM) else ""
        raise LabError(f"nothing can listen at {at} ({error.strerror or error}){hint}") from None
