"""Runs a shot to its end, and series of shots that differ in phase, and optionally slightly in aim, for the share that tunnels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.common.checks import integer, non_negative, seed_number
from engine.common.rng import stream
from engine.experiments.impact import Approach
from engine.experiments.range import fire
from engine.experiments.rules import RuleCost, RuleStepper
from engine.experiments.spec import HALF_PHASE, ShotSpec
from engine.experiments.tracker import Outcome, ShotTracker, flight_steps, verdict
from engine.experiments.tunneling import Prediction, predict

__all__ = ["Jitter", "ShotResult", "ShotSeries", "phases", "run_burst", "run_shot", "scatter"]


@dataclass(frozen=True, slots=True)
class ShotResult:
    """A shot and its outcome; times in seconds from the shot, places in meters.

    Attributes
    ----------
    hit : bool
        A contact point with the target was reported in some step; of a sensor, that it was felt, by Box2D or by our swept test.
    tunneled : bool
        The bullet's center came to lie behind the target, in the target's own frame. With or without a hit.
    stopped_at : float or None
        x of the bullet's center at the contact that stopped it (`engine.experiments.tracker`); None if nothing did.
    impact_time : float or None
        Of the poses of the first contact that the solver reported: the end of a step, or a moment inside one where continuous physics, or
        our swept test, found it.
    impact_time_ours : float or None
        Of the first touch on the ideal way, exact. Never later than Box2D's, and, where that is discrete, sooner by up to one step;
        with CCD sooner by the way into the skins that `b2TimeOfImpact` aims at. Our solver sees it coming by `ShotSpec.contact_margin`.
    impact_point, impact_normal : (x, y) or None
        Of the first contact, the normal unit, onto the bullet; None where there is none, as with a sensor.
    prediction : Prediction
        Of `engine.experiments.tunneling`.
    positions : tuple of (x, y)
        The bullet's center after 0, 1, 2... steps.
    verdict : str
    stop_time_ours : float or None
        Of the moment that `b2TimeOfImpact` aims at, by our own time of impact; on another solver that of the touch.
    stop_window : (float, float) or None
        The earliest and latest `impact_time` that our analysis allows; see `engine.experiments.impact`. None: none is
        to be reported.
    cost : RuleCost
        Cost of the rule.
    """

    spec: ShotSpec
    hit: bool
    tunneled: bool
    stopped_at: float | None
    impact_time: float | None
    impact_time_ours: float | None
    impact_point: tuple[float, float] | None
    prediction: Prediction
    positions: tuple[tuple[float, float], ...]
    verdict: str
    impact_normal: tuple[float, float] | None
    stop_time_ours: float | None
    stop_window: tuple[float, float] | None
    cost: RuleCost

    @property
    def agrees(self) -> bool:
        """True if it did what was predicted, or nothing was predicted."""
        return self.prediction.tunnels in (None, self.tunneled) and self.prediction.hit in (None, self.hit)

    @property
    def is_in_time(self) -> bool:
        """True if the first reported contact lies in the window of our analysis, or if none was reported and none is due."""
        if self.impact_time is None:
            return self.stop_window is None or math.isinf(self.stop_window[1])
        return self.stop_window is not None and self.stop_window[0] <= self.impact_time <= self.stop_window[1]


def run_shot(spec: ShotSpec) -> ShotResult:
    """Fire one bullet in a world of its own and follow it until it has passed or has been held for a while."""
    shot = fire(spec)
    tracker, stepper, approach = ShotTracker(shot), RuleStepper(shot), Approach(shot, flight_steps(spec) / spec.hertz)
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
        impact_time_ours=approach.first_touch,
        impact_point=None if hit is None else hit.point,
        prediction=predict(spec),
        positions=tuple(tracker.positions),
        verdict=verdict(tracker),
        impact_normal=None if hit is None else hit.normal,
        stop_time_ours=approach.stop_time,
        stop_window=approach.stop_window,
        cost=stepper.cost,
    )


@dataclass(frozen=True, slots=True)
class ShotSeries:
    """Shots that have `spec` in common but for their phase, and for what is jittered, of which it has the middle."""

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
        """Predicted share that tunnels, for these shots; None if one of them has no prediction."""
        predictions = [shot.prediction.tunnels for shot in self.shots]
        return _mean(predictions)

    @property
    def chance(self) -> float | None:
        """Share to expect over all phases, of shots aimed as these were; None where that is not derived of one of them."""
        chances = [shot.prediction.tunnel_chance for shot in self.shots]
        return _mean(chances)

    @property
    def world_steps(self) -> float:
        """Steps of Box2D's for one step of the rule, on average over the shots."""
        return sum(shot.cost.world_steps for shot in self.shots) / sum(shot.cost.steps for shot in self.shots)

    @property
    def surprises(self) -> tuple[ShotResult, ...]:
        """Number of shots that contradict their prediction."""
        return tuple(shot for shot in self.shots if not shot.agrees)


def _mean(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(value or 0.0 for value in values) / len(values)


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
