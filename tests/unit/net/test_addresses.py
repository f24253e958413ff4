"""Addresses of this computer: those that others can use, determined without sending a packet."""

import re
import socket

import pytest

from engine.net import addresses
from engine.net.addresses import own_addresses
from engine.net.server_thread import ServerThread, _listen
from engine.sim.registry import find_demo
from tests.waiting import PATIENCE


class _Probe(socket.socket):
    """Reports two networks, and sends nothing."""

    def connect(self, far):
        self.far = far[0]
        if self.far not in ("192.0.2.1", "10.0.0.1"):
            raise OSError("network is unreachable")

    def getsockname(self):
        return {"192.0.2.1": ("192.168.0.7", 1), "10.0.0.1": ("10.8.0.2", 1)}[self.far]

    def send(self, *arguments):
        raise AssertionError("nothing is sent")

    sendto = send


def _info(*addresses):
    return [(socket.AF_INET, 1, 6, "", (address, 0)) for address in addresses]


def test_only_addresses_reachable_from_other_computers_are_listed(monkeypatch):
    monkeypatch.setattr(addresses.socket, "socket", _Probe)
    network = _info("127.0.1.1", "192.168.0.7", "172.20.1.1", "169.254.3.4")
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *arguments: network)
    assert own_addresses() == ["192.168.0.7", "10.8.0.2", "172.20.1.1"]


def test_without_a_network_there_is_no_address_and_a_slow_name_lookup_does_not_block(monkeypatch):
    monkeypatch.setattr(addresses, "_LOOK_UP_SECONDS", 0.01)
    monkeypatch.setattr(addresses, "_FAR", ())
    goes_on = addresses.threading.Event()

    def look_up(*arguments):
        goes_on.wait(PATIENCE)
        return [(socket.AF_INET, 0, 0, "", ("192.168.0.7", 0))]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", look_up)
    assert own_addresses() == []
    goes_on.set()
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *arguments: (_ for _ in ()).throw(socket.gaierror("no such name")))
    assert own_addresses() == []


@pytest.mark.parametrize(
    ("own", "expected"), [(["192.168.0.7", "10.8.0.2"], ("192.168.0.7:{}", "10.8.0.2:{}")), ([], ("THIS-COMPUTER:{}",))]
)
def test_a_server_on_the_network_reports_its_addresses_and_its_code(own, expected, monkeypatch):
    monkeypatch.setattr("engine.net.server_thread.own_addresses", lambda: own)
    monkeypatch.setattr("engine.net.server_thread._listen", lambda bind, port: _listen("127.0.0.1", port))
    host = ServerThread(lambda: find_demo("simple_shapes")(0), lan=True, port=0)
    host.start()
    host.close()
    assert host.bind == "0.0.0.0" and host.addresses == tuple(pattern.format(host.port) for pattern in expected)
    assert host.invitation == f"{host.addresses[0]} --code {host.settings.code}" and re.fullmatch(
        "[a-z2-9]{4}-[a-z2-9]{4}", host.settings.code
    )
