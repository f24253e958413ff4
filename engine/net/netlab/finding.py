"""What came of an experiment: whether all copies went through the same states, and what keeping up with each other has cost."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from engine.net.netlab.plan import Plan
from engine.net.netlab.watching import ClientNotes, ServerNotes

__all__ = ["AGES", "SIZES", "ClientFinding", "Finding", "Spread", "found_of"]

SIZES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Metres: bounds of the histogram of corrections by size."""
AGES = (1, 2, 5, 10, 15, 20, 30, 45, 60, 90)
"""Ticks: bounds of the histogram by age."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Of numbers: how many, the middle one, that which one in twenty exceeds, the largest; None of none."""

    n: int
    median: float | None
    p95: float | None
    max: float | None

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        if not numbers:
            return cls(0, None, None, None)
        median, high, most = np.percentile(numbers, (50.0, 95.0, 100.0)).tolist()
        return cls(len(numbers), median, high, most)


@dataclass(frozen=True, slots=True)
class ClientFinding:
    """Of one client; times in seconds, rates in bytes of messages a second."""

    name: str
    first_step: int | None
    compared_steps: int
    differing_steps: int
    skipped_steps: int
    rollbacks: int
    resimulated_steps: int
    adopted_keyframes: int
    welcomes: int
    stalled_share: float | None
    corrections: int
    largest_correction: float | None
    own_act_shown: Spread
    time_to_agree: Spread
    clock_error: Spread
    bytes_up_per_s: float
    bytes_down_per_s: float
    ms_per_step: float | None
    problem: str
    """Why it did not come to know all, empty if it did."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """See the module.

    Attributes
    ----------
    steps : int
        Ticks that the server closed, of those asked for.
    clients : list of ClientFinding
    by_size, by_age : list of int
        Corrections below each bound of `SIZES` and of `AGES`, and, last, beyond.
    is_whole : bool
        Not interrupted.
    """

    plan: Plan
    steps: int
    clients: list[ClientFinding]
    by_size: list[int]
    by_age: list[int]
    correction: Spread
    correction_age: Spread
    own_act_shown: Spread
    time_to_agree: Spread
    clock_error: Spread
    acts: int
    restamped_share: float | None
    server_ms_per_step: float | None
    drops: list[str] = field(default_factory=list)
    is_whole: bool = True

    @property
    def differing_steps(self) -> int:
        """Steps of all clients after which a state was another than the server's."""
        return sum(one.differing_steps for one in self.clients)

    @property
    def problems(self) -> list[str]:
        """What keeps it from being shown that all agree, each in a line."""
        found = [f"{one.name}: {one.problem}" for one in self.clients if one.problem]
        n = self.differing_steps
        return ([f"{n} steps differ from the server's"] if n else []) + found

    def total(self, name: str) -> int:
        """Return the sum of a count over all clients."""
        return sum(getattr(one, name) for one in self.clients)

    @property
    def again_per_step(self) -> float:
        """Steps that a client took again for each that it took."""
        return self.total("resimulated_steps") / max(1, self.total("compared_steps"))

    @property
    def stalled_share(self) -> float | None:
        """Share of the clients' frames in which a tick was due and could not be taken."""
        shares = [one.stalled_share for one in self.clients if one.stalled_share is not None]
        return fmean(shares) if shares else None

    @property
    def bytes_per_s(self) -> float:
        """Of a client, both ways together, on average."""
        return fmean(one.bytes_up_per_s + one.bytes_down_per_s for one in self.clients)

    def as_json(self) -> dict[str, Any]:
        plan = self.plan
        costs = [one.ms_per_step for one in self.clients if one.ms_per_step is not None]
        return {
            "title": plan.title,
            "solver": plan.scene["solver"],
            "method": plan.method,
            "link": {"up": asdict(plan.up), "down": asdict(plan.down)},
            "delay": plan.delay,
            "window_steps": plan.window,
            "hands": "random" if plan.script is None else "script",
            "rate": plan.rate,
            "join_at": plan.join_at,
            "clients": plan.n_clients,
            "steps": self.steps,
            "compared_steps": self.total("compared_steps"),
            "differing_steps": self.differing_steps,
            "skipped_steps": self.total("skipped_steps"),
            "rollbacks": self.total("rollbacks"),
            "resimulated_steps": self.total("resimulated_steps"),
            "adopted_keyframes": self.total("adopted_keyframes"),
            "bytes_per_s": self.bytes_per_s,
            "acts": self.acts,
            "restamped_share": self.restamped_share,
            "stalled_share": self.stalled_share,
            "corrections": {
                "count": self.correction.n,
                "metres": asdict(self.correction),
                "age": asdict(self.correction_age),
                "by_size": _bars(SIZES, self.by_size),
                "by_age": _bars(AGES, self.by_age),
            },
            "own_act_shown": asdict(self.own_act_shown),
            "time_to_agree": asdict(self.time_to_agree),
            "clock_error": asdict(self.clock_error),
            "ms_per_step": {"server": self.server_ms_per_step, "client": fmean(costs) if costs else None},
            "per_client": [one.as_json() for one in self.clients],
            "drops": self.drops,
            "problems": self.problems,
        }


def found_of(plan: Plan, server: ServerNotes, clients: Sequence[ClientNotes], is_whole: bool = True) -> Finding:
    """Return what the notes of an experiment come to."""
    last = min(plan.steps, max(server.final, default=0))
    findings, shown, agreed, clocks, corrections = [], [], [], [], []
    confirmed = [([tick for tick, _ in one.confirmed], [at for _, at in one.confirmed]) for one in clients]
    n_acts = n_moved = 0
    for one in clients:
        own_shown = [at - one.did[number] for number, at in one.shown.items()]
        own_agreed = []
        for number, at in one.did.items():
            tick = server.counted.get((one.user, number))
            known = [_when(tick, *lists) for lists in confirmed] if tick is not None else [math.inf]
            if max(known) < math.inf:
                own_agreed.append(max(known) - at)
        n_acts += len(one.did)
        n_moved += one.n_late
        errors = [
            abs(believed / server.hertz - (at - server.start - server.lost_until(at))) for at, believed in one.clock if at >= server.start
        ]
        findings.append(_of_client(plan, server, one, last, Spread.of(own_shown), Spread.of(own_agreed), Spread.of(errors), is_whole))
        shown += own_shown
        agreed += own_agreed
        clocks += errors
        corrections += one.corrections
    sizes, ages = [metres for _, metres in corrections], [float(age) for age, _ in corrections]
    return Finding(
        plan, last, findings, _histogram(SIZES, sizes), _histogram(AGES, ages), Spread.of(sizes), Spread.of(ages),
        Spread.of(shown), Spread.of(agreed), Spread.of(clocks), n_acts, n_moved / n_acts if n_acts else None,
        1e3 * server.seconds / server.ticks if server.ticks else None, list(server.drops), is_whole,
    )  # fmt: skip


def _of_client(
    plan: Plan, server: ServerNotes, one: ClientNotes, last: int, shown: Spread, agreed: Spread, clock: Spread, is_whole: bool
) -> ClientFinding:
    compared = {tick: digest for tick, digest in one.final.items() if tick <= last and tick in server.final}
    differing = sum(server.final[tick] != digest for tick, digest in compared.items())
    missing = set(range(min(compared), last + 1)) - set(compared) if compared else set()
    problem = one.refused
    if is_whole and not problem:
        if not compared:
            problem = "it never got the state"
        elif missing and one.reached < last:
            problem = f"it does not know {len(missing)} steps, the first of them {min(missing)}"
    sizes = [metres for _, metres in one.corrections]
    up, down = (n / one.lasted if one.lasted > 0.0 else 0.0 for n in (one.n_sent, one.n_received))
    return ClientFinding(
        one.name, min(compared, default=None), len(compared), differing, len(missing), one.n_rollbacks, one.n_again, one.n_adopted,
        one.n_welcomes,
        one.n_stalls / one.n_frames if one.n_frames else None, len(sizes), max(sizes, default=None), shown, agreed, clock, up, down,
        1e3 * one.seconds / one.ticks if one.ticks else None, problem,
    )  # fmt: skip


def _when(tick: int, confirmed: list[int], times: list[float]) -> float:
    """Return when a client knew a tick whole: never, if it did not come to know it; always, if it came later."""
    if not confirmed or tick < confirmed[0]:
        return -math.inf
    k = bisect_right(confirmed, tick)
    return times[k] if k < len(times) else math.inf


def _histogram(bounds: Sequence[float], numbers: Sequence[float]) -> list[int]:
    counts = [0] * (len(bounds) + 1)
    for number in numbers:
        counts[bisect_right(bounds, number)] += 1
    return counts


def _bars(bounds: Sequence[float], counts: Sequence[int]) -> list[dict[str, Any]]:
    return [{"below": bound, "count": count} for bound, count in zip((*bounds, None), counts, strict=True)]
