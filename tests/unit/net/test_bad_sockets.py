"""Misbehaving connections: each is dropped with a reason, and the others' world continues."""

import contextlib
import itertools
import socket
import sys
import threading
import time

import pytest
from websockets.sync.client import connect

from engine.net import connection as connection_module
from engine.net import messages as m
from engine.net import server_thread
from engine.net.client import Client
from engine.net.client_session import ClientSession
from engine.net.connection import Connection
from engine.net.limits import Limits
from engine.net.server import Server, ServerSettings
from engine.net.server_thread import ServerThread
from engine.sim.registry import find_demo
from tests.waiting import PATIENCE, until


def _demo():
    return find_demo("simple_shapes")(0)


@pytest.fixture
def host(monkeypatch):
    monkeypatch.setattr(server_thread, "_CLOSE_SECONDS", 0.1)
    with _serving() as server:
        yield server
    assert server.failure == ""


def _stranger(host):
    return connect(f"ws://127.0.0.1:{host.port}", compression=None, proxy=None, close_timeout=0.1)


def _until(session, condition):
    """Advance a guest until a condition is true."""
    until(lambda: session.advance(time.monotonic()) >= 0 and condition(), look=0.005)


def _guest(host):
    """Return a joined guest."""
    session = ClientSession(Client("one", host.settings.code), Connection("127.0.0.1", host.port))
    _until(session, lambda: session.client.confirmed > 0)
    return session


@contextlib.contextmanager
def _serving(settings=None, **more):
    """A server whose status is always current."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_thread, "_STATUS_SECONDS", 0.05)
        server = ServerThread(_demo, settings or ServerSettings(), port=0, **more)
        server.start()
        yield server
        server.close()


def _dropped(host, n=1):
    """Return the reasons for dropped connections once there are this many."""
    until(lambda: host.status.n_dropped >= n, look=0.01)
    return [drop.reason for drop in host.status.drops]


def test_a_client_without_a_handshake_or_hello_is_dropped(monkeypatch):
    monkeypatch.setattr(server_thread, "OPEN_SECONDS", PATIENCE)  # to shake hands may take long on a busy machine
    with _serving(ServerSettings(limits=Limits(hello_seconds=0.4))) as strict:
        with _stranger(strict) as speechless:
            answer = m.decode_from_server(speechless.recv())
            assert isinstance(answer, m.Dropped) and "hello" in answer.reason and not answer.is_over
            assert "hello" in _dropped(strict)[0]
        until(lambda: strict.status.n_sockets == 0)
    monkeypatch.setattr(server_thread, "OPEN_SECONDS", 0.2)
    with _serving() as hasty:
        with socket.create_connection(("127.0.0.1", hasty.port)) as silent:
            silent.settimeout(PATIENCE)
            assert silent.recv(100) == b""
        until(lambda: hasty.status.n_sockets == 0)


def test_an_answer_to_a_ping_is_a_sign_of_life(monkeypatch):
    monkeypatch.setattr(server_thread, "PING_SECONDS", 0.05)
    alive = []
    monkeypatch.setattr(Server, "keep_alive", lambda server, peer, now: alive.append(peer))
    with _serving() as patient:
        busy = Connection("127.0.0.1", patient.port)
        until(lambda: len(alive) > 2, look=0.01)
        assert set(alive) == {1}
        busy.close()


def test_a_slow_reader_is_dropped_and_does_not_delay_others(host):
    session = _guest(host)
    with _stranger(host) as slow:
        slow.send(m.encode(m.Hello(m.VERSION, "slow", host.settings.code)))
        _until(session, lambda: len(host.status.users) == 2 and session.client.confirmed > 0)

        def flood():  # nobody takes it out of the websockets library's queue, so that it stops to read the socket
            peer = next(peer for peer in host._peers if host._server._connections[peer].name == "slow")
            host._server.outbox.extend((peer, bytes(1_000_000)) for _ in range(40))

        host._loop.call_soon_threadsafe(flood)
        reasons = _dropped(host)
        assert "too slow" in reasons[0] and host.status.drops[0].name == "slow"
        confirmed = session.client.confirmed
        _until(session, lambda: session.client.confirmed > confirmed + 5)
    assert host.status.users == ("one",)
    session.leave()


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"\x89\x80\x00\x00\x00\x00" * 6000, "more than 2000 messages per second"),  # with a mask of zeros
        (b"\x82\xfe\xff\xff\x00\x00\x00\x00" + bytes(0xFFFF), "more than 64000 bytes"),
        (b"\x82\x03abc", "violated the WebSocket protocol"),  # without a mask
        (b"\xff\xff\xff\xff\xff", "violated the WebSocket protocol"),
    ],
    ids=["pings", "large", "unmasked", "noise"],
)
def test_floods_and_noise_on_the_socket_are_dropped(host, sent, reason):
    with socket.create_connection(("127.0.0.1", host.port)) as bad:
        bad.sendall(_OPEN)
        bad.settimeout(PATIENCE)
        assert bad.recv(12) == b"HTTP/1.1 101"
        bad.sendall(sent)
        assert reason in _dropped(host)[0]


def test_another_protocol_is_rejected(host):
    with socket.create_connection(("127.0.0.1", host.port)) as browser:
        browser.settimeout(PATIENCE)
        browser.sendall(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert browser.recv(1000).startswith(b"HTTP/1.1 426")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere loopback has one address")
def test_when_all_slots_are_taken_the_address_with_the_most_loses_one():
    """Issue 29: a crowd from one address does not keep out clients from another."""
    with _serving(ServerSettings(limits=Limits(connections=4, half_open=3))) as full:

        def come(k, address):
            line = socket.create_connection(("127.0.0.1", full.port), source_address=(address, 0))
            until(lambda: (full.status.n_sockets, full.status.n_dropped) == (min(k + 1, 4), max(k - 3, 0)), look=0.005)
            return line

        lines = [come(k, f"127.0.0.{last}") for k, last in enumerate((3, 2, 2, 2, 4, 5))]
        assert full.status.n_sockets == 4 and _dropped(full, 2) == ["the server has reached its limit of 4 connections"] * 2
        for k, line in enumerate(lines):
            line.settimeout(PATIENCE if k in (1, 2) else 0.05)
            if k in (1, 2):
                assert line.recv(1) == b""
            else:
                with pytest.raises(TimeoutError):
                    line.recv(1)
            line.close()


_OPEN = (
    b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_CLOSING = b"\x88\x82\0\0\0\0\x03\xe8"
_PINGS = b"\x89\x80\0\0\0\0" * 3


def test_no_client_can_prevent_a_clean_shutdown(monkeypatch):
    """Issue 29: an unknown client sends a close frame and keeps the TCP connection open, or stops at any other point; all others still get
    the message.
    """
    monkeypatch.setattr(server_thread, "_CLOSE_SECONDS", 3.0)  # so that nobody is let go before it ends
    with _serving() as server:
        lines = []

        def come(*sent):
            line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            for content in sent:
                line.sendall(content)
                if content is _OPEN:
                    assert line.recv(12) == b"HTTP/1.1 101"
            lines.append(line)
            return line

        come(_OPEN, _CLOSING)
        come(_OPEN, _CLOSING, _PINGS)
        come(_OPEN)
        come(_OPEN[:30])
        come(_OPEN, _CLOSING + _CLOSING + b"noise")
        come(_OPEN).shutdown(socket.SHUT_WR)
        come(_OPEN, _CLOSING).shutdown(socket.SHUT_WR)
        lines.append(socket.create_connection(("127.0.0.1", server.port)))
        session = _guest(server)
        assert server.status.n_sockets >= 6
        server.close("the lesson is over")
        assert server.is_over and server.failure == ""
        _until(session, lambda: session.is_over)
        assert session.server_ended and session.status_text == "the lesson is over"
        for line in lines:
            line.close()


def test_a_stalled_server_is_detected(monkeypatch):
    monkeypatch.setattr(connection_module, "PING_SECONDS", 0.05)
    monkeypatch.setattr(connection_module, "SILENT_SECONDS", 0.1)
    with _serving(on_tick=lambda server: time.sleep(0.6) if server.simulation.now == 5 else None) as stuck:
        connection = Connection("127.0.0.1", stuck.port)
        until(lambda: connection.state == "closed", look=0.01)
        assert connection.reason == f"127.0.0.1:{stuck.port} has not responded for 0.1 s"


def test_an_unanswered_connection_can_be_closed(monkeypatch):
    monkeypatch.setattr(connection_module, "OPEN_SECONDS", 2.0 * PATIENCE)  # it is not waited for
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(PATIENCE)
        connection = Connection("127.0.0.1", silent.getsockname()[1])
        with silent.accept()[0]:
            connection.send(b"lost")
            closing = threading.Thread(target=connection.close, daemon=True)
            closing.start()
            closing.join(PATIENCE)
            assert not closing.is_alive() and connection.state == "closed" and connection.reason == "it was closed"


def test_a_reopened_connection_ignores_an_old_slow_lookup(host, monkeypatch):
    goes_on, real_getaddrinfo, n_asked = threading.Event(), socket.getaddrinfo, itertools.count()

    def look_up(*arguments, **options):
        if next(n_asked) == 0:
            goes_on.wait(PATIENCE)
        return real_getaddrinfo(*arguments, **options)

    monkeypatch.setattr(connection_module, "_JOIN_SECONDS", 0.05)
    monkeypatch.setattr(connection_module.socket, "getaddrinfo", look_up)
    connection = Connection("127.0.0.1", host.port)
    until(lambda: next(n_asked) > 0, look=0.01)
    old = connection._thread
    connection.close()
    connection.open()
    until(lambda: connection.state == "open", look=0.01)
    goes_on.set()
    old.join(PATIENCE)
    assert not old.is_alive() and connection.state == "open" and connection.reason == ""
    connection.close()


def test_pending_connections_per_address_are_limited_and_joined_users_stay():
    with _serving(ServerSettings(limits=Limits(half_open=3))) as few:
        session = _guest(few)
        lines = []
        for k in range(5):
            lines.append(socket.create_connection(("127.0.0.1", few.port)))
            until(lambda k=k: few.status.n_sockets + few.status.n_dropped == k + 2, look=0.005)
        assert _dropped(few, 2) == ["more than 3 connections from its address have not sent a hello"] * 2
        for line in lines[:2]:
            line.settimeout(PATIENCE)
            assert line.recv(1) == b""
        with _stranger(few) as late:
            late.send(m.encode(m.Hello(m.VERSION, "late", few.settings.code)))
            _until(session, lambda: few.status.users == ("one", "late"))
        assert session.n_disconnects == 0
        session.leave()
        for line in lines:
            line.close()
