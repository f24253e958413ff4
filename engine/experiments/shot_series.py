"""Many shots that differ in their phase, and perhaps a little in where they are aimed: what share goes through?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.common.checks import integer, non_negative, seed_number
from engine.common.rng import stream
from engine.experiments.prediction import tunnel_chance
from engine.experiments.shot import ShotResult, run_shot
from engine.experiments.spec import HALF_PHASE, ShotSpec

__all__ = ["Jitter", "ShotSeries", "phases", "run_burst", "run_series", "scatter"]


@dataclass(frozen=True, slots=True)
class ShotSeries:
    """Shots of one kind.

    Attributes
    ----------
    spec : ShotSpec
        What they have in common; its phase means nothing, and what is jittered is the middle.
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
    def predicted_share(self) -> float | None:
        """Share that our analysis says goes through, for these very shots; None where it says nothing of one of them."""
        told = [shot.predicted_tunnels for shot in self.shots]
        return None if None in told else sum(map(bool, told)) / len(told)

    @property
    def chance(self) -> float | None:
        """Share to expect over all phases, of shots aimed as these were; None where that is not derived of one of them."""
        told = [tunnel_chance(shot.spec) for shot in self.shots]
        return None if None in told else sum(chance or 0.0 for chance in told) / len(told)

    @property
    def world_steps(self) -> float:
        """Steps of Box2D's for one step of the rule, on average over the shots."""
        return sum(shot.cost.world_steps for shot in self.shots) / sum(shot.cost.steps for shot in self.shots)

    @property
    def surprises(self) -> tuple[ShotResult, ...]:
        """Shots that did not do what was predicted."""
        return tuple(shot for shot in self.shots if not shot.agrees)


def phases(seed: int, n_shots: int) -> tuple[float, ...]:
    """Return the phases of a series: uniform in [0, 1) from the seed; a single shot has its middle plane half-way."""
    seed_number("seed", seed)
    if integer("shots", n_shots, 1) == 1:
        return (HALF_PHASE,)
    return tuple(stream(seed, "fire", "phase").random(n_shots).tolist())


@dataclass(frozen=True, slots=True)
class Jitter:
    """By how much shots of a burst may be off, to either side, uniformly: the angle (rad), the height (m), the blade's turn (rad).

    Raises
    ------
    InvalidInputError
        One is negative or not finite.
    """

    angle: float = 0.0
    height: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (("angle", "rad"), ("height", "m"), ("turn", "rad")):
            object.__setattr__(self, name, non_negative(name, getattr(self, name), unit))


def scatter(spec: ShotSpec, n_shots: int, seed: int, jitter: Jitter | None = None) -> tuple[ShotSpec, ...]:
    """Return the shots of a burst: their phases from the seed, and each thing jittered from a stream of its own.

    So that the phases of a seed are the same whatever else is jittered. One shot alone is not jittered.

    Raises
    ------
    InvalidInputError
        The seed is negative, there is no shot, or a jittered value leaves its range.
    """
    wanted = Jitter() if jitter is None else jitter
    shots = [replace(spec, phase=phase) for phase in phases(seed, n_shots)]
    for name in ("angle", "height", "turn") if n_shots > 1 else ():
        width = getattr(wanted, name)
        if width > 0.0:
            off = stream(seed, "fire", name).uniform(-width, width, n_shots).tolist()
            shots = [replace(shot, **{name: getattr(shot, name) + by}) for shot, by in zip(shots, off, strict=True)]
    return tuple(shots)


def run_burst(spec: ShotSpec, shots: Sequence[ShotSpec], on_shot: Callable[[], object] | None = None) -> ShotSeries:
    """Fire each of the shots, which have `spec` in common; `on_shot` is called after each."""
    results = []
    for shot in shots:
        results.append(run_shot(shot))
        if on_shot is not None:
            on_shot()
    return ShotSeries(spec, tuple(results))


def run_series(spec: ShotSpec, at: Sequence[float], on_shot: Callable[[], object] | None = None) -> ShotSeries:
    """Fire one shot for each phase in `at`; `on_shot` is called after each."""
    return run_burst(spec, [replace(spec, phase=phase) for phase in at], on_shot)
