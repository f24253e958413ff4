"""An experiment in simulated time, in this process: as fast as the machine goes, and the same every time."""

from __future__ import annotations

from collections.abc import Callable

from engine.net.client import Client
from engine.net.netlab.finding import Finding, found_of
from engine.net.netlab.plan import Plan
from engine.net.netlab.watching import ServerWatch, Watch
from engine.net.rehearsal import Rehearsal
from engine.net.scene import made_of

__all__ = ["LAST_SECONDS", "run_simulated"]

LAST_SECONDS = 60.0
"""For which clients are waited for after the last tick, until they know all."""


def run_simulated(plan: Plan, advance: Callable[[int], object] | None = None) -> Finding:
    """Return what comes of a plan; `advance` is told how many steps are done. Interrupted, it is told of as far as it came."""
    rehearsal = Rehearsal(made_of(plan.scene), plan.n_clients, plan.up, plan.server_settings, plan.seed, down=plan.down, method=plan.method)
    server, watched = rehearsal.server, ServerWatch()
    server.on_tick = watched.tick
    for k, seat in enumerate(rehearsal.seats):
        tick = plan.comes_at(k)
        seat.comes_at = (tick - server.clock(0.0)) / server.hertz if tick else 0.0
    watches = [Watch(client) for client in rehearsal.clients]
    hands = {id(watch.client): (watch, plan.hands(k)) for k, watch in enumerate(watches)}
    end: float | None = None

    def play(client: Client, rng: object, now: float) -> None:
        watch, own = hands[id(client)]
        watch.frame(now)
        if server.course.now < plan.steps and client.course is not None:
            own.play(watch, client.course.now, now)

    is_whole = True
    try:
        while server.course.now < plan.steps or not all(watch.reached >= plan.steps or watch.client.refused for watch in watches):
            rehearsal.frame(play)
            if advance is not None:
                advance(min(server.course.now, plan.steps))
            if server.course.now >= plan.steps:
                end = rehearsal.now + LAST_SECONDS if end is None else end
                if rehearsal.now >= end:
                    break
    except KeyboardInterrupt:
        is_whole = False
    if watched.notes is None:
        raise KeyboardInterrupt
    watched.notes.seconds = rehearsal.seconds
    watched.notes.drops = list(rehearsal.drops)
    notes = [watch.end(seat.up.n_bytes, seat.down.n_bytes, seat.seconds) for watch, seat in zip(watches, rehearsal.seats, strict=True)]
    return found_of(plan, "simulated", watched.notes, notes, is_whole)
