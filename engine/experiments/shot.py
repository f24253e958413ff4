"""Running one shot to its end."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.experiments.impact import Mover, first_touch, movers_of, stop_time, stop_window
from engine.experiments.prediction import predicts_hit, predicts_tunnel
from engine.experiments.range import build_floor, build_range, fire_bullet, range_settings
from engine.experiments.rules import RuleCost, RuleStepper
from engine.experiments.spec import ShotSpec
from engine.experiments.verdict import verdict
from engine.experiments.watch import Outcome, ShotWatch, flight_steps
from engine.world import World

__all__ = ["ShotResult", "run_shot"]


@dataclass(frozen=True, slots=True)
class ShotResult:
    """A shot and what came of it.

    Attributes
    ----------
    hit : bool
        A contact point with the target was reported in some step; of a sensor, that it was felt, by Box2D or by our swept test.
    tunneled : bool
        The bullet's centre came to lie behind the target, in the target's own frame. With or without a hit.
    stopped_at : float or None
        x of the bullet's centre, metres, at the poses of the contact that stopped it; None if nothing did. Stopped is meant in
        the target's frame, by a target that took at least half of its speed: `engine.experiments.watch` says it exactly.
    impact_time_box2d : float or None
        Seconds from the shot to the poses of the first contact that Box2D reported: the end of a step, or a moment inside one
        where continuous physics, or our swept test, found it.
    impact_time_ours : float or None
        Seconds from the shot to the first touch on the ideal way, exact. Never later than Box2D's, and, where that is
        discrete, sooner by up to one step; with CCD sooner by the way into the skins that `b2TimeOfImpact` aims at.
    impact_point : (x, y) or None
    predicted_tunnels : bool or None
        What `engine.experiments.prediction` says; None where it says nothing.
    positions : tuple of (x, y)
        The bullet's centre after 0, 1, 2... steps.
    verdict : str
    impact_normal : (x, y) or None
        Of the first contact, unit, onto the bullet; None where there is none, as with a sensor.
    predicted_hit : bool or None
    stop_time_ours : float or None
        Seconds from the shot to the moment that `b2TimeOfImpact` aims at, found by our own time of impact.
    stop_window : (float, float) or None
        The earliest and latest `impact_time_box2d` that our analysis allows; see `engine.experiments.impact`. None: none is
        to be reported.
    cost : RuleCost
        What the rule spent.
    """

    spec: ShotSpec
    hit: bool
    tunneled: bool
    stopped_at: float | None
    impact_time_box2d: float | None
    impact_time_ours: float | None
    impact_point: tuple[float, float] | None
    predicted_tunnels: bool | None
    positions: tuple[tuple[float, float], ...]
    verdict: str
    impact_normal: tuple[float, float] | None
    predicted_hit: bool | None
    stop_time_ours: float | None
    stop_window: tuple[float, float] | None
    cost: RuleCost

    @property
    def agrees(self) -> bool:
        """Whether it did what was predicted, as far as anything was."""
        return self.predicted_tunnels in (None, self.tunneled) and self.predicted_hit in (None, self.hit)

    @property
    def is_in_time(self) -> bool:
        """Whether Box2D first reported a contact within the window that our analysis allows, or none where it may report none."""
        if self.impact_time_box2d is None:
            return self.stop_window is None or math.isinf(self.stop_window[1])
        return self.stop_window is not None and self.stop_window[0] <= self.impact_time_box2d <= self.stop_window[1]


def run_shot(spec: ShotSpec) -> ShotResult:
    """Fire one bullet in a world of its own and watch it until it has passed or has been held for a while."""
    world = World(range_settings(spec))
    if spec.target == "stack":
        build_floor(world, -5.0, 5.0)
    built = build_range(world, spec)
    targets = movers_of(world, spec, built.panels)
    bullet = fire_bullet(world, spec)
    watch = ShotWatch(world, spec, bullet, built.panels)
    stepper = RuleStepper(world, spec, bullet)
    while not watch.is_over:
        for piece in stepper.step():
            watch.observe(piece)
    return _result(watch, targets, stepper.cost)


def _result(watch: ShotWatch, targets: tuple[Mover, ...], cost: RuleCost) -> ShotResult:
    spec, hit = watch.spec, watch.hit
    stop = watch.stop if watch.outcome is Outcome.STOPPED else None
    t_max = flight_steps(spec) / spec.hertz
    return ShotResult(
        spec=spec,
        hit=hit is not None,
        tunneled=watch.jump is not None,
        stopped_at=None if stop is None else stop.center[0],
        impact_time_box2d=None if hit is None else hit.time,
        impact_time_ours=first_touch(spec, targets, t_max),
        impact_point=None if hit is None else hit.point,
        predicted_tunnels=predicts_tunnel(spec),
        positions=tuple(watch.positions),
        verdict=verdict(watch),
        impact_normal=None if hit is None else hit.normal,
        predicted_hit=predicts_hit(spec),
        stop_time_ours=stop_time(spec, targets, t_max),
        stop_window=stop_window(spec, targets, t_max),
        cost=cost,
    )
