"""A server in this process, in any time, and connections to it without sockets: for tests, and for pictures that come out the same.

A `LocalConnection` is used as a `Connection` is, so that a `Party` takes it; `LocalServer.advance` says what time it is.
"""

from __future__ import annotations

from typing import Literal

from engine.common.rng import stream
from engine.net.link import Link, LinkSettings
from engine.net.server import Server, ServerSettings
from engine.sim.demo import Demo

__all__ = ["LocalConnection", "LocalServer"]


class LocalConnection:
    """A client's side of it; attributes as of `engine.net.connection.Connection`."""

    def __init__(self, server: LocalServer, link: LinkSettings) -> None:
        self.address = "this program"
        self.reason = ""
        self.n_sent = self.n_received = 0
        self._server, self._link = server, link
        self.open()

    def open(self) -> None:
        """Connect, once more if it is closed."""
        self.state: Literal["connecting", "open", "closed"] = "open"
        self.reason = ""
        self.peer = self._server.connect(self)
        self.up, self.down = (Link(self._link, stream(self._server.seed, way, self.peer)) for way in ("up", "down"))

    @property
    def now(self) -> float:
        """The server's time, seconds."""
        return self._server.now

    @property
    def link(self) -> LinkSettings:
        """Of each way."""
        return self._link

    @link.setter
    def link(self, settings: LinkSettings) -> None:
        self._link = self.up.settings = self.down.settings = settings

    def send(self, *contents: bytes) -> None:
        """Send messages."""
        if self.state == "open":
            for content in contents:
                self.n_sent += len(content)
                self.up.put(content, self._server.now)

    def receive(self) -> list[tuple[bytes, float]]:
        """Return what has come by now, each with when it did."""
        found = self.down.take_with_times(self._server.now) if self.state == "open" else []
        self.n_received += sum(len(content) for _, content in found)
        return [(content, at) for at, content in found]

    def close(self, reason: str = "it was closed") -> None:
        """End."""
        if self.state == "open":
            self.state, self.reason = "closed", reason
            self._server.disconnect(self.peer)


class LocalServer:
    """A server, and who is connected to it.

    Attributes
    ----------
    server : Server
    now : float
        Seconds.
    """

    def __init__(self, demo: Demo, settings: ServerSettings | None = None, seed: int = 0, now: float = 0.0) -> None:
        self.server = Server(demo, settings, start=now)
        self.now, self.seed = now, seed
        self._connections: dict[int, LocalConnection] = {}
        self._n = 0

    def connect(self, connection: LocalConnection) -> int:
        """Take a connection in, and return its number."""
        self._n += 1
        self._connections[self._n] = connection
        self.server.connect(self._n)
        return self._n

    def disconnect(self, peer: int) -> None:
        """Note that one is gone."""
        if self._connections.pop(peer, None) is not None:
            self.server.disconnect(peer)

    def advance(self, now: float) -> None:
        """Let time pass up to a moment: take in what has come, and close the ticks that are due."""
        self.now, server = now, self.server
        for peer, connection in list(self._connections.items()):
            for content in connection.up.take(now):
                server.receive(peer, content, now)
        server.advance(now)
        while server.outbox:
            peer, content = server.outbox.popleft()
            if (found := self._connections.get(peer)) is not None:
                found.down.put(content, now)
        while server.drops:
            peer, reason = server.drops.popleft()
            if (found := self._connections.get(peer)) is not None:
                found.close(reason)
