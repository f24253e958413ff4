"""A server and its clients in one process, behind simulated links, in simulated time: as fast as the machine goes, the same every time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.common.rng import stream
from engine.demo.base import Demo
from engine.net.client import Client
from engine.net.link import Link, LinkSettings
from engine.net.server import Server, ServerSettings

__all__ = ["Rehearsal", "Seat"]

_FRAME = 1.0 / 60.0


@dataclass(slots=True)
class Seat:
    """A client and its two links; `seconds` of processor time that it has taken."""

    client: Client
    up: Link
    down: Link
    comes_at: float
    is_connected: bool = False
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
        self.server = Server(demo, settings, start=1.0)
        self.final: dict[int, bytes] = dict(self.server.course.digests)
        self.server.on_tick = self._note
        self.seats = [
            Seat(
                Client(f"user {k}", method=method),
                Link(link, stream(seed, "up", k)),
                Link(link if down is None else down, stream(seed, "down", k)),
                comes_at[k] if k < len(comes_at) else 0.0,
                rng=stream(seed, "hand", k),
            )
            for k in range(n_clients)
        ]
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

    def _note(self, server: Server) -> None:
        self.final[server.course.now] = server.course.digests[server.course.now]

    def frame(self, play: Callable[[Client, np.random.Generator, float], object] | None = None) -> None:
        """Let a sixtieth of a second pass; `play` lets each client do something."""
        self.now += _FRAME
        server, now = self.server, self.now
        for peer, seat in enumerate(self.seats):
            if seat.comes_at > now:
                continue
            if not seat.is_connected:
                seat.is_connected = True
                server.connect(peer)
            client, begun = seat.client, time.process_time()
            for content in seat.down.take(now):
                client.receive(content, now)
            client.advance(now)
            seat.seconds += time.process_time() - begun
            if play is not None and client.course is not None:
                play(client, seat.rng, now)
            while client.outbox:
                seat.up.put(client.outbox.popleft(), now)
        begun = time.process_time()
        for peer, seat in enumerate(self.seats):
            for content in seat.up.take(now):
                server.receive(peer, content, now)
        server.advance(now)
        self.seconds += time.process_time() - begun
        while server.drops:
            peer, reason = server.drops.popleft()
            self.drops.append(f"{self.seats[peer].client.name}: {reason}")
            server.disconnect(peer)
        while server.outbox:
            peer, content = server.outbox.popleft()
            self.seats[peer].down.put(content, now)
