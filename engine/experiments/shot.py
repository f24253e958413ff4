"""Running one shot to its end."""

from __future__ import annotations

from dataclasses import dataclass

from engine.box2d import World
from engine.experiments.prediction import first_touch, predicts_tunnel
from engine.experiments.range import Range, build_floor, build_range, fire_bullet, range_settings
from engine.experiments.spec import ShotSpec
from engine.experiments.verdict import verdict
from engine.experiments.watch import Outcome, ShotWatch, flight_steps
from engine.geometry import Shape, Transform

__all__ = ["ShotResult", "run_shot", "targets_at_rest"]


@dataclass(frozen=True, slots=True)
class ShotResult:
    """A shot and what came of it.

    Attributes
    ----------
    hit : bool
        A contact point with the target was reported in some step.
    tunneled : bool
        The bullet's centre came to lie behind the target, in the target's own frame. With or without a hit.
    stopped_at : float or None
        x of the bullet's centre, metres, at the poses of the contact that stopped it; None if nothing did. Stopped is meant in
        the target's frame, by a target that took at least half of its speed: `engine.experiments.watch` says it exactly.
    impact_time_box2d : float or None
        Seconds from the shot to the poses of the first contact that Box2D reported: the end of a step, or a moment inside one
        where continuous physics found it (whole steps plus the share of the step's way that it had travelled).
    impact_time_ours : float or None
        Seconds from the shot to the first touch on the ideal way, exact. Never later than Box2D's, and, where that is
        discrete, sooner by up to one step; with CCD sooner by the way into the skins that `b2TimeOfImpact` aims at.
    impact_point : (x, y) or None
    predicted_tunnels : bool
        What `engine.experiments.prediction` says.
    positions : tuple of (x, y)
        The bullet's centre after 0, 1, 2... steps.
    verdict : str
    """

    spec: ShotSpec
    hit: bool
    tunneled: bool
    stopped_at: float | None
    impact_time_box2d: float | None
    impact_time_ours: float | None
    impact_point: tuple[float, float] | None
    predicted_tunnels: bool
    positions: tuple[tuple[float, float], ...]
    verdict: str


def run_shot(spec: ShotSpec) -> ShotResult:
    """Fire one bullet in a world of its own and watch it until it has passed or has been held for a while."""
    world = World(range_settings(spec))
    if spec.target == "stack":
        build_floor(world, -5.0, 5.0)
    built = build_range(world, spec)
    targets = targets_at_rest(world, built)
    bullet = fire_bullet(world, spec)
    watch = ShotWatch(world, spec, bullet, built.panels)
    while not watch.is_over:
        watch.observe(world.step())
    return _result(watch, targets, predicts_tunnel(spec))


def targets_at_rest(world: World, built: Range) -> list[tuple[Shape, Transform]]:
    """Return shape and present pose of everything that may be hit, as Box2D holds it."""
    found: list[tuple[Shape, Transform]] = []
    for panel in built.panels:
        state = world.state(panel.body)
        pose = Transform(state.position, state.angle)
        found.extend((world.fixture(fixture).shape, pose) for fixture in world.body(panel.body).fixtures)
    return found


def _result(watch: ShotWatch, targets: list[tuple[Shape, Transform]], predicted: bool) -> ShotResult:
    spec = watch.spec
    stop = watch.stop if watch.outcome is Outcome.STOPPED else None
    return ShotResult(
        spec=spec,
        hit=watch.hit is not None,
        tunneled=watch.jump is not None,
        stopped_at=None if stop is None else stop.center[0],
        impact_time_box2d=None if watch.hit is None else watch.hit.time,
        impact_time_ours=first_touch(spec, targets, (flight_steps(spec) + 1) / spec.hertz),
        impact_point=None if watch.hit is None else watch.hit.point,
        predicted_tunnels=predicted,
        positions=tuple(watch.positions),
        verdict=verdict(watch),
    )
