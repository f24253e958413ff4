"""Runs a server and its clients in one process, over simulated links and in simulated time; deterministic.

`SimulatedServer` and `SimulatedConnection` are advanced by their caller, such as a test; `SimulatedNetwork` also creates clients and runs
them frame by frame.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from engine.common.rng import stream
from engine.net.client import Client
from engine.net.link import Link, LinkSettings
from engine.net.server import Server, ServerSettings
from engine.sim.demo import Demo

__all__ = ["SimulatedClient", "SimulatedConnection", "SimulatedNetwork", "SimulatedServer"]

_FRAME = 1.0 / 60.0


class SimulatedConnection:
    """A client's connection to a `SimulatedServer`; its attributes are those of `engine.net.connection.Connection`.

    Parameters
    ----------
    server : SimulatedServer
    link : LinkSettings
        Settings of each direction.
    """

    address = "this program"

    def __init__(self, server: SimulatedServer, link: LinkSettings) -> None:
        self.n_sent = self.n_received = 0
        self._server, self._link = server, link
        self.open()

    def open(self) -> None:
        """Connect or reconnect."""
        self.state: Literal["connecting", "open", "closed"] = "open"
        self.reason = ""
        self.peer = self._server.connect(self)
        self.up = Link(self._link, stream(self._server.seed, "up", self.peer))
        self.down = Link(self._link, stream(self._server.seed, "down", self.peer))

    @property
    def now(self) -> float:
        """Time by the server's clock, s."""
        return self._server.now

    @property
    def link(self) -> LinkSettings:
        """Settings of both directions."""
        return self._link

    @link.setter
    def link(self, settings: LinkSettings) -> None:
        self._link = self.up.settings = self.down.settings = settings

    def send(self, *contents: bytes) -> None:
        """Send messages; discarded if the connection is closed."""
        if self.state == "open":
            for content in contents:
                self.n_sent += len(content)
                self.up.put(content, self._server.now)

    def receive(self) -> list[tuple[bytes, float]]:
        """Return the messages that have arrived by now, each with its arrival time, s."""
        arrived = self.down.take(self._server.now)
        self.n_received += sum(len(content) for content, _ in arrived)
        return arrived

    def close(self, reason: str = "it was closed") -> None:
        """Close the connection; messages in flight from the server still arrive."""
        if self.state == "open":
            self.state, self.reason = "closed", reason
            self._server.disconnect(self.peer)


class SimulatedServer:
    """A server and its connections.

    Attributes
    ----------
    server : Server
    now : float
        Simulated time, seconds.
    drops : list of (int, str)
        Numbers of dropped connections, and the reasons.
    """

    def __init__(self, demo: Demo, settings: ServerSettings | None = None, seed: int = 0, now: float = 0.0) -> None:
        self.server = Server(demo, settings, start=now)
        self.now, self.seed = now, seed
        self.drops: list[tuple[int, str]] = []
        self._connections: dict[int, SimulatedConnection] = {}
        self._n_connections = 0

    def connect(self, connection: SimulatedConnection) -> int:
        """Accept a connection, and return its number."""
        peer = self._n_connections
        self._n_connections += 1
        self._connections[peer] = connection
        self.server.connect(peer)
        return peer

    def disconnect(self, peer: int) -> None:
        """Remove a connection."""
        if self._connections.pop(peer, None) is not None:
            self.server.disconnect(peer)

    def advance(self, now: float) -> None:
        """Advance to a time: deliver the messages that have arrived, close the ticks that are due, and send the replies."""
        self.now, server = now, self.server
        for peer, connection in list(self._connections.items()):
            for content, _ in connection.up.take(now):
                server.receive(peer, content, now)
        server.advance(now)
        while server.outbox or server.drops:
            while server.outbox:
                peer, content = server.outbox.popleft()
                if peer in self._connections:
                    self._connections[peer].down.put(content, now)
            while server.drops:
                peer, reason = server.drops.popleft()
                if peer in self._connections:
                    self.drops.append((peer, reason))
                    self._connections[peer].close(reason)


@dataclass(slots=True)
class SimulatedClient:
    """A client of a `SimulatedNetwork`.

    Attributes
    ----------
    joins_at : float
        Time at which the client joins, s.
    connection : SimulatedConnection or None
        None before it joins.
    clock : callable
        Maps the server's time to the client's, both s; it may drift or jump.
    is_asleep : bool
        True while the client's machine is suspended: the client does nothing, and messages to it wait.
    seconds : float
        Processor time used by the client, s.
    n_ticks : int
        Number of ticks simulated, without resimulated ones.
    digests : dict of int to bytes
        Digest of the state right before each final tick.
    """

    client: Client
    rng: np.random.Generator
    joins_at: float = 0.0
    connection: SimulatedConnection | None = None
    clock: Callable[[float], float] = lambda now: now
    is_asleep: bool = False
    seconds: float = 0.0
    n_ticks: int = 0
    digests: dict[int, bytes] = field(default_factory=dict)


class SimulatedNetwork:
    """A server and clients that are run frame by frame.

    Parameters
    ----------
    demo : Demo
        The server's demo, freshly built.
    n_clients : int
    link : LinkSettings
        Settings of each direction.
    settings : ServerSettings, optional
    seed : int
        Seed of the links and of the clients' generators.
    method : str
        Synchronization method of the clients, one of `METHODS`.

    Attributes
    ----------
    members : list of SimulatedClient
    seconds : float
        Processor time used by the server, s.
    server : Server
    final : dict of int to bytes
        The server's digest of the state right before each tick.
    applied : dict of (user, number) to int
        Tick at which each action was applied.
    """

    def __init__(
        self,
        demo: Demo,
        n_clients: int,
        link: LinkSettings,
        settings: ServerSettings | None = None,
        seed: int = 0,
        method: str = "prediction",
    ) -> None:
        self.now = self.seconds = 0.0
        self._link = link
        self._host = SimulatedServer(demo, settings, seed, now=1.0)
        self.server = self._host.server
        self.final: dict[int, bytes] = dict(self.server.simulation.digests)
        self.applied: dict[tuple[int, int], int] = {}
        self.server.on_tick = self._record
        code = self.server.settings.code
        self.members = [SimulatedClient(Client(f"user {k}", code, method=method), stream(seed, "hand", k)) for k in range(n_clients)]
        for member in self.members:
            member.client.on_final = member.digests.__setitem__

    @property
    def clients(self) -> list[Client]:
        """The `Client` of each member."""
        return [member.client for member in self.members]

    @property
    def drops(self) -> list[str]:
        """Names of dropped clients, and the reasons."""
        names = {member.connection.peer: member.client.name for member in self.members if member.connection is not None}
        return [f"{names[peer]}: {reason}" for peer, reason in self._host.drops if peer in names]

    @property
    def digests(self) -> list[dict[int, bytes]]:
        """Digests of each client's final states, by tick."""
        return [member.digests for member in self.members]

    @property
    def n_differing(self) -> list[int]:
        """Number of digests of each client that differ from the server's."""
        return [sum(self.final[tick] != digest for tick, digest in known.items() if tick in self.final) for known in self.digests]

    def connect(self, k: int) -> None:
        """Connect a client; an existing connection is closed first."""
        member = self.members[k]
        if member.connection is None:
            member.connection = SimulatedConnection(self._host, self._link)
        else:
            member.connection.close()
            member.client.reconnect()
            member.connection.open()

    def _record(self, server: Server) -> None:
        simulation, tick = server.simulation, server.open_tick
        self.final[tick] = simulation.digests[tick]
        self.applied.update((action.key, tick - 1) for action in simulation.actions(tick - 1))

    def frame(self, play: Callable[[Client, np.random.Generator, float], object] | None = None) -> None:
        """Advance by 1/60 s; `play` is called for each client that has the state, with its random generator and its clock's time."""
        self.now += _FRAME
        self._host.now = now = self.now
        for k, member in enumerate(self.members):
            if member.joins_at > now or member.is_asleep:
                continue
            if member.connection is None:
                self.connect(k)
            assert member.connection is not None
            client, client_time, start = member.client, member.clock(now), time.process_time()
            for content, _ in member.connection.receive():
                client.receive(content, client_time)
            member.n_ticks += client.advance(client_time)
            member.seconds += time.process_time() - start
            if play is not None and client.simulation is not None:
                play(client, member.rng, client_time)
            member.connection.send(*client.outbox)
            client.outbox.clear()
        start = time.process_time()
        self._host.advance(now)
        self.seconds += time.process_time() - start
