"""A server's sockets: a thread of its own with an asyncio loop, in which the `Server`, its world and its connections live.

    the caller's thread            the server_thread's thread
    ServerThread(make_demo).start() ->  makes the demo; accepts connections; takes the ticks that are due
    .status                    <-  a snapshot, twice a second
    .close("words")            ->  tells all, and ends within a second

Nothing here waits for a client. What is sent is handed to the connection's buffer at once; one whose buffer grows too long, that does not
shake hands in time, does not answer pings or floods the socket is cut off. A tick never waits for any of that.
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
import traceback
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, PayloadTooBig
from websockets.frames import CloseCode, Opcode
from websockets.protocol import State

from engine.common.checks import integer
from engine.common.errors import InvalidInputError, LabError
from engine.common.words import brief
from engine.net import messages as m
from engine.net.addresses import own_addresses
from engine.net.guesses import origin_of
from engine.net.server import Drop, Server, ServerSettings, ServerStatus
from engine.sim.demo import Demo
from engine.sim.recordings import TickRecorder
from engine.sim.replaying import record_ticks
from engine.sim.users import KEYFRAME_TICKS

if TYPE_CHECKING:
    import ssl

__all__ = ["BIND", "HostStatus", "ServerThread"]

BIND = "127.0.0.1"
"""This machine alone."""

MAX_UNSENT_BYTES = 2_000_000
"""Bytes that may wait for a client beside the largest message to it: a minute of a busy world."""
MAX_BYTES_PER_S = 1_000_000
MAX_FRAMES_PER_S = 2_000
"""From one connection, on the socket, pings of its protocol too; what is in them the server's `Limits` hold."""
MAX_PINGS_PER_S = 20
"""Pings of the protocol from one connection; a client sends one in two seconds."""
OPEN_SECONDS = 5.0
"""For the handshake."""
PING_SECONDS = 4.0
SILENT_SECONDS = 8.0
"""For the answer to a ping. Both together are less than `Limits.silent_seconds`: a laptop that slept finds its connection broken, which is
taken up again, and is not dropped for good."""
_CLOSE_SECONDS = 0.5
_END_SECONDS = 5.0
"""For a tick that is being taken when it ends: one that compiles takes seconds."""
_AT_ONCE = 1_024
"""Bytes of a connection that are looked at in one go: then it is the others' turn, and the next tick's."""
_WRITTEN_AT_ONCE = 65_536
"""Bytes of messages to one connection that are written together."""
_WAITING_CONNECTIONS = 128
"""Connections that wait to be accepted, in the operating system's queue."""
_ACCEPTED_AT_ONCE = 4
"""Waiting connections accepted between two turns of the present ones: a flood of new ones neither holds up a tick nor pushes a newcomer out
(`Limits.half_open`) before he has had a few turns to shake hands."""
_PAUSE_SECONDS = 0.002
_STATUS_SECONDS = 0.5
_KEPT_DROPS = 64
_MAX_REASON_BYTES = 120
"""Bytes: of a close frame's 125, two are its code."""

_logger = logging.getLogger(__name__)
_logger.addHandler(logging.NullHandler())
_logger.propagate = False  # every broken handshake of a stranger would be a traceback on standard error


def _close_reason(words: str) -> str:
    """Return as much of a reason as a close frame holds."""
    return words.encode()[:_MAX_REASON_BYTES].decode(errors="ignore")


@dataclass(frozen=True, slots=True)
class HostStatus:
    """How it goes, at one time.

    Attributes
    ----------
    server : ServerStatus
    drops : tuple of Drop
        The last of the server's, and of strangers who did not even shake hands.
    n_dropped : int
    n_sockets : int
        Open ones, in the middle of a handshake too.
    sent, received : float
        Bytes of messages a second, over the last half second or so.
    keyframe : int
        The last tick of a keyframe.
    state_hash : str
        Of the state right before it.
    recording : str
        Why what was to be recorded is recorded no more; empty otherwise.
    """

    server: ServerStatus
    drops: tuple[Drop, ...] = ()
    n_dropped: int = 0
    n_sockets: int = 0
    sent: float = 0.0
    received: float = 0.0
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

    With TLS it is accepted as plain TCP, and the handshake begins when it has its place among those who are not in: what TLS keeps of a
    stranger, 250 kB in asyncio alone, is bounded by their number.
    """

    def __init__(self, server_thread: ServerThread, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.server_thread = server_thread
        self.opened, self.origin = time.monotonic(), ""
        """When, and what counts as its address."""
        self.largest = self.n_unwritten = 0
        """Bytes: of the largest message that was sent; of those that are not written yet."""
        self.n_bytes = self.n_frames = self.n_pings = 0
        """Counts of what came within this second."""
        self.why = ""
        """Reason for which it was cut off; empty if it was not."""
        self._waiting = bytearray()
        """Bytes that came and have not been read."""
        self.peer: int | None = None
        self._is_begun = self._has_ended = False
        """True once the library has the connection, after TLS; true once the end of what is sent was written."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        found = self.remote_address
        self.origin = origin_of(str(found[0])) if isinstance(found, tuple) else ""
        self.server_thread.make_room(self)
        if self.why:
            return
        self.server_thread.sockets.add(self)
        if self.server_thread.tls is None:
            self._begin(transport)
        else:
            self.transport.pause_reading()  # until TLS reads
            self.server_thread.keep(self._encrypt(self.server_thread.tls))

    async def _encrypt(self, tls: ssl.SSLContext) -> None:
        """Shake hands for TLS, and begin; one that does not, or in time, is gone at once, with all that was kept for it."""
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
            self._look()

    def _begin(self, transport: asyncio.BaseTransport) -> None:
        self._is_begun = True
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server_thread.sockets.discard(self)
        self._waiting.clear()
        if self._is_begun:
            super().connection_lost(exc)
        else:
            self.protocol.receive_eof()  # ends its parser, which else is part of a circle

    def eof_received(self) -> None:
        self._waiting.clear()
        if self._is_begun:
            super().eof_received()

    def data_received(self, data: bytes) -> None:
        self.n_bytes += len(data)
        if self.why:
            return
        if self.n_bytes > MAX_BYTES_PER_S:
            self.server_thread.cut(self, f"it sends more than {MAX_BYTES_PER_S} bytes a second")
            return
        is_scheduled = bool(self._waiting)
        self._waiting += data
        if not is_scheduled:
            self._look()

    def _look(self) -> None:
        """Look at some of what came, and at the rest when others have had their turn."""
        if self.why or not self._waiting or not self._is_begun:  # TLS hands over what came with the handshake before that is told
            return
        if self.recv_messages.paused:  # so many messages wait for the server already
            self.loop.call_later(_PAUSE_SECONDS, self._look)
            return
        data = bytes(self._waiting[:_AT_ONCE])
        del self._waiting[:_AT_ONCE]
        super().data_received(data)
        error = self.protocol.parser_exc
        if error is not None and not self.why:  # the library would wait for its answer
            large = f"it sent a message of more than {m.MAX_CLIENT_MESSAGE_BYTES} bytes"
            self.server_thread.cut(self, large if isinstance(error, PayloadTooBig) else "what it sends is no WebSocket protocol")
        if self._waiting:
            self.loop.call_soon(self._look)

    def put(self, content: bytes) -> None:
        """Add a message to what `send_data` writes; a connection that is being closed takes none."""
        if self.protocol.state is State.OPEN:
            self.largest = max(self.largest, len(content))
            self.protocol.send_binary(content)
            self.n_unwritten += len(content)

    def send_data(self) -> None:
        """Write what the library has to say, in one go: a flood of pings has as many answers."""
        parts, self.n_unwritten = self.protocol.data_to_send(), 0
        if self._has_ended or self.transport.is_closing():
            return
        self.transport.write(b"".join(parts))
        if b"" in parts:  # which stands for the end
            self._has_ended = True
            if self.transport.can_write_eof():
                with contextlib.suppress(OSError, RuntimeError):
                    self.transport.write_eof()
            else:
                self.transport.close()

    def process_event(self, event: Any) -> None:
        self.n_frames += 1
        opcode = getattr(event, "opcode", None)
        self.n_pings += opcode is Opcode.PING
        if self.peer is not None and opcode is Opcode.PONG:
            self.server_thread.note_alive(self.peer)
        if self.why:
            return
        if self.n_pings > MAX_PINGS_PER_S:
            self.server_thread.cut(self, f"it sends more than {MAX_PINGS_PER_S} pings a second")
        elif self.n_frames > MAX_FRAMES_PER_S:
            self.server_thread.cut(self, f"it sends more than {MAX_FRAMES_PER_S} messages a second")
        else:
            super().process_event(event)

    @property
    def stage(self) -> int:
        """How far it has got on its way in: 0 without TLS, 1 with it, 2 with a WebSocket."""
        return self._is_begun + (self.peer is not None)

    @property
    def address(self) -> str:
        """Address from which it comes, with the port."""
        found = self.remote_address
        return f"{found[0]}:{found[1]}" if isinstance(found, tuple) else "a stranger"


class ServerThread:
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
    record : path-like, optional
        A file, which is not there yet, for a recording of it.
    on_tick : callable, optional
        Called with the server, on its thread, after each tick.

    Attributes
    ----------
    port : int
        At which it listens, once it has started.
    status : HostStatus
        Told twice a second, once it has started.
    settings : ServerSettings
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
        record: str | os.PathLike[str] | None = None,
        on_tick: Callable[[Server], object] | None = None,
    ) -> None:
        self.bind, self.port = bind, integer("port", port, 0, 65535)
        self.status: HostStatus
        self.failure = ""
        self._hosts: list[str] = []
        self.sockets: set[_Socket] = set()
        self.tls, self._make_demo, self._until = tls, make_demo, until
        self.settings = settings if settings is not None else ServerSettings()
        self.record, self._on_tick = record, on_tick
        self._recorder: TickRecorder | None = None
        self._thread: threading.Thread | None = None
        self._begun, self._ended = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._reason = "the server ends"
        self._strangers: deque[Drop] = deque(maxlen=_KEPT_DROPS)
        self._n_strangers = 0
        self._peers: dict[int, _Socket] = {}
        self._numbers = itertools.count(1)
        self._under_way: set[asyncio.Future[None]] = set()
        """Handshakes, and connections that are being closed."""
        self._is_to_flush = False
        self._seen = (0.0, 0, 0)
        """When the status was last told, with what had been sent and had come by then."""

    @property
    def is_open_to_others(self) -> bool:
        """True if other computers can reach it."""
        return not (self.bind in ("localhost", "::1") or self.bind.startswith("127."))

    @property
    def has_tls(self) -> bool:
        """True if it is encrypted."""
        return self.tls is not None

    @property
    def addresses(self) -> tuple[str, ...]:
        """Host and port at which others find it, in each network of this computer; THIS-COMPUTER where it is in none."""
        return tuple(f"{f'[{host}]' if ':' in host else host}:{self.port}" for host in self._hosts or ["THIS-COMPUTER"])

    @property
    def invitation(self) -> str:
        """Arguments of the command join for others: host and port, and --tls where it is encrypted."""
        return self.addresses[0] + (" --tls" if self.has_tls else "")

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
        self._thread = threading.Thread(target=self._run, args=(listening,), name="server_thread", daemon=True)
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
        """True if it has ended: asked to, after its ticks, or by a failure."""
        return self._ended.is_set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; return whether it has."""
        return self._ended.wait(seconds)

    def close(self, reason: str = "the server ends") -> None:
        """Tell all why, and end; returns within a second or so, whatever others do, once a tick that is under way is taken. Closed twice is
        closed."""
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
                asyncio.run(self._host(listening))
        except BaseException as error:
            if self._begun.is_set():
                self.failure = f"the server failed: {error or type(error).__name__}"
            else:
                self._error = error
        finally:
            if self._recorder is not None:
                self._recorder.close()
                self.status = replace(self.status, recording=self._recorder.ended)
            self._ended.set()
            self._begun.set()

    async def _host(self, listening: socket.socket) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda loop, context: None)  # of connections that break off in the middle of a handshake
        self._server = server = Server(self._make_demo(), self.settings, start=self._loop.time())
        if self.record is not None:
            self._recorder = record_ticks(server.simulation.demo, self.record)
        server.on_tick = self._took
        self._tell_status()
        made = cast(type[ServerConnection], lambda *given, **options: _Socket(self, *given, **options))
        async with contextlib.AsyncExitStack() as stack:
            accepting = await serve(
                self._attend, sock=listening, backlog=_ACCEPTED_AT_ONCE, create_connection=made, compression=None,
                max_size=m.MAX_CLIENT_MESSAGE_BYTES, open_timeout=OPEN_SECONDS, ping_interval=PING_SECONDS, ping_timeout=SILENT_SECONDS,
                close_timeout=_CLOSE_SECONDS, server_header=None, logger=_logger,
            )  # fmt: skip
            listening.listen(_WAITING_CONNECTIONS)  # asyncio takes one number for both
            stack.callback(accepting.close, close_connections=False)
            stack.push_async_callback(self._dismiss)
            self._begun.set()
            try:
                await self._tick()
            except Exception as error:
                self._reason = f"the server failed: {error or type(error).__name__}"
                raise

    async def _tick(self) -> None:
        """Take the ticks as they are due, until the end."""
        assert self._stop is not None
        server, clock, until = self._server, asyncio.get_running_loop().time, self._until
        told = second = clock()
        while not self._stop.is_set():
            now = clock()
            if until is not None:  # and no tick more
                now = min(now, now + (until + server.settings.delay + 0.5 - server.clock(now)) / server.hertz)
            server.advance(now)
            self.flush()
            if until is not None and server.simulation.now >= until:
                self._reason = f"the server has taken its {until} steps"
                return
            if now - second >= 1.0:
                second = now
                self._check_sockets()
            if now - told >= _STATUS_SECONDS:
                told = now
                self._tell_status()
            due = (server.simulation.now + server.settings.delay + 1 - server.clock(clock())) / server.hertz
            await asyncio.sleep(min(max(due, 0.0), _STATUS_SECONDS))

    def _took(self, server: Server) -> None:
        simulation = server.simulation
        if self._recorder is not None:
            self._recorder.tick(simulation.inputs(simulation.now - 1), simulation.digests[simulation.now])
        if self._on_tick is not None:
            self._on_tick(server)

    async def _attend(self, connection: ServerConnection) -> None:
        """Hand the server what comes from a connection, until that is gone."""
        assert isinstance(connection, _Socket)
        peer = connection.peer = next(self._numbers)
        self._peers[peer] = connection
        self._server.connect(peer, connection.origin)
        clock = asyncio.get_running_loop().time
        try:
            while True:
                content = await connection.recv(decode=False)
                self._server.receive(peer, content, clock())
                self._flush_soon()
        except ConnectionClosed as closed:
            if closed.rcvd is None and closed.sent is not None and not connection.why:
                self.cut(connection, f"it has not answered for {SILENT_SECONDS:g} s")
        finally:
            del self._peers[peer]
            self._server.disconnect(peer)
            self.flush()

    def _flush_soon(self) -> None:
        """Flush once the others who are ready now have had their turn: one write for all that they said."""
        if not self._is_to_flush:
            self._is_to_flush = True
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Hand over what the server has to say, and cut off whom it has done with."""
        self._is_to_flush, server = False, self._server
        waiting: set[_Socket] = set()
        while server.outbox:
            peer, content = server.outbox.popleft()
            to = self._peers.get(peer)
            if to is None or to.why:
                continue
            to.put(content)
            waiting.add(to)
            if to.n_unwritten > _WRITTEN_AT_ONCE:
                self._write(to)
        for to in waiting:
            self._write(to)
        while server.drops:
            peer, reason = server.drops.popleft()
            to = self._peers.get(peer)
            if to is not None and not to.why:
                to.why = reason
                self.keep(self._close(to, CloseCode.POLICY_VIOLATION, reason))

    def keep(self, doing: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
        """Let something go on beside the rest, to its end."""
        future = asyncio.ensure_future(doing)
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    async def _close(self, connection: _Socket, code: CloseCode, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            await connection.close(code, _close_reason(reason))
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
        """Cut off somebody at the door where too many stand there: from the newcomer's address, or from that of which most do.

        Of an address it is the one that has come first of those who have got as far, TLS, WebSocket or hello, as most of them: who goes on
        from one to the next makes room for nobody who stays behind.
        """
        limits = self.settings.limits
        strangers = [one for one in self.sockets if one.peer is None or not self._server.is_in(one.peer)]
        counts = Counter(one.origin for one in strangers)
        if counts[newcomer.origin] >= limits.half_open:
            origin, reason = newcomer.origin, f"more than {limits.half_open} connections from its address say no hello"
        elif len(self.sockets) >= limits.connections:
            origin, reason = max(counts, key=counts.__getitem__, default=""), f"there are {limits.connections} connections already"
        else:
            return
        among = [one for one in strangers if one.origin == origin]
        stages = Counter(one.stage for one in among)
        most = max(stages.values(), default=0)
        self.cut(min((one for one in among if stages[one.stage] == most), key=lambda one: one.opened, default=newcomer), reason)

    def note_alive(self, peer: int) -> None:
        """Note that a connection answers pings: its program may be busy compiling, or being dragged about, and say nothing."""
        self._server.note_alive(peer, asyncio.get_running_loop().time())

    def _write(self, to: _Socket) -> None:
        """Write what was put: into the connection's buffer, it does not wait."""
        if to.n_unwritten and not to.why:
            to.send_data()
            self._check_buffer(to)

    def _check_buffer(self, connection: _Socket) -> None:
        waiting = connection.transport.get_write_buffer_size()
        if waiting > MAX_UNSENT_BYTES + connection.largest:
            self.cut(connection, f"it is too slow: {waiting} bytes wait to be sent to it")

    def _check_sockets(self) -> None:
        """Look at every connection, once a second: those to which nothing is sent too."""
        for connection in tuple(self.sockets):
            connection.n_bytes = connection.n_frames = connection.n_pings = 0
            if not connection.why:
                self._check_buffer(connection)

    def _tell_status(self) -> None:
        server, now = self._server, time.monotonic()
        status, (before, sent, received) = server.status, self._seen
        self._seen = (now, status.n_sent, status.n_received)
        passed = max(now - before, 1e-3)
        keyframe = max((tick for tick in server.simulation.digests if tick % KEYFRAME_TICKS == 0), default=0)
        self.status = HostStatus(
            status,
            tuple(sorted((*status.drops, *self._strangers), key=lambda drop: drop.tick)),
            status.n_dropped + self._n_strangers,
            len(self.sockets),
            (status.n_sent - sent) / passed,
            (status.n_received - received) / passed,
            keyframe,
            server.simulation.digests[keyframe].hex() if keyframe in server.simulation.digests else "",
            "" if self._recorder is None else self._recorder.ended,
        )

    async def _dismiss(self) -> None:
        """Tell all that it is over, and let them go; whatever one of them is about keeps the others from nothing."""
        self._tell_status()
        over = m.encode(m.Dropped(brief(self._reason, 500), is_over=True))
        leaving = [self.keep(self._part_with(one, over)) for one in self._peers.values()]
        if leaving:
            await asyncio.wait(leaving, timeout=_CLOSE_SECONDS)
        for connection in tuple(self.sockets):
            connection.transport.abort()

    async def _part_with(self, connection: _Socket, over: bytes) -> None:
        if not connection.why:
            connection.put(over)
            connection.send_data()
        await self._close(connection, CloseCode.GOING_AWAY, self._reason)


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
    return listening
