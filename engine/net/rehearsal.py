"""A server and its clients in one process, behind simulated links, in simulated time: as fast as the machine goes, the same every time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.common.rng import stream
from engine.net.client import Client
from engine.net.link import Link, LinkSettings
from engine.net.server import Server, ServerSettings
from engine.sim.demo import Demo

__all__ = ["Rehearsal", "Seat"]

_FRAME = 1.0 / 60.0


@dataclass(slots=True)
class Seat:
    """A client and its two links.

    Attributes
    ----------
    peer : int or None
        The number of its connection.
    clock : callable
        Returns the client's time at a time of the server's, both s; it may run faster or slower, or jump.
    is_asleep : bool
        A laptop that is closed: nothing is done, what comes waits.
    seconds : float
        Of processor time that the client has taken.
    digests : dict of int to bytes
        Of the state right before each tick that nothing can change any more.
    """

    client: Client
    up: Link
    down: Link
    comes_at: float
    peer: int | None = None
    clock: Callable[[float], float] = lambda now: now
    is_asleep: bool = False
    seconds: float = 0.0
    digests: dict[int, bytes] = field(default_factory=dict)
    rng: np.random.Generator = field(default_factory=np.random.default_rng)


class Rehearsal:
    """See the module.

    Parameters
    ----------
    demo : Demo
        The server's, as it was built.
    n_clients : int
    link : LinkSettings
        Of each way, or of the way up, to the server.
    settings : ServerSettings, optional
    seed : int
    comes_at : sequence of float
        Seconds at which clients come; those not named at the beginning.
    down : LinkSettings, optional
        Of the way down, where it is another.
    method : str
        How clients keep up.

    Attributes
    ----------
    seats : list of Seat
    seconds : float
        Of processor time that the server has taken.
    drops : list of str
        Whom the server has cut off, and why.
    server : Server
    clients : list of Client
    final : dict of int to bytes
        The server's digest of the state right before each tick.
    """

    def __init__(
        self,
        demo: Demo,
        n_clients: int,
        link: LinkSettings,
        settings: ServerSettings | None = None,
        seed: int = 0,
        comes_at: Sequence[float] = (),
        down: LinkSettings | None = None,
        method: str = "prediction",
    ) -> None:
        self.now = self.seconds = 0.0
        self.drops: list[str] = []
        self._n_connections = 0
        self.server = Server(demo, settings, start=1.0)
        self.final: dict[int, bytes] = dict(self.server.course.digests)
        self.server.on_tick = self._note
        self.seats = [
            Seat(
                Client(f"user {k}", method=method, most_work=math.inf),
                Link(link, stream(seed, "up", k)),
                Link(link if down is None else down, stream(seed, "down", k)),
                comes_at[k] if k < len(comes_at) else 0.0,
                rng=stream(seed, "hand", k),
            )
            for k in range(n_clients)
        ]
        self._at: dict[int, Seat] = {}
        """By the number of a connection."""
        for seat in self.seats:
            seat.client.on_final = seat.digests.__setitem__

    @property
    def clients(self) -> list[Client]:
        return [seat.client for seat in self.seats]

    @property
    def digests(self) -> list[dict[int, bytes]]:
        """Of each client, the digest of the state right before each tick that nothing can change any more."""
        return [seat.digests for seat in self.seats]

    @property
    def n_differing(self) -> list[int]:
        """Of each client, how many of those are others than the server's."""
        return [sum(self.final[tick] != digest for tick, digest in found.items() if tick in self.final) for found in self.digests]

    def connect(self, k: int) -> None:
        """Give a client a new connection, in place of the one that it may have."""
        seat = self.seats[k]
        if seat.peer is not None:
            self.server.disconnect(seat.peer)
            del self._at[seat.peer]
            seat.client.reconnect()
            seat.up.clear()
            seat.down.clear()
        seat.peer = self._n_connections
        self._n_connections += 1
        self._at[seat.peer] = seat
        self.server.connect(seat.peer)

    def _note(self, server: Server) -> None:
        self.final[server.course.now] = server.course.digests[server.course.now]

    def frame(self, play: Callable[[Client, np.random.Generator, float], object] | None = None) -> None:
        """Let a sixtieth of a second pass; `play` lets each client do something."""
        self.now += _FRAME
        server, now = self.server, self.now
        for k, seat in enumerate(self.seats):
            if seat.comes_at > now or seat.is_asleep:
                continue
            if seat.peer is None:
                self.connect(k)
            client, own, begun = seat.client, seat.clock(now), time.process_time()
            for content in seat.down.take(now):
                client.receive(content, own)
            client.advance(own)
            seat.seconds += time.process_time() - begun
            if play is not None and client.course is not None:
                play(client, seat.rng, own)
            while client.outbox:
                seat.up.put(client.outbox.popleft(), now)
        begun = time.process_time()
        for peer, seat in self._at.items():
            for content in seat.up.take(now):
                server.receive(peer, content, now)
        server.advance(now)
        self.seconds += time.process_time() - begun
        while server.drops:
            peer, reason = server.drops.popleft()
            if peer in self._at:
                self.drops.append(f"{self._at[peer].client.name}: {reason}")
            server.disconnect(peer)
        while server.outbox:
            peer, content = server.outbox.popleft()
            if peer in self._at:
                self._at[peer].down.put(content, now)
