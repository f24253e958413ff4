"""Addresses at which other computers can reach this one, found without sending a packet."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading

__all__ = ["own_addresses"]

_FAR = ("192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.0.1")
"""Probe addresses. Connecting a UDP socket to one sends nothing, but reveals the local address used for that route."""
_LOOK_UP_SECONDS = 0.5
"""Timeout of resolving this computer's own name, which may query a DNS server."""


def own_addresses() -> list[str]:
    """Return the IPv4 addresses at which others can reach this computer; empty if it is not in a network."""
    addresses: list[str] = []
    for far in _FAR:
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            addresses.append(str(probe.getsockname()[0]))
    look_up = threading.Thread(target=_look_up, args=(addresses,), name="own addresses", daemon=True)
    look_up.start()
    look_up.join(_LOOK_UP_SECONDS)
    return list(filter(_is_reached, dict.fromkeys(addresses)))


def _look_up(addresses: list[str]) -> None:
    with contextlib.suppress(OSError, UnicodeError):
        addresses += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]


def _is_reached(address: str) -> bool:
    """Return True unless the address is loopback, unspecified or link-local."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_link_local)
