"""A server that rolls back: late actions keep their ticks, and the copies agree once all messages have arrived (issue 33, network)."""

from pathlib import Path

import pytest

from engine.common.errors import InvalidInputError
from engine.net import messages as m
from engine.net.link import LinkSettings
from engine.net.netlab.experiment import Experiment
from engine.net.netlab.run import run_experiment
from engine.net.scene import shared_scene
from engine.net.script import Script, load_script
from engine.net.server import ServerSettings
from engine.net.simulated_network import SimulatedNetwork
from engine.sim.actions import Pause, PressKey, decode_action
from engine.sim.recordings import load_recording
from engine.sim.recordings.verifying import verify
from engine.sim.registry import find_demo
from engine.sim.replaying import record_ticks, replay
from tests.unit.net.test_server import joined

PUSHES = load_script(Path(__file__).parents[3] / "examples" / "pushed_together.json")
LAST_PUSH = max(action.tick for action in PUSHES)
LATENCY, JITTER, OFFSET = 0.3, 0.1, 0.03
"""Latency and jitter, and the offset of a client's clock, s; the source of the scene states none (Pawłowski, p. 59)."""


def test_a_late_action_keeps_its_tick_and_a_later_one_is_restamped():
    table = joined(demo="pushed_together", delay=0, rollback=20)
    table.run(100)
    server, now = table.server, table.server.simulation.now
    assert server.open_tick == now - 20 and max(closed.tick for closed in table.of(1, m.TickClosed)) == server.open_tick - 1
    late, too_late, soon = (table.do(1, k, PressKey("d"), now + at)[0] for k, at in enumerate((-15, -25, 15), 1))
    assert (late.tick, too_late.tick, soon.tick) == (now - 15, now - 20, now + 15)
    body = server.simulation.demo.bodies[0]
    world = server.simulation.demo.stages[0].world
    assert world.state(body).linear_velocity == (0.0, 0.0)
    table.run(3)
    assert (server.status.restamped, server.status.resimulated) == (1, now), "from the keyframe before the first open tick"
    assert world.state(body).linear_velocity[0] > 5.0, "it has been pushed for twenty steps"
    table.do(1, 4, Pause(True), server.simulation.now + 1)
    table.run(3)
    assert server.simulation.demo.sim.users.paused


def test_each_user_pushes_one_body_and_others_watch():
    table = joined(demo="pushed_together", delay=0, rollback=20)
    table.come(2)
    table.come(3)
    table.run(100)
    demo = table.server.simulation.demo
    assert {number: user.drives for number, user in demo.sim.users.users.items()} == {
        1: (0, demo.bodies[0]),
        2: (0, demo.bodies[1]),
        3: None,
    }


def _pushed(seed, tmp_path, **settings):
    """Run figure 4.2 of Pawłowski; return the network, and the keys of the first pushes in their order of arrival."""
    network = SimulatedNetwork(
        find_demo("pushed_together")(0), 2, LinkSettings(LATENCY, JITTER), ServerSettings(delay=0, rollback=50, **settings), seed=seed
    )
    network.members[1].clock = lambda now: now + OFFSET
    scripts = {client: Script(PUSHES, k + 1) for k, client in enumerate(network.clients)}
    server, order, disagreements = network.server, [], []
    recorder, record = record_ticks(server.simulation.demo, tmp_path / f"{seed}.rec"), server.on_tick

    def on_tick(server):
        record(server)
        recorder.tick(server.simulation.inputs(server.open_tick - 1), server.simulation.digests[server.open_tick])

    def play(client, rng, now):
        for action in scripts[client].due(client.simulation.now):
            client.act(action, now=now)

    server.on_tick, send_all = on_tick, server._send_all

    def noted(content, but=None):
        message = m.decode_from_server(content)
        if isinstance(message, m.RelayedAction) and message.tick == 20:
            order.append(decode_action(message.action).key)
        send_all(content, but)

    server._send_all = noted
    while server.open_tick < LAST_PUSH + 20:
        network.frame(play)
        copies = [server.simulation, *(client.simulation for client in network.clients if client.simulation is not None)]
        tick = min(copy.now for copy in copies)
        if len({copy.digests.get(tick) for copy in copies}) > 1:
            disagreements.append(server.clock(network.now))
    recorder.close()
    return network, order, disagreements, load_recording(recorder.path)


def test_pushes_in_the_same_step_meet_in_the_middle_in_either_order(tmp_path):
    orders = set()
    for seed in (0, 3):
        network, order, disagreements, recording = _pushed(seed, tmp_path)
        orders.add(tuple(order))
        server, demo = network.server, network.server.simulation.demo
        left, right = (demo.stages[0].world.state(body).position[0] for body in demo.bodies)
        assert left == -right and -0.51 < left < -0.5 and demo.momentum == 0.0
        assert network.n_differing == [0, 0] and all(len(known) > LAST_PUSH for known in network.digests)
        assert server.status.restamped == 0 < server.status.resimulated
        # a copy cannot know of a push before it arrives, and all know of it 2 n + m after it, with a step to roll back in
        longest = 2.0 * (LATENCY + JITTER) + OFFSET
        assert LAST_PUSH + (LATENCY - JITTER) * server.hertz < disagreements[-1] < LAST_PUSH + longest * server.hertz + 2.0
        assert verify(recording, replay(recording)).is_same and recording.steps == server.open_tick
    assert len(orders) == 2, orders


def test_a_late_client_starts_at_a_closed_keyframe_and_agrees():
    scene = shared_scene(find_demo("simple_shapes")(0, {"count": 3}))
    link = LinkSettings(latency=0.1, jitter=0.05, loss=0.05, reorder=0.1, duplicate=0.02)
    experiment = Experiment(scene, "", 2, link, 60, rate=10.0, join_at=20, rollback=30, delay=0)
    result = run_experiment(experiment)
    assert result.problems == [] and result.n_late == 0 and result.server_resimulated_steps > 0
    assert [client.first_step for client in result.clients] == [0, 30]


@pytest.mark.parametrize("rollback", [-1, 151])
def test_the_server_rolls_back_at_most_its_limit(rollback):
    with pytest.raises(InvalidInputError, match="rollback"):
        Experiment(shared_scene(find_demo("pushed_together")(0)), rollback=rollback)
