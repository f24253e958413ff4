"""Addresses of this computer: those that others can use, determined without sending a packet."""

import socket

import pytest

from engine.net import addresses
from engine.net.addresses import own_addresses
from engine.net.server_thread import ServerThread
from engine.sim.registry import find_demo
from tests.waiting import PATIENCE


class _Probe(socket.socket):
    """Reports two networks, and sends nothing."""

    def connect(self, far):
        self.far = far[0]
        if self.far not in ("192.0.2.1", "10.0.0.1", "2001:db8::1"):
            raise OSError("network is unreachable")

    def getsockname(self):
        return {"192.0.2.1": ("192.168.0.7", 1), "10.0.0.1": ("10.8.0.2", 1), "2001:db8::1": ("2001:db8:5::7", 1, 0, 0)}[self.far]

    def send(self, *arguments):
        raise AssertionError("nothing is sent")

    sendto = send


def _info(*addresses):
    return [(socket.AF_INET6 if ":" in address else socket.AF_INET, 1, 6, "", (address, 0)) for address in addresses]


def test_only_addresses_reachable_from_other_computers_are_listed(monkeypatch):
    monkeypatch.setattr(addresses.socket, "socket", _Probe)
    network = _info("127.0.1.1", "192.168.0.7", "172.20.1.1", "169.254.3.4", "::1", "fe80::1%eth0", "fd00::2")
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *arguments: network)
    assert own_addresses("0.0.0.0") == ["192.168.0.7", "10.8.0.2", "172.20.1.1"]
    assert own_addresses("::") == ["192.168.0.7", "10.8.0.2", "172.20.1.1", "2001:db8:5::7", "fd00::2"]
    assert own_addresses("192.168.0.7") == ["192.168.0.7"] and own_addresses("::1") == ["::1"]


def test_without_a_network_there_is_no_address_and_a_slow_name_lookup_does_not_block(monkeypatch):
    monkeypatch.setattr(addresses, "_LOOK_UP_SECONDS", 0.01)
    monkeypatch.setattr(addresses, "_FAR", {socket.AF_INET: (), socket.AF_INET6: ()})
    goes_on = addresses.threading.Event()

    def look_up(*arguments):
        goes_on.wait(PATIENCE)
        return [(socket.AF_INET, 0, 0, "", ("192.168.0.7", 0))]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", look_up)
    assert own_addresses("0.0.0.0") == []
    goes_on.set()
    monkeypatch.setattr(addresses.socket, "getaddrinfo", lambda *arguments: (_ for _ in ()).throw(socket.gaierror("no such name")))
    assert own_addresses("::") == []


@pytest.mark.parametrize(
    ("own", "expected"), [(["192.168.0.7", "fd00::2"], ("192.168.0.7:{}", "[fd00::2]:{}")), ([], ("THIS-COMPUTER:{}",))]
)
def test_a_server_reports_its_addresses(own, expected, monkeypatch):
    monkeypatch.setattr("engine.net.server_thread.own_addresses", lambda bind: own)
    host = ServerThread(lambda: find_demo("simple_shapes")(0), bind="127.0.0.1", port=0)
    host.start()
    host.close()
    assert host.addresses == tuple(pattern.format(host.port) for pattern in expected) and host.invitation == host.addresses[0]
