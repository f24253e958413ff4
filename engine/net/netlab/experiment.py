"""Running an experiment in simulated time."""

from __future__ import annotations

from collections.abc import Callable

from engine.net.client import Client
from engine.net.netlab.plan import Plan
from engine.net.netlab.result import ExperimentResult, found_of
from engine.net.netlab.watching import ServerWatch, Watch
from engine.net.scene import made_of
from engine.net.simulated_network import SimulatedNetwork

__all__ = ["LAST_SECONDS", "run_experiment"]

LAST_SECONDS = 60.0
"""Maximum time after the last tick in which clients may come to know all, simulated seconds."""


def run_experiment(plan: Plan, advance: Callable[[int], object] | None = None) -> ExperimentResult:
    """Run a plan, and return what was measured; `advance` is called with the number of steps done. Ctrl-C ends it early."""
    demo = made_of(plan.scene)
    network = SimulatedNetwork(demo, plan.n_clients, plan.up, plan.server_settings, plan.seed, down=plan.down, method=plan.method)
    server, watched = network.server, ServerWatch()
    server.on_tick = watched.tick
    for k, member in enumerate(network.members):
        tick = plan.joins_at(k)
        member.joins_at = (tick - server.clock(0.0)) / server.hertz if tick else 0.0
    watches = [Watch(member.client) for member in network.members]
    hands = {id(watch.client): (watch, plan.hands(k)) for k, watch in enumerate(watches)}
    end: float | None = None

    def play(client: Client, rng: object, now: float) -> None:
        watch, own = hands[id(client)]
        watch.frame(now)
        if server.simulation.now < plan.steps and client.simulation is not None:
            own.play(watch, client.simulation.now, now)

    is_whole = True
    try:
        while server.simulation.now < plan.steps or not all(watch.reached >= plan.steps or watch.client.end_reason for watch in watches):
            network.frame(play)
            if advance is not None:
                advance(min(server.simulation.now, plan.steps))
            if server.simulation.now >= plan.steps:
                end = network.now + LAST_SECONDS if end is None else end
                if network.now >= end:
                    break
    except KeyboardInterrupt:
        is_whole = False
    if watched.notes is None:
        raise KeyboardInterrupt
    watched.notes.seconds = network.seconds
    watched.notes.drops = list(network.drops)
    notes = []
    for watch, member in zip(watches, network.members, strict=True):
        n_up, n_down = (0, 0) if member.connection is None else (member.connection.up.n_bytes, member.connection.down.n_bytes)
        notes.append(watch.end(n_up, n_down, member.seconds))
    return found_of(plan, watched.notes, notes, is_whole)
