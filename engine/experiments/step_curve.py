r"""The gap between two moving shapes over one step, from its beginning, 0, to its end, 1.

    gap | \                                  a discrete engine tests only both ends, where there is a gap
        |  \                              /
        |   \                          /
      0 |----\----------------------/------  touching, skins included
        |     \                  /
 target |......\..............................  where b2TimeOfImpact stops: inside the skins
        |        \            /
        +---------|----------------------------> fraction of the step
              first touch

The curve is measured at many fractions by our distance and, where the shapes overlap, by our penetration depth. Box2D's answer is
b2TimeOfImpact's about the same two motions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.box2d.oracle.held import round_pose
from engine.box2d.oracle.pairs import PairOracle
from engine.common.arrays import FloatArray, frozen
from engine.common.tolerances import BOX2D_TOI_BACKOFF, LINEAR_SLOP
from engine.contracts import Status, TimeOfImpact
from engine.geometry import FixtureShape, Sweep, Transform
from engine.query import distance, penetration, time_of_impact

__all__ = ["MovingShape", "StepCurve", "step_curve", "touches"]

_SAMPLES = 257


@dataclass(frozen=True, slots=True)
class MovingShape:
    """A shape as represented by Box2D, and its unobstructed motion over the step, poses of its body."""

    shape: FixtureShape
    sweep: Sweep


@dataclass(frozen=True, slots=True)
class StepCurve:
    """The gap between two shapes over one step: meters, skins included, negative where they overlap.

    Attributes
    ----------
    fractions, gaps : float64 (n,)
        Gaps at ascending fractions of the step.
    touch, aimed, box2d : TimeOfImpact
        Our first touch; our time, and b2TimeOfImpact's, at which the gap is its target `target`. Box2D counts no iterations.
    """

    fractions: FloatArray
    gaps: FloatArray
    touch: TimeOfImpact
    aimed: TimeOfImpact
    box2d: TimeOfImpact
    target: float

    def gap_at(self, fraction: float) -> float:
        """Return the gap at a fraction, on the straight line between the two nearest samples."""
        return float(np.interp(fraction, self.fractions, self.gaps))


def step_curve(shape: MovingShape, other: MovingShape) -> StepCurve:
    """Return the curve of two shapes over the step.

    Examples
    --------
    >>> from engine.geometry import Circle
    >>> disc = MovingShape(Circle(0.5), Sweep(Transform((-2.0, 0.0)), Transform((2.0, 0.0))))
    >>> post = MovingShape(Circle(0.25), Sweep(Transform(), Transform()))
    >>> curve = step_curve(disc, post)
    >>> round(curve.touch.fraction, 6), round(curve.gap_at(0.0), 6), round(curve.gap_at(0.5), 6)
    (0.3125, 1.25, -0.75)
    """
    touch = time_of_impact(shape.shape, shape.sweep, other.shape, other.sweep)
    aimed = time_of_impact(shape.shape, shape.sweep, other.shape, other.sweep, target="box2d")
    box2d = _box2d(shape, other)
    fractions = np.union1d(np.linspace(0.0, 1.0, _SAMPLES), [answer.fraction for answer in (touch, aimed, box2d)])
    radii = shape.shape.radius + other.shape.radius
    target = max(LINEAR_SLOP, radii - BOX2D_TOI_BACKOFF) - radii
    return StepCurve(frozen(fractions), frozen(_gaps(shape, other, fractions)), touch, aimed, box2d, target)


def touches(shape: MovingShape, other: MovingShape) -> bool:
    """Return True if the two touch in the step."""
    return time_of_impact(shape.shape, shape.sweep, other.shape, other.sweep).status is not Status.MISS


def _gaps(first: MovingShape, other: MovingShape, fractions: FloatArray) -> FloatArray:
    return np.array([_gap(first, other, fraction) for fraction in fractions.tolist()])


def _gap(first: MovingShape, other: MovingShape, fraction: float) -> float:
    posed = first.shape, first.sweep.at(fraction), other.shape, other.sweep.at(fraction)
    gap = distance(*posed).separation
    return gap if gap >= 0.0 else -penetration(*posed).depth  # if the cores overlap, the distance is only a bound


def _box2d(first: MovingShape, other: MovingShape) -> TimeOfImpact:
    oracle = PairOracle([first.shape, other.shape])
    ends = [round_pose([_row(pose)]) for moving in (first, other) for pose in (moving.sweep.start, moving.sweep.end)]
    answer = oracle.times_of_impact([(0, 1)], *ends)
    return TimeOfImpact(Status(int(answer.status[0])), float(answer.fraction[0]), 0)


def _row(pose: Transform) -> tuple[float, float, float]:
    return pose.position[0], pose.position[1], pose.angle
