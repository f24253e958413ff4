"""Many shots that differ in their phase only: what share goes through?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.common.checks import integer
from engine.common.rng import stream
from engine.experiments.prediction import tunnel_chance
from engine.experiments.shot import ShotResult, run_shot
from engine.experiments.spec import HALF_PHASE, ShotSpec

__all__ = ["Volley", "phases", "run_volley"]


@dataclass(frozen=True, slots=True)
class Volley:
    """Shots of one kind.

    Attributes
    ----------
    spec : ShotSpec
        What they have in common; its phase means nothing.
    shots : tuple of ShotResult
    """

    spec: ShotSpec
    shots: tuple[ShotResult, ...]

    @property
    def tunneled_share(self) -> float:
        """Share that went through, 0 to 1."""
        return sum(shot.tunneled for shot in self.shots) / len(self.shots)

    @property
    def hit_share(self) -> float:
        """Share for which a contact was reported."""
        return sum(shot.hit for shot in self.shots) / len(self.shots)

    @property
    def predicted_share(self) -> float:
        """Share that our analysis says goes through, for these very phases."""
        return sum(shot.predicted_tunnels for shot in self.shots) / len(self.shots)

    @property
    def chance(self) -> float:
        """Share to expect over all phases."""
        return tunnel_chance(self.spec)

    @property
    def surprises(self) -> tuple[ShotResult, ...]:
        """Shots that did not do what was predicted."""
        return tuple(shot for shot in self.shots if shot.tunneled != shot.predicted_tunnels)


def phases(seed: int, n_shots: int) -> tuple[float, ...]:
    """Return the phases of a volley: uniform in [0, 1) from the seed; a single shot has its middle plane half-way."""
    integer("seed", seed, 0)
    if integer("shots", n_shots, 1) == 1:
        return (HALF_PHASE,)
    return tuple(stream(seed, "fire", "phase").random(n_shots).tolist())


def run_volley(spec: ShotSpec, at: Sequence[float], on_shot: Callable[[], object] | None = None) -> Volley:
    """Fire one shot for each phase in `at`; `on_shot` is called after each."""
    results = []
    for phase in at:
        results.append(run_shot(replace(spec, phase=phase)))
        if on_shot is not None:
            on_shot()
    return Volley(spec, tuple(results))
