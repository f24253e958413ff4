"""The server with hand-written messages: joining and leaving, repeated requests, the tick of actions, and reasons for dropping a client."""

import re
from dataclasses import fields
from pathlib import Path

import msgspec
import pytest

from engine.geometry import Circle
from engine.net import messages as m
from engine.net.client import Client
from engine.net.limits import Limits
from engine.net.server import Server, ServerSettings, new_code
from engine.sim.action import Size
from engine.sim.actions import (
    ChangeWorld,
    CreateBody,
    Drag,
    Grab,
    Join,
    KeepSolverState,
    Pause,
    PressKey,
    Release,
    SetSolver,
    encode_action,
)
from engine.sim.registry import find_demo
from engine.sim.state import encode_state, size_share
from engine.sim.users import KEYFRAME_TICKS
from engine.sim.values import StateError
from engine.world import BodySpec, FixtureSpec

CODE = "abcd-2345"
DISC = BodySpec((FixtureSpec(Circle(0.3), density=1.0),), position=(0.0, 5.0))


def raw(action):
    return msgspec.Raw(encode_action(action))


def plain(data):
    return msgspec.Raw(msgspec.msgpack.encode(data))


class Table:
    """A server with connections controlled by the test."""

    def __init__(self, demo="simple_shapes", **settings):
        self.now = 0.0
        self.server = Server(find_demo(demo)(0), ServerSettings(code=CODE, **settings))
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
        self.say(peer, m.Hello(m.VERSION, name or f"user {peer}", CODE, key=key))
        for _ in range(70):
            welcomes = self.of(peer, m.Welcome)
            if welcomes:
                return welcomes[-1]
            self.run(1)
        raise AssertionError(self.heard[peer])

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
    table.say(1, m.Hello(m.VERSION, "user 1", CODE))
    assert len(table.of(1, m.Welcome)) == 2 and table.users() == {1: "user 1"}
    table.do(1, 1, Pause(True))  # so it has the state
    table.say(1, m.Hello(m.VERSION, "user 1", CODE))
    assert len(table.of(1, m.Welcome)) == 2 and not table.reasons
    table.say(1, m.Hello(m.VERSION, "somebody else", CODE))
    assert "under two names" in table.reasons[1]
    assert table.say(1, m.Ping(0.0)) == []


def test_messages_before_hello_are_ignored():
    table = Table()
    assert table.say(1, m.Ping(0.0), m.ResendRequest([0]), m.ActionRequest(0, 0, raw(Pause(True)))) == [] and not table.reasons
    table.say(2, m.Hello(9, "late", CODE))
    assert f"version {m.VERSION} of the protocol, but your program speaks version 9" in table.reasons[2]
    assert isinstance(table.heard[2][0], m.Refused)


def test_names_are_made_unique_and_visible():
    table = Table()
    for peer, name in enumerate(("Ann", "ann", "Ann", "a\x1b[31m", " \n ", "x" * 40), 1):
        table.say(peer, m.Hello(m.VERSION, name, CODE))
    assert table.users() == {1: "Ann", 2: "ann 2", 3: "Ann 3", 4: "a\\x1b[31m", 5: "\\n", 6: "x" * 36}
    table.server.disconnect(1)
    table.say(7, m.Hello(m.VERSION, "Ann", CODE))
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
    table = Table()
    kept = table.come(1, "Ann").key
    table.do(1, 1, Pause(False))
    for peer in range(2, 150):
        table.say(peer, m.Hello(m.VERSION, "visitor", CODE))
        table.server.disconnect(peer)
    status = table.server.status
    assert len(status.users) == m.MAX_USERS and len(table.server.users) == m.MAX_USERS
    table.server.disconnect(1)
    for peer in range(150, 220):
        table.say(peer, m.Hello(m.VERSION, "visitor", CODE))
    assert sum(user.is_here for user in table.server.status.users) == m.MAX_USERS
    assert sum("limit of 64 users" in reason for reason in table.reasons.values()) >= 6
    table.say(220, m.Hello(m.VERSION, "Ann", CODE, key=kept))
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


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
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


def test_a_denial_is_repeated():
    table = joined(limits=Limits(bodies=0))
    (denied,) = table.do(1, 1, CreateBody.of(0, DISC))
    assert denied == m.ActionDenied(1, "a user may have at most 0 bodies here")
    assert table.do(1, 1, CreateBody.of(0, DISC)) == [denied]  # it may have been lost
    assert isinstance(table.do(1, 2, ChangeWorld(0, {"gravity": (0.0, 0.0)}))[0], m.RelayedAction)


def test_the_number_of_objects_per_user_is_limited():
    table = joined(limits=Limits(bodies=20))
    heard = []
    for number in range(1, 26):
        heard += table.do(1, number, CreateBody.of(0, DISC))
        table.run(2)
    assert [type(message) for message in heard] == [m.RelayedAction] * 20 + [m.ActionDenied] * 5
    assert heard[-1].reason == "a user may have at most 20 bodies here"
    assert len([body for body in table.server.simulation.demo.stages[0].world.body_ids if body >= 1 << 20]) == 20
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
    server, client = Server(find_demo("simple_shapes")(0), ServerSettings(code=CODE, limits=Limits(numbers_ahead=40))), Client("Ann", CODE)

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
    table.say(2, m.Hello(m.VERSION, "too late", CODE))
    table.run(40)
    assert table.of(2, m.Refused)[0].reason == "the state cannot be sent: own is of builtins:generator, which cannot be part of a state"


def test_the_owner_of_an_excessive_pile_is_dropped_and_the_pile_is_removed(monkeypatch):
    monkeypatch.setattr("engine.net.server._TOO_SLOW", 1e-9)  # on any machine
    table = Table()
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


def test_a_guest_without_the_code_gets_nothing():
    table = joined()
    for peer, code in ((2, ""), (3, "abcd-2346"), (4, "abcd-234"), (5, "ключ")):
        table.say(peer, m.Hello(m.VERSION, "Eve", code))
    table.run(60)
    assert table.users() == {1: "user 1"}
    assert [table.reasons[peer] for peer in (2, 3, 4, 5)] == [
        "this server requires the join code that its host shows: pass it with --code",
        *["wrong join code"] * 3,
    ]
    assert all([type(message) for message in table.heard[peer]] == [m.Refused] for peer in (2, 3, 4, 5))
    table.say(6, m.Hello(m.VERSION, "Ben", " ABCD-2345 "))
    assert set(table.users().values()) == {"user 1", "Ben"}


def test_codes_are_random():
    codes = {new_code() for _ in range(100)}
    assert len(codes) == 100 and all(re.fullmatch("[a-z2-9]{4}-[a-z2-9]{4}", code) for code in codes)
