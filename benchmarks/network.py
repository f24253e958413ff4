"""Measure a shared world: the server's and a client's tick against a plain step of the same heap, and bytes per second.

In simulated time, in one process: a server, one whole client behind a link of 150 ms +- 50 ms with 5 % loss each way, and users beside it
that only say what they do. Everybody drags something about, 30 acts a second, so that the client goes back in nearly every frame. No body
sleeps; the peer is the same scene, unshared, at the same steps.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable

import msgspec

from benchmarks.measuring import Record, record, seconds_in_turn
from engine.common.rng import stream
from engine.net import messages as m
from engine.net.client import Client
from engine.net.link import Link, LinkSettings
from engine.net.server import Server
from engine.sim.actions import Action, Drag, Grab, encode_action
from engine.sim.demo import Demo
from engine.sim.registry import find_demo
from engine.sim.state import compress_state, decode_state, encode_state
from engine.sim.users import KEYFRAME_TICKS
from engine.world import load_solver

__all__ = ["run"]

LINK = LinkSettings(latency=0.15, jitter=0.05, loss=0.05)
SOLVERS = ("box2d", "soft_step")
_FRAME = 1.0 / 60.0
_SETTLING = 120
"""Ticks before the client comes: the heap has formed by then."""


def run(quick: bool = False) -> list[Record]:
    """Measure 1, 4 and 16 clients in heaps of 100 and 1,000 bodies, and what keyframes and states cost there, with Box2D and our solver."""
    records: list[Record] = []
    for solver in SOLVERS[: 1 if quick else None]:
        load_solver(solver).prepare()
        for count in (40,) if quick else (100, 1_000):
            for n_clients in (1, 4) if quick else (1, 4, 16):
                records += _shared(solver, count, n_clients, 30 if quick else 60)
            records += _kept(solver, count, 3 if quick else 11)
    return records


def _heap(solver: str, count: int) -> Demo:
    demo = find_demo("simple_shapes")(1, {"count": count}, solver=solver)
    demo.stages[0].world.set_settings(sleeping=False)
    return demo


class _Table:
    """A server, a full client, and users who only send messages."""

    def __init__(self, solver: str, count: int, n_clients: int) -> None:
        self.now = 0.0
        self.plain = _heap(solver, count)
        self.server = Server(_heap(solver, count))
        self.client: Client | None = None
        self.up, self.down = (Link(LINK, stream(0, "benchmarks", way)) for way in ("up", "down"))
        self.n_users, self._numbers = n_clients - 1, [1] * n_clients
        self.plain_seconds: list[float] = []
        self.server_seconds: list[float] = []
        self.client_seconds: list[float] = []
        self.rollbacks: list[tuple[int, float]] = []
        """Ticks taken again, and the seconds."""
        for peer in range(1, n_clients):
            self.server.connect(peer)
            self.server.receive(peer, m.encode(m.Hello(m.VERSION, f"user {peer}")), 0.0)

    def come(self) -> None:
        """Let the client come, and wait until it is in."""
        self.client, came = Client("client"), self.server.simulation.now
        self.server.connect(0)
        for _ in range(10 * KEYFRAME_TICKS):
            self.frame()
            if self.client.simulation is not None and self.client.confirmed >= came + 2 * KEYFRAME_TICKS:
                break
        assert self.client.simulation is not None, self.client.end_reason
        simulation = self.client.simulation
        rollback = simulation.rollback

        def timed(*arguments: int) -> int:
            began = time.thread_time()
            again = rollback(*arguments)
            if again:
                self.rollbacks.append((again, time.thread_time() - began))
            return again

        simulation.rollback = timed  # type: ignore[method-assign]

    def frame(self) -> None:
        """Let a sixtieth of a second pass."""
        self.now += _FRAME
        self.plain_seconds.append(_seconds(self.plain.sim.step))
        self.server_seconds.append(_seconds(self._serve))
        if self.client is not None:
            self.client_seconds.append(_seconds(self._follow))

    def _serve(self) -> None:
        server, now = self.server, self.now
        for peer in range(1, self.n_users + 1):
            if (server.simulation.now + peer) % 2 == 0:
                self._drag(peer)
        for content, _ in self.up.take(now):
            server.receive(0, content, now)
        server.advance(now)
        while server.outbox:
            peer, content = server.outbox.popleft()
            if peer == 0:
                self.down.put(content, now)

    def _drag(self, peer: int) -> None:
        tick, number = self.server.simulation.now, self._numbers[peer]
        self._numbers[peer] += 1
        action = msgspec.Raw(encode_action(_dragged(tick, peer, is_first=number == 1)))
        self.server.receive(peer, m.encode(m.ActionRequest(number, tick, action)), self.now)
        if number % 8 == 0:
            self.server.receive(peer, m.encode(m.Ping(self.now, tick)), self.now)

    def _follow(self) -> None:
        client, now = self.client, self.now
        assert client is not None
        for content, _ in self.down.take(now):
            client.receive(content, now)
        client.advance(now)
        if client.simulation is not None and client.simulation.now % 2 == 0:
            client.act(_dragged(client.simulation.now, 0, is_first=client.simulation.now % 60 == 0), now=now)
        while client.outbox:
            self.up.put(client.outbox.popleft(), now)


def _seconds(call: Callable[[], object]) -> float:
    began = time.thread_time()
    call()
    return time.thread_time() - began


def _dragged(tick: int, user: int, is_first: bool) -> Action:
    turn = 0.05 * tick + 2.4 * user
    return (Grab if is_first else Drag)((6.0 * math.cos(turn), 4.0 + 3.0 * math.sin(1.3 * turn)))


def _shared(solver: str, count: int, n_clients: int, n_ticks: int) -> list[Record]:
    table = _Table(solver, count, n_clients)
    for _ in range(_SETTLING):
        table.frame()
    table.come()
    assert table.client is not None and table.client.simulation is not None
    simulation = table.client.simulation
    for seconds in (table.plain_seconds, table.server_seconds, table.client_seconds, table.rollbacks):
        seconds.clear()
    sent, received, first, began = table.down.n_bytes, table.up.n_bytes, simulation.now, table.now
    for _ in range(n_ticks):
        table.frame()
    passed = table.now - began
    down, up = (table.down.n_bytes - sent) / passed / 1e3, (table.up.n_bytes - received) / passed / 1e3
    again = sum(ticks for ticks, _ in table.rollbacks)
    back = [1e3 * seconds for _, seconds in table.rollbacks] or [0.0]
    own = [statistics.fmean(table.client_seconds) - sum(back) / 1e3 / n_ticks]
    plain, points = [statistics.fmean(table.plain_seconds)], table.server.simulation.demo.stages[0].world.contacts.n_points
    who = f"{count} bodies, {n_clients} client{'s' * (n_clients > 1)}, {solver}"
    far = f"{len(back)} rollbacks in {simulation.now - first} ticks, {again / max(1, len(back)):.0f} ticks each, at most {max(back):.3g} ms"
    # means: every thirtieth tick has a keyframe, and it is the sum that a core must bear
    return [
        record(
            f"server, {who}", "ms", [statistics.fmean(table.server_seconds)], plain, "unshared step", f"{points:,} contact points; mean"
        ),
        record("  a client without rollbacks", "ms", own, plain, "unshared step", "mean"),
        record("  a client with rollbacks", "ms", [statistics.fmean(table.client_seconds)], plain, "unshared step", far),
        record("  to a client", "kB/s", [1.0], note="of messages", amount=down),
        record("  from a client", "kB/s", [1.0], note="of messages", amount=up),
    ]


def _kept(solver: str, count: int, rounds: int) -> list[Record]:
    """Measure a state: encoded, compressed, and decoded."""
    demo = _heap(solver, count)
    for _ in range(_SETTLING + 60):
        demo.sim.step()
    world, content = demo.stages[0].world, encode_state(demo)
    packed = compress_state(content)
    calls: dict[str, Callable[[], float | None]] = {
        "step": lambda: _done(world.step()),
        "canonical": lambda: _done(world.canonicalize()),
        "encode": lambda: _done(encode_state(demo)),
        "compress": lambda: _done(compress_state(content)),
        "decode": lambda: _done(decode_state(demo, content)),
    }
    times = seconds_in_turn(calls, rounds)
    who = f"{count} bodies, {solver}"
    often = f"every {KEYFRAME_TICKS} ticks on all copies"
    names = {
        "canonical": (f"canonical form, {who}", often if not world.is_always_canonical else "nothing to do"),
        "encode": ("  encoding a state", f"{len(content) / 1e3:.0f} kB"),
        "compress": ("  compressing it", f"{len(packed) / 1e3:.0f} kB, for a client that joins"),
        "decode": ("  decoding it", "to return to a keyframe"),
    }
    return [record(name, "ms", times[what], times["step"], "a step", note) for what, (name, note) in names.items()]


def _done(result: object) -> None:
    """Drop the result."""
