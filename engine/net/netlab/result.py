"""The result of an experiment: whether all copies went through the same states, and at what cost."""

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

__all__ = ["AGES", "SIZES", "ClientResult", "ExperimentResult", "Spread", "found_of"]

SIZES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Meters: bounds of the histogram of corrections by size."""
AGES = (1, 2, 5, 10, 15, 20, 30, 45, 60, 90)
"""Ticks: bounds of the histogram by age."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Statistics of numbers: count, median, 95th percentile and maximum; None without any."""

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
class ClientResult:
    """The result of one client; times in seconds, rates in bytes of messages a second."""

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
    """The reason why the client does not know every state; empty if it does."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """See the module.

    Attributes
    ----------
    steps : int
        Ticks that the server closed, of the requested ones.
    clients : list of ClientResult
    by_size, by_age : list of int
        Corrections below each bound of `SIZES` and of `AGES`, and, last, beyond.
    is_whole : bool
        Not interrupted.
    """

    plan: Plan
    steps: int
    clients: list[ClientResult]
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
        """Steps of all clients after which the state differs from the server's."""
        return sum(client.differing_steps for client in self.clients)

    @property
    def problems(self) -> list[str]:
        """Reasons why agreement is not shown, one line each."""
        problems = [f"{client.name}: {client.problem}" for client in self.clients if client.problem]
        n = self.differing_steps
        return ([f"{n} steps differ from the server's"] if n else []) + problems

    def total(self, name: str) -> int:
        """Return the sum of a count over all clients."""
        return sum(getattr(client, name) for client in self.clients)

    @property
    def again_per_step(self) -> float:
        """Steps simulated again per step."""
        return self.total("resimulated_steps") / max(1, self.total("compared_steps"))

    @property
    def stalled_share(self) -> float | None:
        """Share of the clients' frames in which a tick was due and could not be taken."""
        shares = [client.stalled_share for client in self.clients if client.stalled_share is not None]
        return fmean(shares) if shares else None

    @property
    def bytes_per_s(self) -> float:
        """Mean rate of a client, both ways together."""
        return fmean(client.bytes_up_per_s + client.bytes_down_per_s for client in self.clients)

    def as_json(self) -> dict[str, Any]:
        plan = self.plan
        costs = [client.ms_per_step for client in self.clients if client.ms_per_step is not None]
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
            "per_client": [client.as_json() for client in self.clients],
            "drops": self.drops,
            "problems": self.problems,
        }


def found_of(plan: Plan, server: ServerNotes, clients: Sequence[ClientNotes], is_whole: bool = True) -> ExperimentResult:
    """Return the result of an experiment."""
    last = min(plan.steps, max(server.final, default=0))
    findings, shown, agreed, clocks, corrections = [], [], [], [], []
    confirmed = [([tick for tick, _ in client.confirmed], [at for _, at in client.confirmed]) for client in clients]
    n_acts = n_moved = 0
    for client in clients:
        own_shown = [at - client.did[number] for number, at in client.shown.items()]
        own_agreed = []
        for number, at in client.did.items():
            tick = server.counted.get((client.user, number))
            known = [_when(tick, *lists) for lists in confirmed] if tick is not None else [math.inf]
            if max(known) < math.inf:
                own_agreed.append(max(known) - at)
        n_acts += len(client.did)
        n_moved += client.n_late
        errors = [
            abs(believed / server.hertz - (at - server.start - server.lost_until(at)))
            for at, believed in client.clock
            if at >= server.start
        ]
        findings.append(_of_client(plan, server, client, last, Spread.of(own_shown), Spread.of(own_agreed), Spread.of(errors), is_whole))
        shown += own_shown
        agreed += own_agreed
        clocks += errors
        corrections += client.corrections
    sizes, ages = [meters for _, meters in corrections], [float(age) for age, _ in corrections]
    return ExperimentResult(
        plan, last, findings, _histogram(SIZES, sizes), _histogram(AGES, ages), Spread.of(sizes), Spread.of(ages),
        Spread.of(shown), Spread.of(agreed), Spread.of(clocks), n_acts, n_moved / n_acts if n_acts else None,
        1e3 * server.seconds / server.ticks if server.ticks else None, list(server.drops), is_whole,
    )  # fmt: skip


def _of_client(
    plan: Plan, server: ServerNotes, client: ClientNotes, last: int, shown: Spread, agreed: Spread, clock: Spread, is_whole: bool
) -> ClientResult:
    compared = {tick: digest for tick, digest in client.final.items() if tick <= last and tick in server.final}
    differing = sum(server.final[tick] != digest for tick, digest in compared.items())
    missing = set(range(min(compared), last + 1)) - set(compared) if compared else set()
    problem = client.refused
    if is_whole and not problem:
        if not compared:
            problem = "it never got the state"
        elif missing and client.reached < last:
            problem = f"it does not know {len(missing)} steps, the first of them {min(missing)}"
    sizes = [meters for _, meters in client.corrections]
    up, down = (n / client.lasted if client.lasted > 0.0 else 0.0 for n in (client.n_sent, client.n_received))
    return ClientResult(
        name=client.name,
        first_step=min(compared, default=None),
        compared_steps=len(compared),
        differing_steps=differing,
        skipped_steps=len(missing),
        rollbacks=client.n_rollbacks,
        resimulated_steps=client.n_resimulated,
        adopted_keyframes=client.n_adopted,
        welcomes=client.n_welcomes,
        stalled_share=client.n_stalls / client.n_frames if client.n_frames else None,
        corrections=len(sizes),
        largest_correction=max(sizes, default=None),
        own_act_shown=shown,
        time_to_agree=agreed,
        clock_error=clock,
        bytes_up_per_s=up,
        bytes_down_per_s=down,
        ms_per_step=1e3 * client.seconds / client.ticks if client.ticks else None,
        problem=problem,
    )


def _when(tick: int, confirmed: list[int], times: list[float]) -> float:
    """Return when a client knew every act of a tick: infinity if never, -infinity if it joined later."""
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
