"""Pauses after wrong passwords: after some an address waits, twice as long each time, whichever connections they came over.

A good password of twelve letters stands up to any number of guesses over a network; this is for those of four.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

__all__ = ["Guesses", "origin_of"]

_MAX_WAIT = 600.0
"""Seconds that one address waits at the most."""
_FORGOTTEN = 3600.0
"""Seconds without a wrong one after which nothing is held against an address."""
_MAX_ADDRESSES = 4096
"""Addresses that are remembered, the last ones."""


def origin_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the network that one connection to the internet has, 64 bits.

    Examples
    --------
    >>> origin_of("192.0.2.7"), origin_of("::ffff:192.0.2.7"), origin_of("2001:db8::5:0:0:7")
    ('192.0.2.7', '192.0.2.7', '2001:db8::')
    """
    try:
        one = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(one, ipaddress.IPv4Address):
        return str(one)
    if one.ipv4_mapped is not None:
        return str(one.ipv4_mapped)
    return str(ipaddress.IPv6Network((one, 64), strict=False).network_address)


@dataclass(slots=True)
class _Tries:
    n_wrong: int
    at: float


class Guesses:
    """The wrong passwords that came from each address.

    Parameters
    ----------
    free : int
        Wrong ones without a pause.
    pause : float
        Seconds after the next, doubled with each more.
    """

    def __init__(self, free: int, pause: float) -> None:
        self._free, self._pause = free, pause
        self._tries: dict[str, _Tries] = {}

    def wait(self, origin: str, now: float) -> float:
        """Return for how many seconds nothing that an address says is looked at; 0 for the most of them."""
        one = self._tries.get(origin)
        if one is None or one.n_wrong <= self._free:
            return 0.0
        return max(one.at + min(self._pause * 2.0 ** min(one.n_wrong - self._free - 1, 60), _MAX_WAIT) - now, 0.0)

    def wrong(self, origin: str, now: float) -> None:
        """Note a wrong password; one from nowhere is of this very program."""
        if not origin:
            return
        one = self._tries.pop(origin, None)
        n_wrong = one.n_wrong if one is not None and now - one.at < _FORGOTTEN else 0
        self._tries[origin] = _Tries(n_wrong + 1, now)
        if len(self._tries) > _MAX_ADDRESSES:
            del self._tries[next(iter(self._tries))]

    def right(self, origin: str) -> None:
        """Note a right one: nothing is held against the address any more."""
        self._tries.pop(origin, None)
