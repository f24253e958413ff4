"""A client whose world differs for any reason is corrected by the server's keyframe, and continues its actions."""

import contextlib
from functools import partial

import pytest

from engine.common.errors import LabError
from engine.common.rng import stream
from engine.net.link import LinkSettings
from engine.net.netlab.random_user import RandomUser
from engine.net.simulated_network import SimulatedNetwork
from engine.sim.history import demo_hash
from engine.sim.registry import find_demo
from engine.sim.users import KEYFRAME_TICKS

GOOD = LinkSettings(latency=0.02)


def _rehearse(network, until, busy=False):
    users = {client: RandomUser(stream(0, client.name), partial(_act, network, client), 6.0) for client in network.clients}
    while network.server.simulation.now < until:
        network.frame((lambda client, rng, now: users[client].play(client.demo, now)) if busy else None)


def _act(network, client, action):
    with contextlib.suppress(LabError):
        client.act(action, now=network.now)


def _disturb(demo):
    """Move a body secretly."""
    world = demo.stages[0].world
    x, y = world.state(world.body_ids[-1]).position
    world.set_pose(world.body_ids[-1], (x + 0.05, y), 0.1)


@pytest.mark.parametrize("solver", ["box2d", "soft_step"])
def test_a_disturbed_world_is_corrected(solver):
    network = SimulatedNetwork(find_demo("bridge")(0, solver=solver), 2, GOOD)
    _rehearse(network, 40)
    astray, other = network.clients
    demo, stage = astray.demo, astray.demo.stages[0]
    _disturb(demo)
    _rehearse(network, 40 + 3 * KEYFRAME_TICKS)
    assert (astray.n_adopted, other.n_adopted) == (1, 0)
    assert astray.demo is demo and demo.stages[0] is stage, "the window holds them too"
    differing, others = network.n_differing
    assert 10 < differing < 3 * KEYFRAME_TICKS and others == 0
    here = network.server.simulation.now
    _rehearse(network, here + 60, busy=True)
    assert network.n_differing == [differing, 0] and (astray.n_adopted, other.n_adopted) == (1, 0)
    assert min(max(digests) for digests in network.digests) > here + 30 and astray.end_reason == ""


def test_a_world_that_keeps_diverging_is_corrected_each_time(monkeypatch):
    """It computes like a platform whose cosine differs in the last bit."""
    network = SimulatedNetwork(find_demo("simple_shapes")(0, {"count": 5}), 1, GOOD)
    _rehearse(network, 20)
    (client,) = network.clients
    simulation, step = client.simulation, client.simulation.step

    def wrong():
        step()
        _disturb(simulation.demo)
        simulation.digests[simulation.now] = demo_hash(simulation.demo)

    monkeypatch.setattr(simulation, "step", wrong)
    _rehearse(network, 130, busy=True)
    assert client.n_adopted > 1 and client.end_reason == ""
    monkeypatch.undo()
    _rehearse(network, 200)
    before = network.n_differing
    _rehearse(network, 230)
    assert network.n_differing == before and demo_hash(client.demo) == client.simulation.digests[client.simulation.now]
