"""The time line of the demo `bullet`: what was in motion in each step of a shot, and the curve of the step that decides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.common.arrays import FloatArray
from engine.contracts import Status
from engine.geometry import FixtureShape
from engine.render import palette
from engine.render.gap_plot import GapTimeline, Heading, Mark
from engine.render.palette import mix
from engine.world import World, accept

if TYPE_CHECKING:
    from engine.experiments.step_curve import MovingShape, StepCurve

__all__ = ["LaneMoment", "StepRecorder", "gap_timeline"]

_OPEN = 1e-4
"""Meters: a gap at the end of a step that nobody would call a touch."""


@dataclass(frozen=True, slots=True)
class LaneMoment:
    """When, in the step shown, a lane noticed the hit: the fraction of the step, and words for the pointer."""

    fraction: float
    words: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class _Motion:
    body_ids: tuple[int, ...]
    poses: FloatArray
    velocities: FloatArray
    seconds: float
    n_steps: int


class StepRecorder:
    """Keeps how bullet and targets moved at the beginning of each step of a shot, and finds the curve of one when it is asked for."""

    def __init__(self, world: World, bullet: int, targets: Iterable[int]) -> None:
        (self._bullet,) = _shapes(world, [bullet])
        self._others = _shapes(world, targets)
        self._motions: list[_Motion] = []
        self._examined = 0
        self._decisive: int | None = None
        self._curves: dict[int, StepCurve] = {}

    def note(self, world: World, seconds: float, n_steps: int) -> None:
        """A step is about to be taken."""
        self._motions.append(_Motion(world.body_ids, world.poses, world.velocities, seconds, n_steps))

    def __len__(self) -> int:
        return len(self._motions)

    def shown(self) -> tuple[int, StepCurve] | None:
        """Return the first step in which they touch, or, as long as there is none, the last one, with its curve."""
        from engine.experiments.step_curve import step_curve, touches

        while self._decisive is None and self._examined < len(self._motions):
            moving = self._moving(self._examined)
            if moving is not None and touches(*moving):
                self._decisive = self._examined
            self._examined += 1
        step = self._decisive if self._decisive is not None else len(self._motions) - 1
        moving = self._moving(step) if step >= 0 else None
        if moving is None:
            return None
        if step not in self._curves:
            self._curves = {step: step_curve(*moving)}
        return step, self._curves[step]

    def sweeps(self, step: int) -> tuple[MovingShape, list[MovingShape]] | None:
        """Return how bullet and targets would have moved in a step, were nothing in their way."""
        return self._moving(step)

    def _moving(self, step: int) -> tuple[MovingShape, list[MovingShape]] | None:
        from engine.experiments.lookahead import free_sweep
        from engine.experiments.step_curve import MovingShape

        motion = self._motions[step]

        def moving(body: int, shape: FixtureShape, center: tuple[float, float]) -> MovingShape:
            row = motion.body_ids.index(body)
            pose, velocity = motion.poses[row].tolist(), motion.velocities[row].tolist()
            return MovingShape(shape, free_sweep(tuple(pose), tuple(velocity), motion.seconds, center, motion.n_steps))

        there = [other for other in self._others if other[0] in motion.body_ids]
        if self._bullet[0] not in motion.body_ids or not there:
            return None
        return moving(*self._bullet), [moving(*other) for other in there]


def _shapes(world: World, bodies: Iterable[int]) -> list[tuple[int, FixtureShape, tuple[float, float]]]:
    found = []
    for body in bodies:
        record = world.body(body)
        found += [(body, _as_box2d_holds(world, fixture), record.local_center) for fixture in record.fixtures]
    return found


def _as_box2d_holds(world: World, fixture: int) -> FixtureShape:
    """Return a fixture's shape as Box2D holds it, for the curve is asked of that, whatever drives the world."""
    there = world.fixture(fixture)
    return there.shape if world.solver == "box2d" else accept(there.spec, "box2d").shape


def gap_timeline(
    step: int,
    curve: StepCurve,
    noun: str,
    seconds: float,
    now: float | None,
    looks_at_ends: bool,
    n_substeps: int,
    moments: Sequence[LaneMoment],
) -> GapTimeline:
    """Return the time line of a step.

    Parameters
    ----------
    step : int
        Steps taken before it.
    curve : StepCurve
    noun : str
        The target in words.
    seconds : float
        Length of the step.
    now : float or None
        The moment of the picture, where it is in this step.
    looks_at_ends : bool
        Whether a lane that looks only where steps end is shown.
    n_substeps : int
        Of the lane that takes sub-steps; 0 without one.
    moments : sequence of LaneMoment
    """
    first, last = float(curve.gaps[0]), float(curve.gaps[-1])
    hit = curve.touch.status is Status.HIT
    marks: list[Mark] = []
    if looks_at_ends:
        color = palette.UNEXPLAINED if hit and last > _OPEN else palette.CAPTION
        for at, gap, words in ((0.0, first, "begins"), (1.0, last, "ends")):
            seen = "sees no touch" if gap > _OPEN else "sees the touch"
            legend = "all that discrete steps see"
            marks.append(Mark(at, gap, "ring", color, f"a discrete engine looks where the step {words}, and {seen}", legend))
    for k in range(1, n_substeps):
        words = f"end of our sub-step {k} of {n_substeps}"
        marks.append(Mark(k / n_substeps, None, "tick", mix(palette.CAPTION, palette.ACCENT, 0.5), words, f"our {n_substeps} sub-steps"))
    if hit:
        words = f"our first touch, after {curve.touch.iterations} measurements"
        marks.append(Mark(curve.touch.fraction, 0.0, "diamond", palette.AGREE, words, "our first touch", True))
    if curve.box2d.status is Status.HIT:
        fraction = curve.box2d.fraction
        away = 1e3 * abs(curve.gap_at(fraction) - curve.target)
        words = f"b2TimeOfImpact: {away:.2g} mm from where it aims; our answer to its question: {curve.aimed.fraction:.4f}"
        marks.append(Mark(fraction, curve.gap_at(fraction), "triangle", palette.IMPULSE, words, "b2TimeOfImpact", True))
    for moment in moments:
        color = palette.AGREE if moment.is_ours else palette.IMPULSE
        legend = "our stop" if moment.is_ours else "the solver's stop"
        marks.append(Mark(moment.fraction, curve.gap_at(moment.fraction), "ring", color, moment.words, legend))
    return GapTimeline(
        title=_title(step, curve, noun, hit, first, last),
        fractions=curve.fractions,
        gaps=curve.gaps,
        walk=curve.walk,
        target=curve.target if hit else None,
        lens=curve.lens,
        marks=marks,
        milliseconds=1000.0 * seconds,
        now=now,
    )


def _title(step: int, curve: StepCurve, noun: str, hit: bool, first: float, last: float) -> tuple[Heading, Heading]:
    """Return the heading in full and in short."""
    long, short = f"Close-up of step {step + 1}: the gap between bullet and {noun}.  ", f"Close-up of step {step + 1}, gap to {noun}:  "
    color = palette.CAPTION
    touch = f"{curve.touch.fraction:.3f}"
    if curve.touch.status is Status.OVERLAPPING:
        told, brief = "They touch from its beginning.", "none"
    elif not hit:
        told, brief = "No touch in this step.", "no touch"
    elif curve.box2d.status is Status.MISS:
        told, brief, color = f"They touch at {touch}; b2TimeOfImpact passes over it.", f"b2TimeOfImpact misses {touch}", palette.UNEXPLAINED
    elif last > _OPEN:
        told, brief = (
            "A gap at both ends, contact in between: checking only the ends misses it.",
            "contact between the ends",
        )
        color = palette.UNEXPLAINED
    else:
        told, brief, color = f"They touch at {touch}, and still do at the end.", f"touch at {touch}", palette.AGREE
    return ((long, palette.TEXT), (told, color)), ((short, palette.TEXT), (brief, color))
