"""The server with hand-written messages: joining and leaving, repeated requests, the tick of actions, and reasons for dropping a client."""

from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from engine.geometry import Circle
from engine.net import messages as m
from engine.net.client import Client
from engine.net.limits import Limits, PasswordThrottle
from engine.net.server import Server, ServerSettings
from engine.sim.action import Size
from engine.sim.actions import (
    ChangeWorld,
    CreateBody,
    DestroyBody,
    Drag,
    Grab,
    Join,
    KeepSolverState,
    Pause,
    PressKey,
    Release,
    SetSolver,
    UndoOwn,
    encode_action,
)
from engine.sim.registry import find_demo
from engine.sim.state import encode_state, size_share
from engine.sim.users import KEYFRAME_TICKS
from engine.sim.values import StateError
from engine.world import BodySpec, FixtureSpec

DISC = BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(0.0, 5.0))


def raw(action):
    return msgspec.Raw(encode_action(action))


def plain(data):
    return msgspec.Raw(msgspec.msgpack.encode(data))


class Table:
    """A server with connections controlled by the test."""

    def __init__(self, demo="simple_shapes", **settings):
        self.now = 0.0
        self.server = Server(find_demo(demo)(0), ServerSettings(**settings))
        self.heard = {}
        self.reasons = {}

    def say(self, peer, *messages):
        """Send a message from a new or existing connection; return the immediate replies."""
        if peer not in self.heard:
            self.heard[peer] = []
            self.server.connect(peer)
        before = len(self.heard[peer])
        for message in messages:
            self.server.receive(peer, message if isinstance(message, bytes) else m.encode(message), self.now)
        self.fetch()
        return self.heard[peer][before:]

    def come(self, peer, name="", key=""):
        """Let a client join, and wait for its welcome."""
        self.say(peer, m.Hello(m.VERSION, name or f"user {peer}", key=key))
        for _ in range(70):
            welcomes = self.of(peer, m.Welcome)
            if welcomes:
                return welcomes[-1]
            self.run(1)
        raise AssertionError(self.heard[peer])

    def knock(self, peer, password, key="", origin="192.0.2.9"):
        """Send a hello from an address; return why it was dropped."""
        self.heard[peer] = []
        self.server.connect(peer, origin)
        self.say(peer, m.Hello(m.VERSION, "Ann", password, key))
        return self.reasons.get(peer, "")

    def do(self, peer, number, what, tick=0):
        """Let a client act: ``do(1, 0, Pause(True))``."""
        return self.say(peer, m.ActionRequest(number, tick, raw(what)))

    def run(self, n_ticks):
        """Advance this many ticks, with messages from everyone."""
        for _ in range(n_ticks):
            self.now += 1.0 / 60.0
            self.server.advance(self.now)
        self.fetch()

    def fetch(self):
        while self.server.outbox:
            peer, content = self.server.outbox.popleft()
            self.heard.setdefault(peer, []).append(m.decode_from_server(content))
        while self.server.drops:
            peer, reason = self.server.drops.popleft()
            self.reasons.setdefault(peer, reason)

    def of(self, peer, kind):
        return [message for message in self.heard[peer] if isinstance(message, kind)]

    def users(self):
        return {user.user: user.name for user in self.server.status.users if user.is_here}


def joined(**settings):
    """Return a table with one joined client."""
    table = Table(**settings)
    table.come(1)
    return table


def test_a_repeated_hello_is_answered_again():
    table = joined()
    assert table.server.simulation.now == 0
    table.say(1, m.Hello(m.VERSION, "user 1"))
    assert len(table.of(1, m.Welcome)) == 2 and table.users() == {1: "user 1"}
    table.do(1, 1, Pause(True))  # so it has the state
    table.say(1, m.Hello(m.VERSION, "user 1"))
    assert len(table.of(1, m.Welcome)) == 2 and not table.reasons
    table.say(1, m.Hello(m.VERSION, "somebody else"))
    assert "under two names" in table.reasons[1]
    assert table.say(1, m.Ping(0.0)) == []


def test_messages_before_hello_are_ignored():
    table = Table()
    assert table.say(1, m.Ping(0.0), m.ResendRequest([0]), m.ActionRequest(0, 0, raw(Pause(True)))) == [] and not table.reasons
    table.say(2, m.Hello(9, "late"))
    assert f"version {m.VERSION} of the protocol, but your program speaks version 9" in table.reasons[2]
    assert isinstance(table.heard[2][0], m.Refused)


def test_names_are_made_unique_and_visible():
    table = Table()
    for peer, name in enumerate(("Ann", "ann", "Ann", "a\x1b[31m", " \n ", "x" * 40), 1):
        table.say(peer, m.Hello(m.VERSION, name))
    assert table.users() == {1: "Ann", 2: "ann 2", 3: "Ann 3", 4: "a\\x1b[31m", 5: "\\n", 6: "x" * 36}
    table.server.disconnect(1)
    table.say(7, m.Hello(m.VERSION, "Ann"))
    assert table.users()[7] == "Ann"  # nobody who is here has it


def test_a_client_with_a_key_replaces_its_older_connection():
    table = Table()
    key = table.come(1, "Ann").key
    table.do(1, 1, Grab((0.0, 1.0)))
    table.run(10)
    again = table.come(2, "Ann", key)
    assert again.user == 1 and again.key == key and again.next_number == 4  # join, grab, leave, join
    assert table.reasons == {1: "it joined again through another connection"} and table.users() == {1: "Ann"}
    table.server.disconnect(1)
    assert table.users() == {1: "Ann"}
    table.server.disconnect(2)
    table.run(20)
    assert table.users() == {} and table.server.simulation.demo.sim.users.users == {}
    assert table.come(3, "Ben").user == 2 and table.come(4, "Ann", key).user == 1


def test_numbers_of_users_who_left_are_reused():
    table = Table(limits=Limits(joins_per_s=1e6))
    kept = table.come(1, "Ann").key
    table.do(1, 1, Pause(False))
    for peer in range(2, 150):
        table.say(peer, m.Hello(m.VERSION, "visitor"))
        table.server.disconnect(peer)
    status = table.server.status
    assert len(status.users) == m.MAX_USERS and len(table.server.users) == m.MAX_USERS
    table.server.disconnect(1)
    for peer in range(150, 220):
        table.say(peer, m.Hello(m.VERSION, "visitor"))
    assert sum(user.is_here for user in table.server.status.users) == m.MAX_USERS
    assert sum("limit of 64 users" in reason for reason in table.reasons.values()) >= 6
    table.say(220, m.Hello(m.VERSION, "Ann", key=kept))
    assert "limit of 64 users" in table.reasons[220]  # the last to give up its number, for it had done something


def test_actions_apply_at_their_tick_or_the_first_open_one():
    table = joined()
    table.run(30)
    now = table.server.simulation.now
    (late,) = table.do(1, 1, Pause(True), tick=now - 20)
    (soon,) = table.do(1, 2, Pause(False), tick=now + 40)
    assert (late.tick, soon.tick) == (now, now + 40) and table.server.status.restamped == 1
    table.run(30)
    assert table.server.simulation.demo.sim.users.paused
    table.run(20)
    assert not table.server.simulation.demo.sim.users.paused
    (again,) = table.do(1, 1, Pause(True), tick=now - 20)  # its answer may have been lost
    assert again == late and not table.server.simulation.demo.sim.users.paused
    table.do(1, 3, Pause(True), tick=10_000)
    assert "meant for tick 10000, but the first open tick is" in table.reasons[1]


def test_many_actions_of_one_tick_are_spread_over_ticks():
    table = joined(limits=Limits(acts_per_tick=5))
    table.run(10)
    now = table.server.simulation.now
    ticks = [table.do(1, number, Drag((0.0, 0.0)), tick=now)[0].tick for number in range(1, 13)]
    assert ticks == [now] * 5 + [now + 1] * 5 + [now + 2] * 2


def test_requests_for_missing_actions_are_answered_from_the_stored_ticks(monkeypatch):
    monkeypatch.setattr("engine.net.server._KEPT_TICKS", 60)
    table = joined()
    for number in range(1, 41):
        table.do(1, number, Drag((1.0, 1.0)), tick=table.server.simulation.now)
        table.run(1)
    first = [message for message in table.heard[1] if isinstance(message, m.RelayedAction | m.TickClosed) and message.tick == 20]
    again = table.say(1, m.ResendRequest([20, 5000]))
    assert again == first and len(again) == first[-1].count + 1 > 1
    table.run(90)
    assert table.say(1, m.ResendRequest([20])) == [] and not table.reasons


def test_a_client_that_asks_too_often_gets_only_its_share():
    table = joined(limits=Limits(replies_per_s=1_000.0))
    table.run(60)
    for _ in range(50):
        table.say(1, m.ResendRequest(list(range(60))))
    assert sum(len(m.encode(message)) for message in table.of(1, m.TickClosed)) < 60 * 40 + 4_000 and not table.reasons


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([m.Ping(0.0)] * 2_500, "more than 600 messages per second"),
        ([b"\xc1" * 60_000], "not a valid message"),
        ([b"\x00" * 65_000], "at most 64000 bytes"),
        ([m.ActionRequest(1, 0, raw(Join()))], "not available to guests: Join"),
        ([m.ActionRequest(1, 0, raw(KeepSolverState()))], "not available to guests: KeepSolverState"),
        ([m.ActionRequest(1, 0, msgspec.Raw(b"\xa1\xff"))], "not a valid message: 'utf-8' codec can't decode"),
        ([m.ActionRequest(10**9, 0, raw(Release()))], "has number 1000000000, but its last one had number 0"),
        ([m.ActionRequest(1, 0, plain({"type": "__init__"}))], "action 1.type must be one of ApplyImpulse"),
        ([m.ActionRequest(1, 0, plain({"type": "Drag", "point": [float("nan"), 0.0]}))], "action 1.point[0] must be float"),
        ([m.ActionRequest(1, 0, plain([["drag"] * 3] * 5))], "action 1 must be an object with the type of an action"),
    ],
)
def test_an_offending_client_is_dropped_with_a_reason(messages, reason):
    table = Table()
    table.come(1, "Ann")
    table.come(2, "Mallory")
    table.say(2, *messages)
    table.run(5)
    assert reason in table.reasons[2] and table.users() == {1: "Ann"} and not isinstance(table.heard[1][-1], m.Dropped)
    (drop,) = table.server.status.drops
    assert drop.name == "Mallory" and reason in drop.reason and not table.server.status.troubles


def test_a_denial_is_repeated_and_too_many_end_the_connection():
    table = joined(limits=Limits(bodies=0))
    (denied,) = table.do(1, 1, CreateBody.of(0, DISC))
    assert denied == m.ActionDenied(1, "a user may have at most 0 bodies here")
    assert table.do(1, 1, CreateBody.of(0, DISC)) == [denied]  # it may have been lost
    assert isinstance(table.do(1, 2, ChangeWorld(0, {"gravity": (0.0, 0.0)}))[0], m.RelayedAction)
    for number in range(3, 40):
        table.do(1, number, CreateBody.of(0, DISC))
    assert table.reasons == {1: "it repeated denied actions too often: a user may have at most 0 bodies here"}


def test_the_number_of_objects_per_user_is_limited():
    table = joined(limits=Limits(bodies=20))
    heard = []
    for number in range(1, 26):
        heard += table.do(1, number, CreateBody.of(0, DISC))
        table.run(2)
    assert [type(message) for message in heard] == [m.RelayedAction] * 20 + [m.ActionDenied] * 5
    assert heard[-1].reason == "a user may have at most 20 bodies here"
    assert len([body for body in table.server.simulation.demo.stages[0].world.body_ids if body >= 1 << 20]) == 20
    table = joined(limits=Limits(shapes_per_s=10.0))
    heard = [table.do(1, number, CreateBody.of(0, DISC))[0] for number in range(1, 23)]
    assert [type(message) for message in heard] == [m.RelayedAction] * 20 + [m.ActionDenied] * 2
    assert heard[-1].reason == "a user may create at most 10 bodies, shapes and joints per second here"
    assert CreateBody.of(0, DISC).size == Size(1, 1, 0)


def test_creation_is_denied_when_the_state_would_be_too_large_to_send(monkeypatch):
    """Issue 30: it was applied, and then no client could join."""
    monkeypatch.setattr("engine.net.server._MEASURED_BYTES", 0)
    monkeypatch.setattr("engine.net.server._REMEASURE_TICKS", KEYFRAME_TICKS)
    demo = find_demo("simple_shapes")(0)
    demo.sim.step()
    share = size_share(encode_state(demo))
    table = joined(limits=Limits(state_share=1.02 * share))
    heard = []
    for number in range(1, 9):
        heard += table.do(1, number, CreateBody.of(0, DISC))
        table.run(KEYFRAME_TICKS)
    kinds = [type(answer) for answer in heard]
    n = kinds.index(m.ActionDenied)
    assert 0 < n < 8 and kinds == [m.RelayedAction] * n + [m.ActionDenied] * (8 - n)
    assert heard[-1].reason == "the world is full: a larger state could not be sent to new clients"
    assert table.come(2).user == 2
    monkeypatch.setattr("engine.net.server.size_share", lambda content: 0.0)  # somebody cleared up
    table.run(KEYFRAME_TICKS)
    assert isinstance(table.do(1, 20, CreateBody.of(0, DISC))[0], m.RelayedAction), "there is room again"


def test_no_action_makes_a_tick_last_minutes():
    table = joined()
    acts = (
        SetSolver("xpbd", (("sub_steps", 64), ("iterations", 64))),
        SetSolver("xpbd", (("sub_steps", 64), ("iterations", 3)), continues=True),
        SetSolver("contact_forces", (("largest", 300),)),
        ChangeWorld(0, {"velocity_iterations": 1000}),
        ChangeWorld(0, {"velocity_iterations": 100}),
        ChangeWorld(0, {"gravity": (0.0, -1.0)}),
        SetSolver("nothing", (("sub_steps", 1000),)),
    )
    heard = [table.do(1, number, act)[0] for number, act in enumerate(acts, 1)]
    assert [type(message) for message in heard] == [m.ActionDenied] * 4 + [m.RelayedAction] * 3
    assert heard[0].reason == "guests may not set a solver to more than 16 times its default work"


def test_a_user_who_continued_alone_may_rejoin():
    server, client = Server(find_demo("simple_shapes")(0), ServerSettings(limits=Limits(numbers_ahead=40))), Client("Ann")

    def pump(peer, now):
        server.advance(now)
        while server.outbox:
            client.receive(server.outbox.popleft()[1], now)
        client.advance(now)
        while client.outbox:
            server.receive(peer, client.outbox.popleft(), now)

    server.connect(1)
    for k in range(20):
        pump(1, k / 60)
    client.go_offline(20 / 60)
    for _ in range(60):
        client.act(Release(), now=20 / 60)
    server.disconnect(1)
    client.reconnect()
    server.connect(2)
    for k in range(21, 80):
        pump(2, k / 60)
    client.act(Release(), now=80 / 60)
    pump(2, 80 / 60)
    assert client.is_joined and not client.end_reason and not server.drops and client.confirmed > 0


def test_silent_and_half_open_connections_time_out():
    table = joined(limits=Limits(hello_seconds=0.5, silent_seconds=1.0))
    table.say(2)
    table.come(3)
    table.run(32)
    assert table.reasons == {2: "it sent no hello message within 0.5 s"}
    table.server.keep_alive(3, table.now)
    table.run(32)
    assert table.reasons.keys() == {1, 2} and table.reasons[1] == "it sent nothing for 1 s", "who answers pings is only busy"
    for peer in range(10, 10_010):
        table.server.connect(peer)
    assert table.server.status.n_connections == table.server.settings.limits.connections


def test_a_late_server_catches_up_or_lets_its_clock_slip():
    table = joined()
    table.run(60)
    before = table.server.simulation.now
    table.now += 0.2
    assert table.server.advance(table.now) == 8 and table.server.advance(table.now) == 4 and table.server.status.slipped == 0.0
    table.now += 180.0
    assert table.server.advance(table.now) == 8 and table.server.advance(table.now) <= 1
    table.fetch()
    status = table.server.status
    assert status.slipped == pytest.approx(180 * 60 - 8, abs=2) and "the clock fell behind by 179." in status.troubles[-1]
    assert table.server.simulation.now - before < 25 and not table.reasons
    assert table.say(1, m.Ping(1.0))[0].clock == pytest.approx(table.server.simulation.now + 4, abs=1.0)


def test_a_failing_demo_does_not_end_the_world(monkeypatch):
    table = joined()

    def fail(*_):
        raise ZeroDivisionError("a demo's mistake")

    monkeypatch.setattr(type(table.server.simulation.demo), "on_key", fail)
    monkeypatch.setattr(type(table.server.simulation.demo), "after_step", fail, raising=False)
    table.do(1, 1, PressKey("a"))
    table.run(40)
    assert table.server.simulation.now > 30 and not table.reasons
    troubles = table.server.status.troubles
    assert "PressKey by user 1 failed: ZeroDivisionError" in troubles[0] and "the step failed: " in troubles[-1]


def test_nobody_joins_if_the_state_cannot_be_sent(monkeypatch):
    def fail(*_):
        raise StateError("own is of builtins:generator, which cannot be part of a state")

    table = joined()
    table.run(40)
    monkeypatch.setattr("engine.net.server.encode_state", fail)
    table.say(2, m.Hello(m.VERSION, "too late"))
    table.run(40)
    assert table.of(2, m.Refused)[0].reason == "the state cannot be sent: own is of builtins:generator, which cannot be part of a state"


def test_the_owner_of_an_excessive_pile_is_dropped_and_the_pile_is_removed(monkeypatch):
    monkeypatch.setattr("engine.net.server._TOO_SLOW", 1e-9)  # on any machine
    table = Table(limits=Limits(shapes_per_s=1e6))
    table.come(1, "Ann")
    table.do(1, 1, CreateBody.of(0, DISC))
    table.run(60)
    assert not table.reasons, "there is nobody whom it could bother"
    table.come(2, "Mallory")
    heap = BodySpec(DISC.fixtures * 12, position=(0.0, 6.0))
    for number in range(1, 5):
        table.do(2, number, CreateBody.of(0, heap))
    table.run(60)
    assert list(table.reasons) == [2] and "too expensive for the server" in table.reasons[2]
    bodies = table.server.simulation.demo.stages[0].world.body_ids
    assert [body >> 20 for body in bodies if body >> 20] == [1]
    assert "the bodies of Mallory were removed" in table.server.status.troubles[0]


def test_the_page_has_every_limit():
    page = (Path(__file__).resolve().parents[3] / "docs" / "network.md").read_text(encoding="utf-8")
    for field in fields(Limits):
        assert f"`{field.name}` {getattr(Limits(), field.name):,}".removesuffix(".0") in page, field.name


def test_wrong_passwords_increase_the_delay_for_the_whole_address():
    table = Table(password="sesame", limits=Limits(free_guesses=2, guess_seconds=1.0))

    def tries(password, origin="192.0.2.9", seconds=0.0):
        table.now += seconds
        return table.knock(len(table.heard) + 1, password, origin=origin)

    assert [tries(word) for word in ("a", "b", "c")] == ["wrong password"] * 3
    wait = "too many wrong passwords from your address: try again in {} s"
    assert tries("sesame") == tries("d") == wait.format(1), "in the pause none is looked at, the right one neither"
    assert tries("e", seconds=1.0) == "wrong password" and tries("f", seconds=1.0) == wait.format(1)
    assert tries("g", seconds=1.0) == "wrong password" and tries("h") == wait.format(4)
    assert tries("sesame", "198.51.100.3") == "", "others come in meanwhile"
    assert tries("") == "this server requires a password: pass it with --password"
    assert tries("sesame", seconds=4.0) == "" and tries("i") == "wrong password", "then nothing is held against it"


def test_the_delay_has_a_maximum_and_expires():
    throttle = PasswordThrottle(Limits())
    for k in range(40):
        throttle.note_wrong("x", float(k))
    assert throttle.pause("x", 40.0) == 599.0, "ten minutes, from the last one"
    throttle.note_wrong("x", 4000.0)
    assert throttle.pause("x", 4000.0) == 0.0, "that was long ago"
    for _ in range(40):
        throttle.note_wrong("x", 4000.0)
    for k in range(4096):
        throttle.note_wrong(str(k), 4000.0)
    assert throttle.pause("x", 4000.0) == 0.0, "as many addresses are remembered"


def test_a_known_user_can_return_while_others_at_the_address_guess():
    table = Table(password="sesame", limits=Limits(free_guesses=0, guess_seconds=100.0))
    assert table.knock(1, "sesame") == ""
    table.run(1)
    key = table.of(1, m.Welcome)[0].key
    table.server.disconnect(1)
    assert table.knock(2, "open") == "wrong password"
    assert table.knock(3, "sesame", key) == "" and table.users() == {1: "Ann"}
    assert table.knock(4, "open", key) == "wrong password"
    assert table.knock(5, "sesame", "0" * 32).startswith("too many wrong passwords"), "he took nothing off the pause"


@pytest.mark.parametrize("waits", [0, 1])
def test_objects_recreated_by_undo_count_as_created(waits):
    table = joined(limits=Limits(shapes_per_s=1.0, messages_per_s=1e4, processor_share=100.0, denials_per_s=1e3))
    table.run(30)
    world = table.server.simulation.demo.stages[0].world
    n_made, number, after = 0, 0, 0
    for k in range(60):
        body = world.body_ids[-1]
        n_before = len(world.body_ids)
        number += 2
        table.do(1, number, DestroyBody(0, body), tick=table.server.simulation.now)
        if not waits:
            table.run(4)
        after = len(world.body_ids)
        table.do(1, number + 1, UndoOwn(), tick=table.server.simulation.now)
        table.run(4)
        n_made += len(world.body_ids) - (after if not waits else n_before - 1)
        if k > 3 and len(world.body_ids) < n_before:
            break
    denied = [message.reason for message in table.of(1, m.ActionDenied)]
    assert set(denied) == {"a user may create at most 1 bodies, shapes and joints per second here"} and not table.reasons
    assert 1 <= n_made <= 8, "four seconds' worth, and what comes in meanwhile"
