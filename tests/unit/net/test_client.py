"""A client stays synchronized with the server, whatever its own clock; it works without a server, and rejects bad messages."""

import itertools
from functools import partial

import msgspec
import numpy as np
import pytest

from engine.common.errors import InvalidInputError
from engine.common.rng import stream
from engine.geometry import Circle
from engine.net import client as client_module
from engine.net import messages as m
from engine.net.client import Client
from engine.net.clock import Clock
from engine.net.corrections import Smoothing
from engine.net.link import LinkSettings
from engine.net.scene import shared_scene
from engine.net.server import Server, ServerSettings
from engine.net.simulated_network import SimulatedNetwork
from engine.sim.actions import CreateBody, Drop, Grab, Release, encode_action
from engine.sim.registry import find_demo
from engine.sim.users import KEYFRAME_TICKS
from engine.world import BodySpec, FixtureSpec

DEMO = "pulley"
HERTZ = 60.0
GOOD = LinkSettings(latency=0.05, jitter=0.005)


def _network(n_clients=1, link=GOOD, demo=DEMO, seed=0):
    return SimulatedNetwork(find_demo(demo)(0), n_clients, link, seed=seed)


def _play(network, seconds, look=lambda: None):
    end = network.now + seconds
    while network.now < end:
        network.frame(_hand)
        look()


def _hand(client, rng, now):
    if rng.random() < 0.04 and client.demo is not None:
        world = client.demo.stages[0].world
        body = int(rng.choice([body for body in world.body_ids if world.body(body).spec.type == "dynamic"]))
        to = float(rng.uniform(-6.0, 6.0)), float(rng.uniform(2.0, 6.0))
        client.act((Release(), Grab(to, held=(0, body, (0.0, 0.0))))[rng.integers(2)], now=now)


def _settle(network, seconds=1.5):
    for _ in range(round(60 * seconds)):
        network.frame()


# -- the clock --------------------------------------------------------------------------------------------------------


def _ask(clock, at, offset, up, down):
    """Let a client with a correct clock ping a server whose clock is `offset` ticks ahead."""
    clock.note(at, at + up + down, (at + up) * HERTZ + offset)


def test_the_fastest_reply_sets_the_clock():
    clock, rng = Clock(HERTZ), stream(1, "clock")
    for k in range(12):
        _ask(clock, 0.25 * k, 500.0, float(rng.uniform(0.1, 0.2)), float(rng.uniform(0.1, 0.2)))
    _ask(clock, 3.0, 500.0, 0.08, 0.08)
    assert clock.tick(4.0) == pytest.approx(4.0 * HERTZ + 500.0, abs=1e-6)
    assert 0.16 < clock.round_trip < 0.4 and 0.0 < clock.jitter < 0.12
    assert clock.lead(3) == pytest.approx((0.08 + clock.jitter) * HERTZ - 3.0)


def test_a_small_clock_difference_is_corrected_slowly_and_a_jump_at_once():
    clock = Clock(HERTZ)
    _ask(clock, 0.0, 100.0, 0.05, 0.05)
    assert clock.follow(1.0, 0.0) == pytest.approx(160.0)
    before = clock.follow(1.5, 0.0)
    after = clock.follow(1.6, 10.0)
    assert after - before == pytest.approx(0.1 * HERTZ * 1.05)
    _ask(clock, 2.0, 100_000.0, 0.05, 0.05)  # it slept
    assert clock.n_samples == 1 and clock.follow(2.1, 0.0) == pytest.approx(2.1 * HERTZ + 100_000.0)


def test_fast_slow_and_jumping_clocks_make_no_difference():
    network = _network(3)
    fast, slow, jumps = network.members
    fast.clock, slow.clock = (lambda now: 1.001 * now + 1e5), (lambda now: 0.999 * now)
    jumps.clock = lambda now: now + (0.0 if now < 1.2 else 1000.0 if now < 2.0 else -50.0)
    apart = []

    def look():
        for seat in (fast, slow):
            clock = seat.client.server_tick(seat.clock(network.now))
            if clock is not None and network.now > 1.5:
                apart.append(abs(clock - network.server.clock(network.now)))

    _play(network, 2.8, look)
    assert max(apart) < 2.0
    n_before = network.server.simulation.now
    _settle(network)
    assert network.n_differing == [0, 0, 0] and not network.drops
    assert all(client.confirmed > n_before and client.simulation is not None for client in network.clients)
    ahead = [client.simulation.now - network.server.clock(network.now) for client in network.clients if client.simulation is not None]
    assert max(ahead) < 10.0 and min(ahead) > -3.0


def test_a_laptop_that_slept_continues_at_the_current_tick():
    network = _network(2)
    sleeper = network.members[0]
    _play(network, 0.8)
    sleeper.is_asleep = True
    _settle(network, 5.2)
    woke, slept = network.now, 294.0
    sleeper.clock = lambda now: now + slept  # its clock went on, the others' minutes are not waited for
    sleeper.is_asleep = False
    client, most = sleeper.client, []
    server = network.server

    def is_there():
        return (
            client.simulation is not None
            and client.simulation.now > server.simulation.now - 3
            and client.confirmed > server.simulation.now - 30
        )

    while not is_there():
        before = client.n_resimulated
        now = client.simulation.now if client.simulation is not None else 0
        network.frame()
        if client.simulation is not None and client.simulation.now - now < 200:  # it did not take over the server's state
            most.append(client.simulation.now - now + client.n_resimulated - before)
        assert network.now - woke < 3.0, "it does not come back"
    assert max(most) <= ServerSettings().window + 2 * KEYFRAME_TICKS
    n_before = server.simulation.now
    _play(network, 1.0)
    _settle(network)
    assert client.confirmed > n_before and network.n_differing == [0, 0] and client.end_reason == ""


# -- the methods ------------------------------------------------------------------------------------------------------


def test_all_methods_go_through_the_same_states():
    network = _network(3, LinkSettings(0.1, 0.03, 0.03, 0.1, 0.02))
    for client, method in zip(network.clients, m.METHODS, strict=True):
        client.method = method
    _play(network, 2.0)
    network.clients[0].method = "interpolation"  # under way
    network.clients[0].method = "prediction"
    _play(network, 0.5)
    n_ticks = network.server.simulation.now
    _settle(network)
    assert network.n_differing == [0, 0, 0] and not network.drops
    assert all(len(digests) > n_ticks for digests in network.digests)
    predicts, interpolates, waits = network.clients
    assert predicts.n_resimulated > 0 and interpolates.n_resimulated == waits.n_resimulated == 0
    assert not interpolates.corrections and not waits.corrections
    late = [float(np.median(client.latencies)) for client in network.clients]
    assert late[0] < 0.05 and 0.19 < late[1] < 0.6 and 0.19 < late[2] < 0.6
    with pytest.raises(InvalidInputError, match="method must be one of prediction, interpolation, lockstep"):
        predicts.method = "hope"


# -- corrections ------------------------------------------------------------------------------------------------------


def test_a_correction_is_reported_and_only_the_view_is_smoothed():
    ids = np.array([3, 7, 9])
    before = [(ids, np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [9.0, 0.0, 0.0]]))]
    after = [(np.array([7, 8, 9, 11]), np.array([[1.03, 0.04, 0.5], [5.0, 5.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))]
    smoothing = Smoothing()
    correction = smoothing.note(before, after, 12, 5.0)
    assert correction.age == 12 and len(correction.moved) == 2
    far, near = correction.moved
    assert (far.body, far.meters) == (9, 9.0) and near.body == 7 and near.meters == pytest.approx(0.05)
    assert near.before == (1.0, 0.0, 0.5) and correction.meters == 9.0
    at_once = smoothing.offsets(0, (7, 9, 11), 5.0)
    assert at_once[0] == pytest.approx([-0.03, -0.04, 0.0]) and not at_once[1:].any()  # nine meters are not glided
    assert np.hypot(*smoothing.offsets(0, (7,), 5.15)[0, :2]) < 0.003
    assert not smoothing.offsets(0, (7,), 9.0).any() and not smoothing.offsets(3, (7,), 5.0).any()
    assert smoothing.note(after, after, 1, 6.0) is None


def test_late_actions_of_others_cause_a_correction():
    network = _network(2, LinkSettings(0.15), DEMO)
    _settle(network, 3.0)
    client, other = network.clients
    world = client.demo.stages[0].world
    body = next(body for body in reversed(world.body_ids) if world.body(body).spec.type == "dynamic")
    client.act(Grab((5.0, 3.0), held=(0, body, (0.0, 0.0))), now=network.now)
    _settle(network, 1.0)
    assert client.holders.keys() == other.holders.keys() == {client.user} and other.holders[client.user][:2] == (0, body)
    assert not client.corrections and other.n_corrections == len(other.corrections) > 0
    worst = max(other.corrections, key=lambda correction: correction.meters)
    assert worst.meters > 0.01 and body in [moved.body for moved in worst.moved] and 10 < worst.age < 40
    assert other.offsets(0).shape == (len(world.body_ids), 3)
    assert network.n_differing == [0, 0]


# -- without a server -------------------------------------------------------------------------------------------------


def test_a_returning_client_sends_only_hello_until_the_state_arrives():
    """Otherwise, the server would assume that the client has it, and not resend a lost one."""
    client, _ = _welcomed()
    client.receive(m.encode(m.TickClosed(client.confirmed + 5, 1)), 2.0)  # what is before it is missing
    key, demo = client.key, client.demo
    client.reconnect()
    assert not client.is_joined and client.demo is demo and client.status == "waiting for the server's state"
    for k in range(60):
        assert client.act(Release(), now=2.0 + k / 60.0) is None
        client.advance(2.0 + k / 60.0)
    said = [m.decode_from_client(content) for content in client.outbox]
    assert len(said) == 2 and all(isinstance(message, m.Hello) and message.key == key for message in said)


def test_without_a_server_it_waits_at_the_end_of_its_window_and_may_continue_alone():
    network = _network(2)
    _play(network, 3.0)
    client, other = network.clients
    simulation, now = client.simulation, network.now
    assert simulation is not None
    for _ in range(180):
        now += 1.0 / 60.0
        client.advance(now)
    stood = simulation.now
    assert stood - client.confirmed == ServerSettings().window and client.status == "waiting for the server" and client.age > 2.5
    client.go_offline(now)
    n_bodies = len(simulation.demo.stages[0].world.body_ids)
    assert client.is_offline and client.status == "offline"
    ball = BodySpec((FixtureSpec(Circle(0.2), density=1.0),), position=(0.0, 9.0))
    body = client.act(CreateBody.of(0, ball), now=now)
    for _ in range(120):
        now += 1.0 / 60.0
        assert client.advance(now) <= 2
    assert simulation.now == pytest.approx(stood + 120, abs=2) and set(simulation.demo.sim.users.users) == {client.user}
    world = simulation.demo.stages[0].world
    assert len(world.body_ids) == n_bodies + 1 and world.state(body).position[1] < 9.0
    now += 600.0
    assert client.advance(now) < 20 and client.advance(now + 1.0 / 60.0) < 20  # it slept: no ten minutes are made up for
    client.outbox.clear()
    network.connect(0)
    _settle(network, 2.0)
    assert not client.is_offline and client.is_joined and network.n_differing[1] == 0 and other.end_reason == ""


def test_a_slow_machine_predicts_less_and_reports_it():
    network = _network(2, LinkSettings(0.15))
    client, time = network.clients[0], itertools.count()
    client.timer = lambda: 0.02 * next(time)  # each call of `advance` takes 20 ms, however many ticks
    client.budget = 0.03
    _play(network, 4.0)
    assert client.is_slow and "prediction is shortened" in client.status
    assert client.simulation.now - client.confirmed < 20
    _settle(network)
    assert network.n_differing == [0, 0]


# -- a server that lies -----------------------------------------------------------------------------------------------


def _welcomed():
    """Return a joined client, and all messages that the server sent to it."""
    server = Server(find_demo(DEMO)(0))
    client, said = Client("one", server.settings.code), []
    server.connect(0)
    for k in range(120):
        now = k / 60.0
        client.advance(now)
        while client.outbox:
            server.receive(0, client.outbox.popleft(), now)
        server.advance(now)
        while server.outbox:
            said.append(server.outbox.popleft()[1])
            client.receive(said[-1], now)
    assert client.end_reason == "" and client.confirmed > 60
    return client, said


_LIES = (
    m.RelayedAction(2**40, 1, 0, ["release", []]),
    m.RelayedAction(2**40, 64, 2**40, ["release", []]),
    m.TickClosed(2**40, 10_000),
    m.TickClosed(110, 10_000, b"x" * 16, [10_000] * 8),
    m.TickClosed(0, 0),
    m.Pong(0.0, 2.0**40),
    m.UserPointer(64, 1e6, -1e6),
    m.UserList([]),
    m.Welcome(1, "", 0, shared_scene(find_demo(DEMO)(0)), b"", [], 1e-9, 1000, 10_000),
)


@pytest.mark.parametrize("lie", _LIES, ids=lambda lie: type(lie).__name__)
def test_false_messages_are_survived(lie):
    client, _ = _welcomed()
    for k in range(120):
        now = 2.0 + k / 60.0
        client.receive(m.encode(lie), now)
        assert client.advance(now) <= 110
    assert client.demo is not None and client.simulation is not None and client.simulation.n_actions < 100


def test_no_file_named_by_the_server_is_opened():
    client, _ = _welcomed()
    corners = [[0.0, 0.0], [0.4, 0.0], [0.0, 0.4]]
    file = {
        "format": "collision body", "version": 1, "name": "a", "method": "b", "tolerance": 0.01, "pixels_per_metre": 10.0,
        "outline": [{"outer": corners}], "fixtures": [{"kind": "polygon", "vertices": corners}],
    }  # fmt: skip
    drop = msgspec.Raw(encode_action(Drop((0.0, 5.0), file, ("/dev/zero", (0.0, 0.0), (0.4, 0.4), None))))
    tick = client.confirmed + 2
    client.receive(m.encode(m.RelayedAction(tick, 1, 900, drop)), 2.0)
    assert client.end_reason == "" and client.simulation is not None
    (act,) = client.simulation.actions(tick)
    assert isinstance(act.action, Drop) and act.action.picture is None


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00", b"\xff" * 100, m.encode(m.RelayedAction(140, 1, 900, ["launch", []])), m.encode(m.RelayedAction(140, 1, 900, [[]] * 9))],
)
def test_an_invalid_message_ends_it_in_one_line(content):
    client, _ = _welcomed()
    client.receive(content, 2.0)
    assert client.end_reason.startswith("invalid message from the server: ") and "\n" not in client.end_reason
    assert client.advance(2.0) == 0 and client.demo is not None
    client.go_offline(2.0)
    assert client.advance(2.1) > 0


_SCENE = shared_scene(find_demo(DEMO)(0))


@pytest.mark.parametrize("field", _SCENE.__struct_fields__)
@pytest.mark.parametrize("value", ["x" * 300, [[]], {"x": {}}, -(2**60), 1e308])
def test_an_invalid_welcome_is_rejected(field, value):
    client = Client("one")
    client.advance(0.0)
    scene = list((msgspec.structs.asdict(_SCENE) | {field: value}).values())
    client.receive(msgspec.msgpack.encode(["welcome", 1, "k", 0, scene, b"nonsense", [], 60.0, 3, 50]), 0.1)
    assert client.end_reason and "\n" not in client.end_reason and client.simulation is None and client.advance(0.2) == 0


def test_a_thousand_damaged_messages():
    rng = stream(7, "damage")
    client, said = _welcomed()
    said = [content for content in said if len(content) < 2000]
    for k in range(1000):
        content = bytearray(said[int(rng.integers(len(said)))])
        for at in rng.integers(len(content), size=int(rng.integers(1, 5))).tolist():
            content[at] = int(rng.integers(256))
        client.receive(bytes(content), 2.0 + k / 600.0)
        client.end_reason = ""
        if k % 10 == 0:
            assert client.advance(2.0 + k / 600.0) <= 110
    assert client.demo is not None


def test_after_a_state_only_missing_actions_are_requested(monkeypatch):
    monkeypatch.setattr(client_module, "_MAX_KNOWN_TICKS", 120)
    monkeypatch.setattr(client_module, "_FAR_TICKS", 90)
    network = _network(2)
    _play(network, 1.0)
    seat = network.members[0]
    client, requested = seat.client, []
    send, receive = client.send, client.receive
    client.send = lambda message: (requested.extend(message.ticks) if isinstance(message, m.ResendRequest) else None, send(message))[1]
    for k in range(200):  # a cable is out; it is no laptop that sleeps, which says nothing
        network.frame()
        seat.connection.down.take(np.inf)
        if k % 60 == 0:
            network.server.keep_alive(seat.connection.peer, network.now)
    assert client.confirmed < 100 and len(requested) < 20
    late = []

    def held_up(content, now):
        """Large messages take a second."""
        (late.append if isinstance(m.decode_from_server(content), m.Welcome) and not late else partial(receive, now=now))(content)

    client.receive = held_up
    requested.clear()
    while not late:
        network.frame(_hand)
    for _ in range(40):
        network.frame(_hand)
    receive(late[0], seat.clock(network.now))
    tick = client.confirmed
    _settle(network)
    assert tick % KEYFRAME_TICKS > 5, "what came before the state is used"
    assert client.n_adopted == 0 and network.n_differing == [0, 0]
    assert len(requested) < 5, requested
