"""Runs an experiment in simulated time."""

from __future__ import annotations

import contextlib
import math
from bisect import bisect_right
from collections import deque
from collections.abc import Callable

from engine.common.errors import LabError
from engine.net.client import Client
from engine.net.netlab.experiment import Experiment
from engine.net.netlab.random_user import RandomUser
from engine.net.netlab.result import ClientResult, Distribution, ExperimentResult
from engine.net.scene import make_demo
from engine.net.script import Script
from engine.net.server import ServerSettings
from engine.net.simulated_network import SimulatedClient, SimulatedNetwork
from engine.sim.actions import Action

__all__ = ["run_experiment"]

_LAST_SECONDS = 60.0
"""Maximum simulated time to wait after the last tick until all clients have confirmed it."""


def run_experiment(experiment: Experiment, advance: Callable[[int], object] | None = None) -> ExperimentResult:
    """Run an experiment and return its result; `advance` is called with the number of finished steps. Ctrl-C ends it early."""
    settings = ServerSettings(delay=experiment.delay, rollback=experiment.rollback, window=experiment.window)
    network = SimulatedNetwork(
        make_demo(experiment.scene), experiment.n_clients, experiment.link, settings, experiment.seed,
        method=experiment.method,
    )  # fmt: skip
    server = network.server
    if experiment.join_at is not None:
        network.members[-1].joins_at = (experiment.join_at - server.clock(0.0)) / server.hertz
    players = [_Player(member, experiment, k) for k, member in enumerate(network.members)]
    player_of = {player.client: player for player in players}

    def play(client: Client, rng: object, now: float) -> None:
        player_of[client].frame(now, acts=server.open_tick < experiment.steps)

    end, is_whole = math.inf, True
    try:
        while server.open_tick < experiment.steps or not all(player.is_done for player in players):
            network.frame(play)
            if advance is not None:
                advance(min(server.open_tick, experiment.steps))
            if server.open_tick >= experiment.steps:
                end = min(end, network.now + _LAST_SECONDS)
                if network.now >= end:
                    break
    except KeyboardInterrupt:
        is_whole = False
    if server.open_tick == 0:
        raise KeyboardInterrupt
    last = min(experiment.steps, server.open_tick)
    return ExperimentResult(
        experiment, last, [player.result(network, last, is_whole) for player in players],
        corrections=[(float(c.age), c.meters) for player in players for c in player.client.corrections],
        own_act_shown=Distribution.of([seconds for player in players for seconds in player.client.latencies]),
        time_to_agree=Distribution.of([seconds for player in players for seconds in player.times_to_agree(network.applied, players)]),
        acts=sum(len(player.acted_at) for player in players), n_late=sum(client.n_late for client in network.clients),
        server_resimulated_steps=server.status.resimulated, server_ms_per_step=1e3 * network.seconds / server.simulation.now,
        drops=network.drops, is_whole=is_whole,
    )  # fmt: skip


class _Player:
    """A client with its user and the measurements of both."""

    def __init__(self, member: SimulatedClient, experiment: Experiment, k: int) -> None:
        self.member, self.client, self.steps = member, member.client, experiment.steps
        self.acted_at: dict[int, float] = {}
        """Time of each own action, s, by number."""
        self._confirmed: list[int] = []
        self._confirmed_at: list[float] = []
        """Successive values of `Client.confirmed`, and the times at which they were reached, s."""
        self._script = None if experiment.script is None else Script(experiment.script, k + 1)
        self._user = RandomUser(member.rng, self._act, experiment.rate)
        self._now = 0.0
        self._n_frames = 0
        self.client.latencies, self.client.corrections = deque(), deque()  # unbounded

    @property
    def reached(self) -> int:
        """Tick up to which the client's states are final."""
        simulation = self.client.simulation
        return 0 if simulation is None else min(self.client.confirmed, simulation.now)

    @property
    def is_done(self) -> bool:
        return self.reached >= self.steps or bool(self.client.end_reason)

    def frame(self, now: float, acts: bool) -> None:
        """Act, and record the confirmed tick; called in each frame in which the client has the state."""
        client, self._now = self.client, now
        assert client.simulation is not None
        self._n_frames += 1
        if not self._confirmed or self._confirmed[-1] != client.confirmed:
            self._confirmed.append(client.confirmed)
            self._confirmed_at.append(now)
        if acts and self._script is not None:
            for action in self._script.due(client.simulation.now):
                self._act(action)
        elif acts:
            self._user.play(client.simulation.demo, now)

    def _act(self, action: Action) -> None:
        number = self.client.next_number
        with contextlib.suppress(LabError):  # rejected by the demo, here and at the server
            self.client.act(action, now=self._now)
        if self.client.next_number > number:
            self.acted_at[number] = self._now

    def times_to_agree(self, applied: dict[tuple[int, int], int], players: list[_Player]) -> list[float]:
        """Return the seconds from each own action until every client had confirmed its tick; omit actions that not all confirmed."""
        ticks = ((applied.get((self.client.user, number)), at) for number, at in self.acted_at.items())
        times = [max(player._known_at(tick) for player in players) - at for tick, at in ticks if tick is not None]
        return [seconds for seconds in times if seconds < math.inf]

    def _known_at(self, tick: int) -> float:
        """Return the time at which a tick was confirmed, s: infinity if never, -infinity if the client joined later."""
        if not self._confirmed or tick < self._confirmed[0]:
            return -math.inf
        k = bisect_right(self._confirmed, tick)
        return self._confirmed_at[k] if k < len(self._confirmed) else math.inf

    def result(self, network: SimulatedNetwork, last: int, is_whole: bool) -> ClientResult:
        """Return the client's result up to the last tick."""
        client, member, connection = self.client, self.member, self.member.connection
        compared = {tick: digest for tick, digest in member.digests.items() if tick <= last}
        missing = set(range(min(compared), last + 1)) - set(compared) if compared else set()
        problem = client.end_reason
        if is_whole and not problem and not compared:
            problem = "it never received the state"
        elif is_whole and not problem and missing and self.reached < last:
            problem = f"{len(missing)} steps are missing; the first is {min(missing)}"
        n_up, n_down = (0, 0) if connection is None else (connection.up.n_bytes, connection.down.n_bytes)
        seconds = max(network.now - member.joins_at, 1e-9)
        return ClientResult(
            name=client.name,
            first_step=min(compared, default=None),
            compared_steps=len(compared),
            differing_steps=sum(network.final[tick] != digest for tick, digest in compared.items()),
            skipped_steps=len(missing),
            rollbacks=client.n_rollbacks,
            resimulated_steps=client.n_resimulated,
            adopted_keyframes=client.n_adopted,
            stalled_share=client.n_stalls / self._n_frames if self._n_frames else None,
            corrections=len(client.corrections),
            largest_correction=max((correction.meters for correction in client.corrections), default=None),
            bytes_up_per_s=n_up / seconds,
            bytes_down_per_s=n_down / seconds,
            ms_per_step=1e3 * member.seconds / member.n_ticks if member.n_ticks else None,
            problem=problem,
        )
