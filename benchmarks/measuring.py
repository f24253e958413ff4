"""Measure calls in turn, in one process, on one thread, after a round to warm up; medians.

Both sides of a ratio take turns within each round, so that the machine's moods hit both, and processor time is counted, not
the clock's. Trust the ratios; the absolute numbers belong to the machine and to whoever shares its caches.
"""

from __future__ import annotations

import contextlib
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version

from engine.common.installation import BOX2D
from engine.common.machine import processor_name

__all__ = ["AGAIN", "MissingPeerError", "Record", "record", "require_peer", "seconds_in_turn"]

AGAIN = "repeated at once"
"""Name of our call once more, right after ours: the first finds code and data out of the cache, for the peers ran in between."""

_LIBRARIES = ("numpy", "numba", BOX2D, "pymunk", "shapely")


class MissingPeerError(Exception):
    """A library to compare with is not installed; the message says which, and how to get it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One measurement.

    Attributes
    ----------
    name, unit : str
        What was measured, and in what.
    ours, peer : float
        Medians; peer is None where there is nothing to compare with.
    peer_name : str
    ratio : float
        How many times better we are, whichever way the unit runs; None without a peer.
    spread : float
        (slowest - fastest) / median of our rounds.
    note : str
        What one must know to read the number.
    machine : str; versions : dict
    """

    name: str
    unit: str
    ours: float
    spread: float
    peer_name: str = ""
    peer: float | None = None
    ratio: float | None = None
    note: str = ""
    machine: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, object]:
        """Return a plain dictionary."""
        return asdict(self)


def require_peer(module: str) -> None:
    """Raise `MissingPeerError` if a peer cannot be imported."""
    try:
        version(module)
    except PackageNotFoundError:
        raise MissingPeerError(f"{module} is not installed (python -m pip install {module})") from None


def seconds_in_turn(calls: Mapping[str, Callable[[], float | None]], rounds: int) -> dict[str, list[float]]:
    """Call each in turn, `rounds` times after one round that does not count, and return the processor time they took.

    Processor time, for on a busy machine a long call is interrupted by others and a short one is not, and their ratio would lie. A
    call that returns a number has timed itself: that number is reduced by the share of the call in which it did not run.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, call in calls.items():
            started, ran_before = time.perf_counter(), time.thread_time()
            own = call()
            ran, elapsed = time.thread_time() - ran_before, time.perf_counter() - started
            if number > 0:
                seconds[name].append(ran if own is None else own * min(1.0, ran / elapsed))
    return seconds


def record(
    name: str,
    unit: str,
    ours: list[float],
    peer: list[float] | None = None,
    peer_name: str = "",
    note: str = "",
    amount: float | None = None,
) -> Record:
    """Make a record of seconds: with an `amount`, of `amount` / seconds; without, of the seconds in the `unit` (s, ms, us)."""
    middle = statistics.median(ours)
    other = None if peer is None else statistics.median(peer)
    scale = {"s": 1.0, "ms": 1e3, "us": 1e6}

    def shown(seconds: float) -> float:
        return amount / seconds if amount is not None else scale[unit] * seconds

    return Record(
        name=name,
        unit=unit,
        ours=shown(middle),
        spread=(max(ours) - min(ours)) / middle,
        peer_name=peer_name,
        peer=None if other is None else shown(other),
        ratio=None if other is None else other / middle,
        note=note,
        machine=_machine(),
        versions={"Python": platform.python_version(), **{name: _version(name) for name in _LIBRARIES}},
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "-"


def _machine() -> str:
    load = ""
    with contextlib.suppress(AttributeError, OSError):  # Windows has none
        load = f", load {os.getloadavg()[0]:.1f}"
    return f"{processor_name()}, {os.cpu_count()} cores{load}"
