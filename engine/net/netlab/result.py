"""Results of an experiment, which show whether all copies went through the same states, and at what cost."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from engine.net.netlab.experiment import Experiment

__all__ = ["AGES", "SIZES", "ClientResult", "Distribution", "ExperimentResult"]

SIZES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""Bin edges of the histogram of corrections by size, m."""
AGES = (1, 2, 5, 10, 15, 20, 30, 45, 60, 90)
"""Bin edges of the histogram of corrections by age, ticks."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Count, median, 95th percentile and maximum of a sample; all but the count are None if it is empty."""

    n: int
    median: float | None = None
    p95: float | None = None
    max: float | None = None

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Distribution:
        return cls(len(numbers), *np.percentile(numbers, (50.0, 95.0, 100.0)).tolist()) if numbers else cls(0)


@dataclass(frozen=True, slots=True)
class ClientResult:
    """Result of one client; rates are message bytes per second."""

    name: str
    first_step: int | None
    compared_steps: int
    differing_steps: int
    skipped_steps: int
    rollbacks: int
    resimulated_steps: int
    adopted_keyframes: int
    stalled_share: float | None
    corrections: int
    largest_correction: float | None
    bytes_up_per_s: float
    bytes_down_per_s: float
    ms_per_step: float | None
    problem: str
    """Reason why states are missing; empty if none are."""


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """Result of an experiment.

    Attributes
    ----------
    steps : int
        Number of requested ticks that the server closed.
    corrections : list of (float, float)
        Age, ticks, and size, m, of each correction.
    own_act_shown, time_to_agree : Distribution
        Seconds from an action until its client displays it, and until every client has confirmed its tick.
    acts, n_late : int
        Number of actions, and how many of them arrived too late for their tick.
    drops : list of str
        Names of dropped clients, and the reasons.
    is_whole : bool
        False if the experiment was interrupted.
    """

    experiment: Experiment
    steps: int
    clients: list[ClientResult]
    corrections: list[tuple[float, float]]
    own_act_shown: Distribution
    time_to_agree: Distribution
    acts: int
    n_late: int
    server_resimulated_steps: int
    server_ms_per_step: float
    drops: list[str] = field(default_factory=list)
    is_whole: bool = True

    @property
    def problems(self) -> list[str]:
        """Reasons why the experiment does not prove agreement, one line each."""
        n = self.total("differing_steps")
        own = [f"{client.name}: {client.problem}" for client in self.clients if client.problem]
        return ([f"{n} steps differ from the server's"] if n else []) + own

    def total(self, name: str) -> int:
        """Return the sum of a count over all clients."""
        return sum(getattr(client, name) for client in self.clients)

    def mean(self, name: str) -> float | None:
        """Return the mean of a quantity over the clients for which it is not None; None if there are none."""
        values = [value for client in self.clients if (value := getattr(client, name)) is not None]
        return fmean(values) if values else None

    @property
    def restamped_share(self) -> float | None:
        """Fraction of the actions that arrived too late for their tick; None if there were no actions."""
        return self.n_late / self.acts if self.acts else None

    @property
    def resimulated_per_step(self) -> float:
        """Number of resimulated steps per compared step."""
        return self.total("resimulated_steps") / max(1, self.total("compared_steps"))

    @property
    def bytes_per_s(self) -> float:
        """Mean rate per client, bytes/s, both directions added."""
        return fmean(client.bytes_up_per_s + client.bytes_down_per_s for client in self.clients)

    @property
    def sizes(self) -> Distribution:
        """Sizes of the corrections, m."""
        return Distribution.of([size for _, size in self.corrections])

    @property
    def ages(self) -> Distribution:
        """Ages of the corrections, ticks."""
        return Distribution.of([age for age, _ in self.corrections])

    @property
    def by_size(self) -> list[int]:
        """Histogram of the corrections' sizes, with one count per bin that ends at an edge in `SIZES`, and one beyond the last edge."""
        return _histogram(SIZES, [size for _, size in self.corrections])

    @property
    def by_age(self) -> list[int]:
        """Histogram of the corrections' ages, with one count per bin that ends at an edge in `AGES`, and one beyond the last edge."""
        return _histogram(AGES, [age for age, _ in self.corrections])

    def as_json(self) -> dict[str, Any]:
        experiment = self.experiment
        counts = ("compared_steps", "differing_steps", "skipped_steps", "rollbacks", "resimulated_steps", "adopted_keyframes")
        return {
            "title": experiment.title,
            "solver": experiment.scene.solver,
            "method": experiment.method,
            "link": asdict(experiment.link),
            "delay": experiment.delay,
            "rollback": experiment.rollback,
            "window_steps": experiment.window,
            "hands": "random" if experiment.script is None else "script",
            "rate": experiment.rate,
            "join_at": experiment.join_at,
            "clients": experiment.n_clients,
            "steps": self.steps,
            **{name: self.total(name) for name in counts},
            "server_resimulated_steps": self.server_resimulated_steps,
            "bytes_per_s": self.bytes_per_s,
            "acts": self.acts,
            "restamped_share": self.restamped_share,
            "stalled_share": self.mean("stalled_share"),
            "corrections": {
                "count": len(self.corrections),
                "metres": asdict(self.sizes),
                "age": asdict(self.ages),
                "by_size": _bars(SIZES, self.by_size),
                "by_age": _bars(AGES, self.by_age),
            },
            "own_act_shown": asdict(self.own_act_shown),
            "time_to_agree": asdict(self.time_to_agree),
            "ms_per_step": {"server": self.server_ms_per_step, "client": self.mean("ms_per_step")},
            "per_client": [asdict(client) for client in self.clients],
            "drops": self.drops,
            "problems": self.problems,
        }


def _histogram(bounds: Sequence[float], numbers: Sequence[float]) -> list[int]:
    counts = [0] * (len(bounds) + 1)
    for number in numbers:
        counts[bisect_right(bounds, number)] += 1
    return counts


def _bars(bounds: Sequence[float], counts: Sequence[int]) -> list[dict[str, Any]]:
    return [{"below": bound, "count": count} for bound, count in zip((*bounds, None), counts, strict=True)]
