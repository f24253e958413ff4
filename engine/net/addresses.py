"""Addresses of this computer at which others can reach it, without asking any server: no packet leaves it."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading

__all__ = ["own_addresses"]

_FAR = {socket.AF_INET: ("192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"), socket.AF_INET6: ("2001:db8::1", "fd00::1")}
"""Addresses in the networks that may exist: nothing is sent to them, the system only says from which address of its own it would."""
_LOOK_UP_SECONDS = 0.5
"""For this computer's own name, which a system without it in its files asks a server for."""


def own_addresses(bind: str) -> list[str]:
    """Return the addresses at which others reach a server that listens at one: that one, or those in all of this computer's networks.

    Parameters
    ----------
    bind : str
        ``0.0.0.0`` and ``::`` are all of them; of the latter IPv4's too, those first.

    Returns
    -------
    list of str
        Empty where this computer is in no network.
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
    """Return True for an address in a network: neither this computer's for itself, nor of a cable without a network at its end."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (parsed.is_loopback or parsed.is_unspecified or parsed.is_link_local)
