"""Runs a shot to its end, or a series of shots that differ in phase and optionally slightly in aim, to measure the share that tunnels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.common.checks import integer, non_negative, seed_number
from engine.common.rng import stream
from engine.experiments.range import fire
from engine.experiments.rules import RuleCost, RuleStepper
from engine.experiments.spec import HALF_PHASE, ShotSpec
from engine.experiments.tracker import Outcome, ShotTracker, verdict
from engine.experiments.tunneling import Prediction, predict

__all__ = ["Jitter", "ShotResult", "ShotSeries", "phases", "run_burst", "run_shot", "scatter"]


@dataclass(frozen=True, slots=True)
class ShotResult:
    """A shot and its outcome; times in seconds from the shot, places in meters.

    Attributes
    ----------
    hit : bool
        True if a contact point with the target was reported in some step; for a sensor, if Box2D or our swept test detected it.
    tunneled : bool
        True if the bullet's center ended behind the target, in the target's own frame, with or without a hit.
    stopped_at : float or None
        x of the bullet's center at the contact that stopped it (`engine.experiments.tracker`); None if nothing did.
    impact_time : float or None
        Time of the poses of the first reported contact: the end of a step, or a time within one at which continuous physics or our swept
        test found it.
    impact_point, impact_normal : (x, y) or None
        Point and unit normal of the first contact, toward the bullet; None without one, as with a sensor.
    prediction : Prediction
        Prediction of `engine.experiments.tunneling`.
    positions : tuple of (x, y)
        The bullet's center after 0, 1, 2... steps.
    verdict : str
    cost : RuleCost
        Cost of the rule.
    """

    spec: ShotSpec
    hit: bool
    tunneled: bool
    stopped_at: float | None
    impact_time: float | None
    impact_point: tuple[float, float] | None
    prediction: Prediction
    positions: tuple[tuple[float, float], ...]
    verdict: str
    impact_normal: tuple[float, float] | None
    cost: RuleCost

    @property
    def agrees(self) -> bool:
        """True if the outcome was as predicted, or nothing was predicted."""
        return self.prediction.tunnels in (None, self.tunneled) and self.prediction.hit in (None, self.hit)


def run_shot(spec: ShotSpec) -> ShotResult:
    """Fire one bullet in a new world and track it until it has passed or has been stopped for a while."""
    shot = fire(spec)
    tracker, stepper = ShotTracker(shot), RuleStepper(shot)
    while not tracker.is_over:
        for piece in stepper.step():
            tracker.observe(piece)
    hit = tracker.hit
    return ShotResult(
        spec=spec,
        hit=hit is not None,
        tunneled=tracker.jump is not None,
        stopped_at=tracker.stop.center[0] if tracker.stop is not None and tracker.outcome is Outcome.STOPPED else None,
        impact_time=None if hit is None else hit.time,
        impact_point=None if hit is None else hit.point,
        prediction=predict(spec),
        positions=tuple(tracker.positions),
        verdict=verdict(tracker),
        impact_normal=None if hit is None else hit.normal,
        cost=stepper.cost,
    )


@dataclass(frozen=True, slots=True)
class ShotSeries:
    """Shots with the same `spec` except for their phase and their jittered values, of which it has the means."""

    spec: ShotSpec
    shots: tuple[ShotResult, ...]

    @property
    def tunneled_share(self) -> float:
        """Share of shots that tunneled, 0 to 1."""
        return sum(shot.tunneled for shot in self.shots) / len(self.shots)

    @property
    def hit_share(self) -> float:
        """Share of shots for which a contact was reported."""
        return sum(shot.hit for shot in self.shots) / len(self.shots)

    @property
    def predicted_share(self) -> float | None:
        """Predicted share that tunnels, for these shots; None if one of them has no prediction."""
        predictions = [shot.prediction.tunnels for shot in self.shots]
        return _mean(predictions)

    @property
    def chance(self) -> float | None:
        """Expected share over all phases, for shots aimed as these were; None if it is not derived for one of them."""
        chances = [shot.prediction.tunnel_chance for shot in self.shots]
        return _mean(chances)

    @property
    def world_steps(self) -> float:
        """Mean number of Box2D's steps per step of the rule, over the shots."""
        return sum(shot.cost.world_steps for shot in self.shots) / sum(shot.cost.steps for shot in self.shots)

    @property
    def surprises(self) -> tuple[ShotResult, ...]:
        """Number of shots that contradict their prediction."""
        return tuple(shot for shot in self.shots if not shot.agrees)


def _mean(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(value or 0.0 for value in values) / len(values)


def phases(seed: int, n_shots: int) -> tuple[float, ...]:
    """Return the phases of a series: uniform in [0, 1) from the seed; for a single shot, the middle plane is half-way between two steps."""
    seed_number("seed", seed)
    if integer("shots", n_shots, 1) == 1:
        return (HALF_PHASE,)
    return tuple(stream(seed, "fire", "phase").random(n_shots).tolist())


@dataclass(frozen=True, slots=True)
class Jitter:
    """Maximum uniform jitter of a burst's shots in either direction: angle (rad), height (m), and the blade's turn (rad).

    Raises
    ------
    InvalidInputError
        A value is negative or not finite.
    """

    angle: float = 0.0
    height: float = 0.0
    turn: float = 0.0

    def __post_init__(self) -> None:
        for name, unit in (("angle", "rad"), ("height", "m"), ("turn", "rad")):
            object.__setattr__(self, name, non_negative(name, getattr(self, name), unit))


def scatter(spec: ShotSpec, n_shots: int, seed: int, jitter: Jitter | None = None) -> tuple[ShotSpec, ...]:
    """Return the shots of a burst: phases from the seed, and each jittered value from its own stream.

    The phases of a seed are thus the same for any jitter. A single shot is not jittered.

    Raises
    ------
    InvalidInputError
        The seed is negative, there is no shot, or a jittered value is out of range.
    """
    amounts = Jitter() if jitter is None else jitter
    shots = [replace(spec, phase=phase) for phase in phases(seed, n_shots)]
    for name in ("angle", "height", "turn") if n_shots > 1 else ():
        width = getattr(amounts, name)
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
