"""Attacks on a shared world: ``python -m tests.hazards.fuzz_server N [SEED]`` prints a line of JSON; 100,000 take minutes.

Honest clients play in simulated time. Attackers of each kind in `ATTACKS` join them and send N messages in total: random bytes, damaged
messages, floods, false ticks and numbers, missing hellos. None of them uses our client, so its checks do not limit them.
Held are

- no exception gets out of the server, and none of an act that came through stops a world anywhere;
- every state of every honest client is the server's, bit for bit, and none of them is dropped;
- who does what `REASONS` names is dropped with those words; whoever is dropped gets some;
- what the server remembers stays bounded;
- of those by whom no act is let through the others notice nothing: the world goes through the very states that it has without them.

Accepted actions do change the world, because attackers are users too. The test checks that they change it identically in all copies.
"""

import gc
import itertools
import json
import math
import random
import re
import sys
import time
from collections import Counter, deque
from dataclasses import replace
from functools import cache

import msgspec

from engine.geometry import Circle, Polygon
from engine.net import messages as m
from engine.net.limits import Limits
from engine.net.link import LinkSettings
from engine.net.server import ServerSettings
from engine.net.simulated_network import SimulatedNetwork
from engine.sim.actions import (
    ApplyImpulse,
    ChangeBody,
    ChangeFixture,
    ChangeJoint,
    ChangeWorld,
    CreateBody,
    CreateFixture,
    CreateJoint,
    DestroyBody,
    DestroyFixture,
    DestroyJoint,
    Drag,
    Drive,
    Drop,
    Grab,
    Pause,
    PressKey,
    Release,
    ReleaseAll,
    ReleaseKey,
    Restart,
    SetAwake,
    SetParameter,
    SetPose,
    SetSolver,
    SetSpeed,
    SetVelocity,
    Turn,
    TurnWheel,
    UndoOwn,
    as_plain,
    encode_action,
)
from engine.sim.registry import find_demo
from engine.world import BodySpec, FixtureSpec, RevoluteJointSpec
from tests.hazards.fuzz_files import damaged

_FIRST = 1_000
"""Numbers of attackers' connections begin here."""
_AT_ONCE = 56
"""Attackers at a time: with the honest clients fewer than users may be."""
_PER_FRAME = 48
"""Messages of all of them together."""

_OFTEN = {"mutants": 10.0, "gentle": 4.0, "past": 2.0, "asker": 2.0}
"""How often a kind of attack comes, against the others: a flood alone is a thousand messages."""

_DISC = BodySpec((FixtureSpec(Circle(0.2), density=1.0),), position=(0.5, 5.0))
_BOX = BodySpec((FixtureSpec(Polygon.box(0.3, 0.2)),), position=(0.0, 4.0), linear_velocity=(1.0, 2.0))
_FILE = {
    "format": "collision body", "version": 1, "name": "a", "method": "b", "tolerance": 0.01, "pixels_per_metre": 10.0,
    "outline": [{"outer": [[0.0, 0.0], [0.4, 0.0], [0.0, 0.4]]}],
    "fixtures": [{"kind": "polygon", "vertices": [[0.0, 0.0], [0.4, 0.0], [0.0, 0.4]]}],
}  # fmt: skip
_NASTY = (
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63 - 1, -(2**63), 2**64 - 1, 1e308, -1e308, 1e-320, 1e9, 1e6, 0.5, math.nan,
    math.inf, -math.inf,
    "", "x" * 300, "\x00\u202e\x1b[2J", "a", "left", "count", "soft_step", "box2d", "create_body", "weld", "kind", b"", b"\x00" * 16,
    [], {}, [0, 0], [[0.0, 0.0]], [[1e30, -1e30]], {"kind": "circle"}, {"kind": "circle", "radius": 1e4}, {"kind": "body", "fixtures": []},
    [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],
)  # fmt: skip


def _did(number, tick, what):
    return m.encode(m.ActionRequest(number, tick, msgspec.Raw(encode_action(what))))


def _said(number, tick, plain):
    """Return the message for plain data that may not be a valid action."""
    return m.encode(m.ActionRequest(number, tick, msgspec.Raw(msgspec.msgpack.encode(plain))))


@cache
def _acts(body, other):
    """Return actions of every kind on two bodies, as JSON."""
    some = [
        CreateBody.of(0, _DISC), CreateBody.of(0, _BOX), DestroyBody(0, body), CreateFixture.of(0, body, FixtureSpec(Circle(0.1))),
        DestroyFixture(0, body), CreateJoint.of(0, RevoluteJointSpec(body, other, (0.0, 1.0))), DestroyJoint(0, body),
        SetPose(0, body, (0.0, 3.0), 1.0), SetVelocity(0, body, (1.0, 5.0), 2.0), SetAwake(0, body, True),
        ChangeBody(0, body, {"linear_damping": 0.5}), ChangeFixture(0, body, {"friction": 0.5}), ChangeJoint(0, body, {"motor_speed": 1.0}),
        ChangeWorld(0, {"gravity": [0.0, -5.0]}), ApplyImpulse(0, body, (0.5, 0.5)),
        Grab((0.0, 1.0)), Drag((1.0, 2.0)), Release(), Grab((0.0, 3.0), held=(0, body, (0.0, 0.0))), Turn((0.0, 1.0)),
        TurnWheel((0.0, 1.0), 1), PressKey("space"), PressKey("left"), ReleaseKey("left"), ReleaseAll(), SetParameter("count", 5),
        SetSolver("box2d"), Restart(), Pause(False), SetSpeed(1.0), Drive(0, body), UndoOwn(),
        Drop((0.0, 5.0), _FILE, ("/etc/passwd", (0.0, 0.0), (0.4, 0.4), None)),
    ]  # fmt: skip
    return [json.dumps(as_plain(action)) for action in some]


def _any_act(siege):
    """Return the plain data of an action of any kind, on the newest bodies."""
    bodies = siege.server.simulation.demo.stages[0].world.body_ids
    act = json.loads(siege.dice.choice(_acts(*((bodies[-1], bodies[-2]) if len(bodies) > 1 else (1, 2)))))
    return act


def _mutated(plain, dice):
    """Return plain data with one value replaced, doubled or removed."""
    places = []
    waiting = [plain]
    while waiting:
        node = waiting.pop()
        for key in range(len(node)) if isinstance(node, list) else list(node):
            places.append((node, key))
            if isinstance(node[key], list | dict):
                waiting.append(node[key])
    held, key = dice.choice(places)
    if isinstance(held, list) and dice.random() < 0.2:
        held.insert(key, held[key]) if dice.random() < 0.5 else held.pop(key)
    else:
        held[key] = dice.choice(_NASTY)
    return plain


class Siege:
    """A server with honest clients and attackers.

    Parameters
    ----------
    honest : int
        Clients.
    seed : int
    kinds : sequence of str
        Of `ATTACKS`, that come.
    demo : Demo, optional

    Attributes
    ----------
    n_messages : int
        That attackers come and send.
    """

    def __init__(self, honest=3, seed=0, kinds=(), demo=None):
        self._all = list(kinds or ATTACKS)
        self.dice = random.Random(seed)
        limits = Limits(silent_seconds=2.0, hello_seconds=1.0, bodies=8, shapes=16, world_bodies=30, world_shapes=60)
        settings = ServerSettings(delay=6, limits=limits)
        self.network = SimulatedNetwork(
            find_demo("simple_shapes")(0, {"count": 4}) if demo is None else demo, honest, LinkSettings(latency=0.04), settings, seed
        )
        for client, method in zip(self.network.clients, itertools.cycle(m.METHODS)):  # one that rolls back is enough
            client.method = method
        self.server = self.network.server
        self.n_messages, self.sent = 0, 0
        self.heard = {}
        self.kinds = {}
        self.reasons = Counter()
        self.slowest = 0.0, ""
        """Processor seconds of the slowest message, and the kind of its sender."""
        self._sessions = {}
        self._next = _FIRST
        self.server.outbox = _Outbox(self.heard)
        self.server.drops = self.fallen = _Fallen()

    def frame(self):
        """Advance by a sixtieth of a second."""
        while self.n_messages > self.sent and len(self._sessions) < _AT_ONCE:
            peer, kind = self._next, self.dice.choices(self._all, [_OFTEN.get(kind, 1.0) for kind in self._all])[0]
            self._next += 1
            self.heard[peer], self.kinds[peer] = deque(maxlen=200), kind
            self._sessions[peer] = ATTACKS[kind](self, peer)
            self.server.connect(peer)
        for peer in list(self._sessions):
            for content in next(self._sessions[peer], [])[:_PER_FRAME]:
                if self.fallen.attackers and self.fallen.attackers[-1][0] == peer:
                    break
                self.sent += 1
                began = time.process_time()
                self.server.receive(peer, content, self.network.now)
                self.slowest = max(self.slowest, (time.process_time() - began, self.kinds[peer]))
        self.network.frame(_play)
        while self.fallen.attackers:
            peer, reason = self.fallen.attackers.popleft()
            assert reason, f"{self.kinds[peer]} was dropped without a reason"
            kind = self.kinds[peer]
            expected = REASONS.get(kind)
            assert expected is None or re.search(f"{expected}|limit of 64 users", reason), f"{kind} was dropped because {reason!r}"
            self.reasons[re.sub(r"[-+]?\d[\d.,e+]*", "#", reason)[:40]] += 1
            self._end(peer)
        for peer in [peer for peer in self._sessions if self.dice.random() < 0.03 and self.kinds[peer] not in REASONS]:
            self._end(peer)

    def _end(self, peer):
        self._sessions.pop(peer, None)
        self.heard.pop(peer, None)
        self.server.disconnect(peer)

    def hello(self, peer):
        return m.encode(m.Hello(m.VERSION, f"{self.kinds[peer]} {peer}", self.server.settings.code))

    def has_come_in(self, peer):
        return self.server.has_joined(peer)

    @property
    def remembered(self):
        """Numbers of items that the server stores about former clients."""
        server = self.server
        return {
            "peers": server.status.n_connections, "users": len(server.users), "ticks": len(server._relayed),
            "acts": sum(map(len, server._relayed.values())), "answers": sum(len(user.answers) for user in server._users.values()),
            "loads": len(server._loads),
        }  # fmt: skip


class _Outbox(deque[tuple[int, bytes]]):
    """An outbox that discards messages to attackers."""

    def __init__(self, heard):
        super().__init__()
        self._heard = heard

    def append(self, entry):
        if entry[0] < _FIRST:
            super().append(entry)
        elif entry[0] in self._heard:
            self._heard[entry[0]].append(entry[1])


class _Fallen(deque[tuple[int, str]]):
    """Drops, except those of attackers."""

    def __init__(self):
        super().__init__()
        self.attackers = deque()

    def append(self, entry):
        assert entry[0] >= _FIRST, f"an honest client was dropped: {entry[1]}"
        self.attackers.append(entry)


def _play(client, rng, now):
    """Act honestly from time to time."""
    if rng.random() < 0.05:
        x, y = float(rng.uniform(-4.0, 4.0)), float(rng.uniform(0.0, 6.0))
        acts = (
            Grab((x, y)),
            Drag((x, y)),
            Release(),
            PressKey("left"),
            ReleaseKey("left"),
            Pause(False),
            SetSpeed(1.0),
        )
        client.act(acts[rng.integers(len(acts))], now=now)


# -- attacks --------------------------------------------------------------------------------------------------------------


def _noise(siege, peer):
    while True:
        yield [siege.dice.randbytes(siege.dice.choice((0, 1, 7, 60, 900))) for _ in range(3)]


def _mutants(siege, peer):
    """Join, and send damaged messages."""
    dice, server = siege.dice, siege.server
    yield [siege.hello(peer)]
    number = 1
    while True:
        sent = []
        for _ in range(dice.randrange(1, 8)):
            tick = server.simulation.now + dice.randrange(-5, 30)
            plain = dice.choice(
                [["action", number, tick, _any_act(siege)]] * 12
                + [["resend", [tick, tick - 3]], ["state"], ["ping", 0.0, tick, 0.1], ["pointer", 1.0, 2.0],
                   ["hello", m.VERSION, f"{siege.kinds[peer]} {peer}", "", ""]]
            )  # fmt: skip
            number += plain[0] == "action"
            content = msgspec.msgpack.encode(_mutated(plain, dice) if dice.random() < 0.6 else plain)
            sent.append(damaged(content, dice, "") if dice.random() < 0.05 else content)
        yield sent


def _gentle(siege, peer):
    """Send valid actions with odd values; the worlds must reject invalid ones."""
    dice, server = siege.dice, siege.server
    yield [siege.hello(peer)]
    number = 1
    while True:
        act = _any_act(siege)
        if dice.random() < 0.5:
            act = _with_other_numbers(act, dice)
        yield [_said(number, server.simulation.now + dice.randrange(0, 20), act)]
        number += 1


def _with_other_numbers(plain, dice):
    if isinstance(plain, list):
        return [_with_other_numbers(item, dice) for item in plain]
    if isinstance(plain, dict):
        return {key: _with_other_numbers(item, dice) for key, item in plain.items()}
    if isinstance(plain, float) and dice.random() < 0.3:
        return dice.choice((0.0, -1.0, 1e-9, 1e3, 1e6, -1e6, 1e9, 5e-324, 0.1))
    return plain


def _asker(siege, peer):
    """Repeatedly yield the largest requests that a client may send."""
    yield [siege.hello(peer)]
    while True:
        now = siege.server.simulation.now
        yield [m.encode(m.ResendRequest(list(range(max(0, now - 120), now)))), m.encode(m.StateRequest())] * 3


def _far(siege, peer):
    yield [siege.hello(peer)]
    while True:
        yield [_did(1, siege.server.simulation.now + siege.dice.choice((500, 10**6, 2**39)), Release())] if siege.has_come_in(peer) else []


def _past(siege, peer):
    """Send old ticks and reused numbers."""
    yield [siege.hello(peer)]
    while True:
        yield [_did(siege.dice.randrange(20), 0, Drag((1.0, 1.0))) for _ in range(3)]


def _negative(siege, peer):
    yield [siege.hello(peer)]
    while True:
        yield [msgspec.msgpack.encode(["action", 1, -5, ["release", []]])]


def _numbers(siege, peer):
    yield [siege.hello(peer)]
    while True:
        yield [_did(siege.dice.choice((10**6, 2**40)), 0, Release())] if siege.has_come_in(peer) else []


def _other(siege, peer):
    """Act in the name of another user."""
    yield [siege.hello(peer)]
    while True:
        yield [_said(1, 0, {"type": "By", "user": 1, "action": {"type": "Leave"}})] if siege.has_come_in(peer) else []


def _leaver(siege, peer):
    """Send actions reserved for the server or the program."""
    yield [siege.hello(peer)]
    acts = [{"type": "Leave"}, {"type": "Join"}, {"type": "KeepSolverState"}]
    while True:
        yield [_said(1, 0, siege.dice.choice(acts))] if siege.has_come_in(peer) else []


def _builder(siege, peer):
    yield [siege.hello(peer)]
    number = 1
    while True:
        yield (
            [_did(number + k, 0, CreateBody.of(0, replace(_DISC, position=(siege.dice.uniform(-4.0, 4.0), 5.0)))) for k in range(20)]
            if siege.has_come_in(peer)
            else []
        )
        number += 20


def _deep(siege, peer):
    yield [siege.hello(peer)]
    act = []
    for _ in range(siege.dice.choice((40, 300, 900))):
        act = [act]
    contents = [
        b"\x94\xa6action\x01\x00" + b"\x91" * 20_000 + b"\x90",
        _said(1, 0, {"type": "CreateBody", "stage": 0, "spec": {"fixtures": act}}),
        _said(1, 0, {"type": "CreateBody", "stage": 0, "spec": {"fixtures": [[]] * 20_000}}),
        b"\x94\xa6action\x01\x00\xdd\xff\xff\xff\xff",
    ]
    while True:
        yield [siege.dice.choice(contents)] if siege.has_come_in(peer) else []


def _giant(siege, peer):
    while True:
        yield [b"\x00" * (m.MAX_CLIENT_MESSAGE_BYTES + 1)]


def _stranger(siege, peer):
    """Send everything except a hello."""
    while True:
        yield [m.encode(m.Ping(0.0)), m.encode(m.ResendRequest([0, 1])), _did(0, 0, Restart())]


def _half(siege, peer):
    while True:
        yield []


def _guesser(siege, peer):
    """Send hellos with unknown codes, keys and versions."""
    dice = siege.dice
    while True:
        yield [
            m.encode(
                m.Hello(
                    dice.choice((m.VERSION, m.VERSION, 0, 2**60)),
                    "x",
                    dice.choice(("", "é", "abcd-2345")),
                    dice.choice(("", "ключ", "0" * 32)),
                )
            )
        ]


ATTACKS = {
    "noise": _noise, "mutants": _mutants, "gentle": _gentle, "asker": _asker, "far": _far, "past": _past,
    "negative": _negative, "numbers": _numbers, "other": _other, "leaver": _leaver, "builder": _builder, "deep": _deep, "giant": _giant,
    "stranger": _stranger, "half": _half, "guesser": _guesser,
}  # fmt: skip
HARMLESS = (
    "noise", "asker", "far", "negative", "numbers", "other", "leaver", "deep", "giant", "stranger", "half", "guesser",
)  # fmt: skip
"""Attackers whose messages are all dropped, except that they come and go."""
REASONS = {
    "noise": "not a valid message",
    "far": r"meant for tick \d+, but the first open tick is \d+",
    "negative": r"not a valid message: Expected `int` >= 0",
    "numbers": r"has number \d+, but its last one had number \d+",
    "other": r"must be one of",
    "leaver": r"not available to guests",
    "deep": r"not a valid message|more than 10000 values|must be|lists in lists|deep",
    "giant": r"at most 64000 bytes",
    "stranger": r"sent no hello message within",
    "half": r"sent no hello message within",
    "guesser": r"speaks version|join code|two names",
}
"""Reasons given to attackers of one kind; the others may stay, or do anything."""


def besiege(n_messages, seed=0, honest=3, n_in_peace=150, demo=None):
    """Let attackers send this many messages, check the module's conditions, and return the result."""
    siege = Siege(honest, seed, demo=demo)
    for _ in range(n_in_peace):
        siege.frame()
    siege.n_messages = n_messages
    half = 0
    while siege.sent < n_messages:
        siege.frame()
        if not half and siege.sent > n_messages // 2:
            half = _n_objects()
    grown = _n_objects() / half
    network, server = siege.network, siege.server
    end, n_frames = server.simulation.now, 0
    while min(client.confirmed for client in network.clients) < end:
        siege.frame()
        n_frames += 1
        assert n_frames < 600, "an honest client does not come to know everything"
    report = {
        "messages": siege.sent, "sessions": len(siege.kinds), "ticks": server.simulation.now, "differing": network.n_differing,
        "refused": [client.end_reason for client in network.clients], "dropped": server.status.n_dropped,
        "reasons": dict(siege.reasons.most_common()),
        "restamped": server.status.restamped, "troubles": [trouble for trouble in server.status.troubles if "a message raised" in trouble],
        "objects_grown_by": round(grown, 3), "remembered": siege.remembered,
        "slowest_message_ms": [round(1e3 * siege.slowest[0], 1), siege.slowest[1]],
        "kinds": dict(Counter(siege.kinds.values())),
        "faults": Counter(re.sub(r"\d+", "#", trouble)[:60] for trouble in server.status.troubles),
    }  # fmt: skip
    assert report["differing"] == [0] * honest and report["refused"] == [""] * honest, report
    assert all(len(digests) > 0.9 * end for digests in network.digests), report
    assert not report["troubles"], report
    kept = siege.remembered
    assert kept["peers"] <= 256 and kept["users"] <= m.MAX_USERS and kept["ticks"] < 1_000, report
    return report


def leave_in_peace(n_messages, seed=0, honest=2):
    """Let attackers send only messages that are always dropped, and run the same world without them; both go through the same states."""
    besieged, quiet = Siege(honest, seed, HARMLESS), Siege(honest, seed)
    for k in range(100_000):
        besieged.n_messages = n_messages if k > 90 else 0
        besieged.frame()
        quiet.frame()
        if besieged.sent >= n_messages and besieged.server.simulation.now > 60:
            break
    end = besieged.server.simulation.now
    for siege in (besieged, quiet):
        siege.n_messages = 0
        while min(client.confirmed for client in siege.network.clients) < end:
            siege.frame()
        assert siege.network.n_differing == [0] * honest
    differing = [tick for tick in range(end) if besieged.network.final[tick] != quiet.network.final[tick]]
    assert not differing, f"from tick {differing[0]} on"
    assert len(set(quiet.network.final.values())) > 0.9 * end
    return {
        "messages": besieged.sent, "sessions": len(besieged.kinds), "ticks": end,
        "dropped": besieged.server.status.n_dropped, "reasons": dict(besieged.reasons.most_common()),
    }  # fmt: skip


def _n_objects():
    """Return the number of objects tracked by the garbage collector; each remembered item has at least one."""
    gc.collect()
    return len(gc.get_objects())


if __name__ == "__main__":
    count, number = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    print(json.dumps({"besieged": besiege(count, number), "left_in_peace": leave_in_peace(count // 4, number)}))
