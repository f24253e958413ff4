"""Server and clients over local sockets: they agree, disconnect with a message, and end in time, whatever the other side does."""

import socket
import threading
import time

import msgspec
import pytest

from engine.common.errors import InvalidInputError, LabError
from engine.net import client_session, server_thread
from engine.net import messages as m
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.connection import Connection, parse_address
from engine.net.link import LinkSettings
from engine.net.server import ServerSettings
from engine.net.server_thread import ServerThread
from engine.sim.actions import Grab, PressKey, encode_action
from engine.sim.registry import find_demo
from tests.waiting import until


def _demo():
    return find_demo("simple_shapes")(0)


@pytest.fixture
def host(monkeypatch):
    monkeypatch.setattr(server_thread, "_STATUS_SECONDS", 0.05)
    monkeypatch.setattr(client_session, "_FIRST_WAIT", 0.05)
    server = ServerThread(_demo, ServerSettings(code="sesame"), port=0)
    server.start()
    yield server
    server.close()


def _client_session(port, name="one", code="sesame", link=None):
    connection = Connection("127.0.0.1", port)
    connection.link = link or connection.link
    return ClientSession(Client(name, code), connection)


def _play(condition, *client_sessions):
    """Advance the client sessions until a condition is true."""

    def look():
        for session in client_sessions:
            session.advance(time.monotonic())
        return condition()

    until(look, look=0.005)


def _is_in(session):
    return session.client.simulation is not None and session.client.confirmed > 0


def test_clients_follow_the_server_s_states_and_learn_of_its_end(host):
    client_sessions = [_client_session(host.port, name, link=LinkSettings(latency=0.01)) for name in ("one", "two")]
    final = [{}, {}]
    for session, digests in zip(client_sessions, final, strict=True):
        session.client.on_final = digests.__setitem__
    _play(lambda: all(map(_is_in, client_sessions)), *client_sessions)
    client_sessions[0].client.act(Grab((0.0, 5.0)), now=time.monotonic())
    client_sessions[1].client.act(PressKey("right"), now=time.monotonic())
    client_sessions[0].connection.link = LinkSettings(latency=0.03)
    _play(lambda: len(final[0].keys() & final[1].keys()) > 40, *client_sessions)
    host.close("the lesson is over")
    assert host.is_over and host.failure == ""
    _play(lambda: all(session.is_over for session in client_sessions), *client_sessions)
    assert [session.status_text for session in client_sessions] == 2 * ["the lesson is over"] and all(
        session.server_ended for session in client_sessions
    )
    _play(lambda: all(host.status.keyframe in digests for digests in final), *client_sessions)  # what came before the end is known
    assert all(final[0][tick] == final[1][tick] for tick in final[0].keys() & final[1].keys())
    assert final[0][host.status.keyframe].hex() == host.status.state_hash
    assert set(host.status.users) == {"one", "two"} and host.status.server.n_sent > 1000
    until(lambda: not any(thread.name in ("host", "connection") for thread in threading.enumerate()))


def test_a_server_with_rollback_applies_a_late_action_at_its_tick(monkeypatch):
    """The action is for the earliest tick that its sender assumes to be open, 20 behind the server, so it is always late."""
    monkeypatch.setattr(server_thread, "_STATUS_SECONDS", 0.05)
    host = ServerThread(lambda: find_demo("pushed_together")(0), ServerSettings(delay=0, rollback=20), port=0)
    host.start()
    try:
        client_sessions = [_client_session(host.port, name, host.settings.code) for name in ("one", "two")]
        final = [{}, {}]
        for session, digests in zip(client_sessions, final, strict=True):
            session.client.on_final = digests.__setitem__
        _play(lambda: all(map(_is_in, client_sessions)), *client_sessions)
        assert host.status.server.resimulated == 0
        late = client_sessions[0].client
        late.send(m.ActionRequest(late.next_number, late.confirmed + 1, msgspec.Raw(encode_action(PressKey("d")))))
        late.next_number += 1
        _play(lambda: host.status.server.resimulated >= 20, *client_sessions)
        n_before = host.status.server.tick
        _play(lambda: min(map(max, final)) > n_before, *client_sessions)
        users = [session.client.simulation.demo.sim.users.users[late.user] for session in client_sessions]
        assert [user.pushes for user in users] == 2 * [{"d"}]
    finally:
        host.close()
    _play(lambda: all(session.is_over for session in client_sessions), *client_sessions)
    _play(lambda: all(host.status.keyframe in digests for digests in final), *client_sessions)
    assert all(final[0][tick] == final[1][tick] for tick in final[0].keys() & final[1].keys())
    assert final[0][host.status.keyframe].hex() == host.status.state_hash


def test_a_wrong_code_is_reported(host):
    session = _client_session(host.port, code="open")
    _play(lambda: session.is_over, session)
    assert "wrong join code" in session.reason and not session.server_ended
    until(lambda: host.status.n_dropped == 1)
    assert "wrong join code" in host.status.drops[0].reason


def test_a_lost_connection_is_reestablished(host):
    session = _client_session(host.port)
    _play(lambda: _is_in(session), session)
    user = session.client.user
    host._loop.call_soon_threadsafe(lambda: [socket.transport.abort() for socket in host.sockets])
    _play(lambda: session.n_disconnects == 1, session)
    assert "was lost; trying again" in session.status_text
    _play(lambda: session.connection.state == "open" and host.status.users == ("one",), session)
    assert session.client.user == user
    session.leave()
    assert session.is_over and session.status_text == "left"


def test_a_host_that_is_not_a_server_is_reported(host):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
    gone = Connection("127.0.0.1", port)
    nowhere = Connection("no-such-host.invalid", 1)
    until(lambda: gone.state == nowhere.state == "closed")
    assert gone.reason.startswith(f"nothing is listening at 127.0.0.1:{port}") and nowhere.reason.startswith("host no-such")
    with socket.create_server(("127.0.0.1", 0)) as other:
        reached = Connection("127.0.0.1", other.getsockname()[1])
        there = other.accept()[0]
        there.sendall(b"SSH-2.0-other\r\n\r\n")
        there.close()
        until(lambda: reached.state == "closed")
    assert "not a compatible server" in reached.reason


def test_a_port_in_use_is_reported_in_one_line(host):
    with pytest.raises(LabError, match=f"^port {host.port} is in use: another program listens at 127.0.0.1:{host.port}; --port 0"):
        ServerThread(_demo, port=host.port).start()


def test_a_demo_that_cannot_be_built_or_shared_is_reported_by_start():
    with pytest.raises(LabError, match="a demo with a world"):
        ServerThread(lambda: find_demo("stepper")(0), port=0).start()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("lab.example", ("lab.example", m.PORT)),
        ("192.168.0.7:99", ("192.168.0.7", 99)),
        ("[::1]", ("::1", m.PORT)),
        ("[fe80::1%eth0]:7", ("fe80::1%eth0", 7)),
    ],
)
def test_an_address(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "::1", "a b", "lab:", "lab:x", "lab:0", "lab:70000", "ws://lab", "lab/x", "[lab"])
def test_invalid_addresses(text):
    with pytest.raises(InvalidInputError, match=r"^HOST"):
        parse_address(text)
