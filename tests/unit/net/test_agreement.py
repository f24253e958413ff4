"""Behind bad links, with hands that do anything, every client goes through the server's states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from engine.geometry import Circle
from engine.net.client import Client
from engine.net.link import LinkSettings
from engine.net.messages import METHODS
from engine.net.simulated_network import SimulatedNetwork
from engine.sim.actions import CreateBody, Drag, Drive, Grab, PressKey, Release
from engine.sim.registry import find_demo
from engine.sim.users import KEYFRAME_TICKS
from engine.world import BodySpec, FixtureSpec

BAD = LinkSettings(latency=0.15, jitter=0.05, loss=0.05, reorder=0.1, duplicate=0.02)


def hand(share: float = 0.1) -> Callable[[Client, np.random.Generator, float], None]:
    """Return a hand that does something at random in that share of the frames."""

    def play(client: Client, rng: np.random.Generator, now: float) -> None:
        demo = client.demo
        if demo is None or rng.random() >= share:
            return
        home = demo.home()
        x, y = (float(rng.uniform(low, high)) for low, high in zip(home.lower, home.upper, strict=True))
        ball = BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(x, y))
        acts = (
            Grab((x, y)),
            Drag((x, y)),
            Release(),
            CreateBody.of(0, ball),
            PressKey("left"),
            Drive(0, 1),
        )
        client.act(acts[rng.integers(len(acts))], now=now)

    return play


def rehearse(demo: str, n_ticks: int, link: LinkSettings = BAD, solver: str | None = None, seed: int = 0) -> SimulatedNetwork:
    """Let four clients play until the server has closed so many ticks, and then wait until all is known."""
    network = SimulatedNetwork(find_demo(demo)(0, solver=solver), 4, link, seed=seed)
    play = hand()
    while network.server.simulation.now < n_ticks:
        network.frame(play)
    while min(client.confirmed for client in network.clients) < n_ticks:
        network.frame()
        assert network.server.simulation.now < n_ticks + 300, "a client does not come to know everything"
    return network


def check(network: SimulatedNetwork, n_ticks: int) -> None:
    assert [client.end_reason for client in network.clients] == [""] * 4
    assert network.n_differing == [0, 0, 0, 0]
    for found in network.digests:
        assert set(found) >= set(range(n_ticks))
    assert len(set(network.final.values())) > 0.9 * n_ticks and min(client.n_rollbacks for client in network.clients) > 0.1 * n_ticks


def test_four_clients_behind_a_bad_link_agree() -> None:
    check(rehearse("pulley", 60), 60)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_one_that_comes_at_tick_700_agrees_from_its_first_keyframe(method: str) -> None:
    network = SimulatedNetwork(find_demo("pulley")(0), 5, BAD, joins_at=[0.0] * 4 + [1.0 + 700.0 / 60.0], method=method)
    play = hand()
    while network.server.simulation.now < 1100:
        network.frame(play)
    while min(client.confirmed for client in network.clients) < 1100:
        network.frame()
        assert network.server.simulation.now < 1300, "a client does not come to know everything"
    for _ in range(60):
        network.frame()
    assert network.n_differing == [0] * 5 and not network.drops
    last = network.digests[-1]
    assert min(last) % KEYFRAME_TICKS == 0 and 700 <= min(last) < 850 and set(last) >= set(range(min(last), 1100))
    assert len(network.digests[0]) > 1100 and len({network.final[tick] for tick in last}) > 300


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
@pytest.mark.parametrize("demo", ["simple_shapes", "bridge"])
def test_four_clients_agree_for_long(demo: str, solver: str) -> None:
    check(rehearse(demo, 600, solver=solver), 600)
