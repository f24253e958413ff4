"""Addresses of this computer at which others can reach it, found without asking anybody: no packet leaves it."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading

__all__ = ["own_addresses"]

_FAR = {socket.AF_INET: ("192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.0.1"), socket.AF_INET6: ("2001:db8::1", "fd00::1")}
"""Addresses in the networks that may exist: nothing is sent to them, the system only says from which address of its own it would."""
_LOOK_SECONDS = 0.5
"""For this computer's own name, which a system without it in its files asks a server for."""


def own_addresses(bind: str) -> list[str]:
    """Return the addresses that others can join at where a server listens at one: that one, or all of this computer's networks.

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
    found: list[str] = []
    for family in families:
        found += [address for far in _FAR[family] if (address := _from(family, far))]
    looking = threading.Thread(target=_look_up, args=(families, found), name="own addresses", daemon=True)
    looking.start()
    looking.join(_LOOK_SECONDS)
    return sorted(dict.fromkeys(one for one in list(found) if _is_reached(one)), key=lambda one: ":" in one)


def _from(family: socket.AddressFamily, far: str) -> str:
    """Return from which address the system would send to another; empty where it cannot."""
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((far, 9))
        return str(probe.getsockname()[0])
    return ""


def _look_up(families: list[socket.AddressFamily], found: list[str]) -> None:
    with contextlib.suppress(OSError, UnicodeError):
        found += [str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None) if one[0] in families]


def _is_reached(address: str) -> bool:
    """Tell whether an address is one of a network: not this computer's for itself, nor of a cable without a network at its end."""
    try:
        one = ipaddress.ip_address(address)
    except ValueError:
        return False
    return not (one.is_loopback or one.is_unspecified or one.is_link_local)
