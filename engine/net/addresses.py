"""Addresses at which other computers can reach this one, found without sending a packet."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading

__all__ = ["own_addresses"]

_FAR = {socket.AF_INET: ("192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"), socket.AF_INET6: ("2001:db8::1", "fd00::1")}
"""Probe addresses, by family. Connecting a UDP socket to one sends nothing, but reveals the local address used for that route."""
_LOOK_UP_SECONDS = 0.5
"""Timeout of resolving this computer's own name, which may query a DNS server."""


def own_addresses(bind: str) -> list[str]:
    """Return the addresses at which others can reach a server bound to `bind`.

    Parameters
    ----------
    bind : str
        ``0.0.0.0`` means all IPv4 addresses of this computer, ``::`` also the IPv6 ones.

    Returns
    -------
    list of str
        IPv4 first; empty if this computer is not in a network.
    """
    if bind not in ("0.0.0.0", "::"):
        return [bind]
    families = [socket.AF_INET] if bind == "0.0.0.0" else [socket.AF_INET, *([socket.AF_INET6] if socket.has_ipv6 else [])]
    addresses: list[str] = []
    for family in families:
        for far in _FAR[family]:
            with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far, 9))
                addresses.append(str(probe.getsockname()[0]))
    look_up = threading.Thread(target=_look_up, args=(families, addresses), name="own addresses", daemon=True)
    look_up.start()
    look_up.join(_LOOK_UP_SECONDS)
    return sorted(filter(_is_reached, dict.fromkeys(addresses)), key=lambda address: ":" in address)


def _look_up(families: list[socket.AddressFamily], addresses: list[str]) -> None:
    with contextlib.suppress(OSError, UnicodeError):
        addresses += [str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None) if entry[0] in families]


def _is_reached(address: str) -> bool:
    """Return True unless the address is loopback, unspecified or link-local."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_link_local)
